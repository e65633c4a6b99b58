/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What gasnet_direct.h needs of the library: the segments that are mapped into
 * this process. Written once, by gasnet_attach. A debug library offers none, so
 * that every call passes its checks; with GASNET_SEGMENT_EVERYTHING segments are
 * not all there is.
 */
#include "base/log.h"
#include "gasnet/internal.h"

struct fsh_gasnet_windows fsh_gasnet_windows;
__thread long fsh_gasnet_until_poll = FSH_GASNET_QUIET;

void fsh_window_offer(void)
{
    const struct fsh_gasnet *g = &fsh_gasnet;
    fsh_gasnet_window_t *window;

    if (FSH_GASNET_DEBUG || g->ops->direct == NULL)
        return;
    window = calloc(g->nodes, sizeof *window);
    if (window == NULL)
        fsh_fatal("gasnet_attach: no memory for a list of %u segments",
                  g->nodes);
    for (uint32_t i = 0; i < g->nodes; i++) {
        void *here;

        if (!g->ops->direct->map(i, &here, &window[i].watching)) {
            free(window);
            return;
        }
        window[i].base = (uintptr_t)g->segs[i].addr;
        window[i].size = g->segs[i].size;
        window[i].here = here;
    }
    fsh_gasnet_windows.window = window;
    fsh_gasnet_windows.count = g->nodes;
}

void fsh_gasnet_poke(gasnet_node_t node)
{
    fsh_gasnet.ops->direct->poke(node);
}
