/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of nodes with several images: the images' outgoing data is sent to
 * other nodes in one piece, in image order, and incoming data is distributed to them.
 * Runs on the thread that starts the call, and on the one that finds it complete.
 */
#include <string.h>

#include "base/simulated.h"
#include "gasnet/coll.h"

/* memcpy, except that null buffers are allowed if there are no bytes. */
static void copy(void *to, const void *from, size_t n)
{
    if (n != 0 && to != from)
        fsh_simulated_copy(to, from, n);
}

static char *memory(const struct fsh_coll_op *op, size_t n)
{
    return fsh_team_memory(n + 1, 1, op->call.name);
}

/* ---- packing ---- */

/* Sizes of the ranks' blocks: a node has `times` blocks for each image of the rank. */
static void set_lists(const struct fsh_coll_op *op, size_t *lists, size_t times)
{
    const uint32_t *first = op->view->first;
    size_t n = op->call.nbytes * times;

    for (uint32_t r = 0; r < op->team->size; r++) {
        lists[r] = (first[r + 1] - first[r]) * n;
        lists[op->team->size + r] = first[r] * n;
    }
}

/* Packs the blocks of all images of this node. */
static const unsigned char *pack_blocks(struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;

    if (op->view->mine == 1)
        return (const unsigned char *)op->image[0].src;
    op->out = memory(op, op->view->mine * n);
    for (uint32_t i = 0; i < op->view->mine; i++)
        copy(op->out + i * n, op->image[i].src, n);
    return (const unsigned char *)op->out;
}

/* Packs, for each rank and each image of this node in turn, the blocks for that
 * rank's images. */
static const unsigned char *pack_exchange(struct fsh_coll_op *op)
{
    const uint32_t *first = op->view->first;
    size_t n = op->call.nbytes;
    char *to;

    if (op->view->mine == 1)
        return (const unsigned char *)op->image[0].src;
    op->out = memory(op, op->view->mine * first[op->team->size] * n);
    to = op->out;
    for (uint32_t r = 0; r < op->team->size; r++) {
        size_t part = (first[r + 1] - first[r]) * n;

        for (uint32_t i = 0; i < op->view->mine; i++) {
            copy(to, op->image[i].src + first[r] * n, part);
            to += part;
        }
    }
    return (const unsigned char *)op->out;
}

/* Combines the operands of this node. */
static const unsigned char *pack_operands(struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;

    op->out = memory(op, n);
    copy(op->out, op->image[0].src, n);
    for (uint32_t i = 1; i < op->view->mine; i++)
        fsh_coll_combine(op, op->out, op->out, op->image[i].src, n);
    return (const unsigned char *)op->out;
}

/* Where n bytes for the images of this node are received: in place if there is only one
 * image. */
static unsigned char *landing(struct fsh_coll_op *op, size_t n)
{
    if (op->view->mine == 1)
        return (unsigned char *)op->image[0].dst;
    op->in = memory(op, n);
    return (unsigned char *)op->in;
}

static void pack_fold(struct fsh_coll_op *op, struct fsh_coll_work *work)
{
    work->elem = op->call.elem_size;
    work->count = op->call.elem_count;
    work->src = pack_operands(op);
    if (op->call.kind == FSH_COLL_SCAN) {
        op->in = memory(op, op->call.nbytes);
        work->dst = (unsigned char *)op->in;
    } else if (fsh_coll_at_root(op)) {
        work->dst = (unsigned char *)op->image[op->root_image].dst;
    }
}

/* Packs blocks of different sizes: ranks may have different numbers of images. */
static const struct fsh_program_algorithm *pack_moved(
    struct fsh_coll_op *op, struct fsh_coll_work *work, size_t *lists)
{
    const size_t *at = lists + op->team->size;
    size_t n = op->call.nbytes, own = op->view->mine * n;
    bool root = fsh_coll_at_root(op);

    work->count = own;
    set_lists(op, lists,
              op->call.kind == FSH_COLL_EXCHANGE ? op->view->mine : 1);
    switch (op->call.kind) {
    case FSH_COLL_SCATTER:
        work->dst = landing(op, own);
        if (root) {
            work->src = (const unsigned char *)op->image[op->root_image].src;
            work->src_bytes = lists;
            work->src_at = at;
        }
        return fsh_program_named("linear");
    case FSH_COLL_GATHER:
        work->src = pack_blocks(op);
        if (root) {
            work->dst = (unsigned char *)op->image[op->root_image].dst;
            work->dst_bytes = lists;
            work->dst_at = at;
        }
        return fsh_program_named("linear");
    case FSH_COLL_GATHER_ALL:
        work->src = pack_blocks(op);
        work->dst = (unsigned char *)op->image[0].dst;
        work->dst_bytes = lists;
        work->dst_at = at;
        return fsh_program_named("ring");
    default:
        work->src = pack_exchange(op);
        work->dst = landing(op, op->view->first[op->team->size] * own);
        work->src_bytes = work->dst_bytes = lists;
        work->src_at = work->dst_at = at;
        return fsh_program_named("pairwise");
    }
}

const struct fsh_program_algorithm *fsh_coll_pack(struct fsh_coll_op *op,
                                                  struct fsh_coll_work *work,
                                                  size_t *lists)
{
    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        work->dst = (unsigned char *)op->image[0].dst;
        if (fsh_coll_at_root(op))
            work->src = (const unsigned char *)op->image[op->root_image].src;
        return NULL;
    case FSH_COLL_REDUCE:
    case FSH_COLL_SCAN:
        pack_fold(op, work);
        return &fsh_program_ordered;
    default:
        return pack_moved(op, work, lists);
    }
}

/* ---- unpacking ---- */

/* Copies what the first image received to all the others. */
static void replicate(const struct fsh_coll_op *op, size_t n)
{
    for (uint32_t i = 1; i < op->view->mine; i++)
        copy(op->image[i].dst, op->image[0].dst, n);
}

static void unpack_exchange(const struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;
    const char *from = op->in;

    for (uint32_t s = 0; s < op->view->first[op->team->size]; s++)
        for (uint32_t i = 0; i < op->view->mine; i++) {
            copy(op->image[i].dst + s * n, from, n);
            from += n;
        }
}

/* op->in holds the prefix of the nodes before this one, if any. An image's source may
 * also be its destination. */
static void unpack_scan(struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;
    bool inclusive = (op->call.flags & GASNET_COLL_INCLUSIVE_SCAN) != 0;
    bool some = op->team->rank != 0;
    char *before = op->in, *after = op->out;

    for (uint32_t i = 0; i < op->view->mine; i++) {
        const struct fsh_coll_image *image = &op->image[i];
        char *sum = before;

        if (some)
            fsh_coll_combine(op, after, before, image->src, n);
        else
            copy(after, image->src, n);
        if (inclusive)
            copy(image->dst, after, n);
        else if (some)
            copy(image->dst, before, n);
        before = after;
        after = sum;
        some = true;
    }
}

void fsh_coll_unpack(struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;

    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        replicate(op, n);
        break;
    case FSH_COLL_GATHER_ALL:
        replicate(op, n * op->view->first[op->team->size]);
        break;
    case FSH_COLL_SCATTER:
        for (uint32_t i = 0; op->in != NULL && i < op->view->mine; i++)
            copy(op->image[i].dst, op->in + i * n, n);
        break;
    case FSH_COLL_EXCHANGE:
        if (op->in != NULL)
            unpack_exchange(op);
        break;
    case FSH_COLL_SCAN:
        unpack_scan(op);
        break;
    default:
        break;
    }
}
