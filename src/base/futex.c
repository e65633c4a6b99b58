/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The futex system call in its shared flavour: the word may be mapped at
 * different addresses in different processes, which rules out
 * FUTEX_PRIVATE_FLAG.
 */
#include "base/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int fsh_futex_wait(const void *addr, uint32_t expected, uint64_t timeout_ns)
{
    struct timespec ts = {
        .tv_sec = (time_t)(timeout_ns / UINT64_C(1000000000)),
        .tv_nsec = (long)(timeout_ns % UINT64_C(1000000000)),
    };
    int saved = errno;
    int rc = 0;

    if (syscall(SYS_futex, addr, FUTEX_WAIT, expected, timeout_ns ? &ts : NULL,
                NULL, 0) != 0)
        rc = -errno;
    errno = saved;
    return rc;
}

void fsh_futex_wake(const void *addr, int n)
{
    int saved = errno;

    syscall(SYS_futex, addr, FUTEX_WAKE, n, NULL, NULL, 0);
    errno = saved;
}
