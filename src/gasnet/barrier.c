/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of a team, gasnet_barrier's too. That of all nodes is left to the
 * conduit where it has one without messages; the others are dissemination over
 * Short requests: in round r a node sends what it knows of the consensus to the
 * rank 2^r above and merges what comes from the rank 2^r below; merging is
 * idempotent, so overlaps do no harm. A node is never more than one barrier ahead
 * of another, so two sets of arrivals do.
 *
 * Handlers only record arrivals. What follows is sent by fsh_barrier_kick,
 * which every poll of the library calls while a barrier is active; so a node
 * that has notified serves the others whatever it waits for. Of several images
 * a node the last one to notify does it for all; none notifies again before its
 * wait is over, so the consensus stays until all have seen it.
 */
#include <assert.h>
#include <string.h>

#include "base/kick.h"
#include "base/log.h"
#include "base/spin.h"
#include "gasnet/team.h"

/* Rounds in which a wait whose processor nobody else wants only looks for the other
 * ranks' arrival, before it polls the network too: they are about to come. */
#define LOOKS 32u

static struct fsh_opinion merge(struct fsh_opinion a, struct fsh_opinion b)
{
    if (a.kind == FSH_ANONYMOUS)
        return b;
    if (b.kind == FSH_NAMED && (a.kind == FSH_MISMATCH || a.id == b.id))
        return a;
    if (b.kind == FSH_ANONYMOUS)
        return a;
    return (struct fsh_opinion){FSH_MISMATCH, 0};
}

static struct fsh_opinion make_opinion(int id, int flags)
{
    if (flags & GASNET_BARRIERFLAG_MISMATCH)
        return (struct fsh_opinion){FSH_MISMATCH, 0};
    if (flags & GASNET_BARRIERFLAG_ANONYMOUS)
        return (struct fsh_opinion){FSH_ANONYMOUS, 0};
    return (struct fsh_opinion){FSH_NAMED, id};
}

/* The same on words, for conduits: kind << 32 | id. */
static uint64_t pack(struct fsh_opinion o)
{
    return (uint64_t)(uint32_t)o.kind << 32 | (uint32_t)o.id;
}

static struct fsh_opinion unpack(uint64_t word)
{
    return (struct fsh_opinion){(int32_t)(word >> 32), (int32_t)(uint32_t)word};
}

static uint64_t merge_words(uint64_t a, uint64_t b)
{
    return a == b ? a : pack(merge(unpack(a), unpack(b)));
}

static void on_arrival(void *token, int32_t phase, int32_t round, int32_t kind,
                       int32_t id, int32_t number)
{
    struct fsh_team *team = fsh_team_at((uint32_t)number);
    struct fsh_arrival *a;

    (void)token;
    FSH_ASSERT(team != NULL && (uint32_t)round < team->barrier.rounds);
    a = &team->barrier.arrivals[phase & 1][round];
    /* Two sets suffice: this one was used by the barrier before the last. */
    FSH_ASSERT(atomic_load(&a->phase) == 0 ||
               (uint32_t)phase - atomic_load(&a->phase) == 2);
    a->opinion = (struct fsh_opinion){kind, id};
    /* Partner: the acquire in kick_round. */
    atomic_store_explicit(&a->phase, (uint32_t)phase, memory_order_release);
}

/* ---- progress ---- */

static uint32_t this_round(const struct fsh_barrier *b)
{
    return atomic_load_explicit(&b->round, memory_order_relaxed);
}

static void set_round(struct fsh_barrier *b, uint32_t round)
{
    atomic_store_explicit(&b->round, round, memory_order_relaxed);
}

/* Do what the current round allows; true if it is over. */
static bool kick_round(struct fsh_team *team)
{
    struct fsh_barrier *b = &team->barrier;
    uint32_t round = this_round(b);
    struct fsh_arrival *a = &b->arrivals[b->phase & 1][round];

    FSH_ASSERT(round < b->rounds && b->notified);
    if (!b->sent) {
        uint32_t step = UINT32_C(1) << round;
        uint32_t to = (uint32_t)(((uint64_t)team->rank + step) % team->size);
        const int32_t args[] = {(int32_t)b->phase, (int32_t)round,
                                b->opinion.kind, b->opinion.id,
                                (int32_t)team->number[to]};

        b->sent = fsh_gasnet_try_send(team->node[to], FSH_HANDLER_BARRIER, args,
                                      5, NULL, 0);
        if (!b->sent)
            return false;
    }
    if (atomic_load_explicit(&a->phase, memory_order_acquire) != b->phase)
        return false;
    b->opinion = merge(b->opinion, a->opinion);
    set_round(b, round + 1);
    b->sent = false;
    return true;
}

