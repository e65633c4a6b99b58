/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run-time choice of instructions; see isa.h.
 */
#include "compute/number/isa.h"

#include <string.h>

#ifdef __x86_64__
#include <xmmintrin.h>

/* MXCSR: all exceptions masked, round to nearest, flush to zero (bit 15),
 * denormals are zeros (bit 6). */
#define MODES 0x9fc0u

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vnni") && has_avx2();
}

unsigned fsh_isa_begin(void)
{
    unsigned saved = _mm_getcsr();

    _mm_setcsr(MODES);
    return saved;
}

void fsh_isa_end(unsigned saved)
{
    _mm_setcsr(saved);
}
#else
static bool has_avx2(void)
{
    return false;
}

static bool has_avx512(void)
{
    return false;
}

/* The portable code is integer arithmetic: no modes matter. */
unsigned fsh_isa_begin(void)
{
    return 0;
}

void fsh_isa_end(unsigned saved)
{
    (void)saved;
}
#endif

bool fsh_isa_available(enum fsh_isa isa)
{
    switch (isa) {
    case FSH_ISA_AVX2:
        return has_avx2();
    case FSH_ISA_AVX512:
        return has_avx512();
    default:
        return true;
    }
}

static enum fsh_isa best = FSH_ISA_AVX512;

void fsh_isa_set_best(enum fsh_isa isa)
{
    best = isa == FSH_ISA_BEST ? FSH_ISA_AVX512 : isa;
}

enum fsh_isa fsh_isa_choose(enum fsh_isa isa)
{
    if (isa == FSH_ISA_BEST)
        isa = best;
    while (!fsh_isa_available(isa))
        isa--;
    return isa;
}

const char *fsh_isa_name(enum fsh_isa isa)
{
    static const char *const names[] = {"best", "portable", "avx2", "avx512"};

    return names[isa];
}

enum fsh_isa fsh_isa_named(const char *name)
{
    enum fsh_isa isa = FSH_ISA_AVX512;

    while (isa != FSH_ISA_BEST && strcmp(name, fsh_isa_name(isa)) != 0)
        isa--;
    return isa;
}
