/* SPDX-License-Identifier: BSD-3-Clause */
/* Thirty lines of GASNet, C and C++: every rank puts its number to rank 0. */
#include <gasnet.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    gasnet_seginfo_t info[1];
    unsigned i, sum = 0, mine;
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK ||
        gasnet_getSegmentInfo(info, 1) != GASNET_OK) {
        return 1;
    }
    mine = gasnet_mynode() + 1;
    gasnet_put(0, (unsigned *)info[0].addr + gasnet_mynode(), &mine,
               sizeof(mine));
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0) {
        for (i = 0; i < gasnet_nodes(); ++i) {
            sum += ((unsigned *)info[0].addr)[i];
        }
        printf("sum %u of %u ranks\n", sum, (unsigned)gasnet_nodes());
        fflush(stdout);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
    return 0;
}
