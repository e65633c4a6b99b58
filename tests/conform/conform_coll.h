/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One collective of any kind and form: its buffers, its call, its expected
 * result. Every image computes the expectation itself, from the number of the
 * call. Buffers are followed by a margin that must not change. Reductions compose
 * affine maps modulo 251, which depends on the order but not on the grouping.
 */
#ifndef CONFORM_COLL_H
#define CONFORM_COLL_H

#include "conform.h"

#include <gasnet_coll.h>

enum coll_kind {
    BROADCAST,
    SCATTER,
    GATHER,
    GATHER_ALL,
    EXCHANGE,
    REDUCE,
    SCAN,
    COLL_KINDS
};
/* The form without M, and that with M and the flag LOCAL or SINGLE. */
enum coll_form { LOCAL_ONE, LOCAL_LIST, SINGLE_LIST, COLL_FORMS };
enum { COLL_MARGIN = 16, COLL_MAX_IMAGES = 64, COLL_ARG = 77 };

/* A team as the program knows it, seen by one image. */
struct coll_team {
    gasnet_team_handle_t team;
    int images;                 /* in all */
    int mine;                   /* on this node */
    int first;                  /* of those */
    int me;                     /* image */
    int rank[COLL_MAX_IMAGES];  /* of each image, in the team */
    int local[COLL_MAX_IMAGES]; /* its number there */
};

struct coll_op {
    const struct coll_team *team;
    enum coll_kind kind;
    enum coll_form form;
    int flags; /* the synchronisation; scans: and which */
    int root;
    size_t nbytes;                       /* of a block */
    unsigned key;                        /* differs from call to call */
    unsigned char *dst[COLL_MAX_IMAGES]; /* of each image, or at least of */
    unsigned char *src[COLL_MAX_IMAGES]; /* those of this node */
    gasnet_coll_handle_t handle;
};

/* A team of one image a node. */
static inline void coll_team_plain(struct coll_team *team,
                                   gasnet_team_handle_t handle)
{
    team->team = handle;
    team->images = (int)gasnet_coll_team_size(handle);
    team->mine = 1;
    team->me = team->first = (int)gasnet_coll_team_rank(handle);
    for (int i = 0; i < team->images; i++) {
        team->rank[i] = i;
        team->local[i] = 0;
    }
}

static const int coll_in_flags[] = {
    GASNET_COLL_IN_NOSYNC, GASNET_COLL_IN_MYSYNC, GASNET_COLL_IN_ALLSYNC};
static const int coll_out_flags[] = {
    GASNET_COLL_OUT_NOSYNC, GASNET_COLL_OUT_MYSYNC, GASNET_COLL_OUT_ALLSYNC};

/* The synchronisation number i of 9. */
static inline int coll_sync_flags(int i)
{
    return coll_in_flags[i / 3 % 3] | coll_out_flags[i % 3];
}

/* Bytes of buffers of one image for blocks of nbytes, with the margin. */
static inline size_t coll_room(const struct coll_team *team, size_t nbytes)
{
    return (size_t)team->images * nbytes + COLL_MARGIN;
}

/* ---- functions ---------------------------------------------------------- */

/* A map x -> a x + b is the bytes a, b; left is applied first. */
static inline void coll_compose(void *results, size_t count, const void *left,
                                size_t left_count, const void *right,
                                size_t elem_size, int flags, int arg)
{
    unsigned char *r = (unsigned char *)results;
    const unsigned char *x = (const unsigned char *)left;
    const unsigned char *y = (const unsigned char *)right;

    CHECK_EQ(elem_size, 2);
    CHECK_EQ(left_count, count);
    CHECK_EQ(arg, COLL_ARG);
    CHECK_EQ(flags & GASNET_COLL_NONCOMM, GASNET_COLL_NONCOMM);
    for (size_t i = 0; i < 2 * count; i += 2) {
        const int a = x[i] * y[i] % 251;
        const int b = (x[i + 1] * y[i] + y[i + 1]) % 251;
        r[i] = (unsigned char)a;
        r[i + 1] = (unsigned char)b;
    }
}

/* An entry that nothing calls, so that an index of 0 is noticed. */
static inline void coll_wrong(void *results, size_t count, const void *left,
                              size_t left_count, const void *right,
                              size_t elem_size, int flags, int arg)
{
    (void)results, (void)count, (void)left, (void)left_count;
    (void)right, (void)elem_size, (void)flags, (void)arg;
    CHECK(0, "the wrong function is called");
}

enum { COLL_FUNCTION = 1, COLL_FUNCTIONS = 2 };

static inline void coll_functions(gasnet_coll_fn_entry_t *table)
{
    table[0].fnptr = coll_wrong;
    table[0].flags = 0;
    table[COLL_FUNCTION].fnptr = coll_compose;
    table[COLL_FUNCTION].flags = GASNET_COLL_NONCOMM;
}

/* ---- contents ----------------------------------------------------------- */

