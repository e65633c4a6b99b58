/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The locks of the tools in a debug library (this program is built with its own
 * copy): misuse ends the process with a line that names the call, and correct use
 * does not. Also: pthreads' initial states are all zero, which the header's
 * initialisers rely on.
 */
#include <pthread.h>
#include <string.h>

#include "gasnet_tools.h"
#include "child.h"

static gasnett_mutex_t mutex = GASNETT_MUTEX_INITIALIZER;
static gasnett_rwlock_t rwlock = GASNETT_RWLOCK_INITIALIZER;
static gasnett_cond_t cond = GASNETT_COND_INITIALIZER;

static void lock_twice(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_lock(&mutex);
}
static void try_own(void)
{
    gasnett_mutex_lock(&mutex);
    (void)gasnett_mutex_trylock(&mutex);
}
static void unlock_free(void)
{
    gasnett_mutex_unlock(&mutex);
}
static void *take(void *arg)
{
    gasnett_mutex_lock(&mutex);
    return arg;
}
static void unlock_others(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, take, NULL);
    pthread_join(thread, NULL);
    gasnett_mutex_unlock(&mutex);
}
static void wait_unlocked(void)
{
    gasnett_cond_wait(&cond, &mutex);
}
static void assert_locked(void)
{
    gasnett_mutex_assertlocked(&mutex);
}
static void assert_unlocked(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_assertunlocked(&mutex);
}
static void read_twice(void)
{
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_rdlock(&rwlock);
}
static void write_after_read(void)
{
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_wrlock(&rwlock);
}
static void release_free(void)
{
    gasnett_rwlock_unlock(&rwlock);
}
static void assert_writer(void)
{
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_assertwrlocked(&rwlock);
}
static void assert_reader(void)
{
    gasnett_rwlock_wrlock(&rwlock);
    gasnett_rwlock_assertrdlocked(&rwlock);
}
static void destroy_held(void)
{
    gasnett_rwlock_wrlock(&rwlock);
    gasnett_rwlock_destroy(&rwlock);
}

static void correct(void)
{
    gasnett_mutex_lock(&mutex);
    gasnett_mutex_assertlocked(&mutex);
    gasnett_mutex_unlock(&mutex);
    gasnett_mutex_assertunlocked(&mutex);
    CHECK(gasnett_mutex_trylock(&mutex) == 0);
    gasnett_mutex_unlock(&mutex);
    gasnett_rwlock_rdlock(&rwlock);
    gasnett_rwlock_assertlocked(&rwlock);
    gasnett_rwlock_assertrdlocked(&rwlock);
    gasnett_rwlock_unlock(&rwlock);
    gasnett_rwlock_assertunlocked(&rwlock);
    CHECK(gasnett_rwlock_trywrlock(&rwlock) == 0);
    gasnett_rwlock_assertwrlocked(&rwlock);
    gasnett_rwlock_unlock(&rwlock);
}

static const struct child_case cases[] = {
    {correct, NULL},
    {lock_twice, "gasnett_mutex_lock: "},
    {try_own, "gasnett_mutex_trylock: "},
    {unlock_free, "gasnett_mutex_unlock: "},
    {unlock_others, "gasnett_mutex_unlock: "},
    {wait_unlocked, "gasnett_cond_wait: "},
    {assert_locked, "gasnett_mutex_assertlocked: "},
    {assert_unlocked, "gasnett_mutex_assertunlocked: "},
    {read_twice, "gasnett_rwlock_rdlock: "},
    {write_after_read, "gasnett_rwlock_wrlock: "},
    {release_free, "gasnett_rwlock_unlock: "},
    {assert_writer, "gasnett_rwlock_assertwrlocked: "},
    {assert_reader, "gasnett_rwlock_assertrdlocked: "},
    {destroy_held, "gasnett_rwlock_destroy: "},
};

int main(void)
{
    const pthread_mutex_t zero_mutex = PTHREAD_MUTEX_INITIALIZER;
    const pthread_rwlock_t zero_rwlock = PTHREAD_RWLOCK_INITIALIZER;
    const pthread_cond_t zero_cond = PTHREAD_COND_INITIALIZER;

    CHECK(memcmp(&zero_mutex, &mutex, sizeof zero_mutex) == 0);
    CHECK(memcmp(&zero_rwlock, &rwlock, sizeof zero_rwlock) == 0);
    CHECK(memcmp(&zero_cond, &cond, sizeof zero_cond) == 0);
    child_check(cases, sizeof cases / sizeof *cases);
    return 0;
}
