/* SPDX-License-Identifier: BSD-3-Clause */
/* Which member reads which bytes from whom, for each call. */
#include <string.h>

#include "base/cpu.h"
#include "base/stream.h"
#include "coll/direct/group.h"

/* Upper limit of COPIED, in bytes of SRC. Above it a second crossing costs less than
 * the copy, for buffers that peers can reach. */
#define COPIED_MOST ((size_t)2 << 10)
/* Copies to halves of STREAM_MOST or more always bypass the caches, those below
 * STREAM_LEAST never do; in between it depends on the processors. */
#define STREAM_MOST ((size_t)20 << 10)
#define STREAM_LEAST ((size_t)4 << 10)
/* A half written at fewer bytes per nanosecond counts as slow, since its lines come
 * from a distant peer: about 2, compared with 9 or more. FAR_COPIES: maximum number of
 * copies until the caches are tried again; a single slow one may be an outlier. */
#define FAR_BYTES_NS 5
#define FAR_COPIES 63u
/* Size of a round: a quarter of the total, so that copying out overlaps with copying
 * in, but large enough to make its crossing a small part of it. */
#define ROUND_PARTS 4
#define ROUND_LEAST ((size_t)32 << 10)
#define ROUND_MOST ((size_t)60 << 10)
#define ELEMENT_MOST 16u
_Static_assert(COPIED_MOST <= FSH_BOARD_HALF && ROUND_MOST <= FSH_BOARD_HALF,
               "halves");
_Static_assert(ELEMENT_MOST *FSH_PROGRAM_MAX_RANKS <= FSH_BOARD_HALF,
               "a piece of each block");

#define CALL(c) (1u << FSH_PROGRAM_##c)
/* Calls whose SRC and DST are one vector; and whose SRC has a block for each
 * rank rather than one. */
#define VECTORS (CALL(BROADCAST) | CALL(REDUCE) | CALL(ALLREDUCE) | CALL(SCAN))
#define SRC_OF_ALL (CALL(SCATTER) | CALL(ALLTOALL) | CALL(REDUCE_SCATTER))
#define FROM_ROOT (CALL(BROADCAST) | CALL(SCATTER))
#define TO_ROOT (CALL(GATHER) | CALL(REDUCE))

static bool is_of(const struct fsh_coll_direct_op *op, uint32_t calls)
{
    return (calls >> op->work.call & 1) != 0;
}

/* Blocks of SRC: the same on all members except in the v-form. */
static size_t blocks_of(const struct fsh_coll_direct_op *op)
{
    return is_of(op, SRC_OF_ALL) ? op->group->size : 1;
}

static enum fsh_direct_way way_of(const struct fsh_coll_direct_op *op)
{
    if (op->work.call == FSH_PROGRAM_BARRIER)
        return op->group->size > 1 ? FSH_DIRECT_BARRIER : FSH_DIRECT_NOTHING;
    if (op->block == 0)
        return FSH_DIRECT_NOTHING;
    if (op->group->size == 1)
        return FSH_DIRECT_ALONE;
    if (op->block <= COPIED_MOST / blocks_of(op))
        return FSH_DIRECT_COPIED;
    return is_of(op, CALL(ALLREDUCE) | CALL(REDUCE)) ? FSH_DIRECT_SLICED
                                                     : FSH_DIRECT_PULLED;
}

void fsh_direct_measure(struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_work *w = &op->work;

    op->block = w->elem * w->count;
    if (w->dst_bytes != NULL) {
        op->block = 0;
        for (uint32_t b = 0; b < op->group->size; b++)
            if (w->dst_bytes[b] > op->block)
                op->block = w->dst_bytes[b];
    }
    op->stride = is_of(op, SRC_OF_ALL) ? op->block : 0;
    op->span = op->stride;
    op->to = op->block;
    op->vector = is_of(op, VECTORS);
    op->way = (uint8_t)way_of(op);
    op->slot = op->way == FSH_DIRECT_COPIED &&
               blocks_of(op) * op->block <= FSH_SLOT_PAYLOAD;
}

size_t fsh_direct_src_bytes(const struct fsh_coll_direct_op *op)
{
    if (op->work.dst_bytes != NULL)
        return op->work.dst_bytes[op->group->rank];
    return op->block * blocks_of(op);
}

