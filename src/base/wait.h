/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How everything in the library waits: spin, then offer the processor, then
 * sleep in bounded steps, and meanwhile look whether the job is alive and the
 * watchdog's time is over. Who waits says how far it goes with each (a kind, a
 * constant), keeps a struct fsh_wait on its stack, looks for what it waits for
 * itself, and comes here with each look in vain:
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
 * Any thread. Without a job (fsh_wait_watch) nothing but spins, yields and
 * sleeps. A signal handler may wait with a kind that does not yield and a limit
 * of its own: that takes no lock.
 */
#ifndef FSH_WAIT_H
#define FSH_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/spin.h"
#include "base/trace.h"

/* One wait; all 0 but what its owner knows. */
struct __attribute__((may_alias)) fsh_wait {
    uint32_t rounds;   /* in vain, in a row; from kind.spins on, yields */
    uint32_t nap_us;   /* length of the last sleep */
    uint32_t peer;     /* owner: the rank that it waits for + 1, or 0 */
    uint32_t limit_ms; /* owner: a limit instead of the watchdog's, or 0 */
    uint64_t since;    /* ns, first check; 0 not yet */
    uint32_t seen;     /* owner's, for its sleep: state before the last look */
    uint8_t memory;    /* owner's, for its sleep: a store may end the wait */
    uint8_t reported;  /* the job's page says what it waits for */
    uint8_t traced;    /* the trace says that it waits, or could not */
    uint8_t counted;   /* simulated time knows that it has begun */
};

/* A limit of so many seconds, at least 1 ms; one that is never over. */
#define FSH_WAIT_FOR_EVER UINT32_MAX
uint32_t fsh_wait_ms(double seconds);

struct fsh_wait_kind {
    /* The part of the library that waits; `what` is then what it lacks. NULL:
     * `what` is a client's call, which says all. */
    const char *who;
    bool to_peer;    /* it sends: `who` goes on with the peer */
    bool untraced;   /* traces leave it out: it is how time passes */
    bool by_threads; /* one that never calls the library may end it */
    unsigned eager;  /* first rounds without so much as a pause */
    unsigned spins;  /* rounds, at most, before the processor is offered */
    unsigned yields; /* then, before it sleeps */
    unsigned nap_us; /* length of the first sleep */
    unsigned most_us;
    unsigned growth; /* each sleep is so many quarters longer */
    /* Sleep so long at most. False: it has only prepared itself to, so that the
     * look before the next round misses nothing; that round sleeps. NULL: never,
     * it goes on yielding. */
    bool (*sleep)(struct fsh_wait *wait, uint64_t ns);
    /* Before each sleep, or now and then: it may know ways out of its own. */
    void (*check)(struct fsh_wait *wait, const char *what);
    /* The job is ending. NULL: leave it as others do. */
    void (*leave)(struct fsh_wait *wait, const char *what, const char *why);
    /* limit_ms is over; with a limit. */
    void (*expired)(struct fsh_wait *wait, const char *what);
};

/* One look in vain is over, the slow case: yield, or check and sleep. */
void fsh_wait_offer(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what);

/* The trace says what it waits for, from here on. */
void fsh_wait_trace(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what);

/* One look in vain is over. Does not return if the job is ending, or blocked for
 * longer than the watchdog allows. */
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

/* Something has happened, if not yet what it waits for: from the start. */
static inline void fsh_wait_found(struct fsh_wait *wait)
{
    wait->rounds = 0;
    wait->nap_us = 0;
    wait->counted = 0;
}

/* What a wait does before it sleeps: the ways out, and after a second the job's
 * page says what it waits for. */
void fsh_wait_check(const struct fsh_wait_kind *kind, struct fsh_wait *wait,
                    const char *what);

/* What this thread waits for, while nobody else says it: the innermost counts. */
struct fsh_waiting {
    const struct fsh_wait_kind *kind;
    struct fsh_wait *wait;
    const char *what;
    struct fsh_waiting *outer;
};
void fsh_wait_enter(struct fsh_waiting *here, const struct fsh_wait_kind *kind,
                    struct fsh_wait *wait, const char *what);
void fsh_wait_leave(const struct fsh_waiting *here);
/* That, or NULL: valid until it leaves. */
const struct fsh_waiting *fsh_wait_current(void);
/* What a thread waits for, as the job's page has it, or "" if `of` is NULL. Any
 * thread, while that one stays there. */
void fsh_wait_tell(const struct fsh_waiting *of, char *text, size_t len);
/* Does it wait in the library, for what only others can bring? The same. */
bool fsh_wait_is_for_others(const struct fsh_waiting *of);
/* The ways out of the wait around a sleep in which it does not look for them. */
void fsh_wait_check_outer(void);

/* The wait is over. */
void fsh_wait_over(struct fsh_wait *wait);
static inline void fsh_wait_end(struct fsh_wait *wait)
{
    if (__builtin_expect(wait->reported | wait->traced, 0))
        fsh_wait_over(wait);
}

/* ---- the job ---- */

struct fsh_wait_job {
    /* Is it alive? If not, why. */
    bool (*alive)(const char **why);
    /* End this process with it. */
    void (*leave)(const char *why);
    /* What this rank waits for, for state dumps; "" nothing. */
    void (*report)(const char *what);
    double watchdog; /* seconds; 0 off */
};

/* All waits end with this job; NULL: there is none. Keeps the pointer. */
void fsh_wait_watch(const struct fsh_wait_job *job);

/* Who knows the state of the library, one call of `line` a fact: printed when
 * the watchdog expires. */
typedef void (*fsh_wait_facts_fn)(void (*line)(void *arg, const char *text),
                                  void *arg);
void fsh_wait_on_expiry(fsh_wait_facts_fn facts);

#endif
