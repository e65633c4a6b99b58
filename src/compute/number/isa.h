/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which instructions the vector code may use: chosen at run time, and given as
 * an argument where a test wants one. All choices give the same bits. Any
 * thread.
 */
#ifndef FSH_NUMBER_ISA_H
#define FSH_NUMBER_ISA_H

#include <stdbool.h>

enum fsh_isa {
    FSH_ISA_BEST,     /* the best this processor has; what the library passes */
    FSH_ISA_PORTABLE, /* plain C, the reference */
    FSH_ISA_AVX2,     /* AVX2 and FMA */
    FSH_ISA_AVX512,   /* AVX-512 F, BW, VL and VNNI */
};

/* Whether this processor has it. */
bool fsh_isa_available(enum fsh_isa isa);

/* What fsh_isa_choose makes of FSH_ISA_BEST from now on: isa, if available. Before
 * there are other threads. */
void fsh_isa_set_best(enum fsh_isa isa);

/* isa itself if available, else the next lesser one that is; FSH_ISA_BEST
 * becomes the best there is, or what was set. Never returns FSH_ISA_BEST. */
enum fsh_isa fsh_isa_choose(enum fsh_isa isa);

/* "portable", "avx2" ... Static. */
const char *fsh_isa_name(enum fsh_isa isa);

/* The one with that name; FSH_ISA_BEST if there is none. */
enum fsh_isa fsh_isa_named(const char *name);

/* Vector code runs between these two: round to nearest even, denormals are
 * zero in and out, no traps, whatever the caller has set; the caller's modes
 * and flags come back. Begin returns what end must be given. */
unsigned fsh_isa_begin(void);
void fsh_isa_end(unsigned saved);

#endif
