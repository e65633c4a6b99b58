/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutexes, reader-writer locks and condition variables of gasnet_tools.h:
 * pthread objects in the client's storage, whose all-zero state is also
 * pthreads' initial state (checked by a unit test). Debug libraries record the
 * owner of a mutex and the reader-writer locks held by each thread.
 */
#include <pthread.h>
#include <stdbool.h>

#include "base/fsh_spec.h"
#include "base/simulated.h"
#include "base/wait.h"
#include "gasnet_tools.h"

enum { CHECKS = FSH_CONFIG_DEBUG, MOST_HELD = 64 };

struct mutex {
    pthread_mutex_t lock;
    void *owner; /* debug; written by the thread that holds the lock */
};
_Static_assert(sizeof(struct mutex) <= sizeof(gasnett_mutex_t), "room");
_Static_assert(sizeof(pthread_rwlock_t) <= sizeof(gasnett_rwlock_t), "room");
_Static_assert(sizeof(pthread_cond_t) <= sizeof(gasnett_cond_t), "room");

/* Debug: reader-writer locks held by this thread. Beyond MOST_HELD they are not
 * tracked. */
static _Thread_local struct {
    const gasnett_rwlock_t *lock;
    bool write;
} held[MOST_HELD];

static pthread_mutex_t *mutex_of(gasnett_mutex_t *mutex)
{
    return (pthread_mutex_t *)(void *)mutex;
}

static pthread_rwlock_t *rwlock_of(gasnett_rwlock_t *lock)
{
    return (pthread_rwlock_t *)(void *)lock;
}

static pthread_cond_t *cond_of(gasnett_cond_t *cond)
{
    return (pthread_cond_t *)(void *)cond;
}

/* Checks a pthread call, which fails only if misused. */
static void must(int error, const char *call, const void *object)
{
    if (__builtin_expect(error != 0, 0))
        gasnett_fatalerror_nopos("%s(%p): %s", call, object, strerror(error));
}

/* Called while waiting for another thread: in simulated time lets that one run, for at
 * least ns. False: not in simulated time, sleep instead. */
static bool yield(struct fsh_wait *wait, const char *call, uint64_t ns)
{
    /* A thread that never calls the library may end this wait too. */
    static const struct fsh_wait_kind kind = {.by_threads = true};
    const struct fsh_simulated *simulated = fsh_simulated();
    struct fsh_waiting here;
    bool ran;

    if (simulated == NULL)
        return false;
    simulated->unblock();
    fsh_wait_enter(&here, &kind, wait, call);
    ran = simulated->yield(wait, ns);
    fsh_wait_leave(&here);
    return ran;
}

/* ---- mutexes ---- */

static __attribute__((noinline)) int lock_in_turn(pthread_mutex_t *mutex,
                                                  const char *call)
{
    struct fsh_wait wait = {0};
    int error = EBUSY;

    while (error == EBUSY) {
        error = pthread_mutex_trylock(mutex);
        if (error == EBUSY && !yield(&wait, call, 0))
            error = pthread_mutex_lock(mutex);
    }
    return error;
}

static int lock_mutex(pthread_mutex_t *mutex, const char *call)
{
    return __builtin_expect(fsh_simulated() == NULL, 1)
               ? pthread_mutex_lock(mutex)
               : lock_in_turn(mutex, call);
}

/* An address unique to the thread. */
static void *self(void)
{
    return &held;
}

static bool mine(gasnett_mutex_t *mutex)
{
    void **owner = &((struct mutex *)(void *)mutex)->owner;

    return __atomic_load_n(owner, __ATOMIC_RELAXED) == self();
}

static void set_owner(gasnett_mutex_t *mutex, void *owner)
{
    if (CHECKS)
        __atomic_store_n(&((struct mutex *)(void *)mutex)->owner, owner,
                         __ATOMIC_RELAXED);
}

static void check_mutex(bool want_mine, gasnett_mutex_t *mutex,
                        const char *call)
{
    if (CHECKS && mine(mutex) != want_mine)
        gasnett_fatalerror_nopos("%s: the mutex at %p is %s by this thread",
                                 call, (void *)mutex,
                                 want_mine ? "not locked" : "locked already");
}

void(gasnett_mutex_init)(gasnett_mutex_t *mutex)
{
    memset(mutex, 0, sizeof *mutex);
    must(pthread_mutex_init(mutex_of(mutex), NULL), "gasnett_mutex_init",
         mutex);
}

void(gasnett_mutex_destroy)(gasnett_mutex_t *mutex)
{
    must(pthread_mutex_destroy(mutex_of(mutex)), "gasnett_mutex_destroy",
         mutex);
}

int(gasnett_mutex_destroy_ignoreerr)(gasnett_mutex_t *mutex)
{
    return pthread_mutex_destroy(mutex_of(mutex));
}

