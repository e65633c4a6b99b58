/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of src/gasnet share: the state of this rank, the state of a
 * thread, and the calls between the files. Global state is written by
 * gasnet_init and gasnet_attach on one thread and read-only afterwards, except
 * the atomics.
 */
#ifndef FSH_GASNET_INTERNAL_H
#define FSH_GASNET_INTERNAL_H

/* The library serves all modes; its own code is compiled as the widest. */
#undef GASNET_PAR
#define GASNET_PAR 1
#define FSH_GASNET_LIBRARY 1 /* no mark of a client */
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

/* The flavour of this library. DEBUG: checks that cost time or that working
 * programs may trip over. EVERYTHING: all memory is remote memory. This folder
 * is compiled once for each; other parts of the library serve all flavours,
 * so no layout below depends on it. */
enum {
    FSH_GASNET_DEBUG = FSH_CONFIG_DEBUG,
    FSH_GASNET_EVERYTHING = FSH_CONFIG_EVERYTHING
};

/* Handlers of a fixed, unknown list of int arguments behind their fixed ones;
 * cast to the right type by fsh_am_deliver. */
typedef void (*fsh_handler_fn)(void);

struct fsh_gasnet {
    const struct fsh_conduit_ops *ops; /* NULL before gasnet_init */
    /* The conduit itself; EVERYTHING has a layer of its own above it. */
    const struct fsh_conduit_ops *conduit;
    uint32_t rank;
    uint32_t nodes;
    uint32_t short_nodes; /* nodes if Shorts may go to the conduit straight:
                             attached, nothing is checked, and `shorts` there */
    const struct fsh_short_ops *shorts; /* the conduit's, or NULL */
    bool attached;
    bool threaded;       /* PAR or PARSYNC: several threads may call */
    atomic_int waitmode; /* GASNET_WAIT_ */
    struct fsh_limits limits;
    struct fsh_segment *segs; /* [nodes]; sizes 0 before attach; of the conduit,
                                 which clients of EVERYTHING do not see */
    fsh_handler_fn handler[FSH_HANDLER_COUNT];
};
extern struct fsh_gasnet fsh_gasnet;

/* ---- threads (thread.c) ---- */

/* Debug: that a thread holds a lock, for reports. Made with the first lock of
 * that depth, never freed, so that others may look at what may be over. */
struct fsh_hold {
    struct fsh_thread *thread;
    struct fsh_hold *below;      /* of the lock taken before this one */
    struct fsh_hold *above;      /* and after it; NULL: never yet */
    _Atomic(const void *) what;  /* the lock; NULL: interrupts */
    _Atomic(const char *) where; /* file:line, or NULL */
    atomic_ullong since;         /* ns; 0: nothing to report */
};

/* State of one thread, made at its first call, passed on to a later thread
 * when it exits and its operations are done. */
struct fsh_thread {
    struct fsh_token *token; /* of the handler that runs on this thread */
    void *token_name;        /* debug: what the client knows it as */
    gasnet_hsl_t *held;      /* debug: locks held, last first */
    struct fsh_hold *hold;   /* debug: of the last of them, or NULL */
    struct fsh_hold *holds;  /* debug: all it ever had */
    struct fsh_hold section; /* debug: since when */
    unsigned calls;          /* debug: depth of client's calls */
    unsigned in_handler;     /* depth */
    unsigned barren;         /* polls in a row that found nothing */
    uint32_t region;         /* slot of the open access region + 1, or 0 */
    uint32_t image;          /* of gasnet_coll_init + 1, or 0 */
    uint32_t free_head;      /* free slots of this thread, index + 1 */
    uint32_t free_count;
    struct fsh_event puts; /* implicit operations in flight */
    struct fsh_event gets;
    struct fsh_thread *next; /* in the list of those without a thread */
};

/* Read without a call, wherever the library is linked into. */
extern _Thread_local struct fsh_thread *fsh_thread_current
    __attribute__((tls_model("initial-exec")));
struct fsh_thread *fsh_thread_make(void);

/* The state of the calling thread, made at its first call; it is the library's. */
static inline struct fsh_thread *fsh_thread_self(void)
{
    struct fsh_thread *self = fsh_thread_current;

    return __builtin_expect(self != NULL, 1) ? self : fsh_thread_make();
}

/* What keeps a thread from running handlers, one word for polls to read: how many
 * HSLs it holds, and the bit while it is between gasnet_hold_interrupts and
 * gasnet_resume_interrupts. Beside the state above, so that a lock makes none. */
#define FSH_GUARD_HOLDING 0x80000000u
extern _Thread_local unsigned fsh_guard
    __attribute__((tls_model("initial-exec")));

