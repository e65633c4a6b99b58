/* SPDX-License-Identifier: BSD-3-Clause */
/* Random vector, indexed and strided transfers in every form, compared with a
 * shadow copy. Each rank owns a slice of every rank's segment; in a batch each
 * operation has its own area there and a local one, in the segment or
 * outside. Both sides are expanded to lists of byte offsets, which update the
 * shadow copy; the shapes of the two sides differ. Destinations do not
 * overlap, sources may. */
#include "conform.h"

#include <gasnet_vis.h>

enum {
    OPS = 6,
    AREA = 4096,
    SLICE = OPS * AREA,
    PIECES = 200, /* in a list at most */
    LEVELS = 5,
    MOST = 2000 /* bytes moved at most */
};
enum family { VECTOR, INDEXED, STRIDED };
enum form { BLOCKING, EXPLICIT, IMPLICIT, REGION, FORMS };

/* One side of an operation, within an area: what the call gets, and all its
 * bytes in order. */
struct side {
    gasnet_memvec_t vec[PIECES];
    void *addr[PIECES];
    size_t count; /* pieces; vector and indexed */
    size_t len;   /* indexed */
    size_t start; /* strided */
    size_t stride[LEVELS];
    size_t byte[MOST];
};

struct op {
    enum family family;
    enum form form;
    int put;
    gasnet_node_t node;
    size_t bytes;
    struct side dst, src;
    size_t count[LEVELS + 1]; /* strided */
    size_t levels;
    unsigned char *local; /* area */
    gasnet_handle_t handle;
};

static unsigned char *shadow; /* [rank][SLICE] */
static unsigned char *heap;   /* [OPS][AREA] */
static struct conf_rng rng;

static unsigned char *far_area(const struct op *op, int i)
{
    return conf_addr(op->node) + (size_t)conf.me * SLICE + (size_t)i * AREA;
}

static unsigned char *shadow_area(const struct op *op, int i)
{
    return shadow + (size_t)op->node * SLICE + (size_t)i * AREA;
}

/* ---- shapes ---------------------------------------------------------------- */

/* Cut `bytes` into pieces: their lengths, zero among them; returns how many. */
static size_t cut(size_t bytes, size_t *lens)
{
    size_t n = 0, mean = 1 + conf_below(&rng, 1 + bytes / 4);
    while (bytes != 0 && n < PIECES - 1) {
        size_t len = conf_below(&rng, 2 * mean);
        if (len > bytes) {
            len = bytes;
        }
        lens[n++] = len;
        bytes -= len;
    }
    if (bytes != 0) {
        lens[n++] = bytes;
    }
    return n;
}

/* Give each piece a place: disjoint and shuffled for a destination, sometimes
 * neighbours; anywhere for a source. */
static void place(const size_t *lens, size_t n, size_t bytes, int disjoint,
                  size_t *at)
{
    size_t order[PIECES], gap = AREA - bytes, next = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t j = conf_below(&rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    if (conf_below(&rng, 2)) { /* in order: contiguous where the gap is 0 */
        for (size_t i = 0; i < n; i++) {
            order[i] = i;
        }
    }
    for (size_t k = 0; k < n; k++) {
        const size_t i = order[k];
        if (!disjoint) {
            at[i] = conf_below(&rng, AREA - lens[i] + 1);
            continue;
        }
        if (conf_below(&rng, 2)) {
            const size_t skip = conf_below(&rng, gap / 4 + 1);
            next += skip;
            gap -= skip;
        }
        at[i] = next;
        next += lens[i];
    }
}

static void note_bytes(struct side *side, const size_t *lens, const size_t *at,
                       size_t n)
{
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t b = 0; b < lens[i]; b++) {
            side->byte[k++] = at[i] + b;
        }
    }
}

static void make_vector(struct side *side, size_t bytes, int disjoint,
                        unsigned char *base)
{
    size_t lens[PIECES] = {0}, at[PIECES];
    side->count = cut(bytes, lens);
    place(lens, side->count, bytes, disjoint, at);
    for (size_t i = 0; i < side->count; i++) {
        side->vec[i].addr = lens[i] ? base + at[i] : NULL;
        side->vec[i].len = lens[i];
    }
    note_bytes(side, lens, at, side->count);
}

static void make_indexed(struct side *side, size_t len, size_t count,
                         int disjoint, unsigned char *base)
{
    size_t lens[PIECES] = {0}, at[PIECES];
    for (size_t i = 0; i < count; i++) {
        lens[i] = len;
    }
    side->len = len;
    side->count = count;
    place(lens, count, len * count, disjoint, at);
    for (size_t i = 0; i < count; i++) {
        side->addr[i] = base + at[i];
    }
    note_bytes(side, lens, at, count);
}

