/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of one host (conduit/local.h) as the files of conduit smp see them: local.c
 * brings them up, local_am.c has their messages, local_memory.c their segments. Set by
 * fsh_local_init, and constant from then on but for segs, which fsh_local_map fills in.
 */
#ifndef FSH_SMP_LOCAL_H
#define FSH_SMP_LOCAL_H

#include <assert.h>

#include "conduit/local.h"
#include "conduit/smp/bell.h"
#include "conduit/smp/meet.h"
#include "conduit/smp/object.h"
#include "conduit/smp/ring.h"

struct fsh_smp_local {
    struct fsh_smp_layout layout;
    struct fsh_smp_port *port;
    struct fsh_smp_meeting meeting;
    struct fsh_smp_object object;
    struct fsh_smp_bells bells;
    const struct fsh_local_elsewhere *elsewhere;
    uint32_t rank;
    uint32_t ranks;
    bool all; /* are here */
    /* By rank: where it is in the object, or FSH_SMP_ELSEWHERE. */
    uint32_t index[FSH_SMP_MAX_RANKS];
    uint32_t members, member[FSH_SMP_MAX_RANKS]; /* the ranks here */
    struct fsh_segment segs[FSH_SMP_MAX_RANKS];
};
/* Hidden: every message reads it, and its address then needs no look-up in a shared
 * library. */
extern struct fsh_smp_local fsh_smp_local __attribute__((visibility("hidden")));

/* Whether that rank shares the object. */
static inline bool fsh_smp_is_here(uint32_t rank)
{
    return fsh_smp_local.index[rank] != FSH_SMP_ELSEWHERE;
}

/* The address of a rank's segment in this process. */
static inline unsigned char *fsh_smp_segment_of(uint32_t node)
{
    return fsh_smp_segment(fsh_smp_local.object.base, &fsh_smp_local.layout,
                           fsh_smp_local.index[node]);
}

/* Translates an address in the owner's view to this process. */
static inline void *fsh_smp_translate(uint32_t node, const void *addr)
{
    uintptr_t offset =
        (uintptr_t)addr - (uintptr_t)fsh_smp_local.segs[node].addr;

    assert(node < fsh_smp_local.ranks && fsh_smp_is_here(node) &&
           offset <= fsh_smp_local.layout.segment_stride);
    return fsh_smp_segment_of(node) + offset;
}

#endif
