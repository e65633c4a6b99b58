/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of locks in a debug library: waiting for a lock out of order ends the job
 * with the names of both. Trylocks, releases in any order and locks held by other
 * threads do not count. Elsewhere nothing is checked. Locks of a port of conduit smp
 * are included.
 */
#include "base/lock.h"

#include <pthread.h>
#include <stdio.h>

#include "base/log.h"
#include "check.h"
#include "child.h"
#include "conduit/smp/port.h"

static struct fsh_lock low = FSH_LOCK_INIT("the low one", FSH_LOCK_IMAGES);
static struct fsh_lock middle = FSH_LOCK_INIT("the middle one", FSH_LOCK_COLL);
static struct fsh_lock other = FSH_LOCK_INIT("another one", FSH_LOCK_COLL);
static struct fsh_lock high = FSH_LOCK_INIT("the high one", FSH_LOCK_WAITING);

static void abort_on_fatal(int code, const char *reason)
{
    (void)code;
    (void)reason;
    abort();
}

static void rising(void)
{
    fsh_lock_take(&low);
    fsh_lock_take(&middle);
    fsh_lock_take(&high);
    fsh_lock_give(&middle);
    CHECK(fsh_lock_is_mine(&low) == FSH_BASE_DEBUG);
    CHECK(!fsh_lock_is_mine(&middle));
    fsh_lock_give(&low);
    fsh_lock_give(&high);
    fsh_lock_take(&low); /* what was held before counts no more */
    fsh_lock_give(&low);
}

static void falling(void)
{
    fsh_lock_take(&low);
    fsh_lock_take(&high);
    fsh_lock_take(&middle);
}

static void equal(void)
{
    fsh_lock_take(&middle);
    fsh_lock_take(&other);
}

static void twice(void)
{
    fsh_lock_take(&middle);
    fsh_lock_take(&middle);
}

static void tried(void)
{
    fsh_lock_take(&high);
    CHECK(fsh_lock_try(&low));
    CHECK(!fsh_lock_try(&low));
    fsh_lock_give(&high);
    fsh_lock_take(&middle);
    fsh_lock_give(&middle);
    fsh_lock_give(&low);
}

static void after_tried(void)
{
    CHECK(fsh_lock_try(&high));
    fsh_lock_take(&low);
}

static void not_held(void)
{
    fsh_lock_take(&low);
    fsh_lock_give(&low);
    fsh_lock_give(&low);
}

static void *take_low(void *arg)
{
    fsh_lock_take(&low);
    fsh_lock_give(&low);
    return arg;
}

static void of_others(void)
{
    pthread_t thread;

    fsh_lock_take(&high);
    CHECK(pthread_create(&thread, NULL, take_low, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    fsh_lock_give(&high);
}

static struct fsh_smp_port *make_port(void)
{
    struct fsh_smp_layout layout = fsh_smp_layout(2, 4096);
    void *base = aligned_alloc(4096, layout.total);
    struct fsh_smp_port *port;

    CHECK(base != NULL);
    memset(base, 0, layout.total);
    port = fsh_smp_port_new(base, &layout, 0, true);
    CHECK(port != NULL);
    return port;
}

static void ring_then_pool(void)
{
    struct fsh_smp_port *port = make_port();

    fsh_smp_lock(port, &port->tx[0][1].lock, "a test", 1);
    fsh_smp_lock(port, &port->pool_lock[1], "a test", 0);
    fsh_smp_unlock(port, &port->pool_lock[1]);
    fsh_smp_unlock(port, &port->tx[0][1].lock);
}

static void pool_then_ring(void)
{
    struct fsh_smp_port *port = make_port();

    fsh_smp_lock(port, &port->pool_lock[0], "a test", 0);
    fsh_smp_lock(port, &port->tx[1][1].lock, "a test", 1);
}

/* What the debug library says of two locks. */
struct asked {
    char text[160];
};
static struct asked asked(const char *name, enum fsh_lock_rank rank,
                          const char *held, enum fsh_lock_rank of_held)
{
    struct asked a;

    snprintf(a.text, sizeof a.text,
             "\"%s\" (rank %d) is requested by a thread that holds "
             "\"%s\" (rank %d)",
             name, (int)rank, held, (int)of_held);
    return a;
}

int main(void)
{
    static const struct child_case right[] = {{rising, NULL},
                                              {tried, NULL},
                                              {of_others, NULL},
                                              {ring_then_pool, NULL}};
    const struct asked falls = asked(middle.name, middle.rank, high.name,
                                     high.rank),
                       again = asked(other.name, other.rank, middle.name,
                                     middle.rank),
                       itself = asked(middle.name, middle.rank, middle.name,
                                      middle.rank),
                       late = asked(low.name, low.rank, high.name, high.rank),
                       ring = asked("sending end of a ring", FSH_LOCK_SMP_SEND,
                                    "payload pool", FSH_LOCK_SMP_POOL);
    const struct child_case wrong[] = {
        {falling, falls.text},
        {equal, again.text},
        {twice, itself.text},
        {after_tried, late.text},
        {not_held,
         "\"the low one\" is released by a thread that does not hold"},
        {pool_then_ring, ring.text}};

    fsh_log_on_fatal(abort_on_fatal);
    child_check(right, sizeof right / sizeof *right);
    if (FSH_BASE_DEBUG)
        child_check(wrong, sizeof wrong / sizeof *wrong);
    return 0;
}
