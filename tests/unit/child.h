/* SPDX-License-Identifier: BSD-3-Clause */
/* Cases that are to end the process, each in a child: what it says on stderr, and
 * that it ends with SIGABRT, are checked. A child that hangs ends after 20 s. */
#ifndef UNIT_CHILD_H
#define UNIT_CHILD_H

#include <signal.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct child_case {
    void (*run)(void);
    const char *says; /* NULL: it returns, as nothing is wrong */
};

/* Returns the status of wait; text gets what the child says. */
static inline int child_run(void (*run)(void), char *text, size_t size)
{
    int pipes[2], status = 0;
    size_t used = 0;
    ssize_t n;
    pid_t child;

    CHECK(pipe(pipes) == 0);
    child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        dup2(pipes[1], STDERR_FILENO);
        alarm(20);
        run();
        _exit(0);
    }
    close(pipes[1]);
    while ((n = read(pipes[0], text + used, size - 1 - used)) > 0)
        used += (size_t)n;
    text[used] = '\0';
    close(pipes[0]);
    CHECK(waitpid(child, &status, 0) == child);
    return status;
}

static inline void child_check(const struct child_case *cases, size_t count)
{
    char text[2048];

    for (size_t i = 0; i < count; i++) {
        int status = child_run(cases[i].run, text, sizeof text);

        if (!cases[i].says)
            CHECK(status == 0, "case %zu: %#x %s", i, (unsigned)status, text);
        else
            CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
                      strstr(text, cases[i].says),
                  "case %zu: %#x %s", i, (unsigned)status, text);
    }
}

#endif
