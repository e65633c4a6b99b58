/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random commands for sim_random.c: valid ones of every kind, some made invalid in
 * one way, so that their status is known. It keeps the rules of a host: tags and
 * slots unique while in use, no byte written by one command while another writes or
 * reads it. One thread.
 */
#ifndef FSH_TEST_SIM_MAKE_H
#define FSH_TEST_SIM_MAKE_H

#include "sim_ref.h"

#define MAKER_OPS 1024u
#define MAKER_LENGTH 20000u
/* Start of what commands read and write in host memory: behind the slots. */
#define MAKER_HOST (2 * FSH_BED_SLOT_PAY)
/* Route tables claim so much more segment than there is; both spaces are
 * followed by as much memory that nothing may write. */
#define MAKER_SLACK 32768u

struct range { /* bytes 0: none */
    uint32_t node, space, bytes;
    uint64_t addr;
};

struct op {
    bool live, reply, ack, ordered;
    bool message, tagged; /* has a slot at peer; has a tag */
    uint32_t peer;        /* dst, unless that is to be refused */
    uint32_t from, dst, opcode, category, tag, lspace, rspace, length, nargs;
    uint64_t laddr, raddr;
    uint32_t args[32]; /* more than are allowed, to be refused */
    uint32_t refused;  /* status it is refused with, or OK */
    uint32_t status;   /* status it completes with */
    unsigned awaits;   /* bits of the CPL to come; none: of a PUT without ack */
    unsigned halves;   /* SLOT entries with the half bit seen */
    struct range source, target; /* read and written until it completes */
    uint64_t since;
    unsigned char data[MAKER_LENGTH];
};

struct maker { /* zeroed, then the first members set, by its user */
    struct ref *ref;
    uint64_t rng;
    bool tiny; /* short messages only */
    bool tag_used[REF_NODES][FSH_HOST_TAGS];
    /* By requester, target, slot: messages and handlers that have the slot. */
    uint8_t slot_uses[REF_NODES][REF_NODES][FSH_SLOTS_PER_PEER];
    unsigned unacked[REF_NODES];
    struct op ops[MAKER_OPS];
};

/* A command of a node for one of its windows; a reply of a message's handler.
 * NULL if the dice ask for what is not possible now. */
struct op *maker_command(struct maker *m, uint32_t from, bool reply);
struct op *maker_reply(struct maker *m, uint32_t from, uint32_t to,
                       uint32_t slot);
/* It will be submitted now: live until maker_finish. */
void maker_submit(struct maker *m, struct op *op, struct fsh_bed_command *cmd);
/* The source may be used again: uses it, if no one else reads it. */
void maker_reuse_source(struct maker *m, struct op *op);
/* It is complete: tag or slot and memory are free again. */
void maker_finish(struct maker *m, struct op *op);

#endif
