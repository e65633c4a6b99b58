/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutexes, condition variables, reader-writer locks and thread-specific
 * pointers. With GASNETT_THREAD_SINGLE in an optimised prefix the locks are
 * no-ops (unless GASNETT_USE_TRUE_MUTEXES is 1), and the pointers are ordinary
 * variables. A debug prefix checks every use in every mode and ends the program
 * with a diagnostic. Included by gasnet_tools.h. Locks are process-private.
 */
#ifndef GASNET_TOOLS_THREADS_H
#define GASNET_TOOLS_THREADS_H

#ifndef GASNET_TOOLS_H
#error Include gasnet_tools.h
#endif

#ifdef GASNETT_THREAD_SAFE
#include <pthread.h>
#endif
#include <sched.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opaque storage for the library; all zero is unlocked. */
typedef struct {
    uint64_t fsh_word[8];
} gasnett_mutex_t;
typedef struct {
    uint64_t fsh_word[8];
} gasnett_rwlock_t;
typedef struct {
    uint64_t fsh_word[8];
} gasnett_cond_t;
/* clang-format off */
#define FSH_GASNETT_ZERO { { 0, 0, 0, 0, 0, 0, 0, 0 } }
/* clang-format on */
#define GASNETT_MUTEX_INITIALIZER FSH_GASNETT_ZERO
#define GASNETT_RWLOCK_INITIALIZER FSH_GASNETT_ZERO
#define GASNETT_COND_INITIALIZER FSH_GASNETT_ZERO

/* ---- mutexes -------------------------------------------------------------- */

/* Not recursive; only the locking thread may unlock. The program owns the
 * memory. lock blocks without polling. Misuse is undefined, but fatal with a
 * debug prefix.
 * [R-TOOL-10, R-TOOL-14] */
void gasnett_mutex_init(gasnett_mutex_t *mutex);
void gasnett_mutex_destroy(gasnett_mutex_t *mutex);
/* Unchecked; returns 0 or an errno (EBUSY if locked). */
int gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t *mutex);
void gasnett_mutex_lock(gasnett_mutex_t *mutex);
/* Returns 0, or EBUSY at once if another thread holds it. */
int gasnett_mutex_trylock(gasnett_mutex_t *mutex);
void gasnett_mutex_unlock(gasnett_mutex_t *mutex);
/* Debug only: this thread holds it, or does not. */
void gasnett_mutex_assertlocked(gasnett_mutex_t *mutex);
void gasnett_mutex_assertunlocked(gasnett_mutex_t *mutex);

/* ---- reader-writer locks -------------------------------------------------- */

/* Any number of readers, or one writer; otherwise as mutexes.
 * [R-TOOL-11, R-TOOL-14] */
void gasnett_rwlock_init(gasnett_rwlock_t *lock);
void gasnett_rwlock_destroy(gasnett_rwlock_t *lock);
void gasnett_rwlock_rdlock(gasnett_rwlock_t *lock);
void gasnett_rwlock_wrlock(gasnett_rwlock_t *lock);
/* Return 0, or EBUSY at once. */
int gasnett_rwlock_tryrdlock(gasnett_rwlock_t *lock);
int gasnett_rwlock_trywrlock(gasnett_rwlock_t *lock);
/* For readers and writers. */
void gasnett_rwlock_unlock(gasnett_rwlock_t *lock);
/* Debug only: this thread holds it (as reader, as writer), or does not. */
void gasnett_rwlock_assertlocked(gasnett_rwlock_t *lock);
void gasnett_rwlock_assertrdlocked(gasnett_rwlock_t *lock);
void gasnett_rwlock_assertwrlocked(gasnett_rwlock_t *lock);
void gasnett_rwlock_assertunlocked(gasnett_rwlock_t *lock);

/* ---- condition variables --------------------------------------------------- */

/* Signal with the mutex held. A wait blocks without polling and may wake up
 * spuriously. In a single-threaded program a wait is fatal.
 * [R-TOOL-12, R-TOOL-10] */
