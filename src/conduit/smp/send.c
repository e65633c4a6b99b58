/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sending end of a ring; see ring.h for the contract and layout.h for the memory
 * layout.
 *
 * Slots holding the inside of a message contain bytes that could look like a stamp.
 * The sender remembers them (`inner`), and clears the stamp of the slot after a
 * message before it publishes the message. Messages never wrap: a SKIP fills the end
 * of a lap. Pool blocks come back when the handler has ended.
 */
#include "conduit/smp/send.h"

#include <assert.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "base/log.h"

__attribute__((noinline, cold)) _Noreturn void fsh_smp_damaged_count(
    const struct fsh_smp_tx *tx, uint32_t freed)
{
    fsh_fatal("conduit smp: a ring claims %u slots freed of %u written: some "
              "rank has written outside its own memory",
              freed, tx->tail);
}

/* Records the inside of the message, and clears the stamp of the slot after
 * it. */
void fsh_smp_mark_inside(struct fsh_smp_tx *tx, uint32_t slots)
{
    uint32_t next = tx->tail + slots;

    /* It does not wrap, and the slot after it is free. */
    assert(slots != 0 && tx->tail % FSH_SMP_SLOTS + slots <= FSH_SMP_SLOTS);
    assert(next + 1 - tx->freed <= FSH_SMP_SLOTS);
    tx->inner &= ~(UINT64_C(1) << tx->tail % FSH_SMP_SLOTS);
    for (uint32_t p = tx->tail + 1; p != next; p++)
        tx->inner |= UINT64_C(1) << p % FSH_SMP_SLOTS;
    if (tx->inner >> next % FSH_SMP_SLOTS & 1)
        atomic_store_explicit(&fsh_smp_head_at(tx->ring, next)->first, 0,
                              memory_order_relaxed);
}

/* Writes the message except its first word. Returns flags for that. */
static inline uint8_t fill(struct fsh_smp_port *port, uint32_t dest,
                           struct fsh_smp_head *head, const struct fsh_am *am)
{
    int32_t *args = (int32_t *)(void *)(head + 1);
    /* Acquire, partner: give_back, possibly on another thread. */
    uint64_t back =
        atomic_load_explicit(&port->back[dest].word, memory_order_acquire);

    FSH_ASSERT(am->nargs <= FSH_MAX_ARGS &&
               fsh_smp_payload(am->nargs) <= 2 * FSH_SMP_SLOT_BYTES);
    for (unsigned i = 0; i < am->nargs; i++)
        args[i] = am->args[i];
    if (am->category != FSH_AM_SHORT) {
        head->nbytes = (uint32_t)am->nbytes;
        head->addr = (uint64_t)(uintptr_t)am->dst;
    }
    /* Attach a returned block of the receiver's to the message. */
    if (__builtin_expect(back == 0, 1))
        return 0;
    head->back = back;
    atomic_store_explicit(&port->back[dest].word, 0, memory_order_relaxed);
    return FSH_SMP_BACK;
}

static uint32_t claim(struct fsh_smp_port *port, unsigned channel, size_t n,
                      uint32_t *use)
{
    struct fsh_smp_pool *pool = &port->pool[channel];
    uint32_t block;

    fsh_smp_lock(port, &port->pool_lock[channel],
                 "another thread, which uses the payload pool", port->rank);
    block = fsh_smp_pool_claim(pool, port->own, channel, n);
    if (block != FSH_SMP_NO_ROOM)
        *use = pool->use[block];
    fsh_smp_unlock(port, &port->pool_lock[channel]);
    return block;
}

/* Makes room for a message, after a SKIP if it would wrap. Reserves one more
 * slot, whose stamp publish may clear. */
static inline bool make_room(struct fsh_smp_tx *tx, uint32_t slots)
{
    uint32_t left = FSH_SMP_SLOTS - tx->tail % FSH_SMP_SLOTS;
    uint32_t skip = slots > left ? left : 0;

    if (!fsh_smp_has_room(tx, skip + slots + 1))
        return false;
    if (__builtin_expect(skip != 0, 0))
        fsh_smp_publish(tx, FSH_SMP_SKIP, skip);
    return true;
}

static uint32_t slots_of(size_t bytes)
{
    return (uint32_t)((bytes + FSH_SMP_SLOT_BYTES - 1) / FSH_SMP_SLOT_BYTES);
}

/* Slots of a message without inline payload. */
static uint32_t bare_slots(const struct fsh_am *am)
{
    return am->nargs <= FSH_SMP_FIRST_ARGS ? 1 : 2;
}

/* place: destination of a Long's payload, or NULL. */
static enum fsh_smp_result send_bare(struct fsh_smp_port *port,
                                     struct fsh_smp_tx *tx, uint32_t dest,
                                     const struct fsh_am *am, void *place)
{
    uint32_t slots = bare_slots(am);
    uint8_t flags;

    if (!make_room(tx, slots))
        return FSH_SMP_NO_SLOT;
    if (place != NULL)
        memcpy(place, am->src, am->nbytes);
    flags = fill(port, dest, fsh_smp_head_at(tx->ring, tx->tail), am);
    fsh_smp_publish(
        tx, fsh_smp_what(am->handler, am->category | flags, am->nargs), slots);
    return FSH_SMP_SENT;
}

