/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI with the tests of fshperf smp: message round trips, put and get in a
 * window of allocated memory (complete at the target before the next), fence,
 * barrier. Two ranks run all, more only the barrier. With the argument "coll",
 * followed by sizes, the tests of fshperf coll. Built by peers.py with the compiler
 * wrapper of each MPI.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "../tools/fshperf/gate.h"
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

/* ---- collectives ---- */

static void latest(uint64_t *value, int n)
{
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : value, value, n, MPI_UINT64_T,
               MPI_MAX, 0, MPI_COMM_WORLD);
}

static void allreduce(const struct peer_buffers *b)
{
    MPI_Allreduce(b->src, b->dst, (int)(b->bytes / sizeof(double)), MPI_DOUBLE,
                  MPI_SUM, MPI_COMM_WORLD);
}

static void broadcast(const struct peer_buffers *b)
{
    MPI_Bcast(rank == 0 ? b->src : b->dst, (int)b->bytes, MPI_BYTE, 0,
              MPI_COMM_WORLD);
}

static void allgather(const struct peer_buffers *b)
{
    MPI_Allgather(b->src, (int)b->bytes, MPI_BYTE, b->dst, (int)b->bytes,
                  MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(const struct peer_buffers *b)
{
    MPI_Alltoall(b->src, (int)b->bytes, MPI_BYTE, b->dst, (int)b->bytes,
                 MPI_BYTE, MPI_COMM_WORLD);
}

/* Of one size. */
static void time_collectives(const struct peer_collectives *all, size_t bytes)
{
    size_t most = (size_t)ranks * bytes;
    char *memory = malloc(2 * most);
    struct peer_buffers one = {(double *)memory, (double *)(memory + most),
                               bytes, 1, 1};
    struct peer_buffers out = one, both = one;

    if (!memory) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    out.dst_blocks = both.src_blocks = both.dst_blocks = ranks;
    peer_time(all, "allreduce", &one, allreduce);
    peer_time(all, "broadcast", &one, broadcast);
    peer_time(all, "allgather", &out, allgather);
    peer_time(all, "alltoall", &both, alltoall);
    free(memory);
}

static struct gate *shared_gate(MPI_Win *of)
{
    struct gate *gate;
    MPI_Aint size;
    int unit;

    MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)4096 : 0, 1, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &gate, of);
    MPI_Win_shared_query(*of, 0, &size, &unit, &gate);
    if (rank == 0) {
        memset(gate, 0, sizeof *gate);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return gate;
}

static void measure_collectives(const struct peer *peer, int count,
                                char *const *sizes)
{
    MPI_Win of;
    struct peer_collectives all = {peer, shared_gate(&of), latest};

    for (int i = 0; i < count; ++i) {
        time_collectives(&all, strtoul(sizes[i], NULL, 10));
    }
    MPI_Win_free(&of);
}

static void measure_shapes(const struct peer *peer)
{
    local = malloc(2 * MOST);
    if (!local) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(local, 1, 2 * MOST);
    if (ranks == 2) {
        measure_pair(peer);
    }
    peer_measure(peer, "barrier", 0, barriers);
    free(local);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const struct peer peer = {rank, ranks, barrier, share};
    if (argc > 1 && strcmp(argv[1], "coll") == 0) {
        measure_collectives(&peer, argc - 2, argv + 2);
    } else {
        measure_shapes(&peer);
    }
    MPI_Finalize();
    return 0;
}
