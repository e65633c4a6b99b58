/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings about a run, with remedies. Thresholds are shares above which a remedy is
 * worth reading about. */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "page.h"

#define MUCH 0.2       /* of a rank's time, for one cause */
#define MOST 6u        /* remarks on waits */
#define LOOKED_AT 256u /* the longest waits */

/* By a part of the name of a wait; the first match counts. NULL: no advice. */
static const struct {
    const char *part, *advice;
} remedies[] = {
    {"barrier", "a rank arrives late: find the rank that does not wait in the "
                "timeline and move part of its work to others, or split the "
                "barrier into notify and wait and compute in between"},
    {"BLOCKUNTIL", "the condition is set by a message: send it earlier, or "
                   "compute meanwhile and poll"},
    {"credit", "the peer does not return credits fast enough: make it poll "
               "more often, or send fewer and larger messages"},
    {"room", "the peer does not take messages fast enough: make it poll "
             "more often, or send fewer and larger messages"},
    {"slot", "the peer does not take messages fast enough: make it poll "
             "more often, or send fewer and larger messages"},
    {"get", "start it earlier as a non-blocking get (gasnet_get_nb) and "
            "compute until it is needed"},
    {"put", "start it as a non-blocking put (gasnet_put_nb) and wait only "
            "when its completion is needed"},
    {"sync", "start the transfers earlier, or compute longer before the wait"},
    {"payload", "a smaller payload, or one in the segment, is read sooner"},
    {"register read", "the program reads registers of its device, which "
                      "costs a PCIe round trip each time"},
    /* Start and end of the job. */
    {"exchange", NULL},
    {"attach", NULL},
    {"to be ready", NULL},
    {"lock", "another thread holds a lock: do less under it"},
};

static const char *remedy(const char *name)
{
    for (unsigned i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++)
        if (strstr(name, remedies[i].part))
            return remedies[i].advice;
    return "see in the timeline what the peer does meanwhile";
}

static double share_of(const struct run *run, const struct run_tally *t)
{
    return t->time / run_span(&run->rank[t->rank]);
}

/* The longest wait of a name, and how many other ranks wait as much. */
static void advise_wait(struct page *p, const struct run *run,
                        const struct run_tally *t, unsigned others)
{
    char whom[32] = "", as_well[64] = "";

    if (t->peer >= 0)
        snprintf(whom, sizeof(whom), " of rank %d", (int)t->peer);
    if (others > 0)
        snprintf(as_well, sizeof(as_well), "; so did %u other rank%s", others,
                 others > 1 ? "s" : "");
    page_advice(p, PAGE_WARNING,
                "rank %u waited %.0f %% of its time for %s%s (%" PRIu64
                " time%s%s): %s.",
                t->rank, 100 * share_of(run, t), t->name, whom, t->count,
                t->count == 1 ? "" : "s", as_well, remedy(t->name));
}

/* Is there a wait of this name before the i-th? */
static bool repeats(const struct run_tally *const *wait, unsigned i)
{
    for (unsigned j = 0; j < i; j++)
        if (strcmp(wait[j]->name, wait[i]->name) == 0)
            return true;
    return false;
}

/* No single cause is large, but their sum may be. */
static void advise_in_all(struct page *p, const struct run *run,
                          const struct run_tally *const *wait, unsigned n)
{
    const struct run_tally *longest = NULL;
    double most = 0;
    uint32_t rank = 0;

    for (uint32_t r = 0; r < run->ranks; r++) {
        double share = 0;

        for (unsigned i = 0; i < n; i++)
            if (wait[i]->rank == r && remedy(wait[i]->name))
                share += share_of(run, wait[i]);
        rank = share > most ? r : rank;
        most = fmax(most, share);
    }
    for (unsigned i = n; i-- > 0;)
        if (wait[i]->rank == rank && remedy(wait[i]->name))
            longest = wait[i];
    if (longest && most > 2 * MUCH)
        page_advice(p, PAGE_WARNING,
                    "rank %u waited %.0f %% of its time for several causes, "
                    "the largest being %s (%.0f %%): %s.",
                    rank, 100 * most, longest->name,
                    100 * share_of(run, longest), remedy(longest->name));
    else
        page_advice(
            p, PAGE_NOTE,
            "no rank waited for more than %.0f %% of its time in total, "
            "or for more than %.0f %% for one cause, not counting "
            "start and end of the job.",
            200 * MUCH, 100 * MUCH);
}

