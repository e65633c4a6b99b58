/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The internals of a fabric, shared by fabric.c, fabric_make.c, step.c, node.c and
 * the models (link.c, axi.c, host.c, compute.c, lane.c, dma.c, record.c). Nothing but a
 * recording allocates after creation; every queue is a ring whose size is a power of
 * two. Each model has a step, called once per cycle for an awake node, and a "due"
 * that returns the cycle of its next event, so that a node with nothing due need not
 * be visited.
 */
#ifndef FSH_SIM_MODEL_H
#define FSH_SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/simulated.h"
#include "device/sim/sim_shm.h"
#include "fabric.h"
#include "ledger.h"
#include "node_wrap.h"

#define FSH_NEVER UINT64_MAX
/* Room for host operations: twice what a rank can have in its ring. */
#define FSH_HOST_QUEUE (2u * FSH_SIM_WRITES)
/* Bursts a memory model holds per master and direction. */
#define FSH_BURSTS 64u
/* Beats it holds per lane of a compute core and direction. */
#define FSH_LANE_SLOTS 128u
#define FSH_RESET_CYCLES 16u
#define FSH_MAX_DELAY 65536u /* cycles, of anything */
/* Cycles of a quantum at most, however long links are: so long hosts wait. */
#define FSH_QUANTUM_MOST 64u

/* --- links ------------------------------------------------------------- */

struct fsh_flight { /* a beat on its way */
    uint64_t at;    /* cycle in which the receiver sees it */
    uint64_t data[2];
    uint64_t bound;
};
struct fsh_link { /* one direction; belongs to the receiving node */
    struct fsh_flight *slot;
    uint32_t mask;
    uint32_t sink, port; /* receiving */
    uint32_t head;       /* receiver */
    uint32_t ready;      /* what the receiver may see; between quanta */
    /* The sender's, which another thread may step: on a line of their own. */
    _Alignas(FSH_CACHE_LINE) uint32_t tail;
    bool listed;           /* something was sent in this quantum, and ... */
    struct fsh_link *next; /* ... this is in the list of fsh_part */
    uint64_t last;         /* cycle in which the last beat sent arrives */
    uint64_t hold;         /* beats sent from now on arrive no earlier */
};

/* --- memories ---------------------------------------------------------- */

struct fsh_pool { /* bytes a cycle, shared */
    uint32_t rate, left;
    uint32_t
        carry; /* what is left of a cycle, up to so much, is for the next */
    uint64_t cycle; /* that `left` is for */
    uint64_t taken; /* ever */
};
/* Take so many bytes in this cycle; false: not so many are left. */
static inline bool fsh_pool_take(struct fsh_pool *pool, uint64_t cycle,
                                 uint32_t bytes)
{
    if (pool->cycle != cycle) {
        pool->left =
            pool->rate + (pool->left < pool->carry ? pool->left : pool->carry);
        pool->cycle = cycle;
    }
    if (pool->left < bytes)
        return false;
    pool->left -= bytes;
    pool->taken += bytes;
    return true;
}
struct fsh_burst {
    uint64_t at;   /* read: first data; write: response */
    uint64_t addr; /* rounded down to a beat */
    uint32_t beats, id;
};
struct fsh_store { /* a host write on its way through PCIe */
    uint64_t at, addr, data[2];
    uint32_t strb, last;
};
struct fsh_master { /* model behind one AXI master of a node */
    const struct fsh_axi_out *out;
    struct fsh_axi_in *in;
    unsigned char *mem;
    uint64_t base, size;
    uint32_t read_cycles, resp_cycles, stall_shift;
    uint64_t hold;             /* all its streams are shut before this cycle */
    uint64_t bad_from, bad_to; /* addresses that answer with an error */
    struct fsh_pool *read_pool, *write_pool;
    const char *name;
    struct fsh_burst read[FSH_BURSTS];
    struct fsh_burst write[FSH_BURSTS]; /* addresses taken, data to come */
    uint64_t resp[FSH_BURSTS];          /* cycles of responses */
    bool resp_bad[FSH_BURSTS];          /* they are errors */
    uint32_t read_head, read_tail, write_head, write_tail;
    uint32_t resp_head, resp_tail;
    uint32_t read_beat, write_beat; /* of the head bursts */
    bool read_shown, resp_shown;    /* valid is up; must stay */
    bool write_bad;                 /* a beat of the head burst */
    /* Posted writes on their way to host memory; NULL: stored at once. */
    struct fsh_store *store;
    uint32_t store_mask, store_head, store_tail;
};

