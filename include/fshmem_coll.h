/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of fshmem.h over the teams of gasnet_coll.h: barriers, data movement
 * and typed reductions. Included by fshmem.h.
 *
 * Every call is collective over the team: one thread of each member node makes the
 * same calls in the same order, with the same root, sizes, types, operations and
 * flags. Calls of gasnet_coll.h on the same team are part of that order. Several
 * collectives may be in flight, on the same team, on different teams and on
 * overlapping teams. Ranks are those of the team.
 *
 * Buffers may be anywhere in the rank's memory, with any alignment and any size,
 * including zero; buffers in the segment avoid copies. Source and destination may
 * coincide where a call says so ("in place"); otherwise they must not overlap. A
 * buffer that a rank does not use (the source of a broadcast on a non-root rank, say)
 * may be null.
 *
 * The blocking form returns when this rank's part is complete: its results have been
 * written and its source may be reused. That says nothing about other ranks; only the
 * barrier synchronises. The _nb form returns at once, and *handle, an ordinary handle
 * (accepted by gasnet_wait_syncnb and all other sync calls), completes at that point.
 * Until then the caller must not touch the buffers; lists of counts may be reused on
 * return.
 *
 * Reductions produce the same bits in every run and on every conduit, independent of
 * root, arrival order and executor. Elements are combined in one of two orders, TREE
 * or RING, chosen by call, team size, bytes, type and operation
 * (docs/02_reference/collectives.md). FP32 and FP64 add and multiply per IEEE 754,
 * round to nearest even and keep subnormals, whatever the caller's floating-point
 * mode. NaN results are canonical (0x7fc00000, 0x7ff8000000000000). MIN and MAX
 * return NaN if an operand is NaN, and treat -0 as less than +0. Integers wrap.
 *
 * All calls return FSHMEM_OK or, without any effect and with *handle unchanged:
 * FSHMEM_ERR_CALL (before gasnet_attach, or in a handler), FSHMEM_ERR_ARGUMENT (a
 * required buffer is null; unknown type, operation or flag; the type does not support
 * the operation; the algorithm does not support the call), FSHMEM_ERR_NODE (no such
 * root in the team), FSHMEM_ERR_SHAPE (the sizes add up to more than the address
 * space). If ranks disagree about a call, the job ends with a diagnostic as soon as
 * one rank learns of another's call, or of a later one on the team; if the engines of the cards wait for data that
 * nobody sends, they say so shortly before the watchdog's limit.
 */
#ifndef FSHMEM_COLL_H
#define FSHMEM_COLL_H

#ifndef FSHMEM_H
#error Include fshmem.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- types and operations -------------------------------------------------- */

typedef enum fshmem_type {
    FSHMEM_INT32 = 0,
    FSHMEM_INT64 = 1,
    FSHMEM_UINT32 = 2,
    FSHMEM_UINT64 = 3,
    FSHMEM_FLOAT = 4,
    FSHMEM_DOUBLE = 5
} fshmem_type_t;

/* AND, OR, XOR: bitwise, integers only. MINLOC, MAXLOC: elements are pairs of a value
 * and an index of the same size (fshmem_*_loc_t); among equal values the lowest index
 * wins. A NaN wins over any number, and among NaNs the lowest index wins. */
typedef enum fshmem_op {
    FSHMEM_SUM = 0,
    FSHMEM_MIN = 1,
    FSHMEM_MAX = 2,
    FSHMEM_PROD = 3,
    FSHMEM_AND = 4,
    FSHMEM_OR = 5,
    FSHMEM_XOR = 6,
    FSHMEM_MINLOC = 7,
    FSHMEM_MAXLOC = 8
} fshmem_op_t;

typedef struct {
    int32_t value;
    int32_t index;
} fshmem_int32_loc_t;
typedef struct {
    int64_t value;
    int64_t index;
} fshmem_int64_loc_t;
typedef struct {
    uint32_t value;
    int32_t index;
} fshmem_uint32_loc_t;
typedef struct {
    uint64_t value;
    int64_t index;
} fshmem_uint64_loc_t;
typedef struct {
    float value;
    int32_t index;
} fshmem_float_loc_t;
typedef struct {
    double value;
    int64_t index;
} fshmem_double_loc_t;

/* Bytes per element: 4 or 8, twice that for MINLOC and MAXLOC. 0: no such reduction
 * (bitwise on a floating-point type, unknown values). Callable at any time.
 * [handler] */
size_t fshmem_coll_element(fshmem_type_t type, fshmem_op_t op);

/* ---- flags ----------------------------------------------------------------- */

/* The algorithm, the same on all ranks. AUTO: the setting FSHMEM_COLL_<CALL>, else the
 * library's choice. An algorithm that does not support the call returns
 * FSHMEM_ERR_ARGUMENT. `fshinfo coll` lists the algorithms. */
