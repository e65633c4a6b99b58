/* SPDX-License-Identifier: BSD-3-Clause */
/* A team's state for its collectives. Separate from run_call.c, which needs the engine,
 * which needs teams. */
#include <string.h>

#include "gasnet/run.h"

void fsh_run_team_make(struct fsh_team *team, const char *call)
{
    struct fsh_run_team *t = fsh_team_memory(1, sizeof *t, call);

    t->credit = fsh_team_memory(team->size, sizeof *t->credit, call);
    t->owed = fsh_team_memory(team->size, sizeof *t->owed, call);
    memset(t->credit, FSH_RUN_CREDITS, team->size);
    t->team = team;
    team->runs = t;
}
