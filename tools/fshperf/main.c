/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf: a GASNet program; see perf.h. Reads the command, joins the job,
 * attaches a segment large enough for every measurement, runs the command; the
 * case studies (study.h) join by themselves.
 */
#include "perf.h"

#include <string.h>

#include "boot/boot.h"

#define SEGMENT_BYTES (4 * PERF_MAX_BYTES)

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    bool alone; /* is no rank, or joins its job itself */
} commands[] = {
    {"paper", perf_paper, false},        {"sim-speed", perf_sim_speed, false},
    {"am-rtt", perf_am_rtt, false},      {"case-study", perf_case_study, true},
    {"case-node", perf_case_node, true}, /* case-study's, not for users */
    {"limits", perf_limits, true},       {"smp", perf_smp, true},
    {"smp-node", perf_smp_node, true}, /* smp's */
};

static const char help[] =
    "usage: fshrun -n 2 --conduit fpga fshperf COMMAND [OPTION...]\n"
    "       fshperf case-study [OPTION...]\n"
    "       fshperf smp [OPTION...]\n"
    "\n"
    "  paper       section IV of the FSHMEM paper from the hardware counters:\n"
    "              bandwidth and latency of PUT and GET (simulated clock)\n"
    "    --json FILE       results as an array of objects\n"
    "    --csv FILE        results as comma-separated values\n"
    "    --brief           leave out the tables of every size\n"
    "    --quick           packets of 1024 B only\n"
    "    --strict          exit 1 if a target is missed\n"
    "    --link-cycles N   link delay to take out of latencies (30)\n"
    "  sim-speed   node-cycles per second of the simulator (wall clock)\n"
    "    --put             every node sends to its neighbour (default)\n"
    "    --compute         every node's core multiplies matrices\n"
    "  am-rtt      wall time of an active message round trip, any conduit\n"
    "  case-study  matrix product and convolution on 1 to 8 nodes, section V of\n"
    "              the paper; starts its jobs itself (simulated clock)\n"
    "    --json FILE, --csv FILE, --strict    as above\n"
    "    --quick           matmul 256 and 512 on one and two nodes only\n"
    "    --verbose         where the cycles of each node went\n"
    "    --algorithm WAY   matmul on two nodes: partial, pass-on (auto)\n"
    "  limits      what processes can do with memory they share: two ranks of\n"
    "              conduit smp, the library not used (wall clock)\n"
    "    --quick           fewer and shorter measurements\n"
    "  smp         conduit smp, each figure taken in turns with its limit;\n"
    "              starts its jobs itself (wall clock)\n"
    "    --json FILE, --strict    as above\n"
    "    --mode MODE       seq, par or both (both)\n"
    "    --only TEST       this test only, am_short_rtt for instance\n"
    "    --quick           fewer sizes, shorter measurements\n"
    "\n"
    "  --help, --version\n"
    "Plots of the CSV files: plot.sh and plot-study.sh beside the source of\n"
    "fshperf, or make bench.\n";

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    return NULL;
}

static bool wants(int argc, char **argv, const char *option)
{
    return argc > 1 && strcmp(argv[1], option) == 0;
}

int main(int argc, char **argv)
{
    if (wants(argc, argv, "--help")) {
        fputs(help, stdout);
        return 0;
    }
    if (wants(argc, argv, "--version")) {
        printf("fshperf %s\n", FSH_VERSION);
        return 0;
    }
    const struct command *command = argc > 1 ? find(argv[1]) : NULL;
    if (!command) {
        fprintf(stderr,
                "fshperf: %s%s; commands: paper, sim-speed, am-rtt, "
                "case-study, limits, smp (fshperf --help)\n",
                argc > 1 ? "unknown command " : "no command given",
                argc > 1 ? argv[1] : "");
        return 2;
    }
    if (command->alone) {
        return command->run(argc - 1, argv + 1);
    }
    gasnet_handlerentry_t entries[2];
    perf_am_entries(entries);
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(entries, 2, SEGMENT_BYTES, 0) != GASNET_OK) {
        fprintf(stderr, "fshperf: gasnet_init or gasnet_attach failed\n");
        return 1;
    }
    /* gasnet_exit ends the job, so nobody leaves before all are through. */
    int code = command->run(argc - 1, argv + 1);
    static int codes[FSH_JOB_MAX_RANKS];
    fsh_boot_exchange(&code, sizeof(code), codes);
    for (uint32_t i = 0; i < fsh_boot_size(); ++i) {
        code = codes[i] > code ? codes[i] : code;
    }
    gasnet_exit(code);
    return code;
}
