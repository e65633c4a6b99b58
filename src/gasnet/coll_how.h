/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a call of fshmem_coll.h is carried out: for tools that name it beside what they
 * measure.
 */
#ifndef FSH_GASNET_COLL_HOW_H
#define FSH_GASNET_COLL_HOW_H

#include "coll/program/program.h"

struct fsh_coll_how {
    const char *algorithm; /* of a call that names none; static */
    const char *engine;    /* "direct": loads from peers; "messages"; static */
};

/* A call of this shape on the team of all nodes, with so many bytes as of
 * fsh_program_choose; lists: it has lists of bytes that other ranks do not know. After
 * gasnet_attach, on the thread that makes the calls. */
struct fsh_coll_how fsh_coll_how(const struct fsh_program_shape *shape,
                                 size_t bytes, bool lists);

/* Room for packets that come before this rank's call: how much of it has been full at
 * once since this was asked last, in millionths of what the team of all nodes has. By
 * messages alone. */
uint64_t fsh_coll_occupancy(void);

#endif
