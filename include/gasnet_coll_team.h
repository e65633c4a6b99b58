/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Older programs' names for the anonymous barrier of a team. Everything else
 * about teams is in gasnet_coll.h.
 */
#ifndef GASNET_COLL_TEAM_H
#define GASNET_COLL_TEAM_H

#include <gasnet.h>

/* [R-TEAM-04] */
#define FSH_TEAMBARRIER_FLAGS \
    (GASNET_BARRIERFLAG_ANONYMOUS | GASNET_BARRIERFLAG_IMAGES)
#define gasnete_coll_teambarrier_notify(team) \
    gasnet_coll_barrier_notify(team, 0, FSH_TEAMBARRIER_FLAGS)
#define gasnete_coll_teambarrier_wait(team) \
    ((void)gasnet_coll_barrier_wait(team, 0, FSH_TEAMBARRIER_FLAGS))
#define gasnete_coll_teambarrier(team) \
    ((void)gasnet_coll_barrier(team, 0, FSH_TEAMBARRIER_FLAGS))

#endif
