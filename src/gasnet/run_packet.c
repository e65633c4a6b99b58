/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves the packets of programs between ranks: see run.h. */
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/coll_how.h"
#include "gasnet/run.h"

#define CLAIM_MASK 0xffffffu
#define PUT_FROM 4096u /* shorter packets fit one message anyway */
#define PUT_BYTES ((size_t)64 << 10) /* of a long packet, per put */

/* CLAIM: states which call this is. FACTS: flag; the payload starts with the
 * client's facts. */
enum message { EAGER, READY, DATA, PLACED, CREDIT, CLAIM };
#define FACTS 8u

/* Messages of short packets, or of none, that say how many calls by loads were before. */
static bool has_loads(enum message message)
{
    return message == EAGER || message == CLAIM;
}

struct header {
    enum message message;
    uint32_t claim;   /* CLAIM_BITS of the call's */
    uint32_t credits; /* returned with the message */
    uint32_t team;    /* its number at the receiver */
    uint32_t number;  /* of the operation */
    uint32_t rank;    /* of the sender */
    uint32_t seq;     /* READY: the granted packet's; else the packet's own */
    /* READY: address or 0; DATA, PLACED: offset in the packet; EAGER: the data itself,
     * if it fits. */
    uint64_t a;
    uint64_t bytes;                     /* of the packet */
    uint32_t loads;                     /* EAGER, CLAIM: fsh_run.loads */
    const struct fsh_coll_facts *facts; /* or NULL */
};

uint32_t fsh_run_due;                  /* under the lock, as is the next */
static uint32_t waiting, most_waiting; /* eager packets ahead of their call */

/* ---- sending ---- */

/* Lock held. Sets the credits owed to a rank. From half of all credits on they are due:
 * returned by a message of their own if no other goes there. */
static void set_owed(struct fsh_team *team, uint32_t rank, uint32_t owed)
{
    struct fsh_run_team *t = team->runs;
    bool was = t->owed[rank] >= FSH_RUN_CREDITS / 2;
    bool is = owed >= FSH_RUN_CREDITS / 2;

    FSH_ASSERT(owed <= FSH_RUN_CREDITS);
    t->owed[rank] = (uint8_t)owed;
    fsh_run_due += (uint32_t)is - (uint32_t)was;
    t->due += (uint32_t)is - (uint32_t)was;
}

/* Lock held. */
static void owe(struct fsh_team *team, uint32_t rank, uint32_t credits)
{
    set_owed(team, rank, team->runs->owed[rank] + credits);
}

static bool try_send(const struct fsh_team *team, uint32_t rank,
                     const struct header *h, uint32_t credits, const void *src,
                     size_t n)
{
    unsigned char both[sizeof *h->facts + FSH_RUN_EAGER];
    uint32_t message = (uint32_t)h->message;
    uint64_t at = h->a;

    if (h->facts != NULL) {
        FSH_ASSERT(n <= FSH_RUN_EAGER);
        memcpy(both, h->facts, sizeof *h->facts);
        if (n != 0)
            memcpy(both + sizeof *h->facts, src, n);
        src = both;
        n += sizeof *h->facts;
        message |= FACTS;
    }
    if (h->message == EAGER && n <= sizeof at) {
        if (n != 0)
            memcpy(&at, src, n);
        n = 0;
    }
    const int32_t args[] = {(int32_t)(message | credits << 4 | h->claim << 8),
                            (int32_t)team->number[rank],
                            (int32_t)h->number,
                            (int32_t)(team->rank << 16 | h->seq),
                            fsh_high(at),
                            fsh_low(at),
                            has_loads(h->message) ? (int32_t)h->loads
                                                  : fsh_high(h->bytes),
                            fsh_low(h->bytes)};

    return fsh_gasnet_try_send(team->node[rank],
                               n == 0 ? FSH_HANDLER_RUN_SHORT : FSH_HANDLER_RUN,
                               args, 8, n == 0 ? NULL : src, n);
}

/* Sends to the node of rank if there is room now, along with the credits owed
 * to it. */
