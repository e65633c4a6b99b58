/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One more than every internal limit: switch points of protocols and paths, calls in
 * flight that wait for a late rank, teams with memory of their own.
 */
#include "coll.h"

enum { SEGMENT = 32 << 20, TEAMS = 20, FLIGHT = 130 };

/* Bytes: of a line and a slot of a board, an eager packet, a copied operation, a chunk, a
 * put, a message, a round, a half of a board; where algorithms change. */
static const size_t limits[] = {56,    64,    256,   312,   512,   1024,
                                2048,  4096,  8192,  16384, 20480, 32768,
                                61440, 63488, 65536, 131072};

static struct coll_team teams[TEAMS]; /* the first is of all */
static struct conf_rng rng;           /* the same on all ranks */
static uint64_t calls;

static void choose(struct coll_op *op, const struct coll_team *team,
                   enum coll_call call, size_t bytes)
{
    memset(op, 0, sizeof *op);
    op->team = team;
    op->call = call;
    op->key = conf.seed * 31 + ++calls;
    op->count = bytes;
    if (coll_rooted(call)) {
        op->root = (int)conf_below(&rng, (size_t)conf.n) % team->ranks;
    }
    coll_choose_fold(&op->fold, &rng);
    if (coll_reduces(call)) {
        const size_t size = coll_size(op->fold.type, op->fold.op);
        op->count = (bytes + size - 1) / size;
    }
    coll_choose_own(op);
}

/* As many bytes as a limit, and more; of a block, and of all blocks. */
static void sizes(size_t limit)
{
    const size_t ranks = (size_t)teams[0].ranks;
    const size_t bytes[] = {limit, limit + 1, limit / ranks, limit / ranks + 1};
    for (int call = COLL_BROADCAST; call < COLL_CALLS; call++) {
        for (int i = 0; i < CONF_COUNT(bytes); i++) {
            struct coll_op op;
            coll_next = coll_keep;
            choose(&op, &teams[0], (enum coll_call)call, bytes[i]);
            coll_run(&op);
        }
    }
}

/* So many calls, the team of each by its number; one rank comes late to all. */
static void in_flight(int n, int of)
{
    static struct coll_op op[FLIGHT];
    const int late = (int)conf_below(&rng, conf.n);
    CHECK(n <= FLIGHT, "%d calls", n);
    coll_next = coll_keep;
    if ((int)conf.me == late) {
        for (int i = 0; i < 2000; i++) {
            gasnet_AMPoll();
        }
    }
    for (int i = 0; i < n; i++) {
        const size_t bytes = limits[conf_below(&rng, 7)] + conf_below(&rng, 2);
        choose(&op[i], &teams[i % of],
               (enum coll_call)(
                   COLL_BROADCAST +
                   (int)conf_below(&rng, COLL_CALLS - COLL_BROADCAST)),
               bytes);
        op[i].nb = 1;
        coll_start(&op[i]);
        FINE(op[i].status);
    }
    for (int i = n - 1; i >= 0; i--) {
        gasnet_wait_syncnb(op[i].handle);
        COLL_FINISH(&op[i]);
    }
}

int main(int argc, char **argv)
{
    coll_begin("coll_limits", &argc, &argv, SEGMENT);
    rng = conf_rng(0);
    teams[0] = coll_team_of(GASNET_TEAM_ALL);
    for (gasnet_node_t i = 1; i < TEAMS; i++) {
        teams[i] = coll_team_of(gasnet_coll_team_split(
            GASNET_TEAM_ALL, i % 3 == 0 ? conf.me % 2 : 0, conf.me, NULL));
    }
    for (int i = 0; i < CONF_COUNT(limits); i++) {
        sizes(limits[i]);
    }
    /* Credits, steps looked at, complete calls that are known; boards. */
    static const int flights[] = {1, 8, 9, 16, 17, 33, 64, 65, 129};
    for (int i = 0; i < CONF_COUNT(flights); i++) {
        in_flight(flights[i], 1);
        in_flight(flights[i], TEAMS);
    }
    conf_pass();
}
