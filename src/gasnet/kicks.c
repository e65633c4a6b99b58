/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of protocols that polls advance. The protocols send and wait, and so
 * depend on the poll (am.c); the table keeps the poll from depending on them.
 */
#include "gasnet/bridge.h"
#include "gasnet/internal.h"

const struct fsh_kicks fsh_kicks = {.meeting = fsh_run_meet_kick,
                                    .answers = fsh_answers_kick,
                                    .longs = fsh_long_later_kick,
                                    .run = fsh_run_kick,
                                    .direct = fsh_run_direct_kick,
                                    .card = fsh_run_card_kick,
                                    .bridge = fsh_job_bridge_kick,
                                    .by_bridge = fsh_by_bridge_kick};
