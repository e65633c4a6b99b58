/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that disagree on a call: coll_mismatch <scenario> makes the last one differ
 * from the others in one respect, and the job must end with a line that says so. killed,
 * killed_ring: it dies in the middle of many, of encoded rings. hung: it never calls.
 */
#include "coll.h"

enum { SEGMENT = 1 << 20, COUNT = 40 };

static double dst[COUNT * COLL_MAX_RANKS], src[COUNT * COLL_MAX_RANKS];

static fshmem_status_t sum(size_t count, fshmem_type_t type, fshmem_op_t op,
                           unsigned flags)
{
    return fshmem_coll_allreduce(GASNET_TEAM_ALL, dst, src, count, type, op,
                                 flags);
}

static fshmem_status_t encoded(void)
{
    return sum(COUNT, FSHMEM_FLOAT, FSHMEM_SUM, FSHMEM_WIRE_BFP16);
}

/* ---- one makes a call by messages, the others one by loads ------------------- */

static void lists(int last)
{
    size_t sizes[COLL_MAX_RANKS];
    for (int i = 0; i < COLL_MAX_RANKS; i++) {
        sizes[i] = sizeof *src;
    }
    if (last) {
        FINE(fshmem_coll_alltoallv(GASNET_TEAM_ALL, dst, sizes, NULL, src,
                                   sizes, NULL, 0));
    } else {
        FINE(fshmem_coll_alltoall(GASNET_TEAM_ALL, dst, src, sizeof *src, 0));
    }
}

static void add(void *results, size_t count, const void *left,
                size_t left_count, const void *right, size_t elem_size,
                int flags, int arg)
{
    (void)results, (void)count, (void)left, (void)left_count, (void)right;
    (void)elem_size, (void)flags, (void)arg;
}

/* The last one sends what it has, and goes on. */
static void function(int last)
{
    const int flags =
        GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    gasnet_coll_fn_entry_t functions[1] = {{add, 0}};
    gasnet_coll_init(NULL, 0, functions, 1, 0);
    if (last) {
        gasnet_coll_reduce(GASNET_TEAM_ALL, 0, dst, src, 0, 0, sizeof *src, 1,
                           0, 0, flags);
    } else {
        gasnet_coll_broadcast(GASNET_TEAM_ALL, dst, 0, src, sizeof *src, flags);
    }
    conf_barrier();
}

static void queued(int last)
{
    gasnet_handle_t handle;
    if (last) {
        FINE(encoded());
    }
    FINE(fshmem_coll_allreduce_nb(GASNET_TEAM_ALL, dst, src, COUNT,
                                  FSHMEM_FLOAT, FSHMEM_SUM, 0, &handle));
    gasnet_wait_syncnb(handle);
}

/* Its messages are there before the others call, which need not wait for it. */
static void early(int last)
{
    if (last) {
        FINE(encoded());
    }
    for (int i = 0; i < 300; i++) {
        gasnet_AMPoll();
        usleep(1000);
    }
    FINE(fshmem_coll_broadcast(GASNET_TEAM_ALL, dst, 0, src, sizeof *src, 0));
    conf_barrier();
}

/* Each has another root, none is its own: all send, and go on. They notice at the latest
 * when they wait for one that is late, though those calls are alike. */
static void roots(int last)
{
    FINE(fshmem_coll_gather(GASNET_TEAM_ALL, (conf.me + 1) % conf.n, NULL, src,
                            sizeof *src, 0));
    for (int i = 0; i < 3; i++) {
        FINE(sum(1, FSHMEM_DOUBLE, FSHMEM_SUM, 0));
    }
    if (last) {
        usleep(6000000); /* engines are asked after seconds */
    }
    FINE(sum(1, FSHMEM_DOUBLE, FSHMEM_SUM, 0));
}

static void killed(int last)
{
    for (int i = 0;; i++) {
        if (last && i == 100) {
            raise(SIGKILL);
        }
        FINE(sum(i % 2 ? COUNT : 1, FSHMEM_DOUBLE, FSHMEM_SUM, 0));
    }
}

