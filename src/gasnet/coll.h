/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of gasnet_coll.h on top of the executors of collectives (run.h). A call
 * of all images of a node becomes one call of the node, in stages: an entry barrier
 * if requested, the movement, reduction or scan, and an exit barrier if requested; if
 * every node has one image it uses direct loads where possible. With several images
 * per node, the data exchanged between nodes is packed before and unpacked afterwards
 * (coll_images.c). Client reduction functions run in the message-based engine, with
 * operands in image order.
 *
 * coll.c builds the description of a call, coll_call.c makes the calls of the node.
 */
#ifndef FSH_GASNET_COLL_H
#define FSH_GASNET_COLL_H

#include "gasnet/run.h"

enum fsh_coll_kind {
    FSH_COLL_BROADCAST,
    FSH_COLL_SCATTER,
    FSH_COLL_GATHER,
    FSH_COLL_GATHER_ALL,
    FSH_COLL_EXCHANGE,
    FSH_COLL_REDUCE,
    FSH_COLL_SCAN,
    FSH_COLL_KINDS
};

/* The part that all images agree on. */
struct fsh_coll_call {
    const char *name; /* of the GASNet call */
    enum fsh_coll_kind kind;
    int flags;
    uint32_t root;    /* image, or 0 */
    size_t nbytes;    /* of a block, or of all elements */
    size_t elem_size; /* this and the next: reduce and scan only */
    size_t elem_count;
    int32_t func;
    int func_arg;
};

/* An image of this node: its buffers, and the event that completes its call. */
struct fsh_coll_image {
    char *dst;
    const char *src;
    struct fsh_event *event;
};

struct fsh_coll_op;

/* One stage of a node's call. */
struct fsh_coll_stage {
    struct fsh_coll_client client; /* first: what executors know */
    struct fsh_coll_op *op;
};
enum { FSH_COLL_ENTRY, FSH_COLL_MAIN, FSH_COLL_EXIT, FSH_COLL_STAGES };

struct fsh_coll_op {
    struct fsh_coll_stage stage[FSH_COLL_STAGES];
    struct fsh_team *team; /* of the client */
    const struct fsh_view *view;
    struct fsh_coll_call call;
    const gasnet_coll_fn_entry_t *function; /* reduce and scan only */
    uint32_t root;                          /* rank of the root image */
    uint32_t root_image;                    /* its index on that rank */
    struct fsh_coll_image *image;           /* [view->mine] */
    /* Only with several images per node: */
    struct fsh_coll_op *next; /* calls that wait for images; under the lock */
    uint32_t number;          /* sequence number of the call in its view */
    uint32_t present;         /* images that have joined; under the lock */
    char *out, *in;           /* packed data; freed with it */
};

/* Whether any node has several images in this call. The same on all nodes. */
static inline bool fsh_coll_of_images(const struct fsh_coll_op *op)
{
    return op->view->first[op->team->size] != op->team->size;
}

/* Whether the root image is on this node. */
static inline bool fsh_coll_at_root(const struct fsh_coll_op *op)
{
    return op->team->rank == op->root;
}

/* ---- coll_call.c ---- */

/* The calling image joins the call: dst and src are its own. event is held until its
 * part is complete. May poll. */
void fsh_coll_start(struct fsh_team *team, const struct fsh_coll_call *call,
                    char *dst, const char *src, struct fsh_event *event);
/* The same, blocking. */
void fsh_coll_run(struct fsh_team *team, const struct fsh_coll_call *call,
                  char *dst, const char *src);

/* Allgather with one thread per node: n bytes of every rank to all[rank]. */
void fsh_coll_share(struct fsh_team *team, const void *mine, size_t n,
                    void *all, const char *call);
/* A barrier: returns once all ranks have called it. */
void fsh_coll_meet(struct fsh_team *team, const char *call);

/* results = left (+) right, for all elements of the call. */
void fsh_coll_combine(const struct fsh_coll_op *op, void *results,
                      const void *left, const void *right, size_t n);

/* ---- coll_images.c ---- */

/* Packs the data exchanged between nodes: sets the buffers of *work and returns the
 * algorithm. lists: room for two arrays of [size] that *work may refer to. */
const struct fsh_program_algorithm *fsh_coll_pack(struct fsh_coll_op *op,
                                                  struct fsh_coll_work *work,
                                                  size_t *lists);
/* Unpacks what was received, for the images. */
void fsh_coll_unpack(struct fsh_coll_op *op);

#endif
