/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debug libraries: do all nodes make the same call? Each rank tells the next one
 * in the team what its call is; if all neighbours agree, all do. The client does
 * not wait for this: an operation that is complete is kept until its claims are
 * sent and heard. Called by who runs operations and, to compare, by handlers and
 * callers under the lock of collectives.
 */
#include "base/log.h"
#include "gasnet/coll_engine.h"

static struct fsh_coll_claim make_claim(const struct fsh_coll_call *call)
{
    return (struct fsh_coll_claim){.nbytes = call->nbytes,
                                   .elem_size = call->elem_size,
                                   .root = call->root,
                                   .kind = (uint32_t)call->kind,
                                   .flags = call->flags &
                                            (int)GASNET_COLL_SYNC_FLAG_MASK,
                                   .func = call->func};
}

void fsh_coll_claim(struct fsh_coll_op *op)
{
    uint32_t next = (op->team->rank + 1) % op->team->size;
    struct fsh_coll_claim mine;

    if (op->claimed || op->team->size == 1)
        return;
    FSH_ASSERT(next != op->team->rank && op->present == op->view->mine);
    mine = make_claim(&op->call);
    op->claimed = fsh_coll_send_claim(op, next, &mine);
}

static void check_kind(const struct fsh_coll_op *op, uint32_t node)
{
    static const char *const names[FSH_COLL_KINDS] = {
        [FSH_COLL_BROADCAST] = "broadcast",
        [FSH_COLL_SCATTER] = "scatter",
        [FSH_COLL_GATHER] = "gather",
        [FSH_COLL_GATHER_ALL] = "gather_all",
        [FSH_COLL_EXCHANGE] = "exchange",
        [FSH_COLL_REDUCE] = "reduce",
        [FSH_COLL_SCAN] = "scan"};

    if (op->theirs.kind != (uint32_t)op->call.kind)
        fsh_fatal("%s: node %u (this one) is in gasnet_coll_%s, but node %u in "
                  "gasnet_coll_%s: all members of a team call the same "
                  "collectives in the same order",
                  op->call.name, fsh_gasnet.rank, names[op->call.kind], node,
                  names[op->theirs.kind]);
}

void fsh_coll_compare(const struct fsh_coll_op *op)
{
    const struct fsh_team *team = op->team;
    const struct fsh_coll_claim mine = make_claim(&op->call);
    const struct fsh_coll_claim *theirs = &op->theirs;
    uint32_t node;

    if (!op->heard || op->algorithm == NULL)
        return;
    node = team->node[(team->rank + team->size - 1) % team->size];
    check_kind(op, node);
    const struct {
        const char *what;
        uint64_t mine;
        uint64_t theirs;
    } rows[] = {{"the root image", mine.root, theirs->root},
                {"nbytes", mine.nbytes, theirs->nbytes},
                {"elem_size", mine.elem_size, theirs->elem_size},
                {"func", (uint32_t)mine.func, (uint32_t)theirs->func},
                {"the synchronisation in flags", (uint32_t)mine.flags,
                 (uint32_t)theirs->flags}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mine != rows[i].theirs)
            fsh_fatal("%s: %s is %" PRIu64
                      " on node %u (this one), but %" PRIu64 " on node %u",
                      op->call.name, rows[i].what, rows[i].mine,
                      fsh_gasnet.rank, rows[i].theirs, node);
}