/* A Medium too large for slots: its payload goes to a block first. */
static enum fsh_smp_result send_pooled(struct fsh_smp_port *port,
                                       struct fsh_smp_tx *tx, unsigned channel,
                                       uint32_t dest, const struct fsh_am *am)
{
    uint32_t slots = bare_slots(am), use = 0, block;
    struct fsh_smp_head *head;
    uint8_t flags;

    if (!make_room(tx, slots))
        return FSH_SMP_NO_SLOT;
    block = claim(port, channel, am->nbytes, &use);
    if (block == FSH_SMP_NO_ROOM)
        return FSH_SMP_NO_BLOCK;
    FSH_ASSERT(block < FSH_SMP_BLOCKS &&
               am->nbytes <= fsh_smp_pool_room(block));
    memcpy(fsh_smp_block(port, port->index, channel, block), am->src,
           am->nbytes);
    head = fsh_smp_head_at(tx->ring, tx->tail);
    flags = fill(port, dest, head, am);
    head->addr = block;
    head->use = use;
    fsh_smp_publish(
        tx, fsh_smp_what(am->handler, FSH_SMP_POOLED | flags, am->nargs),
        slots);
    return FSH_SMP_SENT;
}

static enum fsh_smp_result send_medium(struct fsh_smp_port *port,
                                       struct fsh_smp_tx *tx, unsigned channel,
                                       uint32_t dest, const struct fsh_am *am)
{
    size_t before = fsh_smp_payload(am->nargs);
    uint32_t slots = slots_of(before + am->nbytes);
    struct fsh_smp_head *head;
    uint8_t flags;

    if (am->nbytes > FSH_SMP_MAX_INLINE)
        return send_pooled(port, tx, channel, dest, am);
    if (!make_room(tx, slots))
        return FSH_SMP_NO_SLOT;
    head = fsh_smp_head_at(tx->ring, tx->tail);
    flags = fill(port, dest, head, am);
    memcpy((unsigned char *)head + before, am->src, am->nbytes);
    fsh_smp_publish(
        tx, fsh_smp_what(am->handler, am->category | flags, am->nargs), slots);
    return FSH_SMP_SENT;
}

/* How far slots can be written without checks: not to this rank itself, not
 * where slots held a payload, not with a block to return (the next message
 * carries it), and not so far that a prefetched slot is not free. */
static uint32_t plain_until(const struct fsh_smp_port *port,
                            struct fsh_smp_tx *tx, uint32_t dest)
{
    if (dest == port->rank || tx->inner != 0 ||
        atomic_load_explicit(&port->back[dest].word, memory_order_relaxed) !=
            0 ||
        !fsh_smp_has_room(tx, FSH_SMP_AHEAD + 2))
        return tx->tail;
    return tx->freed + FSH_SMP_SLOTS - 1 - FSH_SMP_AHEAD;
}

enum fsh_smp_result fsh_smp_port_place(struct fsh_smp_port *port,
                                       unsigned channel, uint32_t dest,
                                       const struct fsh_am *am, void *place)
{
    struct fsh_smp_tx *tx = &port->tx[channel][dest];
    enum fsh_smp_result result;

    fsh_smp_lock(port, &tx->lock, "another thread, which uses a ring", dest);
    result = am->category == FSH_AM_MEDIUM && am->nbytes != 0
                 ? send_medium(port, tx, channel, dest, am)
                 : send_bare(port, tx, dest, am, place);
    assert(result != FSH_SMP_SENT || tx->tail - tx->freed < FSH_SMP_SLOTS);
    tx->plain = plain_until(port, tx, dest);
    FSH_ASSERT(fsh_lock_is_mine(&tx->lock));
    fsh_smp_unlock(port, &tx->lock);
    if (__builtin_expect(result == FSH_SMP_SENT, 1) &&
        __builtin_expect(fsh_smp_must_announce(tx, channel), 0))
        fsh_smp_announce(port, tx, channel);
    return result;
}

enum fsh_smp_result fsh_smp_port_send(struct fsh_smp_port *port,
                                      unsigned channel, uint32_t dest,
                                      const struct fsh_am *am)
{
    return fsh_smp_port_place(port, channel, dest, am, NULL);
}

int fsh_smp_announce(struct fsh_smp_port *port, const struct fsh_smp_tx *tx,
                     unsigned channel)
{
    /* A, B, partners: fsh_smp_withdraw and fsh_smp_port_sleep. */
    if (port->fenced)
        atomic_thread_fence(memory_order_seq_cst);
    if (!fsh_smp_attended(port, tx, channel))
        fsh_smp_call_attention(port, tx->owner, port->index, channel);
    if (atomic_load_explicit(&tx->owner->sleepers, memory_order_relaxed) != 0)
        fsh_smp_wake(port, tx->owner);
    return 0;
}
