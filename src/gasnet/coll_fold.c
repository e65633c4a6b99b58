/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reduce and scan: operands keep the order of their images and are grouped the
 * same way in every run. Reduce goes up a binomial tree over the ranks as they
 * are, one child at a time, and from rank 0 to the root; scan goes from rank to
 * rank.
 */
#include <string.h>

#include "base/simulated.h"
#include "gasnet/coll.h"

/* results = left (+) right, all elements. */
static void combine(const struct fsh_coll_op *op, char *results,
                    const char *left, const char *right)
{
    const struct fsh_coll_call *c = &op->call;
    const gasnet_coll_fn_entry_t *fn = fsh_team_function(c->name, c->func);

    if (c->nbytes == 0)
        return;
    fsh_simulated_moving(results, left, right, c->nbytes);
    fn->fnptr(results, c->elem_count, left, c->elem_count, right, c->elem_size,
              (int)fn->flags, c->func_arg);
    fsh_simulated_moved();
}

/* Without bytes, buffers may be null. */
static void copy(void *to, const void *from, size_t n)
{
    if (n != 0)
        fsh_simulated_copy(to, from, n);
}

static size_t padded(size_t n)
{
    return (n + 15) & ~(size_t)15;
}

static char *result_at(const struct fsh_coll_op *op, uint32_t rank, size_t i)
{
    (void)rank;
    (void)i;
    return op->result;
}

static char *spare_at(const struct fsh_coll_op *op, uint32_t rank, size_t i)
{
    (void)rank;
    (void)i;
    return op->spare;
}

static char *root_dst_at(const struct fsh_coll_op *op, uint32_t rank, size_t i)
{
    (void)rank;
    (void)i;
    return op->image[op->root_image].dst;
}

/* ---- reduce ---- */

static uint32_t parent_of(uint32_t rank)
{
    return rank & (rank - 1);
}

static bool is_child(uint32_t child, uint32_t parent)
{
    return child != 0 && parent_of(child) == parent;
}

static struct fsh_coll_stream reduce_in(const struct fsh_coll_op *op,
                                        uint32_t rank)
{
    struct fsh_coll_stream s = {op->call.nbytes, 1, spare_at};

    if (rank == 0 && fsh_coll_at_root(op))
        s.at = root_dst_at;
    else if (!is_child(rank, op->team->rank))
        s.count = 0;
    return s;
}

static struct fsh_coll_stream reduce_out(const struct fsh_coll_op *op,
                                         uint32_t rank)
{
    uint32_t me = op->team->rank;
    struct fsh_coll_stream s = {op->call.nbytes, 1, result_at};

    if (!(me == 0 ? rank == op->root : rank == parent_of(me)))
        s.count = 0;
    return s;
}

/* The operands of this node, into op->result. */
static void fold_images(struct fsh_coll_op *op)
{
    size_t n = padded(op->call.nbytes);

    op->result = fsh_coll_scratch(op, 2 * n);
    op->spare = op->result + n;
    copy(op->result, op->image[0].src, op->call.nbytes);
    for (uint32_t i = 1; i < op->view->mine; i++)
        combine(op, op->result, op->result, op->image[i].src);
}

/* One child after the other: op->cursor is its distance, a power of two. */
static enum fsh_coll_step fold_children(struct fsh_coll_op *op)
{
    uint32_t me = op->team->rank, size = op->team->size;

    for (; op->cursor < size - me && is_child(me + op->cursor, me);
         op->cursor <<= 1) {
        uint32_t child = me + op->cursor;

        FSH_ASSERT((op->cursor & (op->cursor - 1)) == 0 &&
                   child < op->team->size);
        if (!fsh_coll_grant(op, child) || !fsh_coll_received(op, child))
            return FSH_COLL_WAIT;
        combine(op, op->result, op->result, op->spare);
    }
    return FSH_COLL_DONE;
}

/* The result, which rank 0 has, to the root. */
static enum fsh_coll_step deliver(struct fsh_coll_op *op)
{
    uint32_t me = op->team->rank;

    if (me == 0 && !fsh_coll_at_root(op))
        return fsh_coll_push(op, op->root);
    if (me == 0)
        copy(root_dst_at(op, 0, 0), op->result, op->call.nbytes);
    else if (fsh_coll_at_root(op) &&
             (!fsh_coll_grant(op, 0) || !fsh_coll_received(op, 0)))
        return FSH_COLL_WAIT;
    return FSH_COLL_DONE;
}

static enum fsh_coll_step run_reduce(struct fsh_coll_op *op)
{
    uint32_t me = op->team->rank;
    enum fsh_coll_step step = FSH_COLL_DONE;

    FSH_ASSERT(op->step <= 3);
    if (op->step == 0) {
        fold_images(op);
        op->cursor = 1;
        op->step = 1;
    }
    if (op->step == 1)
        step = fold_children(op);
    if (step == FSH_COLL_DONE && op->step == 1)
        op->step = 2;
    if (op->step == 2 && me != 0)
        step = fsh_coll_push(op, parent_of(me));
    if (step == FSH_COLL_DONE && op->step == 2)
        op->step = 3;
    return op->step == 3 ? deliver(op) : step;
}

const struct fsh_coll_algorithm fsh_coll_reduce = {"binomial", reduce_in,
                                                   reduce_out, run_reduce};

/* ---- scan ---- */

static struct fsh_coll_stream scan_in(const struct fsh_coll_op *op,
                                      uint32_t rank)
{
    return (struct fsh_coll_stream){
        op->call.nbytes, rank + 1 == op->team->rank ? 1 : 0, result_at};
}

static struct fsh_coll_stream scan_out(const struct fsh_coll_op *op,
                                       uint32_t rank)
{
    return (struct fsh_coll_stream){
        op->call.nbytes, rank == op->team->rank + 1 ? 1 : 0, result_at};
}

/* op->result: the sum before this node, if there is one; then that after it.
 * A source may be its image's destination. */
static void scan_images(struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;
    bool inclusive = (op->call.flags & GASNET_COLL_INCLUSIVE_SCAN) != 0;
    bool some = op->team->rank != 0;

    for (uint32_t i = 0; i < op->view->mine; i++) {
        struct fsh_coll_image *image = &op->image[i];
        char *before = op->result;

        if (some)
            combine(op, op->spare, before, image->src);
        else
            copy(op->spare, image->src, n);
        if (inclusive)
            copy(image->dst, op->spare, n);
        else if (some)
            copy(image->dst, before, n);
        op->result = op->spare;
        op->spare = before;
        some = true;
    }
}

static enum fsh_coll_step run_scan(struct fsh_coll_op *op)
{
    uint32_t me = op->team->rank;
    size_t n = padded(op->call.nbytes);

    if (op->step == 0) {
        op->result = fsh_coll_scratch(op, 2 * n);
        op->spare = op->result + n;
        op->step = 1;
    }
    if (op->step == 1 && me != 0 &&
        (!fsh_coll_grant(op, me - 1) || !fsh_coll_received(op, me - 1)))
        return FSH_COLL_WAIT;
    if (op->step == 1) {
        scan_images(op);
        op->step = 2;
    }
    return me + 1 < op->team->size ? fsh_coll_push(op, me + 1) : FSH_COLL_DONE;
}

const struct fsh_coll_algorithm fsh_coll_scan = {"chain", scan_in, scan_out,
                                                 run_scan};
