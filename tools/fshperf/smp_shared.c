/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets of cases of fshperf smp with shared processors although there are enough, as
 * on a busy host: both ranks on one processor, or each sharing its processor with a
 * program that never yields. The limit is the same calls with waits that are told in
 * advance, as in an oversubscribed job.
 */
#include "perf.h"
#include "smp.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/spin.h"

static smp_loop_fn loop;

/* As in an oversubscribed job. What waits have learned so far is restored
 * afterwards. */
static uint64_t told(struct smp_rank *r, unsigned n)
{
    unsigned most = atomic_load(&fsh_spin.most);
    unsigned polls = atomic_load(&fsh_spin.polls);

    atomic_store(&fsh_spin.most, FSH_SPINS_LEAST);
    atomic_store(&fsh_spin.polls, FSH_SPINS_LEAST);
    uint64_t ns = loop(r, n);
    atomic_store(&fsh_spin.most, most);
    atomic_store(&fsh_spin.polls, polls);
    return ns;
}

smp_loop_fn smp_told(smp_loop_fn of)
{
    loop = of;
    return told;
}

/* Waits between loops are in raw memory, and should yield. */
void smp_pin_together(struct smp_rank *r)
{
    cpu_set_t one;
    size_t cpu = 0;

    smp_unpin();
    if (sched_getaffinity(0, sizeof one, &one) != 0) {
        fsh_fatal("fshperf: sched_getaffinity: %s", strerror(errno));
    }
    while (!CPU_ISSET(cpu, &one)) {
        ++cpu;
    }
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) {
        fsh_fatal("fshperf: cannot bind a rank to processor %zu: %s", cpu,
                  strerror(errno));
    }
    r->crowded = true;
}

/* On the processor of this rank. */
pid_t smp_start_neighbour(struct smp_rank *r)
{
    pid_t parent = getpid(), pid = fork();

    if (pid < 0) {
        fsh_fatal("fshperf: cannot start a process: %s", strerror(errno));
    }
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (getppid() == parent) {}
        _exit(0);
    }
    r->crowded = true;
    return pid;
}

void smp_stop_neighbour(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
