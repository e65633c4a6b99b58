/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Segments of the ranks of one host: put and get are copies, complete on return, and
 * direct loads and boards; see conduit/local.h. Each rank maps the attached segments
 * at its own address, so remote addresses are translated from the owner's view.
 */
#include <string.h>

#include "base/log.h"
#include "base/words.h"
#include "boot/boot.h"
#include "coll/direct/direct.h"
#include "conduit/smp/local.h"

void *fsh_local_segment(size_t size, size_t area)
{
    if (size > fsh_smp_local.layout.segment_max)
        fsh_fatal("conduit %s: segment of %zu bytes is larger than the %zu "
                  "bytes the job was made for; set FSHMEM_SEGMENT_MAX",
                  fsh_boot_conduit(), size, fsh_smp_local.layout.segment_max);
    fsh_smp_object_segment(&fsh_smp_local.object,
                           fsh_smp_local.index[fsh_smp_local.rank], size + area,
                           true);
    return fsh_smp_segment_of(fsh_smp_local.rank);
}

void fsh_local_map(const struct fsh_segment *segs, size_t area)
{
    memcpy(fsh_smp_local.segs, segs, fsh_smp_local.ranks * sizeof *segs);
    /* Map only the actual sizes: mappings slow down tools that inspect all memory. */
    for (uint32_t r = 0; r < fsh_smp_local.ranks; r++)
        if (r != fsh_smp_local.rank && fsh_smp_is_here(r))
            fsh_smp_object_segment(&fsh_smp_local.object,
                                   fsh_smp_local.index[r], segs[r].size + area,
                                   false);
}

/* ---- put and get ---- */

/* Both events of a put are complete on return. */
void fsh_local_put(uint32_t node, void *dst, const void *src, size_t n,
                   struct fsh_event *local, struct fsh_event *remote)
{
    (void)local;
    (void)remote;
    fsh_copy_words(fsh_smp_translate(node, dst), src, n);
    /* Orders the data before anything this thread signals next; partner: the
     * acquire of whoever reads that signal. */
    atomic_signal_fence(memory_order_release);
    fsh_smp_port_poke(fsh_smp_local.port, node);
}

void fsh_local_get(void *dst, uint32_t node, const void *src, size_t n,
                   struct fsh_event *done)
{
    (void)done;
    fsh_copy_words(dst, fsh_smp_translate(node, src), n);
}

static bool map(uint32_t node, void **here, const uint32_t **watching)
{
    if (!fsh_smp_is_here(node))
        return false;
    *here = fsh_smp_segment_of(node);
    *watching = fsh_smp_port_watched(fsh_smp_local.port, node);
    return *watching != NULL;
}

static void poke(uint32_t node)
{
    fsh_smp_port_poke(fsh_smp_local.port, node);
}

static unsigned char *board(uint32_t node, uint32_t index)
{
    if (!fsh_smp_is_here(node) || index >= FSH_SMP_BOARDS)
        return NULL;
    return fsh_smp_local.object.base + fsh_smp_local.layout.boards +
           ((size_t)fsh_smp_local.index[node] * FSH_SMP_BOARDS + index) *
               FSH_BOARD_BYTES;
}

const struct fsh_direct_ops fsh_local_direct = {
    .map = map, .poke = poke, .board = board};