void(gasnett_mutex_lock)(gasnett_mutex_t *mutex)
{
    check_mutex(false, mutex, "gasnett_mutex_lock");
    must(lock_mutex(mutex_of(mutex), "gasnett_mutex_lock"),
         "gasnett_mutex_lock", mutex);
    set_owner(mutex, self());
}

int(gasnett_mutex_trylock)(gasnett_mutex_t *mutex)
{
    int error;

    check_mutex(false, mutex, "gasnett_mutex_trylock");
    error = pthread_mutex_trylock(mutex_of(mutex));
    if (error == EBUSY)
        return EBUSY;
    must(error, "gasnett_mutex_trylock", mutex);
    set_owner(mutex, self());
    return 0;
}

void(gasnett_mutex_unlock)(gasnett_mutex_t *mutex)
{
    check_mutex(true, mutex, "gasnett_mutex_unlock");
    set_owner(mutex, NULL);
    must(pthread_mutex_unlock(mutex_of(mutex)), "gasnett_mutex_unlock", mutex);
}

void(gasnett_mutex_assertlocked)(gasnett_mutex_t *mutex)
{
    check_mutex(true, mutex, "gasnett_mutex_assertlocked");
}

void(gasnett_mutex_assertunlocked)(gasnett_mutex_t *mutex)
{
    check_mutex(false, mutex, "gasnett_mutex_assertunlocked");
}

/* ---- reader-writer locks ---- */

/* Index in `held`, or -1. NULL finds a free entry. */
static int find_held(const gasnett_rwlock_t *lock)
{
    for (int i = 0; i < MOST_HELD; i++)
        if (held[i].lock == lock)
            return i;
    return -1;
}

static void check_rwlock(bool want_mine, const gasnett_rwlock_t *lock,
                         const char *call)
{
    if (!CHECKS || (find_held(lock) >= 0) == want_mine)
        return;
    if (want_mine && find_held(NULL) < 0)
        return; /* may be one that was not tracked */
    gasnett_fatalerror_nopos("%s: the reader-writer lock at %p is %s by this "
                             "thread",
                             call, (const void *)lock,
                             want_mine ? "not locked" : "locked already");
}

static void note_rwlock(const gasnett_rwlock_t *lock, bool write)
{
    int i = CHECKS ? find_held(NULL) : -1;

    if (i >= 0) {
        held[i].lock = lock;
        held[i].write = write;
    }
}

static void forget_rwlock(const gasnett_rwlock_t *lock)
{
    int i = CHECKS ? find_held(lock) : -1;

    if (i >= 0)
        held[i].lock = NULL;
}

void(gasnett_rwlock_init)(gasnett_rwlock_t *lock)
{
    memset(lock, 0, sizeof *lock);
    must(pthread_rwlock_init(rwlock_of(lock), NULL), "gasnett_rwlock_init",
         lock);
}

void(gasnett_rwlock_destroy)(gasnett_rwlock_t *lock)
{
    check_rwlock(false, lock, "gasnett_rwlock_destroy");
    must(pthread_rwlock_destroy(rwlock_of(lock)), "gasnett_rwlock_destroy",
         lock);
}

void(gasnett_rwlock_rdlock)(gasnett_rwlock_t *lock)
{
    struct fsh_wait wait = {0};
    int error;

    check_rwlock(false, lock, "gasnett_rwlock_rdlock");
    do
        error = pthread_rwlock_tryrdlock(rwlock_of(lock));
    while (error == EBUSY && yield(&wait, "gasnett_rwlock_rdlock", 0));
    if (error == EBUSY)
        error = pthread_rwlock_rdlock(rwlock_of(lock));
    for (; error == EAGAIN; error = pthread_rwlock_rdlock(rwlock_of(lock)))
        sched_yield(); /* the maximum number of readers */
    must(error, "gasnett_rwlock_rdlock", lock);
    note_rwlock(lock, false);
}

void(gasnett_rwlock_wrlock)(gasnett_rwlock_t *lock)
{
    struct fsh_wait wait = {0};
    int error;

    check_rwlock(false, lock, "gasnett_rwlock_wrlock");
    do
        error = pthread_rwlock_trywrlock(rwlock_of(lock));
    while (error == EBUSY && yield(&wait, "gasnett_rwlock_wrlock", 0));
    if (error == EBUSY)
        error = pthread_rwlock_wrlock(rwlock_of(lock));
    must(error, "gasnett_rwlock_wrlock", lock);
    note_rwlock(lock, true);
}

static int try_result(int error, gasnett_rwlock_t *lock, bool write,
                      const char *call)
{
    if (error == EBUSY || error == EAGAIN)
        return EBUSY;
    must(error, call, lock);
    note_rwlock(lock, write);
    return 0;
}