/* Kicks exclude each other, and the beginning of a barrier. */
static bool try_begin(struct fsh_barrier *b)
{
    return !fsh_gasnet.threaded ||
           !atomic_flag_test_and_set_explicit(&b->busy, memory_order_acquire);
}

static void end(struct fsh_barrier *b)
{
    if (fsh_gasnet.threaded)
        atomic_flag_clear_explicit(&b->busy, memory_order_release);
}

/* Count active barriers (base/kick.h); without a locked instruction if only one thread
 * calls the library. */
static void count_active(uint32_t more)
{
    FSH_ASSERT(more == 1 || atomic_load(&fsh_kicks_active) != 0);
    if (fsh_gasnet.threaded)
        atomic_fetch_add_explicit(&fsh_kicks_active, more,
                                  memory_order_relaxed);
    else
        atomic_store_explicit(
            &fsh_kicks_active,
            atomic_load_explicit(&fsh_kicks_active, memory_order_relaxed) +
                more,
            memory_order_relaxed);
}

static bool is_direct(const struct fsh_barrier *b)
{
    return atomic_load_explicit(&b->direct, memory_order_relaxed);
}

/* What the conduit's own barrier knows. */
static bool look_direct(struct fsh_barrier *b)
{
    uint64_t word;
    uint32_t missing;

    if (!fsh_gasnet.ops->barrier->arrived(&word, &missing)) {
        atomic_store_explicit(&b->missing, missing, memory_order_relaxed);
        return false;
    }
    b->opinion = unpack(word);
    FSH_ASSERT(b->opinion.kind >= FSH_ANONYMOUS &&
               b->opinion.kind <= FSH_MISMATCH);
    return true;
}

/* Go on with the rounds: true if they are over. */
static bool look_rounds(struct fsh_team *team, bool *advanced)
{
    while (this_round(&team->barrier) < team->barrier.rounds &&
           kick_round(team))
        *advanced = true;
    return this_round(&team->barrier) == team->barrier.rounds;
}

FSH_HOT static bool kick_team(struct fsh_team *team)
{
    struct fsh_barrier *b = &team->barrier;
    bool advanced = false;

    if (!atomic_load_explicit(&b->active, memory_order_relaxed) ||
        !try_begin(b))
        return false;
    if (atomic_load_explicit(&b->active, memory_order_relaxed) &&
        (is_direct(b) ? look_direct(b) : look_rounds(team, &advanced))) {
        advanced = true;
        FSH_ASSERT(b->phase == atomic_load(&b->done) + 1); /* none left out */
        atomic_store_explicit(&b->active, false, memory_order_relaxed);
        count_active(UINT32_MAX); /* one less */
        /* Partner: the acquire in finished. */
        atomic_store_explicit(&b->done, b->phase, memory_order_release);
    }
    end(b);
    return advanced;
}

FSH_HOT bool fsh_barrier_kick(void)
{
    uint32_t n = fsh_team_count();
    bool advanced = false;

    for (uint32_t id = 0; id < n; id++) {
        struct fsh_team *team = fsh_team_at(id);

        if (team != NULL) /* else it is being made */
            advanced |= kick_team(team);
    }
    return advanced;
}

static bool finished(const struct fsh_barrier *b, uint32_t phase)
{
    return atomic_load_explicit(&b->done, memory_order_acquire) == phase;
}

/* ---- one thread a node ---- */

/* Another thread is about to leave its kick of the barrier before. It is not
 * blocked in a send there: that barrier is over, and what it had to send with it.
 * But it may have lost its processor. */
static __attribute__((noinline)) void begin_slowly(struct fsh_barrier *b)
{
    struct fsh_wait wait = {0};

    do
        fsh_wait_step(&wait, "a barrier's notify: another thread has not left "
                             "the barrier before");
    while (!try_begin(b));
    fsh_wait_end(&wait);
}

/* This node has arrived, with this opinion. */
FSH_HOT static void arrive(struct fsh_team *team, struct fsh_opinion opinion)
{
    struct fsh_barrier *b = &team->barrier;
    bool direct;

    /* What kicks of other threads read, they read under `busy`, and after they
     * have seen that the barrier is active. */
    if (!try_begin(b))
        begin_slowly(b);
    assert(atomic_load_explicit(&b->done, memory_order_relaxed) == b->phase &&
           !atomic_load_explicit(&b->active, memory_order_relaxed));
    FSH_ASSERT(!b->notified && b->came == 0 && b->left == 0);
    b->notified = true;
    b->phase++;
    b->opinion = opinion;
    direct = team == fsh_team_all && fsh_gasnet.ops->barrier != NULL;
    if (direct)
        fsh_gasnet.ops->barrier->arrive(b->phase & FSH_BARRIER_PHASES,
                                        pack(opinion), merge_words);
    atomic_store_explicit(&b->direct, direct, memory_order_relaxed);
    set_round(b, 0);
    b->sent = false;
    atomic_store_explicit(&b->active, true, memory_order_relaxed);
    count_active(1);
    end(b);
}

