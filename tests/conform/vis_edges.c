/* SPDX-License-Identifier: BSD-3-Clause */
/* Edge cases of vector, indexed and strided transfers: all forms of empty transfers,
 * no strides, zero and negative strides, dimensions of one
 * element, very many levels, the whole segment in pieces, thousands
 * of pieces under one handle, long pieces. */
#include "conform.h"

#include <gasnet_vis.h>

enum { PIECES = 3000, LONG = 300001, SEGMENT = 4 * LONG };

static unsigned char *near;
static gasnet_node_t to;

/* No byte moves, whatever else the arguments are. */
static void nothing(void)
{
    unsigned char *beyond = conf_addr(to) + conf.seg[to].size;
    gasnet_memvec_t none[2] = {{NULL, 0}, {NULL, 0}}, out[1];
    void *list[1];
    size_t count[3] = {4, 0, 3}, stride[2] = {8, 8};

    out[0].addr = beyond + 100;
    out[0].len = 0;
    list[0] = beyond + 100;
    memset(conf_addr(conf.me), 0x11, 64);
    conf_barrier();
    gasnet_putv_bulk(to, 0, NULL, 0, NULL);
    gasnet_getv_bulk(0, NULL, to, 2, none);
    gasnet_putv_nbi_bulk(to, 1, out, 2, none);
    gasnet_wait_syncnb(gasnet_getv_nb_bulk(2, none, to, 1, out));
    gasnet_puti_bulk(to, 0, NULL, 4, 0, NULL, 9);
    gasnet_puti_bulk(to, 1, list, 0, 0, NULL, 9);
    gasnet_geti_nbi_bulk(0, NULL, 7, to, 1, list, 0);
    gasnet_puts_bulk(to, beyond + 100, stride, near, stride, count, 2);
    count[0] = 0;
    count[1] = 2;
    gasnet_gets_nbi_bulk(near, stride, to, beyond + 100, stride, count, 2);
    gasnet_puts_bulk(to, beyond + 100, NULL, near, NULL, count, 0);
    gasnet_wait_syncnbi_all();
    conf_barrier();
    CHECK_BYTES(conf_addr(conf.me), 64, 0x11);
    conf_barrier();
}

/* stridelevels of 0 is a plain put, with no strides to look at. */
static void plain(void)
{
    unsigned char *far = conf_addr(to) + 100;
    size_t count[1] = {777};
    conf_fill(near, 777, conf.me + 1);
    gasnet_puts_bulk(to, far, NULL, near, NULL, count, 0);
    memset(near, 0, 777);
    gasnet_gets_bulk(near, NULL, to, far, NULL, count, 0);
    CHECK_FILL(near, 777, conf.me + 1);
    conf_barrier();
}

/* One element repeated by strides of 0; written from the end downwards. */
static void repeated(void)
{
    unsigned char *far = conf_addr(to);
    size_t zero[2] = {0, 0}, up[2] = {3, 12}, down[2];
    size_t count[3] = {3, 4, 5};
    unsigned char back[60];
    down[0] = 0 - (size_t)3;
    down[1] = 0 - (size_t)12;
    memcpy(near, "abc", 3);
    gasnet_puts_bulk(to, far + 57, down, near, zero, count, 2);
    gasnet_get(back, to, far, 60);
    for (int i = 0; i < 60; i++) {
        CHECK_EQ(back[i], "abc"[i % 3]);
    }
    /* And read with the order turned round. */
    conf_fill(near, 60, 5);
    gasnet_put(to, far, near, 60);
    gasnet_gets_bulk(back, up, to, far + 57, down, count, 2);
    for (int i = 0; i < 60; i += 3) {
        CHECK_EQ(memcmp(back + i, near + 57 - i, 3), 0);
    }
    conf_barrier();
}

