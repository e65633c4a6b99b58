/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handler-safe locks: futex mutexes (0 free, 1 held, 2 held with possible
 * sleepers). A single-threaded program needs no atomics, since handlers run
 * only in polls and nobody polls while holding a lock; there, waiting for a
 * held lock would be a deadlock. Debug libraries check lock order and where
 * locks are used.
 */
#include "base/futex.h"
#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/internal.h"

/* Values of `state`, debug only; GASNET_HSL_INITIALIZER sets
 * FSH_GASNET_HSL_STATIC. */
#define INITIALISED 0x48534c31u
#define DESTROYED 0x48534c30u

/* Both calls are ignored in handlers and while a lock is held. */
static bool is_ignored(void)
{
    const struct fsh_thread *self = fsh_thread_current;

    return fsh_guard_locks() > 0 || (self != NULL && self->in_handler > 0);
}

void fsh_gasnet_hold_interrupts(const char *where)
{
    if (FSH_GASNET_DEBUG)
        fsh_check_thread("gasnet_hold_interrupts");
    if (is_ignored())
        return;
    if (FSH_GASNET_DEBUG && fsh_guard_holding())
        fsh_fatal("gasnet_hold_interrupts: called twice without "
                  "gasnet_resume_interrupts; the section does not nest");
    fsh_guard |= FSH_GUARD_HOLDING;
    if (FSH_GASNET_DEBUG)
        fsh_hold_begin(&fsh_thread_self()->section, NULL, where);
}

void gasnet_hold_interrupts(void)
{
    fsh_gasnet_hold_interrupts(NULL);
}

void gasnet_resume_interrupts(void)
{
    if (FSH_GASNET_DEBUG)
        fsh_check_thread("gasnet_resume_interrupts");
    if (is_ignored())
        return;
    if (FSH_GASNET_DEBUG && !fsh_guard_holding())
        fsh_fatal("gasnet_resume_interrupts: called without "
                  "gasnet_hold_interrupts");
    fsh_guard &= ~FSH_GUARD_HOLDING;
    if (FSH_GASNET_DEBUG)
        fsh_hold_end(&fsh_thread_self()->section, "gasnet_resume_interrupts");
}

static bool is_alive(const gasnet_hsl_t *hsl)
{
    return hsl->state == INITIALISED || hsl->state == FSH_GASNET_HSL_STATIC;
}

/* Debug: checks that the lock is initialised and not destroyed. */
static void check_alive(const char *call, const gasnet_hsl_t *hsl)
{
    fsh_check_thread(call);
    fsh_check_pointer(call, "hsl", hsl, sizeof *hsl);
    if (hsl->state == DESTROYED)
        fsh_fatal("%s: the HSL at %p has been destroyed", call,
                  (const void *)hsl);
    if (!is_alive(hsl))
        fsh_fatal("%s: the HSL at %p is not initialised "
                  "(GASNET_HSL_INITIALIZER or gasnet_hsl_init)",
                  call, (const void *)hsl);
}

void gasnet_hsl_init(gasnet_hsl_t *hsl)
{
    if (FSH_GASNET_DEBUG) {
        fsh_check_thread("gasnet_hsl_init");
        fsh_check_pointer("gasnet_hsl_init", "hsl", hsl, sizeof *hsl);
        if (is_alive(hsl))
            fsh_fatal("gasnet_hsl_init: the HSL at %p is initialised already",
                      (void *)hsl);
    }
    *hsl = (gasnet_hsl_t)GASNET_HSL_INITIALIZER;
    hsl->state = INITIALISED;
}

void gasnet_hsl_destroy(gasnet_hsl_t *hsl)
{
    if (FSH_GASNET_DEBUG) {
        check_alive("gasnet_hsl_destroy", hsl);
        if (__atomic_load_n(&hsl->lock, __ATOMIC_RELAXED) != 0)
            fsh_fatal("gasnet_hsl_destroy: the HSL at %p is locked",
                      (void *)hsl);
    }
    hsl->state = DESTROYED;
}

/* Debug: checks that this thread may take the lock; records that it did. */
static void before_lock(const char *call, const gasnet_hsl_t *hsl)
{
    check_alive(call, hsl);
    for (const gasnet_hsl_t *h = fsh_thread_self()->held; h; h = h->below)
        if (h == hsl)
            fsh_fatal("%s: this thread holds the HSL at %p already; HSLs are "
                      "not recursive",
                      call, (const void *)hsl);
}

/* Also called by threads waiting for the lock. Acquire; partner: after_lock. */
static struct fsh_hold *hold_of(const gasnet_hsl_t *hsl)
{
    return __atomic_load_n(&hsl->owner, __ATOMIC_ACQUIRE);
}

static void after_lock(gasnet_hsl_t *hsl, const char *where)
{
    struct fsh_thread *self = fsh_thread_self();
    struct fsh_hold *hold = fsh_hold_push(self);

    fsh_hold_begin(hold, hsl, where);
    __atomic_store_n(&hsl->owner, (void *)hold, __ATOMIC_RELEASE);
    hsl->below = self->held;
    self->held = hsl;
}

