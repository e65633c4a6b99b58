/* SPDX-License-Identifier: BSD-3-Clause */
/* See numa.h. Two system calls, made directly to avoid depending on libnuma. */
#include "base/numa.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/mempolicy.h>

#include "base/cpu_list.h"

enum { NODES_MOST = 1024, WORD_BITS = 8 * sizeof(unsigned long) };

/* Removes the processors of a list from a set. */
static void take_out(cpu_set_t *set, const char *list)
{
    unsigned first, last;

    while (fsh_cpu_list_next(&list, &first, &last))
        for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
            CPU_CLR(cpu, set);
}

int fsh_numa_home(void)
{
    char path[80], list[4096] = "";
    unsigned node;
    cpu_set_t mine;
    FILE *f;

    if (sched_getaffinity(0, sizeof(mine), &mine) != 0 ||
        getcpu(NULL, &node) != 0 || node >= NODES_MOST)
        return -1;
    snprintf(path, sizeof(path), "/sys/devices/system/node/node%u/cpulist",
             node);
    f = fopen(path, "re");
    if (!f)
        return -1;
    if (fgets(list, sizeof(list), f))
        list[strcspn(list, "\n")] = '\0';
    fclose(f);
    take_out(&mine, list);
    return CPU_COUNT(&mine) == 0 ? (int)node : -1;
}

/* Whether the user has set a memory policy, for instance by numactl(8). True if
 * unknown. */
static bool has_policy(void)
{
    int mode = MPOL_DEFAULT;

    return syscall(SYS_get_mempolicy, &mode, NULL, 0UL, NULL, 0UL) != 0 ||
           mode != MPOL_DEFAULT;
}

void fsh_numa_prefer_home(void *start, size_t bytes, size_t page)
{
    unsigned long nodes[NODES_MOST / WORD_BITS + 1] = {0};
    uintptr_t from = ((uintptr_t)start + page - 1) & ~(page - 1);
    uintptr_t to = ((uintptr_t)start + bytes) & ~(page - 1);
    int home = fsh_numa_home();

    if (home < 0 || from >= to || has_policy())
        return;
    nodes[(unsigned)home / WORD_BITS] = 1UL << ((unsigned)home % WORD_BITS);
    /* Preferred rather than bound: a full node must not end the job. */
    syscall(SYS_mbind, from, to - from, MPOL_PREFERRED, nodes,
            (unsigned long)NODES_MOST + 1, 0UL);
}
