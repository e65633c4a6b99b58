/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads a trace, one event per line, each parsed separately (Jansson), so that memory
 * holds only what is kept. A malformed last line means the file was truncated; any
 * other is an error.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "fshtrace.h"

#define MOST_TIME 1e12 /* us; beyond, digits are lost */
/* The name of the wait of a rank that leaves. */
#define LEAVING "the end of others"

struct open_slice {
    size_t slice; /* index + 1 */
    struct open_slice *below;
};

struct reader {
    struct trace *t;
    const char *path;
    unsigned long line;
    char *err;
    size_t errlen;
    size_t slice_room, sent_room, came_room, name_room;
    /* For each track in use: what is open, innermost first. */
    struct track {
        uint32_t process, number;
        struct open_slice *open;
    } * track;
    size_t tracks, track_room;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r,
                                                       const char *format, ...)
{
    char text[256];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(r->err, r->errlen, "%s: line %lu: %s", r->path, r->line, text);
    return false;
}

/* Makes room for one more element of `size` bytes. */
static bool grow(struct reader *r, void *array, size_t n, size_t *room,
                 size_t size)
{
    void **p = array;
    void *more;

    if (n < *room)
        return true;
    more = realloc(*p, (*room ? 2 * *room : 256) * size);
    if (more == NULL)
        return fail(r, "out of memory");
    *p = more;
    *room = *room ? 2 * *room : 256;
    return true;
}

/* ---- members of an event ---- */

static bool get_time(struct reader *r, const json_t *event, const char *key,
                     uint64_t *ns)
{
    const json_t *value = json_object_get(event, key);
    double us = json_number_value(value);

    *ns = 0;
    if (!json_is_number(value) || !(us >= 0) || us > MOST_TIME)
        return fail(r, "%s is not a time in microseconds", key);
    *ns = (uint64_t)llround(us * 1000);
    return true;
}

static bool get_number(struct reader *r, const json_t *object, const char *key,
                       uint64_t most, uint64_t *number)
{
    const json_t *value = json_object_get(object, key);
    json_int_t n = json_integer_value(value);

    *number = 0;
    if (!json_is_integer(value) || n < 0 || (uint64_t)n > most)
        return fail(r, "%s is not a number up to %llu", key,
                    (unsigned long long)most);
    *number = (uint64_t)n;
    return true;
}

static bool get_text(struct reader *r, const json_t *object, const char *key,
                     const char **text)
{
    *text = json_string_value(json_object_get(object, key));
    return *text != NULL || fail(r, "%s is not a string", key);
}

/* The number of a name, assigned at first use. There are few names. */
static bool number_of(struct reader *r, const char *name, uint32_t *number)
{
    struct trace *t = r->t;

    for (uint32_t i = t->names; i-- > 0;)
        if (strcmp(t->name[i], name) == 0) {
            *number = i;
            return true;
        }
    if (!grow(r, &t->name, t->names, &r->name_room, sizeof *t->name))
        return false;
    t->name[t->names] = strdup(name);
    if (t->name[t->names] == NULL)
        return fail(r, "out of memory");
    *number = t->names++;
    return true;
}

static struct track *track_of(struct reader *r, uint32_t process,
                              uint32_t number)
{
    for (size_t i = r->tracks; i-- > 0;)
        if (r->track[i].process == process && r->track[i].number == number)
            return &r->track[i];
    if (!grow(r, &r->track, r->tracks, &r->track_room, sizeof *r->track))
        return NULL;
    r->track[r->tracks] = (struct track){process, number, NULL};
    return &r->track[r->tracks++];
}

/* ---- kinds of events ---- */

static bool kind_of(struct reader *r, const char *category,
                    enum slice_kind *kind)
{
    static const char *const names[] = {[CALL] = "call",
                                        [HANDLER] = "handler",
                                        [WAIT] = "wait",
                                        [NODE] = "node"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(category, names[i]) == 0) {
            *kind = (enum slice_kind)i;
            return true;
        }
    return fail(r, "cat is '%.40s'", category);
}

/* The run ends when the last rank starts to leave. */
static void seen(struct reader *r, const struct slice *s)
{
    struct trace *t = r->t;
    uint64_t to = s->kind == LEFT ? s->from : s->to;

    if (s->process >= TRACE_NODES)
        return;
    t->begin = s->from < t->begin ? s->from : t->begin;
    t->end = to > t->end ? to : t->end;
}