struct fsh_lane_slot { /* a beat under way */
    uint64_t at, addr;
    bool outside; /* the memory: reads zero, writes nothing ... */
    bool err;     /* ... and its answer is an error */
};
struct fsh_lane { /* model behind one AXI master of an engine: device memory */
    const struct fsh_lane_out *out;
    struct fsh_lane_in *in;
    unsigned char *mem;
    uint64_t base, size;
    uint32_t read_cycles, resp_cycles, index;
    uint64_t hold;             /* all its streams are shut before this cycle */
    uint64_t bad_from, bad_to; /* addresses that answer with an error */
    struct fsh_pool *pool;
    struct fsh_lane_slot read[FSH_LANE_SLOTS];
    /* From resp_head on: data taken; from write_head on: address only. */
    struct fsh_lane_slot write[FSH_LANE_SLOTS];
    uint32_t read_head, read_tail, resp_head, write_head, write_tail;
    uint64_t stored; /* bytes */
};
struct fsh_sim_compute { /* the compute core of a node */
    bool evaluate;       /* decided for the present cycle */
    bool rests;          /* until the node has something for it */
    struct fsh_lane lane[FSH_COMPUTE_LANES];
};

struct fsh_sim_coll { /* the collective engine of a node */
    bool evaluate;    /* as of the compute core */
    bool rests;
    struct fsh_lane lane[FSH_COLL_LANES];
};

struct fsh_wide { /* model behind the DMA engine's port to the host */
    const struct fsh_wide_out *out;
    struct fsh_lane_in *in;
    unsigned char *mem;
    uint64_t base, size;
    uint32_t read_cycles, resp_cycles;
    uint64_t hold;             /* all its streams are shut before this cycle */
    uint64_t bad_from, bad_to; /* addresses that answer with an error */
    struct fsh_pool *to_host, *to_device;
    struct fsh_burst read[FSH_BURSTS];
    struct fsh_burst write[FSH_BURSTS]; /* addresses taken, data to come */
    uint64_t resp[FSH_BURSTS];          /* cycles of responses */
    bool resp_bad[FSH_BURSTS];          /* they are errors */
    bool write_bad;                     /* a line of the head burst */
    uint32_t read_head, read_tail, write_head, write_tail;
    uint32_t resp_head, resp_tail;
    uint32_t read_line, write_line; /* of the head bursts */
    uint64_t stored;                /* bytes */
};
struct fsh_sim_dma { /* the DMA engine of a node */
    bool evaluate;   /* as of the compute core */
    bool rests;
    struct fsh_lane lane;
    struct fsh_wide wide;
};

/* --- host registers ---------------------------------------------------- */

struct fsh_host_op {
    uint64_t at; /* cycle from which the port may see it */
    uint64_t data;
    uint32_t offset, read;
};
struct fsh_host {
    struct fsh_host_op *op;
    uint32_t head, tail;
    uint32_t responses;          /* writes accepted, not yet responded */
    bool shown, aw_done, w_done; /* of the write at the head */
    bool ar_done;                /* a read is in the node */
    bool read_busy;              /* a read is anywhere */
    bool answered;               /* read_data is valid */
    uint64_t answer_at, read_data;
};

/* --- the whole --------------------------------------------------------- */

/* In a quantum only the thread that steps the node touches it; between quanta only
 * the fabric's. */
