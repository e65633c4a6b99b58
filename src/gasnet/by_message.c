/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put, get and Long by message, in a layer between the GASNet part and the conduit: for
 * GASNET_SEGMENT_EVERYTHING, where all of a node's memory is remotely accessible, for all
 * nodes, else for those whose memory the conduit does not reach. They become Mediums to
 * library handlers, which the target runs when it polls (or its progress thread does).
 * They are therefore as deadlock-free as requests and replies, and use the conduit's
 * buffers:
 *
 *   put   one Medium per piece, each acknowledged; the source is copied on sending
 *   get   one request per piece, whose reply carries the data
 *   Long  the client's arguments and data in one Medium; the handler stores the
 *         data, then runs the client's handler. Of more than a Medium, where the
 *         conduit does not reach: a put, and when that has ended a Medium of the
 *         arguments
 *
 * The address of the transfer's event travels with the message and comes back. With
 * EVERYTHING the conduit's own segment is empty, except for the compute cores' area
 * behind it. Any thread; handlers run on the thread that polls.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "base/words.h"
#include "gasnet/bridge.h"
#include "gasnet/internal.h"

#define MAX_ARGS 16

/* Header of a Long's data; its size keeps the data aligned. */
struct long_head {
    uint64_t dst;
    uint8_t handler;
    uint8_t nargs;
    uint8_t reply;   /* a placed one, which comes as a request */
    uint32_t placed; /* bytes of data that are in place; 0: data follows */
    int32_t args[MAX_ARGS];
};
_Static_assert(sizeof(struct long_head) % 16 == 0, "alignment of the data");

static const struct fsh_conduit_ops *below;
static size_t piece_max; /* largest Medium in bytes */
static bool all;         /* nodes are served here */

static bool is_ours(uint32_t node)
{
    return all || !below->reaches(node);
}

/* What a thread did to memory before it sent a message comes before what another one does
 * because of a message that came since. Messages order that, but through another process,
 * which a thread sanitizer does not see: for it alone this word does. */
#ifdef __SANITIZE_THREAD__
static atomic_uint order;
#define GOES() \
    ((void)atomic_fetch_add_explicit(&order, 1, memory_order_release))
#define CAME() ((void)atomic_load_explicit(&order, memory_order_acquire))
#else
#define GOES() ((void)0) /* before a message goes; partner: CAME */
#define CAME() ((void)0)
#endif

