/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the files of src/gasnet: the state of this rank, the state of a
 * thread, and the calls between the files. Global state is written by
 * gasnet_init and gasnet_attach on one thread and is read-only afterwards,
 * except the atomics.
 */
#ifndef FSH_GASNET_INTERNAL_H
#define FSH_GASNET_INTERNAL_H

/* The library serves all modes; its own code is compiled for the most general
 * one. */
#undef GASNET_PAR
#define GASNET_PAR 1
#define FSH_GASNET_LIBRARY 1 /* no conduit mark, as in a client */
#include "gasnet.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "base/assertion.h"
#include "base/fsh_spec.h"
#include "base/trace.h"
#include "base/wait.h"
#include "compute/submit/submit.h"
#include "conduit/conduit.h"
#include "gasnet/handlers.h"

/* The flavour of this library. DEBUG: checks that cost time or that may reject
 * working programs. EVERYTHING: all memory is remote memory. This folder is
 * compiled once per flavour; the rest of the library is shared by all flavours,
 * so no layout below may depend on it. */
enum {
    FSH_GASNET_DEBUG = FSH_CONFIG_DEBUG,
    FSH_GASNET_EVERYTHING = FSH_CONFIG_EVERYTHING
};

/* A handler whose int arguments follow its fixed ones, in a number fixed at its
 * definition; fsh_am_deliver casts it to the right type. */
typedef void (*fsh_handler_fn)(void);

struct fsh_gasnet {
    const struct fsh_conduit_ops *ops; /* NULL before gasnet_init */
    /* The conduit itself; by_message.c may put a layer above it. */
    const struct fsh_conduit_ops *conduit;
    uint32_t rank;
    uint32_t nodes;
    uint32_t short_nodes; /* nodes if Shorts may go directly to the conduit:
                             attached, no checks, `shorts` present; else 0 */
    const struct fsh_short_ops *shorts; /* of the conduit, or NULL */
    bool attached;
    bool threaded;       /* PAR or PARSYNC: several threads may call */
    atomic_int waitmode; /* GASNET_WAIT_* */
    struct fsh_limits limits;
    struct fsh_segment *segs; /* [nodes]; sizes 0 before attach; those of the
                                 conduit, hidden from clients of EVERYTHING */
    fsh_handler_fn handler[FSH_HANDLER_COUNT];
};
extern struct fsh_gasnet fsh_gasnet;

/* ---- threads (thread.c) ---- */

/* Debug: describes a lock held by a thread, for diagnostics. Created with the
 * thread's first lock of that depth and never freed, so that other threads may
 * read it even when stale. */
struct fsh_hold {
    struct fsh_thread *thread;
    struct fsh_hold *below;      /* of the lock taken before this one */
    struct fsh_hold *above;      /* of the one after it; NULL: never yet */
    _Atomic(const void *) what;  /* the lock; NULL: no-interrupt section */
    _Atomic(const char *) where; /* file:line, or NULL */
    atomic_ullong since;         /* ns; 0: nothing to report */
};

/* State of one thread. Created on its first call; inherited by a later thread
 * once the thread has exited and its operations are complete. */
struct fsh_thread {
    struct fsh_token *token; /* of the handler running on this thread */
    void *token_name;        /* debug: what the client sees as the token */
    gasnet_hsl_t *held;      /* debug: locks held, latest first */
    struct fsh_hold *hold;   /* debug: record of the latest lock, or NULL */
    struct fsh_hold *holds;  /* debug: all records ever created */
    struct fsh_hold section; /* debug: the no-interrupt section */
    unsigned calls;          /* debug: nesting depth of client calls */
    unsigned in_handler;     /* nesting depth */
    unsigned barren;         /* consecutive empty polls */
    uint32_t region;         /* slot of the open access region + 1, or 0 */
    uint32_t image;          /* of gasnet_coll_init + 1, or 0 */
    uint32_t free_head;      /* free slots of this thread, index + 1 */
    uint32_t free_count;
    struct fsh_event puts; /* implicit operations in flight */
    struct fsh_event gets;
    struct fsh_thread *next; /* in the list of orphaned states */
};

