/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads for the programs of mode PAR and PARSYNC: start several on
 * one function, join all. Plain pthreads, as a client would use. */
#ifndef CONFORM_THREADS_H
#define CONFORM_THREADS_H

#include <pthread.h>

#include "conform.h"

enum { CONF_MAX_THREADS = 64 };

struct conf_crew {
    pthread_t thread[CONF_MAX_THREADS];
    int n;
};

static inline void conf_crew_start(struct conf_crew *crew, int n,
                                   void *(*run)(void *))
{
    CHECK(n <= CONF_MAX_THREADS, "%d threads", n);
    crew->n = n;
    for (int i = 0; i < n; i++) {
        CHECK_EQ(
            pthread_create(&crew->thread[i], NULL, run, (void *)(intptr_t)i),
            0);
    }
}

static inline void conf_crew_join(struct conf_crew *crew)
{
    for (int i = 0; i < crew->n; i++) {
        CHECK_EQ(pthread_join(crew->thread[i], NULL), 0);
    }
}

#endif
