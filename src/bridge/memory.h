/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory device: a card whose memory is host memory and whose DMA engines move it at
 * a stated rate. For benchmarks and unit tests of the bridge only: it is no conduit, and
 * nothing of it is a figure of a card.
 */
#ifndef FSH_BRIDGE_MEMORY_H
#define FSH_BRIDGE_MEMORY_H

#include "bridge/card.h"

struct fsh_bridge_memory_setup {
    size_t bytes;     /* of card memory */
    size_t dma_bytes; /* of the DMA window */
    double
        mb_per_s; /* of each direction, in 10^6 bytes; 0: as fast as it copies */
    uint64_t ns;  /* from the start of a move to its first byte */
    unsigned fail_at; /* the move that fails, counted from 1; 0: none */
};

/* A card of that kind, zeroed; NULL: no memory. To be freed when its server has stopped. */
struct fsh_bridge_card *fsh_bridge_memory(
    const struct fsh_bridge_memory_setup *setup);
void fsh_bridge_memory_free(struct fsh_bridge_card *card);
/* Card memory as tests see it; the card's. */
unsigned char *fsh_bridge_memory_at(struct fsh_bridge_card *card);

#endif
