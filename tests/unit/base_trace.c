/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records hold durations in 32 bits: longer ones keep their end and get the longest
 * duration. A ring wakes its reader when it is a quarter fuller; a full ring drops
 * records, except ends of open slices. Repeated unsuccessful calls leave no records.
 */
#include "base/trace.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { SLOTS = 1024 };

static void made(uint64_t ts, uint64_t now, uint64_t begin, uint32_t late)
{
    struct fsh_trace_record record = {.ts = ts};

    fsh_trace_made(&record, now);
    CHECK(record.ts == begin && record.late == late, "%llu + %u",
          (unsigned long long)record.ts, record.late);
}

/* Records ever, or dropped. */
static uint32_t taken(struct fsh_trace_ring *ring)
{
    return atomic_load(&ring->tail);
}
static uint64_t dropped(struct fsh_trace_ring *ring)
{
    return atomic_load(&ring->dropped);
}

static void full(struct fsh_trace *trace, struct fsh_trace_ring *ring)
{
    CHECK(fsh_trace_wait("what", NULL, 0));
    while (taken(ring) < SLOTS * 3 / 4) {
        uint32_t bell = atomic_load(&trace->bell);

        fsh_trace_count("counter", taken(ring));
        CHECK(atomic_load(&trace->bell) == taken(ring) / (SLOTS / 4) &&
                  (taken(ring) % (SLOTS / 4) == 0) ==
                      (atomic_load(&trace->bell) != bell),
              "%u at %u", atomic_load(&trace->bell), taken(ring));
    }
    CHECK(dropped(ring) == 0);
    fsh_trace_count("counter", 0);
    CHECK(dropped(ring) == 1 && taken(ring) == SLOTS * 3 / 4);
    fsh_trace_waited();
    CHECK(dropped(ring) == 1 && taken(ring) == SLOTS * 3 / 4 + 1);
    atomic_store(&ring->head, taken(ring));
}

static void call(const char *name, bool finds)
{
    fsh_trace_begin(name);
    if (finds) {
        fsh_trace_handler(
            200, &(struct fsh_trace_message){.peer = 0, .request = true}, 0);
        fsh_trace_handled();
    }
    fsh_trace_end(name);
}

static void calls(struct fsh_trace *trace, struct fsh_trace_ring *ring)
{
    static const char try[] = "gasnet_try_syncnb";
    const struct fsh_trace_record *last;
    uint32_t before = taken(ring);

    call(try, false);
    CHECK(taken(ring) == before);
    /* A handler, its arrow, and the call, that has its name by now. */
    call(try, true);
    CHECK(taken(ring) == before + 3);
    call("gasnet_put", false);
    CHECK(taken(ring) == before + 4);
    call(try, false);
    CHECK(taken(ring) == before + 4);
    last = fsh_trace_slot(trace, ring, before + 2);
    CHECK(strcmp(ring->name[last->name], try) == 0, "%s",
          ring->name[last->name]);
    last = fsh_trace_slot(trace, ring, before + 3);
    CHECK(strcmp(ring->name[last->name], "gasnet_put") == 0);
}

static void record(void)
{
    size_t bytes = fsh_trace_bytes(1, SLOTS);
    struct fsh_trace *trace = aligned_alloc(64, (bytes + 63) / 64 * 64);
    struct fsh_trace_ring *ring;

    CHECK(trace != NULL);
    memset(trace, 0, bytes);
    trace->magic = FSH_TRACE_MAGIC;
    trace->rings = trace->ranks = 1;
    trace->slots = SLOTS;
    trace->ring_bytes = (uint32_t)fsh_trace_ring_bytes(SLOTS);
    ring = fsh_trace_ring(trace, 0);
    fsh_trace_open(trace, 0);
    full(trace, ring);
    calls(trace, ring);
    fsh_trace_on = false;
    free(trace);
}

int main(void)
{
    record();
    made(7, 7, 7, 0);
    made(7, 10, 7, 3);
    made(5, 5 + (uint64_t)UINT32_MAX, 5, UINT32_MAX);
    made(5, 6 + (uint64_t)UINT32_MAX, 6, UINT32_MAX);
    made(0, UINT64_C(1) << 40, (UINT64_C(1) << 40) - UINT32_MAX, UINT32_MAX);
    puts("trace: pass");
    return 0;
}
