/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenSHMEM with the tests of fshperf smp: put and get of symmetric memory, round
 * trips of put and flag, barrier. Two ranks run all, more only the barrier.
 * Built by peers.py with oshcc.
 */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

#define MOST ((size_t)1 << 20)
#define IN_FLIGHT 16

static int rank;
static char *local, *remote; /* private, symmetric */
static long *flag, *shared, sent;

static long share(long value)
{
    if (rank == 0) {
        for (int i = 0; i < shmem_n_pes(); ++i) {
            shmem_long_p(shared, value, i);
        }
    }
    shmem_barrier_all();
    value = *(volatile long *)shared;
    shmem_barrier_all();
    return value;
}

static void send(size_t bytes)
{
    if (bytes > 0) {
        shmem_putmem(remote, local, bytes, 1 - rank);
        shmem_fence();
    }
    shmem_long_p(flag, sent, 1 - rank);
}

static void ping_pong(long n, size_t bytes)
{
    for (long i = 0; i < n; ++i) {
        ++sent;
        if (rank == 0) {
            send(bytes);
        }
        shmem_long_wait_until(flag, SHMEM_CMP_GE, sent);
        if (rank == 1) {
            send(bytes);
        }
    }
}

static void put(long n, size_t bytes)
{
    for (long i = 0; rank == 0 && i < n; ++i) {
        shmem_putmem(remote, local, bytes, 1);
        shmem_quiet();
    }
}

static void get(long n, size_t bytes)
{
    for (long i = 0; rank == 0 && i < n; ++i) {
        shmem_getmem(local, remote, bytes, 1);
    }
}

static void put_many(long n, size_t bytes)
{
    for (long i = 0; rank == 0 && i < n; ++i) {
        shmem_putmem_nbi(remote, local, bytes, 1);
        if (i % IN_FLIGHT == IN_FLIGHT - 1 || i == n - 1) {
            shmem_quiet();
        }
    }
}

static void barriers(long n, size_t bytes)
{
    (void)bytes;
    for (long i = 0; i < n; ++i) {
        shmem_barrier_all();
    }
}

static void measure_pair(const struct peer *peer)
{
    static const size_t message[] = {0, 8, 4096, 65536};
    static const size_t transfer[] = {8, 4096, 65536, MOST};

    for (int i = 0; i < 4; ++i) {
        peer_measure(peer, "round_trip", message[i], ping_pong);
    }
    for (int i = 0; i < 4; ++i) {
        peer_measure(peer, "put", transfer[i], put);
        peer_measure(peer, "get", transfer[i], get);
    }
    peer_measure(peer, "put_many", 8, put_many);
}

int main(void)
{
    shmem_init();
    rank = shmem_my_pe();
    local = malloc(MOST);
    remote = shmem_malloc(MOST);
    flag = shmem_calloc(1, sizeof *flag);
    shared = shmem_calloc(1, sizeof *shared);
    if (!local || !remote || !flag || !shared) {
        shmem_global_exit(1);
    }
    memset(local, 1, MOST);
    memset(remote, 0, MOST);

    const struct peer peer = {rank, shmem_n_pes(), shmem_barrier_all, share};
    if (peer.ranks == 2) {
        measure_pair(&peer);
    }
    peer_measure(&peer, "barrier", 0, barriers);
    free(local);
    shmem_finalize();
    return 0;
}
