/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One Verilated node with its compute core (hw/rtl/top/fsh_card.sv) behind plain C
 * structures: the values of the pins in one clock cycle. Called by step.c; different
 * nodes may be evaluated by different threads concurrently, unless they have waves.
 * The outputs of the RTL are functions of its registers only: `out` holds the values
 * of the cycle about to be stepped, `in` may be computed from it, and fsh_node_eval()
 * executes the clock edge that ends the cycle. Node and core have separate clocks: an
 * idle one is not clocked. The unit tests of the models link a scripted
 * implementation of this header instead of the RTL.
 */
#ifndef FSH_SIM_NODE_WRAP_H
#define FSH_SIM_NODE_WRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"

#define FSH_NODE_PORTS FSH_MAX_PORTS /* that structures have room for */
/* AXI4 masters of a node: device memory of each lane, then the host. */
#define FSH_NODE_HOST FSH_LANES
#define FSH_NODE_MASTERS (FSH_LANES + 1u)

/* AXI4 master, 128-bit data: what the node drives. */
struct fsh_axi_out {
    uint8_t awvalid, wvalid, wlast, bready;
    uint8_t arvalid, rready, arid;
    uint8_t awlen, arlen;
    uint16_t wstrb;
    uint64_t awaddr, araddr;
    uint64_t wdata[2];
};

/* AXI4 master: what the models drive. */
struct fsh_axi_in {
    uint8_t awready, wready, bvalid, berr;
    uint8_t arready, rvalid, rerr, rlast, rid;
    uint64_t rdata[2];
};

/* One direction of one link port in one cycle. */
struct fsh_link_beat {
    uint8_t valid, bound;
    uint64_t data[2];
};

/* AXI4 masters of the compute core: 512-bit data, a beat a burst. */
#define FSH_COMPUTE_LANES 4u
#define FSH_COLL_LANES 2u /* the same, of the units of the collective engine */
#define FSH_LANE_BYTES 64u
#define FSH_LANE_WORDS (FSH_LANE_BYTES / 8u)

/* All memories' ports of a card, as tests name them: the masters of the node, those of the
 * compute core, and then these of the engines. */
enum fsh_node_memory {
    FSH_MEMORY_CORE = FSH_NODE_MASTERS,                    /* its lane 0 */
    FSH_MEMORY_COLL = FSH_MEMORY_CORE + FSH_COMPUTE_LANES, /* of unit 0 */
    FSH_MEMORY_DMA_CARD =
        FSH_MEMORY_COLL +
        FSH_COLL_LANES, /* the DMA engine: device memory, host */
    FSH_MEMORY_DMA_HOST
};

/* What the core drives. Responses and read data are always taken. */
struct fsh_lane_out {
    uint8_t awvalid, wvalid, arvalid;
    uint64_t awaddr, araddr, wstrb;
    uint64_t wdata[FSH_LANE_WORDS];
};

/* What the models drive; err beside bvalid and rvalid. */
struct fsh_lane_in {
    uint8_t awready, wready, bvalid, berr;
    uint8_t arready, rvalid, rerr;
    uint64_t rdata[FSH_LANE_WORDS];
};

/* AXI4 master of the DMA engine to the host: the same width, in bursts. */
struct fsh_wide_out {
    uint8_t awvalid, wvalid, wlast, arvalid, awlen, arlen;
    uint64_t awaddr, araddr, wstrb;
    uint64_t wdata[FSH_LANE_WORDS];
};

struct fsh_node_in {
    uint64_t cycle;
    /* Passes an edge: the node, the compute core, the collective engine, the DMA engine. */
    uint8_t clk, core_clk, coll_clk, dma_clk;
    uint8_t rst, gate;
    uint8_t core_present, coll_present; /* constant */
    uint8_t awvalid, wvalid, arvalid;
    uint16_t awaddr, araddr;
    uint64_t wdata;
    struct fsh_axi_in axi[FSH_NODE_MASTERS];
    struct fsh_link_beat rx[FSH_NODE_PORTS];
    struct fsh_lane_in lane[FSH_COMPUTE_LANES];
    struct fsh_lane_in coll[FSH_COLL_LANES];
    struct fsh_lane_in wide, line; /* of the DMA engine: host, device memory */
};

