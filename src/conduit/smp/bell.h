/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bells: how the ranks of a host end each other's sleep where that waits for
 * descriptors, too, which a futex cannot. Each rank has a pipe, and opens those of the
 * others by /proc. Main thread, in gasnet_init; hush from any thread.
 */
#ifndef FSH_SMP_BELL_H
#define FSH_SMP_BELL_H

#include <stdbool.h>
#include <stdint.h>

/* Longest sleep of a rank whose bell somebody cannot ring. */
#define FSH_SMP_DEAF_NS UINT64_C(1000000)

struct fsh_smp_bells {
    int mine;  /* readable once it has rung; -1 none */
    int *to;   /* by index: where to write; -1 none */
    bool deaf; /* somebody here cannot ring for somebody */
};

/* index as in struct fsh_smp_ranks. Collective over all ranks of the job. */
void fsh_smp_bells_hang(struct fsh_smp_bells *bells, uint32_t rank,
                        uint32_t ranks, const uint32_t *index);
/* It has been heard. Never blocks. */
void fsh_smp_bells_hush(const struct fsh_smp_bells *bells);

#endif
