/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits on descriptors and processes; see limits.h.
 */
#include "boot/limits.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

static unsigned count_open(void)
{
    DIR *dir = opendir("/proc/self/fd");
    unsigned n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n > 3 ? n - 3 : 3; /* without ., .. and the directory itself */
}

bool fsh_limits_raise_files(uint32_t ranks, uint32_t more, char *err,
                            size_t errlen)
{
    rlim_t need = (rlim_t)count_open() + more, had;
    struct rlimit lim;

    if (getrlimit(RLIMIT_NOFILE, &lim) != 0 || lim.rlim_cur >= need)
        return true;
    had = lim.rlim_cur;
    lim.rlim_cur = need < lim.rlim_max ? need : lim.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &lim) == 0 && lim.rlim_cur >= need)
        return true;
    snprintf(err, errlen,
             "a job of %" PRIu32 " ranks needs %llu descriptors in rank 0, but "
             "the limit is %llu (ulimit -n), to be raised to %llu at most: "
             "raise the hard limit (ulimit -Hn, limits.conf), start fewer "
             "ranks, or start them with fshrun, which needs fewer",
             ranks, (unsigned long long)need, (unsigned long long)had,
             (unsigned long long)lim.rlim_max);
    return false;
}

void fsh_limits_explain_process(int error, char *text, size_t len)
{
    struct rlimit lim = {.rlim_cur = RLIM_INFINITY};
    char number[32] = "not this user's";

    text[0] = '\0';
    if (error != EAGAIN)
        return;
    getrlimit(RLIMIT_NPROC, &lim);
    if (lim.rlim_cur != RLIM_INFINITY)
        snprintf(number, sizeof(number), "%llu",
                 (unsigned long long)lim.rlim_cur);
    snprintf(text, len,
             "; the limit on processes and threads is %s (ulimit -u; the "
             "container may have one of its own): raise it, or start fewer "
             "ranks",
             number);
}
