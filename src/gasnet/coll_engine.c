/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The engine of collectives: the operations in flight, and running them. A call
 * of this node makes an operation or joins the one that a message made; when all
 * images have called it is queued, and again whenever it may go on. Polls run
 * the queue, one thread at a time.
 */
#include <string.h>

#include "base/kick.h"
#include "base/log.h"
#include "gasnet/coll_engine.h"

atomic_bool fsh_coll_active;
struct fsh_lock fsh_coll_lock = FSH_LOCK_INIT("collectives", FSH_LOCK_COLL);
uint32_t fsh_coll_advances;

static struct fsh_coll_op *queue_head; /* under the lock, as the next two */
static struct fsh_coll_op **queue_tail = &queue_head;
static uint32_t queue_length;

static atomic_flag busy = ATOMIC_FLAG_INIT; /* held by who runs operations */

/* ---- the operations in flight; lock held ---- */

static struct fsh_coll_op *make(struct fsh_team *team)
{
    size_t size =
        sizeof(struct fsh_coll_op) + team->size * sizeof(struct fsh_coll_peer);
    struct fsh_coll_op *op = team->spare;
    struct fsh_coll_image *image = NULL;
    uint32_t room = 0;

    if (op == NULL) {
        op = malloc(size);
        if (op == NULL)
            fsh_fatal("no memory for another collective of %u nodes",
                      team->size);
    } else {
        team->spare = op->next;
        image = op->image;
        room = op->room;
    }
    memset(op, 0, size);
    for (uint32_t r = 0; r < team->size; r++)
        op->peer[r].op = op;
    op->team = team;
    op->image = image;
    op->room = room;
    return op;
}

struct fsh_coll_op *fsh_coll_find(struct fsh_team *team, unsigned view,
                                  uint32_t number)
{
    struct fsh_view *v = &team->view[view];
    struct fsh_coll_op **bucket = &v->bucket[number % FSH_COLL_BUCKETS];
    struct fsh_coll_op *op;

    FSH_ASSERT(fsh_lock_is_mine(&fsh_coll_lock));
    for (op = *bucket; op != NULL; op = op->next)
        if (op->number == number)
            return op;
    /* An operation stays until all images have called, so any one tells. */
    if ((int32_t)(number - v->calls[0]) < 0)
        return NULL;
    op = make(team);
    op->view_index = view;
    op->view = v;
    op->number = number;
    op->next = *bucket;
    *bucket = op;
    return op;
}

void fsh_coll_enqueue(struct fsh_coll_op *op)
{
    if (op->queued || op->algorithm == NULL)
        return;
    FSH_ASSERT(fsh_lock_is_mine(&fsh_coll_lock));
    FSH_ASSERT((queue_head == NULL) == (queue_length == 0));
    op->queued = true;
    op->queue = NULL;
    *queue_tail = op;
    queue_tail = &op->queue;
    queue_length++;
    if (!atomic_load_explicit(&fsh_coll_active, memory_order_relaxed)) {
        atomic_store_explicit(&fsh_coll_active, true, memory_order_relaxed);
        fsh_kicks_enter();
    }
}

static struct fsh_coll_op *dequeue(void)
{
    struct fsh_coll_op *op = queue_head;

    if (op == NULL)
        return NULL;
    FSH_ASSERT(op->queued && queue_length != 0);
    queue_head = op->queue;
    if (queue_head == NULL)
        queue_tail = &queue_head;
    queue_length--;
    op->queued = false;
    return op;
}

static void recycle(struct fsh_coll_op *op)
{
    op->next = op->team->spare;
    op->team->spare = op;
}

/* Debug: has a complete operation no put in flight, and no place in a queue? */
static bool is_quiet(const struct fsh_coll_op *op)
{
    for (uint32_t r = 0; r < op->team->size; r++)
        if (op->peer[r].blocked || atomic_load(&op->peer[r].event.pending) != 0)
            return false;
    return true;
}

/* No message comes for it any more. A handler may have queued it while it ran
 * for the last time. */
