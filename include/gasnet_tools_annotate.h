/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compiler annotations, linkage and platform macros. Included by
 * gasnet_tools.h.
 */
#ifndef GASNET_TOOLS_ANNOTATE_H
#define GASNET_TOOLS_ANNOTATE_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

/* ---- attributes ----------------------------------------------------------- */

/* Usage: GASNETT_INLINE(f) int f(...) {...}. GASNETT_NORETURN and its kind
 * follow a declaration; the P forms stand alone after one.
 * [R-TOOL-30] */
#define GASNETT_INLINE(fnname) \
    static __inline__ __attribute__((__always_inline__, __unused__))
#define GASNETT_PLEASE_INLINE(fnname) \
    static __inline__ __attribute__((__unused__))
#define GASNETT_NEVER_INLINE(fnname, declarator) \
    __attribute__((__noinline__)) declarator
#define GASNETT_FORMAT_PRINTF(fnname, fmtarg, firstvararg, declarator) \
    __attribute__((__format__(__printf__, fmtarg, firstvararg))) declarator
#define GASNETT_FORMAT_PRINTF_FUNCPTR GASNETT_FORMAT_PRINTF
#define GASNETT_FORMAT_PRINTF_FUNCPTR_ARG GASNETT_FORMAT_PRINTF
#define GASNETT_NORETURN __attribute__((__noreturn__))
#define GASNETT_NORETURNP(fnname)
#define GASNETT_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define GASNETT_MALLOC __attribute__((__malloc__, __warn_unused_result__))
#define GASNETT_MALLOCP(fnname)
#define GASNETT_PURE __attribute__((__pure__))
#define GASNETT_PUREP(fnname)
#define GASNETT_CONST __attribute__((__const__))
#define GASNETT_CONSTP(fnname)
#define GASNETT_HOT __attribute__((__hot__))
#define GASNETT_COLD __attribute__((__cold__))
#define GASNETT_USED __attribute__((__used__))
#define GASNETT_DEPRECATED __attribute__((__deprecated__))

#if defined(GASNETT_USE_RESTRICT)
#define GASNETT_RESTRICT GASNETT_USE_RESTRICT
#else
#define GASNETT_RESTRICT __restrict__
#endif

/* Between a statement and the next case label. */
#if defined(__has_attribute)
#if __has_attribute(__fallthrough__)
#define GASNETT_FALLTHROUGH __attribute__((__fallthrough__));
#endif
#endif
#ifndef GASNETT_FALLTHROUGH
#define GASNETT_FALLTHROUGH
#endif

#define GASNETT_USE_PRAGMA_GCC_DIAGNOSTIC 1

/* The name of the enclosing function. */
#if defined(__cplusplus)
#define GASNETT_CURRENT_FUNCTION __PRETTY_FUNCTION__
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 199901L
#define GASNETT_CURRENT_FUNCTION __func__
#else
#define GASNETT_CURRENT_FUNCTION (__extension__ __FUNCTION__)
#endif

/* Whether the compiler knows the value at compile time.
 * [R-TOOL-30] */
#define gasnett_constant_p(expr) __builtin_constant_p(expr)

/* Control never reaches this point; debug libraries report it if it does.
 * [R-TOOL-30] */
#if FSH_CONFIG_DEBUG
#define gasnett_unreachable()                                          \
    gasnett_fatalerror("gasnett_unreachable() reached at %s:%d in %s", \
                       __FILE__, __LINE__, GASNETT_CURRENT_FUNCTION)
#else
#define gasnett_unreachable() __builtin_unreachable()
#endif

/* Evaluate unused macro arguments.
 * [R-TOOL-30] */
#define GASNETT_UNUSED_ARGS1(a) ((void)(a))
#define GASNETT_UNUSED_ARGS2(a, b) ((void)(a), (void)(b))
#define GASNETT_UNUSED_ARGS3(a, b, c) ((void)(a), (void)(b), (void)(c))
#define GASNETT_UNUSED_ARGS4(a, b, c, d) \
    ((void)(a), (void)(b), (void)(c), (void)(d))
#define GASNETT_UNUSED_ARGS5(a, b, c, d, e) \
    ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e))
#define GASNETT_UNUSED_ARGS6(a, b, c, d, e, f) \
    ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e), (void)(f))
#define GASNETT_UNUSED_ARGS7(a, b, c, d, e, f, g)                      \
    ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e), (void)(f), \
     (void)(g))
#define GASNETT_UNUSED_ARGS8(a, b, c, d, e, f, g, h)                   \
    ((void)(a), (void)(b), (void)(c), (void)(d), (void)(e), (void)(f), \
     (void)(g), (void)(h))

