/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory between a rank (device "sim") and fshsim: the mmio object of
 * each node (a posted-write ring, one read mailbox, the activity counter) and
 * the fabric object that all ranks share (wake-up of the simulator, start
 * gate). Sleep protocol, both directions: the sleeper sets its flag, executes a
 * full fence, rechecks, then futex-waits; the waker publishes, executes a full
 * fence, then reads the flag.
 */
#ifndef FSH_SIM_SHM_H
#define FSH_SIM_SHM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/fsh_spec.h"

/* "ISIM" and the structure sizes: rejects ranks and simulators of different builds. */
#define FSH_SIM_MAGIC                                            \
    (0x4d495349u ^ (uint32_t)sizeof(struct fsh_sim_mmio) << 12 ^ \
     (uint32_t)sizeof(struct fsh_sim_fabric))
#define FSH_SIM_WRITES 8192u /* records in the posted-write ring */
#define FSH_SIM_DMA_BYTES (112u << 20)
/* Addresses of the node's memories: values of SEG_BASE and HOST_BASE. Non-zero
 * and aligned to no more than 4 KiB, so that logic that forgets to add the base
 * is caught. */
#define FSH_SIM_DRAM_BASE UINT64_C(0x100001000)
#define FSH_SIM_DMA_BUS UINT64_C(0x2a0000001000)

struct fsh_sim_write {
    uint32_t offset; /* register offset */
    uint32_t clock;  /* low bits of the rank's clock when posted */
    uint64_t data;
};

/* Simulated time of hosts: a rank runs while it has the turn. The simulator grants the
 * turn to one rank at a time, with the fabric at the cycle that the rank asked for.
 * Cycles count from when the last rank has begun. Up to the horizon the rank's clock
 * may advance without the simulator. */
enum {
    FSH_SIM_WAKE_TIME,     /* a turn at `until` */
    FSH_SIM_WAKE_ACTIVITY, /* ... or as soon as activity differs from `seen` */
    FSH_SIM_WAKE_READ,     /* when the register read is answered */
    FSH_SIM_WAKE_NEVER,    /* it continues without turns */
};
#define FSH_SIM_TEXT_BYTES 4096u
#define FSH_SIM_BUSY UINT64_MAX /* idle: the rank has just done something */
struct fsh_sim_turn {
    _Alignas(64) _Atomic uint32_t given; /* sim: total turns granted; futex */
    uint64_t now;                        /* sim, before given: the cycle ... */
    uint64_t horizon; /* ... and up to which only this rank acts */
    _Alignas(64) _Atomic uint32_t back; /* rank: turns given back; futex */
    /* rank: the thread that runs in its turn (UINT32_MAX: none) and its thread
     * id; for diagnostics */
    _Atomic uint32_t thread, tid;
    /* rank, before back; atomic, since a rank interrupted while waiting changes it
     * without the turn */
    _Atomic uint32_t wakes;
    _Atomic uint32_t seen;
    _Atomic uint64_t until;
    _Atomic uint64_t clock; /* how far it has advanced by itself; */
    /* since when all its threads have only waited for others */
    _Atomic uint64_t idle;
    _Atomic uint32_t stuck; /* 1: and will until something arrives */
    /* sim, before given: not a turn but the question whether `idle` is true; rank,
     * before back: 1: it is, and what its threads wait for, one line each, to follow
     * "rank n" */
    uint32_t asks;
    uint32_t confirms;
    char text[FSH_SIM_TEXT_BYTES];
    /* Sleepers on given and on back; protocol as above. */
    _Alignas(64) _Atomic uint32_t rank_sleeps;
    _Alignas(64) _Atomic uint32_t sim_sleeps;
    /* The processor each ran on at the hand-over, relaxed: fsh_handover_say. */
    _Atomic uint32_t rank_processor, sim_processor;
};

