/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives in flight. A call of all images of a node becomes one operation
 * (struct fsh_coll_op) that polls carry on: entry barrier if asked for, the
 * algorithm of its kind, exit barrier if asked for. coll.c makes operations of
 * calls, coll_engine.c runs them, coll_message.c moves their streams, coll_move.c
 * and coll_fold.c are algorithms. An algorithm sees its operation only, on the
 * thread that holds the engine; handlers write what is marked so.
 */
#ifndef FSH_GASNET_COLL_H
#define FSH_GASNET_COLL_H

#include "gasnet/team.h"

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

/* What a node tells its neighbour of its call (debug). */
struct fsh_coll_claim {
    uint64_t nbytes;
    uint64_t elem_size;
    uint32_t root;
    uint32_t kind;
    int32_t flags; /* of synchronisation */
    int32_t func;
};

/* An image of this node: its buffers, and what waits for the end. */
struct fsh_coll_image {
    char *dst;
    const char *src;
    struct fsh_event *event;
};

/* What goes between this node and another rank; once each way. */
struct fsh_coll_peer {
    atomic_bool ready;       /* by handler: may be sent to; released last */
    uint64_t addr;           /* by handler: put there, or 0: send messages */
    uint64_t wanted;         /* by handler: bytes the peer waits for */
    enum fsh_coll_kind kind; /* by handler: of the peer's call */
    atomic_size_t got;       /* by handler: bytes that have come */
    size_t sent;
    bool blocked; /* in the queue of its node; under the lock, as the next */
    struct fsh_coll_peer *ahead;
    struct fsh_coll_peer *behind;
    struct fsh_coll_op *op;
    bool granted; /* we have said that we are ready for it */
    bool put;     /* the put on `event` has been started */
    bool told;    /* all is sent */
    struct fsh_event event;
};

/* Memory that goes out or comes in: count pieces of `piece` bytes, piece i at
 * at(op, rank, i). Without bytes it is still a stream, which the receiver
 * announces: so both sides learn it if only one of them has bytes. */
struct fsh_coll_stream {
    size_t piece;
    size_t count;
    char *(*at)(const struct fsh_coll_op *op, uint32_t rank, size_t i);
};

/* What a step of an operation comes to. */
enum fsh_coll_step {
    FSH_COLL_WAIT,  /* go on when a message has come for it, or can be sent */
    FSH_COLL_AGAIN, /* go on in the next poll: a put is in flight */
    FSH_COLL_DONE
};

/* A way to do one kind of collective. */
struct fsh_coll_algorithm {
    const char *name;
    /* From rank to this one, and from this one to rank; count 0: nothing. Also
     * for handlers, on a started operation. */
    struct fsh_coll_stream (*in)(const struct fsh_coll_op *op, uint32_t rank);
    struct fsh_coll_stream (*out)(const struct fsh_coll_op *op, uint32_t rank);
    /* Go as far as possible; called again after WAIT and AGAIN. Each time it
     * tries again to grant and push what it could not. */
    enum fsh_coll_step (*run)(struct fsh_coll_op *op);
};

/* The algorithm for a call; one place to choose. */
const struct fsh_coll_algorithm *fsh_coll_choose(
    const struct fsh_team *team, const struct fsh_coll_call *call);

enum { FSH_COLL_SMALL = 512 }; /* bytes of scratch an operation has */

struct fsh_coll_op {
    /* Under the lock of collectives. */
    struct fsh_coll_op *next;  /* in its bucket, or spare */
    struct fsh_coll_op *queue; /* behind it in the queue */
    bool queued;
    bool over;  /* complete, but still queued: to be dropped there */
    bool heard; /* debug: the neighbour's claim is here */
    struct fsh_coll_claim theirs;
    uint32_t number;  /* of the call among those of its view */
    uint32_t present; /* images of this node in the call */
    uint32_t room;    /* in image[] */
    /* Fixed when the operation is started. */
    struct fsh_team *team;
    const struct fsh_view *view;
    unsigned view_index;
    struct fsh_coll_call call;
    const struct fsh_coll_algorithm *algorithm;
    struct fsh_coll_image *image; /* [view->mine] */
    uint32_t root;                /* rank of the root image */
    uint32_t root_image;          /* there, counted from its first */
    /* The engine's. */
    atomic_uint arrived[2]; /* by handler: rounds of entry and exit barrier */
    unsigned round[2];
    bool passed[2]; /* this round's message is out */
    unsigned stage;
    bool starved; /* a message is to be tried again in the next poll */
    bool claimed; /* debug: our claim is out */
    bool done;    /* debug: complete but for claims */
    /* The algorithm's; all zero at the start. */
    unsigned step;
    uint32_t cursor;
    bool flag;
    char *scratch; /* from fsh_coll_scratch; freed at the end */
    char *result;
    char *spare;
    char small[FSH_COLL_SMALL] __attribute__((aligned(16)));
    struct fsh_coll_peer peer[]; /* [team->size] */
};

/* ---- for algorithms ---- */

/* Is the calling node the root? */
static inline bool fsh_coll_at_root(const struct fsh_coll_op *op)
{
    return op->team->rank == op->root;
}

/* The first image on a rank. */
static inline uint32_t fsh_coll_first(const struct fsh_coll_op *op,
                                      uint32_t rank)
{
    return op->view->first[rank];
}

/* Images on a rank. */
static inline uint32_t fsh_coll_images(const struct fsh_coll_op *op,
                                       uint32_t rank)
{
    return op->view->first[rank + 1] - op->view->first[rank];
}

/* Tell rank that its stream to us may come. False: not now (WAIT). */
bool fsh_coll_grant(struct fsh_coll_op *op, uint32_t rank);
/* Has all of it come? */
bool fsh_coll_received(const struct fsh_coll_op *op, uint32_t rank);
/* Send our stream to rank, once it is ready; DONE when the source is free. */
enum fsh_coll_step fsh_coll_push(struct fsh_coll_op *op, uint32_t rank);
/* n bytes, aligned to 16, until the end of the operation. */
char *fsh_coll_scratch(struct fsh_coll_op *op, size_t n);

/* Copy a stream of this node to itself; identical places are left alone. */
void fsh_coll_copy_self(struct fsh_coll_op *op);

extern const struct fsh_coll_algorithm fsh_coll_move;
extern const struct fsh_coll_algorithm fsh_coll_reduce;
extern const struct fsh_coll_algorithm fsh_coll_scan;

/* ---- for calls ---- */

/* The calling image is in: dst and src are its own. event counts one until its
 * part is complete. May poll. */
void fsh_coll_start(struct fsh_team *team, const struct fsh_coll_call *call,
                    char *dst, const char *src, struct fsh_event *event);
/* Polls until the event is done. */
void fsh_coll_wait(struct fsh_event *event, const char *call);

/* One thread a node: n bytes of every rank to all, all[rank]. Nobody leaves
 * before all have come. */
void fsh_coll_share(struct fsh_team *team, const void *mine, size_t n,
                    void *all, const char *call);

#endif
