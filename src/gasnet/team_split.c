/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnet_coll_team_split. Members of the parent team exchange their requests, and the
 * split ends when all have created their team, so that its first message finds it.
 * Separate from team.c, since it uses the engine of collectives, which uses team.c.
 */
#include "gasnet/coll.h"

/* A member's request. */
struct wish {
    uint32_t color;
    uint32_t relrank;
    uint32_t number; /* the new team's number on its node */
    uint32_t rank;   /* in the parent */
};

static int by_relrank(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;

    if (x->relrank != y->relrank)
        return x->relrank < y->relrank ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* Keeps the requests with this color, sorted by their new rank. */
static uint32_t choose(struct wish *wishes, uint32_t n, uint32_t color)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++)
        if (wishes[i].color == color)
            wishes[kept++] = wishes[i];
    FSH_ASSERT(kept != 0 && kept <= n); /* this node is among them */
    qsort(wishes, kept, sizeof *wishes, by_relrank);
    return kept;
}

static struct fsh_team *team_from(const struct fsh_team *parent,
                                  const struct wish *wishes, uint32_t n,
                                  uint32_t id, const char *call)
{
    struct fsh_team *team = fsh_team_make(id, 0, n, call);

    for (uint32_t r = 0; r < n; r++) {
        team->node[r] = parent->node[wishes[r].rank];
        team->number[r] = wishes[r].number;
        if (wishes[r].rank == parent->rank)
            team->rank = r;
    }
    fsh_team_add(team, call);
    return team;
}

gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent_team,
                                            gasnet_node_t color,
                                            gasnet_node_t relrank,
                                            void *clientdata)
{
    static const char call[] = "gasnet_coll_team_split";
    FSH_CALL(call);
    struct fsh_team *parent = fsh_team_of(parent_team, call), *team;
    struct wish *wishes = fsh_team_memory(parent->size, sizeof *wishes, call);
    struct wish mine = {color, relrank, fsh_team_number(call), parent->rank};

    (void)clientdata;
    fsh_coll_share(parent, &mine, sizeof mine, wishes, call);
    team = team_from(parent, wishes, choose(wishes, parent->size, color),
                     mine.number, call);
    free(wishes);
    /* Nobody may send to the team before every member has it. */
    fsh_coll_meet(parent, call);
    return team;
}
