/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internal state of conduit fpga (one per process) and the interfaces between
 * its files. Callers of the conduit name ranks; what is called node in here is the
 * number of a node of the fabric. Locks (taken only with job threads PAR), in nesting order:
 * ring.lock or cpl.lock, then peer_lock, then device_lock. None is held while a
 * handler runs.
 */
#ifndef FSH_FPGA_STATE_H
#define FSH_FPGA_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "base/lock.h"
#include "base/simulated.h"
#include "base/topology.h"
#include "base/wait.h"
#include "conduit/conduit.h"
#include "conduit/fpga/asked.h"
#include "conduit/fpga/command.h"
#include "conduit/fpga/dma.h"
#include "conduit/fpga/fpga.h"
#include "conduit/fpga/slots.h"
#include "device/device.h"

enum { FSH_FPGA_REQUEST, FSH_FPGA_REPLY, FSH_FPGA_CHANNELS };

/* Tags of this rank's own commands; the others belong to the compute core. */
#define FSH_FPGA_ALL_TAGS (UINT64_MAX >> (64 - FSH_HOST_TAGS))

/* A submission window, under device_lock. */
struct fsh_fpga_window {
    uint32_t tail; /* total entries submitted */
    uint32_t head; /* total entries consumed by the device, as last seen */
};

/* The reading end of a ring that the device writes. */
struct fsh_fpga_ring {
    struct fsh_lock lock;
    const uint64_t *entries;
    uint32_t pos;   /* total entries consumed */
    uint32_t taken; /* register that reports them to the device */
};

/* A tagged operation in flight; written before the command is submitted, read
 * on its completion. */
struct fsh_fpga_op {
    uint8_t opcode;
    bool bounced; /* GET: the data arrives in the tag's bounce memory */
    uint32_t node;
    uint64_t remote; /* offset in the target's segment */
    uint8_t asked;   /* GET: number from fsh_fpga_ask */
    uint32_t length;
    void *local; /* GET: destination, to be copied to if bounced */
    struct fsh_event *event;
    struct fsh_event
        *read; /* PUT: if not NULL, completes when the source is read */
    struct fsh_fpga_record *record; /* raw commands, else NULL */
    struct fsh_answer *answer;      /* messages to an engine, else NULL */
};

/* State of an AM payload sent from a slot. */
struct fsh_fpga_source {
    atomic_bool reading; /* a SLOT completion is pending */
    uint8_t halves;      /* completions seen, of two */
    uint8_t bounce;      /* FSH_BOUNCE_* */
    uint8_t index;       /* of the bounce slot */
    uint8_t handler;
    uint64_t raddr; /* for error messages */
    uint32_t length;
};
enum { FSH_BOUNCE_NONE, FSH_BOUNCE_SMALL, FSH_BOUNCE_BIG };

struct fsh_fpga {
    const struct fsh_device_ops *ops;
    struct fsh_device *dev;
    struct fsh_device_memory mem;
    uint32_t node, nodes; /* this one's number; of the fabric */
    uint32_t ranks;       /* of the job; in a mixed one there are others */
    uint8_t node_of[FSH_MAX_NODES]; /* by rank; and back */
    uint8_t rank_of[FSH_MAX_NODES];
    /* Progress of what else this rank's conduit does, while it waits here for another
     * rank; NULL: nothing. */
    bool (*beside)(void);
    const struct fsh_topology *topology; /* on the job's page */
    bool locking;
    bool attached;
    const struct fsh_device_clock *clock; /* NULL: no simulated time */
    uint64_t owed;      /* cycles to spend with the next ones */
    uint64_t costs;     /* multiplier of the library's costs (FSH_COST_*) */
    unsigned copiers;   /* cores that copy and fold in host memory together */
    unsigned packet;    /* payload bytes per packet */
    unsigned ports;     /* mask in use; 3: all */
    unsigned all_ports; /* mask of the ports that the device has */
    size_t segment_size;
    struct fsh_segment segs[FSH_MAX_NODES]; /* by node, as all below */
    uint64_t cores;  /* bit n: node n has a compute core */
    bool collective; /* every node has a collective engine */

    struct fsh_lock device_lock; /* registers and windows */
    struct fsh_fpga_window window[FSH_FPGA_CHANNELS];

    struct fsh_fpga_ring cpl; /* lock also covers op and source on completion */
    struct fsh_fpga_ring rx[FSH_FPGA_CHANNELS];

    struct fsh_fpga_asked asked; /* single-threaded only */

    _Atomic uint64_t free_tags; /* of FSH_FPGA_ALL_TAGS */
    struct fsh_fpga_op op[FSH_HOST_TAGS];
    atomic_bool live[FSH_HOST_TAGS]; /* op is valid: a completion is pending */

    _Atomic uint64_t free_small[FSH_FPGA_CHANNELS];
    _Atomic uint64_t free_big[FSH_FPGA_CHANNELS];
    /* By channel, peer and slot: requests and replies sent from here. */
    struct fsh_fpga_source source[FSH_FPGA_CHANNELS][FSH_MAX_NODES]
                                 [FSH_SLOTS_PER_PEER];

