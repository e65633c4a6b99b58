/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often polls of a rank look at a silent network: seldom, while they are frequent; every
 * one of them, where they are rare; most seldom in the first polls of a wait. Rank 0 polls, the
 * others wait. Also tells whether the job takes its host for crowded.
 */
#include <stdio.h>
#include <time.h>

#include "base/cpu.h"
#include "base/spin.h"
#include "conduit/ofi/state.h"
#include "gasnet.h" /* SEQ by CMakeLists.txt */

#define LIMIT_NS UINT64_C(20000000000)
#define OFTEN 127u /* spins between two looks */
#define MOST_EXTRA_NS 150000
#define SELDOM_NS 250000 /* longer than the network is left alone */

static unsigned step(void)
{
    return atomic_load(&fsh_ofi.step);
}

static int frequent(void)
{
    uint64_t end = fsh_time_ns() + LIMIT_NS;

    while (step() < OFTEN && fsh_time_ns() < end)
        for (unsigned i = 0; i < 4096; i++)
            gasnet_AMPoll();
    return step() >= OFTEN;
}

/* Whether a poll has read the completion queue; a message that comes counts it down. */
static int reads(void)
{
    const struct timespec pause = {0, SELDOM_NS};
    uint64_t read = atomic_load(&fsh_ofi.read_ns);
    unsigned eager = atomic_load(&fsh_ofi.eager);

    nanosleep(&pause, NULL);
    gasnet_AMPoll();
    return atomic_load(&fsh_ofi.read_ns) != read ||
           atomic_load(&fsh_ofi.eager) != eager;
}

static unsigned until(void)
{
    return atomic_load(&fsh_ofi.until);
}

static unsigned counted_by_poll(void)
{
    unsigned before = until();

    gasnet_AMPoll();
    return before - until();
}

/* A wait of so many rounds. */
static unsigned counted_by_wait(unsigned rounds)
{
    unsigned before = until(), round = 0;

    GASNET_BLOCKUNTIL(round++ == rounds);
    return before - until();
}

/* What they count for, if they do not look. */
static int weights(void)
{
    uint64_t end = fsh_time_ns() + LIMIT_NS;

    while (fsh_time_ns() < end)
        if (counted_by_poll() == FSH_OFI_POLL_SPINS && until() > 2 * OFTEN &&
            counted_by_wait(20) == 20 &&
            counted_by_wait(101) >= 100 + FSH_OFI_POLL_SPINS)
            return 1;
    return 0;
}

/* Less often read, the longer nothing comes; again as before, once something may. */
static int rests(void)
{
    uint64_t end = fsh_time_ns() + LIMIT_NS;

    while (atomic_load(&fsh_ofi.extra_ns) < MOST_EXTRA_NS &&
           fsh_time_ns() < end)
        gasnet_AMPoll();
    if (atomic_load(&fsh_ofi.extra_ns) != MOST_EXTRA_NS)
        return 0;
    fsh_ofi_look_for(1);
    gasnet_AMPoll();
    return atomic_load(&fsh_ofi.extra_ns) == 0;
}

static int rare(void)
{
    for (unsigned i = step() + 1; i != 0; i--)
        reads();
    for (unsigned i = 0; i < 50; i++)
        if (!reads())
            return 0;
    return 1;
}

int main(int argc, char **argv)
{
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    if (gasnet_mynode() == 0) {
        printf("crowded: %d\n", fsh_spin_crowded());
        printf("frequent: %d\n", frequent());
        printf("weights: %d\n", weights());
        printf("rests: %d\n", rests());
        printf("rare: %d\n", rare());
        fflush(stdout);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
}