static void before_unlock(gasnet_hsl_t *hsl)
{
    struct fsh_thread *self = fsh_thread_self();
    struct fsh_hold *hold;

    check_alive("gasnet_hsl_unlock", hsl);
    hold = hold_of(hsl);
    if (hold == NULL || hold->thread != self)
        fsh_fatal("gasnet_hsl_unlock: this thread does not hold the HSL at %p",
                  (void *)hsl);
    if (self->held != hsl)
        fsh_fatal("gasnet_hsl_unlock: the HSL at %p was not the last one "
                  "locked; HSLs are unlocked in reverse order",
                  (void *)hsl);
    fsh_hold_end(hold, "gasnet_hsl_unlock");
    self->hold = hold->below;
    self->held = hsl->below;
    __atomic_store_n(&hsl->owner, NULL, __ATOMIC_RELAXED);
}

/* Another thread holds the lock: checks for how long. */
static void check_holder(const char *call, const gasnet_hsl_t *hsl)
{
    struct fsh_hold *hold = hold_of(hsl);

    if (hold != NULL)
        fsh_hold_check(hold, hsl, call);
}

/* Acquire; partner: the release in gasnet_hsl_unlock. */
static bool take(gasnet_hsl_t *hsl)
{
    uint32_t expected = 0;

    return __atomic_compare_exchange_n(&hsl->lock, &expected, 1, 0,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

struct lock_wait {
    struct fsh_wait wait;
    gasnet_hsl_t *hsl;
    bool sleepers; /* this or another thread may be asleep: `lock` is 2 */
    bool taken;
};

static bool sleep_for_lock(struct fsh_wait *wait, uint64_t ns)
{
    struct lock_wait *w = (struct lock_wait *)(void *)wait;

    w->sleepers = true;
    w->taken = __atomic_exchange_n(&w->hsl->lock, 2, __ATOMIC_ACQUIRE) == 0;
    if (!w->taken)
        fsh_futex_wait(&w->hsl->lock, 2, ns);
    return true;
}

static void check_lock(struct fsh_wait *wait, const char *call)
{
    const struct lock_wait *w = (const struct lock_wait *)(void *)wait;

    if (FSH_GASNET_DEBUG)
        check_holder(call, w->hsl);
    fsh_exit_check();
}

static void lock_slowly(gasnet_hsl_t *hsl)
{
    static const struct fsh_wait_kind kind = {.spins = 100,
                                              .nap_us = 50000,
                                              .most_us = 50000,
                                              .sleep = sleep_for_lock,
                                              .check = check_lock};
    const struct fsh_simulated *simulated = fsh_simulated();
    struct lock_wait w = {.hsl = hsl};
    struct fsh_waiting here;

    if (simulated != NULL)
        simulated->unblock(); /* the holder may be waiting for its turn */
    fsh_wait_enter(&here, &kind, &w.wait, "gasnet_hsl_lock");
    while (!w.taken && (w.sleepers || !take(hsl)))
        if (simulated != NULL && simulated->yield(&w.wait, 0))
            fsh_wait_check(&kind, &w.wait, "gasnet_hsl_lock");
        else
            fsh_wait_pause(&kind, &w.wait, "gasnet_hsl_lock");
    fsh_wait_leave(&here);
    fsh_wait_end(&w.wait);
}

static inline void lock_at(gasnet_hsl_t *hsl, const char *where)
{
    if (FSH_GASNET_DEBUG)
        before_lock("gasnet_hsl_lock", hsl);
    if (fsh_gasnet.threaded) {
        if (!take(hsl))
            lock_slowly(hsl);
    } else {
        if (hsl->lock != 0)
            fsh_fatal("gasnet_hsl_lock: the HSL at %p is held already, by the "
                      "only thread; HSLs are not recursive",
                      (void *)hsl);
        hsl->lock = 1;
    }
    fsh_guard++;
    if (FSH_GASNET_DEBUG)
        after_lock(hsl, where);
}

void gasnet_hsl_lock(gasnet_hsl_t *hsl)
{
    lock_at(hsl, NULL);
}

void fsh_gasnet_hsl_lock(gasnet_hsl_t *hsl, const char *where)
{
    lock_at(hsl, where);
}

static inline int trylock_at(gasnet_hsl_t *hsl, const char *where)
{
    if (FSH_GASNET_DEBUG)
        before_lock("gasnet_hsl_trylock", hsl);
    if (fsh_gasnet.threaded) {
        if (!take(hsl)) {
            if (FSH_GASNET_DEBUG)
                check_holder("gasnet_hsl_trylock", hsl);
            return GASNET_ERR_NOT_READY;
        }
    } else {
        if (hsl->lock != 0)
            return GASNET_ERR_NOT_READY;
        hsl->lock = 1;
    }
    fsh_guard++;
    if (FSH_GASNET_DEBUG)
        after_lock(hsl, where);
    return GASNET_OK;
}

int gasnet_hsl_trylock(gasnet_hsl_t *hsl)
{
    return trylock_at(hsl, NULL);
}

int fsh_gasnet_hsl_trylock(gasnet_hsl_t *hsl, const char *where)
{
    return trylock_at(hsl, where);
}

void gasnet_hsl_unlock(gasnet_hsl_t *hsl)
{
    if (FSH_GASNET_DEBUG)
        before_unlock(hsl);
    FSH_ASSERT(fsh_guard_locks() > 0 && hsl->lock != 0);
    /* An unlock too many, which release libraries do not report, must not disable
     * handlers for ever. */
    if (__builtin_expect(fsh_guard_locks() > 0, 1))
        fsh_guard--;
    if (!fsh_gasnet.threaded)
        hsl->lock = 0;
    else if (__atomic_exchange_n(&hsl->lock, 0, __ATOMIC_RELEASE) == 2)
        fsh_futex_wake(&hsl->lock, 1);
}
