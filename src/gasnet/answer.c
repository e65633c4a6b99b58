/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replies of the library's own handlers. A handler may run in a poll, which must not
 * block, so the answer is sent as an AM reply only if there is room for it now.
 * Otherwise it is queued, and a later poll that finds room sends it as a request; the
 * receiving handler treats both alike. Answers are not ordered among themselves or
 * with other messages. Any thread.
 */
#include <string.h>

#include "base/kick.h"
#include "base/lock.h"
#include "base/log.h"
#include "gasnet/internal.h"

enum { MAX_ARGS = 4 };

struct answer {
    struct answer *next;
    struct fsh_am am; /* src stays unchanged until it is sent */
    int32_t args[MAX_ARGS];
};

static struct fsh_lock lock = FSH_LOCK_INIT("queued answers", FSH_LOCK_ANSWERS);
static struct answer *first; /* under the lock, as are the next two */
static struct answer **last = &first;
static bool busy;          /* a thread is sending the first one */
static atomic_bool queued; /* queue is non-empty; readable unlocked */

static void enqueue(const struct fsh_am *am)
{
    struct answer *a = malloc(sizeof *a);

    if (a == NULL)
        fsh_fatal("no memory for an answer to node %u, which has no room for "
                  "it now",
                  am->node);
    a->next = NULL;
    a->am = *am;
    a->am.args = a->args;
    memcpy(a->args, am->args, am->nargs * sizeof *a->args);
    fsh_lock_take(&lock);
    if (first == NULL) {
        atomic_store_explicit(&queued, true, memory_order_relaxed);
        fsh_kicks_enter();
    }
    *last = a;
    last = &a->next;
    fsh_lock_give(&lock);
}

void fsh_answer(struct fsh_token *token, enum fsh_handler handler,
                const int32_t *args, unsigned nargs, const void *src,
                size_t nbytes)
{
    static const int32_t none[1];
    const struct fsh_am am = fsh_library_am(
        token->source, handler, nargs != 0 ? args : none, nargs, src, nbytes);

    FSH_ASSERT(token->is_request && !token->replied && nargs <= MAX_ARGS);
    if (!fsh_gasnet.ops->am_try_reply(token, &am))
        enqueue(&am);
}

/* Claims the first of the queue; the caller alone may send it until it puts it back. */
static struct answer *take(void)
{
    struct answer *a = NULL;

    fsh_lock_take(&lock);
    FSH_ASSERT((first == NULL) == (last == &first));
    if (!busy)
        a = first;
    busy |= a != NULL;
    fsh_lock_give(&lock);
    return a;
}

static void put_back(struct answer *a, bool sent)
{
    fsh_lock_take(&lock);
    FSH_ASSERT(busy && first == a); /* nobody else has claimed it */
    busy = false;
    if (sent) {
        first = a->next;
        if (first == NULL) {
            last = &first;
            atomic_store_explicit(&queued, false, memory_order_relaxed);
            fsh_kicks_leave();
        }
    }
    fsh_lock_give(&lock);
    if (sent)
        free(a);
}

/* An answer without room blocks those behind it, also those to other nodes
 * (head-of-line blocking). That is rare, and it gets room as soon as its target
 * polls. */
bool fsh_answers_kick(void)
{
    struct answer *a;
    bool any = false, sent = true;

    if (!atomic_load_explicit(&queued, memory_order_relaxed))
        return false;
    while (sent && (a = take()) != NULL) {
        sent = fsh_gasnet.ops->am_try_request(&a->am);
        put_back(a, sent);
        any |= sent;
    }
    return any;
}
