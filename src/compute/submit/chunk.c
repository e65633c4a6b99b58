/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chunks of commands; see chunk.h.
 */
#include "compute/submit/chunk.h"

#include <assert.h>
#include <stddef.h>

#include "base/fsh_spec.h"
#include "conduit/conduit.h"

_Static_assert(FSH_CHUNKS <= 2048, "cookies have 11 bits");

static struct fsh_chunk chunks[FSH_CHUNKS];
static uint32_t used;        /* chunks ever opened: the rest is fresh */
static uint32_t free_head;   /* number + 1 */
static unsigned in_flight;   /* commands */
static atomic_uint finished; /* number + 1, last first */

struct fsh_chunk *fsh_chunk_at(unsigned cookie)
{
    assert(cookie < FSH_CHUNKS);
    return &chunks[cookie];
}

unsigned fsh_chunk_room(void)
{
    if (free_head == 0 && used == FSH_CHUNKS)
        return 0;
    return FSH_COMMANDS_IN_FLIGHT - in_flight;
}

int fsh_chunk_open(struct fsh_command_list *list, unsigned first,
                   unsigned count)
{
    struct fsh_chunk *chunk;

    if (count > fsh_chunk_room())
        return -1;
    if (free_head != 0) {
        chunk = &chunks[free_head - 1];
        free_head = chunk->free_next;
    } else {
        chunk = &chunks[used++];
    }
    chunk->list = list;
    chunk->first = first;
    chunk->count = count;
    in_flight += count;
    atomic_store_explicit(&chunk->status, FSH_STATUS_OK, memory_order_relaxed);
    /* Release, partner: fsh_compute_completed. */
    atomic_store_explicit(&chunk->left, count, memory_order_release);
    return (int)(chunk - chunks);
}

void fsh_chunk_close(unsigned cookie)
{
    struct fsh_chunk *chunk = fsh_chunk_at(cookie);

    in_flight -= chunk->count;
    atomic_store_explicit(&chunk->left, 0, memory_order_relaxed);
    chunk->free_next = free_head;
    free_head = cookie + 1;
}

int fsh_chunk_finished(void)
{
    if (atomic_load_explicit(&finished, memory_order_relaxed) == 0)
        return -1;
    /* Acquire, partner: fsh_chunk_keep. */
    return (int)atomic_exchange_explicit(&finished, 0, memory_order_acquire) -
           1;
}

int fsh_chunk_next(unsigned cookie)
{
    return (int)atomic_load_explicit(&fsh_chunk_at(cookie)->next,
                                     memory_order_relaxed) -
           1;
}

void fsh_chunk_keep(unsigned cookie)
{
    struct fsh_chunk *chunk = fsh_chunk_at(cookie);
    unsigned head = atomic_load_explicit(&finished, memory_order_relaxed);

    do
        atomic_store_explicit(&chunk->next, head, memory_order_relaxed);
    /* Release, partner: fsh_chunk_finished, which takes them all, so that none
     * can come back meanwhile. */
    while (!atomic_compare_exchange_weak_explicit(&finished, &head, cookie + 1,
                                                  memory_order_release,
                                                  memory_order_relaxed));
}

/* A cookie that is not in use is none of ours: a client's own command. */
void fsh_compute_completed(unsigned cookie, unsigned status)
{
    struct fsh_chunk *chunk;
    unsigned ok = FSH_STATUS_OK;

    if (cookie >= FSH_CHUNKS)
        return;
    chunk = &chunks[cookie];
    /* Acquire, partner: fsh_chunk_open. */
    if (atomic_load_explicit(&chunk->left, memory_order_acquire) == 0)
        return;
    if (status != FSH_STATUS_OK)
        atomic_compare_exchange_strong_explicit(&chunk->status, &ok, status,
                                                memory_order_relaxed,
                                                memory_order_relaxed);
    /* Both orders: the last one has seen what the others wrote. */
    if (atomic_fetch_sub_explicit(&chunk->left, 1, memory_order_acq_rel) == 1)
        fsh_chunk_keep(cookie);
}

unsigned fsh_chunk_fit(uint64_t busy, unsigned want, unsigned *first)
{
    unsigned best = 0, length = 0;

    for (unsigned i = 0; i < 64 && best < want; i++) {
        length = busy >> i & 1 ? 0 : length + 1;
        if (length > best) {
            best = length;
            *first = i + 1 - length;
        }
    }
    return best;
}
