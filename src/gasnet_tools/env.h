/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tools look up settings once there is a job. */
#ifndef FSH_GASNET_TOOLS_ENV_H
#define FSH_GASNET_TOOLS_ENV_H

#include <stdbool.h>

/* From now on gasnett_getenv asks lookup, and settings are displayed by this
 * process only if it reports. Called once, before other threads exist. */
void fsh_env_join(const char *(*lookup)(const char *name), bool reports);

#endif
