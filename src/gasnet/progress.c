/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress thread (FSHMEM_PROGRESS_THREAD), which serves other ranks while
 * this one computes: it polls, and sleeps in the conduit when it finds nothing.
 * It runs handlers, including the client's, which GASNet allows in any mode; so
 * with it locks are real and the conduit is told that there are threads.
 */
#include <sched.h>

#include "base/daemon.h"
#include "base/log.h"
#include "base/option.h"
#include "base/simulated.h"
#include "gasnet/internal.h"

#define SLEEP_NS UINT64_C(1000000)

bool fsh_progress_wanted(void)
{
    static int wanted = -1; /* determined by gasnet_init, on one thread */

    if (wanted < 0)
        wanted = fsh_option_bool("FSHMEM_PROGRESS_THREAD");
    return wanted != 0;
}

static void *serve(void *arg)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    fsh_thread_make();
    if (simulated != NULL)
        simulated->daemon();
    for (;;)
        if (!fsh_gasnet_poll())
            fsh_gasnet.ops->wait(SLEEP_NS, false);
    return arg;
}

void fsh_progress_start(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();
    int rc = fsh_daemon_start(serve, NULL, 0);

    if (rc != 0)
        fsh_fatal("gasnet_attach: cannot start the thread that "
                  "FSHMEM_PROGRESS_THREAD=1 asks for: %s",
                  strerror(rc));
    /* In simulated time, make it the second thread in every run. */
    while (simulated != NULL && simulated->threads() < 2)
        sched_yield();
}
