/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --trace, an event a line; see trace.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/simulated.h"
#include "trace.h"
#include "trace_text.h"

/* A byte of a name may take six. Room for any event: two names. */
enum {
    NAME_BYTES = 6 * FSH_TRACE_NAME_BYTES,
    EVENT_BYTES = 512 + 2 * NAME_BYTES
};
_Static_assert(NAME_BYTES % TRACE_BLOCK == 0, "whole blocks");

/* As it stands in the file, in whole blocks. */
struct trace_name {
    size_t bytes;
    char text[];
};

static void *or_fatal(void *memory)
{
    if (memory == NULL)
        fsh_fatal("--trace: out of memory");
    return memory;
}

void trace_file_flush(struct trace_file *f)
{
    size_t done = 0;

    while (done < f->fill && !f->failed) {
        ssize_t n = write(f->fd, f->text + done, f->fill - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            f->failed = true;
            fsh_warn("--trace %s: %s; the trace ends here", f->path,
                     strerror(errno));
        } else {
            done += (size_t)n;
        }
    }
    f->fill = 0;
}

__attribute__((format(printf, 2, 3))) static void add(struct trace_file *f,
                                                      const char *format, ...)
{
    va_list list;
    int n;

    va_start(list, format);
    n = vsnprintf(f->text + f->fill, sizeof f->text - f->fill, format, list);
    va_end(list);
    if (n > 0 && (size_t)n < sizeof f->text - f->fill)
        f->fill += (size_t)n;
}

/* An event begins behind the one before it; there is room for all of it. */
static char *next(struct trace_file *f)
{
    if (f->fill > sizeof f->text - EVENT_BYTES)
        trace_file_flush(f);
    memcpy(f->text + f->fill, ",\n", 2);
    f->fill += 2;
    return f->text + f->fill;
}

static struct trace_name *make_name(const char *from)
{
    char text[NAME_BYTES], *to = text;
    struct trace_name *name;
    size_t blocks;

    for (unsigned i = 0; i < FSH_TRACE_NAME_BYTES && from[i] != '\0'; i++) {
        unsigned char c = (unsigned char)from[i];

        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
            to = trace_text(to, "\\u00");
            *to++ = "0123456789abcdef"[c >> 4];
            *to++ = "0123456789abcdef"[c & 15];
        } else {
            *to++ = from[i];
        }
    }
    blocks = ((size_t)(to - text) + TRACE_BLOCK - 1) / TRACE_BLOCK;
    name = or_fatal(calloc(1, sizeof *name + blocks * TRACE_BLOCK));
    name->bytes = (size_t)(to - text);
    memcpy(name->text, text, name->bytes);
    return name;
}

/* A name stands in memory that ranks can write. */
static char *put_name(char *to, struct trace_names *names, unsigned id)
{
    struct trace_name **name = &names->made[id < FSH_TRACE_NAMES ? id : 0];

    if (*name == NULL)
        *name = make_name(names->from[name - names->made]);
    to = trace_text_blocks(to, (*name)->text, (*name)->bytes);
    *to = '"';
    return to + 1;
}

void trace_names_free(struct trace_names *names)
{
    for (unsigned i = 0; i < FSH_TRACE_NAMES; i++)
        free(names->made[i]);
}

static uint64_t in_ns(const struct trace_file *f, bool simulated, uint64_t ts)
{
    if (simulated)
        return ts * FSH_NS_PER_CYCLE;
    return ts > f->start_ns ? ts - f->start_ns : 0;
}

static void add_process(struct trace_file *f, uint32_t pid, const char *what,
                        uint32_t number)
{
    next(f);
    add(f,
        "{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":0,\"name\":\"process_name\","
        "\"args\":{\"name\":\"%s %" PRIu32 "\"}}",
        pid, what, number);
    next(f);
    add(f,
        "{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":0,\"name\":"
        "\"process_sort_index\",\"args\":{\"sort_index\":%" PRIu32 "}}",
        pid, pid);
}

static void add_track(struct trace_file *f, uint32_t pid, unsigned tid,
                      const char *name)
{
    next(f);
    add(f,
        "{\"ph\":\"M\",\"pid\":%" PRIu32
        ",\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s\"}}",
        pid, tid, name);
}

/* Whether nodes of this fabric have something on the track: links, where there is a cable;
 * contexts, as many as nodes with so many link ports have. */
