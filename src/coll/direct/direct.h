/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of processes that reach each other's memory: no messages, results made by
 * loads from the inputs of the peers, in the order that the program's recipe gives, so
 * with the bits of any other executor. What a member publishes (payload, addresses of
 * buffers in its segment) is on its board, in memory that all members map.
 *
 * Knows no GASNet and no conduit, so that a test can run all members as threads of one
 * process. Nothing here waits: an operation is stepped until it is complete. One thread
 * at a time for a group; the operations of a group run one after the other, in the
 * same order on all members.
 */
#ifndef FSH_COLL_DIRECT_H
#define FSH_COLL_DIRECT_H

#include "coll/fold/fold.h"
#include "coll/program/program.h"
#include "coll/wire/wire.h"

/* Bytes of a member's board of one group; aligned to a page, zero at the start. One that
 * has served a group serves another only after it is zero again, for all. */
#define FSH_BOARD_BYTES ((size_t)128 << 10)

/* A member, as this process sees it. */
struct fsh_coll_member {
    unsigned char *board;
    /* Its segment in this process. NULL: it is not mapped, by any member but its
     * owner, and here by that one neither. */
    unsigned char *here;
    uintptr_t there; /* the address of that for its owner */
    size_t size;
    /* Not 0 while it sleeps until its memory changes, after a heavy fence
     * (base/membarrier.h); NULL: it never does. */
    const uint32_t *watching;
};

/* End the sleep of a member (a system call). */
typedef void (*fsh_coll_poke_fn)(void *arg, uint32_t member);

struct fsh_coll_group;

/* The members are copied. NULL: no memory. */
struct fsh_coll_group *fsh_coll_group_make(
    uint32_t rank, uint32_t size, const struct fsh_coll_member *members,
    fsh_coll_poke_fn poke, void *arg);
void fsh_coll_group_free(struct fsh_coll_group *group);

/* What members agree on, in the words of the client's call, for whoever finds that they
 * do not. */
struct fsh_coll_facts {
    uint64_t bytes; /* of a block, or of all elements */
    uint64_t elem;  /* bytes of an element, or 0 */
    uint32_t kind;  /* of the call */
    uint32_t root;
    int32_t flags;
    int32_t function;
};

/* Of a call with more to it than the program; lives until it is complete. */
struct fsh_coll_client {
    struct fsh_coll_facts facts;
    /* The engine of messages alone: for functions of the client, and lists that not
     * all ranks know; it is not to begin before the calls of the team before it are
     * complete here, as those by loads never do. */
    bool by_messages;
    bool ordered;
    /* result = left (+) right, n bytes; or NULL, and work.fold does. */
    void (*combine)(const struct fsh_coll_client *client, void *result,
                    const void *left, const void *right, size_t n);
    /* Complete; or NULL. Before the event says so. */
    void (*done)(struct fsh_coll_client *client);
};

/* What all members agree on, and this member's buffers. Bytes from block to block are as
 * program.h says: element bytes times elements, or the lists of the v-form. No
 * alltoallv: its members do not agree on the bytes, which choose the way. */
struct fsh_coll_work {
    enum fsh_program_call call;
    uint32_t root;
    /* Of this member; reduce: of the root, on all; NULL for barrier. */
    const struct fsh_recipe *recipe;
    size_t elem; /* bytes of an element; movement: 1 */
    /* Elements of the vector that is split into blocks evenly (broadcast, reduce,
     * allreduce, scan), or of one block (the others). */
    size_t count;
    fsh_fold_fn fold; /* reductions, else NULL */
    uint8_t type, op; /* of them, FSH_FOLD_ */
    /* enum fsh_wire, of packets: the engine of messages alone; sums of FP32, RING. */
    uint8_t wire;
    /* All that members must agree on, as a number: a member with another one is found. */
    uint32_t claim;
    unsigned char *dst;
    const unsigned char *src;
    /* allgatherv: bytes of block b, which all agree on, and where it begins in dst;
     * both or neither. Valid until the operation is complete. */
    const size_t *dst_bytes, *dst_at;
    /* alltoallv, which is for the engine of messages alone: those of src. */
    const size_t *src_bytes, *src_at;
    struct fsh_coll_client *client; /* or NULL */
};

/* An operation of a group, the caller's memory until it is complete. */
struct fsh_coll_direct_op {
    struct fsh_coll_group *group;
    struct fsh_coll_work work;
    /* The executor's (group.h). */
    uint64_t number; /* to be published next, or what was last */
    size_t block;    /* bytes of a block, the largest; or of the vector */
    size_t stride;   /* from block to block of SRC; 0: there is one */
    size_t from, to; /* the bytes of each block that are in work */
    size_t
        span; /* from block to block of what is copied of them to the board */
    uint32_t next;  /* members looked at, in a wait */
    bool disagrees; /* the missing member has another claim: this never ends */
    uint8_t way;    /* enum fsh_direct_way */
    uint8_t stage;  /* of the way */
    bool vector;    /* SRC and DST are one */
    bool slot;      /* copies go to the slot */
    bool whole;     /* nobody copies to the board */
    bool lent;      /* some SRC is read by peers */
};

/* What a member has said of its call with the number that the operation is at. False: it
 * has said nothing, or of another number. */
bool fsh_coll_direct_facts(const struct fsh_coll_direct_op *op, uint32_t member,
                           struct fsh_coll_facts *facts);

/* Begin; after the operation before is complete. Sets all of *op. Looks at no peer. */
void fsh_coll_direct_begin(struct fsh_coll_direct_op *op,
                           struct fsh_coll_group *group,
                           const struct fsh_coll_work *work);
/* Go as far as possible. True: complete: dst is written, src may be changed. Else
 * *missing is a member that has to come first, and while it does not, a call looks at
 * that one alone. */
bool fsh_coll_direct_step(struct fsh_coll_direct_op *op, uint32_t *missing);

#endif
