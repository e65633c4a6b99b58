/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --tag-output: every rank writes to pipes of its own; whole lines go out with
 * "[rank] " in front, incomplete ones after 100 ms. Output waits in two queues
 * and leaves in pieces that a pipe takes without blocking, so that a slow
 * reader never keeps the launcher from its signals; a full queue stops reading,
 * which stops the ranks, as writing to the reader itself would.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "fshrun.h"

#define PARTIAL_NS UINT64_C(100000000)
enum { LINE_BYTES = 4096, QUEUE_BYTES = 65536 };

struct stream {
    int read_fd, write_fd; /* -1 closed */
    uint32_t rank;
    int queue; /* 0 stdout, 1 stderr */
    size_t fill;
    uint64_t since_ns; /* when line[0] came */
    char line[LINE_BYTES];
};

struct queue {
    size_t fill;
    bool broken;
    /* Whose partial line is out last. Its rest needs no prefix; if somebody
     * else speaks first, the line is ended there. */
    const struct stream *in_line;
    /* Room for a line and its prefix beyond where reading stops. */
    char data[QUEUE_BYTES + 2 * LINE_BYTES];
};

struct output {
    uint32_t streams;
    struct queue queue[2];
    struct stream stream[];
};

/* Do stdout and stderr go to one terminal, pipe or socket? Then one queue
 * serves both, so that partial lines do not meet there either. */
static bool is_same_sink(void)
{
    struct stat a, b;

    return fstat(STDOUT_FILENO, &a) == 0 && fstat(STDERR_FILENO, &b) == 0 &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino && !S_ISREG(a.st_mode);
}

struct output *output_new(uint32_t ranks)
{
    bool same = is_same_sink();
    struct output *o =
        calloc(1, sizeof(*o) + 2 * ranks * sizeof(struct stream));
    int ends[2];

    if (!o)
        return NULL;
    o->streams = 2 * ranks;
    for (uint32_t i = 0; i < o->streams; i++)
        o->stream[i].read_fd = o->stream[i].write_fd = -1;
    for (uint32_t i = 0; i < o->streams; i++) {
        struct stream *s = &o->stream[i];

        if (pipe2(ends, O_CLOEXEC) != 0) {
            output_free(o);
            return NULL;
        }
        s->read_fd = ends[0];
        s->write_fd = ends[1];
        s->rank = i / 2;
        s->queue = same ? 0 : (int)(i % 2);
        fcntl(s->read_fd, F_SETFL, O_NONBLOCK);
    }
    return o;
}

void output_enter(struct output *o, uint32_t rank)
{
    dup2(o->stream[2 * rank].write_fd, STDOUT_FILENO);
    dup2(o->stream[2 * rank + 1].write_fd, STDERR_FILENO);
}

void output_started(struct output *o)
{
    for (uint32_t i = 0; i < o->streams; i++) {
        close(o->stream[i].write_fd);
        o->stream[i].write_fd = -1;
    }
}

static bool has_room(const struct queue *q)
{
    return q->broken || q->fill < QUEUE_BYTES;
}

static void put(struct queue *q, const char *data, size_t n)
{
    if (q->broken || q->fill + n > sizeof(q->data))
        return;
    memcpy(q->data + q->fill, data, n);
    q->fill += n;
}

/* Send the first n bytes of the line on. */
static void emit(struct output *o, struct stream *s, size_t n)
{
    struct queue *q = &o->queue[s->queue];
    char prefix[24];
    int len;

    if (q->in_line != s) {
        len = snprintf(prefix, sizeof(prefix), "%s[%" PRIu32 "] ",
                       q->in_line ? "\n" : "", s->rank);
        put(q, prefix, (size_t)len);
    }
    put(q, s->line, n);
    q->in_line = s->line[n - 1] == '\n' ? NULL : s;
    memmove(s->line, s->line + n, s->fill - n);
    s->fill -= n;
}

/* Whole lines, then what is partial and old, or fills the buffer. */
static void cut(struct output *o, struct stream *s, uint64_t now, bool all)
{
    char *end;

    while (s->fill && has_room(&o->queue[s->queue])) {
        end = memchr(s->line, '\n', s->fill);
        if (end)
            emit(o, s, (size_t)(end - s->line) + 1);
        else if (all || s->fill == LINE_BYTES ||
                 now - s->since_ns >= PARTIAL_NS)
            emit(o, s, s->fill);
        else
            return;
    }
}

