/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own locks between threads of a rank, and the order in which they may
 * nest: a thread may wait for a lock only while all locks that it holds have a lower
 * rank. Debug libraries check this and name both locks; in other libraries a lock is a
 * mutex and nothing more. A trylock does not wait, so it is exempt. Clients' locks
 * (HSLs) have no rank. The ring and pool locks of conduit smp are no mutexes, but are
 * checked too.
 */
#ifndef FSH_LOCK_H
#define FSH_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "base/assertion.h"
#include "base/simulated.h"

/* One list, since the order is one: from what is held while much else is done to
 * what is held for a few instructions. */
enum fsh_lock_rank {
    FSH_LOCK_IMAGES = 1, /* images at a team's barrier; its holder may poll */
    FSH_LOCK_TEAMS,
    FSH_LOCK_COMMANDS, /* commands to compute cores; its holder sends */
    FSH_LOCK_CARD,     /* collectives on the card; the same */
    FSH_LOCK_SMP_LATE,
    FSH_LOCK_SMP_RECEIVE,
    FSH_LOCK_SMP_SEND,
    FSH_LOCK_SMP_POOL,
    FSH_LOCK_FPGA_RING,
    FSH_LOCK_FPGA_PEER,
    FSH_LOCK_FPGA_DEVICE,
    FSH_LOCK_COLL, /* nothing is sent under this one, or under those below */
    FSH_LOCK_ANSWERS,
    FSH_LOCK_THREADS,
    FSH_LOCK_HANDLES,
    FSH_LOCK_WATCH,
    FSH_LOCK_WAITING /* any wait may take it, to say what it waits for */
};

struct fsh_lock {
    pthread_mutex_t mutex;
    const char *name; /* for reports */
    enum fsh_lock_rank rank;
};
#define FSH_LOCK_INIT(name, rank)             \
    {                                         \
        PTHREAD_MUTEX_INITIALIZER, name, rank \
    }

/* Debug: before this thread waits for a lock. Fatal, naming both locks, if it holds
 * one of the same rank or a higher. */
void fsh_lock_order(const char *name, enum fsh_lock_rank rank);
/* Debug: this thread has locked it, having waited or not. */
void fsh_lock_note(const void *lock, const char *name, enum fsh_lock_rank rank);
/* Debug: before this thread unlocks it. Fatal if it does not hold it. */
void fsh_lock_forget(const void *lock, const char *name);
/* Debug: this thread will not return to the code that holds its locks (a signal
 * handler that leaves the job): they are checked no more, and stay locked.
 * Async-signal-safe. */
void fsh_lock_abandon(void);
/* Debug: does this thread hold it? */
bool fsh_lock_is_mine(const void *lock);

/* Lock in simulated time: the holder may be waiting for its turn, which this thread
 * gives up meanwhile. */
void fsh_lock_in_turn(struct fsh_lock *lock);

/* Lock, waiting for other threads. */
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

/* Lock if no thread has it. */
static inline bool fsh_lock_try(struct fsh_lock *l)
{
    if (pthread_mutex_trylock(&l->mutex) != 0)
        return false;
    if (FSH_BASE_DEBUG)
        fsh_lock_note(l, l->name, l->rank);
    return true;
}

/* Unlock, in any order. */
static inline void fsh_lock_give(struct fsh_lock *l)
{
    if (FSH_BASE_DEBUG)
        fsh_lock_forget(l, l->name);
    pthread_mutex_unlock(&l->mutex);
}

#endif