void gasnett_cond_init(gasnett_cond_t *cond);
void gasnett_cond_destroy(gasnett_cond_t *cond);
void gasnett_cond_signal(gasnett_cond_t *cond);
void gasnett_cond_broadcast(gasnett_cond_t *cond);
void gasnett_cond_wait(gasnett_cond_t *cond, gasnett_mutex_t *mutex);

/* The wait of a single-threaded program: fatal, as nobody could signal. */
void fsh_gasnett_cond_wait_alone(gasnett_cond_t *cond, gasnett_mutex_t *mutex);

#ifndef GASNETT_USE_TRUE_MUTEXES
#ifdef GASNETT_THREAD_SAFE
#define GASNETT_USE_TRUE_MUTEXES 1
#else
#define GASNETT_USE_TRUE_MUTEXES 0
#endif
#endif
#if !GASNETT_USE_TRUE_MUTEXES
#define gasnett_cond_wait(cond, mutex) fsh_gasnett_cond_wait_alone(cond, mutex)
#if !FSH_CONFIG_DEBUG
#define gasnett_mutex_init(mutex) ((void)(mutex))
#define gasnett_mutex_destroy(mutex) ((void)(mutex))
#define gasnett_mutex_destroy_ignoreerr(mutex) ((void)(mutex), 0)
#define gasnett_mutex_lock(mutex) ((void)(mutex))
#define gasnett_mutex_trylock(mutex) ((void)(mutex), 0)
#define gasnett_mutex_unlock(mutex) ((void)(mutex))
#define gasnett_rwlock_init(lock) ((void)(lock))
#define gasnett_rwlock_destroy(lock) ((void)(lock))
#define gasnett_rwlock_rdlock(lock) ((void)(lock))
#define gasnett_rwlock_wrlock(lock) ((void)(lock))
#define gasnett_rwlock_tryrdlock(lock) ((void)(lock), 0)
#define gasnett_rwlock_trywrlock(lock) ((void)(lock), 0)
#define gasnett_rwlock_unlock(lock) ((void)(lock))
#define gasnett_cond_init(cond) ((void)(cond))
#define gasnett_cond_destroy(cond) ((void)(cond))
#define gasnett_cond_signal(cond) ((void)(cond))
#define gasnett_cond_broadcast(cond) ((void)(cond))
#endif
#endif
#if !FSH_CONFIG_DEBUG
#define gasnett_mutex_assertlocked(mutex) ((void)(mutex))
#define gasnett_mutex_assertunlocked(mutex) ((void)(mutex))
#define gasnett_rwlock_assertlocked(lock) ((void)(lock))
#define gasnett_rwlock_assertrdlocked(lock) ((void)(lock))
#define gasnett_rwlock_assertwrlocked(lock) ((void)(lock))
#define gasnett_rwlock_assertunlocked(lock) ((void)(lock))
#endif

/* ---- thread-specific pointers --------------------------------------------- */

#ifdef GASNETT_THREAD_SINGLE
#define FSH_GASNETT_THREAD
#else
#define FSH_GASNETT_THREAD __thread
#endif
/* GASNETT_THREADKEY_DEFINE(key); once at file scope, GASNETT_THREADKEY_DECLARE(key); in
 * headers. Every thread has its own void *, initially NULL; the program owns what it
 * points to. init is never needed, and the _noinit forms are the same.
 * [R-TOOL-13] */
#define GASNETT_THREADKEY_DECLARE(key) \
    extern FSH_GASNETT_THREAD void *fsh_gasnett_key_##key
#define GASNETT_THREADKEY_DEFINE(key)                      \
    extern FSH_GASNETT_THREAD void *fsh_gasnett_key_##key; \
    FSH_GASNETT_THREAD void *fsh_gasnett_key_##key = 0
#define gasnett_threadkey_get(key) (fsh_gasnett_key_##key)
#define gasnett_threadkey_set(key, value) \
    ((void)(fsh_gasnett_key_##key = (value)))
#define gasnett_threadkey_init(key) ((void)0)
#define gasnett_threadkey_get_noinit(key) (fsh_gasnett_key_##key)
#define gasnett_threadkey_set_noinit(key, value) \
    ((void)(fsh_gasnett_key_##key = (value)))

#ifdef __cplusplus
}
#endif

#endif
