/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A pool of threads that repeatedly execute a piece of work together, each member its
 * part, with the caller as member 0. Between pieces the others spin for a while, as
 * the next piece is usually a few microseconds away, then sleep (base/handover.h).
 * They handle no signals. One thread owns a crew.
 */
#ifndef FSH_SIM_CREW_H
#define FSH_SIM_CREW_H

#include <stdint.h>

struct fsh_crew;

/* The part of a member. What the caller has written before, it sees. */
typedef void (*fsh_crew_fn)(void *arg, uint32_t member);

/* A crew of so many members, fewer if threads cannot be had; NULL: out of memory. */
struct fsh_crew *fsh_crew_start(uint32_t members, fsh_crew_fn work, void *arg);
uint32_t fsh_crew_members(const struct fsh_crew *crew);
/* Members 0 to count - 1 work, at most all there are. Returns when they have, and the
 * caller sees what they wrote. */
void fsh_crew_work(struct fsh_crew *crew, uint32_t count);
/* Ends the threads. NULL is allowed. */
void fsh_crew_end(struct fsh_crew *crew);

#endif
