/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of a node for state dumps (dump.c), read from the Verilated model on
 * request only, so that it costs nothing otherwise. It is implemented by state_card.h
 * and, for the router, state_router.h, the only places that name RTL signals. Signals
 * that a release of Verilator renames are left zero and reported by `missing`
 * (checked by tests/unit/sim_dump).
 */
#ifndef FSH_SIM_STATE_H
#define FSH_SIM_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "node_wrap.h"

#define FSH_STATE_VCS 4u     /* virtual channels of a link: {reply, vc} */
#define FSH_STATE_PARKED 65u /* commands beside a window, at most (fsh_park) */

/* Where a packet is, or what is left of one. */
enum fsh_state_place {
    FSH_STATE_LANE,    /* sequencer: described, not yet sent */
    FSH_STATE_SENDQ,   /* of a port: what is to leave by it */
    FSH_STATE_HERE,    /* receive buffer of a port, for this node */
    FSH_STATE_TRANSIT, /* the same, for another port */
    FSH_STATE_LOOP,    /* from this node to itself */
    FSH_STATE_PENDING, /* receiver: until its writes are answered */
    FSH_STATE_SERVED,  /* a GET, or a message to the core: to be served */
    FSH_STATE_ACK,     /* a PUT_ACK: for its port */
    FSH_STATE_LINK     /* on a link; not of a node (dump.c) */
};
enum { FSH_STATE_MEMORY = 1, FSH_STATE_HOST }; /* what PENDING waits for */
struct fsh_state_packet {
    uint64_t hdr[FSH_HDR_WORDS]; /* of PENDING to ACK what is still known */
    uint8_t place;
    uint8_t port;   /* or lane */
    uint8_t out;    /* TRANSIT: to this port. PENDING: FSH_STATE_MEMORY ... */
    uint8_t vc;     /* {reply, vc} of its queue */
    uint8_t leaves; /* part of it is gone */
    uint16_t position; /* packets of its queue before it */
    uint16_t beats;    /* of it that are there */
};

struct fsh_state_queue {
    uint16_t packets, beats;
};
enum { FSH_STATE_COUNT_BITS = 12 };
struct fsh_state_credit { /* at the sender, beats, counted in so many bits */
    uint16_t used, freed; /* sent or reserved; seen to be free again */
    bool ok;              /* a packet may be begun */
};

/* Beats that are sent or reserved, and not seen to be free again. */
static inline unsigned fsh_state_held(const struct fsh_state_credit *c)
{
    return (unsigned)(c->used - c->freed) % (1u << FSH_STATE_COUNT_BITS);
}

struct fsh_state_port {
    struct fsh_state_queue sendq[FSH_STATE_VCS];
    struct fsh_state_queue here[FSH_STATE_VCS];
    struct fsh_state_queue transit[FSH_NODE_PORTS][FSH_STATE_VCS]; /* by out */
    struct fsh_state_credit credit[FSH_STATE_VCS];
    uint16_t freed[FSH_STATE_VCS]; /* beats that ever left the buffers here */
    uint8_t arriving; /* beats still to come of the packet that arrives */
};
struct fsh_state_context { /* of the sequencer: a message that is being sent */
    uint8_t phase, opcode, dst, tag; /* enum fsh_probe_message_phase */
    uint8_t ports, vcs; /* the next packet may take; with vc on the link */
    bool loop;          /* to this node */
    uint32_t length, left;
    uint64_t raddr; /* of the next packet, at the target */
};
struct fsh_state_lane {
    uint8_t send;         /* enum fsh_probe_send_phase */
    uint8_t bulk, brief;  /* packets described */
    uint16_t reads, data; /* beats of device memory asked for and not sent; of
                             these there */
    /* Receiver: requests it may still take, packets that wait for writes. */
    uint8_t budget, pending, served;
    bool holds; /* a beat is in front of it */
};
enum fsh_state_submit_phase { /* of fsh_submit */
                              FSH_STATE_WINDOW_OFFER = 5,
                              FSH_STATE_WINDOW_ROWS,
                              FSH_STATE_WINDOW_REFUSE
};
struct fsh_state_parked { /* a command of fsh_park */
    uint8_t opcode, dst, tag;
    uint32_t length;
};
struct fsh_state_submit {
    uint32_t head, tail; /* entries ever consumed, submitted */
    uint8_t phase;
    uint8_t parked;  /* commands beside the window */
    uint64_t cmd[4]; /* in front */
    struct fsh_state_parked park[FSH_STATE_PARKED]; /* the oldest first */
};
#define FSH_STATE_MOVES (FSH_NUM_TAGS + 6u) /* of a direction, at most */
struct fsh_state_way {                      /* a direction of the DMA engine */
    uint8_t moves; /* that have not ended; the oldest first: */
    uint8_t tag[FSH_STATE_MOVES];
    /* Of the oldest, if its writes have begun or its end is told: lines of the source that
     * it has not got, of the target that it has not sent; writes not answered. */
    bool begun, ends;
    uint32_t unread, unwritten, unanswered;
};
struct fsh_state_node {
    bool enabled, gate_shut;
    struct fsh_state_submit window[2];
    struct fsh_state_context context[2][FSH_PROBE_CONTEXTS];
    struct fsh_state_lane lane[FSH_LANES];
    struct fsh_state_port port[FSH_NODE_PORTS];
    struct fsh_state_queue loop[2];
    bool loop_ok[2];
    uint8_t acks, ack_ports; /* queued; the port of the first, one-hot */
    struct {                 /* what a tag is given for */
        bool live, get;
        uint8_t node;
    } tag[FSH_NUM_TAGS];
    struct {
        uint16_t written, taken; /* entries; taken as the host has said */
    } ring[3]; /* completions, requests, replies; modulo 2 * RING_ENTRIES */
    struct fsh_probe_core core;
    struct fsh_state_way way[2]; /* to the card, from it */
    bool dma_entry;      /* the end of a move waits for the writer of rings */
    const char *missing; /* a signal that is not there, or NULL */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Given a packet; valid during the call. */
typedef void (*fsh_state_packet_fn)(void *arg,
                                    const struct fsh_state_packet *packet);

/* The registers of a node between two cycles; each packet that it holds is given to
 * `packet`, those of a queue in order. */
void fsh_node_state(const struct fsh_node *node, struct fsh_state_node *state,
                    fsh_state_packet_fn packet, void *arg);
/* Bytes that have been counted at this node of the message of a PUT or GET with
 * this initiator and tag: in FSH_MIN_PACKET, up to three of them too many. */
uint32_t fsh_node_counted(const struct fsh_node *node, uint32_t initiator,
                          uint32_t tag);

#ifdef __cplusplus
}
#endif
#endif
