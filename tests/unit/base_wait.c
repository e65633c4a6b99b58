/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The wait engine, without a job and with a fake one: how far it spins, yields and
 * sleeps, that it checks the job and its limits, and its messages. Process ends are
 * tested in child processes.
 */
#include "base/wait.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"

#define SECOND UINT64_C(1000000000)

static unsigned slept, checked, expired, left;
static uint64_t length_us[16];
static bool prepares; /* every other call of sleep only prepares it */

static bool count_sleep(struct fsh_wait *wait, uint64_t ns)
{
    static bool prepared;

    CHECK(wait->peer == 0);
    prepared = !prepared;
    if (prepares && prepared)
        return false;
    length_us[slept++ % 16] = ns / 1000;
    return true;
}

static void count_check(struct fsh_wait *wait, const char *what)
{
    (void)wait;
    CHECK(strcmp(what, "x") == 0, "%s", what);
    checked++;
}

static void count_expired(struct fsh_wait *wait, const char *what)
{
    CHECK(wait->limit_ms != 0 && strcmp(what, "x") == 0);
    expired++;
}

static void count_leave(struct fsh_wait *wait, const char *what,
                        const char *why)
{
    (void)wait;
    (void)what;
    CHECK(strcmp(why, "over") == 0, "%s", why);
    left++;
}

static const struct fsh_wait_kind kind = {.eager = 1,
                                          .spins = 3,
                                          .yields = 2,
                                          .nap_us = 10,
                                          .most_us = 25,
                                          .growth = 4,
                                          .sleep = count_sleep,
                                          .check = count_check,
                                          .leave = count_leave,
                                          .expired = count_expired};
static const struct fsh_wait_kind restless = {.spins = 3, .check = count_check};

static void pauses(const struct fsh_wait_kind *k, struct fsh_wait *wait,
                   unsigned n)
{
    while (n-- > 0)
        fsh_wait_pause(k, wait, "x");
}

static void test_rounds(void)
{
    struct fsh_wait wait = {0};

    /* However long a yield takes here, it loses no time slice. */
    atomic_store(&fsh_spin.greedy_ns, UINT_MAX);
    pauses(&kind, &wait, 5);
    CHECK(slept == 0 && checked == 0, "%u after spins and yields", slept);
    pauses(&kind, &wait, 4);
    CHECK(slept == 4 && checked == 4, "%u sleeps, %u checks", slept, checked);
    CHECK(length_us[0] == 10 && length_us[1] == 20 && length_us[2] == 25 &&
          length_us[3] == 25);
    fsh_wait_found(&wait);
    pauses(&kind, &wait, 6);
    CHECK(slept == 5 && length_us[4] == 10, "from the start");
    prepares = true;
    pauses(&kind, &wait, 4);
    prepares = false;
    CHECK(slept == 7 && length_us[5] == 20 && length_us[6] == 25,
          "preparing made it longer");
    fsh_wait_end(&wait);
}

/* ---- a crowd ---- */

#define CROWD 40

static _Atomic unsigned down;
static _Atomic uint64_t longest_ns;
static _Atomic bool leave_beds;

static bool lie_down(struct fsh_wait *wait, uint64_t ns)
{
    uint64_t most = atomic_load(&longest_ns);

    (void)wait;
    while (ns > most && !atomic_compare_exchange_weak(&longest_ns, &most, ns))
        ;
    atomic_fetch_add(&down, 1);
    while (!atomic_load(&leave_beds))
        fsh_spin_yield();
    return true;
}

static const struct fsh_wait_kind sleeper = {
    .nap_us = 100, .most_us = 100, .sleep = lie_down};

static void *sleep_once(void *arg)
{
    struct fsh_wait wait = {0};

    (void)arg;
    fsh_wait_pause(&sleeper, &wait, "x");
    return NULL;
}

/* The first sleep as long as they ask for, those of a crowd longer. */
static void test_crowd(void)
{
    pthread_t thread[CROWD];

    for (unsigned i = 0; i < CROWD; i++) {
        CHECK(pthread_create(&thread[i], NULL, sleep_once, NULL) == 0);
        while (atomic_load(&down) <= i)
            fsh_spin_yield();
        if (i == 15)
            CHECK(atomic_load(&longest_ns) == 100000, "too early");
    }
    CHECK(atomic_load(&longest_ns) == 100000 * (1 + (CROWD - 1) / 16),
          "%llu ns", (unsigned long long)atomic_load(&longest_ns));
    atomic_store(&leave_beds, true);
    for (unsigned i = 0; i < CROWD; i++)
        pthread_join(thread[i], NULL);
    atomic_store(&longest_ns, 0);
    sleep_once(NULL);
    CHECK(atomic_load(&longest_ns) == 100000, "alone again");
}

