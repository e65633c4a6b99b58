/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long puts and gets to the memory of cards over the bridge (FSHMEM_BRIDGE=1), for ranks
 * whose conduit does not reach it: the rank of the card is not involved. The bridge has one
 * transfer at a time to a node; what comes meanwhile, and all that is short, goes by message
 * (by_message.c). The client's memory is registered for each transfer, since nobody says
 * when it is unmapped. Any thread; polls make progress.
 */
#include <stdlib.h>

#include "base/kick.h"
#include "base/lock.h"
#include "base/log.h"
#include "gasnet/bridge.h"
#include "gasnet/internal.h"

/* A transfer to a node, under the lock; event: NULL, there is none. */
struct way {
    struct fsh_event *event;
    const void *memory;
    size_t bytes;
};

static struct fsh_lock lock =
    FSH_LOCK_INIT("puts and gets over the bridge", FSH_LOCK_BRIDGE_PUTS);
static struct way *ways; /* by node */
static atomic_uint active;

static _Noreturn void failed(uint32_t node, size_t bytes)
{
    fsh_fatal("put or get of %zu bytes over the bridge to the card of rank %u: "
              "%s; FSHMEM_BRIDGE=0 does without a bridge",
              bytes, node, fsh_job_bridge_why(fsh_job_bridge_second(node)));
}

/* With the lock. */
static bool begin(uint32_t node, const struct fsh_job_bridge_move *move,
                  struct fsh_event *event)
{
    if (ways == NULL)
        ways = calloc(fsh_gasnet.nodes, sizeof *ways);
    if (ways == NULL || ways[node].event != NULL)
        return false;
    if (fsh_job_bridge_begin(fsh_job_bridge_second(node), move) !=
        FSH_BRIDGE_PENDING)
        failed(node, move->bytes);
    ways[node] = (struct way){
        event, move->to_card ? move->source : move->target, move->bytes};
    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    /* Release, partner: the acquire in fsh_by_bridge_kick. */
    atomic_fetch_add_explicit(&active, 1, memory_order_release);
    fsh_kicks_enter();
    return true;
}

bool fsh_by_bridge(uint32_t node, const struct fsh_job_bridge_move *move,
                   struct fsh_event *event)
{
    struct fsh_job_bridge_info info;
    bool begun;

    if (!fsh_job_bridge_info(node, &info) || move->offset > info.bytes ||
        move->bytes > info.bytes - move->offset)
        return false;
    fsh_lock_take(&lock);
    begun = begin(node, move, event);
    fsh_lock_give(&lock);
    return begun;
}

/* With the lock. */
static void look(uint32_t node, struct way *way)
{
    uint32_t second = fsh_job_bridge_second(node);
    enum fsh_bridge_status status = fsh_job_bridge_test(second, NULL);

    if (status == FSH_BRIDGE_PENDING)
        return;
    if (status != FSH_BRIDGE_OK)
        failed(node, way->bytes);
    fsh_job_bridge_forget(second, way->memory, way->bytes);
    /* Partner: the acquire in fsh_event_done. */
    atomic_fetch_sub_explicit(&way->event->pending, 1, memory_order_release);
    way->event = NULL;
    atomic_fetch_sub_explicit(&active, 1, memory_order_relaxed);
    fsh_kicks_leave();
}

/* True while there is a transfer: the network, too, needs this rank's polls. */
bool fsh_by_bridge_kick(void)
{
    if (atomic_load_explicit(&active, memory_order_acquire) == 0)
        return false;
    if (!fsh_lock_try(&lock))
        return false;
    for (uint32_t n = 0; n < fsh_gasnet.nodes; n++)
        if (ways[n].event != NULL)
            look(n, &ways[n]);
    fsh_lock_give(&lock);
    return true;
}
