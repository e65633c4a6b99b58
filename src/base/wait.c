/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The slow path of all waits; see wait.h. The job and the provider of diagnostics are
 * set during start-up, while single-threaded.
 */
#include "base/wait.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/log.h"
#include "base/simulated.h"

/* Rounds between checks of a wait that never sleeps. */
#define CHECK_PERIOD 64u
#define REPORT_NS UINT64_C(1000000000)
#define TEXT_BYTES 1024

enum { TRACED = 1, DROPPED }; /* state of a wait */

static const struct fsh_wait_job *job;
static fsh_wait_facts_fn facts;

void fsh_wait_watch(const struct fsh_wait_job *watched)
{
    job = watched;
}

void fsh_wait_on_expiry(fsh_wait_facts_fn fn)
{
    facts = fn;
}

uint32_t fsh_wait_ms(double seconds)
{
    double ms = seconds * 1e3;

    if (ms < 1)
        return 1;
    return ms < FSH_WAIT_FOR_EVER ? (uint32_t)ms : FSH_WAIT_FOR_EVER;
}

/* Formats the waiting component and what it waits for; either may be empty.
 * Client calls speak of nodes, as GASNet does; the rest of the library of
 * ranks. */
static void name(const struct fsh_wait_kind *kind, const struct fsh_wait *wait,
                 const char *what, char *who, char *lacking)
{
    const char *subject = kind->who != NULL ? kind->who : what;
    uint32_t peer = wait->peer - 1;

    lacking[0] = '\0';
    snprintf(who, TEXT_BYTES, "%s", subject);
    if (kind->who == NULL && wait->peer != 0) {
        snprintf(lacking, TEXT_BYTES, "node %u", peer);
    } else if (kind->who != NULL && wait->peer == 0) {
        snprintf(lacking, TEXT_BYTES, "%s", what);
    } else if (kind->who != NULL && kind->to_peer) {
        snprintf(who, TEXT_BYTES, "%s to rank %u", subject, peer);
        snprintf(lacking, TEXT_BYTES, "%s", what);
    } else if (kind->who != NULL) {
        snprintf(lacking, TEXT_BYTES, "%s, rank %u", what, peer);
    }
}

static void print_fact(void *arg, const char *text)
{
    (void)arg;
    fsh_warn("  %s", text);
}

/* The watchdog has expired. */
static _Noreturn void expire(const struct fsh_wait_kind *kind,
                             const struct fsh_wait *wait, const char *what)
{
    char who[TEXT_BYTES], lacking[TEXT_BYTES];

    name(kind, wait, what, who, lacking);
    if (facts != NULL)
        facts(print_fact, NULL);
    fsh_fatal("%s: blocked for %.3g s (FSHMEM_WATCHDOG)%s%s", who,
              job->watchdog, lacking[0] != '\0' ? ", waiting for " : "",
              lacking);
}

static void tell(const struct fsh_wait_kind *kind, const struct fsh_wait *wait,
                 const char *what, char *text, size_t len)
{
    char who[TEXT_BYTES], lacking[TEXT_BYTES];

    name(kind, wait, what, who, lacking);
    if (lacking[0] == '\0')
        snprintf(text, len, "%s", who);
    else if (kind->who == NULL)
        snprintf(text, len, "%s (%s)", who, lacking);
    else
        snprintf(text, len, "%s (%s)", lacking, who);
}

static void report(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                   const char *what)
{
    char text[2 * TEXT_BYTES + 4];

    tell(kind, wait, what, text, sizeof text);
    job->report(text);
    wait->reported = 1;
}

void fsh_wait_over(struct fsh_wait *wait)
{
    if (wait->reported)
        job->report("");
    if (wait->traced == TRACED && fsh_trace_on)
        fsh_trace_waited();
    wait->reported = wait->traced = 0;
}

void fsh_wait_trace(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what)
{
    if (kind->untraced)
        return;
    wait->traced = fsh_trace_wait(what != NULL ? what : "the end of others",
                                  kind->who, wait->peer)
                       ? TRACED
                       : DROPPED;
}

/* Only waits without their own limit are subject to the watchdog and published
 * on the job's page. */
