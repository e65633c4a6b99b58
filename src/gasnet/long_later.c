/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Longs of more than a message by message (by_message.c), from where nothing may wait:
 * replies. Their payload is copied, and polls put it by pieces as there is room, each
 * acknowledged; when all are in place the Medium goes out that runs the handler. It is a
 * request, as a queued answer is (answer.c). One after the other, any thread.
 */
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/deferred.h"
#include "gasnet/internal.h"

struct later {
    struct fsh_deferred entry;
    struct fsh_event put; /* its pieces that are not in place */
    struct fsh_am then;   /* its source is at the end of bytes */
    char *to;
    size_t sent, total, piece;
    unsigned char bytes[];
};

static struct fsh_deferred_queue queue =
    FSH_DEFERRED_QUEUE(queue, "Longs of more than a message", FSH_LOCK_LONGS);

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
    fsh_deferred_add(&queue, &l->entry);
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
    struct fsh_deferred *entry;
    bool any = false, ended = true;

    if (!fsh_deferred_some(&queue))
        return false;
    while (ended && (entry = fsh_deferred_take(&queue)) != NULL) {
        struct later *l = (struct later *)entry;

        while (l->sent < l->total && send_piece(l))
            any = true;
        ended = l->sent == l->total && fsh_event_done(&l->put) &&
                fsh_gasnet.ops->am_try_request(&l->then);
        fsh_deferred_put_back(&queue, entry, ended);
        any |= ended;
    }
    return any;
}