static void close_stream(struct output *o, struct stream *s)
{
    static const char newline = '\n';

    cut(o, s, 0, true);
    if (s->fill)
        return; /* no room yet; comes back at the next end of file */
    if (o->queue[s->queue].in_line == s) {
        put(&o->queue[s->queue], &newline, 1);
        o->queue[s->queue].in_line = NULL;
    }
    close(s->read_fd);
    s->read_fd = -1;
}

static void read_stream(struct output *o, struct stream *s)
{
    uint64_t now = fsh_time_ns();
    ssize_t n;

    cut(o, s, now, false);
    if (s->fill == LINE_BYTES || !has_room(&o->queue[s->queue]))
        return;
    n = read(s->read_fd, s->line + s->fill, LINE_BYTES - s->fill);
    if (n > 0) {
        if (s->fill == 0 || memchr(s->line + s->fill, '\n', (size_t)n))
            s->since_ns = now;
        s->fill += (size_t)n;
        cut(o, s, now, false);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close_stream(o, s);
    }
}

unsigned output_max_polls(const struct output *o)
{
    return o->streams + 2;
}

unsigned output_poll(struct output *o, struct pollfd *p, uint64_t *deadline)
{
    unsigned n = 0;

    for (int q = 0; q < 2; q++)
        if (o->queue[q].fill)
            p[n++] =
                (struct pollfd){.fd = q == 0 ? STDOUT_FILENO : STDERR_FILENO,
                                .events = POLLOUT};
    for (uint32_t i = 0; i < o->streams; i++) {
        struct stream *s = &o->stream[i];

        if (s->read_fd < 0 || !has_room(&o->queue[s->queue]))
            continue;
        p[n++] = (struct pollfd){.fd = s->read_fd, .events = POLLIN};
        if (s->fill && s->since_ns + PARTIAL_NS < *deadline)
            *deadline = s->since_ns + PARTIAL_NS;
    }
    return n;
}

/* One piece that a pipe with room takes whole. */
static void drain(struct queue *q, int fd)
{
    size_t n = q->fill < PIPE_BUF ? q->fill : PIPE_BUF;
    ssize_t done = write(fd, q->data, n);

    if (done > 0) {
        memmove(q->data, q->data + done, q->fill - (size_t)done);
        q->fill -= (size_t)done;
    } else if (done < 0 && errno != EAGAIN && errno != EINTR) {
        if (errno != EPIPE && fd != STDERR_FILENO) /* `| head` is no failure */
            fsh_warn("cannot write to standard output: %s; ending the job",
                     strerror(errno));
        q->broken = true;
        q->fill = 0;
    }
}

bool output_step(struct output *o, const struct pollfd *p, unsigned n)
{
    uint64_t now;

    for (unsigned i = 0; i < n; i++) {
        if (!p[i].revents)
            continue;
        if (p[i].fd == STDOUT_FILENO || p[i].fd == STDERR_FILENO) {
            drain(&o->queue[p[i].fd == STDERR_FILENO], p[i].fd);
            continue;
        }
        for (uint32_t k = 0; k < o->streams; k++)
            if (o->stream[k].read_fd == p[i].fd) {
                read_stream(o, &o->stream[k]);
                break;
            }
    }
    now = fsh_time_ns(); /* not before what was read above */
    for (uint32_t k = 0; k < o->streams; k++)
        if (o->stream[k].read_fd >= 0)
            cut(o, &o->stream[k], now, false);
    return !o->queue[0].broken && !o->queue[1].broken;
}

bool output_done(const struct output *o)
{
    for (uint32_t i = 0; i < o->streams; i++)
        if (o->stream[i].read_fd >= 0)
            return false;
    return o->queue[0].fill == 0 && o->queue[1].fill == 0;
}

void output_finish(struct output *o)
{
    for (uint32_t i = 0; i < o->streams; i++) {
        struct stream *s = &o->stream[i];
        struct pollfd p = {.fd = s->read_fd, .events = POLLIN};

        while (s->read_fd >= 0 && has_room(&o->queue[s->queue]) &&
               poll(&p, 1, 0) > 0)
            read_stream(o, s);
        if (s->read_fd >= 0 && has_room(&o->queue[s->queue]))
            close_stream(o, s);
    }
}

void output_free(struct output *o)
{
    for (uint32_t i = 0; i < o->streams; i++) {
        if (o->stream[i].read_fd >= 0)
            close(o->stream[i].read_fd);
        if (o->stream[i].write_fd >= 0)
            close(o->stream[i].write_fd);
    }
    free(o);
}
