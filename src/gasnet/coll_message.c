/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a stream of a collective gets from one node to another. The receiver says
 * that it is in the call (READY, with an address if a put can reach the place);
 * the sender then puts and says so (PLACED), or sends the bytes (DATA). Nothing
 * is buffered, and no message comes for an operation that is complete.
 *
 * Each message is answered (TAKEN), and a node has at most MAX_IN_FLIGHT of them
 * unanswered at another, so that clients find room beside them; operations that
 * want to send more wait in a queue of the node, each with one entry for all its
 * messages to that node. A message is sent only if there is room for it now: polls
 * send, and must not block on a node that does not poll. Handlers record what came and
 * enqueue the operation; everything else is called by the thread that runs operations.
 */
#include <assert.h>
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/coll_engine.h"

#define MAX_IN_FLIGHT 8u /* to a node; fpga has 16 slots a peer */
#define PUT_FROM 4096u   /* shorter streams are one or two messages anyway */
#define PACK_BELOW 2048u /* shorter pieces share a message */

enum message { READY, DATA, PLACED, PASS, CLAIM };

/* What every message says, beside a and b. */
struct header {
    enum message message;
    enum fsh_coll_kind kind;
    unsigned view;
    uint32_t team; /* its number at the receiver */
    uint32_t number;
    uint32_t rank; /* of the sender */
    uint64_t a;
    uint64_t b;
};

/* What goes to a node: how many messages are in flight, and the operations that
 * wait to send another, in order. Under the lock. */
struct queue {
    uint32_t sent;
    struct fsh_coll_peer *first;
    struct fsh_coll_peer *last;
};
static struct queue *queues; /* [nodes] */
static char *bounce;         /* am_max_medium bytes, where pieces are packed */

/* ---- queues; lock held ---- */

static void queue_join(struct queue *queue, struct fsh_coll_peer *peer)
{
    if (peer->blocked)
        return;
    FSH_ASSERT(fsh_lock_is_mine(&fsh_coll_lock));
    FSH_ASSERT((queue->first == NULL) == (queue->last == NULL));
    peer->blocked = true;
    peer->ahead = queue->last;
    peer->behind = NULL;
    *(queue->last != NULL ? &queue->last->behind : &queue->first) = peer;
    queue->last = peer;
}

static void queue_leave(struct queue *queue, struct fsh_coll_peer *peer)
{
    if (!peer->blocked)
        return;
    FSH_ASSERT(peer->ahead == NULL ? queue->first == peer
                                   : peer->ahead->behind == peer);
    FSH_ASSERT(peer->behind == NULL ? queue->last == peer
                                    : peer->behind->ahead == peer);
    peer->blocked = false;
    *(peer->ahead != NULL ? &peer->ahead->behind : &queue->first) =
        peer->behind;
    *(peer->behind != NULL ? &peer->behind->ahead : &queue->last) = peer->ahead;
}

/* May op send to rank? If not, it is run again when it may. This and the next
 * function take the lock. */
static bool queue_enter(struct fsh_coll_op *op, uint32_t rank)
{
    struct queue *queue = &queues[op->team->node[rank]];
    bool free;

    fsh_lock_take(&fsh_coll_lock);
    FSH_ASSERT(queue->sent <= MAX_IN_FLIGHT);
    free = queue->sent < MAX_IN_FLIGHT;
    if (free) {
        queue->sent++;
        /* The entry may be for another message of op, refused earlier in this run:
         * room came since, and queue_return told the first in the queue. With the
         * entry gone nothing would run op again for that message. */
        op->starved |= op->peer[rank].blocked;
        queue_leave(queue, &op->peer[rank]);
    } else {
        queue_join(queue, &op->peer[rank]);
    }
    fsh_lock_give(&fsh_coll_lock);
    return free;
}

/* One message less is in flight to the node: run the first that waits. */
static void queue_return(uint32_t node)
{
    struct queue *queue = &queues[node];
    struct fsh_coll_peer *peer;

    fsh_lock_take(&fsh_coll_lock);
    FSH_ASSERT(queue->sent != 0); /* an answer for each message */
    queue->sent--;
    peer = queue->first;
    if (peer != NULL) {
        queue_leave(queue, peer);
        fsh_coll_enqueue(peer->op);
    }
    fsh_lock_give(&fsh_coll_lock);
}

static void on_taken(void *token)
{
    queue_return(((struct fsh_token *)token)->source);
}

/* ---- streams ---- */

static size_t stream_bytes(const struct fsh_coll_stream *s)
{
    return s->piece * s->count;
}

