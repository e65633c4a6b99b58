/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reference for reductions: elements by rank and index, the operations on
 * one of them, and the orders TREE, RING and PREFIX, written only from
 * docs/02_reference/collectives.md, without the library's code. Sums are also held
 * to exact ones by the bound that is there, which knows no order.
 */
#ifndef FSHMEM_COLL_FOLD_H
#define FSHMEM_COLL_FOLD_H

#include "../../conform/conform.h"

#include <fshmem.h>

#include <float.h>
#include <math.h>

enum { COLL_TYPES = 6, COLL_OPS = 9, COLL_MAX_RANKS = 64, COLL_ELEMENT = 16 };
/* Orders that a result agrees with; where they agree with each other, both. */
enum { COLL_TREE = 1, COLL_RING = 2, COLL_PREFIX = 4 };

/* Numbers of any size; those that operations treat in some special way; and those
 * of which many are equal. */
enum coll_style { COLL_PLAIN, COLL_SPECIAL, COLL_TIES, COLL_STYLES };

/* What one reduction works on. */
struct coll_fold {
    fshmem_type_t type;
    fshmem_op_t op;
    enum coll_style style;
    uint64_t key;
    int ranks;
    const char *name; /* of the call, for messages */
};

struct coll_element {
    unsigned char byte[COLL_ELEMENT];
};

static inline int coll_is_loc(fshmem_op_t op)
{
    return op == FSHMEM_MINLOC || op == FSHMEM_MAXLOC;
}

static inline int coll_is_float(fshmem_type_t type)
{
    return type == FSHMEM_FLOAT || type == FSHMEM_DOUBLE;
}

/* Bytes of an element, 0 if there is no such reduction. */
static inline size_t coll_size(fshmem_type_t type, fshmem_op_t op)
{
    static const size_t size[COLL_TYPES] = {4, 8, 4, 8, 4, 8};
    const int bits = op == FSHMEM_AND || op == FSHMEM_OR || op == FSHMEM_XOR;
    if (bits && coll_is_float(type)) {
        return 0;
    }
    return size[type] << coll_is_loc(op);
}

/* ---- one operation ------------------------------------------------------- */

/* Integers: by way of uint64_t, which wraps. */
#define COLL_INTEGER(T, U)                                \
    static inline T coll_op_##U(fshmem_op_t op, T a, T b) \
    {                                                     \
        switch (op) {                                     \
        case FSHMEM_SUM:                                  \
            return (T)((uint64_t)a + (uint64_t)b);        \
        case FSHMEM_PROD:                                 \
            return (T)((uint64_t)a * (uint64_t)b);        \
        case FSHMEM_MIN:                                  \
            return b < a ? b : a;                         \
        case FSHMEM_MAX:                                  \
            return b > a ? b : a;                         \
        case FSHMEM_AND:                                  \
            return (T)((uint64_t)a & (uint64_t)b);        \
        case FSHMEM_OR:                                   \
            return (T)((uint64_t)a | (uint64_t)b);        \
        default:                                          \
            return (T)((uint64_t)a ^ (uint64_t)b);        \
        }                                                 \
    }

/* Of a zero of each sign the negative one is less. */
#define COLL_FLOATING(T, U, QUIET)                                       \
    static inline T coll_op_##U(fshmem_op_t op, T a, T b)                \
    {                                                                    \
        const int less = a < b || (a == b && signbit(a) && !signbit(b)); \
        T r;                                                             \
        if (op == FSHMEM_SUM) {                                          \
            r = a + b;                                                   \
        } else if (op == FSHMEM_PROD) {                                  \
            r = a * b;                                                   \
        } else if (isnan(a) || isnan(b)) {                               \
            r = (T)NAN;                                                  \
        } else {                                                         \
            r = (op == FSHMEM_MIN) == less ? a : b;                      \
        }                                                                \
        if (isnan(r)) {                                                  \
            memcpy(&r, &(QUIET), sizeof r);                              \
        }                                                                \
        return r;                                                        \
    }

