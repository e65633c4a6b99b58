/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The supported reductions and the functions that implement them; see fold.h.
 */
#include "coll/fold/fold.h"

#include <assert.h>

#include "coll/fold/table.h"

static bool is_bits(unsigned op)
{
    return op == FSH_FOLD_AND || op == FSH_FOLD_OR || op == FSH_FOLD_XOR;
}

size_t fsh_fold_size(unsigned type, unsigned op)
{
    if (type >= FSH_FOLD_TYPES || op >= FSH_FOLD_OPS)
        return 0;
    if (fsh_fold_real(type) && is_bits(op))
        return 0;
    return fsh_fold_bytes(type, op);
}

/* For wrapping integers, sum, product and bitwise operations do not depend on
 * signedness. */
static unsigned signless(unsigned type, unsigned op)
{
    if (!is_bits(op) && op != FSH_FOLD_SUM && op != FSH_FOLD_PROD)
        return type;
    if (type == FSH_FOLD_UINT32)
        return FSH_FOLD_INT32;
    return type == FSH_FOLD_UINT64 ? FSH_FOLD_INT64 : type;
}

fsh_fold_fn fsh_fold_function(unsigned type, unsigned op, enum fsh_isa isa)
{
    assert(fsh_fold_size(type, op));
    type = signless(type, op);
    switch (fsh_isa_choose(isa)) {
#ifdef __x86_64__
    case FSH_ISA_AVX512:
        return fsh_fold_avx512[type][op];
    case FSH_ISA_AVX2:
        return fsh_fold_avx2[type][op];
#endif
    default:
        return fsh_fold_reference[type][op];
    }
}
