/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What members of a group share: a board each, which its owner alone writes and all
 * others read.
 *
 * Members count together: every operation takes the next number, a long one several,
 * and a member that comes to a number publishes it. That says two things: it has
 * finished with all that was published with smaller numbers, so their readers are
 * known; and what it adds with this number is there. Number n is published in slot n %
 * FSH_SLOTS, and has the half n % 2 for what the slot does not hold.
 *
 *   offset       bytes     written by   read by
 *   0 or 2048    4 * 320   owner        all: slots, of even or odd members
 *   behind them  4 * 64    owner        who disagrees: facts
 *   4096         2 * 62 K  owner        all: halves
 *
 * Slots of neighbours do not begin at the same offset of a page: processors hold a
 * load up behind a store to the same offset in another page (4 KiB aliasing).
 */
#ifndef FSH_COLL_BOARD_H
#define FSH_COLL_BOARD_H

#include <stdatomic.h>
#include <stdint.h>

#include "coll/direct/direct.h"

#define FSH_SLOTS 4u
#define FSH_SLOT_PAYLOAD 312u
#define FSH_SLOT_FIRST 56u /* of them in the cache line of the number */
#define FSH_BOARD_HEAD 4096u
#define FSH_BOARD_HALF ((FSH_BOARD_BYTES - FSH_BOARD_HEAD) / 2)

/* The number and FSH_SLOT_FIRST bytes cross in one cache line. The low bits of the word
 * are those of the claim: a member that publishes without payload does not wait for
 * those who still read what it published four numbers ago. */
#define FSH_CLAIM_BITS 20
#define FSH_CLAIM_MASK ((UINT64_C(1) << FSH_CLAIM_BITS) - 1)
struct fsh_slot {
    _Alignas(64) _Atomic uint64_t number;    /* writer: owner; readers: all */
    unsigned char payload[FSH_SLOT_PAYLOAD]; /* the same, before the number */
};
_Static_assert(sizeof(struct fsh_slot) == 320, "cache lines of a slot");
_Static_assert(offsetof(struct fsh_slot, payload) == 64 - FSH_SLOT_FIRST,
               "payload in line 0");
_Static_assert(FSH_SLOTS * sizeof(struct fsh_slot) <= FSH_BOARD_HEAD / 2,
               "slots of even and of odd members");
/* What the call with a number is, where its client has words for that. */
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

/* What a member says of its buffers in the payload of a slot: where they are in its
 * segment, or that its peers do not reach them. */
struct fsh_said {
    uint64_t src, dst; /* offset, or FSH_PRIVATE */
    uint64_t in_place; /* src is dst */
};
#define FSH_PRIVATE UINT64_MAX
_Static_assert(sizeof(struct fsh_said) <= FSH_SLOT_PAYLOAD, "said in a slot");

/* Where a number is published. */
static inline struct fsh_slot *fsh_board_slot(unsigned char *board,
                                              uint32_t member, uint64_t number)
{
    struct fsh_slot *slots =
        (void *)(board + (member & 1) * (FSH_BOARD_HEAD / 2));

    return &slots[number % FSH_SLOTS];
}

/* Where the words for it are. */
static inline struct fsh_board_facts *fsh_board_facts(unsigned char *board,
                                                      uint32_t member,
                                                      uint64_t number)
{
    struct fsh_slot *slots = fsh_board_slot(board, member, 0);
    struct fsh_board_facts *facts = (void *)(slots + FSH_SLOTS);

    return &facts[number % FSH_SLOTS];
}

/* And what else belongs to it. */
static inline unsigned char *fsh_board_half(unsigned char *board,
                                            uint64_t number)
{
    return board + FSH_BOARD_HEAD + (number & 1) * FSH_BOARD_HALF;
}

#endif
