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

#include "base/fsh_spec.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/trace.h"
#include "trace.h"

/* Between looks at the rings; each look takes a processor from ranks or simulator. It
 * comes sooner after one that found a sixteenth of a ring. */
#define LEAST_NAP_NS UINT64_C(1000000)
#define MOST_NAP_NS UINT64_C(8000000)

/* Taken from a ring, and not written yet. */
struct queue {
    struct fsh_trace_record *record;
    size_t first, end, room;
    uint64_t dropped;          /* said in the file */
    bool known[UINT8_MAX + 1]; /* tracks that have a name */
};

struct trace {
    struct fsh_trace *shared;
    size_t bytes;
    struct trace_file file;
    struct queue *queue;
    pthread_t thread;
    bool started;
    _Atomic uint32_t stop; /* futex */
};

/* ---- from the rings ---- */

static void keep(struct queue *q, const struct fsh_trace_record *record)
{
    if (q->first == q->end)
        q->first = q->end = 0;
    if (q->end == q->room && q->first > q->end / 2) {
        memmove(q->record, q->record + q->first,
                (q->end - q->first) * sizeof *q->record);
        q->end -= q->first;
        q->first = 0;
    }
    if (q->end == q->room) {
        size_t room = q->room != 0 ? 2 * q->room : 1024;
        void *more = realloc(q->record, room * sizeof *q->record);

        if (more == NULL)
            fsh_fatal("--trace: out of memory");
        q->record = more;
        q->room = room;
    }
    memcpy(&q->record[q->end++], record, sizeof *record);
}

/* last: nobody writes any more, so what is not published never will be. Returns how
 * many there were. */
static uint32_t take(struct trace *t, uint32_t ring, bool last)
{
    struct fsh_trace_ring *r = fsh_trace_ring(t->shared, ring);
    uint32_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
    uint32_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
    uint32_t n = tail - head;

    if (n > t->shared->slots) /* written by who has no business there */
        n = t->shared->slots;
    for (uint32_t i = 0; i < n; i++, head++) {
        struct fsh_trace_record *slot = fsh_trace_slot(t->shared, r, head);

        /* Acquire: the record. Partner: the release of fsh_trace_put. */
        if (atomic_load_explicit(&slot->lap, memory_order_acquire) == head + 1)
            keep(&t->queue[ring], slot);
        else if (!last)
            break;
    }
    /* Sequentially consistent, partner: await_room in base/trace.c. */
    atomic_store(&r->head, head);
    if (n != 0 && atomic_exchange(&r->waiting, 0) != 0)
        fsh_futex_wake(&r->head, INT_MAX);
    return n;
}

/* ---- to the file ---- */

static void write_event(struct trace *t, uint32_t ring,
                        const struct fsh_trace_record *record)
{
    struct fsh_trace_ring *r = fsh_trace_ring(t->shared, ring);
    struct queue *q = &t->queue[ring];

    if (ring < t->shared->ranks && !q->known[record->track]) {
        q->known[record->track] = true;
        trace_file_track(&t->file, ring, record->track);
    }
    trace_file_event(&t->file, ring < t->shared->ranks ? ring : TRACE_NODES,
                     record, r->name);
}

/* When it was made, by which rings are merged. */
static uint64_t made(const struct fsh_trace_record *record)
{
    return record->ts + record->late;
}

/* All that were made before `limit`, in their order. */
static void merge(struct trace *t, uint64_t limit)
{
    for (;;) {
        uint32_t best = t->shared->rings;
        uint64_t soonest = limit;

        for (uint32_t i = 0; i < t->shared->rings; i++) {
            struct queue *q = &t->queue[i];

            if (q->first != q->end && made(&q->record[q->first]) < soonest) {
                soonest = made(&q->record[q->first]);
                best = i;
            }
        }
        if (best == t->shared->rings)
            return;
        write_event(t, best, &t->queue[best].record[t->queue[best].first++]);
    }
}

static void write_all(struct trace *t)
{
    for (uint32_t i = 0; i < t->shared->rings; i++) {
        struct queue *q = &t->queue[i];

        while (q->first != q->end)
            write_event(t, i, &q->record[q->first++]);
    }
}

static void note_dropped(struct trace *t, uint32_t ring)
{
    struct fsh_trace_ring *r = fsh_trace_ring(t->shared, ring);
    uint64_t n = atomic_load_explicit(&r->dropped, memory_order_relaxed);
    struct queue *q = &t->queue[ring];

    if (n == q->dropped)
        return;
    trace_file_dropped(&t->file, ring < t->shared->ranks ? ring : TRACE_NODES,
                       n - q->dropped);
    q->dropped = n;
}

/* Returns how many records the fullest ring had. */
static uint32_t pass(struct trace *t, bool last)
{
    /* Acquire: the records before it. Partner: fsh_trace_reached. Read first: what
     * is made meanwhile is later. */
    uint64_t reached =
        atomic_load_explicit(&t->shared->reached, memory_order_acquire);
    uint32_t most = 0;

    for (uint32_t i = 0; i < t->shared->rings; i++) {
        uint32_t n = take(t, i, last);

        most = n > most ? n : most;
        note_dropped(t, i);
    }
    if (t->shared->simulated)
        merge(t, last ? UINT64_MAX : reached);
    else
        write_all(t);
    trace_file_flush(&t->file);
    return most;
}

static void *run(void *arg)
{
    struct trace *t = arg;
    const struct sched_param none = {0};
    uint64_t nap = LEAST_NAP_NS;

    /* It takes its share of a processor, and from nobody who hands over at once: ranks
     * and simulator do so in less time than a processor takes to come back to them. */
    pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
    while (!atomic_load(&t->stop)) {
        bool soon = pass(t, false) > t->shared->slots / 16;

        if (soon && nap > LEAST_NAP_NS)
            nap /= 2;
        else if (!soon && nap < MOST_NAP_NS)
            nap *= 2;
        fsh_futex_wait(&t->stop, 0, nap);
    }
    return NULL;
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
    t->queue = calloc(t->shared->rings, sizeof *t->queue);
    if (t->queue == NULL)
        fsh_fatal("--trace: out of memory");
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

    atomic_store(&t->stop, 1);
    fsh_futex_wake(&t->stop, 1);
    if (t->started)
        pthread_join(t->thread, NULL);
    pass(t, true);
    for (uint32_t i = 0; i < t->shared->rings; i++)
        dropped += t->queue[i].dropped;
    if (dropped != 0)
        fsh_warn("--trace: %" PRIu64
                 " records were dropped, since the ranks made "
                 "them faster than they could be written; the file says where",
                 dropped);
    return trace_file_close(&t->file);
}

void trace_free(struct trace *t)
{
    for (uint32_t i = 0; t->queue != NULL && i < t->shared->rings; i++)
        free(t->queue[i].record);
    free(t->queue);
    munmap(t->shared, t->bytes);
    free(t);
}