/* HSLs that the calling thread holds. */
static inline unsigned fsh_guard_locks(void)
{
    return fsh_guard & ~FSH_GUARD_HOLDING;
}

/* Is the calling thread between hold and resume? */
static inline bool fsh_guard_holding(void)
{
    return (fsh_guard & FSH_GUARD_HOLDING) != 0;
}

/* Threads that have called the library and not exited. */
unsigned fsh_thread_count(void);

/* ---- explicit operations (handle.c) ---- */

/* An operation a handle stands for. `generation` moves on when the operation
 * is synchronised, which makes old handles stale. Slots are never freed. */
struct fsh_slot {
    struct fsh_event event;
    _Atomic uint32_t generation;
    uint32_t next;                  /* in a free list, index + 1 */
    bool is_value;                  /* debug: of a get_nb_val */
    uint64_t value;                 /* destination of get_nb_val */
    const struct fsh_thread *owner; /* debug: who took it; NULL if free */
};

/* Take a free slot (its event is zero); give it back unused or done. */
uint32_t fsh_slot_take(struct fsh_thread *self);
void fsh_slot_give(struct fsh_thread *self, uint32_t index);
struct fsh_slot *fsh_slot_at(uint32_t index);
/* A thread exits: its free slots go to the common list. */
void fsh_slot_give_all(struct fsh_thread *self);

/* The handle of a slot in use, and back. Fatal (naming call) if the value was
 * never a handle. Returns NULL if it is stale or invalid: complete. */
void *fsh_slot_handle(uint32_t index);
struct fsh_slot *fsh_slot_find(void *handle, uint32_t *index, const char *call);
/* End the operation if it is done: true if it is complete (now or before). */
bool fsh_slot_finish(void *handle, const char *call);
/* Close a slot after an operation was started on it: its handle, or NULL if
 * the operation is complete already. */
void *fsh_slot_close(struct fsh_thread *self, uint32_t index);

/* Where an implicit put or get of this thread counts: in its access region or
 * among its own. */
static inline struct fsh_event *fsh_event_implicit(struct fsh_thread *self,
                                                   bool put)
{
    if (self->region != 0)
        return &fsh_slot_at(self->region - 1)->event;
    return put ? &self->puts : &self->gets;
}

/* The syncs of explicit handles for any family of calls, `call` being the
 * client's; try does not poll (sync.c). */
void fsh_sync_wait(void *handle, const char *call);
void fsh_sync_wait_all(void **handles, size_t n, const char *call);
void fsh_sync_wait_some(void **handles, size_t n, const char *call);
int fsh_sync_try_all(void **handles, size_t n, const char *call);
int fsh_sync_try_some(void **handles, size_t n, const char *call);

/* ---- waiting (wait.c) ---- */

/* What the header reserves in GASNET_BLOCKUNTIL is used in place. */
_Static_assert(sizeof(struct fsh_wait) == sizeof(fsh_gasnet_wait_t),
               "GASNET_BLOCKUNTIL reserves what a wait needs");

/* One round of waiting for `what`, a client's call: poll, or spin, yield, sleep
 * (bounded), as fsh_wait_pause. Call fsh_wait_end when the wait is over. */
void fsh_wait_step(struct fsh_wait *wait, const char *what);
/* Polls of this process that found something (wake.c). */
extern atomic_uint fsh_wait_progress __attribute__((visibility("hidden")));
/* A poll found something: count it, and wake the threads in fsh_wait_sleep. */
void fsh_wait_wake(void);
/* Sleep until a poll finds something, for ns at most; not at all if one has since
 * `seen` was read from fsh_wait_progress. */
void fsh_wait_sleep(uint32_t seen, uint64_t ns);

/* Poll until nothing of the event is in flight. */
void fsh_wait_event(struct fsh_event *event, const char *what, uint32_t node);

/* The end of a blocking put of n bytes, or get; polls now and then even if it is
 * done (fsh_call_done). */
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

/* Poll the conduit and the library's own protocols. */
bool fsh_gasnet_poll(void);
/* The poll of a call that does not block; yields if such calls come in a loop
 * and find nothing. Checks that `call` may poll now; where handlers may not run
 * (in another, with a lock) it does nothing. */
void fsh_gasnet_poll_once(const char *call);
/* The poll that is due (gasnet_direct.h). The call has done something, and so is
 * slow to yield unless it says otherwise. */
void fsh_gasnet_poll_due(const char *call, bool yields);

