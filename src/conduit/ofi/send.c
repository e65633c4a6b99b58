/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What goes out: given to the provider, or, while that takes no more, queued for its
 * peer; see state.h.
 */
#include <rdma/fi_rma.h>
#include <stdio.h>

#include "base/cpu.h"
#include "boot/boot.h"
#include "conduit/ofi/state.h"

static ssize_t give_rma(struct fsh_ofi_op *op)
{
    const struct fsh_ofi_peer *peer = &fsh_ofi.peers[op->node];
    struct iovec here = {op->local, op->bytes};
    struct fi_rma_iov there = {op->remote, op->bytes, peer->key};
    const struct fi_msg_rma msg = {.msg_iov = &here,
                                   .desc = &op->desc,
                                   .iov_count = 1,
                                   .addr = peer->addr,
                                   .rma_iov = &there,
                                   .rma_iov_count = 1,
                                   .context = op};

    /* Where it should be, for all to see, when the completion comes. */
    if (op->kind == FSH_OFI_OP_WRITE)
        return fi_writemsg(fsh_ofi.network.ep, &msg, FI_DELIVERY_COMPLETE);
    return fi_readmsg(fsh_ofi.network.ep, &msg, 0);
}

/* Whether the provider has it. What fails otherwise than for room is lost. */
static bool give(struct fsh_ofi_op *op)
{
    ssize_t rc = op->kind == FSH_OFI_OP_SEND
                     ? fi_send(fsh_ofi.network.ep, op->local, op->bytes,
                               op->desc, fsh_ofi.peers[op->node].addr, op)
                     : give_rma(op);

    if (rc == -FI_EAGAIN)
        return false;
    if (rc != 0) {
        fsh_ofi_failed(op, (int)-rc);
        return true;
    }
    fsh_ofi.posted++;
    fsh_ofi_expect_completion();
    return true;
}

void fsh_ofi_post(struct fsh_ofi_op *op)
{
    struct fsh_ofi_queue *queue = &fsh_ofi.peers[op->node].queue;

    if (queue->first == NULL && give(op))
        return;
    fsh_ofi_push(queue, op);
    fsh_ofi.queued++;
    fsh_ofi.counters.late++;
}

bool fsh_ofi_flush(void)
{
    bool any = false;

    for (uint32_t r = 0; fsh_ofi.queued != 0 && r < fsh_ofi.ranks; r++) {
        struct fsh_ofi_queue *queue = &fsh_ofi.peers[r].queue;

        while (queue->first != NULL) {
            struct fsh_ofi_op *op = queue->first, *next = op->next;

            if (!give(op)) /* an op that is given may be free by now */
                break;
            queue->first = next;
            fsh_ofi.queued--;
            any = true;
        }
    }
    return any;
}

/* Without memory of ours, if the provider takes it so. */
static bool inject(uint32_t node, const struct fsh_ofi_head *head,
                   const struct fsh_am *am, size_t bytes)
{
    struct fsh_ofi_peer *peer = &fsh_ofi.peers[node];
    _Alignas(FSH_OFI_ALIGN) unsigned char message[256];

    if (bytes > fsh_ofi.inject || bytes > sizeof message ||
        peer->queue.first != NULL)
        return false;
    fsh_ofi_pack(message, head, am);
    peer->talked = true;
    return fi_inject(fsh_ofi.network.ep, message, bytes, peer->addr) == 0;
}

bool fsh_ofi_send(uint32_t node, const struct fsh_ofi_head *head,
                  const struct fsh_am *am, bool bounded)
{
    size_t bytes = fsh_ofi_bytes(head->nargs, fsh_ofi_carried(head));
    struct fsh_ofi_op *op;

    if (inject(node, head, am, bytes)) {
        fsh_ofi.counters.sent++;
        return true;
    }
    op = fsh_ofi_op_take(bytes, bounded);
    if (op == NULL)
        return false;
    fsh_ofi_pack(fsh_ofi_op_data(op), head, am);
    op->kind = FSH_OFI_OP_SEND;
    op->node = node;
    fsh_ofi.counters.sent++;
    fsh_ofi_post(op);
    return true;
}

void fsh_ofi_give_back(uint32_t node)
{
    struct fsh_ofi_peer *peer = &fsh_ofi.peers[node];
    struct fsh_ofi_head head = {.job = fsh_ofi.expect.job,
                                .source = fsh_ofi.rank,
                                .kind = FSH_OFI_CREDIT};

    if (peer->owed < FSH_OFI_WINDOW / 2)
        return;
    head.credit = peer->owed;
    peer->owed = 0;
    fsh_ofi_send(node, &head, NULL, false);
}

bool fsh_ofi_gone(uint32_t node)
{
    return atomic_load(&fsh_boot_page()->rank[node].state) >= FSH_RANK_LEFT;
}

/* A rank that leaves closes its connections: no failure. Nor, perhaps, is the end of
 * one that dies: boot says better what it was, so it gets the time to (progress.c). */
void fsh_ofi_failed(const struct fsh_ofi_op *op, int code)
{
    if (fsh_ofi.failed_ns != 0 || fsh_ofi_gone(op->node))
        return;
    fsh_ofi.failed_ns = fsh_time_ns();
    snprintf(fsh_ofi.failure, sizeof fsh_ofi.failure,
             "conduit ofi: %s rank %u failed: %s",
             op->kind == FSH_OFI_OP_SEND    ? "a message to"
             : op->kind == FSH_OFI_OP_WRITE ? "a put to"
             : op->kind == FSH_OFI_OP_READ  ? "a get from"
                                            : "receiving at",
             op->node, fsh_ofi.network.library->strerror(code));
}
