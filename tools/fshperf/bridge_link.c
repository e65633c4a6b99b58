/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network of a stated rate between two namespaces; see bridge_link.h.
 */
#include "bridge_link.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Tokens for one packet of 64 KB as the host's stack makes them, and some more; a queue
 * for what one connection has in flight. */
#define BURST "128kb"
#define QUEUE "8mb"

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) > 0;

    if (fd >= 0)
        close(fd);
    return done;
}

/* Root there is this user here. */
static bool map_user(uid_t user, gid_t group)
{
    char map[64];

    snprintf(map, sizeof map, "0 %u 1", (unsigned)user);
    if (!write_file("/proc/self/setgroups", "deny") ||
        !write_file("/proc/self/uid_map", map))
        return false;
    snprintf(map, sizeof map, "0 %u 1", (unsigned)group);
    return write_file("/proc/self/gid_map", map);
}

bool bridge_link_enter(char *why, size_t whylen)
{
    uid_t user = getuid();
    gid_t group = getgid();

    if (access("/sbin/tc", X_OK) != 0 && access("/usr/sbin/tc", X_OK) != 0) {
        snprintf(why, whylen,
                 "tc was not found: install the Debian package iproute2");
        return false;
    }
    if (user == 0 ? unshare(CLONE_NEWNET) == 0
                  : unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 &&
                        map_user(user, group))
        return true;
    snprintf(why, whylen, "no network namespace: %s; allow them, or be root",
             strerror(errno));
    return false;
}

bool bridge_link_enter_other(void)
{
    return unshare(CLONE_NEWNET) == 0;
}

bool bridge_link_connect(bool first, pid_t other, double mb_per_s, char *why,
                         size_t whylen)
{
    char interface[16], add[128] = "", script[640];
    int status;

    snprintf(interface, sizeof interface, "fshb%d", first ? 0 : 1);
    if (first)
        snprintf(add, sizeof add,
                 "ip link add fshb0 type veth peer name fshb1 netns %d && ",
                 (int)other);
    snprintf(script, sizeof script,
             "PATH=$PATH:/usr/sbin:/sbin; { %sip link set lo up && "
             "ip address add 10.83.78.%d/24 dev %s && ip link set %s up && "
             "tc qdisc add dev %s root tbf rate %.0fbit burst " BURST
             " limit " QUEUE "; } 2>/dev/null",
             add, first ? 1 : 2, interface, interface, interface,
             mb_per_s * 8e6);
    status = system(script);
    if (status != 0) {
        snprintf(why, whylen,
                 "ip and tc do not make a cable with tbf (status %#x): the "
                 "kernel needs veth and sch_tbf",
                 (unsigned)status);
        return false;
    }
    return setenv("FSHMEM_OFI_INTERFACE", interface, 1) == 0;
}