static void drop(struct fsh_coll_op *op)
{
    struct fsh_coll_op **link =
        &op->team->view[op->view_index].bucket[op->number % FSH_COLL_BUCKETS];

    FSH_ASSERT(op->done && is_quiet(op));
    while (*link != op)
        link = &(*link)->next;
    *link = op->next;
    if (op->queued)
        op->over = true;
    else
        recycle(op);
}

/* ---- running ---- */

/* Dissemination over the team: nobody passes before all have come. */
static enum fsh_coll_step pass(struct fsh_coll_op *op, unsigned which)
{
    uint32_t size = op->team->size;

    while (UINT64_C(1) << op->round[which] < size) {
        unsigned round = op->round[which];
        uint64_t to = op->team->rank + (UINT64_C(1) << round);

        FSH_ASSERT(round < FSH_BARRIER_ROUNDS);
        if (!op->passed[which]) {
            if (!fsh_coll_send_pass(op, (uint32_t)(to % size), which, round))
                return FSH_COLL_WAIT;
            op->passed[which] = true;
        }
        if (!(atomic_load_explicit(&op->arrived[which], memory_order_acquire) >>
                  round &
              1))
            return FSH_COLL_WAIT;
        op->round[which]++;
        op->passed[which] = false;
    }
    return FSH_COLL_DONE;
}

static enum fsh_coll_step run(struct fsh_coll_op *op)
{
    enum fsh_coll_step step = FSH_COLL_DONE;

    for (; op->stage < 3; op->stage++) {
        if (op->stage == 0 && (op->call.flags & GASNET_COLL_IN_ALLSYNC))
            step = pass(op, 0);
        else if (op->stage == 1)
            step = op->algorithm->run(op);
        else if (op->stage == 2 && (op->call.flags & GASNET_COLL_OUT_ALLSYNC))
            step = pass(op, 1);
        if (step != FSH_COLL_DONE)
            return step;
    }
    return FSH_COLL_DONE;
}

/* Nothing of it is to be sent or to come? Lock held. */
static bool settled(const struct fsh_coll_op *op)
{
    return !FSH_GASNET_DEBUG || op->team->size == 1 ||
           (op->claimed && op->heard);
}

static void complete(struct fsh_coll_op *op)
{
    if (!op->done) {
        FSH_ASSERT(op->stage == 3 && op->present == op->view->mine);
        op->done = true;
        fsh_coll_advances++;
        if (op->scratch != op->small)
            free(op->scratch);
        for (uint32_t i = 0; i < op->view->mine; i++)
            /* Partner: the acquire in fsh_event_done. */
            atomic_fetch_sub_explicit(&op->image[i].event->pending, 1,
                                      memory_order_release);
    }
    fsh_lock_take(&fsh_coll_lock);
    if (settled(op))
        drop(op);
    else if (op->starved) /* its claim is */
        fsh_coll_enqueue(op);
    fsh_lock_give(&fsh_coll_lock);
}

/* Take one operation from the queue and run it. */
static void run_next(void)
{
    struct fsh_coll_op *op;
    enum fsh_coll_step step;

    fsh_lock_take(&fsh_coll_lock);
    op = dequeue();
    if (op != NULL && op->over) {
        recycle(op);
        op = NULL;
    }
    fsh_lock_give(&fsh_coll_lock);
    if (op == NULL)
        return;
    op->starved = false;
    if (FSH_GASNET_DEBUG)
        fsh_coll_claim(op);
    step = op->done ? FSH_COLL_DONE : run(op);
    if (step == FSH_COLL_DONE) {
        complete(op);
    } else if (step == FSH_COLL_AGAIN || op->starved) {
        fsh_lock_take(&fsh_coll_lock);
        fsh_coll_enqueue(op);
        fsh_lock_give(&fsh_coll_lock);
    }
}

/* The length of the queue. If it is empty, polls need not kick any more; this is not
 * done when the last operation is taken, since most come back at once. */
static uint32_t queued(void)
{
    uint32_t n;

    fsh_lock_take(&fsh_coll_lock);
    n = queue_length;
    if (n == 0 &&
        atomic_load_explicit(&fsh_coll_active, memory_order_relaxed)) {
        atomic_store_explicit(&fsh_coll_active, false, memory_order_relaxed);
        fsh_kicks_leave();
    }
    fsh_lock_give(&fsh_coll_lock);
    return n;
}

