/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier words of conduit smp with all ranks as threads of one process, so that
 * a thread sanitizer sees all sides, in each of its forms: no rank leaves a barrier
 * before all have arrived, writes before it are visible after it, all agree on the
 * same consensus, and sleepers are woken. Ranks pause at random. Where the ranks are a
 * part of those that meet, rank 0 is elsewhere, and the leader adds what that thinks.
 * usage: smp_meet [seed]
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cpu.h"
#include "conduit/smp/meet.h"
#include "check.h"
#include "random.h"

#define MAX_RANKS 11
#define TIME_LIMIT_NS (60 * UINT64_C(1000000000))
#define SLEEP_NS (20 * UINT64_C(1000000000))
#define FIRST_PHASE 1000u

struct hall {
    struct fsh_smp_layout layout;
    void *base;
    uint32_t ranks;
    unsigned barriers;
    bool crowded, sleepy, led;
    uint32_t first; /* rank here */
    uint32_t member[MAX_RANKS], index[MAX_RANKS];
    atomic_uint arrived[2];      /* ranks that have come to a barrier */
    uint64_t written[MAX_RANKS]; /* plain, between two barriers */
    uint64_t deadline;
};

struct guest {
    struct hall *hall;
    struct fsh_smp_port *port;
    struct fsh_smp_meeting meeting;
    uint32_t rank;
    uint64_t random;
    pthread_t thread;
};

static uint64_t merge(uint64_t a, uint64_t b)
{
    return a | b;
}

/* What rank r thinks at barrier i: one bit each, and its number. */
static uint64_t opinion_of(uint32_t rank, unsigned i)
{
    return UINT64_C(1) << rank | (uint64_t)(i & 7) << 16;
}

/* What a rank that is elsewhere thinks comes last. */
static bool is_over(struct guest *g, unsigned i, uint64_t *agreed,
                    uint32_t *missing)
{
    struct hall *h = g->hall;

    if (!h->led)
        return fsh_smp_meeting_arrived(&g->meeting, agreed, missing);
    if (g->rank != h->first)
        return fsh_smp_meeting_released(&g->meeting, agreed);
    if (!fsh_smp_meeting_gathered(&g->meeting, agreed, missing))
        return false;
    CHECK((*agreed & 1) == 0, "rank 0 is elsewhere");
    *agreed |= opinion_of(0, i);
    fsh_smp_meeting_release(&g->meeting, *agreed);
    return true;
}

static void wait_for_all(struct guest *g, unsigned i)
{
    struct hall *h = g->hall;
    uint64_t agreed;
    uint32_t missing = h->led ? h->first : MAX_RANKS;

    for (unsigned n = 1; !is_over(g, i, &agreed, &missing); n++) {
        uint64_t start = fsh_time_ns();

        CHECK(missing >= h->first && missing < h->ranks, "waits for rank %u",
              missing);
        CHECK(start < h->deadline, "rank %u hangs in barrier %u", g->rank, i);
        if (h->sleepy) {
            fsh_smp_port_sleep(g->port, SLEEP_NS, true);
            CHECK(fsh_time_ns() - start < SLEEP_NS, "lost wake-up in %u", i);
        } else if (n % 64 == 0) {
            sched_yield();
        }
    }
    CHECK(agreed == (((UINT64_C(1) << h->ranks) - 1) | (uint64_t)(i & 7) << 16),
          "rank %u, barrier %u: agreed on %llx", g->rank, i,
          (unsigned long long)agreed);
}

static void *guest_main(void *arg)
{
    struct guest *g = arg;
    struct hall *h = g->hall;

    for (unsigned i = 0; i < h->barriers; i++) {
        for (uint64_t d = random_next(&g->random) % 256; d > 128; d--)
            atomic_signal_fence(memory_order_seq_cst);
        h->written[g->rank] = i + 1;
        atomic_fetch_add_explicit(&h->arrived[i & 1], 1, memory_order_relaxed);
        fsh_smp_meeting_arrive(&g->meeting, FIRST_PHASE + i,
                               opinion_of(g->rank, i), merge);
        wait_for_all(g, i);
        CHECK(atomic_load_explicit(&h->arrived[i & 1], memory_order_relaxed) ==
                  (h->ranks - h->first) * (i / 2 + 1),
              "rank %u left barrier %u early", g->rank, i);
        for (uint32_t r = h->first; r < h->ranks; r++)
            CHECK(h->written[r] == i + 1, "rank %u: value of rank %u", g->rank,
                  r);
        /* A second barrier, so that nobody writes what others still read. */
        i++;
        atomic_fetch_add_explicit(&h->arrived[i & 1], 1, memory_order_relaxed);
        fsh_smp_meeting_arrive(&g->meeting, FIRST_PHASE + i,
                               opinion_of(g->rank, i), merge);
        wait_for_all(g, i);
    }
    return NULL;
}

