/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnet_exit in a signal handler that has interrupted the library while it held one
 * of its locks: the rank leaves as from anywhere else, and meanwhile serves its
 * peers, whose requests need locks of lower rank. The debug library must not report
 * that as a wrong order of locks. A job of two ranks in a child.
 */
#include <signal.h>
#include <unistd.h>

#include "base/lock.h"
#include "gasnet/internal.h"
#include "child.h"

enum { H_ASK = 128, H_TOLD = 129 };

static struct fsh_lock lock = FSH_LOCK_INIT("of a test", FSH_LOCK_WAITING);
static volatile int told;

static void on_ask(gasnet_token_t token)
{
    gasnet_AMReplyShort0(token, H_TOLD);
}

static void on_told(gasnet_token_t token)
{
    (void)token;
    told = 1;
}

static void on_signal(int sig)
{
    (void)sig;
    gasnet_exit(0);
}

static void job(void)
{
    static const char served[] = "served\n";
    gasnet_handlerentry_t table[] = {{H_ASK, on_ask}, {H_TOLD, on_told}};
    char name[] = "gasnet_exit_locked", *list[] = {name, NULL}, **argv = list;
    int argc = 1;

    setenv("GASNET_PSHM_NODES", "2", 1);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 2, 0, 0) == GASNET_OK);
    if (gasnet_mynode() == 0) {
        signal(SIGUSR2, on_signal);
        fsh_lock_take(&lock);
        raise(SIGUSR2);
        _exit(99);
    }
    gasnet_AMRequestShort0(0, H_ASK);
    GASNET_BLOCKUNTIL(told);
    CHECK(write(STDERR_FILENO, served, sizeof served - 1) > 0);
    gasnet_exit(0);
}

int main(void)
{
    char text[2048];
    int status = child_run(job, text, sizeof text);

    /* With a sanitizer that has a thread of its own a warning about it comes first. */
    CHECK(status == 0 && strstr(text, "served\n"), "%#x %s", (unsigned)status,
          text);
    return 0;
}
