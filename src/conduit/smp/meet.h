/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of the ranks of one host, by words in shared memory; implements arrive
 * and arrived of struct fsh_barrier_ops in conduit.h. Independent of boot and GASNet, so
 * that a test can run all ranks as threads of one process. One thread at a time.
 *
 * With few ranks, or when oversubscribed, each rank publishes its word to all and
 * reads those of the others in turn; when oversubscribed, the first rank to have seen
 * all says so in one place, since each further round of reading costs a scheduler
 * turn. Otherwise it uses dissemination (Hensgen, Finkel, Manber 1988): in round r a
 * rank passes what it knows to the rank 2^r above.
 *
 * Where the ranks here are a part of those that meet, the first of them leads: it
 * gathers the words of the others, meets the leaders of other hosts (conduit/ofi/meet.c),
 * and releases the others with the consensus of all.
 */
#ifndef FSH_SMP_MEET_H
#define FSH_SMP_MEET_H

#include "conduit/smp/ring.h"

struct fsh_smp_meeting {
    struct fsh_smp_port *port;    /* for waking others */
    struct fsh_smp_meet *meet;    /* of all ranks, in shared memory */
    struct fsh_smp_word *over;    /* [2] */
    uint32_t rank, ranks, rounds; /* rank: its words; ranks: that meet here */
    bool flat, crowded;
    fsh_merge_fn merge;
    uint64_t mine;  /* phase, and the consensus as far as known */
    uint32_t next;  /* next rank or round to look at */
    unsigned which; /* which of the two sets of words */
    /* Led: the ranks here, the first leads, and by rank whose words are whose. */
    const uint32_t *member, *index;
};

/* base: the mapped object. */
void fsh_smp_meeting_init(struct fsh_smp_meeting *m, struct fsh_smp_port *port,
                          void *base, const struct fsh_smp_layout *layout,
                          uint32_t rank, bool crowded);

/* The ranks here are these n of more, ascending; the words of each are those of
 * index[rank]. Both stay the caller's. */
void fsh_smp_meeting_lead(struct fsh_smp_meeting *m, const uint32_t *member,
                          uint32_t n, const uint32_t *index);

/* As in struct fsh_barrier_ops; `arrived` if it is not led. */
void fsh_smp_meeting_arrive(struct fsh_smp_meeting *m, uint32_t phase,
                            uint64_t opinion, fsh_merge_fn merge);
bool fsh_smp_meeting_arrived(struct fsh_smp_meeting *m, uint64_t *opinion,
                             uint32_t *missing);
/* Led. The leader: have all ranks here arrived? As `arrived`, but they stay until it
 * releases them, once, with the consensus of all ranks of the job. */
bool fsh_smp_meeting_gathered(struct fsh_smp_meeting *m, uint64_t *opinion,
                              uint32_t *missing);
void fsh_smp_meeting_release(struct fsh_smp_meeting *m, uint64_t opinion);
/* The others: is it over? */
bool fsh_smp_meeting_released(struct fsh_smp_meeting *m, uint64_t *opinion);

#endif
