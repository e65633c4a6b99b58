/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the code needs to know of the processor: the pause hint of spin loops,
 * the cache line, and one monotonic clock in nanoseconds. Any thread.
 */
#ifndef FSH_CPU_H
#define FSH_CPU_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define FSH_CACHE_LINE 64

/* Functions that every wait goes through: linkers put them side by side. With more
 * ranks than processors each is run after a switch of processes, where every page of
 * code costs a walk of the page table. */
#define FSH_HOT __attribute__((__hot__))

/* In loops that spin: leaves the core to its other hardware thread for an instant. */
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

/* Have a cache line here, alone, before it is written. Compilers leave the
 * instruction out of __builtin_prefetch for x86-64 in general; processors that
 * lack it take it for nothing. */
static inline void fsh_prefetch_write(const volatile void *line)
{
#if defined(__x86_64__)
    __asm__("prefetchw %0" : : "m"(*(const volatile char *)line));
#else
    __builtin_prefetch((const void *)(uintptr_t)line, 1);
#endif
}

/* CLOCK_MONOTONIC, so equal on all processes of a host. */
static inline uint64_t fsh_time_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* CPUs this process may use: its affinity mask, cut by the cgroup's quota. At
 * least 1. Reads files, so not for hot paths. */
unsigned fsh_cpu_count(void);
/* The same with the affinity mask of another process: of a launcher that binds
 * each of its ranks to a few of its own. Our own if it cannot be read. */
unsigned fsh_cpu_count_of(pid_t pid);

#endif
