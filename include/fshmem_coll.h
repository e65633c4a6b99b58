/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of fshmem.h, over the teams of gasnet_coll.h: barriers, data movement,
 * typed reductions. Included by fshmem.h.
 *
 * Every call is collective over the team: all nodes of it, one thread each, make the
 * same calls in the same order, with the same root, sizes, types, operations and
 * flags. Calls of gasnet_coll.h on the same team count in that order. Several may be in
 * flight, of one team and of others, and overlapping teams. Ranks are those of the team.
 *
 * Buffers may be anywhere in the memory of the rank, at any alignment, of any size,
 * also zero; those in the segment save copies. A source may be the destination where a
 * call says so (in place), else they must not overlap. What a rank does not use (the
 * source of a broadcast where it is not the root, say) may be null.
 *
 * The plain form returns when this rank's part is complete: its results are written,
 * and its source may be changed. It says nothing of other ranks; the barrier alone
 * synchronises. The _nb form returns at once; *handle, an ordinary one, is complete
 * then (gasnet_wait_syncnb and all the others take it), and buffers stay untouched until
 * then; lists of counts may be reused on return.
 *
 * Reductions give the same bits in every run, on every conduit, whatever the root, the
 * order of arrival and who executes: elements are combined in one of two orders, TREE or
 * RING, that the call, the size of the team, the bytes, the type and the operation choose
 * (docs/02_reference/collectives.md). FP32 and FP64 add and multiply as IEEE 754 says,
 * rounded to nearest even, with subnormals, whatever the modes of the caller; results
 * that are NaN are the canonical one (0x7fc00000, 0x7ff8000000000000); MIN and MAX are
 * NaN if an operand is, and take -0 as less than +0. Integers wrap.
 *
 * All return FSHMEM_OK or, with nothing done and *handle left alone,
 * FSHMEM_ERR_CALL (before gasnet_attach, in a handler), FSHMEM_ERR_ARGUMENT (a buffer
 * that is needed is null, unknown type, operation or flag, an operation that the type
 * does not have, an algorithm that cannot do it), FSHMEM_ERR_NODE (the team has no such
 * root), FSHMEM_ERR_SHAPE (sizes whose sum does not fit in memory). Ranks that do not
 * agree on a call end the job with a line that says so, as soon as one hears of another;
 * where engines of cards wait for what nobody sends, the watchdog ends it.
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

/* AND, OR, XOR: bits of integers. MINLOC, MAXLOC: elements are pairs, a value of the
 * type and an index of the same size (fshmem_*_loc_t); of equal values the one with the
 * lowest index stays. A NaN value stays against any other; of two, the lowest index. */
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

/* Bytes of an element: 4 or 8, twice that for MINLOC and MAXLOC. 0: there is no such
 * reduction (bits of a floating-point type, unknown values). Any time. [handler] */
size_t fshmem_coll_element(fshmem_type_t type, fshmem_op_t op);

/* ---- flags ----------------------------------------------------------------- */

/* The algorithm; the same on all ranks. AUTO: the setting FSHMEM_COLL_<CALL>, else the
 * library's choice. One that cannot do the call is FSHMEM_ERR_ARGUMENT. `fshinfo coll`
 * lists them. */
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
#define FSHMEM_COLL_ALGORITHMS 0xffu /* mask of the above */
/* fshmem_coll_scan: ranks before this one only; dst of rank 0 is not written. */
#define FSHMEM_COLL_EXCLUSIVE 0x100u

/* fshmem_coll_allreduce: how values travel. BFP16: sums of FLOAT in blocks of 16 that
 * share an exponent (docs/02_reference/arithmetic.md), 17 bytes for 64, by the algorithm
 * RING whatever the bytes: each rank decodes what comes, adds what it has in FP32 and
 * encodes the sum; a result is encoded by the last one to add, and decoded alike by all,
 * that one too, so that all ranks have the same bits. With P ranks a value is encoded P
 * times, off by half a unit of its block each time, which is 2^-7 (1 + 2^-6) of the
 * largest partial sum in the block at most: in all at most P 2^-7 (1 + 2^-6)^P times the
 * largest sum of magnitudes over the ranks among 16 neighbours, where nothing
 * overflows.
 * Subnormal numbers are zero. In a block with Inf or NaN all that is finite becomes NaN.
 * Else than FSHMEM_FLOAT and FSHMEM_SUM, with another algorithm, or unknown formats:
 * FSHMEM_ERR_ARGUMENT. In a team of one nothing is sent, and values are copied. */
#define FSHMEM_WIRE_FP32 0u
#define FSHMEM_WIRE_BFP16 0x1000u
#define FSHMEM_WIRE_FORMATS 0xf000u /* mask of the above */

/* ---- synchronisation ------------------------------------------------------- */

/* No rank's is complete before all ranks have called. It says nothing of puts in
 * flight. */
fshmem_status_t fshmem_coll_barrier(gasnet_team_handle_t team, unsigned flags);
fshmem_status_t fshmem_coll_barrier_nb(gasnet_team_handle_t team,
                                       unsigned flags, gasnet_handle_t *handle);

