/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * About how long commands take; see execute.h. Measured on one processor, and meant for
 * powers of two.
 */
#include "compute/execute/execute.h"

/* Products for which a value is read, computed and written, or encoded; and how many
 * times longer than vector code plain C takes. */
#define OF_VALUE 16
#define PLAIN 64

static double products(const uint64_t *c)
{
    double m = (double)fsh_ccmd_m(c), n = (double)fsh_ccmd_n(c);
    double k = (double)fsh_ccmd_k(c);

    switch (fsh_ccmd_op(c)) {
    case FSH_COP_GEMM:
        return m * n * k + OF_VALUE * (m * k + k * n + m * n);
    case FSH_COP_CONV:
        return n * k * (double)(fsh_ccmd_kernel_h(c) * fsh_ccmd_kernel_w(c)) *
               (double)fsh_ccmd_out_h(c) * (double)fsh_ccmd_out_w(c);
    case FSH_COP_ENCODE:
        return OF_VALUE * n * k;
    default:
        return fsh_execute_is_element(fsh_ccmd_op(c)) ? OF_VALUE * m * n : 0;
    }
}

static void add_bytes(void *sum, uint64_t offset, uint64_t bytes)
{
    (void)offset;
    *(double *)sum += (double)bytes;
}

double fsh_execute_work(const uint64_t *c)
{
    bool plain = fsh_isa_choose(FSH_ISA_BEST) == FSH_ISA_PORTABLE;
    double sent = 0;

    fsh_execute_sent(c, add_bytes, &sent);
    return products(c) * (plain ? PLAIN : 1) +
           sent * OF_VALUE / 4 * __builtin_popcountll(fsh_ccmd_art_mask(c));
}
