/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives, teams and team barriers. Included by gasnet.h.
 *
 * Every call is collective over the team: all its images make the same calls in
 * the same order, with the same team, root, sizes and flags. There is one image
 * per node, or several: one per participating thread (gasnet_coll_init).
 * Several collectives may be in flight, on one team or on several. Not callable
 * from handlers. Misuse is fatal with one line that names the call and the
 * argument.
 *
 * Flags: exactly one of GASNET_COLL_IN_*, one of GASNET_COLL_OUT_*, and one of
 * LOCAL and SINGLE. IN_NOSYNC and IN_MYSYNC: an image's data may be accessed
 * once that image has made the call; IN_ALLSYNC: once all have. OUT_NOSYNC and
 * OUT_MYSYNC: complete when this image's own buffers are done with;
 * OUT_ALLSYNC: when all images' buffers are. LOCAL: each image passes its own
 * buffers, which may be anywhere. SINGLE: all images pass the same addresses,
 * each valid on the image it belongs to. Hints: *_IN_SEGMENT, AGGREGATE,
 * FIXED_THREADS_PER_NODE, DISABLE_AUTOTUNE.
 *
 * The M forms take a list instead of each per-image buffer: with SINGLE one
 * entry per image of the team, with LOCAL one per image of this node. Source
 * and destination may coincide where the data stays in place (a broadcast's
 * root, a gather's own block); otherwise they must not overlap.
 *
 * The _nb forms return a handle (GASNET_COLL_INVALID_HANDLE: already complete);
 * the others block, polling. Buffers must stay valid until completion; lists
 * may be reused on return. Sizes are in bytes. For every call: [R-COLL-04,
 * R-COLL-05, R-COLL-06, R-COLL-07, R-COLL-10, R-COLL-11].
 */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#ifndef GASNET_H
#error Include gasnet.h
#endif

/* Tests written for other implementations rely on this name. */
#ifndef GASNETI_UNUSED
#define GASNETI_UNUSED __attribute__((__unused__))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- flags ---------------------------------------------------------------- */

#define GASNET_COLL_IN_NOSYNC (1 << 0)
#define GASNET_COLL_IN_MYSYNC (1 << 1)
#define GASNET_COLL_IN_ALLSYNC (1 << 2)
#define GASNET_COLL_OUT_NOSYNC (1 << 3)
#define GASNET_COLL_OUT_MYSYNC (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SYNC_FLAG_MASK 0x3F
#define GASNET_COLL_NOSYNC (GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC)
#define GASNET_COLL_MYSYNC (GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)
#define GASNET_COLL_ALLSYNC (GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC)

#define GASNET_COLL_SINGLE (1 << 6)
#define GASNET_COLL_LOCAL (1 << 7)

#define GASNET_COLL_AGGREGATE (1 << 8)
#define GASNET_COLL_FIXED_THREADS_PER_NODE (1 << 9)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 10)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 11)
#define GASNET_COLL_REDUCE_OP_SUM (1 << 12)
#define GASNET_COLL_REDUCE_OP_MAX (1 << 13)
#define GASNET_COLL_REDUCE_OP_MIN (1 << 14)
#define GASNET_COLL_REDUCE_OP_CUSTOM (1 << 15)

/* A scan requires exactly one of these. */
#define GASNET_COLL_INCLUSIVE_SCAN (1 << 16)
#define GASNET_COLL_EXCLUSIVE_SCAN (1 << 17)

#define GASNET_COLL_DISABLE_AUTOTUNE (1 << 18)
/* One thread per node makes this call, whatever the images; ranks are those of
 * nodes. */
#define GASNET_COLL_NO_IMAGES (1 << 19)

/* ---- types ---------------------------------------------------------------- */

typedef uint32_t gasnet_image_t;
typedef struct fsh_team *gasnet_team_handle_t;
typedef gasnet_handle_t gasnet_coll_handle_t;
typedef gasnet_handlerarg_t gasnet_coll_fn_handle_t; /* index in fn_tbl */

#define GASNET_TEAM_ALL ((gasnet_team_handle_t)0)
#define GASNET_COLL_INVALID_HANDLE GASNET_INVALID_HANDLE

/* Function flags: callable in a handler; not commutative. Both are ignored:
 * functions run in polls, and operands always keep the order of their
 * images. */
#define GASNET_COLL_AMSAFE (1 << 0)
#define GASNET_COLL_NONCOMM (1 << 1)

/* results[i] = left_operands[i] (+) right_operands[i] for i < result_count.
 * left_count equals result_count, and results may alias left_operands. flags
 * comes from the table entry, arg from the call. Runs in a poll, on any thread
 * of the node, and must not call GASNet.
 * [R-COLL-02] */
typedef void (*gasnet_coll_reduce_fn_t)(void *results, size_t result_count,
                                        const void *left_operands,
                                        size_t left_count,
                                        const void *right_operands,
                                        size_t elem_size, int flags, int arg);

typedef struct {
    gasnet_coll_reduce_fn_t fnptr;
    unsigned int flags;
} gasnet_coll_fn_entry_t;

/* ---- images --------------------------------------------------------------- */

/* Declares the images. Collective: called by every thread that is to be an
 * image; optional with one image per node and no functions. images[node] is the
 * number of images on each node (the same array on all nodes; null: one each).
 * my_image is the calling thread's number, counted over all nodes in order.
 * fn_tbl holds fn_count functions (the same number on all nodes) and is copied.
 * init_flags is 0. Blocks, polling.
 * [R-COLL-02, R-COLL-09, R-COLL-10] */
void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                      int init_flags);

