/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of GASNet's collectives that programs use without asking: a
 * broadcast over all nodes. Included by gasnet.h.
 */
#ifndef GASNET_COLL_H
#define GASNET_COLL_H

#ifndef GASNET_H
#error Include gasnet.h
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef gasnet_node_t gasnet_image_t;
typedef struct fsh_gasnet_team *gasnet_team_handle_t;
#define GASNET_TEAM_ALL ((gasnet_team_handle_t)0)

typedef struct {
    void (*fnptr)(void *results, size_t result_count, const void *left_operands,
                  size_t left_count, const void *right_operands,
                  size_t elem_size, int flags, int arg);
    unsigned int flags;
} gasnet_coll_fn_entry_t;

#define GASNET_COLL_IN_NOSYNC (1 << 0)
#define GASNET_COLL_IN_MYSYNC (1 << 1)
#define GASNET_COLL_IN_ALLSYNC (1 << 2)
#define GASNET_COLL_OUT_NOSYNC (1 << 3)
#define GASNET_COLL_OUT_MYSYNC (1 << 4)
#define GASNET_COLL_OUT_ALLSYNC (1 << 5)
#define GASNET_COLL_SINGLE (1 << 6)
#define GASNET_COLL_LOCAL (1 << 7)
#define GASNET_COLL_AGGREGATE (1 << 8)
#define GASNET_COLL_DST_IN_SEGMENT (1 << 9)
#define GASNET_COLL_SRC_IN_SEGMENT (1 << 10)
#define GASNET_COLL_NOSYNC (GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC)
#define GASNET_COLL_MYSYNC (GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)
#define GASNET_COLL_ALLSYNC (GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC)

/* Accepted for compatibility: one image a node, no functions. Optional. */
void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                      int init_flags);

/* Collective over all nodes (team GASNET_TEAM_ALL), one thread a node. On every
 * node nbytes at dst become what src is on node srcimage; src and dst may be
 * anywhere. Blocks, polling; every synchronisation flag is honoured. */
void gasnet_coll_broadcast(gasnet_team_handle_t team, void *dst,
                           gasnet_image_t srcimage, const void *src,
                           size_t nbytes, int flags);

#ifdef __cplusplus
}
#endif

#endif
