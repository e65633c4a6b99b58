/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory barriers and timers: what every mode of gasnet_tools.h has, also
 * GASNETT_LITE_MODE. Header code, because both stand in inner loops. Any
 * thread.
 */
#ifndef GASNET_TOOLS_TIME_H
#define GASNET_TOOLS_TIME_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory barriers ------------------------------------------------------ */

/* gcc's thread sanitizer does not know fences: there, a read-modify-write that
 * all fences share orders what the fence would, and the sanitizer sees it. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FSH_GASNETT_TSAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) && !defined(FSH_GASNETT_TSAN)
#define FSH_GASNETT_TSAN 1
#endif
#ifdef FSH_GASNETT_TSAN
extern uint32_t fsh_gasnett_fence_word;
#define FSH_GASNETT_FENCE(order) \
    ((void)__atomic_fetch_add(&fsh_gasnett_fence_word, 0, __ATOMIC_SEQ_CST))
#else
#define FSH_GASNETT_TSAN 0
#define FSH_GASNETT_FENCE(order) __atomic_thread_fence(order)
#endif

/* The compiler moves no access to memory across it. [R-TOOL-06] */
#define gasnett_compiler_fence() __asm__ __volatile__("" : : : "memory")

/* Stores before it are seen before stores after it; loads after it are newer
 * than loads before it; both and everything (local_mb: also no load overtakes
 * an earlier store). For ordinary loads and stores of this process and of
 * memory it shares. [R-TOOL-06] */
GASNETT_INLINE(gasnett_local_wmb) void gasnett_local_wmb(void)
{
    FSH_GASNETT_FENCE(__ATOMIC_RELEASE);
    gasnett_compiler_fence();
}
GASNETT_INLINE(gasnett_local_rmb) void gasnett_local_rmb(void)
{
    FSH_GASNETT_FENCE(__ATOMIC_ACQUIRE);
    gasnett_compiler_fence();
}
GASNETT_INLINE(gasnett_local_mb) void gasnett_local_mb(void)
{
    FSH_GASNETT_FENCE(__ATOMIC_SEQ_CST);
    gasnett_compiler_fence();
}

/* The same between the threads of this process: nothing if it has but one.
 * [R-TOOL-06] */
#ifdef GASNETT_THREAD_SINGLE
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#else
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#endif
#define GASNETT_MEMBAR_CONFIG membars_native

/* ---- timers --------------------------------------------------------------- */

/* A point in time, or the distance of two, in ticks: cycles of the processor's
 * counter if it runs at one rate on all processors (the kernel says so), else
 * nanoseconds. Whole numbers to subtract, add and compare, within a process. In a job
 * with simulated time (FSHMEM_CLOCK) nanoseconds of that from gasnet_attach on, which
 * begin again at 0 there. */
typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX ((gasnett_tick_t) ~(gasnett_tick_t)0)
#define GASNETT_TIMER_CONFIG timers_native

/* The library's part of gasnett_ticks_now. */
extern int fsh_gasnett_counter; /* 1: count cycles; else ask the library */
gasnett_tick_t fsh_gasnett_ticks(void);

/* Now. Some nanoseconds; no call into the kernel. In simulated time COST_CLOCK
 * cycles, in which others run. [R-TOOL-04] */
GASNETT_INLINE(gasnett_ticks_now) gasnett_tick_t gasnett_ticks_now(void)
{
#ifdef PLATFORM_ARCH_X86_64
    if (__builtin_expect(
            __atomic_load_n(&fsh_gasnett_counter, __ATOMIC_RELAXED) == 1, 1))
        return __builtin_ia32_rdtsc();
#endif
    return fsh_gasnett_ticks();
}

/* Ticks in nanoseconds and whole microseconds. The first conversion measures
 * the counter's rate, over the time since the first gasnett_ticks_now, and
 * waits until that is 10 ms. [R-TOOL-04] */
uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks);
uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks);

/* Microseconds: the least time two calls differ by, and what a call takes.
 * Measured by the first call. [R-TOOL-04] */
double gasnett_tick_granularityus(void);
double gasnett_tick_overheadus(void);

/* Wall-clock time, microseconds since 1970. [R-TOOL-05] */
uint64_t gasnett_gettimeofday_us(void);

/* Sleep for at least so many nanoseconds; 0: return at once. Returns 0, or -1
 * with errno EINTR if a signal ended it early. Does not poll. In simulated time: so
 * many of that, which no signal ends. [R-TOOL-05] */
int gasnett_nsleep(uint64_t ns_delay);

#ifdef __cplusplus
}
#endif

#endif
