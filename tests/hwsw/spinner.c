/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No starvation: while all other ranks stream puts without a pause, rank 0 spins
 * on gets of a word that does not change; the stream ends only when rank 0 has made enough
 * gets and says so by a put. In alternate turns the word changes, and each spin
 * must see its value. A simulator may delay gets that merely repeat, but not
 * for long. usage: spinner
 */
#include "../conform/conform.h"

enum { ROUNDS = 4, LOOKS = 15, CHUNK = 128 << 10, STREAMS = 4 };
enum { WORD = 0, STOP = 64, BUFFER = 4096 };

static uint64_t look(gasnet_node_t node)
{
    uint64_t word;

    gasnet_get(&word, node, conf_addr(node) + WORD, sizeof word);
    return word;
}

static void spin(uint64_t round)
{
    /* The streams are on: their ranks wrote the round before they began. */
    for (gasnet_node_t n = 1; n < conf.n; n++) {
        while (look(n) != round)
            continue;
    }
    for (int i = 0; i < LOOKS; i++)
        CHECK_EQ(look(conf.n - 1), round);
    for (gasnet_node_t n = 1; n < conf.n; n++)
        gasnet_put(n, conf_addr(n) + STOP, &round, sizeof round);
}

static void stream(uint64_t round)
{
    volatile uint64_t *stop = (void *)(conf_addr(conf.me) + STOP);
    gasnet_node_t to = conf.me + 1 < conf.n ? conf.me + 1 : 1;

    *(volatile uint64_t *)(void *)(conf_addr(conf.me) + WORD) = round;
    while (*stop != round) {
        for (int i = 0; i < STREAMS; i++)
            gasnet_put_nbi_bulk(to, conf_addr(to) + BUFFER + i * CHUNK,
                                conf_addr(conf.me) + BUFFER + i * CHUNK, CHUNK);
        gasnet_wait_syncnbi_puts();
    }
}

int main(int argc, char **argv)
{
    conf_init("spinner", &argc, &argv);
    conf_attach(NULL, 0, BUFFER + STREAMS * CHUNK);
    conf_barrier();
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (conf.me == 0)
            spin(round);
        else
            stream(round);
        conf_barrier();
    }
    conf_pass();
}
