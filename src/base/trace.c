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
#define ROOM_NS UINT64_C(10000000) /* a reader that is late comes again */
#define LANES 16u
#define KNOWN (4 * FSH_TRACE_NAMES) /* names by their address; a power of two */

bool fsh_trace_on;

static struct {
    struct fsh_trace *trace;
    struct fsh_trace_ring *ring;
    uint32_t rank;
    const uint64_t *cycle;
    _Atomic uint32_t threads;
    atomic_flag naming;
    struct {
        const char *text;
        uint16_t name;
    } known[KNOWN];
    /* Messages by direction, kind, peer and lane. */
    _Atomic uint32_t *count;
} own = {.naming = ATOMIC_FLAG_INIT};

/* What a thread is in, outermost first. */
struct frame {
    const char *call; /* NULL: a handler */
    uint64_t ts, bytes;
    uint64_t in, out; /* flows to be recorded with it; 0 none */
    uint64_t left;    /* when the second has left */
    uint32_t peer, again;
    uint16_t name;
    uint8_t category;
    bool open;    /* recorded, but for its end */
    bool matters; /* something has happened in it */
};
static _Thread_local struct {
    struct frame frame[DEPTH];
    uint32_t depth;
    uint32_t number; /* of this thread + 1 */
    bool handled;    /* a handler has run outside calls, the first at: */
    uint64_t since;
} self;

static inline uint64_t now(void)
{
    return own.cycle != NULL ? *own.cycle : fsh_time_ns();
}

/* ---- the ring ---- */

/* False: there is no room, and there is not going to be. */
static bool await_room(uint32_t head)
{
    struct fsh_trace_ring *r = own.ring;

    if (!own.trace->simulated) {
        atomic_fetch_add_explicit(&r->dropped, 1, memory_order_relaxed);
        return false;
    }
    /* Sequentially consistent, partner: the reader's store of head and look at
     * waiting. */
    atomic_store(&r->waiting, 1);
    if (atomic_load(&r->head) == head)
        fsh_futex_wait(&r->head, head, ROOM_NS);
    return true;
}

/* Ends of what is open in the file have slots of their own, so that a full ring does
 * not leave it open. */
static uint32_t slots_for(uint8_t kind)
{
    uint32_t slots = own.trace->slots;

    return own.trace->simulated || kind == FSH_TRACE_CLOSE ? slots
                                                           : slots - slots / 4;
}

static bool take(uint32_t *position, uint8_t kind)
{
    struct fsh_trace_ring *r = own.ring;
    uint32_t tail, head;

    do {
        for (;;) {
            tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
            /* Acquire: the reader is done with the slot. Partner: its release. It
             * may be past this tail by now. */
            head = atomic_load_explicit(&r->head, memory_order_acquire);
            if (tail - head < slots_for(kind))
                break;
            if (tail - head <= own.trace->slots && !await_room(head))
                return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &r->tail, &tail, tail + 1, memory_order_relaxed, memory_order_relaxed));
    *position = tail;
    return true;
}