/* Where byte `offset` of a stream is, and how many follow it there, at most the
 * *n there was. */
static char *stream_at(const struct fsh_coll_op *op,
                       const struct fsh_coll_stream *s, uint32_t rank,
                       size_t offset, size_t *n)
{
    size_t inside = offset % s->piece;

    FSH_ASSERT(offset + *n <= stream_bytes(s));
    if (*n > s->piece - inside)
        *n = s->piece - inside;
    return s->at(op, rank, offset / s->piece) + inside;
}

/* n bytes from offset on: out of the stream into buf, or back. */
static void stream_copy(const struct fsh_coll_op *op,
                        const struct fsh_coll_stream *s, uint32_t rank,
                        size_t offset, char *buf, size_t n, bool into_stream)
{
    for (size_t part; n != 0; n -= part) {
        char *at;

        part = n;
        at = stream_at(op, s, rank, offset, &part);
        if (into_stream)
            fsh_simulated_copy(at, buf, part);
        else
            fsh_simulated_copy(buf, at, part);
        buf += part;
        offset += part;
    }
}

void fsh_coll_copy_self(struct fsh_coll_op *op)
{
    uint32_t me = op->team->rank;
    struct fsh_coll_stream in = op->algorithm->in(op, me);
    struct fsh_coll_stream out = op->algorithm->out(op, me);
    size_t n = stream_bytes(&in), part;

    for (size_t at = 0; at < n; at += part) {
        char *to, *from;

        part = n - at;
        to = stream_at(op, &in, me, at, &part);
        from = stream_at(op, &out, me, at, &part);
        if (to != from) {
            fsh_simulated_moving(to, from, NULL, part);
            memmove(to, from, part);
            fsh_simulated_moved();
        }
    }
}

/* ---- messages ---- */

/* Behind queue_enter. False: not now, the conduit has no room, and op is starved. */
static bool send_entered(struct fsh_coll_op *op, uint32_t rank,
                         enum message message, uint64_t a, uint64_t b,
                         const void *src, size_t n)
{
    static const char nothing;
    uint32_t node = op->team->node[rank];
    unsigned what =
        (unsigned)message | (unsigned)op->call.kind << 8 | op->view_index << 16;
    const int32_t args[] = {
        (int32_t)what,       (int32_t)op->team->number[rank],
        (int32_t)op->number, (int32_t)op->team->rank,
        fsh_high(a),         fsh_low(a),
        fsh_high(b),         fsh_low(b)};

    FSH_ASSERT(rank < op->team->size && rank != op->team->rank);
    FSH_ASSERT(!op->done || message == CLAIM);
    if (!fsh_gasnet_try_send(node, FSH_HANDLER_COLL, args, 8,
                             src != NULL ? src : &nothing, n)) {
        queue_return(node);
        op->starved = true;
        return false;
    }
    fsh_coll_advances++;
    return true;
}

/* False: not now. The same, or MAX_IN_FLIGHT messages to the node are unanswered, and
 * op waits in its queue. */
static bool send(struct fsh_coll_op *op, uint32_t rank, enum message message,
                 uint64_t a, uint64_t b, const void *src, size_t n)
{
    return queue_enter(op, rank) &&
           send_entered(op, rank, message, a, b, src, n);
}

/* Debug: n more bytes of rank's are no more than its stream has. */
static bool is_expected(const struct fsh_coll_op *op, uint32_t rank, size_t n)
{
    struct fsh_coll_stream s = op->algorithm->in(op, rank);

    return atomic_load(&op->peer[rank].got) + n <= stream_bytes(&s);
}

/* Write down what came; lock held. */
static void record(struct fsh_coll_op *op, const struct header *h,
                   const void *buf, size_t n)
{
    struct fsh_coll_peer *peer = &op->peer[h->rank];

    switch (h->message) {
    case READY:
        FSH_ASSERT(!atomic_load(&peer->ready)); /* said once */
        peer->addr = h->a;
        peer->wanted = h->b;
        peer->kind = h->kind;
        /* Partner: the acquire in fsh_coll_push. */
        atomic_store_explicit(&peer->ready, true, memory_order_release);
        break;
    case DATA:
    case PLACED:
        n += h->b;
        FSH_ASSERT(op->algorithm != NULL && is_expected(op, h->rank, n));
        /* Partner: the acquire in fsh_coll_received. */
        atomic_fetch_add_explicit(&peer->got, n, memory_order_release);
        break;
    case PASS:
        FSH_ASSERT(h->a < 2 && h->b < FSH_BARRIER_ROUNDS);
        FSH_ASSERT(!(atomic_load(&op->arrived[h->a]) >> h->b & 1));
        /* Partner: the acquire in pass. */
        atomic_fetch_or_explicit(&op->arrived[h->a], UINT32_C(1) << h->b,
                                 memory_order_release);
        break;
    case CLAIM:
        assert(n == sizeof op->theirs);
        FSH_ASSERT(!op->heard);
        memcpy(&op->theirs, buf, n);
        op->heard = true;
        fsh_coll_compare(op);
        break;
    }
    fsh_coll_enqueue(op);
}

