/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Explicit operations. A handle is {generation, slot index + 1}. Synchronising
 * an operation advances the generation of its slot, so a reused handle is
 * stale, which counts as complete. Handles do not belong to a thread. Slots
 * live in chunks that are never freed; free slots are cached per thread and
 * move in batches through a common list, so a put needs neither lock nor
 * malloc.
 */
#include <assert.h>

#include "base/lock.h"
#include "base/log.h"
#include "gasnet/internal.h"

#define CHUNK 1024u
#define CHUNKS 8192u
#define BATCH 128u /* slots moved to or from the common list */

static _Atomic(struct fsh_slot *) chunks[CHUNKS];
static struct fsh_lock lock = FSH_LOCK_INIT("free handles", FSH_LOCK_HANDLES);
static uint32_t chunk_count; /* under lock, as are the next two */
static uint32_t common_head; /* index + 1 */
static uint32_t common_count;

struct fsh_slot *fsh_slot_at(uint32_t index)
{
    FSH_ASSERT(index / CHUNK < CHUNKS && atomic_load(&chunks[index / CHUNK]));
    /* Partner: the release store in grow. */
    return atomic_load_explicit(&chunks[index / CHUNK], memory_order_acquire) +
           index % CHUNK;
}

/* Adds a chunk of free slots to the common list. Lock held. */
static void grow(void)
{
    struct fsh_slot *chunk;
    uint32_t first = chunk_count * CHUNK;

    FSH_ASSERT(fsh_lock_is_mine(&lock));
    if (chunk_count == CHUNKS)
        fsh_fatal("more than %u explicit non-blocking operations are "
                  "outstanding; synchronise some",
                  CHUNKS * CHUNK);
    chunk = calloc(CHUNK, sizeof *chunk);
    if (chunk == NULL)
        fsh_fatal("no memory for handles beyond %u outstanding operations",
                  first);
    for (uint32_t i = 0; i < CHUNK; i++)
        chunk[i].next = i + 1 < CHUNK ? first + i + 2 : common_head;
    atomic_store_explicit(&chunks[chunk_count++], chunk, memory_order_release);
    common_head = first + 1;
    common_count += CHUNK;
}

static void refill(struct fsh_thread *self)
{
    fsh_lock_take(&lock);
    assert(self->free_count == 0);
    FSH_ASSERT(self->free_head == 0);
    while (common_count < BATCH)
        grow();
    for (uint32_t i = 0; i < BATCH; i++) {
        uint32_t index = common_head - 1;
        struct fsh_slot *slot = fsh_slot_at(index);

        FSH_ASSERT(slot->owner == NULL);
        common_head = slot->next;
        slot->next = self->free_head;
        self->free_head = index + 1;
    }
    common_count -= BATCH;
    self->free_count += BATCH;
    fsh_lock_give(&lock);
}

static void give_common(struct fsh_thread *self, uint32_t n)
{
    assert(n <= self->free_count);
    fsh_lock_take(&lock);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t index = self->free_head - 1;
        struct fsh_slot *slot = fsh_slot_at(index);

        self->free_head = slot->next;
        slot->next = common_head;
        common_head = index + 1;
    }
    common_count += n;
    self->free_count -= n;
    FSH_ASSERT((self->free_count == 0) == (self->free_head == 0));
    fsh_lock_give(&lock);
}

void fsh_slot_give_all(struct fsh_thread *self)
{
    give_common(self, self->free_count);
}

uint32_t fsh_slot_take(struct fsh_thread *self)
{
    uint32_t index;

    if (__builtin_expect(self->free_head == 0, 0))
        refill(self);
    index = self->free_head - 1;
    FSH_ASSERT(self->free_count != 0 && fsh_slot_at(index)->owner == NULL);
    FSH_ASSERT(fsh_event_done(&fsh_slot_at(index)->event));
    self->free_head = fsh_slot_at(index)->next;
    self->free_count--;
    if (FSH_GASNET_DEBUG)
        fsh_slot_at(index)->owner = self;
    return index;
}

void fsh_slot_give(struct fsh_thread *self, uint32_t index)
{
    FSH_ASSERT(fsh_slot_at(index)->owner != NULL); /* no double free */
    FSH_ASSERT(fsh_event_done(&fsh_slot_at(index)->event));
    if (FSH_GASNET_DEBUG)
        fsh_slot_at(index)->owner = NULL;
    fsh_slot_at(index)->next = self->free_head;
    self->free_head = index + 1;
    if (__builtin_expect(++self->free_count > 4 * BATCH, 0))
        give_common(self, 2 * BATCH);
}

void *fsh_slot_handle(uint32_t index)
{
    /* Only the owner of a slot in use changes its generation. */
    uint64_t generation = atomic_load_explicit(&fsh_slot_at(index)->generation,
                                               memory_order_relaxed);

    return (void *)(uintptr_t)(generation << 32 | (index + 1));
}

struct fsh_slot *fsh_slot_find(void *handle, uint32_t *index, const char *call)
{
    uint64_t bits = (uintptr_t)handle;
    uint32_t number = (uint32_t)bits - 1;
    struct fsh_slot *chunk = NULL;

    if (handle == NULL)
        return NULL;
    if (number / CHUNK < CHUNKS)
        chunk =
            atomic_load_explicit(&chunks[number / CHUNK], memory_order_acquire);
    if (__builtin_expect(chunk == NULL, 0))
        fsh_fatal("%s: %p is not a handle", call, handle);
    chunk += number % CHUNK;
    if (FSH_GASNET_DEBUG)
        fsh_check_slot(call, chunk, handle);
    if (atomic_load_explicit(&chunk->generation, memory_order_relaxed) !=
        (uint32_t)(bits >> 32))
        return NULL;
    *index = number;
    return chunk;
}

bool fsh_slot_finish(void *handle, const char *call)
{
    uint32_t index, generation = (uint32_t)((uintptr_t)handle >> 32);
    struct fsh_slot *slot = fsh_slot_find(handle, &index, call);

    if (slot == NULL)
        return true;
    if (FSH_GASNET_DEBUG && slot->is_value)
        fsh_fatal("%s: handle %p is of a gasnet_get_nb_val, which "
                  "gasnet_wait_syncnb_valget synchronises",
                  call, handle);
    if (!fsh_event_done(&slot->event))
        return false;
    /* If several threads see the completion, exactly one becomes the owner of
     * the slot. The lists that the slot passes through order this with its next
     * use. */
    if (!fsh_gasnet.threaded)
        atomic_store_explicit(&slot->generation, generation + 1,
                              memory_order_relaxed);
    else if (!atomic_compare_exchange_strong_explicit(
                 &slot->generation, &generation, generation + 1,
                 memory_order_acq_rel, memory_order_acquire))
        return true;
    fsh_slot_give(fsh_thread_self(), index);
    return true;
}

void *fsh_slot_close(struct fsh_thread *self, uint32_t index)
{
    if (!fsh_event_done(&fsh_slot_at(index)->event))
        return fsh_slot_handle(index);
    fsh_slot_give(self, index);
    return NULL;
}
