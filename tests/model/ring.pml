/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A ring of conduit smp between one sender and one receiver, forever: stamps,
 * laps and their wrap-around, messages of one and of two slots, SKIPs, what the
 * inside of a message leaves behind, room, and the sleep of a sender that has
 * none (pair G of src/conduit/smp/ring.h). Messages are never lost, seen twice,
 * out of order or half, nor overwritten before they are read; and none waits
 * forever.
 *
 * Smaller than life: SLOTS for FSH_SMP_SLOTS, MOST for MAX_MESSAGE_SLOTS, STEP
 * for FREED_STEP, with the static assertion of ring.c among them kept; BATCH 2;
 * numbers of slots wrap after LAPS laps, where they wrap after 2^26.
 *
 * What a slot should hold is known from its position, so that is its content:
 * the receiver sees that all slots of all messages hold the position at which it
 * stands, and whether they are the first of a message. Broken on purpose, and found: NO_HEAVY, MISS without TIMED, NO_RETRY,
 * NO_CLEAR, STAMP_FIRST, FREED_FIRST, STEP=4.
 */
#ifndef SLOTS
#define SLOTS 6
#endif
#ifndef MOST
#define MOST 2
#endif
#ifndef STEP
#define STEP (SLOTS - 2 * MOST - 1)
#endif
#define BATCH 2
#define LAPS 2
#define POSITIONS (SLOTS * LAPS)

#define CPUS 2
#define FIRST 0                 /* + slot: stamp and slots of a message */
#define DATA SLOTS              /* + slot: the rest */
#define FREED (2 * SLOTS)       /* of struct fsh_smp_ring */
#define BLOCKED (2 * SLOTS + 1) /* of struct fsh_smp_ctl, the sender's */
#define WORDS (2 * SLOTS + 2)
#ifndef SB
#define SB 2
#endif
#include "tso.pml"

#define SENDER 0

/* uint32_t */
#define plus(a, b) ((a + b) % POSITIONS)
#define minus(a, b) ((a + POSITIONS - b) % POSITIONS)
#define slot(pos) ((pos) % SLOTS)

/* fsh_smp_stamp; fsh_smp_first. */
#define stamp(pos) (1 + (pos) / SLOTS)
#define first(lap, count, as_gap) (lap | count << 2 | as_gap << 5)
#define stamp_of(f) (f & 3)
#define slots_of(f) (f >> 2 & 7)
#define is_skip(f) (f >> 5)
#define GONE 128
#define INSIDE 64 /* of a message: what is in DATA, with the position */

/* ---- the sender: send.h, send.c ---- */

byte tail, freed; /* struct fsh_smp_tx; in place of `inner` a bit a slot */
byte inner;

/* fsh_smp_has_room: sets `room`. */
inline has_room(need)
{
    d_step {
        room = minus(tail, freed) + need <= SLOTS;
        if
        :: !room ->
            freed = seen_at(FREED);
            room = minus(tail, freed) + need <= SLOTS
        :: else
        fi;
        assert(minus(tail, freed) <= SLOTS)
    }
}

/* fsh_smp_mark_inside, and fsh_smp_stamp_at behind it: fsh_smp_publish. */
inline publish(count, as_gap)
{
    if
    :: inner != 0 || count > 1 ->
        d_step {
            inner = inner & ~(1 << slot(tail));
            p = 1;
            do
            :: p < count -> inner = inner | 1 << slot(tail + p); p++
            :: else -> break
            od;
            p = 0
        };
#ifndef NO_CLEAR
        if
        :: inner >> slot(tail + count) & 1 ->
            store(FIRST + slot(tail + count), 0)
        :: else
        fi
#endif
    :: else
    fi;
    store(FIRST + slot(tail), first(stamp(tail), count, as_gap));
    tail = plus(tail, count)
}

/* A slot of payload: what is worst, it looks like a message when the receiver
 * comes here next. */
inline inside(i)
{
    store(FIRST + slot(tail + i), first(stamp(plus(tail, SLOTS)), 1, 0));
    store(DATA + slot(tail + i), INSIDE + tail + i)
}

/* send_bare, send_medium, through make_room: sets `room`. fsh_smp_write_lean is
 * the same with one slot where there is no `inner`; its `plain` follows from
 * `freed`, and is less. */
