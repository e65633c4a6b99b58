/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Timers. The processor's time stamp counter is used if its rate is constant (CPUID
 * reports it as invariant) and the kernel trusts it across processors: the kernel
 * removes a counter that it found unreliable from its list of clock sources.
 * Otherwise, and on other architectures, ticks are nanoseconds of CLOCK_MONOTONIC.
 * The rate is calibrated against that clock, from the first reading to the first
 * conversion. gasnett_ticks_now in the header reads the counter inline. In a job with
 * simulated time the header is told that there is no usable counter, and ticks are
 * nanoseconds of simulated time.
 */
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include "base/cpu.h"
#include "base/simulated.h"
#include "gasnet_tools.h"
#include "gasnet_tools/ticks.h"
#if PLATFORM_ARCH_X86_64
#include <cpuid.h>
#endif

/* Long enough for 10 ppm, as each end of the measurement is uncertain by 50
 * ns. */
#define CALIBRATION_NS UINT64_C(10000000)

struct moment {
    uint64_t ticks;
    uint64_t ns;
};

int fsh_gasnett_counter;
uint32_t fsh_gasnett_fence_word;

static pthread_once_t begun = PTHREAD_ONCE_INIT;
static pthread_once_t calibrated = PTHREAD_ONCE_INIT;
static pthread_once_t measured = PTHREAD_ONCE_INIT;
static struct moment beginning;
static uint64_t ns_per_tick; /* times 2^32 */
static double granularity_us, overhead_us;

#if PLATFORM_ARCH_X86_64
static int kernel_trusts_it(void)
{
    char list[256] = "", *word, *rest = list;
    FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/"
                    "available_clocksource",
                    "re");

    if (f == NULL)
        return 0;
    if (fgets(list, sizeof list, f) == NULL)
        list[0] = '\0';
    fclose(f);
    while ((word = strsep(&rest, " \n")) != NULL)
        if (strcmp(word, "tsc") == 0)
            return 1;
    return 0;
}

static int counter_serves(void)
{
    unsigned a, b, c, d;

    /* Advanced power management leaf: EDX bit 8, invariant TSC. */
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1) &&
           kernel_trusts_it();
}

static uint64_t read_counter(void)
{
    return __builtin_ia32_rdtsc();
}
#else
static int counter_serves(void)
{
    return 0;
}

static uint64_t read_counter(void)
{
    return 0;
}
#endif

/* Reads both clocks at one moment: the closest of several attempts. */
static struct moment look(void)
{
    struct moment best = {0, 0};
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 8; i++) {
        uint64_t before = read_counter();
        uint64_t ns = fsh_time_ns();
        uint64_t after = read_counter();

        if (after - before < least) {
            least = after - before;
            best.ticks = before + least / 2;
            best.ns = ns;
        }
    }
    return best;
}

static void begin(void)
{
    int serves = counter_serves();

    beginning = look();
    __atomic_store_n(&fsh_gasnett_counter, serves ? 1 : -1, __ATOMIC_RELEASE);
}

void fsh_ticks_simulate(void)
{
    pthread_once(&begun,
                 begin); /* before, not after: it settles the same word */
    __atomic_store_n(&fsh_gasnett_counter, -1, __ATOMIC_RELEASE);
}

gasnett_tick_t fsh_gasnett_ticks(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (simulated != NULL)
        return simulated->now();
    pthread_once(&begun, begin);
    if (__atomic_load_n(&fsh_gasnett_counter, __ATOMIC_RELAXED) == 1)
        return read_counter();
    return fsh_time_ns();
}

static void calibrate(void)
{
    struct moment now;
    uint64_t passed;

    pthread_once(&begun, begin);
    passed = fsh_time_ns() - beginning.ns;
    while (passed < CALIBRATION_NS) {
        gasnett_nsleep(CALIBRATION_NS - passed);
        passed = fsh_time_ns() - beginning.ns;
    }
    now = look();
    ns_per_tick =
        (uint64_t)(((unsigned __int128)(now.ns - beginning.ns) << 32) /
                   (now.ticks - beginning.ticks));
}

uint64_t gasnett_ticks_to_ns(gasnett_tick_t ticks)
{
    pthread_once(&begun, begin);
    if (__atomic_load_n(&fsh_gasnett_counter, __ATOMIC_RELAXED) != 1)
        return ticks;
    pthread_once(&calibrated, calibrate);
    return (uint64_t)(((unsigned __int128)ticks * ns_per_tick) >> 32);
}

uint64_t gasnett_ticks_to_us(gasnett_tick_t ticks)
{
    return gasnett_ticks_to_ns(ticks) / 1000;
}

static void measure(void)
{
    enum { CALLS = 1000, CHANGES = 10 };
    gasnett_tick_t first = gasnett_ticks_now(), last = first;
    gasnett_tick_t least = GASNETT_TICK_MAX;
    int calls = 0, changes = 0;

    for (; calls < CALLS || changes < CHANGES; calls++) {
        gasnett_tick_t now = gasnett_ticks_now();

        if (now != last) {
            changes++;
            least = now - last < least ? now - last : least;
            last = now;
        }
    }
    granularity_us = (double)gasnett_ticks_to_ns(least) / 1000;
    /* The counter is finer than the nanoseconds above. */
    if (granularity_us <= 0)
        granularity_us = 0.001;
    overhead_us = (double)gasnett_ticks_to_ns(last - first) / 1000 / calls;
}

double gasnett_tick_granularityus(void)
{
    pthread_once(&measured, measure);
    return granularity_us;
}

double gasnett_tick_overheadus(void)
{
    pthread_once(&measured, measure);
    return overhead_us;
}

uint64_t gasnett_gettimeofday_us(void)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec;
}

int gasnett_nsleep(uint64_t ns_delay)
{
    const struct fsh_simulated *simulated = fsh_simulated();
    const uint64_t second = UINT64_C(1000000000);
    struct timespec time;

    if (ns_delay == 0)
        return 0;
    if (simulated != NULL && simulated->spend(ns_delay))
        return 0;
    time.tv_sec = (time_t)(ns_delay / second);
    time.tv_nsec = (long)(ns_delay % second);
    return nanosleep(&time, NULL);
}
