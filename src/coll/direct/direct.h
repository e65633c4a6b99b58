/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of processes that can reach each other's memory: no messages; results
 * are computed by loads from the peers' inputs, in the order given by the program's
 * recipe, hence with the same bits as any other executor. What a member publishes
 * (payload, addresses of buffers in its segment) is on its board, in memory that all
 * members map.
 *
 * Independent of GASNet and conduits, so that a test can run all members as threads
 * of one process. Nothing here waits: an operation is stepped until it is complete.
 * One thread at a time per group; the operations of a group run one after the other,
 * in the same order on all members.
 */
#ifndef FSH_COLL_DIRECT_H
#define FSH_COLL_DIRECT_H

#include "coll/fold/fold.h"
#include "coll/program/program.h"
#include "coll/wire/wire.h"

/* Size of a member's board for one group; page aligned, initially zero. A used board
 * may serve another group only after it has been zeroed on behalf of all members. */
#define FSH_BOARD_BYTES ((size_t)128 << 10)

/* A member, as seen by this process. */
struct fsh_coll_member {
    unsigned char *board;
    /* Its segment in this process. NULL: no member but its owner has mapped it, and the
     * owner must leave it NULL here too. */
    unsigned char *here;
    uintptr_t there; /* the segment's address in its owner's process */
    size_t size;
    /* Non-zero while it sleeps until its memory changes, after a heavy fence
     * (base/membarrier.h); NULL: it never does. */
    const uint32_t *watching;
};

/* Ends the sleep of a member (a system call). */
typedef void (*fsh_coll_poke_fn)(void *arg, uint32_t member);

struct fsh_coll_group;

/* The members are copied. NULL: out of memory. */
struct fsh_coll_group *fsh_coll_group_make(
    uint32_t rank, uint32_t size, const struct fsh_coll_member *members,
    fsh_coll_poke_fn poke, void *arg);
void fsh_coll_group_free(struct fsh_coll_group *group);

/* What members must agree on, in the terms of the client's call, for diagnostics when
 * they do not. */
struct fsh_coll_facts {
    uint64_t bytes; /* of a block, or of all elements */
    uint64_t elem;  /* bytes per element, or 0 */
    uint32_t kind;  /* of call */
    uint32_t root;
    int32_t flags;
    int32_t function;
};

/* Additional properties of a call beyond its program; valid until it is
 * complete. */
struct fsh_coll_client {
    struct fsh_coll_facts facts;
    /* Requires the message-based engine: for client functions, and lists that not all
     * ranks know. It must not start before the team's earlier calls are complete on
     * this rank, as calls by direct loads never do. */
    bool by_messages;
    bool ordered;
    /* result = left (+) right, n bytes; NULL: use work.fold. */
    void (*combine)(const struct fsh_coll_client *client, void *result,
                    const void *left, const void *right, size_t n);
    /* Called on completion, before the event is completed; or NULL. */
    void (*done)(struct fsh_coll_client *client);
};

/* What all members agree on, and this member's buffers. The distance between blocks is
 * as in program.h: element size times elements, or the lists of the v-form. alltoallv
 * is not supported: its members do not agree on the bytes, which determine the way of
 * execution. */
struct fsh_coll_work {
    enum fsh_program_call call;
    uint32_t root;
    /* Of this member; reduce: of the root, on all members; NULL for a
     * barrier. */
    const struct fsh_recipe *recipe;
    size_t elem; /* bytes per element; movement: 1 */
    /* Elements of the vector that is split evenly into blocks (broadcast, reduce,
     * allreduce, scan), or of one block (the others). */
    size_t count;
    fsh_fold_fn fold; /* reductions, else NULL */
    uint8_t type, op; /* of reductions, FSH_FOLD_* */
    /* enum fsh_wire of packets: by messages or by engines in logic; sums of FP32,
     * RING. */
    uint8_t wire;
    /* Hash of all that members must agree on, in this call or (in the executors) all up
     * to it: a member with a different one is detected. */
    uint32_t claim;
    unsigned char *dst;
    const unsigned char *src;
    /* allgatherv: bytes of block b, the same on all members, and its offset in dst;
     * both or neither. Valid until the operation is complete. */
    const size_t *dst_bytes, *dst_at;
    /* alltoallv, message-based engine only: the same for src. */
    const size_t *src_bytes, *src_at;
    struct fsh_coll_client *client; /* or NULL */
};

/* An operation of a group; the caller's memory until it is complete. */
struct fsh_coll_direct_op {
    struct fsh_coll_group *group;
    struct fsh_coll_work work;
    /* Of the executor (group.h). */
    uint64_t number; /* to be published next, or the last published */
    size_t block;    /* bytes of a block (the largest), or of the vector */
    size_t stride;   /* between blocks of SRC; 0: there is only one */
    size_t from, to; /* byte range of each block in the current round */
    size_t span;     /* distance between blocks as copied to the board */
    uint32_t next;   /* members already checked, in a wait */
    bool disagrees;  /* missing has another claim: never completes */
    uint8_t way;     /* enum fsh_direct_way */
    uint8_t stage;   /* of the way */
    bool vector;     /* SRC and DST are one vector */
    bool slot;       /* copies go to the slot */
    bool whole;      /* no member copies to the board */
    bool lent;       /* peers read some SRC in place */
};

/* A member's description of its call with the current number. False: none, or it
 * belongs to another number. */
bool fsh_coll_direct_facts(const struct fsh_coll_direct_op *op, uint32_t member,
                           struct fsh_coll_facts *facts);

/* Starts an operation, after the previous one is complete. Sets all of *op. Does not
 * access peers. */
void fsh_coll_direct_begin(struct fsh_coll_direct_op *op,
                           struct fsh_coll_group *group,
                           const struct fsh_coll_work *work);
/* Advances as far as possible. True: complete, that is, dst is written and src may be
 * changed. Otherwise *missing is a member that must arrive first; until it does,
 * further calls check only that one. */
bool fsh_coll_direct_step(struct fsh_coll_direct_op *op, uint32_t *missing);

#endif
