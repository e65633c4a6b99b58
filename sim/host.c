/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host as seen by a node's register port: posted writes and reads, in
 * order, each pcie_cycles after the host issued it, at most one per cycle. A
 * read waits for the responses of all earlier writes; its answer takes
 * pcie_cycles back. Responses are always accepted at once.
 */
#include "model.h"

enum { STALL_WRITE = 1, STALL_READ = 2 };

void fsh_host_enter(struct fsh_fabric *fab, uint32_t node, uint32_t offset,
                    uint64_t data, bool read)
{
    struct fsh_sim_node *n = &fab->node[node];
    struct fsh_host_op *op = &n->host.op[n->host.tail++ % FSH_HOST_QUEUE];

    op->at = fab->cycle + fab->config.pcie_cycles;
    op->data = data;
    op->offset = offset;
    op->read = read;
    if (read) {
        n->host.read_busy = true;
        n->host.answered = false;
    }
    if (n->wake > op->at)
        n->wake = op->at;
}

static void answer(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_host *host = &node->host;

    host->answer_at = 0;
    host->read_busy = false;
    host->answered = true;
    if (fab->config.events.read_done)
        fab->config.events.read_done(fab->config.events.arg, node->index,
                                     host->read_data);
}

static void taken(struct fsh_fabric *fab, struct fsh_sim_node *node,
                  uint32_t offset, uint64_t data)
{
    fsh_ledger_write(node->ledger, node->cycle, offset, data);
    if ((offset == FSH_REG_REQ_TAIL || offset == FSH_REG_REP_TAIL) &&
        fab->config.events.doorbell)
        fab->config.events.doorbell(fab->config.events.arg, node->index,
                                    node->cycle);
}

/* AW and W rise together; each falls when it is taken. */
static void write_step(struct fsh_sim_node *node, const struct fsh_host_op *op,
                       uint32_t stall)
{
    struct fsh_host *host = &node->host;
    struct fsh_node_in *in = &node->io.in;
    const struct fsh_node_out *out = &node->io.out;

    /* A valid that is up stays up: only a new one can be held back. */
    if (!host->shown && (stall & STALL_WRITE)) {
        in->awvalid = in->wvalid = 0;
        return;
    }
    host->shown = true;
    in->awvalid = !host->aw_done;
    in->wvalid = !host->w_done;
    in->awaddr = (uint16_t)(op->offset & 0x7fff);
    in->wdata = op->data;
    host->aw_done = host->aw_done || out->awready;
    host->w_done = host->w_done || out->wready;
}

bool fsh_host_work(struct fsh_fabric *fab, struct fsh_sim_node *node,
                   uint32_t stall)
{
    struct fsh_host *host = &node->host;
    struct fsh_node_in *in = &node->io.in;
    const struct fsh_node_out *out = &node->io.out;
    const struct fsh_host_op *op = &host->op[host->head % FSH_HOST_QUEUE];
    bool waiting = host->ar_done;

    stall >>= FSH_STALL_HOST;
    if (out->bvalid)
        host->responses--;
    if (waiting && out->rvalid) {
        host->read_data = out->rdata;
        host->answer_at = node->cycle + fab->config.pcie_cycles;
        host->ar_done = false;
    }
    if (host->answer_at != 0 && host->answer_at <= node->cycle)
        answer(fab, node);
    if (host->head == host->tail || op->at > node->cycle || waiting) {
        in->awvalid = in->wvalid = in->arvalid = 0;
    } else if (op->read) {
        in->awvalid = in->wvalid = 0;
        in->araddr = (uint16_t)(op->offset & 0x7fff);
        in->arvalid =
            in->arvalid || (host->responses == 0 && !(stall & STALL_READ));
        if (in->arvalid && out->arready) {
            host->ar_done = true;
            host->head++;
        }
    } else {
        in->arvalid = 0;
        write_step(node, op, stall);
        if (host->aw_done && host->w_done) {
            host->aw_done = host->w_done = host->shown = false;
            taken(fab, node, op->offset, op->data);
            host->responses++;
            host->head++;
        }
    }
    return in->awvalid || in->wvalid || in->arvalid || out->bvalid ||
           out->rvalid;
}

uint64_t fsh_host_due(const struct fsh_host *host)
{
    uint64_t due = FSH_NEVER;

    if (host->head != host->tail)
        due = host->op[host->head % FSH_HOST_QUEUE].at;
    if (host->answer_at != 0 && host->answer_at < due)
        due = host->answer_at;
    return due;
}
