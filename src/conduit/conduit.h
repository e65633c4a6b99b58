/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The conduit interface: everything src/gasnet needs from a transport. Every conduit
 * implements a small mandatory part (active messages, put, get, poll) and optional
 * blocks of operations. A block is implemented completely, or its pointer is NULL and
 * the library falls back. Code above never tests a conduit's name. Calls may come
 * from any thread; with FSH_THREADS_SEQ a conduit may omit its locks.
 *
 * Which calls may wait, and what runs meanwhile:
 *   am_request              waits for room: handlers, and fsh_am_waits
 *   am_reply                waits for room: reply handlers only
 *   put, get                may wait for this node's device, never for another
 *                           node's host: handlers (EVERYTHING: as am_request)
 *   init, attach            collective
 *   wait                    bounded sleep; nothing runs
 *   all others              never wait and run no handlers, except poll, which
 *                           runs those of messages that have arrived
 */
#ifndef FSH_CONDUIT_H
#define FSH_CONDUIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/job.h"

/* Completion of asynchronous transfers. `pending` counts the pieces in flight: the
 * conduit increments it before it returns and decrements it (release) when a piece
 * completes, possibly on another thread. The owner waits for zero (acquire), and must
 * keep the event valid until then. */
struct fsh_event {
    atomic_uint pending;
};

enum fsh_threads { FSH_THREADS_SEQ, FSH_THREADS_PARSYNC, FSH_THREADS_PAR };

enum fsh_category { FSH_AM_SHORT, FSH_AM_MEDIUM, FSH_AM_LONG };

/* Limits of a conduit, constant from init on and equal on all ranks. */
struct fsh_limits {
    size_t am_max_medium;
    size_t am_max_long_request;
    size_t am_max_long_reply;
    size_t max_segment_local;  /* bytes, multiple of the page size */
    size_t max_segment_global; /* minimum over the ranks */
    /* Of a Medium to a rank that `reaches` denies; where it denies none: 0. */
    size_t am_max_carrier;
};

/* An active message to send. Arguments are copied before the call returns. src
 * may be reused on return unless src_stable is set: then it must not change
 * until the handler of the matching reply starts (LongAsync). */
struct fsh_am {
    uint32_t node; /* target; ignored in replies, where the token implies it */
    uint8_t handler;
    uint8_t category; /* enum fsh_category */
    uint8_t nargs;    /* 0..16 */
    bool src_stable;
    const int32_t *args;
    const void *src;
    size_t nbytes;
    void
        *dst; /* Long: address in the target's segment, as the target sees it */
};

/* A received message, and the token passed to its handler. A conduit's token starts
 * with this and may extend it. Lives on the stack of the poll that runs the handler. */
struct fsh_token {
    uint32_t source;
    uint8_t handler;
    uint8_t category; /* enum fsh_category */
    uint8_t nargs;    /* 0..16 */
    bool is_request;
    bool replied;
    uint8_t lane; /* traces: messages of a source and lane are in order */
    const int32_t *args;
    void *buf;     /* Medium: payload, 16-byte aligned; Long: where it is */
    size_t nbytes; /* Medium, Long */
};

/* One of several consecutive Shorts from the same source. */
#define FSH_SHORT_ARGS 8u
struct fsh_short {
    _Alignas(16) int32_t args[FSH_SHORT_ARGS];
    uint32_t what; /* handler, and number of arguments << 16 */
};

/* Packs handler and number of arguments of a Short into one word; unpacks
 * them. */
static inline uint32_t fsh_short_what(uint8_t handler, uint8_t nargs)
{
    return handler | (uint32_t)nargs << 16;
}
static inline uint8_t fsh_short_handler(uint32_t what)
{
    return (uint8_t)what;
}
static inline uint8_t fsh_short_nargs(uint32_t what)
{
    return (uint8_t)(what >> 16);
}

/* Address and size of a rank's segment as that rank sees it. Addresses may
 * differ between ranks; a remote address is always one in the target's view. */
