/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * getopt_long for the tools, with messages that name what was typed, what was
 * probably meant, and the tool without its path. One thread.
 */
#ifndef FSH_ARGUMENTS_H
#define FSH_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* As getopt_long; shorts begins with "+:". After '?' the mistake has been said
 * (fsh_warn): the caller ends with code 2. tool: whose --help lists all. */
int fsh_arguments_next(const char *tool, int argc, char **argv,
                       const char *shorts, const struct option *longs);

/* The same for a tool that does not warn itself: the mistake is put in err, and ':'
 * returned, with the option's value in optopt, where its argument is missing. */
int fsh_arguments_read(const char *tool, int argc, char **argv,
                       const char *shorts, const struct option *longs,
                       char *err, size_t errlen);

/* --waves FILE: may it have this name? If not, why, in err. */
bool fsh_arguments_waves(const char *file, char *err, size_t errlen);

#endif
