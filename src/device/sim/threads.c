/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/sim/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/daemon.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/wait.h"

struct thread {
    struct thread *next; /* of those that wait; under the lock */
    uint32_t wakes, seen;
    uint64_t until;
    unsigned number;
    bool known;      /* has a number */
    bool listed;     /* is in the list of waiting threads; under the lock */
    bool looks;      /* has done nothing since it last looked */
    uint64_t looked; /* value of acts before that */
    const struct fsh_waiting *waits; /* what it waits for, while it does */
    bool daemon;                     /* stops with the rank */
    bool runs;                       /* own: has the rank's turn */
    uint32_t tid;                    /* kernel thread id */
    /* Own, may be interrupted by a signal: inside a call; in fsh_turn_next on behalf of
     * all threads. */
    volatile bool inside, leads;
    _Atomic uint32_t chosen; /* set by who hands over the turn; futex */
};

static struct {
    pthread_mutex_t lock;
    pthread_key_t key; /* detects thread exit */
    struct fsh_turn *turn;
    const _Atomic uint32_t *activity;
    struct thread *waiting; /* under the lock */
    atomic_uint listed;     /* their number */
    struct thread *first;   /* has the turn; NULL: none; under the lock */
    atomic_uint count;
    atomic_bool over;
    bool several;
    unsigned here;       /* threads that have not ended; under the lock */
    atomic_bool stirred; /* a thread that was elsewhere has ended */
    /* acts: how many times a thread has started to look after doing something; acted:
     * the cycle of the last time. Written by running threads. */
    uint64_t acts, acted;
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

/* The waiting thread that is due first; there must be one. */
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
    t->listed = true;
    threads.waiting = t;
    atomic_fetch_add_explicit(&threads.listed, 1, memory_order_relaxed);
}

static void drop(struct thread *t)
{
    struct thread **link = &threads.waiting;

    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    t->listed = false;
    atomic_fetch_sub_explicit(&threads.listed, 1, memory_order_relaxed);
}

/* For the simulator, which names the thread that holds up time. */
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
    /* Release: everything this thread has done. Partner: await_choice. */
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

/* Releases the lock until another thread hands the turn to this one. */
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

/* ---- detecting that no thread can do anything ---- */

static void count_act(void)
{
    threads.acts++;
    threads.acted = threads.turn->now;
}

void fsh_threads_act(void)
{
    me.looks = false;
    threads.turn->idle = FSH_SIM_BUSY;
}

void fsh_threads_look(void)
{
    if (!me.looks)
        count_act();
    me.looks = true;
}

/* This (running) thread begins to wait. Before its first wait inside the library it has
 * been elsewhere, and may have done what others look for (released a lock, stored
 * something). */
static void begin_wait(void)
{
    me.waits = fsh_wait_current();
    if (me.waits != NULL && !me.waits->wait->counted) {
        me.waits->wait->counted = 1;
        count_act();
    }
    me.looked = threads.acts;
}

static bool is_idle(const struct thread *t)
{
    return t->looks && t->looked == threads.acts;
}

static bool is_stuck(const struct thread *t)
{
    return t->daemon || fsh_wait_is_for_others(t->waits);
}

/* Whether all threads are here and idle. Under the lock, with the turn. */
static bool all_idle(void)
{
    unsigned n = me.listed ? 0 : 1;
    bool idle;

    if (atomic_exchange(&threads.stirred, false))
        count_act(); /* all must look again */
    idle = me.listed || is_idle(&me);
    for (const struct thread *t = threads.waiting; t != NULL; t = t->next) {
        n++;
        idle = idle && is_idle(t);
    }
    return idle && n == threads.here;
}

/* Publishes that to the simulator. */
static void judge(void)
{
    bool stuck = is_stuck(&me);

    for (const struct thread *t = threads.waiting; t != NULL; t = t->next)
        stuck = stuck && is_stuck(t);
    threads.turn->idle = all_idle() ? threads.acted : FSH_SIM_BUSY;
    threads.turn->stuck = stuck;
}

/* The waiting client thread with the lowest number not below `least`. */
static const struct thread *client_from(unsigned least)
{
    const struct thread *best = NULL;

    if (!me.listed && !me.daemon && me.number >= least)
        best = &me;
    for (const struct thread *t = threads.waiting; t != NULL; t = t->next)
        if (!t->daemon && t->number >= least &&
            (best == NULL || t->number < best->number))
            best = t;
    return best;
}

/* Formats the text for the simulator (fsh_sim_turn); returns the number of threads.
 * Lines that do not fit are omitted. */
static unsigned tell_all(char *text, size_t len)
{
    const struct thread *t = client_from(0);
    bool alone = t != NULL && t->number == 0 && client_from(1) == NULL;
    unsigned n = 0;
    size_t at = 0;

    for (text[0] = '\0'; t != NULL; t = client_from(t->number + 1), n++) {
        char number[24] = "", what[512];
        int used;

        if (!alone)
            snprintf(number, sizeof number, ", thread %u", t->number);
        fsh_wait_tell(t->waits, what, sizeof what);
        used = snprintf(text + at, len - at, "%s waits for: %s\n", number,
                        what[0] ? what : "what its polls do not find");
        if ((size_t)used < len - at)
            at += (size_t)used;
        text[at] = '\0';
    }
    return n;
}

