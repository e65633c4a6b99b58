/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The card behind a rank as the bridge's device: moves of its conduit (struct
 * fsh_card_ops) between the conduit's DMA window and the rank's segment, which is the
 * card's memory; commands of its compute core (src/compute/submit).
 */
#ifndef FSH_BRIDGE_NODE_H
#define FSH_BRIDGE_NODE_H

#include "bridge/card.h"
#include "conduit/conduit.h"

/* That card; ops: the conduit's, NULL if it has none; core: the rank, to whose core
 * fsh_command_submit can bring commands, or -1. NULL with the reason and the remedy in
 * `why`. Since gasnet_attach, once at a time. To be freed when its server has stopped. */
struct fsh_bridge_card *fsh_bridge_node(const struct fsh_card_ops *ops,
                                        int core, char *why, size_t whylen);
/* NULL is nothing. What the card has not done by now stays its own: the memory is kept. */
void fsh_bridge_node_free(struct fsh_bridge_card *card);

#endif
