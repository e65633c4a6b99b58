/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives by the engine in logic beside each node (hw/rtl/coll), where a conduit has
 * one: this rank writes the sequence that its program is into the library's area of its
 * node's memory, has the engine run it, and hears of its end; no host is in between.
 *
 * An engine runs FSH_COLL_SEQUENCES at once, each to its end, and one may wait for a rank
 * that has another order of teams. So only the first FSH_CARD_TEAMS_MOST teams of a node
 * have their calls here: each has a place for one at any time, and what is left of
 * places is for further calls of any. Whatever a team's oldest call waits for is then a
 * call that has its place, too, as soon as it is made. The same holds for the packet buffer of
 * an engine, whose sequences claim packets ahead: what a node runs at once claims no more
 * than there are slots, and each of those teams has a share of them.
 *
 * Calls that would claim more than a share, or have no room in the area, are cut into parts
 * (coll/card), each a sequence, or a series of them is: several are in flight, in the order
 * of the calls.
 *
 * Parts go to lanes in turn. A rank whose parts are sequences of their own may have one at a
 * time, in this order, and another one whose sequences are series all parts of a lane before
 * it begins the next: they would wait for each other. So a call runs by series where all
 * lanes have places and slots from its first sequence to its last, or else by parts. Of the
 * part that all ranks wait for, no series of another lane in front of its own is more than
 * one, so its own is among as many as there are lanes, which are in flight.
 */
#include <string.h>

#include "base/kick.h"
#include "base/log.h"
#include "base/option.h"
#include "base/wait.h"
#include "gasnet/run_card.h"

#define PLACES FSH_AREA_SEQUENCES
/* Looks at a call that runs until the ranks it has to do with are told of it: seconds at
 * most, in simulated time a quarter of a millisecond. */
#define TELL_AFTER (FSH_GASNET_DEBUG ? 1u : 256u)

/* Of the watchdog's limit, in sixteenths: when a wait has the engine's time pass first. An
 * engine ends a sequence that it finds waiting for the same packet three times. */
#define FIRST_TICK 13u
#define TICKS 3u

static struct {
    struct fsh_lock lock;
    struct fsh_card_op *place[PLACES]; /* that have one; read by upcalls */
    struct fsh_card_queue
        queue[FSH_CARD_TEAMS_MOST]; /* by number of the team */
} card = {.lock = FSH_LOCK_INIT("collectives on the card", FSH_LOCK_CARD)};

static atomic_uint active; /* calls that are not complete */

/* Time that passes for the engine. */
static struct {
    struct fsh_answer answer;  /* of the last */
    atomic_bool open;          /* it is not there yet */
    _Atomic uint64_t limit_ns; /* the watchdog's; 0: none, or not known yet */
    atomic_uint due;           /* of waits */
    unsigned sent;             /* under the lock */
} ticks;

/* ---- which calls ---- */

static bool asked_for(const char *engine)
{
    return strcmp(fsh_option_str("FSHMEM_COLL_ENGINE"), engine) == 0;
}

/* Up to how many bytes of a buffer the engine takes calls: where it is faster than messages
 * on rings of 8 nodes (fshperf coll), more with buffers in the segment than it is slower with
 * private ones, since ranks do not know where those of others are. */
static size_t most_of(enum fsh_program_call call)
{
    if (asked_for("card"))
        return SIZE_MAX;
    switch (call) {
    case FSH_PROGRAM_GATHER:
        return 2048;
    case FSH_PROGRAM_ALLTOALL:
        return 0;
    default:
        return SIZE_MAX;
    }
}

/* And of one whose parts are not in place, which hosts have to move. */
static size_t most_packed(void)
{
    return asked_for("card") ? SIZE_MAX : 4 * FSH_CARD_PACKET;
}

/* Of what all ranks of the team know alike. */
static bool team_may(const struct fsh_team *team)
{
    const struct fsh_collective_ops *ops = fsh_gasnet.conduit->collective;

    if (ops == NULL || !ops->present() || asked_for("host") || team->size < 2 ||
        team->size > FSH_CARD_RANKS)
        return false;
    for (uint32_t r = 0; r < team->size; r++)
        if (team->number[r] >= FSH_CARD_TEAMS_MOST)
            return false;
    return true;
}

/* Of waits: lets the engine of this node say what is missing, shortly before the watchdog
 * would end the job. */