struct fsh_segment {
    void *addr;
    size_t size;
};

/* The library's area: memory behind each segment that put and the compute core
 * can reach like the segment, but that is hidden from clients. For each rank
 * and each of the compute core's two queues it holds this many 128-byte
 * commands, written by that rank. There is no area without compute cores
 * (compute is NULL), nor in jobs with more ranks than the bit sets of a command
 * can hold. */
#define FSH_AREA_COMMANDS 64u
#define FSH_AREA_QUEUES 2u
#define FSH_AREA_COMMAND_BYTES 128u
/* Maximum number of unfinished commands of a rank, over all nodes: a conduit
 * has room for as many completions. */
#define FSH_COMMANDS_IN_FLIGHT 1024u

/* Offset in bytes from the end of a segment to a rank's commands for a queue
 * (FSH_QUEUE_* of compute/submit). */
static inline size_t fsh_area_offset(uint32_t rank, unsigned queue)
{
    return ((size_t)rank * FSH_AREA_QUEUES + queue) * FSH_AREA_COMMANDS *
           FSH_AREA_COMMAND_BYTES;
}

/* Bytes of the area behind each segment of a job; 0: none. */
static inline size_t fsh_area_bytes(uint32_t ranks)
{
    return ranks <= 64 ? fsh_area_offset(ranks, 0) : 0;
}

/* Where nodes have collective engines, memory for them follows, written only by this
 * rank and its engine: for each sequence that may be in flight a list of descriptors,
 * and buffers (gasnet/run_card.c). */
#define FSH_AREA_SEQUENCES FSH_COLL_SEQUENCES
#define FSH_AREA_STEPS 512u
#define FSH_AREA_BUFFERS 3u
#define FSH_AREA_BUFFER_BYTES ((size_t)272 << 10)
#define FSH_AREA_SEQUENCE_BYTES \
    ((size_t)FSH_AREA_STEPS * 64 + FSH_AREA_BUFFERS * FSH_AREA_BUFFER_BYTES)
#define FSH_AREA_COLLECTIVE_BYTES (FSH_AREA_SEQUENCES * FSH_AREA_SEQUENCE_BYTES)

/* The answer to a message to an engine: fn is called once, at once or in a poll
 * on any thread, with conduit locks held. It must be short and must not call
 * the conduit. status: FSH_STATUS_*. Must stay valid until the call. */
struct fsh_answer {
    void (*fn)(struct fsh_answer *answer, unsigned status);
};

/* Memory of this node that its collective engine can access; offsets count from
 * base. */
struct fsh_engine_memory {
    unsigned char *base;
    size_t segment; /* bytes of the segment, at offset 0 */
    size_t area;    /* offset of the library's FSH_AREA_COLLECTIVE_BYTES */
    /* Host memory that the engine writes, FSH_AREA_BUFFER_BYTES per sequence; and its
     * address as seen by the engine. */
    unsigned char *posted;
    size_t posted_at;
};

/* Merges the barrier words of two sets of ranks. Must be commutative,
 * associative and idempotent, since sets are merged in any order and may
 * overlap. */
typedef uint64_t (*fsh_merge_fn)(uint64_t a, uint64_t b);

/* ---- optional blocks ---- */

/* Direct memory: processes access each other's segments by load and store. */
struct fsh_direct_ops {
    /* The address of node's segment in this process, and a word that is
     * non-zero while its owner waits for memory to change (then call `poke`).
     * Both remain valid. False: this node's segment cannot be mapped, though
     * others may. Valid from attach on. */
    bool (*map)(uint32_t node, void **here, const uint32_t **watching);
    /* Wakes the owner of a segment that was written without the conduit. A
     * system call; does not wait. */
    void (*poke)(uint32_t node);
    /* The board of `node` for its index-th team (coll/direct): FSH_BOARD_BYTES of
     * zero-initialised memory mapped by all ranks, for the library's use. NULL: too
     * many teams, or it is not mapped; the ranks that map a node are the same for
     * all of these. */
    unsigned char *(*board)(uint32_t node, uint32_t index);
};