/* Count a call that moved n bytes, unless the header has done so. */
static inline bool fsh_poll_is_due(size_t n)
{
    if (fsh_gasnet_until_poll >= 0)
        fsh_gasnet_until_poll -= FSH_GASNET_QUIET_CALL;
    return __builtin_expect(
        fsh_gasnet_until_poll < 0 || n >= FSH_GASNET_QUIET_BYTES, 0);
}

/* The end of a call that moved n bytes and had nothing to wait for: every so
 * often it polls, so that a loop of any such calls that waits for a peer also
 * serves that peer. */
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

/* Send a request of the library itself, with nargs arguments, as a Short, or with a
 * source as a Medium of nbytes, which may be reused on return. Blocks, polling, for
 * room: not from handlers, nor from polls. */
void fsh_gasnet_send(uint32_t node, enum fsh_handler handler,
                     const int32_t *args, unsigned nargs, const void *src,
                     size_t nbytes);

/* The same if there is room for it now, without blocking: for polls, which try
 * again in the next one. False: nothing was sent. */
bool fsh_gasnet_try_send(uint32_t node, enum fsh_handler handler,
                         const int32_t *args, unsigned nargs, const void *src,
                         size_t nbytes);
/* A message of the library: a Short, or with a source a Medium. */
struct fsh_am fsh_library_am(uint32_t node, enum fsh_handler handler,
                             const int32_t *args, unsigned nargs,
                             const void *src, size_t nbytes);

/* A library's handler answers, once (answer.c). Sent now or by a later poll, as
 * a reply or as a request; up to 4 arguments; src stays as it is until then. */
void fsh_answer(struct fsh_token *token, enum fsh_handler handler,
                const int32_t *args, unsigned nargs, const void *src,
                size_t nbytes);
bool fsh_answers_kick(void);

/* Call the handler of a message with its arguments spread out. name: what it
 * gets as its token. */
void fsh_dispatch(fsh_handler_fn fn, void *name, const struct fsh_token *token);
/* The handlers of n Shorts, each with the token. */
void fsh_dispatch_shorts(struct fsh_token *token, const struct fsh_short *m,
                         unsigned n);

/* ---- checks (state.c, check.c): one line, and the job ends ---- */

/* Say which argument of `call` is wrong and end the job. range: [addr, addr + nbytes)
 * is not in the segment of node, or there is no such node; call: it came before
 * gasnet_init or gasnet_attach; handler: a message from `source` for an index
 * without one. */
_Noreturn void fsh_bad_range(const char *call, uint32_t node, const void *addr,
                             size_t nbytes);
_Noreturn void fsh_bad_call(const char *call);
_Noreturn void fsh_bad_handler(uint32_t source, unsigned index);
/* Debug: no lock held, interrupts not held, not in a handler. */
void fsh_check_may_block(const char *call);

/* Debug: what follows is done to or by the client's calls. fsh_check_init: by
 * gasnet_init, on its thread. */
void fsh_check_init(uint32_t mode);
/* One thread only in SEQ; nothing before gasnet_init. Handlers may. */
void fsh_check_thread(const char *call);
/* A call begins, and ends: it comes after gasnet_attach, from a thread that may
 * make it now. */
void fsh_check_begin(const char *call);
void fsh_check_end(void);
/* A pointer to n > 0 bytes or elements is not null. */
void fsh_check_pointer(const char *call, const char *name, const void *p,
                       size_t n);
/* A slot that a handle names is in use, by this thread, in this generation. */
void fsh_check_slot(const char *call, const struct fsh_slot *slot,
                    const void *handle);
/* A name of the token for the client, different from all it has seen, and the
 * token of a name: that of the handler that runs. */
void *fsh_check_token_name(void);
struct fsh_token *fsh_check_token(const char *call, void *name);

/* How long locks are held (hold.c). Read the setting; from gasnet_init. */
void fsh_hold_init(void);
/* A record for one more lock of this thread, on top. */
struct fsh_hold *fsh_hold_push(struct fsh_thread *self);
/* The hold of `what` begins at `where` (file:line; NULL: not known). */
void fsh_hold_begin(struct fsh_hold *hold, const void *what, const char *where);
/* It ends in `call`, or `call` waits for it: warn if it has been long. */
void fsh_hold_end(struct fsh_hold *hold, const char *call);
void fsh_hold_check(struct fsh_hold *hold, const void *what, const char *call);

/* Every call of the client's that communicates stands between these; debug
 * libraries check there. blocks: it may also poll, or is of those that neither
 * handlers nor holders of locks may make. traced: traces show it. */
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

/* The end of what fsh_call_begin began; for FSH_CALL. */
static inline void fsh_call_end(const char **call)
{
    if (__builtin_expect(*call != NULL, 0))
        fsh_trace_end(*call);
    if (FSH_GASNET_DEBUG)
        fsh_check_end();
}

