/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The card behind a rank; see node.h. A move has a place from its start to its end. The end
 * is reported on whatever thread polls the conduit (on_end), which only marks the place;
 * the server's thread collects marked places.
 */
#include "bridge/node.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fsh_spec.h"

#define PLACES 32u /* moves in flight; the conduit has room for a few more */

enum state { FREE, MOVING, ENDED, FAILED };

struct place {
    struct fsh_answer answer; /* first */
    void *owner;
    atomic_uint state; /* enum state */
};

struct node {
    struct fsh_bridge_card card; /* first */
    const struct fsh_card_ops *ops;
    struct place place[PLACES];
    unsigned moving; /* places that are not free */
};

static void on_end(struct fsh_answer *answer, unsigned status)
{
    struct place *place = (struct place *)answer;

    /* Release: what the card has written. Partner: poll. */
    atomic_store_explicit(&place->state,
                          status == FSH_STATUS_OK ? ENDED : FAILED,
                          memory_order_release);
}

static struct place *find_free(struct node *n)
{
    for (unsigned i = 0; i < PLACES; i++)
        if (atomic_load_explicit(&n->place[i].state, memory_order_relaxed) ==
            FREE)
            return &n->place[i];
    return NULL;
}

static bool start(struct fsh_bridge_card *card,
                  const struct fsh_bridge_move *move)
{
    struct node *n = (struct node *)card;
    struct place *place = find_free(n);
    struct fsh_card_move m = {
        .to_card = move->direction == FSH_BRIDGE_TO,
        .offset = move->offset,
        .at = (size_t)((unsigned char *)move->local - card->dma),
        .bytes = move->bytes,
    };

    if (place == NULL)
        return false;
    place->answer.fn = on_end;
    place->owner = move->owner;
    m.answer = &place->answer;
    /* Before the start: the end may be reported first. */
    atomic_store_explicit(&place->state, MOVING, memory_order_relaxed);
    if (!n->ops->start(&m)) {
        atomic_store_explicit(&place->state, FREE, memory_order_relaxed);
        return false;
    }
    n->moving++;
    return true;
}

static unsigned poll(struct fsh_bridge_card *card,
                     struct fsh_bridge_moved *moved, unsigned most)
{
    struct node *n = (struct node *)card;
    unsigned count = 0;

    if (n->moving == 0)
        return 0;
    n->ops->poll();
    for (unsigned i = 0; i < PLACES && count < most; i++) {
        struct place *place = &n->place[i];
        /* Acquire, partner: on_end. */
        unsigned state =
            atomic_load_explicit(&place->state, memory_order_acquire);

        if (state != ENDED && state != FAILED)
            continue;
        moved[count++] =
            (struct fsh_bridge_moved){place->owner, state == FAILED};
        atomic_store_explicit(&place->state, FREE, memory_order_relaxed);
    }
    n->moving -= count;
    return count;
}

static uint64_t quiet(const struct fsh_bridge_card *card)
{
    return ((const struct node *)card)->moving == 0 ? UINT64_MAX : 0;
}

static bool nap(struct fsh_bridge_card *card, uint64_t ns)
{
    struct node *n = (struct node *)card;

    n->ops->wait(ns);
    return true;
}

static const struct fsh_bridge_card_ops node_ops = {
    .name = "node", .start = start, .poll = poll, .quiet = quiet, .nap = nap};

struct fsh_bridge_card *fsh_bridge_node(const struct fsh_card_ops *ops,
                                        char *why, size_t whylen)
{
    struct fsh_card_memory memory;
    struct node *n;

    if (ops == NULL) {
        snprintf(why, whylen,
                 "this rank's conduit has no card: conduit fpga has one");
        return NULL;
    }
    if (!ops->memory(&memory, why, whylen))
        return NULL;
    n = calloc(1, sizeof *n);
    if (n == NULL) {
        snprintf(why, whylen, "no memory for a card");
        return NULL;
    }
    n->ops = ops;
    n->card = (struct fsh_bridge_card){
        .ops = &node_ops,
        .bytes = memory.card_bytes,
        .dma = memory.base,
        .dma_bytes = memory.bytes,
        .most = memory.most,
    };
    return &n->card;
}

void fsh_bridge_node_free(struct fsh_bridge_card *card)
{
    struct node *n = (struct node *)card;

    /* Their ends are still to be reported to the places. */
    if (n != NULL && n->moving == 0)
        free(n);
}