/* Does the pair b take the place of a? NaN goes before any number, a zero of each
 * sign differs, and of equal values the lowest index stays. */
#define COLL_PAIR(T, U, I, LESS)                                           \
    static inline int coll_takes_##U(fshmem_op_t op, T a, T b, I ai, I bi) \
    {                                                                      \
        if (a != a || b != b) {                                            \
            return a != a ? b != b && bi < ai : 1;                         \
        }                                                                  \
        if (LESS(a, b) || LESS(b, a)) {                                    \
            return (op == FSHMEM_MINLOC) == LESS(b, a);                    \
        }                                                                  \
        return bi < ai;                                                    \
    }
#define COLL_LESS(a, b) ((a) < (b))
#define COLL_LESS_SIGNED_ZERO(a, b) \
    ((a) < (b) || ((a) == (b) && signbit(a) && !signbit(b)))

static const uint32_t coll_quiet32 = 0x7fc00000;
static const uint64_t coll_quiet64 = UINT64_C(0x7ff8000000000000);

#define COLL_EACH(X)                         \
    X(FSHMEM_INT32, int32_t, i32, int32_t)   \
    X(FSHMEM_INT64, int64_t, i64, int64_t)   \
    X(FSHMEM_UINT32, uint32_t, u32, int32_t) \
    X(FSHMEM_UINT64, uint64_t, u64, int64_t) \
    X(FSHMEM_FLOAT, float, f32, int32_t)     \
    X(FSHMEM_DOUBLE, double, f64, int64_t)

COLL_INTEGER(int32_t, i32)
COLL_INTEGER(int64_t, i64)
COLL_INTEGER(uint32_t, u32)
COLL_INTEGER(uint64_t, u64)
COLL_FLOATING(float, f32, coll_quiet32)
COLL_FLOATING(double, f64, coll_quiet64)
COLL_PAIR(int32_t, i32, int32_t, COLL_LESS)
COLL_PAIR(int64_t, i64, int64_t, COLL_LESS)
COLL_PAIR(uint32_t, u32, int32_t, COLL_LESS)
COLL_PAIR(uint64_t, u64, int64_t, COLL_LESS)
COLL_PAIR(float, f32, int32_t, COLL_LESS_SIGNED_ZERO)
COLL_PAIR(double, f64, int64_t, COLL_LESS_SIGNED_ZERO)

/* There is one NaN, also as the value of a pair. */
static inline struct coll_element coll_quiet(fshmem_type_t type,
                                             struct coll_element e)
{
    float x;
    double y;
    memcpy(&x, e.byte, sizeof x);
    memcpy(&y, e.byte, sizeof y);
    if (type == FSHMEM_FLOAT && isnan(x)) {
        memcpy(e.byte, &coll_quiet32, sizeof coll_quiet32);
    } else if (type == FSHMEM_DOUBLE && isnan(y)) {
        memcpy(e.byte, &coll_quiet64, sizeof coll_quiet64);
    }
    return e;
}