/* Initial-exec TLS: accessible without a call wherever the library is
 * linked. */
extern _Thread_local struct fsh_thread *fsh_thread_current
    __attribute__((tls_model("initial-exec")));
struct fsh_thread *fsh_thread_make(void);

/* The state of the calling thread, created on its first call. Owned by the library. */
static inline struct fsh_thread *fsh_thread_self(void)
{
    struct fsh_thread *self = fsh_thread_current;

    return __builtin_expect(self != NULL, 1) ? self : fsh_thread_make();
}

/* What keeps this thread from running handlers, in one word for polls to test: the
 * number of HSLs it holds, and a bit that is set between gasnet_hold_interrupts and
 * gasnet_resume_interrupts. Separate from the state above, so that taking a lock
 * creates none. */
#define FSH_GUARD_HOLDING 0x80000000u
extern _Thread_local unsigned fsh_guard
    __attribute__((tls_model("initial-exec")));

/* The number of HSLs that the calling thread holds. */
static inline unsigned fsh_guard_locks(void)
{
    return fsh_guard & ~FSH_GUARD_HOLDING;
}

/* Whether the calling thread is in a no-interrupt section. */
static inline bool fsh_guard_holding(void)
{
    return (fsh_guard & FSH_GUARD_HOLDING) != 0;
}

/* The number of threads that have called the library and not exited. */
unsigned fsh_thread_count(void);

/* ---- explicit operations (handle.c) ---- */

/* The operation behind a handle. `generation` advances when the operation is
 * synchronised, which makes old handles stale. Slots are never freed. */
struct fsh_slot {
    struct fsh_event event;
    _Atomic uint32_t generation;
    uint32_t next;                  /* in a free list, index + 1 */
    bool is_value;                  /* debug: belongs to a get_nb_val */
    uint64_t value;                 /* destination of a get_nb_val */
    const struct fsh_thread *owner; /* debug: its thread; NULL: free */
};

/* Take a free slot (with no operation on its event); return one that is unused
 * or complete. */
uint32_t fsh_slot_take(struct fsh_thread *self);
void fsh_slot_give(struct fsh_thread *self, uint32_t index);
struct fsh_slot *fsh_slot_at(uint32_t index);
/* Moves an exiting thread's free slots to the common list. */
void fsh_slot_give_all(struct fsh_thread *self);

/* The handle of a slot in use, and the reverse. The reverse is fatal (naming
 * call) for a value that was never a handle, and returns NULL for a stale or
 * invalid handle, which means complete. */
void *fsh_slot_handle(uint32_t index);
struct fsh_slot *fsh_slot_find(void *handle, uint32_t *index, const char *call);
/* Releases the operation if it is complete. Returns whether it is complete, now
 * or already. */
bool fsh_slot_finish(void *handle, const char *call);
/* Call after starting an operation on a slot. Returns its handle, or releases
 * the slot and returns NULL if the operation is already complete. */
void *fsh_slot_close(struct fsh_thread *self, uint32_t index);

/* The event on which this thread's implicit puts or gets are counted: that of
 * its access region or its own. */
static inline struct fsh_event *fsh_event_implicit(struct fsh_thread *self,
                                                   bool put)
{
    if (self->region != 0)
        return &fsh_slot_at(self->region - 1)->event;
    return put ? &self->puts : &self->gets;
}

/* The syncs of explicit handles for every family of calls; call: the client's
 * call. try does not poll (sync.c). */
void fsh_sync_wait(void *handle, const char *call);
void fsh_sync_wait_all(void **handles, size_t n, const char *call);
void fsh_sync_wait_some(void **handles, size_t n, const char *call);
int fsh_sync_try_all(void **handles, size_t n, const char *call);
int fsh_sync_try_some(void **handles, size_t n, const char *call);

