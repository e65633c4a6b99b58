/* SPDX-License-Identifier: BSD-3-Clause */
/* The tools between threads, in mode PAR: atomics lose no update, data published by
 * a release or a barrier is visible, locks exclude, readers share, conditions
 * wake, thread-specific pointers are separate. */
#include "conform_threads.h"

#include <gasnet_tools.h>

enum { THREADS = 6 };

static int rounds;

/* Threads that do little work would follow each other: all wait here until the
 * last one has started. */
static gasnett_strongatomic32_t started_crew;

static void start_together(int n)
{
    gasnett_strongatomic32_increment(&started_crew, 0);
    while (gasnett_strongatomic32_read(&started_crew, 0) < (uint32_t)n) {
        gasnett_sched_yield();
    }
}

static void run_crew(int n, void *(*work)(void *))
{
    struct conf_crew crew;
    gasnett_strongatomic32_set(&started_crew, 0, 0);
    conf_crew_start(&crew, n, work);
    conf_crew_join(&crew);
}

/* ---- atomics ------------------------------------------------------------ */

static gasnett_atomic_t plain;
static gasnett_atomic32_t word;
static gasnett_atomic64_t wide;
static gasnett_strongatomic64_t strong;
static gasnett_atomic32_t last;
static gasnett_atomic32_t ends;

static void *add_up(void *arg)
{
    const uint32_t me = (uint32_t)(intptr_t)arg;
    start_together(THREADS);
    for (int i = 0; i < rounds; i++) {
        gasnett_atomic_increment(&plain, 0);
        CHECK(gasnett_atomic32_add(&word, me + 1, 0) > me, "less than added");
        gasnett_atomic64_subtract(&wide, UINT64_C(0x100000001), 0);
        /* A sum by compare_and_swap, which must see every change. */
        uint64_t old;
        do {
            old = gasnett_strongatomic64_read(&strong, 0);
        } while (!gasnett_strongatomic64_compare_and_swap(
            &strong, old, old + 3, GASNETT_ATOMIC_ACQ_IF_TRUE));
    }
    if (gasnett_atomic32_decrement_and_test(&last, GASNETT_ATOMIC_REL)) {
        gasnett_atomic32_increment(&ends, 0);
    }
    return NULL;
}

static void test_sums(void)
{
    const uint32_t all = (uint32_t)rounds * THREADS;
    gasnett_atomic32_set(&last, THREADS, 0);
    run_crew(THREADS, add_up);
    CHECK_EQ(gasnett_atomic_read(&plain, 0), all);
    CHECK_EQ(gasnett_atomic32_read(&word, 0),
             (uint32_t)rounds * (THREADS * (THREADS + 1) / 2));
    CHECK_EQ(gasnett_atomic64_read(&wide, 0), 0 - all * UINT64_C(0x100000001));
    CHECK_EQ(gasnett_strongatomic64_read(&strong, 0), all * UINT64_C(3));
    CHECK_EQ(gasnett_atomic32_read(&ends, 0), 1);
}

/* ---- publication: plain data, announced -------------------------------- */

/* Even threads write and odd ones read, each pair in a box of its own; the
 * writer waits until the reader has answered. One way for each round. */
static struct box {
    gasnett_atomic32_t flag, answer;
    int data;
} boxes[THREADS];

static void publish(struct box *box, uint32_t round)
{
    switch (round % 3) {
    case 0:
        gasnett_atomic32_set(&box->flag, round, GASNETT_ATOMIC_REL);
        break;
    case 1:
        gasnett_local_wmb();
        gasnett_atomic32_set(&box->flag, round, 0);
        break;
    default:
        gasnett_atomic32_swap(&box->flag, round, GASNETT_ATOMIC_WMB_PRE);
        break;
    }
}

static void observe(struct box *box, uint32_t round)
{
    const int acquire = round % 2 ? GASNETT_ATOMIC_ACQ : 0;
    while (gasnett_atomic32_read(&box->flag, acquire) != round) {
        gasnett_spinloop_hint();
        gasnett_sched_yield();
    }
    if (!acquire) {
        gasnett_local_rmb();
    }
}

static void *pass_on(void *arg)
{
    const int me = (int)(intptr_t)arg;
    struct box *box = &boxes[me / 2];
    for (int i = 1; i <= rounds / 20; i++) {
        const uint32_t round = (uint32_t)i;
        if (me % 2 == 0) {
            box->data = i * 3;
            publish(box, round);
            while (gasnett_atomic32_read(&box->answer, GASNETT_ATOMIC_ACQ) !=
                   round) {
                gasnett_sched_yield();
            }
        } else {
            observe(box, round);
            CHECK_EQ(box->data, i * 3);
            gasnett_atomic32_set(&box->answer, round, GASNETT_ATOMIC_REL);
        }
    }
    return NULL;
}

