/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric: N nodes (Verilated RTL) with C models around them: links, device memory,
 * PCIe host. Used by fshsim (serve.c couples it to the ranks) and by tests without
 * ranks. One thread owns a fabric and makes all calls; helper threads run only within
 * its calls. Time is counted in cycles of the nodes' clock.
 *
 * A typical test: create, write the registers (fsh_fabric_host_write), fill the
 * memories, write a command and its doorbell, run until quiet, inspect memory.
 */
#ifndef FSH_SIM_FABRIC_H
#define FSH_SIM_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "base/topology.h"

struct fsh_fabric;

/* What the fabric tells its owner; any member may be NULL. Called from within
 * fsh_fabric_step and its like, by the thread that steps the node: for different nodes
 * at once, if there are several. Must not call back into the fabric. */
struct fsh_fabric_events {
    void *arg;
    /* A write burst of the device has been stored in the DMA window; it ends in the beat at
     * `offset`. */
    void (*dma_written)(void *arg, uint32_t node, uint64_t offset);
    /* The answer to the node's fsh_fabric_host_read. */
    void (*read_done)(void *arg, uint32_t node, uint64_t data);
    /* The node took a doorbell (a write of a tail register) in this cycle. */
    void (*doorbell)(void *arg, uint32_t node, uint64_t cycle);
    /* A gate requested by fsh_fabric_gate has opened. */
    void (*gate_open)(void *arg);
    /* Of several partitions, now and then while others are waited for: is the fabric's
     * owner to stop? */
    bool (*stops)(void *arg);
    /* For tests; not while recording. A beat, no boundary, is on its way to
     * this port of the node, which gets what the test makes of it. */
    void (*link_beat)(void *arg, uint32_t node, uint32_t port,
                      uint64_t data[2]);
};

/* A fabric in several processes, its partitions; partition.h says how they go together. */
struct fsh_partition {
    uint32_t index, count;             /* this one; all */
    uint32_t first[FSH_MAX_NODES + 1]; /* node of each, and the number of all */
    /* A connected stream socket to each other one, which stays the caller's. */
    int peer[FSH_MAX_NODES];
};

struct fsh_fabric_config {
    uint32_t nodes; /* 1..FSH_MAX_NODES, of all partitions */
    const struct fsh_partition *partition; /* copied; NULL: all are here */
    const struct fsh_topology
        *topology;              /* of so many nodes, copied; NULL: ring */
    uint32_t link_cycles;       /* one way, >= 1 */
    uint32_t dram_cycles;       /* read: address taken to first data, >= 1 */
    uint32_t dram_write_cycles; /* last data taken to response, >= 1 */
    uint32_t dram_bytes_cycle;  /* shared by all masters of a node, >= 16,
                                   with a compute core >= 64 */
    uint32_t pcie_cycles;       /* one way, >= 1 */
    uint32_t pcie_bytes_cycle;  /* each direction, >= 16 */
    bool compute;               /* a compute core in each node */
    bool jump;                  /* skip idle nodes and idle time; same cycles */
    uint64_t seed; /* initial values of registers without reset; 0: zero */
    bool stall;    /* random back-pressure everywhere ... */
    uint64_t stall_seed;           /* ... drawn from this */
    uint32_t link_jitter;          /* up to so many cycles more on a link, drawn
                                   from stall_seed; not with recordings */
    const char *waves;             /* FST file or NULL, of ... */
    uint64_t waves_from, waves_to; /* ... these cycles, the last one as well:
                                      since simulated time began, or without
                                      it since the start; UINT64_MAX no end */
    uint64_t waves_nodes;          /* ... and these nodes, a bit each; 0 all */
    bool clocked;     /* the hosts are going to have simulated time */
    uint32_t threads; /* that step nodes, the caller's included; changes nothing
                           else. 0: as fsh_fabric_threads says */
    uint32_t quantum; /* cycles that nodes go on at most without a look at each
                           other and at the hosts, >= 1; never more than a link
                           takes, or 64 */
    const char *record; /* recording to write or NULL */
    const char *replay; /* recording to feed or NULL; replaces the settings
                            above that decide what happens (nodes, delays,
                            seeds), memory sizes included */
    size_t dram_bytes;  /* per node */
    size_t dma_bytes;   /* per node */
    /* Mappings of the memories, one a node; NULL: the fabric makes its own
     * (anonymous, sparse, zero). Unused with replay. */
    unsigned char **dram;
    unsigned char **dma;
    struct fsh_fabric_events events;
};

/* The stated defaults: 2 nodes, ring, 30/40/4/307/125/48, jump, a thread, the longest
 * quantum, 1 GiB, 64 MiB. */
