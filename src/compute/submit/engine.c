/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way of a list to its compute core; see submit.h. A channel is one queue
 * of one node; it has at most one chunk on its way to the core, so that a chunk
 * that is refused cannot be overtaken. Everything here is under one lock but
 * the answers of cores and the completions of commands, which only set atomics.
 */
#include "compute/submit/submit.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/kick.h"
#include "base/lock.h"
#include "base/simulated.h"
#include "base/trace.h"
#include "compute/submit/chunk.h"

#define CHUNK_COMMANDS FSH_COMMAND_ONCE
#define QUEUES FSH_AREA_QUEUES
#define LINE 64u /* bytes: unit of addresses in commands */
/* After BUSY: a RUN each so often, so that trying again leaves the network and
 * the processor to others. */
#define RETRY_FIRST_NS 1000u
#define RETRY_MOST_NS 500000u

enum step {
    IDLE,    /* no chunk */
    WRITING, /* into the area of the node */
    READY,   /* RUN is to be sent */
    ASKED,   /* RUN is sent */
};

struct channel {
    struct fsh_answer answer;
    atomic_uint verdict; /* status + 1 of the answer, 0: none yet */
    enum step step;
    uint32_t retry_ns; /* pause after BUSY; 0: the last answer was another */
    uint64_t retry_at; /* when it is over */
    struct fsh_command_list *head, *tail; /* not wholly accepted */
    int chunk;                            /* on its way, or -1 */
    uint64_t busy;                        /* slots of the area */
    struct fsh_event event;               /* of the write */
};

atomic_uint fsh_command_active;

static struct {
    struct fsh_lock lock;
    const struct fsh_conduit_ops *ops;
    const struct fsh_segment *segs;
    uint32_t rank, nodes;
    uint32_t number;         /* of this rank in commands */
    struct channel *channel; /* by node and queue; NULL: no area, no cores */
} engine = {.lock =
                FSH_LOCK_INIT("commands to compute cores", FSH_LOCK_COMMANDS)};

static void on_answer(struct fsh_answer *answer, unsigned status)
{
    struct channel *ch = (struct channel *)(void *)answer;

    /* Release, partner: settle. */
    atomic_store_explicit(&ch->verdict, status + 1, memory_order_release);
}
_Static_assert(offsetof(struct channel, answer) == 0, "on_answer");

bool fsh_command_start(const struct fsh_conduit_ops *ops, uint32_t rank,
                       uint32_t nodes, const struct fsh_segment *segs)
{
    size_t count = (size_t)nodes * QUEUES;

    engine.ops = ops;
    engine.rank = rank;
    engine.number = rank;
    engine.nodes = nodes;
    engine.segs = segs;
    if (ops->compute != NULL && ops->compute->number != NULL)
        engine.number = (uint32_t)ops->compute->number(rank);
    if (ops->compute == NULL || fsh_area_bytes(nodes) == 0)
        return true;
    engine.channel = calloc(count, sizeof *engine.channel);
    for (size_t i = 0; engine.channel != NULL && i < count; i++) {
        engine.channel[i].answer.fn = on_answer;
        engine.channel[i].chunk = -1;
    }
    return engine.channel != NULL;
}

struct fsh_command_list *fsh_command_list_new(uint32_t node, unsigned queue,
                                              uint32_t count)
{
    struct fsh_command_list *list =
        calloc(1, sizeof *list + count * sizeof list->words[0]);

    if (list == NULL)
        return NULL;
    list->node = node;
    list->queue = (uint8_t)queue;
    list->count = count;
    list->left = count;
    return list;
}

static struct channel *channel_of(const struct fsh_command_list *list)
{
    return &engine.channel[list->node * QUEUES + list->queue];
}

/* ---- the end of lists ---------------------------------------------------- */

static void count_out(void)
{
    if (atomic_fetch_sub_explicit(&fsh_command_active, 1,
                                  memory_order_relaxed) == 1)
        fsh_kicks_leave();
}

static void finish(struct fsh_command_list *list)
{
    count_out();
    if (list->done != NULL)
        list->done(list->arg, list->status);
    free(list);
}

/* n commands of a list have ended; the list with the last of them. */
static void ended(struct fsh_command_list *list, unsigned n, unsigned status)
{
    if (status != FSH_STATUS_OK && list->status == FSH_STATUS_OK)
        list->status = status;
    list->left -= n;
    if (list->left == 0)
        finish(list);
}

static void release_slots(struct channel *ch, const struct fsh_chunk *chunk)
{
    ch->busy &= ~(((UINT64_C(1) << chunk->count) - 1) << chunk->first);
}

static void close_chunk(unsigned cookie)
{
    struct fsh_chunk *chunk = fsh_chunk_at(cookie);

    release_slots(channel_of(chunk->list), chunk);
    ended(chunk->list, chunk->count,
          atomic_load_explicit(&chunk->status, memory_order_relaxed));
    fsh_chunk_close(cookie);
}

