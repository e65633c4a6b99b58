/* SPDX-License-Identifier: BSD-3-Clause */
#include "processes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"

static volatile pid_t others[FSH_PROCESSES_MOST]; /* by partition; 0: none */

static void close_all(const int (*end)[FSH_PROCESSES_MOST], uint32_t count,
                      uint32_t except)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; i != except && j < count; j++)
            if (end[i][j] >= 0)
                close(end[i][j]);
}

/* end[i][j]: of partition i, to j. */
static bool connect_all(int (*end)[FSH_PROCESSES_MOST], uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            end[i][j] = -1;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++) {
            int pair[2];

            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
                return false;
            end[i][j] = pair[0];
            end[j][i] = pair[1];
        }
    return true;
}

static void become(struct fsh_partition *p, uint32_t index,
                   int (*end)[FSH_PROCESSES_MOST])
{
    p->index = index;
    for (uint32_t i = 0; i < p->count; i++)
        p->peer[i] = end[index][i];
    close_all(end, p->count, index);
}

/* False: this is a child. */
static bool fork_one(struct fsh_partition *p, uint32_t index,
                     int (*end)[FSH_PROCESSES_MOST], bool *failed)
{
    pid_t parent = getpid(), pid = fork();

    *failed = pid < 0;
    if (pid != 0) {
        others[index] = pid > 0 ? pid : 0;
        return true;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    memset((void *)(uintptr_t)others, 0, sizeof others);
    become(p, index, end);
    return false;
}

bool fsh_processes_start(struct fsh_partition *p, uint32_t count,
                         uint32_t nodes, char *err, size_t errlen)
{
    int end[FSH_PROCESSES_MOST][FSH_PROCESSES_MOST];
    bool failed = false;

    if (count > nodes) {
        snprintf(err, errlen,
                 "%u simulators for %u nodes: each needs one at least; give "
                 "fewer (fshrun --simulators, FSHMEM_SIMULATORS)",
                 count, nodes);
        return false;
    }
    p->count = count;
    for (uint32_t i = 0; i <= count; i++)
        p->first[i] = i * nodes / count;
    if (!connect_all(end, count)) {
        snprintf(err, errlen, "cannot connect %u simulators: %s%s", count,
                 strerror(errno),
                 errno == EMFILE ? "; raise the limit with ulimit -n" : "");
        close_all(end, count, UINT32_MAX);
        return false;
    }
    for (uint32_t i = 1; i < count && !failed; i++)
        if (!fork_one(p, i, end, &failed))
            return true;
    if (failed) {
        snprintf(err, errlen, "cannot start %u simulators: %s", count,
                 strerror(errno));
        close_all(end, count, UINT32_MAX);
        fsh_processes_signal(SIGKILL);
        return false;
    }
    become(p, 0, end);
    return true;
}

void fsh_processes_signal(int sig)
{
    for (uint32_t i = 0; i < FSH_PROCESSES_MOST; i++)
        if (others[i] > 0)
            kill(others[i], sig);
}

static void tell(const struct fsh_partition *p, uint32_t i, int status)
{
    char how[64];

    if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "was killed by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(how, sizeof how, "ended with code %d", WEXITSTATUS(status));
    fsh_warn("the simulator of nodes %u to %u (process %d) %s", p->first[i],
             p->first[i + 1] - 1, (int)others[i], how);
}

bool fsh_processes_end(const struct fsh_partition *p, uint64_t max_ns)
{
    uint64_t start = fsh_time_ns();
    bool killed = false, orderly = true, waits = true;

    while (waits) {
        waits = false;
        for (uint32_t i = 0; i < FSH_PROCESSES_MOST; i++) {
            int status;

            if (others[i] == 0)
                continue;
            if (waitpid(others[i], &status, WNOHANG) != others[i]) {
                waits = true;
                continue;
            }
            if (status != 0) {
                tell(p, i, status);
                orderly = false;
            }
            others[i] = 0;
        }
        if (!waits)
            break;
        if (!killed && fsh_time_ns() - start >= max_ns) {
            fsh_processes_signal(SIGKILL);
            killed = true;
        }
        usleep(1000);
    }
    return orderly;
}
