/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/sim/threads.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/futex.h"
#include "base/log.h"
#include "base/wait.h"

struct thread {
    struct thread *next; /* of those that wait; under the lock */
    uint32_t wakes, seen;
    uint64_t until;
    unsigned number;
    bool known;   /* it has a number */
    bool daemon;  /* it stops with the rank */
    bool runs;    /* own: it has the rank's turn */
    uint32_t tid; /* of the kernel */
    /* Own, a signal may interrupt: in a call; in fsh_turn_next, for all threads. */
    volatile bool inside, leads;
    _Atomic uint32_t chosen; /* by whoever handed the turn on; futex */
};

static struct {
    pthread_mutex_t lock;
    pthread_key_t key; /* tells when a thread ends */
    struct fsh_turn *turn;
    const _Atomic uint32_t *activity;
    struct thread *waiting; /* under the lock */
    atomic_uint listed;     /* how many those are */
    struct thread *first;   /* has the turn; NULL: nobody; under the lock */
    atomic_uint count;
    atomic_bool over;
} threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct thread me;

static uint64_t due(const struct thread *t)
{
    uint64_t now = threads.turn->now;

    if (t->wakes == FSH_SIM_WAKE_ACTIVITY &&
        atomic_load_explicit(threads.activity, memory_order_acquire) != t->seen)
        return now;
    return t->until > now ? t->until : now;
}

/* Of those that wait, which there are, the one that goes on soonest. */
static struct thread *soonest(void)
{
    struct thread *best = threads.waiting;

    for (struct thread *t = best->next; t != NULL; t = t->next) {
        uint64_t mine = due(t), least = due(best);

        if (mine < least || (mine == least && t->number < best->number))
            best = t;
    }
    return best;
}

static void add(struct thread *t)
{
    t->next = threads.waiting;
    threads.waiting = t;
    atomic_fetch_add_explicit(&threads.listed, 1, memory_order_relaxed);
}

static void drop(struct thread *t)
{
    struct thread **link = &threads.waiting;

    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    atomic_fetch_sub_explicit(&threads.listed, 1, memory_order_relaxed);
}

/* The simulator names who keeps time from going on. */
static void show(const struct thread *t)
{
    struct fsh_sim_turn *s = threads.turn->shared;

    atomic_store_explicit(&s->thread, t != NULL ? t->number : UINT32_MAX,
                          memory_order_relaxed);
    atomic_store_explicit(&s->tid, t != NULL ? t->tid : 0,
                          memory_order_relaxed);
}

/* Under the lock. */
static void hand_to(struct thread *t)
{
    threads.first = t;
    show(t);
    if (t == NULL)
        return;
    /* Release: all that this thread has done. Partner: await_choice. */
    atomic_store_explicit(&t->chosen, 1, memory_order_release);
    fsh_futex_wake(&t->chosen, 1);
}

struct choice_wait {
    struct fsh_wait wait;
    struct thread *thread;
};

static bool sleep_for_choice(struct fsh_wait *wait, uint64_t ns)
{
    struct thread *t = ((struct choice_wait *)(void *)wait)->thread;

    fsh_futex_wait(&t->chosen, 0, ns);
    return true;
}

static void check_outer(struct fsh_wait *wait, const char *what)
{
    (void)wait;
    (void)what;
    fsh_wait_check_outer();
}

static const struct fsh_wait_kind for_choice = {.who = "device sim",
                                                .untraced = true,
                                                .check = check_outer,
                                                .nap_us = 100000,
                                                .most_us = 100000,
                                                .sleep = sleep_for_choice};

/* Let the lock go until another thread hands the turn to this one. */
static void await_choice(void)
{
    struct choice_wait w = {.wait.limit_ms = FSH_WAIT_FOR_EVER, .thread = &me};

    pthread_mutex_unlock(&threads.lock);
    while (atomic_load_explicit(&me.chosen, memory_order_acquire) == 0)
        fsh_wait_pause(&for_choice, &w.wait, "its turn among threads");
    fsh_wait_end(&w.wait);
    pthread_mutex_lock(&threads.lock);
    atomic_store_explicit(&me.chosen, 0, memory_order_relaxed);
}

/* All threads wait, and this one, which has the turn, goes on soonest, but not yet:
 * so does the rank. */
static void wait_as_rank(void)
{
    uint32_t wakes = FSH_SIM_WAKE_TIME;
    uint32_t seen =
        atomic_load_explicit(threads.activity, memory_order_acquire);
    uint64_t until = me.until;

    for (const struct thread *t = threads.waiting; t != NULL; t = t->next)
        if (t->wakes == FSH_SIM_WAKE_ACTIVITY)
            wakes = FSH_SIM_WAKE_ACTIVITY;
    /* New threads may come meanwhile: they only add themselves. */
    pthread_mutex_unlock(&threads.lock);
    me.leads = true;
    fsh_turn_next(threads.turn, wakes, seen, until);
    me.leads = false;
    pthread_mutex_lock(&threads.lock);
}

