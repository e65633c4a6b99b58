/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshrun: the launcher. One thread. main.c reads the command line; program.c
 * finds the program; guard.c makes two processes of it; spawn.c starts the
 * ranks; run.c watches the job to its end; output.c prefixes lines for
 * --tag-output.
 */
#ifndef FSHRUN_H
#define FSHRUN_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "boot/job.h"

/* Exit codes of the launcher itself, as shells and timeout(1) have them. */
enum {
    RUN_USAGE = 2,
    RUN_TIMEOUT = 124,
    RUN_CANNOT_EXECUTE = 126,
    RUN_NOT_FOUND = 127,
};

struct command_line {
    uint32_t ranks;
    bool ranks_given;
    char conduit[16]; /* "" not said */
    double timeout;   /* seconds, 0 none */
    bool tag_output, verbose, show, replay;
    const char *sim_extra[8];       /* --record F ...; NULL-terminated */
    const char *for_fpga, *for_smp; /* an option of that conduit, or NULL */
    char **program;                 /* argv of the ranks */
};

/* Reads argv; prints and exits by itself for --help, --version and errors.
 * Options with a setting of the same meaning are put in the environment. */
void parse_command_line(struct command_line *cl, int argc, char **argv);

/* ---- program.c ---- */

/* Path of the program as execvp would find it. Returns 0, RUN_NOT_FOUND or
 * RUN_CANNOT_EXECUTE, having said why. */
int find_program(const char *name, char *path, size_t len);
/* The conduit compiled into an executable (its "$FSHMEMConduit: x $" mark), or
 * "" if it has none. */
void read_default_conduit(const char *path, char *conduit, size_t len);

/* ---- guard.c ---- */

/* What the launcher gets when the guard has been killed. */
#define GUARD_GONE SIGUSR2

/* Returns in the launcher, a child of the process that called. */
void start_guarded(void);
/* Processes that ranks left behind are our children (subreaper): kill them. */
void kill_orphans(void);

/* ---- output.c ---- */

struct output;
/* Pipes for the ranks' stdout and stderr. NULL: out of descriptors. */
struct output *output_new(uint32_t ranks);
/* In the child of `rank`. */
void output_enter(struct output *o, uint32_t rank);
/* In the launcher, when all ranks are started. */
void output_started(struct output *o);
/* Add what to wait for to p (room for output_max_polls()); returns how many.
 * *deadline is lowered to when output_step wants to be called again. */
unsigned output_max_polls(const struct output *o);
unsigned output_poll(struct output *o, struct pollfd *p, uint64_t *deadline);
/* Read, cut into lines, write what can be written. Returns false if the reader
 * of our stdout or stderr is gone. */
bool output_step(struct output *o, const struct pollfd *p, unsigned n);
/* Has everything been read and written? */
bool output_done(const struct output *o);
/* The ranks have ended: what has not come by now belongs to nobody. */
void output_finish(struct output *o);
void output_free(struct output *o);

/* ---- spawn.c ---- */

struct run;
/* Fork all ranks. Returns 0, or an exit code having said why. */
int spawn_ranks(struct run *run);
/* Read what became of the execs, if it is known; returns an exit code if one
 * failed, else 0. Never blocks. */
int spawn_result(struct run *run);

/* ---- run.c ---- */

struct run {
    const struct command_line *cl;
    const char *path; /* of the program */
    struct fsh_job job;
    struct output *output; /* NULL without --tag-output */
    pid_t *pid;            /* a rank's process; 0 once reaped */
    uint32_t alive;        /* ranks not reaped */
    int exec_fd;           /* children report failed execs; -1 when all did */
    int signal_fd;
    struct sigaction sigpipe; /* what the ranks get */
    uint64_t start_ns;
    uint64_t timeout_ns; /* absolute; 0 none */
    uint64_t leave_ns;   /* absolute; 0 nobody left alone yet */
    int first_left;
    bool ending, quit_sent, kill_sent;
    uint64_t quit_ns, kill_ns;
    int sim_status; /* of a simulator that ended by itself */
    bool sim_gone;
};

/* Run the job to its end; returns the exit code of fshrun. */
int run_job(struct run *run);

#endif