static bool send(struct fsh_team *team, uint32_t rank, struct header h,
                 const void *src, size_t n)
{
    uint32_t owed;

    fsh_lock_take(&fsh_run_lock);
    owed = team->runs->owed[rank];
    set_owed(team, rank, 0);
    fsh_lock_give(&fsh_run_lock);
    if (try_send(team, rank, &h, owed, src, n)) {
        fsh_run_advances++;
        return true;
    }
    fsh_lock_take(&fsh_run_lock);
    owe(team, rank, owed);
    fsh_lock_give(&fsh_run_lock);
    return false;
}

/* The client's facts go with messages that may be the first that a rank receives about
 * a call. */
static bool has_facts(const struct fsh_run *run, enum message message)
{
    return run->work.client != NULL &&
           (message == CLAIM ||
            (FSH_GASNET_DEBUG && (message == EAGER || message == READY)));
}

static struct header header_of(const struct fsh_run *run,
                               const struct fsh_run_step *s,
                               enum message message)
{
    return (struct header){
        .message = message,
        .claim = run->work.claim & CLAIM_MASK,
        .number = run->number,
        .seq = s->step->dest_seq,
        .bytes = s->bytes,
        .loads = run->loads,
        .facts = has_facts(run, message) ? &run->work.client->facts : NULL};
}

static bool in_segment(const void *at, size_t n)
{
    const struct fsh_segment *seg = &fsh_gasnet.segs[fsh_gasnet.rank];
    uintptr_t offset = (uintptr_t)at - (uintptr_t)seg->addr;

    return offset <= seg->size && n <= seg->size - offset;
}

bool fsh_run_grant(struct fsh_run *run, struct fsh_run_step *s, unsigned k)
{
    struct header h = header_of(run, s, READY);
    unsigned char *land = s->source[k].land;

    h.seq = s->step->seq;
    if (s->bytes >= PUT_FROM && in_segment(land, s->bytes))
        h.a = (uintptr_t)land;
    if (send(run->team, s->step->source[k], h, NULL, 0))
        return true;
    run->starved = true;
    return false;
}

/* Takes a credit if this operation may use one. Barriers need none, since no rank is
 * more than one barrier ahead of another. */
static bool take_credit(struct fsh_run *run, uint32_t rank)
{
    struct fsh_run_team *t = run->team->runs;
    bool taken;

    if (fsh_team_is_barriers(run->team))
        return true;

    fsh_lock_take(&fsh_run_lock);
    taken = t->first == run && t->credit[rank] != 0;
    t->credit[rank] = (uint8_t)(t->credit[rank] - taken);
    fsh_lock_give(&fsh_run_lock);
    return taken;
}

static void push_eager(struct fsh_run *run, struct fsh_run_step *s)
{
    uint32_t rank = s->step->dest;

    if (s->done != s->bytes || !take_credit(run, rank))
        return;
    s->told =
        send(run->team, rank, header_of(run, s, EAGER), s->value, s->bytes);
    if (s->told)
        return;
    run->starved = true;
    if (fsh_team_is_barriers(run->team))
        return;
    fsh_lock_take(&fsh_run_lock);
    run->team->runs->credit[rank]++;
    fsh_lock_give(&fsh_run_lock);
}

/* Announces the older put if it is complete. False: nothing more to do now. */
static bool finish_put(struct fsh_run *run, struct fsh_run_step *s)
{
    struct fsh_run_put *put = &s->put[s->oldest];
    struct header h = header_of(run, s, PLACED);

    if (put->bytes == 0)
        return false;
    run->starved = true; /* no event signals that a put is complete */
    h.a = s->sent;
    if (!fsh_event_done(&put->event) ||
        !send(run->team, s->step->dest, h, NULL, 0))
        return false;
    s->sent += put->bytes;
    put->bytes = 0;
    s->oldest ^= 1;
    return true;
}

static bool begin_put(struct fsh_run *run, struct fsh_run_step *s)
{
    struct fsh_run_put *put = &s->put[s->oldest];
    size_t n = s->done - s->given;
    unsigned char *dst = (unsigned char *)(uintptr_t)s->addr + s->given;
    uint32_t node = run->team->node[s->step->dest];

    if (put->bytes != 0)
        put = &s->put[s->oldest ^ 1];
    if (n == 0 || put->bytes != 0 || (n < PUT_BYTES && s->done != s->bytes))
        return false;
    put->bytes = n < PUT_BYTES ? n : PUT_BYTES;
    fsh_check_range(run->name, node, dst, put->bytes);
    fsh_gasnet.ops->put(node, dst, s->value + s->given, put->bytes, &put->event,
                        &put->event);
    s->given += put->bytes;
    run->starved = true;
    fsh_run_advances++;
    return true;
}

