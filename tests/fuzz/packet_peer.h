/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fake nodes of a fabric: they send the packets that a test gives them, whatever the
 * header says. They keep the rules of the link (whole packets, credits for every
 * beat, on the channel that the header names), return credits for what they receive,
 * and discard it. Linked in place of the Verilated node (--wrap); until peer_play
 * each node is the real one. One thread.
 */
#ifndef FUZZ_PACKET_PEER_H
#define FUZZ_PACKET_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "node_wrap.h"

/* Header, arguments, payload: what a header can ask for (fsh_parse). */
#define PEER_BEATS (1u + 7u + 127u)

struct peer_packet {
    uint64_t beat[PEER_BEATS][2];
    uint32_t beats;
    uint32_t before; /* cycles of silence before it */
    uint32_t hurry;  /* one in so many beats is late; 0: none */
    bool poison;     /* of its last beat; not of a header alone */
};

/* Beats of a packet by its header, as nodes count them. */
uint32_t peer_beats(const uint64_t header[2]);

/* Forget all nodes; before a fabric is made. */
void peer_begin(void);
/* From now on this node is played. */
void peer_play(uint32_t node);
/* Queue a copy; the node is to be woken by a host write. False: no room. */
bool peer_send(uint32_t node, uint32_t port, const struct peer_packet *packet);
/* All is sent. */
bool peer_done(uint32_t node);

#endif