/* A barrier of all ranks without messages. The caller serialises both calls. Waiting
 * threads may sleep with `memory`. */
struct fsh_barrier_ops {
    /* Whether all ranks can meet so. Constant from init on, and equal on all ranks. */
    bool (*present)(void);
    /* Enters barrier `phase` (a 30-bit sequence number) with a 34-bit word. */
    void (*arrive)(uint32_t phase, uint64_t opinion, fsh_merge_fn merge);
    /* Whether all ranks have entered. If so, *opinion is the merged word of
     * all; otherwise *missing is a rank not yet seen. Never waits. Must be
     * called until it returns true. */
    bool (*arrived)(uint64_t *opinion, uint32_t *missing);
};

/* Compute cores of the nodes. */
struct fsh_compute_ops {
    bool software; /* the core is a library thread, not logic */
    /* Whether this node has a compute core. Constant from attach on. */
    bool (*present)(uint32_t node);
    /* What commands call this node, in sets and where they end; -1: it has no core that
     * this rank's commands reach. NULL: all have the number of their rank. */
    int (*number)(uint32_t node);
    /* Sends a COMPUTE message with operation RUN or SIGNAL; its two arguments
     * are laid out as crun or csignal. Never blocks: false if there is no room
     * now; poll and retry. The answer to RUN: OK, BUSY or UNSUPPORTED. */
    bool (*send)(uint32_t node, const uint64_t *message,
                 struct fsh_answer *answer);
    /* For a thread that submits to this rank's own core and waits at once: between
     * attend(true) and attend(false) its lists do not wake the core, and `help` runs
     * a command of the core's on this thread, if it is short and none is running;
     * false: there is no such. Commands that are left are the core's. Not in handlers.
     * Both NULL: the core does not compute on this processor, or has it to itself. */
    void (*attend)(bool on);
    bool (*help)(void);
    /* Reads the counters of this rank's core, which must exist: FSH_CPERF_COUNT
     * words in that order; 0 for what the core does not count. Returns
     * promptly. */
    void (*counters)(uint64_t *words);
    /* Clears them; as `counters`. */
    void (*counters_clear)(void);
};

/* Collective engines of the nodes. */
struct fsh_collective_ops {
    /* Whether every node has one. Constant from attach on, and equal on all ranks. */
    bool (*present)(void);
    /* Valid from attach on; the memory persists. */
    void (*memory)(struct fsh_engine_memory *memory);
    /* Stores n bytes at an offset in the area, for a sequence that is not running.
     * Posted: ordered before a later `run`. Never blocks. */
    void (*store)(size_t at, const void *src, size_t n);
    /* Makes this node's engine run the sequence at that offset. Never blocks: false if
     * there is no room for the message now; poll and retry. The answer: OK
     * (fsh_collective_completed reports the end), BUSY or UNSUPPORTED. */
    bool (*run)(size_t at, struct fsh_answer *answer);
    /* Tells this node's engine that time has passed: what it finds missing at three of
     * these ends its sequence with TIMEOUT. Never blocks, false as above; answered. */
    bool (*tick)(struct fsh_answer *answer);
    /* The rings of the network that nodes are in by number: bit l: nodes 2^l apart are
     * neighbours in one. 0: none are known. Constant. */
    uint16_t (*sides)(void);
};

/* A part of the DMA window of this rank's card, and the card's memory. */
struct fsh_card_memory {
    unsigned char *base;
    size_t bytes;        /* whole pages */
    size_t most;         /* bytes of a move at most */
    uint64_t card_bytes; /* of the segment */
};

/* Bytes between that window and this rank's segment, by DMA. */
struct fsh_card_move {
    bool to_card;
    uint64_t offset;           /* in the segment, any */
    size_t at;                 /* in the window, any */
    size_t bytes;              /* 1 to `most` */
    struct fsh_answer *answer; /* when written: OK or MEMORY */
};

