/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic variables: gasnett_atomic_t (unsigned, 32 bits here), gasnett_atomic32_t,
 * gasnett_atomic64_t, and the gasnett_strongatomic forms. They work between the
 * threads of one process, and are atomic only with respect to each other. With
 * GASNETT_THREAD_SINGLE the plain forms are ordinary loads and stores; the strong
 * forms are always atomic, also with respect to signal handlers. Included by
 * gasnet_tools.h. Any thread.
 *
 *   X_init(v)                       static initialiser
 *   X_set(p, v, flags)              X_read(p, flags)
 *   X_increment(p, flags)           X_decrement(p, flags)
 *   X_decrement_and_test(p, flags)  non-zero if the result is 0
 *   X_add(p, n, flags)              X_subtract(p, n, flags)    the NEW value
 *   X_swap(p, v, flags)             the OLD value
 *   X_compare_and_swap(p, old, new, flags)   non-zero if swapped
 *
 * Values wrap around. Operations are relaxed unless flags ask for a barrier before or
 * after them. No operation blocks or fails.
 * [R-TOOL-07, R-TOOL-08, R-TOOL-09]
 */
#ifndef GASNET_TOOLS_ATOMIC_H
#define GASNET_TOOLS_ATOMIC_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define GASNETT_ATOMIC_NONE 0
#define GASNETT_ATOMIC_RMB_PRE 1
#define GASNETT_ATOMIC_WMB_PRE 2
#define GASNETT_ATOMIC_MB_PRE (GASNETT_ATOMIC_RMB_PRE | GASNETT_ATOMIC_WMB_PRE)
/* After a compare_and_swap or decrement_and_test that succeeds, or fails. */
#define GASNETT_ATOMIC_RMB_POST_IF_TRUE 4
#define GASNETT_ATOMIC_RMB_POST_IF_FALSE 8
#define GASNETT_ATOMIC_RMB_POST \
    (GASNETT_ATOMIC_RMB_POST_IF_TRUE | GASNETT_ATOMIC_RMB_POST_IF_FALSE)
#define GASNETT_ATOMIC_WMB_POST 16
#define GASNETT_ATOMIC_MB_POST \
    (GASNETT_ATOMIC_RMB_POST | GASNETT_ATOMIC_WMB_POST)
#define GASNETT_ATOMIC_REL GASNETT_ATOMIC_WMB_PRE
#define GASNETT_ATOMIC_ACQ GASNETT_ATOMIC_RMB_POST
#define GASNETT_ATOMIC_ACQ_IF_TRUE GASNETT_ATOMIC_RMB_POST_IF_TRUE
#define GASNETT_ATOMIC_ACQ_IF_FALSE GASNETT_ATOMIC_RMB_POST_IF_FALSE

#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1
#define GASNETT_ATOMIC_CONFIG atomics_native
#define GASNETT_ATOMIC32_CONFIG atomic32_native
#define GASNETT_ATOMIC64_CONFIG atomic64_native

/* Natural size and alignment; may alias any integer of that size. */
typedef struct {
    uint32_t fsh_value;
} __attribute__((__may_alias__)) gasnett_atomic32_t;
typedef struct {
    uint64_t fsh_value;
} __attribute__((__may_alias__)) gasnett_atomic64_t;
typedef gasnett_atomic32_t gasnett_atomic_t;
typedef gasnett_atomic_t gasnett_strongatomic_t;
typedef gasnett_atomic32_t gasnett_strongatomic32_t;
typedef gasnett_atomic64_t gasnett_strongatomic64_t;

/* Initialisers. [R-TOOL-07] */
/* clang-format off */
#define gasnett_atomic32_init(v) { (uint32_t)(v) }
#define gasnett_atomic64_init(v) { (uint64_t)(v) }
/* clang-format on */
#define gasnett_atomic_init(v) gasnett_atomic32_init(v)
#define gasnett_strongatomic_init(v) gasnett_atomic32_init(v)
#define gasnett_strongatomic32_init(v) gasnett_atomic32_init(v)
#define gasnett_strongatomic64_init(v) gasnett_atomic64_init(v)

/* The value of a gasnett_atomic_t, and its signed interpretation.
 * [R-TOOL-07] */
typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
#define gasnett_atomic_signed(v) \
    ((gasnett_atomic_sval_t)(gasnett_atomic_val_t)(v))
#define GASNETT_ATOMIC_MAX ((gasnett_atomic_val_t)0xffffffffU)
#define GASNETT_ATOMIC_SIGNED_MIN ((gasnett_atomic_sval_t)(-0x7fffffff - 1))
#define GASNETT_ATOMIC_SIGNED_MAX ((gasnett_atomic_sval_t)0x7fffffff)

/* ---- barriers requested by flags; flags are constant, so this folds --------- */

