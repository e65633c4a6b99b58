/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locates resource limits of containers: the directories of the control groups
 * (version 1 or 2) that contain this process. Reads files, so not for hot
 * paths.
 */
#ifndef FSH_CGROUP_H
#define FSH_CGROUP_H

#include <stdbool.h>

/* Callback for a directory whose files may hold a limit. v2: in the unified
 * hierarchy. */
typedef void (*fsh_cgroup_fn)(void *arg, const char *dir, bool v2);

/* Calls look for this process's group of a controller ("memory", "cpu") and for
 * all its ancestors. */
void fsh_cgroup_each(const char *controller, fsh_cgroup_fn look, void *arg);

#endif
