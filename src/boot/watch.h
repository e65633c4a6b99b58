/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch thread of a rank: it sees what the rank itself cannot while it
 * computes or is blocked. Under fshrun: the launcher's death, and the request
 * to leave (SIGQUIT). In a program started by hand with conduit fpga: it is the
 * parent of the simulator and sees its death. Inside src/boot only.
 */
#ifndef FSH_WATCH_H
#define FSH_WATCH_H

#include <stddef.h>

#include "boot/job.h"

/* Watch the lifeline of a job made by fshrun. Returns 0 or a negative errno. */
int fsh_watch_lifeline(int life_fd);

/* From a signal handler: let the thread flush stdio and end the process with
 * this code; if it cannot within 300 ms, end without. Does not return. */
_Noreturn void fsh_watch_quit(int code);

/* Start the simulator from the watch thread and wait for the outcome. */
int fsh_watch_simulator(struct fsh_job *job, char *err, size_t errlen);

/* End the simulator of fsh_watch_simulator; once. */
void fsh_watch_stop_simulator(uint64_t max_ns);

#endif