static void watch_wait(const struct fsh_wait *wait)
{
    static _Thread_local struct {
        uint64_t since;
        unsigned ticks;
    } last;
    uint64_t limit =
                 atomic_load_explicit(&ticks.limit_ns, memory_order_relaxed),
             share;

    if (limit == 0 || wait->limit_ms != 0 || wait->since == 0 ||
        atomic_load_explicit(&active, memory_order_relaxed) == 0)
        return;
    if (last.since != wait->since) {
        last.since = wait->since;
        last.ticks = 0;
    }
    share = (fsh_time_ns() - wait->since) * 16 / limit;
    if (last.ticks < TICKS && share >= FIRST_TICK + last.ticks) {
        last.ticks++;
        atomic_fetch_add_explicit(&ticks.due, 1, memory_order_relaxed);
    }
}

static void watch_waits(void)
{
    double limit = fsh_option_seconds("FSHMEM_WATCHDOG");

    if (limit == 0)
        return;
    atomic_store_explicit(&ticks.limit_ns, (uint64_t)(limit * 1e9),
                          memory_order_relaxed);
    fsh_wait_set_watch(watch_wait);
}

bool fsh_run_has_card(struct fsh_team *team)
{
    struct fsh_run_team *t = team->runs;

    if (__builtin_expect(!t->asked_card, 0)) {
        t->card = team_may(team);
        if (t->card)
            watch_waits();
        t->asked_card = true;
    }
    return t->card;
}

uint16_t fsh_run_sides(struct fsh_team *team)
{
    return team == fsh_team_all && fsh_run_has_card(team)
               ? fsh_gasnet.conduit->collective->sides()
               : 0;
}

static size_t packet_of(const struct fsh_coll_work *work)
{
    return work->wire == FSH_WIRE_BFP16 ? FSH_CARD_BFP_PACKET : FSH_CARD_PACKET;
}

bool fsh_run_card_takes(const struct fsh_program_algorithm *a,
                        const struct fsh_program_shape *shape,
                        const struct fsh_coll_work *work)
{
    size_t most = most_of(shape->call);
    struct fsh_card_layout layout;
    struct fsh_card_cut cut;

    if (work->client != NULL) /* may have to wait for the calls before it */
        return false;
    if (shape->call == FSH_PROGRAM_BARRIER)
        return true;
    if (work->dst_bytes != NULL || work->src_bytes != NULL ||
        work->count == 0 ||
        (work->fold != NULL && !fsh_card_folds(work->type, work->op)) ||
        work->count > most / work->elem)
        return false;
    cut = fsh_card_cut_of(a, shape, work->elem, work->count, packet_of(work));
    layout = fsh_card_layout_of(shape->call, 0,
                                a->blocks(shape) / (cut.halved ? 2 : 1),
                                work->elem, work->count);
    return fsh_card_bytes(&layout) <= most &&
           (!cut.packed || fsh_card_bytes(&layout) <= most_packed());
}

/* ---- upcalls ---- */

static void on_answer(struct fsh_answer *answer, unsigned status)
{
    struct fsh_card_op *op = (struct fsh_card_op *)(void *)answer;

    /* Release, partner: is_over. */
    atomic_store_explicit(&op->verdict, status + 1, memory_order_release);
}
_Static_assert(offsetof(struct fsh_card_op, answer) == 0, "on_answer");

void fsh_collective_completed(const struct fsh_sequence_end *end)
{
    struct fsh_card_op *op =
        end->cookie < PLACES ? card.place[end->cookie] : NULL;

    if (op == NULL ||
        atomic_load_explicit(&op->ended, memory_order_relaxed) != 0)
        fsh_fatal("the collective engine of node %u ends a sequence that is "
                  "not in flight (%u): the device or its program is broken",
                  fsh_gasnet.rank, end->cookie);
    op->end = *end;
    /* Release, partner: is_over. */
    atomic_store_explicit(&op->ended, 1, memory_order_release);
}

/* ---- how it ends ---- */

static const char *status_name(unsigned status)
{
    static const struct {
        unsigned number;
        const char *name;
    } names[FSH_STATUS_COUNT] = FSH_STATUS_NAMES;

    for (unsigned i = 0; i < FSH_STATUS_COUNT; i++)
        if (names[i].number == status)
            return names[i].name;
    return "unknown";
}

