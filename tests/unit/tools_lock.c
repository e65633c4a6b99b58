/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The locks of the tools as a debug library has them (this program is built with
 * its own copy): misuse ends the process with a line that names the call, and
 * correct use does not. Also: pthreads' initial states are all zero, which the
 * initialisers of the header rely on.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gasnet_tools.h"
#include "check.h"

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

static const struct {
    void (*run)(void);
    const char *says; /* NULL: nothing is wrong */
} cases[] = {
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

/* Run a case in a process of its own; text gets what it prints. */
static int run(void (*fn)(void), char *text, size_t size)
{
    int pipes[2], status = 0;
    size_t used = 0;
    ssize_t n;
    pid_t child;

    CHECK(pipe(pipes) == 0);
    child = fork();
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        alarm(20); /* a lock that is not checked may hang */
        fn();
        _exit(0);
    }
    close(pipes[1]);
    while ((n = read(pipes[0], text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = '\0';
    close(pipes[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

int main(void)
{
    const pthread_mutex_t zero_mutex = PTHREAD_MUTEX_INITIALIZER;
    const pthread_rwlock_t zero_rwlock = PTHREAD_RWLOCK_INITIALIZER;
    const pthread_cond_t zero_cond = PTHREAD_COND_INITIALIZER;
    char text[2048];

    CHECK(memcmp(&zero_mutex, &mutex, sizeof zero_mutex) == 0);
    CHECK(memcmp(&zero_rwlock, &rwlock, sizeof zero_rwlock) == 0);
    CHECK(memcmp(&zero_cond, &cond, sizeof zero_cond) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = run(cases[i].run, text, sizeof text);

        if (cases[i].says == NULL)
            CHECK(status == 0, "case %zu: %#x %s", i, (unsigned)status, text);
        else
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
                      strstr(text, cases[i].says),
                  "case %zu: %#x %s", i, (unsigned)status, text);
    }
    return 0;
}
