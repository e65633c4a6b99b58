/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internals of the executor: the group, what members wait for, and the ways to
 * execute an operation. The way depends only on what all members agree on: call,
 * bytes, size. Apart from no data, groups of one and barriers:
 *   COPIED  inputs are copied to slots or halves: one crossing, and src is free
 *   PULLED  members read from their peers' buffers, or from halves in rounds
 *   SLICED  for a vector that is the same everywhere: each member computes a part
 *           and writes it to all
 */
#ifndef FSH_COLL_GROUP_H
#define FSH_COLL_GROUP_H

#include "coll/direct/board.h"

/* Bytes combined at once: two operands and the result fit in the L1 cache. */
#define FSH_DIRECT_CHUNK ((size_t)8 << 10)
/* Maximum number of operands on the stack. */
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

/* Buffers of a member in this process; 0: not reachable. */
struct fsh_reached {
    uintptr_t src, dst;
    bool in_place;
};

/* Private to this process. */
struct fsh_coll_group {
    uint32_t rank;
    uint32_t size;
    uint64_t number; /* last published by this member */
    uint64_t all;    /* published by all members */
    fsh_coll_poke_fn poke;
    void *arg;
    bool watched;                /* some member may sleep */
    uint32_t far;                /* copies until the caches are tried again */
    uint32_t slow;               /* initial value of far after a slow copy */
    struct fsh_reached *reached; /* for the current operation */
    unsigned char *scratch;      /* FSH_DIRECT_DEPTH chunks */
    unsigned char *aside;        /* one more chunk */
    struct fsh_coll_member member[];
};

/* Whether members first to end - 1, except this one, have published a number. If not,
 * *missing is one that has not, and the next call continues with it. */
struct fsh_members {
    uint32_t first;
    uint32_t end;
};
bool fsh_direct_wait(struct fsh_coll_direct_op *op, struct fsh_members who,
                     uint64_t number, uint32_t *missing);
/* The same for all members. */
bool fsh_direct_wait_all(struct fsh_coll_direct_op *op, uint64_t number,
                         uint32_t *missing);
/* Whether the half of op->number may be written: members that have reached the
 * previous number no longer read what was there. */
bool fsh_direct_wait_half(struct fsh_coll_direct_op *op, uint32_t *missing);
/* Whether no member that has published op->number has another claim. This member has
 * published it too; of two members the later one sees the earlier one's. */
bool fsh_direct_agree(struct fsh_coll_direct_op *op, uint32_t *missing);
/* Publishes op->number. Members that see it also see what was written
 * before. */
void fsh_direct_publish(struct fsh_coll_direct_op *op);

/* say: writes the description of this member's buffers, to be published. hear: reads
 * what members published with op->number. */
void fsh_direct_say(struct fsh_coll_direct_op *op);
void fsh_direct_hear(struct fsh_coll_direct_op *op, struct fsh_members who);

/* ---- blocks (blocks.c) ---- */

/* Sets block, stride and way of an operation. */
void fsh_direct_measure(struct fsh_coll_direct_op *op);
/* Bytes of this member's SRC. */
size_t fsh_direct_src_bytes(const struct fsh_coll_direct_op *op);
/* Sets the range of the round that starts at op->from to as many bytes of each block as
 * a half has room for. */
void fsh_direct_set_round(struct fsh_coll_direct_op *op);
/* takers: members that get a result; takes: whether this one does. givers: members
 * whose SRC is read; sources: those read by this member; readers: those that read from
 * this one. */
struct fsh_members fsh_direct_takers(const struct fsh_coll_direct_op *op);
bool fsh_direct_takes(const struct fsh_coll_direct_op *op);
struct fsh_members fsh_direct_givers(const struct fsh_coll_direct_op *op);
struct fsh_members fsh_direct_sources(const struct fsh_coll_direct_op *op);
struct fsh_members fsh_direct_readers(const struct fsh_coll_direct_op *op);
/* Whether this member would overwrite what its peers still read. */
bool fsh_direct_overwrites(const struct fsh_coll_direct_op *op);
/* Copies bytes from .. to of each block of SRC to this member's board. */
void fsh_direct_copy_in(const struct fsh_coll_direct_op *op);

/* ---- results (combine.c) ---- */

/* Computes bytes from .. to of each block of the recipe, to where dst would be. */
void fsh_direct_make(const struct fsh_coll_direct_op *op, unsigned char *dst,
                     size_t from, size_t to);

/* ---- ways of execution ---- */

/* As fsh_coll_direct_step, for operations executed this way. */
bool fsh_direct_copied(struct fsh_coll_direct_op *op, uint32_t *missing);
bool fsh_direct_pulled(struct fsh_coll_direct_op *op, uint32_t *missing);
bool fsh_direct_sliced(struct fsh_coll_direct_op *op, uint32_t *missing);

/* all: the members of a group; one: a single one; any: whether there are
 * any. */
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

/* Where a member's board holds the copies for op->number. */
static inline unsigned char *fsh_direct_copies(
    const struct fsh_coll_direct_op *op, uint32_t member)
{
    unsigned char *board = op->group->member[member].board;

    return op->slot ? fsh_board_slot(board, member, op->number)->payload
                    : fsh_board_half(board, op->number);
}

/* memcpy to a half of this member's board. */
void fsh_direct_copy_half(struct fsh_coll_group *g, void *place,
                          const void *src, size_t bytes);
/* memcpy, except that null pointers are allowed for 0 bytes, and src may be
 * dst. */
void fsh_direct_copy(void *dst, const void *src, size_t bytes);

#endif
