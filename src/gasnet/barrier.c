/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier: dissemination over Short requests. In round r a node sends what
 * it knows of the consensus to the node 2^r above and merges what comes from
 * the node 2^r below; merging is idempotent, so overlaps do no harm. A node is
 * never more than one barrier ahead of another, so two sets of arrivals do.
 *
 * Handlers only record arrivals. What follows is sent by fsh_barrier_kick,
 * which every poll of the library calls while a barrier is active; so a node
 * that has notified serves the others whatever it waits for.
 */
#include "base/log.h"
#include "gasnet/internal.h"

#define ROUNDS 32

enum kind { ANONYMOUS, NAMED, MISMATCH };

struct opinion {
    int32_t kind; /* enum kind */
    int32_t id;
};

struct arrival {
    atomic_uint phase; /* of the barrier it belongs to; released last */
    struct opinion opinion;
};

static struct arrival arrivals[2][ROUNDS];

static struct {
    uint32_t phase;    /* of the barrier that was notified last; 0 none yet */
    atomic_uint round; /* written by kicks; relaxed, read for reports */
    uint32_t rounds;
    bool notified; /* between notify and wait */
    bool sent;     /* this round's message is out */
    struct opinion opinion;
    struct opinion result; /* of the last barrier completed */
    atomic_uint done;      /* phase of the last barrier whose rounds are over */
    atomic_flag busy;      /* held by the thread that kicks */
} barrier = {.busy = ATOMIC_FLAG_INIT};

atomic_bool fsh_barrier_active;

static struct opinion merge(struct opinion a, struct opinion b)
{
    if (a.kind == ANONYMOUS)
        return b;
    if (b.kind == NAMED && (a.kind == MISMATCH || a.id == b.id))
        return a;
    if (b.kind == ANONYMOUS)
        return a;
    return (struct opinion){MISMATCH, 0};
}

static struct opinion make_opinion(int id, int flags)
{
    if (flags & GASNET_BARRIERFLAG_MISMATCH)
        return (struct opinion){MISMATCH, 0};
    if (flags & GASNET_BARRIERFLAG_ANONYMOUS)
        return (struct opinion){ANONYMOUS, 0};
    return (struct opinion){NAMED, id};
}

static void on_arrival(void *token, int32_t phase, int32_t round, int32_t kind,
                       int32_t id)
{
    struct arrival *a = &arrivals[phase & 1][round];

    (void)token;
    a->opinion = (struct opinion){kind, id};
    /* Partner: the acquire in kick_round. */
    atomic_store_explicit(&a->phase, (uint32_t)phase, memory_order_release);
}

static uint32_t this_round(void)
{
    return atomic_load_explicit(&barrier.round, memory_order_relaxed);
}

static void set_round(uint32_t round)
{
    atomic_store_explicit(&barrier.round, round, memory_order_relaxed);
}

/* Do what the current round allows; true if it is over. */
static bool kick_round(void)
{
    uint32_t n = fsh_gasnet.nodes, round = this_round();
    struct arrival *a = &arrivals[barrier.phase & 1][round];

    if (!barrier.sent) {
        const int32_t args[] = {(int32_t)barrier.phase, (int32_t)round,
                                barrier.opinion.kind, barrier.opinion.id};
        uint32_t step = UINT32_C(1) << round;

        barrier.sent = true;
        fsh_gasnet_send((uint32_t)(((uint64_t)fsh_gasnet.rank + step) % n),
                        FSH_HANDLER_BARRIER, args, 4, NULL, 0);
    }
    if (atomic_load_explicit(&a->phase, memory_order_acquire) != barrier.phase)
        return false;
    barrier.opinion = merge(barrier.opinion, a->opinion);
    set_round(round + 1);
    barrier.sent = false;
    return true;
}

