/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernel's information on a process: this one; a child whose name looks like the
 * fields after it, stopped, and ended with a code or by a signal; and none.
 */
#include "boot/process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define EXITING 4u /* PF_EXITING */

static struct fsh_process of(pid_t pid)
{
    struct fsh_process p;

    CHECK(fsh_process_read(pid, &p));
    return p;
}

static pid_t start_child(void)
{
    pid_t child = fork();

    CHECK(child >= 0);
    if (child == 0) {
        prctl(PR_SET_NAME, "a) R 1 (b");
        raise(SIGSTOP);
        _exit(7);
    }
    CHECK(waitpid(child, NULL, WUNTRACED) == child);
    return child;
}

/* Not reaped yet. */
static struct fsh_process ended(pid_t child, int sig)
{
    siginfo_t info;

    kill(child, sig);
    CHECK(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
    return of(child);
}

/* Seconds since the start of a process. */
static double age_of(const struct fsh_process *p)
{
    struct timespec now;

    CHECK(clock_gettime(CLOCK_BOOTTIME, &now) == 0);
    return (double)now.tv_sec - (double)p->start / (double)sysconf(_SC_CLK_TCK);
}

int main(void)
{
    struct fsh_process me = of(getpid()), p, none;
    clock_t until = clock() + CLOCKS_PER_SEC / 20;
    pid_t child;

    CHECK(me.parent == getppid() && me.state == 'R' && !(me.flags & EXITING));
    CHECK(age_of(&me) > -2 && age_of(&me) < 60, "%g s", age_of(&me));
    while (clock() < until)
        continue;
    p = of(getpid());
    CHECK(p.user + p.system > me.user + me.system && p.start == me.start);

    child = start_child();
    p = of(child);
    CHECK(p.parent == getpid() && p.state == 'T' && p.start >= me.start,
          "%c %d", p.state, (int)p.parent);
    p = ended(child, SIGCONT);
    CHECK(p.state == 'Z' && (p.flags & EXITING) && WIFEXITED(p.status) &&
              WEXITSTATUS(p.status) == 7,
          "%c %#x", p.state, (unsigned)p.status);
    CHECK(waitpid(child, NULL, 0) == child);
    CHECK(!fsh_process_read(child, &none) && !fsh_process_read(0, &none));

    child = start_child();
    p = ended(child, SIGKILL);
    CHECK(WIFSIGNALED(p.status) && WTERMSIG(p.status) == SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
    return 0;
}
