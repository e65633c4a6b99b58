/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Turns the calls of a node's images into calls of the node: see coll.h. A blocking
 * call of a node's only image lives on the stack; all others live on the heap until
 * they are complete.
 */
#include "base/log.h"
#include "gasnet/coll.h"

/* Calls waiting for images of this node, by view, and the sequence numbers of a view's
 * calls. */
static struct fsh_lock lock = FSH_LOCK_INIT("collectives", FSH_LOCK_COLL);
static struct fsh_coll_op *joining;
static struct fsh_event nobody; /* when images have their own */

/* ---- what a call is ---- */

static struct fsh_coll_facts facts_of(const struct fsh_coll_call *call)
{
    return (struct fsh_coll_facts){.bytes = call->nbytes,
                                   .elem = call->elem_size,
                                   .kind = (uint32_t)call->kind,
                                   .root = call->root,
                                   .flags = call->flags &
                                            (int)GASNET_COLL_SYNC_FLAG_MASK,
                                   .function = call->func};
}

static uint32_t claim_of(const struct fsh_coll_facts *f, unsigned stage)
{
    uint32_t some = fsh_coll_claim((uint64_t)f->kind << 32 | f->root, f->bytes);

    return fsh_coll_claim((uint64_t)some << 32 | (uint32_t)f->function,
                          f->elem << 16 | (uint64_t)(uint32_t)f->flags << 8 |
                              (stage + 1));
}

void fsh_coll_combine(const struct fsh_coll_op *op, void *results,
                      const void *left, const void *right, size_t n)
{
    const struct fsh_coll_call *c = &op->call;

    if (n != 0)
        op->function->fnptr(results, n / c->elem_size, left, n / c->elem_size,
                            right, c->elem_size, (int)op->function->flags,
                            c->func_arg);
}

static void combine(const struct fsh_coll_client *client, void *results,
                    const void *left, const void *right, size_t n)
{
    fsh_coll_combine(((const struct fsh_coll_stage *)client)->op, results, left,
                     right, n);
}

static bool is_fold(const struct fsh_coll_call *call)
{
    return call->kind == FSH_COLL_REDUCE || call->kind == FSH_COLL_SCAN;
}

/* Fills in all but the buffers. */
static void make(struct fsh_coll_op *op, struct fsh_team *team,
                 const struct fsh_view *view, const struct fsh_coll_call *call)
{
    bool messages = is_fold(call);

    *op = (struct fsh_coll_op){.team = team, .view = view, .call = *call};
    op->root = fsh_team_image_rank(team, view, call->root);
    op->root_image = call->root - view->first[op->root];
    if (is_fold(call))
        op->function = fsh_team_function(call->name, call->func);
    messages |= fsh_coll_of_images(op);
    for (unsigned s = 0; s < FSH_COLL_STAGES; s++) {
        struct fsh_coll_client *client = &op->stage[s].client;

        op->stage[s].op = op;
        client->facts = facts_of(call);
        client->by_messages = messages;
        client->ordered = true;
    }
    if (is_fold(call))
        op->stage[FSH_COLL_MAIN].client.combine = combine;
}

static bool has_exit(const struct fsh_coll_op *op)
{
    return (op->call.flags & GASNET_COLL_OUT_ALLSYNC) != 0;
}

/* ---- calls of the node ---- */

/* The team for the calls of images. It is separate from the team of one-thread-per-node
 * calls, which may be interleaved with them. */
static struct fsh_team *team_of(const struct fsh_coll_op *op)
{
    return fsh_coll_of_images(op) ? fsh_team_images : op->team;
}

static void run_barrier(struct fsh_coll_op *op, unsigned stage,
                        struct fsh_event *event)
{
    const struct fsh_program_shape shape = {.call = FSH_PROGRAM_BARRIER,
                                            .size = op->team->size};
    struct fsh_coll_client *client = &op->stage[stage].client;
    struct fsh_coll_work work = {
        .elem = 1, .claim = claim_of(&client->facts, stage), .client = client};

    fsh_coll_call(team_of(op), op->call.name, NULL, &shape, &work, event);
}