    struct fsh_lock peer_lock;
    struct fsh_fpga_slots peer[FSH_MAX_NODES];
    _Atomic uint64_t owing; /* peers that are owed credits */

    struct {
        _Atomic uint64_t put, get, am, credits;
    } bytes;
};

extern struct fsh_fpga fsh_fpga;

/* Bytes of the library's area behind each segment. */
static inline size_t fsh_fpga_area(void)
{
    return fsh_area_bytes(fsh_fpga.ranks) + FSH_AREA_COLLECTIVE_BYTES;
}

/* --- state.c -------------------------------------------------------------- */

/* The offset in this node's segment of a range entirely inside it. */
bool fsh_fpga_in_segment(const void *p, size_t n, uint64_t *offset);
/* Locks that are no-ops without threads. */
void fsh_fpga_lock(struct fsh_lock *lock);
bool fsh_fpga_trylock(struct fsh_lock *lock);
void fsh_fpga_unlock(struct fsh_lock *lock);
/* Debug: whether the calling thread holds none of them. */
bool fsh_fpga_holds_none(void);

/* --- window.c: submission ------------------------------------------------ */

/* Submits without blocking; false if the window lacks room. */
bool fsh_fpga_try_submit(unsigned channel, const struct fsh_fpga_command *cmd);
/* The same for raw entries, which need not be a command. */
bool fsh_fpga_try_entries(unsigned channel, const uint64_t *words,
                          unsigned entries);
/* Starts a move of the DMA engine at this offset of the DMA window. There is always room. */
void fsh_fpga_move(unsigned tag, uint64_t window,
                   const struct fsh_card_move *move);
/* Submits; while there is no room makes progress (replies only if !requests). */
void fsh_fpga_submit(unsigned channel, const struct fsh_fpga_command *cmd,
                     bool requests);
/* Entries in use, as last seen. */
unsigned fsh_fpga_window_used(unsigned channel);

/* --- complete.c: tags, bounce slots, completions ------------------------- */

/* Claims the lowest free index of a mask, or returns -1; and frees it. */
int fsh_fpga_claim(_Atomic uint64_t *mask);
void fsh_fpga_release(_Atomic uint64_t *mask, unsigned index);
/* The ring's next entry after those consumed, or NULL. Under the ring's
 * lock. */
const uint64_t *fsh_fpga_ring_next(const struct fsh_fpga_ring *ring);
/* Consumes that entry. Under the ring's lock. */
void fsh_fpga_ring_advance(struct fsh_fpga_ring *ring);
/* Fills in op[tag], before submission; and frees the tag. */
void fsh_fpga_op_begin(unsigned tag, const struct fsh_fpga_op *op);
void fsh_fpga_op_end(unsigned tag);
/* An active message's payload has been read, or was never passed to the device:
 * its source may be reused. */
void fsh_fpga_source_read(unsigned channel, uint32_t node, unsigned slot);
/* Processes all completions; returns whether there were any. */
bool fsh_fpga_complete(void);

/* --- message.c: active messages ------------------------------------------ */

/* As in struct fsh_conduit_ops. */
void fsh_fpga_am_request(const struct fsh_am *am);
void fsh_fpga_am_reply(struct fsh_token *token, const struct fsh_am *am);
bool fsh_fpga_am_try_request(const struct fsh_am *am);
bool fsh_fpga_am_try_reply(struct fsh_token *token, const struct fsh_am *am);
/* Delivers what has arrived on a channel; returns whether there was
 * anything. */
bool fsh_fpga_receive(unsigned channel);
/* Sends the credit words that are owed, as far as the window has room. */
void fsh_fpga_flush(void);

/* --- transfer.c: put and get --------------------------------------------- */

/* As in struct fsh_conduit_ops. */
void fsh_fpga_put(uint32_t rank, void *dst, const void *src, size_t n,
                  struct fsh_event *local, struct fsh_event *remote);
void fsh_fpga_get(void *dst, uint32_t rank, const void *src, size_t n,
                  struct fsh_event *done);

/* --- engine.c: messages to engines ------------------------------------------ */

/* Sends a message with this opcode; as in struct fsh_compute_ops. */
bool fsh_fpga_engine_send(uint8_t opcode, uint32_t node, uint64_t message,
                          struct fsh_answer *answer);

/* --- collective.c: the collective engine ------------------------------------ */

/* As in struct fsh_collective_ops. */
bool fsh_fpga_collective_present(void);
void fsh_fpga_collective_memory(struct fsh_engine_memory *memory);
void fsh_fpga_collective_store(size_t at, const void *src, size_t n);
bool fsh_fpga_collective_run(size_t at, struct fsh_answer *answer);
bool fsh_fpga_collective_tick(struct fsh_answer *answer);
uint16_t fsh_fpga_collective_sides(void);

/* --- compute.c: compute cores ------------------------------------------------ */

