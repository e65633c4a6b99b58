/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is there another job on this host? Each launcher keeps an abstract socket with a
 * name of its own, which the kernel lists for everybody and takes back when the
 * launcher ends, however it does; ranks of other launchers have such names in the
 * sockets by which they met (meeting.c). Jobs in another network namespace and
 * programs of one rank are not seen. Main thread of a launcher.
 */
#ifndef FSH_BOOT_ALONE_H
#define FSH_BOOT_ALONE_H

#include <stdbool.h>

/* Say that there is a job, as long as the descriptor returned is open (close on
 * exec). -1 if this host has no such sockets. */
int fsh_alone_announce(void);

/* Is `own` (fsh_alone_announce) the only job announced? Of two that announce and then
 * ask, at least one sees the other. False if it cannot be known. Reads a file. */
bool fsh_alone_is(int own);

#endif
