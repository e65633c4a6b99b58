/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks in simulated time and, in debug libraries, the list of locks that each thread
 * holds (lock.h), which is thread-local and needs no lock.
 */
#include "base/lock.h"

#include <stddef.h>

#include "base/log.h"
#include "base/wait.h"

enum { MOST = 16 };

void fsh_lock_in_turn(struct fsh_lock *lock)
{
    static const struct fsh_wait_kind kind = {.who = "a lock of the library"};
    const struct fsh_simulated *simulated = fsh_simulated();
    struct fsh_wait wait = {0};
    struct fsh_waiting here;

    if (pthread_mutex_trylock(&lock->mutex) == 0)
        return;
    fsh_wait_enter(&here, &kind, &wait, lock->name);
    do
        if (!simulated->yield(&wait, 0)) {
            pthread_mutex_lock(&lock->mutex);
            break;
        }
    while (pthread_mutex_trylock(&lock->mutex) != 0);
    fsh_wait_leave(&here);
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
            fsh_fatal("lock \"%s\" (rank %u) is requested by a thread that "
                      "holds \"%s\" (rank %u): locks are taken in the order "
                      "of their ranks (base/lock.h)",
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
        fsh_fatal("lock \"%s\" is released by a thread that does not hold it",
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
