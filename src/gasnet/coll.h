/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of gasnet_coll.h over the engines of programs (run.h). A call of all images of
 * a node is one of the node: an entry barrier if asked for, the movement, reduction or
 * scan, an exit barrier if asked for, in turn; where every node has one image, by loads
 * where that can be. With several images a node what goes between nodes is packed before
 * and unpacked after (coll_images.c). Functions of the client run in the engine of
 * messages, operands in the order of their images.
 *
 * coll.c makes the description of a call from its arguments, coll_call.c the calls of the
 * node.
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

/* What all images agree on. */
struct fsh_coll_call {
    const char *name; /* of the GASNet call */
    enum fsh_coll_kind kind;
    int flags;
    uint32_t root;    /* image, or 0 */
    size_t nbytes;    /* of a block, or of all elements */
    size_t elem_size; /* this and the next: reduce, scan */
    size_t elem_count;
    int32_t func;
    int func_arg;
};

/* An image of this node: its buffers, and what waits for the end. */
struct fsh_coll_image {
    char *dst;
    const char *src;
    struct fsh_event *event;
};

struct fsh_coll_op;

/* One of the calls of a node. */
struct fsh_coll_stage {
    struct fsh_coll_client client; /* first, since it is what engines know */
    struct fsh_coll_op *op;
};
enum { FSH_COLL_ENTRY, FSH_COLL_MAIN, FSH_COLL_EXIT, FSH_COLL_STAGES };

struct fsh_coll_op {
    struct fsh_coll_stage stage[FSH_COLL_STAGES];
    struct fsh_team *team; /* of the client */
    const struct fsh_view *view;
    struct fsh_coll_call call;
    const gasnet_coll_fn_entry_t *function; /* reduce, scan */
    uint32_t root;                          /* rank of the root image */
    uint32_t root_image;                    /* there, from its first */
    struct fsh_coll_image *image;           /* [view->mine] */
    /* With several images a node. */
    struct fsh_coll_op *next; /* that waits for images; under the lock */
    uint32_t number;          /* of the call among those of its view */
    uint32_t present;         /* images in the call; under the lock */
    char *out, *in;           /* packed; freed with it */
};

/* Does some node have several images in the call? All see that alike. */
static inline bool fsh_coll_of_images(const struct fsh_coll_op *op)
{
    return op->view->first[op->team->size] != op->team->size;
}

/* Is the root image on this node? */
static inline bool fsh_coll_at_root(const struct fsh_coll_op *op)
{
    return op->team->rank == op->root;
}

/* ---- coll_call.c ---- */

/* The calling image is in: dst and src are its own. event counts one until its part is
 * complete. May poll. */
void fsh_coll_start(struct fsh_team *team, const struct fsh_coll_call *call,
                    char *dst, const char *src, struct fsh_event *event);
/* The same, and wait for that. */
void fsh_coll_run(struct fsh_team *team, const struct fsh_coll_call *call,
                  char *dst, const char *src);

/* One thread a node: n bytes of every rank to all, all[rank]. */
void fsh_coll_share(struct fsh_team *team, const void *mine, size_t n,
                    void *all, const char *call);
/* And: nobody leaves before all have come. */
void fsh_coll_meet(struct fsh_team *team, const char *call);

/* results = left (+) right, all of the call's elements. */
void fsh_coll_combine(const struct fsh_coll_op *op, void *results,
                      const void *left, const void *right, size_t n);

/* ---- coll_images.c ---- */

/* What goes between nodes, packed: buffers of *work, and which algorithm. lists: room for
 * two of [size], which *work may point to. */
const struct fsh_program_algorithm *fsh_coll_pack(struct fsh_coll_op *op,
                                                  struct fsh_coll_work *work,
                                                  size_t *lists);
/* What came, to the images. */
void fsh_coll_unpack(struct fsh_coll_op *op);

#endif
