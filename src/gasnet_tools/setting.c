/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where gasnett_getenv looks, and settings that are read silently. Nothing here can
 * fail, so fatal.c and backtrace.c use it for their settings.
 */
#include <strings.h>

#include "gasnet_tools.h"
#include "gasnet_tools/env.h"

static const char *(*lookup)(const char *name); /* NULL: no job */
static bool silent;

void fsh_env_join(const char *(*fn)(const char *name), bool reports)
{
    lookup = fn;
    silent = !reports;
}

char *gasnett_getenv(const char *key)
{
    /* The interface predates const; clients must not modify it. */
    return lookup ? (char *)(uintptr_t)lookup(key) : getenv(key);
}

int fsh_env_yes_or_no(const char *text)
{
    static const char *const yes[] = {"Y", "YES", "1", "TRUE", "ON"};
    static const char *const no[] = {"N", "NO", "0", "FALSE", "OFF"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        if (strcasecmp(text, yes[i]) == 0)
            return 1;
        if (strcasecmp(text, no[i]) == 0)
            return 0;
    }
    return -1;
}

bool fsh_env_is_yes(const char *key)
{
    const char *text = gasnett_getenv(key);

    return text != NULL && fsh_env_yes_or_no(text) == 1;
}

int gasnett_verboseenv(void)
{
    return !silent && fsh_env_is_yes("GASNET_VERBOSEENV");
}
