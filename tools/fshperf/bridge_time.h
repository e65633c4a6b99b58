/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf bridge --clock simulated: a simulated card and a modelled network.
 */
#ifndef FSHPERF_BRIDGE_TIME_H
#define FSHPERF_BRIDGE_TIME_H

#include <stdbool.h>

/* Runs the job (bridge_node.c) and reports; the command's exit code. quick: sizes up to
 * 1 MB. sweep: the points of bridge_rows.h. json: a file, or NULL. */
int bridge_time_run(bool quick, bool sweep, const char *json);

#endif
