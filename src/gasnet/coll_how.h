/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a call of fshmem_coll.h is executed, for tools that report it with their
 * measurements.
 */
#ifndef FSH_GASNET_COLL_HOW_H
#define FSH_GASNET_COLL_HOW_H

#include "coll/direct/direct.h"

struct fsh_coll_how {
    const char *algorithm; /* static */
    const char
        *engine; /* "direct": loads from peers; "card": each node's collective
                    engine; "messages". Static. */
};

/* How the team of all nodes executes a call of this shape with this algorithm (NULL:
 * none requested). Of *work only the part all ranks agree on matters, and which lists
 * are present. Valid after gasnet_attach, on the thread that makes the calls. */
struct fsh_coll_how fsh_coll_how(const struct fsh_program_shape *shape,
                                 const struct fsh_program_algorithm *a,
                                 const struct fsh_coll_work *work);

/* Peak use of the buffer for packets that arrive before this rank's call since this
 * was last queried, in millionths of the capacity of the team of all nodes. Messages
 * only. */
uint64_t fsh_coll_occupancy(void);

#endif
