/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a non-bulk put may be overwritten as soon as the call returns,
 * that of a bulk put once it is synced; sources in and out of the segment. */
#include "conform.h"

enum { MAX_SIZE = 65536, SLOTS = 4, ZONE = SLOTS * MAX_SIZE };

static unsigned char *got;

static unsigned char *slot(gasnet_node_t to, int s)
{
    return conf_addr(to) + (size_t)conf.me * ZONE + (size_t)s * MAX_SIZE;
}

static void check_slot(gasnet_node_t to, int s, size_t n, unsigned key)
{
    gasnet_get_bulk(got, to, slot(to, s), n);
    CHECK_FILL(got, n, key);
}

static void clobber(unsigned char *src, size_t n)
{
    memset(src, 0xff, n);
}

static void size(gasnet_node_t to, unsigned char *src, size_t n)
{
    gasnet_handle_t h[2];
    const unsigned key = (unsigned)n;
    conf_fill(src, n, key);
    gasnet_put(to, slot(to, 0), src, n);
    clobber(src, n);
    conf_fill(src, n, key + 1);
    h[0] = gasnet_put_nb(to, slot(to, 1), src, n);
    clobber(src, n);
    conf_fill(src, n, key + 2);
    gasnet_put_nbi(to, slot(to, 2), src, n);
    clobber(src, n);
    gasnet_wait_syncnb(h[0]);
    gasnet_wait_syncnbi_puts();
    check_slot(to, 0, n, key);
    check_slot(to, 1, n, key + 1);
    check_slot(to, 2, n, key + 2);
    conf_fill(src, n, key + 3);
    h[0] = gasnet_put_nb_bulk(to, slot(to, 2), src, n);
    gasnet_put_nbi_bulk(to, slot(to, 3), src, n);
    gasnet_wait_syncnb(h[0]);
    gasnet_wait_syncnbi_puts();
    clobber(src, n);
    check_slot(to, 2, n, key + 3);
    check_slot(to, 3, n, key + 3);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {1,    7,    8,    64,   65,   480,  512,
                                   1000, 1024, 2048, 4096, 8192, 65536};
    conf_init("rma_source_reuse", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * ZONE + MAX_SIZE);
    got = (unsigned char *)malloc(MAX_SIZE);
    unsigned char *heap = (unsigned char *)malloc(MAX_SIZE);
    CHECK(got && heap, "malloc");
    conf_barrier();
    unsigned char *own = conf_addr(conf.me) + (size_t)conf.n * ZONE;
    for (int s = 0; s < CONF_COUNT(sizes); s++) {
        size((conf.me + 1) % conf.n, heap, sizes[s]);
        size((conf.me + 1) % conf.n, own, sizes[s]);
        size(conf.me, s % 2 ? heap : own, sizes[s]);
    }
    conf_pass();
}
