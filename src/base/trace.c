/* SPDX-License-Identifier: BSD-3-Clause */
/* Recording; see trace.h. */
#include "base/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/log.h"

#define DEPTH 12u
#define ROOM_NS UINT64_C(10000000) /* recheck if the reader is late */
#define LANES 16u
#define KNOWN_BITS 11 /* hash of name addresses; few collisions */

bool fsh_trace_on;

struct known {
    const char *_Atomic text;
    uint16_t name;
    bool quiet; /* a call that programs repeat in vain (polls, tries) */
};
_Static_assert(1u << KNOWN_BITS >= 4 * FSH_TRACE_NAMES, "few meet");

static struct {
    struct fsh_trace *trace;
    struct fsh_trace_ring *ring;
    uint32_t rank;
    const uint64_t *cycle;
    uint32_t slots;
    uint32_t most; /* of them usable for records other than ends */
    _Atomic uint32_t threads;
    atomic_flag naming;
    struct known known[1u << KNOWN_BITS];
    /* Message counts by direction, kind, peer and lane. */
    _Atomic uint32_t *count;
} own = {.naming = ATOMIC_FLAG_INIT};

/* The nested calls and handlers a thread is in, outermost first. */
struct frame {
    const char *call; /* NULL: a handler */
    uint64_t ts, bytes;
    uint64_t in, out; /* flows to record with it; 0: none */
    uint64_t left;    /* when the outgoing flow left the host */
    uint32_t peer, again;
    uint16_t name;
    uint8_t category;
    bool open;    /* an OPEN record has been written */
    bool matters; /* something happened in it */
};
static _Thread_local struct {
    struct frame frame[DEPTH + 1]; /* deeper ones are not recorded */
    uint32_t depth;
    uint32_t number; /* this thread's number + 1 */
    bool handled;    /* a handler has run outside calls, the first at: */
    uint64_t since;
} self;

static inline uint64_t now(void)
{
    return own.cycle != NULL ? *own.cycle : fsh_time_ns();
}

/* ---- the ring ---- */

void fsh_trace_ring_bell(struct fsh_trace *trace)
{
    atomic_fetch_add(&trace->bell, 1);
    fsh_futex_wake(&trace->bell, 1);
}

/* Waits for room. False: there is none, and there will be none. */
static bool await_room(uint32_t head)
{
    struct fsh_trace_ring *r = own.ring;

    if (!own.trace->simulated) {
        atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
        return false;
    }
    /* Sequentially consistent. Partner: the reader stores head, then loads
     * waiting. */
    atomic_store(&r->waiting, 1);
    fsh_trace_ring_bell(own.trace);
    if (atomic_load(&r->head) == head)
        fsh_futex_wait(&r->head, head, ROOM_NS);
    return true;
}

/* The next slot, or NULL if the ring is full. */
static inline struct fsh_trace_record *take(uint32_t *position, uint8_t kind)
{
    struct fsh_trace_ring *r = own.ring;
    uint32_t most = kind == FSH_TRACE_CLOSE ? own.slots : own.most;
    uint32_t tail, head;

    do {
        for (;;) {
            tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
            /* Acquire: the reader is done with the slot. Partner: its release. head may
             * already be past this tail. */
            head = atomic_load_explicit(&r->head, memory_order_acquire);
            if (__builtin_expect(tail - head < most, 1))
                break;
            if (tail - head <= own.slots && !await_room(head))
                return NULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &r->tail, &tail, tail + 1, memory_order_relaxed, memory_order_relaxed));
    *position = tail;
    if (__builtin_expect(((tail + 1) & (own.slots / 4 - 1)) == 0, 0))
        fsh_trace_ring_bell(own.trace);
    return fsh_trace_slot(own.trace, r, tail);
}

/* Inlined, so that the argument record is never materialised. */
__attribute__((always_inline)) static inline bool put(
    const struct fsh_trace_record *record)
{
    uint32_t position;
    struct fsh_trace_record *slot = take(&position, record->kind);

    if (slot == NULL)
        return false;
    slot->ts = record->ts;
    slot->late = record->late;
    slot->value = record->value;
    slot->peer = record->peer;
    slot->name = record->name;
    slot->kind = record->kind;
    slot->category = record->category;
    slot->track = record->track;
    slot->node = record->node;
    /* Release: the record. Partner: the reader's acquire. */
    atomic_store_explicit(&slot->lap, position + 1, memory_order_release);
    return true;
}

bool fsh_trace_put(const struct fsh_trace_record *record)
{
    return put(record);
}

