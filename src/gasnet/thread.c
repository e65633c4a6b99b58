/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads are discovered on their first call. The state of a thread that has
 * exited is kept until its implicit operations are complete, then reused for
 * the next new thread, so threads may come and go indefinitely.
 */
#include <pthread.h>
#include <string.h>

#include "base/lock.h"
#include "base/log.h"
#include "gasnet/internal.h"

_Thread_local struct fsh_thread *fsh_thread_current;
_Thread_local unsigned fsh_guard;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static struct fsh_lock orphans_lock =
    FSH_LOCK_INIT("threads that have ended", FSH_LOCK_THREADS);
static struct fsh_thread *orphans; /* under orphans_lock */
static atomic_uint count;

/* Destructor of the key: this thread is exiting. */
static void leave(void *arg)
{
    struct fsh_thread *self = arg;

    fsh_slot_give_all(self);
    FSH_ASSERT(self->free_count == 0 && atomic_load(&count) != 0);
    fsh_thread_current = NULL;
    /* Partner: the acquire in arrive. */
    atomic_fetch_sub_explicit(&count, 1, memory_order_release);
    fsh_lock_take(&orphans_lock);
    self->next = orphans;
    orphans = self;
    fsh_lock_give(&orphans_lock);
}

static void make_key(void)
{
    if (pthread_key_create(&key, leave) != 0)
        fsh_fatal("gasnet_init: no thread key left (PTHREAD_KEYS_MAX)");
}

static bool settled(struct fsh_thread *thread)
{
    return fsh_event_done(&thread->puts) && fsh_event_done(&thread->gets) &&
           (thread->region == 0 ||
            fsh_event_done(&fsh_slot_at(thread->region - 1)->event));
}

/* Takes over a state whose operations are complete, or returns NULL. */
static struct fsh_thread *adopt(void)
{
    struct fsh_thread **link, *thread;

    fsh_lock_take(&orphans_lock);
    for (link = &orphans; (thread = *link) != NULL; link = &thread->next)
        if (settled(thread)) {
            *link = thread->next;
            FSH_ASSERT(thread->free_count == 0 && thread->free_head == 0);
            break;
        }
    fsh_lock_give(&orphans_lock);
    return thread;
}

/* Counts this thread in. In the conduit a lone thread takes no locks; the count
 * orders what its predecessor did before it. */
static void arrive(void)
{
    if (atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel) > 0 &&
        fsh_gasnet.ops != NULL)
        fsh_gasnet.ops->share();
}

struct fsh_thread *fsh_thread_make(void)
{
    struct fsh_thread *self;

    if (fsh_thread_current != NULL)
        return fsh_thread_current;
    pthread_once(&key_once, make_key);
    self = adopt();
    if (self == NULL)
        self = calloc(1, sizeof *self);
    if (self == NULL || pthread_setspecific(key, self) != 0)
        fsh_fatal("no memory for the state of a new thread");
    fsh_thread_current = self;
    arrive();
    if (self->region != 0) {
        /* The access region was never closed. */
        fsh_slot_give(self, self->region - 1);
        self->region = 0;
    }
    self->token = NULL;
    self->token_name = NULL;
    self->calls = 0;
    self->held = NULL;
    self->hold = NULL;
    self->in_handler = 0;
    self->image = 0;
    return self;
}

unsigned fsh_thread_count(void)
{
    return atomic_load_explicit(&count, memory_order_relaxed);
}

gasnet_threadinfo_t fsh_gasnet_threadinfo(void)
{
    return fsh_thread_self();
}
