/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arithmetic of reductions: combines elements of a type by an operation, with the
 * same bits on every processor, with every compiler and in any floating-point mode of
 * the caller (specified in include/fshmem_coll.h). A plain C implementation is the
 * reference; AVX2 and AVX-512 versions, chosen at run time, give the same bits. Any
 * thread; stateless.
 */
#ifndef FSH_COLL_FOLD_H
#define FSH_COLL_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "compute/number/isa.h"

/* As FSHMEM_INT32 ... of fshmem_coll.h. */
enum fsh_fold_type {
    FSH_FOLD_INT32,
    FSH_FOLD_INT64,
    FSH_FOLD_UINT32,
    FSH_FOLD_UINT64,
    FSH_FOLD_FLOAT,
    FSH_FOLD_DOUBLE,
    FSH_FOLD_TYPES
};

/* As FSHMEM_SUM ... of fshmem_coll.h. MINLOC and MAXLOC order values as MIN and MAX do,
 * -0 before +0, so their value is that of MIN or MAX; indices are signed. */
enum fsh_fold_op {
    FSH_FOLD_SUM,
    FSH_FOLD_MIN,
    FSH_FOLD_MAX,
    FSH_FOLD_PROD,
    FSH_FOLD_AND,
    FSH_FOLD_OR,
    FSH_FOLD_XOR,
    FSH_FOLD_MINLOC,
    FSH_FOLD_MAXLOC,
    FSH_FOLD_OPS
};

/* out[i] = a[i] (op) b[i] for n elements. out may equal a or b; otherwise they must not
 * overlap. Any alignment. */
typedef void (*fsh_fold_fn)(void *out, const void *a, const void *b, size_t n);

/* Bytes per element; 0: no such reduction. Accepts any values. */
size_t fsh_fold_size(unsigned type, unsigned op);

/* The function of a supported reduction; isa: FSH_ISA_BEST, or a specific one for
 * tests. Callers cache it, as the lookup costs more than folding a few elements. It
 * sets the floating-point modes it needs and restores the caller's. */
fsh_fold_fn fsh_fold_function(unsigned type, unsigned op, enum fsh_isa isa);

#endif
