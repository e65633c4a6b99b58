/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory that members of a group share: one board each, written by its owner only
 * and read by all others.
 *
 * Members count operations together: every operation uses the next number, a long one
 * several, and a member that reaches a number publishes it. That announces two
 * things: the member no longer reads anything published with smaller numbers, and
 * what it contributes with this number is available. Number n is published in slot n
 * % FSH_SLOTS; the half n % 2 holds what the slot has no room for.
 *
 *   offset       bytes     written by   read by
 *   0 or 2048    4 * 320   owner        all: slots, of even or odd members
 *   behind them  4 * 64    owner        who disagrees: facts
 *   4096         2 * 62 K  owner        all: halves
 *
 * Slots of neighbours start at different offsets of a page: a load stalls behind a
 * store to the same offset in another page (4 KiB aliasing).
 */
#ifndef FSH_COLL_BOARD_H
#define FSH_COLL_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

#include "coll/direct/direct.h"

#define FSH_SLOTS 4u
#define FSH_SLOT_PAYLOAD 312u
#define FSH_SLOT_FIRST 56u /* payload bytes in the number's cache line */
#define FSH_BOARD_HEAD 4096u
#define FSH_BOARD_HALF ((FSH_BOARD_BYTES - FSH_BOARD_HEAD) / 2)

/* The number and FSH_SLOT_FIRST bytes travel in one cache line. The low bits of the
 * word are a claim: a member that publishes without payload does not wait for members
 * that still read what it published four numbers ago. */
#define FSH_CLAIM_BITS 20
#define FSH_CLAIM_MASK ((UINT64_C(1) << FSH_CLAIM_BITS) - 1)
struct fsh_slot {
    _Alignas(64) _Atomic uint64_t number;    /* writer: owner; readers: all */
    unsigned char payload[FSH_SLOT_PAYLOAD]; /* the same; before the number */
};
_Static_assert(sizeof(struct fsh_slot) == 320, "cache lines of a slot");
_Static_assert(offsetof(struct fsh_slot, payload) == 64 - FSH_SLOT_FIRST,
               "payload in line 0");
_Static_assert(FSH_SLOTS * sizeof(struct fsh_slot) <= FSH_BOARD_HEAD / 2,
               "slots of even and of odd members");
/* What the call with a number is, for clients that describe their calls. */
struct fsh_board_facts {
    _Alignas(
        64) uint64_t number; /* writer: owner, as the next; before the slot's */
    struct fsh_coll_facts facts;
};
_Static_assert(sizeof(struct fsh_board_facts) == 64, "one cache line");
_Static_assert(FSH_SLOTS *(sizeof(struct fsh_slot) +
                           sizeof(struct fsh_board_facts)) <=
                   FSH_BOARD_HEAD / 2,
               "facts behind the slots");
_Static_assert(FSH_BOARD_HALF % 64 == 0, "halves begin cache lines");

/* A member's buffers, in the payload of a slot: their offsets in its segment, or that
 * peers cannot reach them. */
struct fsh_said {
    uint64_t src, dst; /* offset, or FSH_PRIVATE */
    uint64_t in_place; /* src is dst */
};
#define FSH_PRIVATE UINT64_MAX
_Static_assert(sizeof(struct fsh_said) <= FSH_SLOT_PAYLOAD, "said in a slot");

/* The slot of a number. */
static inline struct fsh_slot *fsh_board_slot(unsigned char *board,
                                              uint32_t member, uint64_t number)
{
    struct fsh_slot *slots =
        (void *)(board + (member & 1) * (FSH_BOARD_HEAD / 2));

    return &slots[number % FSH_SLOTS];
}

/* The facts of a number. */
static inline struct fsh_board_facts *fsh_board_facts(unsigned char *board,
                                                      uint32_t member,
                                                      uint64_t number)
{
    struct fsh_slot *slots = fsh_board_slot(board, member, 0);
    struct fsh_board_facts *facts = (void *)(slots + FSH_SLOTS);

    return &facts[number % FSH_SLOTS];
}

/* The half of a number. */
static inline unsigned char *fsh_board_half(unsigned char *board,
                                            uint64_t number)
{
    return board + FSH_BOARD_HEAD + (number & 1) * FSH_BOARD_HALF;
}

#endif