/* One per node; mapped by its rank and by fshsim. */
struct fsh_sim_mmio {
    uint32_t magic;
    _Alignas(64) _Atomic uint64_t tail; /* rank: total records written */
    /* rank: the ring's contents may be delayed in favour of other ranks'
     * work */
    _Atomic uint32_t patient;
    _Alignas(64) _Atomic uint64_t head;     /* sim: total records consumed */
    _Alignas(64) _Atomic uint32_t read_seq; /* rank: incremented per request */
    uint32_t read_offset;                   /* rank, before read_seq */
    _Alignas(64) _Atomic uint32_t
        done_seq;       /* sim: equals read_seq when answered; futex */
    uint64_t read_data; /* sim, before done_seq */
    _Alignas(64) _Atomic uint32_t
        activity; /* sim: incremented after each write to the DMA window that a
                     rank may wait for; futex */
    _Alignas(64) _Atomic uint32_t
        waiting; /* rank: number of threads asleep on activity or done_seq */
    /* sim: cycle at which the node's port took the last doorbell (write of a
     * tail register); for measurements */
    _Alignas(64) _Atomic uint64_t doorbell_cycle;
    /* sim, before done_seq: bytes that the node's DMA engine has stored, in device memory
     * and in the DMA window; for tests */
    _Atomic uint64_t dma_stored;
    struct fsh_sim_turn turn;
    _Alignas(64) struct fsh_sim_write ring[FSH_SIM_WRITES];
};

/* Packets of PCIe, as the port of the DMA engine has them: payload at most, and what one
 * costs beside it: header, framing and check 24, a share of acknowledgements and of the
 * line code 6. Of 32 bytes a cycle (Gen3 x8) 7161 MB/s are payload. */
#define FSH_SIM_PCIE_PAYLOAD 256u
#define FSH_SIM_PCIE_HEADER 30u

/* Parameters of the models around the nodes, in cycles of the nodes' clock and
 * bytes per cycle. Reports list all of them. */
struct fsh_sim_assumed {
    uint32_t link_cycles;       /* one way */
    uint32_t link_layer;        /* 0: bare beats, no CRC, no replay */
    uint32_t dram_cycles;       /* read: address to first data */
    uint32_t dram_write_cycles; /* last data to response */
    uint32_t dram_bytes_cycle;  /* shared by all masters of a node */
    uint32_t pcie_cycles;       /* one way */
    uint32_t pcie_bytes_cycle;  /* each direction */
    uint32_t disturbed;         /* 1: random backpressure (--stall) */
};

/* A node's counts over a job, for reports: its event counters (first cycle, last cycle,
 * count, sum) and those of its compute core and collective engine, in register order;
 * and, counted by the simulator, the bytes moved by its device memory. */
struct fsh_sim_counts {
    uint64_t event[FSH_PERF_COUNT][4];
    uint64_t compute[FSH_CPERF_COUNT];
    uint64_t coll[FSH_COLLPERF_COUNT];
    uint64_t dram_bytes;
};

/* One per fabric; mapped by every rank and fshsim. */
struct fsh_sim_fabric {
    uint32_t magic;
    uint32_t nodes;
    _Alignas(
        64) _Atomic uint32_t sleeping; /* sim: processes (about to be) asleep */
    _Alignas(64) _Atomic uint32_t doorbell; /* ranks: wake-ups; futex */
    _Alignas(64) _Atomic uint32_t
        gate_seq;               /* ranks: incremented to open the start gate */
    _Atomic uint32_t gate_done; /* sim: last gate_seq served */
    /* tools: new write response time of device memory, in cycles; 0: unchanged.
     * Applies to what a rank posts afterwards. */
    _Atomic uint32_t dram_write_wanted;
    _Atomic uint32_t clocks; /* ranks: number that have begun simulated time */
    struct fsh_sim_assumed assumed;      /* sim: as at start-up */
    _Alignas(64) _Atomic uint64_t cycle; /* sim: current cycle, for displays */
    _Atomic uint64_t evaluated;          /* sim: node-cycles evaluated */
    _Atomic uint64_t host_ns;            /* sim: CPU time spent evaluating */
    /* launcher, before ranks start: counts are requested */
    _Alignas(64) _Atomic uint32_t counts_wanted;
    _Atomic uint32_t counted; /* sim, at its end: number of nodes with counts */
    struct fsh_sim_counts counts[FSH_MAX_NODES];
    _Atomic uint64_t clock_start; /* sim: the cycle that is time 0 */
};

#endif