static bool has_track(const struct fsh_topology *topology, uint32_t node,
                      unsigned track)
{
    enum { LINKS = 5, REQUESTS = 11, CONTEXTS = 8, NARROW = 4 };
    unsigned context = track - REQUESTS;

    if (track >= LINKS && track < LINKS + FSH_MAX_PORTS)
        return fsh_topology_plugged(topology, node, track - LINKS);
    if (track >= REQUESTS && context < 2 * CONTEXTS)
        return context % CONTEXTS < NARROW || topology->ports > 2;
    return true;
}

/* As the simulator numbers them (sim/trace.c). */
static void add_node(struct trace_file *f, uint32_t node,
                     const struct fsh_topology *topology)
{
    static const char *const tracks[] = {
        "PCIe to node", "PCIe to host", "memory reads",   "memory writes",
        "compute",      "link 0",       "link 1",         "link 2",
        "link 3",       "link 4",       "link 5",         "requests 0",
        "requests 1",   "requests 2",   "requests 3",     "requests 4",
        "requests 5",   "requests 6",   "requests 7",     "replies 0",
        "replies 1",    "replies 2",    "replies 3",      "replies 4",
        "replies 5",    "replies 6",    "replies 7",      "sender 0",
        "sender 1",     "array queue",  "mover queue",    "operands",
        "array",        "results",      "array commands", "mover commands"};

    add_process(f, TRACE_NODES + node, "node", node);
    for (unsigned i = 0; i < sizeof tracks / sizeof tracks[0]; i++)
        if (has_track(topology, node, i))
            add_track(f, TRACE_NODES + node, i, tracks[i]);
}

bool trace_file_open(struct trace_file *f, const char *path,
                     const struct fsh_job_page *page,
                     const struct fsh_trace *trace)
{
    f->path = path;
    f->simulated = trace->simulated;
    f->start_ns = trace->start_ns;
    f->fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (f->fd < 0)
        return false;
    add(f,
        "[\n{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"fshmem_trace\","
        "\"args\":{\"version\":1,\"release\":\"" FSH_VERSION
        "\",\"conduit\":\"%s\",\"ranks\":%" PRIu32
        ",\"clock\":\"%s\",\"mhz\":%d}}",
        page->conduit, page->size, trace->simulated ? "simulated" : "wall",
        FSH_CLOCK_MHZ);
    for (uint32_t r = 0; r < trace->ranks; r++)
        add_process(f, r, "rank", r);
    for (uint32_t r = 0; trace->rings > trace->ranks && r < trace->ranks; r++)
        add_node(f, r, &page->topology);
    trace_file_flush(f);
    return true;
}

void trace_file_track(struct trace_file *f, uint32_t rank, unsigned track)
{
    char name[32];

    snprintf(name, sizeof name, "thread %u", track);
    add_track(f, rank, track, name);
}

/* A value of the program, a finite double. */
static char *put_value(char *to, uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return to + snprintf(to, 32, "%.9g", value);
}

static char *put_args(char *to, const struct fsh_trace_record *r,
                      struct trace_names *names)
{
    char *begin;

    to = begin = trace_text(to, ",\"args\":{");
    if (r->peer != 0) {
        to = trace_text(to, "\"peer\":");
        to = trace_text_number(to, r->peer - 1);
    }
    if (r->category == FSH_TRACE_WAIT
            ? r->value != 0 && r->value < FSH_TRACE_NAMES
            : r->value != 0 || r->kind == FSH_TRACE_COUNTER) {
        if (to != begin)
            *to++ = ',';
        if (r->category == FSH_TRACE_WAIT) {
            to = trace_text(to, "\"who\":\"");
            to = put_name(to, names, (unsigned)r->value);
        } else {
            to = r->kind == FSH_TRACE_COUNTER ? trace_text(to, "\"value\":")
                                              : trace_text(to, "\"bytes\":");
            to = r->category == FSH_TRACE_PROGRAM
                     ? put_value(to, r->value)
                     : trace_text_number(to, r->value);
        }
    }
    *to = '}';
    return to + 1;
}

static bool is_flow(const struct fsh_trace_record *r)
{
    return r->kind == FSH_TRACE_FLOW_OUT || r->kind == FSH_TRACE_FLOW_IN ||
           r->kind == FSH_TRACE_FLOW_STEP;
}

static char *put_flow(const struct trace_file *f, char *to,
                      const struct fsh_trace_record *r)
{
    to = r->value >> 58 == 3
             ? trace_text(to, ",\"cat\":\"transfer\",\"name\":\"transfer\"")
             : trace_text(to, ",\"cat\":\"message\",\"name\":\"message\"");
    to = trace_text(to, ",\"id\":\"0x");
    to = trace_text_hex(to, r->value);
    *to++ = '"';
    if (r->kind == FSH_TRACE_FLOW_IN)
        to = trace_text(to, ",\"bp\":\"e\"");
    if (r->kind == FSH_TRACE_FLOW_OUT && r->peer != 0) {
        to = trace_text(to, ",\"args\":{\"after\":");
        to = trace_text_us(to,
                           f->simulated ? r->peer * FSH_NS_PER_CYCLE : r->peer);
        *to++ = '}';
    }
    return to;
}