/* The caller's own view at the end, against what all agreed on. */
static int judge(struct fsh_opinion all, struct fsh_opinion mine)
{
    if (all.kind == FSH_MISMATCH || mine.kind == FSH_MISMATCH)
        return GASNET_ERR_BARRIER_MISMATCH;
    if (all.kind == FSH_NAMED && mine.kind == FSH_NAMED && all.id != mine.id)
        return GASNET_ERR_BARRIER_MISMATCH;
    return GASNET_OK;
}

FSH_HOT static int conclude(struct fsh_barrier *b, int id, int flags)
{
    struct fsh_opinion all = b->opinion;

    FSH_ASSERT(b->notified && finished(b, b->phase));
    b->notified = false;
    b->result = all;
    return judge(all, make_opinion(id, flags));
}

/* What the names of a call's family begin with: up to "barrier". */
static int stem(const char *call)
{
    static const char last[] = "barrier";

    return (int)(strstr(call, last) + sizeof last - 1 - call);
}

static _Noreturn void notified_twice(const char *call)
{
    const char *how = call[stem(call)] == '\0' ? "after a notify" : "twice";

    fsh_fatal("%s: called %s without %.*s_wait or a successful %.*s_try", call,
              how, stem(call), call, stem(call), call);
}

static _Noreturn void not_notified(const char *call)
{
    fsh_fatal("%s: called without %.*s_notify", call, stem(call), call);
}

/* The node it waits for + 1, for the report only, so it may be stale. */
static uint32_t waited_for(const struct fsh_team *team)
{
    const struct fsh_barrier *b = &team->barrier;
    uint32_t step = UINT32_C(1) << (this_round(b) % FSH_BARRIER_ROUNDS);
    uint32_t n = team->size;

    if (is_direct(b))
        return atomic_load_explicit(&b->missing, memory_order_relaxed) + 1;
    return team->node[(team->rank + n - step % n) % n] + 1;
}

