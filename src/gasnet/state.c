/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of this rank, and the fatal errors shared by several files.
 */
#include "base/log.h"
#include "gasnet/internal.h"

struct fsh_gasnet fsh_gasnet;

/* For tools that inspect the binary; the header adds conduit and mode. */
static const char ident[] __attribute__((used)) =
    "$GASNetConfig: (fshmem) " GASNET_CONFIG_STRING " $";

void fsh_bad_call(const char *call)
{
    if (fsh_gasnet.ops == NULL)
        fsh_fatal("%s: called before gasnet_init", call);
    fsh_fatal("%s: called before gasnet_attach", call);
}

void fsh_bad_handler(uint32_t source, unsigned index)
{
    fsh_fatal(
        "an active message from node %u is for handler index %u, which is "
        "not registered on this node (gasnet_attach)",
        source, index);
}

void fsh_bad_range(const char *call, uint32_t node, const void *addr,
                   size_t nbytes)
{
    const struct fsh_segment *seg;

    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    if (node >= fsh_gasnet.nodes)
        fsh_fatal("%s: node is %u, but nodes are 0 to %u", call, node,
                  fsh_gasnet.nodes - 1);
    if (FSH_GASNET_EVERYTHING)
        fsh_fatal("%s: %zu bytes at %p are not memory of node %u", call, nbytes,
                  addr, node);
    seg = &fsh_gasnet.segs[node];
    fsh_fatal("%s: %zu bytes at %p are outside the segment of node %u, which "
              "is %zu bytes at %p (see gasnet_getSegmentInfo)",
              call, nbytes, addr, node, seg->size, seg->addr);
}