struct fsh_sim_node {
    _Alignas(FSH_CACHE_LINE) struct fsh_node_io io;
    struct fsh_node *rtl;
    struct fsh_sim_compute *core; /* NULL: it has none */
    struct fsh_sim_coll coll;
    struct fsh_sim_dma dma;
    uint32_t index;
    uint64_t cycle;       /* that it is stepped in, or was last */
    uint64_t hash;        /* of its writes */
    bool evaluate;        /* decided for the present cycle */
    uint64_t evaluations; /* ever, of it or its core */
    bool still;           /* as it is it stays until an input changes */
    uint32_t quiet;       /* evaluations on end without a valid on its pins */
    uint32_t look;        /* `quiet` at which to see next if it is still */
    uint8_t run_room;     /* the core's, when last looked at */
    uint64_t wake;        /* nothing to do before this cycle */
    uint32_t ports;
    struct fsh_link *tx[FSH_NODE_PORTS]; /* NULL: not connected */
    struct fsh_link rx[FSH_NODE_PORTS];
    struct fsh_master master[FSH_NODE_MASTERS];
    struct fsh_pool dram_pool, to_host_pool, to_device_pool;
    struct fsh_host host;
    struct fsh_ledger *ledger; /* what it has asked for, for dumps */
    uint64_t gate_pos; /* host.tail when the pending gate was asked for */
    bool own_dram, own_dma;
    bool failed; /* it is not stepped any more ... */
    uint64_t failed_at;
    char error[384]; /* ... as this came up in that cycle */
};

/* What one thread does in a quantum, and has done. */
struct fsh_part {
    _Alignas(FSH_CACHE_LINE) uint64_t end; /* the first cycle it has not seen */
    struct fsh_link *sent;        /* links with beats that nobody has seen */
    bool failed;                  /* one of its nodes has, in this quantum */
    uint64_t evaluated, computed; /* nodes, engines; ever */
    /* The first group of its share that nobody steps yet; atomic, of all threads. */
    _Alignas(FSH_CACHE_LINE) uint32_t next;
};

struct fsh_crew;       /* crew.c */
struct fsh_tape;       /* record.c */
struct fsh_partitions; /* partition.c */

/* Who traces the fabric (trace.c, which tests of the models do without). */
struct fsh_trace_ops {
    /* A beat that this node sends on a port in the present cycle. */
    void (*beat)(struct fsh_fabric *fab, uint32_t node, uint32_t port,
                 const struct fsh_link_beat *beat);
    /* The models of a node have been stepped. */
    void (*node)(struct fsh_fabric *fab, const struct fsh_sim_node *node);
};
struct fsh_sim_trace;

struct fsh_fabric {
    struct fsh_fabric_config config;
    struct fsh_topology topology;
    struct fsh_sim_node *node; /* of those that are not here only links */
    uint32_t first, past;      /* those that are */
    struct fsh_node_waves *waves;
    struct fsh_tape *tape;       /* recording or replaying; NULL neither */
    struct fsh_sim_trace *trace; /* trace.c; NULL: none */
    const struct fsh_trace_ops *traced;
    struct fsh_partitions *partitions; /* NULL: all nodes are here */
    uint64_t window;       /* the first cycle that waits for other partitions */
    uint64_t hosts;        /* fsh_fabric_hosts */
    uint32_t told, agreed; /* words, when partitions next meet, and last met */
    uint64_t cycle;
    uint64_t moved;        /* the last one in which something happened */
    uint32_t quantum;      /* cycles at most */
    struct fsh_crew *crew; /* the threads; NULL: only the owner's */
    struct fsh_part *part; /* one a thread */
    struct {               /* the quantum that is stepped */
        struct fsh_sim_node **node; /* to be looked at in it */
        uint32_t count;             /* of these */
        uint32_t parts;
        uint64_t from, end;
    } now;
    size_t node_bytes;       /* of memory a node; 0: not known */
    uint64_t quanta, shared; /* so many, and by several threads */
    uint64_t work, done;     /* evaluations in the last one, and ever */
    uint64_t waves_origin;   /* the cycle at which those of waves are 0 */
    bool shown;              /* waves are written of this cycle */
    bool waves_begun, waves_written; /* and not ended; ever */
    bool recording, replaying;
    bool over;  /* the end of the recording is reached */
    bool quiet; /* nothing was pending at the last step */
    bool gate_pending;
    bool stalling; /* fsh_stall_bits has something to say */
    uint64_t gate_at;
    /* Of partitions: another one has been asked for a gate, and this one not yet; the
     * cycle at which it opens everywhere, or FSH_NEVER. */
    bool gate_heard;
    uint64_t gate_opens;
    bool failed;
    char error[512];
};

