/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GASNET_BACKTRACE and gasnett_print_backtrace. The methods are tried in the
 * order of GASNET_BACKTRACE_TYPE; by default the client's own
 * (gasnett_backtrace_user), then EXECINFO, the C library's. The crash handler
 * prints, then lets the signal kill the process, so that the launcher sees the
 * original cause of death. Names of static functions need addr2line; names of
 * the program's functions need -rdynamic.
 */
#include "gasnet_tools/backtrace.h"

#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/log.h"
#include "gasnet_tools.h"

enum { FRAMES = 64 };

static int print_if_enabled(int fd);

__attribute__((weak)) gasnett_backtrace_type_t gasnett_backtrace_user;
int (*gasnett_print_backtrace_ifenabled)(int fd) = print_if_enabled;

static bool asked_for;
static atomic_bool printed; /* set by fsh_backtrace_print */

static int print_execinfo(int fd)
{
    void *frame[FRAMES];
    int n = backtrace(frame, FRAMES);

    backtrace_symbols_fd(frame, n, fd);
    return n > 0 ? 0 : -1;
}

/* Whether name is an item of a comma-separated list. */
static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (; list != NULL; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, name, n) == 0 && (list[n] == ',' || list[n] == '\0'))
            return true;
    }
    return false;
}

int gasnett_print_backtrace(int fd)
{
    const char *types = gasnett_getenv("GASNET_BACKTRACE_TYPE");
    const gasnett_backtrace_type_t *user = &gasnett_backtrace_user;
    bool have_user = user->fnp != NULL && user->name != NULL;
    bool only_execinfo = types != NULL && listed(types, "EXECINFO") &&
                         !(have_user && listed(types, user->name));

    if (have_user && !only_execinfo && user->fnp(fd) == 0)
        return 0;
    return print_execinfo(fd);
}

static int print_if_enabled(int fd)
{
    return asked_for ? gasnett_print_backtrace(fd) : -1;
}

void fsh_backtrace_print(void)
{
    bool first =
        !atomic_exchange_explicit(&printed, true, memory_order_relaxed);

    if (!asked_for || !first)
        return;
    fsh_warn("backtrace of process %d (GASNET_BACKTRACE):", (int)getpid());
    gasnett_print_backtrace_ifenabled(STDERR_FILENO);
}

static void on_crash(int sig)
{
    fsh_warn("signal %d (%s)", sig, strsignal(sig));
    fsh_backtrace_print();
    /* SA_RESETHAND has restored the default; the signal is blocked until we
     * return. */
    raise(sig);
}

void fsh_backtrace_init(int signals)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction old, now;
    void *frame[1];

    asked_for = true;
    backtrace(frame, 1); /* the first call loads a library: not in a handler */
    memset(&now, 0, sizeof(now));
    now.sa_handler = on_crash;
    now.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&now.sa_mask);
    for (size_t i = 0; signals && i < sizeof(crashes) / sizeof(*crashes); i++)
        if (sigaction(crashes[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(crashes[i], &now, NULL);
}
