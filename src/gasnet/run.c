/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives in flight and their execution: see run.h. */
#include "gasnet/run.h"

#include <string.h>

#include "base/kick.h"
#include "base/log.h"
#include "base/simulated.h"

atomic_bool fsh_run_active;
struct fsh_lock fsh_run_lock =
    FSH_LOCK_INIT("programs of collectives", FSH_LOCK_COLL);
uint32_t fsh_run_advances;

/* Fruitless looks at a waiting operation before its peers are told of the call: most
 * packets arrive earlier. Debug libraries tell them every time. */
#define TELL_AFTER (FSH_GASNET_DEBUG ? 1u : 128u)

static struct fsh_run *queue_head; /* under the lock, as are the next two */
static struct fsh_run **queue_tail = &queue_head;
static uint32_t queue_length;
static atomic_flag busy = ATOMIC_FLAG_INIT; /* of the thread that runs them */

/* ---- operations; lock held ---- */

/* The number of steps is known with the call; a run created by an earlier
 * message has none. */
static struct fsh_run *make(struct fsh_team *team, uint32_t number,
                            uint32_t steps)
{
    struct fsh_run *run = calloc(1, sizeof *run + steps * sizeof run->step[0]);

    if (run == NULL)
        fsh_fatal("no memory for another collective of %u nodes", team->size);
    run->team = team;
    run->number = number;
    return run;
}

static struct fsh_run **place_of(struct fsh_team *team, uint32_t number)
{
    struct fsh_run **link = &team->runs->first;

    while (*link != NULL && (int32_t)((*link)->number - number) < 0)
        link = &(*link)->next;
    return link;
}

struct fsh_run *fsh_run_find(struct fsh_team *team, uint32_t number)
{
    struct fsh_run **link = place_of(team, number), *run = *link;

    FSH_ASSERT(fsh_lock_is_mine(&fsh_run_lock));
    if (run != NULL && run->number == number)
        return run;
    if ((int32_t)(number - team->runs->calls) < 0)
        return NULL;
    run = make(team, number, 0);
    run->next = *link;
    *link = run;
    return run;
}

void fsh_run_enqueue(struct fsh_run *run)
{
    if (run->queued || !run->called)
        return;
    FSH_ASSERT(fsh_lock_is_mine(&fsh_run_lock));
    run->queued = true;
    run->queue = NULL;
    *queue_tail = run;
    queue_tail = &run->queue;
    queue_length++;
    if (!atomic_load_explicit(&fsh_run_active, memory_order_relaxed)) {
        atomic_store_explicit(&fsh_run_active, true, memory_order_relaxed);
        fsh_kicks_enter();
    }
}

void fsh_run_wake_first(struct fsh_team *team)
{
    if (team->runs->first != NULL)
        fsh_run_enqueue(team->runs->first);
}

/* ---- the call ---- */

static void set_steps(struct fsh_run *run)
{
    size_t sources = 0;

    for (uint32_t i = 0; i < run->program->steps; i++)
        sources += run->program->step[i].sources;
    run->sources = calloc(sources + 1, sizeof *run->sources);
    if (run->sources == NULL)
        fsh_fatal("%s: no memory for %zu packets", run->name, sources);
    sources = 0;
    for (uint32_t i = 0; i < run->program->steps; i++) {
        const struct fsh_program_step *step = &run->program->step[i];
        struct fsh_run_step *s = &run->step[i];

        s->step = step;
        s->bytes = fsh_run_bytes(run, step->local.place != FSH_PROGRAM_NONE
                                          ? &step->local
                                          : &step->store);
        if (fsh_run_is_encoded(run))
            s->bytes = fsh_wire_bytes(s->bytes / run->work.elem);
        s->source = &run->sources[sources];
        sources += step->sources;
    }
}

static size_t padded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