/* The barriers that flags request before and after an operation. */
GASNETT_INLINE(fsh_gasnett_before) void fsh_gasnett_before(int flags)
{
    if ((flags & GASNETT_ATOMIC_MB_PRE) == GASNETT_ATOMIC_MB_PRE)
        FSH_GASNETT_FENCE(__ATOMIC_SEQ_CST);
    else if (flags & GASNETT_ATOMIC_RMB_PRE)
        FSH_GASNETT_FENCE(__ATOMIC_ACQUIRE);
    else if (flags & GASNETT_ATOMIC_WMB_PRE)
        FSH_GASNETT_FENCE(__ATOMIC_RELEASE);
}
GASNETT_INLINE(fsh_gasnett_after) void fsh_gasnett_after(int flags)
{
    if ((flags & GASNETT_ATOMIC_WMB_POST) && (flags & GASNETT_ATOMIC_RMB_POST))
        FSH_GASNETT_FENCE(__ATOMIC_SEQ_CST);
    else if (flags & GASNETT_ATOMIC_WMB_POST)
        FSH_GASNETT_FENCE(__ATOMIC_RELEASE);
    else if (flags & GASNETT_ATOMIC_RMB_POST)
        FSH_GASNETT_FENCE(__ATOMIC_ACQUIRE);
}

/* A sequentially consistent read-modify-write is a full barrier on x86. The
 * thread sanitizer, however, must see both sides of a pair alike, whether the
 * barrier is an atomic's flag or stands alone. */
#if defined(PLATFORM_ARCH_X86_64) && !FSH_GASNETT_TSAN
#define FSH_GASNETT_RMW_BEFORE(flags) ((void)0)
#define FSH_GASNETT_RMW_AFTER(flags) ((void)0)
#else
#define FSH_GASNETT_RMW_BEFORE(flags) fsh_gasnett_before(flags)
#define FSH_GASNETT_RMW_AFTER(flags) fsh_gasnett_after(flags)
#endif

/* Works around a gcc 12 bug: it turns fetch_add(p, n) + n into add_fetch(p, n),
 * and if the result shares n's register it adds the old value to itself. The
 * empty asm makes the old value opaque. */
#define FSH_GASNETT_KEEP(old) __asm__("" : "+r"(old))

/* ---- operations with prefix N on type T with values of type V --------------- */

