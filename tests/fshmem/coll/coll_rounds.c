/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-to-all and reductions in turn, with more ranks than processors or ports:
 * coll_rounds [rounds]. Ranks do not synchronise between calls, and each is late
 * occasionally. Each rank computes the expected result itself.
 */
#include "coll.h"

enum { SEGMENT = 8 << 20, LARGEST = 3000 };

static const enum coll_call turn[] = {
    COLL_ALLTOALL,       COLL_ALLREDUCE, COLL_ALLTOALLV, COLL_REDUCE,
    COLL_REDUCE_SCATTER, COLL_ALLTOALL,  COLL_SCAN,
};

static struct coll_team all;
static struct conf_rng rng; /* the same on all ranks */

static void one(enum coll_call call, uint64_t key)
{
    struct coll_op op;
    memset(&op, 0, sizeof op);
    op.team = &all;
    op.call = call;
    op.key = conf.seed * 31 + key;
    op.count = conf_below(&rng, conf_below(&rng, 8) == 0 ? LARGEST : 64);
    if (coll_rooted(call)) {
        op.root = (int)conf_below(&rng, (size_t)all.ranks);
    }
    coll_choose_fold(&op.fold, &rng);
    if (coll_reduces(call)) {
        op.count /= coll_size(op.fold.type, op.fold.op);
    }
    coll_choose_own(&op);
    coll_next = coll_keep;
    coll_dawdle();
    coll_run(&op);
}

int main(int argc, char **argv)
{
    coll_begin("coll_rounds", &argc, &argv, SEGMENT);
    const int rounds = argc > 1 ? atoi(argv[1]) : 1000;
    all = coll_team_of(GASNET_TEAM_ALL);
    rng = conf_rng(0);
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < CONF_COUNT(turn); k++) {
            one(turn[k], (uint64_t)i * CONF_COUNT(turn) + (uint64_t)k);
        }
    }
    conf_pass();
}