/* Only if the nodes do not make the same calls: an operation that is complete
 * has had all its messages. */
static _Noreturn void came_late(const struct fsh_team *team, uint32_t rank)
{
    fsh_fatal(
        "a collective: node %u takes part in one that is complete on node "
        "%u (this one): members of a team make the same calls in the same "
        "order, with the same root and nbytes",
        team->node[rank], fsh_gasnet.rank);
}

static void receive(const struct header *h, uint32_t source, void *buf,
                    size_t n)
{
    struct fsh_team *team = fsh_team_at(h->team);
    struct fsh_coll_op *op;

    assert(team != NULL && h->rank < team->size && h->view < FSH_VIEWS);
    FSH_ASSERT(team->node[h->rank] == source);
    fsh_lock_take(&fsh_coll_lock);
    op = fsh_coll_find(team, h->view, h->number);
    if (__builtin_expect(op == NULL, 0))
        came_late(team, h->rank);
    if (h->message == DATA) {
        struct fsh_coll_stream s;

        /* Others may copy their parts at the same time; the operation stays
         * until ours is recorded. */
        fsh_lock_give(&fsh_coll_lock);
        assert(op->algorithm != NULL);
        s = op->algorithm->in(op, h->rank);
        stream_copy(op, &s, h->rank, h->a, buf, n, true);
        fsh_lock_take(&fsh_coll_lock);
    }
    record(op, h, buf, n);
    fsh_lock_give(&fsh_coll_lock);
}

static void on_message(void *token, void *buf, size_t nbytes, int32_t what,
                       int32_t team, int32_t number, int32_t rank, int32_t a_hi,
                       int32_t a_lo, int32_t b_hi, int32_t b_lo)
{
    const struct header header = {.message = (enum message)(what & 0xff),
                                  .kind =
                                      (enum fsh_coll_kind)(what >> 8 & 0xff),
                                  .view = (unsigned)what >> 16,
                                  .team = (uint32_t)team,
                                  .number = (uint32_t)number,
                                  .rank = (uint32_t)rank,
                                  .a = fsh_join(a_hi, a_lo),
                                  .b = fsh_join(b_hi, b_lo)};

    receive(&header, ((struct fsh_token *)token)->source, buf, nbytes);
    fsh_answer(token, FSH_HANDLER_COLL_TAKEN, NULL, 0, NULL, 0);
}

/* ---- what algorithms call ---- */

char *fsh_coll_scratch(struct fsh_coll_op *op, size_t n)
{
    if (op->scratch == NULL)
        op->scratch = n <= sizeof op->small ? op->small : malloc(n);
    if (op->scratch == NULL)
        fsh_fatal("%s: no memory for %zu bytes of intermediate results",
                  op->call.name, n);
    return op->scratch;
}

bool fsh_coll_received(const struct fsh_coll_op *op, uint32_t rank)
{
    struct fsh_coll_stream s = op->algorithm->in(op, rank);

    return atomic_load_explicit(&op->peer[rank].got, memory_order_acquire) ==
           stream_bytes(&s);
}

static bool in_segment(const void *at, size_t n)
{
    const struct fsh_segment *seg = &fsh_gasnet.segs[fsh_gasnet.rank];
    uintptr_t offset = (uintptr_t)at - (uintptr_t)seg->addr;

    return offset <= seg->size && n <= seg->size - offset;
}

bool fsh_coll_grant(struct fsh_coll_op *op, uint32_t rank)
{
    struct fsh_coll_stream s = op->algorithm->in(op, rank);
    size_t n = stream_bytes(&s);
    uint64_t addr = 0;

    if (op->peer[rank].granted || s.count == 0)
        return true;
    if (s.count == 1 && n > PUT_FROM && in_segment(s.at(op, rank, 0), n))
        addr = (uintptr_t)s.at(op, rank, 0);
    op->peer[rank].granted = send(op, rank, READY, addr, n, NULL, 0);
    return op->peer[rank].granted;
}

