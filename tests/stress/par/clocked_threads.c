/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several threads of a rank in simulated time, for test_thread_time.py: does what its
 * argument says, and prints what the test compares.
 */
#include <fshmem.h>
#include <gasnet_tools.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { THREADS = 3, ROUNDS = 20, ENTRIES = 4 * THREADS * ROUNDS };
enum { H_ASK = 201, H_ANSWER };

static gasnet_node_t me, peer;

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void say(const char *what, uint64_t n)
{
    if (me == 0)
        printf("%s %" PRIu64 "\n", what, n);
}

static volatile int answers[THREADS + 1];
static void on_ask(gasnet_token_t token, int thread)
{
    gasnet_AMReplyShort1(token, H_ANSWER, thread);
}
static void on_answer(gasnet_token_t token, int thread)
{
    (void)token;
    answers[thread]++;
}
static void ask(int thread)
{
    const int before = answers[thread];

    gasnet_AMRequestShort1(peer, H_ASK, thread);
    GASNET_BLOCKUNTIL(answers[thread] != before);
}

static pthread_t thread[THREADS + 1];

/* Numbers 1 to n, in each run, all at this thread's clock. */
static void start(int n, void *(*body)(void *))
{
    static int number[THREADS + 1];

    for (int i = 1; i <= n; i++) {
        number[i] = i;
        pthread_create(&thread[i], NULL, body, &number[i]);
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

/* ---- who runs when: without locks, since one runs at a time ---- */

static struct {
    int thread;
    uint64_t time;
} entry[ENTRIES];
static volatile int entries;

static void note(int i)
{
    const uint64_t time = fshmem_time();
    const int at = entries;

    /* Long enough for others to come between, if they could. */
    for (volatile int n = 0; n < 2000; n++)
        continue;
    entry[at].thread = i;
    entry[at].time = time;
    entries = at + 1;
}

static void *take_turns(void *arg)
{
    const int i = *(int *)arg;

    note(i);
    for (int round = 0; round < ROUNDS; round++) {
        fshmem_spend((uint64_t)i * 400);
        note(i);
        ask(i);
        note(i);
    }
    return NULL;
}

static void order(void)
{
    start(THREADS, take_turns);
    join(THREADS);
    for (int i = 0; i < entries && me == 0; i++)
        printf("%d:%" PRIu64 "%s", entry[i].thread, entry[i].time,
               i % 6 == 5 ? "\n" : " ");
    say("\nentries", (uint64_t)entries);
    say("at", fshmem_time());
}

/* All at one clock, in each round. */
static void *keep_step(void *arg)
{
    const int i = *(int *)arg;

    for (int round = 0; round < ROUNDS; round++) {
        fshmem_spend(1000);
        entry[entries++].thread = i;
    }
    return NULL;
}

static void ties(void)
{
    start(THREADS, keep_step);
    join(THREADS);
    for (int i = 0; i < entries && me == 0; i++)
        printf("%d", entry[i].thread);
    say("\nat", fshmem_time());
}

/* ---- locks that are held across calls ---- */

static gasnet_hsl_t hsl = GASNET_HSL_INITIALIZER;
static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;
static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
static volatile unsigned inside[3], sum, turn = 1;

/* Under one of the locks. */
static void count(int lock)
{
    if (inside[lock]++ != 0)
        printf("two inside\n");
    fshmem_spend(1000);
    sum++;
    inside[lock]--;
}

static void *lock_all(void *arg)
{
    const unsigned i = (unsigned)*(int *)arg;

    for (int round = 0; round < ROUNDS; round++) {
        gasnet_hsl_lock(&hsl);
        count(0);
        gasnet_hsl_unlock(&hsl);
        gasnett_rwlock_wrlock(&rwlock);
        count(1);
        gasnett_rwlock_unlock(&rwlock);
        gasnett_mutex_lock(&mutex);
        while (turn != i)
            gasnett_cond_wait(&cond, &mutex);
        count(2);
        turn = turn % THREADS + 1;
        gasnett_cond_broadcast(&cond);
        gasnett_mutex_unlock(&mutex);
    }
    return NULL;
}

static void locks(void)
{
    start(THREADS, lock_all);
    join(THREADS);
    say("sum", sum);
    say("at", fshmem_time());
}

/* ---- plain memory ---- */

static volatile int flag;

static void *set_flag(void *arg)
{
    fshmem_spend(100000);
    flag = 1;
    return arg;
}

static void block_until(void)
{
    uint64_t t;

    start(1, set_flag);
    t = fshmem_time();
    GASNET_BLOCKUNTIL(flag);
    say("until", fshmem_time() - t);
    join(1);
}

/* Looks at memory that another thread sets after a call, which it cannot make: for
 * seven seconds of the host, and then it calls. */
static void spin(void)
{
    const uint64_t end = gasnett_gettimeofday_us() + 7000000;

    start(1, set_flag);
    while (me == 0 && !flag && gasnett_gettimeofday_us() < end)
        continue;
    say("flag", (uint64_t)flag);
    join(1);
    say("joined", (uint64_t)flag);
}

/* The same in a call that says nothing. */
static void stuck(void)
{
    start(1, set_flag);
    if (me == 0)
        pthread_join(thread[1], NULL);
}

/* ---- a thread of the library; children ---- */

static void served(void)
{
    uint64_t t;

    barrier();
    t = fshmem_time();
    if (me == 0)
        ask(1);
    else
        fshmem_spend(1000000); /* no poll */
    say("served", fshmem_time() - t);
}

static int child(int calls)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        if (fshmem_time() == 0)
            _exit(9);
        fshmem_spend(1000);
        gasnett_nsleep(1000);
        fshmem_blocking_begin();
        fshmem_blocking_end();
        if (calls)
            gasnet_AMPoll();
        _exit(3);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void children(void)
{
    say("quiet child", (uint64_t)child(0));
    say("calling child", (uint64_t)child(1));
    ask(1);
}

static const struct {
    const char *name;
    void (*body)(void);
} what[] = {{"order", order},       {"ties", ties},        {"locks", locks},
            {"until", block_until}, {"spin", spin},        {"stuck", stuck},
            {"served", served},     {"children", children}};

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_ASK, (void (*)())on_ask},
                                     {H_ANSWER, (void (*)())on_answer}};

    gasnet_init(&argc, &argv);
    gasnet_attach(table, 2, GASNET_PAGESIZE, 0);
    me = gasnet_mynode();
    peer = gasnet_nodes() - 1 - me;
    for (unsigned i = 0; i < sizeof what / sizeof what[0] && argc > 1; i++)
        if (strcmp(argv[1], what[i].name) == 0)
            what[i].body();
    fflush(stdout);
    barrier();
    gasnet_exit(0);
}