/* From here to the end of the block is a call of the client's. */
#define FSH_CALL(call)                                                     \
    __attribute__((cleanup(fsh_call_end), unused)) const char *fsh_call_ = \
        fsh_call_begin(call, true, true)
#define FSH_CALL_REPLY(call)                                               \
    __attribute__((cleanup(fsh_call_end), unused)) const char *fsh_call_ = \
        fsh_call_begin(call, false, true)
/* The same of a round of a wait, which traces have as one. */
#define FSH_CALL_ROUND(call)                                               \
    __attribute__((cleanup(fsh_call_end), unused)) const char *fsh_call_ = \
        fsh_call_begin(call, true, false)

/* The same for traces only: calls that check by themselves, and tell. */
static inline const char *fsh_traced_begin(const char *call)
{
    if (__builtin_expect(!fsh_trace_on, 1))
        return NULL;
    fsh_trace_begin(call);
    return call;
}

/* The end of what fsh_traced_begin began; for FSH_TRACED. */
static inline void fsh_traced_end(const char **call)
{
    if (__builtin_expect(*call != NULL, 0))
        fsh_trace_end(*call);
}
#define FSH_TRACED(call)                                                     \
    __attribute__((cleanup(fsh_traced_end), unused)) const char *fsh_call_ = \
        fsh_traced_begin(call)

/* The trace says of the call that it is about n bytes of that node. */
static inline void fsh_call_about(uint32_t node, size_t n)
{
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_about(node, n);
}

/* Is [addr, addr + n) in the segment of node? Fatal if not, if the node does
 * not exist, or before gasnet_attach (no segment has a size then). */
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

/* Does this node, which exists, have a compute core? From attach on. */
bool fsh_gasnet_has_compute(uint32_t node);

/* An active message of the client's for a compute core: handler index
 * FSH_OP_COMPUTE. Fatal, naming the call, if it is none. */
void fsh_gasnet_compute_am(const char *call, const struct fsh_am *am);

/* Add to an event counter of a node that has a compute core. done is called during a
 * poll on any thread: OK, or why not. It must be short. False: no memory. May
 * poll. */
bool fsh_gasnet_signal(uint32_t node, unsigned event, unsigned increment,
                       fsh_command_done_fn done, void *arg);

/* ---- copies by the client itself (direct.c) ---- */

/* Offer gasnet_direct.h what segments are mapped here; from gasnet_attach. */
void fsh_direct_offer(void);

/* ---- EVERYTHING (everything.c) ---- */

/* The conduit with all memory as remote memory; once, from gasnet_init. */
const struct fsh_conduit_ops *fsh_everything_over(
    const struct fsh_conduit_ops *conduit);

/* ---- the progress thread (progress.c) ---- */

/* Is one asked for? It needs the locks of PAR. */
bool fsh_progress_wanted(void);
/* Start it, from gasnet_attach. */
void fsh_progress_start(void);

/* ---- library protocols ---- */

/* Register the handlers of memset; from gasnet_init. */
void fsh_memset_register(void);
/* Start a memset on the event; n > 0, range checked. */
void fsh_memset_start(uint32_t node, void *dest, int val, size_t n,
                      struct fsh_event *event);

/* Barriers of a conduit's own between notify and their end (run_meet.c). */
bool fsh_run_meet_kick(void);

/* The same for collectives (run.h). */
void fsh_run_register(void);
/* Read which algorithms are asked for (run_call.c); from gasnet_init. */
void fsh_coll_settings(void);
extern atomic_bool fsh_run_active;
bool fsh_run_kick(void);
/* The same by loads (run_direct.c), and on the card (run_card.c). */
bool fsh_run_direct_kick(void);
bool fsh_run_card_kick(void);
/* One line a call that is in flight there, for state dumps. */
void fsh_run_card_describe(void (*line)(void *arg, const char *text),
                           void *arg);
/* Once the conduit's limits are known. */
void fsh_coll_limits(void);

/* What a poll calls while any of them has work (base/kick.h); filled in by kicks.c.
 * True: there was progress. */
struct fsh_kicks {
    bool (*meeting)(void);
    bool (*answers)(void);
    bool (*run)(void);
    bool (*direct)(void);
    bool (*card)(void);
};
extern const struct fsh_kicks fsh_kicks;

/* ---- leaving (exit.c) ---- */

/* Register the exit hook; from gasnet_init. */
void fsh_exit_register(void);
/* If a gasnet_exit has run out of time on another thread or further up this
 * one's stack, end the job now. */
void fsh_exit_check(void);

#endif
