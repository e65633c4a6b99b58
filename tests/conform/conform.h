/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common code of the conformance programs: starting and ending a job, checks that
 * report file, line and values, seeds, scaled iteration counts, a time limit.
 * Header only, C and C++, on top of the public GASNet API alone. A
 * program ends with conf_pass(): rank 0 prints "conform <name>: pass" only
 * after every rank has got there. A failed check ends the job with code 1.
 *
 *   --seed N, FSHMEM_SEED     seed of the random programs (printed)
 *   FSHMEM_TEST_SCALE         factor on iteration counts, default 1.0
 *   FSHMEM_TEST_LIMIT         seconds until a rank gives up, default 60
 */
#ifndef CONFORM_H
#define CONFORM_H

#include <gasnet.h>

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONF_STR2(x) #x
#define CONF_STR(x) CONF_STR2(x)
#define CONF_HERE __FILE__ ":" CONF_STR(__LINE__)
#define CONF_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static struct {
    const char *name;
    const char *where; /* last check that was reached, for the time limit */
    uint64_t seed;
    double scale;
    gasnet_node_t me;
    gasnet_node_t n;
    gasnet_seginfo_t *seg;
    int joined;
} conf;

/* ---- checks ------------------------------------------------------------ */

static inline void conf_at(const char *where)
{
    __atomic_store_n(&conf.where, where, __ATOMIC_RELAXED);
}

__attribute__((noreturn, format(printf, 3, 4), unused)) static void conf_fail(
    const char *where, const char *what, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    fprintf(stderr,
            "%s: conform %s: rank %u of %u: check failed: %s: %s (seed "
            "%" PRIu64 ")\n",
            where, conf.name ? conf.name : "?", (unsigned)conf.me,
            (unsigned)conf.n, what, text, conf.seed);
    fflush(stderr);
    if (conf.joined) {
        gasnet_exit(1);
    }
    exit(1);
}

