/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The conduit table: everything src/gasnet needs from a transport. A small part
 * that each conduit has (active messages, put, get, poll), and blocks of
 * operations that it may have: a block is there whole, or its pointer is NULL and
 * the library does without. Nothing above asks for a conduit's name.
 * Calls may come from any thread; with FSH_THREADS_SEQ a conduit may skip its
 * locks.
 *
 * Who may wait, and what runs meanwhile:
 *   am_request              waits for room: handlers, and fsh_am_waits
 *   am_reply                waits for room: reply handlers only
 *   put, get                may wait for a device of this node, never for
 *                           another node's host: handlers (EVERYTHING: as
 *                           am_request)
 *   init, attach            collective
 *   wait                    sleeps, bounded; nothing runs
 *   all others              never wait and run no handlers, but poll, which runs
 *                           what has come
 */
#ifndef FSH_CONDUIT_H
#define FSH_CONDUIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/job.h"

/* Completion of asynchronous transfers. `pending` counts the pieces in flight;
 * the conduit adds before it returns and subtracts (release) when a piece is
 * done, possibly on another thread. The owner waits for zero (acquire). Must stay
 * valid until then. */
struct fsh_event {
    atomic_uint pending;
};

enum fsh_threads { FSH_THREADS_SEQ, FSH_THREADS_PARSYNC, FSH_THREADS_PAR };

enum fsh_category { FSH_AM_SHORT, FSH_AM_MEDIUM, FSH_AM_LONG };

/* Limits of a conduit; constant from init on, equal on all ranks. */
struct fsh_limits {
    size_t am_max_medium;
    size_t am_max_long_request;
    size_t am_max_long_reply;
    size_t max_segment_local;  /* bytes, multiple of the page size */
    size_t max_segment_global; /* minimum over the ranks */
};

/* One active message to send. Arguments are copied before the call returns.
 * src is reusable on return unless src_stable: then it stays untouched until
 * the matching reply's handler starts (LongAsync). */
