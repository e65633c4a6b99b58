/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared by the calls of fshmem_coll.h: argument checks, and making a call in
 * blocking or non-blocking form.
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
        *algorithm; /* NULL: chosen by the library */
    struct fsh_program_shape shape;
    struct fsh_coll_work work;
    unsigned kind;          /* of a reduction: type and operation */
    fshmem_status_t status; /* the first error found */
};

/* Starts the checks of a call: whether it may be made now, its team, its algorithm.
 * flags: those of the algorithm, and those in `more`, which the call accepts. Sets all
 * of *r. Never polls. */
void fsh_coll_begin(struct fsh_coll_request *r, const char *name,
                    enum fsh_program_call call, gasnet_team_handle_t team,
                    unsigned flags, unsigned more);
/* Checks and sets the root. */
void fsh_coll_root(struct fsh_coll_request *r, gasnet_node_t root);
/* Checks and sets the elements of a reduction. */
void fsh_coll_elements(struct fsh_coll_request *r, size_t count,
                       fshmem_type_t type, fshmem_op_t op);
/* Checks and sets the wire format, FSHMEM_WIRE_* of the flags; call after the
 * elements. */
void fsh_coll_wire(struct fsh_coll_request *r, unsigned flags);
/* Sets the size of a block in bytes. */
void fsh_coll_bytes(struct fsh_coll_request *r, size_t nbytes);
/* Checks and sets the buffers; dst_blocks, src_blocks: the blocks of each that this
 * rank uses, 0: none. */
void fsh_coll_buffers(struct fsh_coll_request *r, void *dst, size_t dst_blocks,
                      const void *src, size_t src_blocks);
/* Records an error, unless there is one already. */
static inline void fsh_coll_wrong(struct fsh_coll_request *r,
                                  fshmem_status_t status)
{
    if (r->status == FSHMEM_OK)
        r->status = status;
}

/* Makes the call: blocks (handle NULL) or starts it. Returns its status. */
fshmem_status_t fsh_coll_make(struct fsh_coll_request *r,
                              gasnet_handle_t *handle, bool blocking);

#endif