void fsh_trace_reached(uint64_t cycle)
{
    if (own.trace == NULL)
        return;
    /* Release: the records before it. Partner: the reader's acquire. */
    atomic_store_explicit(&own.trace->reached, cycle, memory_order_release);
}

void fsh_trace_done(void)
{
    if (own.trace != NULL)
        fsh_trace_ring_bell(own.trace);
}

/* ---- names ---- */

/* The table entry of a name or, if absent, its place; NULL: the table is
 * full. */
static inline struct known *find(const char *text)
{
    uint32_t i =
        (uint32_t)(uintptr_t)text * UINT32_C(0x9E3779B1) >> (32 - KNOWN_BITS);

    for (uint32_t n = 0; n < 1u << KNOWN_BITS; n++, i++) {
        struct known *known = &own.known[i & ((1u << KNOWN_BITS) - 1)];
        /* Acquire: the entry, and the name in the ring. Partner: the release in add. */
        const char *at =
            atomic_load_explicit(&known->text, memory_order_acquire);

        if (at == text || at == NULL)
            return known;
    }
    return NULL;
}

static bool is_quiet(const char *call)
{
    return strstr(call, "try") != NULL || strstr(call, "Poll") != NULL ||
           strstr(call, "test") != NULL;
}

static const struct known *add(const char *text)
{
    struct fsh_trace_ring *r = own.ring;
    uint32_t n = atomic_load_explicit(&r->names, memory_order_relaxed);
    struct known *known = find(text);

    if (known == NULL ||
        atomic_load_explicit(&known->text, memory_order_relaxed) != NULL)
        return known;
    if (n < FSH_TRACE_NAMES) {
        snprintf(r->name[n], FSH_TRACE_NAME_BYTES, "%s", text);
        atomic_store_explicit(&r->names, n + 1, memory_order_relaxed);
        known->name = (uint16_t)n;
    }
    known->quiet = is_quiet(text);
    atomic_store_explicit(&known->text, text, memory_order_release);
    return known;
}

/* The entry of a name, or NULL if unknown. */
static inline const struct known *look_up(const char *text)
{
    const struct known *known = find(text);

    if (__builtin_expect(known != NULL &&
                             atomic_load_explicit(&known->text,
                                                  memory_order_relaxed) != NULL,
                         1))
        return known;
    /* This may be a signal handler that interrupted the holder: leave the name
     * out. */
    if (atomic_flag_test_and_set_explicit(&own.naming, memory_order_acquire))
        return NULL;
    known = add(text);
    atomic_flag_clear_explicit(&own.naming, memory_order_release);
    return known;
}

uint16_t fsh_trace_name(const char *name)
{
    const struct known *known = name != NULL ? look_up(name) : NULL;

    return known != NULL ? known->name : 0;
}

/* ---- frames ---- */

static uint8_t track(void)
{
    if (self.number == 0)
        self.number = atomic_fetch_add(&own.threads, 1) + 1;
    return self.number > UINT8_MAX ? UINT8_MAX : (uint8_t)(self.number - 1);
}

/* Writes a record stamped with this time. Reading the clock dominates the cost, so
 * records made together share one reading. */
static bool put_at(uint64_t at, enum fsh_trace_kind kind, const struct frame *f,
                   uint64_t ts, uint64_t value)
{
    uint64_t late = at - ts;

    return put(&(struct fsh_trace_record){
        .ts = ts,
        .late = late > UINT32_MAX ? UINT32_MAX : (uint32_t)late,
        .value = value,
        .peer = f->peer,
        .name = f->name,
        .kind = (uint8_t)kind,
        .category = f->category,
        .track = track()});
}

static bool put_now(enum fsh_trace_kind kind, const struct frame *f,
                    uint64_t value)
{
    uint64_t at = now();

    return put_at(at, kind, f, at, value);
}

static void put_flows(uint64_t at, struct frame *f)
{
    if (f->in != 0)
        put_at(at, FSH_TRACE_FLOW_IN, f, f->ts, f->in);
    if (f->out != 0) {
        const struct frame out = {
            .peer = f->left > f->ts ? (uint32_t)(f->left - f->ts) : 0};

        put_at(at, FSH_TRACE_FLOW_OUT, &out, f->ts, f->out);
    }
    f->in = f->out = 0;
}

/* Opens the calls and handlers this thread is in, because something is about to be
 * recorded inside them. False: not all fit in the ring; then what happens inside is
 * left out as well, since it would be nested wrongly. */
static bool open_all(void)
{
    uint32_t n = self.depth < DEPTH ? self.depth : DEPTH;

    for (uint32_t i = 0; i < n; i++) {
        struct frame *f = &self.frame[i];
        uint64_t at;

        if (f->open)
            continue;
        if (f->name == 0)
            f->name = fsh_trace_name(f->call);
        at = now();
        f->open = put_at(at, FSH_TRACE_OPEN, f, f->ts, f->bytes);
        if (!f->open)
            return false;
        put_flows(at, f);
    }
    return true;
}

