/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receive slots of a pair of nodes. As sender, this node owns SLOTS_PER_PEER
 * pairs {request slot at the peer, reply slot here}; as receiver, it tells the
 * peer which of the peer's pairs are done. What is transmitted is state, one
 * bit per slot that flips at each use: `returned` when the request's handler
 * has ended, and `replied` as well if it replied. A credit word is {replied
 * 63:32, returned 31:0}. Pure state machine; callers hold the lock.
 */
#ifndef FSH_FPGA_SLOTS_H
#define FSH_FPGA_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fsh_spec.h"

struct fsh_fpga_slots {
    /* As sender; one bit per slot. */
    uint16_t free;     /* can be claimed */
    uint16_t returned; /* phases already processed */
    uint16_t replied;
    uint16_t answered; /* the reply's handler has ended */
    uint16_t unread;   /* the device is still reading the request's payload */
    /* As receiver. */
    uint16_t my_returned; /* phases to tell the peer */
    uint16_t my_replied;
    uint16_t owed; /* flips since the last word sent */
};

_Static_assert(FSH_SLOTS_PER_PEER == 16, "one bit a slot in 16-bit words");

/* Marks all pairs free and nothing owed. */
void fsh_fpga_slots_init(struct fsh_fpga_slots *s);

/* Claims a pair; returns its number, or -1 if none is free. */
int fsh_fpga_slots_claim(struct fsh_fpga_slots *s);
/* Returns a pair that was claimed but not used. */
void fsh_fpga_slots_unclaim(struct fsh_fpga_slots *s, unsigned slot);
/* Frees the pairs that the peer's credit word and local events allow. */
void fsh_fpga_slots_settle(struct fsh_fpga_slots *s, uint64_t word);
/* The handler of the reply in this slot has ended. */
void fsh_fpga_slots_answered(struct fsh_fpga_slots *s, unsigned slot);
/* The device has started (on) or finished reading the payload of the request in
 * this slot. */
void fsh_fpga_slots_reading(struct fsh_fpga_slots *s, unsigned slot, bool on);

/* The handler of the peer's request in this slot has ended here. */
void fsh_fpga_slots_finish(struct fsh_fpga_slots *s, unsigned slot,
                           bool replied);
/* The word to send; and a note that it has been sent. */
uint64_t fsh_fpga_slots_word(const struct fsh_fpga_slots *s);
void fsh_fpga_slots_sent(struct fsh_fpga_slots *s);

#endif
