/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress and waiting of conduit fpga. With a simulated device the simulator
 * needs the processor more than a spinning rank does, so waits sleep early.
 */
#include "conduit/fpga/state.h"

bool fsh_fpga_progress(bool requests)
{
    bool any = fsh_fpga_complete();

    any |= fsh_fpga_receive(FSH_FPGA_REPLY);
    if (requests)
        any |= fsh_fpga_receive(FSH_FPGA_REQUEST);
    /* Idle: a good time to return slots, in one word per peer. */
    if (!any)
        fsh_fpga_flush();
    else if (fsh_fpga.clock != NULL)
        fsh_fpga.clock->busy(fsh_fpga.dev);
    return any;
}

/* Whether there is an entry, or another thread is about to take one. */
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

    (void)memory; /* a device does not report its writes to its own memory */
    fsh_fpga_flush();
    if (may_have(&fsh_fpga.cpl) || may_have(&fsh_fpga.rx[FSH_FPGA_REPLY]) ||
        may_have(&fsh_fpga.rx[FSH_FPGA_REQUEST]))
        return;
    fsh_fpga.ops->wait(fsh_fpga.dev, seen, max_ns);
}

/* What is beside the device does not end its sleep. */
#define BESIDE_NS UINT64_C(200000)

static bool sleep_step(struct fsh_wait *wait, uint64_t ns)
{
    if (fsh_fpga.beside != NULL && ns > BESIDE_NS)
        ns = BESIDE_NS;
    if (fsh_fpga.clock != NULL)
        fsh_fpga_look(0);
    fsh_fpga.ops->wait(fsh_fpga.dev, wait->seen, ns);
    return true;
}

/* A card answers before a sleep would end; a simulator needs the processor. */
#define KIND(n)                                                                \
    {                                                                          \
        .who = "conduit fpga", .yields = (n), .nap_us = 2000, .most_us = 2000, \
        .sleep = sleep_step                                                    \
    }
static const struct fsh_wait_kind on_card = KIND(1000), on_simulator = KIND(4),
                                  in_turns = KIND(0);

static const struct fsh_wait_kind *kind(void)
{
    if (fsh_fpga.clock != NULL)
        return &in_turns;
    return fsh_fpga.mem.simulated ? &on_simulator : &on_card;
}

void fsh_fpga_wait_begin(struct fsh_wait *wait, uint32_t node)
{
    *wait = (struct fsh_wait){.peer = fsh_fpga.rank_of[node] + 1u};
    fsh_fpga_settle();
    wait->seen = fsh_fpga.ops->activity(fsh_fpga.dev);
}

void fsh_fpga_wait_step(struct fsh_wait *wait, const char *what, bool requests)
{
    /* Read before looking, so that anything written afterwards ends the next
     * sleep. */
    uint32_t seen = fsh_fpga.ops->activity(fsh_fpga.dev);
    bool any = fsh_fpga_progress(requests);

    if (requests && fsh_fpga.beside != NULL)
        any |= fsh_fpga.beside();
    if (any)
        fsh_wait_found(wait);
    else
        fsh_wait_pause(kind(), wait, what);
    wait->seen = seen;
}
