/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast, scatter, gather, gather_all, exchange: every node grants what it
 * is to get, copies what stays with it, and sends what the others are to get.
 * Broadcast goes down a binomial tree, the others go straight.
 */
#include <string.h>

#include "base/simulated.h"
#include "gasnet/coll.h"

/* ---- who gets something of whom ---- */

static bool goes(const struct fsh_coll_op *op, uint32_t from, uint32_t to)
{
    uint32_t size = op->team->size, child;

    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        /* In ranks counted from the root's, the parent is the child without
         * its lowest bit. The root also gives to itself. */
        child = (to + size - op->root) % size;
        return (from + size - op->root) % size == (child & (child - 1));
    case FSH_COLL_SCATTER:
        return from == op->root;
    case FSH_COLL_GATHER:
        return to == op->root;
    default:
        return true;
    }
}

/* ---- where it is ---- */

static char *source(const struct fsh_coll_op *op, uint32_t rank, size_t i)
{
    const struct fsh_coll_image *image = op->image;
    size_t first = fsh_coll_first(op, rank), n = op->call.nbytes;
    const char *src;

    FSH_ASSERT(i < op->view->mine && goes(op, op->team->rank, rank));
    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        src = fsh_coll_at_root(op) ? image[op->root_image].src : image[0].dst;
        break;
    case FSH_COLL_SCATTER:
        src = image[op->root_image].src + first * n;
        break;
    case FSH_COLL_EXCHANGE:
        src = image[i].src + first * n;
        break;
    default:
        src = image[i].src;
    }
    return (char *)(uintptr_t)src; /* read only, but streams go both ways */
}

static char *destination(const struct fsh_coll_op *op, uint32_t rank, size_t i)
{
    const struct fsh_coll_image *image = op->image;
    size_t first = fsh_coll_first(op, rank), n = op->call.nbytes;

    FSH_ASSERT(goes(op, rank, op->team->rank));
    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        return image[0].dst;
    case FSH_COLL_SCATTER:
        return image[i].dst;
    case FSH_COLL_GATHER:
        return image[op->root_image].dst + first * n;
    case FSH_COLL_EXCHANGE:
        /* Image after image of the sender, for each of them ours in turn. */
        return image[i % op->view->mine].dst + (first + i / op->view->mine) * n;
    default:
        return image[0].dst + first * n;
    }
}

/* To rank. */
static struct fsh_coll_stream out(const struct fsh_coll_op *op, uint32_t rank)
{
    size_t n = op->call.nbytes, theirs = fsh_coll_images(op, rank);

    if (!goes(op, op->team->rank, rank))
        return (struct fsh_coll_stream){0};
    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        return (struct fsh_coll_stream){n, 1, source};
    case FSH_COLL_SCATTER:
        return (struct fsh_coll_stream){theirs * n, 1, source};
    case FSH_COLL_EXCHANGE:
        return (struct fsh_coll_stream){theirs * n, op->view->mine, source};
    default:
        return (struct fsh_coll_stream){n, op->view->mine, source};
    }
}

/* From rank. */
static struct fsh_coll_stream in(const struct fsh_coll_op *op, uint32_t rank)
{
    size_t n = op->call.nbytes, theirs = fsh_coll_images(op, rank);

    if (!goes(op, rank, op->team->rank))
        return (struct fsh_coll_stream){0};
    switch (op->call.kind) {
    case FSH_COLL_BROADCAST:
        return (struct fsh_coll_stream){n, 1, destination};
    case FSH_COLL_SCATTER:
        return (struct fsh_coll_stream){n, op->view->mine, destination};
    case FSH_COLL_EXCHANGE:
        if (op->view->mine > 1)
            return (struct fsh_coll_stream){n, theirs * op->view->mine,
                                            destination};
        break;
    default:
        break;
    }
    return (struct fsh_coll_stream){theirs * n, 1, destination};
}

/* ---- doing it ---- */

/* The other ranks: the i-th below this one. So not all begin with the same
 * one, and a broadcast begins with the largest part of its tree. */
static uint32_t other(const struct fsh_coll_op *op, uint32_t i)
{
    uint32_t size = op->team->size;

    return (op->team->rank + size - i) % size;
}

static bool all_received(const struct fsh_coll_op *op)
{
    for (uint32_t i = 1; i < op->team->size; i++)
        if (!fsh_coll_received(op, other(op, i)))
            return false;
    return true;
}

/* What the first image got, to all of them. */
static void replicate(struct fsh_coll_op *op)
{
    size_t n = op->call.nbytes;

    if (op->call.kind == FSH_COLL_GATHER_ALL)
        n *= op->view->first[op->team->size];
    else if (op->call.kind != FSH_COLL_BROADCAST)
        return;
    for (uint32_t i = 1; i < op->view->mine && n != 0; i++)
        if (op->image[i].dst != op->image[0].dst)
            fsh_simulated_copy(op->image[i].dst, op->image[0].dst, n);
}

static enum fsh_coll_step run(struct fsh_coll_op *op)
{
    enum fsh_coll_step result = FSH_COLL_DONE, step;
    bool received;

    for (uint32_t i = 1; i < op->team->size; i++)
        if (!fsh_coll_grant(op, other(op, i)))
            result = FSH_COLL_WAIT;
    if (op->step == 0) {
        fsh_coll_copy_self(op);
        op->step = 1;
    }
    received = all_received(op);
    if (op->call.kind == FSH_COLL_BROADCAST && !received)
        return FSH_COLL_WAIT;
    for (uint32_t i = 1; i < op->team->size; i++) {
        step = fsh_coll_push(op, other(op, i));
        if (step == FSH_COLL_AGAIN || result == FSH_COLL_DONE)
            result = step;
    }
    if (result == FSH_COLL_DONE && !received)
        return FSH_COLL_WAIT;
    if (result == FSH_COLL_DONE)
        replicate(op);
    return result;
}

const struct fsh_coll_algorithm fsh_coll_move = {"direct", in, out, run};
