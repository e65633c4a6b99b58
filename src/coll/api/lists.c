/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls of fshmem_coll.h with blocks of different sizes: the caller's lists, with
 * defaults filled in, are passed with the call, and its executor copies them. Client
 * threads only.
 */
#include <stdlib.h>

#include "coll/api/call.h"

/* Lists for a buffer: the size of each block, and its offset. */
struct list {
    const size_t *bytes;
    const size_t *at; /* the caller's, or `made` */
    size_t *made;     /* offsets of contiguous blocks; freed with the call */
};

/* Offsets of contiguous blocks. NULL: out of memory. */
static size_t *follow(const size_t bytes[], uint32_t n)
{
    size_t *at = malloc(n * sizeof *at), sum = 0;

    for (uint32_t i = 0; at != NULL && i < n; i++) {
        at[i] = sum;
        sum += bytes[i];
    }
    return at;
}

/* Whether every block fits in memory and, if contiguous, all of them together. */
static bool fits(const size_t bytes[], const size_t at[], uint32_t n)
{
    size_t sum = 0, end;

    for (uint32_t i = 0; i < n; i++) {
        if (__builtin_add_overflow(sum, bytes[i], &sum) || sum > PTRDIFF_MAX)
            return false;
        if (at != NULL && (__builtin_add_overflow(at[i], bytes[i], &end) ||
                           end > PTRDIFF_MAX))
            return false;
    }
    return true;
}

static bool any(const size_t bytes[], uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return true;
    return false;
}

/* Checks and completes a buffer's lists; the caller frees them. */
static struct list list_of(struct fsh_coll_request *r, const void *buffer,
                           const size_t bytes[], const size_t at[])
{
    struct list list = {bytes, at, NULL};
    uint32_t n = r->shape.size;

    if (bytes == NULL) {
        fsh_coll_wrong(r, FSHMEM_ERR_ARGUMENT);
    } else if (!fits(bytes, at, n)) {
        fsh_coll_wrong(r, FSHMEM_ERR_SHAPE);
    } else if (buffer == NULL && any(bytes, n)) {
        fsh_coll_wrong(r, FSHMEM_ERR_ARGUMENT);
    } else if (at == NULL) {
        list.at = list.made = follow(bytes, n);
        if (list.made == NULL)
            fsh_coll_wrong(r, FSHMEM_ERR_NO_MEMORY);
    }
    return list;
}

/* Blocks of different sizes are moved one by one, by a single algorithm. */
static struct fsh_coll_request begin(const char *name,
                                     enum fsh_program_call call, unsigned only,
                                     gasnet_team_handle_t team, unsigned flags)
{
    struct fsh_coll_request r;

    fsh_coll_begin(&r, name, call, team, flags, 0);
    if (r.algorithm != NULL && r.algorithm->id != only)
        fsh_coll_wrong(&r, FSHMEM_ERR_ARGUMENT);
    r.algorithm = fsh_program_find(only);
    return r;
}

/* ---- allgatherv ---- */

static fshmem_status_t allgatherv(const char *name, gasnet_team_handle_t team,
                                  void *dst, const size_t counts[],
                                  const size_t at[], const void *src,
                                  unsigned flags, gasnet_handle_t *handle,
                                  bool blocking)
{
    struct fsh_coll_request r =
        begin(name, FSH_PROGRAM_ALLGATHER, FSHMEM_COLL_RING, team, flags);
    struct list list = {0};
    fshmem_status_t status;

    if (r.status == FSHMEM_OK)
        list = list_of(&r, dst, counts, at);
    if (r.status == FSHMEM_OK) {
        fsh_coll_bytes(&r, counts[r.team->rank]);
        fsh_coll_buffers(&r, dst, 0, src, 1);
        r.work.dst_bytes = list.bytes;
        r.work.dst_at = list.at;
    }
    status = fsh_coll_make(&r, handle, blocking);
    free(list.made);
    return status;
}

fshmem_status_t fshmem_coll_allgatherv(gasnet_team_handle_t team, void *dst,
                                       const size_t counts[], const size_t at[],
                                       const void *src, unsigned flags)
{
    FSH_TRACED("fshmem_coll_allgatherv");
    return allgatherv("fshmem_coll_allgatherv", team, dst, counts, at, src,
                      flags, NULL, true);
}

fshmem_status_t fshmem_coll_allgatherv_nb(gasnet_team_handle_t team, void *dst,
                                          const size_t counts[],
                                          const size_t at[], const void *src,
                                          unsigned flags,
                                          gasnet_handle_t *handle)
{
    FSH_TRACED("fshmem_coll_allgatherv_nb");
    return allgatherv("fshmem_coll_allgatherv_nb", team, dst, counts, at, src,
                      flags, handle, false);
}

/* ---- alltoallv ---- */

/* One side of an exchange. */
struct side {
    const void *buffer;
    const size_t *bytes, *at;
};

static fshmem_status_t alltoallv(const char *name, gasnet_team_handle_t team,
                                 const struct side *in, const struct side *out,
                                 unsigned flags, gasnet_handle_t *handle,
                                 bool blocking)
{
    struct fsh_coll_request r =
        begin(name, FSH_PROGRAM_ALLTOALL, FSHMEM_COLL_PAIRWISE, team, flags);
    struct list to = {0}, from = {0};
    fshmem_status_t status;

    if (r.status == FSHMEM_OK) {
        to = list_of(&r, in->buffer, in->bytes, in->at);
        from = list_of(&r, out->buffer, out->bytes, out->at);
    }
    if (r.status == FSHMEM_OK &&
        in->bytes[r.team->rank] != out->bytes[r.team->rank])
        r.status = FSHMEM_ERR_ARGUMENT;
    r.work.dst = (unsigned char *)(uintptr_t)in->buffer;
    r.work.src = out->buffer;
    r.work.dst_bytes = to.bytes;
    r.work.dst_at = to.at;
    r.work.src_bytes = from.bytes;
    r.work.src_at = from.at;
    status = fsh_coll_make(&r, handle, blocking);
    free(to.made);
    free(from.made);
    return status;
}

fshmem_status_t fshmem_coll_alltoallv(gasnet_team_handle_t team, void *dst,
                                      const size_t in[], const size_t in_at[],
                                      const void *src, const size_t out[],
                                      const size_t out_at[], unsigned flags)
{
    FSH_TRACED("fshmem_coll_alltoallv");
    const struct side to = {dst, in, in_at}, from = {src, out, out_at};

    return alltoallv("fshmem_coll_alltoallv", team, &to, &from, flags, NULL,
                     true);
}

fshmem_status_t fshmem_coll_alltoallv_nb(gasnet_team_handle_t team, void *dst,
                                         const size_t in[],
                                         const size_t in_at[], const void *src,
                                         const size_t out[],
                                         const size_t out_at[], unsigned flags,
                                         gasnet_handle_t *handle)
{
    FSH_TRACED("fshmem_coll_alltoallv_nb");
    const struct side to = {dst, in, in_at}, from = {src, out, out_at};

    return alltoallv("fshmem_coll_alltoallv_nb", team, &to, &from, flags,
                     handle, false);
}
