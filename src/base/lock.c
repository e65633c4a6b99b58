/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks in simulated time; and in debug libraries the locks that each thread holds
 * (lock.h), thread-local, so without locks.
 */
#include "base/lock.h"

#include <stddef.h>

#include "base/log.h"

enum { MOST = 16 };

void fsh_lock_in_turn(pthread_mutex_t *mutex)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    while (pthread_mutex_trylock(mutex) != 0)
        if (!simulated->yield()) {
            pthread_mutex_lock(mutex);
            return;
        }
}

struct held {
    const void *lock;
    const char *name;
    enum fsh_lock_rank rank;
};

static _Thread_local struct held held[MOST];
static _Thread_local size_t count;

void fsh_lock_order(const char *name, enum fsh_lock_rank rank)
{
    for (size_t i = 0; i < count; i++)
        if (held[i].rank >= rank)
            fsh_fatal("lock \"%s\" (rank %u) is wanted by a thread that holds "
                      "\"%s\" (rank %u): locks are taken in the order of their "
                      "ranks (base/lock.h)",
                      name, (unsigned)rank, held[i].name,
                      (unsigned)held[i].rank);
}

void fsh_lock_note(const void *lock, const char *name, enum fsh_lock_rank rank)
{
    if (count == MOST)
        fsh_fatal("lock \"%s\": a thread holds %d locks already", name, MOST);
    held[count++] = (struct held){lock, name, rank};
}

void fsh_lock_forget(const void *lock, const char *name)
{
    size_t i = count;

    while (i > 0 && held[i - 1].lock != lock)
        i--;
    if (i == 0)
        fsh_fatal("lock \"%s\" is let go by a thread that does not hold it",
                  name);
    held[i - 1] = held[--count];
}

void fsh_lock_abandon(void)
{
    count = 0;
}

bool fsh_lock_is_mine(const void *lock)
{
    for (size_t i = 0; i < count; i++)
        if (held[i].lock == lock)
            return true;
    return false;
}