static void advise_waits(struct page *p, const struct run *run)
{
    const struct run_tally *wait[LOOKED_AT];
    unsigned n = run_waits(run, wait, LOOKED_AT), said = 0;

    for (unsigned i = 0; i < n && said < MOST; i++) {
        unsigned others = 0;

        if (share_of(run, wait[i]) < MUCH || repeats(wait, i) ||
            !remedy(wait[i]->name))
            continue;
        for (unsigned j = i + 1; j < n; j++)
            others += strcmp(wait[j]->name, wait[i]->name) == 0 &&
                      wait[j]->rank != wait[i]->rank &&
                      share_of(run, wait[j]) >= MUCH;
        advise_wait(p, run, wait[i], others);
        said++;
    }
    if (said == 0)
        advise_in_all(p, run, wait, n);
}

static void advise_sizes(struct page *p, const struct run *run)
{
    uint64_t all = 0, small = 0;

    for (unsigned i = 0; i < RUN_SIZES; i++) {
        all += run->size_count[i];
        small += i > 0 && i < 7 ? run->size_count[i] : 0; /* 1 to 63 bytes */
    }
    if (small >= 1000 && 2 * small > all)
        page_advice(p, PAGE_WARNING,
                    "%" PRIu64 " of %" PRIu64 " calls to another rank carry "
                    "fewer than 64 bytes: aggregate them.",
                    small, all);
}

static bool has_nodes(const struct run *run)
{
    return strcmp(run->conduit, "fpga") == 0;
}

/* How to avoid dropped records. */
static const char *against_drops(const struct run *run)
{
    return has_nodes(run)
               ? "With --clock simulated ranks and nodes wait until there is "
                 "room, and nothing is dropped; otherwise leave fshrun a "
                 "processor of its own (--bind-to), or trace a shorter run."
               : "Leave fshrun a processor of its own (fewer ranks, or a list "
                 "of the others for --bind-to), or trace a shorter run.";
}

static void advise_dropped(struct page *p, const struct run *run)
{
    uint32_t ranks = 0, worst = 0;
    uint64_t dropped = 0;
    char whose[64];

    for (uint32_t r = 0; r < run->ranks; r++) {
        dropped += run->rank[r].dropped;
        ranks += run->rank[r].dropped > 0;
        if (run->rank[r].dropped > run->rank[worst].dropped)
            worst = r;
    }
    if (ranks > 1)
        snprintf(whose, sizeof(whose), "%u ranks, most of them of rank %u",
                 ranks, worst);
    else
        snprintf(whose, sizeof(whose), "rank %u", worst);
    if (dropped > 0)
        page_advice(p, PAGE_WARNING,
                    "%" PRIu64 " records dropped of %s: they came faster than "
                    "fshrun could write them. Calls, waits and bytes are "
                    "underestimated, the program's own time is overestimated. "
                    "%s",
                    dropped, whose, against_drops(run));
    if (run->nodes_dropped > 0)
        page_advice(p, PAGE_WARNING,
                    "%" PRIu64 " records dropped of the nodes: they came "
                    "faster than fshrun could write them. The trace and the "
                    "use of links and memory over time have gaps; "
                    "figures of the nodes' counters are complete. %s",
                    run->nodes_dropped, against_drops(run));
}

/* What makes the figures less reliable. */
static void advise_trust(struct page *p, const struct run *run,
                         const struct run_job *job)
{
    if (job->code != 0)
        page_advice(p, PAGE_WARNING,
                    "the job ended with code %d; the page covers the time "
                    "before.",
                    job->code);
    advise_dropped(p, run);
    if (run->cut)
        page_advice(p, PAGE_WARNING,
                    "the trace is incomplete, its end missing, so sums are "
                    "too small.");
    if (run->untold > 0)
        page_advice(p, PAGE_WARNING,
                    "%" PRIu64 " calls and waits have names beyond the first "
                    "%u, and are missing in the tables by name.",
                    run->untold, RUN_TALLIES);
    if (!run->simulated && has_nodes(run))
        page_advice(p, PAGE_NOTE,
                    "times of ranks are wall time and reflect the speed of "
                    "the simulator: to estimate the time on cards, use "
                    "--clock simulated.");
}

void run_advise(struct page *p, const struct run *run,
                const struct run_job *job)
{
    page_section(p, "Findings");
    advise_trust(p, run, job);
    advise_waits(p, run);
    advise_sizes(p, run);
    run_advise_nodes(p, job);
}
