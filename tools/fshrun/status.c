/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The line that shows on a terminal where a long run is: simulated time, speed, ranks
 * that wait, and when it will end, where the program tells its steps (fshmem_progress).
 * Only for jobs with a simulator, which are those that take long for what they do.
 *
 * Ranks write to the same terminal by themselves, so the line must be harmless wherever
 * the cursor is. It stands in a row of its own, and the cursor below it, in column 0:
 * what anybody prints next is clear of it. The kernel tells who has written to the
 * terminal (inotify): while nobody has, the line is drawn anew in its place, and taken
 * away before the launcher itself says anything. Once somebody has, nobody knows where
 * it is, and it stays; the next one comes when the terminal has been quiet for a while,
 * longer each time. What somebody prints in the microseconds between a look and a
 * drawing is not noticed, and its last row may be lost. No state of the terminal is
 * changed, so it needs no mending after SIGKILL.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "device/sim/sim_shm.h"
#include "fshrun.h"

#define PERIOD_NS UINT64_C(1000000000)
#define LONGEST_PAUSE_NS (32 * PERIOD_NS)
#define ERROR_PATH "/proc/self/fd/2"
#define OUTPUT_PATH "/proc/self/fd/1"
enum { COLUMNS = 80, MOST_COLUMNS = 1024, LINE_BYTES = 512 };

struct status {
    const struct fsh_job_page *page;
    const struct fsh_sim_fabric *fabric;
    int terminal;      /* does not block */
    int writes;        /* inotify: somebody has written to it */
    bool proven;       /* that is told, indeed */
    bool shown;        /* above the cursor, as far as known */
    uint64_t quiet_ns; /* since then nobody has been seen to write */
    uint64_t pause_ns; /* it has to be quiet for so long before a line */
    uint64_t last_ns, last_evaluated; /* at the last line; 0 none yet */
    uint64_t told_ns;                 /* first sight of steps; 0 none yet */
    double told_part;                 /* of the run that was over then */
};

/* The terminal as /dev/tty, so that what is written here is not told of; and to be told
 * what is written by its own name, which ranks have twice. False: it is not the job's
 * own terminal, or nobody tells. */
static bool open_terminal(struct status *s)
{
    unsigned own, error;

    s->terminal = open("/dev/tty", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    s->writes = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    return s->terminal >= 0 && s->writes >= 0 &&
           ioctl(s->terminal, TIOCGDEV, &own) == 0 &&
           ioctl(STDERR_FILENO, TIOCGDEV, &error) == 0 && own == error &&
           inotify_add_watch(s->writes, ERROR_PATH, IN_MODIFY) >= 0 &&
           (!isatty(STDOUT_FILENO) ||
            inotify_add_watch(s->writes, OUTPUT_PATH, IN_MODIFY) >= 0);
}

struct status *status_new(const struct fsh_job *job)
{
    const char *terminal = getenv("TERM");
    struct status *s;
    void *map;

    if (!job->config.needs->nodes || !isatty(STDERR_FILENO) ||
        terminal == NULL || strcmp(terminal, "dumb") == 0)
        return NULL;
    map = mmap(NULL, sizeof *s->fabric, PROT_READ, MAP_SHARED, job->shared_fd,
               (off_t)job->page->fabric_at);
    if (map == MAP_FAILED)
        return NULL;
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        munmap(map, sizeof *s->fabric);
        return NULL;
    }
    s->page = job->page;
    s->fabric = map;
    s->pause_ns = PERIOD_NS;
    if (open_terminal(s))
        return s;
    status_free(s);
    return NULL;
}