/* Counts whose product is small; a level may be of one element, rarely none. */
static void choose_counts(struct op *op)
{
    size_t left = 1 + conf_below(&rng, 300);
    op->levels = conf_below(&rng, LEVELS + 1);
    op->bytes = 1;
    for (size_t i = 0; i <= op->levels; i++) {
        op->count[i] = 1 + conf_below(&rng, i == 0 ? left : MAX(left / 2, 1));
        left = MAX(left / op->count[i], 1);
        if (conf_below(&rng, 40) == 0) {
            op->count[i] = 0;
        }
        op->bytes *= op->count[i];
    }
}

/* Nested strides in order to be disjoint, with random gaps; for a source also
 * any. Some turned round. Fits into the area by construction, or is made
 * dense. */
static void make_strides(const struct op *op, struct side *side, int disjoint)
{
    size_t extent = op->count[0], low = 0;
    for (size_t i = 0; i < op->levels; i++) {
        const size_t most = AREA / MAX(op->bytes, 1);
        size_t gap = extent < AREA / 4 && conf_below(&rng, 2)
                         ? conf_below(&rng, MIN(most, 5))
                         : 0;
        size_t stride = extent + gap, span;
        if (!disjoint && conf_below(&rng, 4) == 0) {
            stride = conf_below(&rng, extent + 1); /* overlapping, or 0 */
        }
        span = op->count[i + 1] ? stride * (op->count[i + 1] - 1) : 0;
        if (extent + span > AREA) {
            stride = extent;
            span = op->count[i + 1] ? stride * (op->count[i + 1] - 1) : 0;
        }
        if (conf_below(&rng, 4) == 0) { /* downwards */
            side->stride[i] = 0 - stride;
            low += span;
        } else {
            side->stride[i] = stride;
        }
        extent += span;
    }
    CHECK(extent <= AREA || op->bytes == 0, "extent %zu", extent);
    side->start =
        low + (extent < AREA ? conf_below(&rng, AREA - extent + 1) : 0);
}

static void note_strided(const struct op *op, struct side *side)
{
    for (size_t k = 0; k < op->bytes; k++) {
        size_t rest = k / op->count[0], at = side->start + k % op->count[0];
        for (size_t i = 0; i < op->levels; i++) {
            at += rest % op->count[i + 1] * side->stride[i];
            rest /= op->count[i + 1];
        }
        side->byte[k] = at;
    }
}

static void choose(struct op *op, int i)
{
    const int in_segment = (int)conf_below(&rng, 2);
    unsigned char *far, *dst, *src;
    op->family = (enum family)conf_below(&rng, 3);
    op->form = (enum form)conf_below(&rng, FORMS);
    op->put = (int)conf_below(&rng, 2);
    op->node = (gasnet_node_t)conf_below(&rng, conf.n);
    op->local =
        (in_segment ? conf_addr(conf.me) + (size_t)conf.n * SLICE : heap) +
        (size_t)i * AREA;
    op->handle = GASNET_INVALID_HANDLE;
    far = far_area(op, i);
    dst = op->put ? far : op->local;
    src = op->put ? op->local : far;
    if (op->family == VECTOR) {
        op->bytes = conf_below(&rng, 8) ? conf_length(&rng, MOST) : 0;
        make_vector(&op->dst, op->bytes, 1, dst);
        make_vector(&op->src, op->bytes, 0, src);
    } else if (op->family == INDEXED) {
        const size_t unit = 1 + conf_below(&rng, 20);
        const size_t a = 1 + conf_below(&rng, 9), b = 1 + conf_below(&rng, 9);
        op->bytes = unit * a * b;
        make_indexed(&op->dst, unit * a, b, 1, dst);
        make_indexed(&op->src, unit * b, a, 0, src);
    } else {
        choose_counts(op);
        if (op->bytes > MOST) {
            op->levels = 0;
            op->bytes = op->count[0];
        }
        make_strides(op, &op->dst, 1);
        make_strides(op, &op->src, 0);
        note_strided(op, &op->dst);
        note_strided(op, &op->src);
    }
}

/* ---- the calls -------------------------------------------------------------- */

