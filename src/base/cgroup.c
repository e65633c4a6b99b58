/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/self/cgroup lists the groups, one line per hierarchy:
 * "4:cpu,cpuacct:/path" (version 1) or "0::/path" (version 2). Any thread.
 */
#include "base/cgroup.h"

#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4224 };

/* Visits the group and all its ancestors up to the mount point. Inside a
 * container the path may not exist; then only the mount's root is visited. */
static void walk_up(const char *mount, char *group, bool v2, fsh_cgroup_fn look,
                    void *arg)
{
    char dir[PATH_BYTES + 128];
    char *slash;

    for (;;) {
        snprintf(dir, sizeof(dir), "%s%s", mount, group);
        look(arg, dir, v2);
        slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* Whether word is an element of "a,b,c". */
static bool is_in_list(const char *word, const char *list)
{
    size_t len = strlen(word), n;

    for (; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (n == len && strncmp(list, word, n) == 0)
            return true;
    }
    return false;
}

void fsh_cgroup_each(const char *controller, fsh_cgroup_fn look, void *arg)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[PATH_BYTES], mount[64];
    char *list, *group;

    if (!f)
        return;
    snprintf(mount, sizeof(mount), "/sys/fs/cgroup/%s", controller);
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = '\0';
        list = strchr(line, ':');
        group = list ? strchr(list + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        if (list[1] == '\0')
            walk_up("/sys/fs/cgroup", group, true, look, arg);
        else if (is_in_list(controller, list + 1))
            walk_up(mount, group, false, look, arg);
    }
    fclose(f);
}
