/* SPDX-License-Identifier: BSD-3-Clause */
/* Single-threaded self-tests: numbers, bytes, timers, atomics. */
#include "gasnet_tools/selftest.h"

#include "base/log.h"
#include "gasnet_tools.h"

static int failures; /* atomic */

void fsh_selftest_check(bool ok, const char *what, const char *file, int line)
{
    if (ok)
        return;
    /* A broken machine fails every time: the first reports suffice. */
    if (__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED) < 20)
        fsh_warn("diagnostics: %s:%d: check failed: %s", file, line, what);
}

int fsh_selftest_failures(void)
{
    return __atomic_exchange_n(&failures, 0, __ATOMIC_RELAXED);
}

static void numbers(int iterations, int threads)
{
    char text[64];
    int64_t value = 1;

    (void)threads;
    for (int i = 0; i < iterations % 1000 + 64; i++) {
        value = (int64_t)((uint64_t)value * UINT64_C(6364136223846793005) +
                          UINT64_C(1442695040888963407));
        value >>= i % 63;
        gasnett_format_number(value, text, sizeof text, 0);
        FSH_SELFTEST(gasnett_parse_int(text, 0) == value);
        gasnett_format_number(value & ~INT64_C(1023), text, sizeof text, 1);
        FSH_SELFTEST(gasnett_parse_int(text, 1) <= (value & ~INT64_C(1023)) ||
                     value < 0);
    }
    FSH_SELFTEST(gasnett_parse_int("1.5 KB", 1) == 1536);
    FSH_SELFTEST(gasnett_parse_int("-0x10", 0) == -16);
}

static void bytes(int iterations, int threads)
{
    unsigned char from[300], to[300];
    size_t zeros = 0;

    (void)threads;
    for (size_t i = 0; i < sizeof from; i++) {
        from[i] = (unsigned char)((i * 7 + (size_t)iterations) % 5);
        zeros += from[i] == 0;
    }
    FSH_SELFTEST(gasnett_count0s(from, sizeof from) == zeros);
    FSH_SELFTEST(gasnett_count0s_copy(to, from, sizeof from) == zeros);
    FSH_SELFTEST(memcmp(from, to, sizeof from) == 0);
    FSH_SELFTEST(gasnett_checksum(from, sizeof from) ==
                 gasnett_checksum(to, sizeof to));
    to[sizeof to / 2] ^= 1;
    FSH_SELFTEST(gasnett_checksum(from, sizeof from) !=
                 gasnett_checksum(to, sizeof to));
}

static void timers(int iterations, int threads)
{
    gasnett_tick_t begin = gasnett_ticks_now(), last = begin, now;
    uint64_t us = gasnett_gettimeofday_us(), passed;

    (void)threads;
    for (int i = 0; i < iterations; i++) {
        now = gasnett_ticks_now();
        FSH_SELFTEST(now >= last);
        last = now;
    }
    FSH_SELFTEST(gasnett_nsleep(20000000) == 0);
    passed = gasnett_ticks_to_us(gasnett_ticks_now() - begin);
    us = gasnett_gettimeofday_us() - us;
    FSH_SELFTEST(passed >= 20000);
    /* The thread may be preempted between the readings. */
    FSH_SELFTEST(passed < 2 * us + 100000 && us < 2 * passed + 100000);
    FSH_SELFTEST(gasnett_tick_granularityus() > 0);
    FSH_SELFTEST(gasnett_tick_overheadus() >= 0);
}

#define ATOMIC_STEPS(X, T, V)                                            \
    do {                                                                 \
        T a = X##_init(5);                                               \
        const V top = (V) ~(V)0;                                         \
        FSH_SELFTEST(X##_read(&a, 0) == 5);                              \
        X##_set(&a, 7, GASNETT_ATOMIC_REL);                              \
        X##_increment(&a, 0);                                            \
        X##_decrement(&a, GASNETT_ATOMIC_MB_PRE);                        \
        FSH_SELFTEST(X##_add(&a, 3, GASNETT_ATOMIC_MB_POST) == 10);      \
        FSH_SELFTEST(X##_subtract(&a, 4, 0) == 6);                       \
        FSH_SELFTEST(X##_swap(&a, 1, GASNETT_ATOMIC_ACQ) == 6);          \
        FSH_SELFTEST(!X##_compare_and_swap(&a, 2, 3, 0));                \
        FSH_SELFTEST(                                                    \
            X##_compare_and_swap(&a, 1, 2, GASNETT_ATOMIC_ACQ_IF_TRUE)); \
        FSH_SELFTEST(!X##_decrement_and_test(&a, 0));                    \
        FSH_SELFTEST(X##_decrement_and_test(&a, GASNETT_ATOMIC_REL));    \
        FSH_SELFTEST(X##_subtract(&a, 1, 0) == top);                     \
        FSH_SELFTEST(X##_add(&a, 1, 0) == 0);                            \
        X##_decrement(&a, 0);                                            \
        FSH_SELFTEST(X##_read(&a, GASNETT_ATOMIC_ACQ) == top);           \
    } while (0)

static void atomics(int iterations, int threads)
{
    gasnett_atomic_t below = gasnett_atomic_init(0);

    (void)iterations;
    (void)threads;
    ATOMIC_STEPS(gasnett_atomic, gasnett_atomic_t, gasnett_atomic_val_t);
    ATOMIC_STEPS(gasnett_atomic32, gasnett_atomic32_t, uint32_t);
    ATOMIC_STEPS(gasnett_atomic64, gasnett_atomic64_t, uint64_t);
    gasnett_atomic_decrement(&below, 0);
    FSH_SELFTEST(gasnett_atomic_signed(gasnett_atomic_read(&below, 0)) == -1);
    FSH_SELFTEST(sizeof(gasnett_atomic32_t) == 4 &&
                 sizeof(gasnett_atomic64_t) == 8);
}

const struct fsh_selftest fsh_selftests[] = {
    {'A', "numbers as text", numbers},
    {'B', "bytes and checksums", bytes},
    {'C', "timers", timers},
    {'D', "atomics", atomics},
    {'E', "atomics and barriers between threads", fsh_selftest_atomic_threads},
    {'F', "mutexes", fsh_selftest_mutex},
    {'G', "reader-writer locks", fsh_selftest_rwlock},
    {'H', "condition variables", fsh_selftest_cond},
    {'I', "thread-specific pointers", fsh_selftest_key},
    {0, NULL, NULL},
};