void fsh_direct_set_round(struct fsh_coll_direct_op *op)
{
    size_t blocks = blocks_of(op), all = op->block * blocks / ROUND_PARTS;
    size_t room;

    if (all < ROUND_LEAST)
        all = ROUND_LEAST;
    if (all > ROUND_MOST)
        all = ROUND_MOST;
    room = all / blocks / ELEMENT_MOST * ELEMENT_MOST;
    if (room == 0)
        room = ELEMENT_MOST;
    op->span = op->stride != 0 ? room : 0;
    op->to = op->block - op->from < room ? op->block : op->from + room;
}

/* ---- members and their roles ---- */

static const struct fsh_members nobody;

struct fsh_members fsh_direct_givers(const struct fsh_coll_direct_op *op)
{
    return is_of(op, FROM_ROOT) ? fsh_members_one(op->work.root)
                                : fsh_members_all(op);
}

struct fsh_members fsh_direct_takers(const struct fsh_coll_direct_op *op)
{
    return is_of(op, TO_ROOT) ? fsh_members_one(op->work.root)
                              : fsh_members_all(op);
}

bool fsh_direct_takes(const struct fsh_coll_direct_op *op)
{
    return !is_of(op, TO_ROOT) || op->work.root == op->group->rank;
}

struct fsh_members fsh_direct_sources(const struct fsh_coll_direct_op *op)
{
    if (!fsh_direct_takes(op))
        return nobody;
    if (op->work.call == FSH_PROGRAM_SCAN)
        return (struct fsh_members){0, op->group->rank};
    return fsh_direct_givers(op);
}

struct fsh_members fsh_direct_readers(const struct fsh_coll_direct_op *op)
{
    bool root = op->work.root == op->group->rank;

    if (is_of(op, TO_ROOT))
        return root ? nobody : fsh_members_one(op->work.root);
    if (is_of(op, FROM_ROOT) && !root)
        return nobody;
    if (op->work.call == FSH_PROGRAM_SCAN)
        return (struct fsh_members){op->group->rank + 1, op->group->size};
    return fsh_members_all(op);
}

bool fsh_direct_overwrites(const struct fsh_coll_direct_op *op)
{
    return is_of(op, CALL(ALLTOALL) | CALL(SCAN)) &&
           op->work.src == op->work.dst;
}

/* ---- copies ---- */

void fsh_direct_copy(void *dst, const void *src, size_t bytes)
{
    if (bytes != 0 && dst != src)
        memcpy(dst, src, bytes);
}

/* Tries to copy through the caches, if that is fast. */
static void try_caches(struct fsh_coll_group *g, unsigned char *place,
                       const unsigned char *src, size_t bytes)
{
    uint64_t start;

    if (g->far > 0) {
        g->far--;
        fsh_stream_copy(place, src, bytes);
        return;
    }
    start = fsh_time_ns();
    memcpy(place, src, bytes);
    if ((fsh_time_ns() - start) * FAR_BYTES_NS <= bytes)
        g->slow = 0;
    else if (g->slow < FAR_COPIES)
        g->slow = 2 * g->slow + 1;
    g->far = g->slow;
}

void fsh_direct_copy_half(struct fsh_coll_group *g, void *place,
                          const void *src, size_t bytes)
{
    if (bytes < STREAM_LEAST)
        fsh_direct_copy(place, src, bytes);
    else if (bytes < STREAM_MOST)
        try_caches(g, place, src, bytes);
    else
        fsh_stream_copy(place, src, bytes);
}

void fsh_direct_copy_in(const struct fsh_coll_direct_op *op)
{
    struct fsh_coll_group *g = op->group;
    unsigned char *place = fsh_direct_copies(op, g->rank);
    const unsigned char *src = op->work.src;
    size_t end = op->to;

    if (op->stride == 0) {
        size_t bytes = fsh_direct_src_bytes(op); /* v-form: smaller */

        if (end > bytes)
            end = bytes;
        if (op->from < end)
            fsh_direct_copy_half(g, place, src + op->from, end - op->from);
        return;
    }
    for (uint32_t b = 0; b < g->size; b++)
        if (b != g->rank)
            fsh_direct_copy_half(g, place + b * op->span,
                                 src + b * op->stride + op->from,
                                 end - op->from);
}
