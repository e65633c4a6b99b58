/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rank calls gasnet_exit(4) in a signal handler that has interrupted
 * what its argument says, while the others wait in a barrier for it:
 *   malloc  the allocator, whose lock it holds
 *   serve   the same, and what it is sent meanwhile wants memory too
 *   stream  anything, while another thread holds a stream's lock for ever
 *   barrier one barrier of many, at a moment so many microseconds away (second
 *           argument): in simulated time most likely a wait for its turn
 * The allocator is this file's: one lock around the C library's.
 */
#include <gasnet.h>

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

static atomic_flag heap = ATOMIC_FLAG_INIT;

static void lock_heap(void)
{
    while (atomic_flag_test_and_set(&heap))
        sched_yield();
}

static void unlock_heap(void)
{
    atomic_flag_clear(&heap);
}

void *malloc(size_t size)
{
    void *memory;

    lock_heap();
    memory = __libc_malloc(size);
    unlock_heap();
    return memory;
}

void *calloc(size_t n, size_t size)
{
    void *memory;

    lock_heap();
    memory = __libc_calloc(n, size);
    unlock_heap();
    return memory;
}

void *realloc(void *old, size_t size)
{
    void *memory;

    lock_heap();
    memory = __libc_realloc(old, size);
    unlock_heap();
    return memory;
}

void free(void *old)
{
    lock_heap();
    __libc_free(old);
    unlock_heap();
}

enum { H_ALLOCATE = 128 };

static void allocate(gasnet_token_t token)
{
    void *volatile memory = malloc(100); /* or the compiler leaves it out */

    (void)token;
    free(memory);
}

static void on_signal(int sig)
{
    (void)sig;
    gasnet_exit(4);
}

static void *hold_stream(void *ready)
{
    flockfile(stdout);
    atomic_store((atomic_int *)ready, 1);
    for (;;)
        pause();
    return NULL;
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* For as long as a test may take. */
static void meet_for_ever(long us)
{
    const struct itimerval once = {.it_value.tv_usec = us};
    const time_t end = time(NULL) + 60;

    signal(SIGALRM, on_signal);
    if (gasnet_mynode() == gasnet_nodes() - 1)
        setitimer(ITIMER_REAL, &once, NULL);
    while (time(NULL) < end)
        meet();
    _exit(96);
}

static void act(const char *what)
{
    static atomic_int ready;
    pthread_t thread;

    signal(SIGUSR2, on_signal);
    if (strcmp(what, "stream") == 0) {
        if (pthread_create(&thread, NULL, hold_stream, &ready) != 0)
            _exit(99);
        while (!atomic_load(&ready))
            sched_yield();
    } else {
        lock_heap();
    }
    raise(SIGUSR2);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_ALLOCATE, allocate}};
    const char *what = argc > 1 ? argv[1] : "malloc";

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 1, 65536, 0) != GASNET_OK)
        return 98;
    meet();
    if (strcmp(what, "barrier") == 0)
        meet_for_ever(argc > 2 ? atol(argv[2]) : 1000);
    if (gasnet_mynode() == gasnet_nodes() - 1)
        act(what);
    if (strcmp(what, "serve") == 0)
        for (int i = 0; i < 8; i++)
            gasnet_AMRequestShort0(gasnet_nodes() - 1, H_ALLOCATE);
    meet();
    return 97;
}