struct fsh_node_out {
    uint8_t idle;      /* of the node */
    uint8_t core_busy; /* its clock must not stop */
    /* From the core to the node: a command or a counter is there;
     * room for RUNs, a bit a queue. */
    uint8_t core_valid, run_room;
    /* The same of the collective engine, or it takes what the node holds for it. */
    uint8_t coll_busy, coll_valid;
    uint8_t dma_busy, dma_valid; /* and of the DMA engine */
    uint8_t awready, wready, bvalid, arready, rvalid;
    uint64_t rdata;
    struct fsh_axi_out axi[FSH_NODE_MASTERS];
    struct fsh_link_beat tx[FSH_NODE_PORTS];
    struct fsh_lane_out lane[FSH_COMPUTE_LANES];
    struct fsh_lane_out coll[FSH_COLL_LANES];
    struct fsh_wide_out wide;
    struct fsh_lane_out line;
};

struct fsh_node_io {
    struct fsh_node_in in;
    struct fsh_node_out out;
};

/* What is inside a node, for traces: its registers in the cycle that is about to be
 * stepped. */
enum fsh_probe_message_phase {
    FSH_PROBE_FREE,      /* no message */
    FSH_PROBE_GOES,      /* packet by packet */
    FSH_PROBE_NO_CREDIT, /* the peer's buffers have no room for its next packet */
    FSH_PROBE_NO_BUFFER, /* as much has been read for its port as can be kept */
    FSH_PROBE_PORT_BEHIND /* so many packets wait for its port */
};
enum fsh_probe_send_phase {
    FSH_PROBE_SILENT,
    FSH_PROBE_HEADER, /* until the packet's data begins to come */
    FSH_PROBE_ARGUMENTS,
    FSH_PROBE_PAYLOAD,
    FSH_PROBE_BLOCKED /* others have the port */
};
enum fsh_probe_queue_phase {
    FSH_PROBE_EMPTY,
    FSH_PROBE_FETCH,
    FSH_PROBE_CHECK,
    FSH_PROBE_AWAIT, /* its event */
    FSH_PROBE_OFFER  /* what is to execute it is busy */
};
enum fsh_probe_array_phase {
    FSH_PROBE_IDLE,
    FSH_PROBE_BEGINS,
    FSH_PROBE_OPERANDS, /* waits for them */
    FSH_PROBE_MULTIPLIES,
    FSH_PROBE_ADDS,      /* waits for the sums of a chunk with few steps */
    FSH_PROBE_HANDS_OVER /* or waits for the results of the tile before */
};
#define FSH_PROBE_CONTEXTS 8u /* of the sequencer, each channel, at most */
struct fsh_probe {
    /* What the sequencer is sending, {channel (1: replies), context}; a bit each. */
    struct fsh_probe_message {
        uint8_t phase, opcode, peer;
        uint32_t bytes;
    } message[2][FSH_PROBE_CONTEXTS];
    uint8_t active[2];
    uint8_t send[FSH_LANES];
    /* Beats of the peer's buffers that are reserved, of FSH_LINK_BEATS, by channel. */
    uint16_t reserved[FSH_NODE_PORTS][2];
};
/* The registers that this is of; all 0 before the first look. */
struct fsh_probe_seen {
    uint64_t state, used[FSH_NODE_PORTS], freed[FSH_NODE_PORTS];
    uint64_t phases, message[2 * FSH_PROBE_CONTEXTS];
};
/* Which parts of it may have changed, as bits. */
#define FSH_PROBE_MESSAGES 1u
#define FSH_PROBE_SENDERS 2u
#define FSH_PROBE_RESERVED 4u /* of port 0; the others above it */
#define FSH_PROBE_QUEUES 2u   /* of the compute core: array, mover */
struct fsh_probe_core {
    struct {
        uint8_t phase, event; /* awaited */
        uint16_t commands;    /* not yet fetched */
    } queue[FSH_PROBE_QUEUES];
    uint8_t load_op;         /* FSH_COP_ of what asks for operands; 0 none */
    uint8_t array, array_op; /* phase, FSH_COP_ */
    uint8_t results;         /* a tile's are written */
    uint8_t open[FSH_PROBE_QUEUES]; /* a command has begun and not ended */
};

