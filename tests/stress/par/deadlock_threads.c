/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks with several threads whose waits nothing can end, and some that something does,
 * in simulated time. Run as: deadlock_threads MODE. Three threads a rank unless said
 * otherwise; "the lock" is an HSL, one a rank.
 *   mutual   rank 0: thread 0 waits in the barrier for rank 1, threads 1 and 2 want the
 *            mutex that it has. Rank 1: thread 0 waits in a broadcast for rank 0, thread
 *            1 has the lock and wants the mutex, thread 2 has the mutex and wants the
 *            lock
 *   blocks   as mutual, with GASNET_BLOCKUNTIL, a mutex and a condition variable
 *   skips    one thread: the last rank waits for a message instead of the barrier;
 *            for FSHMEM_PROGRESS_THREAD
 *   polls    thread 1 polls for ever, the others wait for it
 * These pass:
 *   sleeps   threads wait for one that sleeps 20 ms of simulated time
 *   outside  ... that is between fshmem_blocking_begin and _end for two seconds
 *   ends     ... and ends there, having let the lock go
 *   strange  ... that calls the library after two seconds for the first time
 *   hands    two threads hand a turn to and fro by a condition variable, for two seconds,
 *            and others wait for them
 *   chain    a lock goes through all threads, each of which gets on as another has
 *            nothing to do
 */
#include <fshmem.h>
#include <gasnet_coll.h>
#include <gasnet_tools.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 200, CHAINS = 50, H_NOTE = 201 };

static gasnet_node_t me, last;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static volatile int notes, released, turn;

