/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a barrier of all ranks sends over the network, and by cards: meet <barriers>. Every
 * rank says "sent <rank>: <messages> in <barriers>", one with a card "accepted <rank>:
 * <commands>". The ids differ from barrier to barrier, and in
 * the last one between the ranks, which all must hear of.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/fsh_spec.h"
#include "boot/boot.h"
#include "conduit/fpga/fpga.h"
#include "conduit/ofi/state.h"
#include "gasnet.h" /* SEQ by CMakeLists.txt */

static int meet(int id, int flags)
{
    gasnet_barrier_notify(id, flags);
    return gasnet_barrier_wait(id, flags);
}

/* Commands that this rank's card has taken; 0: it has none. */
static uint64_t accepted(void)
{
    return fsh_boot_node(gasnet_mynode()) == FSH_JOB_NO_NODE
               ? 0
               : fsh_fpga_perf_read(FSH_PERF_ACCEPT).count;
}

int main(int argc, char **argv)
{
    int barriers = argc > 1 ? atoi(argv[1]) : 100, me;
    uint64_t before, taken;

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK)
        return 1;
    me = (int)gasnet_mynode();
    if (meet(0, 0) != GASNET_OK)
        return 2;
    before = fsh_ofi.counters.sent;
    taken = accepted();
    for (int i = 1; i <= barriers; i++)
        /* One rank names it, the others do not. */
        if (meet(i, me == i % (int)gasnet_nodes()
                        ? 0
                        : GASNET_BARRIERFLAG_ANONYMOUS) != GASNET_OK)
            return 3;
    printf("sent %d: %llu in %d\n", me,
           (unsigned long long)(fsh_ofi.counters.sent - before), barriers);
    if (fsh_boot_node(gasnet_mynode()) != FSH_JOB_NO_NODE)
        printf("accepted %d: %llu\n", me,
               (unsigned long long)(accepted() - taken));
    fflush(stdout);
    if (gasnet_nodes() > 1 &&
        meet(me == 1 ? 5 : 6, 0) != GASNET_ERR_BARRIER_MISMATCH)
        return 4;
    gasnet_exit(0);
}
