/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get of conduit ofi: remote memory access of the provider, if it has that on
 * both sides.
 */
#include <string.h>

#include "base/log.h"
#include "conduit/ofi/state.h"

/* Local memory as the provider wants it: what is not the segment, for one op. */
static void describe_local(struct fsh_ofi_op *op)
{
    uintptr_t off = (uintptr_t)op->local - fsh_ofi.expect.segment;

    op->desc = NULL;
    if (!fsh_ofi.network.local_mr)
        return;
    if (off < fsh_ofi.expect.segment_bytes &&
        op->bytes <= fsh_ofi.expect.segment_bytes - off) {
        op->desc = fsh_ofi.segment_desc;
        return;
    }
    op->local_mr = fsh_ofi_register(op->local, op->bytes);
    op->desc = fi_mr_desc(op->local_mr);
}

static void count(struct fsh_event *event)
{
    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
}

/* With the lock. */
static void start(enum fsh_ofi_op_kind kind, uint32_t node, uintptr_t remote,
                  unsigned char *local, size_t n, bool copy,
                  struct fsh_event *event, struct fsh_event *second)
{
    const struct fsh_ofi_peer *peer = &fsh_ofi.peers[node];
    struct fsh_ofi_op *op = fsh_ofi_op_take(copy ? n : 0, false);

    op->kind = (uint8_t)kind;
    op->node = node;
    op->bytes = n;
    op->remote = peer->base + (remote - (uintptr_t)peer->segment.addr);
    op->event = event;
    op->second = second;
    if (copy) {
        memcpy(fsh_ofi_op_data(op), local, n);
    } else {
        op->local = local;
        describe_local(op);
    }
    count(event);
    if (second != NULL)
        count(second);
    fsh_ofi_post(op);
}

static void start_all(enum fsh_ofi_op_kind kind, uint32_t node,
                      uintptr_t remote, unsigned char *local, size_t n,
                      bool copy, struct fsh_event *event,
                      struct fsh_event *second)
{
    size_t step;

    pthread_mutex_lock(&fsh_ofi.lock);
    for (; n != 0; n -= step) {
        step = n < fsh_ofi.piece ? n : fsh_ofi.piece;
        start(kind, node, remote, local, step, copy, event, second);
        remote += step;
        local += step;
    }
    pthread_mutex_unlock(&fsh_ofi.lock);
}

void fsh_ofi_put(uint32_t node, void *dst, const void *src, size_t n,
                 struct fsh_event *local, struct fsh_event *remote)
{
    bool copy = local == NULL || n <= sizeof(uint64_t);

    if (!fsh_ofi.peers[node].rma) {
        fsh_ofi_pieces_put(node, dst, src, n, local, remote);
        return;
    }
    start_all(FSH_OFI_OP_WRITE, node, (uintptr_t)dst,
              (unsigned char *)(uintptr_t)src, n, copy, remote,
              copy || local == remote ? NULL : local);
}

void fsh_ofi_get(void *dst, uint32_t node, const void *src, size_t n,
                 struct fsh_event *done)
{
    if (!fsh_ofi.peers[node].rma) {
        fsh_ofi_pieces_get(dst, node, src, n, done);
        return;
    }
    start_all(FSH_OFI_OP_READ, node, (uintptr_t)src, dst, n, false, done, NULL);
}
