/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each algorithm named by a flag with each call: the right result on all ranks, in the
 * algorithm's order, or FSHMEM_ERR_ARGUMENT on all ranks and no effect, for any sizes
 * and roots. With an argument, an algorithm's number, AUTO must have that algorithm's
 * order in allreduce: the setting selects it.
 */
#include "coll.h"

enum { SEGMENT = 16 << 20, ALGORITHMS = 12, UNKNOWN = -1 };

static const size_t counts[] = {0, 1, 3, 17, 100, 1000, 5000, 33333};

static struct conf_rng rng; /* the same on all ranks */
static uint64_t calls;
static int said[COLL_CALLS][ALGORITHMS]; /* status so far */

/* Of reductions; 0: any. */
static unsigned order_of(unsigned algorithm)
{
    switch (algorithm) {
    case FSHMEM_COLL_BINOMIAL:
    case FSHMEM_COLL_HALVING:
    case FSHMEM_COLL_DOUBLING:
    case FSHMEM_COLL_RABENSEIFNER:
        return COLL_TREE;
    case FSHMEM_COLL_RING:
        return COLL_RING;
    default:
        return 0;
    }
}

/* All ranks of the team have the same value. */
static void agreed(const struct coll_team *team, const char *what, int value)
{
    int32_t mine = value, least, most;
    FINE(fshmem_coll_allreduce(team->team, &least, &mine, 1, FSHMEM_INT32,
                               FSHMEM_MIN, 0));
    FINE(fshmem_coll_allreduce(team->team, &most, &mine, 1, FSHMEM_INT32,
                               FSHMEM_MAX, 0));
    CHECK(least == value && most == value, "%s: %d here, from %d to %d", what,
          value, (int)least, (int)most);
}

static void refused(struct coll_op *op)
{
    CHECK_EQ(op->status, FSHMEM_ERR_ARGUMENT);
    CHECK(op->handle == GASNET_INVALID_HANDLE, "a handle was written");
    if (op->dst.at != NULL && !op->in_place) {
        CHECK_BYTES(op->dst.at, op->dst.n, COLL_UNTOUCHED);
    }
    op->in_place = 0; /* so all of the source is looked at */
    coll_each_source(op, coll_check_block);
    coll_give_back(CONF_HERE, &op->dst);
    coll_give_back(CONF_HERE, &op->src);
}

static void completed(struct coll_op *op, unsigned algorithm)
{
    const unsigned order = order_of(algorithm);
    if (op->nb) {
        gasnet_wait_syncnb(op->handle);
    }
    COLL_FINISH(op);
    CHECK(order == 0 || (op->orders & ~(unsigned)COLL_PREFIX) == 0 ||
              (op->orders & order) != 0,
          "%s by algorithm %u: of the other order", coll_names[op->call],
          algorithm);
}

static void one(const struct coll_team *team, enum coll_call call,
                unsigned algorithm, size_t count)
{
    int *so_far = &said[call][algorithm];
    struct coll_op op;
    memset(&op, 0, sizeof op);
    op.team = team;
    op.call = call;
    op.root = (int)(conf_below(&rng, 5040) % (size_t)team->ranks);
    op.count = count;
    op.flags = algorithm;
    op.key = conf.seed * 17 + ++calls;
    coll_choose_fold(&op.fold, &rng);
    if (conf_below(&rng, 2)) {
        op.fold.type = FSHMEM_FLOAT;
        op.fold.op = FSHMEM_SUM;
        op.fold.style = COLL_PLAIN;
    }
    if (call == COLL_SCAN && conf_below(&rng, 2)) {
        op.flags |= FSHMEM_COLL_EXCLUSIVE;
    }
    coll_choose_own(&op);
    coll_next = coll_keep;
    coll_start(&op);
    if (op.status == FSHMEM_OK) {
        completed(&op, algorithm);
    } else {
        refused(&op);
    }
    CHECK(*so_far == UNKNOWN || *so_far == (int)op.status,
          "%s by algorithm %u: %d, before %d", coll_names[call], algorithm,
          (int)op.status, *so_far);
    *so_far = (int)op.status;
}

static void every(const struct coll_team *team)
{
    for (int call = 0; call < COLL_CALLS; call++) {
        for (unsigned algorithm = 0; algorithm < ALGORITHMS; algorithm++) {
            for (int i = 0; i < CONF_COUNT(counts); i++) {
                const int rarely = counts[i] > 2000 ? 3 : 2;
                if (counts[i] > 1 && conf.scale < 0.5 &&
                    conf_below(&rng, 6) >= (size_t)rarely - 1) {
                    continue;
                }
                one(team, (enum coll_call)call, algorithm, counts[i]);
            }
            agreed(team, coll_names[call], said[call][algorithm]);
        }
    }
}

/* Each call can be done in a way that a flag names, each such way does some call. */
static void table_is_full(void)
{
    for (int call = 0; call < COLL_CALLS; call++) {
        int ways = 0;
        CHECK_EQ(said[call][FSHMEM_COLL_AUTO], FSHMEM_OK);
        for (int i = 1; i < ALGORITHMS; i++) {
            ways += said[call][i] == FSHMEM_OK;
        }
        CHECK(ways != 0, "no algorithm does %s", coll_names[call]);
    }
    for (int i = 1; i < ALGORITHMS; i++) {
        int does = 0;
        for (int call = 0; call < COLL_CALLS; call++) {
            does += said[call][i] == FSHMEM_OK;
        }
        CHECK(does != 0, "algorithm %d does nothing", i);
    }
}

/* What AUTO is set to shows in the order of a sum. */
static void as_set(const struct coll_team *team, unsigned algorithm)
{
    for (int i = 1; i < CONF_COUNT(counts); i++) {
        struct coll_op op;
        memset(&op, 0, sizeof op);
        op.team = team;
        op.call = COLL_ALLREDUCE;
        op.fold.type = FSHMEM_FLOAT;
        op.count = counts[i];
        op.key = conf.seed * 19 + ++calls;
        coll_choose_own(&op);
        coll_next = coll_keep;
        coll_start(&op);
        FINE(op.status);
        completed(&op, algorithm);
    }
}

int main(int argc, char **argv)
{
    struct coll_team all, rest;
    coll_begin("coll_algorithms", &argc, &argv, SEGMENT);
    rng = conf_rng(0);
    for (int call = 0; call < COLL_CALLS; call++) {
        for (int i = 0; i < ALGORITHMS; i++) {
            said[call][i] = UNKNOWN;
        }
    }
    all = coll_team_of(GASNET_TEAM_ALL);
    /* Without the last rank, and backwards. */
    rest = coll_team_of(gasnet_coll_team_split(
        GASNET_TEAM_ALL, conf.me == conf.n - 1, conf.n - conf.me, NULL));
    if (argc > 1 && argv[1][0] != '-') {
        as_set(&all, (unsigned)strtoul(argv[1], NULL, 0));
        conf_pass();
    }
    for (int i = conf_iters(2, 1); i > 0; i--) {
        every(&all);
        every(&rest);
    }
    table_is_full();
    conf_pass();
}
