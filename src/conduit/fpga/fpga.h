/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit fpga for tools that run as ranks (fshperf, hardware/software tests):
 * registers, counters, the start gate, and raw commands with a record of their
 * completion. Valid after gasnet_attach on conduit fpga, alongside FSHMEM's own
 * traffic. Any thread; not from handlers.
 */
#ifndef FSH_FPGA_H
#define FSH_FPGA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/fsh_spec.h"

/* Whether this rank is attached on conduit fpga. The other calls require it. */
bool fsh_fpga_active(void);

/* The device's name, and whether its time is simulated. */
const char *fsh_fpga_device_name(void);
bool fsh_fpga_simulated(void);

/* Register access at an offset of the register map (FSH_REG_*). A read waits
 * until all earlier writes of this rank have arrived. */
uint64_t fsh_fpga_reg_read(uint32_t offset);
void fsh_fpga_reg_write(uint32_t offset, uint64_t value);

/* A performance counter, event FSH_PERF_*. */
struct fsh_fpga_perf {
    uint64_t first; /* cycle of the first event since the last clear */
    uint64_t last;
    uint64_t count;
    uint64_t sum;
};
struct fsh_fpga_perf fsh_fpga_perf_read(unsigned event);
void fsh_fpga_perf_clear(void);

/* A counter of this node's collective engine, FSH_COLLPERF_*; 0 without an engine. */
uint64_t fsh_fpga_coll_perf_read(unsigned counter);
void fsh_fpga_coll_perf_clear(void);

/* The start gate. hold closes this node's submission windows and returns when
 * the register is written; open opens those of all nodes at the same cycle.
 * While held, nothing this rank sends leaves, GASNet calls included. */
void fsh_fpga_gate_hold(void);
void fsh_fpga_gate_open(void);

/* Set the payload bytes per packet (128, 256, 512, 1024) and the ports in use
 * (mask 1, 2 or 3). No traffic may be in flight on any node. False: invalid
 * value, or some node would be unreachable with these ports. */
bool fsh_fpga_set_packet(unsigned bytes);
bool fsh_fpga_set_ports(unsigned mask);
unsigned fsh_fpga_packet(void);
unsigned fsh_fpga_ports(void);

/* Outcome of a raw command; done becomes 1 (release) in a poll. */
struct fsh_fpga_record {
    atomic_uint done;
    uint32_t status; /* FSH_STATUS_* */
    uint64_t cycle;  /* when the device reported it */
};

/* A PUT or GET in the device's terms, neither split nor copied. */
struct fsh_fpga_raw {
    uint8_t opcode; /* FSH_OP_PUT or FSH_OP_GET */
    uint32_t node;
    uint64_t remote;  /* offset in the target's segment */
    uint64_t local;   /* offset in this node's segment; unused with data */
    uint32_t length;  /* <= FSH_MAX_MESSAGE */
    const void *data; /* PUT only: inline payload */
    bool ordered;
};

/* Queues it; never blocks. False if there is no free tag or no room in the
 * window: poll and retry. The record must stay valid until done; without one, a
 * failure ends the job like that of a gasnet_put. */
bool fsh_fpga_raw_submit(const struct fsh_fpga_raw *raw,
                         struct fsh_fpga_record *record);

/* Writes entries (64 bytes each), valid or not, to a window and rings the
 * doorbell. False if there is no room. For tests with bad commands. */
bool fsh_fpga_raw_entries(bool reply, const uint64_t *words, unsigned entries);

/* Makes progress (completions, messages); returns whether there was any. */
bool fsh_fpga_poll(void);

/* Payload bytes that this rank has handed to its device since attach. */
struct fsh_fpga_bytes {
    uint64_t put;     /* PUT commands of gasnet_put, and raw ones */
    uint64_t get;     /* bytes requested by GET commands */
    uint64_t am;      /* Medium and Long payloads, requests and replies */
    uint64_t credits; /* PUTs of credit words between the libraries */
};
struct fsh_fpga_bytes fsh_fpga_bytes(void);

#endif