#define START(PUT, GET, FAR_FIRST, LOCAL_FIRST)              \
    do {                                                     \
        if (op->put && op->form == BLOCKING) {               \
            gasnet_##PUT##_bulk FAR_FIRST;                   \
        } else if (op->put && op->form == EXPLICIT) {        \
            op->handle = gasnet_##PUT##_nb_bulk FAR_FIRST;   \
        } else if (op->put) {                                \
            gasnet_##PUT##_nbi_bulk FAR_FIRST;               \
        } else if (op->form == BLOCKING) {                   \
            gasnet_##GET##_bulk LOCAL_FIRST;                 \
        } else if (op->form == EXPLICIT) {                   \
            op->handle = gasnet_##GET##_nb_bulk LOCAL_FIRST; \
        } else {                                             \
            gasnet_##GET##_nbi_bulk LOCAL_FIRST;             \
        }                                                    \
    } while (0)

static void call(struct op *op, int i)
{
    struct side *d = &op->dst, *s = &op->src;
    const gasnet_node_t to = op->node;
    unsigned char *far = far_area(op, i);
    if (op->family == VECTOR) {
        START(putv, getv, (to, d->count, d->vec, s->count, s->vec),
              (d->count, d->vec, to, s->count, s->vec));
    } else if (op->family == INDEXED) {
        START(puti, geti,
              (to, d->count, d->addr, d->len, s->count, s->addr, s->len),
              (d->count, d->addr, d->len, to, s->count, s->addr, s->len));
    } else {
        unsigned char *dst = (op->put ? far : op->local) + d->start;
        unsigned char *src = (op->put ? op->local : far) + s->start;
        START(puts, gets,
              (to, dst, d->stride, src, s->stride, op->count, op->levels),
              (dst, d->stride, to, src, s->stride, op->count, op->levels));
    }
}

static void start(struct op *op, int i)
{
    unsigned char *there = shadow_area(op, i);
    conf_fill(op->local, AREA, (unsigned)conf_next(&rng) & 0xffffff);
    if (op->form == REGION) {
        gasnet_begin_nbi_accessregion();
    }
    if (op->put) {
        for (size_t k = 0; k < op->bytes; k++) {
            there[op->dst.byte[k]] = op->local[op->src.byte[k]];
        }
    } else {
        for (size_t k = 0; k < op->bytes; k++) {
            op->local[op->dst.byte[k]] ^= 0x55;
        }
    }
    call(op, i);
    if (op->form == REGION) {
        op->handle = gasnet_end_nbi_accessregion();
    }
    /* The lists are the caller's again. */
    memset(op->dst.vec, 0xff, sizeof op->dst.vec);
    memset(op->src.vec, 0xff, sizeof op->src.vec);
    memset(op->dst.addr, 0xff, sizeof op->dst.addr);
    memset(op->src.addr, 0xff, sizeof op->src.addr);
}

static void verify(const struct op *op, int i)
{
    const unsigned char *there = shadow_area(op, i);
    for (size_t k = 0; k < op->bytes && !op->put; k++) {
        CHECK(op->local[op->dst.byte[k]] == there[op->src.byte[k]],
              "family %d form %d from rank %u: byte %zu of %zu is %#x, want "
              "%#x",
              op->family, op->form, (unsigned)op->node, k, op->bytes,
              op->local[op->dst.byte[k]], there[op->src.byte[k]]);
    }
}

static void batch(struct op *ops)
{
    gasnet_handle_t list[OPS];
    for (int i = 0; i < OPS; i++) {
        choose(&ops[i], i);
        start(&ops[i], i);
        list[i] = ops[i].handle;
    }
    if (conf_below(&rng, 2)) {
        gasnet_wait_syncnbi_all();
        gasnet_wait_syncnb_all(list, OPS);
    } else {
        while (gasnet_try_syncnb_all(list, OPS) != GASNET_OK) {}
        gasnet_wait_syncnbi_puts();
        gasnet_wait_syncnbi_gets();
    }
    for (int i = 0; i < OPS; i++) {
        verify(&ops[i], i);
    }
}

int main(int argc, char **argv)
{
    struct op *ops = (struct op *)calloc(OPS, sizeof *ops);
    conf_init("vis_random", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)(conf.n + 1) * SLICE);
    rng = conf_rng(conf.me);
    shadow = (unsigned char *)calloc(conf.n, SLICE);
    heap = (unsigned char *)malloc(SLICE);
    CHECK(ops && shadow && heap, "malloc");
    memset(conf_addr(conf.me), 0, (size_t)conf.n * SLICE);
    conf_barrier();
    const int batches = conf_iters(1500, 15);
    for (int i = 0; i < batches; i++) {
        batch(ops);
        if (i % 100 == 0) {
            CHECK_SLICES(shadow, SLICE);
        }
    }
    CHECK_SLICES(shadow, SLICE);
    conf_barrier();
    conf_pass();
}
