/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations of fshperf coll: how each is called, and what its buffers hold before
 * and after. Elements are doubles or floats, which are added; as they hold small
 * integers, sums are exact in any order, unless they travel encoded.
 */
#include "coll.h"

#include <string.h>

#include "base/log.h"

#define ROOT 0u
#define VALUES 512u /* distinct consecutive words */

/* The blocking or the non-blocking form. */
#define EITHER(NAME, ...)                                         \
    (handle ? fshmem_coll_##NAME##_nb(__VA_ARGS__, flags, handle) \
            : fshmem_coll_##NAME(__VA_ARGS__, flags))
#define OPERATION(NAME, ...)                                                  \
    static fshmem_status_t NAME(const struct coll_buffers *b, unsigned flags, \
                                gasnet_handle_t *handle)                      \
    {                                                                         \
        (void)b;                                                              \
        return EITHER(NAME, GASNET_TEAM_ALL, __VA_ARGS__);                    \
    }
#define SUM                        \
    b->bytes / coll_elem(b->type), \
        b->type == COLL_DOUBLE ? FSHMEM_DOUBLE : FSHMEM_FLOAT, FSHMEM_SUM

static fshmem_status_t barrier(const struct coll_buffers *b, unsigned flags,
                               gasnet_handle_t *handle)
{
    (void)b;
    return EITHER(barrier, GASNET_TEAM_ALL);
}
/* In place at the root, like MPI's. */
OPERATION(broadcast, b->rank == ROOT ? b->src : b->dst, ROOT, b->src, b->bytes)
OPERATION(scatter, b->dst, ROOT, b->src, b->bytes)
OPERATION(gather, ROOT, b->dst, b->src, b->bytes)
OPERATION(allgather, b->dst, b->src, b->bytes)
OPERATION(allgatherv, b->dst, b->lists, NULL, b->src)
OPERATION(alltoall, b->dst, b->src, b->bytes)
OPERATION(alltoallv, b->dst, b->lists, NULL, b->src, b->lists, NULL)
OPERATION(reduce, ROOT, b->dst, b->src, SUM)
static fshmem_status_t allreduce(const struct coll_buffers *b, unsigned flags,
                                 gasnet_handle_t *handle)
{
    if (b->type == COLL_BFP16) {
        flags |= FSHMEM_WIRE_BFP16;
    }
    return EITHER(allreduce, GASNET_TEAM_ALL, b->dst, b->src, SUM);
}
OPERATION(reduce_scatter, b->dst, b->src, SUM)
OPERATION(scan, b->dst, b->src, SUM)

/* name, program, blocks of src and dst, at the root alone, v-form */
#define ROW(NAME, PROGRAM, ...)                                        \
    {                                                                  \
        .name = #NAME, .program = FSH_PROGRAM_##PROGRAM, .call = NAME, \
        __VA_ARGS__                                                    \
    }
const struct coll_op coll_ops[] = {
    ROW(barrier, BARRIER, .src = COLL_NONE),
    ROW(broadcast, BROADCAST, .src = COLL_ONE, .dst = COLL_ONE,
        .src_root = true),
    ROW(scatter, SCATTER, .src = COLL_ALL, .dst = COLL_ONE, .src_root = true),
    ROW(gather, GATHER, .src = COLL_ONE, .dst = COLL_ALL, .dst_root = true),
    ROW(allgather, ALLGATHER, .src = COLL_ONE, .dst = COLL_ALL),
    ROW(allgatherv, ALLGATHER, .src = COLL_ONE, .dst = COLL_ALL, .lists = true),
    ROW(alltoall, ALLTOALL, .src = COLL_ALL, .dst = COLL_ALL),
    ROW(alltoallv, ALLTOALL, .src = COLL_ALL, .dst = COLL_ALL, .lists = true),
    ROW(reduce, REDUCE, .src = COLL_ONE, .dst = COLL_ONE, .dst_root = true),
    ROW(allreduce, ALLREDUCE, .src = COLL_ONE, .dst = COLL_ONE),
    ROW(reduce_scatter, REDUCE_SCATTER, .src = COLL_ALL, .dst = COLL_ONE),
    ROW(scan, SCAN, .src = COLL_ONE, .dst = COLL_ONE),
};
const unsigned coll_op_count = sizeof coll_ops / sizeof coll_ops[0];

const char *const coll_types[COLL_TYPES] = {"double", "float", "bfp16"};

enum coll_type coll_type_named(const char *name)
{
    unsigned t = 0;

    while (t < COLL_TYPES && strcmp(coll_types[t], name) != 0) {
        ++t;
    }
    return (enum coll_type)t;
}

size_t coll_elem(enum coll_type type)
{
    return type == COLL_DOUBLE ? sizeof(double) : sizeof(float);
}

/* ---- buffers ---- */

/* Element i of a buffer; what is moved are doubles. */
static size_t elem_of(const struct coll_op *op, const struct coll_buffers *b)
{
    return coll_adds(op) ? coll_elem(b->type) : sizeof(double);
}

static void set(unsigned char *buffer, size_t elem, size_t i, unsigned x)
{
    float f = (float)x;
    double d = x;

    memcpy(buffer + i * elem, elem == sizeof f ? (void *)&f : (void *)&d, elem);
}

static double get(const unsigned char *buffer, size_t elem, size_t i)
{
    float f;
    double d;

    if (elem == sizeof f) {
        memcpy(&f, buffer + i * elem, elem);
        return (double)f;
    }
    memcpy(&d, buffer + i * elem, elem);
    return d;
}

/* Whether this rank has results in dst. */
static bool has_results(const struct coll_op *op, const struct coll_buffers *b)
{
    return b->rank == ROOT ? op->program != FSH_PROGRAM_BROADCAST
                           : !op->dst_root;
}

static unsigned blocks(enum coll_blocks of, unsigned ranks)
{
    return of == COLL_ALL ? ranks : of == COLL_ONE ? 1 : 0;
}

size_t coll_bytes(const struct coll_op *op, size_t bytes, unsigned ranks)
{
    enum coll_blocks most = op->src > op->dst ? op->src : op->dst;

    return blocks(most, ranks) * bytes;
}

/* Word w of block b of a rank's source. */
static unsigned value(unsigned rank, unsigned b, unsigned round, size_t w)
{
    return rank * 37 + b * 11 + round + (unsigned)(w % VALUES);
}

void coll_fill(const struct coll_op *op, const struct coll_buffers *b,
               unsigned round)
{
    unsigned count =
        op->src_root && b->rank != ROOT ? 0 : blocks(op->src, b->ranks);
    size_t elem = elem_of(op, b), words = b->bytes / elem;

    memset(b->dst, 0x5a, blocks(op->dst, b->ranks) * b->bytes);
    for (unsigned i = 0; i < count; ++i) {
        for (size_t w = 0; w < words; ++w) {
            set(b->src, elem, i * words + w, value(b->rank, i, round, w));
        }
    }
}

/* The expected result: word w of block i of this rank's destination. */
static double result(const struct coll_op *op, const struct coll_buffers *b,
                     unsigned round, unsigned i, size_t w)
{
    unsigned block = op->src == COLL_ALL ? b->rank : 0, sum = 0, last = b->rank;

    switch (op->program) {
    case FSH_PROGRAM_BROADCAST:
    case FSH_PROGRAM_SCATTER:
        return value(ROOT, block, round, w);
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_ALLGATHER:
    case FSH_PROGRAM_ALLTOALL:
        return value(i, block, round, w);
    case FSH_PROGRAM_SCAN:
        break;
    default:
        last = b->ranks - 1;
    }
    for (unsigned rank = 0; rank <= last; ++rank) {
        sum += value(rank, block, round, w);
    }
    return sum;
}

/* The error that the format may make, somewhat rounded up (fshmem_coll.h). */
static double tolerance(const struct coll_op *op, const struct coll_buffers *b,
                        unsigned round)
{
    double most = value(b->ranks, 0, round, VALUES - 1);

    return coll_adds(op) && b->type == COLL_BFP16
               ? b->ranks * b->ranks * most / 64
               : 0;
}

void coll_check(const struct coll_op *op, const struct coll_buffers *b,
                unsigned round)
{
    unsigned count = has_results(op, b) ? blocks(op->dst, b->ranks) : 0;
    size_t elem = elem_of(op, b), words = b->bytes / elem;
    double error = tolerance(op, b, round);

    for (unsigned i = 0; i < count; ++i) {
        for (size_t w = 0; w < words; ++w) {
            double x = get(b->dst, elem, i * words + w);
            double want = result(op, b, round, i, w);

            if (!(x >= want - error && x <= want + error)) {
                fsh_fatal("coll: %s of %zu bytes: word %zu of block %u is %g "
                          "and not %g",
                          op->name, b->bytes, w, i, x, want);
            }
        }
    }
}
