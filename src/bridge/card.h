/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the bridge's server needs of a card: a DMA window, in which its ring of buffers
 * lies, moves between that window and card memory, and the compute core. The server calls
 * from its own thread only, and owns no other access to the card. Two engines, one a
 * direction, take moves in order and run at the same time.
 */
#ifndef FSH_BRIDGE_CARD_H
#define FSH_BRIDGE_CARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/run.h"

enum fsh_bridge_direction {
    FSH_BRIDGE_TO,   /* host to card */
    FSH_BRIDGE_FROM, /* card to host */
    FSH_BRIDGE_DIRECTIONS
};

struct fsh_bridge_move {
    enum fsh_bridge_direction direction;
    uint64_t offset; /* in card memory, any */
    void *local;     /* in the DMA window, any */
    size_t bytes;    /* 1 or more */
    void *owner;     /* given back by poll */
};

struct fsh_bridge_moved {
    void *owner;
    bool failed; /* the card reported a memory error */
};

struct fsh_bridge_card;

struct fsh_bridge_card_ops {
    const char *name;
    /* Starts a move inside window and card memory. Never waits; false: the engine has no
     * room now, try again after something has moved. */
    bool (*start)(struct fsh_bridge_card *card,
                  const struct fsh_bridge_move *move);
    /* Collects up to `most` moves that have ended, and returns how many. A move to the card
     * has ended when its write responses are there; a move from the card, when its data is
     * visible to this thread. Never waits. */
    unsigned (*poll)(struct fsh_bridge_card *card,
                     struct fsh_bridge_moved *moved, unsigned most);
    /* Starts commands, which it copies: takes hold of `run` for each list that it makes of
     * them, whose end it reports (run.h), also where it has no compute core
     * (FSH_STATUS_UNSUPPORTED). Never waits; they get on in poll. False: no memory, and
     * nothing was started. */
    bool (*run)(struct fsh_bridge_card *card, struct fsh_bridge_run *run);
    /* Nanoseconds in which poll will surely find nothing; 0: it may now, or nobody
     * knows. UINT64_MAX: nothing is in flight. */
    uint64_t (*quiet)(const struct fsh_bridge_card *card);
    /* With something in flight: sleeps until poll may find something, at most ns. False: it has
     * not slept, the card cannot wake anybody. */
    bool (*nap)(struct fsh_bridge_card *card, uint64_t ns);
};

/* A card as its owner hands it to a server: fixed until that has stopped. */
struct fsh_bridge_card {
    const struct fsh_bridge_card_ops *ops;
    uint64_t bytes;     /* of card memory */
    unsigned char *dma; /* the DMA window's part for the ring, page-aligned */
    size_t dma_bytes;
    size_t most; /* bytes of a move at most */
};

#endif
