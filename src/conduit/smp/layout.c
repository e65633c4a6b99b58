/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sizes of the shared memory object of conduit smp, for its creator (struct
 * fsh_job_needs) and for the conduit when it maps the object. Stateless.
 */
#include "conduit/smp/layout.h"

#include "coll/direct/direct.h"
#include "conduit/conduit.h"
#include "conduit/smp/compute_queue.h"

static size_t to_page(size_t n)
{
    return (n + FSH_SMP_PAGE - 1) / FSH_SMP_PAGE * FSH_SMP_PAGE;
}

struct fsh_smp_layout fsh_smp_layout(uint32_t ranks, size_t segment_max)
{
    struct fsh_smp_layout l = {
        .ranks = ranks,
        .segment_max = to_page(segment_max),
    };
    size_t n = ranks;
    l.pools = to_page(n * sizeof(struct fsh_smp_ctl));
    l.pairs = l.pools + n * FSH_SMP_CHANNELS * FSH_SMP_POOL_BYTES;
    l.meets = l.pairs + n * n * sizeof(struct fsh_smp_pair);
    l.cores = to_page(l.meets + 2 * sizeof(struct fsh_smp_word) +
                      n * sizeof(struct fsh_smp_meet));
    l.boards = l.cores;
    if (fsh_area_bytes(ranks) != 0)
        l.boards += n * sizeof(struct fsh_smp_compute);
    l.boards = to_page(l.boards);
    l.segments = l.boards + n * FSH_SMP_BOARDS * FSH_BOARD_BYTES;
    l.segment_stride = l.segment_max + to_page(fsh_area_bytes(ranks));
    l.total = l.segments + n * l.segment_stride;
    return l;
}

size_t fsh_smp_bytes(uint32_t ranks, size_t segment_max)
{
    return fsh_smp_layout(ranks, segment_max).total;
}
