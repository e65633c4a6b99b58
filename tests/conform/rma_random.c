/* SPDX-License-Identifier: BSD-3-Clause */
/* Random transfers of every kind over random unaligned ranges, compared with a
 * shadow copy. Each rank owns a slice of every rank's segment; within a batch
 * all ranges are disjoint, so that the result does not depend on order. Local
 * buffers lie in the segment and outside of it. */
#include "conform.h"

enum { BINS = 12, BIN = 3000, SLICE = BINS * BIN, OPS = 22 };

static unsigned char *shadow; /* [rank][SLICE] */
static unsigned char *heap;   /* local buffers, [BINS][2 * BIN] */
static struct conf_rng rng;

struct op {
    gasnet_node_t node;
    size_t offset, n;
    unsigned char *local; /* source of a put, destination of a get */
    gasnet_handle_t handle;
    gasnet_valget_handle_t valget;
    gasnet_register_value_t value;
    int kind;
};

static unsigned char *remote(const struct op *op)
{
    return conf_addr(op->node) + (size_t)conf.me * SLICE + op->offset;
}

static unsigned char *shadow_of(const struct op *op)
{
    return shadow + (size_t)op->node * SLICE + op->offset;
}

static gasnet_register_value_t low_bytes(gasnet_register_value_t v, size_t n)
{
    return n >= sizeof v ? v : v & (((gasnet_register_value_t)1 << 8 * n) - 1);
}

static gasnet_register_value_t shadow_value(const struct op *op)
{
    gasnet_register_value_t v = 0;
    for (size_t i = op->n; i-- > 0;) {
        v = v << 8 | shadow_of(op)[i];
    }
    return v;
}

static void choose(struct op *op, int bin, gasnet_node_t node)
{
    const int in_segment = (int)conf_below(&rng, 2);
    unsigned char *base =
        in_segment ? conf_addr(conf.me) + (size_t)conf.n * SLICE : heap;
    const size_t start = conf_below(&rng, BIN);
    op->node = node;
    op->kind = (int)conf_below(&rng, OPS);
    op->n = conf_length(&rng, BIN - start);
    op->offset = (size_t)bin * BIN + start;
    op->local = base + (size_t)bin * 2 * BIN + conf_below(&rng, 64);
    op->handle = GASNET_INVALID_HANDLE;
    if (op->kind >= 16) { /* value kinds: 1..8 bytes */
        op->n = 1 + conf_below(&rng, SIZEOF_GASNET_REGISTER_VALUE_T);
        op->offset = (size_t)bin * BIN +
                     conf_below(&rng, BIN - SIZEOF_GASNET_REGISTER_VALUE_T);
    }
    op->value = conf_next(&rng);
}

/* Puts: fill the source, note the result in the shadow. */
static void prepare(struct op *op)
{
    if (op->kind < 6) {
        conf_fill(op->local, op->n, (unsigned)op->value & 0xffffff);
        memcpy(shadow_of(op), op->local, op->n);
    } else if (op->kind >= 12 && op->kind < 15) {
        memset(shadow_of(op), (int)(op->value & 0xff), op->n);
    } else if (op->kind >= 16 && op->kind < 19) {
        for (size_t i = 0; i < op->n; i++) {
            shadow_of(op)[i] = (unsigned char)(op->value >> 8 * i);
        }
    } else if (op->kind < 12) {
        memset(op->local, 0, op->n);
    }
}

