/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Futexes between processes: a wait returns at once on another value, ends at
 * its time limit, and is woken across processes that map the word at different
 * addresses.
 */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/futex.h"

enum { ROUNDS = 2000 };

struct words {
    atomic_uint ball; /* even: the parent's turn, odd: the child's */
    atomic_uint never;
};

static int fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

/* Wait with a long limit for our turn; a lost wake-up would show as time. */
static int play(struct words *w, unsigned mine)
{
    for (unsigned n = 0; n < ROUNDS; n++) {
        unsigned ball;

        while ((ball = atomic_load(&w->ball)) % 2 != mine)
            if (fsh_futex_wait(&w->ball, ball, UINT64_C(20000000000)) ==
                -ETIMEDOUT)
                return fail("a wake-up was lost");
        atomic_store(&w->ball, ball + 1);
        fsh_futex_wake(&w->ball, INT_MAX);
    }
    return 0;
}

static int check_limits(struct words *w)
{
    uint64_t start;
    int rc;

    if (fsh_futex_wait(&w->never, 1, 0) != -EAGAIN)
        return fail("another value must not block");
    start = fsh_time_ns();
    do
        rc = fsh_futex_wait(&w->never, 0, 20000000);
    while (rc == -EINTR);
    if (rc != -ETIMEDOUT || fsh_time_ns() - start < 19000000)
        return fail("the time limit is not kept");
    errno = 4711;
    fsh_futex_wait(&w->never, 1, 0);
    if (errno != 4711)
        return fail("errno is changed");
    return 0;
}

int main(void)
{
    int fd = memfd_create("words", 0), status;
    struct words *a, *b;
    pid_t pid;

    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return fail("memfd");
    a = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (a == MAP_FAILED || b == MAP_FAILED || a == b)
        return fail("mmap");
    if (check_limits(a))
        return 1;
    pid = fork();
    if (pid == 0)
        _exit(play(b, 1));
    if (pid < 0 || play(a, 0) || waitpid(pid, &status, 0) != pid || status != 0)
        return fail("ping-pong between processes");
    puts("PASS");
    return 0;
}
