/* SPDX-License-Identifier: BSD-3-Clause */
/* See alone.h. */
#include "boot/alone.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"

/* What the names of all our sockets begin with; the rest of a launcher's. */
#define NAME "fshmem-"
#define OF_LAUNCHER "job-%d-%" PRIx64

int fsh_alone_announce(void)
{
    struct sockaddr_un addr = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), n;

    if (fd < 0)
        return -1;
    /* Process numbers are not unique: containers may share a network. */
    n = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1, NAME OF_LAUNCHER,
                 getpid(), fsh_time_ns());
    FSH_ASSERT(n > 0 && (size_t)n < sizeof(addr.sun_path) - 1);
    if (bind(fd, (struct sockaddr *)(void *)&addr,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                         (size_t)n)) == 0)
        return fd;
    close(fd);
    return -1;
}

bool fsh_alone_is(int own)
{
    FILE *f = own < 0 ? NULL : fopen("/proc/net/unix", "re");
    char *line = NULL;
    size_t room = 0;
    unsigned jobs = 0;

    if (!f)
        return false;
    while (getline(&line, &room, f) > 0)
        jobs += strstr(line, " @" NAME) != NULL;
    free(line);
    fclose(f);
    return jobs == 1;
}
