/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --trace: takes what ranks and simulator record (base/trace.h) and writes it as
 * events of Perfetto's JSON, an array of which no end is needed
 * (docs/02_reference/traces.md). A thread of the launcher does so while the job runs,
 * and the end of the job takes the rest: what a rank recorded before it was killed
 * is in the file. Events are appended as a whole.
 *
 * In simulated time events are merged by (time, ring), so that equal runs give equal
 * files: those before the time that all have reached go out.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sched.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/trace.h"
#include "trace.h"

/* Between looks at the rings, unless one is a quarter fuller (bell): each takes a
 * processor from ranks or simulator. The file of a launcher that is killed ends so much
 * before. */
#define NAP_NS UINT64_C(50000000)
/* Events, some 10 us of them, after which it offers the processor: a rank that is to answer
 * a message waits no longer for it. */
#define TURN 64u
/* Ranks that wait offer it again in less time than this. */
#define GREEDY_NS UINT64_C(1000000)

/* What is not written yet: of simulated time what was moved out of the ring for others
 * to have room, then what is in it. */
struct source {
    struct fsh_trace_ring *ring;
    uint32_t head, tail;            /* of the ring, in this pass */
    struct fsh_trace_record *front; /* the next, or NULL */
    struct fsh_trace_record *moved;
    size_t first, end, room;
    uint64_t dropped;          /* said in the file */
    bool known[UINT8_MAX + 1]; /* tracks that have a name */
    struct trace_names names;
};

struct trace {
    struct fsh_trace *shared;
    size_t bytes;
    struct trace_file file;
    struct source *source; /* by ring */
    uint64_t *due;         /* when its front was made, or UINT64_MAX */
    pthread_t thread;
    bool started;
    uint32_t written; /* events */
    bool crowded;     /* in this pass who was offered the processor kept it */
    /* Nobody writes any more: what is not published never will be. */
    bool last;
    _Atomic bool stop;
};

/* ---- from the rings ---- */

/* The next that is published in this pass, or NULL. */
static struct fsh_trace_record *published(struct trace *t, struct source *s)
{
    for (; s->head != s->tail; s->head++) {
        struct fsh_trace_record *slot =
            fsh_trace_slot(t->shared, s->ring, s->head);

        /* Acquire: the record. Partner: the release of fsh_trace_put. */
        if (atomic_load_explicit(&slot->lap, memory_order_acquire) ==
            s->head + 1)
            return slot;
        if (!t->last)
            break;
    }
    return NULL;
}

/* When it was made, by which rings are merged. */
static uint64_t made(const struct fsh_trace_record *record)
{
    return record->ts + record->late;
}

static void find_front(struct trace *t, uint32_t ring)
{
    struct source *s = &t->source[ring];

    s->front = s->first != s->end ? &s->moved[s->first] : published(t, s);
    t->due[ring] = s->front != NULL ? made(s->front) : UINT64_MAX;
}

/* Slots before head are free. */
static void give(struct source *s)
{
    if (atomic_load_explicit(&s->ring->head, memory_order_relaxed) == s->head)
        return;
    /* Sequentially consistent, partner: await_room in base/trace.c. */
    atomic_store(&s->ring->head, s->head);
    if (atomic_exchange(&s->ring->waiting, 0) != 0)
        fsh_futex_wake(&s->ring->head, INT_MAX);
}

/* Past the front. Who waits for room gets a quarter of the ring at a time. */
static void step(struct trace *t, uint32_t ring)
{
    struct source *s = &t->source[ring];

    if (s->first != s->end)
        s->first++;
    else if ((++s->head & (t->shared->slots / 4 - 1)) == 0)
        give(s);
    find_front(t, ring);
}

static void look(struct trace *t, uint32_t ring)
{
    struct source *s = &t->source[ring];

    s->tail = atomic_load_explicit(&s->ring->tail, memory_order_relaxed);
    if (s->tail - s->head > t->shared->slots)
        /* written by who has no business there */
        s->tail = s->head + t->shared->slots;
    find_front(t, ring);
}

static void move(struct source *s, const struct fsh_trace_record *record)
{
    if (s->first == s->end)
        s->first = s->end = 0;
    if (s->end == s->room && s->first > s->end / 2) {
        memmove(s->moved, s->moved + s->first,
                (s->end - s->first) * sizeof *s->moved);
        s->end -= s->first;
        s->first = 0;
    }
    if (s->end == s->room) {
        size_t room = s->room != 0 ? 2 * s->room : 1024;
        void *more = realloc(s->moved, room * sizeof *s->moved);

        if (more == NULL)
            fsh_fatal("--trace: out of memory");
        s->moved = more;
        s->room = room;
    }
    memcpy(&s->moved[s->end++], record, sizeof *record);
}

/* In simulated time a ring may fill with what is not to be written yet. */
static void make_room(struct trace *t, struct source *s)
{
    const struct fsh_trace_record *record;

    if (s->tail - s->head > t->shared->slots / 2)
        for (; (record = published(t, s)) != NULL; s->head++)
            move(s, record);
    give(s);
}

/* ---- to the file ---- */

/* Others first, as long as what they record has room. */
static void offer(struct trace *t, const struct source *s)
{
    uint32_t tail = atomic_load_explicit(&s->ring->tail, memory_order_relaxed);
    uint64_t start;

    if (t->last || t->crowded || tail - s->head > t->shared->slots / 2)
        return;
    start = fsh_time_ns();
    sched_yield();
    t->crowded = fsh_time_ns() - start > GREEDY_NS;
}