/* ---- waiting (wait.c) ---- */

/* struct fsh_wait is stored in the space that the header reserves in
 * GASNET_BLOCKUNTIL. */
_Static_assert(sizeof(struct fsh_wait) == sizeof(fsh_gasnet_wait_t),
               "GASNET_BLOCKUNTIL reserves what a wait needs");

/* One round of waiting in a client call, `what`: polls, or pauses as
 * fsh_wait_pause does. Call fsh_wait_end when the wait is over. */
void fsh_wait_step(struct fsh_wait *wait, const char *what);
/* Called in each round of a wait, by its thread, once set; does not wait itself. */
typedef void (*fsh_wait_watch_fn)(const struct fsh_wait *wait);
void fsh_wait_set_watch(fsh_wait_watch_fn watch);
/* The number of polls in this process that found something (wake.c). */
extern atomic_uint fsh_wait_progress __attribute__((visibility("hidden")));
/* Counts a poll that found something, and wakes the threads in
 * fsh_wait_sleep. */
void fsh_wait_wake(void);
/* Sleeps until a poll finds something, at most ns; returns at once if one has since
 * `seen` was read from fsh_wait_progress. */
void fsh_wait_sleep(uint32_t seen, uint64_t ns);

/* Polls until no operation of the event is in flight. */
void fsh_wait_event(struct fsh_event *event, const char *what, uint32_t node);

/* Complete a blocking put or get of n bytes. Poll now and then even if it is already
 * complete (fsh_call_done). */
void fsh_wait_put(struct fsh_event *event, const char *call, uint32_t node,
                  size_t n);
void fsh_wait_get(struct fsh_event *event, const char *call, uint32_t node,
                  size_t n);

/* Partner: the conduit's release decrement of `pending`. */
static inline bool fsh_event_done(struct fsh_event *event)
{
    return atomic_load_explicit(&event->pending, memory_order_acquire) == 0;
}

/* ---- active messages (am.c, am_send.c, dispatch.c) ---- */

/* Polls the conduit and the library's own protocols. */
bool fsh_gasnet_poll(void);
/* The same in the first polls of a wait, which follow each other at once. */
bool fsh_gasnet_spin(void);
/* The poll of a non-blocking call; yields if such calls repeat without finding
 * anything. Checks that `call` may poll now. Where handlers cannot run (in
 * another handler, or holding a lock) it does nothing. */
void fsh_gasnet_poll_once(const char *call);
/* The occasional poll of calls that complete at once (gasnet_direct.h). Such a call
 * makes progress itself, so it yields late unless `yields` is set. */
void fsh_gasnet_poll_due(const char *call, bool yields);

/* Charges a call that moved n bytes, unless the header did; returns whether a
 * poll is due. */
static inline bool fsh_poll_is_due(size_t n)
{
    if (fsh_gasnet_until_poll >= 0)
        fsh_gasnet_until_poll -= FSH_GASNET_QUIET_CALL;
    return __builtin_expect(
        fsh_gasnet_until_poll < 0 || n >= FSH_GASNET_QUIET_BYTES, 0);
}

/* Ends a call that moved n bytes without waiting: polls every so often, so that
 * a loop of such calls that waits for a peer also serves that peer. */
static inline void fsh_call_done(const char *call, size_t n)
{
    if (fsh_poll_is_due(n))
        fsh_gasnet_poll_due(call, false);
}

/* fsh_slot_close at the end of a call that started an operation of n bytes. */
static inline void *fsh_slot_started(struct fsh_thread *self, uint32_t index,
                                     const char *call, size_t n)
{
    void *handle = fsh_slot_close(self, index);

    if (handle == NULL)
        fsh_call_done(call, n);
    return handle;
}

/* Sends a request of the library with nargs arguments: a Short or, with a source, a
 * Medium of nbytes. The source may be reused on return. Blocks, polling, for room; must
 * not be called from handlers or polls. */
