/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Put and get of conduit fpga, with any size and alignment, split into commands. A
 * payload is read or written in place if it lies in this node's segment (and, for a
 * put, stays unchanged); a small one travels in the command; any other goes through
 * its tag's bounce memory. Every byte goes through the device, even to this rank
 * itself. Any thread; not from handlers.
 */
#include <string.h>

#include "base/trace.h"
#include "conduit/fpga/state.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

_Static_assert(FSH_HOST_TAGS == 48, "claim_tag names the number");

static unsigned claim_tag(uint32_t node)
{
    int tag = fsh_fpga_claim(&fsh_fpga.free_tags);

    if (tag < 0) {
        struct fsh_wait wait;
        fsh_fpga_wait_begin(&wait, node);
        while ((tag = fsh_fpga_claim(&fsh_fpga.free_tags)) < 0)
            fsh_fpga_wait_step(&wait, "a tag (48 transfers are in flight)",
                               true);
        fsh_wait_end(&wait);
    }
    return (unsigned)tag;
}

/* Uses the tag's bounce memory as the local side. Returns the size of the piece, of n
 * bytes left: up to a packet boundary at the remote end. */
static size_t use_bounce(struct fsh_fpga_desc *desc, size_t n)
{
    desc->lspace = FSH_SPACE_HOST;
    desc->laddr = FSH_DMA_TAG + (uint64_t)desc->tag * FSH_DMA_TAG_BYTES;
    return smaller(n, FSH_DMA_TAG_BYTES - desc->raddr % FSH_MAX_PACKET);
}

/* local: of a PUT whose source the device reads in place, or NULL. to: destination of a
 * GET, copied from the bounce memory if `bounced`. */
static void start(struct fsh_fpga_desc *desc, struct fsh_event *local,
                  struct fsh_event *remote, void *to, bool bounced)
{
    struct fsh_fpga_command cmd;
    struct fsh_fpga_op op = {
        .opcode = desc->opcode,
        .bounced = bounced,
        .asked = FSH_FPGA_NOT_ASKED,
        .node = desc->node,
        .remote = desc->raddr,
        .length = desc->length,
        .local = to,
        .event = remote,
        .read = local,
    };

    FSH_ASSERT(desc->length != 0 && desc->length <= FSH_MAX_MESSAGE);
    FSH_ASSERT(desc->raddr + desc->length <=
               fsh_fpga.segs[desc->node].size + fsh_fpga_area());
    FSH_ASSERT(remote != NULL && local != remote);
    /* In simulated time no get yields to other ranks' work. */
    if (to != NULL && !fsh_fpga.locking && fsh_fpga.clock == NULL)
        op.asked = fsh_fpga_ask(&fsh_fpga.asked, desc->node, desc->raddr,
                                desc->length, &desc->patient);
    fsh_fpga_op_begin(desc->tag, &op);
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_transfer(desc->tag);
    /* Relaxed: only this thread waits, and it counts before submitting. */
    atomic_fetch_add_explicit(&remote->pending, 1, memory_order_relaxed);
    if (local != NULL)
        atomic_fetch_add_explicit(&local->pending, 1, memory_order_relaxed);
    fsh_fpga_encode(&cmd, desc);
    fsh_fpga_submit(FSH_FPGA_REQUEST, &cmd, true);
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_left();
}

void fsh_fpga_put(uint32_t rank, void *dst, const void *src, size_t n,
                  struct fsh_event *local, struct fsh_event *remote)
{
    const uint32_t node = fsh_fpga.node_of[rank];
    uint64_t raddr =
        (uint64_t)((uintptr_t)dst - (uintptr_t)fsh_fpga.segs[node].addr);
    const unsigned char *from = src;
    struct fsh_fpga_desc desc = {
        .opcode = FSH_OP_PUT,
        .category = FSH_CAT_LONG,
        .ack = true,
        .rspace = FSH_SPACE_SEGMENT,
        .node = (uint8_t)node,
    };

    fsh_fpga_owe(FSH_COST_CALL);
    atomic_fetch_add_explicit(&fsh_fpga.bytes.put, n, memory_order_relaxed);
    while (n != 0) {
        struct fsh_event *reading = NULL;
        size_t piece;
        desc.tag = (uint16_t)claim_tag(node);
        desc.raddr = raddr;
        if (local != NULL && fsh_fpga_in_segment(from, n, &desc.laddr)) {
            /* Even if small: the device reads it faster than a load would
             * return. */
            piece = smaller(n, FSH_MAX_MESSAGE);
            desc.lspace = FSH_SPACE_SEGMENT;
            reading = local == remote ? NULL : local;
        } else if (fsh_fpga_fits_inline(0, raddr, n, fsh_fpga.packet)) {
            piece = n;
            desc.lspace = FSH_SPACE_INLINE;
            desc.data = from;
            fsh_fpga_owe(fsh_fpga_cost_load(from, n));
        } else {
            piece = use_bounce(&desc, n);
            void *to = fsh_fpga.mem.dma + desc.laddr;

            fsh_fpga_owe(fsh_fpga_cost_move(to, from, NULL, piece));
            memcpy(to, from, piece);
        }
        desc.length = (uint32_t)piece;
        start(&desc, reading, remote, NULL, false);
        raddr += piece;
        from += piece;
        n -= piece;
    }
    fsh_fpga_settle();
}

void fsh_fpga_get(void *dst, uint32_t rank, const void *src, size_t n,
                  struct fsh_event *done)
{
    const uint32_t node = fsh_fpga.node_of[rank];
    uint64_t raddr =
        (uint64_t)((uintptr_t)src - (uintptr_t)fsh_fpga.segs[node].addr);
    unsigned char *to = dst;
    struct fsh_fpga_desc desc = {
        .opcode = FSH_OP_GET,
        .category = FSH_CAT_SHORT,
        .rspace = FSH_SPACE_SEGMENT,
        .node = (uint8_t)node,
    };

    fsh_fpga_owe(FSH_COST_CALL);
    atomic_fetch_add_explicit(&fsh_fpga.bytes.get, n, memory_order_relaxed);
    while (n != 0) {
        size_t piece;
        bool in_place = fsh_fpga_in_segment(to, n, &desc.laddr);
        desc.tag = (uint16_t)claim_tag(node);
        desc.raddr = raddr;
        if (in_place) {
            piece = smaller(n, FSH_MAX_MESSAGE);
            desc.lspace = FSH_SPACE_SEGMENT;
        } else {
            piece = use_bounce(&desc, n);
        }
        desc.length = (uint32_t)piece;
        start(&desc, NULL, done, to, !in_place);
        raddr += piece;
        to += piece;
        n -= piece;
    }
    fsh_fpga_settle();
}
