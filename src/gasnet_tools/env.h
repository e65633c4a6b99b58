/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the tools look settings up in a job, and how they parse them. */
#ifndef FSH_GASNET_TOOLS_ENV_H
#define FSH_GASNET_TOOLS_ENV_H

#include <stdbool.h>

/* Makes gasnett_getenv use lookup, and this process display settings only if
 * `reports`. Call once, before other threads exist. */
void fsh_env_join(const char *(*lookup)(const char *name), bool reports);

/* Returns 1, 0, or -1 if the text is neither yes nor no. Any thread. */
int fsh_env_yes_or_no(const char *text);
/* Whether the setting is a yes. Silent; cannot fail. Any thread, with getenv's
 * restrictions. */
bool fsh_env_is_yes(const char *key);

#endif
