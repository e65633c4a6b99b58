/* SPDX-License-Identifier: BSD-3-Clause */
#include "gasnet/deferred.h"

#include <stdlib.h>

#include "base/assertion.h"
#include "base/kick.h"

void fsh_deferred_add(struct fsh_deferred_queue *q, struct fsh_deferred *entry)
{
    entry->next = NULL;
    fsh_lock_take(&q->lock);
    if (q->first == NULL) {
        atomic_store_explicit(&q->some, true, memory_order_relaxed);
        fsh_kicks_enter();
    }
    *q->last = entry;
    q->last = &entry->next;
    fsh_lock_give(&q->lock);
}

struct fsh_deferred *fsh_deferred_take(struct fsh_deferred_queue *q)
{
    struct fsh_deferred *entry = NULL;

    fsh_lock_take(&q->lock);
    FSH_ASSERT((q->first == NULL) == (q->last == &q->first));
    if (!q->busy)
        entry = q->first;
    q->busy |= entry != NULL;
    fsh_lock_give(&q->lock);
    return entry;
}

void fsh_deferred_put_back(struct fsh_deferred_queue *q,
                           struct fsh_deferred *entry, bool sent)
{
    fsh_lock_take(&q->lock);
    FSH_ASSERT(q->busy && q->first == entry); /* nobody else has claimed it */
    q->busy = false;
    if (sent) {
        q->first = entry->next;
        if (q->first == NULL) {
            q->last = &q->first;
            atomic_store_explicit(&q->some, false, memory_order_relaxed);
            fsh_kicks_leave();
        }
    }
    fsh_lock_give(&q->lock);
    if (sent)
        free(entry);
}
