/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions behind fold.h: one table per instruction set, all bitwise equal to
 * the reference. Each file has one function that combines elements for a constant
 * type and operation, and instantiates it for its table.
 */
#ifndef FSH_FOLD_TABLE_H
#define FSH_FOLD_TABLE_H

#include "coll/fold/fold.h"

#define FSH_FOLD_INLINE inline __attribute__((always_inline))

/* X(type, op) for every reduction with a function of its own; those equal for signed
 * and unsigned integers are listed under signed. */
#define FSH_FOLD_EACH(X)           \
    FSH_FOLD_BITS(X, INT32)        \
    FSH_FOLD_BITS(X, INT64)        \
    FSH_FOLD_ARITHMETIC(X, INT32)  \
    FSH_FOLD_ARITHMETIC(X, INT64)  \
    FSH_FOLD_ARITHMETIC(X, FLOAT)  \
    FSH_FOLD_ARITHMETIC(X, DOUBLE) \
    FSH_FOLD_ORDER(X, INT32)       \
    FSH_FOLD_ORDER(X, INT64)       \
    FSH_FOLD_ORDER(X, UINT32)      \
    FSH_FOLD_ORDER(X, UINT64)      \
    FSH_FOLD_ORDER(X, FLOAT)       \
    FSH_FOLD_ORDER(X, DOUBLE)
/* The groups of the list above. */
#define FSH_FOLD_BITS(X, type) X(type, AND) X(type, OR) X(type, XOR)
#define FSH_FOLD_ARITHMETIC(X, type) X(type, SUM) X(type, PROD)
#define FSH_FOLD_ORDER(X, type) \
    X(type, MIN) X(type, MAX) X(type, MINLOC) X(type, MAXLOC)

/* Defines a function of a table: the file's run() with constants. */
#define FSH_FOLD_DEFINE(type, op)                                           \
    static void fold_##type##_##op(void *out, const void *a, const void *b, \
                                   size_t n)                                \
    {                                                                       \
        run(FSH_FOLD_##type, FSH_FOLD_##op, out, a, b, n);                  \
    }
/* Its table entry. */
#define FSH_FOLD_ENTRY(type, op) \
    [FSH_FOLD_##type][FSH_FOLD_##op] = fold_##type##_##op,

extern const fsh_fold_fn fsh_fold_reference[FSH_FOLD_TYPES][FSH_FOLD_OPS];
#ifdef __x86_64__
extern const fsh_fold_fn fsh_fold_avx2[FSH_FOLD_TYPES][FSH_FOLD_OPS];
extern const fsh_fold_fn fsh_fold_avx512[FSH_FOLD_TYPES][FSH_FOLD_OPS];
#endif

/* Types of 8 bytes; folds to a constant. */
static FSH_FOLD_INLINE bool fsh_fold_wide(enum fsh_fold_type type)
{
    return type == FSH_FOLD_INT64 || type == FSH_FOLD_UINT64 ||
           type == FSH_FOLD_DOUBLE;
}

/* Floating-point types. */
static FSH_FOLD_INLINE bool fsh_fold_real(enum fsh_fold_type type)
{
    return type == FSH_FOLD_FLOAT || type == FSH_FOLD_DOUBLE;
}

/* Operations on pairs of value and index. */
static FSH_FOLD_INLINE bool fsh_fold_pairs(enum fsh_fold_op op)
{
    return op == FSH_FOLD_MINLOC || op == FSH_FOLD_MAXLOC;
}

/* Bytes per element. */
static FSH_FOLD_INLINE size_t fsh_fold_bytes(enum fsh_fold_type type,
                                             enum fsh_fold_op op)
{
    return (size_t)(fsh_fold_wide(type) ? 8 : 4) << fsh_fold_pairs(op);
}

/* Whether the modes matter, because the operation rounds. The rest is done on
 * integers. */
static FSH_FOLD_INLINE bool fsh_fold_rounds(enum fsh_fold_type type,
                                            enum fsh_fold_op op)
{
    return fsh_fold_real(type) && (op == FSH_FOLD_SUM || op == FSH_FOLD_PROD);
}

#endif