static void check_time(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                       const char *what)
{
    uint64_t now = fsh_time_ns(), waited;

    if (wait->since == 0)
        wait->since = now;
    waited = now - wait->since;
    if (wait->limit_ms != 0) {
        if (wait->limit_ms != FSH_WAIT_FOR_EVER &&
            waited > wait->limit_ms * UINT64_C(1000000))
            kind->expired(wait, what);
        return;
    }
    if (job == NULL)
        return;
    if (job->watchdog != 0 && (double)waited > job->watchdog * 1e9)
        expire(kind, wait, what);
    if (!wait->reported && waited > REPORT_NS)
        report(kind, wait, what);
}

void fsh_wait_check(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what)
{
    const char *why = NULL;

    if (job != NULL && !job->alive(&why)) {
        if (kind->leave != NULL)
            kind->leave(wait, what, why);
        else
            job->leave(why);
    }
    if (kind->check != NULL)
        kind->check(wait, what);
    check_time(kind, wait, what);
}

/* ---- what this thread is waiting for ---- */

static _Thread_local struct fsh_waiting *waiting;

void fsh_wait_enter(struct fsh_waiting *here, const struct fsh_wait_kind *kind,
                    struct fsh_wait *wait, const char *what)
{
    *here = (struct fsh_waiting){kind, wait, what, waiting};
    waiting = here;
}

void fsh_wait_leave(const struct fsh_waiting *here)
{
    waiting = here->outer;
}

const struct fsh_waiting *fsh_wait_current(void)
{
    return waiting;
}

void fsh_wait_tell(const struct fsh_waiting *of, char *text, size_t len)
{
    text[0] = '\0';
    if (of != NULL)
        tell(of->kind, of->wait, of->what, text, len);
}

bool fsh_wait_is_for_others(const struct fsh_waiting *of)
{
    return of != NULL && of->wait->limit_ms == 0 && !of->wait->memory;
}

void fsh_wait_check_outer(void)
{
    struct fsh_waiting *here = waiting;

    if (here == NULL || here->outer == NULL)
        return;
    waiting = here->outer;
    fsh_wait_check(waiting->kind, waiting->wait, waiting->what);
    waiting = here;
}

/* ---- slow path ---- */

/* Each sleep ends in a check that costs a few microseconds. Hundreds of threads would
 * keep busy the processors needed by those they wait for, so above this number of
 * sleepers, sleeps get proportionally longer, up to a limit. */
#define CROWD 16u
#define CROWD_MOST_NS UINT64_C(20000000)

static _Atomic uint32_t sleepers;

/* In simulated time the length of a sleep is part of the result and occupies no
 * processor. */
static uint64_t among(uint32_t others, uint64_t ns)
{
    uint64_t longer = ns * (1 + others / CROWD);

    if (others < CROWD || ns >= CROWD_MOST_NS || fsh_simulated() != NULL)
        return ns;
    return longer < CROWD_MOST_NS ? longer : CROWD_MOST_NS;
}

static void sleep_step(const struct fsh_wait_kind *kind, struct fsh_wait *wait)
{
    uint32_t nap = wait->nap_us == 0
                       ? kind->nap_us
                       : wait->nap_us + wait->nap_us * kind->growth / 4;
    uint32_t others =
        atomic_fetch_add_explicit(&sleepers, 1, memory_order_relaxed);

    if (nap > kind->most_us)
        nap = kind->most_us;
    if (kind->sleep(wait, among(others, (uint64_t)nap * 1000)))
        wait->nap_us = nap;
    atomic_fetch_sub_explicit(&sleepers, 1, memory_order_relaxed);
}

FSH_HOT void fsh_wait_offer(const struct fsh_wait_kind *kind,
                            struct fsh_wait *wait, const char *what)
{
    if (kind->sleep == NULL) {
        if (++wait->rounds % CHECK_PERIOD == 0)
            fsh_wait_check(kind, wait, what);
        fsh_spin_yield();
        return;
    }
    /* From here on count yields, so that a larger spin estimate adds no more
     * spins. */
    if (wait->rounds < kind->spins)
        wait->rounds = kind->spins;
    if (wait->rounds - kind->spins < kind->yields && !fsh_spin_greedy()) {
        wait->rounds++;
        fsh_spin_yield();
    } else {
        struct fsh_waiting here;

        fsh_wait_check(kind, wait, what);
        fsh_wait_enter(&here, kind, wait, what);
        sleep_step(kind, wait);
        fsh_wait_leave(&here);
    }
}