static _Noreturn void fail(const struct fsh_card_op *op)
{
    unsigned status = op->end.status;

    if (status == FSH_STATUS_BAD_LENGTH)
        fsh_fatal("%s: job %u of node %u, step %u, gets a packet of another "
                  "length: members of a team make the same calls in the same "
                  "order, with the same root, sizes, types and flags",
                  op->name, op->job, fsh_gasnet.rank, op->end.step);
    if (status == FSH_STATUS_TIMEOUT)
        fsh_fatal("%s: job %u of node %u, step %u, waits for a packet of node "
                  "%u in vain",
                  op->name, op->job, fsh_gasnet.rank, op->end.step,
                  op->end.source);
    fsh_fatal("%s: job %u of node %u, step %u: its collective engine says %s",
              op->name, op->job, fsh_gasnet.rank, op->end.step,
              status_name(status));
}

static void complete(struct fsh_card_call *call)
{
    struct fsh_event *event = call->event;

    fsh_run_leave(call->team, &call->other);
    free(call);
    if (atomic_fetch_sub_explicit(&active, 1, memory_order_relaxed) == 1)
        fsh_kicks_leave();
    /* Partner: the acquire in fsh_event_done. */
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

static void finish(struct fsh_card_op *op)
{
    struct fsh_card_call *call = op->call;

    card.place[op->slot] = NULL;
    card.queue[op->team->id].flying--;
    card.queue[op->team->id].sends -= op->first == FSH_CARD_SENDS;
    card.queue[op->team->id].claims -= op->claims;
    free(op);
    if (--call->open == 0 && call->begun == call->all)
        complete(call);
}

/* ---- going on; lock held ---- */

static bool stored(struct fsh_card_op *op)
{
    atomic_store_explicit(&op->verdict, 0, memory_order_relaxed);
    if (!fsh_gasnet.conduit->collective->run(fsh_card_list(op), &op->answer))
        return false;
    op->state = FSH_CARD_RUNNING;
    return true;
}

/* Whom it waits for, and who may wait for it, by rank. */
static uint64_t partners(const struct fsh_card_op *op)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < op->program->steps; i++) {
        const struct fsh_program_step *s = &op->program->step[i];

        for (unsigned k = 0; k < s->sources; k++)
            all |= UINT64_C(1) << s->source[k];
        if (s->dest != FSH_PROGRAM_NOBODY)
            all |= UINT64_C(1) << s->dest;
    }
    return all;
}
_Static_assert(FSH_CARD_RANKS <= 64, "one word maps them");

/* Engines find no packets, or find another length, where ranks do not agree on a call. So
 * one that waits for long says what call it is, as those by messages do. */
static void tell(struct fsh_card_op *op)
{
    if (op->looks < TELL_AFTER) {
        if (++op->looks == TELL_AFTER)
            op->untold = partners(op);
        return;
    }
    for (; op->untold != 0; op->untold &= op->untold - 1)
        if (!fsh_run_tell_of(op->team, &op->call->other,
                             (uint32_t)__builtin_ctzll(op->untold)))
            return;
}

/* The end may be told before the answer. True: over, and *op gone. */
static bool is_over(struct fsh_card_op *op)
{
    /* Acquire, partners: on_answer, fsh_collective_completed. */
    unsigned verdict = atomic_load_explicit(&op->verdict, memory_order_acquire);

    if (verdict == FSH_STATUS_BUSY + 1) {
        op->state = FSH_CARD_STORED; /* for the next poll */
        return false;
    }
    if (verdict > FSH_STATUS_OK + 1) {
        op->end.status = (uint8_t)(verdict - 1);
        fail(op);
    }
    if (verdict == 0 ||
        atomic_load_explicit(&op->ended, memory_order_acquire) == 0) {
        tell(op);
        return false;
    }
    if (op->end.status != FSH_STATUS_OK)
        fail(op);
    fsh_card_fetch(op);
    finish(op);
    return true;
}

static bool go_on(struct fsh_card_op *op)
{
    bool any = false;

    if (op->state == FSH_CARD_STORED)
        any |= stored(op);
    return (op->state == FSH_CARD_RUNNING && is_over(op)) || any;
}

/* Lanes of the team's oldest call that must be able to go on, each with a sequence; 0: none
 * of it has begun, or its sequences are parts. */
