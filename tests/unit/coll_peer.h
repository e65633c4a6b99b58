/* SPDX-License-Identifier: BSD-3-Clause */
/* A node that does not exist takes part in a collective: its messages, by hand. */
#ifndef UNIT_COLL_PEER_H
#define UNIT_COLL_PEER_H

#include "gasnet/coll.h"

/* Kinds of messages (coll_message.c). */
enum { READY = 0, DATA = 1, MESSAGES = 5 };

/* Rank `source` of GASNET_TEAM_ALL is in call `number` of the view, and ready for
 * `bytes` of ours. */
static inline void peer_is_ready(uint32_t source, enum fsh_coll_kind kind,
                                 unsigned view, uint32_t number, int32_t bytes)
{
    static char nothing[1];
    const int32_t args[] = {READY | (int32_t)kind << 8 | (int32_t)view << 16,
                            0, /* the team's number here */
                            (int32_t)number,
                            (int32_t)source,
                            0,
                            0, /* no address: messages */
                            0,
                            bytes};
    struct fsh_token token = {.source = source,
                              .handler = FSH_HANDLER_COLL,
                              .category = FSH_AM_MEDIUM,
                              .nargs = 8,
                              .is_request = true,
                              .args = args,
                              .buf = nothing};

    fsh_am_deliver(&token);
}

#endif
