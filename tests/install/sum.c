/* SPDX-License-Identifier: BSD-3-Clause */
/* Thirty lines of GASNet, C and C++: every rank puts its number to rank 0. */
#include <gasnet.h>
#include <stdio.h>

#ifdef GASNET_SEGMENT_EVERYTHING
/* No segments: memory of rank 0, whose address the others are told. */
static void find(gasnet_seginfo_t *info)
{
    static unsigned cells[64];
    void *mine = cells;
    gasnet_coll_broadcast(GASNET_TEAM_ALL, &info->addr, 0, &mine, sizeof(mine),
                          GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC);
}
#else
static void find(gasnet_seginfo_t *info)
{
    gasnet_getSegmentInfo(info, 1);
}
#endif

int main(int argc, char **argv)
{
    gasnet_seginfo_t info[1];
    unsigned i, sum = 0, mine;
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) {
        return 1;
    }
    find(info);
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
