/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of a dump: a snapshot of the fabric, the locations of an
 * operation's packets in it, and text output.
 */
#ifndef FSH_SIM_DUMP_INSIDE_H
#define FSH_SIM_DUMP_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dump.h"
#include "model.h"
#include "state.h"

struct fsh_dump_packet {
    struct fsh_state_packet p;
    uint8_t node; /* that holds it; LINK: to which it goes */
};

struct fsh_dump {
    const struct fsh_fabric *fab;
    const struct fsh_dump_request *request;
    uint32_t nodes;
    struct fsh_state_node *state;      /* by node */
    uint32_t (*beats)[FSH_NODE_PORTS]; /* on the link to a port of a node */
    struct fsh_dump_packet *packet;
    size_t packets, room;
    uint32_t gathering; /* node that is looked at */
    bool short_of_memory;
};

/* A line that grows; what does not fit is cut. */
struct fsh_text {
    char s[4096];
    size_t n;
};
__attribute__((format(printf, 2, 3))) void fsh_text_add(struct fsh_text *text,
                                                        const char *fmt, ...);
/* ", " unless it is the first of a list. */
void fsh_text_next(struct fsh_text *text, bool *first);
__attribute__((format(printf, 2, 3))) void fsh_dump_line(
    const struct fsh_dump *d, const char *fmt, ...);

/* "PUT", "GET" ...; of messages to hosts "AM request", "AM reply". */
const char *fsh_dump_opcode(unsigned opcode, bool reply);
/* "12.3 ms" */
const char *fsh_dump_time(uint64_t ns, char text[32]);

/* --- operations (dump_find.c) --- */

/* An operation of a node: by tag, or a message to a host by channel, peer, slot. */
struct fsh_dump_op {
    uint8_t node, peer, opcode, tag; /* tag, or slot */
    bool message, reply;
    bool dated; /* since is known */
    uint32_t length;
    uint64_t since, raddr;
};
/* Where what is left of it is. */
enum fsh_dump_where {
    FSH_DUMP_NOWHERE,
    FSH_DUMP_WINDOW,
    FSH_DUMP_CONTEXT, /* nothing but this is left of it */
    FSH_DUMP_PACKET
};
struct fsh_dump_found {
    enum fsh_dump_where where;
    const struct fsh_dump_packet *oldest; /* PACKET */
    uint8_t node, channel, context;       /* WINDOW, CONTEXT */
    uint32_t packets;                     /* in the fabric */
    uint32_t unsent, written;             /* bytes; at their end */
};

/* What the tag is in use for; false: it is not. */
bool fsh_dump_tagged(const struct fsh_dump *d, uint32_t node, uint32_t tag,
                     struct fsh_dump_op *op);
void fsh_dump_find(const struct fsh_dump *d, const struct fsh_dump_op *op,
                   struct fsh_dump_found *found);
/* "PUT of 8192 B to node 2 (tag 3)" */
void fsh_dump_name(struct fsh_text *text, const struct fsh_dump_op *op);
/* "in node 1, port 0, transit queue to port 1" */
void fsh_dump_place(struct fsh_text *text, const struct fsh_dump_op *op,
                    const struct fsh_dump_found *found);

/* Request slots at a peer that are not given back, a bit each, as the node's host
 * sees it. */
uint16_t fsh_dump_slots(const struct fsh_dump *d, uint32_t node, uint32_t peer);
/* Of these: those that the peer says it has given back. */
uint16_t fsh_dump_returned(const struct fsh_dump *d, uint32_t node,
                           uint32_t peer);
/* The message in a slot. */
struct fsh_dump_op fsh_dump_message(const struct fsh_dump *d, uint32_t node,
                                    uint32_t peer, uint32_t slot);
/* The oldest of the messages in these slots. */
struct fsh_dump_op fsh_dump_eldest(const struct fsh_dump *d, uint32_t node,
                                   uint32_t peer, uint16_t slots);

/* --- moves of the DMA engines (dump_move.c) --- */

/* One that has not ended. */
struct fsh_dump_move {
    uint8_t node, way, tag; /* way 0: to the card */
    const struct fsh_ledger_move *asked;
};
/* What the oldest of a direction waits for. */
enum fsh_dump_move_wait {
    FSH_DUMP_MOVE_GOES, /* nothing */
    FSH_DUMP_MOVE_HOST, /* the host's memory */
    FSH_DUMP_MOVE_CARD, /* the device memory */
    FSH_DUMP_MOVE_RING  /* its end is to be written */
};
/* The index-th of a node and direction, 0 the oldest; false: there are not so many. */
bool fsh_dump_move(const struct fsh_dump *d, uint32_t node, unsigned way,
                   unsigned index, struct fsh_dump_move *move);
enum fsh_dump_move_wait fsh_dump_move_waits(const struct fsh_dump *d,
                                            uint32_t node, unsigned way);
/* Bursts whose data or response this memory owes the DMA engine. */
uint32_t fsh_dump_move_owed(const struct fsh_sim_node *n, bool host);
/* "move of 8192 B to the card (tag 3)" */
void fsh_dump_name_move(struct fsh_text *text,
                        const struct fsh_dump_move *move);
/* What is left of it, and what it waits for. */
void fsh_dump_place_move(const struct fsh_dump *d, struct fsh_text *text,
                         const struct fsh_dump_move *move);
/* The lines of a node's moves. */
void fsh_dump_moves(const struct fsh_dump *d, uint32_t node);

/* --- the parts --- */

/* Does the node hold nothing, and is nothing of its host outstanding? */
bool fsh_dump_idle(const struct fsh_dump *d, uint32_t node);
/* The lines of a node that is not idle. */
void fsh_dump_node(const struct fsh_dump *d, uint32_t node);
/* A sentence for each chain of who waits for whom. */
void fsh_dump_waits(const struct fsh_dump *d);

#endif