/* ---- teams ---------------------------------------------------------------- */

/* Splits parent_team by color. Collective over parent_team, one thread per
 * node. Each color forms a team, ranked by relrank, then by parent rank, with
 * one image per node. clientdata (scratch space in other implementations) is
 * ignored. Blocks, polling. The library owns the team, which lives until the
 * job ends; a node that has 65536 of them cannot split again (fatal).
 * [R-TEAM-01] */
gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent_team,
                                            gasnet_node_t color,
                                            gasnet_node_t relrank,
                                            void *clientdata);

/* The number of nodes in the team; the node of a rank; the rank of a node,
 * which must be a member; this node's rank. Local, any thread; never block.
 * [R-TEAM-01, R-TEAM-02] */
gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team);
gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank);
gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team,
                                         gasnet_node_t node);
gasnet_node_t gasnet_coll_team_rank(gasnet_team_handle_t team);

/* ---- barriers of teams ---------------------------------------------------- */

/* As gasnet_barrier_*; on GASNET_TEAM_ALL they are the same barrier. Called by
 * one thread per node or, with GASNET_BARRIERFLAG_IMAGES, by every image.
 * [R-TEAM-03, R-TEAM-04, R-COLL-10, R-COLL-11] */
void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int *id);

/* ---- synchronisation ------------------------------------------------------ */

/* As the syncnb calls: wait blocks, polling; try polls once and returns
 * GASNET_OK or GASNET_ERR_NOT_READY. The list forms overwrite completed handles
 * with GASNET_COLL_INVALID_HANDLE.
 * [R-COLL-06, R-COLL-07] */
void gasnet_coll_wait_sync(gasnet_coll_handle_t handle);
void gasnet_coll_wait_sync_some(gasnet_coll_handle_t *handles, size_t n);
void gasnet_coll_wait_sync_all(gasnet_coll_handle_t *handles, size_t n);
int gasnet_coll_try_sync(gasnet_coll_handle_t handle);
int gasnet_coll_try_sync_some(gasnet_coll_handle_t *handles, size_t n);
int gasnet_coll_try_sync_all(gasnet_coll_handle_t *handles, size_t n);

/* ---- data movement -------------------------------------------------------- */

/* nbytes at src of srcimage to dst of every image.
 * [R-COLL-01, R-COLL-03, R-COLL-08] */
