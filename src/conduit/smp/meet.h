/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of conduit smp, by words in shared memory; the contract is that of
 * barrier_arrive and barrier_arrived in conduit.h. Knows no boot and no GASNet,
 * so that a test can run all ranks as threads of one process. One thread at a
 * time.
 *
 * Few ranks, or more ranks than processors: each shows its word to all, and
 * looks at those of the others in turn. With more ranks than processors the
 * first that has seen all says so in one place, since each round of looking
 * costs a turn of the scheduler. Otherwise dissemination (Hensgen, Finkel,
 * Manber 1988): in round r a rank gives what it knows to the one 2^r above.
 */
#ifndef FSH_SMP_MEET_H
#define FSH_SMP_MEET_H

#include "conduit/smp/ring.h"

struct fsh_smp_meeting {
    struct fsh_smp_port *port; /* for ending the sleep of others */
    struct fsh_smp_meet *meet; /* of all ranks, in shared memory */
    struct fsh_smp_word *over; /* [2] */
    uint32_t rank, ranks, rounds;
    bool flat, crowded;
    fsh_merge_fn merge;
    uint64_t mine;  /* phase and what is known of the consensus */
    uint32_t next;  /* rank or round to look at next */
    unsigned which; /* of the two sets of words */
};

/* base: the mapped object. */
void fsh_smp_meeting_init(struct fsh_smp_meeting *m, struct fsh_smp_port *port,
                          void *base, const struct fsh_smp_layout *layout,
                          uint32_t rank, bool crowded);

/* As in struct fsh_barrier_ops. */
void fsh_smp_meeting_arrive(struct fsh_smp_meeting *m, uint32_t phase,
                            uint64_t opinion, fsh_merge_fn merge);
bool fsh_smp_meeting_arrived(struct fsh_smp_meeting *m, uint64_t *opinion,
                             uint32_t *missing);

#endif