static void test_publication(void)
{
    run_crew(THREADS, pass_on);
}

/* Each of two threads says so and looks for the other, with a full barrier
 * between: one at least sees the other. */
static gasnett_atomic32_t here[2], seen[2], gate;

static void *look_across(void *arg)
{
    const int me = (int)(intptr_t)arg;
    for (uint32_t i = 1; i <= (uint32_t)rounds / 40; i++) {
        const int atomic_way = i % 2;
        gasnett_atomic32_increment(&gate, GASNETT_ATOMIC_ACQ);
        while (gasnett_atomic32_read(&gate, GASNETT_ATOMIC_ACQ) < 4 * i - 2) {
            gasnett_sched_yield();
        }
        gasnett_atomic32_set(&here[me], i,
                             atomic_way ? GASNETT_ATOMIC_MB_POST : 0);
        if (!atomic_way) {
            gasnett_local_mb();
        }
        gasnett_atomic32_set(&seen[me],
                             gasnett_atomic32_read(&here[1 - me], 0) == i, 0);
        gasnett_atomic32_increment(&gate, GASNETT_ATOMIC_REL);
        while (gasnett_atomic32_read(&gate, GASNETT_ATOMIC_ACQ) < 4 * i) {
            gasnett_sched_yield();
        }
        CHECK(gasnett_atomic32_read(&seen[0], 0) ||
                  gasnett_atomic32_read(&seen[1], 0),
              "round %u: neither saw the other", i);
    }
    return NULL;
}

static void test_full_barrier(void)
{
    run_crew(2, look_across);
}

/* ---- locks ---------------------------------------------------------------- */

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
static int guarded, left, right;
static gasnett_atomic32_t readers, most_readers, busy;

/* Others get a chance to come in, on one processor too. */
static void give_way(int i)
{
    if (i % 64 == 0) {
        gasnett_sched_yield();
    }
}

static void *lock_all(void *arg)
{
    const int me = (int)(intptr_t)arg;
    start_together(THREADS);
    for (int i = 0; i < rounds; i++) {
        if (i % 2 && gasnett_mutex_trylock(&mutex) != 0) {
            gasnett_atomic32_increment(&busy, 0);
            gasnett_mutex_lock(&mutex);
        } else if (i % 2 == 0) {
            gasnett_mutex_lock(&mutex);
        }
        const int before = guarded;
        give_way(i);
        guarded = before + 1;
        gasnett_mutex_unlock(&mutex);
        if ((i + me) % 5 == 0) {
            gasnett_rwlock_wrlock(&rwlock);
            CHECK_EQ(gasnett_atomic32_read(&readers, 0), 0);
            left++;
            give_way(i / 5);
            right++;
            gasnett_rwlock_unlock(&rwlock);
        } else {
            gasnett_rwlock_rdlock(&rwlock);
            gasnett_atomic32_increment(&readers, 0);
            CHECK_EQ(left, right);
            gasnett_atomic32_decrement(&readers, 0);
            gasnett_rwlock_unlock(&rwlock);
        }
    }
    return NULL;
}

/* All readers are inside at once, or this does not end. */
static void *read_together(void *arg)
{
    (void)arg;
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_atomic32_increment(&most_readers, 0);
    while (gasnett_atomic32_read(&most_readers, 0) < THREADS) {
        gasnett_sched_yield();
    }
    gasnett_rwlock_unlock(&rwlock);
    return NULL;
}

/* What the holder's locks say to another thread. */
static void *try_all(void *arg)
{
    const int write = (int)(intptr_t)arg;
    CHECK_EQ(gasnett_mutex_trylock(&mutex), EBUSY);
    CHECK_EQ(gasnett_rwlock_trywrlock(&rwlock), EBUSY);
    if (write) {
        CHECK_EQ(gasnett_rwlock_tryrdlock(&rwlock), EBUSY);
    } else {
        CHECK_EQ(gasnett_rwlock_tryrdlock(&rwlock), 0);
        gasnett_rwlock_unlock(&rwlock);
    }
    return NULL;
}

