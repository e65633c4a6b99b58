/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Payload pools of conduit smp; see pool.h.
 */
#include "conduit/smp/pool.h"

#include <assert.h>
#include <string.h>

_Static_assert(FSH_SMP_SMALL_BLOCKS % FSH_SMP_GROUP == 0, "groups");
_Static_assert(FSH_SMP_LARGE_BLOCKS % FSH_SMP_GROUP == 0, "groups");

void fsh_smp_pool_init(struct fsh_smp_pool *pool)
{
    memset(pool->free, 0xff, sizeof pool->free);
}

/* Read a group's flags again. Acquire, partner: release in give_back (ring.c);
 * the receiver has read the payload before we overwrite it. */
static void harvest(struct fsh_smp_pool *pool, struct fsh_smp_ctl *ctl,
                    unsigned channel, unsigned group)
{
    for (unsigned b = 0; b < FSH_SMP_GROUP; b++) {
        _Atomic uint8_t *busy = &ctl->busy[channel][group * FSH_SMP_GROUP + b];
        if (atomic_load_explicit(busy, memory_order_acquire) == 0)
            pool->free[group] |= (uint8_t)(1u << b);
    }
}

uint32_t fsh_smp_pool_claim(struct fsh_smp_pool *pool, struct fsh_smp_ctl *ctl,
                            unsigned channel, size_t nbytes)
{
    bool small = nbytes <= FSH_SMP_SMALL_BYTES;
    unsigned first = small ? 0 : FSH_SMP_SMALL_BLOCKS / FSH_SMP_GROUP;
    unsigned end =
        (small ? FSH_SMP_SMALL_BLOCKS : FSH_SMP_BLOCKS) / FSH_SMP_GROUP;

    assert(nbytes <= FSH_SMP_MAX_MEDIUM);
    for (unsigned g = first; g < end; g++) {
        if (pool->free[g] == 0)
            harvest(pool, ctl, channel, g);
        if (pool->free[g] == 0)
            continue;
        unsigned b = (unsigned)__builtin_ctz(pool->free[g]);
        pool->free[g] &= (uint8_t) ~(1u << b);
        uint32_t block = g * FSH_SMP_GROUP + b;
        /* Relaxed: the receiver learns of the block by the stamp. */
        atomic_store_explicit(&ctl->busy[channel][block], 1,
                              memory_order_relaxed);
        return block;
    }
    return FSH_SMP_INLINE;
}

unsigned fsh_smp_pool_out(const struct fsh_smp_ctl *ctl, unsigned channel)
{
    unsigned out = 0;

    for (unsigned b = 0; b < FSH_SMP_BLOCKS; b++)
        out +=
            atomic_load_explicit(&ctl->busy[channel][b], memory_order_relaxed);
    return out;
}

size_t fsh_smp_pool_offset(uint32_t block)
{
    if (block < FSH_SMP_SMALL_BLOCKS)
        return (size_t)block * FSH_SMP_SMALL_BYTES;
    return (size_t)FSH_SMP_SMALL_BYTES * FSH_SMP_SMALL_BLOCKS +
           (size_t)(block - FSH_SMP_SMALL_BLOCKS) * FSH_SMP_LARGE_BYTES;
}
