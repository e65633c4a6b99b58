/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit fpga for tools that run as ranks (fshperf, tests of hardware and
 * software together): registers, counters, the start gate, and commands of
 * their own with the record of their completion. Valid after gasnet_attach on
 * conduit fpga; FSHMEM's other traffic goes on beside it. Any thread; not from
 * handlers.
 */
#ifndef FSH_FPGA_H
#define FSH_FPGA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fsh_spec.h"

/* Is this rank on conduit fpga, attached? The other calls need that. */
bool fsh_fpga_active(void);

/* Name of the device, and whether its time is simulated. */
const char *fsh_fpga_device_name(void);
bool fsh_fpga_simulated(void);

/* Register access at an offset of the register map (FSH_REG_). A read waits
 * for all earlier writes of this rank to arrive. */
uint64_t fsh_fpga_reg_read(uint32_t offset);
void fsh_fpga_reg_write(uint32_t offset, uint64_t value);

/* A performance counter, event FSH_PERF_. */
struct fsh_fpga_perf {
    uint64_t first; /* cycle of the first event since the last clear */
    uint64_t last;
    uint64_t count;
    uint64_t sum;
};
struct fsh_fpga_perf fsh_fpga_perf_read(unsigned event);
void fsh_fpga_perf_clear(void);

/* The start gate: hold this node's windows; open those of all nodes at one
 * cycle. Hold returns when the register is written. While held, nothing that
 * this rank sends leaves, GASNet calls included. */
void fsh_fpga_gate_hold(void);
void fsh_fpga_gate_open(void);

/* Payload bytes a packet (128, 256, 512, 1024) and ports in use (mask 1, 2 or
 * 3) from now on. No traffic may be in flight on any node. False: not a valid
 * value, or with these ports some node cannot be reached. */
bool fsh_fpga_set_packet(unsigned bytes);
bool fsh_fpga_set_ports(unsigned mask);
unsigned fsh_fpga_packet(void);
unsigned fsh_fpga_ports(void);

/* Outcome of a raw command: done turns 1 (release) during a poll. */
struct fsh_fpga_record {
    atomic_uint done;
    uint32_t status; /* FSH_STATUS_ */
    uint64_t cycle;  /* at which the device reported it */
};

/* A PUT or GET given as the device takes it, without splitting or copying. */
struct fsh_fpga_raw {
    uint8_t opcode; /* FSH_OP_PUT or FSH_OP_GET */
    uint32_t node;
    uint64_t remote;  /* offset in the target's segment */
    uint64_t local;   /* offset in this node's segment; unused with data */
    uint32_t length;  /* <= FSH_MAX_MESSAGE */
    const void *data; /* PUT only: payload that rides in the command */
    bool ordered;
};

/* Queue it; never blocks. False if there is no tag or no room in the window:
 * poll and try again. The record must stay until done; without one, a failure
 * ends the job as that of a gasnet_put would. */
bool fsh_fpga_raw_submit(const struct fsh_fpga_raw *raw,
                         struct fsh_fpga_record *record);

/* Write entries (64 bytes each) into a window and ring the doorbell, whatever
 * they hold. False if there is no room. For tests of bad commands. */
bool fsh_fpga_raw_entries(bool reply, const uint64_t *words, unsigned entries);

/* Make progress (completions, messages); whether anything happened. */
bool fsh_fpga_poll(void);

/* Payload bytes this rank has handed to its device since attach. */
struct fsh_fpga_bytes {
    uint64_t put;     /* PUT commands of gasnet_put and raw ones */
    uint64_t get;     /* bytes asked for by GET commands */
    uint64_t am;      /* Medium and Long payloads, requests and replies */
    uint64_t credits; /* PUTs of credit words between the libraries */
};
struct fsh_fpga_bytes fsh_fpga_bytes(void);

#endif
