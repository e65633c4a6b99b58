/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teaches: one-sided communication; remote addresses from gasnet_getSegmentInfo,
 * blocking put and get, a non-blocking get with a handle. Every rank writes a
 * table into the segment of its right neighbour and reads it back. The
 * neighbour is not involved.
 */
#include <gasnet.h>
#include <stdio.h>
#include <stdlib.h>

#define WORDS 1024

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

int main(int argc, char **argv)
{
    static unsigned sent[WORDS], back[WORDS];
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, 4 * GASNET_PAGESIZE, 0) != GASNET_OK) {
        fprintf(stderr, "02_put_get: cannot join the job\n");
        return 1;
    }
    gasnet_node_t me = gasnet_mynode(), n = gasnet_nodes();
    gasnet_node_t right = (me + 1) % n;
    gasnet_seginfo_t *segment = malloc(n * sizeof(*segment));
    if (!segment || gasnet_getSegmentInfo(segment, (int)n) != GASNET_OK) {
        gasnet_exit(1);
    }

    for (unsigned i = 0; i < WORDS; ++i) {
        sent[i] = me * 1000003u + i;
    }
    gasnet_put(right, segment[right].addr, sent, sizeof(sent));
    gasnet_get(back, right, segment[right].addr, sizeof(back));

    /* Non-blocking: start to read half of it, other work could follow, then wait. */
    gasnet_handle_t handle =
        gasnet_get_nb_bulk(back, right, segment[right].addr, sizeof(back) / 2);
    gasnet_wait_syncnb(handle);

    barrier();
    const unsigned *mine = segment[me].addr; /* written by the left neighbour */
    gasnet_node_t left = (me + n - 1) % n;
    for (unsigned i = 0; i < WORDS; ++i) {
        if (back[i] != sent[i] || mine[i] != left * 1000003u + i) {
            fprintf(stderr, "rank %u: word %u is wrong\n", (unsigned)me, i);
            gasnet_exit(1);
        }
    }
    printf("rank %u: %d words to rank %u and back, %d from rank %u: correct\n",
           (unsigned)me, WORDS, (unsigned)right, WORDS, (unsigned)left);
    fflush(stdout);
    free(segment);
    barrier();
    gasnet_exit(0);
    return 0;
}
