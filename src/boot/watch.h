/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch thread of a rank: it sees what the rank itself cannot while it
 * computes or is blocked. Under fshrun: the launcher's death, and the request
 * to leave (SIGQUIT). Of every rank: a way out that takes too long. In a program
 * started by hand with conduit fpga another is the parent of the simulator and
 * sees its death. Inside src/boot only.
 */
#ifndef FSH_WATCH_H
#define FSH_WATCH_H

#include <stddef.h>
#include <sys/types.h>

#include "boot/job.h"
#include "boot/launcher_env.h"

/* Watch the lifeline of a job made by fshrun; -1: a rank without one. Returns 0
 * or a negative errno. */
int fsh_watch_lifeline(int life_fd);

/* Watch the other ranks of a job that another's launcher has started, its
 * launcher, and the abort word; print the state on request. What p points to is
 * kept. Returns 0 or a negative errno. */
struct fsh_watch_peers {
    struct fsh_job_page *page;
    uint32_t rank;
    int abort_fd;
    pid_t parent; /* the launcher; <= 1 nobody */
    const struct fsh_place *place;
    unsigned
        n; /* of lifeline: all ranks here (the first), or 1, to the first */
    int *lifeline; /* -1 none */
};
int fsh_watch_start_peers(const struct fsh_watch_peers *p);
/* Until the processes of the peers have ended or let go, or max_ns. */
void fsh_watch_await_peers(uint64_t max_ns);
/* This rank has left, or the job is ending: have other hosts told. Any thread;
 * async-signal-safe; never waits. */
void fsh_watch_tell(void);
/* In a forked child, which is no rank: closes the connections of this one, which end
 * with it. */
void fsh_watch_forked(void);
/* From a signal handler: have the state printed. */
void fsh_watch_dump(void);

/* From a signal handler: let the thread flush stdio and end the process with
 * this code; if it cannot within 300 ms, end without. Does not return. */
_Noreturn void fsh_watch_quit(int code);

/* Inside watch*.c: a thread that takes no signals; the eventfds that wake it
 * (fsh_watch_quit, fsh_boot_exit_by) and have it dump; when fsh_boot_exit_by
 * wants it, in ms for poll, -1 never; do what these two ask for. */
int fsh_watch_thread(void *(*body)(void *));
int fsh_watch_make_fds(int *wake_fd, int *dump_fd);
int fsh_watch_timeout_ms(void);
void fsh_watch_obey(void);

/* Start the simulator from the watch thread and wait for the outcome: what
 * fsh_job_start_sim returns. */
int fsh_watch_simulator(struct fsh_job *job, char *err, size_t errlen);

/* End the simulator of fsh_watch_simulator; once. */
void fsh_watch_stop_simulator(uint64_t max_ns);

#endif