/* CHECK(condition, "values: %d", ...) */
#define CHECK(cond, ...)                              \
    do {                                              \
        conf_at(CONF_HERE);                           \
        if (!(cond)) {                                \
            conf_fail(CONF_HERE, #cond, __VA_ARGS__); \
        }                                             \
    } while (0)

#define CHECK_EQ(got, want)                                                    \
    do {                                                                       \
        const int64_t conf_g_ = (int64_t)(got);                                \
        const int64_t conf_w_ = (int64_t)(want);                               \
        conf_at(CONF_HERE);                                                    \
        if (conf_g_ != conf_w_) {                                              \
            conf_fail(CONF_HERE, #got " == " #want,                            \
                      "%" PRId64 " (%#" PRIx64 "), want %" PRId64              \
                      " (%#" PRIx64 ")",                                       \
                      conf_g_, (uint64_t)conf_g_, conf_w_, (uint64_t)conf_w_); \
        }                                                                      \
    } while (0)

/* A GASNet call that must return GASNET_OK. */
#define OK(call) CHECK_EQ(call, GASNET_OK)

/* ---- numbers ----------------------------------------------------------- */

/* A stream of random numbers; same seed and salt, same numbers. */
struct conf_rng {
    uint64_t state;
};

static inline uint64_t conf_next(struct conf_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline struct conf_rng conf_rng(uint64_t salt)
{
    struct conf_rng rng;
    rng.state = conf.seed * UINT64_C(0xd1342543de82ef95) + salt;
    conf_next(&rng);
    return rng;
}

/* Uniform enough in 0..bound-1. */
static inline size_t conf_below(struct conf_rng *rng, size_t bound)
{
    return (size_t)(conf_next(rng) % bound);
}

/* Mostly small numbers in 0..max, sometimes any. */
static inline size_t conf_length(struct conf_rng *rng, size_t max)
{
    size_t limit = (size_t)1 << conf_below(rng, 17);
    return conf_below(rng, (limit < max ? limit : max) + 1);
}

/* n scaled for the conduit, but not under `least`. */
static inline int conf_iters(int n, int least)
{
    int scaled = (int)(n * conf.scale);
    return scaled > least ? scaled : least;
}

/* ---- contents ---------------------------------------------------------- */

/* Byte i of the pattern `key`; neighbours, pages and keys all differ. */
static inline unsigned char conf_byte(unsigned key, size_t i)
{
    size_t v = key * 151u + i * 7u + (i >> 8) * 13u + (i >> 16) * 5u + 1u;
    return (unsigned char)(v ^ (v >> 9));
}

static inline void conf_fill(void *buf, size_t n, unsigned key)
{
    unsigned char *p = (unsigned char *)buf;
    for (size_t i = 0; i < n; i++) {
        p[i] = conf_byte(key, i);
    }
}

#define CHECK_FILL(buf, n, key) conf_check_fill(CONF_HERE, buf, n, key)
static inline void conf_check_fill(const char *where, const void *buf, size_t n,
                                   unsigned key)
{
    const unsigned char *p = (const unsigned char *)buf;
    conf_at(where);
    for (size_t i = 0; i < n; i++) {
        if (p[i] != conf_byte(key, i)) {
            conf_fail(where, "contents",
                      "byte %zu of %zu at %p is %#x, want %#x (pattern %u)", i,
                      n, (const void *)(p + i), p[i], conf_byte(key, i), key);
        }
    }
}

/* Every byte of buf equals `byte`. */
#define CHECK_BYTES(buf, n, byte) conf_check_bytes(CONF_HERE, buf, n, byte)
static inline void conf_check_bytes(const char *where, const void *buf,
                                    size_t n, unsigned char byte)
{
    const unsigned char *p = (const unsigned char *)buf;
    conf_at(where);
    for (size_t i = 0; i < n; i++) {
        if (p[i] != byte) {
            conf_fail(where, "contents",
                      "byte %zu of %zu at %p is %#x, want %#x", i, n,
                      (const void *)(p + i), p[i], byte);
        }
    }
}

/* Counters that handlers bump and the program waits for. */
static inline void conf_add(int *counter, int n)
{
    __atomic_fetch_add(counter, n, __ATOMIC_RELEASE);
}

static inline int conf_load(const int *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

#define CONF_WAIT(counter, want)                            \
    do {                                                    \
        conf_at(CONF_HERE);                                 \
        GASNET_BLOCKUNTIL(conf_load(&(counter)) >= (want)); \
        CHECK_EQ(conf_load(&(counter)), want);              \
    } while (0)

/* ---- job --------------------------------------------------------------- */

static inline unsigned char *conf_addr(gasnet_node_t node)
{
    return (unsigned char *)conf.seg[node].addr;
}

static void conf_on_alarm(int sig)
{
    static const char intro[] = "conform: time limit reached after check ";
    const char *parts[] = {intro, conf.where ? conf.where : "(none)",
                           " in program ", conf.name ? conf.name : "?", "\n"};
    (void)sig;
    for (int i = 0; i < CONF_COUNT(parts); i++) {
        if (write(2, parts[i], strlen(parts[i])) < 0) {
            break;
        }
    }
    _exit(1);
}

static inline void conf_options(int argc, char **argv)
{
    const char *seed = getenv("FSHMEM_SEED");
    const char *scale = getenv("FSHMEM_TEST_SCALE");
    const char *limit = getenv("FSHMEM_TEST_LIMIT");
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--seed") == 0) {
            seed = argv[i + 1];
        }
    }
    conf.seed = seed ? strtoull(seed, NULL, 0) : 1;
    conf.scale = scale ? strtod(scale, NULL) : 1.0;
    signal(SIGALRM, conf_on_alarm);
    alarm(limit ? (unsigned)strtoul(limit, NULL, 0) : 60);
}

/* gasnet_init, and what this header needs to know. */
static inline void conf_init(const char *name, int *argc, char ***argv)
{
    conf.name = name;
    conf_options(*argc, *argv);
    OK(gasnet_init(argc, argv));
    conf.joined = 1;
    conf.me = gasnet_mynode();
    conf.n = gasnet_nodes();
    if (conf.me == 0) {
        printf("conform %s: %u ranks, seed %" PRIu64 ", scale %g\n", name,
               (unsigned)conf.n, conf.seed, conf.scale);
        fflush(stdout);
    }
}

static inline uintptr_t conf_pages(uintptr_t bytes)
{
    return (bytes + GASNET_PAGESIZE - 1) / GASNET_PAGESIZE * GASNET_PAGESIZE;
}

/* The segments. With GASNET_SEGMENT_EVERYTHING there are none: an area of each
 * rank stands for its segment, static if it is not large, and all tell all where
 * theirs is. */
static inline void conf_find_segments(uintptr_t segment_bytes)
{
#ifdef GASNET_SEGMENT_EVERYTHING
    static char area[1 << 18] __attribute__((aligned(GASNET_PAGESIZE)));
    void *mine = area;
    if (segment_bytes > sizeof area) {
        CHECK_EQ(posix_memalign(&mine, GASNET_PAGESIZE, segment_bytes), 0);
        memset(mine, 0, segment_bytes);
    }
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        gasnet_seginfo_t info = {mine, segment_bytes};
        gasnet_coll_broadcast(GASNET_TEAM_ALL, &conf.seg[i], i, &info,
                              sizeof info,
                              GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC);
    }
#else
    OK(gasnet_getSegmentInfo(conf.seg, (int)conf.n));
    (void)segment_bytes;
#endif
}