/* ---- linkage -------------------------------------------------------------- */

#ifdef __cplusplus
#define GASNETT_BEGIN_EXTERNC extern "C" {
#define GASNETT_END_EXTERNC }
#define GASNETT_EXTERNC extern "C"
#else
#define GASNETT_BEGIN_EXTERNC
#define GASNETT_END_EXTERNC
#define GASNETT_EXTERNC extern
#endif
#define GASNETT_TENTATIVE_EXTERN extern

/* At file scope, with a semicolon: embeds text in the program file.
 * [R-TOOL-03] */
#define GASNETT_IDENT(name, text)                       \
    extern const char name[];                           \
    __attribute__((__used__)) const char name[] = text; \
    extern const char name[]

/* ---- the system ----------------------------------------------------------- */

#define GASNETT_PAGESIZE GASNET_PAGESIZE
#define GASNETT_PAGESHIFT FSH_CONFIG_PAGESHIFT
#ifdef PLATFORM_ARCH_POWERPC
#define GASNETT_CACHE_LINE_BYTES 128
#else
#define GASNETT_CACHE_LINE_BYTES 64
#endif

#ifdef PLATFORM_ARCH_X86_64
#define GASNETT_SYSTEM_TUPLE "x86_64-unknown-linux-gnu"
#elif defined(PLATFORM_ARCH_AARCH64)
#define GASNETT_SYSTEM_TUPLE "aarch64-unknown-linux-gnu"
#elif defined(PLATFORM_ARCH_POWERPC)
#define GASNETT_SYSTEM_TUPLE "powerpc64le-unknown-linux-gnu"
#elif defined(PLATFORM_ARCH_RISCV)
#define GASNETT_SYSTEM_TUPLE "riscv64-unknown-linux-gnu"
#else
#define GASNETT_SYSTEM_TUPLE "unknown-unknown-linux-gnu"
#endif
#define GASNETT_CONFIGURE_ARGS ""
#define GASNETT_PLATFORM_COMPILER_IDSTR                                                  \
    "|COMPILER_FAMILY:" _STRINGIFY(                                                      \
        PLATFORM_COMPILER_FAMILYNAME) "|COMPILER_VERSION:" PLATFORM_COMPILER_VERSION_STR \
                                      "|"
#define GASNETT_PLATFORM_COMPILER_FAMILYID PLATFORM_COMPILER_FAMILYID
#define GASNETT_PLATFORM_COMPILER_ID PLATFORM_COMPILER_FAMILYID
#define GASNETT_PLATFORM_COMPILER_VERSION PLATFORM_COMPILER_VERSION

/* ---- copies, and values of a few bytes, left to the compiler ---------------- */

/* memcpy of nbytes; no overlap. [R-TOOL-25] */
#define GASNETT_FAST_ALIGNED_MEMCPY(dest, src, nbytes) \
    memcpy((dest), (src), (nbytes))
#define GASNETT_FAST_UNALIGNED_MEMCPY(dest, src, nbytes) \
    memcpy((dest), (src), (nbytes))

/* Functions behind the macros below. */
GASNETT_INLINE(fsh_gasnett_value_from)
uintptr_t fsh_gasnett_value_from(const void *src, size_t nbytes)
{
    uintptr_t value = 0;
    switch (nbytes) {
    case 1:
        return *(const uint8_t *)src;
    case sizeof(uintptr_t):
        memcpy(&value, src, sizeof value);
        return value;
    default:
#ifdef PLATFORM_ARCH_BIG_ENDIAN
        memcpy((char *)&value + (sizeof value - nbytes), src, nbytes);
#else
        memcpy(&value, src, nbytes);
#endif
        return value;
    }
}
GASNETT_INLINE(fsh_gasnett_value_to)
void fsh_gasnett_value_to(void *dest, uintptr_t value, size_t nbytes)
{
#ifdef PLATFORM_ARCH_BIG_ENDIAN
    memcpy(dest, (const char *)&value + (sizeof value - nbytes), nbytes);
#else
    memcpy(dest, &value, nbytes);
#endif
}

/* VALUE_ASSIGN stores the low nbytes (1 to 8) of a value at dest in native byte
 * order. VALUE_RETURN is a return statement for the nbytes at src,
 * zero-extended.
 * [R-TOOL-25] */
#define GASNETT_VALUE_ASSIGN(dest, value, nbytes) \
    fsh_gasnett_value_to((dest), (uintptr_t)(value), (nbytes))
#define GASNETT_VALUE_RETURN(src, nbytes)               \
    do {                                                \
        return fsh_gasnett_value_from((src), (nbytes)); \
    } while (0)

#endif
