/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test bed: a fabric whose registers are programmed as conduit fpga does,
 * with commands in and ring entries out, in one process without ranks. For
 * tests of the RTL and of the simulator. One thread.
 */
#ifndef FSH_SIM_BED_H
#define FSH_SIM_BED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "fabric.h"

/* Offsets in the DMA window. */
#define FSH_BED_CPL 0x40000u
#define FSH_BED_REQ 0x60000u
#define FSH_BED_REP 0x80000u
#define FSH_BED_SLOT_HDR 0xc0000u
#define FSH_BED_STATUS 0xa0000u
#define FSH_BED_BOUNCE 0x100000u
#define FSH_BED_SLOT_PAY 0x800000u

/* The credit line that `from` writes: that of its reply slot 0. */
#define FSH_BED_LINE(from)                                                   \
    (FSH_BED_SLOT_HDR +                                                      \
     (FSH_MAX_NODES + (from)) * FSH_SLOTS_PER_PEER * FSH_SLOT_HEADER_BYTES + \
     FSH_SLOT_LINE)

enum fsh_bed_ring { FSH_BED_RING_CPL, FSH_BED_RING_REQ, FSH_BED_RING_REP };

struct fsh_bed {
    struct fsh_fabric *fab;
    uint32_t nodes;
    struct fsh_topology topology;
    uint64_t seg_size;
    uint32_t tail[FSH_MAX_NODES][2];  /* entries submitted, by window */
    uint32_t taken[FSH_MAX_NODES][3]; /* entries taken, by ring */
    uint32_t told[FSH_MAX_NODES][3];  /* of these the node knows */
};

struct fsh_bed_options {
    uint32_t packet;   /* payload bytes a packet */
    uint32_t ports;    /* enable mask */
    bool hold;         /* behind the start gate */
    uint64_t seg_size; /* 0: all device memory */
};

/* The topology of a name that is known to be right; valid until the next call. */
const struct fsh_topology *fsh_bed_topology(const char *name, uint32_t nodes);

/* Make the fabric and program it; the registers are in when it returns.
 * False and a message on failure. */
bool fsh_bed_open(struct fsh_bed *bed, const struct fsh_fabric_config *config,
                  const struct fsh_bed_options *options, char *err,
                  size_t errlen);
bool fsh_bed_close(struct fsh_bed *bed);

/* Ports on a shortest way from one node to another, as in the ROUTE registers;
 * the own node: any. */
uint64_t fsh_bed_route(const struct fsh_bed *bed, uint32_t from, uint32_t to);

/* A command as it will stand in the window: fill `word` with the fsh_cmd_set_
 * functions, or let fsh_bed_command do the usual; then submit. */
struct fsh_bed_command {
    uint64_t word[FSH_MAX_ENTRIES * FSH_ENTRY_BYTES / 8];
};
/* Opcode, category, target and tag; check byte set, everything else zero. */
void fsh_bed_command(struct fsh_bed_command *cmd, uint32_t opcode,
                     uint32_t category, uint32_t dst, uint32_t tag);
/* A PUT with ack / a GET between segments. */
void fsh_bed_put(struct fsh_bed_command *cmd, uint32_t dst, uint32_t tag,
                 uint64_t laddr, uint64_t raddr, uint32_t length);
void fsh_bed_get(struct fsh_bed_command *cmd, uint32_t dst, uint32_t tag,
                 uint64_t laddr, uint64_t raddr, uint32_t length);
/* Put arguments and inline payload behind the command and set nargs, entries,
 * and, if bytes are given, lspace and length. */
void fsh_bed_attach(struct fsh_bed_command *cmd, const uint32_t *args,
                    uint32_t nargs, const void *payload, uint32_t bytes);
/* Free entries of the window (the reply one if the command says so), by the
 * status line as the host sees it. */
uint32_t fsh_bed_room(const struct fsh_bed *bed, uint32_t node, bool reply);
/* Write the command's entries and its doorbell. False if there is no room. */
bool fsh_bed_submit(struct fsh_bed *bed, uint32_t node,
                    const struct fsh_bed_command *cmd);
/* The same without the doorbell, which comes with fsh_bed_doorbell. */
bool fsh_bed_queue(struct fsh_bed *bed, uint32_t node,
                   const struct fsh_bed_command *cmd);
void fsh_bed_doorbell(struct fsh_bed *bed, uint32_t node, bool reply);

/* Take the next entry of a ring, if there is one. */
bool fsh_bed_take(struct fsh_bed *bed, uint32_t node, enum fsh_bed_ring ring,
                  uint64_t entry[2]);
/* Step until there is one; false if all is quiet, broken, or max_cycles are
 * over first. */
bool fsh_bed_await(struct fsh_bed *bed, uint32_t node, enum fsh_bed_ring ring,
                   uint64_t max_cycles, uint64_t entry[2]);

/* A performance counter (register reads, so time goes on). */
struct fsh_bed_perf {
    uint64_t first, last, count, sum;
};
bool fsh_bed_perf(struct fsh_bed *bed, uint32_t node, uint32_t event,
                  struct fsh_bed_perf *perf);
/* Print a node's counters and what is in its rings, for a failing test. */
void fsh_bed_dump(struct fsh_bed *bed, uint32_t node);

#endif
