/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wait ends when a plain variable changes while the waiter sleeps, when another
 * thread's poll has run the handler, when the watchdog expires (with a line that
 * names what was waited for), and when the job has ended. Runs as jobs of one rank;
 * those that must fail run in child processes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "boot/boot.h"
#include "gasnet/internal.h"
#include "child.h"

static struct fsh_conduit_ops ops;
static atomic_uint sleeps; /* waits in the conduit */
static int flag;           /* plain on purpose */

static bool poll_nothing(void)
{
    return false;
}

static void nap(uint64_t ns)
{
    const struct timespec t = {(time_t)(ns / 1000000000),
                               (long)(ns % 1000000000)};

    nanosleep(&t, NULL);
}

static void wait_full(uint64_t max_ns, bool memory)
{
    CHECK(memory); /* it is the client that waits */
    CHECK(max_ns >= 50000 && max_ns <= 10000000);
    atomic_fetch_add(&sleeps, 1);
    nap(max_ns);
}

static void start(void)
{
    int argc = 0;
    char **argv = NULL;

    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    ops = *fsh_gasnet.ops;
    ops.poll = ops.spin = poll_nothing;
    ops.wait = wait_full;
    fsh_gasnet.ops = &ops;
}

/* Set the flag when the waiter sleeps for good. */
static void *set_later(void *arg)
{
    while (atomic_load(&sleeps) < 5)
        nap(1000000);
    __atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void plain_memory(void)
{
    pthread_t thread;

    CHECK(pthread_create(&thread, NULL, set_later, &flag) == 0);
    GASNET_BLOCKUNTIL(__atomic_load_n(&flag, __ATOMIC_RELAXED) == 1);
    CHECK(atomic_load(&sleeps) >= 5);
    CHECK(pthread_join(thread, NULL) == 0);
}

/* ---- several waiters: one sleeps in the conduit, which never returns by
 * itself; whoever polls what arrives, all the others must go on ---- */

static atomic_bool arrived, released, conduit_busy;

static bool poll_once_something(void)
{
    bool expected = true;

    if (!atomic_compare_exchange_strong(&arrived, &expected, false))
        return false;
    atomic_store(&released, true); /* as a handler would */
    return true;
}

/* Sleeps until there is something: never by itself. */
static void wait_until_arrival(uint64_t max_ns, bool memory)
{
    (void)max_ns, (void)memory;
    atomic_store(&conduit_busy, true);
    while (!atomic_load(&arrived) && !atomic_load(&released))
        nap(1000000);
}

static void *wait_released(void *arg)
{
    GASNET_BLOCKUNTIL(atomic_load(&released));
    return arg;
}

static void woken_by_other_thread(void)
{
    enum { WAITERS = 4 };
    pthread_t thread[WAITERS];
    uint64_t before;

    ops.poll = ops.spin = poll_once_something;
    ops.wait = wait_until_arrival;
    for (int i = 0; i < WAITERS; i++)
        CHECK(pthread_create(&thread[i], NULL, wait_released, NULL) == 0);
    while (!atomic_load(&conduit_busy))
        nap(1000000);
    before = fsh_time_ns();
    atomic_store(&arrived, true);
    for (int i = 0; i < WAITERS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
    CHECK(fsh_time_ns() - before < UINT64_C(5000000000));
}

/* ---- ends that are failures ---- */

static void block_for_ever(void)
{
    setenv("FSHMEM_WATCHDOG", "0.2", 1);
    start();
    GASNET_BLOCKUNTIL(flag == 12345);
}

static void block_in_dead_job(void)
{
    start();
    atomic_store(&fsh_boot_page()->abort_code, 7);
    GASNET_BLOCKUNTIL(flag == 12345);
}

static void failures(void)
{
    char text[4096];
    int status = child_run(block_for_ever, text, sizeof text);

    fputs(text, stdout);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    CHECK(strstr(text, "gasnet_wait.c") != NULL);
    CHECK(strstr(text, "flag == 12345") != NULL);
    CHECK(strstr(text, "FSHMEM_WATCHDOG") != NULL);
    status = child_run(block_in_dead_job, text, sizeof text);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

int main(void)
{
    failures(); /* before this process has threads and a job */
    start();
    plain_memory();
    woken_by_other_thread();
    puts("gasnet_wait: pass");
    return 0;
}