/* Whoever is in the ring may still change it: not while it is written. */
static void write_front(struct trace *t, uint32_t ring)
{
    struct source *s = &t->source[ring];
    struct fsh_trace_record record;

    memcpy(&record, s->front, sizeof record);
    step(t, ring);
    if (ring < t->shared->ranks && !s->known[record.track]) {
        s->known[record.track] = true;
        trace_file_track(&t->file, ring, record.track);
    }
    trace_file_event(&t->file, ring < t->shared->ranks ? ring : TRACE_NODES,
                     &record, &s->names);
    if (++t->written % TURN == 0)
        offer(t, s);
}

/* All that were made before `limit`, in their order. */
static void merge(struct trace *t, uint64_t limit)
{
    for (;;) {
        uint32_t best = 0;

        for (uint32_t i = 1; i < t->shared->rings; i++)
            if (t->due[i] < t->due[best])
                best = i;
        if (t->due[best] >= limit)
            return;
        write_front(t, best);
    }
}

static void write_all(struct trace *t)
{
    for (uint32_t i = 0; i < t->shared->rings; i++)
        while (t->source[i].front != NULL)
            write_front(t, i);
}

static void note_dropped(struct trace *t, uint32_t ring)
{
    struct source *s = &t->source[ring];
    uint64_t n = atomic_load_explicit(&s->ring->dropped, memory_order_relaxed);

    if (n == s->dropped)
        return;
    trace_file_dropped(&t->file, ring < t->shared->ranks ? ring : TRACE_NODES,
                       n - s->dropped);
    s->dropped = n;
}

static void pass(struct trace *t)
{
    /* Acquire: the records before it. Partner: fsh_trace_reached. Read first: what
     * is made meanwhile is later. */
    uint64_t reached =
        atomic_load_explicit(&t->shared->reached, memory_order_acquire);

    t->crowded = false;
    for (uint32_t i = 0; i < t->shared->rings; i++)
        look(t, i);
    if (t->shared->simulated)
        merge(t, t->last ? UINT64_MAX : reached);
    else
        write_all(t);
    for (uint32_t i = 0; i < t->shared->rings; i++) {
        make_room(t, &t->source[i]);
        note_dropped(t, i);
    }
    trace_file_flush(&t->file);
}

static void *run(void *arg)
{
    struct trace *t = arg;
    const struct sched_param none = {0};

    /* It takes its share of a processor, and from nobody who hands over at once: ranks
     * and simulator do so in less time than a processor takes to come back to them. */
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
    for (;;) {
        /* Before the look at what it stands for. */
        uint32_t bell = atomic_load(&t->shared->bell);

        if (atomic_load(&t->stop))
            return NULL;
        pass(t);
        fsh_futex_wait(&t->shared->bell, bell, NAP_NS);
    }
}

/* ---- for fshrun ---- */

struct trace *trace_new(const char *path, const struct fsh_job *job)
{
    const struct fsh_job_page *page = job->page;
    struct trace *t = calloc(1, sizeof *t);

    if (t == NULL)
        fsh_fatal("--trace: out of memory");
    t->bytes = page->trace_bytes;
    t->shared = fsh_job_map_trace(page->trace_fd, t->bytes);
    if (t->shared == NULL)
        fsh_fatal("--trace: %s", strerror(errno));
    t->source = calloc(t->shared->rings, sizeof *t->source);
    t->due = calloc(t->shared->rings, sizeof *t->due);
    if (t->source == NULL || t->due == NULL)
        fsh_fatal("--trace: out of memory");
    for (uint32_t i = 0; i < t->shared->rings; i++) {
        t->source[i].ring = fsh_trace_ring(t->shared, i);
        t->source[i].names.from = t->source[i].ring->name;
    }
    if (trace_file_open(&t->file, path, page, t->shared))
        return t;
    fsh_warn("--trace %s: %s", path, strerror(errno));
    trace_free(t);
    return NULL;
}

void trace_start(struct trace *t)
{
    int rc = pthread_create(&t->thread, NULL, run, t);

    t->started = rc == 0;
    /* In simulated time ranks wait for it. */
    if (rc != 0)
        fsh_fatal("--trace: cannot start a thread: %s; allow more processes "
                  "(ulimit -u), or run without",
                  strerror(rc));
}

bool trace_end(struct trace *t)
{
    uint64_t dropped = 0;

    atomic_store(&t->stop, true);
    fsh_trace_ring_bell(t->shared);
    if (t->started)
        pthread_join(t->thread, NULL);
    t->last = true;
    pass(t);
    for (uint32_t i = 0; i < t->shared->rings; i++)
        dropped += t->source[i].dropped;
    if (dropped != 0)
        fsh_warn("--trace: %" PRIu64
                 " records were dropped, since the ranks made "
                 "them faster than they could be written; the file says where",
                 dropped);
    return trace_file_close(&t->file);
}

void trace_free(struct trace *t)
{
    for (uint32_t i = 0; t->source != NULL && i < t->shared->rings; i++) {
        free(t->source[i].moved);
        trace_names_free(&t->source[i].names);
    }
    free(t->source);
    free(t->due);
    munmap(t->shared, t->bytes);
    free(t);
}
