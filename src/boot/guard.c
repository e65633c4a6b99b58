/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The launcher is two processes, so that one of them can be killed. The one the
 * user started, the guard, starts the launcher, passes signals on and takes
 * over its exit code. If the launcher is killed, the kernel kills the ranks,
 * and what they had started becomes the guard's to kill. If the guard is
 * killed, the launcher hears of it and ends the job. One thread each; the
 * guard never returns to the program, which may be a client's.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/log.h"
#include "boot/launch.h"
#include "boot/limits.h"

void fsh_launch_kill_orphans(void)
{
    char path[64];
    FILE *f;
    int pid;

    for (int round = 0; round < 50; round++) {
        bool any = false;

        snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
        f = fopen(path, "re");
        if (!f)
            return;
        while (fscanf(f, "%d", &pid) == 1) {
            any = true;
            FSH_ASSERT(pid > 1 && pid != getpid()); /* never a group, or us */
            kill(pid, SIGKILL);
        }
        fclose(f);
        if (!any)
            return;
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
        usleep(2000);
    }
}

/* Those that the caller has us ignore stay ignored: a blocked signal is kept
 * even then. */
static void signals_to_pass(sigset_t *set)
{
    static const int passed[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT,
                                 SIGUSR1, SIGTSTP, SIGCONT};
    struct sigaction old;

    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
        if (sigaction(passed[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaddset(set, passed[i]);
}

/* The launcher has ended; exit as it did. */
static _Noreturn void follow(pid_t launcher, int status)
{
    int sig;

    FSH_ASSERT(WIFEXITED(status) || WIFSIGNALED(status)); /* it has ended */
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    sig = WTERMSIG(status);
    if (sig == SIGKILL || WCOREDUMP(status))
        fsh_warn("the launcher (pid %d) was killed by signal %d (%s); ending "
                 "the job",
                 launcher, sig, strsignal(sig));
    fsh_launch_kill_orphans();
    _exit(128 + sig);
}

static _Noreturn void guard(pid_t launcher, const sigset_t *set)
{
    siginfo_t info;
    int sig, status;
    pid_t pid;

    /* A pipe of the program, or of the shell, ends with those who use it. */
    syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
    for (;;) {
        sig = sigwaitinfo(set, &info);
        if (sig == SIGCHLD) {
            while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
                if (pid == launcher)
                    follow(launcher, status);
        } else if (sig == SIGCONT || (sig > 0 && info.si_code <= 0)) {
            /* The terminal's own go to the launcher as well; twice continued
             * is no harm. */
            kill(launcher, sig);
        }
        /* The shell wants to see the process stop that it started. */
        if (sig == SIGTSTP)
            kill(getpid(), SIGSTOP);
    }
}

void fsh_launch_raise_limits(uint32_t ranks)
{
    char why[400]; /* what cannot be opened says so itself */

    fsh_limits_raise_files(ranks, 256 + 6 * ranks, why, sizeof(why));
}

void fsh_launch_guard(void)
{
    pid_t self = getpid(), launcher;
    sigset_t set, old;
    char why[200];

    signals_to_pass(&set);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &set, &old);
    launcher = fork();
    if (launcher < 0) {
        int error = errno;

        fsh_limits_explain_process(error, why, sizeof(why));
        fsh_fatal("cannot start the launcher: %s%s", strerror(error), why);
    }
    if (launcher > 0)
        guard(launcher, &set);
    sigprocmask(SIG_SETMASK, &old, NULL);
    signal(FSH_LAUNCH_GUARD_GONE, SIG_DFL);
    if (prctl(PR_SET_PDEATHSIG, FSH_LAUNCH_GUARD_GONE) != 0)
        fsh_fatal("cannot watch the process that starts the job: %s",
                  strerror(errno));
    FSH_ASSERT(getpid() != self); /* the guard does not return */
    if (getppid() != self)
        _exit(128 + SIGKILL);
}