/* Until this phase is over. */
FSH_HOT static void wait_phase(const char *call, struct fsh_team *team,
                               uint32_t phase)
{
    struct fsh_barrier *b = &team->barrier;
    bool direct = is_direct(b);
    unsigned looks = direct && !fsh_spin_contended() ? LOOKS : 1;
    struct fsh_wait wait = {.memory = direct,
                            .rounds = direct ? FSH_SPINS_LEAST : 0};

    while (looks-- > 0 && !finished(b, phase))
        kick_team(team);
    while (!finished(b, phase)) {
        wait.peer = waited_for(team);
        fsh_wait_step(&wait, call);
    }
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

/* ---- several images a node ---- */

static bool by_images(const struct fsh_team *team, int flags)
{
    return (flags & GASNET_BARRIERFLAG_IMAGES) != 0 &&
           team->view[FSH_VIEW_IMAGES].mine > 1;
}

static void image_notify(const char *call, struct fsh_team *team,
                         struct fsh_opinion opinion)
{
    struct fsh_barrier *b = &team->barrier;
    uint32_t image = fsh_team_image(team, FSH_VIEW_IMAGES, call);

    fsh_lock_take(&team->lock);
    if (b->target[image] != 0)
        notified_twice(call);
    FSH_ASSERT(b->came < team->view[FSH_VIEW_IMAGES].mine);
    b->target[image] = b->phase + 1;
    b->gathered = b->came == 0 ? opinion : merge(b->gathered, opinion);
    if (++b->came == team->view[FSH_VIEW_IMAGES].mine) {
        b->came = 0;
        arrive(team, b->gathered);
    }
    fsh_lock_give(&team->lock);
}

/* The phase the calling image waits for. */
static uint32_t *image_target(const char *call, struct fsh_team *team)
{
    uint32_t image = fsh_team_image(team, FSH_VIEW_IMAGES, call);
    uint32_t *target = &team->barrier.target[image];

    if (*target == 0)
        not_notified(call);
    return target;
}

static int image_conclude(struct fsh_team *team, uint32_t *target, int id,
                          int flags)
{
    struct fsh_barrier *b = &team->barrier;
    struct fsh_opinion all = b->opinion;

    fsh_lock_take(&team->lock);
    FSH_ASSERT(*target == b->phase && b->notified);
    FSH_ASSERT(b->left < team->view[FSH_VIEW_IMAGES].mine);
    *target = 0;
    if (b->left == 0) /* the first one; others may be reading it by now */
        b->result = all;
    if (++b->left == team->view[FSH_VIEW_IMAGES].mine) {
        b->left = 0;
        b->notified = false;
    }
    fsh_lock_give(&team->lock);
    return judge(all, make_opinion(id, flags));
}

/* ---- of any team ---- */

static void check_call(const char *call)
{
    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
}

FSH_HOT static void notify(const char *call, struct fsh_team *team, int id,
                           int flags)
{
    FSH_CALL(call);
    check_call(call);
    if (by_images(team, flags)) {
        image_notify(call, team, make_opinion(id, flags));
    } else {
        if (team->barrier.notified)
            notified_twice(call);
        arrive(team, make_opinion(id, flags));
    }
    kick_team(team);
}

FSH_HOT static int wait_for(const char *call, struct fsh_team *team, int id,
                            int flags)
{
    uint32_t *target;

    FSH_CALL(call);
    check_call(call);
    if (by_images(team, flags)) {
        target = image_target(call, team);
        wait_phase(call, team, *target);
        return image_conclude(team, target, id, flags);
    }
    if (!team->barrier.notified)
        not_notified(call);
    wait_phase(call, team, team->barrier.phase);
    return conclude(&team->barrier, id, flags);
}

static int try_for(const char *call, struct fsh_team *team, int id, int flags)
{
    uint32_t *target = NULL, phase;

    FSH_CALL(call);
    check_call(call);
    if (by_images(team, flags)) {
        target = image_target(call, team);
        phase = *target;
    } else {
        if (!team->barrier.notified)
            not_notified(call);
        phase = team->barrier.phase;
    }
    if (finished(&team->barrier, phase))
        fsh_call_done(call, 0);
    else
        fsh_gasnet_poll_once(call);
    if (!finished(&team->barrier, phase))
        return GASNET_ERR_NOT_READY;
    if (target != NULL)
        return image_conclude(team, target, id, flags);
    return conclude(&team->barrier, id, flags);
}

static int result_of(const char *call, const struct fsh_team *team, int *id)
{
    const struct fsh_barrier *b;

    if (FSH_GASNET_DEBUG)
        fsh_check_pointer(call, "id", id, 1);
    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    b = &team->barrier;
    if (b->result.kind == FSH_ANONYMOUS)
        return 1;
    *id = b->result.id;
    return 0;
}

/* ---- the calls ---- */

FSH_HOT void gasnet_barrier_notify(int id, int flags)
{
    notify("gasnet_barrier_notify", fsh_team_all, id,
           flags & ~GASNET_BARRIERFLAG_IMAGES);
}

FSH_HOT int gasnet_barrier_wait(int id, int flags)
{
    return wait_for("gasnet_barrier_wait", fsh_team_all, id,
                    flags & ~GASNET_BARRIERFLAG_IMAGES);
}

int gasnet_barrier_try(int id, int flags)
{
    return try_for("gasnet_barrier_try", fsh_team_all, id,
                   flags & ~GASNET_BARRIERFLAG_IMAGES);
}

int gasnet_barrier(int id, int flags)
{
    flags &= ~GASNET_BARRIERFLAG_IMAGES;
    notify("gasnet_barrier", fsh_team_all, id, flags);
    return wait_for("gasnet_barrier", fsh_team_all, id, flags);
}

int gasnet_barrier_result(int *id)
{
    return result_of("gasnet_barrier_result", fsh_team_all, id);
}

void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags)
{
    static const char call[] = "gasnet_coll_barrier_notify";

    notify(call, fsh_team_of(team, call), id, flags);
}

int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags)
{
    static const char call[] = "gasnet_coll_barrier_wait";

    return wait_for(call, fsh_team_of(team, call), id, flags);
}

int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags)
{
    static const char call[] = "gasnet_coll_barrier_try";

    return try_for(call, fsh_team_of(team, call), id, flags);
}

int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags)
{
    static const char call[] = "gasnet_coll_barrier";
    struct fsh_team *t = fsh_team_of(team, call);

    notify(call, t, id, flags);
    return wait_for(call, t, id, flags);
}

int gasnet_coll_barrier_result(gasnet_team_handle_t team, int *id)
{
    static const char call[] = "gasnet_coll_barrier_result";

    return result_of(call, fsh_team_of(team, call), id);
}

void fsh_barrier_make(struct fsh_team *team)
{
    struct fsh_barrier *b = &team->barrier;

    while (UINT32_C(1) << b->rounds < team->size)
        b->rounds++;
    FSH_ASSERT(b->rounds <= FSH_BARRIER_ROUNDS && b->phase == 0);
    atomic_flag_clear(&b->busy);
    fsh_gasnet.handler[FSH_HANDLER_BARRIER] = (fsh_handler_fn)on_arrival;
}
