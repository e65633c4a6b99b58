/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender's side of a rank's payload pool: one a channel, so that replies
 * never wait for requests. Blocks are claimed by the owner and given back by
 * the receiver, who clears the block's busy flag. Used by ring.c only; callers
 * hold the channel's pool lock if there are threads.
 */
#ifndef FSH_SMP_POOL_H
#define FSH_SMP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/smp/layout.h"

#define FSH_SMP_GROUP 8u /* blocks whose flags are read together */

/* What the owner knows to be free: bit b of free[g] = block g * 8 + b. Flags
 * in shared memory are read again only when a group has none left, and low
 * groups come first: few blocks stay warm in the cache. */
struct fsh_smp_pool {
    uint8_t free[FSH_SMP_BLOCKS / FSH_SMP_GROUP];
};

/* All blocks free. */
void fsh_smp_pool_init(struct fsh_smp_pool *pool);

/* Claim a block for nbytes (<= FSH_SMP_MAX_MEDIUM); FSH_SMP_INLINE if all that
 * fit are out. */
uint32_t fsh_smp_pool_claim(struct fsh_smp_pool *pool, struct fsh_smp_ctl *ctl,
                            unsigned channel, size_t nbytes);

/* Blocks out now. */
unsigned fsh_smp_pool_out(const struct fsh_smp_ctl *ctl, unsigned channel);

/* Offset of a block in the pool of its channel. */
size_t fsh_smp_pool_offset(uint32_t block);

#endif
