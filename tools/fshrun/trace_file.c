/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of --trace, an event a line; see trace.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/simulated.h"
#include "trace.h"

/* Room for any: two names, each of whose bytes may take six. */
enum { EVENT_BYTES = 512 + 2 * 6 * FSH_TRACE_NAME_BYTES };

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

/* Events are written while the job runs, on a processor that it may need: what all of
 * them have goes without printf, of which an event would need ten. */
static void add_text(struct trace_file *f, const char *text)
{
    size_t n = strlen(text);

    memcpy(f->text + f->fill, text, n);
    f->fill += n;
}

static void add_number(struct trace_file *f, uint64_t value, unsigned digits)
{
    char text[20];
    size_t at = sizeof text;

    while (value != 0 || digits != 0) {
        text[--at] = (char)('0' + value % 10);
        value /= 10;
        digits -= digits != 0;
    }
    memcpy(f->text + f->fill, text + at, sizeof text - at);
    f->fill += sizeof text - at;
}

/* An event begins behind the one before it; there is room for all of it. */
static void next(struct trace_file *f)
{
    if (f->fill > sizeof f->text - EVENT_BYTES)
        trace_file_flush(f);
    add_text(f, ",\n");
}

/* A name as it stands in memory that ranks can write. */
static void add_name(struct trace_file *f, const char *key, const char *name)
{
    add_text(f, key);
    add_text(f, ":\"");
    for (unsigned i = 0; i < FSH_TRACE_NAME_BYTES && name[i] != '\0'; i++) {
        unsigned char c = (unsigned char)name[i];

        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            add(f, "\\u%04x", c);
        else
            f->text[f->fill++] = name[i];
    }
    add_text(f, "\"");
}

