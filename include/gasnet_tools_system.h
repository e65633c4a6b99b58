/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings, numbers as text, fatal errors, backtraces, and what there is to ask
 * and to set about process and machine. Included by gasnet_tools.h. Any thread,
 * as getenv allows for settings.
 */
#ifndef GASNET_TOOLS_SYSTEM_H
#define GASNET_TOOLS_SYSTEM_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

/* C89 has no variadic macros, its compilers do: for -pedantic. */
#if !defined(__cplusplus) && \
    (!defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wvariadic-macros"
#define FSH_GASNETT_C89
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- versions ------------------------------------------------------------- */

/* The library's, not the header's: major * 1000000 + minor * 10000 + patch, and
 * "major.minor.patch". Static strings. [R-TOOL-03] */
uint64_t gasnett_release_version(void);
const char *gasnett_release_version_str(void);
/* What makes this build of the library slow, in lines; "" if nothing. */
const char *gasnett_performance_warning_str(void);

/* ---- settings: the launcher's environment in a job, else the process's ------ */

/* NULL if unset. The string stays valid until the variable changes.
 * [R-TOOL-15] */
char *gasnett_getenv(const char *key);
/* Change the environment of this process only; strings are copied. */
void gasnett_setenv(const char *key, const char *value);
void gasnett_unsetenv(const char *key);

/* The setting, or the default if it is unset or empty; a value that cannot be
 * read is fatal. The first query of each key is displayed if
 * gasnett_verboseenv().
 * yesno: Y, YES, 1, TRUE, ON / N, NO, 0, FALSE, OFF, in any case.
 * int: as gasnett_parse_int. dbl: a number or a fraction, "1.5", "-1e4", "3/8".
 * Strings stay valid as those of gasnett_getenv, or are the caller's.
 * [R-TOOL-16] */
char *gasnett_getenv_withdefault(const char *key, const char *preset);
int gasnett_getenv_yesno_withdefault(const char *key, int preset);
int64_t gasnett_getenv_int_withdefault(const char *key, int64_t preset,
                                       uint64_t mem_size_multiplier);
double gasnett_getenv_dbl_withdefault(const char *key, double preset);

/* Does this process display settings: GASNET_VERBOSEENV, and in a job rank 0?
 * Then the others print a line to stderr. [R-TOOL-18] */
int gasnett_verboseenv(void);
void gasnett_envstr_display(const char *key, const char *value, int is_dflt);
void gasnett_envint_display(const char *key, int64_t value, int is_dflt,
                            int is_mem_size);
void gasnett_envdbl_display(const char *key, double value, int is_dflt);

/* A whole number, decimal or 0x, with sign. If mem_size_multiplier is not 0 it
 * is a number of bytes, may have a fraction, and is followed by B, KB, MB, GB
 * or TB (powers of 1024; the B may be missing), or is counted in
 * mem_size_multiplier bytes. Anything else is fatal. [R-TOOL-17] */
int64_t gasnett_parse_int(const char *text, uint64_t mem_size_multiplier);
/* The way back, into buf of bufsz bytes, which is returned: sizes in the largest
 * unit that is exact or leaves two digits, from 2^50 on in hex. */
char *gasnett_format_number(int64_t value, char *buf, size_t bufsz,
                            int is_mem_size);

/* ---- the end of a program --------------------------------------------------- */

/* Print a line, the calls of this thread if GASNET_BACKTRACE asks for them, and
 * abort(), which ends a job. The first form also prints where it was called.
 * Neither returns. [R-TOOL-22] */
#define gasnett_fatalerror(...)                                        \
    fsh_gasnett_fatal_at(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__, \
                         __VA_ARGS__)
void fsh_gasnett_fatal_at(const char *function, const char *file, int line,
                          const char *format, ...)
    __attribute__((__format__(__printf__, 4, 5), __noreturn__));
void gasnett_fatalerror_nopos(const char *format, ...)
    __attribute__((__format__(__printf__, 1, 2), __noreturn__));

/* "function at file:line" as malloc'ed memory, which the caller frees.
 * [R-TOOL-22] */
#define gasnett_current_loc \
    fsh_gasnett_location(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)
char *fsh_gasnett_location(const char *function, const char *file, int line);

/* End this process at once: no atexit functions, no flushing. [R-TOOL-22] */
void gasnett_killmyprocess(int exitcode) __attribute__((__noreturn__));

/* Flush every stream; errors do not matter. Close stdin, stdout, stderr.
 * [R-TOOL-32] */
void gasnett_flush_streams(void);
void gasnett_close_streams(void);

/* ---- backtraces and debuggers ------------------------------------------------ */

/* Early in main, with argv[0] (or NULL): from now on crashes print the calls of
 * their thread if GASNET_BACKTRACE is set. In a job gasnet_init does it.
 * [R-TOOL-23] */
void gasnett_backtrace_init(const char *exename);
/* Print the calls of this thread to a file descriptor; 0 if some way to do it
 * succeeded. GASNET_BACKTRACE_TYPE lists the ways, best first. */
int gasnett_print_backtrace(int fd);
/* What fatal errors call: prints if GASNET_BACKTRACE is set, else returns
 * non-zero. A program may put its own function here. */
extern int (*gasnett_print_backtrace_ifenabled)(int fd);

/* A program may define gasnett_backtrace_user: one more way, tried first. */
typedef struct {
    const char *name;  /* for GASNET_BACKTRACE_TYPE, upper case */
    int (*fnp)(int);   /* writes to the descriptor; 0: success */
    int threadsupport; /* prints the calling thread among several */
} gasnett_backtrace_type_t;
GASNETT_TENTATIVE_EXTERN gasnett_backtrace_type_t gasnett_backtrace_user;

/* Set *flag to 1 and wait, after a line on stderr, until a debugger sets it to
 * 0, looking once a second and not polling; the second form if
 * GASNET_FREEZE_ON_ERROR is yes. [R-TOOL-32] */
void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname);
void gasnett_freezeForDebuggerErr(void);

