/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of what could not be sent at once: polls send the first entry when there is room
 * for it. First in, first out; an entry is the first member of a malloc'd object. A queue
 * counts as one protocol that needs polls (base/kick.h) while it is not empty. Any thread.
 */
#ifndef FSH_GASNET_DEFERRED_H
#define FSH_GASNET_DEFERRED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/lock.h"

struct fsh_deferred {
    struct fsh_deferred *next;
};

struct fsh_deferred_queue {
    struct fsh_lock lock;
    struct fsh_deferred *first; /* under the lock, as are the next two */
    struct fsh_deferred **last;
    bool busy;        /* a thread is sending the first one */
    atomic_bool some; /* queue is non-empty; readable unlocked */
};
/* The initial value of the queue `self`. */
#define FSH_DEFERRED_QUEUE(self, name, rank)                     \
    {                                                            \
        .lock = FSH_LOCK_INIT(name, rank), .last = &(self).first \
    }

/* Takes over the entry. */
void fsh_deferred_add(struct fsh_deferred_queue *q, struct fsh_deferred *entry);
/* Claims the first entry, which the caller alone may send until it puts it back; NULL if
 * there is none, or another thread has claimed it. */
struct fsh_deferred *fsh_deferred_take(struct fsh_deferred_queue *q);
/* sent: it is freed. */
void fsh_deferred_put_back(struct fsh_deferred_queue *q,
                           struct fsh_deferred *entry, bool sent);

/* A hint, for polls: whether to take. */
static inline bool fsh_deferred_some(const struct fsh_deferred_queue *q)
{
    return atomic_load_explicit(&q->some, memory_order_relaxed);
}

#endif