static bool add_slice(struct reader *r, const json_t *event, struct slice *s,
                      bool open)
{
    const json_t *args = json_object_get(event, "args");
    const char *category, *name;
    struct track *track;
    struct open_slice *o;
    uint64_t peer;

    if (!get_text(r, event, "cat", &category) ||
        !kind_of(r, category, &s->kind) || !get_text(r, event, "name", &name) ||
        !number_of(r, name, &s->name))
        return false;
    if (json_object_get(args, "peer") != NULL) {
        if (!get_number(r, args, "peer", r->t->ranks - 1, &peer))
            return false;
        s->peer = (uint32_t)peer + 1;
    }
    if (json_object_get(args, "bytes") != NULL &&
        !get_number(r, args, "bytes", INT64_MAX, &s->bytes))
        return false;
    if (!grow(r, &r->t->slice, r->t->slices, &r->slice_room, sizeof *s))
        return false;
    s->open = open;
    if (strcmp(name, LEAVING) == 0)
        s->kind = LEFT;
    r->t->slice[r->t->slices++] = *s;
    seen(r, s);
    if (!open)
        return true;
    track = track_of(r, s->process, s->track);
    o = track != NULL ? malloc(sizeof *o) : NULL;
    if (o == NULL)
        return fail(r, "out of memory");
    *o = (struct open_slice){r->t->slices, track->open};
    track->open = o;
    return true;
}

static bool end_slice(struct reader *r, const struct slice *end)
{
    struct track *track = track_of(r, end->process, end->track);
    struct open_slice *o;
    struct slice *s;

    if (track == NULL)
        return false;
    o = track->open;
    if (o == NULL) /* its begin may have been dropped */
        return r->t->dropped != 0 || fail(r, "an end without a begin");
    s = &r->t->slice[o->slice - 1];
    if (end->from < s->from)
        return fail(r, "a slice ends before it begins");
    s->to = end->from;
    s->open = false;
    track->open = o->below;
    free(o);
    seen(r, s);
    return true;
}

static bool add_arrow(struct reader *r, const json_t *event,
                      const struct slice *at, char phase)
{
    struct trace *t = r->t;
    bool sent = phase == 's';
    struct arrow a = {
        .at = at->from, .process = at->process, .track = at->track};
    const json_t *args = json_object_get(event, "args");
    const char *category, *id;
    uint64_t after = 0;
    char *end;

    if (!get_text(r, event, "cat", &category) ||
        !get_text(r, event, "id", &id) ||
        (args != NULL && !get_time(r, args, "after", &after)))
        return false;
    a.at += after;
    a.id = strtoull(id, &end, 16);
    if (*end != '\0' || end == id)
        return fail(r, "id is not a number");
    /* For transfers the time of departure counts. */
    if (phase == 't' || (!sent && strcmp(category, "message") != 0))
        return true;
    if (!grow(r, sent ? &t->sent : &t->came, sent ? t->sends : t->comes,
              sent ? &r->sent_room : &r->came_room, sizeof a))
        return false;
    if (sent)
        t->sent[t->sends++] = a;
    else
        t->came[t->comes++] = a;
    return true;
}

static bool add_counter(struct reader *r, const json_t *event)
{
    const char *name, *category;
    uint64_t value;

    if (!get_text(r, event, "cat", &category))
        return false;
    if (strcmp(category, "program") == 0)
        return json_is_number(
                   json_object_get(json_object_get(event, "args"), "value")) ||
               fail(r, "value is no number");
    if (!get_text(r, event, "name", &name) ||
        !get_number(r, json_object_get(event, "args"), "value", UINT32_MAX,
                    &value))
        return false;
    if (strcmp(name, "link delay (cycles)") == 0)
        r->t->link_delay = value * r->t->cycle;
    return true;
}

static bool add_instant(struct reader *r, const json_t *event)
{
    const char *name;
    uint64_t count;

    if (!get_text(r, event, "name", &name))
        return false;
    if (strcmp(name, "records dropped") != 0)
        return true;
    if (!get_number(r, json_object_get(event, "args"), "count", INT64_MAX,
                    &count))
        return false;
    r->t->dropped += count;
    return true;
}

static bool add_event(struct reader *r, const json_t *event)
{
    struct slice s = {0};
    uint64_t process, track, length = 0;
    const char *phase;

    if (!get_text(r, event, "ph", &phase) ||
        !get_number(r, event, "pid", TRACE_MOST_PROCESSES, &process) ||
        !get_number(r, event, "tid", 255, &track))
        return false;
    if (phase[0] == '\0' || phase[1] != '\0' ||
        strchr("MXBEstfCi", phase[0]) == NULL)
        return fail(r, "ph is '%.20s'", phase);
    if (phase[0] == 'M')
        return true;
    if ((process < TRACE_NODES ? process : process - TRACE_NODES) >=
        r->t->ranks)
        return fail(r, "pid is neither a rank nor a node");
    s.process = (uint32_t)process;
    s.track = (uint32_t)track;
    r->t->nodes |= process >= TRACE_NODES;
    if (!get_time(r, event, "ts", &s.from) ||
        (phase[0] == 'X' && !get_time(r, event, "dur", &length)))
        return false;
    s.to = s.from + length;
    switch (phase[0]) {
    case 'X':
    case 'B':
        return add_slice(r, event, &s, phase[0] == 'B');
    case 'E':
        return end_slice(r, &s);
    case 'C':
        return add_counter(r, event);
    case 'i':
        return add_instant(r, event);
    default:
        return add_arrow(r, event, &s, phase[0]);
    }
}

