/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core of a rank of conduit smp: takes the lists of its two queues,
 * runs their commands in order (compute/execute/execute.h does the arithmetic),
 * waits for events, sends results into the segments of other ranks, signals and
 * completes. Knows no boot and no GASNet, so that a test can run many in one
 * process. One thread calls it; both queues share it, and one that waits for an
 * event does not hold up the other.
 */
#ifndef FSH_SMP_WORKER_H
#define FSH_SMP_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/smp/compute_queue.h"

/* The memory of a rank as its core and the others' see it. */
struct fsh_smp_memory {
    unsigned char *base;
    size_t bytes; /* segment and area */
};

struct fsh_smp_worker_queue {
    uint64_t head; /* lists taken, ever */
    uint32_t addr; /* of the next command of the list */
    uint32_t left; /* commands of it */
    bool fetched;  /* command and status are those of a command in front */
    unsigned status;
    uint64_t command[FSH_CCMD_WORDS];
};

struct fsh_smp_worker {
    uint32_t rank, ranks;
    struct fsh_smp_compute *cores;          /* all ranks */
    const struct fsh_smp_memory *memory;    /* all ranks */
    void (*tell)(void *arg, uint32_t rank); /* a completion is there, or NULL */
    void (*poke)(void *arg, uint32_t rank); /* results are there, or NULL: as
                                               after a put, the rank may sleep
                                               until it sees them */
    void *arg;
    struct fsh_smp_worker_queue queue[FSH_SMP_QUEUES];
    /* FSH_CPERF_, for any thread. Relaxed: whoever knows by its completion that
     * a command has ended sees it counted. */
    _Atomic uint64_t commands, sent_bytes;
};

/* Do what can be done now, a command a queue at most; whether there was any. */
bool fsh_smp_worker_step(struct fsh_smp_worker *worker);

/* Step and sleep in turns until *stop, which is looked at after each wake. */
void fsh_smp_worker_run(struct fsh_smp_worker *worker,
                        const _Atomic uint32_t *stop);

#endif
