/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A human-readable dump of a fabric's state: each node that is not idle, the oldest
 * operation, and who waits for whom. Taken by the fabric's thread between two calls
 * that advance time; changes nothing. Allocates memory while it runs; reports if
 * there is none.
 */
#ifndef FSH_SIM_DUMP_H
#define FSH_SIM_DUMP_H

#include <stdint.h>

#include "fabric.h"

/* What is known of the host of a node. */
struct fsh_dump_host {
    char does[64];   /* "rank 2 (pid 77): running"; "": not known */
    char waits[160]; /* what it waits for; "": it does not, or not in a call */
    uint32_t peer;   /* the rank that it waits for, + 1; 0: not said */
    uint64_t silent_ns; /* since it last wrote a register; 0: not known */
};

struct fsh_dump_request {
    const char *why;                  /* "asked for"; NULL */
    const struct fsh_dump_host *host; /* one a node; NULL: nothing is known */
    uint64_t still_ns;                /* the fabric is at rest for so long */
    uint64_t start;                   /* cycle that is 0 of simulated time */
    /* Given each line, without its end. */
    void (*line)(void *arg, const char *text);
    void *arg;
};

/* Give all lines of a dump to request->line, one after the other. */
void fsh_dump(const struct fsh_fabric *fab,
              const struct fsh_dump_request *request);

#endif