/* Where a yield loses a time slice it sleeps at once, unless it never does. */
static void test_greedy(void)
{
    struct fsh_wait wait = {0};

    slept = 0;
    atomic_store(&fsh_spin.no_yield_until, UINT64_MAX);
    pauses(&kind, &wait, 4);
    CHECK(slept == 1, "%u", slept);
    atomic_store(&fsh_spin.no_yield_until, 0);
}

static void test_restless(void)
{
    struct fsh_wait wait = {0};

    checked = 0;
    pauses(&restless, &wait, 63);
    CHECK(checked == 0, "%u", checked);
    pauses(&restless, &wait, 64);
    CHECK(checked == 1, "%u checks", checked);
}

static void test_limit(void)
{
    struct fsh_wait wait = {.limit_ms = 50};

    expired = 0;
    pauses(&kind, &wait, 8);
    CHECK(expired == 0 && wait.since != 0, "too early");
    wait.since -= SECOND / 10;
    pauses(&kind, &wait, 1);
    CHECK(expired == 1, "%u", expired);
}

/* ---- a job ---- */

static bool alive = true;
static char reported[256];

static bool is_alive(const char **why)
{
    if (!alive)
        *why = "over";
    return alive;
}

static void leave_job(const char *why)
{
    printf("leaves: %s\n", why);
    exit(3);
}

static void note_report(const char *what)
{
    snprintf(reported, sizeof reported, "%s", what);
}

static struct fsh_wait_job job = {
    .alive = is_alive, .leave = leave_job, .report = note_report};

/* The three ways to name a wait. */
static const struct fsh_wait_kind call = {.sleep = count_sleep},
                                  layer = {.who = "layer"},
                                  sender = {.who = "message", .to_peer = true};

static void check_report(const struct fsh_wait_kind *k, uint32_t peer,
                         const char *expected)
{
    struct fsh_wait wait = {.peer = peer};

    fsh_wait_check(k, &wait, "thing");
    CHECK(reported[0] == '\0', "%s, early", reported);
    wait.since -= 2 * SECOND;
    fsh_wait_check(k, &wait, "thing");
    CHECK(strcmp(reported, expected) == 0, "%s", reported);
    fsh_wait_end(&wait);
    CHECK(reported[0] == '\0', "%s, after the end", reported);
}

static void test_job(void)
{
    struct fsh_wait wait = {0};

    check_report(&call, 0, "thing");
    check_report(&call, 3, "thing (node 2)");
    check_report(&layer, 0, "thing (layer)");
    check_report(&layer, 3, "thing, rank 2 (layer)");
    check_report(&sender, 3, "thing (message to rank 2)");
    alive = false;
    fsh_wait_check(&kind, &wait, "x");
    CHECK(left == 1, "%u", left);
    alive = true;
}

static void print_state(void (*line)(void *arg, const char *text), void *arg)
{
    line(arg, "the state");
}

static void expire(const struct fsh_wait_kind *k, uint32_t peer)
{
    struct fsh_wait wait = {.peer = peer};

    fsh_wait_on_expiry(print_state);
    job.watchdog = 1.5;
    fsh_wait_check(k, &wait, "thing");
    wait.since -= 2 * SECOND;
    fsh_wait_check(k, &wait, "thing");
}

static void expire_call(void)
{
    expire(&call, 3);
}

static void expire_alone(void)
{
    expire(&call, 0);
}

static void expire_layer(void)
{
    expire(&layer, 3);
}

static void expire_sender(void)
{
    expire(&sender, 3);
}

static void expire_limited(void)
{
    struct fsh_wait wait = {.limit_ms = 10000};

    job.watchdog = 1.5;
    fsh_wait_check(&kind, &wait, "x");
    wait.since -= 2 * SECOND;
    fsh_wait_check(&kind, &wait, "x");
}

static void leave(void)
{
    struct fsh_wait wait = {0};

    alive = false;
    fsh_wait_check(&call, &wait, "x");
}

static void check_end(void (*run)(void), int code, const char *says)
{
    char text[1024];
    int status = child_run(run, text, sizeof text);

    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == code, "%#x: %s",
          (unsigned)status, text);
    CHECK(strcmp(text, says) == 0, "%s", text);
}

static void test_ends(void)
{
#define STATE "fshmem:   the state\nfshmem: "
#define BLOCKED "blocked for 1.5 s (FSHMEM_WATCHDOG)"
    check_end(expire_call, 1, STATE "thing: " BLOCKED ", waiting for node 2\n");
    check_end(expire_alone, 1, STATE "thing: " BLOCKED "\n");
    check_end(expire_layer, 1,
              STATE "layer: " BLOCKED ", waiting for thing, rank 2\n");
    check_end(expire_sender, 1,
              STATE "message to rank 2: " BLOCKED ", waiting for thing\n");
    check_end(expire_limited, 0, "");
    check_end(leave, 3, "");
}

int main(void)
{
    test_rounds();
    test_greedy();
    test_crowd();
    test_restless();
    test_limit();
    fsh_wait_watch(&job);
    test_job();
    test_ends();
    puts("base_wait: pass");
    return 0;
}
