/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The card behind a rank; see node.h. A move has a place from its start to its end. The end
 * is reported on whatever thread polls the conduit (on_end), which only marks the place;
 * the server's thread collects marked places. Commands go the way of the rank's own; while
 * any run, polls of the server's thread move them on, so that they need none of the rank.
 */
#include "bridge/node.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "compute/submit/submit.h"

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
    unsigned moving;     /* places that are not free */
    int core;            /* the rank whose core runs commands, or -1 */
    atomic_uint running; /* lists of commands; down on any thread */
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

static bool is_idle(const struct node *n)
{
    return n->moving == 0 &&
           atomic_load_explicit(&n->running, memory_order_relaxed) == 0;
}

static unsigned poll(struct fsh_bridge_card *card,
                     struct fsh_bridge_moved *moved, unsigned most)
{
    struct node *n = (struct node *)card;
    unsigned count = 0;

    if (is_idle(n))
        return 0;
    n->ops->poll();
    if (atomic_load_explicit(&n->running, memory_order_relaxed) != 0)
        fsh_command_kick_own();
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

/* ---- commands ---- */

static void on_list(void *arg, unsigned status)
{
    struct fsh_bridge_run *run = arg;
    struct node *n = (struct node *)run->card;

    fsh_bridge_run_end(run, status);
    /* Release, partner: fsh_bridge_node_free; the last use of the node. */
    atomic_fetch_sub_explicit(&n->running, 1, memory_order_release);
}

/* Both lists or none: NULL where there are no commands. */
static bool make_lists(const struct node *n, const struct fsh_bridge_run *run,
                       struct fsh_command_list *list[2])
{
    const uint64_t(*words)[FSH_CCMD_WORDS] = (const void *)run->words;

    for (unsigned q = 0; q < 2; q++) {
        list[q] = NULL;
        if (run->count[q] == 0)
            continue;
        list[q] = fsh_command_list_new((uint32_t)n->core, q, run->count[q]);
        if (list[q] == NULL) {
            free(list[0]);
            return false;
        }
        memcpy(list[q]->words, words, run->count[q] * sizeof words[0]);
        words += run->count[q];
    }
    return true;
}

static bool run(struct fsh_bridge_card *card, struct fsh_bridge_run *run)
{
    struct node *n = (struct node *)card;
    struct fsh_command_list *list[2];

    if (n->core < 0) {
        atomic_fetch_add_explicit(&run->holders, 1, memory_order_relaxed);
        fsh_bridge_run_end(run, FSH_STATUS_UNSUPPORTED);
        return true;
    }
    if (!make_lists(n, run, list))
        return false;
    /* Before the first is submitted, with which all may be over. */
    for (unsigned q = 0; q < 2; q++)
        if (list[q] != NULL) {
            atomic_fetch_add_explicit(&run->holders, 1, memory_order_relaxed);
            atomic_fetch_add_explicit(&n->running, 1, memory_order_relaxed);
            list[q]->done = on_list;
            list[q]->arg = run;
        }
    for (unsigned q = 0; q < 2; q++)
        if (list[q] != NULL)
            fsh_command_submit(list[q]);
    return true;
}

/* ---- the card ---- */

static uint64_t quiet(const struct fsh_bridge_card *card)
{
    return is_idle((const struct node *)card) ? UINT64_MAX : 0;
}

static bool nap(struct fsh_bridge_card *card, uint64_t ns)
{
    struct node *n = (struct node *)card;

    n->ops->wait(ns);
    return true;
}

static const struct fsh_bridge_card_ops node_ops = {.name = "node",
                                                    .start = start,
                                                    .poll = poll,
                                                    .run = run,
                                                    .quiet = quiet,
                                                    .nap = nap};

struct fsh_bridge_card *fsh_bridge_node(const struct fsh_card_ops *ops,
                                        int core, char *why, size_t whylen)
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
    n->core = core;
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

    /* Their ends are still to be reported to the node. Acquire, partner: on_list. */
    if (n != NULL && n->moving == 0 &&
        atomic_load_explicit(&n->running, memory_order_acquire) == 0)
        free(n);
}
