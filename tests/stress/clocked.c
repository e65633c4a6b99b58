/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that tells the time by the library's means, for test_clock.py and
 * test_status_line.py: does what its argument says, and prints nanoseconds.
 */
#include <fshmem.h>
#include <gasnet_tools.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void say(const char *what, uint64_t ns)
{
    printf("%s %" PRIu64 "\n", what, ns);
}

/* What each takes, a look at the clock included. */
static void each(void)
{
    uint64_t t = fshmem_time();

    say("look", fshmem_time() - t);
    t = fshmem_time();
    fshmem_spend(1000);
    say("spend", fshmem_time() - t);
    t = fshmem_time();
    fshmem_spend(1);
    say("cycle", fshmem_time() - t);
    t = fshmem_time();
    gasnett_nsleep(UINT64_C(2000000000));
    say("sleep", fshmem_time() - t);
    t = fshmem_time();
    gasnett_sched_yield();
    say("yield", fshmem_time() - t);
    t = gasnett_ticks_now();
    fshmem_spend(10000);
    say("ticks", gasnett_ticks_to_ns(gasnett_ticks_now() - t));
    t = gasnett_ticks_now() - fshmem_time();
    say("one clock", -t);
}

static void until(void)
{
    const uint64_t begin = gasnett_ticks_now();
    unsigned looks = 0;

    while (gasnett_ticks_to_us(gasnett_ticks_now() - begin) < 5)
        looks++;
    say("looks", looks);
}

/* Others run while one spends. */
static void together(void)
{
    uint64_t t;

    barrier();
    t = fshmem_time();
    fshmem_spend(gasnet_mynode() == 0 ? 1000000 : 900000);
    barrier();
    if (gasnet_mynode() == 0)
        say("together", fshmem_time() - t);
}

/* A century: nothing but in simulated time. */
static void spend_much(void)
{
    const uint64_t t = fshmem_time();

    fshmem_spend(UINT64_C(3000000000000000000));
    say("spent", fshmem_time() - t);
}

static uint64_t cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void burn(uint64_t ns)
{
    const uint64_t end = cpu() + ns;

    while (cpu() < end)
        continue;
}

/* Runs on the rank that polls for it; a reply tells the sender. */
static volatile int answered;
static void on_burn(gasnet_token_t token)
{
    burn(20000000);
    gasnet_AMReplyShort0(token, 202);
}
static void on_answer(gasnet_token_t token)
{
    (void)token;
    answered = 1;
}

/* What 50 ms of processor time are in simulated time; sleep is none of it, nor is
 * a wait for a peer that computes 20 ms in a handler. */
static void compute(void)
{
    const struct timespec nap = {0, 200000000};
    uint64_t t = fshmem_time();

    burn(50000000);
    say("computed", fshmem_time() - t);
    t = fshmem_time();
    nanosleep(&nap, NULL);
    say("slept", fshmem_time() - t);
    t = fshmem_time();
    gasnet_AMRequestShort0(1, 201);
    GASNET_BLOCKUNTIL(answered);
    say("answered", fshmem_time() - t);
}

/* Four seconds of the host, 40 ms simulated; the others wait. */
static void steps(void)
{
    const struct timespec nap = {0, 100000000};

    for (unsigned i = 0; i < 40 && gasnet_mynode() == 0; i++) {
        fshmem_progress(i, 40);
        fshmem_spend(1000000);
        nanosleep(&nap, NULL);
    }
    barrier();
}

/* Prints what comes, piece by piece: a '/' ends one without a line's end. */
static void echo(void)
{
    int c;

    while (gasnet_mynode() == 0 && (c = getchar()) != EOF) {
        if (c != '/')
            putchar(c);
        if (c == '/')
            fflush(stdout);
    }
    barrier();
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{201, (void (*)())on_burn},
                                     {202, (void (*)())on_answer}};

    gasnet_init(&argc, &argv);
    gasnet_attach(table, 2, GASNET_PAGESIZE, 0);
    if (argc > 1 && strcmp(argv[1], "each") == 0 && gasnet_mynode() == 0)
        each();
    if (argc > 1 && strcmp(argv[1], "until") == 0 && gasnet_mynode() == 0)
        until();
    if (argc > 1 && strcmp(argv[1], "together") == 0)
        together();
    if (argc > 1 && strcmp(argv[1], "spend_much") == 0)
        spend_much();
    if (argc > 1 && strcmp(argv[1], "compute") == 0 && gasnet_mynode() == 0)
        compute();
    if (argc > 1 && strcmp(argv[1], "steps") == 0)
        steps();
    if (argc > 1 && strcmp(argv[1], "echo") == 0)
        echo();
    fflush(stdout);
    barrier();
    gasnet_exit(0);
}
