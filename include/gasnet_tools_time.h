/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory barriers and timers: the part of gasnet_tools.h that every mode has,
 * GASNETT_LITE_MODE included. Inline, because both are used in inner loops. Any
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

/* gcc's thread sanitizer does not support fences. There, all fences share one
 * read-modify-write, which gives the same ordering visibly to the sanitizer. */
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

/* Compiler barrier: no memory access moves across it.
 * [R-TOOL-06] */
#define gasnett_compiler_fence() __asm__ __volatile__("" : : : "memory")

/* wmb: earlier stores become visible before later stores. rmb: later loads are
 * performed after earlier loads. mb: full barrier, including earlier stores
 * before later loads. For ordinary loads and stores to this process's memory
 * and memory it shares.
 * [R-TOOL-06] */
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

/* The same between threads of this process; no-ops in single-threaded programs.
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

/* A point in time or an interval, in ticks: processor cycles if the kernel reports a
 * counter with one rate on all processors, else nanoseconds. An integer, valid within a
 * process, to be subtracted, added and compared. In a job with simulated time
 * (FSHMEM_CLOCK): nanoseconds of simulated time, restarting at 0 in gasnet_attach. */
typedef uint64_t gasnett_tick_t;
#define GASNETT_TICK_MIN ((gasnett_tick_t)0)
#define GASNETT_TICK_MAX ((gasnett_tick_t) ~(gasnett_tick_t)0)
#define GASNETT_TIMER_CONFIG timers_native

/* Internal to gasnett_ticks_now. */
extern int fsh_gasnett_counter; /* 1: read the cycle counter; else call the
                                   library */
gasnett_tick_t fsh_gasnett_ticks(void);

/* The current time. Takes nanoseconds, without a system call; in simulated time
 * COST_CLOCK cycles, during which others run.
 * [R-TOOL-04] */
GASNETT_INLINE(gasnett_ticks_now) gasnett_tick_t gasnett_ticks_now(void)
{
#ifdef PLATFORM_ARCH_X86_64
    if (__builtin_expect(
            __atomic_load_n(&fsh_gasnett_counter, __ATOMIC_RELAXED) == 1, 1))
        return __builtin_ia32_rdtsc();
#endif
    return fsh_gasnett_ticks();
}

/* Convert ticks to nanoseconds and to whole microseconds. The first conversion
 * calibrates the counter against the time since the first gasnett_ticks_now,
 * and waits until that is 10 ms.
 * [R-TOOL-04] */
uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks);
uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks);

/* In microseconds: the smallest difference between two readings, and the cost
 * of one reading. Measured on the first call.
 * [R-TOOL-04] */
double gasnett_tick_granularityus(void);
double gasnett_tick_overheadus(void);

/* Wall-clock time in microseconds since 1970.
 * [R-TOOL-05] */
uint64_t gasnett_gettimeofday_us(void);

/* Sleeps for at least ns_delay nanoseconds; 0 returns at once. Returns 0, or -1 with
 * errno EINTR if interrupted by a signal. Does not poll. In simulated time: sleeps that
 * long in simulated time, and signals do not interrupt it.
 * [R-TOOL-05] */
int gasnett_nsleep(uint64_t ns_delay);

#ifdef __cplusplus
}
#endif

#endif