/* A chunk can be finished before the answer to its RUN is here: it stays until
 * then. */
static bool reap(void)
{
    bool any = false;
    int next;

    for (int c = fsh_chunk_finished(); c >= 0; c = next) {
        next = fsh_chunk_next((unsigned)c);
        if (channel_of(fsh_chunk_at((unsigned)c)->list)->chunk == c) {
            fsh_chunk_keep((unsigned)c);
        } else {
            close_chunk((unsigned)c);
            any = true;
        }
    }
    return any;
}

/* ---- the way to the core ------------------------------------------------- */

static size_t area_of(const struct fsh_command_list *list, unsigned slot)
{
    return engine.segs[list->node].size +
           fsh_area_offset(engine.rank, list->queue) +
           slot * FSH_AREA_COMMAND_BYTES;
}

/* A list that is tried once and was not sent. */
static void drop(struct fsh_command_list *list)
{
    count_out();
    /* Release, partner: the acquire of who waits for it. */
    atomic_store_explicit(list->once, FSH_ONCE_REFUSED, memory_order_release);
    free(list);
}

/* The list in front has to wait: those behind it that are tried once do not. */
static void drop_behind(struct channel *ch)
{
    struct fsh_command_list **link = &ch->head->next, *list;

    ch->tail = ch->head;
    while ((list = *link) != NULL) {
        if (list->once != NULL) {
            *link = list->next;
            drop(list);
        } else {
            ch->tail = list;
            link = &list->next;
        }
    }
}

static void refuse(struct channel *ch)
{
    struct fsh_command_list *list = ch->head;

    assert(list->once != NULL && list->given == 0);
    ch->head = list->next;
    if (ch->chunk >= 0) {
        release_slots(ch, fsh_chunk_at((unsigned)ch->chunk));
        fsh_chunk_close((unsigned)ch->chunk);
    }
    ch->chunk = -1;
    ch->step = IDLE;
    drop(list);
}

/* Open a chunk for the next commands of the list in front. */
static bool open_chunk(struct channel *ch)
{
    struct fsh_command_list *list = ch->head;
    unsigned want = list->count - list->given, first = 0, n;

    want = want < CHUNK_COMMANDS ? want : CHUNK_COMMANDS;
    n = fsh_chunk_room();
    n = fsh_chunk_fit(ch->busy, want < n ? want : n, &first);
    if (n == 0 || (list->once != NULL && n < list->count))
        return false;
    ch->chunk = fsh_chunk_open(list, first, n);
    assert(ch->chunk >= 0);
    ch->busy |= ((UINT64_C(1) << n) - 1) << first;
    return true;
}

static void write_chunk(struct channel *ch)
{
    struct fsh_command_list *list = ch->head;
    const struct fsh_chunk *chunk = fsh_chunk_at((unsigned)ch->chunk);
    unsigned char *to = engine.segs[list->node].addr;
    size_t bytes = chunk->count * sizeof list->words[0];

    to += area_of(list, chunk->first);
    for (unsigned i = 0; i < chunk->count; i++) {
        uint64_t *words = list->words[list->given + i];

        fsh_ccmd_set_complete(words, 1);
        fsh_ccmd_set_complete_node(words, engine.number);
        fsh_ccmd_set_cookie(words, (uint64_t)ch->chunk);
    }
    if (list->node == engine.rank) {
        fsh_simulated_copy(to, list->words[list->given], bytes);
    } else {
        engine.ops->put(list->node, to, list->words[list->given], bytes, NULL,
                        &ch->event);
    }
}

static bool ask(struct channel *ch)
{
    struct fsh_command_list *list = ch->head;
    uint64_t message = list->message;

    if (!list->is_message) {
        const struct fsh_chunk *chunk = fsh_chunk_at((unsigned)ch->chunk);

        message = 0;
        fsh_crun_set_op(&message, FSH_CMSG_RUN);
        fsh_crun_set_count(&message, chunk->count);
        fsh_crun_set_mover(&message, list->queue);
        /* No segment is larger than this reaches (base/segment.h). */
        assert(area_of(list, chunk->first) / LINE <= UINT32_MAX);
        fsh_crun_set_addr(&message, area_of(list, chunk->first) / LINE);
    }
    atomic_store_explicit(&ch->verdict, 0, memory_order_relaxed);
    return engine.ops->compute->send(list->node, &message, &ch->answer);
}

/* The list in front has been accepted, or failed, as far as it was sent. */
static void move_on(struct channel *ch, unsigned n)
{
    struct fsh_command_list *list = ch->head;

    list->given += n;
    ch->chunk = -1;
    ch->step = IDLE;
    ch->retry_ns = 0;
    if (list->once != NULL)
        atomic_store_explicit(list->once, FSH_ONCE_TAKEN, memory_order_release);
    if (list->given == list->count)
        ch->head = list->next;
}

