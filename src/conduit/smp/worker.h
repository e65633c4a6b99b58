/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core of a rank of conduit smp: takes the lists of its two queues,
 * runs their commands in order (compute/execute/execute.h does the arithmetic),
 * waits for events, sends results to the segments of other ranks, signals and
 * completes. Independent of boot and GASNet, so that a test can run many in one
 * process. One thread serves both queues; a queue that waits for an event does
 * not block the other. A thread of the rank that waits for a short command runs it
 * itself (fsh_smp_worker_help): two switches between threads may take longer than the
 * command.
 */
#ifndef FSH_SMP_WORKER_H
#define FSH_SMP_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "conduit/smp/compute_queue.h"

/* A rank's memory as accessed by all cores. */
struct fsh_smp_memory {
    unsigned char *base;
    size_t bytes; /* segment and area */
};

struct fsh_smp_worker_queue {
    uint64_t head; /* total lists taken */
    uint32_t addr; /* of the list's next command */
    uint32_t left; /* commands left in the list */
    bool fetched;  /* command and status hold the command at the head */
    unsigned status;
    uint64_t command[FSH_CCMD_WORDS];
};

struct fsh_smp_worker {
    uint32_t rank, ranks;
    struct fsh_smp_compute *cores;          /* all ranks */
    const struct fsh_smp_memory *memory;    /* all ranks */
    void (*tell)(void *arg, uint32_t rank); /* a completion is ready; or NULL */
    void (*poke)(void *arg, uint32_t rank); /* results were stored; or NULL: as
                                               after a put, the rank may be
                                               asleep waiting for them */
    void *arg;
    struct fsh_lock lock; /* whoever makes a step; of `queue` */
    struct fsh_smp_worker_queue queue[FSH_SMP_QUEUES];
    /* FSH_CPERF_*, for any thread. Relaxed: the completion of a command orders
     * its count. */
    _Atomic uint64_t commands, sent_bytes;
};

#define FSH_SMP_WORKER_LOCK FSH_LOCK_INIT("a compute core", FSH_LOCK_CORE)

/* Makes all progress possible now, at most one command per queue; returns
 * whether there was any. */
bool fsh_smp_worker_step(struct fsh_smp_worker *worker);

/* The same for another thread, if no step is under way and the command is short, which
 * is where a queue ends otherwise. */
bool fsh_smp_worker_help(struct fsh_smp_worker *worker);

/* Alternates steps and sleeps until *stop, which is tested after each
 * wake-up. */
void fsh_smp_worker_run(struct fsh_smp_worker *worker,
                        const _Atomic uint32_t *stop);

#endif
