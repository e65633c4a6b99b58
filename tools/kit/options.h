/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of a program, or of one of its commands, as a table: the command line is
 * read by it (getopt_long, through base/arguments.h), and --help is printed from it.
 * For fshrun, fshinfo, fshperf and fshsim; needs src/base only. One thread.
 */
#ifndef FSH_KIT_OPTIONS_H
#define FSH_KIT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --name VALUE, or --name alone. */
struct kit_option {
    const char *name;  /* with the dashes; NULL: the letter only */
    const char *value; /* what --help calls the value; NULL: takes none */
    const char *help; /* lines after the first are indented; NULL: not listed */
    /* What it sets, all that are given. What they point to is static, and holds the
     * default, which --help shows. */
    bool *flag, *unset;  /* to true, to false */
    const char **text;   /* any, or one of choices */
    unsigned *number;    /* 0 to most */
    uint64_t *wide;      /* a number without a limit of its own */
    const char *setting; /* of base/option.h, in the environment */
    /* Called first, for what is done otherwise. False if the value is wrong: err
     * then says what was expected. */
    bool (*take)(const struct kit_option *row, const char *value, char *err,
                 size_t errlen);
    const char *choices; /* of text: "one|two|three" */
    unsigned most;
    char letter;       /* -l means the same; 0 none */
    const char *alias; /* "-np", a word of its own, does too; NULL none */
    bool ends;         /* what follows is not read: --help */
};

struct kit_options {
    const char *tool;    /* whose --help lists them: "fshperf smp" */
    const char *command; /* named first where something is wrong; NULL none */
    const struct kit_option *rows;
    size_t count;
    bool rest; /* other arguments may follow; optind is the first of them */
};

/* Read the arguments after argv[0]. False if one is wrong: then err has a message
 * that names argument, limit and remedy, without the command. */
bool kit_options_try(const struct kit_options *options, int argc, char **argv,
                     char *err, size_t errlen);

/* The same; if an argument is wrong, the program ends with code 2 and the message. */
void kit_options_read(const struct kit_options *options, int argc, char **argv);

/* Print a line for each, or more: indented, with the help in that column. */
void kit_options_print(FILE *out, const struct kit_options *options,
                       unsigned indent, unsigned column);

/* Print text with its lines after the first indented. */
void kit_print_lines(FILE *out, unsigned indent, const char *text);

#endif
