/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-reduce with FSHMEM_WIRE_BFP16: compared bit for bit with an independent model,
 * written from arithmetic.md alone; equal on all ranks, in place or not, several in
 * flight; within the error bound of fshmem_coll.h, compared with a sum in FP64, beside
 * FP32; the effect of Inf and NaN on a block; what is refused.
 */
#include "coll.h"

#include <math.h>

enum { MOST = 70000, CALLS = 3 };

enum kind { PLAIN, WIDE, TINY, HUGE_ONES, SPECIAL, KINDS };

struct call {
    enum kind kind;
    uint64_t key;
    size_t n;
    int in_place;
    float *src, *dst;
    gasnet_handle_t handle;
};

static struct coll_team all;
static float sum[MOST], part[MOST];

/* ---- numbers ---- */

static float value(const struct call *c, int rank, size_t i)
{
    const uint64_t r = coll_number(c->key, (uint64_t)rank, i);
    const float x = (float)((double)(r >> 40) / (1 << 23) - 1);
    switch (c->kind) {
    case WIDE:
        return ldexpf(x, (int)(r % 60) - 30);
    case TINY: /* also subnormal */
        return ldexpf(x, -120 - (int)(r % 20));
    case HUGE_ONES: /* sums overflow */
        return ldexpf(x, 127);
    case SPECIAL:
        if (r % 67 == 0)
            return r & 256 ? INFINITY : -INFINITY;
        return r % 131 == 0 ? NAN : x;
    default:
        return x;
    }
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return x != x ? 0x7fc00000u : bits; /* there is one NaN */
}

/* ---- a block, there and back ---- */

static float special(float x)
{
    return isinf(x) ? x : NAN;
}

static void there_and_back(float *x, size_t n)
{
    int e = -1000, over = 0;
    double unit;
    for (size_t i = 0; i < n; i++) {
        int mine;
        if (!isfinite(x[i]))
            e = 1000;
        if (e == 1000 || fabsf(x[i]) < 0x1p-126f)
            continue;
        frexp(x[i], &mine);
        e = mine - 1 > e ? mine - 1 : e;
    }
    unit = ldexp(1, e - 6);
    for (size_t i = 0; i < n && abs(e) != 1000; i++)
        over |= fabsf(x[i]) >= 0x1p-126f && rint(fabs(x[i] / unit)) >= 128;
    if (over && e < 127)
        unit *= 2;
    for (size_t i = 0; i < n; i++) {
        double size;
        if (e == 1000) {
            x[i] = special(x[i]);
            continue;
        }
        size = fabsf(x[i]) < 0x1p-126f ? 0 : rint(fabs(x[i]) / unit);
        size = (size > 127 ? 127 : size) * unit;
        x[i] = size < 0x1p-126 ? 0 : (float)copysign(size, x[i]);
    }
}

static void travel(float *x, size_t n)
{
    for (size_t i = 0; i < n; i += 16)
        there_and_back(x + i, n - i < 16 ? n - i : 16);
}

/* ---- the ring ---- */

/* Values [first, end) of block b, from rank b + 1 up or from b - 1 down. */
static void model_half(const struct call *c, int b, size_t first, size_t end,
                       int back)
{
    for (int k = 1; k <= all.ranks; k++) {
        const int rank = (b + (back ? all.ranks - k : k)) % all.ranks;
        for (size_t i = first; i < end; i++) {
            volatile float x = value(c, rank, i);
            if (k > 1)
                x = x + sum[i];
            sum[i] = x;
        }
        if (all.ranks > 1)
            travel(sum + first, end - first);
    }
}

static void model_block(const struct call *c, int b)
{
    const size_t p = (size_t)all.ranks;
    const size_t first = c->n * (size_t)b / p, end = c->n * (size_t)(b + 1) / p;
    size_t half = end;
    if (p > 2 && c->n / p >= 2048) /* values: 8 KiB */
        half = first + ((end - first + 1) / 2 + 15) / 16 * 16;
    if (half > end)
        half = end;
    model_half(c, b, first, half, 0);
    model_half(c, b, half, end, 1);
}

/* ---- the stated error ---- */