/* Whether some thread waits for what a thread that never called the library may
 * do. */
static bool awaits_strangers(void)
{
    bool any = threads.several || (me.waits && me.waits->kind->by_threads);

    for (const struct thread *t = threads.waiting; t != NULL; t = t->next)
        any = any || (t->waits && t->waits->kind->by_threads);
    return any;
}

/* Implements fsh_turn.answer; runs on the thread that waits for the rank's
 * turn. */
static bool answer(char *text, size_t len)
{
    unsigned clients;
    bool sure;

    /* If it is locked, a thread is joining or leaving, or this is a signal handler that
     * interrupted the holder. */
    if (pthread_mutex_trylock(&threads.lock) != 0)
        return false;
    clients = tell_all(text, len);
    sure = all_idle() && !(awaits_strangers() && fsh_daemon_strangers(clients));
    pthread_mutex_unlock(&threads.lock);
    return sure;
}

/* ---- turns ---- */

/* All threads wait, and this one, which has the turn, is due first but not yet: the
 * rank waits as a whole. */
static void wait_as_rank(void)
{
    uint32_t wakes = FSH_SIM_WAKE_TIME;
    uint32_t seen =
        atomic_load_explicit(threads.activity, memory_order_acquire);
    uint64_t until = me.until;

    for (const struct thread *t = threads.waiting; t != NULL; t = t->next)
        if (t->wakes == FSH_SIM_WAKE_ACTIVITY)
            wakes = FSH_SIM_WAKE_ACTIVITY;
    judge();
    /* New threads may come meanwhile: they only add themselves. */
    pthread_mutex_unlock(&threads.lock);
    me.leads = true;
    fsh_turn_next(threads.turn, wakes, seen, until);
    me.leads = false;
    pthread_mutex_lock(&threads.lock);
}

/* This thread waits like the others, and has the turn on return. Under the lock; has:
 * it already has the turn. */
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

/* No other thread waits for the rank's turn; one that comes meanwhile gets it at the
 * next call. */
static void wait_alone(uint32_t wakes, uint32_t seen, uint64_t until)
{
    if (until > threads.turn->horizon) {
        pthread_mutex_lock(&threads.lock);
        judge();
        pthread_mutex_unlock(&threads.lock);
    }
    me.leads = true;
    fsh_turn_next(threads.turn, wakes, seen, until);
    me.leads = false;
}

void fsh_threads_next(uint32_t wakes, uint32_t seen, uint64_t until)
{
    fsh_threads_enter();
    me.inside = true;
    begin_wait();
    if (atomic_load_explicit(&threads.listed, memory_order_relaxed) == 0) {
        wait_alone(wakes, seen, until);
        me.inside = false;
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
        fsh_turn_again(threads.turn, wakes, seen, until);
    return me.leads;
}

/* Under the lock. */
static void introduce(unsigned number)
{
    me.number = number;
    me.tid = (uint32_t)syscall(SYS_gettid);
    me.known = true;
    threads.here++;
    pthread_setspecific(threads.key, &me);
}

void fsh_threads_enter(void)
{
    bool isnew = !me.known;

    if (me.runs || me.inside)
        return;
    me.inside = true;
    pthread_mutex_lock(&threads.lock);
    if (isnew)
        introduce(atomic_load(&threads.count));
    me.wakes = FSH_SIM_WAKE_TIME;
    me.until = 0; /* now */
    me.looks = false;
    me.waits = NULL;
    add(&me);
    /* A thread that waits for this count then finds the new one in the list. */
    if (isnew)
        atomic_fetch_add(&threads.count, 1);
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
    pthread_mutex_lock(&threads.lock);
    threads.here--;
    atomic_store(&threads.stirred, true);
    pthread_mutex_unlock(&threads.lock);
    me.known = false; /* a later destructor's call is a new thread's */
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

void fsh_threads_begin(struct fsh_turn *turn, const _Atomic uint32_t *activity,
                       bool several)
{
    if (pthread_key_create(&threads.key, leave) != 0)
        fsh_fatal("simulated time: no thread key left (PTHREAD_KEYS_MAX)");
    pthread_mutex_lock(&threads.lock);
    threads.turn = turn;
    threads.activity = activity;
    threads.several = several;
    threads.first = &me;
    turn->answer = answer;
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
    if (me.inside) /* it may hold the lock */
        return;
    pthread_mutex_lock(&threads.lock);
    atomic_store(&threads.over, true);
    for (struct thread *t = threads.waiting; t != NULL; t = t->next) {
        atomic_store_explicit(&t->chosen, 1, memory_order_release);
        fsh_futex_wake(&t->chosen, 1);
    }
    pthread_mutex_unlock(&threads.lock);
}
