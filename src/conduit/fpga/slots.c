/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive slots; see slots.h.
 */
#include "conduit/fpga/slots.h"

#include <assert.h>
#include <string.h>

#include "base/assertion.h"

static uint16_t bit(unsigned slot)
{
    assert(slot < FSH_SLOTS_PER_PEER);
    return (uint16_t)(1u << slot);
}

void fsh_fpga_slots_init(struct fsh_fpga_slots *s)
{
    memset(s, 0, sizeof *s);
    s->free = 0xffff;
}

int fsh_fpga_slots_claim(struct fsh_fpga_slots *s)
{
    if (s->free == 0)
        return -1;
    /* A free slot has no completion pending. */
    assert((s->free & (s->answered | s->unread)) == 0);
    int slot = __builtin_ctz(s->free);
    s->free &= (uint16_t)~bit((unsigned)slot);
    return slot;
}

void fsh_fpga_slots_unclaim(struct fsh_fpga_slots *s, unsigned slot)
{
    assert(!(s->free & bit(slot)));
    assert(!(s->unread & bit(slot)) && !(s->answered & bit(slot)));
    s->free |= bit(slot);
}

void fsh_fpga_slots_settle(struct fsh_fpga_slots *s, uint64_t word)
{
    uint16_t ended = s->returned ^ (uint16_t)word;
    uint16_t replied = s->replied ^ (uint16_t)(word >> 32);
    /* Done: ended, answered if it was replied to, and its source read. A slot
     * with `replied` flipped but not `returned` has not ended yet. */
    uint16_t done = (uint16_t)(ended & ~(replied & ~s->answered) & ~s->unread);

    assert((done & s->free) == 0);
    s->returned ^= done;
    s->replied ^= done & replied;
    s->answered &= (uint16_t)~done;
    s->free |= done;
    FSH_ASSERT((s->free & (s->answered | s->unread)) == 0);
}

void fsh_fpga_slots_answered(struct fsh_fpga_slots *s, unsigned slot)
{
    assert(!(s->free & bit(slot)) && !(s->answered & bit(slot)));
    s->answered |= bit(slot);
}

void fsh_fpga_slots_reading(struct fsh_fpga_slots *s, unsigned slot, bool on)
{
    assert(!(s->free & bit(slot)));
    FSH_ASSERT(on == !(s->unread & bit(slot))); /* begin and end alternate */
    if (on)
        s->unread |= bit(slot);
    else
        s->unread &= (uint16_t)~bit(slot);
}

void fsh_fpga_slots_finish(struct fsh_fpga_slots *s, unsigned slot,
                           bool replied)
{
    /* The peer does not reuse a slot before it has been told. */
    FSH_ASSERT(s->owed < FSH_SLOTS_PER_PEER);
    s->my_returned ^= bit(slot);
    if (replied)
        s->my_replied ^= bit(slot);
    s->owed++;
}

uint64_t fsh_fpga_slots_word(const struct fsh_fpga_slots *s)
{
    return (uint64_t)s->my_replied << 32 | s->my_returned;
}

void fsh_fpga_slots_sent(struct fsh_fpga_slots *s)
{
    s->owed = 0;
}