#define FSHMEM_COLL_AUTO 0u
#define FSHMEM_COLL_BINOMIAL 1u
#define FSHMEM_COLL_DOUBLE_TREE 2u
#define FSHMEM_COLL_CHAIN 3u
#define FSHMEM_COLL_SCATTER_ALLGATHER 4u
#define FSHMEM_COLL_HALVING \
    5u /* vector halving, distance doubling, binomial gather */
#define FSHMEM_COLL_DOUBLING 6u /* recursive doubling */
#define FSHMEM_COLL_RABENSEIFNER 7u
#define FSHMEM_COLL_RING 8u
#define FSHMEM_COLL_LINEAR 9u
#define FSHMEM_COLL_PAIRWISE 10u
#define FSHMEM_COLL_DISSEMINATION 11u
#define FSHMEM_COLL_BRUCK 12u
#define FSHMEM_COLL_ALGORITHMS 0xffu /* mask of the algorithm */
/* fshmem_coll_scan: combine the ranks before this one only; dst of rank 0 is not
 * written. */
#define FSHMEM_COLL_EXCLUSIVE 0x100u

/* The wire format of fshmem_coll_allreduce. BFP16 sums FLOAT values in blocks of 16
 * that share an exponent (docs/02_reference/arithmetic.md), 17 bytes per 64, and always
 * uses the RING algorithm. Each rank decodes what it receives, adds its own values in
 * FP32 and encodes the sum. The last rank to add encodes the result, and every rank,
 * that one included, decodes it, so all ranks hold the same bits.
 *
 * With P ranks a value is encoded P times. Each encoding is off by at most half a unit
 * of the block, which is at most 2^-7 (1 + 2^-6) of the largest partial sum in the
 * block. The total error is at most P 2^-7 (1 + 2^-6)^P times the largest sum of
 * magnitudes over the ranks among the 16 neighbours, unless something overflows.
 *
 * Subnormals are flushed to zero. In a block that contains Inf or NaN, all finite
 * values become NaN. Any other type or operation, another algorithm or an unknown
 * format returns FSHMEM_ERR_ARGUMENT. A team of one sends nothing and copies the
 * values. */
#define FSHMEM_WIRE_FP32 0u
#define FSHMEM_WIRE_BFP16 0x1000u
#define FSHMEM_WIRE_FORMATS 0xf000u /* mask of the wire format */

/* ---- synchronisation ------------------------------------------------------- */

/* A barrier: completes on no rank before all ranks have called it. Does not complete or
 * order puts in flight. */
fshmem_status_t fshmem_coll_barrier(gasnet_team_handle_t team, unsigned flags);
fshmem_status_t fshmem_coll_barrier_nb(gasnet_team_handle_t team,
                                       unsigned flags, gasnet_handle_t *handle);

/* ---- data movement --------------------------------------------------------- */

/* Broadcast: nbytes at src of root to dst of every rank, the root included. In
 * place: at the root. */
fshmem_status_t fshmem_coll_broadcast(gasnet_team_handle_t team, void *dst,
                                      gasnet_node_t root, const void *src,
                                      size_t nbytes, unsigned flags);
fshmem_status_t fshmem_coll_broadcast_nb(gasnet_team_handle_t team, void *dst,
                                         gasnet_node_t root, const void *src,
                                         size_t nbytes, unsigned flags,
                                         gasnet_handle_t *handle);

/* Scatter: block i of nbytes at src of root to dst of rank i. In place: dst of the root
 * is its own block of src. */
fshmem_status_t fshmem_coll_scatter(gasnet_team_handle_t team, void *dst,
                                    gasnet_node_t root, const void *src,
                                    size_t nbytes, unsigned flags);
fshmem_status_t fshmem_coll_scatter_nb(gasnet_team_handle_t team, void *dst,
                                       gasnet_node_t root, const void *src,
                                       size_t nbytes, unsigned flags,
                                       gasnet_handle_t *handle);

/* Gather: nbytes at src of rank i to block i at dst of root. In place: src of the root
 * is its own block of dst. */
fshmem_status_t fshmem_coll_gather(gasnet_team_handle_t team,
                                   gasnet_node_t root, void *dst,
                                   const void *src, size_t nbytes,
                                   unsigned flags);
fshmem_status_t fshmem_coll_gather_nb(gasnet_team_handle_t team,
                                      gasnet_node_t root, void *dst,
                                      const void *src, size_t nbytes,
                                      unsigned flags, gasnet_handle_t *handle);

/* Allgather: nbytes at src of rank i to block i at dst of every rank. In place: src is
 * the rank's own block of dst. */
fshmem_status_t fshmem_coll_allgather(gasnet_team_handle_t team, void *dst,
                                      const void *src, size_t nbytes,
                                      unsigned flags);
