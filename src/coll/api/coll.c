/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of fshmem_coll.h: each describes its operands, in blocks, and has a
 * blocking and a non-blocking form. Client threads only.
 */
#include "coll/api/call.h"

/* Defines both forms of a call. FILL completes request r. */
#define FORMS(NAME, CALL, MORE, PARAMS, FILL)                              \
    fshmem_status_t fshmem_coll_##NAME(PARAMS, unsigned flags)             \
    {                                                                      \
        FSH_TRACED("fshmem_coll_" #NAME);                                  \
        struct fsh_coll_request r;                                         \
                                                                           \
        fsh_coll_begin(&r, "fshmem_coll_" #NAME, FSH_PROGRAM_##CALL, team, \
                       flags, MORE);                                       \
        if (r.status == FSHMEM_OK) {                                       \
            FILL;                                                          \
        }                                                                  \
        return fsh_coll_make(&r, NULL, true);                              \
    }                                                                      \
    fshmem_status_t fshmem_coll_##NAME##_nb(PARAMS, unsigned flags,        \
                                            gasnet_handle_t *handle)       \
    {                                                                      \
        FSH_TRACED("fshmem_coll_" #NAME "_nb");                            \
        struct fsh_coll_request r;                                         \
                                                                           \
        fsh_coll_begin(&r, "fshmem_coll_" #NAME "_nb", FSH_PROGRAM_##CALL, \
                       team, flags, MORE);                                 \
        if (r.status == FSHMEM_OK) {                                       \
            FILL;                                                          \
        }                                                                  \
        return fsh_coll_make(&r, handle, false);                           \
    }
#define LIST(...) __VA_ARGS__

size_t fshmem_coll_element(fshmem_type_t type, fshmem_op_t op)
{
    return fsh_fold_size((unsigned)type, (unsigned)op);
}

/* 1 at the root, else 0; all ranks. */
static size_t at_root(const struct fsh_coll_request *r)
{
    return r->status == FSHMEM_OK && r->team->rank == r->shape.root ? 1 : 0;
}

/* An exclusive scan writes nothing at rank 0. */
static size_t scanned(const struct fsh_coll_request *r)
{
    return r->shape.exclusive && r->team->rank == 0 ? 0 : 1;
}

static size_t ranks(const struct fsh_coll_request *r)
{
    return r->shape.size;
}

FORMS(barrier, BARRIER, 0, LIST(gasnet_team_handle_t team),
      fsh_coll_bytes(&r, 0))

FORMS(broadcast, BROADCAST, 0,
      LIST(gasnet_team_handle_t team, void *dst, gasnet_node_t root,
           const void *src, size_t nbytes),
      fsh_coll_root(&r, root);
      fsh_coll_bytes(&r, nbytes);
      fsh_coll_buffers(&r, dst, 1, src, at_root(&r)))

FORMS(scatter, SCATTER, 0,
      LIST(gasnet_team_handle_t team, void *dst, gasnet_node_t root,
           const void *src, size_t nbytes),
      fsh_coll_root(&r, root);
      fsh_coll_bytes(&r, nbytes);
      fsh_coll_buffers(&r, dst, 1, src, at_root(&r) * ranks(&r)))

FORMS(gather, GATHER, 0,
      LIST(gasnet_team_handle_t team, gasnet_node_t root, void *dst,
           const void *src, size_t nbytes),
      fsh_coll_root(&r, root);
      fsh_coll_bytes(&r, nbytes);
      fsh_coll_buffers(&r, dst, at_root(&r) * ranks(&r), src, 1))

FORMS(allgather, ALLGATHER, 0,
      LIST(gasnet_team_handle_t team, void *dst, const void *src,
           size_t nbytes),
      fsh_coll_bytes(&r, nbytes);
      fsh_coll_buffers(&r, dst, ranks(&r), src, 1))

FORMS(alltoall, ALLTOALL, 0,
      LIST(gasnet_team_handle_t team, void *dst, const void *src,
           size_t nbytes),
      fsh_coll_bytes(&r, nbytes);
      fsh_coll_buffers(&r, dst, ranks(&r), src, ranks(&r)))

FORMS(reduce, REDUCE, 0,
      LIST(gasnet_team_handle_t team, gasnet_node_t root, void *dst,
           const void *src, size_t count, fshmem_type_t type, fshmem_op_t op),
      fsh_coll_root(&r, root);
      fsh_coll_elements(&r, count, type, op);
      fsh_coll_buffers(&r, dst, at_root(&r), src, 1))

FORMS(allreduce, ALLREDUCE, FSHMEM_WIRE_FORMATS,
      LIST(gasnet_team_handle_t team, void *dst, const void *src, size_t count,
           fshmem_type_t type, fshmem_op_t op),
      fsh_coll_elements(&r, count, type, op);
      fsh_coll_wire(&r, flags); fsh_coll_buffers(&r, dst, 1, src, 1))

FORMS(reduce_scatter, REDUCE_SCATTER, 0,
      LIST(gasnet_team_handle_t team, void *dst, const void *src, size_t count,
           fshmem_type_t type, fshmem_op_t op),
      fsh_coll_elements(&r, count, type, op);
      fsh_coll_buffers(&r, dst, 1, src, ranks(&r)))

FORMS(scan, SCAN, FSHMEM_COLL_EXCLUSIVE,
      LIST(gasnet_team_handle_t team, void *dst, const void *src, size_t count,
           fshmem_type_t type, fshmem_op_t op),
      fsh_coll_elements(&r, count, type, op);
      fsh_coll_buffers(&r, dst, scanned(&r), src, 1))