void fsh_gasnet_send(uint32_t node, enum fsh_handler handler,
                     const int32_t *args, unsigned nargs, const void *src,
                     size_t nbytes);

/* The same without blocking, for polls, which retry next time. False: no room,
 * nothing sent. */
bool fsh_gasnet_try_send(uint32_t node, enum fsh_handler handler,
                         const int32_t *args, unsigned nargs, const void *src,
                         size_t nbytes);
/* Builds a message of the library: a Short or, with a source, a Medium. */
struct fsh_am fsh_library_am(uint32_t node, enum fsh_handler handler,
                             const int32_t *args, unsigned nargs,
                             const void *src, size_t nbytes);

/* Sends the answer of a library handler, at most once per request (answer.c):
 * now or from a later poll, as a reply or as a request. Up to 4 arguments; src
 * must not change until it is sent. */
void fsh_answer(struct fsh_token *token, enum fsh_handler handler,
                const int32_t *args, unsigned nargs, const void *src,
                size_t nbytes);
bool fsh_answers_kick(void);

/* Calls the handler of a message with its arguments spread out. name: what the
 * handler gets as its token. */
void fsh_dispatch(fsh_handler_fn fn, void *name, const struct fsh_token *token);
/* Calls the handlers of n Shorts, each with the token. */
void fsh_dispatch_shorts(struct fsh_token *token, const struct fsh_short *m,
                         unsigned n);

/* ---- checks (state.c, check.c): one line, then the job ends ---- */

/* Report the bad argument of `call` and end the job. range: [addr, addr + nbytes) is
 * not in node's segment, or there is no such node; call: made before gasnet_init or
 * gasnet_attach; handler: a message from `source` to an unregistered index. */
_Noreturn void fsh_bad_range(const char *call, uint32_t node, const void *addr,
                             size_t nbytes);
_Noreturn void fsh_bad_call(const char *call);
_Noreturn void fsh_bad_handler(uint32_t source, unsigned index);
/* Debug: no lock held, not in a no-interrupt section, not in a handler. */
void fsh_check_may_block(const char *call);

/* Debug checks, from here on. fsh_check_init: called by gasnet_init on its
 * thread. */
void fsh_check_init(uint32_t mode);
/* SEQ: only one thread may call, except from handlers; nothing before
 * gasnet_init. */
void fsh_check_thread(const char *call);
/* Begin and end a call: it must come after gasnet_attach, from a thread that
 * may make it now. */
void fsh_check_begin(const char *call);
void fsh_check_end(void);
/* A pointer to n > 0 bytes or elements must not be null. */
void fsh_check_pointer(const char *call, const char *name, const void *p,
                       size_t n);
/* The slot of a handle must be in use by this thread in this generation. */
void fsh_check_slot(const char *call, const struct fsh_slot *slot,
                    const void *handle);
/* A fresh token name for the client, distinct from all earlier ones; and the
 * token behind a name, which must be that of the running handler. */
void *fsh_check_token_name(void);
struct fsh_token *fsh_check_token(const char *call, void *name);

/* How long locks are held (hold.c). Reads the setting; called by
 * gasnet_init. */
void fsh_hold_init(void);
/* Pushes a record for one more lock of this thread. */
struct fsh_hold *fsh_hold_push(struct fsh_thread *self);
/* Starts a hold of `what` at `where` (file:line; NULL: unknown). */
void fsh_hold_begin(struct fsh_hold *hold, const void *what, const char *where);
/* Ends a hold in `call`, or checks it while `call` waits for the lock; warns if
 * it is long. */
void fsh_hold_end(struct fsh_hold *hold, const char *call);
void fsh_hold_check(struct fsh_hold *hold, const void *what, const char *call);

/* Bracket every client call that communicates; debug libraries check there.
 * blocks: the call may also poll, or is one that handlers and lock holders must
 * not make. traced: recorded in traces. */
