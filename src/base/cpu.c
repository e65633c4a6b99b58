/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many CPUs this process may really use. Containers limit them by quota
 * rather than by affinity, and a runtime that believes in 64 cores while it may
 * use two spins itself to death. Called at init; any thread.
 */
#include "base/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static unsigned affinity_count(void)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* One number from each file; false unless both are there and positive. */
static int read_quota(const char *path, const char *period_path,
                      long long *quota, long long *period)
{
    FILE *f = fopen(path, "r");
    int n;

    if (!f)
        return 0;
    n = fscanf(f, "%lld %lld", quota, period);
    fclose(f);
    if (n >= 1 && period_path) {
        f = fopen(period_path, "r");
        if (!f)
            return 0;
        n = 1 + fscanf(f, "%lld", period);
        fclose(f);
    }
    return n == 2 && *quota > 0 && *period > 0;
}

unsigned fsh_cpu_count(void)
{
    unsigned n = affinity_count();
    long long quota, period, limit;

    if (read_quota("/sys/fs/cgroup/cpu.max", NULL, &quota, &period) ||
        read_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                   "/sys/fs/cgroup/cpu/cpu.cfs_period_us", &quota, &period)) {
        limit = (quota + period - 1) / period;
        if (limit < (long long)n)
            n = (unsigned)limit;
    }
    return n ? n : 1;
}
