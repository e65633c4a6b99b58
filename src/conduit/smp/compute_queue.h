/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank of conduit smp shares with the others for its compute core: the
 * lists of commands it was given, its event counters, and the completions it
 * waits for. Any rank writes, without locks; of the owner, the worker thread reads
 * the lists (worker.h), and one thread at a time the completions. Memory of zeros
 * is a compute core that is idle and absent.
 *
 * A cell of a queue has a turn: 2 * lap means free for that lap, 2 * lap + 1
 * filled. Writers claim a place with a compare-and-swap of `tail`.
 */
#ifndef FSH_SMP_COMPUTE_QUEUE_H
#define FSH_SMP_COMPUTE_QUEUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "conduit/conduit.h"

enum { FSH_SMP_ARRAY, FSH_SMP_MOVER, FSH_SMP_QUEUES };

#define FSH_SMP_LISTS 16u /* a queue, as in the logic */
#define FSH_SMP_DONES 2048u

struct fsh_smp_list {
    _Atomic uint32_t turn;
    uint32_t count; /* commands */
    uint32_t addr;  /* of the first, in units of 64 bytes */
};

struct fsh_smp_done {
    _Atomic uint32_t turn;
    uint16_t cookie;
    uint8_t status; /* FSH_STATUS_ */
};

struct fsh_smp_compute {
    /* Line 0: the worker's sleep. work: futex, bumped by whoever gives the core
     * something to look at; asleep: set and cleared by the worker; present: set
     * by the owner before the job starts to talk. */
    _Alignas(64) _Atomic uint32_t work;
    _Atomic uint32_t asleep;
    _Atomic uint32_t present;
    /* Event counters: anybody adds, the worker takes off. */
    _Alignas(64) _Atomic uint32_t event[FSH_NUM_EVENTS];
    struct fsh_smp_lists {
        _Alignas(64) _Atomic uint64_t tail; /* lists given, ever */
        struct fsh_smp_list list[FSH_SMP_LISTS];
    } queue[FSH_SMP_QUEUES];
    /* Completions for the owner, from the workers of all ranks. */
    _Alignas(64) _Atomic uint64_t tail;
    struct fsh_smp_done done[FSH_SMP_DONES];
};

_Static_assert(FSH_COMMANDS_IN_FLIGHT <= FSH_SMP_DONES, "room for completions");
_Static_assert(sizeof(struct fsh_smp_list) == 12, "list");
_Static_assert(sizeof(struct fsh_smp_done) == 8, "completion");
_Static_assert(offsetof(struct fsh_smp_compute, event) == 64, "line 1");
_Static_assert(offsetof(struct fsh_smp_compute, queue) == 320, "line 5");
_Static_assert(offsetof(struct fsh_smp_compute, tail) == 832, "line 13");

/* Give a list to a queue; false if it is full. */
bool fsh_smp_compute_run(struct fsh_smp_compute *core, unsigned queue,
                         uint32_t addr, uint32_t count);
/* The list at place *head of a queue; the owner's worker only. */
bool fsh_smp_compute_take(struct fsh_smp_compute *core, unsigned queue,
                          uint64_t *head, uint32_t *addr, uint32_t *count);

/* Add to an event counter, unless it has come to FSH_EVENT_FULL. */
void fsh_smp_compute_signal(struct fsh_smp_compute *core, unsigned event,
                            uint32_t increment);
/* Take count off if there are as many; the owner's worker only. */
bool fsh_smp_compute_await(struct fsh_smp_compute *core, unsigned event,
                           uint32_t count);

/* Add a completion for the owner; false if its queue is full. */
bool fsh_smp_compute_complete(struct fsh_smp_compute *core, unsigned cookie,
                              unsigned status);
/* The completion at place *head; one thread at a time. */
bool fsh_smp_compute_completed(struct fsh_smp_compute *core, uint64_t *head,
                               unsigned *cookie, unsigned *status);

/* Wake the worker if it sleeps. */
void fsh_smp_compute_wake(struct fsh_smp_compute *core);
/* Sleep until woken after `seen` was read from core->work. Worker only. */
void fsh_smp_compute_sleep(struct fsh_smp_compute *core, uint32_t seen);

#endif
