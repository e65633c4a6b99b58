/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every reduction by every algorithm: calls, types, operations, odd counts and roots, bit
 * for bit in the algorithm's order. All executors, and any number of ranks, are held to
 * the same reference.
 */
#include "coll.h"

enum { SEGMENT = 4 << 20, ALGORITHMS = 12, HALVED = 600 };

static const size_t counts[] = {1, 3, 31, 257};

static struct coll_team all;
static struct conf_rng rng; /* the same on all ranks */
static uint64_t calls;

/* Of a result, when it was asked for by name. */
static unsigned order_of(enum coll_call call, unsigned algorithm)
{
    if (call == COLL_SCAN) {
        return COLL_PREFIX;
    }
    return algorithm == FSHMEM_COLL_RING ? COLL_RING : COLL_TREE;
}

static void choose(struct coll_op *op, enum coll_call call, unsigned algorithm)
{
    memset(op, 0, sizeof *op);
    op->team = &all;
    op->call = call;
    op->flags = algorithm;
    op->key = conf.seed * 23 + ++calls;
    op->root = coll_rooted(call) ? (int)(calls % (uint64_t)all.ranks) : 0;
    if (call == COLL_SCAN && calls % 2) {
        op->flags |= FSHMEM_COLL_EXCLUSIVE;
    }
    op->fold.style = (enum coll_style)(calls % COLL_STYLES);
    coll_choose_own(op);
    coll_next = coll_keep;
}

static int does(enum coll_call call, unsigned algorithm)
{
    struct coll_op op;
    choose(&op, call, algorithm);
    op.nb = 0;
    op.fold.type = FSHMEM_INT32;
    op.count = 1;
    coll_start(&op);
    if (op.status == FSHMEM_OK) {
        COLL_FINISH(&op);
        return 1;
    }
    CHECK_EQ(op.status, FSHMEM_ERR_ARGUMENT);
    coll_give_back(CONF_HERE, &op.dst);
    coll_give_back(CONF_HERE, &op.src);
    return 0;
}

static void one(enum coll_call call, unsigned algorithm, fshmem_type_t type,
                fshmem_op_t how, size_t count)
{
    const unsigned want = order_of(call, algorithm);
    struct coll_op op;
    choose(&op, call, algorithm);
    op.fold.type = type;
    op.fold.op = how;
    op.count = count;
    coll_start(&op);
    FINE(op.status);
    if (op.nb) {
        gasnet_wait_syncnb(op.handle);
    }
    COLL_FINISH(&op);
    CHECK(
        algorithm == FSHMEM_COLL_AUTO || op.orders == 0 ||
            (op.orders & want) != 0,
        "%s by algorithm %u, type %d, op %d, %zu elements: order %#x, not %#x",
        coll_names[call], algorithm, (int)type, (int)how, count, op.orders,
        want);
}

/* On slow conduits a third of the pairs by each algorithm, and one count. */
static void every_pair(enum coll_call call, unsigned algorithm)
{
    const int step = conf.scale > 0.1 ? 1 : 3;
    for (int type = 0; type < COLL_TYPES; type++) {
        for (int how = (type + (int)algorithm) % step; how < COLL_OPS;
             how += step) {
            const size_t some = conf_below(&rng, CONF_COUNT(counts));
            for (size_t i = 0; i < CONF_COUNT(counts); i++) {
                if (coll_size((fshmem_type_t)type, (fshmem_op_t)how) != 0 &&
                    (conf.scale >= 0.5 || i == some)) {
                    one(call, algorithm, (fshmem_type_t)type, (fshmem_op_t)how,
                        counts[i]);
                }
            }
        }
    }
}

/* Blocks that a ring halves, and one element more than a rank's share. */
static void halves(enum coll_call call, unsigned algorithm)
{
    const size_t ranks = (size_t)all.ranks;
    const size_t n = call == COLL_REDUCE_SCATTER ? 1 : ranks;
    one(call, algorithm, FSHMEM_FLOAT, FSHMEM_SUM, HALVED * n + 1);
    one(call, algorithm, FSHMEM_DOUBLE, FSHMEM_PROD, HALVED / 2 * n + 1);
}

int main(int argc, char **argv)
{
    int ways = 0;
    coll_begin("coll_every", &argc, &argv, SEGMENT);
    rng = conf_rng(0);
    all = coll_team_of(GASNET_TEAM_ALL);
    for (int call = COLL_REDUCE; call < COLL_CALLS; call++) {
        for (unsigned algorithm = 0; algorithm <= ALGORITHMS; algorithm++) {
            if (does((enum coll_call)call, algorithm)) {
                every_pair((enum coll_call)call, algorithm);
                halves((enum coll_call)call, algorithm);
                ways++;
            }
        }
    }
    CHECK(ways >= 12, "%d algorithms", ways);
    conf_pass();
}
