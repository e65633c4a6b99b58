/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf: a GASNet program; see perf.h. Reads the command, joins the job,
 * attaches a segment large enough for every measurement, runs the command; the
 * case studies (study.h) join by themselves.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "boot/boot.h"

#define SEGMENT_BYTES (4 * PERF_MAX_BYTES)

static const struct perf_command *const commands[] = {
    &perf_paper,  &perf_sim_speed, &perf_am_rtt,    &perf_case_study,
    &perf_limits, &perf_smp,       &perf_case_node, &perf_smp_node,
};

static const struct perf_command *find(const char *name)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static void print_help(void)
{
    fputs("usage: fshrun -n 2 --conduit fpga fshperf COMMAND [OPTION...]\n"
          "       fshperf case-study [OPTION...]\n"
          "       fshperf smp [OPTION...]\n\n",
          stdout);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        if (commands[i]->help) {
            perf_print_help(stdout, commands[i]);
        }
    }
    fputs("\n"
          "  --help, --version\n"
          "Plots of the CSV files: plot.sh and plot-study.sh beside the source "
          "of\nfshperf, or make bench.\n",
          stdout);
}

static _Noreturn void refuse(const char *name)
{
    fprintf(stderr, "fshperf: %s%s; commands:",
            name ? "unknown command " : "no command given", name ? name : "");
    for (size_t i = 0, n = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        if (commands[i]->help) {
            fprintf(stderr, "%s %s", n++ ? "," : "", commands[i]->name);
        }
    }
    fputs(" (fshperf --help)\n", stderr);
    exit(2);
}

static int run(const struct perf_command *command, int argc, char **argv)
{
    if (command->raw) {
        return command->raw(argc, argv);
    }
    perf_read_options(command, argc, argv);
    return command->run();
}

static bool wants(int argc, char **argv, const char *option)
{
    return argc > 1 && strcmp(argv[1], option) == 0;
}

int main(int argc, char **argv)
{
    if (wants(argc, argv, "--help")) {
        print_help();
        return 0;
    }
    if (wants(argc, argv, "--version")) {
        printf("fshperf %s\n", FSH_VERSION);
        return 0;
    }
    const struct perf_command *command = argc > 1 ? find(argv[1]) : NULL;
    if (!command) {
        refuse(argc > 1 ? argv[1] : NULL);
    }
    if (wants(argc - 1, argv + 1, "--help")) {
        perf_print_help(stdout, command);
        return 0;
    }
    if (command->alone) {
        return run(command, argc - 1, argv + 1);
    }
    gasnet_handlerentry_t entries[2];
    perf_am_entries(entries);
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(entries, 2, SEGMENT_BYTES, 0) != GASNET_OK) {
        fprintf(stderr, "fshperf: gasnet_init or gasnet_attach failed\n");
        return 1;
    }
    /* gasnet_exit ends the job, so nobody leaves before all are through. */
    int code = run(command, argc - 1, argv + 1);
    static int codes[FSH_JOB_MAX_RANKS];
    fsh_boot_exchange(&code, sizeof(code), codes);
    for (uint32_t i = 0; i < fsh_boot_size(); ++i) {
        code = codes[i] > code ? codes[i] : code;
    }
    gasnet_exit(code);
    return code;
}