/* a (op) b. */
static inline struct coll_element coll_combine(const struct coll_fold *f,
                                               struct coll_element a,
                                               struct coll_element b)
{
#define COLL_CASE(TYPE, T, U, I)                                            \
    case TYPE: {                                                            \
        T x, y;                                                             \
        I xi, yi;                                                           \
        memcpy(&x, a.byte, sizeof x);                                       \
        memcpy(&y, b.byte, sizeof y);                                       \
        memcpy(&xi, a.byte + sizeof x, sizeof xi);                          \
        memcpy(&yi, b.byte + sizeof y, sizeof yi);                          \
        if (coll_is_loc(f->op)) {                                           \
            return coll_quiet(f->type,                                      \
                              coll_takes_##U(f->op, x, y, xi, yi) ? b : a); \
        }                                                                   \
        x = coll_op_##U(f->op, x, y);                                       \
        memcpy(a.byte, &x, sizeof x);                                       \
        return a;                                                           \
    }
    switch (f->type) {
        COLL_EACH(COLL_CASE)
    default:
        CHECK(0, "no such type");
    }
#undef COLL_CASE
}

/* ---- elements ------------------------------------------------------------ */

static inline uint64_t coll_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number of the key, the same on all ranks. */
static inline uint64_t coll_number(uint64_t key, uint64_t a, uint64_t b)
{
    return coll_mix(coll_mix(coll_mix(key) + a * UINT64_C(0x9e3779b97f4a7c15)) +
                    b);
}

/* Bits of values that operations treat in some special way. NaN: quiet, with a
 * payload, negative, signalling. */
static const uint32_t coll_special32[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
    0x80800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0x7fc12345, 0xffc00000, 0x7f800001, 0x3f800000, 0xbf800000, 0x7fffffff,
    0xffffffff, 0x34000000, 0x4b800000, 0x80000002};
static const uint64_t coll_special64[] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x8000000000000000),
    UINT64_C(0x0000000000000001), UINT64_C(0x8000000000000001),
    UINT64_C(0x000fffffffffffff), UINT64_C(0x0010000000000000),
    UINT64_C(0x8010000000000000), UINT64_C(0x7fefffffffffffff),
    UINT64_C(0xffefffffffffffff), UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000), UINT64_C(0x7ff8000000000000),
    UINT64_C(0x7ff8000000012345), UINT64_C(0xfff8000000000000),
    UINT64_C(0x7ff0000000000001), UINT64_C(0x3ff0000000000000),
    UINT64_C(0xbff0000000000000), UINT64_C(0x7fffffffffffffff),
    UINT64_C(0xffffffffffffffff), UINT64_C(0x3cb0000000000000),
    UINT64_C(0x4340000000000000), UINT64_C(0x8000000000000002)};

/* Bits of a value, from random ones. Floating-point numbers have exponents near
 * each other, so that each order of a sum rounds in its own way. */
static inline uint64_t coll_bits(const struct coll_fold *f, uint64_t random)
{
    const int wide = f->type == FSHMEM_INT64 || f->type == FSHMEM_UINT64 ||
                     f->type == FSHMEM_DOUBLE;
    const uint64_t mantissa = random >> 12;
    const uint64_t near = random >> 4 & 7;
    if (f->style == COLL_SPECIAL && random % 4 != 0) {
        return wide ? coll_special64[random / 4 % CONF_COUNT(coll_special64)]
                    : coll_special32[random / 4 % CONF_COUNT(coll_special32)];
    }
    if (f->style == COLL_TIES && f->type == FSHMEM_FLOAT) {
        return 0x3f800000 + (random & 3);
    }
    if (f->style == COLL_TIES && f->type == FSHMEM_DOUBLE) {
        return UINT64_C(0x3ff0000000000000) + (random & 3);
    }
    if (f->style == COLL_TIES) {
        return (random & 3) - 2;
    }
    if (f->type == FSHMEM_FLOAT) {
        return (random & 1) << 31 | (0x7c + near) << 23 | (mantissa & 0x7fffff);
    }
    if (f->type == FSHMEM_DOUBLE) {
        return (random & 1) << 63 | (0x3fc + near) << 52 | mantissa;
    }
    return random;
}

/* Element i of a rank. Indices of pairs differ between ranks; some are negative. */
static inline struct coll_element coll_element(const struct coll_fold *f,
                                               int rank, size_t i)
{
    const size_t size = coll_size(f->type, f->op) >> coll_is_loc(f->op);
    const uint64_t bits = coll_bits(f, coll_number(f->key, (uint64_t)rank, i));
    const int64_t index = (int64_t)(((uint64_t)rank * 27 + i) % 64) - 30;
    struct coll_element e = {{0}};
    memcpy(e.byte, &bits, size);
    if (coll_is_loc(f->op)) {
        memcpy(e.byte + size, &index, size);
    }
    return e;
}

