/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier. Where the conduit has one without messages, that; elsewhere
 * dissemination over Short requests: in round r a node sends what it knows of the
 * consensus to the node 2^r above and merges what comes from the node 2^r below;
 * merging is idempotent, so overlaps do no harm. A node is never more than one
 * barrier ahead of another, so two sets of arrivals do.
 *
 * Handlers only record arrivals. What follows is done by fsh_barrier_kick, which
 * every poll of the library calls while a barrier is active; so a node that has
 * notified serves the others whatever it waits for.
 */
#include "base/log.h"
#include "gasnet/internal.h"

#define ROUNDS 32
#define PHASES ((UINT32_C(1) << 30) - 1) /* numbers of barriers, after 0 */
/* A wait that has a processor to itself looks so often for the others before it
 * serves the network: they are about to come. */
#define LOOKS 32u

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
    bool notified;       /* between notify and wait */
    bool direct;         /* the conduit's own barrier does it */
    atomic_uint missing; /* direct: a node that had not come; for reports */
    bool sent;           /* this round's message is out */
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

/* The same on words: kind << 32 | id. */
static uint64_t pack(struct opinion o)
{
    return (uint64_t)(uint32_t)o.kind << 32 | (uint32_t)o.id;
}

static struct opinion unpack(uint64_t word)
{
    return (struct opinion){(int32_t)(word >> 32), (int32_t)(uint32_t)word};
}

static uint64_t merge_words(uint64_t a, uint64_t b)
{
    return a == b ? a : pack(merge(unpack(a), unpack(b)));
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

/* Go on with the barrier by messages; true if something changed. */
static bool kick_rounds(void)
{
    bool advanced = false;

    while (this_round() < barrier.rounds && kick_round())
        advanced = true;
    return advanced;
}

static bool all_arrived(void)
{
    uint64_t word;
    uint32_t missing;

    if (!barrier.direct)
        return this_round() == barrier.rounds;
    if (!fsh_gasnet.ops->barrier_arrived(&word, &missing)) {
        atomic_store_explicit(&barrier.missing, missing, memory_order_relaxed);
        return false;
    }
    barrier.opinion = unpack(word);
    return true;
}

/* Kicks and notify exclude each other. */
static bool try_begin(void)
{
    return !fsh_gasnet.threaded || !atomic_flag_test_and_set_explicit(
                                       &barrier.busy, memory_order_acquire);
}

static void end(void)
{
    if (fsh_gasnet.threaded)
        atomic_flag_clear_explicit(&barrier.busy, memory_order_release);
}

bool fsh_barrier_kick(void)
{
    bool advanced = false;

    if (!try_begin())
        return false;
    if (atomic_load_explicit(&fsh_barrier_active, memory_order_relaxed)) {
        if (!barrier.direct)
            advanced = kick_rounds();
        if (all_arrived()) {
            advanced = true;
            atomic_store_explicit(&fsh_barrier_active, false,
                                  memory_order_relaxed);
            /* Partner: the acquire in finished. */
            atomic_store_explicit(&barrier.done, barrier.phase,
                                  memory_order_release);
        }
    }
    end();
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

    FSH_CALL(call);
    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    if (barrier.notified)
        fsh_fatal("%s: called twice without gasnet_barrier_wait or a "
                  "successful gasnet_barrier_try",
                  call);
    /* What kicks of other threads read, they read under `busy`, and after they
     * have seen that a barrier is active. */
    while (!try_begin())
        continue;
    barrier.notified = true;
    barrier.phase = barrier.phase % PHASES + 1;
    barrier.opinion = make_opinion(id, flags);
    barrier.direct = fsh_gasnet.ops->barrier_arrive(
        barrier.phase, pack(barrier.opinion), merge_words);
    if (!barrier.direct)
        set_round(0);
    barrier.sent = false;
    atomic_store_explicit(&fsh_barrier_active, true, memory_order_relaxed);
    end();
    if (!barrier.direct)
        fsh_barrier_kick();
}

static void check_notified(const char *call)
{
    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    if (!barrier.notified)
        fsh_fatal("%s: called without gasnet_barrier_notify", call);
}

/* The node it waits for + 1, for the report only, so it may be stale. */
static uint32_t waited_for(void)
{
    uint32_t n = fsh_gasnet.nodes;
    uint32_t step = UINT32_C(1) << (this_round() % ROUNDS);

    if (barrier.direct)
        return atomic_load_explicit(&barrier.missing, memory_order_relaxed) + 1;
    return (fsh_gasnet.rank + n - step % n) % n + 1;
}

static bool look_first(void)
{
    unsigned looks = barrier.direct && !fsh_gasnet.crowded ? LOOKS : 1;

    while (looks-- > 0 && !finished())
        fsh_barrier_kick();
    return finished();
}

int gasnet_barrier_wait(int id, int flags)
{
    static const char call[] = "gasnet_barrier_wait";
    struct fsh_wait wait = {.memory = barrier.direct};

    FSH_CALL(call);
    check_notified(call);
    if (look_first())
        return conclude(id, flags);
    while (!finished()) {
        wait.peer = waited_for();
        fsh_wait_step(&wait, call);
    }
    fsh_wait_end(&wait);
    return conclude(id, flags);
}

int gasnet_barrier_try(int id, int flags)
{
    static const char call[] = "gasnet_barrier_try";

    FSH_CALL(call);
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
    if (FSH_GASNET_DEBUG)
        fsh_check_pointer("gasnet_barrier_result", "id", id, 1);
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
