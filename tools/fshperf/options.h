/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The commands of fshperf and their options, a table each: what main.c runs,
 * what the command line is read by, and what --help prints. One thread.
 */
#ifndef FSHPERF_OPTIONS_H
#define FSHPERF_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --name VALUE, or --name alone for a flag. */
struct perf_option {
    const char *name;  /* with the dashes */
    const char *value; /* what --help calls the value */
    const char *help;  /* lines after the first are indented */
    /* One of these is given; what it points to is the default, and static. */
    bool *flag;
    const char **text;   /* any, or one of choices */
    unsigned *number;    /* 0 to most */
    const char *choices; /* "one|two|three" */
    unsigned most;
};

struct perf_command {
    const char *name;
    const char *help; /* as of an option; NULL: not for users */
    /* One of these; it returns the exit code. */
    int (*run)(void);                  /* the options have been read */
    int (*raw)(int argc, char **argv); /* reads them, or joins with them */
    const struct perf_option *options;
    size_t count;
    bool alone; /* is no rank, or joins its job itself */
};

/* Read the arguments after argv[0]; the program ends with code 2 and a message
 * that names argument, limit and remedy if one is wrong. */
void perf_read_options(const struct perf_command *command, int argc,
                       char **argv);

/* Print what --help says of a command. */
void perf_print_help(FILE *out, const struct perf_command *command);

#endif