/* Byte b of block `block` at the source of an image. */
static inline unsigned char coll_value(const struct coll_op *op, int image,
                                       int block, size_t b)
{
    const unsigned char v = conf_byte(
        op->key * 997u + (unsigned)image * 31u + (unsigned)block * 5u, b);
    return op->kind < REDUCE ? v : (unsigned char)(v % 251u);
}

static inline int coll_src_blocks(const struct coll_op *op)
{
    const int many = op->kind == EXCHANGE ||
                     (op->kind == SCATTER && op->team->me == op->root);
    return many ? op->team->images : 1;
}

/* Blocks that this image gets. */
static inline int coll_dst_blocks(const struct coll_op *op)
{
    switch (op->kind) {
    case GATHER:
        return op->team->me == op->root ? op->team->images : 0;
    case REDUCE:
        return op->team->me == op->root ? 1 : 0;
    case GATHER_ALL:
    case EXCHANGE:
        return op->team->images;
    case SCAN:
        return (op->flags & GASNET_COLL_EXCLUSIVE_SCAN) && op->team->me == 0
                   ? 0
                   : 1;
    default:
        return 1;
    }
}

static inline unsigned char *coll_dst(const struct coll_op *op)
{
    return op->dst[op->team->me];
}

static inline void coll_prepare(const struct coll_op *op)
{
    unsigned char *src = op->src[op->team->me];
    for (int i = 0; i < coll_src_blocks(op); i++) {
        for (size_t b = 0; b < op->nbytes; b++) {
            src[(size_t)i * op->nbytes + b] =
                coll_value(op, op->team->me, i, b);
        }
    }
    memset(coll_dst(op), 0xee,
           (size_t)coll_dst_blocks(op) * op->nbytes + COLL_MARGIN);
}

/* What images first..last make together, one element. */
static inline void coll_fold(const struct coll_op *op, int last, size_t at,
                             unsigned char *element)
{
    element[0] = 1;
    element[1] = 0;
    for (int i = 0; i <= last; i++) {
        unsigned char next[2];
        next[0] = coll_value(op, i, 0, at);
        next[1] = coll_value(op, i, 0, at + 1);
        coll_compose(element, 1, element, 1, next, 2, GASNET_COLL_NONCOMM,
                     COLL_ARG);
    }
}

static inline unsigned char coll_expected(const struct coll_op *op, int block,
                                          size_t b)
{
    unsigned char element[2];
    int last = op->team->images - 1;

    switch (op->kind) {
    case BROADCAST:
        return coll_value(op, op->root, 0, b);
    case SCATTER:
        return coll_value(op, op->root, op->team->me, b);
    case EXCHANGE:
        return coll_value(op, block, op->team->me, b);
    case SCAN:
        last = op->team->me;
        if (op->flags & GASNET_COLL_EXCLUSIVE_SCAN) {
            last--;
        }
        /* fall through */
    case REDUCE:
        coll_fold(op, last, b & ~(size_t)1, element);
        return element[b & 1];
    default:
        return coll_value(op, block, 0, b);
    }
}

#define COLL_CHECK(op, at) coll_check(CONF_HERE, op, at)
/* The destination of the calling image, at `at` (a copy of it, perhaps). */
static inline void coll_check(const char *where, const struct coll_op *op,
                              const unsigned char *at)
{
    conf_at(where);
    for (int i = 0; i < coll_dst_blocks(op); i++) {
        for (size_t b = 0; b < op->nbytes; b++, at++) {
            if (*at != coll_expected(op, i, b)) {
                conf_fail(where, "result of a collective",
                          "kind %d form %d flags %#x root %d image %d of %d: "
                          "block %d byte %zu of %zu is %#x, want %#x",
                          op->kind, op->form, (unsigned)op->flags, op->root,
                          op->team->me, op->team->images, i, b, op->nbytes, *at,
                          coll_expected(op, i, b));
            }
        }
    }
    conf_check_bytes(where, at, COLL_MARGIN, 0xee);
}

/* ---- the call ------------------------------------------------------------ */

/* Arguments as the form wants them. Who has no say in a buffer names none. */
struct coll_args {
    void *dst, *src;   /* LOCAL_ONE, and roots of the others */
    void *const *dsts; /* lists */
    void *const *srcs;
    void *dst_list[COLL_MAX_IMAGES];
    void *src_list[COLL_MAX_IMAGES];
    int flags;
};

static inline void coll_arguments(const struct coll_op *op, struct coll_args *a)
{
    const int me = op->team->me, mine = op->team->mine;
    const int first = op->team->first, root = op->root;
    const int single = op->form == SINGLE_LIST;
    const int rooted_src = op->kind == BROADCAST || op->kind == SCATTER;
    const int rooted_dst = op->kind == GATHER || op->kind == REDUCE;

    a->flags = op->flags | (single ? GASNET_COLL_SINGLE : GASNET_COLL_LOCAL);
    a->dst = op->dst[me];
    a->src = op->src[me];
    if (rooted_src) {
        a->src = single || me == root ? op->src[root] : NULL;
    }
    if (rooted_dst) {
        a->dst = single || me == root ? op->dst[root] : NULL;
    }
    for (int i = 0; i < (single ? op->team->images : mine); i++) {
        a->dst_list[i] = op->dst[single ? i : first + i];
        a->src_list[i] = op->src[single ? i : first + i];
    }
    a->dsts = a->dst_list;
    a->srcs = a->src_list;
}

