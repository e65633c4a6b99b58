/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of operations: two sizes on free lists, others from the heap; see state.h.
 * Where a provider wants local memory registered, the data of those on the lists is, once.
 */
#include <stdlib.h>

#include "base/log.h"
#include "conduit/ofi/state.h"

enum { SMALL, LARGE, HEAP };

static struct fsh_ofi_op *make(uint8_t class, size_t bytes)
{
    struct fsh_ofi_op *op;
    size_t all = fsh_ofi_aligned(sizeof *op + bytes);

    op = aligned_alloc(FSH_OFI_ALIGN, all);
    if (op == NULL)
        fsh_fatal("conduit ofi: no memory for %zu bytes on their way", bytes);
    *op = (struct fsh_ofi_op){.class = class};
    if (bytes != 0)
        op->data_mr = fsh_ofi_register(fsh_ofi_op_data(op), bytes);
    return op;
}

struct fsh_ofi_op *fsh_ofi_op_take(size_t bytes, bool bounded)
{
    bool small = bytes <= FSH_OFI_SMALL_BYTES;
    struct fsh_ofi_op **list =
        small ? &fsh_ofi.free_small : &fsh_ofi.free_large;
    struct fsh_ofi_op *op = NULL;

    if (bytes > FSH_OFI_MAX_MESSAGE)
        op = make(HEAP, bytes);
    else if (*list != NULL) {
        op = *list;
        *list = op->next;
    } else if (small)
        op = make(SMALL, FSH_OFI_SMALL_BYTES);
    else if (fsh_ofi.large < FSH_OFI_LARGE_OPS) {
        op = make(LARGE, FSH_OFI_MAX_MESSAGE);
        fsh_ofi.large++;
    } else if (!bounded)
        op = make(HEAP, bytes);
    if (op == NULL)
        return NULL;
    op->next = NULL;
    op->local = fsh_ofi_op_data(op);
    op->bytes = bytes;
    op->desc = op->data_mr != NULL ? fi_mr_desc(op->data_mr) : NULL;
    op->local_mr = NULL;
    op->event = op->second = NULL;
    return op;
}

void fsh_ofi_op_free(struct fsh_ofi_op *op)
{
    struct fsh_ofi_op **list =
        op->class == SMALL ? &fsh_ofi.free_small : &fsh_ofi.free_large;

    if (op->local_mr != NULL)
        fi_close(&op->local_mr->fid);
    if (op->class == HEAP) {
        if (op->data_mr != NULL)
            fi_close(&op->data_mr->fid);
        free(op);
        return;
    }
    op->next = *list;
    *list = op;
}

void fsh_ofi_push(struct fsh_ofi_queue *queue, struct fsh_ofi_op *op)
{
    op->next = NULL;
    if (queue->first == NULL)
        queue->last = &queue->first;
    *queue->last = op;
    queue->last = &op->next;
}

struct fsh_ofi_op *fsh_ofi_pop(struct fsh_ofi_queue *queue)
{
    struct fsh_ofi_op *op = queue->first;

    if (op != NULL)
        queue->first = op->next;
    return op;
}