struct fsh_am {
    uint32_t node; /* target; ignored for replies (the token knows) */
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

/* A message that arrived, and the token of its handler. A conduit's token starts
 * with this; the rest is its own. Lives on the stack of the poll that runs the
 * handler. */
struct fsh_token {
    uint32_t source;
    uint8_t handler;
    uint8_t category; /* enum fsh_category */
    uint8_t nargs;    /* 0..16 */
    bool is_request;
    bool replied;
    uint8_t lane; /* messages of a source in one lane come in order; traces */
    const int32_t *args;
    void *buf;     /* Medium: payload, 16-byte aligned; Long: where it is */
    size_t nbytes; /* Medium, Long */
};

/* Of Shorts that came one after the other from one source, one. */
#define FSH_SHORT_ARGS 8u
struct fsh_short {
    _Alignas(16) int32_t args[FSH_SHORT_ARGS];
    uint32_t what; /* handler, and number of arguments << 16 */
};

/* Handler and number of arguments of a Short in one word, and back. */
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

/* Address and size of a rank's segment as that rank sees it (addresses differ
 * from rank to rank; a remote address is an address in the target's view). */
struct fsh_segment {
    void *addr;
    size_t size;
};

/* Behind each segment, reached by put and by the compute core like the segment
 * itself but no part of what clients are told of: the library's own area. For
 * each rank and each of the two queues of the compute core there are so many
 * commands of 128 bytes, which that rank writes. No area without compute cores
 * (compute is NULL), nor in jobs of more ranks than the bit sets of a command
 * hold. */
#define FSH_AREA_COMMANDS 64u
#define FSH_AREA_QUEUES 2u
#define FSH_AREA_COMMAND_BYTES 128u
/* Commands of a rank that have not ended, at most, at all nodes: a conduit has
 * room for as many completions. */
#define FSH_COMMANDS_IN_FLIGHT 1024u

/* Bytes from the end of a segment to the commands of a rank for a queue (FSH_QUEUE_
 * of compute/submit). */
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

/* Behind that, where nodes have collective engines: memory of the library for what they
 * run, which nobody but this rank and its engine writes. For each sequence that may be in
 * flight a list of descriptors, and buffers (gasnet/run_card.c). */
#define FSH_AREA_SEQUENCES FSH_COLL_SEQUENCES
#define FSH_AREA_STEPS 512u
#define FSH_AREA_BUFFERS 3u
#define FSH_AREA_BUFFER_BYTES ((size_t)64 << 10)
#define FSH_AREA_SEQUENCE_BYTES \
    ((size_t)FSH_AREA_STEPS * 64 + FSH_AREA_BUFFERS * FSH_AREA_BUFFER_BYTES)
#define FSH_AREA_COLLECTIVE_BYTES (FSH_AREA_SEQUENCES * FSH_AREA_SEQUENCE_BYTES)

/* A message to an engine is answered by a call of fn: at once, or during a
 * poll on any thread, with locks of the conduit held: it must be short, and
 * call nothing of the conduit. status: FSH_STATUS_. Valid until then. */
struct fsh_answer {
    void (*fn)(struct fsh_answer *answer, unsigned status);
};

/* Memory of this node that its collective engine reaches; offsets are from base on. */
struct fsh_engine_memory {
    unsigned char *base;
    size_t segment; /* bytes that are the segment, from 0 on */
    size_t area;    /* offset of FSH_AREA_COLLECTIVE_BYTES of the library's */
    /* Host memory that it writes: FSH_AREA_BUFFER_BYTES for each sequence; and where that
     * is for it. */
    unsigned char *posted;
    size_t posted_at;
};

/* Merges what two sets of ranks bring to a barrier: in any order, and with
 * overlaps, the result is the same. */
typedef uint64_t (*fsh_merge_fn)(uint64_t a, uint64_t b);

/* ---- blocks that a conduit may have ---- */

/* Direct memory: processes reach each other's segments by load and store. */
struct fsh_direct_ops {
    /* Where the segment of `node` is in this process, and a word that is not 0
     * while its owner waits for memory to change (`poke` then). Both are the
     * conduit's and stay. False: this node's cannot be mapped. From
     * attach on. */
    bool (*map)(uint32_t node, void **here, const uint32_t **watching);
    /* Wake the owner of a segment that was written behind the conduit's back. A
     * system call; does not wait. */
    void (*poke)(uint32_t node);
    /* The board of `node` for its index-th team (coll/direct): FSH_BOARD_BYTES in memory
     * that all map, zero at the start, the library's. NULL: no board for so many. */
    unsigned char *(*board)(uint32_t node, uint32_t index);
};

/* A barrier of all ranks without messages. The caller serialises both. Who waits
 * for it may sleep with `memory`. */
struct fsh_barrier_ops {
    /* This rank has come to barrier `phase` (a number of 30 bits that counts on)
     * with an opinion of 34 bits. */
    void (*arrive)(uint32_t phase, uint64_t opinion, fsh_merge_fn merge);
    /* Have all? Then *opinion is the merged one of all; else *missing is a rank
     * whose word is not there yet. Never waits. To be called until all have. */
    bool (*arrived)(uint64_t *opinion, uint32_t *missing);
};

/* Compute cores beside the nodes. */
struct fsh_compute_ops {
    bool software; /* a thread of the library is the compute core, not logic */
    /* Does this node have a compute core? Constant from attach on. */
    bool (*present)(uint32_t node);
    /* Send a COMPUTE message of the operation RUN or SIGNAL: its two arguments
     * as in layout crun or csignal. Never blocks: false if there is no room for
     * it now; poll and try again. The answer of RUN: OK, BUSY, UNSUPPORTED. */
    bool (*send)(uint32_t node, const uint64_t *message,
                 struct fsh_answer *answer);
    /* Counters of this rank's core, which is there: FSH_CPERF_COUNT words, in
     * that order; what the core does not count is 0. Never blocks for long. */
    void (*counters)(uint64_t *words);
    /* Set them to 0; as `counters`. */
    void (*counters_clear)(void);
};

/* Collective engines beside the nodes. */
struct fsh_collective_ops {
    /* Has every node one? Constant from attach on, and the same on all ranks. */
    bool (*present)(void);
    /* From attach on; the memory stays. */
    void (*memory)(struct fsh_engine_memory *memory);
    /* Store n bytes at an offset in the area, for a sequence that is not run yet:
     * posted, they are there before a `run` that comes after. Never blocks. */
    void (*store)(size_t at, const void *src, size_t n);
    /* Have this node's engine run the sequence at that offset. Never blocks: false if
     * there is no room for the message now; poll and try again. The answer: OK (its end
     * is told by fsh_collective_completed), BUSY, UNSUPPORTED. */
    bool (*run)(size_t at, struct fsh_answer *answer);
};

/* Simulated time of the ranks: the same cycles in each run. One thread at a time. */
struct fsh_clock_ops {
    /* Begin, if the job is to have it (FSHMEM_CLOCK): collective, at the end of
     * attach; time 0 is when the last rank has come. */
    void (*begin)(void);
    /* This rank leaves, or can no longer hand over: time goes on without it. */
    void (*end)(void);
};

/* Shorts of up to FSH_SHORT_ARGS with all there is to say in registers (`what` as
 * in fsh_short). Both return 0, for the caller to pass on by a tail call. */
struct fsh_short_ops {
    /* am_request. */
    int (*request)(uint32_t node, uint32_t what, const int32_t *args);
    /* am_reply. */
    int (*reply)(struct fsh_token *token, uint32_t what, const int32_t *args);
};

struct fsh_conduit_ops {
    const char *name;

    const struct fsh_job_needs *needs; /* never NULL */
    const struct fsh_direct_ops *direct;
    const struct fsh_barrier_ops *barrier;
    const struct fsh_compute_ops *compute;
    const struct fsh_collective_ops *collective;
    const struct fsh_short_ops *shorts;
    const struct fsh_clock_ops *clock;

    /* ---- coming and going ---- */

    /* Can this conduit run here? For tools, outside a job. Returns true, or false
     * with the reason and the remedy in `why`. */
    bool (*usable)(char *why, size_t whylen);

