/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barriers of all nodes by a conduit that implements them without messages (struct
 * fsh_barrier_ops): an all-reduce of barrier ids that needs no board and no program.
 * One is in flight at a time; any thread that polls advances it.
 */
#include "base/kick.h"
#include "gasnet/run.h"

#define PHASES ((UINT32_C(1) << 30) - 1) /* mask, for conduits */

static struct {
    atomic_flag busy;    /* held by the thread that kicks or starts */
    atomic_bool active;  /* in progress; written under busy */
    atomic_uint missing; /* a node that has not arrived; for diagnostics */
    uint32_t phase;      /* the latest; under busy, as are the next two */
    uint64_t *all;
    struct fsh_event *event;
} meeting = {.busy = ATOMIC_FLAG_INIT};

bool fsh_run_meets(const struct fsh_team *team)
{
    return team == fsh_team_all->barriers && fsh_gasnet.ops->barrier != NULL &&
           fsh_gasnet.ops->barrier->present();
}

static bool try_begin(void)
{
    return !fsh_gasnet.threaded || !atomic_flag_test_and_set_explicit(
                                       &meeting.busy, memory_order_acquire);
}

static void end(void)
{
    if (fsh_gasnet.threaded)
        atomic_flag_clear_explicit(&meeting.busy, memory_order_release);
}

/* Another thread is about to finish kicking the previous barrier, but may have lost its
 * processor. */
static __attribute__((noinline)) void begin_slowly(void)
{
    struct fsh_wait wait = {0};

    do
        fsh_wait_step(&wait, "a barrier's notify: another thread has not "
                             "left the previous barrier");
    while (!try_begin());
    fsh_wait_end(&wait);
}

/* Adds to the protocols that polls advance (base/kick.h); without a locked instruction
 * if only one thread calls the library. */
static void count_active(uint32_t more)
{
    FSH_ASSERT(more == 1 || atomic_load(&fsh_kicks_active) != 0);
    if (fsh_gasnet.threaded)
        atomic_fetch_add_explicit(&fsh_kicks_active, more,
                                  memory_order_relaxed);
    else
        atomic_store_explicit(
            &fsh_kicks_active,
            atomic_load_explicit(&fsh_kicks_active, memory_order_relaxed) +
                more,
            memory_order_relaxed);
}

FSH_HOT void fsh_run_meet_start(uint64_t mine, uint64_t *all,
                                fsh_merge_fn merge, struct fsh_event *event)
{
    if (!try_begin())
        begin_slowly();
    FSH_ASSERT(!atomic_load(&meeting.active));
    meeting.phase++;
    meeting.all = all;
    meeting.event = event;
    atomic_store_explicit(&event->pending, 1, memory_order_relaxed);
    fsh_gasnet.ops->barrier->arrive(meeting.phase & PHASES, mine, merge);
    atomic_store_explicit(&meeting.active, true, memory_order_relaxed);
    count_active(1);
    end();
}

static bool look(void)
{
    uint32_t missing;

    if (!fsh_gasnet.ops->barrier->arrived(meeting.all, &missing)) {
        atomic_store_explicit(&meeting.missing, missing, memory_order_relaxed);
        return false;
    }
    atomic_store_explicit(&meeting.active, false, memory_order_relaxed);
    count_active(UINT32_MAX); /* minus one */
    /* Partner: the acquire in fsh_event_done. */
    atomic_store_explicit(&meeting.event->pending, 0, memory_order_release);
    return true;
}

FSH_HOT bool fsh_run_meet_kick(void)
{
    bool over;

    if (!atomic_load_explicit(&meeting.active, memory_order_relaxed) ||
        !try_begin())
        return false;
    over =
        atomic_load_explicit(&meeting.active, memory_order_relaxed) && look();
    end();
    return over;
}

uint32_t fsh_run_meet_missing(void)
{
    return atomic_load_explicit(&meeting.missing, memory_order_relaxed);
}
