/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sender's side of a rank's payload pool: one per channel, so that replies never
 * wait for requests. Uses of a block are numbered. The receiver reports the end of
 * use u in `over` of the owner's control block and, as a hint that saves the owner
 * from reading that, in its next message to the owner. Used by ring.c and send.c;
 * with threads, callers hold the channel's pool lock.
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

/* The blocks that the owner knows to be free: bit b of free[w] = block w * 64 +
 * b. The words in shared memory are read only when no block of a kind is left.
 * Low blocks are used first, so that few blocks stay warm in the cache. */
struct fsh_smp_pool {
    uint64_t free[FSH_SMP_POOL_WORDS];
    uint32_t use[FSH_SMP_BLOCKS]; /* number of each block's last use */
};

/* Marks all blocks free. */
void fsh_smp_pool_init(struct fsh_smp_pool *pool);

/* Claims a block for nbytes (<= FSH_SMP_MAX_MEDIUM); this use has the number
 * pool->use[block]. FSH_SMP_NO_ROOM if all blocks large enough are in use. */
uint32_t fsh_smp_pool_claim(struct fsh_smp_pool *pool, struct fsh_smp_ctl *ctl,
                            unsigned channel, size_t nbytes);

/* Records that use `use` of a block has ended. */
void fsh_smp_pool_over(struct fsh_smp_pool *pool, uint32_t block, uint32_t use);

/* The number of blocks in use. */
unsigned fsh_smp_pool_out(const struct fsh_smp_pool *pool,
                          const struct fsh_smp_ctl *ctl, unsigned channel);

/* Offset of a block in its channel's pool, and its size. */
size_t fsh_smp_pool_offset(uint32_t block);
size_t fsh_smp_pool_room(uint32_t block);

#endif