    /* Bring up this rank's side; collective, main thread, once. Uses fsh_boot_*.
     * Failures are fatal with a message (fsh_fatal). Fills `limits`. */
    void (*init)(enum fsh_threads threads, struct fsh_limits *limits);

    /* Create this rank's segment of `size` bytes (page multiple, may be 0),
     * behind it, if there are compute cores, an area of fsh_area_bytes(nodes),
     * and fill segs[0..nodes-1] for all ranks; collective, once. size is at most limits->max_segment_local; no
     * memory is fatal. segs is the caller's; the memory stays. */
    void (*attach)(size_t size, struct fsh_segment *segs);

    /* A thread beside others is about to make its first call: locks are needed from
     * now on. May wait for the end of another thread's call, never for a peer. Any
     * number of times; PAR only. */
    void (*share)(void);

    /* Leave: end the conduit's own threads. Other threads may be in calls, so memory
     * stays. Not collective, bounded; once, from the exit path. */
    void (*fini)(void);

    /* ---- active messages ---- */

    /* Send a request; blocks (polling) for room. One to this node may run its
     * handler before it returns, with a reply handler inside the reply: not from
     * a handler, nor with a lock that a handler may want. */
    void (*am_request)(const struct fsh_am *am);
    /* Send the reply of a request handler, from that handler, once a token; blocks
     * for room and runs reply handlers only. */
    void (*am_reply)(struct fsh_token *token, const struct fsh_am *am);

    /* The same if there is room for the message now: true, or nothing has
     * happened. Neither blocks nor runs handlers, so polls and handlers may
     * call both; whoever is told false comes again with a later poll. A request
     * to this node waits for its poll like any other; a reply to it may run its
     * handler, as am_reply. */
    bool (*am_try_request)(const struct fsh_am *am);
    bool (*am_try_reply)(struct fsh_token *token, const struct fsh_am *am);

    /* ---- put and get ---- */

    /* Transfer n bytes (any n, any alignment) between local memory (anywhere)
     * and the segment or area of `node` (range already checked). `remote`: the
     * data is where it should be, for every rank to see. `local`: src may be changed
     * again; NULL: that is so on return; it may be the same event as `remote`. Does
     * `node` have to poll for them? That is the conduit's choice. Not ordered among
     * each other. No error: what goes wrong ends the job. */
    void (*put)(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote);
    void (*get)(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done);

    /* ---- progress ---- */

    /* Run what has arrived; whether anything happened. Never waits, unless a
     * client's handler replies and finds no room. */
    bool (*poll)(void);

    /* Sleep until something may have arrived or `max_ns` passed (bounded).
     * Called after a run of fruitless polls. May return early. `memory`: the
     * caller waits for a word of the segment, which it looks at between two
     * calls; a put should end the sleep where that can be had. */
    void (*wait)(uint64_t max_ns, bool memory);

    /* One line a fact: credits, rings, operations in flight. For state dumps;
     * async-signal-safe is not required. */
    void (*describe)(void (*line)(void *arg, const char *text), void *arg);
};

extern const struct fsh_conduit_ops fsh_conduit_smp;
extern const struct fsh_conduit_ops fsh_conduit_ofi;
extern const struct fsh_conduit_ops fsh_conduit_fpga;

/* All conduits, NULL-terminated, and look-up by name (NULL if unknown). */
extern const struct fsh_conduit_ops *const fsh_conduits[];
const struct fsh_conduit_ops *fsh_conduit_find(const char *name);

/* Upcall into src/gasnet: run the handler of a message that arrived. What the
 * token points to is valid for the call. Not called with locks held. An
 * unregistered handler is fatal with a message. */
void fsh_am_deliver(struct fsh_token *token);

/* The same for n Shorts, in turn, with one token, of which the conduit fills in
 * source and is_request. */
void fsh_am_deliver_shorts(struct fsh_token *token, const struct fsh_short *m,
                           unsigned n);

/* Upcall: handlers have run other than in a poll, while a message could not be
 * sent, or from this node to itself; threads that wait for what they did may be
 * asleep. */
void fsh_am_delivered(void);

/* Upcall: am_request has polled and still has no room. What polls of the library
 * do besides goes on meanwhile; other nodes than the one without room may wait for
 * it. No locks held; may call what never waits. */
void fsh_am_waits(void);

/* Upcall into src/compute/submit: a command of a compute core has ended; `cookie` is
 * the one of its command. During a poll on any thread, with locks of the
 * conduit held. */
void fsh_compute_completed(unsigned cookie, unsigned status);

/* How a sequence of a collective engine has ended. */
struct fsh_sequence_end {
    uint16_t cookie;
    uint8_t status; /* FSH_STATUS_ */
    uint8_t step;   /* SeqID of the descriptor that it ended with */
    uint8_t source; /* TIMEOUT: the node whose packet is missing */
};

/* Upcall into src/gasnet: one has. As fsh_compute_completed. It may come before the
 * answer to its `run`. */
void fsh_collective_completed(const struct fsh_sequence_end *end);

#endif