static bool push_data(struct fsh_run *run, struct fsh_run_step *s)
{
    struct header h = header_of(run, s, DATA);
    size_t n = s->done - s->given, most = fsh_gasnet.limits.am_max_medium;

    if (n == 0 || (n < most && s->done != s->bytes))
        return false;
    n = n < most ? n : most;
    h.a = s->given;
    if (!send(run->team, s->step->dest, h, s->value + s->given, n)) {
        run->starved = true;
        return false;
    }
    s->given += n;
    s->sent += n;
    return true;
}

void fsh_run_push(struct fsh_run *run, struct fsh_run_step *s)
{
    bool ready;

    if (s->told)
        return;
    if (fsh_run_is_eager(s->bytes)) {
        push_eager(run, s);
        return;
    }
    fsh_lock_take(&fsh_run_lock);
    ready = s->ready;
    fsh_lock_give(&fsh_run_lock);
    if (!ready)
        return;
    if (s->addr == 0)
        while (push_data(run, s))
            ;
    else
        while (finish_put(run, s) || begin_put(run, s))
            ;
    s->told = s->sent == s->bytes;
}

static bool tell(struct fsh_run *run, struct fsh_run_step *s, uint32_t rank)
{
    return send(run->team, rank, header_of(run, s, CLAIM), NULL, 0);
}

/* A rank waiting for a packet, or for a grant, tells its peers: they may be waiting for
 * this rank in a different call. */
bool fsh_run_tell(struct fsh_run *run, struct fsh_run_step *s)
{
    bool all = true;

    for (unsigned k = 0; all && k < s->step->sources; k++)
        if (!atomic_load_explicit(&s->source[k].came, memory_order_relaxed))
            all = tell(run, s, s->step->source[k]);
    if (all && s->step->dest != FSH_PROGRAM_NOBODY && !s->told)
        all = tell(run, s, s->step->dest);
    s->claimed = all;
    return all;
}

void fsh_run_return_credits(struct fsh_team *team)
{
    for (uint32_t r = 0; r < team->size; r++) {
        bool due;

        fsh_lock_take(&fsh_run_lock);
        due = team->runs->owed[r] >= FSH_RUN_CREDITS / 2;
        fsh_lock_give(&fsh_run_lock);
        if (due && !send(team, r, (struct header){.message = CREDIT}, NULL, 0))
            return;
    }
}

/* ---- receiving; lock held, except while bytes are copied ---- */

/* The step that sends the packet which rank has granted. */
static struct fsh_run_step *sender_of(const struct fsh_run *run, uint32_t rank,
                                      uint32_t seq)
{
    for (uint32_t i = 0; i < run->program->steps; i++) {
        const struct fsh_program_step *s = run->step[i].step;

        if (s->dest == rank && s->dest_seq == seq)
            return (struct fsh_run_step *)&run->step[i];
    }
    return NULL;
}

/* The step that expects a packet from rank; *k: which of its sources that is. */
static struct fsh_run_step *receiver_of(const struct fsh_run *run,
                                        uint32_t rank, uint32_t seq,
                                        unsigned *k)
{
    for (uint32_t i = 0; i < run->program->steps; i++) {
        const struct fsh_program_step *s = run->step[i].step;

        for (*k = 0; s->seq == seq && *k < s->sources; ++*k)
            if (s->source[*k] == rank)
                return (struct fsh_run_step *)&run->step[i];
    }
    return NULL;
}

/* Reports a mismatch in bytes, if that is the difference. */
static void check_bytes(const struct fsh_run *run, const struct header *h)
{
    struct fsh_coll_end there = {h->rank, h->bytes},
                        here = {run->team->rank, 0};
    const struct fsh_run_step *s;
    unsigned k;

    if (h->message == CLAIM)
        return;
    s = h->message == READY ? sender_of(run, h->rank, h->seq)
                            : receiver_of(run, h->rank, h->seq, &k);
    if (s == NULL || s->bytes == h->bytes)
        return;
    here.bytes = s->bytes;
    if (h->message == READY)
        fsh_coll_differ_in_bytes(run->team, run->name, there, here);
    fsh_coll_differ_in_bytes(run->team, run->name, here, there);
}

