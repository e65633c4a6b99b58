/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that disagree on a call: coll_mismatch <scenario> makes the last one differ
 * from the others in one respect, and the job must end with a line that says so.
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
    } else if (strcmp(scenario, "call") == 0 && last) {
        FINE(fshmem_coll_barrier(GASNET_TEAM_ALL, 0));
    } else if (strcmp(scenario, "call") == 0) {
        FINE(fshmem_coll_allgather(GASNET_TEAM_ALL, dst, src, sizeof *src, 0));
    }
    conf_pass();
}