/* 100 levels, of which three have more than one element. */
static void many_levels(void)
{
    enum { LEVELS = 100 };
    size_t count[LEVELS + 1], dst[LEVELS], src[LEVELS];
    unsigned char *far = conf_addr(to), back[2 * 3 * 4 * 5];
    for (int i = 0; i <= LEVELS; i++) {
        count[i] = 1;
        if (i < LEVELS) {
            dst[i] = src[i] = 0xdeadbeef; /* never stepped */
        }
    }
    count[0] = 2;
    count[10] = 3;
    count[50] = 4;
    count[100] = 5;
    src[9] = 2, src[49] = 6, src[99] = 24; /* dense */
    dst[9] = 40, dst[49] = 10, dst[99] = 2;
    conf_fill(near, sizeof back, 9);
    gasnet_puts_bulk(to, far, dst, near, src, count, LEVELS);
    gasnet_gets_bulk(back, src, to, far, dst, count, LEVELS);
    CHECK_FILL(back, sizeof back, 9);
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < 4; j++) {
            for (size_t k = 0; k < 5; k++) {
                gasnet_get(back, to, far + 40 * i + 10 * j + 2 * k, 2);
                CHECK_EQ(memcmp(back, near + 2 * i + 6 * j + 24 * k, 2), 0);
            }
        }
    }
    conf_barrier();
}

/* The whole segment, up to its last byte, as pieces in the wrong order. */
static void whole_segment(void)
{
    const size_t size = conf.seg[to].size, half = size / 2;
    unsigned char *far = conf_addr(to), *all = (unsigned char *)malloc(size);
    gasnet_memvec_t dst[3], src[2];
    CHECK(all != NULL, "malloc");
    conf_fill(all, size, conf.me + 7);
    dst[0].addr = far + half, dst[0].len = size - half;
    dst[1].addr = far, dst[1].len = 1;
    dst[2].addr = far + 1, dst[2].len = half - 1; /* joins the one before */
    src[0].addr = all + half, src[0].len = size - half;
    src[1].addr = all, src[1].len = half;
    gasnet_putv_bulk(to, 3, dst, 2, src);
    memset(all, 0, size);
    gasnet_getv_bulk(2, src, to, 3, dst);
    CHECK_FILL(all, size, conf.me + 7);
    free(all);
    conf_barrier();
}

/* One handle for all pieces, and lists that die with the call. */
static gasnet_handle_t start_many(unsigned char *far, size_t n, size_t len)
{
    void **dst = (void **)malloc(n * sizeof *dst);
    void **src = (void **)malloc(n * sizeof *src);
    gasnet_handle_t handle;
    CHECK(dst && src, "malloc");
    for (size_t i = 0; i < n; i++) {
        dst[i] = far + 2 * len * i;
        src[i] = near + len * (n - 1 - i);
    }
    handle = gasnet_puti_nb_bulk(to, n, dst, len, n, src, len);
    memset(dst, 0xff, n * sizeof *dst);
    memset(src, 0xff, n * sizeof *src);
    free(dst);
    free(src);
    return handle;
}

static void many_pieces(void)
{
    enum { LEN = 12 };
    const size_t n = (size_t)conf_iters(PIECES, 300);
    unsigned char *far = conf_addr(to), back[LEN];
    conf_fill(near, n * LEN, 3);
    gasnet_handle_t handle = start_many(far, n, LEN);
    while (gasnet_try_syncnb(handle) != GASNET_OK) {}
    for (size_t i = 0; i < n; i += 37) {
        gasnet_get(back, to, far + 2 * LEN * i, LEN);
        CHECK_EQ(memcmp(back, near + LEN * (n - 1 - i), LEN), 0);
    }
    conf_barrier();
}

static void long_pieces(void)
{
    size_t count[2] = {LONG, 2}, dst[1] = {LONG + 1000}, src[1] = {LONG};
    conf_fill(near, 2 * LONG, 4);
    gasnet_puts_nbi_bulk(to, conf_addr(to) + 3, dst, near, src, count, 1);
    gasnet_wait_syncnbi_puts();
    memset(near, 0, 2 * LONG);
    gasnet_handle_t handle =
        gasnet_gets_nb_bulk(near, src, to, conf_addr(to) + 3, dst, count, 1);
    gasnet_wait_syncnb(handle);
    CHECK_FILL(near, 2 * LONG, 4);
    conf_barrier();
}

int main(int argc, char **argv)
{
    conf_start("vis_edges", &argc, &argv, NULL, 0, SEGMENT);
    near = (unsigned char *)malloc(2 * LONG);
    CHECK(near != NULL, "malloc");
    to = (conf.me + 1) % conf.n;
    nothing();
    plain();
    repeated();
    many_levels();
    whole_segment();
    many_pieces();
    long_pieces();
    conf_pass();
}