static unsigned lanes_of(const struct fsh_card_queue *queue)
{
    const struct fsh_card_call *call = queue->head;

    return call != NULL && call->joined && call->begun != 0 ? call->cut.lanes
                                                            : 0;
}

/* Places that are kept for a team. */
static unsigned places_kept_for(const struct fsh_card_queue *queue)
{
    unsigned lanes = lanes_of(queue), has = queue->flying - queue->sends;

    if (lanes == 0)
        return queue->flying == 0;
    return lanes > has ? lanes - has : 0;
}

/* Free places that sequences of this team may have. */
static unsigned places_for(const struct fsh_card_queue *queue)
{
    unsigned free_places = 0, kept = 0;

    for (unsigned i = 0; i < PLACES; i++)
        free_places += card.place[i] == NULL;
    for (unsigned t = 0; t < FSH_CARD_TEAMS_MOST; t++)
        if (&card.queue[t] != queue)
            kept += places_kept_for(&card.queue[t]);
    FSH_ASSERT(queue->flying != 0 || free_places > kept);
    return free_places > kept ? free_places - kept : 0;
}

static unsigned free_place(void)
{
    unsigned place = 0;

    while (card.place[place] != NULL)
        place++;
    return place;
}

#define SHARE (FSH_COLL_SLOTS / FSH_CARD_TEAMS_MOST)

/* Slots that are in use by another team, or kept for it. */
static unsigned kept_for(uint32_t team)
{
    const struct fsh_card_queue *queue = &card.queue[team];
    unsigned kept = SHARE, lanes = lanes_of(queue);

    if (queue->flying == 0 && lanes == 0 && team >= fsh_team_count())
        return 0;
    if (queue->flying > 1 && queue->claims > kept)
        kept = queue->claims;
    if (lanes != 0 && lanes * queue->head->claims > kept)
        kept = lanes * queue->head->claims;
    return kept;
}

/* Parts of halves in place: one in each direction keeps the links busy; with more, claims
 * ahead stop because half of the buckets are in use, and senders wait for grants. If hosts
 * move parts, others run meanwhile. */
static bool are_enough(const struct fsh_card_queue *queue)
{
    const struct fsh_card_call *call = queue->head;

    return call->cut.halved && !call->moved &&
           queue->claims >= call->cut.lanes * call->claims;
}

static unsigned kept_for_others(const struct fsh_card_queue *queue)
{
    unsigned kept = 0;

    for (uint32_t t = 0; t < FSH_CARD_TEAMS_MOST; t++)
        if (&card.queue[t] != queue)
            kept += kept_for(t);
    return kept;
}

/* Are there slots for the next part of this team? The oldest part of each team that there is
 * has the team's share, which is all that it needs; further parts have what is not kept. The
 * share of a team that is new may be in use still, by parts of others that end without it. */
static bool has_slots(const struct fsh_card_queue *queue)
{
    unsigned taken = queue->claims + queue->head->claims;

    if (queue->flying == 0 && taken > SHARE)
        taken = SHARE;
    return taken + kept_for_others(queue) <= FSH_COLL_SLOTS;
}

/* Can all lanes of the team's oldest call have places and slots, as soon as its earlier calls
 * are complete? */
static bool may_have_lanes(const struct fsh_card_queue *queue)
{
    unsigned lanes = queue->head->cut.lanes, places = lanes;

    for (unsigned t = 0; t < FSH_CARD_TEAMS_MOST; t++)
        if (&card.queue[t] != queue)
            places += card.queue[t].flying + places_kept_for(&card.queue[t]);
    return places <= PLACES &&
           lanes * queue->head->claims + kept_for_others(queue) <=
               FSH_COLL_SLOTS;
}

/* The JobID of the team's next sequence: each series of a call has one, whether it is one
 * sequence at this rank or several. */
static uint32_t next_job(const struct fsh_card_queue *queue)
{
    const struct fsh_card_call *call = queue->head;

    if (call->begun == 0)
        return queue->jobs;
    if (call->joined)
        return call->job + (uint32_t)call->begun;
    return call->job +
           (uint32_t)fsh_card_part_of(&call->layout, &call->cut, call->begun)
               .series;
}

