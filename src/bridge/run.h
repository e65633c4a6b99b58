/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of a card's compute core that a client has sent, from their request to their end.
 * Shared by the server's thread and by whoever reports the end of the card's lists of them, on
 * any thread: the last one to let go frees it, since neither can wait for the other (the
 * client may be gone while its commands run, and so may the server).
 */
#ifndef FSH_BRIDGE_RUN_H
#define FSH_BRIDGE_RUN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/fsh_spec.h"

#define FSH_BRIDGE_COMMAND_BYTES (FSH_CCMD_WORDS * sizeof(uint64_t))

struct fsh_bridge_card;

struct fsh_bridge_run {
    atomic_uint holders; /* the server, and each list that has not ended */
    atomic_uint status;  /* FSH_STATUS_ of the first list that failed */
    struct fsh_bridge_card *card;
    uint32_t count[2]; /* commands for the array queue, and the mover queue */
    uint64_t (*words)[FSH_CCMD_WORDS]; /* in that order; the server's */
};

/* The server, or a list of the card, needs it no more. */
static inline void fsh_bridge_run_leave(struct fsh_bridge_run *run)
{
    /* Release: the status. Acquire, partner: the other's release, before it is freed. */
    if (atomic_fetch_sub_explicit(&run->holders, 1, memory_order_acq_rel) != 1)
        return;
    free(run->words);
    free(run);
}

/* A list of the card has ended with this status of the core. */
static inline void fsh_bridge_run_end(struct fsh_bridge_run *run,
                                      unsigned status)
{
    unsigned ok = FSH_STATUS_OK;

    if (status != FSH_STATUS_OK)
        atomic_compare_exchange_strong_explicit(&run->status, &ok, status,
                                                memory_order_relaxed,
                                                memory_order_relaxed);
    fsh_bridge_run_leave(run);
}

/* Have all lists ended? For the server. */
static inline bool fsh_bridge_run_is_over(struct fsh_bridge_run *run)
{
    /* Acquire, partner: fsh_bridge_run_leave. */
    return atomic_load_explicit(&run->holders, memory_order_acquire) == 1;
}

#endif