/* n elements of a rank from `first` on. */
static inline void coll_elements(const struct coll_fold *f, int rank,
                                 size_t first, size_t n, unsigned char *at)
{
    const size_t size = coll_size(f->type, f->op);
    for (size_t i = 0; i < n; i++) {
        const struct coll_element e = coll_element(f, rank, first + i);
        memcpy(at + i * size, e.byte, size);
    }
}

/* ---- orders -------------------------------------------------------------- */

/* The largest power of two that is no more than the ranks. What is more pairs up
 * first; then a balanced tree. */
static inline struct coll_element coll_by_tree(const struct coll_fold *f,
                                               const struct coll_element *x)
{
    struct coll_element v[COLL_MAX_RANKS];
    int power = 1;
    while (2 * power <= f->ranks) {
        power *= 2;
    }
    const int extra = f->ranks - power;
    for (int j = 0; j < power; j++) {
        v[j] =
            j < extra ? coll_combine(f, x[2 * j], x[2 * j + 1]) : x[j + extra];
    }
    for (int d = 1; d < power; d *= 2) {
        for (int j = 0; j < power; j += 2 * d) {
            v[j] = coll_combine(f, v[j], v[j + d]);
        }
    }
    return v[0];
}

/* ((x_{b+1} + x_{b+2}) + ...) + x_b, or the other way: ((x_{b-1} + x_{b-2}) + ...)
   + x_b. */
static inline struct coll_element coll_by_ring(const struct coll_fold *f,
                                               const struct coll_element *x,
                                               int block, int back)
{
    const int step = back ? f->ranks - 1 : 1;
    struct coll_element sum = x[(block + step) % f->ranks];
    for (int j = 2; j <= f->ranks; j++) {
        sum = coll_combine(f, sum, x[(block + j * step) % f->ranks]);
    }
    return sum;
}

/* Is element i of a block of n in the half that goes back? `least`: bytes of a rank's
   block by which RING knows whether it has halves. */
static inline int coll_is_back(int ranks, size_t i, size_t n, size_t size,
                               size_t least)
{
    const size_t half = (n * size + 127) / 128 * 64;
    return ranks > 2 && least >= 2048 && i >= half / size;
}

/* Of ranks 0 to last: recursive doubling. */
static inline struct coll_element coll_by_prefix(const struct coll_fold *f,
                                                 const struct coll_element *x,
                                                 int last)
{
    struct coll_element s[COLL_MAX_RANKS];
    memcpy(s, x, ((size_t)last + 1) * sizeof *s);
    for (int d = 1; d <= last; d *= 2) {
        for (int r = last; r >= d; r--) {
            s[r] = coll_combine(f, s[r - d], s[r]);
        }
    }
    return s[last];
}

/* What a result is of. */
struct coll_part {
    size_t first; /* element of the ranks' */
    size_t n;     /* elements */
    size_t total; /* of the vector that RING takes in even parts; 0: all of this
                     result is part `block` */
    int block;
    int last; /* PREFIX: rank; else -1 */
};

/* The part of n elements that element i is in. */
static inline int coll_part_of(size_t i, size_t n, int ranks)
{
    int b = (int)(i * (size_t)ranks / n);
    while (i >= n * ((size_t)b + 1) / (size_t)ranks) {
        b++;
    }
    while (i < n * (size_t)b / (size_t)ranks) {
        b--;
    }
    return b;
}

static inline const char *coll_hex(const struct coll_fold *f,
                                   const unsigned char *e, char *text)
{
    const size_t size = coll_size(f->type, f->op);
    for (size_t i = 0; i < size; i++) {
        sprintf(text + 2 * i, "%02x", e[size - 1 - i]);
    }
    return text;
}

