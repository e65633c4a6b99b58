/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks of debug libraries: which thread calls what, when, with which
 * arguments. Each mistake is one line that names the call and the argument, and
 * ends the job. Called at the start and end of client calls, on any thread.
 */
#include "base/log.h"
#include "gasnet/internal.h"

enum { SEQ = 1, PARSYNC = 2 }; /* modes, encoded as in the client's word */

static uint32_t mode; /* set by gasnet_init */
static const struct fsh_thread *initial;

/* PARSYNC: the thread currently inside a call, and the call's name. */
static _Atomic(const struct fsh_thread *) inside;
static _Atomic(const char *) inside_call;

void fsh_check_init(uint32_t client_mode)
{
    mode = client_mode;
    initial = fsh_thread_self();
}

void fsh_check_thread(const char *call)
{
    const struct fsh_thread *self = fsh_thread_self();

    /* A library thread runs handlers, in any mode. */
    if (mode != SEQ || self == initial || self->in_handler > 0)
        return;
    fsh_fatal("%s: called from a second thread, but the program was compiled "
              "with GASNET_SEQ: only the thread that called gasnet_init may "
              "call (or compile with GASNET_PARSYNC or GASNET_PAR)",
              call);
}

/* `inside` orders no memory; it only detects whether the client serialises its
 * threads, as it must. */
static void enter_alone(const char *call, const struct fsh_thread *self)
{
    const struct fsh_thread *other = NULL;
    const char *their_call;

    if (atomic_compare_exchange_strong(&inside, &other, self)) {
        atomic_store(&inside_call, call);
        return;
    }
    their_call = atomic_load(&inside_call);
    fsh_fatal("%s: called while another thread is in %s, but the program was "
              "compiled with GASNET_PARSYNC: one thread may call at a time",
              call, their_call != NULL ? their_call : "a call");
}

void fsh_check_begin(const char *call)
{
    struct fsh_thread *self = fsh_thread_self();

    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    fsh_check_thread(call);
    if (mode == PARSYNC && self->calls == 0 && self->in_handler == 0)
        enter_alone(call, self);
    self->calls++;
}

void fsh_check_end(void)
{
    struct fsh_thread *self = fsh_thread_self();

    FSH_ASSERT(self->calls != 0);
    self->calls--;
    if (mode == PARSYNC && self->calls == 0 && self->in_handler == 0)
        atomic_store(&inside, NULL);
}

void fsh_check_may_block(const char *call)
{
    const struct fsh_thread *self = fsh_thread_self();

    if (self->in_handler > 0)
        fsh_fatal("%s: called from inside an active message handler", call);
    if (self->held != NULL)
        fsh_fatal("%s: called while holding the HSL at %p", call,
                  (void *)self->held);
    if (fsh_guard_holding())
        fsh_fatal("%s: called between gasnet_hold_interrupts and "
                  "gasnet_resume_interrupts",
                  call);
}

void fsh_check_pointer(const char *call, const char *name, const void *p,
                       size_t n)
{
    if (p == NULL && n != 0)
        fsh_fatal("%s: %s is a null pointer", call, name);
}

/* ---- handles ---- */

void fsh_check_slot(const char *call, const struct fsh_slot *slot,
                    const void *handle)
{
    uint32_t generation = (uint32_t)((uintptr_t)handle >> 32);
    uint32_t now =
        atomic_load_explicit(&slot->generation, memory_order_relaxed);

    if ((int32_t)(now - generation) > 0)
        fsh_fatal("%s: handle %p has been synchronised before", call, handle);
    if (now != generation || slot->owner == NULL)
        fsh_fatal("%s: %p is not a handle", call, handle);
    if (slot->owner != fsh_thread_self())
        fsh_fatal("%s: handle %p is of an operation that another thread has "
                  "started; the thread that starts one synchronises it",
                  call, handle);
}

/* ---- tokens ---- */

void *fsh_check_token_name(void)
{
    static _Atomic uintptr_t count;

    /* Not a plausible address; 0 stays unused. */
    return (void *)(atomic_fetch_add_explicit(&count, 2, memory_order_relaxed) |
                    1);
}

struct fsh_token *fsh_check_token(const char *call, void *name)
{
    const struct fsh_thread *self = fsh_thread_self();

    if (name == NULL || name != self->token_name)
        fsh_fatal("%s: token %p is not that of a handler running on this "
                  "thread (a token ends with its handler)",
                  call, name);
    return self->token;
}
