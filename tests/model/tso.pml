/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the models run on: processors of x86 (TSO; Owens, Sarkar, Sewell 2009),
 * memory barriers of the kernel, futexes. Include after
 *   #define CPUS   processes that store, up to 4: the first `active` ones after
 *                  the include
 *   #define WORDS  words of shared memory
 *   #define SB     stores that a processor's buffer holds, 1 to 3
 * A word holds a byte. `me` is the number of a process among them.
 *
 * Each processor has a buffer of stores: first in, first out, emptied by
 * itself at any moment. A load sees the last store in the own buffer to that
 * word, or memory. A fence, and an exchange before it acts, wait until the own
 * buffer is empty. Loads are not delayed: TSO has nothing that shows it but
 * stores that are. Acquire and release cost nothing and mean nothing here, nor
 * does a light fence: the compiler keeps that order, and so does a model.
 */
#define me (_pid - CPUS)

typedef store_buffer {
    byte n;
    byte at[SB];
    byte value[SB]
};

byte memory[WORDS];
store_buffer sb[CPUS];

/* atomic_store, relaxed or release. */
inline store(a, v)
{
    d_step {
        sb[me].n < SB;
        sb[me].at[sb[me].n] = a;
        sb[me].value[sb[me].n] = v;
        sb[me].n++
    }
}

#define in_buffer(i, a) (sb[me].n > i && sb[me].at[i] == (a))
#if SB == 1
#define seen_at(a) (in_buffer(0, a) -> sb[me].value[0] : memory[a])
#elif SB == 2
#define seen_at(a) (in_buffer(1, a) -> sb[me].value[1] : \
                   (in_buffer(0, a) -> sb[me].value[0] : memory[a]))
#else
#define seen_at(a) (in_buffer(2, a) -> sb[me].value[2] : \
                   (in_buffer(1, a) -> sb[me].value[1] : \
                   (in_buffer(0, a) -> sb[me].value[0] : memory[a])))
#endif

/* atomic_load, of any order: x = seen_at(a). */

/* atomic_thread_fence(memory_order_seq_cst), and the first half of every
 * exchange. */
#define drained(p) (sb[p].n == 0)
#define full_fence() drained(me)

/* Read-modify-writes: atomic_exchange, fetch_add, fetch_or. */
#define exchange(a, v, old) \
    d_step { full_fence(); old = memory[a]; memory[a] = v }
#define fetch_or(a, bits) \
    d_step { full_fence(); memory[a] = memory[a] | (bits) }
#define fetch_add(a) d_step { full_fence(); memory[a]++ }
#define fetch_sub(a) d_step { full_fence(); memory[a]-- }

/* fsh_heavy_fence (src/base/membarrier.c): every processor that runs this job
 * passes a full fence between call and return, one after the other, the caller
 * too. With MISS any of the others may be passed over: the hole that
 * membarrier.h describes, larger than it is. With NO_HEAVY it is the caller's
 * own fence alone. */
inline pass(p)
{
    if
    :: drained(p)
#ifdef MISS
    :: p != me
#endif
    fi
}

inline heavy_fence()
{
    full_fence();
#ifndef NO_HEAVY
#if CPUS == 2
    pass(1 - me)
#else
    if /* in which order? */
    :: pass(0); pass(1); pass(2); pass(CPUS - 1)
    :: pass(CPUS - 1); pass(2); pass(1); pass(0)
    fi
#endif
#endif
}

/* A futex that one process sleeps on and others bump (wake_seq of struct
 * fsh_smp_ctl). All that counts of its number is whether it has changed since
 * the sleeper has looked at it: `bumped`.
 *
 * Without TIMED sleeps have no end of their own: one that is not ended is a
 * deadlock, which Spin reports as an invalid end state. With it, time passes for
 * all sleepers when nothing else can happen, so later than all stores have left
 * their processors; and a second time in vain, without `progress` in between,
 * is a fault. */
bool looks[CPUS]; /* between its look and its sleep */
bool bumped[CPUS];
bool asleep[CPUS];
byte in_vain;
#define progress() in_vain = 0

/* seen = atomic_load(wake_seq) */
#define look_at_seq() looks[me] = true

/* No sleep follows this look, or it is over. */
inline forget_seq()
{
    d_step { looks[me] = false; bumped[me] = false }
}

/* fsh_futex_wait(wake_seq, seen): the kernel compares and goes to sleep in one
 * step. */
inline futex_wait()
{
    d_step {
        full_fence();
        asleep[me] = !bumped[me]
    };
    if
    :: !asleep[me]
#ifdef TIMED
    :: timeout ->
        d_step {
            asleep[0] = false;
            asleep[1] = false;
            asleep[CPUS - 2] = false;
            asleep[CPUS - 1] = false;
            in_vain++
        };
        assert(in_vain < 2)
#endif
    fi;
    forget_seq()
}

/* fsh_smp_wake: atomic_fetch_add(wake_seq), fsh_futex_wake. */
inline wake(who)
{
    d_step { full_fence(); bumped[who] = looks[who] };
    asleep[who] = false
}

/* A store leaves its processor. */
active [CPUS] proctype leave()
{
end:
    do
    :: d_step {
        sb[_pid].n > 0;
        memory[sb[_pid].at[0]] = sb[_pid].value[0];
        sb[_pid].n--;
#if SB > 1
        sb[_pid].at[0] = sb[_pid].at[1];
        sb[_pid].value[0] = sb[_pid].value[1];
#endif
#if SB > 2
        sb[_pid].at[1] = sb[_pid].at[2];
        sb[_pid].value[1] = sb[_pid].value[2];
#endif
        sb[_pid].at[SB - 1] = 0;
        sb[_pid].value[SB - 1] = 0
       }
    od
}
