/* SPDX-License-Identifier: BSD-3-Clause */
/* Teams: the rows and the columns of a grid, a team of all in reverse order, a
 * team of a team, teams of one. Ranks and nodes as requested; collectives of
 * overlapping teams in flight at once; a separate named barrier of each
 * team. */
#include "conform_coll.h"

#include <gasnet_coll_team.h>

enum { MOST = 2000, TEAMS = 5, OPS = 4 };

static size_t room;

/* Node of rank i of a team, all of them. */
static void check_members(gasnet_team_handle_t team, gasnet_node_t me,
                          gasnet_node_t size, gasnet_node_t first, int step)
{
    CHECK_EQ(gasnet_coll_team_size(team), size);
    CHECK_EQ(gasnet_coll_team_rank(team), me);
    for (int i = 0; i < (int)size; i++) {
        const gasnet_node_t node = (gasnet_node_t)((int)first + i * step);
        CHECK_EQ(gasnet_coll_team_rank2node(team, i), node);
        CHECK_EQ(gasnet_coll_team_node2rank(team, node), i);
    }
}

static int rows(void)
{
    int r = 1;
    for (int i = 2; i * i <= (int)conf.n; i++) {
        if ((int)conf.n % i == 0) {
            r = i;
        }
    }
    return r;
}

static void make_teams(gasnet_team_handle_t *team)
{
    const gasnet_node_t r = (gasnet_node_t)rows(), c = conf.n / r;
    const gasnet_node_t row = conf.me / c, col = conf.me % c;
    gasnet_seginfo_t scratch = conf.seg[conf.me];
    gasnet_node_t reversed = conf.n - 1 - conf.me, in_row;

    team[0] = GASNET_TEAM_ALL;
    check_members(team[0], conf.me, conf.n, 0, 1);
    team[1] = gasnet_coll_team_split(GASNET_TEAM_ALL, row, col, &scratch);
    check_members(team[1], col, c, row * c, 1);
    team[2] = gasnet_coll_team_split(GASNET_TEAM_ALL, col, row, NULL);
    check_members(team[2], row, r, col, (int)c);
    /* Ranks that are not dense, downwards. */
    team[3] =
        gasnet_coll_team_split(GASNET_TEAM_ALL, 5, 100 + 7 * reversed, NULL);
    check_members(team[3], reversed, conf.n, conf.n - 1, -1);
    /* The row again, of the row's team, turned round; the same relrank for all
     * keeps the parent's order. */
    team[4] = gasnet_coll_team_split(team[1], 0, c - col, NULL);
    check_members(team[4], c - 1 - col, c, row * c + c - 1, -1);
    in_row = gasnet_coll_team_rank(team[4]);
    team[4] = gasnet_coll_team_split(team[4], 9, 3, NULL);
    CHECK_EQ(gasnet_coll_team_rank(team[4]), in_row);
}

/* Some ranks have made more teams than others when the teams of several are
 * made. */
static void alone(void)
{
    gasnet_team_handle_t me =
        gasnet_coll_team_split(GASNET_TEAM_ALL, conf.me, 0, NULL);
    int value = 17, other = 0;
    check_members(me, 0, 1, conf.me, 1);
    gasnet_coll_broadcast(me, &other, 0, &value, sizeof value,
                          GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC);
    CHECK_EQ(other, 17);
    OK(gasnet_coll_barrier(me, 3, 0));
    for (gasnet_node_t i = 0; i < conf.me % 3; i++) {
        me = gasnet_coll_team_split(me, 4, 4, NULL);
        check_members(me, 0, 1, conf.me, 1);
    }
}

/* OPS collectives of each team, started in turn, synchronised in any order. */
static void overlapping(gasnet_team_handle_t *handle, int i,
                        struct conf_rng *rng)
{
    static struct coll_team team[TEAMS];
    static struct coll_op ops[TEAMS * OPS];
    gasnet_coll_handle_t list[TEAMS * OPS];
    /* Teams of one colour are of one shape, so one stream of numbers does. */
    for (int k = 0; k < TEAMS * OPS; k++) {
        coll_team_plain(&team[k % TEAMS], handle[k % TEAMS]);
        coll_choose(&ops[k], &team[k % TEAMS], i * TEAMS * OPS + k, MOST, rng);
        coll_place(&ops[k], (size_t)k * 2 * room, room);
        coll_prepare(&ops[k]);
    }
    conf_barrier();
    for (int k = 0; k < TEAMS * OPS; k++) {
        coll_start(&ops[k], 1);
        list[k] = ops[k].handle;
    }
    for (int k = (int)conf.me % 3; k < TEAMS * OPS; k += 3) {
        gasnet_coll_wait_sync(list[k]);
        list[k] = GASNET_COLL_INVALID_HANDLE;
    }
    gasnet_coll_wait_sync_all(list, TEAMS * OPS);
    conf_barrier();
    for (int k = 0; k < TEAMS * OPS; k++) {
        if (coll_dst_blocks(&ops[k]) != 0) {
            COLL_CHECK(&ops[k], coll_dst(&ops[k]));
        }
    }
}

