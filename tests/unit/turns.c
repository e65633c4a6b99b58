/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's side of simulated time (sim/turns.c), with an inactive fabric and
 * ranks that are threads of this program: who gets the turn when, that a rank that
 * leaves without its turn stops nobody, and detection of deadlocks.
 */
#include "turns.h"

#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

#include "base/cpu.h"
#include "check.h"
#include "device/sim/turn.h"
#include "serve_state.h"

enum { RANKS = 2, RUNS = 8 };

/* ---- the fabric, and the simulator's ends of the ranks ---- */

static uint64_t cycle;
static void (*before_turn)(
    void); /* when the simulator has chosen who is next */

uint64_t fsh_fabric_cycle(const struct fsh_fabric *fab)
{
    (void)fab;
    return cycle;
}

uint64_t fsh_fabric_next(const struct fsh_fabric *fab)
{
    (void)fab;
    return UINT64_MAX;
}

uint64_t fsh_fabric_due(const struct fsh_fabric *fab)
{
    return fsh_fabric_next(fab);
}

/* There is one partition. */
void fsh_fabric_hosts(struct fsh_fabric *fab, uint64_t at)
{
    (void)fab;
    (void)at;
}

void fsh_fabric_tell(struct fsh_fabric *fab, uint32_t words)
{
    (void)fab;
    (void)words;
}

uint32_t fsh_fabric_agreed(const struct fsh_fabric *fab)
{
    (void)fab;
    return 0;
}

void fsh_fabric_again(struct fsh_fabric *fab)
{
    (void)fab;
}

bool fsh_fabric_called(struct fsh_fabric *fab)
{
    (void)fab;
    return true;
}

uint64_t fsh_fabric_epoch(struct fsh_fabric *fab)
{
    (void)fab;
    return cycle;
}

void fsh_fabric_pass(struct fsh_fabric *fab, uint64_t to)
{
    (void)fab;
    cycle = to;
}

bool fsh_fabric_quantum(struct fsh_fabric *fab, uint64_t end)
{
    (void)fab;
    (void)end;
    return false;
}

uint64_t fsh_fabric_moved(const struct fsh_fabric *fab)
{
    (void)fab;
    return cycle;
}

uint64_t fsh_fabric_told(const struct fsh_fabric *fab)
{
    (void)fab;
    return cycle + 1;
}

bool fsh_fabric_run(struct fsh_fabric *fab, uint64_t most)
{
    (void)fab;
    (void)most;
    return true;
}

const char *fsh_fabric_error(const struct fsh_fabric *fab)
{
    (void)fab;
    return NULL;
}

bool fsh_serve_take(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    (void)serve;
    (void)fab;
    return true;
}

void fsh_serve_show(struct fsh_serve *serve, const struct fsh_fabric *fab)
{
    (void)serve;
    (void)fab;
    if (before_turn != NULL)
        before_turn();
}

void fsh_serve_catch_up(const struct fsh_serve *serve, struct fsh_fabric *fab,
                        uint64_t clock)
{
    (void)fab;
    if (serve->start + clock > cycle)
        cycle = serve->start + clock;
}

void fsh_serve_dump(struct fsh_serve *serve, const char *why)
{
    (void)serve;
    (void)why;
}

void fsh_serve_dump_asked(struct fsh_serve *serve)
{
    (void)serve;
}

void fsh_sim_trace_begin(struct fsh_fabric *fab)
{
    (void)fab;
}

void fsh_sim_trace_end(struct fsh_fabric *fab)
{
    (void)fab;
}

/* ---- ranks ---- */

/* Of each run its own: threads of the ones before still wait for turns. */
static struct fsh_sim_mmio all_mmio[RUNS][RANKS], *mmio;
static struct fsh_turn all_turns[RUNS][RANKS], *turn;
static unsigned run;
static struct fsh_sim_fabric shared;
static struct fsh_job_page page;
static struct fsh_serve_port port[RANKS];
static struct fsh_serve serve;
static void (*does)(unsigned rank);

static void *run_rank(void *number)
{
    unsigned rank = *(unsigned *)number;

    fsh_turn_begin(&turn[rank], &mmio[rank].turn);
    does(rank);
    fsh_turn_end(&turn[rank]);
    return NULL;
}

static void wait_until(unsigned rank, uint64_t until)
{
    fsh_turn_next(&turn[rank], FSH_SIM_WAKE_TIME, 0, until);
}

/* Serve ranks that do this, from this cycle of the fabric on; true if all have left.
 * Ranks that wait for ever do so until this program ends. */