/* ---- the file ---- */

static bool read_head(struct reader *r, const json_t *event)
{
    const json_t *args = json_object_get(event, "args");
    const char *name = json_string_value(json_object_get(event, "name"));
    const char *conduit, *clock, *release;
    uint64_t version, ranks, mhz;

    if (name == NULL || strcmp(name, "fshmem_trace") != 0)
        return fail(r, "this is no trace of fshrun --trace");
    if (!get_number(r, args, "version", UINT32_MAX, &version))
        return false;
    if (version != 1)
        return fail(r, "trace version %llu; this fshtrace reads version 1",
                    (unsigned long long)version);
    if (!get_text(r, args, "conduit", &conduit) ||
        !get_text(r, args, "clock", &clock) ||
        !get_text(r, args, "release", &release) ||
        !get_number(r, args, "ranks", TRACE_NODES, &ranks) ||
        !get_number(r, args, "mhz", 1000, &mhz))
        return false;
    if (ranks == 0 || mhz == 0)
        return fail(r, "the trace has no ranks");
    snprintf(r->t->conduit, sizeof r->t->conduit, "%s", conduit);
    snprintf(r->t->release, sizeof r->t->release, "%s", release);
    r->t->ranks = (uint32_t)ranks;
    r->t->simulated = strcmp(clock, "simulated") == 0;
    r->t->cycle = 1000 / mhz;
    return true;
}

/* A line without its newline. `last`: nothing follows it. */
static bool read_line(struct reader *r, char *line, size_t n, bool last)
{
    json_error_t why;
    json_t *event;
    bool good;

    if (n != 0 && line[n - 1] == ',')
        line[--n] = '\0';
    event = json_loadb(line, n, JSON_REJECT_DUPLICATES, &why);
    if (event == NULL && last && r->t->events != 0)
        return true; /* truncated in the middle */
    if (!json_is_object(event)) {
        json_decref(event);
        if (r->t->events == 0)
            return fail(r, "this is no trace of fshrun --trace");
        return fail(r, "not an event: %.100s",
                    event == NULL ? why.text : "not an object");
    }
    good = r->t->events == 0 ? read_head(r, event) : add_event(r, event);
    r->t->events++;
    json_decref(event);
    return good;
}

static bool read_lines(struct reader *r, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool good = true, ended = false;

    for (r->line = 1; good && (n = getline(&line, &room, file)) >= 0;
         r->line++) {
        bool whole = n > 0 && line[n - 1] == '\n';

        if (whole)
            line[--n] = '\0';
        if (ended)
            good = fail(r, "data after the end");
        else if (r->line == 1)
            good = strcmp(line, "[") == 0 ||
                   fail(r, "this is no trace of fshrun --trace");
        else if (strcmp(line, "]") == 0)
            ended = true;
        else
            good = read_line(r, line, (size_t)n, !whole);
    }
    free(line);
    if (good && r->t->events == 0)
        good = fail(r, "this is no trace of fshrun --trace");
    r->t->cut = !ended;
    return good;
}

static int by_begin(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to > y->to ? -1 : x->to < y->to;
}

static int by_id(const void *a, const void *b)
{
    const struct arrow *x = a, *y = b;

    return x->id < y->id ? -1 : x->id > y->id;
}

static void finish(struct trace *t)
{
    if (t->begin > t->end || t->simulated)
        t->begin = 0;
    for (size_t i = 0; i < t->slices; i++)
        if (t->slice[i].open && t->slice[i].to < t->end)
            t->slice[i].to = t->end;
    if (t->slices)
        qsort(t->slice, t->slices, sizeof *t->slice, by_begin);
    if (t->sends)
        qsort(t->sent, t->sends, sizeof *t->sent, by_id);
    if (t->comes)
        qsort(t->came, t->comes, sizeof *t->came, by_id);
}

bool trace_read(struct trace *trace, const char *path, char *err, size_t errlen)
{
    struct reader r = {.t = trace, .path = path, .err = err, .errlen = errlen};
    FILE *file = fopen(path, "r");
    bool good;

    *trace = (struct trace){.begin = UINT64_MAX};
    if (file == NULL) {
        snprintf(err, errlen, "%s: %s", path, strerror(errno));
        return false;
    }
    good = read_lines(&r, file);
    fclose(file);
    for (size_t i = 0; i < r.tracks; i++)
        for (struct open_slice *o = r.track[i].open, *below; o; o = below) {
            below = o->below;
            free(o);
        }
    free(r.track);
    if (good)
        finish(trace);
    else
        trace_free(trace);
    return good;
}

void trace_free(struct trace *trace)
{
    for (uint32_t i = 0; i < trace->names; i++)
        free(trace->name[i]);
    free(trace->name);
    free(trace->slice);
    free(trace->sent);
    free(trace->came);
    *trace = (struct trace){0};
}