static const char phase[] = {
    [FSH_TRACE_SLICE] = 'X',   [FSH_TRACE_OPEN] = 'B',
    [FSH_TRACE_CLOSE] = 'E',   [FSH_TRACE_FLOW_OUT] = 's',
    [FSH_TRACE_FLOW_IN] = 'f', [FSH_TRACE_FLOW_STEP] = 't',
    [FSH_TRACE_COUNTER] = 'C', [FSH_TRACE_INSTANT] = 'i'};

static const struct trace_word category[] = {
    [FSH_TRACE_CALL] = TRACE_WORD(",\"cat\":\"call\",\"name\":\""),
    [FSH_TRACE_HANDLER] = TRACE_WORD(",\"cat\":\"handler\",\"name\":\""),
    [FSH_TRACE_WAIT] = TRACE_WORD(",\"cat\":\"wait\",\"name\":\""),
    [FSH_TRACE_NODE] = TRACE_WORD(",\"cat\":\"node\",\"name\":\""),
    [FSH_TRACE_RETRY] = TRACE_WORD(",\"cat\":\"retry\",\"name\":\""),
    [FSH_TRACE_PROGRAM] = TRACE_WORD(",\"cat\":\"program\",\"name\":\"")};

/* Ranks that run freely and their nodes have no time in common: no arrows there. Nor is
 * anything told of what no record is. */
static bool is_told(const struct trace_file *f, bool node,
                    const struct fsh_trace_record *r)
{
    if (is_flow(r) && !f->simulated && (node || r->value >> 58 == 3))
        return false;
    return r->kind < sizeof phase &&
           r->category < sizeof category / sizeof *category;
}

void trace_file_event(struct trace_file *f, uint32_t process,
                      const struct fsh_trace_record *r,
                      struct trace_names *names)
{
    bool node = process == TRACE_NODES;
    bool simulated = f->simulated || node;
    uint64_t ts = in_ns(f, simulated, r->ts), end;
    char *to;

    if (!is_told(f, node, r))
        return;
    end = in_ns(f, simulated, r->ts + r->late);
    to = trace_text(next(f), "{\"ph\":\"");
    *to++ = phase[r->kind];
    to = trace_text(to, "\",\"pid\":");
    to = trace_text_number(to, node ? TRACE_NODES + r->node : process);
    to = trace_text(to, ",\"tid\":");
    to = trace_text_number(to, r->track);
    to = trace_text(to, ",\"ts\":");
    to = trace_text_us(to, r->kind == FSH_TRACE_CLOSE ? end : ts);
    if (r->kind == FSH_TRACE_INSTANT)
        to = trace_text(to, ",\"s\":\"t\"");
    if (r->kind == FSH_TRACE_SLICE) {
        to = trace_text(to, ",\"dur\":");
        to = trace_text_us(to, end - ts);
    }
    if (is_flow(r)) {
        to = put_flow(f, to, r);
    } else if (r->kind != FSH_TRACE_CLOSE) {
        to = trace_text_word(to, &category[r->category]);
        to = put_name(to, names, r->name);
        to = put_args(to, r, names);
    }
    *to++ = '}';
    f->fill = (size_t)(to - f->text);
}

void trace_file_dropped(struct trace_file *f, uint32_t process, uint64_t count)
{
    bool simulated = f->simulated || process == TRACE_NODES;
    uint64_t ts = in_ns(f, simulated, simulated ? 0 : fsh_time_ns());

    next(f);
    add(f,
        "{\"ph\":\"i\",\"s\":\"p\",\"pid\":%" PRIu32
        ",\"tid\":0,\"ts\":%" PRIu64
        ".%03u,\"cat\":\"trace\",\"name\":\"records dropped\",\"args\":{\"count\":%" PRIu64
        "}}",
        process, ts / 1000, (unsigned)(ts % 1000), count);
}

bool trace_file_close(struct trace_file *f)
{
    add(f, "\n]\n");
    trace_file_flush(f);
    if (close(f->fd) != 0 && !f->failed) {
        f->failed = true;
        fsh_warn("--trace %s: %s", f->path, strerror(errno));
    }
    return !f->failed;
}
