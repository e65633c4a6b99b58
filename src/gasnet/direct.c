/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's side of gasnet_direct.h: the table of all ranks' mapped segments,
 * written once by gasnet_attach. A debug library offers none, so that every call is
 * checked and traced; neither does GASNET_SEGMENT_EVERYTHING, where segments are not
 * all of remote memory.
 */
#include "base/log.h"
#include "gasnet/internal.h"

struct fsh_gasnet_mapped fsh_gasnet_mapped;
__thread long fsh_gasnet_until_poll = FSH_GASNET_QUIET;

void fsh_direct_offer(void)
{
    const struct fsh_gasnet *g = &fsh_gasnet;
    fsh_gasnet_mapped_t *segment;

    if (FSH_GASNET_DEBUG || fsh_trace_on || g->ops->direct == NULL)
        return;
    segment = calloc(g->nodes, sizeof *segment);
    if (segment == NULL)
        fsh_fatal("gasnet_attach: no memory for a list of %u segments",
                  g->nodes);
    for (uint32_t i = 0; i < g->nodes; i++) {
        void *here;

        /* Of this node nothing is mapped: no address is in it. */
        if (!g->ops->direct->map(i, &here, &segment[i].watching)) {
            segment[i].base = UINTPTR_MAX;
            continue;
        }
        segment[i].base = (uintptr_t)g->segs[i].addr;
        segment[i].size = g->segs[i].size;
        segment[i].here = here;
    }
    fsh_gasnet_mapped.segment = segment;
    fsh_gasnet_mapped.count = g->nodes;
}

void fsh_gasnet_poke(gasnet_node_t node)
{
    fsh_gasnet.ops->direct->poke(node);
}
