/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Longs of more than a message by message (by_message.c), from where nothing may wait:
 * replies. Their payload is copied, and polls put it by pieces as there is room, each
 * acknowledged; when all are in place the Medium goes out that runs the handler. It is a
 * request, as a queued answer is (answer.c). One after the other, any thread.
 */
#include <string.h>

#include "base/kick.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/internal.h"

struct later {
    struct later *next;
    struct fsh_event put; /* its pieces that are not in place */
    struct fsh_am then;   /* its source is at the end of bytes */
    char *to;
    size_t sent, total, piece;
    unsigned char bytes[];
};

static struct fsh_lock lock =
    FSH_LOCK_INIT("Longs of more than a message", FSH_LOCK_LONGS);
static struct later *first; /* under the lock, as are the next two */
static struct later **last = &first;
static bool busy;          /* a thread is sending the first one */
static atomic_bool queued; /* there is one; readable unlocked */

void fsh_long_later(const struct fsh_am *am, const struct fsh_am *then,
                    size_t piece)
{
    struct later *l = malloc(sizeof *l + am->nbytes + then->nbytes);

    if (l == NULL)
        fsh_fatal("no memory for a Long active message of %zu bytes",
                  am->nbytes);
    *l = (struct later){
        .then = *then, .to = am->dst, .total = am->nbytes, .piece = piece};
    fsh_simulated_copy(l->bytes, am->src, am->nbytes);
    l->then.src = memcpy(l->bytes + am->nbytes, then->src, then->nbytes);
    fsh_lock_take(&lock);
    if (first == NULL) {
        atomic_store_explicit(&queued, true, memory_order_relaxed);
        fsh_kicks_enter();
    }
    *last = l;
    last = &l->next;
    fsh_lock_give(&lock);
}

/* Claims the first of the queue; the caller alone may send it until it puts it back. */
static struct later *take(void)
{
    struct later *l = NULL;

    fsh_lock_take(&lock);
    if (!busy)
        l = first;
    busy |= l != NULL;
    fsh_lock_give(&lock);
    return l;
}

static void put_back(struct later *l, bool ended)
{
    fsh_lock_take(&lock);
    FSH_ASSERT(busy && first == l); /* nobody else has claimed it */
    busy = false;
    if (ended) {
        first = l->next;
        if (first == NULL) {
            last = &first;
            atomic_store_explicit(&queued, false, memory_order_relaxed);
            fsh_kicks_leave();
        }
    }
    fsh_lock_give(&lock);
    if (ended)
        free(l);
}

/* False: there is no room for it now. */
static bool send_piece(struct later *l)
{
    size_t left = l->total - l->sent;
    size_t n = left < l->piece ? left : l->piece;
    const char *to = l->to + l->sent;
    const int32_t args[] = {fsh_high_ptr(to), fsh_low_ptr(to),
                            fsh_high_ptr(&l->put), fsh_low_ptr(&l->put)};

    fsh_begin_piece(&l->put);
    if (!fsh_gasnet_try_send(l->then.node, FSH_HANDLER_ANY_PUT, args, 4,
                             l->bytes + l->sent, n)) {
        atomic_fetch_sub_explicit(&l->put.pending, 1, memory_order_relaxed);
        return false;
    }
    l->sent += n;
    return true;
}

bool fsh_long_later_kick(void)
{
    struct later *l;
    bool any = false, ended = true;

    if (!atomic_load_explicit(&queued, memory_order_relaxed))
        return false;
    while (ended && (l = take()) != NULL) {
        while (l->sent < l->total && send_piece(l))
            any = true;
        ended = l->sent == l->total && fsh_event_done(&l->put) &&
                fsh_gasnet.ops->am_try_request(&l->then);
        put_back(l, ended);
        any |= ended;
    }
    return any;
}
