/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Splitting of non-contiguous transfers: what is contiguous on both sides becomes
 * one put or get, for any lists and dimensions, and nothing else is moved. The
 * conduit records instead of moving.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gasnet/internal.h"
#include "gasnet_vis.h"
#include "check.h"

struct piece {
    size_t remote; /* offset in the segment */
    size_t local;  /* in `here` */
    size_t n;
};

static struct piece moved[64];
static unsigned count;
static char here[4096];
static char *far;
static struct fsh_conduit_ops ops;

static void record(const void *remote, const void *local, size_t n)
{
    CHECK(count < 64);
    moved[count++] = (struct piece){(size_t)((const char *)remote - far),
                                    (size_t)((const char *)local - here), n};
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *ev)
{
    CHECK(node == 0 && local == ev && ev != NULL);
    record(dst, src, n);
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *ev)
{
    CHECK(node == 0 && ev != NULL);
    record(src, dst, n);
}

static void expect(const struct piece *want, unsigned n)
{
    CHECK(count == n);
    for (unsigned i = 0; i < n; i++)
        CHECK(moved[i].remote == want[i].remote &&
              moved[i].local == want[i].local && moved[i].n == want[i].n);
    count = 0;
}

/* Pieces without a gap, and without bytes, on one side; one on the other. */
static void neighbours_are_one(void)
{
    gasnet_memvec_t dst[5] = {
        {far, 10}, {NULL, 0}, {far + 10, 20}, {far + 30, 3}, {far + 50, 7}};
    gasnet_memvec_t src[2] = {{here + 100, 33}, {here + 133, 7}};
    void *list[4] = {far, far + 8, far + 16, far + 24};
    void *one[1] = {here};

    gasnet_putv_bulk(0, 5, dst, 2, src);
    expect((struct piece[]){{0, 100, 33}, {50, 133, 7}}, 2);
    gasnet_geti_bulk(1, one, 32, 0, 4, list, 8);
    expect((struct piece[]){{0, 0, 32}}, 1);
}

/* Cut where either side is cut. */
static void cuts_of_both(void)
{
    void *dst[2] = {far + 100, far}, *src[3] = {here, here + 50, here + 10};

    gasnet_puti_bulk(0, 2, dst, 15, 3, src, 10);
    expect(
        (struct piece[]){{100, 0, 10}, {110, 50, 5}, {0, 55, 5}, {5, 10, 10}},
        4);
}

/* 4 x 3 x 2 x 5 bytes; the two inner dimensions are dense on both sides. */
static void dense_dimensions_are_one(void)
{
    const size_t n[4] = {5, 2, 3, 4}, dense[3] = {5, 10, 30};
    const size_t gap[3] = {5, 10, 100}, wide[3] = {5, 40, 120};

    gasnet_puts_bulk(0, far, dense, here, dense, n, 3);
    expect((struct piece[]){{0, 0, 120}}, 1);
    gasnet_puts_bulk(0, far, gap, here, dense, n, 3);
    expect(
        (struct piece[]){
            {0, 0, 30}, {100, 30, 30}, {200, 60, 30}, {300, 90, 30}},
        4);
    gasnet_gets_bulk(here, dense, 0, far, wide, n, 2);
    expect((struct piece[]){{0, 0, 10}, {40, 10, 10}, {80, 20, 10}}, 3);
}

int main(int argc, char **argv)
{
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(NULL, 0, GASNET_PAGESIZE, 0) == GASNET_OK);
    far = fsh_gasnet.segs[0].addr;
    ops = *fsh_gasnet.ops;
    ops.put = put;
    ops.get = get;
    fsh_gasnet.ops = &ops;
    neighbours_are_one();
    cuts_of_both();
    dense_dimensions_are_one();
    puts("gasnet_vis: pass");
    return 0;
}
