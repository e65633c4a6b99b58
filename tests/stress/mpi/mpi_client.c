/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI and GASNet in the same processes, as Graph500's AML has it: equal ranks,
 * and phases of both in turn. mpi_client first|last: MPI_Init before or after
 * gasnet_init. Built by test_mpi.py, which has the MPI compilers.
 */
#include <gasnet.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { H_COUNT = 128 };

static volatile int arrived;

static void count(gasnet_token_t token, int value)
{
    (void)token;
    __atomic_fetch_add(&arrived, value, __ATOMIC_RELAXED);
}

static void fail(const char *what)
{
    printf("mpi_client: %s\n", what);
    fflush(stdout);
    _exit(90);
}

static void gasnet_phase(int round, int n)
{
    for (int r = 0; r < n; r++)
        gasnet_AMRequestShort1((gasnet_node_t)r, H_COUNT, 1);
    GASNET_BLOCKUNTIL(arrived == (round + 1) * n);
    gasnet_barrier_notify(round, 0);
    if (gasnet_barrier_wait(round, 0) != GASNET_OK)
        fail("barrier");
}

static void mpi_phase(int me, int n)
{
    int sum = 0;

    MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != n * (n - 1) / 2)
        fail("the sum of the ranks");
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_COUNT, count}};
    int first = argc > 1 && strcmp(argv[1], "first") == 0, me, n;

    if (first)
        MPI_Init(&argc, &argv);
    if (gasnet_init(&argc, &argv) != GASNET_OK)
        fail("gasnet_init");
    if (!first)
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    if ((int)gasnet_mynode() != me || (int)gasnet_nodes() != n)
        fail("GASNet's rank is not MPI's");
    if (gasnet_attach(table, 1, GASNET_PAGESIZE, 0) != GASNET_OK)
        fail("gasnet_attach");
    for (int round = 0; round < 20; round++) {
        gasnet_phase(round, n);
        mpi_phase(me, n);
    }
    printf("mpi %d of %d\n", me, n);
    fflush(stdout);
    MPI_Finalize();
    gasnet_exit(argc > 2 ? atoi(argv[2]) : 0);
}