static void finish_piece(int32_t ev_hi, int32_t ev_lo)
{
    struct fsh_event *event = fsh_join_ptr(ev_hi, ev_lo);

    FSH_ASSERT(atomic_load(&event->pending) != 0);
    /* Partner: the acquire in fsh_event_done. */
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

void fsh_begin_piece(struct fsh_event *event)
{
    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    GOES();
}

static size_t piece_of(size_t n)
{
    return n < piece_max ? n : piece_max;
}

/* Whether the bridge takes a put (source) or get (target) of more than a message. */
static bool is_bridged(uint32_t node, const void *remote, size_t n,
                       const void *source, void *target,
                       struct fsh_event *event)
{
    const struct fsh_job_bridge_move move = {
        .to_card = source != NULL,
        .from_card = target != NULL,
        .offset = (uintptr_t)remote - (uintptr_t)fsh_gasnet.segs[node].addr,
        .bytes = n,
        .source = source,
        .target = target};

    return !all && n > piece_max && fsh_by_bridge(node, &move, event);
}

/* ---- put ---- */

static void on_done(void *token, int32_t ev_hi, int32_t ev_lo)
{
    (void)token;
    CAME();
    finish_piece(ev_hi, ev_lo);
}

static void place(void *dst, const void *src, size_t n)
{
    fsh_simulated_moving(dst, src, NULL, n);
    fsh_copy_words(dst, src, n);
    fsh_simulated_moved();
}

static void on_put(void *token, void *buf, size_t n, int32_t dst_hi,
                   int32_t dst_lo, int32_t ev_hi, int32_t ev_lo)
{
    const int32_t args[] = {ev_hi, ev_lo};

    CAME();
    place(fsh_join_ptr(dst_hi, dst_lo), buf, n);
    GOES();
    fsh_answer(token, FSH_HANDLER_ANY_DONE, args, 2, NULL, 0);
}

static void any_put(uint32_t node, void *dst, const void *src, size_t n,
                    struct fsh_event *local, struct fsh_event *event)
{
    const char *from = src; /* of a Medium, reusable on return */
    char *to = dst;

    if (!is_ours(node)) {
        below->put(node, dst, src, n, local, event);
        return;
    }
    if (local != NULL && is_bridged(node, dst, n, src, NULL, event))
        return;
    while (n != 0) {
        const int32_t args[] = {fsh_high_ptr(to), fsh_low_ptr(to),
                                fsh_high_ptr(event), fsh_low_ptr(event)};
        size_t piece = piece_of(n);

        fsh_begin_piece(event);
        fsh_gasnet_send(node, FSH_HANDLER_ANY_PUT, args, 4, from, piece);
        from += piece;
        to += piece;
        n -= piece;
    }
}

/* ---- get ---- */

static void on_data(void *token, void *buf, size_t n, int32_t dst_hi,
                    int32_t dst_lo, int32_t ev_hi, int32_t ev_lo)
{
    (void)token;
    CAME();
    place(fsh_join_ptr(dst_hi, dst_lo), buf, n);
    finish_piece(ev_hi, ev_lo);
}

static void on_get(void *token, int32_t src_hi, int32_t src_lo, int32_t n,
                   int32_t dst_hi, int32_t dst_lo, int32_t ev_hi, int32_t ev_lo)
{
    const int32_t args[] = {dst_hi, dst_lo, ev_hi, ev_lo};

    CAME();
    fsh_answer(token, FSH_HANDLER_ANY_DATA, args, 4,
               fsh_join_ptr(src_hi, src_lo), (uint32_t)n);
}

static void any_get(void *dst, uint32_t node, const void *src, size_t n,
                    struct fsh_event *event)
{
    const char *from = src;
    char *to = dst;

    if (!is_ours(node)) {
        below->get(dst, node, src, n, event);
        return;
    }
    if (is_bridged(node, src, n, NULL, dst, event))
        return;
    while (n != 0) {
        size_t piece = piece_of(n);
        const int32_t args[] = {fsh_high_ptr(from), fsh_low_ptr(from),
                                (int32_t)piece,     fsh_high_ptr(to),
                                fsh_low_ptr(to),    fsh_high_ptr(event),
                                fsh_low_ptr(event)};

        fsh_begin_piece(event);
        fsh_gasnet_send(node, FSH_HANDLER_ANY_GET, args, 7, NULL, 0);
        from += piece;
        to += piece;
        n -= piece;
    }
}

/* ---- Long ---- */

static void on_long(struct fsh_token *token, void *buf, size_t n)
{
    const struct long_head *head = buf;
    void *dst = (void *)(uintptr_t)head->dst;
    bool is_request = token->is_request;

    assert(n >= sizeof *head);
    FSH_ASSERT(head->nargs <= MAX_ARGS && head->handler >= FSH_HANDLER_CLIENT);
    n -= sizeof *head;
    CAME();
    if (n != 0)
        fsh_simulated_copy(dst, head + 1, n);
    GOES(); /* before a reply */
    if (head->placed != 0)
        n = head->placed;
    if (head->reply)
        token->is_request = false;
    /* The same token: the client handler's reply is the reply to this
     * request. */
    token->handler = head->handler;
    token->category = FSH_AM_LONG;
    token->nargs = head->nargs;
    token->args = head->args;
    token->buf = dst;
    token->nbytes = n;
    fsh_am_deliver(token);
    token->is_request = is_request; /* the conduit's, for what it gives back */
}

static bool fits(const struct fsh_am *am)
{
    return am->nbytes <= piece_max - sizeof(struct long_head);
}

static struct long_head make_head(const struct fsh_am *am)
{
    struct long_head head = {
        .dst = (uintptr_t)am->dst, .handler = am->handler, .nargs = am->nargs};

    if (am->nargs != 0)
        memcpy(head.args, am->args, am->nargs * sizeof *am->args);
    return head;
}

static struct fsh_am carrier(uint32_t node, const struct long_head *head,
                             size_t n)
{
    return (struct fsh_am){.node = node,
                           .handler = FSH_HANDLER_ANY_LONG,
                           .category = FSH_AM_MEDIUM,
                           .src = head,
                           .nbytes = n};
}

/* The Medium that carries a Long; the caller frees its source. */
static struct fsh_am pack_long(const struct fsh_am *am)
{
    size_t n = sizeof(struct long_head) + am->nbytes;
    struct long_head *head = malloc(n);

    if (head == NULL)
        fsh_fatal("no memory for a Long active message of %zu bytes",
                  am->nbytes);
    *head = make_head(am);
    if (am->nbytes != 0)
        fsh_simulated_copy(head + 1, am->src, am->nbytes);
    return carrier(am->node, head, n);
}

/* A request: put, and wait for that. */
static void send_placed(const struct fsh_am *am)
{
    struct long_head head = make_head(am);
    const struct fsh_am then = carrier(am->node, &head, sizeof head);
    struct fsh_event put = {0};

    head.placed = (uint32_t)am->nbytes;
    any_put(am->node, am->dst, am->src, am->nbytes, &put, &put);
    fsh_wait_event(&put, "gasnet_AMRequestLong", am->node);
    below->am_request(&then);
}

static void send_placed_later(uint32_t node, const struct fsh_am *am,
                              bool reply)
{
    struct long_head head = make_head(am);
    const struct fsh_am then = carrier(node, &head, sizeof head);

    head.placed = (uint32_t)am->nbytes;
    head.reply = reply;
    fsh_long_later(am, &then, piece_max);
}

static void any_request(const struct fsh_am *am)
{
    struct fsh_am packed;

    if (am->category != FSH_AM_LONG || !is_ours(am->node)) {
        below->am_request(am);
        return;
    }
    if (!fits(am)) {
        send_placed(am);
        return;
    }
    packed = pack_long(am);
    below->am_request(&packed);
    free((void *)(uintptr_t)packed.src);
}

static void any_reply(struct fsh_token *token, const struct fsh_am *am)
{
    struct fsh_am packed;

    if (am->category != FSH_AM_LONG || !is_ours(token->source)) {
        below->am_reply(token, am);
        return;
    }
    if (!fits(am)) {
        send_placed_later(token->source, am, true);
        return;
    }
    packed = pack_long(am);
    below->am_reply(token, &packed);
    free((void *)(uintptr_t)packed.src);
}

static bool any_try_request(const struct fsh_am *am)
{
    struct fsh_am packed;
    bool sent;

    if (am->category != FSH_AM_LONG || !is_ours(am->node))
        return below->am_try_request(am);
    if (!fits(am)) {
        send_placed_later(am->node, am, false);
        return true;
    }
    packed = pack_long(am);
    sent = below->am_try_request(&packed);
    free((void *)(uintptr_t)packed.src);
    return sent;
}

static bool any_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    struct fsh_am packed;
    bool sent;

    if (am->category != FSH_AM_LONG || !is_ours(token->source))
        return below->am_try_reply(token, am);
    if (!fits(am)) {
        send_placed_later(token->source, am, true);
        return true;
    }
    packed = pack_long(am);
    sent = below->am_try_reply(token, &packed);
    free((void *)(uintptr_t)packed.src);
    return sent;
}