static bool served(void (*what)(unsigned), uint64_t start)
{
    static unsigned number[RANKS] = {0, 1};
    pthread_t thread;

    CHECK(run < RUNS);
    mmio = all_mmio[run];
    turn = all_turns[run++];
    cycle = start;
    does = what;
    serve = (struct fsh_serve){.nodes = RANKS,
                               .past = RANKS,
                               .shared = &shared,
                               .port = port,
                               .page = &page,
                               .no_horizon = before_turn !=
                                             NULL}; /* hand over each time */
    for (unsigned i = 0; i < RANKS; i++) {
        port[i] = (struct fsh_serve_port){.mmio = &mmio[i]};
        CHECK(pthread_create(&thread, NULL, run_rank, &number[i]) == 0);
        pthread_detach(thread);
    }
    return fsh_turns_run(&serve, NULL);
}

/* ---- who is next ---- */

enum { STEPS = 20 };
static struct {
    unsigned rank;
    uint64_t at;
} entry[RANKS * STEPS];
static unsigned entries;

/* One runs at a time. */
static void step(unsigned rank)
{
    for (unsigned i = 1; i <= STEPS; i++) {
        wait_until(rank, (rank == 0 ? 20 : 30) * i);
        entry[entries].rank = rank;
        entry[entries++].at = turn[rank].now;
    }
}

static void by_clock_and_rank(void)
{
    CHECK(served(step, 1000));
    CHECK(entries == RANKS * STEPS);
    for (unsigned i = 1; i < entries; i++)
        CHECK(entry[i - 1].at < entry[i].at ||
                  (entry[i - 1].at == entry[i].at &&
                   entry[i - 1].rank < entry[i].rank),
              "%u", i);
    CHECK(cycle == 1000 + 30 * STEPS);
}

/* ---- a rank that leaves beside its turn ---- */

static void one_waits_long(unsigned rank)
{
    wait_until(rank, rank == 0 ? 5000 : 1000);
    while (rank == 1) /* its handler does not return */
        pause();
}

/* Rank 1 has been chosen, and leaves before it has the turn. */
static void leave_in_between(void)
{
    if (cycle == 1000 && turn[1].on)
        fsh_turn_end(&turn[1]);
}

static void who_leaves_stops_nobody(void)
{
    before_turn = leave_in_between;
    CHECK(served(one_waits_long, 0));
    before_turn = NULL;
    CHECK(cycle == 5000);
}

/* ---- when nothing can happen any more ---- */

static unsigned asked, denials;
static bool in_library;

static bool answer(char *text, size_t len)
{
    snprintf(text, len, ", thread 4 waits for: a spoon\n waits for: a fork\n");
    return ++asked > denials;
}

/* For ever, after it has done something up to cycle `from`. */
static void look_from(unsigned rank, uint64_t from)
{
    turn[rank].answer = answer;
    turn[rank].stuck = in_library;
    wait_until(rank, from);
    turn[rank].idle = from;
    for (uint64_t until = from + 100;; until += 100)
        wait_until(rank, until);
}

static void look(unsigned rank)
{
    look_from(rank, 100);
}

static bool ends_in_deadlock(void (*what)(unsigned))
{
    asked = 0;
    return !served(what, 0) && fsh_serve_failure(&serve) != NULL;
}

static void all_wait_in_the_library(void)
{
    in_library = true;
    CHECK(ends_in_deadlock(look));
    CHECK(asked == RANKS);
    CHECK(cycle >= 100 + 2500 && cycle <= 100 + 2500 + 200, "%" PRIu64, cycle);
}

static void who_denies_is_asked_again(void)
{
    denials = 4;
    CHECK(ends_in_deadlock(look));
    CHECK(asked == denials + RANKS, "%u", asked);
    denials = 0;
}

/* The second one does something every 2000 cycles. */
static void look_or_act(unsigned rank)
{
    in_library = true;
    if (rank == 0)
        look(rank);
    turn[rank].answer = answer;
    turn[rank].stuck = true;
    for (uint64_t at = 0; at < 20000; at += 2000) {
        turn[rank].idle = FSH_SIM_BUSY;
        wait_until(rank, at + 1000);
        turn[rank].idle = at + 1000;
        wait_until(rank, at + 2000);
    }
    look_from(rank, 20000);
}

static void since_the_last_deed(void)
{
    CHECK(ends_in_deadlock(look_or_act));
    CHECK(cycle >= 20000 + 2500, "%" PRIu64, cycle);
}

static void polls_have_longer(void)
{
    uint64_t began = fsh_time_ns();

    in_library = false;
    CHECK(ends_in_deadlock(look));
    CHECK(cycle >= 100 + 2500000 && fsh_time_ns() - began >= 1000000000);
}

const char *fsh_serve_failure(const struct fsh_serve *s)
{
    return s->failure[0] != '\0' ? s->failure : NULL;
}

int main(void)
{
    alarm(20);
    by_clock_and_rank();
    who_leaves_stops_nobody();
    all_wait_in_the_library();
    who_denies_is_asked_again();
    since_the_last_deed();
    polls_have_longer();
    return 0;
}
