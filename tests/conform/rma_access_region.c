/* SPDX-License-Identifier: BSD-3-Clause */
/* nbi access regions: one handle for all nbi puts and gets started inside;
 * nothing else is in it, and the ordinary nbi syncs do not cover it. */
#include "conform.h"

enum { CELLS = 20, CELL = 300, ZONE = CELLS * CELL };

static unsigned char source[CELLS][CELL], back[CELLS][CELL];

static unsigned char *cell(gasnet_node_t to, int i)
{
    return conf_addr(to) + (size_t)conf.me * ZONE + (size_t)i * CELL;
}

static void fill_sources(unsigned key)
{
    for (int i = 0; i < CELLS; i++) {
        conf_fill(source[i], CELL, key + (unsigned)i);
    }
}

static void check_cells(gasnet_node_t to, unsigned key)
{
    for (int i = 0; i < CELLS; i++) {
        unsigned char got[CELL];
        gasnet_get(got, to, cell(to, i), CELL);
        CHECK_FILL(got, CELL, key + (unsigned)i);
    }
}

static void puts_and_gets(gasnet_node_t to, unsigned key)
{
    gasnet_handle_t h;
    fill_sources(key);
    gasnet_begin_nbi_accessregion();
    for (int i = 0; i < CELLS; i++) {
        gasnet_put_nbi_bulk(to, cell(to, i), source[i], CELL);
    }
    h = gasnet_end_nbi_accessregion();
    OK(gasnet_try_syncnbi_all()); /* nothing outside the region */
    gasnet_wait_syncnb(h);
    check_cells(to, key);
    memset(back, 0, sizeof back);
    gasnet_begin_nbi_accessregion();
    for (int i = 0; i < CELLS; i++) {
        gasnet_get_nbi(back[i], to, cell(to, i), CELL);
    }
    h = gasnet_end_nbi_accessregion();
    OK(gasnet_try_syncnbi_gets());
    while (gasnet_try_syncnb(h) != GASNET_OK) {}
    for (int i = 0; i < CELLS; i++) {
        CHECK_FILL(back[i], CELL, key + (unsigned)i);
    }
}

static void with_others(gasnet_node_t to, unsigned key)
{
    gasnet_handle_t inner, region, second;
    fill_sources(key);
    gasnet_put_nbi(to, cell(to, 0), source[0], CELL); /* before: outside */
    gasnet_begin_nbi_accessregion();
    for (int i = 1; i < 10; i++) {
        gasnet_put_nbi(to, cell(to, i), source[i], CELL);
    }
    inner = gasnet_put_nb(to, cell(to, 10), source[10], CELL);
    gasnet_wait_syncnb(inner); /* explicit handles go on inside */
    gasnet_put(to, cell(to, 11), source[11], CELL);
    gasnet_put_nbi_val(to, cell(to, 12), source[12][0], 1);
    region = gasnet_end_nbi_accessregion();
    gasnet_begin_nbi_accessregion(); /* a second one before the first synced */
    for (int i = 12; i < CELLS; i++) {
        gasnet_put_nbi(to, cell(to, i), source[i], CELL);
    }
    second = gasnet_end_nbi_accessregion();
    gasnet_wait_syncnbi_puts();
    gasnet_handle_t list[] = {second, GASNET_INVALID_HANDLE, region};
    gasnet_wait_syncnb_all(list, 3);
    check_cells(to, key);
}

/* Memsets need the target to answer, so they are seldom done at once. */
static void memsets(gasnet_node_t to, unsigned key)
{
    gasnet_begin_nbi_accessregion();
    for (int i = 0; i < CELLS; i++) {
        gasnet_memset_nbi(to, cell(to, i), (int)(key + (unsigned)i), CELL);
    }
    gasnet_handle_t h = gasnet_end_nbi_accessregion();
    OK(gasnet_try_syncnbi_puts());
    gasnet_wait_syncnb(h);
    for (int i = 0; i < CELLS; i++) {
        unsigned char got[CELL];
        gasnet_get(got, to, cell(to, i), CELL);
        CHECK_BYTES(got, CELL, (unsigned char)(key + (unsigned)i));
    }
}

static void empty_region(void)
{
    gasnet_begin_nbi_accessregion();
    gasnet_handle_t h = gasnet_end_nbi_accessregion();
    OK(gasnet_try_syncnb(h));
}

int main(int argc, char **argv)
{
    conf_init("rma_access_region", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * ZONE);
    conf_barrier();
    const int turns = conf_iters(100, 2);
    for (int i = 0; i < turns; i++) {
        const gasnet_node_t to = (conf.me + (gasnet_node_t)i) % conf.n;
        empty_region();
        puts_and_gets(to, (unsigned)(i * 50));
        memsets(to, (unsigned)(i * 50 + 10));
        with_others(to, (unsigned)(i * 50 + 25));
    }
    conf_pass();
}
