/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments: page-aligned, of the requested size, which may differ between ranks
 * and be 0; the table may be queried in part or with too many entries; memory may be
 * used remotely before its owner ever touches it, and the library does not write to
 * it. The client's gasnet_attach hook is called with the own segment, once. */
#include "conform.h"

static gasnet_seginfo_t hooked;
static int hooks;

static void on_attach(void *addr, uintptr_t size)
{
    hooked.addr = addr;
    hooked.size = size;
    hooks++;
}

static uintptr_t wanted(gasnet_node_t rank)
{
    if (conf.n > 2 && rank == conf.n - 1) {
        return 0;
    }
    return (uintptr_t)(rank + 1) * 16 * GASNET_PAGESIZE;
}

static void check_table_sizes(void)
{
    gasnet_seginfo_t *t = (gasnet_seginfo_t *)calloc(conf.n + 2, sizeof *t);
    CHECK(t != NULL, "calloc");
    for (int asked = 0; asked <= (int)conf.n + 2; asked++) {
        memset(t, 0x77, (conf.n + 2) * sizeof *t);
        OK(gasnet_getSegmentInfo(t, asked));
        for (int i = 0; i < (int)conf.n + 2; i++) {
            if (i < asked && i < (int)conf.n) {
                CHECK(t[i].addr == conf.seg[i].addr, "entry %d", i);
                CHECK_EQ(t[i].size, conf.seg[i].size);
            } else {
                CHECK_BYTES(&t[i], sizeof t[i], 0x77);
            }
        }
    }
    free(t);
}

static void check_segments(void)
{
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        const uintptr_t want = wanted(i);
        CHECK_EQ(conf.seg[i].size % GASNET_PAGESIZE, 0);
        if (want > 0) {
            CHECK_EQ(conf.seg[i].size, want);
            CHECK(conf.seg[i].addr != NULL, "segment of rank %u", (unsigned)i);
            CHECK_EQ((uintptr_t)conf.seg[i].addr % GASNET_PAGESIZE, 0);
        } else { /* may have been rounded up to a page */
            CHECK(conf.seg[i].size <= GASNET_PAGESIZE,
                  "segment of rank %u is "
                  "%zu bytes, asked for none",
                  (unsigned)i, (size_t)conf.seg[i].size);
        }
    }
}

int main(int argc, char **argv)
{
    unsigned char page[512], back[512];
    conf_init("segment_info", &argc, &argv);
    gasnet_client_attach_hook = on_attach;
    OK(gasnet_attach(NULL, 0, wanted(conf.me), 0));
    CHECK_EQ(hooks, 1);
    conf.seg = (gasnet_seginfo_t *)calloc(conf.n, sizeof *conf.seg);
    OK(gasnet_getSegmentInfo(conf.seg, (int)conf.n));
    CHECK_EQ(hooked.addr == conf.seg[conf.me].addr, 1);
    CHECK_EQ(hooked.size, conf.seg[conf.me].size);
    check_segments();
    check_table_sizes();
    conf_barrier();

    /* The last bytes of the right neighbour's segment, never touched yet. */
    const gasnet_node_t to = (conf.me + 1) % conf.n;
    if (wanted(to) > 0) {
        unsigned char *tail = conf_addr(to) + conf.seg[to].size - sizeof page;
        conf_fill(page, sizeof page, conf.me);
        gasnet_get_bulk(back, to, tail - 4096, sizeof back);
        gasnet_put_bulk(to, tail, page, sizeof page);
        gasnet_get_bulk(back, to, tail, sizeof back);
        CHECK_FILL(back, sizeof back, conf.me);
    }
    conf_barrier();
    if (wanted(conf.me) > 0) {
        const size_t size = conf.seg[conf.me].size;
        const gasnet_node_t from = (conf.me + conf.n - 1) % conf.n;
        CHECK_FILL(conf_addr(conf.me) + size - 512, 512, from);
        memset(conf_addr(conf.me), 0x3c, size);
        conf_barrier(); /* traffic of the library itself */
        conf_barrier();
        CHECK_BYTES(conf_addr(conf.me), size, 0x3c);
    } else {
        conf_barrier();
        conf_barrier();
    }
    conf_pass();
}
