/* SPDX-License-Identifier: BSD-3-Clause */
/* See process.h. */
#include "boot/process.h"

#include <stdio.h>
#include <string.h>

/* The line from its third field on: the second, a name, may hold anything. */
static const char *read_fields(pid_t pid, char *line, int len)
{
    const char *name_end = NULL;
    char path[40];
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return NULL;
    if (fgets(line, len, file))
        name_end = strrchr(line, ')');
    fclose(file);
    return name_end ? name_end + 1 : NULL;
}

/* Field n, counted as proc(5) does; "" if the kernel has fewer. */
static const char *field(const char *fields, int n)
{
    const char *at = strchr(fields, ' ');

    for (int i = 3; at && i < n; i++)
        at = strchr(at + 1, ' ');
    return at ? at + 1 : "";
}

bool fsh_process_read(pid_t pid, struct fsh_process *p)
{
    char line[1024];
    const char *fields = pid > 0 ? read_fields(pid, line, sizeof(line)) : NULL;

    return fields &&
           sscanf(field(fields, 3), "%c %d", &p->state, &p->parent) == 2 &&
           sscanf(field(fields, 9), "%u", &p->flags) == 1 &&
           sscanf(field(fields, 14), "%lu %lu", &p->user, &p->system) == 2 &&
           sscanf(field(fields, 22), "%llu", &p->start) == 1 &&
           sscanf(field(fields, 52), "%d", &p->status) == 1;
}
