/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the engine's two files share: coll_engine.c has the operations in flight
 * and runs them, coll_message.c is how their streams get from node to node.
 */
#ifndef FSH_GASNET_COLL_ENGINE_H
#define FSH_GASNET_COLL_ENGINE_H

#include "gasnet/coll.h"

/* ---- coll_engine.c ---- */

/* The lock of collectives: operations in flight and the queues. Never
 * held while anything is sent. */
extern struct fsh_lock fsh_coll_lock;
/* Things done, counted by the thread that runs operations. */
extern uint32_t fsh_coll_advances;

/* Lock held. The call with this number: known, or first heard of now; NULL if it
 * is complete here. */
struct fsh_coll_op *fsh_coll_find(struct fsh_team *team, unsigned view,
                                  uint32_t number);
/* Lock held. To be run, unless its call has not been made here yet. */
void fsh_coll_enqueue(struct fsh_coll_op *op);

/* ---- coll_message.c ---- */

/* Tell rank that this node has come to this round of the entry (0) or the exit
 * (1) barrier. False: not now, run op again when it can be. */
bool fsh_coll_send_pass(struct fsh_coll_op *op, uint32_t rank, unsigned which,
                        unsigned round);

/* Tell rank what this node's call is. False: not now, as above. */
bool fsh_coll_send_claim(struct fsh_coll_op *op, uint32_t rank,
                         const struct fsh_coll_claim *claim);

/* ---- coll_check.c: debug libraries ---- */

/* Tell the neighbour what this call is, if that has not been done. */
void fsh_coll_claim(struct fsh_coll_op *op);
/* Lock held. The neighbour's claim has come, or our call: compare them, if both
 * are here; fatal if they differ. */
void fsh_coll_compare(const struct fsh_coll_op *op);

#endif