/* ---- barriers ---------------------------------------------------------------- */

/* All teams' barriers are under way at once; each has its own name. */
static void barriers(gasnet_team_handle_t *team, int i)
{
    int id;
    for (int t = 0; t < TEAMS; t++) {
        gasnet_coll_barrier_notify(team[t], 1000 * i + t, 0);
    }
    for (int t = TEAMS; t-- > 0;) {
        if ((i + t) % 2) {
            OK(gasnet_coll_barrier_wait(team[t], 1000 * i + t, 0));
        } else {
            int result;
            do {
                result = gasnet_coll_barrier_try(team[t], 1000 * i + t, 0);
            } while (result == GASNET_ERR_NOT_READY);
            CHECK_EQ(result, GASNET_OK);
        }
        CHECK_EQ(gasnet_coll_barrier_result(team[t], &id), 0);
        CHECK_EQ(id, 1000 * i + t);
    }
    /* GASNET_TEAM_ALL's is gasnet_barrier's. */
    CHECK_EQ(gasnet_barrier_result(&id), 0);
    CHECK_EQ(id, 1000 * i);
}

/* A barrier is none of the calls whose order members agree on: rank 0 makes one between
 * notify and wait that the others make before their notify. */
static void beside(gasnet_team_handle_t team, int i)
{
    const int flags =
        GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const int first = gasnet_coll_team_rank(team) == 0;
    int value = first ? i : -1, got = -1;
    if (first) {
        gasnet_coll_barrier_notify(team, i, 0);
    }
    gasnet_coll_broadcast(team, &got, 0, &value, sizeof value, flags);
    if (!first) {
        gasnet_coll_barrier_notify(team, i, 0);
    }
    CHECK_EQ(got, i);
    OK(gasnet_coll_barrier_wait(team, i, 0));
}

/* A rank of each row gives another name: only its row learns of it. */
static void mismatch(gasnet_team_handle_t *team)
{
    const gasnet_node_t size = gasnet_coll_team_size(team[1]);
    const int bad = size > 1 && conf.me < size; /* the first row */
    const int odd = bad && gasnet_coll_team_rank(team[1]) == size - 1;
    const int id = odd ? 5 : 4;
    CHECK_EQ(gasnet_coll_barrier(team[1], id, 0),
             bad ? GASNET_ERR_BARRIER_MISMATCH : GASNET_OK);
    OK(gasnet_coll_barrier(team[1], 0, GASNET_BARRIERFLAG_ANONYMOUS));
    OK(gasnet_coll_barrier(team[2], 4, 0));
}

/* Nobody of the row leaves before all have come. */
static void separates(gasnet_team_handle_t row, int i)
{
    const int rank = (int)gasnet_coll_team_rank(row);
    const int size = (int)gasnet_coll_team_size(row);
    int *counts = (int *)(void *)conf_addr(conf.me);
    for (int k = 0; k < size; k++) {
        const gasnet_node_t node = gasnet_coll_team_rank2node(row, k);
        gasnet_put_val(node, conf_addr(node) + sizeof(int) * (size_t)rank,
                       (gasnet_register_value_t)i, sizeof(int));
    }
    if (i % 2) {
        gasnete_coll_teambarrier_notify(row);
        gasnete_coll_teambarrier_wait(row);
    } else {
        gasnete_coll_teambarrier(row);
    }
    for (int k = 0; k < size; k++) {
        CHECK(conf_load(&counts[k]) >= i, "rank %d is at %d, want %d", k,
              conf_load(&counts[k]), i);
    }
}

int main(int argc, char **argv)
{
    gasnet_team_handle_t team[TEAMS];
    gasnet_coll_fn_entry_t table[COLL_FUNCTIONS];
    conf_init("coll_teams", &argc, &argv);
    room = ((size_t)conf.n * MOST + COLL_MARGIN + 63) / 64 * 64;
    conf_attach(NULL, 0, TEAMS * OPS * 2 * room);
    conf_barrier();
    coll_functions(table);
    gasnet_coll_init(NULL, 0, table, COLL_FUNCTIONS, 0);
    alone();
    make_teams(team);
    struct conf_rng rng = conf_rng(0);
    const int rounds = conf_iters(60, 4);
    for (int i = 0; i < rounds; i++) {
        overlapping(team, i, &rng);
        barriers(team, i);
        for (int t = 0; t < TEAMS; t++) {
            beside(team[t], i);
        }
    }
    mismatch(team);
    memset(conf_addr(conf.me), 0, conf.n * sizeof(int));
    conf_barrier();
    for (int i = 1; i <= conf_iters(500, 10); i++) {
        separates(team[1], i);
    }
    conf_pass();
}
