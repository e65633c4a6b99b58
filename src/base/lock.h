/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's internal locks between threads of a rank, with a lock order: a thread
 * may wait for a lock only if every lock it holds has a lower rank. Debug libraries
 * check this and name both locks; elsewhere a lock is a plain mutex. A trylock never
 * waits and is exempt. Client locks (HSLs) have no rank. The ring and pool locks of
 * conduit smp are not mutexes, but are checked too.
 */
#ifndef FSH_LOCK_H
#define FSH_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "base/assertion.h"
#include "base/simulated.h"

/* The global lock order, from locks held across much other work down to those held for
 * a few instructions. */
enum fsh_lock_rank {
    FSH_LOCK_BRIDGE = 1, /* transfers over the bridge; the holder polls */
    FSH_LOCK_IMAGES,     /* images at a team's barrier; the holder may poll */
    FSH_LOCK_TEAMS,
    FSH_LOCK_COMMANDS, /* commands to compute cores; the holder sends */
    FSH_LOCK_CARD,     /* collectives on the card; the holder sends */
    FSH_LOCK_CORE,     /* a compute core in software; the holder computes */
    FSH_LOCK_SMP_LATE,
    FSH_LOCK_SMP_RECEIVE,
    FSH_LOCK_SMP_SEND,
    FSH_LOCK_SMP_POOL,
    FSH_LOCK_FPGA_RING,
    FSH_LOCK_FPGA_PEER,
    FSH_LOCK_FPGA_DEVICE,
    FSH_LOCK_COLL, /* no sends while holding this or any lower entry */
    FSH_LOCK_ANSWERS,
    FSH_LOCK_LONGS, /* Longs of more than a message (long_later.c) */
    FSH_LOCK_THREADS,
    FSH_LOCK_HANDLES,
    FSH_LOCK_BRIDGE_PUTS,    /* the library's transfers over the bridge */
    FSH_LOCK_BRIDGE_NETWORK, /* connections of the bridge; the holder waits */
    FSH_LOCK_WATCH,
    FSH_LOCK_WAITING /* taken by any wait to publish what it waits for */
};

struct fsh_lock {
    pthread_mutex_t mutex;
    const char *name; /* for diagnostics */
    enum fsh_lock_rank rank;
};
#define FSH_LOCK_INIT(name, rank)             \
    {                                         \
        PTHREAD_MUTEX_INITIALIZER, name, rank \
    }

/* Debug: call before waiting for a lock. Fatal, naming both locks, if this thread holds
 * one of the same or a higher rank. */
void fsh_lock_order(const char *name, enum fsh_lock_rank rank);
/* Debug: records that this thread has acquired the lock, with or without
 * waiting. */
void fsh_lock_note(const void *lock, const char *name, enum fsh_lock_rank rank);
/* Debug: call before unlocking. Fatal if this thread does not hold the lock. */
void fsh_lock_forget(const void *lock, const char *name);
/* Debug: this thread will not return to the code that holds its locks (a signal
 * handler that leaves the job). They stay locked and are no longer checked.
 * Async-signal-safe. */
void fsh_lock_abandon(void);
/* Debug: whether this thread holds the lock. */
bool fsh_lock_is_mine(const void *lock);

/* Locks in simulated time: gives up this thread's turn while it waits, since the holder
 * may be waiting for its own. */
void fsh_lock_in_turn(struct fsh_lock *lock);

/* Locks; blocks while another thread holds it. */
static inline void fsh_lock_take(struct fsh_lock *l)
{
    if (FSH_BASE_DEBUG)
        fsh_lock_order(l->name, l->rank);
    if (__builtin_expect(fsh_simulated() != NULL, 0))
        fsh_lock_in_turn(l);
    else
        pthread_mutex_lock(&l->mutex);
    if (FSH_BASE_DEBUG)
        fsh_lock_note(l, l->name, l->rank);
}

/* Locks if no thread holds it; returns whether it did. */
static inline bool fsh_lock_try(struct fsh_lock *l)
{
    if (pthread_mutex_trylock(&l->mutex) != 0)
        return false;
    if (FSH_BASE_DEBUG)
        fsh_lock_note(l, l->name, l->rank);
    return true;
}

/* Unlocks; any order is allowed. */
static inline void fsh_lock_give(struct fsh_lock *l)
{
    if (FSH_BASE_DEBUG)
        fsh_lock_forget(l, l->name);
    pthread_mutex_unlock(&l->mutex);
}

#endif