static inline const char *fsh_call_begin(const char *call, bool blocks,
                                         bool traced)
{
    if (FSH_GASNET_DEBUG) {
        fsh_check_begin(call);
        if (blocks)
            fsh_check_may_block(call);
    }
    if (!traced || __builtin_expect(!fsh_trace_on, 1))
        return NULL;
    fsh_trace_begin(call);
    return call;
}

/* Ends what fsh_call_begin began; for FSH_CALL. */
static inline void fsh_call_end(const char **call)
{
    if (__builtin_expect(*call != NULL, 0))
        fsh_trace_end(*call);
    if (FSH_GASNET_DEBUG)
        fsh_check_end();
}

/* Declares a client call that lasts to the end of the block. */
#define FSH_CALL(call)                                                     \
    __attribute__((cleanup(fsh_call_end), unused)) const char *fsh_call_ = \
        fsh_call_begin(call, true, true)
#define FSH_CALL_REPLY(call)                                               \
    __attribute__((cleanup(fsh_call_end), unused)) const char *fsh_call_ = \
        fsh_call_begin(call, false, true)
/* The same for one round of a wait; traces merge the rounds. */
#define FSH_CALL_ROUND(call)                                               \
    __attribute__((cleanup(fsh_call_end), unused)) const char *fsh_call_ = \
        fsh_call_begin(call, true, false)

/* For traces only: calls that make their own checks and measure time. */
static inline const char *fsh_traced_begin(const char *call)
{
    if (__builtin_expect(!fsh_trace_on, 1))
        return NULL;
    fsh_trace_begin(call);
    return call;
}

/* Ends what fsh_traced_begin began; for FSH_TRACED. */
static inline void fsh_traced_end(const char **call)
{
    if (__builtin_expect(*call != NULL, 0))
        fsh_trace_end(*call);
}
#define FSH_TRACED(call)                                                     \
    __attribute__((cleanup(fsh_traced_end), unused)) const char *fsh_call_ = \
        fsh_traced_begin(call)

/* Records in the trace that the call concerns n bytes of that node. */
static inline void fsh_call_about(uint32_t node, size_t n)
{
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_about(node, n);
}

/* Checks that [addr, addr + n) is in node's segment. Fatal if not, if the node
 * does not exist, or before gasnet_attach (when all sizes are 0). */
static inline void fsh_check_range(const char *call, uint32_t node,
                                   const void *addr, size_t n)
{
    const struct fsh_segment *seg;
    uintptr_t offset;

    if (__builtin_expect(node >= fsh_gasnet.nodes, 0))
        fsh_bad_range(call, node, addr, n);
    if (FSH_GASNET_EVERYTHING) {
        if (!fsh_gasnet.attached || n > -(uintptr_t)addr)
            fsh_bad_range(call, node, addr, n);
        return;
    }
    seg = &fsh_gasnet.segs[node];
    offset = (uintptr_t)addr - (uintptr_t)seg->addr;
    if (__builtin_expect(offset > seg->size || n > seg->size - offset, 0))
        fsh_bad_range(call, node, addr, n);
}

/* ---- compute cores (compute.c) ---- */

/* Whether this node, which must exist, has a compute core. Valid from attach
 * on. */
bool fsh_gasnet_has_compute(uint32_t node);

/* What commands call this node, which must exist; -1: they cannot name it. */
int fsh_gasnet_core_number(uint32_t node);

/* Handles a client's active message to a compute core: handler index
 * FSH_OP_COMPUTE. Fatal, naming the call, if it is malformed. */
void fsh_gasnet_compute_am(const char *call, const struct fsh_am *am);

/* Adds to an event counter of a node that has a compute core. done is called in a poll,
 * on any thread, with OK or the error; it must be short. False: out of memory. May
 * poll. */
bool fsh_gasnet_signal(uint32_t node, unsigned event, unsigned increment,
                       fsh_command_done_fn done, void *arg);

