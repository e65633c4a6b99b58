/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that uses src/boot and nothing else, for the tests of fshrun: joins
 * the job, checks barrier and exchange, then does what its argument says. Run
 * by the test_*.sh beside it.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "boot/boot.h"
#include "conduit/conduit.h"

static void say(const char *text)
{
    char line[128];
    int n = snprintf(line, sizeof(line), "%s %" PRIu32 " of %" PRIu32 "\n",
                     text, fsh_boot_rank(), fsh_boot_size());

    if (write(STDOUT_FILENO, line, (size_t)n) != n)
        _exit(99);
}

/* Every rank sees what every rank gave, many times over. */
static void check_exchange(void)
{
    uint32_t n = fsh_boot_size(), mine[2], *all = malloc(n * sizeof(mine));

    for (uint32_t round = 0; all && round < 200; round++) {
        mine[0] = fsh_boot_rank();
        mine[1] = round;
        fsh_boot_exchange(mine, sizeof(mine), all);
        for (uint32_t r = 0; r < n; r++)
            if (all[2 * r] != r || all[2 * r + 1] != round)
                fsh_fatal("exchange: rank %" PRIu32 " round %" PRIu32
                          ": got %" PRIu32 ", %" PRIu32,
                          r, round, all[2 * r], all[2 * r + 1]);
    }
    free(all);
    say("ok");
}

/* No rank can cut off, or add to, what all have mapped. */
static void check_seals(void)
{
    int fd = fsh_boot_fd(FSH_FD_SHARED);
    off_t end = lseek(fd, 0, SEEK_END);
    const off_t sizes[] = {0, end - 4096, end + 4096};

    if (end < 4096)
        fsh_fatal("no memory object of the job");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (ftruncate(fd, sizes[i]) == 0)
            fsh_fatal("the memory object takes another size");
    say("sealed");
}

/* A program that the rank starts is no rank and inherits nothing of the job. */
static void check_child(void)
{
    int status = system("test -z \"$FSHMEM_JOB\" && "
                        "! ls -l /proc/self/fd | grep -q 'memfd:fshmem'");

    if (status != 0)
        fsh_fatal("a child of the rank sees the job");
    say("child ok");
}

/* Forked, not executed: its exit must not count as this rank's. */
static void check_fork(void)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        fsh_boot_leave(9);
        _exit(0);
    }
    if (waitpid(pid, &status, 0) != pid || status != 0)
        fsh_fatal("forked child: status %d", status);
    fsh_boot_barrier("after the fork");
    say("fork ok");
}

static void on_quit(int sig)
{
    static const char text[] = "handler ran\n";

    (void)sig;
    if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
        _exit(99);
    fsh_boot_exit_job(0, NULL);
}

static void spin(void)
{
    volatile unsigned long n = 0;

    for (;;)
        n++;
}

/* Wait as a conduit does: until the job is found to be ending. */
static void wait_for_the_end(void)
{
    const char *why;

    while (fsh_boot_alive(&why))
        usleep(1000);
    fsh_boot_exit_job(1, why);
}

/* What rank `who` does after all have said "up". */
static void act(const char *what, int code)
{
    if (strcmp(what, "exit_job") == 0)
        fsh_boot_exit_job(code, NULL);
    else if (strcmp(what, "_exit") == 0)
        _exit(code);
    else if (strcmp(what, "raise") == 0)
        raise(code);
    else if (strcmp(what, "fatal") == 0)
        fsh_fatal("deliberate failure");
    else if (strcmp(what, "leave") == 0) {
        fsh_boot_leave(code);
        _exit(code);
    }
}

static const struct fsh_job_needs *needs_of(const char *conduit)
{
    return fsh_conduit_find(conduit)->needs;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "exchange";
    int code = argc > 2 ? atoi(argv[2]) : 0;
    uint32_t who = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
    const char *rest = argc > 4 ? argv[4] : "spin";

    fsh_boot_init("smp", needs_of);
    if (strcmp(rest, "quit") == 0)
        signal(SIGQUIT, on_quit);
    else if (strcmp(rest, "deaf") == 0)
        signal(SIGQUIT, SIG_IGN);
    if (strcmp(what, "late") == 0 && fsh_boot_rank() == who)
        spin();
    if (strcmp(rest, "buffered") == 0 && fsh_boot_rank() != who)
        fputs("text in a buffer\n", stdout);
    fsh_boot_barrier("start");
    say("up");
    if (strcmp(what, "exchange") == 0)
        check_exchange();
    else if (strcmp(what, "child") == 0)
        check_child();
    else if (strcmp(what, "fork") == 0)
        check_fork();
    else if (strcmp(what, "seals") == 0)
        check_seals();
    else if (fsh_boot_rank() == who)
        act(what, code);
    else if (strcmp(rest, "barrier") == 0)
        fsh_boot_barrier("the one that never comes");
    else if (strcmp(rest, "wait") == 0)
        wait_for_the_end();
    if (strcmp(what, "exchange") && strcmp(what, "child") &&
        strcmp(what, "fork") && strcmp(what, "seals"))
        spin();
    fsh_boot_leave(0);
    return 0;
}
