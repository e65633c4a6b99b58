/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Overlapping teams, and ranks that make their calls in different orders of teams: only
 * calls of one team are ordered. The executor has more calls in flight than it can run
 * at once, some of which wait for ranks that wait for others.
 */
#include "coll.h"

enum { TEAMS = 4, EACH = 12, WORDS = 24 };

static struct coll_team teams[TEAMS];
static uint64_t in[TEAMS][EACH][WORDS], out[TEAMS][EACH][WORDS];
static gasnet_handle_t handles[TEAMS * EACH];

/* Pairs of neighbours, from an even or an odd rank on, and all in reverse. */
static void split(void)
{
    teams[0] = coll_team_of(GASNET_TEAM_ALL);
    for (gasnet_node_t odd = 0; odd < 2; odd++) {
        const gasnet_node_t r = conf.me + odd;
        teams[1 + odd] = coll_team_of(
            gasnet_coll_team_split(GASNET_TEAM_ALL, r / 2, r % 2, NULL));
    }
    teams[3] = coll_team_of(
        gasnet_coll_team_split(GASNET_TEAM_ALL, 0, conf.n - conf.me, NULL));
}

static uint64_t value(int t, int i, int rank, int w)
{
    return (uint64_t)t * 1000 + (uint64_t)i * 100 + (uint64_t)rank * 7 +
           (uint64_t)w;
}

static void start(int t, int i, gasnet_handle_t *handle)
{
    for (int w = 0; w < WORDS; w++) {
        in[t][i][w] = value(t, i, teams[t].me, w);
    }
    FINE(fshmem_coll_allreduce_nb(teams[t].team, out[t][i], in[t][i], WORDS,
                                  FSHMEM_UINT64, FSHMEM_SUM, 0, handle));
}

static void look(int t, int i)
{
    for (int w = 0; w < WORDS; w++) {
        uint64_t sum = 0;
        for (int r = 0; r < teams[t].ranks; r++) {
            sum += value(t, i, r, w);
        }
        CHECK(out[t][i][w] == sum, "team %d call %d word %d", t, i, w);
    }
}

/* All calls of one team after all of another: half of the ranks the other way round. */
static void in_other_orders(void)
{
    int n = 0;
    for (int k = 0; k < TEAMS; k++) {
        const int t = conf.me % 2 ? TEAMS - 1 - k : k;
        for (int i = 0; i < EACH; i++) {
            start(t, i, &handles[n++]);
        }
    }
    gasnet_wait_syncnb_all(handles, (size_t)n);
    for (int t = 0; t < TEAMS; t++) {
        for (int i = 0; i < EACH; i++) {
            look(t, i);
        }
    }
}

/* A rank has as many calls in flight as it likes before one that waits, which the others
 * make first. */
static void behind_many(void)
{
    const int many = conf.me % 2 == 0;
    for (int i = 0; many && i < EACH; i++) {
        start(0, i, &handles[i]);
    }
    for (int t = 1; t < TEAMS; t++) {
        FINE(fshmem_coll_barrier(teams[t].team, 0));
    }
    for (int i = 0; !many && i < EACH; i++) {
        start(0, i, &handles[i]);
    }
    gasnet_wait_syncnb_all(handles, EACH);
    for (int i = 0; i < EACH; i++) {
        look(0, i);
    }
}

int main(int argc, char **argv)
{
    coll_begin("coll_order", &argc, &argv, 1 << 20);
    split();
    for (int i = conf_iters(20, 2); i > 0; i--) {
        in_other_orders();
        behind_many();
    }
    conf_pass();
}