/* ---- machine and process ------------------------------------------------------ */

/* Processors this process may use: affinity, cut by the cgroup's quota. At least
 * 1. Reads files. [R-TOOL-19] */
int gasnett_cpu_count(void);
/* Bind the calling thread to processor number rank, counted modulo those the
 * process was started on. Returns 0, non-zero if it cannot. [R-TOOL-20] */
#define GASNETT_SET_AFFINITY_SUPPORT 1
int gasnett_set_affinity(int rank);
/* Bytes of physical memory; if unknown 0, or fatal. [R-TOOL-19] */
uint64_t gasnett_getPhysMemSz(int failure_is_fatal);
/* Name of the host, and the path of the running program; static strings. */
const char *gasnett_gethostname(void);
const char *gasnett_exe_name(void);
/* 1 or 0. */
int gasnett_isLittleEndian(void);
/* Fresh zero-filled pages of size bytes, or MAP_FAILED if there is no memory; other
 * failures are fatal. To be given back by munmap. [R-TOOL-21] */
void *gasnett_mmap(uintptr_t size);
/* Raise soft limits to the hard ones: processor time and memory, or resource
 * res, unless GASNET_MAXIMIZE_<name> is no. Return non-zero on success.
 * [R-TOOL-21] */
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int res, const char *name);

/* Install a handler (or SIG_IGN, SIG_DFL); returns the one before.
 * [R-TOOL-21] */
typedef void (*gasnett_sighandlerfn_t)(int);
gasnett_sighandlerfn_t gasnett_reghandler(int sig, gasnett_sighandlerfn_t fn);

/* Offer the processor to other threads; does not poll. In simulated time that lasts
 * COST_YIELD cycles. [R-TOOL-31] */
void gasnett_sched_yield(void);

/* In loops that spin: leaves the core to its other hardware thread.
 * [R-TOOL-31] */
GASNETT_INLINE(gasnett_spinloop_hint) void gasnett_spinloop_hint(void)
{
#ifdef PLATFORM_ARCH_X86_64
    __builtin_ia32_pause();
#elif defined(PLATFORM_ARCH_AARCH64)
    __asm__ __volatile__("yield" : : : "memory");
#else
    __asm__ __volatile__("" : : : "memory");
#endif
}

/* Threads of a program that may use the library at once. */
#define GASNETT_MAX_THREADS GASNETI_MAX_THREADS

/* ---- bytes ---------------------------------------------------------------------- */

/* A quick checksum; the same bytes give the same number on every machine of one
 * byte order. Not secure. [R-TOOL-24] */
uint64_t gasnett_checksum(const void *p, int nbytes);

/* How many bytes are 0: of memory, while copying it, of a number. [R-TOOL-24] */
size_t gasnett_count0s(const void *src, size_t nbytes);
size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst,
                            const void *GASNETT_RESTRICT src, size_t nbytes);
GASNETT_INLINE(gasnett_count0s_uint64_t)
int gasnett_count0s_uint64_t(uint64_t x)
{
    const uint64_t low7 = (~(uint64_t)0 / 255) * 127;
    /* Bit 7 of each byte: 1 if the byte is 0. */
    const uint64_t zero = ~(((x & low7) + low7) | x | low7);
    return (int)((zero >> 7) * (~(uint64_t)0 / 255) >> 56);
}
GASNETT_INLINE(gasnett_count0s_uint32_t)
int gasnett_count0s_uint32_t(uint32_t x)
{
    return gasnett_count0s_uint64_t(x) - 4;
}
#define gasnett_count0s_uintptr_t(x) \
    (gasnett_count0s_uint64_t((uint64_t)(x)) - (8 - (int)sizeof(uintptr_t)))

