/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A collective has two messages for a node, to which the limit of unanswered messages
 * is reached. The first message finds no room. Then another thread (with
 * FSHMEM_PROGRESS_THREAD=1, say) handles an answer and tells the collective that has
 * waited longest, another one, that there is room; and the second message takes it.
 * The first message must be sent as well, although nothing else happens to this
 * collective. Here the answer is handled at the first unlock after the refusal. Runs
 * as a job of one rank that is told it is rank 0 of 2.
 */
#include <stdio.h>
#include <string.h>

#include "gasnet/coll_engine.h"
#include "gasnet/team.h"
#include "check.h"
#include "coll_peer.h"

enum { NODES = 2, PEER = 1, CALLS = 16, IN_FLIGHT = 8, BYTES = 16 };

static struct fsh_conduit_ops ops;
static unsigned sent[MESSAGES][CALLS]; /* by kind and number of the call */
static unsigned unanswered;
static struct fsh_coll_peer *watched; /* is it refused now? */

int __real_pthread_mutex_unlock(pthread_mutex_t *lock);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock);

static bool note(const struct fsh_am *am)
{
    CHECK(am->handler == FSH_HANDLER_COLL && am->node == PEER);
    sent[am->args[0] & 0xff][am->args[2]]++;
    unanswered++;
    return true;
}

static bool drop(struct fsh_token *token, const struct fsh_am *am)
{
    CHECK(am->handler == FSH_HANDLER_COLL_TAKEN);
    token->replied = true;
    return true;
}

static void answer(void)
{
    struct fsh_token token = {.source = PEER,
                              .handler = FSH_HANDLER_COLL_TAKEN,
                              .category = FSH_AM_SHORT};

    unanswered--;
    fsh_am_deliver(&token);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *lock)
{
    bool refused = watched != NULL && watched->blocked;
    int result = __real_pthread_mutex_unlock(lock);

    if (refused) {
        watched = NULL;
        answer();
    }
    return result;
}

static void start(void)
{
    static char from[NODES * BYTES], to[CALLS][NODES * BYTES];
    static unsigned calls;

    (void)gasnet_coll_exchange_nb(GASNET_TEAM_ALL, to[calls], from, BYTES,
                                  GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC |
                                      GASNET_COLL_OUT_MYSYNC |
                                      GASNET_COLL_NO_IMAGES);
    calls++;
}

static struct fsh_team *volatile of_the_job; /* lives on, as teams do */

int main(int argc, char **argv)
{
    unsigned last = 0;

    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    ops = *fsh_gasnet.ops;
    ops.am_try_request = note;
    ops.am_try_reply = drop;
    fsh_gasnet.ops = &ops;
    fsh_gasnet.nodes = NODES;
    of_the_job = fsh_team_all;
    fsh_team_register(); /* of the new nodes */
    fsh_coll_register();
    for (; unanswered < IN_FLIGHT; last++)
        start();
    start(); /* waits for room; what comes is told to this one first */
    last++;
    CHECK(last < CALLS, "%u calls", last);
    peer_is_ready(PEER, FSH_COLL_EXCHANGE, FSH_VIEW_NODES, last, BYTES);
    fsh_lock_take(&fsh_coll_lock);
    watched = &fsh_coll_find(fsh_team_all, FSH_VIEW_NODES, last)->peer[PEER];
    fsh_lock_give(&fsh_coll_lock);
    start();
    CHECK(watched == NULL, "nothing was refused");
    while (unanswered != 0) {
        answer();
        gasnet_AMPoll();
    }
    CHECK(sent[DATA][last] == 1, "our block has not left");
    CHECK(sent[READY][last] == 1, "nobody has been told that we are ready");
    fsh_gasnet.nodes = 1;
    puts("gasnet_coll_room: pass");
    return 0;
}
