/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starting the ranks: fork, descriptors, exec. A child that cannot exec says so
 * through a close-on-exec pipe, whose end of file means that all did.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "fshrun.h"

struct exec_error {
    uint32_t rank;
    int error;
};

static _Noreturn void fail(int fd, uint32_t rank, int error)
{
    struct exec_error e = {.rank = rank, .error = error};

    if (write(fd, &e, sizeof(e)) != (ssize_t)sizeof(e))
        _exit(RUN_NOT_FOUND);
    _exit(error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE);
}

static _Noreturn void become_rank(struct run *run, uint32_t rank, int exec_fd)
{
    sigset_t none;
    int fd, rc;

    rc = fsh_job_enter_rank(&run->job, rank);
    if (rc == -ESRCH)
        _exit(1); /* the launcher is gone, nobody listens */
    if (rc != 0)
        fail(exec_fd, rank, -rc);
    if (rank != 0) {
        fd = open("/dev/null", O_RDONLY);
        if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
            fail(exec_fd, rank, errno);
        if (fd != STDIN_FILENO)
            close(fd);
    }
    if (run->output)
        output_enter(run->output, rank);
    sigaction(SIGPIPE, &run->sigpipe, NULL);
    /* Ignored in a script's background job; we ask ranks to go by it. */
    signal(SIGQUIT, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(run->path, run->cl->program);
    fail(exec_fd, rank, errno);
}

static int say_fork_failed(uint32_t rank, int error)
{
    struct rlimit lim = {0, 0};

    getrlimit(RLIMIT_NPROC, &lim);
    if (error == EAGAIN && lim.rlim_cur != RLIM_INFINITY)
        fsh_warn("cannot start rank %" PRIu32 ": %s; the limit on processes is "
                 "%llu (ulimit -u), the container may have one of its own",
                 rank, strerror(error), (unsigned long long)lim.rlim_cur);
    else
        fsh_warn("cannot start rank %" PRIu32 ": %s", rank, strerror(error));
    return 1;
}

int spawn_ranks(struct run *run)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        fsh_warn("cannot make a pipe: %s", strerror(errno));
        return 1;
    }
    /* A program that prints must not print twice what we had buffered. */
    fflush(NULL);
    for (uint32_t r = 0; r < run->cl->ranks; r++) {
        pid_t pid = fork();

        if (pid == 0)
            become_rank(run, r, ends[1]);
        if (pid < 0) {
            close(ends[0]);
            close(ends[1]);
            return say_fork_failed(r, errno);
        }
        run->pid[r] = pid;
        run->alive++;
        if (run->cl->verbose)
            fsh_warn("rank %" PRIu32 " is process %d", r, pid);
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    run->exec_fd = ends[0];
    if (run->output)
        output_started(run->output);
    return 0;
}

int spawn_result(struct run *run)
{
    struct exec_error e;
    ssize_t n;

    if (run->exec_fd < 0)
        return 0;
    n = read(run->exec_fd, &e, sizeof(e));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    close(run->exec_fd);
    run->exec_fd = -1;
    if (n != (ssize_t)sizeof(e))
        return 0;
    fsh_warn("cannot run '%s' as rank %" PRIu32 ": %s%s", run->path, e.rank,
             strerror(e.error),
             e.error == ENOEXEC ? " (a script needs #! in its first line)"
                                : "");
    return e.error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE;
}
