/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress and waiting of conduit fpga. With a simulated device the simulator
 * needs the processor more than a spinning rank does, so waits sleep early.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>

#include "base/cpu.h"
#include "base/log.h"
#include "boot/boot.h"
#include "conduit/fpga/state.h"

#define MAX_SLEEP_NS UINT64_C(2000000) /* then look whether the job is alive */

void fsh_fpga_lock(pthread_mutex_t *lock)
{
    if (fsh_fpga.locking)
        pthread_mutex_lock(lock);
}

bool fsh_fpga_trylock(pthread_mutex_t *lock)
{
    return !fsh_fpga.locking || pthread_mutex_trylock(lock) == 0;
}

void fsh_fpga_unlock(pthread_mutex_t *lock)
{
    if (fsh_fpga.locking)
        pthread_mutex_unlock(lock);
}

bool fsh_fpga_progress(bool requests)
{
    bool any = fsh_fpga_complete();

    any |= fsh_fpga_receive(FSH_FPGA_REPLY);
    if (requests)
        any |= fsh_fpga_receive(FSH_FPGA_REQUEST);
    /* Idle: the time to return slots in one word each. */
    if (!any)
        fsh_fpga_flush();
    return any;
}

/* Is there an entry, or another thread about to take one? */
static bool may_have(struct fsh_fpga_ring *ring)
{
    if (!fsh_fpga_trylock(&ring->lock))
        return true;
    bool has = fsh_fpga_ring_next(ring) != NULL;
    fsh_fpga_unlock(&ring->lock);
    return has;
}

void fsh_fpga_wait(uint64_t max_ns, bool memory)
{
    uint32_t seen = fsh_fpga.ops->activity(fsh_fpga.dev);

    (void)memory; /* a device tells nobody what it writes to its memory */
    fsh_fpga_flush();
    if (may_have(&fsh_fpga.cpl) || may_have(&fsh_fpga.rx[FSH_FPGA_REPLY]) ||
        may_have(&fsh_fpga.rx[FSH_FPGA_REQUEST]))
        return;
    fsh_fpga.ops->wait(fsh_fpga.dev, seen, max_ns);
}

void fsh_fpga_pause_begin(struct fsh_fpga_pause *p, const char *what,
                          uint32_t node)
{
    *p = (struct fsh_fpga_pause){.what = what, .node = node};
    p->seen = fsh_fpga.ops->activity(fsh_fpga.dev);
}

static void announce(const struct fsh_fpga_pause *p)
{
    char text[96];

    snprintf(text, sizeof text, "rank %" PRIu32 ": %s", p->node, p->what);
    fsh_boot_waiting(text);
}

static void print_fact(void *arg, const char *text)
{
    (void)arg;
    fsh_warn("  %s", text);
}

static _Noreturn void bite(const struct fsh_fpga_pause *p)
{
    fsh_conduit_fpga.describe(print_fact, NULL);
    fsh_fatal("conduit fpga: blocked for %.3g s (FSHMEM_WATCHDOG), waiting for "
              "%s, rank %" PRIu32,
              fsh_boot_watchdog(), p->what, p->node);
}

void fsh_fpga_pause_step(struct fsh_fpga_pause *p, bool requests)
{
    const char *why = NULL;

    if (p->fruitless > fsh_fpga.yields) {
        if (!p->announced)
            announce(p);
        p->announced = true;
        if (!fsh_boot_alive(&why))
            fsh_fatal("conduit fpga: gave up waiting for %s, rank %" PRIu32
                      ": %s",
                      p->what, p->node, why);
        if (fsh_boot_overdue(&p->since))
            bite(p);
        fsh_fpga.ops->wait(fsh_fpga.dev, p->seen, MAX_SLEEP_NS);
    } else if (p->fruitless != 0) {
        sched_yield();
    }
    /* Before looking: what is written from here on ends the next sleep. */
    p->seen = fsh_fpga.ops->activity(fsh_fpga.dev);
    if (fsh_fpga_progress(requests))
        p->fruitless = 0;
    else
        p->fruitless++;
}

void fsh_fpga_pause_end(struct fsh_fpga_pause *p)
{
    if (p->announced)
        fsh_boot_waiting("");
    p->announced = false;
    p->fruitless = 0;
    p->since = 0;
}
