/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How waits adapt to their processor (base/spin.h), from yields of made-up lengths:
 * a long one ends long spins at once, two short ones restore them, oversubscribed
 * jobs never spin long, and a yield that lost a time slice is not repeated for four
 * times as long, longer if the next ones also lose one.
 */
#include <stdio.h>

#include "base/cpu.h"
#include "base/spin.h"
#include "check.h"

#define QUICK 500u
#define SWITCHED 3000u
#define SLICE 4000000u

static void check_spins(void)
{
    fsh_spin_init(2, 2);
    CHECK(fsh_spins() == FSH_SPINS_MOST, "%u at first", fsh_spins());
    fsh_spin_learn(QUICK, 1);
    CHECK(fsh_spins() == FSH_SPINS_MOST, "%u, alone", fsh_spins());
    CHECK(!fsh_spin_contended(), "contended, alone");
    CHECK(fsh_spin_patience() == FSH_PATIENCE_MOST, "impatient, alone");
    fsh_spin_learn(SWITCHED, 2);
    CHECK(fsh_spins() == FSH_SPINS_LEAST, "%u after a switch", fsh_spins());
    CHECK(fsh_spin_contended(), "not contended after a switch");
    CHECK(fsh_spin_patience() == FSH_PATIENCE_LEAST, "patient after a switch");
    for (unsigned i = 1; i < 3; i++)
        fsh_spin_learn(QUICK, 2 + i);
    CHECK(fsh_spins() == FSH_SPINS_MOST, "%u, alone again", fsh_spins());
    fsh_spin_learn(SWITCHED, 9);
    CHECK(fsh_spins() == FSH_SPINS_LEAST, "%u after the next", fsh_spins());
    CHECK(!fsh_spin_greedy(), "a switch is no lost time slice");
}

static void check_crowded(void)
{
    fsh_spin_init(3, 2);
    for (unsigned i = 0; i < 10; i++) {
        CHECK(fsh_spins() == FSH_SPINS_LEAST, "%u, crowded", fsh_spins());
        fsh_spin_learn(QUICK, i);
    }
}

static void check_greedy(void)
{
    uint64_t now = fsh_time_ns();

    fsh_spin_init(2, 2);
    fsh_spin_learn(SLICE, now);
    CHECK(fsh_spin_greedy(), "a lost time slice is forgotten");
    CHECK(fsh_spin_contended(), "and that others want the processor");
    /* Long ago: the time has come to try again. */
    fsh_spin_init(2, 2);
    fsh_spin_learn(SLICE, now - 4 * (uint64_t)SLICE - 1);
    CHECK(!fsh_spin_greedy(), "for good");
    CHECK(fsh_spins() == FSH_SPINS_SHORT, "%u spins before sleep", fsh_spins());
    /* The second in a row counts twice, and so on, up to 128. */
    for (unsigned times = 8; times <= 128; times *= 2) {
        fsh_spin_learn(SLICE, now - (times / 2) * (uint64_t)SLICE);
        CHECK(fsh_spin_greedy(), "less than %u times", times);
    }
    fsh_spin_learn(SLICE, now - 128 * (uint64_t)SLICE - 1);
    CHECK(!fsh_spin_greedy(), "more than 128 times");
    /* Others win the confidence back. */
    for (unsigned i = 0; i < 96; i++)
        fsh_spin_learn(SWITCHED, now);
    fsh_spin_learn(SLICE, now - 4 * (uint64_t)SLICE - 1);
    CHECK(!fsh_spin_greedy(), "four times again");
    /* Turns of many ranks are no time slice. */
    fsh_spin_init(1000, 2);
    fsh_spin_learn(SLICE, now);
    CHECK(!fsh_spin_greedy(), "turns of 1000 ranks");
}

/* Whoever else runs here: yields do not spin longer than allowed. */
static void check_yield(void)
{
    fsh_spin_init(2, 2);
    for (unsigned i = 0; i < 1000; i++) {
        fsh_spin_yield();
        CHECK(fsh_spins() >= FSH_SPINS_LEAST && fsh_spins() <= FSH_SPINS_MOST,
              "%u spins", fsh_spins());
    }
}

int main(void)
{
    check_spins();
    check_crowded();
    check_greedy();
    check_yield();
    puts("spin: passed");
    return 0;
}