#define FSH_GASNETT_ATOMIC(N, T, V)                                            \
    GASNETT_INLINE(N##_read) V N##_read(const volatile T *p, int flags)        \
    {                                                                          \
        V v;                                                                   \
        fsh_gasnett_before(flags);                                             \
        if (flags & GASNETT_ATOMIC_RMB_POST)                                   \
            v = __atomic_load_n(&p->fsh_value, __ATOMIC_ACQUIRE);              \
        else                                                                   \
            v = __atomic_load_n(&p->fsh_value, __ATOMIC_RELAXED);              \
        if (FSH_GASNETT_TSAN || (flags & GASNETT_ATOMIC_WMB_POST))             \
            fsh_gasnett_after(flags);                                          \
        return v;                                                              \
    }                                                                          \
    GASNETT_INLINE(N##_set) void N##_set(volatile T *p, V v, int flags)        \
    {                                                                          \
        if (FSH_GASNETT_TSAN || (flags & GASNETT_ATOMIC_RMB_PRE))              \
            fsh_gasnett_before(flags);                                         \
        if (flags & GASNETT_ATOMIC_WMB_PRE)                                    \
            __atomic_store_n(&p->fsh_value, v, __ATOMIC_RELEASE);              \
        else                                                                   \
            __atomic_store_n(&p->fsh_value, v, __ATOMIC_RELAXED);              \
        fsh_gasnett_after(flags);                                              \
    }                                                                          \
    GASNETT_INLINE(N##_add) V N##_add(volatile T *p, V n, int flags)           \
    {                                                                          \
        V old;                                                                 \
        FSH_GASNETT_RMW_BEFORE(flags);                                         \
        if (flags)                                                             \
            old = __atomic_fetch_add(&p->fsh_value, n, __ATOMIC_SEQ_CST);      \
        else                                                                   \
            old = __atomic_fetch_add(&p->fsh_value, n, __ATOMIC_RELAXED);      \
        FSH_GASNETT_RMW_AFTER(flags);                                          \
        FSH_GASNETT_KEEP(old);                                                 \
        return (V)(old + n);                                                   \
    }                                                                          \
    GASNETT_INLINE(N##_swap) V N##_swap(volatile T *p, V v, int flags)         \
    {                                                                          \
        FSH_GASNETT_RMW_BEFORE(flags);                                         \
        if (flags)                                                             \
            v = __atomic_exchange_n(&p->fsh_value, v, __ATOMIC_SEQ_CST);       \
        else                                                                   \
            v = __atomic_exchange_n(&p->fsh_value, v, __ATOMIC_RELAXED);       \
        FSH_GASNETT_RMW_AFTER(flags);                                          \
        return v;                                                              \
    }                                                                          \
    GASNETT_INLINE(N##_compare_and_swap)                                       \
    int N##_compare_and_swap(volatile T *p, V oldval, V newval, int flags)     \
    {                                                                          \
        int done;                                                              \
        FSH_GASNETT_RMW_BEFORE(flags);                                         \
        if (flags)                                                             \
            done = __atomic_compare_exchange_n(&p->fsh_value, &oldval, newval, \
                                               0, __ATOMIC_SEQ_CST,            \
                                               __ATOMIC_SEQ_CST);              \
        else                                                                   \
            done = __atomic_compare_exchange_n(&p->fsh_value, &oldval, newval, \
                                               0, __ATOMIC_RELAXED,            \
                                               __ATOMIC_RELAXED);              \
        FSH_GASNETT_RMW_AFTER(flags);                                          \
        return done;                                                           \
    }                                                                          \
    FSH_GASNETT_DERIVED(N, T, V)

/* Single-threaded; a compiler barrier suffices for any flags. */
#define FSH_GASNETT_SINGLE(N, T, V)                                        \
    GASNETT_INLINE(N##_read) V N##_read(const volatile T *p, int flags)    \
    {                                                                      \
        if (flags)                                                         \
            gasnett_compiler_fence();                                      \
        return __atomic_load_n(&p->fsh_value, __ATOMIC_RELAXED);           \
    }                                                                      \
    GASNETT_INLINE(N##_set) void N##_set(volatile T *p, V v, int flags)    \
    {                                                                      \
        if (flags)                                                         \
            gasnett_compiler_fence();                                      \
        __atomic_store_n(&p->fsh_value, v, __ATOMIC_RELAXED);              \
    }                                                                      \
    GASNETT_INLINE(N##_add) V N##_add(volatile T *p, V n, int flags)       \
    {                                                                      \
        const V v = N##_read(p, flags) + n;                                \
        N##_set(p, v, flags);                                              \
        return v;                                                          \
    }                                                                      \
    GASNETT_INLINE(N##_swap) V N##_swap(volatile T *p, V v, int flags)     \
    {                                                                      \
        const V old = N##_read(p, flags);                                  \
        N##_set(p, v, flags);                                              \
        return old;                                                        \
    }                                                                      \
    GASNETT_INLINE(N##_compare_and_swap)                                   \
    int N##_compare_and_swap(volatile T *p, V oldval, V newval, int flags) \
    {                                                                      \
        if (N##_read(p, flags) != oldval)                                  \
            return 0;                                                      \
        N##_set(p, newval, flags);                                         \
        return 1;                                                          \
    }                                                                      \
    FSH_GASNETT_DERIVED(N, T, V)

#define FSH_GASNETT_DERIVED(N, T, V)                                           \
    GASNETT_INLINE(N##_subtract) V N##_subtract(volatile T *p, V n, int flags) \
    {                                                                          \
        return N##_add(p, (V)(0 - n), flags);                                  \
    }                                                                          \
    GASNETT_INLINE(N##_increment) void N##_increment(volatile T *p, int flags) \
    {                                                                          \
        (void)N##_add(p, 1, flags);                                            \
    }                                                                          \
    GASNETT_INLINE(N##_decrement) void N##_decrement(volatile T *p, int flags) \
    {                                                                          \
        (void)N##_subtract(p, 1, flags);                                       \
    }                                                                          \
    GASNETT_INLINE(N##_decrement_and_test)                                     \
    int N##_decrement_and_test(volatile T *p, int flags)                       \
    {                                                                          \
        return N##_subtract(p, 1, flags) == 0;                                 \
    }

FSH_GASNETT_ATOMIC(gasnett_strongatomic, gasnett_atomic_t, gasnett_atomic_val_t)
FSH_GASNETT_ATOMIC(gasnett_strongatomic32, gasnett_atomic32_t, uint32_t)
FSH_GASNETT_ATOMIC(gasnett_strongatomic64, gasnett_atomic64_t, uint64_t)
#ifdef GASNETT_THREAD_SINGLE
FSH_GASNETT_SINGLE(gasnett_atomic, gasnett_atomic_t, gasnett_atomic_val_t)
FSH_GASNETT_SINGLE(gasnett_atomic32, gasnett_atomic32_t, uint32_t)
FSH_GASNETT_SINGLE(gasnett_atomic64, gasnett_atomic64_t, uint64_t)
#else
FSH_GASNETT_ATOMIC(gasnett_atomic, gasnett_atomic_t, gasnett_atomic_val_t)
FSH_GASNETT_ATOMIC(gasnett_atomic32, gasnett_atomic32_t, uint32_t)
FSH_GASNETT_ATOMIC(gasnett_atomic64, gasnett_atomic64_t, uint64_t)
#endif

#ifdef __cplusplus
}
#endif

#endif
