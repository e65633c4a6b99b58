/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics in one thread: return value and result of each operation, with every
 * flag, at random values and at both ends of the range, against plain
 * arithmetic. Built for SEQ and for PAR, which are different code. */
#include "conform.h"

#include <gasnet_tools.h>

#ifdef GASNET_SEQ
#if !GASNETT_THREAD_SINGLE
#error "SEQ is one thread"
#endif
#elif !GASNETT_THREAD_SAFE
#error "PAR is thread-safe"
#endif

static const int flags[] = {0,
                            GASNETT_ATOMIC_NONE,
                            GASNETT_ATOMIC_RMB_PRE,
                            GASNETT_ATOMIC_WMB_PRE,
                            GASNETT_ATOMIC_MB_PRE,
                            GASNETT_ATOMIC_RMB_POST,
                            GASNETT_ATOMIC_WMB_POST,
                            GASNETT_ATOMIC_MB_POST,
                            GASNETT_ATOMIC_RMB_POST_IF_TRUE,
                            GASNETT_ATOMIC_RMB_POST_IF_FALSE,
                            GASNETT_ATOMIC_ACQ,
                            GASNETT_ATOMIC_REL,
                            GASNETT_ATOMIC_ACQ | GASNETT_ATOMIC_REL,
                            GASNETT_ATOMIC_ACQ_IF_TRUE | GASNETT_ATOMIC_REL,
                            GASNETT_ATOMIC_MB_PRE | GASNETT_ATOMIC_MB_POST};

/* Operation k on a and on the model m must agree. */
#define STEP(X, V)                                                         \
    switch (k) {                                                           \
    case 0:                                                                \
        X##_set(&a, v, f);                                                 \
        m = v;                                                             \
        break;                                                             \
    case 1:                                                                \
        X##_increment(&a, f);                                              \
        m++;                                                               \
        break;                                                             \
    case 2:                                                                \
        X##_decrement(&a, f);                                              \
        m--;                                                               \
        break;                                                             \
    case 3:                                                                \
        m = (V)(m + v);                                                    \
        CHECK_EQ(X##_add(&a, v, f), m);                                    \
        break;                                                             \
    case 4:                                                                \
        m = (V)(m - v);                                                    \
        CHECK_EQ(X##_subtract(&a, v, f), m);                               \
        break;                                                             \
    case 5:                                                                \
        CHECK_EQ(X##_swap(&a, v, f), m);                                   \
        m = v;                                                             \
        break;                                                             \
    case 6:                                                                \
        CHECK(X##_compare_and_swap(&a, m, v, f) != 0, "cas of the value"); \
        m = v;                                                             \
        break;                                                             \
    case 7:                                                                \
        CHECK_EQ(X##_compare_and_swap(&a, (V)(m + 1), v, f), 0);           \
        break;                                                             \
    case 8:                                                                \
        X##_set(&a, m = (V)(v & 1), f);                                    \
        m--;                                                               \
        CHECK_EQ(X##_decrement_and_test(&a, f) != 0, m == 0);              \
        break;                                                             \
    default:                                                               \
        break;                                                             \
    }                                                                      \
    CHECK_EQ(X##_read(&a, f), m)

#define TYPE(X, T, V)                                                        \
    static void test_##X(struct conf_rng *rng)                               \
    {                                                                        \
        static T a = X##_init(~(V)0 - 1);                                    \
        static const V ends[] = {0, 1, ~(V)0, ~(V)0 >> 1, (~(V)0 >> 1) + 1}; \
        V m = (V)(~(V)0 - 1);                                                \
        CHECK_EQ(X##_read(&a, 0), m);                                        \
        for (int i = 0; i < 20000; i++) {                                    \
            const size_t k = conf_below(rng, 10);                            \
            const int f = flags[conf_below(rng, CONF_COUNT(flags))];         \
            V v = (V)conf_next(rng);                                         \
            if (conf_below(rng, 3) == 0)                                     \
                v = ends[conf_below(rng, CONF_COUNT(ends))];                 \
            STEP(X, V);                                                      \
        }                                                                    \
    }

TYPE(gasnett_atomic, gasnett_atomic_t, gasnett_atomic_val_t)
TYPE(gasnett_atomic32, gasnett_atomic32_t, uint32_t)
TYPE(gasnett_atomic64, gasnett_atomic64_t, uint64_t)
TYPE(gasnett_strongatomic, gasnett_strongatomic_t, gasnett_atomic_val_t)
TYPE(gasnett_strongatomic32, gasnett_strongatomic32_t, uint32_t)
TYPE(gasnett_strongatomic64, gasnett_strongatomic64_t, uint64_t)

static void signs(void)
{
    gasnett_atomic_t a = gasnett_atomic_init(-5);
    CHECK_EQ(gasnett_atomic_signed(gasnett_atomic_read(&a, 0)), -5);
    CHECK_EQ(gasnett_atomic_signed(gasnett_atomic_add(&a, 4, 0)), -1);
    gasnett_atomic_set(&a, (gasnett_atomic_val_t)GASNETT_ATOMIC_SIGNED_MIN, 0);
    CHECK_EQ(gasnett_atomic_signed(gasnett_atomic_subtract(&a, 1, 0)),
             GASNETT_ATOMIC_SIGNED_MAX);
    gasnett_atomic_set(&a, GASNETT_ATOMIC_MAX, 0);
    gasnett_atomic_increment(&a, 0);
    CHECK_EQ(gasnett_atomic_read(&a, 0), 0);
    CHECK_EQ((gasnett_atomic_val_t)-1 > 0, 1);
    CHECK_EQ((gasnett_atomic_sval_t)-1 < 0, 1);
}

/* Numbers that are no atomic type, handled as one. */
static void other_types(void)
{
    int32_t i = -7;
    double d = 1.5;
    uint64_t bits;
    CHECK_EQ(gasnett_atomic32_add((gasnett_atomic32_t *)(void *)&i, 2, 0),
             (uint32_t)-5);
    CHECK_EQ(i, -5);
    memcpy(&bits, &d, sizeof bits);
    CHECK(gasnett_atomic64_compare_and_swap((gasnett_atomic64_t *)(void *)&d,
                                            bits, 0, 0),
          "bits of a double");
    CHECK(d == 0, "%g", d);
    CHECK_EQ(sizeof(gasnett_atomic32_t), 4);
    CHECK_EQ(sizeof(gasnett_atomic64_t), 8);
}

int main(int argc, char **argv)
{
    conf_start("tools_atomics", &argc, &argv, NULL, 0, 0);
    struct conf_rng rng = conf_rng(conf.me);
    test_gasnett_atomic(&rng);
    test_gasnett_atomic32(&rng);
    test_gasnett_atomic64(&rng);
    test_gasnett_strongatomic(&rng);
    test_gasnett_strongatomic32(&rng);
    test_gasnett_strongatomic64(&rng);
    signs();
    other_types();
    conf_pass();
}
