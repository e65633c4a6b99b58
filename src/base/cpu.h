/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor facts: the pause hint of spin loops, the cache line size, and a
 * monotonic clock in nanoseconds. Any thread.
 */
#ifndef FSH_CPU_H
#define FSH_CPU_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define FSH_CACHE_LINE 64

/* Functions on the path of every wait. Linkers place them together: when oversubscribed
 * ranks run them after each context switch, every distinct page of code costs a
 * page-table walk. */
#define FSH_HOT __attribute__((__hot__))

/* Pause hint for spin loops: briefly leaves the core to its sibling hardware thread. */
static inline void fsh_cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ __volatile__("yield" ::: "memory");
#else
    __asm__ __volatile__("" ::: "memory");
#endif
}

/* Fetches a cache line in exclusive state before it is written. Emitted as asm
 * because compilers drop __builtin_prefetch for writing on baseline x86-64;
 * processors without the instruction execute it as a no-op. */
static inline void fsh_prefetch_write(const volatile void *line)
{
#if defined(__x86_64__)
    __asm__("prefetchw %0" : : "m"(*(const volatile char *)line));
#else
    __builtin_prefetch((const void *)(uintptr_t)line, 1);
#endif
}

/* CLOCK_MONOTONIC, hence comparable between processes of a host. */
static inline uint64_t fsh_time_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* CPUs this process may use: its affinity mask, limited by the cgroup quota. At
 * least 1. Reads files, so not for hot paths. */
unsigned fsh_cpu_count(void);
/* The same with the affinity mask of another process, such as a launcher that
 * binds each rank to a few of its own CPUs. Falls back to our own mask if it
 * cannot be read. */
unsigned fsh_cpu_count_of(pid_t pid);

#endif