bool fsh_coll_kick(void)
{
    uint32_t before;
    bool advanced;

    if (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
        return false;
    before = fsh_coll_advances;
    for (uint32_t left = queued(); left != 0; left--)
        run_next();
    advanced = fsh_coll_advances != before;
    atomic_flag_clear_explicit(&busy, memory_order_release);
    return advanced;
}

/* ---- what calls need ---- */

/* Lock held; the first image of the node brings the call. */
static void begin(struct fsh_coll_op *op, const struct fsh_coll_call *call)
{
    op->call = *call;
    op->root = fsh_team_image_rank(op->team, op->view_index, call->root);
    op->root_image = call->root - op->view->first[op->root];
    FSH_ASSERT(op->root < op->team->size &&
               op->root_image < fsh_coll_images(op, op->root));
    if (op->room >= op->view->mine)
        return;
    free(op->image);
    op->image = malloc(op->view->mine * sizeof *op->image);
    if (op->image == NULL)
        fsh_fatal("%s: no memory for %u images", call->name, op->view->mine);
    op->room = op->view->mine;
}

static void check_same(const struct fsh_coll_op *op,
                       const struct fsh_coll_call *call)
{
    int sync = GASNET_COLL_SYNC_FLAG_MASK;

    if (op->call.kind != call->kind || op->call.nbytes != call->nbytes ||
        op->call.root != call->root ||
        (op->call.flags & sync) != (call->flags & sync))
        fsh_fatal("%s: another image of this node makes this call as %s with "
                  "%zu bytes, root %u, flags %#x; here it has %zu, %u, %#x",
                  call->name, op->call.name, op->call.nbytes, op->call.root,
                  (unsigned)op->call.flags, call->nbytes, call->root,
                  (unsigned)call->flags);
}

void fsh_coll_start(struct fsh_team *team, const struct fsh_coll_call *call,
                    char *dst, const char *src, struct fsh_event *event)
{
    unsigned index = (call->flags & GASNET_COLL_NO_IMAGES) != 0
                         ? FSH_VIEW_NODES
                         : FSH_VIEW_IMAGES;
    struct fsh_view *view = &team->view[index];
    uint32_t image = fsh_team_image(team, index, call->name);
    struct fsh_coll_op *op;

    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    fsh_lock_take(&fsh_coll_lock);
    op = fsh_coll_find(team, index, view->calls[image]);
    view->calls[image]++;
    if (op->present == 0)
        begin(op, call);
    else
        check_same(op, call);
    FSH_ASSERT(image < view->mine && op->present < view->mine);
    FSH_ASSERT(op->number == view->calls[image] - 1 && !op->done);
    op->image[image] = (struct fsh_coll_image){dst, src, event};
    if (++op->present == view->mine) {
        op->algorithm = fsh_coll_choose(team, call);
        if (FSH_GASNET_DEBUG)
            fsh_coll_compare(op);
        fsh_coll_enqueue(op);
    }
    fsh_lock_give(&fsh_coll_lock);
    /* As in a poll: another thread may sleep until this one got further. */
    if (fsh_coll_kick() && fsh_gasnet.threaded)
        fsh_wait_wake();
}

void fsh_coll_wait(struct fsh_event *event, const char *call)
{
    struct fsh_wait wait = {0};

    while (!fsh_event_done(event))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

void fsh_coll_share(struct fsh_team *team, const void *mine, size_t n,
                    void *all, const char *call)
{
    const struct fsh_coll_call share = {
        .name = call,
        .kind = n != 0 ? FSH_COLL_GATHER_ALL : FSH_COLL_BROADCAST,
        .flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC |
                 GASNET_COLL_OUT_MYSYNC | GASNET_COLL_NO_IMAGES,
        .nbytes = n};
    struct fsh_event event = {0};

    fsh_coll_start(team, &share, all, mine, &event);
    fsh_coll_wait(&event, call);
}
