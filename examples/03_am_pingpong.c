/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: Short active messages; a handler table, a reply from a handler, and
 * GASNET_BLOCKUNTIL, which waits for a variable that a handler sets. Rank 0 sends a counter
 * to the last rank, whose handler replies with the counter plus one, a thousand
 * times. The last rank only polls: GASNET_BLOCKUNTIL runs the handlers.
 */
#include <gasnet.h>
#include <stdio.h>

#define PING 200
#define PONG 201
#define DONE 202
#define ROUNDS 1000

static volatile int counter;
static volatile int done;

static void ping(gasnet_token_t token, gasnet_handlerarg_t value)
{
    gasnet_AMReplyShort1(token, PONG, value + 1);
}

static void pong(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token;
    counter = value;
}

static void finish(gasnet_token_t token)
{
    (void)token;
    done = 1;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{PING, (void (*)())ping},
                                        {PONG, (void (*)())pong},
                                        {DONE, (void (*)())finish}};
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(handlers, 3, GASNET_PAGESIZE, 0) != GASNET_OK) {
        fprintf(stderr, "03_am_pingpong: cannot join the job\n");
        return 1;
    }
    gasnet_node_t last = gasnet_nodes() - 1;
    if (gasnet_mynode() == 0) {
        for (int i = 0; i < ROUNDS; ++i) {
            gasnet_AMRequestShort1(last, PING, i);
            GASNET_BLOCKUNTIL(counter == i + 1);
        }
        printf("%d round trips between rank 0 and rank %u\n", ROUNDS,
               (unsigned)last);
        fflush(stdout);
        for (gasnet_node_t r = 0; r < gasnet_nodes(); ++r) {
            gasnet_AMRequestShort0(r, DONE);
        }
    }
    GASNET_BLOCKUNTIL(done);
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_exit(0);
    return 0;
}