/* Of numbers that are far from both ends of FP32. */
static void check_error(const struct call *c)
{
    const double p = all.ranks;
    for (int b = 0; b < all.ranks; b++) {
        const size_t first = c->n * (size_t)b / (size_t)all.ranks;
        const size_t end = c->n * (size_t)(b + 1) / (size_t)all.ranks;
        for (size_t at = first; at < end; at += 16) {
            const size_t stop = at + 16 < end ? at + 16 : end;
            double most = 0, bound;
            for (size_t i = at; i < stop; i++) {
                double size = 0;
                for (int r = 0; r < all.ranks; r++)
                    size += fabs(value(c, r, i));
                most = size > most ? size : most;
            }
            bound = p * 0x1p-7 * pow(1 + 0x1p-6, p) * most;
            for (size_t i = at; i < stop; i++) {
                double exact = 0;
                for (int r = 0; r < all.ranks; r++)
                    exact += value(c, r, i);
                CHECK(fabs(c->dst[i] - exact) <= bound,
                      "element %zu of %zu is %g, not %g, bound %g", i, c->n,
                      c->dst[i], exact, bound);
            }
        }
    }
}

/* ---- calls ---- */

static void start(struct call *c, enum kind kind, size_t n, uint64_t key,
                  int slot)
{
    static float in[CALLS][MOST], out[CALLS][MOST];
    c->kind = kind;
    c->key = key;
    c->n = n;
    c->in_place = (int)conf_below(&coll_own, 2);
    c->src = in[slot];
    c->dst = c->in_place ? in[slot] : out[slot];
    memset(out[slot], 0xee,
           (n + 1) * sizeof(float) > sizeof out[slot]
               ? sizeof out[slot]
               : (n + 1) * sizeof(float));
    for (size_t i = 0; i < n; i++)
        c->src[i] = value(c, all.me, i);
    FINE(fshmem_coll_allreduce_nb(
        all.team, c->dst, c->src, n, FSHMEM_FLOAT, FSHMEM_SUM,
        key % 2 ? FSHMEM_WIRE_BFP16 : FSHMEM_WIRE_BFP16 | FSHMEM_COLL_RING,
        &c->handle));
}

static void look(const struct call *c)
{
    for (int b = 0; b < all.ranks; b++)
        model_block(c, b);
    for (size_t i = 0; i < c->n; i++)
        CHECK(bits_of(c->dst[i]) == bits_of(sum[i]),
              "kind %d: element %zu of %zu is %a (%08x), not %a", c->kind, i,
              c->n, c->dst[i], bits_of(c->dst[i]), sum[i]);
    if (all.ranks > 1 && (c->kind == PLAIN || c->kind == WIDE))
        check_error(c);
}

static void several(size_t n, uint64_t key)
{
    struct call call[CALLS];
    for (int i = 0; i < CALLS; i++)
        start(&call[i], (enum kind)((key + (uint64_t)i) % KINDS),
              n > (size_t)i ? n - (size_t)i : n, key * CALLS + (uint64_t)i, i);
    for (int i = CALLS - 1; i >= 0; i--) {
        gasnet_wait_syncnb(call[i].handle);
        look(&call[i]);
    }
}

/* What is wrong with a sum, in shares of the largest sum of magnitudes in its block. */
struct error {
    double worst, squares;
};

static void add_error(struct error *e, const struct call *c, size_t at)
{
    double exact[16], most = 0;
    for (size_t i = 0; i < 16; i++) {
        double size = 0;
        exact[i] = 0;
        for (int r = 0; r < all.ranks; r++) {
            exact[i] += value(c, r, at + i);
            size += fabs(value(c, r, at + i));
        }
        most = size > most ? size : most;
    }
    for (size_t i = 0; i < 16; i++) {
        const double off = fabs(c->dst[at + i] - exact[i]) / most;
        e->worst = off > e->worst ? off : e->worst;
        e->squares += off * off;
    }
}

/* The error of FP32 and of BFP16 beside sums in FP64, of numbers in [-1, 1). FP32 rounds
 * ranks - 1 times. */
