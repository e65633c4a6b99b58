/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded for test_status_line.py: as where nobody can be told of writes
 * (STAND_IN_INOTIFY=none), or where nothing is told (dumb).
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

int inotify_init1(int flags)
{
    const char *how = getenv("STAND_IN_INOTIFY");

    (void)flags;
    if (how != NULL && strcmp(how, "dumb") == 0)
        return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    errno = EMFILE;
    return -1;
}

int inotify_add_watch(int fd, const char *name, uint32_t mask)
{
    (void)fd;
    (void)name;
    (void)mask;
    return 1;
}