static void start(struct op *op)
{
    const gasnet_node_t to = op->node;
    unsigned char *far = remote(op), *near = op->local;
    const int byte = (int)(op->value & 0xff);
    prepare(op);
    switch (op->kind) {
    case 0:
        gasnet_put(to, far, near, op->n);
        break;
    case 1:
        gasnet_put_bulk(to, far, near, op->n);
        break;
    case 2:
        op->handle = gasnet_put_nb(to, far, near, op->n);
        break;
    case 3:
        op->handle = gasnet_put_nb_bulk(to, far, near, op->n);
        break;
    case 4:
        gasnet_put_nbi(to, far, near, op->n);
        break;
    case 5:
        gasnet_put_nbi_bulk(to, far, near, op->n);
        break;
    case 6:
        gasnet_get(near, to, far, op->n);
        break;
    case 7:
        gasnet_get_bulk(near, to, far, op->n);
        break;
    case 8:
        op->handle = gasnet_get_nb(near, to, far, op->n);
        break;
    case 9:
        op->handle = gasnet_get_nb_bulk(near, to, far, op->n);
        break;
    case 10:
        gasnet_get_nbi(near, to, far, op->n);
        break;
    case 11:
        gasnet_get_nbi_bulk(near, to, far, op->n);
        break;
    case 12:
        gasnet_memset(to, far, byte, op->n);
        break;
    case 13:
        op->handle = gasnet_memset_nb(to, far, byte, op->n);
        break;
    case 14:
        gasnet_memset_nbi(to, far, byte, op->n);
        break;
    case 15:
        break; /* nothing here this time */
    case 16:
        gasnet_put_val(to, far, op->value, op->n);
        break;
    case 17:
        op->handle = gasnet_put_nb_val(to, far, op->value, op->n);
        break;
    case 18:
        gasnet_put_nbi_val(to, far, op->value, op->n);
        break;
    case 19:
        op->value = gasnet_get_val(to, far, op->n);
        break;
    default:
        op->valget = gasnet_get_nb_val(to, far, op->n);
        break;
    }
}

static void sync_batch(struct op *op)
{
    gasnet_handle_t list[BINS];
    for (int b = 0; b < BINS; b++) {
        list[b] = op[b].handle;
        if (op[b].kind >= 20) {
            op[b].value = gasnet_wait_syncnb_valget(op[b].valget);
        }
    }
    switch (conf_below(&rng, 4)) {
    case 0:
        for (int b = BINS; b-- > 0;) {
            gasnet_wait_syncnb(list[b]);
        }
        break;
    case 1:
        gasnet_wait_syncnb_all(list, BINS);
        break;
    case 2:
        while (gasnet_try_syncnb_all(list, BINS) != GASNET_OK) {}
        break;
    default:
        for (int b = 0; b < BINS; b++) {
            while (gasnet_try_syncnb(list[b]) != GASNET_OK) {}
        }
        break;
    }
    if (conf_below(&rng, 2)) {
        gasnet_wait_syncnbi_gets();
        gasnet_wait_syncnbi_puts();
    } else {
        gasnet_wait_syncnbi_all();
    }
}

static void verify(const struct op *op)
{
    if (op->kind >= 6 && op->kind < 12) {
        for (size_t i = 0; i < op->n; i++) {
            CHECK(op->local[i] == shadow_of(op)[i],
                  "kind %d from rank %u, byte %zu of %zu is %#x, want %#x",
                  op->kind, (unsigned)op->node, i, op->n, op->local[i],
                  shadow_of(op)[i]);
        }
    } else if (op->kind >= 19) {
        CHECK_EQ(op->value, shadow_value(op));
        CHECK_EQ(op->value, low_bytes(op->value, op->n));
    }
}

int main(int argc, char **argv)
{
    struct op ops[BINS];
    conf_init("rma_random", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * SLICE + BINS * 2 * BIN);
    rng = conf_rng(conf.me);
    shadow = (unsigned char *)calloc(conf.n, SLICE);
    heap = (unsigned char *)malloc(BINS * 2 * BIN);
    CHECK(shadow && heap, "malloc");
    memset(conf_addr(conf.me), 0, (size_t)conf.n * SLICE);
    conf_barrier();
    const int batches = conf_iters(400, 8);
    for (int i = 0; i < batches; i++) {
        for (int b = 0; b < BINS; b++) {
            choose(&ops[b], b, (gasnet_node_t)conf_below(&rng, conf.n));
            start(&ops[b]);
        }
        sync_batch(ops);
        for (int b = 0; b < BINS; b++) {
            verify(&ops[b]);
        }
    }
    CHECK_SLICES(shadow, SLICE);
    conf_barrier();
    conf_pass();
}
