/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums up a trace. Events of a thread come in chronological order, except that a slice
 * with a duration comes when it ends. The time between two events belongs
 * to the innermost slice, and each moment is attributed exactly once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/log.h"
#include "run.h"

/* Name of the wait of a leaving rank: its run is over. */
#define LEAVING "the end of others"
#define THREADS 256u /* of a rank; further ones count as the last */
#define DEPTH 16u
#define VERSION 1
#define FIRST_NODE 10000 /* process id of node 0 */
#define LAST 1e15        /* microseconds: later times are invalid */
#define SAMPLE 4.096     /* of a node's counters: 1024 cycles */

struct frame {
    enum run_state state;
    struct run_tally *tally;
    double since;
};

/* A thread; depth may exceed the stack. */
struct track {
    double cursor; /* time up to which everything is attributed */
    unsigned depth;
    struct frame frame[DEPTH];
};

struct reader {
    struct run *run;
    struct track **track; /* rank * THREADS + thread */
};

/* An event; texts are valid until the next one. */
struct event {
    json_t *json;
    const char *kind, *category, *name;
    uint32_t rank, thread;
    double ts, length;
    int64_t peer; /* -1 none */
    uint64_t bytes;
};

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (!memory)
        fsh_fatal("no memory for a report");
    return memory;
}

/* ---- tallies ---- */

static struct run_tally *find_tally(struct run *run, const struct event *e,
                                    bool wait)
{
    uint32_t rank = wait ? e->rank : 0;
    int32_t peer = wait ? (int32_t)e->peer : -1;
    uint32_t hash = 2166136261u ^ rank * 31u ^ (uint32_t)peer * 131u ^ wait;

    for (const char *c = e->name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    for (unsigned i = 0; i < 64; i++) {
        struct run_tally *t = &run->tally[(hash + i) % RUN_TALLIES];

        if (!t->name) {
            *t = (struct run_tally){strdup(e->name), wait, rank, peer, 0, 0, 0};
            return t->name ? t : NULL;
        }
        if (t->wait == wait && t->rank == rank && t->peer == peer &&
            strcmp(t->name, e->name) == 0)
            return t;
    }
    run->untold++;
    return NULL;
}

/* ---- time ---- */

/* Merge pairs of bins; `states` values a bin. */
static void halve(double *bin, unsigned each)
{
    for (unsigned i = 0; i < RUN_BINS; i++)
        for (unsigned s = 0; s < each; s++)
            bin[i * each + s] =
                2 * i + 1 < RUN_BINS
                    ? bin[2 * i * each + s] + bin[(2 * i + 1) * each + s]
                    : 0;
}

/* Widen bins by factors of 2 until `to` is in one of them. */
static void widen(struct run *run, double to)
{
    while (to >= run->width * RUN_BINS) {
        run->width *= 2;
        for (uint32_t r = 0; r < run->ranks; r++)
            halve(&run->rank[r].bin[0][0], RUN_STATES);
        for (uint32_t n = 0; n < RUN_NODES; n++)
            for (unsigned u = 0; u < RUN_USES; u++)
                halve(run->use[n][u], 1);
    }
}

/* Distribute a share of the time over bins, which are `each` values apart. */
static void spread(struct run *run, double *bin, unsigned each, double from,
                   double to, double share)
{
    widen(run, to);
    while (from < to) {
        unsigned i = (unsigned)(from / run->width);
        double end = fmin(to, (i + 1) * run->width);

        if (i >= RUN_BINS || end <= from)
            return; /* rounding */
        bin[i * each] += share * (end - from);
        from = end;
    }
}

static void give(struct run *run, struct run_rank *rank, enum run_state state,
                 double from, double to)
{
    rank->time[state] += to - from;
    spread(run, &rank->bin[0][state], RUN_STATES, from, to, 1);
}

/* Attribute the time up to `to` to the innermost slice. */
static void advance(struct run *run, const struct event *e, struct track *t,
                    double to)
{
    struct run_rank *rank = &run->rank[e->rank];
    unsigned depth = t->depth < DEPTH ? t->depth : DEPTH;
    const struct frame *top = depth ? &t->frame[depth - 1] : NULL;

    if (to <= t->cursor || rank->left)
        return;
    if (e->thread == 0)
        give(run, rank, top ? top->state : RUN_PROGRAM, t->cursor, to);
    if (top && top->tally && top->state == RUN_WAIT)
        top->tally->time += to - t->cursor;
    t->cursor = to;
    rank->last = fmax(rank->last, to);
}

/* ---- events ---- */

static struct track *find_track(struct reader *r, const struct event *e)
{
    struct track **t = &r->track[e->rank * THREADS + e->thread];
    struct run_rank *rank = &r->run->rank[e->rank];

    if (!*t) {
        *t = zeroed(1, sizeof(**t));
        (*t)->cursor = e->ts;
    }
    if (!rank->seen || e->ts < rank->first)
        rank->first = e->ts;
    if (!rank->seen)
        rank->last = e->ts;
    rank->seen = true;
    return *t;
}

static void count_message(struct run *run, const struct event *e)
{
    unsigned size = e->bytes ? (unsigned)(64 - __builtin_clzll(e->bytes)) : 0;

    if (e->peer < 0)
        return;
    run->messages[e->rank * run->ranks + (uint32_t)e->peer]++;
    run->bytes[e->rank * run->ranks + (uint32_t)e->peer] += e->bytes;
    size = size < RUN_SIZES ? size : RUN_SIZES - 1;
    run->size_count[size]++;
    run->size_bytes[size] += e->bytes;
}

static void begin(struct reader *r, const struct event *e)
{
    struct track *t = find_track(r, e);
    struct frame frame = {.state = RUN_HANDLER, .since = e->ts};
    bool wait = strcmp(e->category, "wait") == 0;

    advance(r->run, e, t, e->ts);
    if (wait && strcmp(e->name, LEAVING) == 0)
        r->run->rank[e->rank].left = true;
    else if (wait || strcmp(e->category, "call") == 0) {
        frame.state = wait ? RUN_WAIT : RUN_CALL;
        frame.tally = find_tally(r->run, e, wait);
        if (frame.tally)
            frame.tally->count++;
        if (frame.tally)
            frame.tally->bytes += e->bytes;
        if (!wait)
            count_message(r->run, e);
    }
    if (t->depth++ < DEPTH)
        t->frame[t->depth - 1] = frame;
}

static void end(struct reader *r, const struct event *e)
{
    struct track *t = find_track(r, e);
    struct frame *top;

    advance(r->run, e, t, e->ts);
    if (t->depth == 0 || --t->depth >= DEPTH)
        return;
    top = &t->frame[t->depth];
    if (top->tally && top->state == RUN_CALL)
        top->tally->time += fmax(e->ts - top->since, 0);
}

/* Its rank and thread, if it belongs to a rank. */
static bool read_place(const struct run *run, struct event *e)
{
    json_int_t pid = json_integer_value(json_object_get(e->json, "pid"));
    json_int_t tid = json_integer_value(json_object_get(e->json, "tid"));

    if (pid < 0 || pid >= run->ranks)
        return false;
    e->rank = (uint32_t)pid;
    e->thread = tid < 0 || tid >= THREADS ? THREADS - 1 : (uint32_t)tid;
    return true;
}

static const char *text_of(json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));

    return text ? text : "";
}

