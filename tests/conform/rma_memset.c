/* SPDX-License-Identifier: BSD-3-Clause */
/* Remote memset, in its three forms: any length, any alignment, the low byte
 * of the value, and no byte beyond. */
#include "conform.h"

enum { GUARD = 32, MAX_SIZE = 20000, ZONE = MAX_SIZE + 2 * GUARD + 64 };

static unsigned char *got;

static void one(gasnet_node_t to, size_t n, size_t offset, int kind)
{
    unsigned char *zone = conf_addr(to) + (size_t)conf.me * ZONE;
    unsigned char *at = zone + GUARD + offset;
    const int value = (int)(n * 3 + offset) | 0x7a00;
    memset(got, 0x11, ZONE);
    gasnet_put_bulk(to, zone, got, n + 2 * GUARD + offset);
    if (kind == 0) {
        gasnet_memset(to, at, value, n);
    } else if (kind == 1) {
        gasnet_wait_syncnb(gasnet_memset_nb(to, at, value, n));
    } else {
        gasnet_memset_nbi(to, at, value, n);
        gasnet_wait_syncnbi_puts();
    }
    gasnet_get_bulk(got, to, zone, n + 2 * GUARD + offset);
    CHECK_BYTES(got, GUARD + offset, 0x11);
    CHECK_BYTES(got + GUARD + offset, n, (unsigned char)value);
    CHECK_BYTES(got + GUARD + offset + n, GUARD, 0x11);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {0,   1,   2,    3,    7,    8,    9,   15,
                                   16,  17,  31,   63,   64,   65,   127, 128,
                                   129, 511, 1023, 1024, 4097, 20000};
    conf_init("rma_memset", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * ZONE);
    got = (unsigned char *)malloc(ZONE);
    CHECK(got != NULL, "malloc");
    conf_barrier();
    const gasnet_node_t targets[] = {conf.me, (conf.me + 1) % conf.n};
    for (int t = 0; t < (conf.n > 1 ? 2 : 1); t++) {
        for (int s = 0; s < CONF_COUNT(sizes); s++) {
            one(targets[t], sizes[s], (size_t)s % 16, s % 3);
            one(targets[t], sizes[s], 0, (s + 1) % 3);
        }
    }
    conf_pass();
}