/* Bytes that TMP needs: all blocks, if any step uses it. */
static size_t tmp_bytes(const struct fsh_run *run)
{
    const struct fsh_program_range all = {FSH_PROGRAM_TMP, 0,
                                          (uint16_t)run->program->blocks};

    for (uint32_t i = 0; i < run->program->steps; i++)
        if (run->program->step[i].store.place == FSH_PROGRAM_TMP)
            return padded(fsh_run_bytes(run, &all));
    return 0;
}

/* Whether outgoing local data is encoded into scratch; otherwise it is sent
 * from where it is. */
static bool encodes_local(const struct fsh_run *run,
                          const struct fsh_run_step *s)
{
    return fsh_run_is_encoded(run) && s->step->sources == 0;
}

/* The number of packets of a step that are kept in scratch. */
static size_t packets_in_scratch(const struct fsh_run *run,
                                 const struct fsh_run_step *s)
{
    if (encodes_local(run, s))
        return 1;
    return fsh_run_is_eager(s->bytes) ? s->step->sources : 0;
}

/* Allocates TMP, and room for each eager packet and each packet encoded from memory. */
static void set_scratch(struct fsh_run *run)
{
    size_t bytes = tmp_bytes(run);
    unsigned char *at;

    for (uint32_t i = 0; i < run->program->steps; i++)
        bytes +=
            packets_in_scratch(run, &run->step[i]) * padded(run->step[i].bytes);
    run->scratch = malloc(bytes + 1);
    if (run->scratch == NULL)
        fsh_fatal("%s: no memory for %zu bytes of intermediate results",
                  run->name, bytes);
    run->tmp = run->scratch;
    at = run->scratch + tmp_bytes(run);
    for (uint32_t i = 0; i < run->program->steps; i++) {
        struct fsh_run_step *s = &run->step[i];

        s->local = fsh_run_at(run, &s->step->local);
        s->store = fsh_run_at(run, &s->step->store);
        s->value = s->step->sources == 0 ? s->local : s->store;
        if (fsh_run_is_encoded(run))
            s->value = encodes_local(run, s) ? at : NULL;
        if (encodes_local(run, s))
            at += padded(s->bytes);
        if (!fsh_run_is_eager(s->bytes))
            continue;
        for (unsigned k = 0; k < s->step->sources; k++) {
            s->source[k].land = at;
            at += padded(s->bytes);
        }
        if (s->value == NULL && s->step->sources != 0)
            s->value = s->source[0].land;
    }
}

/* Lock held. Takes the messages that arrived early for the next call. */
static struct fsh_run_note *take_notes(struct fsh_team *team)
{
    struct fsh_run **link = place_of(team, team->runs->calls), *heard = *link;
    struct fsh_run_note *notes;

    if (heard == NULL || heard->number != team->runs->calls)
        return NULL;
    FSH_ASSERT(!heard->called && !heard->queued);
    notes = heard->notes;
    *link = heard->next;
    free(heard);
    return notes;
}

/* Lock held. Creates the operation of this call, taking over early messages. */
static struct fsh_run *take_place(struct fsh_team *team, uint32_t steps)
{
    struct fsh_run *run = make(team, team->runs->calls, steps);
    struct fsh_run **link;

    run->loads = atomic_load_explicit(&team->runs->loads, memory_order_relaxed);
    run->notes = take_notes(team);
    link = place_of(team, run->number);
    run->next = *link;
    *link = run;
    team->runs->calls++;
    return run;
}

/* Lock held. client: NULL if another engine executed the call. */
static void set_past(struct fsh_team *team, const char *name, uint32_t number,
                     uint32_t claim, const struct fsh_coll_client *client)
{
    struct fsh_run_past *past = &team->runs->past[number % FSH_RUN_PAST];

    past->number = number;
    past->claim = claim;
    past->name = name;
    past->has_facts = client != NULL;
    if (client != NULL)
        past->facts = client->facts;
}

void fsh_run_enter(struct fsh_team *team, struct fsh_run_other *other)
{
    fsh_lock_take(&fsh_run_lock);
    other->number = team->runs->calls;
    fsh_run_compare_notes(team, other, take_notes(team));
    team->runs->calls++;
    other->next = team->runs->others;
    team->runs->others = other;
    fsh_lock_give(&fsh_run_lock);
}

