/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of the ranks of one host; see meet.h. No rank is more than one barrier
 * ahead of another, so two sets of words suffice: a rank that writes a word of
 * barrier p has left barrier p - 1, in which all ranks had left p - 2.
 */
#include "conduit/smp/meet.h"

#include <assert.h>
#include <string.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "conduit/smp/port.h"

#define PHASE_SHIFT 34
#define OPINION ((UINT64_C(1) << PHASE_SHIFT) - 1)
#define PHASES (UINT64_MAX >> PHASE_SHIFT) /* mask */
#define FLAT_RANKS 4u

/* Whether `then` is two phases before `now`. */
static inline bool is_two_before(uint64_t then, uint64_t now)
{
    return ((now - then) & PHASES) == 2;
}

void fsh_smp_meeting_init(struct fsh_smp_meeting *m, struct fsh_smp_port *port,
                          void *base, const struct fsh_smp_layout *layout,
                          uint32_t rank, bool crowded)
{
    unsigned char *at = (unsigned char *)base + layout->meets;

    memset(m, 0, sizeof *m);
    m->port = port;
    m->over = (struct fsh_smp_word *)(void *)at;
    m->meet = (struct fsh_smp_meet *)(void *)(m->over + 2);
    m->rank = rank;
    m->ranks = layout->ranks;
    m->crowded = crowded;
    m->flat = crowded || layout->ranks <= FLAT_RANKS;
    while (UINT32_C(1) << m->rounds < m->ranks)
        m->rounds++;
}

/* Whether this word belongs to the current barrier. Acquire, partner: show. */
FSH_HOT static bool see(struct fsh_smp_meeting *m,
                        const struct fsh_smp_word *word)
{
    uint64_t w = atomic_load_explicit(&word->word, memory_order_acquire);

    if (w >> PHASE_SHIFT != m->mine >> PHASE_SHIFT) {
        assert(w == 0 ||
               is_two_before(w >> PHASE_SHIFT, m->mine >> PHASE_SHIFT));
        return false;
    }
    m->mine = (m->mine & ~OPINION) | m->merge(m->mine & OPINION, w & OPINION);
    return true;
}

/* Debug: whether this rank may write its word there. The old word must be two barriers
 * old, or (`over`, which several write) of this barrier. */
static bool may_show(const struct fsh_smp_meeting *m,
                     const struct fsh_smp_word *word)
{
    uint64_t then = atomic_load_explicit(&word->word, memory_order_relaxed);
    uint64_t now = m->mine >> PHASE_SHIFT;

    return then == 0 || is_two_before(then >> PHASE_SHIFT, now) ||
           (word == &m->over[m->which] && then >> PHASE_SHIFT == now);
}

/* Releases everything this rank did before. */
static void show(const struct fsh_smp_meeting *m, struct fsh_smp_word *word)
{
    FSH_ASSERT(may_show(m, word));
    atomic_store_explicit(&word->word, m->mine, memory_order_release);
}

/* ---- every rank reads every word ---- */

/* A rank that sees all words wakes all ranks: some may have fallen asleep
 * without seeing the last arrivals. */
static void wake_all(struct fsh_smp_meeting *m)
{
    for (uint32_t r = 0; r < m->ranks; r++)
        if (r != m->rank)
            fsh_smp_port_poke(m->port, r);
}

static bool look_flat(struct fsh_smp_meeting *m)
{
    if (m->crowded && see(m, &m->over[m->which]))
        return true;
    for (; m->next < m->ranks; m->next++)
        if (m->next != m->rank && !see(m, &m->meet[m->next].here[m->which]))
            return false;
    if (m->crowded)
        show(m, &m->over[m->which]);
    wake_all(m);
    return true;
}

/* ---- dissemination ---- */

static void give(struct fsh_smp_meeting *m)
{
    uint32_t to = (m->rank + (UINT32_C(1) << m->next)) % m->ranks;

    FSH_ASSERT(m->next < m->rounds);
    show(m, &m->meet[to].round[m->which][m->next]);
    fsh_smp_port_poke(m->port, to);
}

static bool look_rounds(struct fsh_smp_meeting *m)
{
    while (m->next < m->rounds) {
        if (!see(m, &m->meet[m->rank].round[m->which][m->next]))
            return false;
        if (++m->next < m->rounds)
            give(m);
    }
    return true;
}

/* ---- led ---- */

void fsh_smp_meeting_lead(struct fsh_smp_meeting *m, const uint32_t *member,
                          uint32_t n, const uint32_t *index)
{
    m->member = member;
    m->index = index;
    m->ranks = n;
    m->rank = index[m->port->rank];
    m->flat = true;
}

static bool leads(const struct fsh_smp_meeting *m)
{
    return m->member[0] == m->port->rank;
}

bool fsh_smp_meeting_gathered(struct fsh_smp_meeting *m, uint64_t *opinion,
                              uint32_t *missing)
{
    FSH_ASSERT(leads(m));
    for (; m->next < m->ranks; m->next++) {
        *missing = m->member[m->next];
        if (!see(m, &m->meet[m->index[*missing]].here[m->which]))
            return false;
    }
    *opinion = m->mine & OPINION;
    return true;
}

void fsh_smp_meeting_release(struct fsh_smp_meeting *m, uint64_t opinion)
{
    FSH_ASSERT(leads(m) && m->next == m->ranks);
    m->mine = (m->mine & ~OPINION) | (opinion & OPINION);
    show(m, &m->over[m->which]);
    for (uint32_t i = 1; i < m->ranks; i++)
        fsh_smp_port_poke(m->port, m->member[i]);
}

bool fsh_smp_meeting_released(struct fsh_smp_meeting *m, uint64_t *opinion)
{
    FSH_ASSERT(!leads(m));
    if (!see(m, &m->over[m->which]))
        return false;
    *opinion = m->mine & OPINION;
    return true;
}

/* ---- common ---- */

FSH_HOT void fsh_smp_meeting_arrive(struct fsh_smp_meeting *m, uint32_t phase,
                                    uint64_t opinion, fsh_merge_fn merge)
{
    assert(m->mine == 0 || /* no rank merged twice or missing */
           phase == (((m->mine >> PHASE_SHIFT) + 1) & PHASES));
    m->mine = (uint64_t)phase << PHASE_SHIFT | (opinion & OPINION);
    m->which = phase & 1;
    m->merge = merge;
    m->next = 0;
    if (!m->flat) {
        give(m);
        return;
    }
    /* Two ranks arriving at once may each look before they see the other's
     * word, so each must look once more before it sleeps. */
    fsh_smp_port_unwatch(m->port);
    show(m, &m->meet[m->rank].here[m->which]);
    if (m->member != NULL && !leads(m))
        fsh_smp_port_poke(m->port, m->member[0]);
}

/* The rank whose word is expected next. */
static uint32_t awaited(const struct fsh_smp_meeting *m)
{
    if (m->flat)
        return m->next;
    return (m->rank + m->ranks - (UINT32_C(1) << m->next)) % m->ranks;
}

FSH_HOT bool fsh_smp_meeting_arrived(struct fsh_smp_meeting *m,
                                     uint64_t *opinion, uint32_t *missing)
{
    if (!(m->flat ? look_flat(m) : look_rounds(m))) {
        *missing = awaited(m);
        return false;
    }
    FSH_ASSERT(m->next == (m->flat ? m->ranks : m->rounds) || m->crowded);
    *opinion = m->mine & OPINION;
    return true;
}
