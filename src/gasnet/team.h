/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams: the nodes that do something together, and what they need for it. A
 * team is made by one thread a node, registered, and lives for ever. Each node
 * numbers its teams by itself; a message carries the number that the team has
 * on the node that receives it.
 */
#ifndef FSH_GASNET_TEAM_H
#define FSH_GASNET_TEAM_H

#include "base/lock.h"
#include "gasnet/internal.h"

enum fsh_opinion_kind { FSH_ANONYMOUS, FSH_NAMED, FSH_MISMATCH };

/* What a node knows of the name of a barrier. */
struct fsh_opinion {
    int32_t kind; /* enum fsh_opinion_kind */
    int32_t id;
};

/* The barrier of a team (barrier.c). */
struct fsh_barrier {
    atomic_uint phase;      /* of the one that was notified last; 0 none yet */
    bool notified;          /* between notify and wait */
    struct fsh_event event; /* of its all-reduce */
    uint64_t mine, all;     /* opinions, kind << 32 | id */
    struct fsh_opinion result; /* of the last barrier completed */
    /* With several images a node, under the team's lock: */
    struct fsh_opinion gathered; /* of the images that have notified */
    uint32_t came;               /* images that have notified */
    uint32_t left;               /* images whose wait is over */
    uint32_t *target;            /* [mine] phase an image waits for, or 0 */
};

struct fsh_run_team;

/* The images of a team as a collective sees them. They change once at most, in
 * gasnet_coll_init, before the first collective. */
struct fsh_view {
    uint32_t mine;   /* images on this node */
    uint32_t *first; /* [size + 1] first image of a rank; the last is all */
    uint32_t
        *calls; /* [mine] collectives an image has called; with several, under
                      * the lock of collectives */
};

enum { FSH_VIEW_IMAGES, FSH_VIEW_NODES, FSH_VIEWS };

struct fsh_team {
    uint32_t id; /* its number on this node */
    uint32_t rank;
    uint32_t size;
    uint32_t *node;       /* [size] the node of a rank */
    uint32_t *number;     /* [size] the team's number there */
    uint32_t *rank_of;    /* [nodes] of a node, or UINT32_MAX */
    struct fsh_lock lock; /* of images at its barrier */
    struct fsh_barrier barrier;
    struct fsh_view view[FSH_VIEWS];
    struct fsh_run_team *runs; /* run.h */
    struct fsh_team
        *barriers; /* the same ranks once more, for their barriers */
};

/* Barriers have an order of their own: between notify and wait a rank may make calls of
 * the team that another makes before its notify. So they are the calls of a team of their
 * own; its number has this bit more than that of the team they are of. */
#define FSH_TEAM_BARRIERS UINT32_C(0x80000000)
static inline bool fsh_team_is_barriers(const struct fsh_team *team)
{
    return (team->id & FSH_TEAM_BARRIERS) != 0;
}

extern struct fsh_team *fsh_team_all;
/* The same nodes once more, for the calls of images where a node has several. */
extern struct fsh_team *fsh_team_images;

/* ---- making a team (team.c, team_split.c); failures are fatal and name `call` ---- */

/* n zeroed elements of `size` bytes; the caller's, to free. */
void *fsh_team_memory(size_t n, size_t size, const char *call);
/* The number of one more team on this node. */
uint32_t fsh_team_number(const char *call);
/* A team whose node[] and number[] the caller fills in; it lives for ever. */
struct fsh_team *fsh_team_make(uint32_t id, uint32_t rank, uint32_t size,
                               const char *call);
/* That has been done: fsh_team_at finds the team, and its messages are handled. */
void fsh_team_add(struct fsh_team *team, const char *call);

/* (Re)make GASNET_TEAM_ALL from the rank and the nodes of fsh_gasnet. */
void fsh_team_register(void);
/* The team a client means; fatal, naming the call, before gasnet_attach. */
struct fsh_team *fsh_team_of(gasnet_team_handle_t team, const char *call);
/* The team with this number; NULL: there is none (yet). Numbers given out. */
struct fsh_team *fsh_team_at(uint32_t id);
uint32_t fsh_team_count(void);
/* Which of the images on this node the calling thread is; fatal if the node has
 * several and the thread never said (gasnet_coll_init). */
uint32_t fsh_team_image(const struct fsh_team *team, unsigned view,
                        const char *call);
/* The rank an image of the team is on. */
uint32_t fsh_team_image_rank(const struct fsh_team *team,
                             const struct fsh_view *view, uint32_t image);

/* A function registered by gasnet_coll_init; fatal if there is none. */
const gasnet_coll_fn_entry_t *fsh_team_function(const char *call, int32_t func);

#endif