void fsh_run_leave(struct fsh_team *team, struct fsh_run_other *other)
{
    struct fsh_run_other **link;

    fsh_lock_take(&fsh_run_lock);
    for (link = &team->runs->others; *link != other;)
        link = &(*link)->next;
    *link = other->next;
    set_past(team, other->name, other->number, other->claim, NULL);
    fsh_lock_give(&fsh_run_lock);
}

/* Copies the caller's lists, which may be reused on return. */
static void keep_lists(struct fsh_run *run)
{
    const size_t **lists[] = {&run->work.dst_bytes, &run->work.dst_at,
                              &run->work.src_bytes, &run->work.src_at};
    size_t n = run->team->size;

    if (run->work.dst_bytes == NULL && run->work.src_bytes == NULL)
        return;
    run->lists = malloc(4 * n * sizeof *run->lists);
    if (run->lists == NULL)
        fsh_fatal("%s: no memory for lists of %zu blocks", run->name, n);
    for (size_t i = 0; i < 4; i++) {
        if (*lists[i] == NULL)
            continue;
        memcpy(run->lists + i * n, *lists[i], n * sizeof *run->lists);
        *lists[i] = run->lists + i * n;
    }
}

/* Copies the source of an in-place all-to-all: blocks sent in late rounds are
 * overwritten earlier. */
static void keep_source(struct fsh_run *run)
{
    size_t n = run->work.elem * run->work.count * run->team->size;

    if (run->work.call != FSH_PROGRAM_ALLTOALL || run->work.src == NULL ||
        run->work.src != run->work.dst || run->lists != NULL)
        return;
    run->source = malloc(n + 1);
    if (run->source == NULL)
        fsh_fatal("%s: no memory for %zu bytes of blocks", run->name, n);
    fsh_simulated_copy(run->source, run->work.src, n);
    run->work.src = run->source;
}

void fsh_run_start(struct fsh_team *team, const char *name,
                   const struct fsh_program *program,
                   const struct fsh_coll_work *work, struct fsh_event *event)
{
    struct fsh_run *run;

    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    fsh_lock_take(&fsh_run_lock);
    run = take_place(team, program->steps);
    run->name = name;
    run->work = *work;
    run->program = program;
    run->event = event;
    keep_lists(run);
    keep_source(run);
    set_steps(run);
    set_scratch(run);
    run->in_place = fsh_run_in_place(run);
    run->called = true;
    fsh_run_apply_notes(run);
    fsh_run_enqueue(run);
    fsh_lock_give(&fsh_run_lock);
}

/* ---- running ---- */

/* Completes an operation: no more packets arrive for it, though a handler may
 * have queued it meanwhile. */
static void finish(struct fsh_run *run)
{
    struct fsh_team *team = run->team;
    struct fsh_run **link;
    bool queued;

    fsh_lock_take(&fsh_run_lock);
    link = place_of(team, run->number);
    FSH_ASSERT(*link == run && run->notes == NULL);
    *link = run->next;
    set_past(team, run->name, run->number, run->work.claim, run->work.client);
    fsh_run_wake_first(team);
    run->finished = run->queued;
    queued = run->queued;
    fsh_lock_give(&fsh_run_lock);
    if (run->work.client != NULL && run->work.client->done != NULL)
        run->work.client->done(run->work.client);
    /* Partner: the acquire in fsh_event_done. */
    atomic_fetch_sub_explicit(&run->event->pending, 1, memory_order_release);
    fsh_run_advances++;
    free(run->sources);
    free(run->scratch);
    free(run->lists);
    free(run->source);
    if (!queued)
        free(run);
}

/* For diagnostics: what it is waiting for now. */
static void set_awaited(const struct fsh_run *run)
{
    const struct fsh_program_step *step = run->step[run->low].step;

    if (step->sources != 0)
        atomic_store_explicit(&run->team->runs->awaited, step->source[0],
                              memory_order_relaxed);
}

