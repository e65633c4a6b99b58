/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher of a job: it is the parent of simulator and ranks, watches them
 * to the end of the job and ends it. Two processes, so that one of them can be
 * killed: the guard, which the user started, and the launcher, its child. Used
 * by fshrun, whose ranks exec a program, and by gasnet_init of a program that
 * was started with GASNET_PSHM_NODES (fork_job.c), whose ranks are forks of it.
 * Main thread only.
 */
#ifndef FSH_LAUNCH_H
#define FSH_LAUNCH_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "boot/job.h"

/* Exit code at the time limit, as timeout(1) has it. */
#define FSH_LAUNCH_TIMEOUT 124
/* What the launcher gets when the guard has been killed. */
#define FSH_LAUNCH_GUARD_GONE SIGUSR2

/* What fshrun adds to a job. Functions may be NULL unless said; arg is theirs.
 */
struct fsh_launch_hooks {
    void *arg;
    /* In the launcher: all ranks are forked. */
    void (*started)(void *arg);
    /* Readable when exec_result has something to say; -1 never. */
    int exec_fd;
    /* An exit code, having said why, if a rank could not be executed; else 0.
     * Never blocks. */
    int (*exec_result)(void *arg);
    /* Output of the ranks that goes through the launcher; output_polls is 0 if
     * none does, else all of these are there. poll fills at most output_polls
     * entries, lowers *deadline to when step wants to be called again, returns
     * how many; step returns false if the reader has gone; finish: the ranks
     * have ended, what has not come by now belongs to nobody. */
    unsigned output_polls;
    unsigned (*output_poll)(void *arg, struct pollfd *p, uint64_t *deadline);
    bool (*output_step)(void *arg, const struct pollfd *p, unsigned n);
    bool (*output_done)(void *arg);
    void (*output_finish)(void *arg);
    /* A line of state on a terminal; both or none. show prints it, now being the
     * time, and returns when it wants to be called again. hide takes it away, shown
     * or not: somebody else is about to print. */
    uint64_t (*status_show)(void *arg, uint64_t now);
    void (*status_hide)(void *arg);
};

/* How a process takes signals, for ranks to get back what the launcher
 * changes for itself. */
struct fsh_launch_signals {
    sigset_t mask;
    struct sigaction action[32];
};

struct fsh_launch {
    /* Set by the caller. */
    struct fsh_job job; /* made by fsh_job_create */
    bool verbose;
    bool quiet;     /* how a rank has ended is not said */
    double timeout; /* seconds, 0 none */
    struct fsh_launch_hooks hooks;
    struct fsh_launch_signals before; /* fsh_launch_signals_save */

    uint32_t rank;  /* valid where fsh_launch_start returns FSH_LAUNCH_RANK */
    pid_t *pid;     /* a rank's process; 0 once reaped */
    uint32_t alive; /* ranks not reaped */
    int signal_fd;
    int alone_fd; /* fsh_alone_announce */
    uint64_t start_ns;
    uint64_t timeout_ns; /* absolute; 0 none */
    uint64_t leave_ns;   /* absolute; 0 nobody left alone yet */
    uint64_t status_ns;  /* absolute: the next status_show; 0 none */
    int first_left;
    bool ending, quit_sent, kill_sent;
    bool said; /* why the job ends */
    uint64_t quit_ns, kill_ns;
    unsigned long long oom_kills; /* when the job began */
};

/* Call before fsh_launch_guard, while signals are as the user left them. */
void fsh_launch_signals_save(struct fsh_launch_signals *s);
/* In a rank. */
void fsh_launch_signals_restore(const struct fsh_launch_signals *s);

/* Returns in the launcher, a child of the process that called, which becomes
 * the guard and exits as the launcher does. */
void fsh_launch_guard(void);
/* Raise the limit on descriptors to what a job of so many ranks takes, as far as
 * it goes. */
void fsh_launch_raise_limits(uint32_t ranks);

/* In the launcher, once: let other launchers on this host know of the job. */
void fsh_launch_announce(struct fsh_launch *l);
/* After that: is there no other job on this host? Reads a file. */
bool fsh_launch_is_alone(const struct fsh_launch *l);

/* Start the simulator, if the job has one, and fork the ranks. Returns as fork
 * does: FSH_LAUNCH_RANK in each rank, which then calls fsh_job_enter_rank; in
 * the launcher 0, or an exit code having said why it failed. Either of these is
 * given to fsh_launch_run, which runs the job to its end. */
#define FSH_LAUNCH_RANK (-1)
int fsh_launch_start(struct fsh_launch *l);
/* Blocks until the job has ended; returns its exit code. */
int fsh_launch_run(struct fsh_launch *l, int failed);

/* ---- inside: launch.c, launch_end.c and launch_say.c ---- */

/* Debug: ranks that have been forked and not reaped, by their processes. */
uint32_t fsh_launch_unreaped(const struct fsh_launch *l);

/* Print what every rank does. */
void fsh_launch_dump(const struct fsh_launch *l);
/* Say why the job ends, and who was waiting for what; once. */
void fsh_launch_say(struct fsh_launch *l, const char *text);
/* That, if a rank has ended the job with a code and no other word. */
void fsh_launch_say_exit(struct fsh_launch *l);
/* "rank 1 (pid 77, host a) was killed by signal 9 (Killed)"; before its slot in
 * the page says so. */
#define FSH_LAUNCH_TEXT 512
void fsh_launch_describe_end(const struct fsh_launch *l, uint32_t r, int status,
                             char text[FSH_LAUNCH_TEXT]);
/* Begin to end the job. quit_delay: time for the ranks to go by themselves. */
void fsh_launch_end(struct fsh_launch *l, int code, const char *reason,
                    uint64_t quit_delay);
/* Send what is due: SIGQUIT, then SIGKILL. */
void fsh_launch_end_step(struct fsh_launch *l, uint64_t now);
/* Somebody else has set the abort word. */
void fsh_launch_aborted(struct fsh_launch *l);
/* A process has been reaped, with this wait status: say so if it is a failure, and
 * end the job if it has to. */
void fsh_launch_rank_ended(struct fsh_launch *l, uint32_t r, int status);
void fsh_launch_sim_ended(struct fsh_launch *l, int status);
/* SIGSTOP, SIGCONT: to every rank, also those behind a script. */
void fsh_launch_signal_ranks(const struct fsh_launch *l, int sig);
/* Processes that ranks left behind are our children (subreaper): kill them. */
void fsh_launch_kill_orphans(void);

#endif
