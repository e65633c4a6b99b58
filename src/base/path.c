/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs by name; see path.h.
 */
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns 0, EACCES or ENOENT. */
static int check(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return ENOENT;
    return access(path, X_OK) == 0 ? 0 : EACCES;
}

int fsh_path_find(const char *name, char *path, size_t len)
{
    const char *list = getenv("PATH");
    int result = ENOENT;
    size_t n;

    if (!list)
        list = "/usr/local/bin:/bin:/usr/bin";
    for (; *list; list += n + (list[n] == ':')) {
        n = strcspn(list, ":");
        if ((size_t)snprintf(path, len, "%.*s%s%s", (int)n, list, n ? "/" : "",
                             name) >= len)
            continue;
        switch (check(path)) {
        case 0:
            return 0;
        case EACCES:
            result = EACCES;
            break;
        default:
            break;
        }
    }
    return result;
}

bool fsh_path_beside(const char *file, const char *tail, char *path, size_t len)
{
    const char *slash = strrchr(file, '/');
    int n;

    if (!slash)
        return false;
    n = snprintf(path, len, "%.*s/%s", (int)(slash - file), file, tail);
    return n > 0 && (size_t)n < len && check(path) == 0;
}