static struct frame *top(void)
{
    return self.depth != 0 && self.depth <= DEPTH ? &self.frame[self.depth - 1]
                                                  : NULL;
}

/* Begins a call or a handler. */
static struct frame *push(uint8_t category)
{
    struct frame *outer = top(), *f;
    uint64_t ts = now();

    if (category == FSH_TRACE_CALL) {
        self.handled = false;
    } else if (outer != NULL) {
        outer->matters = true;
    } else if (self.depth == 0 && !self.handled) {
        self.handled = true;
        self.since = ts;
    }
    f = &self.frame[self.depth < DEPTH ? self.depth : DEPTH];
    self.depth++;
    *f = (struct frame){.ts = ts, .category = category};
    return f;
}

/* Whether a call found nothing to do and need not be recorded. */
static bool was_in_vain(struct frame *f)
{
    const struct known *known;

    if (f->matters || f->call == NULL)
        return false;
    known = look_up(f->call);
    if (known == NULL)
        return is_quiet(f->call);
    f->name = known->name;
    return known->quiet;
}

/* Records a finished call or handler that has no OPEN record. */
static void put_slice(uint64_t end, struct frame *f)
{
    if (f->name == 0)
        f->name = fsh_trace_name(f->call);
    if (end - f->ts <= UINT32_MAX) {
        put_at(end, FSH_TRACE_SLICE, f, f->ts, f->bytes);
        put_flows(end, f);
    } else if (put_at(end, FSH_TRACE_OPEN, f, f->ts, f->bytes)) {
        put_flows(end, f);
        put_at(end, FSH_TRACE_CLOSE, f, end, 0);
    }
}

static void pop(void)
{
    struct frame *f = top();

    self.depth--;
    if (f == NULL)
        return;
    if (f->open)
        put_now(FSH_TRACE_CLOSE, f, 0);
    else if (!was_in_vain(f))
        put_slice(now(), f);
}

/* ---- calls ---- */

void fsh_trace_begin(const char *call)
{
    struct frame *outer = top();

    if (outer != NULL && outer->call == call)
        outer->again++;
    else
        push(FSH_TRACE_CALL)->call = call;
}

void fsh_trace_end(const char *call)
{
    struct frame *f = top();

    if (!fsh_trace_on) /* switched off since it began */
        self.depth = 0;
    else if (self.depth > DEPTH)
        self.depth--;
    else if (f == NULL || f->call != call)
        return; /* began before the trace */
    else if (f->again != 0)
        f->again--;
    else
        pop();
}

void fsh_trace_polled(const char *call)
{
    if (self.handled && self.depth == 0)
        put_at(now(), FSH_TRACE_SLICE,
               &(struct frame){.name = fsh_trace_name(call),
                               .category = FSH_TRACE_CALL},
               self.since, 0);
    self.handled = false;
}

void fsh_trace_about(uint32_t peer, size_t bytes)
{
    struct frame *f = top();

    if (f == NULL || f->open)
        return;
    f->peer = peer + 1;
    f->bytes = bytes;
}

/* ---- messages ---- */

uint64_t fsh_trace_message_flow(bool request, uint32_t from, uint32_t to,
                                unsigned lane, uint32_t n)
{
    return (uint64_t)(request ? 2 : 1) << 58 | (uint64_t)from << 46 |
           (uint64_t)to << 34 | (uint64_t)lane << 30 | (n & 0x3fffffff);
}

uint64_t fsh_trace_transfer_flow(uint32_t rank, unsigned tag, uint32_t n)
{
    return UINT64_C(3) << 58 | (uint64_t)rank << 46 | (uint64_t)tag << 34 | n;
}

/* The id of a flow: sender, receiver, and sequence number between them. 0: not
 * counted. */
static uint64_t flow(bool sent, const struct fsh_trace_message *m)
{
    uint64_t from = sent ? own.rank : m->peer, to = sent ? m->peer : own.rank;
    size_t at =
        (((size_t)sent * 2 + m->request) * own.trace->ranks + m->peer) * LANES +
        m->lane;
    uint32_t n;

    if (m->lane >= LANES || m->peer >= own.trace->ranks)
        return 0;
    n = atomic_fetch_add_explicit(&own.count[at], 1, memory_order_relaxed);
    return fsh_trace_message_flow(m->request, (uint32_t)from, (uint32_t)to,
                                  m->lane, n);
}

