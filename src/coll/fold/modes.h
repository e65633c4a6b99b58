/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Floating-point modes for sums and products: round to nearest even, subnormals kept,
 * no traps; the caller's modes and flags are restored. Most callers already have
 * these modes, and flags to which no rounding adds: then the register is read twice
 * and not written.
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

/* Compilers do not model the dependence of arithmetic on the modes, but this keeps
 * operands from being loaded before it and results from being stored after it. */
static inline void fsh_fold_fence(void)
{
    __asm__ volatile("" ::: "memory");
}

/* Call before loading elements. Returns the argument for end. */
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

/* Call after storing the results. */
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
