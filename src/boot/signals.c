/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signals of a rank. A client cleans up in a handler of SIGQUIT, which
 * GASNet promises it for every signal that asks a program to end; so SIGINT,
 * SIGTERM and SIGHUP become SIGQUIT here, and the launcher sends it to the
 * others. Handlers of the client's own are never replaced. All of it runs in
 * signal handlers: no locks, no allocation.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/option.h"
#include "boot/boot_state.h"
#include "boot/watch.h"

static const int asks_to_end[] = {SIGINT, SIGTERM, SIGHUP};

/* As if we had never caught it, once the handler that calls this returns. */
static void die_of(int sig)
{
    signal(sig, SIG_DFL);
    raise(sig);
}

/* SIGQUIT: the launcher's (or the user's) request to end, to a client that has
 * no handler for it. */
static void on_quit(int sig)
{
    if (getpid() != fsh_boot.pid) {
        die_of(sig); /* what a rank has forked is no rank */
        return;
    }
    if (!fsh_boot_is_ending())
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, 128 + sig,
                      (int)fsh_boot.rank, "a rank got signal SIGQUIT");
    fsh_watch_quit(fsh_job_code(fsh_boot.page));
}

/* While the client's handler runs for another signal. */
static void already_quitting(int sig)
{
    (void)sig;
}

static bool is_clients(const struct sigaction *quit)
{
    return (quit->sa_flags & SA_SIGINFO) ||
           (quit->sa_handler != SIG_DFL && quit->sa_handler != SIG_IGN &&
            quit->sa_handler != on_quit &&
            quit->sa_handler != already_quitting);
}

/* Take the client's handler of SIGQUIT away, so that it runs once however many
 * signals come, on however many threads. */
static bool take_handler(struct sigaction *quit)
{
    struct sigaction none;

    if (sigaction(SIGQUIT, NULL, quit) != 0 || !is_clients(quit))
        return false;
    memset(&none, 0, sizeof(none));
    none.sa_handler = already_quitting;
    sigemptyset(&none.sa_mask);
    return sigaction(SIGQUIT, &none, quit) == 0 && is_clients(quit);
}

static void run_handler(const struct sigaction *quit, const siginfo_t *info,
                        void *context)
{
    siginfo_t as_quit = *info;

    as_quit.si_signo = SIGQUIT;
    pthread_sigmask(SIG_BLOCK, &quit->sa_mask, NULL);
    if (quit->sa_flags & SA_SIGINFO)
        quit->sa_sigaction(SIGQUIT, &as_quit, context);
    else
        quit->sa_handler(SIGQUIT);
}

/* SIGINT and its like. A handler that returns has cleaned up: the rank dies of
 * the signal, which ends the job. */
static void on_ask(int sig, siginfo_t *info, void *context)
{
    static atomic_bool quitting;
    struct sigaction quit;

    if (getpid() == fsh_boot.pid) {
        if (sigaction(SIGQUIT, NULL, &quit) == 0 && is_clients(&quit) &&
            fsh_boot_is_ending())
            return; /* SIGQUIT is on its way, or has come */
        if (atomic_exchange(&quitting, true))
            return;
        if (take_handler(&quit))
            run_handler(&quit, info, context);
    }
    die_of(sig);
}

/* SIGUSR1: have the state of all ranks printed by whoever can, also if this one
 * never comes back to us. */
static void on_usr1(int sig)
{
    char text[256];

    (void)sig;
    if (getpid() != fsh_boot.pid)
        return;
    switch (fsh_boot.kind) {
    case FSH_BOOT_LAUNCHED:
        kill((pid_t)fsh_boot.page->job_id, SIGUSR1);
        break;
    case FSH_BOOT_FOREIGN:
        fsh_watch_dump();
        break;
    case FSH_BOOT_SINGLE:
        /* Formatting numbers and words takes no lock. */
        fsh_job_describe_rank(fsh_boot.page, 0, text, sizeof(text));
        fsh_warn("state: %s", text);
        fsh_job_ask_dump(fsh_boot.page, 0);
        break;
    }
}

/* A handler of the client's stays, and what is ignored stays ignored. */
static void catch_one(int sig, const struct sigaction *action)
{
    struct sigaction old;

    if (sigaction(sig, NULL, &old) == 0 && !(old.sa_flags & SA_SIGINFO) &&
        old.sa_handler == SIG_DFL)
        sigaction(sig, action, NULL);
}

void fsh_boot_catch_signals(void)
{
    const size_t asks = sizeof(asks_to_end) / sizeof(asks_to_end[0]);
    struct sigaction plain, ask;

    if (fsh_option_bool("GASNET_NO_CATCH_SIGNAL"))
        return;
    memset(&plain, 0, sizeof(plain));
    plain.sa_flags = SA_RESTART;
    sigemptyset(&plain.sa_mask);
    plain.sa_handler = on_usr1;
    catch_one(SIGUSR1, &plain);
    plain.sa_handler = on_quit;
    if (fsh_boot.kind != FSH_BOOT_SINGLE)
        catch_one(SIGQUIT, &plain);

    memset(&ask, 0, sizeof(ask));
    ask.sa_flags = SA_RESTART | SA_SIGINFO;
    ask.sa_sigaction = on_ask;
    sigemptyset(&ask.sa_mask);
    /* The client's handler is not interrupted by itself. */
    sigaddset(&ask.sa_mask, SIGQUIT);
    for (size_t i = 0; i < asks; i++)
        sigaddset(&ask.sa_mask, asks_to_end[i]);
    for (size_t i = 0; i < asks; i++)
        catch_one(asks_to_end[i], &ask);
}