void fsh_trace_handler(unsigned index, const struct fsh_trace_message *m,
                       size_t bytes)
{
    static char name[256][2][24];
    char *text = name[index & 255][m->request];
    struct frame *f;

    if (text[0] == '\0')
        snprintf(text, sizeof name[0][0], "handler %u%s", index & 255,
                 m->request ? "" : " (reply)");
    f = push(FSH_TRACE_HANDLER);
    f->in = flow(false, m);
    f->peer = m->peer + 1;
    f->bytes = bytes;
    f->name = fsh_trace_name(text);
}

void fsh_trace_handled(void)
{
    if (self.depth > DEPTH || (self.depth != 0 && top()->call == NULL))
        pop();
}

/* A send outside any call or handler: recorded in a slice "progress". */
static void send_outside(uint64_t id)
{
    const struct frame f = {.name = fsh_trace_name("progress"),
                            .category = FSH_TRACE_CALL};
    uint64_t at = now();

    put_at(at, FSH_TRACE_SLICE, &f, at, 0);
    put_at(at, FSH_TRACE_FLOW_OUT, &(struct frame){0}, at, id);
}

static void send(uint64_t id)
{
    struct frame *f = top();

    if (self.depth == 0)
        send_outside(id);
    if (f == NULL)
        return;
    f->matters = true;
    if (f->out == 0 && !f->open) {
        f->out = id;
        return;
    }
    open_all();
    put_now(FSH_TRACE_FLOW_OUT, &(struct frame){0}, id);
}

void fsh_trace_left(void)
{
    struct frame *f = top();

    if (f != NULL && f->out != 0 && f->left == 0)
        f->left = now();
}

void fsh_trace_sent(const struct fsh_trace_message *m)
{
    send(flow(true, m));
}

void fsh_trace_transfer(unsigned tag)
{
    static _Atomic uint32_t count[64];

    if (tag < sizeof count / sizeof count[0])
        send(fsh_trace_transfer_flow(
            own.rank, tag,
            atomic_fetch_add_explicit(&count[tag], 1, memory_order_relaxed)));
}

/* ---- waits ---- */

bool fsh_trace_wait(const char *what, const char *who, uint32_t peer)
{
    struct frame f = {
        .name = fsh_trace_name(what), .peer = peer, .category = FSH_TRACE_WAIT};

    return open_all() && put_now(FSH_TRACE_OPEN, &f, fsh_trace_name(who));
}

void fsh_trace_waited(void)
{
    struct frame f = {.category = FSH_TRACE_WAIT};

    put_now(FSH_TRACE_CLOSE, &f, 0);
}

/* ---- other events ---- */

void fsh_trace_retry(const char *what, uint32_t peer)
{
    put_now(FSH_TRACE_INSTANT,
            &(struct frame){.name = fsh_trace_name(what),
                            .peer = peer + 1,
                            .category = FSH_TRACE_RETRY},
            0);
}

void fsh_trace_count(const char *name, uint64_t value)
{
    put_now(FSH_TRACE_COUNTER, &(struct frame){.name = fsh_trace_name(name)},
            value);
}

void fsh_trace_value(const char *name, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_now(FSH_TRACE_COUNTER,
            &(struct frame){.name = fsh_trace_name(name),
                            .category = FSH_TRACE_PROGRAM},
            bits);
}

/* ---- setup ---- */

void fsh_trace_open(struct fsh_trace *trace, uint32_t ring)
{
    own.trace = trace;
    own.ring = fsh_trace_ring(trace, ring);
    own.rank = ring;
    own.slots = trace->slots;
    /* The rest is reserved for the ends of open records, so that a full ring does not
     * leave them open. */
    own.most = trace->simulated ? own.slots : own.slots - own.slots / 4;
    if (trace->magic != FSH_TRACE_MAGIC || ring >= trace->rings ||
        trace->ring_bytes != fsh_trace_ring_bytes(trace->slots)) {
        fsh_warn("this process is not traced: the job was started by another "
                 "release");
        own.trace = NULL;
        return;
    }
    own.count = calloc((size_t)4 * trace->ranks * LANES, sizeof *own.count);
    if (own.count == NULL)
        return;
    atomic_store(&own.ring->names, 1);
    fsh_trace_on = !trace->simulated;
}

bool fsh_trace_is_there(void)
{
    return own.count != NULL;
}

bool fsh_trace_is_simulated(void)
{
    return own.count != NULL && own.trace->simulated;
}

void fsh_trace_clock(const uint64_t *cycle)
{
    if (own.count == NULL || !own.trace->simulated)
        return;
    own.cycle = cycle;
    fsh_trace_on = cycle != NULL;
}
