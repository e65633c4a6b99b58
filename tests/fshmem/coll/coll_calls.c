/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each call of fshmem_coll.h in isolation, compared with what every rank computes
 * locally: all roots, sizes around the switch points of algorithms and protocols,
 * buffers anywhere at any alignment, in place or not. Ranks do not synchronise between
 * calls, and some are late.
 */
#include "coll.h"

enum { SEGMENT = 24 << 20, SMALL = 1024, LARGE = 20000, SLOTS = 64 };

static const size_t sizes[] = {
    0,       1,       2,      3,     4,     5,     7,      8,       9,
    12,      16,      24,     31,    48,    55,    56,     57,      63,
    64,      65,      72,     240,   247,   248,   249,    255,     256,
    257,     264,     777,    1016,  1023,  1024,  1025,   1032,    4088,
    4095,    4096,    4097,   4104,  16376, 16383, 16384,  16385,   16392,
    65528,   65535,   65536,  65537, 65544, 99999, 262147, 1048568, 1048575,
    1048576, 1048577, 1048584};

static struct coll_team all;
static struct conf_rng rng; /* the same on all ranks */
static uint64_t calls;
static size_t budget; /* bytes of large calls that are left */

/* Blocks of large calls are smaller, the more there are. */
static size_t block_bytes(enum coll_call call, size_t size)
{
    const int blocks = call != COLL_BROADCAST && call != COLL_REDUCE &&
                       call != COLL_ALLREDUCE && call != COLL_SCAN;
    return blocks && size > 65544 ? size / (size_t)all.ranks : size;
}

static void one(enum coll_call call, size_t size, int root, unsigned flags)
{
    struct coll_op op;
    memset(&op, 0, sizeof op);
    op.team = &all;
    op.call = call;
    op.root = root;
    op.flags = flags;
    op.key = conf.seed * 31 + ++calls;
    op.count = block_bytes(call, size);
    coll_choose_fold(&op.fold, &rng);
    if (coll_reduces(call)) {
        op.count /= coll_size(op.fold.type, op.fold.op);
    }
    coll_choose_own(&op);
    coll_next = coll_keep;
    coll_dawdle();
    coll_run(&op);
}

/* Is there time for a call of that size? The same answer on all ranks. */
static int affordable(size_t size)
{
    const size_t cost = size * (size_t)all.ranks;
    if (size <= SMALL) {
        return conf.scale >= 0.5 || conf_below(&rng, 100) < 25;
    }
    if (size <= LARGE) {
        return conf.scale >= 0.5 || conf_below(&rng, 100) < 12;
    }
    if (conf.scale < 0.5 && conf_below(&rng, 8) != 0) {
        return 0;
    }
    if (cost > budget) {
        return 0;
    }
    budget -= cost;
    return 1;
}

static void roots(enum coll_call call, size_t size, unsigned flags)
{
    const int some = (int)conf_below(&rng, (size_t)all.ranks);
    for (int root = 0; root < all.ranks; root++) {
        const int every = size <= 257 && coll_rooted(call);
        if ((every || root == some) && affordable(size)) {
            one(call, size, coll_rooted(call) ? root : 0, flags);
        }
    }
}

/* What a rank has written at the others before it comes to the barrier is there when
 * they leave it. */
static void barriers(int n)
{
    int32_t *slot = (int32_t *)(void *)conf_addr(conf.me);
    memset(slot, 0, conf.n * sizeof *slot);
    conf_barrier();
    for (int32_t i = 1; i <= n; i++) {
        coll_dawdle();
        for (gasnet_node_t r = 0; r < conf.n; r++) {
            int32_t *there = (int32_t *)(void *)conf_addr(r) + conf.me;
            gasnet_put(r, there, &i, sizeof i);
        }
        if (conf_below(&coll_own, 2)) {
            gasnet_handle_t handle;
            FINE(fshmem_coll_barrier_nb(all.team, 0, &handle));
            while (gasnet_try_syncnb(handle) != GASNET_OK) {}
        } else {
            FINE(fshmem_coll_barrier(all.team, 0));
        }
        for (gasnet_node_t r = 0; r < conf.n; r++) {
            const int32_t have = __atomic_load_n(slot + r, __ATOMIC_ACQUIRE);
            CHECK(have == i || have == i + 1, "barrier %d: rank %u is at %d",
                  (int)i, (unsigned)r, (int)have);
        }
    }
    conf_barrier();
}

int main(int argc, char **argv)
{
    coll_begin("coll_calls", &argc, &argv, SEGMENT);
    all = coll_team_of(GASNET_TEAM_ALL);
    rng = conf_rng(0);
    coll_keep = SLOTS * sizeof(int32_t);
    budget = (size_t)(conf.scale * (256 << 20));
    barriers(conf_iters(400, 10));
    for (int i = 0; i < CONF_COUNT(sizes); i++) {
        for (int call = COLL_BROADCAST; call < COLL_CALLS; call++) {
            roots((enum coll_call)call, sizes[i], 0);
        }
        roots(COLL_SCAN, sizes[i], FSHMEM_COLL_EXCLUSIVE);
    }
    conf_pass();
}