/* Who arrives looks once more before it sleeps, whatever the wait before it has
 * left: two that arrive at once may not have seen each other (tests/model). */
static void look_before_sleep(bool crowded)
{
    struct fsh_smp_layout layout = fsh_smp_layout(2, 0);
    void *base = mmap(NULL, layout.total, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct fsh_smp_port *port;
    struct fsh_smp_meeting meeting;
    uint64_t start;

    CHECK(base != MAP_FAILED, "mmap");
    port = fsh_smp_port_new(base, &layout, 0, false);
    CHECK(port, "no memory");
    fsh_smp_meeting_init(&meeting, port, base, &layout, 0, crowded);
    fsh_smp_port_sleep(port, SLEEP_NS, true); /* a wait that ended by a look */
    fsh_smp_meeting_arrive(&meeting, FIRST_PHASE, 1, merge);
    start = fsh_time_ns();
    fsh_smp_port_sleep(port, SLEEP_NS, true);
    CHECK(fsh_time_ns() - start < SLEEP_NS, "sleeps before it has looked");
    fsh_smp_port_free(port);
    munmap(base, layout.total);
}

/* Each rank's words are those of another one, in turn. */
static void lead(struct hall *h, struct guest *g)
{
    for (uint32_t r = h->first; r < h->ranks; r++) {
        h->member[r - h->first] = r;
        h->index[r] = (r + 2) % h->ranks;
    }
    fsh_smp_meeting_lead(&g->meeting, h->member, h->ranks - h->first, h->index);
}

enum form { ALL, CROWDED, LED };

static void run(uint32_t ranks, enum form form, bool sleepy, unsigned barriers,
                uint64_t seed)
{
    static struct guest guest[MAX_RANKS];
    static struct hall h;

    memset(&h, 0, sizeof h);
    h = (struct hall){.layout = fsh_smp_layout(ranks, 0),
                      .ranks = ranks,
                      .barriers = barriers,
                      .crowded = form == CROWDED,
                      .led = form == LED,
                      .first = form == LED,
                      .sleepy = sleepy,
                      .deadline = fsh_time_ns() + TIME_LIMIT_NS};
    h.base = mmap(NULL, h.layout.total, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(h.base != MAP_FAILED, "mmap");
    for (uint32_t r = h.first; r < ranks; r++) {
        struct guest *g = &guest[r];

        *g = (struct guest){.hall = &h, .rank = r, .random = seed * 977 + r};
        g->port = fsh_smp_port_new(h.base, &h.layout, r, false);
        CHECK(g->port, "no memory");
        fsh_smp_meeting_init(&g->meeting, g->port, h.base, &h.layout, r,
                             h.crowded);
        if (h.led)
            lead(&h, g);
    }
    for (uint32_t r = h.first; r < ranks; r++)
        CHECK(pthread_create(&guest[r].thread, NULL, guest_main, &guest[r]) ==
                  0,
              "pthread_create");
    for (uint32_t r = h.first; r < ranks; r++)
        pthread_join(guest[r].thread, NULL);
    for (uint32_t r = h.first; r < ranks; r++)
        fsh_smp_port_free(guest[r].port);
    munmap(h.base, h.layout.total);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : fsh_time_ns() | 1;

    printf("seed %llu\n", (unsigned long long)seed);
    look_before_sleep(false);
    look_before_sleep(true);
    for (unsigned sleepy = 0; sleepy < 2; sleepy++) {
        run(1, ALL, sleepy, 100, seed);
        run(2, ALL, sleepy, 4000, seed);
        run(4, CROWDED, sleepy, 1000, seed);
        run(7, ALL, sleepy, 400, seed); /* dissemination */
        run(8, ALL, sleepy, 400, seed);
        run(11, CROWDED, sleepy, 400, seed);
        run(2, LED, sleepy, 100, seed); /* a leader alone */
        run(3, LED, sleepy, 400, seed);
        run(8, LED, sleepy, 200, seed);
    }
    puts("smp_meet: passed");
    return 0;
}
