/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread that serves other ranks while this one computes
 * (FSHMEM_PROGRESS_THREAD): it polls, and sleeps in the conduit when it finds
 * nothing. Handlers run on it, the client's too, as GASNet allows in any mode;
 * so with it locks are real and the conduit is told of threads.
 */
#include <pthread.h>
#include <signal.h>

#include "base/log.h"
#include "base/option.h"
#include "gasnet/internal.h"

#define SLEEP_NS UINT64_C(1000000)

bool fsh_progress_wanted(void)
{
    static int wanted = -1; /* settled by gasnet_init, on one thread */

    if (wanted < 0)
        wanted = fsh_option_bool("FSHMEM_PROGRESS_THREAD");
    return wanted != 0;
}

static void *serve(void *arg)
{
    fsh_thread_make();
    for (;;)
        if (!fsh_gasnet_poll())
            fsh_gasnet.ops->wait(SLEEP_NS, false);
    return arg;
}

/* No signal of the client's runs on it, and nobody waits for its end: the
 * process takes it along. */
void fsh_progress_start(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all, old;
    int rc;

    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&thread, &attr, serve, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (rc != 0)
        fsh_fatal("gasnet_attach: cannot start the thread that "
                  "FSHMEM_PROGRESS_THREAD=1 asks for: %s",
                  strerror(rc));
}
