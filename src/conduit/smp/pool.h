/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender's side of a rank's payload pool: one a channel, so that replies
 * never wait for requests. The uses of a block are numbered; the receiver of
 * use u says that it is over in `over` of the owner's control block, and, as a
 * hint that saves the owner a look there, in the next message it sends to the
 * owner. Used by ring.c and send.c; callers hold the channel's pool lock if there
 * are threads.
 */
#ifndef FSH_SMP_POOL_H
#define FSH_SMP_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/smp/layout.h"

#define FSH_SMP_SMALL_WORDS (FSH_SMP_SMALL_BLOCKS / 64)
#define FSH_SMP_POOL_WORDS (FSH_SMP_SMALL_WORDS + 1)
#define FSH_SMP_NO_ROOM UINT32_MAX

/* What the owner knows to be free: bit b of free[w] = block w * 64 + b. The
 * words in shared memory are read again only when no block of a kind is left,
 * and low ones come first: few blocks stay warm in the cache. */
struct fsh_smp_pool {
    uint64_t free[FSH_SMP_POOL_WORDS];
    uint32_t use[FSH_SMP_BLOCKS]; /* number of the last use of each block */
};

/* All blocks free. */
void fsh_smp_pool_init(struct fsh_smp_pool *pool);

/* Claim a block for nbytes (<= FSH_SMP_MAX_MEDIUM), whose use has the number
 * pool->use[block]; FSH_SMP_NO_ROOM if all that fit are out. */
uint32_t fsh_smp_pool_claim(struct fsh_smp_pool *pool, struct fsh_smp_ctl *ctl,
                            unsigned channel, size_t nbytes);

/* Use `use` of a block is over. */
void fsh_smp_pool_over(struct fsh_smp_pool *pool, uint32_t block, uint32_t use);

/* Blocks out now. */
unsigned fsh_smp_pool_out(const struct fsh_smp_pool *pool,
                          const struct fsh_smp_ctl *ctl, unsigned channel);

/* Offset of a block in the pool of its channel, and its size. */
size_t fsh_smp_pool_offset(uint32_t block);
size_t fsh_smp_pool_room(uint32_t block);

#endif