/* ---- data movement --------------------------------------------------------- */

/* nbytes at src of root to dst of every rank, the root's too. In place: at the
 * root. */
fshmem_status_t fshmem_coll_broadcast(gasnet_team_handle_t team, void *dst,
                                      gasnet_node_t root, const void *src,
                                      size_t nbytes, unsigned flags);
fshmem_status_t fshmem_coll_broadcast_nb(gasnet_team_handle_t team, void *dst,
                                         gasnet_node_t root, const void *src,
                                         size_t nbytes, unsigned flags,
                                         gasnet_handle_t *handle);

/* Block i of nbytes at src of root to dst of rank i. In place: dst of the root is its
 * own block of src. */
fshmem_status_t fshmem_coll_scatter(gasnet_team_handle_t team, void *dst,
                                    gasnet_node_t root, const void *src,
                                    size_t nbytes, unsigned flags);
fshmem_status_t fshmem_coll_scatter_nb(gasnet_team_handle_t team, void *dst,
                                       gasnet_node_t root, const void *src,
                                       size_t nbytes, unsigned flags,
                                       gasnet_handle_t *handle);

/* nbytes at src of rank i to block i at dst of root. In place: src of the root is its
 * own block of dst. */
fshmem_status_t fshmem_coll_gather(gasnet_team_handle_t team,
                                   gasnet_node_t root, void *dst,
                                   const void *src, size_t nbytes,
                                   unsigned flags);
fshmem_status_t fshmem_coll_gather_nb(gasnet_team_handle_t team,
                                      gasnet_node_t root, void *dst,
                                      const void *src, size_t nbytes,
                                      unsigned flags, gasnet_handle_t *handle);

/* nbytes at src of rank i to block i at dst of every rank. In place: src is the rank's
 * own block of dst. */
fshmem_status_t fshmem_coll_allgather(gasnet_team_handle_t team, void *dst,
                                      const void *src, size_t nbytes,
                                      unsigned flags);
fshmem_status_t fshmem_coll_allgather_nb(gasnet_team_handle_t team, void *dst,
                                         const void *src, size_t nbytes,
                                         unsigned flags,
                                         gasnet_handle_t *handle);

/* The same with counts[i] bytes of rank i, the same list on all ranks, to dst + at[i];
 * at: this rank's own list. Null: one block after the other. */
fshmem_status_t fshmem_coll_allgatherv(gasnet_team_handle_t team, void *dst,
                                       const size_t counts[], const size_t at[],
                                       const void *src, unsigned flags);
fshmem_status_t fshmem_coll_allgatherv_nb(gasnet_team_handle_t team, void *dst,
                                          const size_t counts[],
                                          const size_t at[], const void *src,
                                          unsigned flags,
                                          gasnet_handle_t *handle);

/* Block j of nbytes at src of rank i to block i at dst of rank j. In place: src is
 * dst. */
fshmem_status_t fshmem_coll_alltoall(gasnet_team_handle_t team, void *dst,
                                     const void *src, size_t nbytes,
                                     unsigned flags);
fshmem_status_t fshmem_coll_alltoall_nb(gasnet_team_handle_t team, void *dst,
                                        const void *src, size_t nbytes,
                                        unsigned flags,
                                        gasnet_handle_t *handle);

/* The same with out[j] bytes at src + out_at[j] to rank j, and in[i] bytes from rank i
 * to dst + in_at[i]; in[i] of rank j is out[j] of rank i. Null out_at, in_at: one block
 * after the other. Not in place. */
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

/* count elements at src of every rank, combined, to dst of root. In place: at the
 * root. */
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

/* The same to dst of every rank. In place. */
fshmem_status_t fshmem_coll_allreduce(gasnet_team_handle_t team, void *dst,
                                      const void *src, size_t count,
                                      fshmem_type_t type, fshmem_op_t op,
                                      unsigned flags);
fshmem_status_t fshmem_coll_allreduce_nb(gasnet_team_handle_t team, void *dst,
                                         const void *src, size_t count,
                                         fshmem_type_t type, fshmem_op_t op,
                                         unsigned flags,
                                         gasnet_handle_t *handle);

/* As many elements for each rank, count, at src of every rank: block i, combined, to
 * dst of rank i. In place: dst is the rank's own block of src. */
fshmem_status_t fshmem_coll_reduce_scatter(gasnet_team_handle_t team, void *dst,
                                           const void *src, size_t count,
                                           fshmem_type_t type, fshmem_op_t op,
                                           unsigned flags);
fshmem_status_t fshmem_coll_reduce_scatter_nb(gasnet_team_handle_t team,
                                              void *dst, const void *src,
                                              size_t count, fshmem_type_t type,
                                              fshmem_op_t op, unsigned flags,
                                              gasnet_handle_t *handle);

/* count elements at src of ranks 0 to i, combined, to dst of rank i; FSHMEM_COLL_
 * EXCLUSIVE: of ranks 0 to i - 1. In place. */
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
