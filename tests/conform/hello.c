/* SPDX-License-Identifier: BSD-3-Clause */
/* The smallest client: init, attach, barrier, a line per rank, exit. Uses
 * only gasnet.h. */
#include <gasnet.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    gasnet_init(&argc, &argv);
    gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0);
    printf("hello from %d of %d\n", (int)gasnet_mynode(), (int)gasnet_nodes());
    fflush(stdout);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0) {
        printf("conform hello: pass\n");
        fflush(stdout);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
    return 0;
}
