/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * getopt_long for the tools, with error messages that name the argument as
 * typed, the option probably meant, and the tool without its path. Programs use
 * it through a table (tools/kit/options.h). One thread.
 */
#ifndef FSH_ARGUMENTS_H
#define FSH_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As getopt_long; shorts must begin with "+:". tool: named in the "--help" hint. After
 * '?' (error) and ':' (missing argument) err holds the message; after ':' optopt holds
 * the option's value. */
int fsh_arguments_read(const char *tool, int argc, char **argv,
                       const char *shorts, const struct option *longs,
                       char *err, size_t errlen);

/* Validates the file name of --waves FILE. On false, err holds the reason. */
bool fsh_arguments_waves(const char *file, char *err, size_t errlen);
/* Parses --waves-cycles FROM:TO, FROM: or :TO; without TO, *to is UINT64_MAX. On false,
 * err says what was expected. */
bool fsh_arguments_waves_cycles(const char *text, uint64_t *from, uint64_t *to,
                                char *err, size_t errlen);

/* Parses --waves-nodes 0,2-3 into a bit mask. On false, err says what was
 * expected. */
bool fsh_arguments_waves_nodes(const char *text, uint64_t *nodes, char *err,
                               size_t errlen);

#endif