static void test_trylocks(int write)
{
    pthread_t other;
    gasnett_mutex_lock(&mutex);
    CHECK_EQ(write ? gasnett_rwlock_trywrlock(&rwlock)
                   : gasnett_rwlock_tryrdlock(&rwlock),
             0);
    CHECK_EQ(pthread_create(&other, NULL, try_all, (void *)(intptr_t)write), 0);
    CHECK_EQ(pthread_join(other, NULL), 0);
    gasnett_rwlock_unlock(&rwlock);
    gasnett_mutex_unlock(&mutex);
    CHECK_EQ(gasnett_mutex_trylock(&mutex), 0);
    gasnett_mutex_unlock(&mutex);
}

static void test_locks(void)
{
    run_crew(THREADS, lock_all);
    CHECK_EQ(guarded, rounds * THREADS);
    CHECK_EQ(left, right);
    run_crew(THREADS, read_together);
    test_trylocks(0);
    test_trylocks(1);
    gasnett_mutex_destroy(&mutex);
    gasnett_mutex_init(&mutex);
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_unlock(&mutex);
    CHECK_EQ(gasnett_mutex_destroy_ignoreerr(&mutex), 0);
    gasnett_mutex_init(&mutex);
}

/* ---- conditions: turns, and one broadcast for all --------------------------- */

static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gasnett_cond_t go;
static int turn, started, released; /* under mutex */

static void *take_turns(void *arg)
{
    const int me = (int)(intptr_t)arg;
    gasnett_mutex_lock(&mutex);
    if (++started == THREADS) {
        released = 1;
        gasnett_cond_broadcast(&go);
    }
    while (!released) {
        gasnett_cond_wait(&go, &mutex);
    }
    for (int i = 0; i < conf_iters(200, 20); i++) {
        while (turn % THREADS != me) {
            gasnett_cond_wait(&cond, &mutex);
        }
        turn++;
        gasnett_cond_broadcast(&cond);
    }
    gasnett_mutex_unlock(&mutex);
    return NULL;
}

/* Two threads and no broadcast: each signal must wake the other. */
static void *ping_pong(void *arg)
{
    const int me = (int)(intptr_t)arg;
    gasnett_mutex_lock(&mutex);
    for (int i = 0; i < conf_iters(500, 50); i++) {
        while (turn % 2 != me) {
            gasnett_cond_wait(&cond, &mutex);
        }
        turn++;
        gasnett_cond_signal(&cond);
    }
    gasnett_mutex_unlock(&mutex);
    return NULL;
}

static void test_conditions(void)
{
    gasnett_cond_init(&go);
    run_crew(THREADS, take_turns);
    CHECK_EQ(turn, conf_iters(200, 20) * THREADS);
    turn = 0;
    run_crew(2, ping_pong);
    CHECK_EQ(turn, conf_iters(500, 50) * 2);
    gasnett_cond_destroy(&go);
}

/* ---- pointers --------------------------------------------------------------- */

GASNETT_THREADKEY_DECLARE(tools_first);
GASNETT_THREADKEY_DEFINE(tools_first);
GASNETT_THREADKEY_DEFINE(tools_second);

static void *own_pointers(void *arg)
{
    static char place[THREADS][1024];
    char *const mine = place[(intptr_t)arg];
    start_together(THREADS);
    CHECK(gasnett_threadkey_get(tools_first) == NULL, "not NULL at first");
    gasnett_threadkey_init(tools_second);
    CHECK(gasnett_threadkey_get_noinit(tools_second) == NULL,
          "not NULL at first");
    for (int i = 0; i < rounds; i++) {
        gasnett_threadkey_set(tools_first, mine + i % 1000);
        gasnett_threadkey_set_noinit(tools_second, mine);
        if (i % 50 == 0) {
            gasnett_sched_yield();
        }
        CHECK(gasnett_threadkey_get_noinit(tools_first) == mine + i % 1000,
              "another's pointer");
        CHECK(gasnett_threadkey_get(tools_second) == mine, "another's pointer");
    }
    return NULL;
}

static void test_pointers(void)
{
    gasnett_threadkey_set(tools_first, &rounds);
    run_crew(THREADS, own_pointers);
    CHECK(gasnett_threadkey_get(tools_first) == &rounds, "changed by others");
    gasnett_threadkey_set(tools_first, NULL);
}

int main(int argc, char **argv)
{
    conf_start("tools_threads", &argc, &argv, NULL, 0, 0);
    rounds = conf_iters(20000, 10000);
    test_sums();
    test_publication();
    test_full_barrier();
    test_locks();
    test_conditions();
    test_pointers();
    conf_pass();
}