void fsh_fabric_defaults(struct fsh_fabric_config *config);

/* Threads that are good for so many nodes on these processors: 1 with fewer than 8 nodes
 * or one processor, else one for 4 nodes, as many as there are processors, or 4. */
uint32_t fsh_fabric_threads(uint32_t nodes, unsigned processors);

/* Returns NULL and a message on failure. */
struct fsh_fabric *fsh_fabric_create(const struct fsh_fabric_config *config,
                                     char *err, size_t errlen);
/* Ends a recording and a wave file; other partitions go on without this one's nodes.
 * Returns false if writing one failed. */
bool fsh_fabric_destroy(struct fsh_fabric *fab);

/* A posted 64-bit register write of the host; reaches the node pcie_cycles
 * later, in order, one a cycle. False if the queue (2 * FSH_SIM_WRITES) is
 * full: step and try again. */
bool fsh_fabric_host_write(struct fsh_fabric *fab, uint32_t node,
                           uint32_t offset, uint64_t data);
/* Free room of that queue. */
uint32_t fsh_fabric_host_room(const struct fsh_fabric *fab, uint32_t node);
/* A register read of the host, after all its earlier writes; answered through
 * events.read_done or fsh_fabric_read_answer. One per node at a time: false
 * if the previous one is not answered. */
bool fsh_fabric_host_read(struct fsh_fabric *fab, uint32_t node,
                          uint32_t offset);
/* True once the last register read is answered; then *data is its value. */
bool fsh_fabric_read_answer(const struct fsh_fabric *fab, uint32_t node,
                            uint64_t *data);
/* Both in one: steps until the answer is there. False on error or if it does
 * not come within max_cycles. */
bool fsh_fabric_read(struct fsh_fabric *fab, uint32_t node, uint32_t offset,
                     uint64_t max_cycles, uint64_t *data);
/* Open the start gate of all nodes at one cycle, once every host write made
 * before this call is in its node. */
void fsh_fabric_gate(struct fsh_fabric *fab);

/* Another partition has been asked for a gate. To be asked of this one as well, once what
 * its hosts have written is in. */
bool fsh_fabric_gate_heard(const struct fsh_fabric *fab);

/* When quiet: has another partition something to do, or gone? Then this one is not quiet
 * any more. */
bool fsh_fabric_called(struct fsh_fabric *fab);
/* Of several partitions: hosts of this one do nothing before this cycle unless their nodes
 * do; UINT64_MAX: it is not known what they do, and they do it at the cycle at which they
 * are found, whatever that is. */
void fsh_fabric_hosts(struct fsh_fabric *fab, uint64_t cycle);
/* Words that a partition tells the others each time they meet (enum fsh_word); those that
 * all have told when they last met, all of the same round. */
enum fsh_word {
    FSH_WORD_CLOCKS = 1, /* all ranks are where simulated time begins */
    FSH_WORD_LEFT = 2,   /* no rank here needs another turn */
    FSH_WORD_STUCK = 4   /* nothing happens here any more, and ranks say so */
};
void fsh_fabric_tell(struct fsh_fabric *fab, uint32_t words);
uint32_t fsh_fabric_agreed(const struct fsh_fabric *fab);
/* All are quiet, and meet once more all the same. */
void fsh_fabric_again(struct fsh_fabric *fab);
/* The others go on without this partition's nodes from now on, and this one without
 * theirs. */
void fsh_fabric_part(struct fsh_fabric *fab);
/* One of them has ended, and the others go on without its nodes. */
bool fsh_fabric_parted(const struct fsh_fabric *fab);
/* After that was false: waits, in any thread, until it may be true. */
void fsh_partition_await_call(const struct fsh_partition *p);

/* Write response of all device memories for what they take from now on. */
void fsh_fabric_dram_write(struct fsh_fabric *fab, uint32_t cycles);

/* For tests; not while recording. Beats sent to this port of the node from now
 * on arrive, one a cycle, when so many cycles are over. False if there is no
 * memory for them. */
bool fsh_fabric_hold_link(struct fsh_fabric *fab, uint32_t node, uint32_t port,
                          uint32_t cycles);
/* For so many cycles the memory behind this port of the node (a lane, FSH_LANES for the
 * host, or of enum fsh_node_memory) takes and answers nothing. */
void fsh_fabric_hold_memory(struct fsh_fabric *fab, uint32_t node,
                            uint32_t lane, uint32_t cycles);

/* For tests; not while recording. From now on these bytes of the memory behind
 * this port of the node, as above, answer reads and writes with an
 * error, and what is read of them is wrong. Offsets in the memory; bytes 0: no
 * more. */
