/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a node's host has requested, kept outside the node so that a state dump can
 * tell the age of outstanding operations, which the node does not know. Updated by
 * host.c for each register write that the node has accepted, read by dump.c; belongs
 * to the thread that steps the node. It does not affect the simulation.
 */
#ifndef FSH_SIM_LEDGER_H
#define FSH_SIM_LEDGER_H

#include <stdint.h>

#include "base/fsh_spec.h"

#define FSH_LEDGER_WORDS (FSH_WINDOW_ENTRIES * FSH_ENTRY_BYTES / 8)

struct fsh_ledger {
    uint64_t window[2][FSH_LEDGER_WORDS]; /* as written; requests, replies */
    uint32_t tail[2];                     /* entries covered by a doorbell */
    uint64_t rung; /* cycle of the last doorbell; 0: none */
    struct fsh_ledger_op {
        uint64_t since, raddr; /* doorbell, in cycles; address at the target */
        uint32_t length;
        uint8_t opcode, node;
    } tag[FSH_HOST_TAGS]; /* the last command with each */
    /* Messages to hosts, by channel, target and slot: the last one's doorbell. */
    uint64_t message[2][FSH_MAX_NODES][FSH_SLOTS_PER_PEER];
    uint16_t
        sent[FSH_MAX_NODES]; /* requests: a bit a slot, flips at each use */
    /* The word by which this host last gave slots back to each peer, and when. */
    uint64_t credit[FSH_MAX_NODES], credit_at[FSH_MAX_NODES];
    uint64_t slot_hdr; /* register SLOT_HDR_BASE */
    /* Moves of the DMA engine: the registers of the next one; the last one with each tag,
     * to the card (0) and from it. */
    uint64_t dma_host, dma_card;
    struct fsh_ledger_move {
        uint64_t since, host, card; /* in cycles; offsets */
        uint32_t length;
    } move[2][FSH_NUM_TAGS];
};

/* The node took this register write of its host in this cycle. */
void fsh_ledger_write(struct fsh_ledger *ledger, uint64_t cycle,
                      uint32_t offset, uint64_t data);

/* Where in the DMA window of a node the word lies in which this peer gives slots
 * back. */
static inline uint64_t fsh_ledger_line(const struct fsh_ledger *ledger,
                                       uint32_t peer)
{
    return ledger->slot_hdr +
           (uint64_t)(FSH_MAX_NODES + peer) * FSH_SLOTS_PER_PEER *
               FSH_SLOT_HEADER_BYTES +
           FSH_SLOT_LINE;
}

#endif
