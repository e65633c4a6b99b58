/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Incoming active messages: delivery by the conduit, and the poll. Any thread. The
 * token a handler gets is the conduit's own structure, valid until the handler
 * returns.
 */
#include "base/kick.h"
#include "base/log.h"
#include "base/spin.h"
#include "gasnet/internal.h"

static __attribute__((noinline)) void trace_handler(
    const struct fsh_token *token)
{
    const struct fsh_trace_message m = {token->source, token->lane,
                                        token->is_request};

    fsh_trace_handler(token->handler, &m,
                      token->category == FSH_AM_SHORT ? 0 : token->nbytes);
}

void fsh_am_deliver(struct fsh_token *token)
{
    struct fsh_thread *self = fsh_thread_self();
    unsigned index = token->handler;
    fsh_handler_fn fn = fsh_gasnet.handler[index];
    unsigned depth = self->in_handler;
    struct fsh_token *outer = self->token;
    void *outer_name = self->token_name, *name = token;
    gasnet_hsl_t *held = self->held;

    if (__builtin_expect(fn == NULL, 0))
        fsh_bad_handler(token->source, index);
    self->token = token;
    if (FSH_GASNET_DEBUG) {
        if (index >= FSH_HANDLER_CLIENT)
            name = fsh_check_token_name();
        self->token_name = name;
    }
    self->in_handler = depth + 1;
    if (__builtin_expect(fsh_trace_on, 0))
        trace_handler(token);
    fsh_dispatch(fn, name, token);
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_handled();
    FSH_ASSERT(self->token == token && self->in_handler == depth + 1);
    /* Stored rather than decremented: a read-modify-write would make each
     * message of a batch wait for the previous one's store. */
    self->in_handler = depth;
    self->token = outer;
    if (!FSH_GASNET_DEBUG)
        return;
    self->token_name = outer_name;
    if (self->held != held)
        fsh_fatal("handler %u returned while holding the HSL at %p", index,
                  (void *)self->held);
}

/* Debug and traces: one at a time, with all checks of a single delivery. */
static void deliver_each(struct fsh_token *token, const struct fsh_short *m,
                         unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        token->handler = fsh_short_handler(m[i].what);
        token->category = FSH_AM_SHORT;
        token->nargs = fsh_short_nargs(m[i].what);
        token->replied = false;
        token->args = m[i].args;
        fsh_am_deliver(token);
    }
}

void fsh_am_deliver_shorts(struct fsh_token *token, const struct fsh_short *m,
                           unsigned n)
{
    struct fsh_thread *self = fsh_thread_self();
    unsigned depth = self->in_handler;
    struct fsh_token *outer = self->token;

    if (FSH_GASNET_DEBUG || __builtin_expect(fsh_trace_on, 0)) {
        deliver_each(token, m, n);
        return;
    }
    self->token = token;
    self->in_handler = depth + 1;
    fsh_dispatch_shorts(token, m, n);
    self->in_handler = depth;
    self->token = outer;
}

static inline void wake_threads(void)
{
    if (fsh_gasnet.threaded && fsh_thread_count() > 1)
        fsh_wait_wake();
}

void fsh_am_delivered(void)
{
    wake_threads();
}

/* Advances the library's own protocols. Not inlined, to keep an empty poll short. */
static __attribute__((noinline)) bool kick(void)
{
    bool found = fsh_command_kick();

    found |= fsh_kicks.meeting();
    found |= fsh_kicks.answers();
    found |= fsh_kicks.longs();
    if (atomic_load_explicit(&fsh_run_active, memory_order_relaxed))
        found |= fsh_kicks.run();
    found |= fsh_kicks.direct();
    found |= fsh_kicks.card();
    found |= fsh_kicks.bridge();
    found |= fsh_kicks.by_bridge();
    return found;
}

/* Inlined into its callers: calls are a large part of the cost of an empty poll. */
static inline __attribute__((always_inline)) bool poll(bool (*look)(void))
{
    bool found = look();

    if (__builtin_expect(fsh_kicks_asked(), 0))
        found |= kick();
    if (found)
        wake_threads();
    return found;
}

FSH_HOT bool fsh_gasnet_poll(void)
{
    return poll(fsh_gasnet.ops->poll);
}

FSH_HOT bool fsh_gasnet_spin(void)
{
    return poll(fsh_gasnet.ops->spin);
}

void fsh_am_waits(void)
{
    if (fsh_kicks_asked() && kick())
        fsh_am_delivered();
}

static __attribute__((noinline)) void offer(struct fsh_thread *self)
{
    self->barren = 0;
    fsh_spin_yield();
}

/* Polls; yields the processor after `patience` consecutive empty polls. */
static inline __attribute__((always_inline)) void poll_once(const char *call,
                                                            unsigned patience)
{
    struct fsh_thread *self = fsh_thread_self();

    FSH_CALL_ROUND(call);
    /* Handlers do not nest and must not wait for a lock, so with either do
     * nothing. */
    if ((self->in_handler | fsh_guard) != 0)
        return;
    if (poll(fsh_gasnet.ops->poll)) {
        self->barren = 0;
        if (__builtin_expect(fsh_trace_on, 0))
            fsh_trace_polled(call);
    } else if (__builtin_expect(++self->barren >= patience, 0)) {
        offer(self);
    }
}

static inline __attribute__((always_inline)) void client_poll(const char *call)
{
    if (__builtin_expect(!fsh_gasnet.attached, 0))
        fsh_bad_call(call);
    poll_once(call, fsh_spin_patience());
}

void fsh_gasnet_poll_once(const char *call)
{
    client_poll(call);
}

void fsh_gasnet_poll_due(const char *call, bool yields)
{
    fsh_gasnet_until_poll = FSH_GASNET_QUIET;
    if (fsh_gasnet.attached)
        poll_once(call, yields && fsh_spin_crowded() ? FSH_PATIENCE_LEAST
                                                     : FSH_PATIENCE_MOST);
}

int gasnet_AMPoll(void)
{
    client_poll("gasnet_AMPoll");
    return GASNET_OK;
}

int gasnetc_AMPoll(void)
{
    return gasnet_AMPoll();
}
