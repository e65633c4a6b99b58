/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sum that shows how its four operands were grouped: coll_mutated <sum>. With the program
 * of the algorithm it is 1.5; linked with one that takes its levels the other way round
 * (CMakeLists.txt) it is 0. So every executor runs the program, and nothing else.
 */
#include "coll.h"

enum { SEGMENT = 1 << 20, MOST = 5000 };

/* Of each rank; 2^24 and all numbers next to it are whole. */
static const float part[] = {16777216.0f, -16777216.0f, 1.0f, 0.5f};

int main(int argc, char **argv)
{
    static const int counts[] = {1, 7, 300, MOST};
    coll_begin("coll_mutated", &argc, &argv, SEGMENT);
    const float want = strtof(argc > 1 ? argv[1] : "1.5", NULL);
    float *src = (float *)(void *)conf_addr(conf.me), *dst = src + MOST;
    CHECK_EQ(conf.n, CONF_COUNT(part));
    for (int i = 0; i < MOST; i++) {
        src[i] = part[conf.me];
    }
    for (int k = 0; k < CONF_COUNT(counts); k++) {
        FINE(fshmem_coll_allreduce(GASNET_TEAM_ALL, dst, src, (size_t)counts[k],
                                   FSHMEM_FLOAT, FSHMEM_SUM,
                                   FSHMEM_COLL_DOUBLING));
        for (int i = 0; i < counts[k]; i++) {
            CHECK(dst[i] == want, "element %d of %d is %g, not %g", i,
                  counts[k], (double)dst[i], (double)want);
        }
    }
    conf_pass();
}
