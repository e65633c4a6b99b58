/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf: a GASNet program; see perf.h. Reads the command, joins the job,
 * attaches a segment large enough for every measurement, runs the command.
 */
#include "perf.h"

#include <string.h>

#include "boot/boot.h"

#define SEGMENT_BYTES (4 * PERF_MAX_BYTES)

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"paper", perf_paper},
    {"sim-speed", perf_sim_speed},
    {"am-rtt", perf_am_rtt},
};

static const char help[] =
    "usage: fshrun -n 2 --conduit fpga fshperf COMMAND [OPTION...]\n"
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
    "  am-rtt      wall time of an active message round trip, any conduit\n"
    "\n"
    "  --help, --version\n"
    "Plots of the CSV file: plot.sh beside fshperf's source, or make bench.\n";

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
                "fshperf: %s%s; commands: paper, sim-speed, am-rtt "
                "(fshperf --help)\n",
                argc > 1 ? "unknown command " : "no command given",
                argc > 1 ? argv[1] : "");
        return 2;
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