bool fsh_barrier_kick(void)
{
    bool advanced = false;

    if (atomic_flag_test_and_set_explicit(&barrier.busy, memory_order_acquire))
        return false;
    if (atomic_load_explicit(&fsh_barrier_active, memory_order_relaxed)) {
        while (this_round() < barrier.rounds && kick_round())
            advanced = true;
        if (this_round() == barrier.rounds) {
            advanced = true;
            atomic_store_explicit(&fsh_barrier_active, false,
                                  memory_order_relaxed);
            /* Partner: the acquire in finished. */
            atomic_store_explicit(&barrier.done, barrier.phase,
                                  memory_order_release);
        }
    }
    atomic_flag_clear_explicit(&barrier.busy, memory_order_release);
    return advanced;
}

static bool finished(void)
{
    return atomic_load_explicit(&barrier.done, memory_order_acquire) ==
           barrier.phase;
}

/* The caller's own view at the end, against what all agreed on. */
static int conclude(int id, int flags)
{
    struct opinion mine = make_opinion(id, flags), all = barrier.opinion;

    barrier.notified = false;
    barrier.result = all;
    if (all.kind == MISMATCH || mine.kind == MISMATCH)
        return GASNET_ERR_BARRIER_MISMATCH;
    if (all.kind == NAMED && mine.kind == NAMED && all.id != mine.id)
        return GASNET_ERR_BARRIER_MISMATCH;
    return GASNET_OK;
}

void gasnet_barrier_notify(int id, int flags)
{
    static const char call[] = "gasnet_barrier_notify";

    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    if (FSH_GASNET_DEBUG)
        fsh_check_may_block(call);
    if (barrier.notified)
        fsh_fatal("%s: called twice without gasnet_barrier_wait or a "
                  "successful gasnet_barrier_try",
                  call);
    barrier.notified = true;
    barrier.phase++;
    set_round(0);
    barrier.sent = false;
    barrier.opinion = make_opinion(id, flags);
    /* Everything above is read by kicks of other threads under `busy`, which
     * look at this flag first. */
    while (
        atomic_flag_test_and_set_explicit(&barrier.busy, memory_order_acquire))
        continue;
    atomic_store_explicit(&fsh_barrier_active, true, memory_order_relaxed);
    atomic_flag_clear_explicit(&barrier.busy, memory_order_release);
    fsh_barrier_kick();
}

static void check_notified(const char *call)
{
    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    if (FSH_GASNET_DEBUG)
        fsh_check_may_block(call);
    if (!barrier.notified)
        fsh_fatal("%s: called without gasnet_barrier_notify", call);
}

int gasnet_barrier_wait(int id, int flags)
{
    static const char call[] = "gasnet_barrier_wait";
    uint32_t n = fsh_gasnet.nodes;
    struct fsh_wait wait = {0};

    check_notified(call);
    while (!finished()) {
        /* For the report only, so a stale round does no harm. */
        uint32_t step = UINT32_C(1) << (this_round() % ROUNDS);

        wait.peer = (fsh_gasnet.rank + n - step % n) % n + 1;
        fsh_wait_step(&wait, call);
    }
    fsh_wait_end(&wait);
    return conclude(id, flags);
}

int gasnet_barrier_try(int id, int flags)
{
    static const char call[] = "gasnet_barrier_try";

    check_notified(call);
    if (!finished())
        fsh_gasnet_poll_once(call);
    if (!finished())
        return GASNET_ERR_NOT_READY;
    return conclude(id, flags);
}

int gasnet_barrier(int id, int flags)
{
    gasnet_barrier_notify(id, flags);
    return gasnet_barrier_wait(id, flags);
}

int gasnet_barrier_result(int *id)
{
    if (barrier.result.kind == ANONYMOUS)
        return 1;
    *id = barrier.result.id;
    return 0;
}

void fsh_barrier_register(void)
{
    while (UINT32_C(1) << barrier.rounds < fsh_gasnet.nodes)
        barrier.rounds++;
    fsh_gasnet.handler[FSH_HANDLER_BARRIER] = (fsh_handler_fn)on_arrival;
}
