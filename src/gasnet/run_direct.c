/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives by direct loads from the peers' memory (coll/direct), where the conduit
 * maps it. Each team that has boards gets one group, created with its first call. The
 * calls of a group run in order. A blocking call with nothing ahead of it is stepped
 * directly, without a lock; others wait in the team's queue, which polls run.
 */
#include <string.h>

#include "base/kick.h"
#include "base/log.h"
#include "base/option.h"
#include "base/spin.h"
#include "gasnet/run.h"

/* Checks for the other ranks before a wait also polls: arrival is usually
 * imminent. */
#define LOOKS 64u

/* A queued call of a team. */
struct fsh_run_queued {
    struct fsh_run_queued *next;
    struct fsh_coll_direct_op op;
    struct fsh_event *event;
    const char *name;
    size_t *lists; /* copy of the v-form's lists */
};

static struct fsh_run_team *teams;          /* with groups; under the lock */
static atomic_uint waiting;                 /* queued calls */
static atomic_flag busy = ATOMIC_FLAG_INIT; /* of the thread that runs them */

/* ---- groups ---- */

static void poke(void *arg, uint32_t member)
{
    const struct fsh_team *team = arg;

    fsh_gasnet.ops->direct->poke(team->node[member]);
}

static bool find_member(const struct fsh_team *team, uint32_t rank,
                        struct fsh_coll_member *member)
{
    const struct fsh_direct_ops *direct = fsh_gasnet.ops->direct;
    uint32_t node = team->node[rank];
    void *here;

    if (!direct->map(node, &here, &member->watching))
        return false;
    member->board = direct->board(node, team->number[rank]);
    member->here = here;
    member->there = (uintptr_t)fsh_gasnet.segs[node].addr;
    member->size = fsh_gasnet.segs[node].size;
    return member->board != NULL;
}

/* NULL: some member has no board for the team; all members agree on that. */
static struct fsh_coll_group *make_group(struct fsh_team *team)
{
    struct fsh_coll_group *group = NULL;
    struct fsh_coll_member *members;
    bool all = true;

    if (fsh_gasnet.ops->direct == NULL || fsh_gasnet.ops->direct->board == NULL)
        return NULL;
    members = fsh_team_memory(team->size, sizeof *members, "a collective");
    for (uint32_t r = 0; r < team->size && all; r++)
        all = find_member(team, r, &members[r]);
    if (all) {
        group =
            fsh_coll_group_make(team->rank, team->size, members, poke, team);
        if (group == NULL)
            fsh_fatal("a collective: no memory for a team of %u members",
                      team->size);
    }
    free(members);
    return group;
}

static __attribute__((noinline)) void set_group(struct fsh_team *team)
{
    struct fsh_run_team *t = team->runs;

    t->looked = true;
    if (!fsh_option_bool("FSHMEM_COLL_DIRECT"))
        return;
    t->group = make_group(team);
    if (t->group == NULL)
        return;
    t->tail = &t->head;
    fsh_lock_take(&fsh_run_lock);
    t->next = teams;
    teams = t;
    fsh_lock_give(&fsh_run_lock);
}

bool fsh_run_has_group(struct fsh_team *team)
{
    if (__builtin_expect(!team->runs->looked, 0))
        set_group(team);
    return team->runs->group != NULL;
}

static void check_agreement(const struct fsh_team *team,
                            const struct fsh_coll_direct_op *op,
                            const char *name, uint32_t missing)
{
    struct fsh_coll_facts theirs;

    if (__builtin_expect(!op->disagrees, 1)) {
        if (atomic_load_explicit(&team->runs->early, memory_order_relaxed) != 0)
            fsh_run_check_order(team, name);
        return;
    }
    if (op->work.client != NULL && fsh_coll_direct_facts(op, missing, &theirs))
        fsh_coll_differ_in_facts(team, name, &op->work.client->facts, &theirs,
                                 missing);
    fsh_coll_differ(team, name, missing);
}

/* ---- the queue ---- */

static void keep_lists(struct fsh_run_queued *q, const struct fsh_team *team,
                       const char *name)
{
    struct fsh_coll_work *w = &q->op.work;
    size_t n = team->size * sizeof *q->lists;

    if (w->dst_bytes == NULL)
        return;
    q->lists = malloc(2 * n);
    if (q->lists == NULL)
        fsh_fatal("%s: no memory for lists of %u blocks", name, team->size);
    memcpy(q->lists, w->dst_bytes, n);
    memcpy(q->lists + team->size, w->dst_at, n);
    w->dst_bytes = q->lists;
    w->dst_at = q->lists + team->size;
}

