/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Team barriers, including gasnet_barrier: a split-phase all-reduce of the ranks'
 * barrier ids, started by notify and completed by wait. It runs on a separate team
 * (team.h), on whichever executor carries out collectives (run_call.c); the barrier
 * of all nodes uses the conduit's own barrier if it has one.
 *
 * If a node has several images, the last to notify does so for the node. An image
 * cannot notify again before its wait has returned, so the consensus stays available
 * until all have seen it.
 */
#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "base/spin.h"
#include "gasnet/run.h"

/* Rounds in which an uncontended wait checks only for the arrival of the other ranks,
 * before it also polls the network: arrival is usually imminent. */
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

/* The packed form: kind << 32 | id. */
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

static void fold(void *result, const void *left, const void *right, size_t n)
{
    uint64_t a, b;

    FSH_ASSERT(n == 1);
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    a = merge_words(a, b);
    memcpy(result, &a, sizeof a);
}

/* Any thread. The event is counted before the phase is published. */
static bool finished(struct fsh_barrier *b, uint32_t phase)
{
    return atomic_load_explicit(&b->phase, memory_order_acquire) == phase &&
           fsh_event_done(&b->event);
}

/* Called by the notifying thread only. */
static uint32_t phase_of(const struct fsh_barrier *b)
{
    return atomic_load_explicit(&b->phase, memory_order_relaxed);
}

/* Notifies for this node, with this opinion. */
FSH_HOT static void arrive(const char *call, struct fsh_team *team,
                           struct fsh_opinion opinion)
{
    struct fsh_barrier *b = &team->barrier;
    const struct fsh_coll_words words = {&b->mine, &b->all, fold, merge_words};

    FSH_ASSERT(!b->notified && b->came == 0 && b->left == 0);
    assert(fsh_event_done(&b->event));
    b->notified = true;
    b->mine = pack(opinion);
    fsh_coll_meet_start(team->barriers, call, &words, &b->event);
    /* Partner: the acquire in finished. */
    atomic_store_explicit(&b->phase, phase_of(b) + 1, memory_order_release);
}

/* Compares the caller's id and flags at the wait with the consensus. */
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
    struct fsh_opinion all = unpack(b->all);

    FSH_ASSERT(b->notified && finished(b, phase_of(b)));
    FSH_ASSERT(all.kind >= FSH_ANONYMOUS && all.kind <= FSH_MISMATCH);
    b->notified = false;
    b->result = all;
    return judge(all, make_opinion(id, flags));
}

/* Length of the prefix of the family's call names, up to "barrier". */
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

/* Waits until this phase is complete. */
FSH_HOT static void wait_phase(const char *call, struct fsh_team *team,
                               uint32_t phase)
{
    struct fsh_barrier *b = &team->barrier;
    bool meets = fsh_run_meets(team->barriers);
    unsigned looks = !meets ? 0 : fsh_spin_contended() ? 1 : LOOKS;
    struct fsh_wait wait = {.memory = meets,
                            .rounds = meets ? FSH_SPINS_LEAST : 0};

    while (looks-- > 0 && !finished(b, phase))
        (void)fsh_run_meet_kick();
    while (!finished(b, phase)) {
        wait.peer = fsh_coll_awaited(team->barriers) + 1;
        fsh_wait_step(&wait, call);
    }
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

/* ---- several images per node ---- */

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
    b->target[image] = phase_of(b) + 1;
    b->gathered = b->came == 0 ? opinion : merge(b->gathered, opinion);
    if (++b->came == team->view[FSH_VIEW_IMAGES].mine) {
        b->came = 0;
        arrive(call, team, b->gathered);
    }
    fsh_lock_give(&team->lock);
}

/* The phase that the calling image is waiting for. */
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
    struct fsh_opinion all = unpack(b->all);

    fsh_lock_take(&team->lock);
    FSH_ASSERT(*target == phase_of(b) && b->notified);
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

/* ---- barriers of any team ---- */

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
        arrive(call, team, make_opinion(id, flags));
    }
    (void)fsh_run_meet_kick();
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
    wait_phase(call, team, phase_of(&team->barrier));
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
        phase = phase_of(&team->barrier);
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

/* ---- public calls ---- */

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
