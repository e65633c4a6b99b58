/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings, number parsing, fatal errors, backtraces, and queries about process
 * and machine. Included by gasnet_tools.h. Any thread, with getenv's
 * restrictions for settings.
 */
#ifndef GASNET_TOOLS_SYSTEM_H
#define GASNET_TOOLS_SYSTEM_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

/* C89 lacks variadic macros but its compilers accept them; silences
 * -pedantic. */
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

/* The version of the library, not of the header: major * 1000000 + minor *
 * 10000 + patch, and "major.minor.patch". Static strings.
 * [R-TOOL-03] */
uint64_t gasnett_release_version(void);
const char *gasnett_release_version_str(void);
/* Lists what slows this build of the library down, one item per line; "" if
 * nothing. */
const char *gasnett_performance_warning_str(void);

/* ---- settings: the launcher's environment in a job, else the process's ------ */

/* Returns NULL if unset. The string stays valid until the variable changes.
 * [R-TOOL-15] */
char *gasnett_getenv(const char *key);
/* Change this process's environment only; the strings are copied. */
void gasnett_setenv(const char *key, const char *value);
void gasnett_unsetenv(const char *key);

/* The setting, or the default if it is unset or empty; a malformed value is
 * fatal. The first query of each key is displayed if gasnett_verboseenv().
 * yesno: Y, YES, 1, TRUE, ON / N, NO, 0, FALSE, OFF, case-insensitive. int: as
 * gasnett_parse_int. dbl: a number or a fraction, such as "1.5", "-1e4", "3/8".
 * Strings have the lifetime of gasnett_getenv's, or are the caller's default.
 * [R-TOOL-16] */
char *gasnett_getenv_withdefault(const char *key, const char *preset);
int gasnett_getenv_yesno_withdefault(const char *key, int preset);
int64_t gasnett_getenv_int_withdefault(const char *key, int64_t preset,
                                       uint64_t mem_size_multiplier);
double gasnett_getenv_dbl_withdefault(const char *key, double preset);

/* Whether this process displays settings: GASNET_VERBOSEENV is set and, in a
 * job, this is rank 0. If so the calls below print a line to stderr.
 * [R-TOOL-18] */
int gasnett_verboseenv(void);
void gasnett_envstr_display(const char *key, const char *value, int is_dflt);
void gasnett_envint_display(const char *key, int64_t value, int is_dflt,
                            int is_mem_size);
void gasnett_envdbl_display(const char *key, double value, int is_dflt);

/* Parses a signed integer, decimal or 0x. If mem_size_multiplier is not 0, it
 * is a byte count: a fraction and a unit B, KB, MB, GB or TB (powers of 1024,
 * the B optional) are allowed, and without a unit the value is in units of
 * mem_size_multiplier bytes. Anything else is fatal.
 * [R-TOOL-17] */
int64_t gasnett_parse_int(const char *text, uint64_t mem_size_multiplier);
/* The inverse: writes to buf of bufsz bytes, and returns buf. Sizes use the largest
 * unit that is exact or leaves two digits; from 2^50 on, hex. */
char *gasnett_format_number(int64_t value, char *buf, size_t bufsz,
                            int is_mem_size);

/* ---- program termination ----------------------------------------------------- */

/* Print a line, a backtrace of this thread if GASNET_BACKTRACE asks for one,
 * and call abort(), which ends a job. The first form also prints its source
 * location. Do not return.
 * [R-TOOL-22] */
#define gasnett_fatalerror(...)                                        \
    fsh_gasnett_fatal_at(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__, \
                         __VA_ARGS__)
void fsh_gasnett_fatal_at(const char *function, const char *file, int line,
                          const char *format, ...)
    __attribute__((__format__(__printf__, 4, 5), __noreturn__));
void gasnett_fatalerror_nopos(const char *format, ...)
    __attribute__((__format__(__printf__, 1, 2), __noreturn__));

/* "function at file:line" in malloc'ed memory, which the caller frees.
 * [R-TOOL-22] */
#define gasnett_current_loc \
    fsh_gasnett_location(GASNETT_CURRENT_FUNCTION, __FILE__, __LINE__)
char *fsh_gasnett_location(const char *function, const char *file, int line);

/* Terminate this process at once: no atexit functions, no flushing.
 * [R-TOOL-22] */
void gasnett_killmyprocess(int exitcode) __attribute__((__noreturn__));

/* Flush all streams, ignoring errors. Close stdin, stdout and stderr.
 * [R-TOOL-32] */
void gasnett_flush_streams(void);
void gasnett_close_streams(void);

/* ---- backtraces and debuggers ------------------------------------------------ */

/* Call early in main, with argv[0] or NULL: enables backtraces of crashing
 * threads if GASNET_BACKTRACE is set. In a job gasnet_init does this.
 * [R-TOOL-23] */
void gasnett_backtrace_init(const char *exename);
/* Prints a backtrace of this thread to a file descriptor. Returns 0 if a method
 * succeeded. GASNET_BACKTRACE_TYPE lists the methods, best first. */
int gasnett_print_backtrace(int fd);
/* Called by fatal errors: prints a backtrace if GASNET_BACKTRACE is set, else
 * returns non-zero. A program may install its own function. */
extern int (*gasnett_print_backtrace_ifenabled)(int fd);

/* A program may define gasnett_backtrace_user, an additional method, tried
 * first. */
