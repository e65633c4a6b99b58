/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One collective of fshmem_coll.h, of any kind and form: its buffers, its call, its
 * expected result. Each rank computes that itself, from the number of the call. Each
 * rank chooses for itself what ranks need not agree on (location of buffers, in place or
 * not, blocking or not). Memory around buffers and between blocks, and sources, must not
 * change. When a call is complete locally, its buffers are overwritten, since no other
 * rank may need them any more.
 */
#ifndef FSHMEM_COLL_TEST_H
#define FSHMEM_COLL_TEST_H

#include "coll_fold.h"

#include <gasnet_coll.h>

#define FINE(call)                                                            \
    do {                                                                      \
        const fshmem_status_t coll_s_ = (call);                               \
        conf_at(CONF_HERE);                                                   \
        if (coll_s_ != FSHMEM_OK) {                                           \
            conf_fail(CONF_HERE, #call, "%s", fshmem_status_string(coll_s_)); \
        }                                                                     \
    } while (0)

enum coll_call {
    COLL_BARRIER,
    COLL_BROADCAST,
    COLL_SCATTER,
    COLL_GATHER,
    COLL_ALLGATHER,
    COLL_ALLGATHERV,
    COLL_ALLTOALL,
    COLL_ALLTOALLV,
    COLL_REDUCE,
    COLL_ALLREDUCE,
    COLL_REDUCE_SCATTER,
    COLL_SCAN,
    COLL_CALLS
};

static const char *const coll_names[COLL_CALLS] = {
    "barrier",   "broadcast",  "scatter",        "gather",
    "allgather", "allgatherv", "alltoall",       "alltoallv",
    "reduce",    "allreduce",  "reduce_scatter", "scan"};

/* ---- memory -------------------------------------------------------------- */

enum { COLL_MARGIN = 64, COLL_UNTOUCHED = 0xee, COLL_DONE_WITH = 0x5a };

struct coll_buffer {
    unsigned char *whole; /* malloc'd, or null */
    unsigned char *at;
    size_t n;
};

/* Of this thread: what it has of the segment, of which what follows coll_next is free;
 * what it chooses by. */
static __thread size_t coll_keep, coll_next, coll_end;
static __thread struct conf_rng coll_own; /* differs from rank to rank */

/* n bytes at any alignment, in the segment if asked for and there is room; all of
 * them and the margins COLL_UNTOUCHED. */
static inline struct coll_buffer coll_take(size_t n, int in_segment)
{
    struct coll_buffer b = {NULL, NULL, n};
    const size_t shift =
        conf_below(&coll_own, 2) ? conf_below(&coll_own, 64) : 0;
    const size_t room = (n + 63) / 64 * 64 + 3 * COLL_MARGIN;
    unsigned char *start;
    if (in_segment && coll_next + room <= coll_end) {
        start = conf_addr(conf.me) + coll_next;
        coll_next += room;
    } else {
        start = b.whole = (unsigned char *)malloc(room);
        CHECK(start != NULL, "malloc");
    }
    b.at = start + COLL_MARGIN + shift;
    memset(b.at - COLL_MARGIN, COLL_UNTOUCHED, n + 2 * COLL_MARGIN);
    return b;
}

static inline void coll_give_back(const char *where, struct coll_buffer *b)
{
    if (b->at == NULL) {
        return;
    }
    conf_check_bytes(where, b->at - COLL_MARGIN, COLL_MARGIN, COLL_UNTOUCHED);
    conf_check_bytes(where, b->at + b->n, COLL_MARGIN, COLL_UNTOUCHED);
    memset(b->at, COLL_DONE_WITH, b->n);
    free(b->whole);
    b->at = NULL;
}

/* ---- teams --------------------------------------------------------------- */

struct coll_team {
    gasnet_team_handle_t team;
    int ranks;
    int me;
};

static inline struct coll_team coll_team_of(gasnet_team_handle_t team)
{
    struct coll_team t;
    t.team = team;
    t.ranks = (int)gasnet_coll_team_size(team);
    t.me = (int)gasnet_coll_team_rank(team);
    CHECK(t.ranks <= COLL_MAX_RANKS, "%d ranks", t.ranks);
    return t;
}

/* ---- a call -------------------------------------------------------------- */

struct coll_op {
    /* The same on all ranks. */
    const struct coll_team *team;
    enum coll_call call;
    int root;
    size_t count; /* bytes of a block (v-forms: at most), or elements */
    struct coll_fold fold;
    unsigned flags;
    uint64_t key; /* differs from call to call */
    /* This rank's. */
    int in_place, nb, in_segment[2], lists;
    /* Set by coll_start. */
    struct coll_buffer dst, src;
    unsigned char *to, *from; /* as the call has them */
    size_t in[COLL_MAX_RANKS], in_at[COLL_MAX_RANKS];
    size_t out[COLL_MAX_RANKS], out_at[COLL_MAX_RANKS];
    gasnet_handle_t handle;
    fshmem_status_t status;
    unsigned orders; /* of a result, coll_check */
};

/* A buffer of no byte may be a null pointer, to which nothing may be added. */
static inline unsigned char *coll_at(unsigned char *buffer, size_t offset)
{
    return offset == 0 ? buffer : buffer + offset;
}

static inline int coll_reduces(enum coll_call call)
{
    return call >= COLL_REDUCE;
}

static inline int coll_rooted(enum coll_call call)
{
    return call == COLL_BROADCAST || call == COLL_SCATTER ||
           call == COLL_GATHER || call == COLL_REDUCE;
}

static inline int coll_exclusive(const struct coll_op *op)
{
    return op->call == COLL_SCAN && (op->flags & FSHMEM_COLL_EXCLUSIVE) != 0;
}

static inline size_t coll_elem(const struct coll_op *op)
{
    return coll_reduces(op->call) ? coll_size(op->fold.type, op->fold.op) : 1;
}

/* Bytes from rank i to rank j, of v-forms; of allgatherv whatever j. */
static inline size_t coll_v_bytes(const struct coll_op *op, int i, int j)
{
    const uint64_t r = coll_number(
        op->key, (uint64_t)i, op->call == COLL_ALLGATHERV ? 99 : (uint64_t)j);
    if (r % 4 == 0) {
        return 0;
    }
    return r % 4 == 1 ? op->count : (size_t)(r / 4 % (op->count + 1));
}

/* Where blocks of so many bytes are: in any order, with gaps, or one after the
 * other. The bytes of all that. */
static inline size_t coll_lay_out(const struct coll_op *op,
                                  const size_t bytes[], size_t at[])
{
    int order[COLL_MAX_RANKS];
    size_t end = 0;
    for (int i = 0; i < op->team->ranks; i++) {
        const int j = (int)conf_below(&coll_own, (size_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < op->team->ranks; i++) {
        const int block = op->lists ? order[i] : i;
        end += op->lists ? conf_below(&coll_own, 20) : 0;
        at[block] = end;
        end += bytes[block];
    }
    return end + (op->lists ? conf_below(&coll_own, 20) : 0);
}

/* Bytes of this rank's buffers, as far as it has any; sets the lists. */
static inline void coll_extents(struct coll_op *op, size_t *dst, size_t *src)
{
    const int me = op->team->me, n = op->team->ranks;
    const size_t one = op->count * coll_elem(op), all = one * (size_t)n;
    const int at_root = me == op->root;

    *dst = *src = one;
    switch (op->call) {
    case COLL_BARRIER:
        *dst = *src = 0;
        break;
    case COLL_BROADCAST:
        *src = at_root ? one : 0;
        break;
    case COLL_SCATTER:
        *src = at_root ? all : 0;
        break;
    case COLL_GATHER:
        *dst = at_root ? all : 0;
        break;
    case COLL_ALLGATHER:
        *dst = all;
        break;
    case COLL_ALLTOALL:
        *dst = *src = all;
        break;
    case COLL_ALLGATHERV:
    case COLL_ALLTOALLV:
        for (int i = 0; i < n; i++) {
            op->in[i] = coll_v_bytes(op, i, me);
            op->out[i] = coll_v_bytes(op, me, i);
        }
        *dst = coll_lay_out(op, op->in, op->in_at);
        *src = op->in[me];
        if (op->call == COLL_ALLTOALLV) {
            *src = coll_lay_out(op, op->out, op->out_at);
        }
        break;
    case COLL_REDUCE:
        *dst = at_root ? one : 0;
        break;
    case COLL_REDUCE_SCATTER:
        *src = all;
        break;
    default:
        if (coll_exclusive(op) && me == 0) {
            *dst = 0;
        }
    }
}

/* Is one buffer part of the other at this rank, if it may? */
static inline int coll_can_be_in_place(const struct coll_op *op)
{
    if (op->call == COLL_ALLTOALLV || op->call == COLL_BARRIER) {
        return 0;
    }
    if (coll_exclusive(op) && op->team->me == 0) {
        return 0;
    }
    return !coll_rooted(op->call) || op->team->me == op->root;
}

static inline void coll_place(struct coll_op *op)
{
    size_t dst, src;
    const size_t one = op->count * coll_elem(op), me = (size_t)op->team->me;
    coll_extents(op, &dst, &src);
    op->in_place = op->in_place && coll_can_be_in_place(op);
    op->dst.at = op->src.at = NULL;
    op->to = op->from = NULL;
    if (!op->in_place) {
        if (dst != 0) {
            op->dst = coll_take(dst, op->in_segment[0]);
            op->to = op->dst.at;
        }
        if (src != 0) {
            op->src = coll_take(src, op->in_segment[1]);
            op->from = op->src.at;
        }
    } else if (dst >= src) {
        op->dst = coll_take(dst, op->in_segment[0]);
        op->to = op->from = op->dst.at;
        if (op->call == COLL_GATHER || op->call == COLL_ALLGATHER) {
            op->from = coll_at(op->from, one * me);
        } else if (op->call == COLL_ALLGATHERV) {
            op->from = coll_at(op->from, op->in_at[me]);
        }
    } else {
        op->src = coll_take(src, op->in_segment[1]);
        op->from = op->src.at;
        op->to = coll_at(op->from, one * me);
    }
}

/* ---- contents ------------------------------------------------------------ */

static inline unsigned coll_pattern(const struct coll_op *op, int rank,
                                    int block)
{
    return (unsigned)(op->key * 997u) + (unsigned)rank * 31u +
           (unsigned)block * 5u;
}

/* Calls visit(op, block, where it begins, bytes, data) for each block of this rank's
 * source. */
typedef void (*coll_visit_fn)(const struct coll_op *op, int block,
                              unsigned char *at, size_t bytes);

static inline void coll_each_source(const struct coll_op *op,
                                    coll_visit_fn visit)
{
    const int me = op->team->me, n = op->team->ranks;
    const size_t one = op->count * coll_elem(op);
    const int at_root = me == op->root;
    int blocks = 1;
    if (op->call == COLL_BARRIER || (op->call == COLL_BROADCAST && !at_root)) {
        blocks = 0;
    } else if (op->call == COLL_SCATTER) {
        blocks = at_root ? n : 0;
    } else if (op->call == COLL_ALLTOALL || op->call == COLL_ALLTOALLV ||
               op->call == COLL_REDUCE_SCATTER) {
        blocks = n;
    }
    for (int b = 0; b < blocks; b++) {
        if (op->call == COLL_ALLTOALLV) {
            visit(op, b, coll_at(op->from, op->out_at[b]), op->out[b]);
        } else if (op->call == COLL_ALLGATHERV) {
            visit(op, b, op->from, op->in[me]);
        } else {
            visit(op, b, coll_at(op->from, one * (size_t)b), one);
        }
    }
}

static inline void coll_fill_block(const struct coll_op *op, int block,
                                   unsigned char *at, size_t bytes)
{
    if (bytes == 0) {
        return;
    }
    if (coll_reduces(op->call)) {
        coll_elements(&op->fold, op->team->me, op->count * (size_t)block,
                      op->count, at);
    } else {
        conf_fill(at, bytes, coll_pattern(op, op->team->me, block));
    }
}

/* A block of a source that is no result either is what it was. */
static inline void coll_check_block(const struct coll_op *op, int block,
                                    unsigned char *at, size_t bytes)
{
    const size_t size = coll_elem(op);
    if (bytes == 0 || (op->in_place && (op->src.at == NULL || at == op->to))) {
        return;
    }
    if (!coll_reduces(op->call)) {
        CHECK_FILL(at, bytes, coll_pattern(op, op->team->me, block));
        return;
    }
    for (size_t i = 0; i < op->count; i++) {
        const struct coll_element e = coll_element(
            &op->fold, op->team->me, op->count * (size_t)block + i);
        CHECK(memcmp(e.byte, at + i * size, size) == 0,
              "%s: element %zu of the source has changed", coll_names[op->call],
              i);
    }
}

/* Between the blocks that a list places nothing is written. */
static inline void coll_check_gaps(const char *where, const struct coll_op *op)
{
    unsigned char *taken;
    if (op->dst.at == NULL || op->dst.n == 0) {
        return;
    }
    taken = (unsigned char *)calloc(op->dst.n, 1);
    CHECK(taken != NULL, "calloc");
    for (int i = 0; i < op->team->ranks; i++) {
        memset(taken + op->in_at[i], 1, op->in[i]);
    }
    for (size_t i = 0; i < op->dst.n; i++) {
        if (!taken[i] && op->dst.at[i] != COLL_UNTOUCHED) {
            conf_fail(where, "gap between blocks", "byte %zu is %#x", i,
                      op->dst.at[i]);
        }
    }
    free(taken);
}

static inline void coll_check_moved(const char *where, const struct coll_op *op)
{
    const int me = op->team->me, n = op->team->ranks;
    const size_t one = op->count;
    switch (op->call) {
    case COLL_BROADCAST:
        conf_check_fill(where, op->to, one, coll_pattern(op, op->root, 0));
        break;
    case COLL_SCATTER:
        conf_check_fill(where, op->to, one, coll_pattern(op, op->root, me));
        break;
    case COLL_ALLGATHERV:
    case COLL_ALLTOALLV:
        for (int i = 0; i < n; i++) {
            conf_check_fill(
                where, coll_at(op->to, op->in_at[i]), op->in[i],
                coll_pattern(op, i, op->call == COLL_ALLGATHERV ? 0 : me));
        }
        coll_check_gaps(where, op);
        break;
    default:
        if (op->call == COLL_GATHER && me != op->root) {
            return;
        }
        for (int i = 0; i < n; i++) {
            conf_check_fill(
                where, coll_at(op->to, one * (size_t)i), one,
                coll_pattern(op, i, op->call == COLL_ALLTOALL ? me : 0));
        }
    }
}

static inline void coll_check_reduced(const char *where, struct coll_op *op)
{
    const int me = op->team->me;
    struct coll_part part = {0, op->count, op->count, 0, -1};
    if (op->call == COLL_REDUCE && me != op->root) {
        return;
    }
    if (op->call == COLL_REDUCE_SCATTER) {
        part.first = op->count * (size_t)me;
        part.total = 0;
        part.block = me;
    } else if (op->call == COLL_SCAN) {
        part.last = coll_exclusive(op) ? me - 1 : me;
        if (part.last < 0) {
            return;
        }
    }
    op->orders = coll_match(where, &op->fold, &part, op->to);
}

/* The results of a complete call at this rank, and what must be as it was. */
static inline void coll_check(const char *where, struct coll_op *op)
{
    conf_at(where);
    op->orders = 0;
    if (op->count == 0 || op->call == COLL_BARRIER) {
        return;
    }
    if (coll_reduces(op->call)) {
        coll_check_reduced(where, op);
    } else {
        coll_check_moved(where, op);
    }
    coll_each_source(op, coll_check_block);
}

/* ---- making it ----------------------------------------------------------- */

#define COLL_MAKE(NAME, ...)                                                  \
    op->status =                                                              \
        op->nb ? fshmem_coll_##NAME##_nb(__VA_ARGS__, op->flags, &op->handle) \
               : fshmem_coll_##NAME(__VA_ARGS__, op->flags)

static inline void coll_make_move(struct coll_op *op)
{
    gasnet_team_handle_t team = op->team->team;
    const gasnet_node_t root = (gasnet_node_t)op->root;
    const size_t *in_at = op->lists ? op->in_at : NULL;
    const size_t *out_at = op->lists ? op->out_at : NULL;
    unsigned char *to = op->to, *from = op->from;

    switch (op->call) {
    case COLL_BARRIER:
        COLL_MAKE(barrier, team);
        break;
    case COLL_BROADCAST:
        COLL_MAKE(broadcast, team, to, root, from, op->count);
        break;
    case COLL_SCATTER:
        COLL_MAKE(scatter, team, to, root, from, op->count);
        break;
    case COLL_GATHER:
        COLL_MAKE(gather, team, root, to, from, op->count);
        break;
    case COLL_ALLGATHER:
        COLL_MAKE(allgather, team, to, from, op->count);
        break;
    case COLL_ALLGATHERV:
        COLL_MAKE(allgatherv, team, to, op->in, in_at, from);
        break;
    case COLL_ALLTOALL:
        COLL_MAKE(alltoall, team, to, from, op->count);
        break;
    default:
        COLL_MAKE(alltoallv, team, to, op->in, in_at, from, op->out, out_at);
    }
}

static inline void coll_make_reduction(struct coll_op *op)
{
    gasnet_team_handle_t team = op->team->team;
    const gasnet_node_t root = (gasnet_node_t)op->root;
    const fshmem_type_t type = op->fold.type;
    const fshmem_op_t how = op->fold.op;

    switch (op->call) {
    case COLL_REDUCE:
        COLL_MAKE(reduce, team, root, op->to, op->from, op->count, type, how);
        break;
    case COLL_ALLREDUCE:
        COLL_MAKE(allreduce, team, op->to, op->from, op->count, type, how);
        break;
    case COLL_REDUCE_SCATTER:
        COLL_MAKE(reduce_scatter, team, op->to, op->from, op->count, type, how);
        break;
    default:
        COLL_MAKE(scan, team, op->to, op->from, op->count, type, how);
    }
}

/* Only the call; op->status is what it says, op->handle that of a nb. */
static inline void coll_make(struct coll_op *op)
{
    op->handle = GASNET_INVALID_HANDLE;
    if (coll_reduces(op->call)) {
        coll_make_reduction(op);
    } else {
        coll_make_move(op);
    }
}

static inline void coll_prepare(struct coll_op *op)
{
    op->fold.key = op->key;
    op->fold.ranks = op->team->ranks;
    op->fold.name = coll_names[op->call];
    coll_place(op);
    coll_each_source(op, coll_fill_block);
}

/* Lists of counts are the caller's again as soon as a call returns. */
static inline void coll_start(struct coll_op *op)
{
    size_t lists[4][COLL_MAX_RANKS];
    coll_prepare(op);
    memcpy(lists[0], op->in, sizeof op->in);
    memcpy(lists[1], op->in_at, sizeof op->in_at);
    memcpy(lists[2], op->out, sizeof op->out);
    memcpy(lists[3], op->out_at, sizeof op->out_at);
    coll_make(op);
    memset(op->in, 0xff, sizeof op->in);
    memset(op->in_at, 0xff, sizeof op->in_at);
    memset(op->out, 0xff, sizeof op->out);
    memset(op->out_at, 0xff, sizeof op->out_at);
    if (op->nb && op->handle != GASNET_INVALID_HANDLE) {
        gasnet_AMPoll();
    }
    memcpy(op->in, lists[0], sizeof op->in);
    memcpy(op->in_at, lists[1], sizeof op->in_at);
    memcpy(op->out, lists[2], sizeof op->out);
    memcpy(op->out_at, lists[3], sizeof op->out_at);
}

/* Of a complete call: everything is as it should be, and its memory free. */
#define COLL_FINISH(op) coll_finish(CONF_HERE, op)
static inline void coll_finish(const char *where, struct coll_op *op)
{
    coll_check(where, op);
    coll_give_back(where, &op->dst);
    coll_give_back(where, &op->src);
}

/* From the call to its end. */
static inline void coll_run(struct coll_op *op)
{
    coll_start(op);
    FINE(op->status);
    if (op->nb) {
        gasnet_wait_syncnb(op->handle);
    }
    COLL_FINISH(op);
}

/* ---- choice -------------------------------------------------------------- */

/* What this rank chooses for itself. */
static inline void coll_choose_own(struct coll_op *op)
{
    op->in_place = conf_below(&coll_own, 4) == 0;
    op->nb = conf_below(&coll_own, 2) != 0;
    op->in_segment[0] = conf_below(&coll_own, 2) != 0;
    op->in_segment[1] = conf_below(&coll_own, 2) != 0;
    op->lists = conf_below(&coll_own, 3) != 0;
}

/* A reduction that there is. */
static inline void coll_choose_fold(struct coll_fold *f, struct conf_rng *rng)
{
    do {
        f->type = (fshmem_type_t)conf_below(rng, COLL_TYPES);
        f->op = (fshmem_op_t)conf_below(rng, COLL_OPS);
        f->style = (enum coll_style)conf_below(rng, COLL_STYLES);
    } while (coll_size(f->type, f->op) == 0);
}

/* A rank that comes late. */
static inline void coll_dawdle(void)
{
    const size_t polls = conf_below(&coll_own, 16);
    for (size_t i = 0; polls < 4 && i < 50 * polls; i++) {
        gasnet_AMPoll();
    }
}

/* This thread may use so much of the segment. */
static inline void coll_thread(int number, size_t first, size_t end)
{
    coll_own = conf_rng(1000 + conf.me + (uint64_t)number * COLL_MAX_RANKS);
    coll_keep = coll_next = first;
    coll_end = end;
}

static inline void coll_begin(const char *name, int *argc, char ***argv,
                              size_t segment)
{
    conf_start(name, argc, argv, NULL, 0, segment);
    coll_thread(0, 0, segment);
}

#endif