static void compare(void)
{
    static const unsigned wires[] = {FSHMEM_WIRE_FP32, FSHMEM_WIRE_BFP16};
    const double p = all.ranks, bound = p * 0x1p-7 * pow(1 + 0x1p-6, p);
    struct error e[2] = {{0, 0}, {0, 0}};
    struct call c = {.kind = PLAIN, .key = 4711, .src = part, .dst = part};

    c.n = 16 * 4 * (size_t)(all.ranks * (MOST / 64 / all.ranks));
    for (int w = 0; w < 2; w++) {
        for (size_t i = 0; i < c.n; i++)
            part[i] = value(&c, all.me, i);
        FINE(fshmem_coll_allreduce(all.team, part, part, c.n, FSHMEM_FLOAT,
                                   FSHMEM_SUM, FSHMEM_COLL_RING | wires[w]));
        for (size_t at = 0; at < c.n; at += 16)
            add_error(&e[w], &c, at);
    }
    CHECK(e[0].worst <= (p - 1) * 0x1p-24 * (1 + 0x1p-20), "FP32: %g",
          e[0].worst);
    CHECK(all.ranks == 1 || (e[1].worst <= bound && e[1].worst > e[0].worst),
          "BFP16: %g, bound %g", e[1].worst, bound);
    if (all.me == 0)
        printf(
            "%d ranks, error at most and root mean square: FP32 %.2g, %.2g; BFP16 "
            "%.2g, %.2g; bound %.2g\n",
            all.ranks, e[0].worst, sqrt(e[0].squares / (double)c.n), e[1].worst,
            sqrt(e[1].squares / (double)c.n), bound);
}

/* One Inf: its neighbours are lost, the next block is not. */
static void poison(void)
{
    const size_t n = 64 * (size_t)all.ranks;
    for (size_t i = 0; i < n; i++)
        part[i] = 1;
    part[20] = all.me == 0 ? INFINITY : 1;
    FINE(fshmem_coll_allreduce(all.team, part, part, n, FSHMEM_FLOAT,
                               FSHMEM_SUM, FSHMEM_WIRE_BFP16));
    for (size_t i = 0; i < n; i++) {
        if (i == 20)
            CHECK(isinf(part[i]), "Inf is %g", part[i]);
        else if (i >= 16 && i < 32 && all.ranks > 1)
            CHECK(isnan(part[i]), "beside Inf: %g", part[i]);
        else
            CHECK(part[i] == (float)all.ranks, "element %zu: %g", i, part[i]);
    }
}

static void refused(fshmem_type_t type, fshmem_op_t op, unsigned flags)
{
    const fshmem_status_t s =
        fshmem_coll_allreduce(all.team, sum, part, 4, type, op, flags);
    CHECK(s == FSHMEM_ERR_ARGUMENT, "type %d, op %d, flags %#x: %s", type, op,
          flags, fshmem_status_string(s));
}

static void refuse(void)
{
    refused(FSHMEM_DOUBLE, FSHMEM_SUM, FSHMEM_WIRE_BFP16);
    refused(FSHMEM_INT32, FSHMEM_SUM, FSHMEM_WIRE_BFP16);
    refused(FSHMEM_FLOAT, FSHMEM_MAX, FSHMEM_WIRE_BFP16);
    refused(FSHMEM_FLOAT, FSHMEM_SUM, FSHMEM_WIRE_BFP16 | FSHMEM_COLL_DOUBLING);
    refused(FSHMEM_FLOAT, FSHMEM_SUM, 0x2000);
    CHECK(fshmem_coll_reduce(all.team, 0, sum, part, 4, FSHMEM_FLOAT,
                             FSHMEM_SUM,
                             FSHMEM_WIRE_BFP16) == FSHMEM_ERR_ARGUMENT,
          "reduce");
}

int main(int argc, char **argv)
{
    /* 50000: on three nodes, halves of nine packets. */
    static const size_t sizes[] = {0,   1,    15,   16,    17,    100,
                                   255, 1000, 4099, 12345, 50000, MOST};
    coll_begin("coll_wire", &argc, &argv, 1 << 20);
    all = coll_team_of(GASNET_TEAM_ALL);
    refuse();
    poison();
    compare();
    for (int round = 0; round < conf_iters(10, 1); round++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            if (sizes[i] < 20000 || round == 0)
                several(sizes[i], (uint64_t)round * 100 + i);
    conf_pass();
}