/* ---- inline copies by the client (direct.c) ---- */

/* Publishes the mapped segments to gasnet_direct.h; called by gasnet_attach. */
void fsh_direct_offer(void);

/* ---- put, get and Longs by message (by_message.c) ---- */

/* Wraps the conduit so that all memory is remote memory (EVERYTHING), or that of the nodes
 * that the conduit does not reach; of the two, one is called once, by gasnet_init. */
const struct fsh_conduit_ops *fsh_everything_over(
    const struct fsh_conduit_ops *conduit);
const struct fsh_conduit_ops *fsh_unreached_over(
    const struct fsh_conduit_ops *conduit);
/* Counts a piece of a put or get in. Before its request, whose reply may arrive while it
 * is still being sent. */
void fsh_begin_piece(struct fsh_event *event);
/* Put the payload of a Long that must not wait, by messages of so many bytes, then send the
 * Medium `then`. Both are copied. Needs polls of both sides (long_later.c). */
void fsh_long_later(const struct fsh_am *am, const struct fsh_am *then,
                    size_t piece);
bool fsh_long_later_kick(void);
/* Whether a put to that node ends without its polls, and polls may start one. */
static inline bool fsh_gasnet_reaches(uint32_t node)
{
    return fsh_gasnet.conduit->reaches == NULL ||
           fsh_gasnet.conduit->reaches(node);
}

/* ---- long puts and gets to cards over the bridge (by_bridge.c) ---- */

struct fsh_job_bridge_move;
/* Starts one on the event. Its memory stays unchanged until it has ended. False, nothing
 * started: no bridge serves that node, or a transfer to it is under way. */
bool fsh_by_bridge(uint32_t node, const struct fsh_job_bridge_move *move,
                   struct fsh_event *event);
bool fsh_by_bridge_kick(void);

/* ---- the progress thread (progress.c) ---- */

/* Whether a progress thread is requested. It needs the locks of PAR. */
bool fsh_progress_wanted(void);
/* Starts it; called by gasnet_attach. */
void fsh_progress_start(void);

/* ---- library protocols ---- */

/* Registers the handlers of memset; called by gasnet_init. */
void fsh_memset_register(void);
/* Starts a memset on the event; n > 0, range already checked. */
void fsh_memset_start(uint32_t node, void *dest, int val, size_t n,
                      struct fsh_event *event);

/* Advances a barrier of the conduit in flight (run_meet.c). */
bool fsh_run_meet_kick(void);

/* Registers the handlers of collectives (run.h). */
void fsh_run_register(void);
/* Reads the settings for algorithms (run_call.c); called by gasnet_init. */
void fsh_coll_settings(void);
extern atomic_bool fsh_run_active;
bool fsh_run_kick(void);
/* Advance collectives by direct loads (run_direct.c) and on the card
 * (run_card.c). */
bool fsh_run_direct_kick(void);
bool fsh_run_card_kick(void);
/* Describes the calls in flight there, one line each, for state dumps. */
void fsh_run_card_describe(void (*line)(void *arg, const char *text),
                           void *arg);
/* Call once the conduit's limits are known. */
void fsh_coll_limits(void);

/* What a poll calls while any protocol has work (base/kick.h); filled in by kicks.c.
 * They return true if there was progress. */
struct fsh_kicks {
    bool (*meeting)(void);
    bool (*answers)(void);
    bool (*longs)(void);
    bool (*run)(void);
    bool (*direct)(void);
    bool (*card)(void);
    bool (*bridge)(void);
    bool (*by_bridge)(void);
};
extern const struct fsh_kicks fsh_kicks;

/* ---- leaving (exit.c) ---- */

/* Registers the exit hook; called by gasnet_init. */
void fsh_exit_register(void);
/* Ends the job now if a gasnet_exit, on another thread or further up this
 * stack, has run out of time. */
void fsh_exit_check(void);

#endif
