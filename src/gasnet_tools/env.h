/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tools look up settings once there is a job, and how they read them. */
#ifndef FSH_GASNET_TOOLS_ENV_H
#define FSH_GASNET_TOOLS_ENV_H

#include <stdbool.h>

/* From now on gasnett_getenv asks lookup, and settings are displayed by this
 * process only if it reports. Called once, before other threads exist. */
void fsh_env_join(const char *(*lookup)(const char *name), bool reports);

/* 1, 0, or -1 if the text is neither yes nor no. Any thread. */
int fsh_env_yes_or_no(const char *text);
/* Is it set to a yes? Says nothing, cannot fail. Any thread, as getenv allows. */
bool fsh_env_is_yes(const char *key);

#endif
