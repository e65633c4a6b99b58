/* SPDX-License-Identifier: BSD-3-Clause */
/* See object.h. */
#include "conduit/smp/object.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "base/numa.h"
#include "base/option.h"
#include "boot/boot.h"
#include "boot/huge.h"

static size_t round_up(size_t n, size_t page)
{
    return (n + page - 1) & ~(page - 1);
}

static _Noreturn void cannot_map(const struct fsh_smp_object *o, size_t bytes)
{
    fsh_fatal("conduit smp: cannot map %zu bytes for %" PRIu32
              " ranks with segments up to %zu bytes: %s; raise the limit "
              "of address space (ulimit -v) or lower FSHMEM_SEGMENT_MAX",
              bytes, o->layout->ranks, o->layout->segment_max, strerror(errno));
}

/* flags: MAP_NORESERVE, or 0. */
static void map_part(const struct fsh_smp_object *o, size_t offset,
                     size_t bytes, int flags)
{
    if (bytes > 0 &&
        mmap(o->base + offset, bytes, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED | flags, fsh_boot_fd(FSH_FD_SHARED),
             (off_t)offset) == MAP_FAILED)
        cannot_map(o, bytes);
}

void fsh_smp_object_map(struct fsh_smp_object *o,
                        const struct fsh_smp_layout *layout, size_t page)
{
    size_t total = round_up(layout->total, page) + FSH_HUGE_PAGE;
    void *aside;

    if (fsh_boot_fd(FSH_FD_SHARED) < 0)
        fsh_fatal("conduit smp: the job has no shared memory object; start "
                  "the program with fshrun --conduit smp");
    *o = (struct fsh_smp_object){
        .layout = layout,
        .page = page,
        .advise = strcmp(fsh_option_str("FSHMEM_HUGEPAGES"), "no") != 0 &&
                  page < FSH_HUGE_PAGE,
    };
    aside = mmap(NULL, total, PROT_NONE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (aside == MAP_FAILED)
        cannot_map(o, total);
    /* The kernel uses a huge page only if address and offset are both aligned. */
    o->base = (unsigned char *)aside +
              (round_up((uintptr_t)aside, FSH_HUGE_PAGE) - (uintptr_t)aside);
    if (page < FSH_HUGE_PAGE) /* most of it is never touched */
        map_part(o, 0, layout->segments, MAP_NORESERVE);
    else /* segments need not start at a page; all pages are reserved anyway */
        map_part(o, 0, round_up(layout->total, page), 0);
}

/* Limits a core file to this rank's segment. madvise needs whole pages. */
static void leave_out_of_core(const struct fsh_smp_object *o,
                              unsigned char *segment, size_t bytes)
{
    size_t skip = round_up((size_t)(segment - o->base), o->page) -
                  (size_t)(segment - o->base);

    if (bytes > skip)
        madvise(segment + skip, (bytes - skip) & ~(o->page - 1), MADV_DONTDUMP);
}

void fsh_smp_object_segment(const struct fsh_smp_object *o, uint32_t rank,
                            size_t bytes, bool own)
{
    unsigned char *segment = fsh_smp_segment(o->base, o->layout, rank);

    if (bytes == 0)
        return;
    if (o->page < FSH_HUGE_PAGE)
        map_part(o, (size_t)(segment - o->base), bytes, MAP_NORESERVE);
    if (o->advise)
        madvise(segment, bytes, MADV_HUGEPAGE);
    if (own)
        fsh_numa_prefer_home(segment, bytes, o->page);
    else
        leave_out_of_core(o, segment, bytes);
}