static void append(struct fsh_run_team *t, struct fsh_run_queued *q)
{
    fsh_lock_take(&fsh_run_lock);
    /* Partner: the acquires of head. */
    *t->tail = q;
    t->tail = &q->next;
    if (atomic_load_explicit(&t->head_there, memory_order_relaxed) == 0)
        atomic_store_explicit(&t->head_there, 1, memory_order_release);
    if (atomic_fetch_add_explicit(&waiting, 1, memory_order_relaxed) == 0)
        fsh_kicks_enter();
    fsh_lock_give(&fsh_run_lock);
}

/* The call at the head is complete. */
static void leave(struct fsh_run_team *t, struct fsh_run_queued *q)
{
    struct fsh_event *event = q->event;
    struct fsh_coll_client *client = q->op.work.client;

    fsh_lock_take(&fsh_run_lock);
    t->head = q->next;
    t->begun = false;
    if (t->head == NULL) {
        t->tail = &t->head;
        /* Partner: the acquire in fsh_run_direct. */
        atomic_store_explicit(&t->head_there, 0, memory_order_release);
    }
    if (atomic_fetch_sub_explicit(&waiting, 1, memory_order_relaxed) == 1)
        fsh_kicks_leave();
    fsh_lock_give(&fsh_run_lock);
    free(q->lists);
    free(q);
    if (client != NULL && client->done != NULL)
        client->done(client);
    /* Partner: the acquire in fsh_event_done. */
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

static struct fsh_run_queued *head_of(struct fsh_run_team *t)
{
    struct fsh_run_queued *q;

    fsh_lock_take(&fsh_run_lock);
    q = t->head;
    fsh_lock_give(&fsh_run_lock);
    return q;
}

static bool run_team(struct fsh_run_team *t)
{
    struct fsh_run_queued *q;
    bool advanced = false;
    uint32_t missing;

    while ((q = head_of(t)) != NULL) {
        if (!t->begun) {
            const struct fsh_coll_work work = q->op.work;

            fsh_coll_direct_begin(&q->op, t->group, &work);
            t->begun = true;
        }
        if (!fsh_coll_direct_step(&q->op, &missing)) {
            check_agreement(t->team, &q->op, q->name, missing);
            return advanced;
        }
        leave(t, q);
        advanced = true;
    }
    return advanced;
}

bool fsh_run_direct_kick(void)
{
    struct fsh_run_team *t;
    bool advanced = false;

    if (atomic_load_explicit(&waiting, memory_order_relaxed) == 0 ||
        atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        return false;
    fsh_lock_take(&fsh_run_lock);
    t = teams; /* teams are never removed */
    fsh_lock_give(&fsh_run_lock);
    for (; t != NULL; t = t->next)
        if (atomic_load_explicit(&t->head_there, memory_order_acquire) != 0)
            advanced |= run_team(t);
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return advanced;
}

/* ---- calls ---- */

void fsh_run_direct_start(struct fsh_team *team, const char *name,
                          const struct fsh_coll_work *work,
                          struct fsh_event *event)
{
    struct fsh_run_queued *q = calloc(1, sizeof *q);

    if (q == NULL)
        fsh_fatal("%s: no memory for another collective", name);
    q->op.work = *work;
    q->event = event;
    q->name = name;
    keep_lists(q, team, name);
    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    append(team->runs, q);
    /* As in a poll: another thread may be asleep until this one makes
     * progress. */
    if (fsh_run_direct_kick() && fsh_gasnet.threaded)
        fsh_wait_wake();
}

/* Slow path of a wait: polls, then sleeps. */
static __attribute__((noinline)) void wait_for(struct fsh_team *team,
                                               struct fsh_coll_direct_op *op,
                                               const char *name,
                                               uint32_t missing)
{
    /* If a peer wants the processor, spinning only delays it. */
    struct fsh_wait wait = {
        .memory = 1, .rounds = fsh_spin_contended() ? FSH_SPINS_LEAST : 0};

    do {
        check_agreement(team, op, name, missing);
        wait.peer = team->node[missing] + 1;
        fsh_wait_step(&wait, name);
    } while (!fsh_coll_direct_step(op, &missing));
    fsh_wait_end(&wait);
}

bool fsh_run_direct(struct fsh_team *team, const char *name,
                    const struct fsh_coll_work *work)
{
    struct fsh_coll_direct_op op;
    uint32_t missing = 0;
    bool done;

    if (atomic_load_explicit(&team->runs->head_there, memory_order_acquire) !=
        0)
        return false;
    fsh_coll_direct_begin(&op, team->runs->group, work);
    done = fsh_coll_direct_step(&op, &missing);
    for (unsigned i = 0; !done && i < LOOKS && !fsh_spin_contended(); i++)
        done = fsh_coll_direct_step(&op, &missing);
    if (!done)
        wait_for(team, &op, name, missing);
    fsh_call_done(name, 0);
    return true;
}