/* The card behind this rank, for transfers between other hosts and its memory
 * (src/bridge). One thread, which may be another than those that use the conduit. */
struct fsh_card_ops {
    /* Whether this rank has a card. Constant, known before init. */
    bool (*present)(void);
    /* Valid from attach on; the memory persists. False with the reason and the remedy in
     * `why`: not in this job. */
    bool (*memory)(struct fsh_card_memory *memory, char *why, size_t whylen);
    /* Never waits: false if there is no room now; poll and retry. */
    bool (*start)(const struct fsh_card_move *move);
    /* Collects ends of moves, runs no handlers; whether there was anything. */
    bool (*poll)(void);
    /* Sleeps until the card may have written something since the last poll, for at most
     * max_ns. */
    void (*wait)(uint64_t max_ns);
};

/* Simulated time of the ranks, identical in every run. One thread at a time. */
struct fsh_clock_ops {
    /* Starts simulated time if the job uses it (FSHMEM_CLOCK). Collective, at
     * the end of attach; time 0 is when the last rank arrives. */
    void (*begin)(void);
    /* This rank leaves simulated time or can no longer hand over its turn; time
     * continues without it. */
    void (*end)(void);
};

/* Shorts with up to FSH_SHORT_ARGS arguments, described entirely in registers (`what`
 * as in fsh_short). Both return 0, so that the caller can end in a tail call. */
struct fsh_short_ops {
    /* As am_request. */
    int (*request)(uint32_t node, uint32_t what, const int32_t *args);
    /* As am_reply. */
    int (*reply)(struct fsh_token *token, uint32_t what, const int32_t *args);
};

struct fsh_conduit_ops {
    const char *name;

    const struct fsh_job_needs *needs; /* never NULL */
    const struct fsh_direct_ops *direct;
    const struct fsh_barrier_ops *barrier;
    const struct fsh_compute_ops *compute;
    const struct fsh_collective_ops *collective;
    const struct fsh_card_ops *card;
    const struct fsh_short_ops *shorts;
    const struct fsh_clock_ops *clock;

    /* ---- setup and teardown ---- */

    /* Whether this conduit can run here. For tools, outside a job. If false, `why`
     * holds the reason and the remedy. */
    bool (*usable)(char *why, size_t whylen);

    /* Initialises this rank. Collective, on the main thread, once. Uses fsh_boot_*.
     * Failures are fatal with a message (fsh_fatal). Fills in `limits`. */
    void (*init)(enum fsh_threads threads, struct fsh_limits *limits);

    /* Creates this rank's segment of `size` bytes (a multiple of the page size,
     * possibly 0, at most limits->max_segment_local), followed by an area of
     * fsh_area_bytes(nodes) if there are compute cores, and fills in segs[0..nodes-1]
     * for all ranks. Collective, once. Running out of memory is fatal. The caller owns
     * segs; the memory persists. */
    void (*attach)(size_t size, struct fsh_segment *segs);

    /* An additional thread is about to make its first call: locks are needed from now
     * on. May wait for another thread's call to end, never for a peer. Callable any
     * number of times; PAR only. */
    void (*share)(void);

    /* Shuts down: ends the conduit's own threads. Other threads may still be in calls,
     * so memory is not released. Not collective, bounded; called once, on the exit
     * path. */
    void (*fini)(void);

    /* ---- active messages ---- */

    /* Sends a request; blocks for room, polling. A request to this node may run its
     * handler before it returns, and the reply handler inside the reply, so do not call
     * it from a handler or while holding a lock that a handler may take. */
    void (*am_request)(const struct fsh_am *am);
    /* Sends the reply of a request handler, from that handler, once per token. Blocks
     * for room, running reply handlers only. */
    void (*am_reply)(struct fsh_token *token, const struct fsh_am *am);

