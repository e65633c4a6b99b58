/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State dumps of a fabric that serves the ranks of a job: to stderr and, if one is configured, appended to a file. Called between two calls that advance the fabric's time.
 */
#ifndef FSH_SIM_SERVE_DUMP_H
#define FSH_SIM_SERVE_DUMP_H

#include "serve_state.h"

/* Dump if somebody has asked for it (fsh_serve_ask_dump). */
void fsh_serve_dump_asked(struct fsh_serve *serve);
/* Dump: why, or NULL. */
void fsh_serve_dump(struct fsh_serve *serve, const char *why);

#endif
