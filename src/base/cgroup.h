/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the limits of a container are: the directories of the control groups,
 * version 1 or 2, that this process is in. Reads files, so not for hot paths.
 */
#ifndef FSH_CGROUP_H
#define FSH_CGROUP_H

#include <stdbool.h>

/* A directory whose files may hold a limit; v2: of the unified hierarchy. */
typedef void (*fsh_cgroup_fn)(void *arg, const char *dir, bool v2);

/* Call look for the group of a controller ("memory", "cpu") that this process
 * is in, and for all above it. */
void fsh_cgroup_each(const char *controller, fsh_cgroup_fn look, void *arg);

#endif