fshmem_status_t fshmem_coll_allgather_nb(gasnet_team_handle_t team, void *dst,
                                         const void *src, size_t nbytes,
                                         unsigned flags,
                                         gasnet_handle_t *handle);

/* Allgather with counts[i] bytes from rank i (the same list on all ranks), to dst +
 * at[i]. at is local to the rank; null: contiguous blocks. */
fshmem_status_t fshmem_coll_allgatherv(gasnet_team_handle_t team, void *dst,
                                       const size_t counts[], const size_t at[],
                                       const void *src, unsigned flags);
fshmem_status_t fshmem_coll_allgatherv_nb(gasnet_team_handle_t team, void *dst,
                                          const size_t counts[],
                                          const size_t at[], const void *src,
                                          unsigned flags,
                                          gasnet_handle_t *handle);

/* All-to-all: block j of nbytes at src of rank i to block i at dst of rank j. In place:
 * src is dst. */
fshmem_status_t fshmem_coll_alltoall(gasnet_team_handle_t team, void *dst,
                                     const void *src, size_t nbytes,
                                     unsigned flags);
fshmem_status_t fshmem_coll_alltoall_nb(gasnet_team_handle_t team, void *dst,
                                        const void *src, size_t nbytes,
                                        unsigned flags,
                                        gasnet_handle_t *handle);

/* All-to-all with out[j] bytes at src + out_at[j] to rank j, and in[i] bytes from rank
 * i to dst + in_at[i]. in[i] on rank j equals out[j] on rank i. Null out_at or in_at:
 * contiguous blocks. Not in place. */
fshmem_status_t fshmem_coll_alltoallv(gasnet_team_handle_t team, void *dst,
                                      const size_t in[], const size_t in_at[],
                                      const void *src, const size_t out[],
                                      const size_t out_at[], unsigned flags);
fshmem_status_t fshmem_coll_alltoallv_nb(gasnet_team_handle_t team, void *dst,
                                         const size_t in[],
                                         const size_t in_at[], const void *src,
                                         const size_t out[],
                                         const size_t out_at[], unsigned flags,
                                         gasnet_handle_t *handle);

/* ---- reductions ------------------------------------------------------------ */

/* Reduce: count elements at src of every rank, combined, to dst of root. In place: at
 * the root. */
fshmem_status_t fshmem_coll_reduce(gasnet_team_handle_t team,
                                   gasnet_node_t root, void *dst,
                                   const void *src, size_t count,
                                   fshmem_type_t type, fshmem_op_t op,
                                   unsigned flags);
fshmem_status_t fshmem_coll_reduce_nb(gasnet_team_handle_t team,
                                      gasnet_node_t root, void *dst,
                                      const void *src, size_t count,
                                      fshmem_type_t type, fshmem_op_t op,
                                      unsigned flags, gasnet_handle_t *handle);

/* All-reduce: the combined elements go to dst of every rank. In place. */
fshmem_status_t fshmem_coll_allreduce(gasnet_team_handle_t team, void *dst,
                                      const void *src, size_t count,
                                      fshmem_type_t type, fshmem_op_t op,
                                      unsigned flags);
fshmem_status_t fshmem_coll_allreduce_nb(gasnet_team_handle_t team, void *dst,
                                         const void *src, size_t count,
                                         fshmem_type_t type, fshmem_op_t op,
                                         unsigned flags,
                                         gasnet_handle_t *handle);

/* Reduce-scatter: src of every rank holds one block of count elements per rank; block
 * i, combined, goes to dst of rank i. In place: dst is the rank's own block of src. */
fshmem_status_t fshmem_coll_reduce_scatter(gasnet_team_handle_t team, void *dst,
                                           const void *src, size_t count,
                                           fshmem_type_t type, fshmem_op_t op,
                                           unsigned flags);
fshmem_status_t fshmem_coll_reduce_scatter_nb(gasnet_team_handle_t team,
                                              void *dst, const void *src,
                                              size_t count, fshmem_type_t type,
                                              fshmem_op_t op, unsigned flags,
                                              gasnet_handle_t *handle);

/* Prefix reduction: count elements at src of ranks 0 to i, combined, to dst of rank i;
 * with FSHMEM_COLL_EXCLUSIVE, of ranks 0 to i - 1. In place. */
fshmem_status_t fshmem_coll_scan(gasnet_team_handle_t team, void *dst,
                                 const void *src, size_t count,
                                 fshmem_type_t type, fshmem_op_t op,
                                 unsigned flags);
fshmem_status_t fshmem_coll_scan_nb(gasnet_team_handle_t team, void *dst,
                                    const void *src, size_t count,
                                    fshmem_type_t type, fshmem_op_t op,
                                    unsigned flags, gasnet_handle_t *handle);

#ifdef __cplusplus
}
#endif

#endif
