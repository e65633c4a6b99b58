/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf limits: two ranks of conduit smp, and child processes where more are
 * needed, on their shared memory. The library sets up the job and the mapping
 * and is not used afterwards. Medians of rounds as in fshperf smp.
 */
#include "perf.h"
#include "smp.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"

#define LARGEST ((size_t)4 << 20)

static void print(const struct smp_rank *r, const char *what,
                  const char *access, unsigned ranks,
                  const struct smp_result *result)
{
    double us = result->value / 1e3;

    if (r->rank != 0) {
        return;
    }
    printf("%-34s%7u%9zu%9s%12.4f", what, ranks, r->bytes, access, us);
    if (r->bytes > 0) {
        printf("%10.2f", (double)r->bytes / result->value);
    } else {
        printf("%10s", "-");
    }
    printf("%10u%10u\n", result->samples, result->disturbed);
    fflush(stdout);
}

static void pair(struct smp_rank *r, const char *what, smp_loop_fn loop,
                 bool alone, const struct smp_effort *effort)
{
    struct smp_result result = smp_measure(r, loop, NULL, alone, effort);

    print(r, what, loop == smp_raw_copies ? smp_access_name(r->access) : "-", 2,
          &result);
}

static void sizes(struct smp_rank *r, const struct smp_effort *effort)
{
    static const size_t message[] = {8, 4 << 10, 64 << 10};
    static const size_t copy[] = {8,        64,       512,     4 << 10,
                                  16 << 10, 64 << 10, 1 << 20, LARGEST};

    for (size_t i = 0; i < sizeof message / sizeof message[0]; ++i) {
        r->bytes = message[i];
        for (r->access = SMP_NEVER; r->access <= SMP_LINES; ++r->access) {
            pair(r, "round trip by copying", smp_raw_copies, false, effort);
        }
    }
    for (size_t i = 0; i < sizeof copy / sizeof copy[0]; ++i) {
        r->bytes = copy[i];
        pair(r, "memcpy to the peer's segment", smp_raw_put, true, effort);
        pair(r, "memcpy from the peer's segment", smp_raw_get, true, effort);
    }
}

/* ---- barriers of more processes than the job has ---- */

static void child(struct smp_rank *r, const struct smp_effort *effort)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    smp_measure(r, smp_raw_barrier, NULL, false, effort);
    _exit(0);
}

static void reap(const pid_t *children, unsigned n)
{
    for (unsigned i = 0; i < n; ++i) {
        int status = 0;

        if (waitpid(children[i], &status, 0) < 0 || status != 0) {
            fsh_fatal("limits: a process of the barrier failed");
        }
    }
}

static void yield_barrier(unsigned ranks, const struct smp_effort *effort)
{
    struct smp_area *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct smp_rank r = {.ranks = ranks,
                         .party = ranks,
                         .crowded = ranks > smp_processors(),
                         .all = shared,
                         .mine = shared,
                         .peer = shared};
    pid_t children[SMP_MAX_RANKS];

    if (shared == MAP_FAILED) {
        fsh_fatal("limits: no memory: %s", strerror(errno));
    }
    fflush(NULL);
    for (r.rank = 1; r.rank < ranks; ++r.rank) {
        children[r.rank - 1] = fork();
        if (children[r.rank - 1] < 0) {
            fsh_fatal("limits: cannot start a process: %s", strerror(errno));
        }
        if (children[r.rank - 1] == 0) {
            child(&r, effort);
        }
    }
    r.rank = 0;
    struct smp_result result =
        smp_measure(&r, smp_raw_barrier, NULL, false, effort);
    reap(children, ranks - 1);
    print(&r, "barrier, a counter, sched_yield", "-", ranks, &result);
    munmap(shared, sizeof *shared);
}

static void print_header(bool pinned)
{
    printf("# FSHMEM %s: limits of shared memory between processes\n",
           FSH_VERSION);
    printf("# Clock: wall. %u processors; two ranks are %s; medians of rounds "
           "that no\n"
           "# other process disturbed. Access as in fshperf smp.\n",
           smp_processors(), pinned ? "pinned" : "not pinned");
    printf("%-34s%7s%9s%9s%12s%10s%10s%10s\n", "# What", "Ranks", "Bytes",
           "Access", "us", "GB/s", "Rounds", "left out");
}

static bool quick; /* --quick */

static int measure(int argc, char **argv)
{
    perf_read_options(&perf_limits, argc, argv);
    struct smp_effort effort = smp_effort(quick);
    struct smp_rank *r = smp_join(&smp_ops_seq, &argc, &argv, LARGEST, 2);
    if (r->rank == 0) {
        print_header(smp_pinned(r));
    }
    if (r->rank < r->party) {
        pair(r, "round trip of a cache line", smp_raw_line, false, &effort);
        pair(r, "round trip over a one-line ring", smp_raw_ring, false,
             &effort);
        pair(r, "flood of a ring, a message", smp_raw_flood, false, &effort);
        pair(r, "barrier, a flag each way", smp_raw_flags, false, &effort);
        pair(r, "barrier, a counter", smp_raw_barrier, false, &effort);
        sizes(r, &effort);
    }
    if (r->rank == 0) {
        r->bytes = 0;
        smp_unpin();
        for (unsigned ranks = 4; ranks <= 16; ranks *= 2) {
            yield_barrier(ranks, &effort);
        }
    }
    smp_ops_seq.barrier();
    smp_ops_seq.leave(0);
    return 0;
}

static const struct kit_option options[] = {
    {"--quick", .help = "fewer and shorter measurements", .flag = &quick},
};

const struct perf_command perf_limits = {
    .name = "limits",
    .help = "limits of shared memory between processes: two ranks of conduit\n"
            "smp, without the library (wall clock)",
    .raw = measure,
    .options = options,
    .count = sizeof options / sizeof options[0],
    .alone = true,
};
