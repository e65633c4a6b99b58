/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions behind fold.h: a table for each choice of instructions, all with the
 * bits of the reference. Each file has one function that combines elements by a type and
 * an operation that are constants, and makes the table's functions of it.
 */
#ifndef FSH_FOLD_TABLE_H
#define FSH_FOLD_TABLE_H

#include "coll/fold/fold.h"

#define FSH_FOLD_INLINE inline __attribute__((always_inline))

/* X(type, op) for every reduction that needs a function of its own: those that are the
 * same for unsigned integers as for signed ones are the latter's. */
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
/* The groups that it is made of. */
#define FSH_FOLD_BITS(X, type) X(type, AND) X(type, OR) X(type, XOR)
#define FSH_FOLD_ARITHMETIC(X, type) X(type, SUM) X(type, PROD)
#define FSH_FOLD_ORDER(X, type) \
    X(type, MIN) X(type, MAX) X(type, MINLOC) X(type, MAXLOC)

/* A function of a table: run of that file with constants. */
#define FSH_FOLD_DEFINE(type, op)                                           \
    static void fold_##type##_##op(void *out, const void *a, const void *b, \
                                   size_t n)                                \
    {                                                                       \
        run(FSH_FOLD_##type, FSH_FOLD_##op, out, a, b, n);                  \
    }
/* And its entry. */
#define FSH_FOLD_ENTRY(type, op) \
    [FSH_FOLD_##type][FSH_FOLD_##op] = fold_##type##_##op,

extern const fsh_fold_fn fsh_fold_reference[FSH_FOLD_TYPES][FSH_FOLD_OPS];
#ifdef __x86_64__
extern const fsh_fold_fn fsh_fold_avx2[FSH_FOLD_TYPES][FSH_FOLD_OPS];
extern const fsh_fold_fn fsh_fold_avx512[FSH_FOLD_TYPES][FSH_FOLD_OPS];
#endif

/* Of 8 bytes; a constant wherever it is used. */
static FSH_FOLD_INLINE bool fsh_fold_wide(enum fsh_fold_type type)
{
    return type == FSH_FOLD_INT64 || type == FSH_FOLD_UINT64 ||
           type == FSH_FOLD_DOUBLE;
}

/* Floating point. */
static FSH_FOLD_INLINE bool fsh_fold_real(enum fsh_fold_type type)
{
    return type == FSH_FOLD_FLOAT || type == FSH_FOLD_DOUBLE;
}

/* Elements are pairs of value and index. */
static FSH_FOLD_INLINE bool fsh_fold_pairs(enum fsh_fold_op op)
{
    return op == FSH_FOLD_MINLOC || op == FSH_FOLD_MAXLOC;
}

/* Bytes of an element. */
static FSH_FOLD_INLINE size_t fsh_fold_bytes(enum fsh_fold_type type,
                                             enum fsh_fold_op op)
{
    return (size_t)(fsh_fold_wide(type) ? 8 : 4) << fsh_fold_pairs(op);
}

/* Rounds: the modes matter. The rest is done in integers. */
static FSH_FOLD_INLINE bool fsh_fold_rounds(enum fsh_fold_type type,
                                            enum fsh_fold_op op)
{
    return fsh_fold_real(type) && (op == FSH_FOLD_SUM || op == FSH_FOLD_PROD);
}

#endif
