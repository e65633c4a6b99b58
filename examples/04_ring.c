/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: Long active messages, whose payload is in the target's segment when the
 * handler runs; and that a handler only records the arrival, while the main program
 * sends. A token goes round the ring: each rank's handler notes where the payload is;
 * the main program adds its rank and forwards it. After a few laps rank 0 has
 * the sum.
 */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>

#define TOKEN 200
#define LAPS 5

static volatile int arrived;
static unsigned *volatile where;

static void token_handler(gasnet_token_t token, void *payload, size_t nbytes,
                          gasnet_handlerarg_t hop)
{
    (void)token;
    (void)hop;
    if (nbytes != sizeof(unsigned)) {
        fprintf(stderr, "04_ring: %zu bytes arrived\n", nbytes);
        gasnet_exit(1);
    }
    where = payload;
    ++arrived;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t handlers[] = {{TOKEN, (void (*)())token_handler}};
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(handlers, 1, GASNET_PAGESIZE, 0) != GASNET_OK) {
        fprintf(stderr, "04_ring: cannot join the job\n");
        return 1;
    }
    gasnet_node_t me = gasnet_mynode(), n = gasnet_nodes();
    gasnet_node_t right = (me + 1) % n;
    gasnet_seginfo_t *segment = malloc(n * sizeof(*segment));
    if (!segment || gasnet_getSegmentInfo(segment, (int)n) != GASNET_OK) {
        gasnet_exit(1);
    }

    unsigned sum = 0;
    for (int lap = 1; lap <= LAPS; ++lap) {
        if (me == 0) {
            gasnet_AMRequestLong1(right, TOKEN, &sum, sizeof(sum),
                                  segment[right].addr, lap);
        }
        GASNET_BLOCKUNTIL(arrived >= lap);
        sum = *where + me;
        if (me != 0) {
            gasnet_AMRequestLong1(right, TOKEN, &sum, sizeof(sum),
                                  segment[right].addr, lap);
        }
    }
    int code = 0;
    if (me == 0) {
        unsigned expected = LAPS * (n * (n - 1) / 2);
        code = sum == expected ? 0 : 1;
        printf("%d laps over %u ranks: sum %u, expected %u: %s\n", LAPS,
               (unsigned)n, sum, expected, code ? "WRONG" : "correct");
        fflush(stdout);
    }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    free(segment);
    gasnet_exit(code);
    return code;
}
