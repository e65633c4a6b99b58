/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inside of the executor: the group, what members wait for, and the ways to execute an
 * operation. Which way is a function of what all members agree on: call, bytes, size.
 * Short of nothing to do, nobody to meet and barriers:
 *   COPIED  the inputs are copied to slots or halves: one crossing, and src is free
 *   PULLED  members read from buffers of their peers, or in rounds from halves
 *   SLICED  of a vector that is the same everywhere, each member makes a part, and
 *           writes it to all
 */
#ifndef FSH_COLL_GROUP_H
#define FSH_COLL_GROUP_H

#include "coll/direct/board.h"

/* Bytes that are combined at once: two operands and the result stay in the first
 * cache. */
#define FSH_DIRECT_CHUNK ((size_t)8 << 10)
/* Operands on the stack at once. */
#define FSH_DIRECT_DEPTH 16u

enum fsh_direct_way {
    FSH_DIRECT_NOTHING,
    FSH_DIRECT_ALONE,
    FSH_DIRECT_BARRIER,
    FSH_DIRECT_COPIED,
    FSH_DIRECT_PULLED,
    FSH_DIRECT_SLICED,
    FSH_DIRECT_WAYS
};

/* Buffers of a member in this process; 0: not reached. */
struct fsh_reached {
    uintptr_t src, dst;
    bool in_place;
};

/* All of this process alone. */
struct fsh_coll_group {
    uint32_t rank;
    uint32_t size;
    uint64_t number; /* the last that this member has published */
    uint64_t all;    /* all members have published this */
    fsh_coll_poke_fn poke;
    void *arg;
    bool watched;                /* some member may sleep */
    uint32_t far;                /* copies until caches are tried again */
    uint32_t slow;               /* and how many after a slow one */
    struct fsh_reached *reached; /* of the operation */
    unsigned char *scratch;      /* FSH_DIRECT_DEPTH chunks */
    unsigned char *aside;        /* and one more */
    struct fsh_coll_member member[];
};

/* Members first to end - 1, but for this one, have published a number. False: *missing
 * has not; the next call goes on with it. */
struct fsh_members {
    uint32_t first;
    uint32_t end;
};
bool fsh_direct_wait(struct fsh_coll_direct_op *op, struct fsh_members who,
                     uint64_t number, uint32_t *missing);
/* All members. */
bool fsh_direct_wait_all(struct fsh_coll_direct_op *op, uint64_t number,
                         uint32_t *missing);
/* May the half of op->number be written? Who has come to the number before has
 * finished with what was there. */
bool fsh_direct_wait_half(struct fsh_coll_direct_op *op, uint32_t *missing);
/* Has no member that has published op->number another claim than this one, which has
 * done so too? Of two members the later one sees the earlier one's. */
bool fsh_direct_agree(struct fsh_coll_direct_op *op, uint32_t *missing);
/* op->number. What was written before is seen by those who find it. */
void fsh_direct_publish(struct fsh_coll_direct_op *op);

/* Write what there is to say of the buffers, to be published. Read what members have said
 * with op->number. */
void fsh_direct_say(struct fsh_coll_direct_op *op);
void fsh_direct_hear(struct fsh_coll_direct_op *op, struct fsh_members who);

/* ---- blocks (blocks.c) ---- */

/* Set block, stride, way of an operation. */
void fsh_direct_measure(struct fsh_coll_direct_op *op);
/* Bytes of SRC of this member. */
size_t fsh_direct_src_bytes(const struct fsh_coll_direct_op *op);
/* Let as many bytes of blocks be in work, from op->from on, as a half has room for. */
void fsh_direct_set_round(struct fsh_coll_direct_op *op);
/* Who gets a result: is it this member? Whose SRC is read; of those, by this member;
 * and who reads from this one. */
struct fsh_members fsh_direct_takers(const struct fsh_coll_direct_op *op);
bool fsh_direct_takes(const struct fsh_coll_direct_op *op);
struct fsh_members fsh_direct_givers(const struct fsh_coll_direct_op *op);
struct fsh_members fsh_direct_sources(const struct fsh_coll_direct_op *op);
struct fsh_members fsh_direct_readers(const struct fsh_coll_direct_op *op);
/* Would this member overwrite what its peers still read? */
bool fsh_direct_overwrites(const struct fsh_coll_direct_op *op);
/* Copy bytes from .. to of each block of SRC to this member's board. */
void fsh_direct_copy_in(const struct fsh_coll_direct_op *op);

/* ---- results (combine.c) ---- */

/* Bytes from .. to of each block that the recipe makes, to where dst would be. */
void fsh_direct_make(const struct fsh_coll_direct_op *op, unsigned char *dst,
                     size_t from, size_t to);

/* ---- ways ---- */

/* As fsh_coll_direct_step, for operations that go this way. */
bool fsh_direct_copied(struct fsh_coll_direct_op *op, uint32_t *missing);
bool fsh_direct_pulled(struct fsh_coll_direct_op *op, uint32_t *missing);
bool fsh_direct_sliced(struct fsh_coll_direct_op *op, uint32_t *missing);

/* Members of a group; one of them; are there any? */
static inline struct fsh_members fsh_members_all(
    const struct fsh_coll_direct_op *op)
{
    return (struct fsh_members){0, op->group->size};
}
static inline struct fsh_members fsh_members_one(uint32_t member)
{
    return (struct fsh_members){member, member + 1};
}
static inline bool fsh_members_any(struct fsh_members who)
{
    return who.first < who.end;
}

/* Where copies of op->number are on a member's board. */
static inline unsigned char *fsh_direct_copies(
    const struct fsh_coll_direct_op *op, uint32_t member)
{
    unsigned char *board = op->group->member[member].board;

    return op->slot ? fsh_board_slot(board, member, op->number)->payload
                    : fsh_board_half(board, op->number);
}

/* memcpy to a half of this member. */
void fsh_direct_copy_half(struct fsh_coll_group *g, void *place,
                          const void *src, size_t bytes);
/* memcpy; also of nothing from nowhere, and of a buffer to itself. */
void fsh_direct_copy(void *dst, const void *src, size_t bytes);

#endif