/* A counter of a node holds for one sample. */
static void take_use(struct run *run, json_t *json)
{
    static const char *const name[RUN_USES] = {
        "link 0 use (%)", "link 1 use (%)", "link 2 use (%)", "link 3 use (%)",
        "link 4 use (%)", "link 5 use (%)", "memory use (%)"};
    json_int_t pid = json_integer_value(json_object_get(json, "pid"));
    json_int_t node = pid < FIRST_NODE ? -1 : pid - FIRST_NODE;
    double ts = json_number_value(json_object_get(json, "ts"));
    double value = json_number_value(
        json_object_get(json_object_get(json, "args"), "value"));

    /* Without simulated time ranks and nodes have no common clock. */
    if (!run->simulated || node < 0 || node >= RUN_NODES || !(ts >= 0) ||
        ts > LAST || !(value >= 0) || value > 100)
        return;
    for (unsigned u = 0; u < RUN_USES; u++)
        if (strcmp(text_of(json, "name"), name[u]) == 0) {
            spread(run, run->use[node][u], 1, ts, ts + SAMPLE, value / 100);
            run->told = node >= run->told ? (uint32_t)node + 1 : run->told;
            if (u < RUN_MEMORY && u >= run->links)
                run->links = u + 1;
        }
}

static void take_value(struct run *run, struct event *e, json_t *args)
{
    json_t *value = json_object_get(args, "value");

    if (read_place(run, e) && json_is_number(value) && e->name[0])
        run_take_value(run, e->rank, e->name, json_number_value(value));
}

/* Missing records of a rank or, for node 0, of any nodes. */
static void take_dropped(struct run *run, json_t *json, json_t *args)
{
    json_int_t pid = json_integer_value(json_object_get(json, "pid"));
    json_int_t n = json_integer_value(json_object_get(args, "count"));

    if (n > 0 && pid >= 0 && pid < run->ranks)
        run->rank[pid].dropped += (uint64_t)n;
    else if (n > 0 && pid == FIRST_NODE)
        run->nodes_dropped += (uint64_t)n;
}

