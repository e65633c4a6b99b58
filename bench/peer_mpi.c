/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI in the shapes of fshperf smp: messages there and back, put and get in a
 * window of allocated memory (complete at the target before the next), fence,
 * barrier. Two ranks do all, more only the barrier. Built by peers.py with the
 * compiler wrapper of each MPI.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

#define MOST ((size_t)1 << 20)
#define IN_FLIGHT 16

static int rank, ranks;
static char *local;
static MPI_Win window;

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static long share(long value)
{
    MPI_Bcast(&value, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return value;
}

static void ping_pong(long n, size_t bytes)
{
    int count = (int)bytes;

    for (long i = 0; i < n; ++i) {
        if (rank == 0) {
            MPI_Send(local, count, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(local + MOST, count, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (rank == 1) {
            MPI_Send(local, count, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
}

static void put(long n, size_t bytes)
{
    int count = (int)bytes;

    for (long i = 0; rank == 0 && i < n; ++i) {
        MPI_Put(local, count, MPI_BYTE, 1, 0, count, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    }
}

static void get(long n, size_t bytes)
{
    int count = (int)bytes;

    for (long i = 0; rank == 0 && i < n; ++i) {
        MPI_Get(local, count, MPI_BYTE, 1, 0, count, MPI_BYTE, window);
        MPI_Win_flush(1, window);
    }
}

static void put_many(long n, size_t bytes)
{
    int count = (int)bytes;

    for (long i = 0; rank == 0 && i < n; ++i) {
        MPI_Put(local, count, MPI_BYTE, 1, 0, count, MPI_BYTE, window);
        if (i % IN_FLIGHT == IN_FLIGHT - 1 || i == n - 1) {
            MPI_Win_flush(1, window);
        }
    }
}

static void fence(long n, size_t bytes)
{
    (void)bytes;
    for (long i = 0; i < n; ++i) {
        MPI_Win_fence(0, window);
    }
}

static void barriers(long n, size_t bytes)
{
    (void)bytes;
    for (long i = 0; i < n; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void measure_pair(const struct peer *peer)
{
    static const size_t message[] = {0, 8, 4096, 65536};
    static const size_t transfer[] = {8, 4096, 65536, MOST};
    char *base;

    for (int i = 0; i < 4; ++i) {
        peer_measure(peer, "round_trip", message[i], ping_pong);
    }
    MPI_Win_allocate((MPI_Aint)MOST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                     &window);
    memset(base, 0, MOST);
    peer_measure(peer, "fence", 0, fence);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 4; ++i) {
        peer_measure(peer, "put", transfer[i], put);
        peer_measure(peer, "get", transfer[i], get);
    }
    peer_measure(peer, "put_many", 8, put_many);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    local = malloc(2 * MOST);
    if (!local) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(local, 1, 2 * MOST);

    const struct peer peer = {rank, ranks, barrier, share};
    if (ranks == 2) {
        measure_pair(&peer);
    }
    peer_measure(&peer, "barrier", 0, barriers);
    free(local);
    MPI_Finalize();
    return 0;
}
