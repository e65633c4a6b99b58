/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a call of fshmem_coll.h is carried out: for tools that name it beside what they
 * measure.
 */
#ifndef FSH_GASNET_COLL_HOW_H
#define FSH_GASNET_COLL_HOW_H

#include "coll/direct/direct.h"

struct fsh_coll_how {
    const char *algorithm; /* static */
    const char
        *engine; /* "direct": loads from peers; "card": the engine beside each
                           node; "messages"; static */
};

/* A call of this shape on the team of all nodes, by an algorithm (NULL: it names none).
 * Of *work what all ranks agree on counts, and which lists there are. After
 * gasnet_attach, on the thread that makes the calls. */
struct fsh_coll_how fsh_coll_how(const struct fsh_program_shape *shape,
                                 const struct fsh_program_algorithm *a,
                                 const struct fsh_coll_work *work);

/* Room for packets that come before this rank's call: how much of it has been full at
 * once since this was asked last, in millionths of what the team of all nodes has. By
 * messages alone. */
uint64_t fsh_coll_occupancy(void);

#endif
