/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives, teams and their barriers. Included by gasnet.h.
 *
 * Every call is collective over the team: all images of it make the same calls
 * in the same order, with the same team, root, sizes and flags. An image is one
 * a node, or one of several threads of a node (gasnet_coll_init). Several
 * collectives, of one team and of others, may be in flight. Not callable from
 * handlers. Misuse is fatal with one line naming call and argument.
 *
 * Flags: exactly one of GASNET_COLL_IN_*, one of GASNET_COLL_OUT_*, and one of
 * LOCAL and SINGLE. IN_NOSYNC and IN_MYSYNC: the data of an image is touched
 * after the image has made the call; IN_ALLSYNC: after all have. OUT_NOSYNC and
 * OUT_MYSYNC: complete here when the image's own buffers are done with;
 * OUT_ALLSYNC: when all images' are. LOCAL: each image names its own buffers,
 * which may be anywhere. SINGLE: all name the same ones, those of the image
 * they belong to. Hints: *_IN_SEGMENT, AGGREGATE, FIXED_THREADS_PER_NODE,
 * DISABLE_AUTOTUNE.
 *
 * In the forms with M, a list takes the place of a buffer of every image: with
 * SINGLE one entry for each image of the team, with LOCAL one for each of this
 * node. A buffer may be source and destination of its own data (a broadcast's
 * root, a gather's own block), else they must not overlap.
 *
 * The _nb forms return a handle (GASNET_COLL_INVALID_HANDLE: complete); the
 * others block, polling. Buffers stay valid until then; lists may be reused on
 * return. Sizes are bytes.
 * All of them: [R-COLL-04, R-COLL-05, R-COLL-06, R-COLL-07, R-COLL-10,
 * R-COLL-11].
 */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#ifndef GASNET_H
#error Include gasnet.h
#endif

/* Programs written for another implementation's tests lean on this name. */
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

/* One of them for each scan. */
#define GASNET_COLL_INCLUSIVE_SCAN (1 << 16)
#define GASNET_COLL_EXCLUSIVE_SCAN (1 << 17)

#define GASNET_COLL_DISABLE_AUTOTUNE (1 << 18)
/* One thread a node makes this call, images or not; ranks of nodes are used. */
#define GASNET_COLL_NO_IMAGES (1 << 19)

/* ---- types ---------------------------------------------------------------- */

typedef uint32_t gasnet_image_t;
typedef struct fsh_team *gasnet_team_handle_t;
typedef gasnet_handle_t gasnet_coll_handle_t;
typedef gasnet_handlerarg_t gasnet_coll_fn_handle_t; /* index in fn_tbl */

#define GASNET_TEAM_ALL ((gasnet_team_handle_t)0)
#define GASNET_COLL_INVALID_HANDLE GASNET_INVALID_HANDLE

/* Flags of a function: it may run in a handler; it does not commute. Neither
 * changes anything here: functions run in polls, and operands keep the order of
 * their images. */
#define GASNET_COLL_AMSAFE (1 << 0)
#define GASNET_COLL_NONCOMM (1 << 1)

/* results[i] = left_operands[i] (+) right_operands[i] for i < result_count;
 * left_count equals result_count, and results may be left_operands. flags is
 * the entry's, arg that of the call. Runs in a poll of any thread of the node,
 * so it must call nothing of GASNet. [R-COLL-02] */
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

/* Collective, by every thread that is to be an image; optional if there is one
 * a node and no function. images[node] is how many a node has (the same on all
 * nodes; null: one each), my_image the number of the calling thread over all
 * nodes in order. fn_tbl holds fn_count functions (the same number on all
 * nodes) and is copied. init_flags is 0. Blocks, polling.
 * [R-COLL-02, R-COLL-09, R-COLL-10] */
void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                      int init_flags);

/* ---- teams ---------------------------------------------------------------- */

/* Collective over parent_team, one thread a node: those of one color form a
 * team, ranks in the order of relrank (then of the parent's ranks). One image a
 * node. clientdata (scratch space elsewhere) is not used. Blocks, polling. The
 * team is the library's, and is there until the job ends. [R-TEAM-01] */
gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent_team,
                                            gasnet_node_t color,
                                            gasnet_node_t relrank,
                                            void *clientdata);

/* Nodes of the team; the node of a rank; the rank of a node, which must be a
 * member; this node's rank. Local, any thread; never block.
 * [R-TEAM-01, R-TEAM-02] */
gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team);
gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank);
gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team,
                                         gasnet_node_t node);
gasnet_node_t gasnet_coll_team_rank(gasnet_team_handle_t team);

/* ---- barriers of teams ---------------------------------------------------- */

/* As gasnet_barrier_* (for GASNET_TEAM_ALL they are the same barrier), one
 * thread a node, or with GASNET_BARRIERFLAG_IMAGES every image.
 * [R-TEAM-03, R-TEAM-04, R-COLL-10, R-COLL-11] */
void gasnet_coll_barrier_notify(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_wait(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_try(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier(gasnet_team_handle_t team, int id, int flags);
int gasnet_coll_barrier_result(gasnet_team_handle_t team, int *id);

/* ---- synchronisation ------------------------------------------------------ */

/* As the syncnb calls: wait blocks (polling), try polls once and returns
 * GASNET_OK or GASNET_ERR_NOT_READY; lists get GASNET_COLL_INVALID_HANDLE for
 * what is complete. [R-COLL-06, R-COLL-07] */
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

/* elem_count elements of elem_size bytes at src of every image, combined in the
 * order of the images, to dst of dstimage: the same bits in every run. func is
 * an index in the table of gasnet_coll_init, func_arg is passed on to it. blksz
 * and offset describe arrays spread in blocks; they are not looked at.
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

/* The same over images 0 to i to dst of every image i (INCLUSIVE_SCAN), or over
 * images 0 to i - 1 (EXCLUSIVE_SCAN; dst of image 0 is not written).
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

/* Accepted, without effect: no file is read or written. Local; never block.
 * [R-COLL-12] */
void gasnet_coll_loadTuningState(char *filename, gasnet_team_handle_t team);
void gasnet_coll_dumpTuningState(char *filename, gasnet_team_handle_t team);
void gasnet_coll_dumpProfile(char *filename, gasnet_team_handle_t team);

#ifdef __cplusplus
}
#endif

#endif
