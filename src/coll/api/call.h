/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of fshmem_coll.h share: checking their arguments, and making one of
 * them, blocking or not.
 */
#ifndef FSH_COLL_CALL_H
#define FSH_COLL_CALL_H

/* The library serves all modes. */
#include "gasnet/run.h"

#include "fshmem.h"

/* A call whose arguments are being checked. */
struct fsh_coll_request {
    const char *name;
    struct fsh_team *team;
    const struct fsh_program_algorithm
        *algorithm; /* NULL: the library's choice */
    struct fsh_program_shape shape;
    struct fsh_coll_work work;
    unsigned kind;          /* of a reduction: type and operation */
    fshmem_status_t status; /* the first thing that is wrong */
};

/* Of a call: may it be made, on which team, with which algorithm? flags: those of the
 * algorithm, and `more` that the call knows. Sets all of *r. Never polls. */
void fsh_coll_begin(struct fsh_coll_request *r, const char *name,
                    enum fsh_program_call call, gasnet_team_handle_t team,
                    unsigned flags, unsigned more);
/* The root of the call. */
void fsh_coll_root(struct fsh_coll_request *r, gasnet_node_t root);
/* Elements of a reduction. */
void fsh_coll_elements(struct fsh_coll_request *r, size_t count,
                       fshmem_type_t type, fshmem_op_t op);
/* How they travel: FSHMEM_WIRE_ of the flags; after the elements. */
void fsh_coll_wire(struct fsh_coll_request *r, unsigned flags);
/* Blocks of bytes. */
void fsh_coll_bytes(struct fsh_coll_request *r, size_t nbytes);
/* The buffers; which of them this rank uses: `blocks` of them, 0: not at all. */
void fsh_coll_buffers(struct fsh_coll_request *r, void *dst, size_t dst_blocks,
                      const void *src, size_t src_blocks);
/* What is wrong with the call so far, if anything. */
static inline void fsh_coll_wrong(struct fsh_coll_request *r,
                                  fshmem_status_t status)
{
    if (r->status == FSHMEM_OK)
        r->status = status;
}

/* Make the call and wait (handle NULL), or start it. Returns its status. */
fshmem_status_t fsh_coll_make(struct fsh_coll_request *r,
                              gasnet_handle_t *handle, bool blocking);

#endif