static unsigned columns(const struct status *s)
{
    struct winsize size;

    if (ioctl(s->terminal, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS;
    return size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
}

__attribute__((format(printf, 2, 3))) static void add(char *line,
                                                      const char *format, ...)
{
    size_t n = strlen(line);
    va_list args;

    va_start(args, format);
    vsnprintf(line + n, LINE_BYTES - n, format, args);
    va_end(args);
}

static void add_time(char *line, double ns)
{
    if (ns < 1e6)
        add(line, "%.1f us", ns / 1e3);
    else if (ns < 1e9)
        add(line, "%.2f ms", ns / 1e6);
    else
        add(line, "%.3f s", ns / 1e9);
}

/* Of the host: 75 s, 12 min, 3.5 h. */
static void add_seconds(char *line, double s)
{
    if (s < 100)
        add(line, "%.0f s", s);
    else if (s < 6000)
        add(line, "%.0f min", s / 60);
    else
        add(line, "%.1f h", s / 3600);
}

static void add_waiting(const struct status *s, char *line)
{
    unsigned waiting = 0;
    uint32_t first = 0;

    for (uint32_t r = s->page->size; r-- > 0;)
        if (s->page->rank[r].waiting_for[0] != '\0') {
            waiting++;
            first = r;
        }
    if (waiting == 1)
        add(line, ", rank %" PRIu32 " waits", first);
    else if (waiting != 0)
        add(line, ", %u of %" PRIu32 " ranks wait", waiting, s->page->size);
}

struct steps {
    uint64_t done, of; /* of 0: none tells */
    double part;       /* of the run that is over */
};

/* Those of the rank that has got least far, of those that tell. */
static struct steps least_steps(const struct status *s)
{
    struct steps least = {.part = 2};

    for (uint32_t r = 0; r < s->page->size; r++) {
        const struct fsh_rank_slot *slot = &s->page->rank[r];
        uint64_t n = atomic_load_explicit(&slot->steps, memory_order_relaxed);
        uint64_t k = atomic_load_explicit(&slot->step, memory_order_relaxed);
        double part = k < n ? (double)k / (double)n : 1;

        if (n != 0 && part < least.part)
            least = (struct steps){k, n, part};
    }
    return least;
}

static void add_steps(struct status *s, char *line, uint64_t now)
{
    const struct steps least = least_steps(s);
    double gained;

    if (least.of == 0)
        return;
    add(line, ", step %" PRIu64 " of %" PRIu64, least.done, least.of);
    if (s->told_ns == 0 || least.part < s->told_part) { /* it began anew */
        s->told_ns = now;
        s->told_part = least.part;
    }
    gained = least.part - s->told_part;
    if (gained <= 0)
        return;
    add(line, ", ends in ");
    add_seconds(line,
                (double)(now - s->told_ns) / 1e9 * (1 - least.part) / gained);
}

/* ---- the terminal ---- */

/* Forget what has been written. Was there anything? */
static bool drain(struct status *s)
{
    char events[1024];
    bool any = false;

    while (read(s->writes, events, sizeof events) > 0)
        any = true;
    return any;
}

/* If somebody has written, the line is no longer where it was. */
static void look(struct status *s)
{
    if (!drain(s))
        return;
    s->quiet_ns = fsh_time_ns();
    if (s->shown && s->pause_ns < LONGEST_PAUSE_NS)
        s->pause_ns *= 2;
    s->shown = false;
}

/* Are we told of writes? Of this, which moves nothing: the cursor is in column 0. */
static bool is_told(struct status *s)
{
    int fd = open(ERROR_PATH, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    if (fd >= 0) {
        s->proven = write(fd, "\r", 1) == 1 && drain(s);
        close(fd);
    }
    return s->proven;
}

/* In one piece, so that nothing comes in between. False: not all of it; the terminal is
 * stopped, slow or gone. */
static bool put(const struct status *s, const char *text)
{
    size_t n = strlen(text);

    return write(s->terminal, text, n) == (ssize_t)n;
}

/* In its place, or in a row of its own: a row of blanks leads to the next row, unless
 * the cursor is in column 0. */
static bool draw(const struct status *s, const char *line)
{
    char text[MOST_COLUMNS + LINE_BYTES + 32];
    unsigned width = columns(s);

    if (s->shown)
        snprintf(text, sizeof text, "\033[A\r%.*s\033[K\r\n", (int)width - 1,
                 line);
    else
        snprintf(text, sizeof text, "%*s\r%.*s\033[K\r\n", (int)width, "",
                 (int)width - 1, line);
    return put(s, text);
}

static void make_line(struct status *s, char *line, uint64_t now)
{
    uint64_t cycle =
        atomic_load_explicit(&s->fabric->cycle, memory_order_relaxed);
    uint64_t begun =
        atomic_load_explicit(&s->fabric->clock_start, memory_order_relaxed);
    uint64_t evaluated =
        atomic_load_explicit(&s->fabric->evaluated, memory_order_relaxed);

    add(line, "fshrun: ");
    add_time(line, (double)(cycle > begun ? cycle - begun : 0) * 1000 /
                       FSH_CLOCK_MHZ);
    add(line, " simulated");
    if (s->last_ns != 0)
        add(line, ", %.2f M node-cycles/s",
            (double)(evaluated - s->last_evaluated) * 1e3 /
                (double)(now - s->last_ns));
    add_waiting(s, line);
    add_steps(s, line, now);
    s->last_ns = now;
    s->last_evaluated = evaluated;
}

uint64_t status_show(struct status *s, uint64_t now)
{
    char line[LINE_BYTES] = "";

    look(s);
    if (!s->shown && now < s->quiet_ns + s->pause_ns)
        return now + PERIOD_NS;
    make_line(s, line, now);
    look(s); /* as late as can be */
    s->shown = draw(s, line);
    if (!s->shown || s->proven || is_told(s))
        return now + PERIOD_NS;
    s->shown = false;
    return UINT64_MAX;
}

void status_hide(struct status *s)
{
    look(s);
    if (s->shown)
        put(s, "\033[A\r\033[J");
    s->shown = false;
}

void status_free(struct status *s)
{
    if (s->terminal >= 0)
        close(s->terminal);
    if (s->writes >= 0)
        close(s->writes);
    munmap((void *)(uintptr_t)s->fabric, sizeof *s->fabric);
    free(s);
}
