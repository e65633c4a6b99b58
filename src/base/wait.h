/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How everything in the library waits: spin, then yield, then sleep in bounded
 * steps, while checking that the job is alive and the watchdog has not expired.
 * The waiting code defines its policy (a constant struct fsh_wait_kind), keeps
 * a struct fsh_wait on its stack, tests its own condition, and calls
 * fsh_wait_pause after each failed test:
 *
 *     struct fsh_wait wait = {.peer = node + 1};
 *
 *     while (!there(node))
 *         if (progress())
 *             fsh_wait_found(&wait);
 *         else
 *             fsh_wait_pause(&kind, &wait, "what it is");
 *     fsh_wait_end(&wait);
 *
 * Any thread. Without a job (fsh_wait_watch) it only spins, yields and sleeps.
 * A signal handler may wait with a kind that does not yield and with a limit of
 * its own: that takes no lock.
 */
#ifndef FSH_WAIT_H
#define FSH_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/spin.h"
#include "base/trace.h"

/* State of one wait; all 0 except the fields marked owner. */
struct __attribute__((may_alias)) fsh_wait {
    uint32_t rounds;   /* consecutive failed rounds; from kind.spins on,
                          yields */
    uint32_t nap_us;   /* length of the last sleep */
    uint32_t peer;     /* owner: the peer waited for + 1, or 0 */
    uint32_t limit_ms; /* owner: replaces the watchdog's limit; 0: none */
    uint64_t since;    /* ns, first check; 0: not yet */
    uint32_t seen;     /* owner, for `sleep`: state before the last test */
    uint8_t memory;    /* owner, for `sleep`: a remote store may end the wait */
    uint8_t reported;  /* published on the job's page */
    uint8_t traced;    /* recorded in the trace, or dropped */
    uint8_t counted;   /* simulated time has counted its start */
};

/* Converts seconds to a limit of at least 1 ms; FSH_WAIT_FOR_EVER never
 * expires. */
#define FSH_WAIT_FOR_EVER UINT32_MAX
uint32_t fsh_wait_ms(double seconds);

struct fsh_wait_kind {
    /* The waiting component; `what` is then the thing it waits for. NULL:
     * `what` names a client call and is complete by itself. */
    const char *who;
    bool to_peer;    /* a send: `who` is followed by the peer */
    bool untraced;   /* not traced: this is how time passes */
    bool by_threads; /* may be ended by a thread that never calls the library */
    unsigned eager;  /* first rounds, without a pause instruction */
    unsigned spins;  /* maximum rounds before the first yield */
    unsigned yields; /* yields before the first sleep */
    unsigned nap_us; /* length of the first sleep */
    unsigned most_us;
    unsigned growth; /* growth of each sleep over the last, in quarters */
    /* Sleeps for at most ns. False: it has only armed the wake-up, so that the test
     * before the next round misses nothing; the next round sleeps. NULL: never sleeps,
     * keeps yielding. */
    bool (*sleep)(struct fsh_wait *wait, uint64_t ns);
    /* Called before each sleep, or now and then: detects the owner's own
     * reasons to give up. */
    void (*check)(struct fsh_wait *wait, const char *what);
    /* The job is ending. NULL: the default exit. */
    void (*leave)(struct fsh_wait *wait, const char *what, const char *why);
    /* limit_ms has expired; required with a limit. */
    void (*expired)(struct fsh_wait *wait, const char *what);
};

/* Slow path of fsh_wait_pause: yields, or checks and sleeps. */
void fsh_wait_offer(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what);

/* Records in the trace what is waited for, from now on. */
void fsh_wait_trace(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what);

/* Call after each failed test. Does not return if the job is ending, or if the wait
 * exceeds the watchdog's limit. */
static inline void fsh_wait_pause(const struct fsh_wait_kind *kind,
                                  struct fsh_wait *wait, const char *what)
{
    if (__builtin_expect(fsh_trace_on, 0) && !wait->traced)
        fsh_wait_trace(kind, wait, what);
    if (wait->rounds >= kind->spins || wait->rounds >= fsh_spins())
        fsh_wait_offer(kind, wait, what);
    else if (wait->rounds++ >= kind->eager)
        fsh_cpu_relax();
}

/* Progress, though not yet what is waited for: restart from spinning. */
static inline void fsh_wait_found(struct fsh_wait *wait)
{
    wait->rounds = 0;
    wait->nap_us = 0;
    wait->counted = 0;
}

/* Checks made before a sleep: job alive, limits; after a second, publishes on
 * the job's page what is waited for. */
void fsh_wait_check(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what);

/* Declares what this thread is waiting for while code without a wait of its own runs;
 * the innermost counts. */
struct fsh_waiting {
    const struct fsh_wait_kind *kind;
    struct fsh_wait *wait;
    const char *what;
    struct fsh_waiting *outer;
};
void fsh_wait_enter(struct fsh_waiting *here, const struct fsh_wait_kind *kind,
                    struct fsh_wait *wait, const char *what);
void fsh_wait_leave(const struct fsh_waiting *here);
/* The innermost declaration, or NULL; valid until it leaves. */
const struct fsh_waiting *fsh_wait_current(void);
/* Formats what a thread is waiting for, as on the job's page; "" if `of` is
 * NULL. Any thread, while that thread stays there. */
void fsh_wait_tell(const struct fsh_waiting *of, char *text, size_t len);
/* Whether it waits in the library for something only others can bring. Same
 * rules. */
bool fsh_wait_is_for_others(const struct fsh_waiting *of);
/* Runs the checks of the surrounding wait, for a sleep in which that wait cannot. */
void fsh_wait_check_outer(void);

/* Ends a wait. */
void fsh_wait_over(struct fsh_wait *wait);
static inline void fsh_wait_end(struct fsh_wait *wait)
{
    if (__builtin_expect(wait->reported | wait->traced, 0))
        fsh_wait_over(wait);
}

/* ---- the job ---- */

struct fsh_wait_job {
    /* Whether the job is alive. If not, *why is the reason. */
    bool (*alive)(const char **why);
    /* Ends this process with that reason. */
    void (*leave)(const char *why);
    /* Publishes what this rank waits for, for state dumps; "": nothing. */
    void (*report)(const char *what);
    double watchdog; /* seconds; 0: off */
};

/* Ties all waits to this job; NULL: to none. Keeps the pointer. */
void fsh_wait_watch(const struct fsh_wait_job *job);

/* Sets the provider of diagnostics printed when the watchdog expires; it calls
 * `line` once per fact. */
typedef void (*fsh_wait_facts_fn)(void (*line)(void *arg, const char *text),
                                  void *arg);
void fsh_wait_on_expiry(fsh_wait_facts_fn facts);

#endif