/* As in struct fsh_compute_ops. */
bool fsh_fpga_compute_present(uint32_t rank);
bool fsh_fpga_compute_send(uint32_t rank, const uint64_t *message,
                           struct fsh_answer *answer);
void fsh_fpga_compute_counters(uint64_t *words);
void fsh_fpga_compute_counters_clear(void);

/* --- card.c: device memory for other hosts ------------------------------------ */

/* As in struct fsh_card_ops. */
bool fsh_fpga_card_memory(struct fsh_card_memory *memory, char *why,
                          size_t whylen);
bool fsh_fpga_card_start(const struct fsh_card_move *move);
bool fsh_fpga_card_poll(void);
void fsh_fpga_card_wait(uint64_t max_ns);

/* --- clock.c: simulated time ------------------------------------------------ */

extern const struct fsh_clock_ops fsh_fpga_clock_ops;

/* Maximum duration of an empty poll. */
#define FSH_FPGA_EMPTY_POLL_NS ((uint64_t)FSH_COST_POLL_MOST * FSH_NS_PER_CYCLE)

/* Begin and end a conduit call by this thread; may be nested. Around a client's handler
 * inside a call, the call's depth is saved and restored. */
void fsh_fpga_enter_slowly(void);
/* Ends this process if it is not part of the job. */
void fsh_fpga_clock_check(void);
void fsh_fpga_leave_slowly(void);
unsigned fsh_fpga_handler_begin(void);
void fsh_fpga_handler_end(unsigned depth);
static inline void fsh_fpga_enter(void)
{
    if (__builtin_expect(fsh_fpga.clock != NULL, 0))
        fsh_fpga_enter_slowly();
}
static inline void fsh_fpga_leave(void)
{
    if (__builtin_expect(fsh_fpga.clock != NULL, 0))
        fsh_fpga_leave_slowly();
}

/* If this rank has a clock: charges the cost of something (FSH_COST_*), plus what is
 * owed. */
void fsh_fpga_spend_slowly(uint64_t cycles);
static inline void fsh_fpga_spend(uint64_t cycles)
{
    if (__builtin_expect(fsh_fpga.clock != NULL, 0))
        fsh_fpga_spend_slowly(cycles);
}
/* Cycles to load n bytes that may be in device memory, if that is the only cost; and to
 * store n bytes computed from others: struct fsh_simulated, `moving`. */
uint64_t fsh_fpga_cost_load(const void *src, size_t n);
uint64_t fsh_fpga_cost_move(const void *dst, const void *a, const void *b,
                            size_t n);
/* With a clock: charges a check for something that may have arrived, plus what is
 * owed. */
static inline void fsh_fpga_look(uint64_t cycles)
{
    if (__builtin_expect(fsh_fpga.owed != 0, 0))
        fsh_fpga_spend(cycles);
    else
        fsh_fpga.clock->look(fsh_fpga.dev, cycles * fsh_fpga.costs);
}
/* Like fsh_fpga_spend, but deferred to the next charge: until then this rank must not
 * read what others write, nor show them anything. fsh_fpga_settle: charges it if
 * nothing follows. */
static inline void fsh_fpga_owe(uint64_t cycles)
{
    if (__builtin_expect(fsh_fpga.clock != NULL, 0))
        fsh_fpga.owed += cycles;
}
static inline void fsh_fpga_settle(void)
{
    fsh_fpga_spend(0);
}

/* --- host_time.c: the program's own computing ---------------------------------- */

/* Starts simulated time; reads the setting. */
void fsh_fpga_host_time_begin(void);
/* As in struct fsh_simulated. */
void fsh_fpga_waited(void);

/* --- progress.c ------------------------------------------------------------ */

/* One round of progress: completions, replies, and requests if asked for. */
bool fsh_fpga_progress(bool requests);
/* Sleeps until the device has written something, at most max_ns. */
void fsh_fpga_wait(uint64_t max_ns, bool memory);

/* A wait for `what`, which progress will bring: begin, then step until the condition
 * holds, then fsh_wait_end. A step makes progress, and pauses if there was none. node:
 * the peer waited for. */
void fsh_fpga_wait_begin(struct fsh_wait *wait, uint32_t node);
void fsh_fpga_wait_step(struct fsh_wait *wait, const char *what, bool requests);

/* --- setup.c ---------------------------------------------------------------- */

/* As in struct fsh_conduit_ops. */
void fsh_fpga_init(enum fsh_threads threads, struct fsh_limits *limits);
void fsh_fpga_attach(size_t size, struct fsh_segment *segs);
/* Writes routes and ports for a mask of ports; false if a node would be
 * unreachable. */
bool fsh_fpga_write_routes(unsigned ports);
/* Register access under device_lock. */
uint64_t fsh_fpga_read(uint32_t offset);
/* What the device dropped without anyone to report it to: malformed packets,
 * entries of full rings. */
struct fsh_fpga_dropped {
    unsigned packets, entries;
};
struct fsh_fpga_dropped fsh_fpga_dropped(void);
void fsh_fpga_write(uint32_t offset, uint64_t value);

#endif
