/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links: a beat driven by a node in cycle t is seen by its neighbour in cycle t
 * + link_cycles; with jitter, or while the link is held, later, but in order
 * and one per cycle. No loss and no backpressure (the nodes use credits). Every
 * beat of the fabric passes through push: link faults belong there.
 */
#include <stdlib.h>

#include "model.h"

bool fsh_link_init(struct fsh_link *link, uint32_t sink, uint32_t port,
                   uint32_t cycles)
{
    uint32_t size = 1;

    while (size < cycles + FSH_QUANTUM_MOST + 1)
        size *= 2;
    link->slot = calloc(size, sizeof *link->slot);
    link->mask = size - 1;
    link->sink = sink;
    link->port = port;
    return link->slot != NULL;
}

void fsh_link_free(struct fsh_link *link)
{
    free(link->slot);
    link->slot = NULL;
}

bool fsh_link_hold(struct fsh_fabric *fab, struct fsh_link *link,
                   uint32_t cycles)
{
    struct fsh_link larger = *link;
    uint64_t end = fab->cycle + cycles;
    uint64_t busy = (link->last > end ? link->last : end) - fab->cycle;

    /* A beat a cycle from now until the last one is over. */
    if (!fsh_link_init(&larger, link->sink, link->port,
                       (uint32_t)busy + fab->config.link_cycles +
                           fab->config.link_jitter))
        return false;
    for (uint32_t i = link->head; i != link->ready; i++)
        larger.slot[i & larger.mask] = link->slot[i & link->mask];
    fsh_link_free(link);
    *link = larger;
    link->hold = end;
    return true;
}

static void push(struct fsh_fabric *fab, struct fsh_part *part,
                 struct fsh_link *link, uint64_t cycle,
                 const struct fsh_link_beat *beat)
{
    struct fsh_flight *flight = &link->slot[link->tail++ & link->mask];

    flight->at = cycle + fab->config.link_cycles;
    if (fab->config.link_jitter)
        flight->at += fsh_link_extra(fab, link, cycle);
    if (flight->at < link->hold)
        flight->at = link->hold;
    if (flight->at <= link->last)
        flight->at = link->last + 1;
    link->last = flight->at;
    flight->data[0] = beat->data[0];
    flight->data[1] = beat->data[1];
    flight->bound = beat->bound;
    if (fab->config.events.link_beat && !beat->bound)
        fab->config.events.link_beat(fab->config.events.arg, link->sink,
                                     link->port, flight->data);
    if (!link->listed) {
        link->listed = true;
        link->next = part->sent;
        part->sent = link;
    }
}

static bool pop(struct fsh_link *link, uint64_t cycle,
                struct fsh_link_beat *beat)
{
    const struct fsh_flight *flight = &link->slot[link->head & link->mask];

    beat->valid = link->head != link->ready && flight->at == cycle;
    if (!beat->valid)
        return false;
    link->head++;
    beat->bound = flight->bound != 0;
    beat->data[0] = flight->data[0];
    beat->data[1] = flight->data[1];
    return true;
}

bool fsh_links_step(struct fsh_fabric *fab, struct fsh_part *part,
                    struct fsh_sim_node *node)
{
    const struct fsh_link_beat *tx = node->io.out.tx;
    bool active = false;

    for (uint32_t p = 0; p < node->ports; p++) {
        if (tx[p].valid) {
            active = true;
            if (fab->traced)
                fab->traced->beat(fab, node->index, p, &tx[p]);
            if (node->tx[p])
                push(fab, part, node->tx[p], node->cycle, &tx[p]);
        }
        active |= pop(&node->rx[p], node->cycle, &node->io.in.rx[p]);
    }
    return active;
}

void fsh_links_deliver(struct fsh_fabric *fab, struct fsh_part *part)
{
    for (struct fsh_link *link = part->sent; link; link = link->next) {
        struct fsh_sim_node *sink = &fab->node[link->sink];

        link->listed = false;
        link->ready = link->tail;
        if (fsh_is_here(fab, link->sink) && sink->wake > fsh_link_due(link))
            sink->wake = fsh_link_due(link);
    }
    part->sent = NULL;
}
