/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshrun: the front of the launcher in src/boot. One thread. command_line.c reads
 * the command line; program.c finds the program; over_hosts.c hands over where there are
 * several hosts; bind.c chooses the ranks'
 * processors; main.c checks and starts; spawn.c makes a rank execute the program;
 * output.c prefixes lines for --tag-output; status.c shows where a long run is;
 * trace.c and trace_file.c are --trace, report.c is --report.
 */
#ifndef FSHRUN_H
#define FSHRUN_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "boot/launch.h"
#include "place.h"
#include "report.h"
#include "trace.h"

/* Exit codes of the launcher itself, as shells and timeout(1) have them. */
enum {
    RUN_USAGE = 2,
    RUN_CANNOT_EXECUTE = 126,
    RUN_NOT_FOUND = 127,
};

struct command_line {
    uint32_t ranks;
    bool ranks_given;
    bool cards;       /* --cards */
    char conduit[16]; /* "" not said */
    double timeout;   /* seconds, 0 none */
    bool tag_output, verbose, quiet, show, replay;
    bool bind_to;                      /* said here, not in the environment */
    const char *sim_extra[14];         /* --record F ...; NULL-terminated */
    const char *topology;              /* said here, or NULL */
    const char *trace, *report;        /* files, or NULL */
    const char *hosts, *hostfile;      /* a list, a file, or NULL */
    const struct fsh_job_needs *needs; /* of the conduit, once it is known */
    /* An option of conduits with nodes, or without, or NULL. */
    const char *for_nodes, *for_shared;
    char **program; /* argv of the ranks */
};

/* Reads argv; prints and exits by itself for --help, --version and errors.
 * Options with a setting of the same meaning are put in the environment. */
void parse_command_line(struct command_line *cl, int argc, char **argv);

/* ---- program.c ---- */

/* Path of the program as execvp would find it, else beside fshrun. Returns 0, RUN_NOT_FOUND or
 * RUN_CANNOT_EXECUTE, having said why. */
int find_program(const char *name, char *path, size_t len);
/* The conduit compiled into an executable (its "$FSHMEMConduit: x $" mark), or
 * "" if it has none. */
void read_default_conduit(const char *path, char *conduit, size_t len);

/* ---- over_hosts.c ---- */

/* If the job is one over hosts (-H, --hostfile, an allocation of several): become the
 * launcher that starts it, or print that for --show. Returns 0 if it is none, else 1
 * with an exit code, having said why. */
int run_over_hosts(const struct command_line *cl, const char *program,
                   int *code);

/* ---- bind.c ---- */

struct run;

/* Fill in run->shares, the processors of each rank, as FSHMEM_BIND asks; the job has
 * been announced. Returns 0, or an exit code having said why. */
int choose_shares(struct run *run);
/* Tell, a line each, who has got which processors, or why nobody has. */
void tell_shares(const struct place_shares *shares,
                 void (*tell)(const char *line));

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

/* ---- status.c ---- */

struct status;
/* A line for this job, which has been created; NULL: it has none (no simulator, no
 * terminal, no memory). */
struct status *status_new(const struct fsh_job *job);
/* Print it, as of now; returns when to come again. Take it away. Never block for
 * long. */
uint64_t status_show(struct status *s, uint64_t now);
void status_hide(struct status *s);
void status_free(struct status *s);

/* ---- spawn.c ---- */

struct run {
    const struct command_line *cl;
    const char *path;      /* of the program */
    struct output *output; /* NULL without --tag-output */
    struct status *status; /* NULL: no line of state */
    struct trace *trace;   /* NULL without --trace and --report */
    struct report *report; /* NULL without --report */
    struct place_shares shares;
    int exec_write_fd; /* ranks report failed execs; launcher: -1 */
    struct fsh_launch launch;
};

/* What fshrun adds to a launcher: reports of failed execs, tagged output, the line
 * of state.
 * Returns 0, or 1 having said why. */
int add_hooks(struct run *run);
/* In a rank: become the program. */
_Noreturn void become_rank(struct run *run);

#endif
