/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the library; see daemon.h.
 */
#include "base/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_uint started;

int fsh_daemon_start(void *(*body)(void *), void *arg, size_t stack)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    int rc;

    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    if (stack != 0)
        pthread_attr_setstacksize(&attr, stack);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&thread, &attr, body, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (rc == 0)
        atomic_fetch_add(&started, 1);
    return rc;
}

/* Threads of this process as counted by the kernel, or 0 if unknown. */
static unsigned long count_threads(void)
{
    static const char key[] = "\nThreads:";
    char text[4096];
    ssize_t n = 0;
    const char *at;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        n = read(fd, text, sizeof text - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    at = strstr(text, key);
    return at != NULL ? strtoul(at + sizeof key - 1, NULL, 10) : 0;
}

bool fsh_daemon_strangers(unsigned clients)
{
    int kept = errno;
    bool others =
        count_threads() != (unsigned long)clients + atomic_load(&started);

    errno = kept;
    return others;
}