/* Is its next part near enough to all that run for JobIDs to tell them apart? */
static bool is_near(const struct fsh_card_queue *queue)
{
    uint32_t job = next_job(queue);

    for (unsigned i = 0; i < PLACES; i++)
        if (card.place[i] != NULL &&
            &card.queue[card.place[i]->team->id] == queue &&
            (int32_t)(job - card.place[i]->job) >= (int32_t)PLACES)
            return false;
    return true;
}

static struct fsh_card_op *make_op(struct fsh_card_call *call)
{
    struct fsh_card_op *op = calloc(1, sizeof *op);

    if (op == NULL)
        fsh_fatal("%s: no memory for another sequence", call->name);
    op->answer.fn = on_answer;
    op->call = call;
    op->team = call->team;
    op->name = call->name;
    return op;
}

/* Goes on to the next part or series that there is. */
static void advance(struct fsh_card_queue *queue)
{
    struct fsh_card_call *call = queue->head;

    do {
        call->begun++;
    } while (call->joined && call->begun < call->all &&
             fsh_card_series_of(&call->cut, call->begun).parts == 0);
    if (call->begun == call->all)
        queue->head = call->next;
}

/* The next part, or series, of the team's oldest call that has one. */
static struct fsh_card_op *next_op(struct fsh_card_queue *queue)
{
    struct fsh_card_call *call = queue->head;
    struct fsh_card_op *op = make_op(call);
    struct fsh_card_series series = {call->begun, 1};
    struct fsh_card_part part;

    if (call->joined)
        series = fsh_card_series_of(&call->cut, call->begun);
    part = fsh_card_part_of(&call->layout, &call->cut, series.first);
    op->part = series.first;
    op->parts = series.parts;
    op->layout = part.layout;
    op->program = call->program[part.layout.half == 2];
    if (call->work.src != NULL)
        op->src = call->work.src + part.offset;
    if (call->work.dst != NULL)
        op->dst = call->work.dst + part.offset;
    op->job = next_job(queue);
    op->claims = call->claims;
    if (call->begun == 0) {
        call->job = queue->jobs;
        queue->jobs += (uint32_t)fsh_card_series_count(&call->cut);
    }
    queue->claims += op->claims;
    advance(queue);
    return op;
}

static void give_place(struct fsh_card_op *op, unsigned place)
{
    op->slot = place;
    card.place[place] = op;
    card.queue[op->team->id].flying++;
    card.queue[op->team->id].sends += op->first == FSH_CARD_SENDS;
    op->call->open++;
}

static void start(struct fsh_card_op *op)
{
    fsh_card_store(op);
    op->state = FSH_CARD_STORED;
    go_on(op);
}

/* What a series sends without having received it needs not wait for the parts before it: a
 * sequence of its own sends it, if there is a place for that. */
static struct fsh_card_op *part_sends(struct fsh_card_op *op)
{
    const struct fsh_card_queue *queue = &card.queue[op->team->id];
    struct fsh_card_op *sends;

    if (op->parts < 2 || places_for(queue) <= places_kept_for(queue))
        return NULL;
    sends = make_op(op->call);
    sends->part = op->part + op->call->cut.lanes;
    sends->parts = op->parts - 1;
    sends->layout = op->layout;
    sends->program = op->program;
    sends->src = op->src;
    sends->dst = op->dst;
    sends->job = op->job;
    sends->first = sends->which = FSH_CARD_SENDS;
    op->which = FSH_CARD_RECEIVES;
    give_place(sends, free_place());
    return sends;
}

static bool has_room(const struct fsh_card_queue *queue)
{
    return queue->head != NULL && !are_enough(queue) && has_slots(queue) &&
           is_near(queue) && places_for(queue) != 0;
}

/* Is there room for the next sequence? A call that begins then runs by series or by
 * parts. */
static bool may_begin(struct fsh_card_queue *queue)
{
    struct fsh_card_call *call = queue->head;

    if (!has_room(queue))
        return false;
    if (!call->joined || call->begun != 0 || may_have_lanes(queue))
        return true;
    call->joined = false;
    call->all = call->cut.parts;
    call->claims = call->part_claims;
    return has_room(queue);
}

/* Units of an engine take sequences in turn, so lanes begin before what they send alone does:
 * each has a unit. */
