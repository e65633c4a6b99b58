/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared memory between a rank (device "sim") and fshsim: the mmio object of a
 * node (a posted-write ring, one read mailbox, the activity counter) and the
 * fabric object all ranks share (wake-up of the simulator, start gate).
 * Sleep protocol, both directions: the sleeper sets its flag, full fence,
 * rechecks, then futex-waits; the waker publishes, full fence, reads the flag.
 */
#ifndef FSH_SIM_SHM_H
#define FSH_SIM_SHM_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/fsh_spec.h"

/* "ISIM", and the sizes: ranks and simulator of different builds do not go on. */
#define FSH_SIM_MAGIC                                            \
    (0x4d495349u ^ (uint32_t)sizeof(struct fsh_sim_mmio) << 12 ^ \
     (uint32_t)sizeof(struct fsh_sim_fabric))
#define FSH_SIM_WRITES 8192u /* records in the posted-write ring */
#define FSH_SIM_DMA_BYTES (64u << 20)
/* Where the node finds its memories: values of SEG_BASE and HOST_BASE. Not
 * zero and aligned to no more than 4 KiB, so that logic which forgets to add
 * is found out. */
#define FSH_SIM_DRAM_BASE UINT64_C(0x100001000)
#define FSH_SIM_DMA_BUS UINT64_C(0x2a0000001000)

struct fsh_sim_write {
    uint32_t offset; /* register offset */
    uint32_t clock;  /* low bits of the rank's clock when it was made */
    uint64_t data;
};

/* Simulated time of hosts: a rank runs while it has the turn, and the simulator
 * gives that to one at a time, with the fabric at the cycle that the rank asked
 * for. Cycles are those since the last rank has begun. Up to the horizon the rank's
 * clock may go on without the simulator. */
enum {
    FSH_SIM_WAKE_TIME,     /* the turn at `until` */
    FSH_SIM_WAKE_ACTIVITY, /* ... or as soon as activity is not `seen` */
    FSH_SIM_WAKE_READ,     /* when the register read is answered */
    FSH_SIM_WAKE_NEVER,    /* it goes on without turns */
};
#define FSH_SIM_TEXT_BYTES 4096u
#define FSH_SIM_BUSY \
    UINT64_MAX /* idle of a rank that has just done something */
struct fsh_sim_turn {
    _Alignas(64) _Atomic uint32_t given; /* sim: turns, ever; futex */
    uint64_t now;                        /* sim, before given: the cycle ... */
    uint64_t horizon; /* ... and up to which only this rank does anything */
    _Alignas(64) _Atomic uint32_t back; /* rank: turns given back; futex */
    /* rank: the thread that runs in its turn, UINT32_MAX none, and its process
     * number; for reports */
    _Atomic uint32_t thread, tid;
    /* rank, before back; atomic, since one that is interrupted while it waits says
     * something else without the turn */
    _Atomic uint32_t wakes;
    _Atomic uint32_t seen;
    _Atomic uint64_t until;
    _Atomic uint64_t clock; /* how far it has come by itself; */
    /* since when all its threads have only looked for what others do */
    _Atomic uint64_t idle;
    _Atomic uint32_t stuck; /* 1: and will until something comes */
    /* sim, before given: not a turn, but the question whether it is so; rank, before
     * back: 1: it is, and what its threads wait for, a line each, which goes on
     * from "rank n" */
    uint32_t asks;
    uint32_t confirms;
    char text[FSH_SIM_TEXT_BYTES];
    /* Sleepers on given and on back; the protocol is the one above. */
    _Alignas(64) _Atomic uint32_t rank_sleeps;
    _Alignas(64) _Atomic uint32_t sim_sleeps;
    /* Where each ran when it handed over, relaxed: fsh_handover_say. */
    _Atomic uint32_t rank_processor, sim_processor;
};

/* One per node; mapped by its rank and by fshsim. */
struct fsh_sim_mmio {
    uint32_t magic;
    _Alignas(64) _Atomic uint64_t tail; /* rank: records written, ever */
    /* rank: what is in the ring can wait for work of other ranks */
    _Atomic uint32_t patient;
    _Alignas(64) _Atomic uint64_t head;     /* sim: records taken, ever */
    _Alignas(64) _Atomic uint32_t read_seq; /* rank: bumped per request */
    uint32_t read_offset;                   /* rank, before read_seq */
    _Alignas(64) _Atomic uint32_t
        done_seq;       /* sim: equals read_seq when answered; futex */
    uint64_t read_data; /* sim, before done_seq */
    _Alignas(64) _Atomic uint32_t
        activity; /* sim: bumped after each write to the DMA window that a rank
                     may wait for; futex */
    _Alignas(64) _Atomic uint32_t
        waiting; /* rank: number of threads asleep on activity or done_seq */
    /* sim: cycle in which the node took the last doorbell (write of a tail
     * register) from its port; for measurements */
    _Alignas(64) _Atomic uint64_t doorbell_cycle;
    struct fsh_sim_turn turn;
    _Alignas(64) struct fsh_sim_write ring[FSH_SIM_WRITES];
};

/* What the models around the nodes assume, in cycles of the nodes' clock and
 * bytes a cycle. A report names all of it. */
struct fsh_sim_assumed {
    uint32_t link_cycles; /* one way */
    uint32_t link_layer;  /* 0: links carry bare beats, no CRC, no replay */
    uint32_t dram_cycles; /* read: address to first data */
    uint32_t dram_write_cycles; /* last data to response */
    uint32_t dram_bytes_cycle;  /* shared by all masters of a node */
    uint32_t pcie_cycles;       /* one way */
    uint32_t pcie_bytes_cycle;  /* each direction */
    uint32_t disturbed;         /* 1: random back-pressure (--stall) */
};

/* What a node has counted in a job, for reports: its event counters (first cycle, last
 * cycle, count, sum), those of its compute core, in the order of the register map; by
 * the simulator, bytes that its device memory moved. */
struct fsh_sim_counts {
    uint64_t event[FSH_PERF_COUNT][4];
    uint64_t compute[FSH_CPERF_COUNT];
    uint64_t dram_bytes;
};

/* One per fabric; mapped by every rank and fshsim. */
struct fsh_sim_fabric {
    uint32_t magic;
    uint32_t nodes;
    _Alignas(
        64) _Atomic uint32_t sleeping; /* sim: 1 while (about to be) asleep */
    _Alignas(64) _Atomic uint32_t doorbell; /* ranks: bumped to wake; futex */
    _Alignas(64) _Atomic uint32_t
        gate_seq;               /* ranks: bumped to open the start gate */
    _Atomic uint32_t gate_done; /* sim: last gate_seq served */
    /* tools: write response of device memory from now on, in cycles; 0: as it
     * is. In force for what a rank posts after it. */
    _Atomic uint32_t dram_write_wanted;
    _Atomic uint32_t clocks; /* ranks: how many have begun simulated time */
    struct fsh_sim_assumed assumed;      /* sim: as of the start */
    _Alignas(64) _Atomic uint64_t cycle; /* sim: current cycle, for displays */
    _Atomic uint64_t evaluated;          /* sim: node-cycles evaluated */
    _Atomic uint64_t host_ns;            /* sim: CPU time spent evaluating */
    /* launcher, before ranks start: the counts are wanted */
    _Alignas(64) _Atomic uint32_t counts_wanted;
    _Atomic uint32_t
        counted; /* sim, at its end: of how many nodes they are there */
    struct fsh_sim_counts counts[FSH_MAX_NODES];
    _Atomic uint64_t clock_start; /* sim: cycle that is 0 of simulated time */
};

#endif
