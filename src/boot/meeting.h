/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets at which the ranks of another's launcher meet: rank 0 listens, the
 * others connect. Inside src/boot, before other threads exist; what fails is
 * fatal with a message.
 */
#ifndef FSH_MEETING_H
#define FSH_MEETING_H

#include <stdbool.h>
#include <stdint.h>

#include "boot/launcher_env.h"

/* Seconds from connecting to the hello, or an answer's limit. */
#define FSH_MEETING_HELLO_S 2

/* When FSHMEM_START_TIMEOUT, which bounds both below, will be over. */
uint64_t fsh_meeting_deadline(void);

/* Rank 0: be there to be found. Returns a listening descriptor. */
int fsh_meeting_listen(const struct fsh_place *place);

/* The others: returns a descriptor that is connected to a process of this
 * user. */
int fsh_meeting_connect(const struct fsh_place *place);

/* Is the process at the other end of a connection this user's? *user: whose. */
bool fsh_meeting_is_own(int fd, unsigned *user);

#endif