/* ---- the table ---- */

static void any_init(enum fsh_threads threads, struct fsh_limits *limits)
{
    below->init(threads, limits);
    piece_max = limits->am_max_medium;
    /* Programs expect a Long to hold at least a Medium. */
    limits->am_max_medium = piece_max - sizeof(struct long_head);
    limits->am_max_long_request = limits->am_max_medium;
    limits->am_max_long_reply = limits->am_max_medium;
    limits->max_segment_local = SIZE_MAX;
    limits->max_segment_global = SIZE_MAX;
}

static void any_attach(size_t size, struct fsh_segment *segs)
{
    (void)size;
    below->attach(0, segs);
}

static void unreached_init(enum fsh_threads threads, struct fsh_limits *limits)
{
    below->init(threads, limits);
    piece_max = limits->am_max_carrier;
}

/* What is not replaced here stays. */
static struct fsh_conduit_ops make_over(const struct fsh_conduit_ops *conduit)
{
    struct fsh_conduit_ops ops = *conduit;

    below = conduit;
    ops.am_request = any_request;
    ops.am_reply = any_reply;
    ops.am_try_request = any_try_request;
    ops.am_try_reply = any_try_reply;
    ops.put = any_put;
    ops.get = any_get;
    fsh_gasnet.handler[FSH_HANDLER_ANY_PUT] = (fsh_handler_fn)on_put;
    fsh_gasnet.handler[FSH_HANDLER_ANY_GET] = (fsh_handler_fn)on_get;
    fsh_gasnet.handler[FSH_HANDLER_ANY_DATA] = (fsh_handler_fn)on_data;
    fsh_gasnet.handler[FSH_HANDLER_ANY_DONE] = (fsh_handler_fn)on_done;
    fsh_gasnet.handler[FSH_HANDLER_ANY_LONG] = (fsh_handler_fn)on_long;
    return ops;
}

const struct fsh_conduit_ops *fsh_everything_over(
    const struct fsh_conduit_ops *conduit)
{
    static struct fsh_conduit_ops ops;

    ops = make_over(conduit);
    ops.init = any_init;
    ops.attach = any_attach;
    ops.direct = NULL;
    all = true;
    return &ops;
}

const struct fsh_conduit_ops *fsh_unreached_over(
    const struct fsh_conduit_ops *conduit)
{
    static struct fsh_conduit_ops ops;

    ops = make_over(conduit);
    ops.init = unreached_init;
    return &ops;
}