#ifdef __cplusplus
extern "C" {
#endif

struct fsh_node;
struct fsh_node_waves;

/* Link ports of a node, at most FSH_NODE_PORTS. */
uint32_t fsh_node_ports(void);

/* Can waves be written of these nodes? */
bool fsh_node_has_waves(void);
/* Open an FST file for all nodes of a fabric; NULL, with errno, if it cannot be written.
 * To be called before the nodes are made. */
struct fsh_node_waves *fsh_node_waves_open(const char *path);
/* Write the present values of all nodes at this time (ns). */
void fsh_node_waves_dump(struct fsh_node_waves *waves, uint64_t ns);
/* Complete the file: nothing is written any more. */
void fsh_node_waves_end(struct fsh_node_waves *waves);
/* To be called while the nodes still exist. */
void fsh_node_waves_close(struct fsh_node_waves *waves);

/* Make node number `index`; registers without reset start at values drawn
 * from seed and index, with seed 0 at zero: then what has not been used, such as the
 * core of a node that gets no commands, takes no memory. `io` is the caller's and outlives the node; `waves` may
 * be NULL. */
struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves);
void fsh_node_destroy(struct fsh_node *node);

/* Is a node that has waves to be evaluated so that they are right, from now on? At
 * first it is not. */
void fsh_node_show(struct fsh_node *node, bool shown);

/* Put io->in on the pins and settle with the clocks low that will rise: what a
 * wave viewer shows before the edge. Only of use while waves are written. */
void fsh_node_drive(struct fsh_node *node);
/* Put io->in on the pins, pass a rising edge of the clocks it names, and read
 * what these may have changed into io->out. */
void fsh_node_eval(struct fsh_node *node);
/* The same for two nodes whose clk rises, in less time than one after the
 * other. */
void fsh_node_eval_two(struct fsh_node *one, struct fsh_node *two);

/* Does the node, without the core, stand still? fsh_node_mark keeps its
 * registers. An evaluation later, without a valid on any pin before, in or
 * after it, fsh_node_unchanged tells whether they are the same but for copies
 * of cycle_i: then so they stay until an input changes. Memories of many rows
 * are left out: what is written to one comes out of registers, and if these do
 * not change neither does it. */
void fsh_node_mark(struct fsh_node *node);
bool fsh_node_unchanged(struct fsh_node *node);
/* Bytes that are kept and compared, for tests: some 20 KB. */
size_t fsh_node_compared(const struct fsh_node *node);

/* Look inside the node again: what has changed since the last look with this `seen`, and
 * is written to probe, all 0 before the first look as well. Nodes whose inside is not
 * looked at pay nothing. */
unsigned fsh_node_probe(const struct fsh_node *node,
                        struct fsh_probe_seen *seen, struct fsh_probe *probe);
/* The same of its core, whatever has changed. */
void fsh_node_probe_core(const struct fsh_node *node,
                         struct fsh_probe_core *probe);

/* First failed assertion or $fatal of any node that this thread has evaluated since
 * its last clear, NULL while there is none. Assertions know no fabric. */
const char *fsh_node_error(void);
void fsh_node_error_clear(void);

#ifdef __cplusplus
}
#endif
#endif
