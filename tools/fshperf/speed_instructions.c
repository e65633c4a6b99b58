/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf sim-speed --instructions: instructions per node-cycle of the simulator,
 * counted by valgrind's callgrind, which is independent of other load on the machine.
 * It runs two jobs, in simulated time, that differ only in how much their nodes send,
 * so that start-up and shutdown cancel out. The simulator is located as jobs do, and
 * valgrind is passed to them in its place; the count comes back through an in-memory
 * file, so nothing is left behind.
 */
#include "perf.h"
#include "speed.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "boot/job.h"

#define TIME_LIMIT 600u /* seconds per job */
#define FEW "2"         /* commands sent by each node */
#define MANY "8"
#define LOG_BYTES 65536u

struct count {
    double evaluated, instructions;
};

static void hear(void *arg, const char *line)
{
    struct count *count = arg;

    (void)sscanf(line, SPEED_EVALUATED " %lf", &count->evaluated);
}

static void set(const char *name, const char *value)
{
    if (setenv(name, value, 1) != 0) {
        fsh_fatal("sim-speed: no memory for %s", name);
    }
}

/* Makes later jobs run their simulator under callgrind, single-threaded and with
 * default settings; its output goes to the descriptor. */
static void prepare(int log)
{
    char valgrind[PATH_MAX], sim[PATH_MAX], text[PATH_MAX + 160], err[512];

    if (fsh_path_find("valgrind", valgrind, sizeof valgrind) != 0) {
        fsh_fatal("sim-speed --instructions needs valgrind, which is not in "
                  "PATH (Debian: apt-get install valgrind)");
    }
    if (fsh_job_find_sim(sim, sizeof(sim), err, sizeof(err)) != 0) {
        fsh_fatal("sim-speed --instructions: %s", err);
    }
    if (strpbrk(sim, " \t\n")) {
        fsh_fatal("sim-speed --instructions: the path of the simulator has "
                  "blanks: %s",
                  sim);
    }
    unsetenv("FSHMEM_SIM_THREADS"); /* they would precede the program */
    unsetenv("FSHMEM_DRAM_WRITE_CYCLES");
    unsetenv("FSHMEM_COMPUTE");
    snprintf(text, sizeof(text),
             "--tool=callgrind --callgrind-out-file=/dev/null "
             "--log-file=/proc/%d/fd/%d -- %s --threads 1",
             (int)getpid(), log, sim);
    set("FSHMEM_SIM", valgrind);
    set("FSHMEM_SIM_ARGS", text);
}

/* The count written by the last job; 0: none. */
static double read_count(int log)
{
    static char text[LOG_BYTES + 1];
    ssize_t n = pread(log, text, LOG_BYTES, 0);
    const char *found;

    text[n > 0 ? n : 0] = '\0';
    found = strstr(text, "Collected : ");
    return found ? strtod(found + strlen("Collected : "), NULL) : 0;
}

static struct count run_job(int log, const char *commands)
{
    const char *const arguments[] = {"sim-speed", "--commands", commands, NULL};
    struct count count = {0};
    const struct perf_job job = {.ranks = SPEED_COUNTED_NODES,
                                 .conduit = "fpga",
                                 .costs = "0",
                                 .time_limit = TIME_LIMIT,
                                 .arguments = arguments,
                                 .hear = hear,
                                 .arg = &count};
    int code;

    perf_progress("fshperf: counting instructions ...", false);
    if (ftruncate(log, 0) != 0) {
        fsh_fatal("sim-speed: a file in memory: %s", strerror(errno));
    }
    code = perf_run_job(&job);
    count.instructions = read_count(log);
    if (code != 0 || count.evaluated <= 0 || count.instructions <= 0) {
        fsh_fatal("sim-speed: the job under callgrind failed, see above");
    }
    return count;
}

double speed_instructions(void)
{
    struct count few, many;

    perf_refuse_job("sim-speed --instructions");
    int log = memfd_create("callgrind", MFD_CLOEXEC);
    if (log < 0) {
        fsh_fatal("sim-speed: no file in memory: %s", strerror(errno));
    }
    prepare(log);
    few = run_job(log, FEW);
    many = run_job(log, MANY);
    perf_progress("", true);
    close(log);
    double each = (many.instructions - few.instructions) /
                  (many.evaluated - few.evaluated);
    printf("# Instructions of the simulator a node-cycle, by callgrind: %u "
           "nodes, one thread,\n# every node sending and receiving; of %.0f "
           "node-cycles.\n%-44s%20.1f\n",
           SPEED_COUNTED_NODES, many.evaluated - few.evaluated,
           "Instructions per node-cycle", each);
    return each;
}
