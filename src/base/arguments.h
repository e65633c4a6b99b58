/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * getopt_long for the tools, with messages that name what was typed, what was
 * probably meant, and the tool without its path. Programs have a table over it
 * (tools/kit/options.h). One thread.
 */
#ifndef FSH_ARGUMENTS_H
#define FSH_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As getopt_long; shorts begins with "+:". tool: whose --help lists all. After '?'
 * and ':' the mistake is in err; after ':', an argument that is missing, optopt has
 * the option's value. */
int fsh_arguments_read(const char *tool, int argc, char **argv,
                       const char *shorts, const struct option *longs,
                       char *err, size_t errlen);

/* --waves FILE: may it have this name? If not, why, in err. */
bool fsh_arguments_waves(const char *file, char *err, size_t errlen);
/* --waves-cycles FROM:TO, FROM: or :TO; without TO *to is UINT64_MAX. False with
 * what is expected in err. */
bool fsh_arguments_waves_cycles(const char *text, uint64_t *from, uint64_t *to,
                                char *err, size_t errlen);

/* --waves-nodes 0,2-3, as bits. False with what is expected in err. */
bool fsh_arguments_waves_nodes(const char *text, uint64_t *nodes, char *err,
                               size_t errlen);

#endif