inline send(size)
{
    gap = (size > SLOTS - slot(tail) -> SLOTS - slot(tail) : 0);
    has_room(gap + size + 1);
    if
    :: room ->
        if
        :: gap != 0 -> publish(gap, 1)
        :: else
        fi;
        gap = 0;
#ifdef STAMP_FIRST
        store(FIRST + slot(tail), first(stamp(tail), size, 0));
#endif
        store(DATA + slot(tail), tail); /* fill */
        if
        :: size != 1 ->
            inside(1);
#if MOST > 2
            inside(2)
#endif
        :: else
        fi;
        publish(size, 0)
    :: else -> gap = 0
    fi
}

active proctype sender()
{
    byte slots, gap, p;
    bool room, armed;

again:
    if
    :: slots = 1
    :: slots = MOST
    fi;
    /* send_slow of smp.c, from its first nap_step on. */
    do
    ::  atomic {
            send(slots);
            if
            :: room -> slots = 0; room = false; break
            :: else
            fi
        };
        if
        :: !armed -> /* fsh_smp_port_arm */
            look_at_seq();
            fetch_add(BLOCKED);
            heavy_fence();
            armed = true
#ifdef NO_RETRY
            ; futex_wait();
            fetch_sub(BLOCKED);
            armed = false
#endif
        :: armed -> /* fsh_smp_port_nap */
            futex_wait();
            fetch_sub(BLOCKED); /* fsh_smp_port_disarm */
            armed = false
        fi
    od;
    progress();
    if
    :: armed -> forget_seq(); fetch_sub(BLOCKED); armed = false
    :: else
    fi;
    goto again
}

/* ---- the receiver: ring.c ---- */

byte pos, told; /* struct fsh_smp_rx */

/* memcpy out of the ring: is it what was written there? What was read is no
 * longer looked at, but for stamps: fewer states if it is made all alike. */
inline copy(place, what)
{
    assert(seen_at(DATA + slot(place)) == what);
    memory[DATA + slot(place)] = GONE
}

/* consume, with the atomic step that it ends; fsh_smp_tell_freed,
 * fsh_smp_wake_blocked. */
inline consume(count)
{
    pos = plus(pos, count);
    tell = minus(pos, told) >= STEP;
    if
    :: tell -> told = pos; store(FREED, pos)
    :: else
    fi
}

inline tell_freed()
{
    if
    :: tell ->
        tell = false;
        if
        :: seen_at(BLOCKED) != 0 -> wake(SENDER)
        :: else
        fi
    :: else
    fi
}

/* has_slots: else damaged_ring. */
#define has_slots(f) (slots_of(f) != 0 && \
    slots_of(f) <= SLOTS - slot(pos) && \
    (slots_of(f) <= MOST || is_skip(f)))

/* take_other: a SKIP is consumed, the next look finds what comes after it. */
inline take_other()
{
#ifdef FREED_FIRST
    store(FREED, plus(pos, slots_of(f)));
#endif
    atomic {
        assert(has_slots(f));
        if
        :: !is_skip(f) ->
            copy(pos, pos);
            memory[FIRST + slot(pos)] = first(stamp(pos), 1, 0);
            if
            :: slots_of(f) != 1 ->
                copy(pos + 1, INSIDE + pos + 1);
#if MOST > 2
                copy(pos + 2, INSIDE + pos + 2)
#endif
            :: else
            fi
        :: else
        fi;
        consume(slots_of(f));
        f = 0
    }
}

#define is_single(f) (slots_of(f) == 1 && !is_skip(f))

/* take_one, take_shorts, take_batch: messages of a slot each, so many at most. */
inline take_singles(most)
{
    do
    ::  atomic {
            copy(plus(pos, n), plus(pos, n));
            memory[FIRST + slot(pos + n)] = first(stamp(plus(pos, n)), 1, 0);
            n++
        };
        atomic {
            f = (n < most -> seen_at(FIRST + slot(pos + n)) : 0);
            if
            :: stamp_of(f) == stamp(plus(pos, n)) && is_single(f)
            :: else -> break
            fi
        }
    od;
    atomic {
        consume(n);
        f = 0;
        n = 0
    }
}

active proctype receiver()
{
    byte f, n;
    bool tell;

    do
    ::  atomic { /* polls until there is something */
            stamp_of(seen_at(FIRST + slot(pos))) == stamp(pos);
            f = seen_at(FIRST + slot(pos))
        };
        if
        :: is_single(f) -> take_singles(1)
        :: is_single(f) -> take_singles(BATCH)
        :: else -> take_other()
        fi;
        tell_freed()
    od
}