/* This thread waits like the others, and runs on return. Under the lock; has: it has
 * the turn, too. */
static void take_turn(bool has)
{
    while (!atomic_load(&threads.over)) {
        struct thread *t = has ? soonest() : NULL;

        if (t == &me && due(t) <= threads.turn->now)
            break;
        if (t == &me) {
            wait_as_rank();
            continue;
        }
        if (has)
            hand_to(t);
        await_choice();
        has = true;
    }
    drop(&me);
    me.runs = true;
    if (me.daemon && atomic_load(&threads.over)) {
        pthread_mutex_unlock(&threads.lock);
        for (;;)
            pause();
    }
}

void fsh_threads_next(uint32_t wakes, uint32_t seen, uint64_t until)
{
    fsh_threads_enter();
    me.inside = true;
    if (atomic_load_explicit(&threads.listed, memory_order_relaxed) == 0) {
        /* Nobody else waits for the rank's turn; who comes meanwhile gets it with
         * the next call. */
        me.leads = true;
        fsh_turn_next(threads.turn, wakes, seen, until);
        me.leads = me.inside = false;
        return;
    }
    pthread_mutex_lock(&threads.lock);
    me.wakes = wakes;
    me.seen = seen;
    me.until = until;
    me.runs = false;
    add(&me);
    take_turn(true);
    pthread_mutex_unlock(&threads.lock);
    me.inside = false;
}

bool fsh_threads_again(uint32_t wakes, uint32_t seen, uint64_t until)
{
    if (me.leads)
        fsh_turn_next(threads.turn, wakes, seen, until);
    return me.leads;
}

/* Under the lock. */
static void introduce(unsigned number)
{
    me.number = number;
    me.tid = (uint32_t)syscall(SYS_gettid);
    me.known = true;
    pthread_setspecific(threads.key, &me);
}

void fsh_threads_enter(void)
{
    if (me.runs || me.inside)
        return;
    me.inside = true;
    pthread_mutex_lock(&threads.lock);
    if (!me.known)
        introduce(atomic_fetch_add(&threads.count, 1));
    me.wakes = FSH_SIM_WAKE_TIME;
    me.until = 0; /* now */
    add(&me);
    if (threads.first == NULL) {
        threads.first = &me;
        show(&me);
    }
    take_turn(threads.first == &me);
    pthread_mutex_unlock(&threads.lock);
    me.inside = false;
}

void fsh_threads_block(void)
{
    if (!me.runs || me.inside)
        return;
    me.inside = true;
    pthread_mutex_lock(&threads.lock);
    me.runs = false;
    if (threads.first == &me)
        hand_to(threads.waiting != NULL ? soonest() : NULL);
    pthread_mutex_unlock(&threads.lock);
    me.inside = false;
}

/* The destructor of the key. */
static void leave(void *arg)
{
    (void)arg;
    fsh_threads_block();
    me.known = false; /* what other destructors call is a new thread's */
}

bool fsh_threads_inside(void)
{
    return me.inside;
}

bool fsh_threads_running(void)
{
    return me.runs;
}

unsigned fsh_threads_count(void)
{
    return atomic_load(&threads.count);
}

void fsh_threads_begin(struct fsh_turn *turn, const _Atomic uint32_t *activity)
{
    if (pthread_key_create(&threads.key, leave) != 0)
        fsh_fatal("simulated time: no thread key left (PTHREAD_KEYS_MAX)");
    pthread_mutex_lock(&threads.lock);
    threads.turn = turn;
    threads.activity = activity;
    threads.first = &me;
    atomic_store(&threads.count, 1);
    introduce(0);
    me.runs = true;
    show(&me);
    pthread_mutex_unlock(&threads.lock);
}

void fsh_threads_daemon(void)
{
    me.daemon = true;
}

void fsh_threads_forked(void)
{
    me = (struct thread){0};
    pthread_setspecific(threads.key, NULL);
}

void fsh_threads_end(void)
{
    if (me.inside) /* it may have the lock */
        return;
    pthread_mutex_lock(&threads.lock);
    atomic_store(&threads.over, true);
    for (struct thread *t = threads.waiting; t != NULL; t = t->next) {
        atomic_store_explicit(&t->chosen, 1, memory_order_release);
        fsh_futex_wake(&t->chosen, 1);
    }
    pthread_mutex_unlock(&threads.lock);
}