static inline void conf_attach(gasnet_handlerentry_t *table, int entries,
                               uintptr_t segment_bytes)
{
    OK(gasnet_attach(table, entries, conf_pages(segment_bytes), 0));
    conf.seg = (gasnet_seginfo_t *)calloc(conf.n, sizeof *conf.seg);
    CHECK(conf.seg != NULL, "calloc");
    conf_find_segments(conf_pages(segment_bytes));
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK(conf.seg[i].size >= segment_bytes,
              "rank %u has %zu bytes of segment, asked for %zu", (unsigned)i,
              (size_t)conf.seg[i].size, (size_t)segment_bytes);
    }
}

static inline void conf_barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    OK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS));
}

static inline void conf_start(const char *name, int *argc, char ***argv,
                              gasnet_handlerentry_t *table, int entries,
                              uintptr_t segment_bytes)
{
    conf_init(name, argc, argv);
    conf_attach(table, entries, segment_bytes);
    conf_barrier();
}

/* This rank's slice of every rank's segment is what its shadow copy says: slices
 * begin at `slice` bytes times the rank that owns them, shadows at that times the
 * rank they are of. */
#define CHECK_SLICES(shadow, slice) conf_check_slices(CONF_HERE, shadow, slice)
static inline void conf_check_slices(const char *where,
                                     const unsigned char *shadow, size_t slice)
{
    unsigned char *copy = (unsigned char *)malloc(slice);
    CHECK(copy != NULL, "malloc");
    conf_at(where);
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        const unsigned char *want = shadow + (size_t)i * slice;
        gasnet_get_bulk(copy, i, conf_addr(i) + (size_t)conf.me * slice, slice);
        for (size_t b = 0; b < slice; b++) {
            if (copy[b] != want[b]) {
                conf_fail(where, "contents",
                          "rank %u, byte %zu is %#x, want %#x", (unsigned)i, b,
                          copy[b], want[b]);
            }
        }
    }
    free(copy);
}

/* All ranks passed: say so once, and end the job. The second barrier keeps the
 * others from ending it before rank 0 has spoken. */
__attribute__((noreturn, unused)) static void conf_pass(void)
{
    conf_at(CONF_HERE);
    conf_barrier();
    if (conf.me == 0) {
        printf("conform %s: pass\n", conf.name);
        fflush(stdout);
    }
    conf_barrier();
    gasnet_exit(0);
    abort();
}

/* This conduit or job size cannot show the behaviour: reason and code 77. */
__attribute__((noreturn, unused)) static void conf_skip(const char *reason)
{
    if (conf.me == 0) {
        printf("conform %s: skipped: %s\n", conf.name, reason);
        fflush(stdout);
    }
    conf_barrier();
    gasnet_exit(77);
    abort();
}

#endif