static bool admit(struct fsh_card_queue *queue)
{
    struct fsh_card_op *later[PLACES];
    unsigned n = 0;
    bool any = false;

    while (may_begin(queue)) {
        struct fsh_card_op *op = next_op(queue);

        give_place(op, free_place());
        later[n] = part_sends(op);
        n += later[n] != NULL;
        start(op);
        any = true;
    }
    while (n > 0)
        start(later[--n]);
    return any;
}

/* ---- what is missing ---- */

static void on_tick(struct fsh_answer *answer, unsigned status)
{
    (void)answer;
    (void)status;
    atomic_store_explicit(&ticks.open, false, memory_order_relaxed);
}

/* Lock held. */
static void pass_time(void)
{
    if (ticks.sent == atomic_load_explicit(&ticks.due, memory_order_relaxed) ||
        atomic_load_explicit(&ticks.open, memory_order_relaxed))
        return;
    ticks.answer.fn = on_tick;
    atomic_store_explicit(&ticks.open, true, memory_order_relaxed);
    if (fsh_gasnet.conduit->collective->tick(&ticks.answer))
        ticks.sent++;
    else
        atomic_store_explicit(&ticks.open, false, memory_order_relaxed);
}

static bool go_round(void)
{
    bool any = false;

    pass_time();
    for (unsigned i = 0; i < PLACES; i++)
        if (card.place[i] != NULL)
            any |= go_on(card.place[i]);
    for (unsigned t = 0; t < FSH_CARD_TEAMS_MOST; t++)
        any |= admit(&card.queue[t]);
    return any;
}

bool fsh_run_card_kick(void)
{
    bool any;

    if (atomic_load_explicit(&active, memory_order_relaxed) == 0 ||
        !fsh_lock_try(&card.lock))
        return false;
    any = go_round();
    fsh_lock_give(&card.lock);
    return any;
}

/* Without the lock, which who waits may have. */
void fsh_run_card_describe(void (*line)(void *arg, const char *text), void *arg)
{
    static const char *const states[] = {"is to be told to the engine",
                                         "runs there"};
    char text[160];

    for (unsigned i = 0; i < PLACES; i++) {
        const struct fsh_card_op *op = card.place[i];

        if (op == NULL)
            continue;
        snprintf(text, sizeof text, "card: %s: job %u of team %u (%u ranks) %s",
                 op->name, op->job, op->team->id, op->team->size,
                 states[op->state]);
        line(arg, text);
    }
}

/* ---- calls ---- */

void fsh_run_card_start(struct fsh_team *team, const char *name,
                        const struct fsh_program_algorithm *algorithm,
                        const struct fsh_program_shape *shape,
                        const struct fsh_program *const programs[2],
                        const struct fsh_coll_work *work,
                        struct fsh_event *event)
{
    struct fsh_card_call *call = calloc(1, sizeof *call);
    struct fsh_card_queue *queue = &card.queue[team->id];

    if (call == NULL)
        fsh_fatal("%s: no memory for another collective", name);
    call->team = team;
    call->name = name;
    call->program[0] = programs[0];
    call->program[1] = programs[1];
    call->work = *work;
    call->event = event;
    call->other.name = name;
    call->other.claim = team->runs->claims;
    fsh_run_enter(team, &call->other);
    call->layout = fsh_card_layout_of(
        work->call, team->rank, programs[0]->blocks, work->elem, work->count);
    call->cut = fsh_card_cut_of(algorithm, shape, work->elem, work->count,
                                packet_of(work));
    call->claims = fsh_card_cut_claims(programs, &call->layout, &call->cut,
                                       packet_of(work));
    call->part_claims = call->claims;
    call->moved = !fsh_card_reaches(call);
    call->joined = !call->moved && call->cut.series > 1;
    /* Where a part follows a longer one, it claims more; and a ring can do without what is more
     * than a share (collective-engine.md). */
    if (call->joined || call->claims > SHARE)
        call->claims = SHARE;
    call->all =
        call->joined ? fsh_card_series_count(&call->cut) : call->cut.parts;
    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    fsh_lock_take(&card.lock);
    if (atomic_fetch_add_explicit(&active, 1, memory_order_relaxed) == 0)
        fsh_kicks_enter();
    if (queue->head == NULL)
        queue->head = call;
    else
        queue->tail->next = call;
    queue->tail = call;
    admit(queue);
    fsh_lock_give(&card.lock);
}
