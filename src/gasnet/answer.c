/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replies of the library's own handlers. A handler may run in a poll, which must not
 * block, so the answer is sent as an AM reply only if there is room for it now.
 * Otherwise it is queued, and a later poll that finds room sends it as a request; the
 * receiving handler treats both alike. Answers are not ordered among themselves or
 * with other messages. Any thread.
 */
#include <string.h>

#include "base/log.h"
#include "gasnet/deferred.h"
#include "gasnet/internal.h"

enum { MAX_ARGS = 4 };

struct answer {
    struct fsh_deferred entry;
    struct fsh_am am; /* src stays unchanged until it is sent */
    int32_t args[MAX_ARGS];
};

static struct fsh_deferred_queue queue =
    FSH_DEFERRED_QUEUE(queue, "queued answers", FSH_LOCK_ANSWERS);

static void enqueue(const struct fsh_am *am)
{
    struct answer *a = malloc(sizeof *a);

    if (a == NULL)
        fsh_fatal("no memory for an answer to node %u, which has no room for "
                  "it now",
                  am->node);
    a->am = *am;
    a->am.args = a->args;
    memcpy(a->args, am->args, am->nargs * sizeof *a->args);
    fsh_deferred_add(&queue, &a->entry);
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

/* An answer without room blocks those behind it, also those to other nodes
 * (head-of-line blocking). That is rare, and it gets room as soon as its target
 * polls. */
bool fsh_answers_kick(void)
{
    struct fsh_deferred *entry;
    bool any = false, sent = true;

    if (!fsh_deferred_some(&queue))
        return false;
    while (sent && (entry = fsh_deferred_take(&queue)) != NULL) {
        sent = fsh_gasnet.ops->am_try_request(&((struct answer *)entry)->am);
        fsh_deferred_put_back(&queue, entry, sent);
        any |= sent;
    }
    return any;
}
