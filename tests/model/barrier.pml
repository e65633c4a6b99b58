/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of conduit smp (meet.c), forever, and the sleep of ranks that wait
 * in it, which is pair D of src/conduit/smp/ring.h. RANKS of them, as
 * smp.c makes it: FLAT all look at all, CROWDED the same with a word that says
 * it is over, neither: dissemination. Nobody leaves before all have arrived, all
 * opinions are in what each leaves with, and nobody waits for ever; ranks leave
 * late and come back early as they like.
 *
 * Opinions are sets, of ranks, merged by union: what is no union of all is
 * noticed. Phases wrap at PHASES, which has to be even.
 *
 * Broken on purpose, and found: NO_HEAVY, MISS without TIMED, ONE_SET (of words),
 * NO_WAKE (by whoever has seen all), NO_SECOND_LOOK, HALF (of the ranks); with FLAT
 * or CROWDED, STALE (`watching` is left over from another wait).
 */
#ifndef RANKS
#define RANKS 3
#endif
#define PHASES 4
#if RANKS > 2
#define ROUNDS 2 /* 2^ROUNDS >= RANKS */
#else
#define ROUNDS 1
#endif

#define CPUS RANKS
#ifdef CROWDED
#define FLAT
#endif

#ifdef ONE_SET
#define WHICH 0
#else
#define WHICH (phase & 1)
#endif

/* struct fsh_smp_meet, two sets each, `over`, and `watching` of struct
 * fsh_smp_ctl. */
#ifdef FLAT
#define HERE(rank) (2 * (rank) + WHICH)
#define OVER (2 * RANKS + WHICH)
#define WATCHING (2 * RANKS + 2)
#else
#define ROUND(rank, round) (2 * ((rank) * ROUNDS + (round)) + WHICH)
#define WATCHING (2 * ROUNDS * RANKS)
#endif
#define WORDS (WATCHING + RANKS)
#ifndef SB
#define SB 2
#endif
#include "tso.pml"

/* A word: opinion, phase + 1. */
#define word(phase, opinion) (opinion | (phase + 1) << RANKS)
#define opinion_of(w) ((w) & ALL)
#define phase_of(w) (((w) >> RANKS) - 1)
#define ALL ((1 << RANKS) - 1)

byte arrived[RANKS]; /* 1 + the last phase that a rank has come to */

/* fsh_smp_port_poke. The look at `watching` and what it leads to. */
inline poke(who)
{
    if
    :: seen_at(WATCHING + who) != 0 ->
        exchange(WATCHING + who, 0, was);
        if
        :: was != 0 -> was = 0; wake(who)
        :: else
        fi
    :: else
    fi
}

/* see: sets `is_there`, and merges. */
inline see(at_word)
{
    d_step {
        w = seen_at(at_word);
        is_there = w != 0 && phase_of(w) == phase;
        if
        :: is_there -> mine = mine | opinion_of(w)
        :: else
        fi;
        w = 0
    }
}

/* show */
#define show(at_word) store(at_word, word(phase, mine))

#ifdef FLAT

#ifdef HALF
#define LAST (RANKS - 1)
#else
#define LAST RANKS
#endif

/* fsh_smp_meeting_arrive */
inline arrive()
{
#ifndef STALE
    if /* fsh_smp_port_unwatch */
    :: seen_at(WATCHING + me) != 0 -> store(WATCHING + me, 0)
    :: else
    fi;
#endif
    show(HERE(me))
}

inline wake_all()
{
    do
    :: next == me -> next++
    :: next < RANKS && next != me -> poke(next); next++
    :: next == RANKS -> break
    od
}

/* look_flat: sets `over`. */
inline look()
{
#ifdef CROWDED
    see(OVER);
#endif
    if
    :: is_there -> over = true
    :: else ->
        /* In one step: a word that was seen stays. */
        atomic {
            do
            :: next == me -> next++
            :: next < LAST && next != me ->
                see(HERE(next));
                if
                :: is_there -> is_there = false; next++
                :: else -> break
                fi
            :: next == LAST -> next = 0; over = true; break
            od
        };
        if
        :: over ->
#ifdef CROWDED
            show(OVER);
#endif
#ifndef NO_WAKE
            wake_all();
#endif
        :: else
        fi
    fi;
    is_there = false
}

#else /* dissemination */

#ifdef HALF
#define LAST (ROUNDS - 1)
#else
#define LAST ROUNDS
#endif

inline give()
{
    show(ROUND((me + (1 << next)) % RANKS, next));
#ifndef NO_WAKE
    poke((me + (1 << next)) % RANKS)
#endif
}

#define arrive() give()

/* look_rounds: sets `over`. */
inline look()
{
    do
    :: next == LAST -> over = true; break
    :: else ->
        see(ROUND(me, next));
        if
        :: is_there ->
            is_there = false;
            next++;
            progress();
            if
            :: next < LAST -> give()
            :: else
            fi
        :: else -> break
        fi
    od
}

#endif

/* fsh_smp_port_sleep with `memory`: nothing else ends this sleep here. The
 * caller looks again after each. */
inline sleep()
{
    look_at_seq();
    exchange(WATCHING + me, 1, was);
#ifndef NO_SECOND_LOOK
    if
    :: was == 0 -> forget_seq(); heavy_fence()
    :: else -> futex_wait()
    fi;
#else
    heavy_fence();
    futex_wait();
#endif
    was = 0
}

/* gasnet_barrier_notify, gasnet_barrier_wait, again and again. */
active [RANKS] proctype rank()
{
    byte phase, next, mine, w, was;
    bool is_there, over;

    do
#ifdef BARRIERS
    :: arrived[me] == BARRIERS -> break
    :: arrived[me] != BARRIERS ->
#else
    ::
#endif
        if /* A wait for memory has ended by a look, or there was none. */
        :: exchange(WATCHING + me, 1, was); was = 0
        :: true
        fi;
        mine = 1 << me;
        arrived[me] = phase + 1;
        arrive();
        look();
        do
        :: over -> break
        :: !over ->
            sleep();
            look()
        od;
        /* All have arrived, and none has gone on by more than one. */
        atomic {
            assert(opinion_of(mine) == ALL);
            next = 0;
            do
            :: next < RANKS ->
                assert(arrived[next] == phase + 1 ||
                       arrived[next] == (phase + 1) % PHASES + 1);
                next++
            :: else -> break
            od;
            next = 0;
            over = false;
            progress();
            phase = (phase + 1) % PHASES
        }
    od
}