static _Noreturn void disagree(const struct fsh_run *run,
                               const struct header *h)
{
    if (h->facts != NULL && run->work.client != NULL)
        fsh_coll_differ_in_facts(run->team, run->name, &run->work.client->facts,
                                 h->facts, h->rank);
    check_bytes(run, h);
    fsh_coll_differ(run->team, run->name, h->rank);
}

static void receive_ready(struct fsh_run *run, const struct header *h)
{
    struct fsh_run_step *s = sender_of(run, h->rank, h->seq);

    if (s == NULL || s->bytes != h->bytes)
        disagree(run, h);
    FSH_ASSERT(!s->ready);
    /* A poll pushes the packet on, and may not begin a put that needs the target's. */
    s->addr = fsh_gasnet_reaches(run->team->node[h->rank]) ? h->a : 0;
    s->ready = true;
}

/* Records that bytes [at, end) of a packet have arrived. */
static void arrive(struct fsh_run_source *source, size_t at, size_t end)
{
    size_t got = atomic_load_explicit(&source->got, memory_order_relaxed);

    if (at != got) {
        struct fsh_run_extent *ahead =
            realloc(source->ahead, (source->aheads + 1) * sizeof *ahead);

        if (ahead == NULL)
            fsh_fatal("no memory for a packet of a collective");
        ahead[source->aheads++] = (struct fsh_run_extent){at, end};
        source->ahead = ahead;
        return;
    }
    got = end;
    for (uint32_t i = 0; i < source->aheads;) {
        if (source->ahead[i].at != got) {
            i++;
            continue;
        }
        got = source->ahead[i].end;
        source->ahead[i] = source->ahead[--source->aheads];
        i = 0;
    }
    if (source->aheads == 0) {
        free(source->ahead);
        source->ahead = NULL;
    }
    /* Partner: the acquire in available of run_step.c, as for `came`. */
    atomic_store_explicit(&source->got, got, memory_order_release);
}

static void receive_bytes(struct fsh_run *run, const struct header *h,
                          const void *buf, size_t n)
{
    struct fsh_run_source *source;
    struct fsh_run_step *s;
    unsigned k;

    s = receiver_of(run, h->rank, h->seq, &k);
    if (s == NULL || s->bytes != h->bytes)
        disagree(run, h);
    source = &s->source[k];
    FSH_ASSERT(source->land != NULL || n == 0);
    if (h->message == PLACED) {
        n = h->bytes - h->a < PUT_BYTES ? h->bytes - h->a : PUT_BYTES;
    } else if (n != 0) {
        /* The operation persists, since this packet is not complete. */
        fsh_lock_give(&fsh_run_lock);
        fsh_simulated_copy(source->land + h->a, buf, n);
        fsh_lock_take(&fsh_run_lock);
    }
    arrive(source, h->a, h->a + n);
    atomic_store_explicit(&source->came, true, memory_order_release);
}

static void record(struct fsh_run *run, const struct header *h, const void *buf,
                   size_t n)
{
    if (h->claim != (run->work.claim & CLAIM_MASK) ||
        (has_loads(h->message) && h->loads != run->loads))
        disagree(run, h);
    if (h->message == READY)
        receive_ready(run, h);
    else if (h->message != CLAIM)
        receive_bytes(run, h, buf, n);
    if (h->message == EAGER && !fsh_team_is_barriers(run->team))
        owe(run->team, h->rank, 1);
}

/* Lock held. Whether this rank has made a call by loads instead of the one that its peer
 * has made after so many of them. *name: of its last one. */
static bool overtakes(const struct fsh_team *team, uint32_t loads,
                      const char **name)
{
    /* Partner: the release in fsh_run_count_loads. */
    uint32_t made =
        atomic_load_explicit(&team->runs->loads, memory_order_acquire);

    *name = atomic_load_explicit(&team->runs->loaded, memory_order_relaxed);
    return (int32_t)(made - loads) > 0;
}

/* Lock held. */
static void set_early(struct fsh_run_team *t, int more)
{
    atomic_store_explicit(
        &t->early,
        atomic_load_explicit(&t->early, memory_order_relaxed) + (unsigned)more,
        memory_order_relaxed);
}