/* Is it of this partition? */
static inline bool fsh_is_here(const struct fsh_fabric *fab, uint32_t node)
{
    return node >= fab->first && node < fab->past;
}

/* Remember the first error; the fabric stops at it. */
__attribute__((format(printf, 2, 3))) void fsh_fabric_fail(
    struct fsh_fabric *fab, const char *fmt, ...);
/* The first error of a node, from whoever steps it. At the end of the quantum the
 * fabric stops with that of the lowest cycle, then node. */
__attribute__((format(printf, 2, 3))) void fsh_sim_node_fail(
    struct fsh_sim_node *node, const char *fmt, ...);

/* Random bits of a cycle and node: functions of these and the seed alone, so
 * that skipped cycles change nothing. One bit for each stream that can stall,
 * five a master, two for the register port, five for the DMA engine's port to the host.
 * Held masters are shut. */
uint32_t fsh_stall_bits(const struct fsh_fabric *fab,
                        const struct fsh_sim_node *node);
/* Random extra cycles, up to config.link_jitter, of a beat sent in this cycle;
 * the same for 64 cycles. */
uint32_t fsh_link_extra(const struct fsh_fabric *fab,
                        const struct fsh_link *link, uint64_t cycle);
#define FSH_STALL_HOST (5u * FSH_NODE_MASTERS)
#define FSH_STALL_WIDE (FSH_STALL_HOST + 2u)
/* The same for the lanes of a compute core, held ones not included. */
uint32_t fsh_stall_lanes(const struct fsh_fabric *fab,
                         const struct fsh_sim_node *node);
/* And of its collective engine. */
uint32_t fsh_stall_coll(const struct fsh_fabric *fab,
                        const struct fsh_sim_node *node);

/* The models see the outputs of a node in this cycle and set its inputs; decides whether
 * the node and its core must be evaluated, and sets `wake`. */
void fsh_sim_node_inputs(struct fsh_fabric *fab, struct fsh_part *part,
                         struct fsh_sim_node *node, uint64_t cycle, bool gate);
/* They have been, if that was decided. */
void fsh_sim_node_evaluated(struct fsh_part *part, struct fsh_sim_node *node);
/* Cycles are passed over in which nothing is evaluated. */
void fsh_forget_still(struct fsh_fabric *fab);

/* Every host write of this partition that was made before the gate was asked for is in
 * its node. */
bool fsh_gate_drained(const struct fsh_fabric *fab);

/* Start the threads that config asks for, or as many as can be had. */
void fsh_fabric_crew(struct fsh_fabric *fab);

/* For beats under way for up to so many cycles, seen up to a quantum later. */
bool fsh_link_init(struct fsh_link *link, uint32_t sink, uint32_t port,
                   uint32_t cycles);
void fsh_link_free(struct fsh_link *link);
/* Let no beat sent from now on arrive before so many cycles are over. False
 * if there is no memory for what may be under way then. */
bool fsh_link_hold(struct fsh_fabric *fab, struct fsh_link *link,
                   uint32_t cycles);
/* One cycle of a node's links: takes the beats that it sends, which are seen after
 * fsh_links_deliver, no later than they may arrive, and sets those that it receives. True
 * if there is one of either. */
bool fsh_links_step(struct fsh_fabric *fab, struct fsh_part *part,
                    struct fsh_sim_node *node);
/* Between quanta: the receivers that are here see what was sent. */
void fsh_links_deliver(struct fsh_fabric *fab, struct fsh_part *part);
static inline uint64_t fsh_link_due(const struct fsh_link *link)
{
    return link->head == link->ready ? FSH_NEVER
                                     : link->slot[link->head & link->mask].at;
}

