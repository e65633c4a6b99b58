/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For commands that are not ranks but start jobs of this program: case-study,
 * smp. They use the launcher next to this program.
 */
#include "perf.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

#define MAX_ARGUMENTS 40u

/* This program, and fshrun in its directory. */
static void programs(char self[4096], char launcher[4160])
{
    ssize_t length = readlink("/proc/self/exe", self, 4095);
    if (length <= 0) {
        fsh_fatal("cannot locate this program: %s", strerror(errno));
    }
    self[length] = 0;
    snprintf(launcher, 4160, "%.*s/fshrun", (int)(strrchr(self, '/') - self),
             self);
}

/* Appends a NULL-terminated list to n arguments. Returns the new number. */
static unsigned append(const char **argv, unsigned n, const char *const *list)
{
    for (; *list; ++list) {
        if (n + 1 == MAX_ARGUMENTS) {
            fsh_fatal("more than %u arguments of a job", MAX_ARGUMENTS - 1);
        }
        argv[n++] = *list;
    }
    return n;
}

static void become_job(const struct perf_job *job, int output)
{
    char self[4096], launcher[4160], ranks[16], limit[16], threads[16];
    const char *argv[MAX_ARGUMENTS] = {NULL};
    const char *const base[] = {launcher,     "-n",        ranks,  "--conduit",
                                job->conduit, "--bind-to", "none", "--timeout",
                                limit,        NULL};
    const char *const time[] = {"--clock", "simulated", "--host-costs",
                                job->costs, NULL};
    const char *const simulator[] = {"--sim-threads", threads, NULL};
    const char *const fabric[] = {"--topology", job->topology, NULL};
    const char *const program[] = {self, NULL};
    unsigned n = append(argv, 0, base);

    if (job->costs) {
        unsetenv("FSHMEM_HOST_TIME"); /* the stated costs only */
        n = append(argv, n, time);
    }
    if (job->threads) {
        n = append(argv, n, simulator);
    }
    if (job->topology) {
        n = append(argv, n, fabric);
    }
    n = append(argv, n, program);
    append(argv, n, job->arguments);
    prctl(PR_SET_PDEATHSIG, SIGTERM); /* which ends the job */
    programs(self, launcher);
    snprintf(ranks, sizeof(ranks), "%u", job->ranks);
    snprintf(limit, sizeof(limit), "%u", job->time_limit);
    snprintf(threads, sizeof(threads), "%u", job->threads);
    dup2(output, STDOUT_FILENO);
    close(output);
    execv(launcher, (char **)(uintptr_t)argv);
    fprintf(stderr, "fshperf: cannot run %s: %s\n", launcher, strerror(errno));
    _exit(127);
}

int perf_run_job(const struct perf_job *job)
{
    int ends[2], status = 0;
    char line[512];

    if (pipe(ends) != 0) {
        fsh_fatal("no pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t child = fork();
    if (child < 0) {
        fsh_fatal("cannot start a process: %s", strerror(errno));
    }
    if (child == 0) {
        close(ends[0]);
        become_job(job, ends[1]);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    if (!in) {
        fsh_fatal("cannot read from a job: %s", strerror(errno));
    }
    while (fgets(line, sizeof(line), in)) {
        job->hear(job->arg, line);
    }
    fclose(in);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int perf_run_model(const char *file)
{
    char self[4096], model[4160];
    int status = 0;
    pid_t child;

    programs(self, model);
    snprintf(strrchr(model, '/'), sizeof("/fshmodel"), "/fshmodel");
    fflush(NULL);
    child = fork();
    if (child < 0) {
        fsh_fatal("cannot start a process: %s", strerror(errno));
    }
    if (child == 0) {
        execl(model, model, "add", file, (char *)NULL);
        fprintf(stderr, "fshperf: cannot run %s: %s\n", model, strerror(errno));
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void perf_refuse_job(const char *command)
{
    if (getenv("FSHMEM_JOB")) {
        fsh_fatal("%s starts its own jobs; run it without fshrun", command);
    }
}

void perf_progress(const char *text, bool last)
{
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s", last ? "" : text);
    } else if (!last) {
        fprintf(stderr, "%s\n", text);
    }
}
