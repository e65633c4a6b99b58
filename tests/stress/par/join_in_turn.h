/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put before programs of tests/conform with threads, which block in pthread_join: with
 * simulated time they have to say so.
 */
#ifndef JOIN_IN_TURN_H
#define JOIN_IN_TURN_H

#include <fshmem.h>
#include <pthread.h>

static inline int join_in_turn(pthread_t thread, void **result)
{
    int rc;

    fshmem_blocking_begin();
    rc = pthread_join(thread, result);
    fshmem_blocking_end();
    return rc;
}
#define pthread_join join_in_turn

#endif