static uint64_t now_ns(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    return simulated != NULL ? simulated->look() : fsh_time_ns();
}

static void pause_channel(struct channel *ch)
{
    uint32_t ns = ch->retry_ns * 2;

    ch->retry_ns = ns == 0              ? RETRY_FIRST_NS
                   : ns > RETRY_MOST_NS ? RETRY_MOST_NS
                                        : ns;
    ch->retry_at = now_ns() + ch->retry_ns;
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_retry(ch->head->queue ? "the mover queue is busy"
                                        : "the array queue is busy",
                        ch->head->node);
    drop_behind(ch);
}

/* Act on the answer of the core; false if there is none, or it was BUSY. */
static bool settle(struct channel *ch)
{
    /* Acquire, partner: on_answer. */
    unsigned verdict = atomic_load_explicit(&ch->verdict, memory_order_acquire);
    struct fsh_command_list *list = ch->head;
    int cookie = ch->chunk;

    if (verdict == 0)
        return false;
    if (verdict - 1 == FSH_STATUS_BUSY) {
        ch->step = READY;
        if (list->once == NULL) {
            pause_channel(ch);
            return false;
        }
        refuse(ch);
        return true;
    }
    move_on(ch, list->is_message ? list->count
                                 : fsh_chunk_at((unsigned)cookie)->count);
    if (list->is_message) {
        ended(list, list->count, verdict - 1);
    } else if (verdict - 1 != FSH_STATUS_OK) {
        atomic_store_explicit(&fsh_chunk_at((unsigned)cookie)->status,
                              verdict - 1, memory_order_relaxed);
        close_chunk((unsigned)cookie);
    }
    return true;
}

/* One step of a channel; false if it has to wait, or has nothing to do. */
static bool step(struct channel *ch)
{
    switch (ch->step) {
    case IDLE:
        if (ch->head == NULL)
            return false;
        if (!ch->head->is_message) {
            if (!open_chunk(ch)) {
                if (ch->head->once != NULL)
                    refuse(ch);
                else
                    drop_behind(ch);
                return false;
            }
            write_chunk(ch);
        }
        ch->step = WRITING;
        return true;
    case WRITING:
        /* Acquire, partner: the conduit's release. */
        if (atomic_load_explicit(&ch->event.pending, memory_order_acquire) != 0)
            return false;
        ch->step = READY;
        return true;
    case READY:
        if ((ch->retry_ns != 0 && now_ns() < ch->retry_at) || !ask(ch))
            return false;
        ch->step = ASKED;
        return true;
    default:
        return settle(ch);
    }
}

/* The queues of some nodes. */
static bool kick(uint32_t first, uint32_t nodes)
{
    bool any = false;

    if (!fsh_lock_try(&engine.lock))
        return false;
    for (size_t i = (size_t)first * QUEUES;
         i < ((size_t)first + nodes) * QUEUES; i++)
        while (step(&engine.channel[i]))
            any |= engine.channel[i].retry_ns == 0; /* asking again is none */
    any |= reap();
    fsh_lock_give(&engine.lock);
    return any;
}

bool fsh_command_kick_slow(void)
{
    return kick(0, engine.nodes);
}

void fsh_command_kick_own(void)
{
    if (fsh_command_is_active())
        kick(engine.rank, 1);
}

/* Does the list in front wait for room? */
static bool is_stuck(const struct channel *ch)
{
    return ch->head != NULL && (ch->retry_ns != 0 || ch->step == IDLE);
}

void fsh_command_submit(struct fsh_command_list *list)
{
    struct channel *ch = channel_of(list);

    fsh_lock_take(&engine.lock);
    if (atomic_fetch_add_explicit(&fsh_command_active, 1,
                                  memory_order_relaxed) == 0)
        fsh_kicks_enter();
    if (list->once != NULL && is_stuck(ch)) {
        drop(list);
    } else {
        if (ch->head == NULL)
            ch->head = list;
        else
            ch->tail->next = list;
        ch->tail = list;
        while (step(ch))
            continue;
    }
    fsh_lock_give(&engine.lock);
}

void fsh_command_describe(void (*line)(void *arg, const char *text), void *arg)
{
    static const char *const steps[] = {"waits for room", "is being written",
                                        "is refused (busy)", "is asked for"};
    static const char *const queues[] = {"array", "mover"};
    char text[128];

    for (size_t i = 0; engine.channel != NULL && i < engine.nodes * QUEUES;
         i++) {
        const struct channel *ch = &engine.channel[i];

        if (ch->head == NULL && ch->busy == 0)
            continue;
        snprintf(text, sizeof text,
                 "compute: node %zu, %s queue: %d commands at the core%s%s",
                 i / QUEUES, queues[i % QUEUES], __builtin_popcountll(ch->busy),
                 ch->head != NULL ? "; the next list " : "",
                 ch->head != NULL ? steps[ch->step] : "");
        line(arg, text);
    }
}