/* Returns true if the operation is complete. */
static bool run_steps(struct fsh_run *run)
{
    uint32_t steps = run->program->steps;

    for (uint32_t i = run->low; i < steps && i < run->low + FSH_RUN_WINDOW;
         i++) {
        if (!run->step[i].over)
            fsh_run_advance(run, i);
        while (run->low < steps && run->step[run->low].over)
            run->low++;
    }
    if (run->low == steps)
        return true;
    set_awaited(run);
    return false;
}

static struct fsh_run *dequeue(void)
{
    struct fsh_run *run;

    fsh_lock_take(&fsh_run_lock);
    run = queue_head;
    if (run != NULL) {
        queue_head = run->queue;
        if (queue_head == NULL)
            queue_tail = &queue_head;
        queue_length--;
        run->queued = false;
    }
    fsh_lock_give(&fsh_run_lock);
    return run;
}

/* The operation is waiting: after some looks, tells the peers it waits for.
 * False: look again in the next poll. */
static bool tell(struct fsh_run *run)
{
    uint32_t end = run->low + FSH_RUN_WINDOW;
    bool all = true;

    if (fsh_team_is_barriers(run->team)) /* they cannot differ */
        return true;
    if (run->looks < TELL_AFTER && ++run->looks < TELL_AFTER)
        return false;
    if (end > run->program->steps)
        end = run->program->steps;
    for (uint32_t i = run->low; all && i < end; i++) {
        struct fsh_run_step *s = &run->step[i];

        if (!s->over && !s->claimed)
            all = fsh_run_tell(run, s);
    }
    return all;
}

/* Whether the operations it must wait for are complete; if not, their completion queues
 * it. */
static bool may_begin(const struct fsh_run *run)
{
    bool may = true;

    if (run->work.client == NULL || !run->work.client->ordered)
        return true;
    fsh_lock_take(&fsh_run_lock);
    may = run->team->runs->first == run;
    fsh_lock_give(&fsh_run_lock);
    return may;
}

static void run_next(void)
{
    struct fsh_run *run = dequeue();
    uint32_t first = fsh_run_advances, before;

    if (run == NULL)
        return;
    if (run->finished) {
        free(run);
        return;
    }
    if (!may_begin(run))
        return;
    run->starved = false;
    do
        before = fsh_run_advances;
    while (!run_steps(run) && fsh_run_advances != before);
    if (fsh_run_advances != first)
        run->looks = 0;
    if (run->low != run->program->steps && (!tell(run) || run->starved)) {
        fsh_lock_take(&fsh_run_lock);
        fsh_run_enqueue(run);
        fsh_lock_give(&fsh_run_lock);
    } else if (run->low == run->program->steps) {
        finish(run);
    }
}

static void return_credits(void)
{
    for (uint32_t id = 0; id < fsh_team_count(); id++) {
        struct fsh_team *team = fsh_team_at(id);

        if (team != NULL) /* else it is being created */
            fsh_run_return_credits(team);
    }
    fsh_run_return_credits(fsh_team_images);
}

/* The length of the queue; *due: whether credits must be returned. With neither, polls
 * need not kick any more. Checked here rather than when the last operation is taken, since most are queued again at once. */
static uint32_t queued(bool *due)
{
    uint32_t n;

    fsh_lock_take(&fsh_run_lock);
    n = queue_length;
    *due = fsh_run_due != 0;
    if (n == 0 && !*due &&
        atomic_load_explicit(&fsh_run_active, memory_order_relaxed)) {
        atomic_store_explicit(&fsh_run_active, false, memory_order_relaxed);
        fsh_kicks_leave();
    }
    fsh_lock_give(&fsh_run_lock);
    return n;
}

bool fsh_run_kick(void)
{
    uint32_t before;
    bool advanced, due;

    if (!atomic_load_explicit(&fsh_run_active, memory_order_relaxed) ||
        atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        return false;
    before = fsh_run_advances;
    for (uint32_t left = queued(&due); left != 0; left--)
        run_next();
    if (due)
        return_credits();
    advanced = fsh_run_advances != before;
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return advanced;
}