typedef struct {
    const char *name;  /* name in GASNET_BACKTRACE_TYPE, upper case */
    int (*fnp)(int);   /* writes to the descriptor; 0: success */
    int threadsupport; /* can print the calling thread of a multi-threaded
                          process */
} gasnett_backtrace_type_t;
GASNETT_TENTATIVE_EXTERN gasnett_backtrace_type_t gasnett_backtrace_user;

/* Print a line to stderr, set *flag to 1 and wait until a debugger clears it,
 * checking once a second without polling. The second form does so only if
 * GASNET_FREEZE_ON_ERROR is yes.
 * [R-TOOL-32] */
void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname);
void gasnett_freezeForDebuggerErr(void);

/* ---- machine and process ------------------------------------------------------ */

/* Number of processors this process may use: its affinity, limited by the cgroup quota.
 * At least 1. Reads files.
 * [R-TOOL-19] */
int gasnett_cpu_count(void);
/* Binds the calling thread to processor `rank` of the process's initial
 * affinity set, modulo its size. Returns 0, or non-zero on failure.
 * [R-TOOL-20] */
#define GASNETT_SET_AFFINITY_SUPPORT 1
int gasnett_set_affinity(int rank);
/* Bytes of physical memory. If unknown: 0, or fatal on request.
 * [R-TOOL-19] */
uint64_t gasnett_getPhysMemSz(int failure_is_fatal);
/* The host name, and the path of the running program; static strings. */
const char *gasnett_gethostname(void);
const char *gasnett_exe_name(void);
/* Returns 1 or 0. */
int gasnett_isLittleEndian(void);
/* Allocates zero-filled pages of size bytes, to be released by munmap. Returns
 * MAP_FAILED if out of memory; other failures are fatal.
 * [R-TOOL-21] */
void *gasnett_mmap(uintptr_t size);
/* Raise soft limits to the hard ones: CPU time and memory, or resource res,
 * unless GASNET_MAXIMIZE_<name> is no. Return non-zero on success.
 * [R-TOOL-21] */
int gasnett_maximize_rlimits(void);
int gasnett_maximize_rlimit(int res, const char *name);

/* Installs a handler (or SIG_IGN, SIG_DFL); returns the previous one.
 * [R-TOOL-21] */
typedef void (*gasnett_sighandlerfn_t)(int);
gasnett_sighandlerfn_t gasnett_reghandler(int sig, gasnett_sighandlerfn_t fn);

/* Yields the processor; does not poll. In simulated time this takes COST_YIELD cycles.
 * [R-TOOL-31] */
void gasnett_sched_yield(void);

/* Pause hint for spin loops: lets the sibling hardware thread run.
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

/* A fast, non-cryptographic checksum; the same on all machines of equal byte
 * order.
 * [R-TOOL-24] */
uint64_t gasnett_checksum(const void *p, int nbytes);

/* Count zero bytes: in memory, while copying it, in a number.
 * [R-TOOL-24] */
size_t gasnett_count0s(const void *src, size_t nbytes);
size_t gasnett_count0s_copy(void *GASNETT_RESTRICT dst,
                            const void *GASNETT_RESTRICT src, size_t nbytes);
GASNETT_INLINE(gasnett_count0s_uint64_t)
int gasnett_count0s_uint64_t(uint64_t x)
{
    const uint64_t low7 = (~(uint64_t)0 / 255) * 127;
    /* Bit 7 of each byte: set if the byte is 0. */
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

/* ---- transfer lists as text, into a buffer of at least _bufsz bytes
 * --------------- */

/* Format a list of `count` gasnet_memvec_t, of `count` pointers to `len` bytes
 * each, of strides; and put or get calls of each kind, whose total bytes are
 * returned. Lists are read during the call only.
 * [R-TOOL-26] */
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
/* count holds the bytes of a contiguous piece, then stridelevels counts; stats
 * is ignored. */
size_t gasnett_format_putsgets(char *buf, void *stats, uint32_t node,
                               const void *dstaddr, const size_t dststrides[],
                               const void *srcaddr, const size_t srcstrides[],
                               const size_t count[], size_t stridelevels);

/* ---- checked memory allocation (debug prefixes)
 * -------------------------------------- */

typedef struct {
    uint64_t allocated_bytes; /* in total */
    uint64_t freed_bytes;
    uint64_t live_bytes; /* currently */
    uint64_t live_bytes_max;
    uint64_t allocated_objects;
    uint64_t freed_objects;
    uint64_t live_objects;
    uint64_t live_objects_max;
    uint64_t overhead_bytes; /* of the live allocations */
} gasnett_heapstats_t;

/* Functions behind the macros below; where: file and line, static. */
void *fsh_gasnett_malloc(size_t nbytes, const char *where);
void *fsh_gasnett_calloc(size_t n, size_t size, const char *where);
void *fsh_gasnett_realloc(void *p, size_t nbytes, const char *where);
void fsh_gasnett_free(void *p, const char *where);
char *fsh_gasnett_strdup(const char *s, const char *where);
char *fsh_gasnett_strndup(const char *s, size_t n, const char *where);
void fsh_gasnett_memcheck(const void *p, const char *where);
void fsh_gasnett_memcheck_all(const char *where, int one);
int fsh_gasnett_heapstats(gasnett_heapstats_t *stats);

/* As the C functions of the same name, with guard words around each allocation;
 * running out of memory is fatal. memcheck: end the program with a message if
 * the guards of p, of one live allocation, or of all of them are damaged;
 * freeing checks too.
 * [R-TOOL-28] */
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
