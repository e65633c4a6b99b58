/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The library's own protocols that polls carry on. A table, so that the poll stands
 * below them: they send, wait and so poll; it only calls through here.
 */
#include "gasnet/internal.h"

const struct fsh_kicks fsh_kicks = {.barrier = fsh_barrier_kick,
                                    .answers = fsh_answers_kick,
                                    .coll = fsh_coll_kick};
