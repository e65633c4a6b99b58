/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Payload pools of conduit smp; see pool.h.
 */
#include "conduit/smp/pool.h"

#include <assert.h>
#include <string.h>

#include "base/assertion.h"

#define LARGE_MAP ((UINT64_C(1) << FSH_SMP_LARGE_BLOCKS) - 1)

void fsh_smp_pool_init(struct fsh_smp_pool *pool)
{
    memset(pool, 0, sizeof *pool);
    for (unsigned w = 0; w < FSH_SMP_SMALL_WORDS; w++)
        pool->free[w] = UINT64_MAX;
    pool->free[FSH_SMP_SMALL_WORDS] = LARGE_MAP;
}

static unsigned blocks_in(unsigned word)
{
    return word < FSH_SMP_SMALL_WORDS ? 64 : FSH_SMP_LARGE_BLOCKS;
}

/* Whether the last use of a block has ended. Acquire, partner: release in
 * give_back (ring.c): the receiver has read the payload before the block is
 * overwritten. */
static bool is_over(const struct fsh_smp_pool *pool,
                    const struct fsh_smp_ctl *ctl, unsigned channel,
                    uint32_t block)
{
    return atomic_load_explicit(&ctl->over[channel][block],
                                memory_order_acquire) == pool->use[block];
}

static void harvest(struct fsh_smp_pool *pool, const struct fsh_smp_ctl *ctl,
                    unsigned channel, unsigned word)
{
    for (unsigned b = 0; b < blocks_in(word); b++)
        if (is_over(pool, ctl, channel, word * 64 + b))
            pool->free[word] |= UINT64_C(1) << b;
}

static uint32_t claim_in(struct fsh_smp_pool *pool,
                         const struct fsh_smp_ctl *ctl, unsigned channel,
                         unsigned word)
{
    uint32_t block = word * 64 + (uint32_t)__builtin_ctzll(pool->free[word]);

    FSH_ASSERT(block < FSH_SMP_BLOCKS);
    FSH_ASSERT(is_over(pool, ctl, channel, block)); /* one owner per block */
    pool->free[word] &= pool->free[word] - 1;
    pool->use[block]++;
    return block;
}

uint32_t fsh_smp_pool_claim(struct fsh_smp_pool *pool, struct fsh_smp_ctl *ctl,
                            unsigned channel, size_t nbytes)
{
    bool small = nbytes <= FSH_SMP_SMALL_BYTES;
    unsigned first = small ? 0 : FSH_SMP_SMALL_WORDS;
    unsigned end = small ? FSH_SMP_SMALL_WORDS : FSH_SMP_POOL_WORDS;

    assert(nbytes <= FSH_SMP_MAX_MEDIUM);
    for (unsigned w = first; w < end; w++)
        if (pool->free[w] != 0)
            return claim_in(pool, ctl, channel, w);
    for (unsigned w = first; w < end; w++) {
        harvest(pool, ctl, channel, w);
        if (pool->free[w] != 0)
            return claim_in(pool, ctl, channel, w);
    }
    return FSH_SMP_NO_ROOM;
}

void fsh_smp_pool_over(struct fsh_smp_pool *pool, uint32_t block, uint32_t use)
{
    if (block < FSH_SMP_BLOCKS && pool->use[block] == use)
        pool->free[block / 64] |= UINT64_C(1) << block % 64;
}

unsigned fsh_smp_pool_out(const struct fsh_smp_pool *pool,
                          const struct fsh_smp_ctl *ctl, unsigned channel)
{
    unsigned out = 0;

    for (uint32_t b = 0; b < FSH_SMP_BLOCKS; b++)
        out += !is_over(pool, ctl, channel, b);
    return out;
}

size_t fsh_smp_pool_offset(uint32_t block)
{
    if (block < FSH_SMP_SMALL_BLOCKS)
        return (size_t)block * FSH_SMP_SMALL_BYTES;
    return (size_t)FSH_SMP_SMALL_BYTES * FSH_SMP_SMALL_BLOCKS +
           (size_t)(block - FSH_SMP_SMALL_BLOCKS) * FSH_SMP_LARGE_BYTES;
}

size_t fsh_smp_pool_room(uint32_t block)
{
    return block < FSH_SMP_SMALL_BLOCKS ? FSH_SMP_SMALL_BYTES
                                        : FSH_SMP_LARGE_BYTES;
}
