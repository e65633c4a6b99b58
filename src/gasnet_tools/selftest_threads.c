/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multi-threaded self-tests. Each starts a crew on one function and joins it.
 * Nothing sleeps, and whatever a thread waits for is done by another without
 * waiting.
 */
#include <pthread.h>

#include "gasnet_tools.h"
#include "gasnet_tools/selftest.h"

enum { MOST = 64 };

static int rounds; /* of the current test; set before its threads exist */
static int crew;   /* number of threads; set before they start */
static gasnett_atomic32_t go;

/* Short-lived threads would run one after the other; this makes them start
 * together. */
static void wait_for_start(void)
{
    while (gasnett_atomic32_read(&go, GASNETT_ATOMIC_ACQ) == 0)
        gasnett_sched_yield();
}

static void run_crew(void *(*work)(void *), int iterations, int threads)
{
    int wanted = MIN(MAX(threads, 1), MOST), started = 0;
    pthread_t thread[MOST];

    rounds = MIN(MAX(iterations, 1), 100000);
    gasnett_atomic32_set(&go, 0, 0);
    for (; started < wanted; started++)
        if (pthread_create(&thread[started], NULL, work,
                           (void *)(intptr_t)started) != 0)
            break;
    FSH_SELFTEST(started == wanted);
    crew = started;
    gasnett_atomic32_set(&go, 1, GASNETT_ATOMIC_REL);
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}

/* ---- atomics: sums, and data published by a release ---- */

static gasnett_atomic_t sum;
static gasnett_atomic64_t sum64;
static gasnett_atomic32_t turns;
static gasnett_atomic32_t spin; /* a spin lock using compare_and_swap */
static int guarded;             /* under spin */

static void *add_up(void *arg)
{
    (void)arg;
    wait_for_start();
    for (int i = 0; i < rounds; i++) {
        gasnett_atomic_increment(&sum, 0);
        gasnett_atomic64_add(&sum64, UINT64_C(0x100000001), 0);
        while (!gasnett_atomic32_compare_and_swap(&spin, 0, 1,
                                                  GASNETT_ATOMIC_ACQ_IF_TRUE))
            gasnett_sched_yield();
        guarded++;
        gasnett_atomic32_set(&spin, 0, GASNETT_ATOMIC_REL);
    }
    if (gasnett_atomic32_decrement_and_test(
            &turns, GASNETT_ATOMIC_REL | GASNETT_ATOMIC_ACQ_IF_TRUE))
        gasnett_atomic_add(&sum, 1000000000, 0); /* by the last one, once */
    return NULL;
}

void fsh_selftest_atomic_threads(int iterations, int threads)
{
    uint32_t all;

    gasnett_atomic_set(&sum, 0, 0);
    gasnett_atomic64_set(&sum64, 0, 0);
    gasnett_atomic32_set(&turns, (uint32_t)MIN(MAX(threads, 1), MOST), 0);
    guarded = 0;
    run_crew(add_up, iterations, threads);
    all = (uint32_t)(rounds * crew);
    FSH_SELFTEST(gasnett_atomic_read(&sum, 0) == 1000000000 + all);
    FSH_SELFTEST(gasnett_atomic64_read(&sum64, 0) ==
                 all * UINT64_C(0x100000001));
    FSH_SELFTEST((uint32_t)guarded == all);
}

/* ---- mutexes ---- */

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;

/* Lets other threads in, also on a single processor. */
static void give_way(int i)
{
    if (i % 64 == 0)
        gasnett_sched_yield();
}

static void *lock_and_count(void *arg)
{
    int before;

    (void)arg;
    wait_for_start();
    for (int i = 0; i < rounds; i++) {
        if (i % 3 != 0 || gasnett_mutex_trylock(&mutex) != 0)
            gasnett_mutex_lock(&mutex);
        gasnett_mutex_assertlocked(&mutex);
        before = guarded;
        give_way(i);
        guarded = before + 1;
        gasnett_mutex_unlock(&mutex);
        gasnett_mutex_assertunlocked(&mutex);
    }
    return NULL;
}

void fsh_selftest_mutex(int iterations, int threads)
{
    guarded = 0;
    run_crew(lock_and_count, iterations, threads);
    FSH_SELFTEST(guarded == rounds * crew);
}

/* ---- reader-writer locks: writers keep two numbers equal ---- */

static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
static int left, right; /* under rwlock */

static void *read_and_write(void *arg)
{
    int me = (int)(intptr_t)arg;

    wait_for_start();
    for (int i = 0; i < rounds; i++) {
        if ((i + me) % 4 == 0) {
            gasnett_rwlock_wrlock(&rwlock);
            left++;
            give_way(i / 4);
            right++;
        } else {
            gasnett_rwlock_rdlock(&rwlock);
            FSH_SELFTEST(left == right);
        }
        gasnett_rwlock_unlock(&rwlock);
    }
    return NULL;
}

void fsh_selftest_rwlock(int iterations, int threads)
{
    int writes = 0;

    left = right = 0;
    run_crew(read_and_write, iterations, threads);
    for (int me = 0; me < crew; me++)
        for (int i = 0; i < rounds; i++)
            writes += (i + me) % 4 == 0;
    FSH_SELFTEST(left == writes && right == writes);
    FSH_SELFTEST(gasnett_rwlock_trywrlock(&rwlock) == 0);
    gasnett_rwlock_unlock(&rwlock);
    FSH_SELFTEST(gasnett_rwlock_tryrdlock(&rwlock) == 0);
    gasnett_rwlock_unlock(&rwlock);
}

/* ---- condition variables: the crew takes turns ---- */

static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static int turn; /* under mutex */

static void *take_turns(void *arg)
{
    int me = (int)(intptr_t)arg;

    wait_for_start();
    gasnett_mutex_lock(&mutex);
    for (int i = 0; i < rounds; i++) {
        while (turn % crew != me)
            gasnett_cond_wait(&cond, &mutex);
        turn++;
        gasnett_cond_broadcast(&cond);
    }
    gasnett_mutex_unlock(&mutex);
    return NULL;
}

void fsh_selftest_cond(int iterations, int threads)
{
    turn = 0;
    /* Each turn is a thread switch. */
    run_crew(take_turns, MIN(iterations, 1000), threads);
    FSH_SELFTEST(turn == rounds * crew);
}

/* ---- thread-specific pointers ---- */

GASNETT_THREADKEY_DEFINE(fsh_selftest_pointer);

static void *keep(void *arg)
{
    FSH_SELFTEST(gasnett_threadkey_get(fsh_selftest_pointer) == NULL);
    wait_for_start();
    for (int i = 0; i < rounds; i++) {
        void *value = (void *)((uintptr_t)arg + (uintptr_t)i);

        gasnett_threadkey_set(fsh_selftest_pointer, value);
        if (i % 64 == 0)
            gasnett_sched_yield();
        FSH_SELFTEST(gasnett_threadkey_get(fsh_selftest_pointer) == value);
        gasnett_threadkey_init(fsh_selftest_pointer);
        FSH_SELFTEST(gasnett_threadkey_get_noinit(fsh_selftest_pointer) ==
                     value);
    }
    return NULL;
}

void fsh_selftest_key(int iterations, int threads)
{
    run_crew(keep, iterations, threads);
}