void fsh_fabric_spoil_memory(struct fsh_fabric *fab, uint32_t node,
                             uint32_t lane, uint64_t at, uint64_t bytes);

/* One step: the present cycle, then on to the next cycle at which something
 * happens. False when nothing is pending any more (time stands still until a
 * host call or, replaying, the recording's end) or when an error came up. */
bool fsh_fabric_step(struct fsh_fabric *fab);
/* The same, but on to the next cycle only. */
bool fsh_fabric_tick(struct fsh_fabric *fab);
/* What happens before `end`, for a quantum at most, then on to the next cycle at which
 * something happens or to `end`. Returns what fsh_fabric_step does, and what happens is
 * the same, but no host call can be made in between. */
bool fsh_fabric_quantum(struct fsh_fabric *fab, uint64_t end);
/* Of the cycles that are over, the last in which something happened. */
uint64_t fsh_fabric_moved(const struct fsh_fabric *fab);
/* The first cycle behind one in which hosts may be told something: events.dma_written,
 * events.read_done. */
uint64_t fsh_fabric_told(const struct fsh_fabric *fab);
/* The cycle, this one or a later, at which something happens next; UINT64_MAX: not
 * before a host call. Every cycle of a fabric that does not jump, until quiet. */
uint64_t fsh_fabric_next(const struct fsh_fabric *fab);
/* The same, but for what other partitions may do. */
uint64_t fsh_fabric_due(const struct fsh_fabric *fab);
/* On to cycle `to`, if nothing happens before it. */
void fsh_fabric_pass(struct fsh_fabric *fab, uint64_t to);
/* Nothing is pending: what follows takes the same cycles however long it took to
 * come here. The cycle it begins with; the digest begins anew. */
uint64_t fsh_fabric_epoch(struct fsh_fabric *fab);
/* Step until quiet, an error, or max_cycles have gone by. True if quiet. */
bool fsh_fabric_run(struct fsh_fabric *fab, uint64_t max_cycles);

/* NULL, or what went wrong: an AXI rule broken by a node, an address outside
 * memory, a failed assertion of the RTL, a recording that does not fit. */
const char *fsh_fabric_error(const struct fsh_fabric *fab);

/* The present cycle: the one the next step begins with. */
uint64_t fsh_fabric_cycle(const struct fsh_fabric *fab);
/* Node-cycles evaluated so far, and those of compute cores. */
uint64_t fsh_fabric_evaluated(const struct fsh_fabric *fab);
uint64_t fsh_fabric_computed(const struct fsh_fabric *fab);
/* How a fabric is stepped. */
struct fsh_fabric_stats {
    uint32_t threads; /* there are so many */
    uint64_t quanta;  /* passed, one cycle or more each ... */
    uint64_t shared;  /* ... those by several threads */
    /* Memory that a node took until it was used, device memory and DMA window
     * aside; 0: not known. */
    size_t node_bytes;
    uint64_t evaluated[FSH_MAX_NODES]; /* node-cycles, by thread */
};
void fsh_fabric_stats(const struct fsh_fabric *fab,
                      struct fsh_fabric_stats *stats);
/* Bytes that the device memory of a node has moved. */
uint64_t fsh_fabric_dram_moved(const struct fsh_fabric *fab, uint32_t node);
/* Bytes that the node's DMA engine has stored, in device memory and in the DMA window. */
uint64_t fsh_fabric_dma_stored(const struct fsh_fabric *fab, uint32_t node);
uint32_t fsh_fabric_nodes(const struct fsh_fabric *fab);
/* Those of this partition: the first, and the one behind the last. Others may not be
 * named in calls. */
uint32_t fsh_fabric_first(const struct fsh_fabric *fab);
uint32_t fsh_fabric_past(const struct fsh_fabric *fab);
const struct fsh_topology *fsh_fabric_topology(const struct fsh_fabric *fab);
/* Device memory and DMA window of a node. */
unsigned char *fsh_fabric_dram(struct fsh_fabric *fab, uint32_t node);
unsigned char *fsh_fabric_dma(struct fsh_fabric *fab, uint32_t node);
/* Values for SEG_BASE and HOST_BASE. */
uint64_t fsh_fabric_dram_base(const struct fsh_fabric *fab);
uint64_t fsh_fabric_dma_bus(const struct fsh_fabric *fab);
/* Digest of every write of the devices to either memory: node, cycle,
 * address, bytes, in order. Those of partitions add up to that of the fabric. */
uint64_t fsh_fabric_hash(const struct fsh_fabric *fab);
/* True when a recording is fed and its end is reached. */
bool fsh_fabric_replay_over(const struct fsh_fabric *fab);

#endif
