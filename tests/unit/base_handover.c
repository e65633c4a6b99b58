/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hand-overs adapt how long they spin before a sleep to the length of earlier
 * sleeps, and never spin on the processor that the other side needs.
 */
#include "base/handover.h"

#include "check.h"

#define LONG_NS (2 * FSH_HANDOVER_SLEEP_NS)

static _Atomic uint32_t word = 1;

/* Another processor than that of whoever asks. */
static bool spin(struct fsh_handover *h, uint32_t before)
{
    const _Atomic uint32_t elsewhere = UINT32_MAX;

    return fsh_handover_spin(h, &word, before, &elsewhere);
}

/* In vain, and then asleep for so long. */
static void sleep_for(struct fsh_handover *h, uint64_t ns)
{
    CHECK(!spin(h, 1), "the word has not changed");
    fsh_handover_slept(h, ns);
}

static void alone_nobody_spins(void)
{
    struct fsh_handover h;

    fsh_handover_init(&h, 1);
    for (int i = 0; i < 3; i++)
        sleep_for(&h, 0);
    CHECK(h.spins == 0, "%u spins on one processor", h.spins);
}

static void long_sleeps_end_spins(struct fsh_handover *h)
{
    fsh_handover_init(h, 2);
    CHECK(h->spins == FSH_HANDOVER_MOST);
    for (unsigned i = 0; i < FSH_HANDOVER_TRIAL; i++)
        sleep_for(h, LONG_NS);
    CHECK(h->spins == FSH_HANDOVER_MOST >> FSH_HANDOVER_TRIAL, "%u spins",
          h->spins);
}

static void short_sleeps_begin_them_again(void)
{
    struct fsh_handover h;
    unsigned few;

    long_sleeps_end_spins(&h);
    few = h.spins;
    sleep_for(&h, 0);
    CHECK(h.spins == 2 * few + FSH_HANDOVER_LEAST, "%u spins", h.spins);
    for (int i = 0; i < 20; i++)
        sleep_for(&h, 0);
    CHECK(h.spins == FSH_HANDOVER_MOST, "%u spins", h.spins);
}

/* The next is a trial; it is lost, and what is known stays. */
static void a_lost_trial_teaches_nothing(void)
{
    struct fsh_handover h;
    unsigned few;

    long_sleeps_end_spins(&h);
    few = h.spins;
    sleep_for(&h, LONG_NS);
    CHECK(h.trial && h.spins == few, "%u spins", h.spins);
    sleep_for(&h, LONG_NS);
    CHECK(!h.trial && h.spins == few / 2, "%u spins", h.spins);
}

/* A word that is there at once says nothing of spins; nor does a trial happen where the
 * other side waits for this processor. */
static void what_was_there_teaches_nothing(void)
{
    struct fsh_handover h;
    _Atomic uint32_t here;
    unsigned few;

    long_sleeps_end_spins(&h);
    few = h.spins;
    CHECK(spin(&h, 0) && h.spins == few, "%u spins", h.spins);
    do { /* this thread may be moved between the two looks */
        fsh_handover_say(&here);
        CHECK(!fsh_handover_spin(&h, &word, 1, &here));
    } while (here != (uint32_t)sched_getcpu());
    CHECK(!h.trial, "a trial beside the other side");
}

int main(void)
{
    struct fsh_handover h;

    alone_nobody_spins();
    long_sleeps_end_spins(&h);
    short_sleeps_begin_them_again();
    a_lost_trial_teaches_nothing();
    what_was_there_teaches_nothing();
    puts("handover: pass");
    return 0;
}
