/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams: sets of nodes, and what their collectives need. One thread per node
 * creates and registers a team, which is never freed. Each node numbers its
 * teams independently; a message carries the number that the team has on the
 * receiving node.
 */
#ifndef FSH_GASNET_TEAM_H
#define FSH_GASNET_TEAM_H

#include "base/lock.h"
#include "gasnet/internal.h"

enum fsh_opinion_kind { FSH_ANONYMOUS, FSH_NAMED, FSH_MISMATCH };

/* A node's view of a barrier's id. */
struct fsh_opinion {
    int32_t kind; /* enum fsh_opinion_kind */
    int32_t id;
};

/* The barrier of a team (barrier.c). */
struct fsh_barrier {
    atomic_uint phase;         /* the latest notified; 0: none yet */
    bool notified;             /* between notify and wait */
    struct fsh_event event;    /* of its all-reduce */
    uint64_t mine, all;        /* packed opinions: kind << 32 | id */
    struct fsh_opinion result; /* of the last completed barrier */
    /* With several images per node, under the team's lock: */
    struct fsh_opinion gathered; /* of the images that have notified */
    uint32_t came;               /* images that have notified */
    uint32_t left;               /* images whose wait has returned */
    uint32_t *target;            /* [mine] phase an image waits for, or 0 */
};

struct fsh_run_team;

/* The images of a team as collectives see them. Changes at most once, in
 * gasnet_coll_init, before the first collective. */
struct fsh_view {
    uint32_t mine;   /* images on this node */
    uint32_t *first; /* [size + 1] first image of a rank; last: total */
    uint32_t
        *calls; /* [mine] collectives each image has called; with several, under
                 * the lock of collectives */
};

enum { FSH_VIEW_IMAGES, FSH_VIEW_NODES, FSH_VIEWS };

struct fsh_team {
    uint32_t id; /* this node's number for it */
    uint32_t rank;
    uint32_t size;
    uint32_t *node;    /* [size] rank to node */
    uint32_t *number;  /* [size] the team's number on that node */
    uint32_t *rank_of; /* [nodes] node to rank, or UINT32_MAX */
    uint16_t *host;    /* [size] numbers, if it is over hosts of which some have
                           * several of its ranks; else NULL */
    bool subtrees;     /* those are subtrees of the order TREE */
    struct fsh_lock lock; /* of images at its barrier */
    struct fsh_barrier barrier;
    struct fsh_view view[FSH_VIEWS];
    struct fsh_run_team *runs; /* run.h */
    struct fsh_team *barriers; /* team of the same ranks, for barriers only */
};

/* Barriers are ordered separately: between notify and wait a rank may make collective
 * calls that another makes before its notify. So they run on a team of their own, whose
 * number is that of the main team plus this bit. */
#define FSH_TEAM_BARRIERS UINT32_C(0x80000000)
static inline bool fsh_team_is_barriers(const struct fsh_team *team)
{
    return (team->id & FSH_TEAM_BARRIERS) != 0;
}

extern struct fsh_team *fsh_team_all;
/* Another team of all nodes, for the calls of images where nodes have several. */
extern struct fsh_team *fsh_team_images;

/* ---- creating a team (team.c, team_split.c); failures are fatal and name `call`
 * ---- */

/* n zeroed elements of `size` bytes; the caller frees them. */
void *fsh_team_memory(size_t n, size_t size, const char *call);
/* Assigns this node's number for a new team. */
uint32_t fsh_team_number(const char *call);
/* Creates a team, whose node[] and number[] the caller fills in. Never
 * freed. */
struct fsh_team *fsh_team_make(uint32_t id, uint32_t rank, uint32_t size,
                               const char *call);
/* Registers the filled-in team: fsh_team_at finds it, and its messages are handled. */
void fsh_team_add(struct fsh_team *team, const char *call);

/* Creates (or recreates) GASNET_TEAM_ALL from the rank and nodes in
 * fsh_gasnet. */
void fsh_team_register(void);
/* The team behind a client's handle; fatal, naming the call, before
 * gasnet_attach. */
struct fsh_team *fsh_team_of(gasnet_team_handle_t team, const char *call);
/* The team with this number, or NULL if it is not registered (yet); and the
 * count of numbers assigned. */
struct fsh_team *fsh_team_at(uint32_t id);
uint32_t fsh_team_count(void);
/* The image, among those on this node, of the calling thread; fatal if the node
 * has several and the thread has not called gasnet_coll_init. */
uint32_t fsh_team_image(const struct fsh_team *team, unsigned view,
                        const char *call);
/* The rank of an image. */
uint32_t fsh_team_image_rank(const struct fsh_team *team,
                             const struct fsh_view *view, uint32_t image);

/* A function registered by gasnet_coll_init; fatal if there is none. */
const gasnet_coll_fn_entry_t *fsh_team_function(const char *call, int32_t func);

#endif
