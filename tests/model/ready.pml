/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a rank of conduit smp stops looking at rings and falls asleep, and how
 * those who send to it bring it back: pairs A, B and, with WIDE, C of
 * src/conduit/smp/ring.h (ready.c, send.h). SENDERS send MESSAGES each; the
 * owner receives, withdraws its attention and sleeps, in any order, SLEEPS
 * times. All messages are received: none is left in a ring that is not looked at,
 * and no sleep goes on while one is there.
 *
 * A ring is one word here, the number of messages stamped in it (ring.pml is
 * about rings). An owner that polls in vain stands still in the model until it
 * would find something; so what it would never find is a deadlock.
 *
 * MISS makes heavy fences pass others over. What mends that, looking again
 * (LATE) and sleeps that end in time (TIMED), rests on stores that leave their
 * processor within 1024 polls, or until the next withdrawal, so `time passes`
 * before both. Without LATE and TIMED the handshakes have to do alone.
 *
 * Broken on purpose, and found: NO_HEAVY, MISS without LATE, or without TIMED,
 * NO_RECHECK, LOOK_FIRST, NO_COUNT, with WIDE READY_FIRST, SUMMARY_FIRST.
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef SLEEPS
#define SLEEPS 2
#endif

#define CPUS (SENDERS + 1)
#define OWNER SENDERS
#define RING 0                 /* + source: messages stamped in it */
#define SUMMARY SENDERS        /* of struct fsh_smp_ctl, the owner's */
#define SLEEPERS (SENDERS + 1) /* the same */
#define READY (SENDERS + 2)    /* the same; with WIDE, all sources in a word */
#define WORDS (SENDERS + 3)
#define SB 2
#include "tso.pml"

#define bit(s) (1 << (s))

/* ---- a sender: send.h, send.c; source s ---- */

/* fsh_smp_attended; fsh_smp_call_attention. */
#ifdef WIDE
#define attended() ((seen_at(READY) & bit(s)) && seen_at(SUMMARY))
#ifdef SUMMARY_FIRST
#define call_attention(source) \
    fetch_or(SUMMARY, 1); fetch_or(READY, bit(source))
#else
#define call_attention(source) \
    fetch_or(READY, bit(source)); fetch_or(SUMMARY, 1)
#endif
#else
#define attended() (seen_at(SUMMARY) & bit(s))
#define call_attention(source) fetch_or(SUMMARY, bit(source))
#endif

active [SENDERS] proctype sender()
{
    byte sent;
    byte s = me;

    do
    :: sent < MESSAGES ->
        sent++;
        store(RING + s, sent); /* fsh_smp_stamp_at */
        /* fsh_smp_must_announce, fsh_smp_announce */
        if
        :: !attended() -> call_attention(s)
        :: else
        fi;
        if
        :: seen_at(SLEEPERS) != 0 -> wake(OWNER)
        :: else
        fi
    :: else -> break
    od
}

/* ---- the owner: ring.c, ready.c ---- */

byte got[SENDERS];     /* messages, of each source */
byte late, late_looks; /* of the port: sources; looks to be had at them */

#define is_new(s) (memory[RING + s] != got[s])

/* fsh_smp_port_poll, if there is something for it. */
#ifdef WIDE
#define is_found(s) (memory[SUMMARY] && (memory[READY] & bit(s)) && is_new(s))
#else
#define is_found(s) ((memory[SUMMARY] & bit(s)) && is_new(s))
#endif

/* Stores that a fence has passed over arrive. */
inline time_passes()
{
    drained(0);
    drained(SENDERS - 1)
}

/* restore: attends again to those sources of `was` that have a message. */
inline restore(was)
{
    s = 0;
    do
    :: s < SENDERS ->
        if
        :: (was & bit(s)) && is_new(s) ->
            call_attention(s);
            was = was & ~bit(s);
            any = true
        :: else
        fi;
        s++
    :: else -> s = 0; break
    od
}

/* clear_all: sets `was`. */
inline clear_all()
{
    if
    :: memory[SUMMARY] == 0
    :: else ->
#ifdef WIDE
#ifdef READY_FIRST
        exchange(READY, 0, was);
        exchange(SUMMARY, 0, words)
#else
        exchange(SUMMARY, 0, words);
        if
        :: words -> exchange(READY, 0, was)
        :: else
        fi
#endif
        ; words = 0
#else
        exchange(SUMMARY, 0, was)
#endif
    fi
}

/* fsh_smp_withdraw: sets `any`. */
inline withdraw()
{
#ifdef LATE
    if
    :: late_looks != 0 ->
        time_passes();
        restore(late);
        late_looks = 0
    :: else
    fi;
#endif
#ifdef LOOK_FIRST
    was = (1 << SENDERS) - 1;
    restore(was);
    was = 0;
#endif
    clear_all();
    if
    :: was != 0 ->
        heavy_fence();
#ifndef LOOK_FIRST
#ifndef NO_RECHECK
        restore(was);
#endif
#endif
#ifdef LATE
        late = was;
        late_looks = 2;
#endif
        was = 0
    :: else
    fi
}

/* fsh_smp_port_sleep, without `memory` (barrier.pml) and `told`, which is a
 * summary like others. */
inline sleep()
{
    look_at_seq();
#ifndef NO_COUNT
    fetch_add(SLEEPERS);
#endif
    withdraw();
    if
    :: !any && memory[SUMMARY] == 0 -> futex_wait()
    :: else -> forget_seq()
    fi;
#ifndef NO_COUNT
    fetch_sub(SLEEPERS)
#endif
}

#define all_came (got[0] == MESSAGES && got[SENDERS - 1] == MESSAGES)

active proctype owner()
{
    byte naps, s, was, words;
    bool any;

    do
    :: is_found(0) -> got[0]++; progress()
    :: is_found(SENDERS - 1) -> got[SENDERS - 1]++; progress()
    :: late_looks != 0 -> /* count_late, fsh_smp_look_again */
        time_passes();
        restore(late);
        late_looks--;
        any = false
    :: naps < SLEEPS -> /* long_idle */
        naps++;
        withdraw();
        any = false
    :: naps < SLEEPS && !all_came ->
        naps++;
        sleep();
        any = false
    :: all_came -> break
    od
}