static void on_note(gasnet_token_t token)
{
    (void)token;
    notes++;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* For two seconds of the host, without a call. */
static void compute(void)
{
    const uint64_t end = gasnett_gettimeofday_us() + 2000000;

    while (gasnett_gettimeofday_us() < end)
        continue;
}

static pthread_t thread[THREADS];

/* Threads 1 and so on, in this order. */
static void start(void *(*const body[])(void *), int n)
{
    for (int i = 1; i <= n; i++) {
        pthread_create(&thread[i], NULL, body[i - 1], NULL);
        fshmem_await_threads((unsigned)i + 1);
    }
}

static void join(int n)
{
    fshmem_blocking_begin();
    for (int i = 1; i <= n; i++)
        pthread_join(thread[i], NULL);
    fshmem_blocking_end();
}

/* ---- what nothing ends ---- */

static void *want_lock(void *arg)
{
    fshmem_spend(1); /* a call that is known of */
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
    return arg;
}

static void *want_mutex(void *arg)
{
    fshmem_spend(1);
    gasnett_mutex_lock(&mutex);
    return arg;
}

static void *lock_then_mutex(void *arg)
{
    gasnet_hsl_lock(&lock);
    fshmem_spend(1000);
    return want_mutex(arg);
}

static void *mutex_then_lock(void *arg)
{
    want_mutex(NULL);
    fshmem_spend(1000);
    return want_lock(arg);
}

static void *(*const wanting[])(void *) = {want_mutex, want_mutex};
static void *(*const crossing[])(void *) = {lock_then_mutex, mutex_then_lock};

static void mutual(void)
{
    static int value[2];

    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    if (me == 0) {
        gasnett_mutex_lock(&mutex);
        start(wanting, 2);
        barrier();
    } else {
        start(crossing, 2);
    }
    gasnet_coll_broadcast(
        GASNET_TEAM_ALL, &value[0], 0, &value[1], sizeof value[0],
        GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
}

static void *want_signal(void *arg)
{
    gasnett_mutex_t own = GASNETT_MUTEX_INITIALIZER;

    gasnett_mutex_lock(&own);
    fshmem_spend(1);
    while (released == 0)
        gasnett_cond_wait(&cond, &own);
    return arg;
}

static void *(*const blocking[])(void *) = {want_mutex, want_signal};

static void blocks(void)
{
    gasnett_mutex_lock(&mutex);
    start(blocking, 2);
    GASNET_BLOCKUNTIL(notes != 0);
}

static void skips(void)
{
    if (me == last)
        GASNET_BLOCKUNTIL(notes != 0);
    barrier();
}

static void *poll_forever(void *arg)
{
    while (released == 0)
        gasnet_AMPoll();
    return arg;
}

static void *(*const polling[])(void *) = {poll_forever, want_lock};

static void polls(void)
{
    gasnet_hsl_lock(&lock);
    start(polling, 2);
    GASNET_BLOCKUNTIL(notes != 0);
}

/* ---- what something ends ---- */

static void *hold_asleep(void *arg)
{
    gasnet_hsl_lock(&lock);
    gasnett_nsleep(20000000);
    gasnet_hsl_unlock(&lock);
    return arg;
}

static void *hold_outside(void *arg)
{
    fshmem_spend(1);
    gasnet_hsl_lock(&lock);
    fshmem_blocking_begin();
    compute();
    fshmem_blocking_end();
    gasnet_hsl_unlock(&lock);
    return arg;
}

static void *end_outside(void *arg)
{
    fshmem_spend(1);
    gasnet_hsl_lock(&lock);
    fshmem_blocking_begin();
    compute();
    gasnet_hsl_unlock(&lock);
    return arg;
}

/* The last rank's thread 1 holds its lock, wanted by thread 2, and by thread 0 before
 * the barrier in which all others wait. */
static void held_by(void *(*hold)(void *))
{
    void *(*const bodies[])(void *) = {hold, want_lock};

    if (me == last) {
        start(bodies, 2);
        want_lock(NULL);
    }
    barrier();
    if (me == last)
        join(2);
}

static void sleeps(void)
{
    held_by(hold_asleep);
}

static void outside(void)
{
    held_by(hold_outside);
}

static void ends(void)
{
    held_by(end_outside);
}

static void *call_late(void *arg)
{
    compute();
    gasnet_AMRequestShort0(last, H_NOTE);
    return arg;
}

static void strange(void)
{
    if (me == last)
        pthread_create(&thread[1], NULL, call_late, NULL);
    while (me == last && notes == 0)
        GASNET_BLOCKUNTIL(notes != 0);
    barrier();
    if (me == last)
        join(1);
}

/* No call but those of the mutex and the condition variable. */
static void hand(int mine)
{
    for (int i = 0; i < ROUNDS; i++) {
        gasnett_mutex_lock(&mutex);
        while (turn != mine)
            gasnett_cond_wait(&cond, &mutex);
        usleep(5000);
        turn = !mine;
        gasnett_cond_signal(&cond);
        gasnett_mutex_unlock(&mutex);
    }
}

static void *hand_to_first(void *arg)
{
    fshmem_spend(1);
    hand(1);
    return arg;
}

static void *(*const handing[])(void *) = {hand_to_first};

static void hands(void)
{
    if (me == last) {
        start(handing, 1);
        hand(0);
        join(1);
    }
    barrier();
}

/* Each round thread i waits until i have been through, in a wait for memory, which looks
 * now and then only; with the lock, which the next one wants. */
static void *go_through(void *arg)
{
    static volatile int through;

    for (int i = 0; i < CHAINS; i++) {
        gasnet_hsl_lock(&lock);
        through++;
        gasnet_hsl_unlock(&lock);
        GASNET_BLOCKUNTIL(through >= THREADS * (i + 1));
    }
    return arg;
}

static void *(*const going[])(void *) = {go_through, go_through};

static void chain(void)
{
    start(going, 2);
    go_through(NULL);
    join(2);
    barrier();
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {{"mutual", mutual}, {"blocks", blocks},   {"skips", skips},
             {"polls", polls},   {"sleeps", sleeps},   {"outside", outside},
             {"ends", ends},     {"strange", strange}, {"hands", hands},
             {"chain", chain}};

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_NOTE, (void (*)())on_note}};

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 1, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    me = gasnet_mynode();
    last = gasnet_nodes() - 1;
    for (unsigned i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    printf("deadlock: rank %u passes\n", (unsigned)me);
    fflush(stdout);
    barrier();
    gasnet_exit(0);
    return 0;
}
