/* SPDX-License-Identifier: BSD-3-Clause */
#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/handover.h"

/* A wake-up that is lost would cost so much, and nothing else. */
#define NAP_NS UINT64_C(100000000)

/* A word that one side counts up and the other waits for. */
struct bell {
    _Alignas(FSH_CACHE_LINE) _Atomic uint32_t count;
    _Atomic uint32_t sleeps;    /* the other side may */
    _Atomic uint32_t processor; /* of the side that counts, when it last did */
};

struct member {
    struct bell work, done;
    struct fsh_handover worker, owner; /* how long each side spins */
    struct fsh_crew *crew;
    uint32_t index;
    pthread_t thread;
};

struct fsh_crew {
    fsh_crew_fn work;
    void *arg;
    uint32_t members;
    bool over;
    struct member *member; /* that of index i at i - 1 */
};

/* The store and the look at `sleeps` are sequentially consistent, as are their partners
 * in await: either this side sees the sleeper, or that one the count. Releases what was
 * written before. */
static void ring(struct bell *bell)
{
    fsh_handover_say(&bell->processor);
    atomic_fetch_add(&bell->count, 1);
    if (atomic_load(&bell->sleeps) != 0)
        fsh_futex_wake(&bell->count, 1);
}

/* Until the count is not `before`. Acquires what was written before ring. */
static void await(struct bell *bell, uint32_t before, struct fsh_handover *h)
{
    uint64_t since;

    if (fsh_handover_spin(h, &bell->count, before, &bell->processor))
        return;
    since = fsh_time_ns();
    while (atomic_load_explicit(&bell->count, memory_order_acquire) == before) {
        atomic_store(&bell->sleeps, 1);
        if (atomic_load(&bell->count) == before)
            fsh_futex_wait(&bell->count, before, NAP_NS);
        atomic_store_explicit(&bell->sleeps, 0, memory_order_relaxed);
    }
    fsh_handover_slept(h, fsh_time_ns() - since);
}

static void *run(void *arg)
{
    struct member *m = arg;

    for (uint32_t seen = 0;; seen++) {
        await(&m->work, seen, &m->worker);
        if (m->crew->over)
            return NULL;
        m->crew->work(m->crew->arg, m->index);
        ring(&m->done);
    }
}

/* Signals are for the thread that starts the crew. */
static bool start(struct member *m)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&m->thread, NULL, run, m);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc == 0;
}

struct fsh_crew *fsh_crew_start(uint32_t members, fsh_crew_fn work, void *arg)
{
    struct fsh_crew *crew = calloc(1, sizeof *crew);
    size_t bytes = members * sizeof *crew->member;
    unsigned processors = fsh_handover_processors();

    if (!crew)
        return NULL;
    crew->member = aligned_alloc(FSH_CACHE_LINE, bytes);
    if (!crew->member) {
        free(crew);
        return NULL;
    }
    memset(crew->member, 0, bytes);
    crew->work = work;
    crew->arg = arg;
    for (crew->members = 1; crew->members < members; crew->members++) {
        struct member *m = &crew->member[crew->members - 1];

        m->crew = crew;
        m->index = crew->members;
        fsh_handover_init(&m->worker, processors);
        fsh_handover_init(&m->owner, processors);
        if (!start(m))
            break;
    }
    return crew;
}

uint32_t fsh_crew_members(const struct fsh_crew *crew)
{
    return crew->members;
}

void fsh_crew_work(struct fsh_crew *crew, uint32_t count)
{
    uint32_t others = (count < crew->members ? count : crew->members) - 1;

    for (uint32_t i = 0; i < others; i++)
        ring(&crew->member[i].work);
    crew->work(crew->arg, 0);
    for (uint32_t i = 0; i < others; i++) {
        struct member *m = &crew->member[i];
        uint32_t given =
            atomic_load_explicit(&m->work.count, memory_order_relaxed);

        await(&m->done, given - 1, &m->owner);
    }
}

void fsh_crew_end(struct fsh_crew *crew)
{
    if (!crew)
        return;
    crew->over = true;
    for (uint32_t i = 0; i + 1 < crew->members; i++) {
        ring(&crew->member[i].work);
        pthread_join(crew->member[i].thread, NULL);
    }
    free(crew->member);
    free(crew);
}
