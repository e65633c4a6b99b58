/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The floating-point modes of sums and products: round to nearest even, subnormals kept,
 * no traps; the caller's modes and flags come back. Most callers have these modes, and
 * flags that no rounding adds to: then they are read twice, and not written.
 */
#ifndef FSH_FOLD_MODES_H
#define FSH_FOLD_MODES_H

#ifdef __x86_64__
#include <xmmintrin.h>

/* MXCSR: all exceptions masked, round to nearest, bits 15 and 6 (flush to zero,
 * denormals are zeros) clear; bits 0 to 5 are the flags. */
#define FSH_FOLD_CSR 0x1f80u
#define FSH_FOLD_CSR_FLAGS 0x3fu
#define FSH_FOLD_CSR_FLUSH 0x8040u

struct fsh_fold_modes {
    unsigned csr;
};
#else
#include <fenv.h>

struct fsh_fold_modes {
    fenv_t env;
};
#endif

/* Compilers do not know that arithmetic depends on the modes. But they keep its operands
 * from being loaded before this, and its results from being stored behind it. */
static inline void fsh_fold_fence(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Elements are loaded behind this. Returns what end must be given. */
static inline struct fsh_fold_modes fsh_fold_begin(void)
{
    struct fsh_fold_modes saved;

#ifdef __x86_64__
    saved.csr = _mm_getcsr();
    if ((saved.csr & ~FSH_FOLD_CSR_FLAGS) != FSH_FOLD_CSR)
        _mm_setcsr(FSH_FOLD_CSR);
#else
    fegetenv(&saved.env);
    fesetenv(FE_DFL_ENV);
#endif
    fsh_fold_fence();
    return saved;
}

/* Results are stored before this. */
static inline void fsh_fold_end(struct fsh_fold_modes saved)
{
    fsh_fold_fence();
#ifdef __x86_64__
    if (_mm_getcsr() != saved.csr)
        _mm_setcsr(saved.csr);
#else
    fesetenv(&saved.env);
#endif
}

#endif