/* One cycle of a master's memory; sets *in of the master. True if a valid is
 * up toward the node. */
bool fsh_master_work(struct fsh_fabric *fab, struct fsh_sim_node *node,
                     struct fsh_master *m, uint32_t stall);
static inline bool fsh_master_step(struct fsh_fabric *fab,
                                   struct fsh_sim_node *node,
                                   struct fsh_master *m, uint32_t stall)
{
    const struct fsh_axi_out *out = m->out;
    struct fsh_axi_in *in = m->in;

    stall >>= m->stall_shift;
    /* Nothing asked, nothing under way: what most masters do most cycles. */
    if (out->awvalid | out->wvalid | out->arvalid || stall ||
        m->write_head != m->write_tail || m->resp_head != m->resp_tail ||
        m->read_head != m->read_tail || m->store_head != m->store_tail)
        return fsh_master_work(fab, node, m, stall);
    in->awready = in->arready = 1;
    in->wready = in->bvalid = in->rvalid = 0;
    return false;
}
uint64_t fsh_master_due(const struct fsh_master *m);
/* The cycle in which the next burst is stored of those that are on their way to the
 * host. */
uint64_t fsh_master_tells(const struct fsh_master *m);
/* Store the bytes of an aligned word. */
void fsh_store_word(unsigned char *to, uint64_t value, uint32_t strb);
static inline uint64_t fsh_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

/* Is any of `bytes` from `addr` on among those that a test has spoilt? */
static inline bool fsh_spoilt(uint64_t bad_from, uint64_t bad_to, uint64_t addr,
                              uint64_t bytes)
{
    return addr < bad_to && addr + bytes > bad_from;
}

/* Lane l of a node's engines, a port to device memory behind these pins. */
void fsh_lane_init(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   struct fsh_lane *lane, uint32_t l,
                   const struct fsh_lane_out *out, struct fsh_lane_in *in);
/* The same for a lane; lane l goes by bits 5l and on. */
bool fsh_lane_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   struct fsh_lane *lane, uint32_t stall);
uint64_t fsh_lane_due(const struct fsh_lane *lane);

/* Give a node that has its masters a compute core. False if out of memory. */
bool fsh_sim_compute_init(struct fsh_fabric *fab, struct fsh_sim_node *node);
void fsh_sim_compute_free(struct fsh_sim_node *node);
/* One cycle of what is between a core and memory: sets the inputs of the core, and
 * whether to evaluate it. True if it is active. */
bool fsh_sim_compute_work(struct fsh_fabric *fab, struct fsh_sim_node *node);
static inline bool fsh_sim_compute_inputs(struct fsh_fabric *fab,
                                          struct fsh_sim_node *node)
{
    if (!node->core || (!node->io.out.core_busy && node->core->rests))
        return false;
    return fsh_sim_compute_work(fab, node);
}
uint64_t fsh_sim_compute_due(const struct fsh_sim_compute *core);

/* The same of its collective engine. */
void fsh_sim_coll_init(struct fsh_fabric *fab, struct fsh_sim_node *node);
uint64_t fsh_sim_coll_due(const struct fsh_sim_coll *coll);
bool fsh_sim_coll_work(struct fsh_fabric *fab, struct fsh_sim_node *node);
static inline bool fsh_sim_coll_inputs(struct fsh_fabric *fab,
                                       struct fsh_sim_node *node)
{
    if (!node->io.out.coll_busy && node->coll.rests)
        return false;
    return fsh_sim_coll_work(fab, node);
}

/* Store a line, of which these bytes, at this address; into the digest as well. */
void fsh_store_line(struct fsh_sim_node *node, unsigned char *to, uint64_t addr,
                    const uint64_t data[FSH_LANE_WORDS], uint64_t strobes);
/* What a device reads of a memory: from there, or from what is replayed. */
void fsh_load_line(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   const unsigned char *from, uint64_t data[FSH_LANE_WORDS]);

