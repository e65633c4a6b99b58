/* SPDX-License-Identifier: BSD-3-Clause */
/* put_val writes the low 1..8 bytes of a value in the order of this machine and
 * nothing else; get_val extends with zeros; the non-blocking forms likewise,
 * several valgets at a time, synced in any order. */
#include "conform.h"

enum { W = SIZEOF_GASNET_REGISTER_VALUE_T, CELL = 4 * W };

static gasnet_register_value_t mask(size_t n)
{
    const gasnet_register_value_t all = ~(gasnet_register_value_t)0;
    return n == W ? all : all >> 8 * (W - n);
}

/* What a put of the low n bytes of v leaves in memory. */
static void image(unsigned char *out, gasnet_register_value_t v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = (unsigned char)(v >> 8 * i);
    }
}

static void one(gasnet_node_t to, size_t n, size_t offset, int kind,
                gasnet_register_value_t v)
{
    unsigned char *cell = conf_addr(to) + (size_t)conf.me * CELL;
    unsigned char want[CELL], got[CELL];
    memset(want, 0xcc, CELL);
    gasnet_put(to, cell, want, CELL);
    image(want + offset, v, n);
    if (kind == 0) {
        gasnet_put_val(to, cell + offset, v, n);
    } else if (kind == 1) {
        gasnet_wait_syncnb(gasnet_put_nb_val(to, cell + offset, v, n));
    } else {
        gasnet_put_nbi_val(to, cell + offset, v, n);
        gasnet_wait_syncnbi_puts();
    }
    gasnet_get(got, to, cell, CELL);
    CHECK(memcmp(got, want, CELL) == 0, "kind %d, %zu bytes at offset %zu",
          kind, n, offset);
    CHECK_EQ(gasnet_get_val(to, cell + offset, n), v & mask(n));
}

static void several(gasnet_node_t to, gasnet_register_value_t v)
{
    unsigned char *cell = conf_addr(to) + (size_t)conf.me * CELL;
    gasnet_valget_handle_t handle[W];
    gasnet_put_val(to, cell, v, W);
    for (size_t n = 1; n <= W; n++) {
        handle[n - 1] = gasnet_get_nb_val(to, cell, n);
    }
    for (size_t i = 0; i < W; i++) {
        const size_t n = (i * 5) % W + 1;
        CHECK_EQ(gasnet_wait_syncnb_valget(handle[n - 1]), v & mask(n));
    }
}

int main(int argc, char **argv)
{
    static const gasnet_register_value_t patterns[] = {
        (gasnet_register_value_t)0x8182838485868788u,
        (gasnet_register_value_t)0x0102030405060708u};
    conf_init("rma_values", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * CELL);
    conf_barrier();
    const gasnet_node_t targets[] = {conf.me, (conf.me + 1) % conf.n};
    for (int t = 0; t < (conf.n > 1 ? 2 : 1); t++) {
        for (size_t n = 1; n <= W; n++) {
            for (size_t offset = 0; offset < W; offset += n == 3 ? 1 : 3) {
                one(targets[t], n, offset + 1, (int)(offset % 3), patterns[0]);
                one(targets[t], n, offset, (int)(n % 3), patterns[1]);
            }
        }
        several(targets[t], patterns[0]);
        several(targets[t], patterns[1]);
    }
    conf_pass();
}
