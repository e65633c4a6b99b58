/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What programs expect from both gasnet.h and gasnet_tools.h: the usual C
 * headers and a few macros. Included by both, not by programs.
 */
#ifndef GASNET_BASIC_H
#define GASNET_BASIC_H

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/types.h>
#include <unistd.h>

#include "gasnet_config.h"
#include "gasnet_portable_platform.h"

#ifndef MIN
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#endif
#ifndef MAX
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#endif
/* Branch prediction hints.
 * [R-TOOL-02] */
#ifndef GASNETT_PREDICT_TRUE
#define GASNETT_PREDICT_TRUE(exp) (__builtin_expect(!!(exp), 1))
#define GASNETT_PREDICT_FALSE(exp) (__builtin_expect(!!(exp), 0))
#endif
#ifndef if_pf
#define if_pf(cond) if (GASNETT_PREDICT_FALSE(cond))
#endif
#ifndef if_pt
#define if_pt(cond) if (GASNETT_PREDICT_TRUE(cond))
#endif
#ifndef _STRINGIFY
#define _STRINGIFY_HELPER(x) #x
#define _STRINGIFY(x) _STRINGIFY_HELPER(x)
#endif
#ifndef _CONCAT
#define _CONCAT_HELPER(a, b) a##b
#define _CONCAT(a, b) _CONCAT_HELPER(a, b)
#endif

/* Assertions; the plain one checks only in debug libraries. Not in the
 * specification, but programs use them. */
#define gasneti_assert_always(expr)                                          \
    (GASNETT_PREDICT_TRUE(expr)                                              \
         ? (void)0                                                           \
         : fsh_gasnett_assert_failed((__extension__ __FUNCTION__), __FILE__, \
                                     __LINE__, #expr))
#if FSH_CONFIG_DEBUG
#define gasneti_assert(expr) gasneti_assert_always(expr)
#else
#define gasneti_assert(expr) ((void)0)
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Reports a failed assertion and its location, then aborts. */
void fsh_gasnett_assert_failed(const char *function, const char *file, int line,
                               const char *expr) __attribute__((__noreturn__));
/* gasnett_gethostname under the reference implementation's name.
 * [R-HDR-10] */
const char *gasneti_gethostname(void);
#ifdef __cplusplus
}
#endif

/* Programs take its address after including either header. */
static __inline__ __attribute__((__unused__)) void _gasneti_threadkey_init(void)
{
}

#endif
