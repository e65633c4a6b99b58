/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debug libraries: how long locks and no-interrupt sections are held. A handler
 * that wants a held lock waits for it, and so does anybody waiting for that
 * handler's reply. A long hold is reported once, either by the holder on
 * release or by a thread waiting for the lock. Any thread. Uses the coarse
 * clock (resolution of a few milliseconds), at negligible cost per lock.
 */
#include <time.h>

#include "base/log.h"
#include "base/option.h"
#include "gasnet/internal.h"

enum { MOST_WARNINGS = 20 };

static uint64_t limit_ns; /* 0: never; set by gasnet_init */
static atomic_uint warnings;

void fsh_hold_init(void)
{
    limit_ns = (uint64_t)(fsh_option_seconds("FSHMEM_HOLD_WARNING") * 1e9);
}

static uint64_t now_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC_COARSE, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

void fsh_hold_begin(struct fsh_hold *hold, const void *what, const char *where)
{
    atomic_store_explicit(&hold->what, what, memory_order_relaxed);
    atomic_store_explicit(&hold->where, where, memory_order_relaxed);
    /* Partner: the acquire in fsh_hold_check. */
    atomic_store_explicit(&hold->since, limit_ns != 0 ? now_ns() : 0,
                          memory_order_release);
}

static void report(const char *call, const void *what, const char *where,
                   uint64_t ns)
{
    char name[64] = "interrupts have been";
    unsigned before =
        atomic_fetch_add_explicit(&warnings, 1, memory_order_relaxed);

    if (before >= MOST_WARNINGS)
        return;
    if (what != NULL)
        snprintf(name, sizeof name, "the HSL at %p has been", what);
    fsh_warn("%s: %s held for %.3g s%s%s; handlers wait for it "
             "(FSHMEM_HOLD_WARNING)%s",
             call, name, (double)ns * 1e-9, where != NULL ? ", since " : "",
             where != NULL ? where : "",
             before + 1 == MOST_WARNINGS ? "; no more such lines" : "");
}

void fsh_hold_check(struct fsh_hold *hold, const void *what, const char *call)
{
    unsigned long long since =
        atomic_load_explicit(&hold->since, memory_order_acquire);
    const char *where =
        atomic_load_explicit(&hold->where, memory_order_relaxed);
    uint64_t now;

    /* The holder may release the lock meanwhile and take another; then `since`
     * has changed too. */
    if (since == 0 ||
        atomic_load_explicit(&hold->what, memory_order_relaxed) != what)
        return;
    now = now_ns();
    if (now - since >= limit_ns &&
        atomic_compare_exchange_strong_explicit(&hold->since, &since, 0,
                                                memory_order_relaxed,
                                                memory_order_relaxed))
        report(call, what, where, now - since);
}

void fsh_hold_end(struct fsh_hold *hold, const char *call)
{
    fsh_hold_check(
        hold, atomic_load_explicit(&hold->what, memory_order_relaxed), call);
    atomic_store_explicit(&hold->since, 0, memory_order_relaxed);
}

/* ---- lock records of a thread ---- */

/* Locks are released in reverse order, so the records form a stack. */
struct fsh_hold *fsh_hold_push(struct fsh_thread *self)
{
    struct fsh_hold *top = self->hold;
    struct fsh_hold *next = top == NULL ? self->holds : top->above;

    if (next == NULL) {
        next = calloc(1, sizeof *next);
        if (next == NULL)
            fsh_fatal("gasnet_hsl_lock: no memory for one more lock");
        next->thread = self;
        next->below = top;
        *(top == NULL ? &self->holds : &top->above) = next;
    }
    FSH_ASSERT(next->thread == self && next->below == top);
    return self->hold = next;
}
