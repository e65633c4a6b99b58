/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a tool, or of one of its commands, as a table: the command line is read
 * by it (getopt_long, through base/arguments.h), and --help is printed from it. One
 * thread.
 */
#ifndef FSH_KIT_OPTIONS_H
#define FSH_KIT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* --name VALUE, or --name alone for a flag. */
struct kit_option {
    const char *name;  /* with the dashes */
    const char *value; /* what --help calls the value; NULL for a flag */
    const char *help;  /* lines after the first are indented */
    /* One of these is given; what it points to is the default, and static. */
    bool *flag;
    const char **text;   /* any, or one of choices */
    unsigned *number;    /* 0 to most */
    const char *choices; /* "one|two|three" */
    unsigned most;
    char letter; /* -l means the same; 0 none */
};

struct kit_options {
    const char *tool;    /* whose --help lists them: "fshperf smp" */
    const char *command; /* named first where something is wrong; NULL none */
    const struct kit_option *rows;
    size_t count;
};

/* Read the arguments after argv[0]; nothing else may be there. If one is wrong the
 * program ends with code 2 and a message that names argument, limit and remedy. */
void kit_options_read(const struct kit_options *options, int argc, char **argv);

/* Print a line for each, or more: indented, with the help in that column. */
void kit_options_print(FILE *out, const struct kit_options *options,
                       unsigned indent, unsigned column);

/* Print text with its lines after the first indented. */
void kit_print_lines(FILE *out, unsigned indent, const char *text);

#endif
