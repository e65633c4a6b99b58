/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Barrier and exchange over the control page, for start-up: they need no
 * conduit, end in bounded time, and name who is missing. Main thread.
 */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/futex.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/simulated.h"
#include "base/option.h"
#include "base/wait.h"
#include "boot/channel.h"
#include "boot/boot_state.h"

/* Does a rank share this page? */
static bool is_here(uint32_t rank)
{
    return fsh_boot.page->rank[rank].host == fsh_boot.page->host;
}

/* "rank 1 (pid 7): in gasnet_init; rank 2 ..." of those behind `seq`. */
static void list_missing(unsigned seq, char *text, size_t len)
{
    size_t at = 0;
    unsigned shown = 0;
    char line[192];

    text[0] = '\0';
    for (uint32_t r = 0; r < fsh_boot.page->size; r++) {
        if (!is_here(r) ||
            (int)(atomic_load(&fsh_boot.page->rank[r].barrier_seq) - seq) >= 0)
            continue;
        if (++shown > 4) {
            snprintf(text + at, len - at, "; ...");
            return;
        }
        fsh_job_describe_rank(fsh_boot.page, r, line, sizeof(line));
        at +=
            (size_t)snprintf(text + at, len - at, "%s%s", at ? "; " : "", line);
        if (at >= len)
            return;
    }
}

/* A rank that has ended will never come. */
static bool is_hopeless(unsigned seq)
{
    for (uint32_t r = 0; r < fsh_boot.page->size; r++) {
        int state = atomic_load(&fsh_boot.page->rank[r].state);

        if (is_here(r) && (state == FSH_RANK_LEFT || state == FSH_RANK_DEAD) &&
            (int)(atomic_load(&fsh_boot.page->rank[r].barrier_seq) - seq) < 0)
            return true;
    }
    return false;
}

struct arrival {
    struct fsh_wait wait;
    unsigned seq;
    unsigned generation;
};

static void job_is_ending(struct fsh_wait *wait, const char *what,
                          const char *why)
{
    (void)wait;
    fsh_fatal("%s: the job is ending: %s", what, why);
}

static void check_missing(struct fsh_wait *wait, const char *what)
{
    unsigned seq = ((const struct arrival *)(void *)wait)->seq;
    char text[1024];

    if (!is_hopeless(seq))
        return;
    list_missing(seq, text, sizeof(text));
    fsh_fatal("%s: not all ranks can arrive; missing: %s", what, text);
}

static void start_is_over(struct fsh_wait *wait, const char *what)
{
    char text[1024];

    list_missing(((const struct arrival *)(void *)wait)->seq, text,
                 sizeof(text));
    fsh_fatal("%s: not all ranks arrived within %g s "
              "(FSHMEM_START_TIMEOUT); missing: %s",
              what, wait->limit_ms / 1e3, text);
}

/* In simulated time others come only while it passes; once this rank has left that,
 * none does, and it sleeps. */
#define PASS_NS UINT64_C(10000)
#define PASS_SLEEP_NS UINT64_C(50000)

static bool sleep_for_release(struct fsh_wait *wait, uint64_t ns)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (simulated != NULL) {
        simulated->spend(PASS_NS);
        ns = PASS_SLEEP_NS;
    }
    fsh_futex_wait(&fsh_boot.page->barrier_futex,
                   ((const struct arrival *)(void *)wait)->generation, ns);
    return true;
}

static void await_release(const char *what, unsigned seq, unsigned generation)
{
    static const struct fsh_wait_kind kind = {.spins = 64,
                                              .yields = 32,
                                              .nap_us = 100000,
                                              .most_us = 100000,
                                              .sleep = sleep_for_release,
                                              .check = check_missing,
                                              .leave = job_is_ending,
                                              .expired = start_is_over};
    struct arrival a = {.seq = seq, .generation = generation};

    /* With GASNET_FREEZE it is a person who releases the ranks. */
    a.wait.limit_ms =
        fsh_option_bool("GASNET_FREEZE")
            ? FSH_WAIT_FOR_EVER
            : fsh_wait_ms(fsh_option_seconds("FSHMEM_START_TIMEOUT"));
    /* Acquire: partner is the release of the last to arrive. */
    while (atomic_load_explicit(&fsh_boot.page->barrier_futex,
                                memory_order_acquire) == generation)
        fsh_wait_pause(&kind, &a.wait, what);
    fsh_wait_end(&a.wait);
}

void fsh_boot_waiting(const char *what)
{
    static struct fsh_lock lock =
        FSH_LOCK_INIT("what a rank waits for", FSH_LOCK_WAITING);
    struct fsh_rank_slot *slot = fsh_boot_slot();

    FSH_ASSERT(fsh_boot.page != NULL && fsh_boot.rank < fsh_boot.page->size);
    fsh_lock_take(&lock);
    snprintf(slot->waiting_for, sizeof(slot->waiting_for), "%s", what);
    fsh_lock_give(&lock);
}

static void meet_here(const char *what)
{
    struct fsh_job_page *page = fsh_boot.page;
    struct fsh_rank_slot *slot = fsh_boot_slot();
    unsigned generation = atomic_load(&page->barrier_futex);
    unsigned seq = atomic_fetch_add(&slot->barrier_seq, 1) + 1;

    fsh_boot_waiting(what);
    /* Acquire and release: what every rank wrote before is visible to all
     * after; each addition takes part in the release sequence of the count. */
    unsigned come = (unsigned)atomic_fetch_add_explicit(&page->barrier_count, 1,
                                                        memory_order_acq_rel) +
                    1;

    assert(come <= page->here);
    FSH_ASSERT(generation == seq - 1); /* as many releases as were waited for */
    if (come == page->here) {
        atomic_store_explicit(&page->barrier_count, 0, memory_order_relaxed);
        /* Release: partner is the acquire in await_release. */
        atomic_fetch_add_explicit(&page->barrier_futex, 1,
                                  memory_order_release);
        fsh_futex_wake(&page->barrier_futex, INT_MAX);
    } else {
        await_release(what, seq, generation);
    }
}

/* Ranks here first: who is missing among them can be named. */
void fsh_boot_barrier(const char *what)
{
    meet_here(what);
    if (fsh_boot.page->hosts > 1)
        fsh_channel_fence(what);
    fsh_boot_waiting("");
}

/* As much as the page has room for. */
static void exchange_here(const unsigned char *in, size_t n, unsigned char *to,
                          size_t stride)
{
    FSH_ASSERT(n <= FSH_JOB_XCHG_MAX);
    /* All have read the previous exchange before anybody overwrites it. */
    meet_here("exchange (entry)");
    memcpy(fsh_boot_slot()->xchg, in, n);
    meet_here("exchange");
    for (uint32_t r = 0; r < fsh_boot.page->size; r++)
        memcpy(to + r * stride, fsh_boot.page->rank[r].xchg, n);
}

void fsh_boot_exchange(const void *in, size_t n, void *out)
{
    const unsigned char *from = in;
    unsigned char *to = out;
    size_t piece;

    if (fsh_boot.page->hosts > 1) {
        meet_here("exchange");
        fsh_channel_exchange(in, n, out, "exchange");
    } else
        for (size_t at = 0; at < n; at += piece) {
            piece = n - at < FSH_JOB_XCHG_MAX ? n - at : FSH_JOB_XCHG_MAX;
            exchange_here(from + at, piece, to + at, n);
        }
    fsh_boot_waiting("");
}
