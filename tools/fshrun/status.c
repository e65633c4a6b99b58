/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The line that shows on a terminal where a long run is: simulated time, speed, ranks
 * that wait, and when it will end, where the program tells its steps (fshmem_progress).
 * Only for jobs with a simulator, which are those that take long for what they do. The
 * line ends in a carriage return, so that what ranks print comes over it, and is taken
 * away before the launcher itself says anything.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "device/sim/sim_shm.h"
#include "fshrun.h"

#define PERIOD_NS UINT64_C(1000000000)
enum { COLUMNS = 80, LINE_BYTES = 512 };

struct status {
    const struct fsh_job_page *page;
    const struct fsh_sim_fabric *fabric;
    bool shown;
    uint64_t last_ns, last_evaluated; /* at the last line; 0 none yet */
    uint64_t told_ns;                 /* first sight of steps; 0 none yet */
    double told_part;                 /* of the run that was over then */
};

struct status *status_new(const struct fsh_job *job)
{
    const char *terminal = getenv("TERM");
    struct status *s;
    void *map;

    if (!job->config.needs->nodes || !isatty(STDERR_FILENO) ||
        terminal == NULL || strcmp(terminal, "dumb") == 0)
        return NULL;
    map =
        mmap(NULL, sizeof *s->fabric, PROT_READ, MAP_SHARED, job->shared_fd, 0);
    s = map == MAP_FAILED ? NULL : calloc(1, sizeof *s);
    if (s != NULL) {
        s->page = job->page;
        s->fabric = map;
    }
    return s;
}

static unsigned columns(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return COLUMNS;
    return size.ws_col;
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

static void print(const char *line)
{
    char text[LINE_BYTES + 16];
    int n =
        snprintf(text, sizeof text, "\r%.*s\033[K\r", (int)columns() - 1, line);

    /* A terminal that does not take it will not have it. */
    if (write(STDERR_FILENO, text, (size_t)n) < 0)
        return;
}

uint64_t status_show(struct status *s, uint64_t now)
{
    uint64_t cycle =
        atomic_load_explicit(&s->fabric->cycle, memory_order_relaxed);
    uint64_t begun =
        atomic_load_explicit(&s->fabric->clock_start, memory_order_relaxed);
    uint64_t evaluated =
        atomic_load_explicit(&s->fabric->evaluated, memory_order_relaxed);
    char line[LINE_BYTES] = "fshrun: ";

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
    s->shown = true;
    print(line);
    return now + PERIOD_NS;
}

void status_hide(struct status *s)
{
    if (s->shown)
        print("");
    s->shown = false;
}

void status_free(struct status *s)
{
    munmap((void *)(uintptr_t)s->fabric, sizeof *s->fabric);
    free(s);
}
