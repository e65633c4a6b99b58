/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher's side of traces (tools/fshrun/trace*.c): numbers and names as text,
 * two rings merged by time, and a ring that fills with records that cannot be
 * written yet, whose writer is not blocked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/trace.h"
#include "boot/job.h"
#include "check.h"
#include "fshrun/trace.h"
#include "fshrun/trace_text.h"

enum { SLOTS = 1024, RECORDS = 5 * SLOTS };

/* ---- text ---- */

static void number(uint64_t value)
{
    char is[64] = "", want[64];

    *trace_text_number(is, value) = '\0';
    snprintf(want, sizeof want, "%" PRIu64, value);
    CHECK(strcmp(is, want) == 0, "%s, not %s", is, want);
    *trace_text_us(is, value) = '\0';
    snprintf(want, sizeof want, "%" PRIu64 ".%03" PRIu64, value / 1000,
             value % 1000);
    CHECK(strcmp(is, want) == 0, "%s, not %s", is, want);
    *trace_text_hex(is, value) = '\0';
    snprintf(want, sizeof want, "%" PRIx64, value);
    CHECK(strcmp(is, want) == 0, "%s, not %s", is, want);
}

static void numbers(void)
{
    for (uint64_t power = 1;; power *= 10) {
        number(power - 1);
        number(power);
        number(power + 1);
        number(power / 7 * 3);
        if (power > UINT64_MAX / 10)
            break;
    }
    number(UINT64_MAX);
    for (unsigned i = 0; i < 64; i++)
        number(UINT64_C(1) << i);
    for (unsigned i = 0; i < 20000; i++)
        number(i);
}

/* ---- rings ---- */

static struct fsh_trace *make(struct fsh_job_page *page, uint32_t rings)
{
    size_t bytes = fsh_trace_bytes(rings, SLOTS);
    int fd = memfd_create("trace", MFD_CLOEXEC);
    struct fsh_trace *trace;

    CHECK(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    trace = fsh_job_map_trace(fd, bytes);
    CHECK(trace != NULL);
    trace->magic = FSH_TRACE_MAGIC;
    trace->rings = trace->ranks = rings;
    trace->slots = SLOTS;
    trace->ring_bytes = (uint32_t)fsh_trace_ring_bytes(SLOTS);
    trace->simulated = true;
    strcpy(page->conduit, "smp");
    page->size = rings;
    page->trace_fd = fd;
    page->trace_bytes = bytes;
    return trace;
}

/* What the second rank has recorded, before. */
static void record_second(struct fsh_trace *trace)
{
    struct fsh_trace_ring *ring = fsh_trace_ring(trace, 1);

    strcpy(ring->name[1], "say \"\\\" \x01\xff");
    for (uint32_t i = 0; i < SLOTS; i++) {
        struct fsh_trace_record *slot = fsh_trace_slot(trace, ring, i);

        slot->ts = 10 * i + 5;
        slot->name = 1;
        slot->kind = FSH_TRACE_INSTANT;
        slot->category = FSH_TRACE_RETRY;
        atomic_store(&slot->lap, i + 1);
    }
    atomic_store(&ring->tail, SLOTS);
}

/* Nothing is reached before all is recorded: five times what the ring holds. */
static void record_first(struct fsh_trace *trace)
{
    static uint64_t cycle;

    fsh_trace_open(trace, 0);
    fsh_trace_clock(&cycle);
    for (uint32_t i = 0; i < RECORDS; i++) {
        cycle = 2 * i;
        fsh_trace_retry("first", 1);
    }
    fsh_trace_clock(NULL);
    fsh_trace_reached(cycle + 1);
}

static void check_file(const char *path)
{
    FILE *file = fopen(path, "r");
    unsigned count[2] = {0, 0}, pid;
    double last = -1, ts;
    char line[2048];

    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "{\"ph\":\"i\",\"pid\":%u,\"tid\":0,\"ts\":%lf,", &pid,
                   &ts) != 2)
            continue;
        CHECK(pid < 2 && ts >= last, "%s behind %f", line, last);
        CHECK(strstr(line, pid == 0 ? "\"name\":\"first\",\"args\":{\"peer\":1}"
                                    : "\"name\":\"say \\u0022\\u005c\\u0022 "
                                      "\\u0001\\u00ff\",\"args\":{}") != NULL,
              "%s", line);
        last = ts;
        count[pid]++;
    }
    CHECK(count[0] == RECORDS && count[1] == SLOTS, "%u and %u", count[0],
          count[1]);
    fclose(file);
}

static void rings(void)
{
    static struct fsh_job_page page;
    struct fsh_job job = {.page = &page};
    struct fsh_trace *shared = make(&page, 2);
    int fd = memfd_create("file", MFD_CLOEXEC);
    struct trace *trace;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    trace = trace_new(path, &job);
    CHECK(trace != NULL);
    record_second(shared);
    trace_start(trace);
    record_first(shared);
    CHECK(trace_end(trace));
    trace_free(trace);
    check_file(path);
    close(fd);
    close(page.trace_fd);
    munmap(shared, page.trace_bytes);
}

int main(void)
{
    numbers();
    rings();
    puts("fshrun_trace: pass");
    return 0;
}