void gasnet_coll_broadcast(gasnet_team_handle_t team, void *dst,
                           gasnet_image_t srcimage, const void *src,
                           size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_broadcast_nb(gasnet_team_handle_t team,
                                              void *dst,
                                              gasnet_image_t srcimage,
                                              const void *src, size_t nbytes,
                                              int flags);
void gasnet_coll_broadcastM(gasnet_team_handle_t team, void *const dstlist[],
                            gasnet_image_t srcimage, const void *src,
                            size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_broadcastM_nb(gasnet_team_handle_t team,
                                               void *const dstlist[],
                                               gasnet_image_t srcimage,
                                               const void *src, size_t nbytes,
                                               int flags);

/* Block i of nbytes at src of srcimage to dst of image i.
 * [R-COLL-01, R-COLL-03, R-COLL-08] */
void gasnet_coll_scatter(gasnet_team_handle_t team, void *dst,
                         gasnet_image_t srcimage, const void *src,
                         size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_scatter_nb(gasnet_team_handle_t team,
                                            void *dst, gasnet_image_t srcimage,
                                            const void *src, size_t nbytes,
                                            int flags);
void gasnet_coll_scatterM(gasnet_team_handle_t team, void *const dstlist[],
                          gasnet_image_t srcimage, const void *src,
                          size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_scatterM_nb(gasnet_team_handle_t team,
                                             void *const dstlist[],
                                             gasnet_image_t srcimage,
                                             const void *src, size_t nbytes,
                                             int flags);

/* nbytes at src of image i to block i at dst of dstimage.
 * [R-COLL-01, R-COLL-03, R-COLL-08] */
void gasnet_coll_gather(gasnet_team_handle_t team, gasnet_image_t dstimage,
                        void *dst, const void *src, size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gather_nb(gasnet_team_handle_t team,
                                           gasnet_image_t dstimage, void *dst,
                                           const void *src, size_t nbytes,
                                           int flags);
void gasnet_coll_gatherM(gasnet_team_handle_t team, gasnet_image_t dstimage,
                         void *dst, void *const srclist[], size_t nbytes,
                         int flags);
gasnet_coll_handle_t gasnet_coll_gatherM_nb(gasnet_team_handle_t team,
                                            gasnet_image_t dstimage, void *dst,
                                            void *const srclist[],
                                            size_t nbytes, int flags);

/* nbytes at src of image i to block i at dst of every image.
 * [R-COLL-01, R-COLL-03, R-COLL-08] */
void gasnet_coll_gather_all(gasnet_team_handle_t team, void *dst,
                            const void *src, size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gather_all_nb(gasnet_team_handle_t team,
                                               void *dst, const void *src,
                                               size_t nbytes, int flags);
void gasnet_coll_gather_allM(gasnet_team_handle_t team, void *const dstlist[],
                             void *const srclist[], size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_gather_allM_nb(gasnet_team_handle_t team,
                                                void *const dstlist[],
                                                void *const srclist[],
                                                size_t nbytes, int flags);

/* Block j of nbytes at src of image i to block i at dst of image j.
 * [R-COLL-01, R-COLL-03] */
void gasnet_coll_exchange(gasnet_team_handle_t team, void *dst, const void *src,
                          size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_exchange_nb(gasnet_team_handle_t team,
                                             void *dst, const void *src,
                                             size_t nbytes, int flags);
void gasnet_coll_exchangeM(gasnet_team_handle_t team, void *const dstlist[],
                           void *const srclist[], size_t nbytes, int flags);
gasnet_coll_handle_t gasnet_coll_exchangeM_nb(gasnet_team_handle_t team,
                                              void *const dstlist[],
                                              void *const srclist[],
                                              size_t nbytes, int flags);

/* ---- computation ---------------------------------------------------------- */

/* elem_count elements of elem_size bytes at src of every image, combined in
 * image order, to dst of dstimage: the same bits in every run. func is an index
 * in the table passed to gasnet_coll_init; func_arg is passed to the function.
 * blksz and offset (for block-distributed arrays) are ignored.
 * [R-COLL-02, R-COLL-03] */
void gasnet_coll_reduce(gasnet_team_handle_t team, gasnet_image_t dstimage,
                        void *dst, const void *src, size_t src_blksz,
                        size_t src_offset, size_t elem_size, size_t elem_count,
                        gasnet_coll_fn_handle_t func, int func_arg, int flags);
gasnet_coll_handle_t gasnet_coll_reduce_nb(
    gasnet_team_handle_t team, gasnet_image_t dstimage, void *dst,
    const void *src, size_t src_blksz, size_t src_offset, size_t elem_size,
    size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags);
void gasnet_coll_reduceM(gasnet_team_handle_t team, gasnet_image_t dstimage,
                         void *dst, void *const srclist[], size_t src_blksz,
                         size_t src_offset, size_t elem_size, size_t elem_count,
                         gasnet_coll_fn_handle_t func, int func_arg, int flags);
gasnet_coll_handle_t gasnet_coll_reduceM_nb(gasnet_team_handle_t team,
                                            gasnet_image_t dstimage, void *dst,
                                            void *const srclist[],
                                            size_t src_blksz, size_t src_offset,
                                            size_t elem_size, size_t elem_count,
                                            gasnet_coll_fn_handle_t func,
                                            int func_arg, int flags);

/* Prefix reduction: images 0 to i, combined, to dst of every image i
 * (INCLUSIVE_SCAN), or images 0 to i - 1 (EXCLUSIVE_SCAN; dst of image 0 is not
 * written).
 * [R-COLL-02, R-COLL-03, R-COLL-08] */
void gasnet_coll_scan(gasnet_team_handle_t team, void *dst, size_t dst_blksz,
                      size_t dst_offset, const void *src, size_t src_blksz,
                      size_t src_offset, size_t elem_size, size_t elem_count,
                      gasnet_coll_fn_handle_t func, int func_arg, int flags);
gasnet_coll_handle_t gasnet_coll_scan_nb(
    gasnet_team_handle_t team, void *dst, size_t dst_blksz, size_t dst_offset,
    const void *src, size_t src_blksz, size_t src_offset, size_t elem_size,
    size_t elem_count, gasnet_coll_fn_handle_t func, int func_arg, int flags);
void gasnet_coll_scanM(gasnet_team_handle_t team, void *const dstlist[],
                       size_t dst_blksz, size_t dst_offset,
                       void *const srclist[], size_t src_blksz,
                       size_t src_offset, size_t elem_size, size_t elem_count,
                       gasnet_coll_fn_handle_t func, int func_arg, int flags);
gasnet_coll_handle_t gasnet_coll_scanM_nb(
    gasnet_team_handle_t team, void *const dstlist[], size_t dst_blksz,
    size_t dst_offset, void *const srclist[], size_t src_blksz,
    size_t src_offset, size_t elem_size, size_t elem_count,
    gasnet_coll_fn_handle_t func, int func_arg, int flags);

/* ---- tuning ---------------------------------------------------------------- */

/* Accepted and ignored: no file is read or written. Local; never block.
 * [R-COLL-12] */
void gasnet_coll_loadTuningState(char *filename, gasnet_team_handle_t team);
void gasnet_coll_dumpTuningState(char *filename, gasnet_team_handle_t team);
void gasnet_coll_dumpProfile(char *filename, gasnet_team_handle_t team);

#ifdef __cplusplus
}
#endif

#endif
