/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The number of CPUs this process can effectively use. Containers limit CPU
 * time by quota rather than affinity; a runtime that sees 64 cores but may use
 * two wastes its quota spinning. Called during initialisation; any thread.
 */
#include "base/cpu.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cgroup.h"

static unsigned affinity_count(pid_t pid)
{
    cpu_set_t set;
    long online;

    if (sched_getaffinity(pid, sizeof(set), &set) == 0 ||
        sched_getaffinity(0, sizeof(set), &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (unsigned)online : 1;
}

/* Reads up to two numbers from a file; returns how many ("max" is not a
 * number). */
static int read_numbers(const char *dir, const char *name, long long *a,
                        long long *b)
{
    char path[4400];
    FILE *f;
    int n;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "re");
    if (!f)
        return 0;
    n = fscanf(f, "%lld %lld", a, b);
    fclose(f);
    return n > 0 ? n : 0;
}

static void look_at_quota(void *arg, const char *dir, bool v2)
{
    long long quota = 0, period = 0, limit, none;
    unsigned *cpus = arg;

    if (v2 && read_numbers(dir, "cpu.max", &quota, &period) != 2)
        return;
    if (!v2 && (read_numbers(dir, "cpu.cfs_quota_us", &quota, &none) < 1 ||
                read_numbers(dir, "cpu.cfs_period_us", &period, &none) < 1))
        return;
    if (quota <= 0 || period <= 0)
        return;
    limit = (quota + period - 1) / period;
    if (limit < (long long)*cpus)
        *cpus = (unsigned)limit;
}

unsigned fsh_cpu_count_of(pid_t pid)
{
    unsigned n = affinity_count(pid);

    fsh_cgroup_each("cpu", look_at_quota, &n);
    return n ? n : 1;
}

unsigned fsh_cpu_count(void)
{
    return fsh_cpu_count_of(0);
}