int(gasnett_rwlock_tryrdlock)(gasnett_rwlock_t *lock)
{
    check_rwlock(false, lock, "gasnett_rwlock_tryrdlock");
    return try_result(pthread_rwlock_tryrdlock(rwlock_of(lock)), lock, false,
                      "gasnett_rwlock_tryrdlock");
}

int(gasnett_rwlock_trywrlock)(gasnett_rwlock_t *lock)
{
    check_rwlock(false, lock, "gasnett_rwlock_trywrlock");
    return try_result(pthread_rwlock_trywrlock(rwlock_of(lock)), lock, true,
                      "gasnett_rwlock_trywrlock");
}

void(gasnett_rwlock_unlock)(gasnett_rwlock_t *lock)
{
    check_rwlock(true, lock, "gasnett_rwlock_unlock");
    forget_rwlock(lock);
    must(pthread_rwlock_unlock(rwlock_of(lock)), "gasnett_rwlock_unlock", lock);
}

void(gasnett_rwlock_assertlocked)(gasnett_rwlock_t *lock)
{
    check_rwlock(true, lock, "gasnett_rwlock_assertlocked");
}

static void check_kind(const gasnett_rwlock_t *lock, bool write,
                       const char *call)
{
    int i;

    check_rwlock(true, lock, call);
    i = CHECKS ? find_held(lock) : -1;
    if (i >= 0 && held[i].write != write)
        gasnett_fatalerror_nopos("%s: this thread has the reader-writer lock "
                                 "at %p as a %s",
                                 call, (const void *)lock,
                                 write ? "reader" : "writer");
}

void(gasnett_rwlock_assertrdlocked)(gasnett_rwlock_t *lock)
{
    check_kind(lock, false, "gasnett_rwlock_assertrdlocked");
}

void(gasnett_rwlock_assertwrlocked)(gasnett_rwlock_t *lock)
{
    check_kind(lock, true, "gasnett_rwlock_assertwrlocked");
}

void(gasnett_rwlock_assertunlocked)(gasnett_rwlock_t *lock)
{
    check_rwlock(false, lock, "gasnett_rwlock_assertunlocked");
}

/* ---- condition variables ---- */

void(gasnett_cond_init)(gasnett_cond_t *cond)
{
    memset(cond, 0, sizeof *cond);
    must(pthread_cond_init(cond_of(cond), NULL), "gasnett_cond_init", cond);
}

void(gasnett_cond_destroy)(gasnett_cond_t *cond)
{
    must(pthread_cond_destroy(cond_of(cond)), "gasnett_cond_destroy", cond);
}

/* In simulated time waiting threads notice by themselves, but the rank counts as having
 * done something. */
static void note_signal(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (__builtin_expect(simulated != NULL, 0))
        simulated->look();
}

void(gasnett_cond_signal)(gasnett_cond_t *cond)
{
    note_signal();
    must(pthread_cond_signal(cond_of(cond)), "gasnett_cond_signal", cond);
}

void(gasnett_cond_broadcast)(gasnett_cond_t *cond)
{
    note_signal();
    must(pthread_cond_broadcast(cond_of(cond)), "gasnett_cond_broadcast", cond);
}

/* Spurious wake-ups are allowed: in simulated time a wait ends when others have had
 * their turns. */
static void wait_in_turn(gasnett_cond_t *cond, gasnett_mutex_t *mutex)
{
    /* One round of the client's wait, which may be for memory, and is not a new
     * wait. */
    struct fsh_wait wait = {.memory = 1, .counted = 1};

    must(pthread_mutex_unlock(mutex_of(mutex)), "gasnett_cond_wait", cond);
    if (!yield(&wait, "gasnett_cond_wait", FSH_COST_YIELD * FSH_NS_PER_CYCLE))
        sched_yield();
    must(lock_mutex(mutex_of(mutex), "gasnett_cond_wait"), "gasnett_cond_wait",
         cond);
}

void(gasnett_cond_wait)(gasnett_cond_t *cond, gasnett_mutex_t *mutex)
{
    check_mutex(true, mutex, "gasnett_cond_wait");
    set_owner(mutex, NULL);
    if (__builtin_expect(fsh_simulated() == NULL, 1))
        must(pthread_cond_wait(cond_of(cond), mutex_of(mutex)),
             "gasnett_cond_wait", cond);
    else
        wait_in_turn(cond, mutex);
    set_owner(mutex, self());
}

void fsh_gasnett_cond_wait_alone(gasnett_cond_t *cond, gasnett_mutex_t *mutex)
{
    (void)mutex;
    gasnett_fatalerror_nopos("gasnett_cond_wait(%p): the program has one "
                             "thread (GASNETT_THREAD_SINGLE), so nobody can "
                             "signal it",
                             (void *)cond);
}
