/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's compute core as shared with the other ranks of conduit smp: the lists of
 * commands submitted to it, its event counters, and the completions the rank is
 * waiting for. Any rank writes, without locks. On the owner's side the worker thread
 * (worker.h) reads the lists, and one thread at a time the completions. Zeroed memory
 * is an idle core marked absent.
 *
 * Each cell of a queue has a turn: 2 * lap means free for that lap, 2 * lap + 1
 * filled. Writers claim a position by compare-and-swap on `tail`.
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

#define FSH_SMP_LISTS 16u /* per queue, as in the logic */
#define FSH_SMP_DONES 2048u

struct fsh_smp_list {
    _Atomic uint32_t turn;
    uint32_t count; /* commands */
    uint32_t addr;  /* of the first command, in units of 64 bytes */
};

struct fsh_smp_done {
    _Atomic uint32_t turn;
    uint16_t cookie;
    uint8_t status; /* FSH_STATUS_ */
};

struct fsh_smp_compute {
    /* Line 0: the worker's sleep. work: futex, incremented by whoever gives the
     * core something to do; asleep: set and cleared by the worker; present: set
     * by the owner before ranks communicate. */
    _Alignas(64) _Atomic uint32_t work;
    _Atomic uint32_t asleep;
    _Atomic uint32_t present;
    /* Event counters: anyone adds, the worker subtracts. */
    _Alignas(64) _Atomic uint32_t event[FSH_NUM_EVENTS];
    struct fsh_smp_lists {
        _Alignas(64) _Atomic uint64_t tail; /* lists submitted in total */
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

/* Submits a list to a queue; false if it is full. The second does not wake the worker:
 * who calls it runs the list, or wakes it. */
bool fsh_smp_compute_run(struct fsh_smp_compute *core, unsigned queue,
                         uint32_t addr, uint32_t count);
bool fsh_smp_compute_add(struct fsh_smp_compute *core, unsigned queue,
                         uint32_t addr, uint32_t count);
/* Takes the list at position *head of a queue; the owner's worker only. */
bool fsh_smp_compute_take(struct fsh_smp_compute *core, unsigned queue,
                          uint64_t *head, uint32_t *addr, uint32_t *count);

/* Adds to an event counter, which saturates at FSH_EVENT_FULL. */
void fsh_smp_compute_signal(struct fsh_smp_compute *core, unsigned event,
                            uint32_t increment);
/* Subtracts count if the counter has reached it; the owner's worker only. */
bool fsh_smp_compute_await(struct fsh_smp_compute *core, unsigned event,
                           uint32_t count);

/* Adds a completion for the owner; false if its queue is full. */
bool fsh_smp_compute_complete(struct fsh_smp_compute *core, unsigned cookie,
                              unsigned status);
/* Takes the completion at position *head; one thread at a time. */
bool fsh_smp_compute_completed(struct fsh_smp_compute *core, uint64_t *head,
                               unsigned *cookie, unsigned *status);

/* Wakes the worker if it sleeps. */
void fsh_smp_compute_wake(struct fsh_smp_compute *core);
/* Sleeps until a wake-up after `seen` was read from core->work. Worker only. */
void fsh_smp_compute_sleep(struct fsh_smp_compute *core, uint32_t seen);

#endif