/* NAME or NAME##M, blocking or not, into op->handle. */
#define COLL_CALL(NAME, ONE, LIST)                      \
    do {                                                \
        if (op->form == LOCAL_ONE && nb) {              \
            op->handle = gasnet_coll_##NAME##_nb ONE;   \
        } else if (op->form == LOCAL_ONE) {             \
            gasnet_coll_##NAME ONE;                     \
        } else if (nb) {                                \
            op->handle = gasnet_coll_##NAME##M_nb LIST; \
        } else {                                        \
            gasnet_coll_##NAME##M LIST;                 \
        }                                               \
    } while (0)

static inline void coll_start_fold(struct coll_op *op, struct coll_args *a,
                                   int nb)
{
    gasnet_team_handle_t team = op->team->team;
    const gasnet_image_t root = (gasnet_image_t)op->root;
    const size_t n = op->nbytes / 2;

    if (op->kind == REDUCE) {
        COLL_CALL(reduce,
                  (team, root, a->dst, a->src, 0, 0, 2, n, COLL_FUNCTION,
                   COLL_ARG, a->flags),
                  (team, root, a->dst, a->srcs, 0, 0, 2, n, COLL_FUNCTION,
                   COLL_ARG, a->flags));
    } else {
        COLL_CALL(scan,
                  (team, a->dst, 0, 0, a->src, 0, 0, 2, n, COLL_FUNCTION,
                   COLL_ARG, a->flags),
                  (team, a->dsts, 0, 0, a->srcs, 0, 0, 2, n, COLL_FUNCTION,
                   COLL_ARG, a->flags));
    }
}

static inline void coll_start(struct coll_op *op, int nb)
{
    gasnet_team_handle_t team = op->team->team;
    const gasnet_image_t root = (gasnet_image_t)op->root;
    const size_t n = op->nbytes;
    struct coll_args args, *a = &args;

    coll_arguments(op, a);
    op->handle = GASNET_COLL_INVALID_HANDLE;
    switch (op->kind) {
    case BROADCAST:
        COLL_CALL(broadcast, (team, a->dst, root, a->src, n, a->flags),
                  (team, a->dsts, root, a->src, n, a->flags));
        break;
    case SCATTER:
        COLL_CALL(scatter, (team, a->dst, root, a->src, n, a->flags),
                  (team, a->dsts, root, a->src, n, a->flags));
        break;
    case GATHER:
        COLL_CALL(gather, (team, root, a->dst, a->src, n, a->flags),
                  (team, root, a->dst, a->srcs, n, a->flags));
        break;
    case GATHER_ALL:
        COLL_CALL(gather_all, (team, a->dst, a->src, n, a->flags),
                  (team, a->dsts, a->srcs, n, a->flags));
        break;
    case EXCHANGE:
        COLL_CALL(exchange, (team, a->dst, a->src, n, a->flags),
                  (team, a->dsts, a->srcs, n, a->flags));
        break;
    default:
        coll_start_fold(op, a, nb);
    }
    memset(args.dst_list, 0xff,
           sizeof args.dst_list); /* lists are ours again */
    memset(args.src_list, 0xff, sizeof args.src_list);
}

/* ---- choice -------------------------------------------------------------- */

/* Call number i: kinds and synchronisations in turn, the rest at random; the
 * same on all images if their generators agree. */
static inline void coll_choose(struct coll_op *op, const struct coll_team *team,
                               int i, size_t most, struct conf_rng *rng)
{
    op->team = team;
    op->kind = (enum coll_kind)(i % COLL_KINDS);
    op->flags = coll_sync_flags(i / COLL_KINDS);
    op->form = (enum coll_form)conf_below(rng, COLL_FORMS);
    op->root = (int)conf_below(rng, (size_t)team->images);
    op->nbytes = conf_length(rng, most);
    op->key = (unsigned)i;
    if (op->kind == SCAN) {
        op->flags |= conf_below(rng, 2) ? GASNET_COLL_INCLUSIVE_SCAN
                                        : GASNET_COLL_EXCLUSIVE_SCAN;
    }
    if (op->kind >= REDUCE) {
        op->nbytes &= ~(size_t)1;
    }
}

/* Buffers of all images: image i's in the segment of its node, `offset` bytes
 * from the start plus `room` bytes for each of the node's images and twice. */
static inline void coll_place(struct coll_op *op, size_t offset, size_t room)
{
    for (int i = 0; i < op->team->images; i++) {
        const gasnet_node_t node =
            gasnet_coll_team_rank2node(op->team->team, op->team->rank[i]);
        unsigned char *base =
            conf_addr(node) + offset + 2 * room * (size_t)op->team->local[i];
        op->dst[i] = base;
        op->src[i] = base + room;
    }
}

#endif