/* One image per node: its buffers are the node's. */
static const struct fsh_program_algorithm *set_buffers(
    const struct fsh_coll_op *op, struct fsh_coll_work *work)
{
    const struct fsh_coll_call *c = &op->call;
    bool root = fsh_coll_at_root(op), all = true;

    if (c->kind == FSH_COLL_BROADCAST || c->kind == FSH_COLL_SCATTER)
        all = root;
    work->src = all ? (const unsigned char *)op->image->src : NULL;
    all = root || (c->kind != FSH_COLL_GATHER && c->kind != FSH_COLL_REDUCE);
    work->dst = all ? (unsigned char *)op->image->dst : NULL;
    if (!is_fold(c))
        return NULL;
    work->elem = c->elem_size;
    work->count = c->elem_count;
    return &fsh_program_ordered;
}

static void run_main(struct fsh_coll_op *op, struct fsh_event *event)
{
    static const enum fsh_program_call calls[FSH_COLL_KINDS] = {
        [FSH_COLL_BROADCAST] = FSH_PROGRAM_BROADCAST,
        [FSH_COLL_SCATTER] = FSH_PROGRAM_SCATTER,
        [FSH_COLL_GATHER] = FSH_PROGRAM_GATHER,
        [FSH_COLL_GATHER_ALL] = FSH_PROGRAM_ALLGATHER,
        [FSH_COLL_EXCHANGE] = FSH_PROGRAM_ALLTOALL,
        [FSH_COLL_REDUCE] = FSH_PROGRAM_REDUCE,
        [FSH_COLL_SCAN] = FSH_PROGRAM_SCAN};
    const struct fsh_coll_call *c = &op->call;
    struct fsh_coll_client *client = &op->stage[FSH_COLL_MAIN].client;
    struct fsh_program_shape shape = {
        .call = calls[c->kind], .size = op->team->size, .root = op->root};
    struct fsh_coll_work work = {.elem = 1,
                                 .count = c->nbytes,
                                 .claim =
                                     claim_of(&client->facts, FSH_COLL_MAIN),
                                 .client = client};
    const struct fsh_program_algorithm *algorithm;
    size_t *lists = NULL;

    if (fsh_coll_of_images(op)) {
        lists =
            fsh_team_memory(2 * (size_t)op->team->size, sizeof *lists, c->name);
        algorithm = fsh_coll_pack(op, &work, lists);
        shape.exclusive = c->kind == FSH_COLL_SCAN;
    } else {
        algorithm = set_buffers(op, &work);
        shape.exclusive = c->kind == FSH_COLL_SCAN &&
                          (c->flags & GASNET_COLL_EXCLUSIVE_SCAN) != 0;
    }
    fsh_coll_call(team_of(op), c->name, algorithm, &shape, &work, event);
    free(lists);
}

/* Runs the stages in turn; op may be freed once the last has started. event NULL: waits
 * for each stage. */
static void run_stages(struct fsh_coll_op *op, struct fsh_event *event)
{
    bool leave = has_exit(op);

    if ((op->call.flags & GASNET_COLL_IN_ALLSYNC) != 0)
        run_barrier(op, FSH_COLL_ENTRY, event);
    run_main(op, event);
    if (leave)
        run_barrier(op, FSH_COLL_EXIT, event);
}

/* ---- completion ---- */

static void release(struct fsh_coll_client *client)
{
    struct fsh_coll_op *op = ((struct fsh_coll_stage *)client)->op;

    for (uint32_t i = 0; i < op->view->mine && fsh_coll_of_images(op); i++)
        /* Partner: the acquire in fsh_event_done. */
        atomic_fetch_sub_explicit(&op->image[i].event->pending, 1,
                                  memory_order_release);
    free(op->in);
    free(op->out);
    free(op->image);
    free(op);
}

static void main_done(struct fsh_coll_client *client)
{
    struct fsh_coll_op *op = ((struct fsh_coll_stage *)client)->op;

    if (fsh_coll_of_images(op))
        fsh_coll_unpack(op);
    if (!has_exit(op))
        release(client);
}

static struct fsh_coll_op *make_lasting(struct fsh_team *team,
                                        const struct fsh_view *view,
                                        const struct fsh_coll_call *call)
{
    struct fsh_coll_op *op = fsh_team_memory(1, sizeof *op, call->name);

    make(op, team, view, call);
    op->image = fsh_team_memory(view->mine, sizeof *op->image, call->name);
    op->stage[FSH_COLL_MAIN].client.done = main_done;
    op->stage[FSH_COLL_EXIT].client.done = release;
    return op;
}

