/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: how a GASNet program begins and ends (gasnet_init, gasnet_attach,
 * barrier, gasnet_exit), and that one program runs on every conduit. Each rank
 * joins the job, prints its rank, and leaves.
 *   fshrun -n 2 01_hello                    processes of this host
 *   fshrun -n 2 --conduit fpga 01_hello     simulated FPGA nodes
 */
#include <gasnet.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) != GASNET_OK) {
        fprintf(stderr, "01_hello: cannot join the job\n");
        return 1;
    }
    printf("Hello from rank %u of %u\n", (unsigned)gasnet_mynode(),
           (unsigned)gasnet_nodes());
    fflush(stdout);

    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
    return 0;
}