bool fsh_trace_put(const struct fsh_trace_record *record)
{
    struct fsh_trace_record *slot;
    uint32_t position;

    if (!take(&position, record->kind))
        return false;
    slot = fsh_trace_slot(own.trace, own.ring, position);
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

void fsh_trace_reached(uint64_t cycle)
{
    if (own.trace == NULL)
        return;
    /* Release: the records before it. Partner: the reader's acquire. */
    atomic_store_explicit(&own.trace->reached, cycle, memory_order_release);
}

/* ---- names ---- */

static uint16_t find(const char *text, uint32_t *at)
{
    uint32_t i = (uint32_t)((uintptr_t)text * UINT32_C(0x9E3779B1) >> 3);

    for (uint32_t n = 0; n < KNOWN; n++, i++) {
        *at = i & (KNOWN - 1);
        if (own.known[*at].text == NULL)
            return 0;
        if (own.known[*at].text == text &&
            strncmp(own.ring->name[own.known[*at].name], text,
                    FSH_TRACE_NAME_BYTES - 1) == 0)
            return own.known[*at].name;
    }
    return 0;
}

static uint16_t add(const char *text)
{
    struct fsh_trace_ring *r = own.ring;
    uint32_t n = atomic_load_explicit(&r->names, memory_order_relaxed), at;
    uint16_t found = find(text, &at);

    if (found != 0 || n >= FSH_TRACE_NAMES || own.known[at].text != NULL)
        return found;
    snprintf(r->name[n], FSH_TRACE_NAME_BYTES, "%s", text);
    atomic_store_explicit(&r->names, n + 1, memory_order_relaxed);
    own.known[at].name = (uint16_t)n;
    /* Before the text is there to be found; published with the record. */
    atomic_signal_fence(memory_order_release);
    own.known[at].text = text;
    return (uint16_t)n;
}

uint16_t fsh_trace_name(const char *name)
{
    uint32_t at;
    uint16_t found = name != NULL ? find(name, &at) : 0;

    if (found != 0 || name == NULL)
        return found;
    /* In a signal handler that has interrupted this: without a name. */
    if (atomic_flag_test_and_set_explicit(&own.naming, memory_order_acquire))
        return 0;
    found = add(name);
    atomic_flag_clear_explicit(&own.naming, memory_order_release);
    return found;
}

/* ---- frames ---- */

static uint8_t track(void)
{
    if (self.number == 0)
        self.number = atomic_fetch_add(&own.threads, 1) + 1;
    return self.number > UINT8_MAX ? UINT8_MAX : (uint8_t)(self.number - 1);
}

/* A record that is made at this time: a look at the clock takes longer than all else
 * here, so there is one for what is made together. */
static bool put_at(uint64_t at, enum fsh_trace_kind kind, const struct frame *f,
                   uint64_t ts, uint64_t value)
{
    uint64_t late = at - ts;

    return fsh_trace_put(&(struct fsh_trace_record){
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

/* Something happens in what this thread is in. False: that is not all in the file, and
 * what happens is left out, too, since it would be nested wrongly. */
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

static void push(const struct frame *f)
{
    struct frame *outer = top();

    if (outer != NULL && f->category == FSH_TRACE_HANDLER)
        outer->matters = true;
    if (self.depth == 0 && f->category == FSH_TRACE_HANDLER && !self.handled) {
        self.handled = true;
        self.since = f->ts;
    }
    if (f->category == FSH_TRACE_CALL)
        self.handled = false;
    if (self.depth++ < DEPTH)
        self.frame[self.depth - 1] = *f;
}

/* Calls that are made in vain again and again. */
static bool is_quiet(const char *call)
{
    return strstr(call, "try") != NULL || strstr(call, "Poll") != NULL ||
           strstr(call, "test") != NULL;
}

/* A call or handler has ended of which nothing is in the file yet. */
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
    else if (f->matters || f->call == NULL || !is_quiet(f->call))
        put_slice(now(), f);
}

/* ---- calls ---- */

void fsh_trace_begin(const char *call)
{
    struct frame *outer = top();

    if (outer != NULL && outer->call == call)
        outer->again++;
    else
        push(&(struct frame){
            .call = call, .ts = now(), .category = FSH_TRACE_CALL});
}

void fsh_trace_end(const char *call)
{
    struct frame *f = top();

    if (!fsh_trace_on) /* since it began */
        self.depth = 0;
    else if (self.depth > DEPTH)
        self.depth--;
    else if (f == NULL || f->call != call)
        return; /* begun before the trace */
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

/* The number of a flow: who, to whom, and how many before it. 0: not counted. */
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

    if (text[0] == '\0')
        snprintf(text, sizeof name[0][0], "handler %u%s", index & 255,
                 m->request ? "" : " (reply)");
    push(&(struct frame){.ts = now(),
                         .in = flow(false, m),
                         .peer = m->peer + 1,
                         .bytes = bytes,
                         .name = fsh_trace_name(text),
                         .category = FSH_TRACE_HANDLER});
}

void fsh_trace_handled(void)
{
    if (self.depth > DEPTH || (self.depth != 0 && top()->call == NULL))
        pop();
}

/* In a poll, of which the file says nothing so far. */
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

/* ---- what is neither ---- */

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

/* ---- beginning ---- */

void fsh_trace_open(struct fsh_trace *trace, uint32_t ring)
{
    own.trace = trace;
    own.ring = fsh_trace_ring(trace, ring);
    own.rank = ring;
    if (trace->magic != FSH_TRACE_MAGIC || ring >= trace->rings ||
        trace->ring_bytes != fsh_trace_ring_bytes(trace->slots)) {
        fsh_warn("no trace of this process: the job is of another release");
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
