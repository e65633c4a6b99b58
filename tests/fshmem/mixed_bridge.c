/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With FSHMEM_BRIDGE=1, long puts and gets of a rank without a card to a card end without
 * the card's rank, which computes: it makes no call of the library until it has seen what
 * was put, and what it has stored since was fetched. Rank 0 has no card, rank 1 has one.
 */
#include "cores.h"

#include <time.h>

enum { BYTES = (1 << 20) + 4096 + 12, AT = 20, SECONDS = 60 };

/* Without a call of the library. */
static bool nap_until(double end)
{
    const struct timespec ms = {0, 1000000};
    struct timespec now;

    nanosleep(&ms, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec < end;
}

static double limit(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + SECONDS;
}

static unsigned char byte_of(size_t i, unsigned round)
{
    return (unsigned char)(i * 7 + i / 251 + round * 13 + 1);
}

static bool is_there(const volatile unsigned char *at, unsigned round)
{
    for (size_t i = 0; i < BYTES; i++)
        if (at[i] != byte_of(i, round))
            return false;
    return true;
}

static void without_card(unsigned round)
{
    unsigned char *buf = cores_alloc(BYTES + 1), *mine = buf + 1;
    double end = limit();

    for (size_t i = 0; i < BYTES; i++)
        mine[i] = byte_of(i, round);
    gasnet_put_bulk(1, conf_addr(1) + AT, mine, BYTES);
    memset(mine, 0, BYTES);
    do {
        gasnet_get_bulk(mine, 1, conf_addr(1) + AT, BYTES);
    } while (mine[0] == byte_of(0, round) && nap_until(end));
    CHECK(mine[0] == (unsigned char)~byte_of(0, round), "first byte %u",
          mine[0]);
    mine[0] = byte_of(0, round);
    CHECK(is_there(mine, round), "what came back");
    free(buf);
}

static void with_card(unsigned round)
{
    unsigned char *at = conf_addr(1) + AT;
    double end = limit();

    while (!is_there(at, round))
        CHECK(nap_until(end), "nothing has come in %d s", SECONDS);
    *(volatile unsigned char *)at = (unsigned char)~byte_of(0, round);
    while (*(volatile unsigned char *)(conf_addr(1)) != round + 1)
        CHECK(nap_until(end), "nobody says that it has seen it");
}

int main(int argc, char **argv)
{
    fshmem_bridge_info_t info;

    conf_start("mixed_bridge", &argc, &argv, NULL, 0, 2 << 20);
    FINE(fshmem_bridge_info(1, &info));
    CHECK(info.present, "no bridge serves rank 1");
    memset(conf_addr(conf.me), 0, 2 << 20);
    conf_barrier();
    for (unsigned round = 0; round < 3; round++) {
        unsigned char seen = (unsigned char)(round + 1);

        if (conf.me == 0) {
            without_card(round);
            FINE(fshmem_bridge_put(1, 0, &seen, 1, 0));
        } else if (conf.me == 1) {
            with_card(round);
        }
        conf_barrier();
    }
    conf_pass();
}
