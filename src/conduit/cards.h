/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks with a card among each other, for a conduit in which others have none: set-up
 * in parts, implemented in conduit/fpga/setup.c. What they do then is in the table of
 * conduit fpga, between two ranks that both have a card, in free time. Ranks are those of
 * the job everywhere.
 */
#ifndef FSH_CONDUIT_CARDS_H
#define FSH_CONDUIT_CARDS_H

#include "conduit/conduit.h"

/* Bytes of a Long at most, between any two of them. */
#define FSH_CARDS_MAX_LONG ((size_t)1 << 20)

/* What a rank tells all others; without a card, nothing but its segment. */
struct fsh_card_facts {
    struct fsh_segment segment;
    uint64_t engines;
};

/* Not collective, on the main thread, once each: opens this rank's card; makes its segment;
 * and, when those of all ranks are known ([ranks]), enables it. Before anybody sends all
 * must be enabled. beside: progress of what else this rank's conduit does, while it waits
 * for another rank; NULL: nothing. Failures are fatal with a message. */
void fsh_cards_open(enum fsh_threads threads, bool (*beside)(void),
                    struct fsh_limits *limits);
void fsh_cards_segment(size_t size, struct fsh_card_facts *mine);
void fsh_cards_enable(const struct fsh_card_facts *facts);

#endif
