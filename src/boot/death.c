/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel shows the status of a process until its parent has taken it (in
 * /proc, from before its connections close), and since Linux 6.16 after that to
 * who has a connection to it (a pidfd of the socket's peer). In this order there
 * is no gap between the two.
 */
#include "boot/death.h"

#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/process.h"

/* Headers of this system may be older than its kernel. */
#define PEER_PIDFD 77 /* SO_PEERPIDFD */
#define INFO_EXIT (UINT64_C(1) << 3)
struct pidfd_info_0 {
    uint64_t mask;
    uint64_t cgroup;
    uint32_t ids[11];
    int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_info_0) == 64, "as the kernel has it");
#define GET_INFO _IOWR(0xff, 11, struct pidfd_info_0)

#define EXITING 4u /* PF_EXITING of the kernel */

static pid_t peer_of(int connection)
{
    struct ucred peer = {.pid = 0};
    socklen_t len = sizeof(peer);

    if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
        return 0;
    return peer.pid;
}

/* Of a process that is ending or waits for its parent. */
static bool from_proc(pid_t pid, int *status)
{
    struct fsh_process p;

    if (!fsh_process_read(pid, &p) || !(p.flags & EXITING))
        return false;
    *status = p.status;
    return true;
}

static bool from_socket(int connection, int *status)
{
    struct pidfd_info_0 info = {.mask = INFO_EXIT};
    socklen_t len = sizeof(int);
    int fd, rc;

    if (getsockopt(connection, SOL_SOCKET, PEER_PIDFD, &fd, &len) != 0)
        return false;
    rc = ioctl(fd, GET_INFO, &info);
    close(fd);
    *status = info.exit_code;
    return rc == 0 && (info.mask & INFO_EXIT);
}

bool fsh_death_status(int connection, pid_t pid, int *status)
{
    pid_t peer = peer_of(connection);

    /* In a namespace of its own it calls itself otherwise. */
    if (peer > 0)
        pid = peer;
    return from_proc(pid, status) || from_socket(connection, status);
}

int fsh_death_describe(bool known, int status, char *text, size_t len)
{
    if (known && WIFSIGNALED(status)) {
        snprintf(text, len, "was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    if (!known || !WIFEXITED(status)) {
        snprintf(text, len, "has ended");
        return 1;
    }
    snprintf(text, len, "ended with code %d", WEXITSTATUS(status));
    return WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
}
