/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GASNET_BACKTRACE. The crash handler prints and then lets the signal kill the
 * process as it would have, so that the launcher sees the same end. Names of
 * static functions need addr2line, those of the program its -rdynamic.
 */
#include "boot/backtrace.h"

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

enum { FRAMES = 64 };

static int asked_for;

void fsh_backtrace_print(void)
{
    void *frame[FRAMES];

    if (!asked_for)
        return;
    fsh_warn("backtrace of process %d (GASNET_BACKTRACE):", (int)getpid());
    backtrace_symbols_fd(frame, backtrace(frame, FRAMES), STDERR_FILENO);
}

static void on_crash(int sig)
{
    fsh_warn("signal %d (%s)", sig, strsignal(sig));
    fsh_backtrace_print();
    /* SA_RESETHAND has restored the default; blocked until we return. */
    raise(sig);
}

void fsh_backtrace_init(int signals)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction old, now;
    void *frame[1];

    asked_for = 1;
    backtrace(frame, 1); /* the first call loads a library: not in a handler */
    memset(&now, 0, sizeof(now));
    now.sa_handler = on_crash;
    now.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&now.sa_mask);
    for (size_t i = 0; signals && i < sizeof(crashes) / sizeof(*crashes); i++)
        if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(crashes[i], &now, NULL);
}
