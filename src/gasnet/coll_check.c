/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Diagnostics for ranks of a team that make different calls, as precise as what the
 * detecting rank knows allows. Any thread.
 */
#include "base/log.h"
#include "gasnet/coll.h"

#define SAME                                                                  \
    "members of a team make the same calls in the same order, with the same " \
    "root, sizes, types and flags"

_Noreturn void fsh_coll_differ(const struct fsh_team *team, const char *call,
                               uint32_t rank)
{
    fsh_fatal("%s: node %u is in another collective than node %u (this one), "
              "or passes other arguments, now or in an earlier call: " SAME,
              call, team->node[rank], fsh_gasnet.rank);
}

static const char *is_here(uint32_t node)
{
    return node == fsh_gasnet.rank ? " (this one)" : "";
}

_Noreturn void fsh_coll_differ_in_bytes(const struct fsh_team *team,
                                        const char *call,
                                        struct fsh_coll_end to,
                                        struct fsh_coll_end from)
{
    uint32_t giver = team->node[from.rank];

    fsh_fatal("%s: node %u waits for %zu bytes from node %u%s, which has %zu "
              "for it: nbytes differ: " SAME,
              call, team->node[to.rank], to.bytes, giver, is_here(giver),
              from.bytes);
}

static void check_kind(const struct fsh_team *team, const char *call,
                       const struct fsh_coll_facts *mine,
                       const struct fsh_coll_facts *theirs, uint32_t rank)
{
    static const char *const names[FSH_COLL_KINDS] = {
        [FSH_COLL_BROADCAST] = "broadcast",
        [FSH_COLL_SCATTER] = "scatter",
        [FSH_COLL_GATHER] = "gather",
        [FSH_COLL_GATHER_ALL] = "gather_all",
        [FSH_COLL_EXCHANGE] = "exchange",
        [FSH_COLL_REDUCE] = "reduce",
        [FSH_COLL_SCAN] = "scan"};

    if (mine->kind != theirs->kind && theirs->kind < FSH_COLL_KINDS)
        fsh_fatal("%s: node %u (this one) is in gasnet_coll_%s, but node %u in "
                  "gasnet_coll_%s, which is another collective: " SAME,
                  call, fsh_gasnet.rank, names[mine->kind], team->node[rank],
                  names[theirs->kind]);
}

static void check_bytes(const struct fsh_team *team, const char *call,
                        const struct fsh_coll_facts *mine,
                        const struct fsh_coll_facts *theirs, uint32_t rank)
{
    struct fsh_coll_end here = {team->rank, mine->bytes};
    struct fsh_coll_end there = {rank, theirs->bytes};
    bool waits = true; /* this rank is waiting for that one */

    if (mine->bytes == theirs->bytes)
        return;
    if (mine->kind == FSH_COLL_BROADCAST || mine->kind == FSH_COLL_SCATTER)
        waits = mine->root != team->rank;
    else if (mine->kind == FSH_COLL_GATHER)
        waits = mine->root == team->rank;
    else if (mine->kind == FSH_COLL_REDUCE)
        waits = team->rank < rank;
    if (waits)
        fsh_coll_differ_in_bytes(team, call, here, there);
    fsh_coll_differ_in_bytes(team, call, there, here);
}

_Noreturn void fsh_coll_differ_in_facts(const struct fsh_team *team,
                                        const char *call,
                                        const struct fsh_coll_facts *mine,
                                        const struct fsh_coll_facts *theirs,
                                        uint32_t rank)
{
    check_kind(team, call, mine, theirs, rank);
    const struct {
        const char *what;
        uint64_t mine;
        uint64_t theirs;
    } rows[] = {{"the root image", mine->root, theirs->root},
                {"elem_size", mine->elem, theirs->elem},
                {"func", (uint32_t)mine->function, (uint32_t)theirs->function},
                {"the synchronisation in flags", (uint32_t)mine->flags,
                 (uint32_t)theirs->flags}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].mine != rows[i].theirs)
            fsh_fatal("%s: %s is %" PRIu64
                      " on node %u (this one), but %" PRIu64 " on node %u",
                      call, rows[i].what, rows[i].mine, fsh_gasnet.rank,
                      rows[i].theirs, team->node[rank]);
    check_bytes(team, call, mine, theirs, rank);
    fsh_coll_differ(team, call, rank);
}
