/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank of fshrun: descriptors, input, output, exec. A rank that cannot exec
 * says so through a close-on-exec pipe, whose end of file means that all did.
 * And the hooks that let the launcher read it, and hand out tagged output.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/log.h"
#include "fshrun.h"

struct exec_error {
    uint32_t rank;
    int error;
};

/* ---- in a rank ---- */

static _Noreturn void fail(const struct run *run, int error)
{
    struct exec_error e = {.rank = run->launch.rank, .error = error};

    if (write(run->exec_write_fd, &e, sizeof(e)) != (ssize_t)sizeof(e))
        _exit(RUN_NOT_FOUND);
    _exit(error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE);
}

/* In simulated time equal runs have equal addresses, too: programs and the library
 * send some of them. A container may forbid that; then runs differ in these only. */
static void fix_addresses(void)
{
    int now = personality(0xffffffff);

    if (now != -1)
        personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

void become_rank(struct run *run)
{
    uint32_t rank = run->launch.rank;
    int fd, rc;

    rc = fsh_job_enter_rank(&run->launch.job, rank);
    if (rc == -ESRCH)
        _exit(1); /* the launcher is gone, nobody listens */
    if (rc != 0)
        fail(run, -rc);
    if (rank != 0) {
        fd = open("/dev/null", O_RDONLY);
        if (fd < 0 || dup2(fd, STDIN_FILENO) < 0)
            fail(run, errno);
        if (fd != STDIN_FILENO)
            close(fd);
    }
    if (run->output)
        output_enter(run->output, rank);
    fsh_launch_signals_restore(&run->launch.before);
    place_enter(&run->shares, rank);
    if (run->launch.job.page->simulated_clock)
        fix_addresses();
    execv(run->path, run->cl->program);
    fail(run, errno);
}

/* ---- in the launcher ---- */

static void started(void *arg)
{
    struct run *run = arg;

    close(run->exec_write_fd);
    run->exec_write_fd = -1;
    if (run->output)
        output_started(run->output);
    if (run->trace)
        trace_start(run->trace);
}

static int exec_result(void *arg)
{
    struct run *run = arg;
    int *fd = &run->launch.hooks.exec_fd;
    struct exec_error e;
    ssize_t n;

    if (*fd < 0)
        return 0;
    n = read(*fd, &e, sizeof(e));
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    close(*fd);
    *fd = -1;
    if (n != (ssize_t)sizeof(e))
        return 0;
    fsh_warn("cannot run '%s' as rank %" PRIu32 ": %s%s", run->path, e.rank,
             strerror(e.error),
             e.error == ENOEXEC ? " (a script needs #! in its first line)"
                                : "");
    return e.error == ENOENT ? RUN_NOT_FOUND : RUN_CANNOT_EXECUTE;
}

static unsigned tagged_poll(void *arg, struct pollfd *p, uint64_t *deadline)
{
    return output_poll(((struct run *)arg)->output, p, deadline);
}

static bool tagged_step(void *arg, const struct pollfd *p, unsigned n)
{
    return output_step(((struct run *)arg)->output, p, n);
}

static bool tagged_done(void *arg)
{
    return output_done(((struct run *)arg)->output);
}

static void tagged_finish(void *arg)
{
    output_finish(((struct run *)arg)->output);
}

static uint64_t show_status(void *arg, uint64_t now)
{
    return status_show(((struct run *)arg)->status, now);
}

static void hide_status(void *arg)
{
    status_hide(((struct run *)arg)->status);
}

int add_hooks(struct run *run)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        fsh_warn("cannot make a pipe: %s", strerror(errno));
        return 1;
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    run->exec_write_fd = ends[1];
    run->launch.hooks = (struct fsh_launch_hooks){
        .arg = run,
        .started = started,
        .exec_fd = ends[0],
        .exec_result = exec_result,
        .output_polls = run->output ? output_max_polls(run->output) : 0,
        .output_poll = tagged_poll,
        .output_step = tagged_step,
        .output_done = tagged_done,
        .output_finish = tagged_finish,
        .status_show = run->status ? show_status : NULL,
        .status_hide = run->status ? hide_status : NULL,
    };
    return 0;
}
