/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of the library; see daemon.h.
 */
#include "base/daemon.h"

#include <pthread.h>
#include <signal.h>

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
    return rc;
}