/* It lives, but never calls. */
static void hung(int last)
{
    FINE(sum(1, FSHMEM_DOUBLE, FSHMEM_SUM, 0));
    while (last) {
        usleep(10000);
    }
    FINE(sum(1, FSHMEM_DOUBLE, FSHMEM_SUM, 0));
}

static void killed_ring(int last)
{
    static float gradients[64 * 1024];
    for (int i = 0;; i++) {
        gasnet_handle_t handle;
        FINE(fshmem_coll_allreduce_nb(GASNET_TEAM_ALL, gradients, gradients,
                                      CONF_COUNT(gradients), FSHMEM_FLOAT,
                                      FSHMEM_SUM, FSHMEM_WIRE_BFP16, &handle));
        if (last && i == 2) {
            gasnet_try_syncnb(handle);
            raise(SIGKILL);
        }
        gasnet_wait_syncnb(handle);
    }
}

int main(int argc, char **argv)
{
    const char *scenario = argc > 1 ? argv[1] : "";
    coll_begin("coll_mismatch", &argc, &argv, SEGMENT);
    const int last = conf.me == conf.n - 1;
    if (strcmp(scenario, "root") == 0) {
        FINE(fshmem_coll_broadcast(GASNET_TEAM_ALL, dst, last ? 1 : 0, src,
                                   sizeof *src, 0));
    } else if (strcmp(scenario, "count") == 0) {
        FINE(sum(last ? COUNT : 1, FSHMEM_DOUBLE, FSHMEM_SUM, 0));
    } else if (strcmp(scenario, "long") == 0) {
        /* One side waits to be asked, the other for a packet that comes unasked. */
        FINE(fshmem_coll_broadcast(GASNET_TEAM_ALL, dst, 0, src,
                                   last ? sizeof *src : COUNT * sizeof *src * 4,
                                   0));
    } else if (strcmp(scenario, "short") == 0) {
        FINE(fshmem_coll_broadcast(GASNET_TEAM_ALL, dst, 0, src,
                                   last ? COUNT * sizeof *src * 4 : sizeof *src,
                                   0));
    } else if (strcmp(scenario, "empty") == 0) {
        FINE(fshmem_coll_allgather(GASNET_TEAM_ALL, dst, src,
                                   last ? 0 : sizeof *src, 0));
        conf_barrier();
    } else if (strcmp(scenario, "type") == 0) {
        FINE(sum(1, last ? FSHMEM_INT64 : FSHMEM_DOUBLE, FSHMEM_SUM, 0));
    } else if (strcmp(scenario, "op") == 0) {
        FINE(sum(1, FSHMEM_DOUBLE, last ? FSHMEM_MAX : FSHMEM_SUM, 0));
    } else if (strcmp(scenario, "algorithm") == 0) {
        FINE(sum(1, FSHMEM_DOUBLE, FSHMEM_SUM,
                 last ? FSHMEM_COLL_RING : FSHMEM_COLL_DOUBLING));
    } else if (strcmp(scenario, "wire") == 0) {
        FINE(sum(COUNT, FSHMEM_FLOAT, FSHMEM_SUM,
                 FSHMEM_COLL_RING |
                     (last ? FSHMEM_WIRE_BFP16 : FSHMEM_WIRE_FP32)));
    } else if (strcmp(scenario, "lists") == 0) {
        lists(last);
    } else if (strcmp(scenario, "function") == 0) {
        function(last);
    } else if (strcmp(scenario, "queued") == 0) {
        queued(last);
    } else if (strcmp(scenario, "roots") == 0) {
        roots(last);
    } else if (strcmp(scenario, "killed") == 0) {
        killed(last);
    } else if (strcmp(scenario, "hung") == 0) {
        hung(last);
    } else if (strcmp(scenario, "killed_ring") == 0) {
        killed_ring(last);
    } else if (strcmp(scenario, "early") == 0) {
        early(last);
    } else if (strcmp(scenario, "call") == 0 && last) {
        FINE(fshmem_coll_barrier(GASNET_TEAM_ALL, 0));
    } else if (strcmp(scenario, "call") == 0) {
        FINE(fshmem_coll_allgather(GASNET_TEAM_ALL, dst, src, sizeof *src, 0));
    }
    conf_pass();
}
