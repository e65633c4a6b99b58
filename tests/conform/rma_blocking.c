/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking put and get, bulk and not, of sizes around every boundary and any
 * alignment at both ends: the bytes arrive, a third party sees them as soon as
 * the put returns, and no adjacent byte changes. */
#include "conform.h"

enum { GUARD = 64, MAX_SIZE = 70000, ZONE = MAX_SIZE + 8192 };

static unsigned char *out, *back;

static unsigned char *mine(gasnet_node_t at)
{
    return conf_addr(at) + (size_t)conf.me * ZONE;
}

static void round_trip(gasnet_node_t to, size_t n, size_t src, size_t dst,
                       int bulk)
{
    static unsigned key;
    unsigned char *remote = mine(to) + GUARD + dst;
    unsigned char *local = back + GUARD + (src * 3) % 16;
    conf_fill(out + src, n, ++key);
    memset(local - GUARD, 0xa5, n + 2 * GUARD);
    if (bulk) {
        gasnet_put_bulk(to, remote, out + src, n);
        gasnet_get_bulk(local, to, remote, n);
    } else {
        gasnet_put(to, remote, out + src, n);
        gasnet_get(local, to, remote, n);
    }
    CHECK_FILL(local, n, key);
    CHECK_BYTES(local - GUARD, GUARD, 0xa5);
    CHECK_BYTES(local + n, GUARD, 0xa5);
    if (n > 0) { /* the neighbourhood at the target, read back whole */
        const unsigned char byte = 0x5a;
        gasnet_get_bulk(local, to, remote - GUARD, GUARD);
        CHECK_BYTES(local, GUARD, byte);
        gasnet_get_bulk(local, to, remote + n, GUARD);
        CHECK_BYTES(local, GUARD, byte);
    }
    if (to == conf.me) {
        CHECK_FILL(remote, n, key);
    }
    memset(local, 0x5a, n);
    gasnet_put_bulk(to, remote, local, n);
}

static void sweep(gasnet_node_t to)
{
    static const size_t edges[] = {32,   64,   128,  256,   480,  512,
                                   1024, 2048, 4096, 16384, 65536};
    for (size_t n = 0; n <= 18; n++) {
        round_trip(to, n, n % 5, (n * 7) % 16, (int)(n & 1));
        round_trip(to, n, 0, 0, (int)(~n & 1));
    }
    for (int e = 0; e < CONF_COUNT(edges); e++) {
        round_trip(to, edges[e] - 1, 1, 0, 0);
        round_trip(to, edges[e], 0, 0, 1);
        round_trip(to, edges[e], (size_t)(e * 7 % 16), (size_t)(e * 5 % 16), 0);
        round_trip(to, edges[e] + 1, 0, 3, 1);
    }
    for (size_t a = 0; a < 16; a++) { /* across a page of the target */
        round_trip(to, 500, a, 4096 - GUARD - 250 + a, 0);
    }
}

int main(int argc, char **argv)
{
    conf_init("rma_blocking", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * ZONE);
    out = (unsigned char *)malloc(ZONE);
    back = (unsigned char *)malloc(ZONE);
    CHECK(out && back, "malloc");
    memset(conf_addr(conf.me), 0x5a, (size_t)conf.n * ZONE);
    conf_barrier();
    sweep(conf.me);
    if (conf.n > 1) {
        sweep((conf.me + 1) % conf.n);
    }
    conf_barrier();
    CHECK_BYTES(conf_addr(conf.me), (size_t)conf.n * ZONE, 0x5a);
    conf_pass();
}
