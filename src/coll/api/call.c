/* SPDX-License-Identifier: BSD-3-Clause */
/* See call.h. */
#include "coll/api/call.h"

/* fshmem_coll.h and the layers below use the same numbers. */
_Static_assert((int)FSHMEM_DOUBLE == (int)FSH_FOLD_DOUBLE &&
                   (int)FSHMEM_MAXLOC == (int)FSH_FOLD_MAXLOC,
               "types and operations");

/* Field by field: for the whole struct compilers use a string instruction that takes
 * longer than the rest of a short call. */
static void clear(struct fsh_coll_request *r)
{
    r->algorithm = NULL;
    r->shape.root = 0;
    r->work.recipe = NULL;
    r->work.elem = 1;
    r->work.count = 0;
    r->work.fold = NULL;
    r->work.wire = FSH_WIRE_FP32;
    r->work.dst = NULL;
    r->work.src = NULL;
    r->work.dst_bytes = NULL;
    r->work.dst_at = NULL;
    r->work.src_bytes = NULL;
    r->work.src_at = NULL;
    r->work.client = NULL;
    r->kind = 0;
    r->status = FSHMEM_OK;
}

void fsh_coll_begin(struct fsh_coll_request *r, const char *name,
                    enum fsh_program_call call, gasnet_team_handle_t team,
                    unsigned flags, unsigned more)
{
    unsigned algorithm = flags & FSHMEM_COLL_ALGORITHMS;

    clear(r);
    r->name = name;
    r->shape.call = call;
    r->shape.exclusive = (flags & FSHMEM_COLL_EXCLUSIVE) != 0;
    if (!fsh_gasnet.attached || fsh_thread_self()->in_handler > 0) {
        r->status = FSHMEM_ERR_CALL;
        return;
    }
    r->team = fsh_team_of(team, name);
    r->shape.size = r->team->size;
    if ((flags & ~(FSHMEM_COLL_ALGORITHMS | more)) != 0)
        r->status = FSHMEM_ERR_ARGUMENT;
    if (algorithm == FSHMEM_COLL_AUTO)
        return;
    r->algorithm = fsh_program_find(algorithm);
    if (r->algorithm == NULL || !fsh_program_does(r->algorithm, call))
        r->status = FSHMEM_ERR_ARGUMENT;
}

void fsh_coll_root(struct fsh_coll_request *r, gasnet_node_t root)
{
    if (r->status == FSHMEM_OK && root >= r->team->size)
        r->status = FSHMEM_ERR_NODE;
    r->shape.root = root;
}

void fsh_coll_elements(struct fsh_coll_request *r, size_t count,
                       fshmem_type_t type, fshmem_op_t op)
{
    size_t elem = fsh_fold_size((unsigned)type, (unsigned)op);

    if (elem == 0) {
        fsh_coll_wrong(r, FSHMEM_ERR_ARGUMENT);
        return;
    }
    r->work.elem = elem;
    r->work.count = count;
    r->kind = 1 + (unsigned)type * FSH_FOLD_OPS + (unsigned)op;
    r->work.type = (uint8_t)type;
    r->work.op = (uint8_t)op;
    r->work.fold =
        fsh_fold_function((unsigned)type, (unsigned)op, FSH_ISA_BEST);
}

void fsh_coll_wire(struct fsh_coll_request *r, unsigned flags)
{
    unsigned wire = (flags & FSHMEM_WIRE_FORMATS) / FSHMEM_WIRE_BFP16;

    if (r->status != FSHMEM_OK || wire == FSH_WIRE_FP32)
        return;
    if (wire != FSH_WIRE_BFP16 || r->work.type != FSH_FOLD_FLOAT ||
        r->work.op != FSH_FOLD_SUM ||
        (r->algorithm != NULL && r->algorithm->order != FSH_PROGRAM_RING)) {
        r->status = FSHMEM_ERR_ARGUMENT;
        return;
    }
    r->algorithm = fsh_program_find(FSHMEM_COLL_RING);
    if (r->shape.size > 1) /* else nothing is sent */
        r->work.wire = (uint8_t)wire;
}

void fsh_coll_bytes(struct fsh_coll_request *r, size_t nbytes)
{
    r->work.count = nbytes;
}

static bool fits(size_t blocks, size_t elem, size_t count)
{
    size_t bytes;

    return !__builtin_mul_overflow(elem, count, &bytes) &&
           !__builtin_mul_overflow(bytes, blocks, &bytes) &&
           bytes <= PTRDIFF_MAX;
}

void fsh_coll_buffers(struct fsh_coll_request *r, void *dst, size_t dst_blocks,
                      const void *src, size_t src_blocks)
{
    const struct fsh_coll_work *w = &r->work;
    size_t blocks = dst_blocks > src_blocks ? dst_blocks : src_blocks;

    if (r->status != FSHMEM_OK)
        return;
    /* If the blocks do not fit in the root's memory, all ranks refuse. */
    if (r->shape.call == FSH_PROGRAM_SCATTER ||
        r->shape.call == FSH_PROGRAM_GATHER)
        blocks = r->shape.size;
    if (!fits(blocks, w->elem, w->count))
        r->status = FSHMEM_ERR_SHAPE;
    else if (w->count != 0 && ((dst_blocks != 0 && dst == NULL) ||
                               (src_blocks != 0 && src == NULL)))
        r->status = FSHMEM_ERR_ARGUMENT;
    r->work.dst = dst;
    r->work.src = src;
}

/* Hash of what ranks must agree on. The blocks of the v-forms may differ. */
static uint32_t claim_of(const struct fsh_coll_request *r)
{
    const struct fsh_coll_work *w = &r->work;
    uint64_t algorithm = r->algorithm == NULL ? 0 : r->algorithm->id;

    return fsh_coll_claim((uint64_t)r->shape.root |
                              (uint64_t)r->shape.call << 16 |
                              (uint64_t)r->shape.exclusive << 24 |
                              algorithm << 32 | (uint64_t)r->kind << 40 |
                              (uint64_t)w->elem << 48 | (uint64_t)w->wire << 56,
                          w->dst_bytes == NULL ? w->count : UINT64_MAX);
}
_Static_assert(FSH_PROGRAM_MAX_RANKS <= 1u << 16 && FSH_PROGRAM_CALLS <= 256 &&
                   FSHMEM_COLL_ALGORITHMS <= 255,
               "fields of facts");

fshmem_status_t fsh_coll_make(struct fsh_coll_request *r,
                              gasnet_handle_t *handle, bool blocking)
{
    struct fsh_thread *self;
    uint32_t slot;

    if (!blocking && handle == NULL)
        fsh_coll_wrong(r, FSHMEM_ERR_ARGUMENT);
    if (r->status != FSHMEM_OK)
        return r->status;
    r->work.claim = claim_of(r);
    if (blocking) {
        fsh_coll_call(r->team, r->name, r->algorithm, &r->shape, &r->work,
                      NULL);
        return FSHMEM_OK;
    }
    self = fsh_thread_self();
    slot = fsh_slot_take(self);
    fsh_coll_call(r->team, r->name, r->algorithm, &r->shape, &r->work,
                  &fsh_slot_at(slot)->event);
    *handle = fsh_slot_close(self, slot);
    return FSHMEM_OK;
}