/* ns in us. */
static void add_us(struct trace_file *f, const char *key, uint64_t ns)
{
    add_text(f, key);
    add_text(f, ":");
    add_number(f, ns / 1000, 1);
    add_text(f, ".");
    add_number(f, ns % 1000, 3);
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

/* As the simulator numbers them (sim/trace.c). */
static void add_node(struct trace_file *f, uint32_t node)
{
    static const char *const tracks[] = {
        "PCIe to node", "PCIe to host", "memory reads",   "memory writes",
        "compute",      "link 0",       "link 1",         "requests 0",
        "requests 1",   "replies 0",    "replies 1",      "sender 0",
        "sender 1",     "array queue",  "mover queue",    "operands",
        "array",        "results",      "array commands", "mover commands"};

    add_process(f, TRACE_NODES + node, "node", node);
    for (unsigned i = 0; i < sizeof tracks / sizeof tracks[0]; i++)
        add_track(f, TRACE_NODES + node, i, tracks[i]);
}

bool trace_file_open(struct trace_file *f, const char *path,
                     const struct fsh_job_page *page,
                     const struct fsh_trace *trace)
{
    *f = (struct trace_file){.path = path,
                             .simulated = trace->simulated,
                             .start_ns = trace->start_ns};
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
        add_node(f, r);
    trace_file_flush(f);
    return true;
}

void trace_file_track(struct trace_file *f, uint32_t rank, unsigned track)
{
    char name[32];

    snprintf(name, sizeof name, "thread %u", track);
    add_track(f, rank, track, name);
}

static void add_args(struct trace_file *f, const struct fsh_trace_record *r,
                     char (*names)[FSH_TRACE_NAME_BYTES])
{
    const char *comma = "";

    add_text(f, ",\"args\":{");
    if (r->peer != 0) {
        add_text(f, "\"peer\":");
        add_number(f, r->peer - 1, 1);
        comma = ",";
    }
    if (r->category == FSH_TRACE_WAIT) {
        if (r->value != 0 && r->value < FSH_TRACE_NAMES) {
            add_text(f, comma);
            add_name(f, "\"who\"", names[r->value]);
        }
    } else if (r->value != 0 || r->kind == FSH_TRACE_COUNTER) {
        add_text(f, comma);
        add_text(f, r->kind == FSH_TRACE_COUNTER ? "\"value\":" : "\"bytes\":");
        add_number(f, r->value, 1);
    }
    add_text(f, "}");
}

static bool is_flow(const struct fsh_trace_record *r)
{
    return r->kind == FSH_TRACE_FLOW_OUT || r->kind == FSH_TRACE_FLOW_IN ||
           r->kind == FSH_TRACE_FLOW_STEP;
}

static void add_flow(struct trace_file *f, const struct fsh_trace_record *r)
{
    const char *what = r->value >> 58 == 3 ? "transfer" : "message";

    add(f, ",\"cat\":\"%s\",\"name\":\"%s\",\"id\":\"0x%" PRIx64 "\"%s", what,
        what, r->value, r->kind == FSH_TRACE_FLOW_IN ? ",\"bp\":\"e\"" : "");
    if (r->kind == FSH_TRACE_FLOW_OUT && r->peer != 0) {
        add(f, ",\"args\":{");
        add_us(f, "\"after\"",
               f->simulated ? r->peer * FSH_NS_PER_CYCLE : r->peer);
        add(f, "}");
    }
}

/* Ranks that run freely and their nodes have no time in common: no arrows there. */
void trace_file_event(struct trace_file *f, uint32_t process,
                      const struct fsh_trace_record *r,
                      char (*names)[FSH_TRACE_NAME_BYTES])
{
    static const char phase[] = {
        [FSH_TRACE_SLICE] = 'X',   [FSH_TRACE_OPEN] = 'B',
        [FSH_TRACE_CLOSE] = 'E',   [FSH_TRACE_FLOW_OUT] = 's',
        [FSH_TRACE_FLOW_IN] = 'f', [FSH_TRACE_FLOW_STEP] = 't',
        [FSH_TRACE_COUNTER] = 'C', [FSH_TRACE_INSTANT] = 'i'};
    static const char *const category[] = {[FSH_TRACE_CALL] = "call",
                                           [FSH_TRACE_HANDLER] = "handler",
                                           [FSH_TRACE_WAIT] = "wait",
                                           [FSH_TRACE_NODE] = "node",
                                           [FSH_TRACE_RETRY] = "retry"};
    bool node = process == TRACE_NODES;
    bool simulated = f->simulated || node;
    uint64_t ts = in_ns(f, simulated, r->ts);

    if (is_flow(r) && !f->simulated && (node || r->value >> 58 == 3))
        return;
    if (r->kind >= sizeof phase ||
        r->category >= sizeof category / sizeof *category)
        return;
    if (r->kind == FSH_TRACE_CLOSE)
        ts = in_ns(f, simulated, r->ts + r->late);
    next(f);
    add_text(f, "{\"ph\":\"");
    f->text[f->fill++] = phase[r->kind];
    add_text(f, "\",\"pid\":");
    add_number(f, node ? TRACE_NODES + r->node : process, 1);
    add_text(f, ",\"tid\":");
    add_number(f, r->track, 1);
    add_us(f, ",\"ts\"", ts);
    if (r->kind == FSH_TRACE_INSTANT)
        add_text(f, ",\"s\":\"t\"");
    if (r->kind == FSH_TRACE_SLICE)
        add_us(f, ",\"dur\"", in_ns(f, simulated, r->ts + r->late) - ts);
    if (is_flow(r)) {
        add_flow(f, r);
    } else if (r->kind != FSH_TRACE_CLOSE) {
        add_text(f, ",\"cat\":\"");
        add_text(f, category[r->category]);
        add_text(f, "\"");
        add_name(f, ",\"name\"",
                 r->name < FSH_TRACE_NAMES ? names[r->name] : "");
        add_args(f, r, names);
    }
    add_text(f, "}");
}

void trace_file_dropped(struct trace_file *f, uint32_t process, uint64_t count)
{
    bool simulated = f->simulated || process == TRACE_NODES;

    next(f);
    add(f, "{\"ph\":\"i\",\"s\":\"p\",\"pid\":%" PRIu32 ",\"tid\":0", process);
    add_us(f, ",\"ts\"", in_ns(f, simulated, simulated ? 0 : fsh_time_ns()));
    add(f,
        ",\"cat\":\"trace\",\"name\":\"records dropped\",\"args\":{\"count\":%" PRIu64
        "}}",
        count);
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