/* The same of its DMA engine. */
void fsh_sim_dma_init(struct fsh_fabric *fab, struct fsh_sim_node *node);
bool fsh_sim_dma_work(struct fsh_fabric *fab, struct fsh_sim_node *node);
static inline bool fsh_sim_dma_inputs(struct fsh_fabric *fab,
                                      struct fsh_sim_node *node)
{
    if (!node->io.out.dma_busy && node->dma.rests)
        return false;
    return fsh_sim_dma_work(fab, node);
}
uint64_t fsh_sim_dma_due(const struct fsh_sim_dma *dma);

/* One cycle of the register port; true if a valid is up toward the node. */
bool fsh_host_work(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   uint32_t stall);
static inline bool fsh_host_step(struct fsh_fabric *fab,
                                 struct fsh_sim_node *node, uint32_t stall)
{
    const struct fsh_host *host = &node->host;
    struct fsh_node_in *in = &node->io.in;
    const struct fsh_node_out *out = &node->io.out;

    if (host->head != host->tail || host->answer_at != 0 ||
        out->bvalid | out->rvalid)
        return fsh_host_work(fab, node, stall);
    in->awvalid = in->wvalid = in->arvalid = 0;
    return false;
}
uint64_t fsh_host_due(const struct fsh_host *host);

/* What a recording holds. */
enum fsh_tape_kind {
    FSH_TAPE_CONFIG, /* offset: which setting, data: its value */
    FSH_TAPE_WRITE,
    FSH_TAPE_READ,
    FSH_TAPE_GATE,
    FSH_TAPE_EPOCH,
    FSH_TAPE_DATA, /* 16 bytes a device read from memory */
    FSH_TAPE_END,
};
/* Open for writing config.record or reading config.replay; the latter
 * replaces the settings in config, and makes the topology. NULL with a message on failure. */
struct fsh_tape *fsh_tape_open(struct fsh_fabric_config *config,
                               struct fsh_topology *topology, char *err,
                               size_t errlen);
bool fsh_tape_close(struct fsh_tape *tape, uint64_t cycle);
void fsh_tape_event(struct fsh_tape *tape, enum fsh_tape_kind kind,
                    uint64_t cycle, uint32_t node, uint32_t offset,
                    uint64_t data);
/* Kept until fsh_tape_flush; different nodes' in any threads. */
void fsh_tape_data(struct fsh_tape *tape, uint32_t node,
                   const uint64_t data[2]);
/* Between quanta. */
void fsh_tape_flush(struct fsh_tape *tape);
/* fsh_fabric_dram_write. */
void fsh_tape_dram_write(struct fsh_tape *tape, uint64_t cycle,
                         uint32_t cycles);
/* Replay: feed every event of this cycle into the fabric. */
void fsh_tape_feed(struct fsh_tape *tape, struct fsh_fabric *fab);
/* Cycle of the next event, the end included; FSH_NEVER after it. */
uint64_t fsh_tape_due(const struct fsh_tape *tape);
/* The next 16 bytes that this node read; it fails if the recording has none. */
void fsh_tape_need(struct fsh_tape *tape, struct fsh_sim_node *node,
                   uint64_t data[2]);

/* Does what is replayed have simulated time of hosts? */
bool fsh_tape_has_epoch(const struct fsh_tape *tape);

/* Waves, if config asks for them. False with a message. */
bool fsh_waves_open(struct fsh_fabric *fab, char *err, size_t errlen);
/* Those of a node, or NULL. */
struct fsh_node_waves *fsh_waves_of(const struct fsh_fabric *fab,
                                    uint32_t node);
/* Is this cycle to be written? To be called in every one that is evaluated. */
bool fsh_waves_due(struct fsh_fabric *fab);
void fsh_waves_close(struct fsh_fabric *fab);

/* Entry points of the host operations that a replay uses as well. */
void fsh_host_enter(struct fsh_fabric *fab, uint32_t node, uint32_t offset,
                    uint64_t data, bool read);
/* fsh_fabric_epoch, recorded or not. */
void fsh_epoch_enter(struct fsh_fabric *fab);
void fsh_gate_enter(struct fsh_fabric *fab);

#endif
