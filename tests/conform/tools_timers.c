/* SPDX-License-Identifier: BSD-3-Clause */
/* Timers and sleep: ticks are monotonic, convert to the elapsed time of wall
 * clock and sleep, and are cheap. */
#include "conform.h"

#include <gasnet_tools.h>

#include <signal.h>
#include <time.h>

static uint64_t clock_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static void monotone(void)
{
    gasnett_tick_t last = gasnett_ticks_now();
    for (int i = 0; i < 1000000; i++) {
        const gasnett_tick_t now = gasnett_ticks_now();
        CHECK(now >= last, "tick %" PRIu64 " after %" PRIu64, now, last);
        last = now;
    }
}

/* Rates agree over half a second. The two clocks are read one after the other,
 * and a rank may lose its processor between: what that can do to the distance
 * is itself measured, by reading the clock on both sides. */
static void rate(void)
{
    const uint64_t a = clock_us();
    const gasnett_tick_t t0 = gasnett_ticks_now();
    const uint64_t b = clock_us();
    uint64_t ns, us, c, d;
    gasnett_tick_t t1;
    do {
        c = clock_us();
    } while (c - b < 500000);
    t1 = gasnett_ticks_now();
    d = clock_us();
    ns = gasnett_ticks_to_ns(t1 - t0);
    us = gasnett_ticks_to_us(t1 - t0);
    CHECK_EQ(us, ns / 1000);
    /* 0.1 % and a few microseconds of rounding. */
    CHECK(us + us / 1000 + 3 >= c - b, "%" PRIu64 " us of ticks, %" PRIu64, us,
          c - b);
    CHECK(us <= d - a + (d - a) / 1000 + 3, "%" PRIu64 " us of ticks, %" PRIu64,
          us, d - a);
}

static void on_signal(int sig)
{
    (void)sig;
}

static void sleeps(void)
{
    const struct timespec soon = {0, 20000000};
    struct itimerspec timer;
    struct sigevent event;
    timer_t id;
    const uint64_t before = clock_us();
    CHECK_EQ(gasnett_nsleep(0), 0);
    CHECK_EQ(gasnett_nsleep(3000000), 0);
    CHECK(clock_us() - before >= 3000, "slept %" PRIu64 " us",
          clock_us() - before);
    /* A signal ends a sleep that would outlast the test. */
    gasnett_reghandler(SIGUSR2, on_signal);
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR2;
    CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &id), 0);
    timer.it_value = timer.it_interval = soon;
    CHECK_EQ(timer_settime(id, 0, &timer, NULL), 0);
    CHECK_EQ(gasnett_nsleep(UINT64_C(300000000000)), -1);
    CHECK_EQ(errno, EINTR);
    CHECK_EQ(timer_delete(id), 0);
}

int main(int argc, char **argv)
{
    conf_start("tools_timers", &argc, &argv, NULL, 0, 0);
    monotone();
    rate();
    sleeps();
    CHECK(gasnett_tick_granularityus() > 0 &&
              gasnett_tick_granularityus() < 1000,
          "granularity %g us", gasnett_tick_granularityus());
    CHECK(gasnett_tick_overheadus() >= 0 && gasnett_tick_overheadus() < 1000,
          "overhead %g us", gasnett_tick_overheadus());
    CHECK_EQ(gasnett_ticks_to_ns(0), 0);
    CHECK(GASNETT_TICK_MIN < GASNETT_TICK_MAX, "range");
    const uint64_t day = gasnett_gettimeofday_us() / 86400000000u;
    CHECK_EQ(day, time(NULL) / 86400);
    conf_pass();
}