/* ---- lists of transfers as text, into a buffer of at least _bufsz bytes ---------- */

/* A list of `count` gasnet_memvec_t, of pointers to `len` bytes each, of
 * strides; and put or get calls of each kind, whose bytes in all are
 * returned. Lists are read during the call only. [R-TOOL-26] */
size_t gasnett_format_memveclist_bufsz(size_t count);
void gasnett_format_memveclist(char *buf, size_t count, const void *list);
size_t gasnett_format_putvgetv_bufsz(size_t dstcount, size_t srccount);
size_t gasnett_format_putvgetv(char *buf, uint32_t node, size_t dstcount,
                               const void *dstlist, size_t srccount,
                               const void *srclist);
size_t gasnett_format_addrlist_bufsz(size_t count);
void gasnett_format_addrlist(char *buf, size_t count, void *const *list,
                             size_t len);
size_t gasnett_format_putigeti_bufsz(size_t dstcount, size_t srccount);
size_t gasnett_format_putigeti(char *buf, uint32_t node, size_t dstcount,
                               void *const *dstlist, size_t dstlen,
                               size_t srccount, void *const *srclist,
                               size_t srclen);
size_t gasnett_format_strides_bufsz(size_t count);
void gasnett_format_strides(char *buf, size_t count, const size_t *list);
size_t gasnett_format_putsgets_bufsz(size_t stridelevels);
/* count[0] bytes, then stridelevels counts; stats is ignored. */
size_t gasnett_format_putsgets(char *buf, void *stats, uint32_t node,
                               const void *dstaddr, const size_t dststrides[],
                               const void *srcaddr, const size_t srcstrides[],
                               const size_t count[], size_t stridelevels);

/* ---- memory with checks: debug prefixes -------------------------------------------- */

typedef struct {
    uint64_t allocated_bytes; /* ever */
    uint64_t freed_bytes;
    uint64_t live_bytes; /* now */
    uint64_t live_bytes_max;
    uint64_t allocated_objects;
    uint64_t freed_objects;
    uint64_t live_objects;
    uint64_t live_objects_max;
    uint64_t overhead_bytes; /* of what is live */
} gasnett_heapstats_t;

/* What the macros below call; where: file and line, static. */
void *fsh_gasnett_malloc(size_t nbytes, const char *where);
void *fsh_gasnett_calloc(size_t n, size_t size, const char *where);
void *fsh_gasnett_realloc(void *p, size_t nbytes, const char *where);
void fsh_gasnett_free(void *p, const char *where);
char *fsh_gasnett_strdup(const char *s, const char *where);
char *fsh_gasnett_strndup(const char *s, size_t n, const char *where);
void fsh_gasnett_memcheck(const void *p, const char *where);
void fsh_gasnett_memcheck_all(const char *where, int one);
int fsh_gasnett_heapstats(gasnett_heapstats_t *stats);

/* As their namesakes, with marks before and after each piece; no memory is
 * fatal. memcheck: end the program with a line if the marks of p, of one live
 * piece, of all of them are damaged; freeing checks too. [R-TOOL-28] */
#if defined(GASNET_DEBUGMALLOC) && GASNET_DEBUGMALLOC
#define FSH_GASNETT_HERE __FILE__ ":" _STRINGIFY(__LINE__)
#define gasnett_debug_malloc(nbytes) \
    fsh_gasnett_malloc((nbytes), FSH_GASNETT_HERE)
#define gasnett_debug_calloc(n, size) \
    fsh_gasnett_calloc((n), (size), FSH_GASNETT_HERE)
#define gasnett_debug_realloc(p, nbytes) \
    fsh_gasnett_realloc((p), (nbytes), FSH_GASNETT_HERE)
#define gasnett_debug_free(p) fsh_gasnett_free((p), FSH_GASNETT_HERE)
#define gasnett_debug_strdup(s) fsh_gasnett_strdup((s), FSH_GASNETT_HERE)
#define gasnett_debug_strndup(s, n) \
    fsh_gasnett_strndup((s), (n), FSH_GASNETT_HERE)
#define gasnett_debug_memcheck(p) fsh_gasnett_memcheck((p), FSH_GASNETT_HERE)
#define gasnett_debug_memcheck_one() \
    fsh_gasnett_memcheck_all(FSH_GASNETT_HERE, 1)
#define gasnett_debug_memcheck_all() \
    fsh_gasnett_memcheck_all(FSH_GASNETT_HERE, 0)
#define gasnett_getheapstats(stats) fsh_gasnett_heapstats(stats)
#endif

#ifdef __cplusplus
}
#endif

#ifdef FSH_GASNETT_C89
#pragma GCC diagnostic pop
#undef FSH_GASNETT_C89
#endif

#endif
