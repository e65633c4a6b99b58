/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways out of a rank. Any thread, some from signal handlers; the watch thread
 * (watch.c) takes them for a rank that cannot.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/log.h"
#include "boot/channel.h"
#include "boot/boot_state.h"
#include "boot/watch.h"
#include "gasnet_tools/backtrace.h"

#define MS UINT64_C(1000000)

bool fsh_boot_is_ending(void)
{
    return fsh_boot.page && atomic_load(&fsh_boot.page->abort_code) >= 0;
}

void fsh_boot_left(int code)
{
    atomic_store(&fsh_boot_slot()->exit_code, code & 0xff);
    atomic_store(&fsh_boot_slot()->state, FSH_RANK_LEFT);
    fsh_watch_tell();
}

void fsh_boot_say_reason(void)
{
    static atomic_bool said;

    if (fsh_boot.owner && atomic_load(&fsh_boot.page->abort_rank) == -1 &&
        !atomic_exchange(&said, true))
        fsh_warn("%s", fsh_job_reason(fsh_boot.page));
}

/* End the process with the code of the job. The first thread does; a second
 * one waits for it; the same one again (a signal during the exit) ends now. */
static _Noreturn void finish(void)
{
    int me = (int)syscall(SYS_gettid), seen = 0;
    int code = fsh_job_code(fsh_boot.page);

    FSH_ASSERT(code >= 0); /* who comes here has said that the job ends */
    if (!atomic_compare_exchange_strong(&fsh_boot.leaving_tid, &seen, me) &&
        seen != me)
        for (;;)
            pause();
    if (seen == 0) {
        fsh_boot_left(code);
        fsh_boot_say_reason();
        fsh_watch_stop_simulator(2000 * MS);
    }
    fsh_watch_tell();
    _exit(code);
}

_Noreturn void fsh_boot_exit_job(int code, const char *reason)
{
    if (!fsh_boot.page || getpid() != fsh_boot.pid)
        _exit(code);
    /* With a reason it is a failure; if the job is ending anyway, that is its
     * cause, and it must not turn gasnet_exit(0) into one. */
    if (!reason || !fsh_boot_is_ending())
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, code & 0xff,
                      (int)fsh_boot.rank, reason);
    finish();
}

/* The job is told first: if the flush blocks on a full pipe, the launcher or the
 * alarm ends this process all the same. */
void fsh_boot_end_fatally(int code, const char *reason)
{
    if (!fsh_boot.page || getpid() != fsh_boot.pid) {
        fflush(NULL);
        _exit(code);
    }
    if (!fsh_boot_is_ending()) { /* as in fsh_boot_exit_job */
        fsh_backtrace_print();
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, code,
                      (int)fsh_boot.rank, reason);
    }
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    fflush(NULL);
    alarm(4);
    fsh_channel_abort(code, reason);
    finish();
}

void fsh_boot_leaving(int code)
{
    int running = FSH_RANK_RUNNING, init = FSH_RANK_INIT;

    atomic_store(&fsh_boot_slot()->exit_code, code & 0xff);
    if (!atomic_compare_exchange_strong(&fsh_boot_slot()->state, &running,
                                        FSH_RANK_LEAVING))
        atomic_compare_exchange_strong(&fsh_boot_slot()->state, &init,
                                       FSH_RANK_LEAVING);
}

void fsh_boot_leave(int code)
{
    if (!fsh_boot.page || getpid() != fsh_boot.pid ||
        atomic_exchange(&fsh_boot.left, true))
        return;
    if (code != 0)
        fsh_job_abort(fsh_boot.page, fsh_boot.abort_fd, code & 0xff,
                      (int)fsh_boot.rank, NULL);
    fsh_boot_slot()->waiting_for[0] = '\0';
    fsh_boot_left(code);
    if (code == 0)
        fsh_channel_close();
    if (fsh_boot.owner && fsh_boot.page->here > 1 && code == 0)
        fsh_watch_await_peers(2000 * MS);
    fsh_watch_stop_simulator(10000 * MS);
}