/* ---- several images per node ---- */

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

/* Lock held. The call with this number in the list of calls waiting for images. */
static struct fsh_coll_op **place_of(const struct fsh_view *view,
                                     uint32_t number)
{
    struct fsh_coll_op **link = &joining;

    while (*link != NULL &&
           ((*link)->view != view || (*link)->number != number))
        link = &(*link)->next;
    return link;
}

/* Returns true if all images of the node have now joined. */
static bool join(struct fsh_coll_op **link, uint32_t image,
                 const struct fsh_coll_image *buffers)
{
    struct fsh_coll_op *op = *link;

    FSH_ASSERT(image < op->view->mine && op->present < op->view->mine);
    op->image[image] = *buffers;
    if (++op->present < op->view->mine)
        return false;
    *link = op->next;
    return true;
}

/* Calls of a node start in order, since the last image to join one has already joined
 * those before it. */
static void start_image(struct fsh_team *team, struct fsh_view *view,
                        const struct fsh_coll_call *call,
                        const struct fsh_coll_image *buffers)
{
    uint32_t image = fsh_team_image(team, FSH_VIEW_IMAGES, call->name);
    struct fsh_coll_op **link, *op;
    bool all;

    atomic_fetch_add_explicit(&buffers->event->pending, 1,
                              memory_order_relaxed);
    fsh_lock_take(&lock);
    link = place_of(view, view->calls[image]);
    op = *link;
    if (op == NULL) {
        op = make_lasting(team, view, call);
        op->number = view->calls[image];
        *link = op;
    } else {
        check_same(op, call);
    }
    view->calls[image]++;
    all = join(link, image, buffers);
    fsh_lock_give(&lock);
    if (all)
        run_stages(op, &nobody);
}

/* ---- calls ---- */

static struct fsh_view *view_of(struct fsh_team *team, int flags)
{
    return &team->view[(flags & GASNET_COLL_NO_IMAGES) != 0 ? FSH_VIEW_NODES
                                                            : FSH_VIEW_IMAGES];
}

static bool is_alone(const struct fsh_team *team, const struct fsh_view *view)
{
    return view->first[team->size] == team->size;
}

void fsh_coll_start(struct fsh_team *team, const struct fsh_coll_call *call,
                    char *dst, const char *src, struct fsh_event *event)
{
    struct fsh_view *view = view_of(team, call->flags);
    const struct fsh_coll_image buffers = {dst, src, event};
    struct fsh_coll_op *op;

    if (!is_alone(team, view)) {
        start_image(team, view, call, &buffers);
        return;
    }
    view->calls[0]++;
    op = make_lasting(team, view, call);
    op->image[0] = buffers;
    run_stages(op, event);
}

void fsh_coll_run(struct fsh_team *team, const struct fsh_coll_call *call,
                  char *dst, const char *src)
{
    struct fsh_view *view = view_of(team, call->flags);
    struct fsh_coll_image buffers = {dst, src, NULL};
    struct fsh_event event = {0};
    struct fsh_coll_op op;

    if (!is_alone(team, view)) {
        buffers.event = &event;
        start_image(team, view, call, &buffers);
        fsh_coll_wait(&event, call->name);
        return;
    }
    view->calls[0]++;
    make(&op, team, view, call);
    op.image = &buffers;
    run_stages(&op, NULL);
}

void fsh_coll_share(struct fsh_team *team, const void *mine, size_t n,
                    void *all, const char *call)
{
    const struct fsh_coll_call share = {
        .name = call,
        .kind = FSH_COLL_GATHER_ALL,
        .flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC |
                 GASNET_COLL_OUT_MYSYNC | GASNET_COLL_NO_IMAGES,
        .nbytes = n};

    fsh_coll_run(team, &share, all, mine);
}

void fsh_coll_meet(struct fsh_team *team, const char *call)
{
    const struct fsh_coll_call meet = {
        .name = call,
        .kind = FSH_COLL_BROADCAST,
        .flags = GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC |
                 GASNET_COLL_OUT_MYSYNC | GASNET_COLL_NO_IMAGES};

    fsh_coll_run(team, &meet, NULL, NULL);
}
