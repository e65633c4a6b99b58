// SPDX-License-Identifier: BSD-3-Clause
// Runs what breaks a rule in a process of its own, which the checker is to end, and looks
// for the name of the rule in what it says.
#ifndef FSH_TB_BROKEN_H
#define FSH_TB_BROKEN_H

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <string>
#include "tb.h"

namespace tb
{

// What a child that runs `act` prints until it ends; `survived` if it came to its end.
template <class Act> std::string output_of(Test &test, Act act, bool &survived)
{
    int end[2];
    std::string said;
    char part[512];
    int status = 0;
    ssize_t n;

    std::fflush(stdout);
    if (pipe(end) != 0)
        test.fail("pipe");
    pid_t child = fork();
    if (child < 0)
        test.fail("fork");
    if (child == 0) {
        const struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        dup2(end[1], STDOUT_FILENO);
        dup2(end[1], STDERR_FILENO);
        act();
        std::fflush(stdout);
        _exit(0);
    }
    close(end[1]);
    while ((n = read(end[0], part, sizeof part)) > 0)
        said.append(part, (size_t)n);
    close(end[0]);
    if (waitpid(child, &status, 0) != child)
        test.fail("waitpid");
    survived = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return said;
}

// A rule's name, what is done against it, and that the checker ends it by that name.
template <class Act>
void breaks(Test &test, const char *rule, const char *what, Act act)
{
    bool survived;
    std::string said = output_of(test, act, survived);

    if (survived)
        test.fail("%s: %s passes", rule, what);
    if (said.find("assertion " + std::string(rule) + " failed") ==
        std::string::npos)
        test.fail("%s: %s is called: %s", rule, what, said.c_str());
}

} // namespace tb

#endif