void fsh_run_check_order(const struct fsh_team *team, const char *name)
{
    const char *last;

    fsh_lock_take(&fsh_run_lock);
    for (struct fsh_run *run = team->runs->first; run != NULL; run = run->next)
        for (struct fsh_run_note *note = run->notes; note != NULL;
             note = note->next)
            if (note->has_loads && overtakes(team, note->loads, &last))
                fsh_coll_differ(team, name, note->rank);
    fsh_lock_give(&fsh_run_lock);
}

/* Keeps a message for a call that has not been made here yet. */
static void note(struct fsh_run *run, const struct header *h, const void *buf,
                 size_t n)
{
    struct fsh_run_note *note = malloc(sizeof *note + n);
    const char *name;

    if (has_loads(h->message) && overtakes(run->team, h->loads, &name))
        fsh_coll_differ(run->team, name, h->rank);
    if (note == NULL)
        fsh_fatal("no memory for a packet of %zu bytes of a collective", n);
    note->next = run->notes;
    note->message = h->message;
    note->claim = h->claim;
    note->rank = h->rank;
    note->seq = h->seq;
    note->a = h->a;
    note->bytes = h->bytes;
    note->has_loads = has_loads(h->message);
    note->loads = h->loads;
    note->has_facts = h->facts != NULL;
    if (h->facts != NULL)
        note->facts = *h->facts;
    note->n = n;
    if (n != 0)
        memcpy(note->data, buf, n);
    run->notes = note;
    set_early(run->team->runs, 1);
    waiting += h->message == EAGER;
    if (waiting > most_waiting)
        most_waiting = waiting;
}

uint64_t fsh_coll_occupancy(void)
{
    uint64_t room = (uint64_t)FSH_RUN_CREDITS * (fsh_gasnet.nodes - 1), most;

    fsh_lock_take(&fsh_run_lock);
    most = most_waiting;
    most_waiting = waiting;
    fsh_lock_give(&fsh_run_lock);
    return room == 0 ? 0 : most * 1000000 / room;
}

void fsh_run_apply_notes(struct fsh_run *run)
{
    while (run->notes != NULL) {
        struct fsh_run_note *note = run->notes;
        const struct header h = {.message = (enum message)note->message,
                                 .claim = note->claim,
                                 .number = run->number,
                                 .rank = note->rank,
                                 .seq = note->seq,
                                 .a = note->a,
                                 .bytes = note->bytes,
                                 .loads = note->loads,
                                 .facts =
                                     note->has_facts ? &note->facts : NULL};

        run->notes = note->next;
        set_early(run->team->runs, -1);
        waiting -= h.message == EAGER;
        record(run, &h, note->data, note->n);
        free(note);
    }
}

/* Lock held. */
static struct fsh_run_other *other_at(const struct fsh_team *team,
                                      uint32_t number)
{
    struct fsh_run_other *other = team->runs->others;

    while (other != NULL && other->number != number)
        other = other->next;
    return other;
}

/* A call that another engine executes receives only messages that say which call it
 * is. */
static void compare(const struct fsh_team *team,
                    const struct fsh_run_other *other, unsigned message,
                    uint32_t claim, uint32_t rank)
{
    if (message != CLAIM || claim != (other->claim & CLAIM_MASK))
        fsh_coll_differ(team, other->name, rank);
}

void fsh_run_compare_notes(const struct fsh_team *team,
                           const struct fsh_run_other *other,
                           struct fsh_run_note *notes)
{
    while (notes != NULL) {
        struct fsh_run_note *note = notes;

        notes = note->next;
        set_early(team->runs, -1);
        compare(team, other, note->message, note->claim, note->rank);
        free(note);
    }
}

bool fsh_run_tell_of(const struct fsh_team *team,
                     const struct fsh_run_other *other, uint32_t rank)
{
    const struct header h = {.message = CLAIM,
                             .claim = other->claim & CLAIM_MASK,
                             .number = other->number,
                             .loads = atomic_load_explicit(
                                 &team->runs->loads, memory_order_relaxed)};

    return try_send(team, rank, &h, 0, NULL, 0);
}

/* A message about a call that is complete here, possibly long ago: only a CLAIM may
 * arrive that late, as messages may be reordered. Fatal if it is of another call. */
