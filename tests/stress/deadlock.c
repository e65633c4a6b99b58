/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits that nothing can end, and some that something does. Run as:
 * deadlock handlers|barrier|polls|flood|late
 *   handlers  each rank waits for a message that nobody sends
 *   barrier   the last rank waits for a message instead of taking part
 *   polls     all poll for ever, outside of any wait of the library
 *   flood     rank 0 sends the last rank more messages than it has slots for
 *   late      the last rank does nothing for three seconds of the host, then polls,
 *             spends 20 ms of simulated time, and comes: passes
 */
#include <gasnet.h>

#include <fshmem.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { H_NOTE = 128, MESSAGES = 100 };

static volatile int notes;
static gasnet_node_t me, last;

static void note(gasnet_token_t token)
{
    (void)token;
    notes++;
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

static void mode_handlers(void)
{
    GASNET_BLOCKUNTIL(notes != 0);
}

static void mode_barrier(void)
{
    if (me == last)
        GASNET_BLOCKUNTIL(notes != 0);
    barrier();
}

static void mode_polls(void)
{
    while (notes == 0)
        gasnet_AMPoll();
}

static void mode_flood(void)
{
    for (int i = 0; me == 0 && i < MESSAGES; i++)
        gasnet_AMRequestShort0(last, H_NOTE);
    barrier();
}

static void mode_late(void)
{
    struct timespec start, now;

    clock_gettime(CLOCK_MONOTONIC, &start);
    now = start;
    while (me == last && now.tv_sec - start.tv_sec < 3)
        clock_gettime(CLOCK_MONOTONIC, &now);
    for (int i = 0; me == last && i < 20;
         i++) /* all that comes for it is seen */
        gasnet_AMPoll();
    if (me == last)
        fshmem_spend(20000000);
    barrier();
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"handlers", mode_handlers},
                 {"barrier", mode_barrier},
                 {"polls", mode_polls},
                 {"flood", mode_flood},
                 {"late", mode_late}};
    gasnet_handlerentry_t table[] = {{H_NOTE, note}};

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(table, 1, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    me = gasnet_mynode();
    last = gasnet_nodes() - 1;
    for (unsigned i = 0; argc > 1 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0)
            modes[i].run();
    printf("deadlock: rank %u passes\n", (unsigned)me);
    gasnet_exit(0);
    return 0;
}
