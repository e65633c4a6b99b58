/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of one host on one shared memory object; see conduit/local.h.
 */
#include "conduit/smp/local.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/log.h"
#include "boot/boot.h"
#include "conduit/smp/send.h"

#define MAX_LONG ((size_t)1 << 30)

struct fsh_smp_local fsh_smp_local;

/* The one place that knows which part of the object is whose: the ranks of this host
 * have theirs in the order of their numbers. Returns how many there are. */
static uint32_t place_ranks(const bool *here)
{
    const uint32_t host = fsh_boot_host(fsh_smp_local.rank);
    uint32_t n = 0;

    fsh_smp_local.all = true;
    for (uint32_t r = 0; r < fsh_smp_local.ranks; r++) {
        bool on_host = fsh_boot_host(r) == host;
        bool mine = on_host && (here == NULL || here[r]);

        fsh_smp_local.index[r] = mine ? n : FSH_SMP_ELSEWHERE;
        fsh_smp_local.all &= mine;
        if (mine)
            fsh_smp_local.member[fsh_smp_local.members++] = r;
        n += on_host;
    }
    return n;
}

size_t fsh_local_bytes(uint32_t ranks, size_t segment_max)
{
    return fsh_smp_bytes(ranks, segment_max);
}

void fsh_local_init(enum fsh_threads threads, const bool *here,
                    const struct fsh_local_elsewhere *elsewhere,
                    struct fsh_limits *limits)
{
    const struct fsh_job_page *page = fsh_boot_page();
    const struct fsh_smp_ranks among = {.rank = fsh_boot_rank(),
                                        .ranks = fsh_boot_size(),
                                        .index = fsh_smp_local.index};
    uint32_t n;

    fsh_smp_local.rank = among.rank;
    fsh_smp_local.ranks = among.ranks;
    fsh_smp_local.elsewhere = elsewhere;
    n = place_ranks(here);
    fsh_smp_local.layout = fsh_smp_layout(n, page->segment_max);
    fsh_smp_object_map(&fsh_smp_local.object, &fsh_smp_local.layout,
                       page->shared_page);
    fsh_smp_local.port =
        fsh_smp_port_among(fsh_smp_local.object.base, &fsh_smp_local.layout,
                           &among, threads == FSH_THREADS_PAR);
    if (fsh_smp_local.port == NULL)
        fsh_fatal("conduit smp: no memory for the rings to %" PRIu32 " ranks",
                  n);
    fsh_smp_port_take_shorts(fsh_smp_local.port, fsh_am_deliver_shorts);
    fsh_smp_meeting_init(&fsh_smp_local.meeting, fsh_smp_local.port,
                         fsh_smp_local.object.base, &fsh_smp_local.layout,
                         fsh_smp_local.rank, n > fsh_boot_cpus());
    if (!fsh_smp_local.all)
        fsh_smp_meeting_lead(&fsh_smp_local.meeting, fsh_smp_local.member,
                             fsh_smp_local.members, fsh_smp_local.index);
    *limits = (struct fsh_limits){
        .am_max_medium = FSH_SMP_MAX_MEDIUM,
        .am_max_long_request = MAX_LONG,
        .am_max_long_reply = MAX_LONG,
        .max_segment_local = fsh_smp_local.layout.segment_max,
        .max_segment_global = fsh_smp_local.layout.segment_max,
    };
}

/* ---- barrier ---- */

static bool barrier_present(void)
{
    return fsh_smp_local.all;
}

static void barrier_arrive(uint32_t phase, uint64_t opinion, fsh_merge_fn merge)
{
    fsh_smp_meeting_arrive(&fsh_smp_local.meeting, phase, opinion, merge);
}

FSH_HOT static bool barrier_arrived(uint64_t *opinion, uint32_t *missing)
{
    return fsh_smp_meeting_arrived(&fsh_smp_local.meeting, opinion, missing);
}

const struct fsh_barrier_ops fsh_local_barrier = {
    .present = barrier_present,
    .arrive = barrier_arrive,
    .arrived = barrier_arrived,
};

uint32_t fsh_local_leader(void)
{
    return fsh_smp_local.member[0];
}

bool fsh_local_gathered(uint64_t *opinion, uint32_t *missing)
{
    return fsh_smp_meeting_gathered(&fsh_smp_local.meeting, opinion, missing);
}

void fsh_local_release(uint64_t opinion)
{
    fsh_smp_meeting_release(&fsh_smp_local.meeting, opinion);
}

bool fsh_local_released(uint64_t *opinion)
{
    return fsh_smp_meeting_released(&fsh_smp_local.meeting, opinion);
}

/* ---- sleep ---- */

int fsh_local_bell(void)
{
    fsh_smp_bells_hang(&fsh_smp_local.bells, fsh_smp_local.rank,
                       fsh_smp_local.ranks, fsh_smp_local.index);
    fsh_smp_port_bells(fsh_smp_local.port, fsh_smp_local.bells.to,
                       fsh_smp_local.elsewhere->sleep);
    return fsh_smp_local.bells.mine;
}

void fsh_local_hush(void)
{
    fsh_smp_bells_hush(&fsh_smp_local.bells);
}

void fsh_local_wait(uint64_t max_ns, bool memory)
{
    if (fsh_smp_local.bells.deaf && max_ns > FSH_SMP_DEAF_NS)
        max_ns = FSH_SMP_DEAF_NS;
    fsh_smp_port_sleep(fsh_smp_local.port, max_ns, memory);
}

void fsh_local_describe(void (*line)(void *arg, const char *text), void *arg)
{
    static const char *const name[FSH_SMP_CHANNELS] = {"request", "reply"};
    char text[128];

    if (fsh_smp_local.port == NULL)
        return;
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        for (uint32_t r = 0; r < fsh_smp_local.ranks; r++) {
            unsigned used = fsh_smp_port_slots(fsh_smp_local.port, c, r);
            if (used == 0)
                continue;
            snprintf(text, sizeof text,
                     "smp: %s ring to rank %" PRIu32
                     ": %u of %u slots not returned",
                     name[c], r, used, FSH_SMP_SLOTS);
            line(arg, text);
        }
        snprintf(text, sizeof text, "smp: %s pool: %u of %u blocks out",
                 name[c], fsh_smp_port_blocks(fsh_smp_local.port, c),
                 FSH_SMP_BLOCKS);
        line(arg, text);
    }
}