/* A floating-point sum is within (n - 1) eps sum|x| of the exact one, whatever its
 * order; if none of the partial sums can overflow. */
static inline void coll_near(const char *where, const struct coll_fold *f,
                             const struct coll_element *x, int n, size_t i,
                             const unsigned char *at)
{
    const int wide = f->type == FSHMEM_DOUBLE;
    long double sum = 0, size = 0, got;
    double y;
    float z;
    if (f->op != FSHMEM_SUM || !coll_is_float(f->type)) {
        return;
    }
    for (int r = 0; r < n; r++) {
        memcpy(&y, x[r].byte, sizeof y);
        memcpy(&z, x[r].byte, sizeof z);
        sum += wide ? (long double)y : (long double)z;
        size += fabsl(wide ? (long double)y : (long double)z);
    }
    /* NaN, too, is not below. */
    if (!(size < (wide ? (long double)DBL_MAX : (long double)FLT_MAX) / 2)) {
        return;
    }
    memcpy(&y, at, sizeof(float) << wide);
    memcpy(&z, at, sizeof z);
    got = wide ? (long double)y : (long double)z;
    if (!(fabsl(got - sum) <=
          (n - 1) * (long double)(wide ? DBL_EPSILON : FLT_EPSILON) * size)) {
        conf_fail(where, "a sum within its bound",
                  "%s, type %d of %d ranks: element %zu is %.20Lg, not %.20Lg; "
                  "sum of magnitudes %Lg",
                  f->name, (int)f->type, n, i, got, sum, size);
    }
}

/* The orders in which a result comes out bit for bit; ends the job if there is
 * none. */
static inline unsigned coll_match(const char *where, const struct coll_fold *f,
                                  const struct coll_part *part,
                                  const unsigned char *at)
{
    const size_t size = coll_size(f->type, f->op);
    unsigned orders = part->last >= 0 ? COLL_PREFIX : COLL_TREE | COLL_RING;
    for (size_t i = 0; i < part->n; i++) {
        struct coll_element x[COLL_MAX_RANKS], tree, ring;
        int block = part->block;
        size_t first = 0, end = part->n, least = part->n * size;
        for (int r = 0; r < f->ranks; r++) {
            x[r] = coll_element(f, r, part->first + i);
        }
        coll_near(where, f, x, part->last >= 0 ? part->last + 1 : f->ranks, i,
                  at + i * size);
        if (part->last >= 0) {
            tree = ring = coll_by_prefix(f, x, part->last);
        } else {
            if (part->total != 0) {
                const size_t ranks = (size_t)f->ranks;
                block = coll_part_of(i, part->total, f->ranks);
                first = part->total * (size_t)block / ranks;
                end = part->total * ((size_t)block + 1) / ranks;
                least = part->total * size / ranks;
            }
            tree = coll_by_tree(f, x);
            ring = coll_by_ring(
                f, x, block,
                coll_is_back(f->ranks, i - first, end - first, size, least));
        }
        if (memcmp(tree.byte, at + i * size, size) != 0) {
            orders &= ~(unsigned)COLL_TREE & ~(unsigned)COLL_PREFIX;
        }
        if (memcmp(ring.byte, at + i * size, size) != 0) {
            orders &= ~(unsigned)COLL_RING;
        }
        if (orders == 0) {
            char got[40], one[40], other[40];
            conf_fail(where, "result of a reduction",
                      "%s, type %d op %d style %d of %d ranks: element %zu of "
                      "%zu is %s, want %s (tree) or %s (ring), or an element "
                      "before it was of the other order",
                      f->name, (int)f->type, (int)f->op, (int)f->style,
                      f->ranks, i, part->n, coll_hex(f, at + i * size, got),
                      coll_hex(f, tree.byte, one),
                      coll_hex(f, ring.byte, other));
        }
    }
    return orders;
}

#endif