    /* The same if there is room for the message now: true if sent, false with
     * no effect. Neither blocks nor runs handlers, so polls and handlers may
     * call both; on false, retry from a later poll. A request to this node
     * waits for its poll like any other; a reply to this node may run its
     * handler, as am_reply. */
    bool (*am_try_request)(const struct fsh_am *am);
    bool (*am_try_reply)(struct fsh_token *token, const struct fsh_am *am);

    /* ---- put and get ---- */

    /* Whether put, get and Longs from this rank reach that one's memory. What does not the
     * library carries in Mediums of up to limits->am_max_carrier bytes. NULL: all do.
     * Constant from init on. */
    bool (*reaches)(uint32_t node);

    /* Transfer n bytes (any size and alignment) between local memory (anywhere) and the
     * segment or area of `node` (range already checked). `remote` completes when the
     * data is in place, visible to every rank. `local` completes when src may be
     * reused; NULL: block until then. It may be the same event as `remote`. Whether
     * `node` must poll for progress depends on the conduit. Transfers are not ordered.
     * Errors end the job. */
    void (*put)(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote);
    void (*get)(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done);

    /* ---- progress ---- */

    /* Runs the handlers of messages that have arrived; returns whether there
     * was anything to do. Never waits, unless a client's handler sends a reply
     * and there is no room for it. */
    bool (*poll)(void);
    /* The same in the first polls of a wait, which follow each other at once: may put off
     * longer what costs more than the rest. Where nothing does, poll itself. */
    bool (*spin)(void);

    /* Sleeps until something may have arrived, for at most `max_ns`; may return
     * early. Called after a number of empty polls. `memory`: the caller waits
     * for a word of the segment, which it tests between calls; if possible a
     * put should end the sleep. */
    void (*wait)(uint64_t max_ns, bool memory);

    /* Describes credits, rings and operations in flight, one line each, for
     * state dumps. Need not be async-signal-safe. */
    void (*describe)(void (*line)(void *arg, const char *text), void *arg);
};

extern const struct fsh_conduit_ops fsh_conduit_smp;
extern const struct fsh_conduit_ops fsh_conduit_ofi;
extern const struct fsh_conduit_ops fsh_conduit_fpga;
extern const struct fsh_conduit_ops fsh_conduit_mixed;

/* All conduits, NULL-terminated, and lookup by name (NULL if unknown). */
extern const struct fsh_conduit_ops *const fsh_conduits[];
const struct fsh_conduit_ops *fsh_conduit_find(const char *name);

/* Upcall into src/gasnet: runs the handler of a received message. What the
 * token points to is valid during the call. Must not be called with locks held.
 * An unregistered handler is fatal with a message. */
void fsh_am_deliver(struct fsh_token *token);

/* The same for n Shorts in order, sharing one token in which the conduit sets
 * source and is_request. */
void fsh_am_deliver_shorts(struct fsh_token *token, const struct fsh_short *m,
                           unsigned n);

/* Upcall: handlers have run outside a poll, while a message waited for room or
 * in a send to this node. Wakes threads that may be asleep waiting for their
 * effects. */
void fsh_am_delivered(void);

/* Upcall: am_request has polled and still has no room. Advances the library's
 * protocols, as polls do; nodes other than the target may depend on them. No locks
 * held; may call anything that never waits. */
void fsh_am_waits(void);

/* Upcall into src/compute/submit: a compute command has ended; `cookie` is that of the
 * command. In a poll, on any thread, with conduit locks held. */
void fsh_compute_completed(unsigned cookie, unsigned status);

/* Outcome of a sequence of a collective engine. */
struct fsh_sequence_end {
    uint16_t cookie;
    uint8_t status; /* FSH_STATUS_* */
    uint8_t step;   /* SeqID of the last descriptor executed */
    uint8_t source; /* TIMEOUT: the node whose packet is missing */
};

/* Upcall into src/gasnet: a sequence has ended. Rules as for fsh_compute_completed. May
 * precede the answer to its `run`. */
void fsh_collective_completed(const struct fsh_sequence_end *end);

#endif