/* A rank, or -1. */
static int64_t peer_of(const struct run *run, json_t *json)
{
    json_int_t peer = json_is_integer(json) ? json_integer_value(json) : -1;

    return peer >= 0 && peer < run->ranks ? peer : -1;
}

static void take(struct reader *r, json_t *json)
{
    json_t *args = json_object_get(json, "args");
    json_int_t bytes = json_integer_value(json_object_get(args, "bytes"));
    struct event e = {
        .json = json,
        .kind = text_of(json, "ph"),
        .category = text_of(json, "cat"),
        .name = text_of(json, "name"),
        .ts = json_number_value(json_object_get(json, "ts")),
        .length = json_number_value(json_object_get(json, "dur")),
        .peer = peer_of(r->run, json_object_get(args, "peer")),
        .bytes = bytes > 0 ? (uint64_t)bytes : 0,
    };

    if (strcmp(e.kind, "C") == 0 && strcmp(e.category, "program") == 0)
        take_value(r->run, &e, args);
    else if (strcmp(e.kind, "C") == 0)
        take_use(r->run, json);
    else if (strcmp(e.category, "trace") == 0)
        take_dropped(r->run, json, args);
    if (!read_place(r->run, &e) || !(e.ts >= 0) || e.ts > LAST ||
        !(e.length >= 0) || e.length > LAST)
        return;
    if (strcmp(e.kind, "B") == 0) {
        begin(r, &e);
    } else if (strcmp(e.kind, "E") == 0) {
        end(r, &e);
    } else if (strcmp(e.kind, "X") == 0) {
        begin(r, &e);
        e.ts += e.length;
        end(r, &e);
    }
}

/* ---- the file ---- */

/* The first event identifies the file. */
static bool read_head(struct run *run, json_t *json)
{
    json_t *args = json_object_get(json, "args");
    json_int_t ranks = json_integer_value(json_object_get(args, "ranks"));

    if (strcmp(text_of(json, "name"), "fshmem_trace") != 0 ||
        json_integer_value(json_object_get(args, "version")) != VERSION ||
        ranks < 1 || ranks > 1024)
        return false;
    run->ranks = (uint32_t)ranks;
    run->simulated = strcmp(text_of(args, "clock"), "simulated") == 0;
    snprintf(run->conduit, sizeof(run->conduit), "%s",
             text_of(args, "conduit"));
    run->rank = zeroed(run->ranks, sizeof(*run->rank));
    run->use = zeroed(RUN_NODES, sizeof(*run->use));
    run->messages = zeroed((size_t)run->ranks * run->ranks, sizeof(uint64_t));
    run->bytes = zeroed((size_t)run->ranks * run->ranks, sizeof(uint64_t));
    run->tally = zeroed(RUN_TALLIES, sizeof(*run->tally));
    return true;
}

/* An event of a line, or NULL. */
static json_t *parse(char *line, ssize_t length)
{
    while (length > 0 && strchr("\r\n,", line[length - 1]))
        line[--length] = '\0';
    return json_loadb(line, (size_t)length, 0, NULL);
}

static void read_events(struct reader *r, FILE *in)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;

    r->run->cut = true;
    while ((length = getline(&line, &room, in)) > 0) {
        json_t *json;

        if (line[0] == ']') {
            r->run->cut = false;
            break;
        }
        json = parse(line, length);
        if (!json)
            break;
        take(r, json);
        json_decref(json);
    }
    free(line);
}

/* Open slices extend to the end of their rank. */
static void close_tracks(struct reader *r)
{
    for (uint32_t i = 0; i < r->run->ranks * THREADS; i++) {
        struct event e = {.rank = i / THREADS, .thread = i % THREADS};

        if (r->track[i])
            advance(r->run, &e, r->track[i], r->run->rank[e.rank].last);
        free(r->track[i]);
    }
    free(r->track);
}

bool run_read(struct run *run, FILE *in, char *err, size_t errlen)
{
    struct reader reader = {.run = run};
    json_t *head = NULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, in);
    bool ok = length > 0 && line[0] == '[';

    *run = (struct run){.width = 1};
    if (ok)
        length = getline(&line, &room, in);
    if (ok && length > 0)
        head = parse(line, length);
    ok = head && read_head(run, head);
    json_decref(head);
    free(line);
    if (!ok) {
        snprintf(err, errlen, "this is no trace of this release");
        return false;
    }
    reader.track = zeroed((size_t)run->ranks * THREADS, sizeof(void *));
    read_events(&reader, in);
    close_tracks(&reader);
    return true;
}

void run_free(struct run *run)
{
    for (unsigned i = 0; run->tally && i < RUN_TALLIES; i++)
        free(run->tally[i].name);
    free(run->tally);
    free(run->rank);
    free(run->use);
    free(run->messages);
    free(run->bytes);
    *run = (struct run){0};
}
