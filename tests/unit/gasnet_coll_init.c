/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node that leaves gasnet_coll_init may start a collective at once; its message
 * may be handled on another thread of a node that is still in it (with
 * FSHMEM_PROGRESS_THREAD=1, say). So whatever gasnet_coll_init frees must be out
 * of a handler's reach by then: this test handles such a message at each free,
 * whose memory it has overwritten. Runs as a job of one rank that is told it is
 * rank 1 of 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasnet/coll.h"
#include "gasnet/team.h"
#include "check.h"
#include "coll_peer.h"

enum { ME = 1, NODES = 2 };

static struct fsh_conduit_ops ops;
static bool watching;
static unsigned handled;
static void *suspects[2]; /* the arrays of the view, as they were */
static size_t bytes[2];

void __real_free(void *p);
void __wrap_free(void *p);

static bool drop_reply(struct fsh_token *token, const struct fsh_am *am)
{
    CHECK(am->handler == FSH_HANDLER_COLL_TAKEN);
    token->replied = true;
    handled++;
    return true;
}

void __wrap_free(void *p)
{
    for (unsigned i = 0; watching && i < 2; i++)
        if (p != NULL && p == suspects[i]) {
            suspects[i] = NULL;
            memset(p, 0x70, bytes[i]);
            peer_is_ready(0, FSH_COLL_BROADCAST, FSH_VIEW_IMAGES, handled, 8);
        }
    __real_free(p);
}

static struct fsh_team *volatile of_the_job; /* lives on, as teams do */

int main(int argc, char **argv)
{
    const gasnet_image_t images[NODES] = {2, 3};
    struct fsh_view *view;

    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, 0, 0) == GASNET_OK);
    ops = *fsh_gasnet.ops;
    ops.am_try_reply = drop_reply;
    fsh_gasnet.ops = &ops;
    fsh_gasnet.rank = ME;
    fsh_gasnet.nodes = NODES;
    of_the_job = fsh_team_all;
    fsh_team_register(); /* of the new nodes */
    view = &fsh_team_all->view[FSH_VIEW_IMAGES];
    suspects[0] = view->first;
    bytes[0] = (NODES + 1) * sizeof *view->first;
    suspects[1] = view->calls;
    bytes[1] = view->mine * sizeof *view->calls;
    watching = true;
    gasnet_coll_init(images, 2, NULL, 0, 0);
    watching = false;
    CHECK(handled == 2 && suspects[0] == NULL && suspects[1] == NULL);
    CHECK(view->mine == 3 && view->calls[0] == 0 && view->calls[2] == 0);
    CHECK(view->first[0] == 0 && view->first[1] == 2 && view->first[2] == 5);
    fsh_gasnet.rank = 0;
    fsh_gasnet.nodes = 1;
    puts("gasnet_coll_init: pass");
    return 0;
}