static void compare_past(const struct fsh_team *team, const struct header *h)
{
    const struct fsh_run_past *past =
        &team->runs->past[h->number % FSH_RUN_PAST];
    bool kept = past->number == h->number && past->name != NULL;

    if (h->message == CLAIM &&
        (!kept || (past->claim & CLAIM_MASK) == h->claim))
        return;
    if (kept && past->has_facts && h->facts != NULL)
        fsh_coll_differ_in_facts(team, past->name, &past->facts, h->facts,
                                 h->rank);
    fsh_coll_differ(team, kept ? past->name : "a collective that is complete",
                    h->rank);
}

static void receive(struct fsh_team *team, const struct header *h,
                    const void *buf, size_t n)
{
    const struct fsh_run_other *other = NULL;
    struct fsh_run *run;

    fsh_lock_take(&fsh_run_lock);
    if (h->credits != 0) {
        team->runs->credit[h->rank] =
            (uint8_t)(team->runs->credit[h->rank] + h->credits);
        FSH_ASSERT(team->runs->credit[h->rank] <= FSH_RUN_CREDITS);
        fsh_run_wake_first(team);
    }
    if (h->message != CREDIT)
        other = other_at(team, h->number);
    if (other != NULL) {
        compare(team, other, h->message, h->claim, h->rank);
    } else if (h->message != CREDIT) {
        run = fsh_run_find(team, h->number);
        if (run == NULL)
            compare_past(team, h);
        else if (run->called)
            record(run, h, buf, n);
        else
            note(run, h, buf, n);
        if (run != NULL)
            fsh_run_enqueue(run);
    }
    fsh_lock_give(&fsh_run_lock);
}

static struct header header_from(int32_t what, int32_t call, int32_t from,
                                 uint64_t a, uint64_t bytes)
{
    enum message message = (enum message)((uint32_t)what & (FACTS - 1));
    bool counts = has_loads(message);

    return (struct header){.message = message,
                           .credits = (uint32_t)what >> 4 & 0xf,
                           .claim = (uint32_t)what >> 8,
                           .number = (uint32_t)call,
                           .rank = (uint32_t)from >> 16,
                           .seq = (uint32_t)from & 0xffff,
                           .a = a,
                           .bytes = counts ? (uint32_t)bytes : bytes,
                           .loads = counts ? (uint32_t)(bytes >> 32) : 0};
}

static void on_packet(void *token, void *buf, size_t nbytes, int32_t what,
                      int32_t number, int32_t call, int32_t from, int32_t a_hi,
                      int32_t a_lo, int32_t bytes_hi, int32_t bytes_lo)
{
    struct fsh_team *team = fsh_team_at((uint32_t)number);
    struct header h = header_from(what, call, from, fsh_join(a_hi, a_lo),
                                  fsh_join(bytes_hi, bytes_lo));
    struct fsh_coll_facts facts;
    unsigned char *at = buf;

    (void)token;
    FSH_ASSERT(team != NULL && h.rank < team->size);
    if (((uint32_t)what & FACTS) != 0) {
        memcpy(&facts, at, sizeof facts);
        h.facts = &facts;
        at += sizeof facts;
        nbytes -= sizeof facts;
    }
    receive(team, &h, at, nbytes);
}

/* Without payload: up to 8 bytes of data are in `a`. */
static void on_short(void *token, int32_t what, int32_t number, int32_t call,
                     int32_t from, int32_t a_hi, int32_t a_lo, int32_t bytes_hi,
                     int32_t bytes_lo)
{
    struct fsh_team *team = fsh_team_at((uint32_t)number);
    uint64_t a = fsh_join(a_hi, a_lo), bytes = fsh_join(bytes_hi, bytes_lo);
    struct header h = header_from(what, call, from, a, bytes);

    (void)token;
    FSH_ASSERT(team != NULL && h.rank < team->size);
    if (h.message != EAGER) {
        receive(team, &h, NULL, 0);
        return;
    }
    FSH_ASSERT(h.bytes <= sizeof a);
    h.a = 0;
    receive(team, &h, &a, (size_t)h.bytes);
}

void fsh_run_register(void)
{
    fsh_gasnet.handler[FSH_HANDLER_RUN] = (fsh_handler_fn)on_packet;
    fsh_gasnet.handler[FSH_HANDLER_RUN_SHORT] = (fsh_handler_fn)on_short;
}