static void check_agreement(const struct fsh_coll_op *op, uint32_t rank,
                            size_t n)
{
    const struct fsh_coll_peer *peer = &op->peer[rank];

    if (peer->kind != op->call.kind)
        fsh_fatal("%s: node %u is in another collective: all members of a "
                  "team call the same ones in the same order",
                  op->call.name, op->team->node[rank]);
    if (peer->wanted != n)
        fsh_fatal(
            "%s: node %u waits for %zu bytes of node %u (this one), which "
            "has %zu for it: nbytes differ",
            op->call.name, op->team->node[rank], (size_t)peer->wanted,
            fsh_gasnet.rank, n);
}

static enum fsh_coll_step push_by_put(struct fsh_coll_op *op, uint32_t rank,
                                      const char *src, size_t n)
{
    struct fsh_coll_peer *peer = &op->peer[rank];
    uint32_t node = op->team->node[rank];

    FSH_ASSERT(atomic_load(&peer->ready) && !peer->told && peer->sent == 0);
    if (!peer->put) {
        void *dst = (void *)(uintptr_t)peer->addr;

        peer->put = true;
        fsh_check_range(op->call.name, node, dst, n);
        fsh_gasnet.ops->put(node, dst, src, n, &peer->event, &peer->event);
        fsh_coll_advances++;
    }
    if (!fsh_event_done(&peer->event) || !send(op, rank, PLACED, 0, n, NULL, 0))
        return FSH_COLL_AGAIN;
    peer->told = true;
    return FSH_COLL_DONE;
}

/* The next message of a stream: short pieces share it. */
static bool push_message(struct fsh_coll_op *op, uint32_t rank,
                         const struct fsh_coll_stream *s)
{
    struct fsh_coll_peer *peer = &op->peer[rank];
    size_t n = stream_bytes(s) - peer->sent, part;
    const char *src;

    if (!queue_enter(op, rank)) /* before anything is copied for it */
        return false;
    if (n > fsh_gasnet.limits.am_max_medium)
        n = fsh_gasnet.limits.am_max_medium;
    part = n;
    src = stream_at(op, s, rank, peer->sent, &part);
    if (part >= PACK_BELOW) {
        n = part;
    } else if (part < n) {
        stream_copy(op, s, rank, peer->sent, bounce, n, false);
        src = bounce;
    }
    if (!send_entered(op, rank, DATA, peer->sent, 0, src, n))
        return false;
    peer->sent += n;
    FSH_ASSERT(peer->sent <= stream_bytes(s));
    return true;
}

enum fsh_coll_step fsh_coll_push(struct fsh_coll_op *op, uint32_t rank)
{
    struct fsh_coll_peer *peer = &op->peer[rank];
    struct fsh_coll_stream s = op->algorithm->out(op, rank);
    size_t n = stream_bytes(&s);

    if (s.count == 0 || peer->told)
        return FSH_COLL_DONE;
    if (!atomic_load_explicit(&peer->ready, memory_order_acquire))
        return FSH_COLL_WAIT;
    check_agreement(op, rank, n);
    if (peer->addr != 0 && s.count == 1)
        return push_by_put(op, rank, s.at(op, rank, 0), n);
    while (peer->sent < n)
        if (!push_message(op, rank, &s))
            return FSH_COLL_WAIT;
    peer->told = true;
    return FSH_COLL_DONE;
}

bool fsh_coll_send_pass(struct fsh_coll_op *op, uint32_t rank, unsigned which,
                        unsigned round)
{
    return send(op, rank, PASS, which, round, NULL, 0);
}

bool fsh_coll_send_claim(struct fsh_coll_op *op, uint32_t rank,
                         const struct fsh_coll_claim *claim)
{
    return send(op, rank, CLAIM, 0, 0, claim, sizeof *claim);
}

void fsh_coll_register(void)
{
    free(queues); /* unit tests register again, with more nodes */
    queues = calloc(fsh_gasnet.nodes, sizeof *queues);
    if (queues == NULL)
        fsh_fatal("gasnet_init: no memory for %u nodes", fsh_gasnet.nodes);
    fsh_gasnet.handler[FSH_HANDLER_COLL] = (fsh_handler_fn)on_message;
    fsh_gasnet.handler[FSH_HANDLER_COLL_TAKEN] = (fsh_handler_fn)on_taken;
}

void fsh_coll_limits(void)
{
    bounce = malloc(fsh_gasnet.limits.am_max_medium);
    if (bounce == NULL)
        fsh_fatal("gasnet_init: no memory for a message of %zu bytes",
                  fsh_gasnet.limits.am_max_medium);
}
