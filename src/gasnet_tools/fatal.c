/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_fatalerror and failed assertions: print a line and, if requested, a
 * backtrace, then abort. Also waiting for a debugger. Called by clients in an
 * arbitrary state, so nothing here waits for a lock, relies on the library's state,
 * or calls anything that may itself fail and end up here.
 */
#include <stdarg.h>

#include "gasnet_tools.h"
#include "gasnet_tools/backtrace.h"
#include "gasnet_tools/env.h"

enum { TEXT_BYTES = 2048 };

struct host {
    char name[64];
};

static struct host this_host(void)
{
    struct host host = {"?"};

    gethostname(host.name, sizeof host.name - 1);
    return host;
}

static void print(const char *text)
{
    char line[TEXT_BYTES + 128];
    int n;

    n = snprintf(line, sizeof line, "*** FATAL ERROR (%s:%d): %s\n",
                 this_host().name, (int)getpid(), text);
    /* One write, so that lines of several processes do not interleave. */
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        return;
}

static _Noreturn void give_up(const char *text)
{
    print(text);
    gasnett_freezeForDebuggerErr();
    fsh_backtrace_print();
    /* abort does not flush; skip it if the failing code holds the lock. */
    if (ftrylockfile(stdout) == 0) {
        fflush_unlocked(stdout);
        funlockfile(stdout);
    }
    abort();
}

void gasnett_fatalerror_nopos(const char *format, ...)
{
    char text[TEXT_BYTES];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    give_up(text);
}

void fsh_gasnett_fatal_at(const char *function, const char *file, int line,
                          const char *format, ...)
{
    char text[TEXT_BYTES];
    size_t n;
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    n = strlen(text);
    while (n > 0 && text[n - 1] == '\n')
        text[--n] = '\0';
    snprintf(text + n, sizeof text - n, " at %s:%d in %s", file, line,
             function);
    give_up(text);
}

void fsh_gasnett_assert_failed(const char *function, const char *file, int line,
                               const char *expr)
{
    fsh_gasnett_fatal_at(function, file, line, "Assertion failure: %s", expr);
}

char *fsh_gasnett_location(const char *function, const char *file, int line)
{
    int n = snprintf(NULL, 0, "%s at %s:%d", function, file, line);
    char *text = malloc((size_t)n + 1);

    if (text != NULL)
        snprintf(text, (size_t)n + 1, "%s at %s:%d", function, file, line);
    return text;
}

void gasnett_freezeForDebuggerNow(volatile int *flag, const char *flagsymname)
{
    *flag = 1;
    fprintf(stderr,
            "*** process %d on %s waits for a debugger; to continue it, set "
            "%s to 0\n",
            (int)getpid(), this_host().name, flagsymname);
    while (*flag)
        sleep(1);
}

void gasnett_freezeForDebuggerErr(void)
{
    static volatile int gasnet_frozen;

    if (fsh_env_is_yes("GASNET_FREEZE_ON_ERROR"))
        gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
}

void gasnett_killmyprocess(int exitcode)
{
    _exit(exitcode);
}
