/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf: a GASNet program; see perf.h. Parses the command, joins the job,
 * attaches a segment large enough for every measurement and runs the command;
 * the case studies (study.h) join by themselves.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nearest.h"
#include "boot/boot.h"

#define SEGMENT_BYTES (4 * PERF_MAX_BYTES)

static const struct perf_command *const commands[] = {
    &perf_paper,       &perf_sim_speed,     &perf_sim_spin,  &perf_am_rtt,
    &perf_case_study,  &perf_limits,        &perf_smp,       &perf_host_costs,
    &perf_host_driven, &perf_case_node,     &perf_host_node, &perf_smp_node,
    &perf_fabric,      &perf_fabric_node,   &perf_coll,      &perf_coll_node,
    &perf_training,    &perf_training_node, &perf_net,       &perf_bridge,
    &perf_bridge_node,
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

/* A command's options in the kit's form; tool: room for their name. */
static struct kit_options options_of(const struct perf_command *command,
                                     char tool[64])
{
    snprintf(tool, 64, "fshperf %s", command->name);
    return (struct kit_options){.tool = tool,
                                .command = command->name,
                                .rows = command->options,
                                .count = command->count};
}

void perf_read_options(const struct perf_command *command, int argc,
                       char **argv)
{
    char tool[64];
    struct kit_options options = options_of(command, tool);

    kit_options_read(&options, argc, argv);
}

static void print_command(const struct perf_command *command)
{
    char tool[64];
    struct kit_options options = options_of(command, tool);

    printf("  %-11s ", command->name);
    kit_print_lines(stdout, 14, command->help);
    putchar('\n');
    kit_options_print(stdout, &options, 4, 22);
}

static void print_help(void)
{
    fputs("usage: fshrun -n 2 --conduit fpga fshperf COMMAND [OPTION...]\n"
          "       fshperf case-study [OPTION...]\n"
          "       fshperf sim-speed --json FILE | --instructions [OPTION...]\n"
          "       fshperf smp [OPTION...]\n"
          "       fshperf coll [OPTION...]\n"
          "       fshperf bridge [OPTION...]\n"
          "       fshrun -n 2 --conduit ofi fshperf net [OPTION...]\n\n",
          stdout);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        if (commands[i]->help) {
            print_command(commands[i]);
        }
    }
    fputs(
        "\n"
        "  -h, --help  print this; after a command, its options\n"
        "  --version   print the version\n"
        "\n"
        "To plot the CSV files use plot.sh, plot-study.sh and plot-fabric.sh in the\n"
        "source directory of fshperf, or make bench.\n",
        stdout);
}

/* No command of this name (NULL: none given). */
static _Noreturn void refuse(const char *name)
{
    struct fsh_nearest near;
    char names[256] = "";
    size_t used = 0;

    fsh_nearest_begin(&near, name ? name : "", 0);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); ++i) {
        if (commands[i]->help) {
            fsh_nearest_try(&near, commands[i]->name);
            used +=
                (size_t)snprintf(names + used, sizeof(names) - used, "%s %s",
                                 used ? "," : "", commands[i]->name);
        }
    }
    fsh_nearest_try(&near, "--help");
    fsh_nearest_try(&near, "--version");
    if (name && near.best) {
        fsh_fatal_code(2, "unknown command %s; did you mean %s?", name,
                       near.best);
    }
    fsh_fatal_code(2, "%s%s; commands:%s (fshperf --help)",
                   name ? "unknown command " : "no command given",
                   name ? name : "", names);
}

/* The first rank parses its command line before the others do, so that an error
 * is reported once. */
static int run_rank(const struct perf_command *command, int argc, char **argv)
{
    int rank = (int)fsh_boot_rank();

    if (command && command->raw) {
        return command->raw(argc, argv);
    }
    if (rank > 0) {
        fsh_boot_barrier("fshperf command line");
    }
    fsh_log_rank(-1);
    if (!command) {
        refuse(argv[0]);
    }
    perf_read_options(command, argc, argv);
    fsh_log_rank(rank);
    if (rank == 0) {
        fsh_boot_barrier("fshperf command line");
    }
    return command->run();
}

static int run_alone(const struct perf_command *command, int argc, char **argv)
{
    if (command->raw) {
        return command->raw(argc, argv);
    }
    perf_read_options(command, argc, argv);
    return command->run();
}

/* Whether it is not a rank, by its kind or by an option. */
static bool is_alone(const struct perf_command *command, int argc, char **argv)
{
    for (int i = 2; i < argc; ++i) {
        for (unsigned j = 0; j < 2; ++j) {
            const char *option = command->alone_with[j];

            if (option && strncmp(argv[i], option, strlen(option)) == 0) {
                return true;
            }
        }
    }
    return command->alone;
}

static bool wants(int argc, char **argv, const char *option)
{
    return argc > 1 && strcmp(argv[1], option) == 0;
}

int main(int argc, char **argv)
{
    fsh_log_program("fshperf");
    if (wants(argc, argv, "--help") || wants(argc, argv, "-h")) {
        print_help();
        return 0;
    }
    if (wants(argc, argv, "--version")) {
        printf("fshperf %s\n", FSH_VERSION);
        return 0;
    }
    const struct perf_command *command = argc > 1 ? find(argv[1]) : NULL;
    if (!command && !getenv("FSHMEM_JOB")) {
        refuse(argc > 1 ? argv[1] : NULL);
    }
    if (command && (wants(argc - 1, argv + 1, "--help") ||
                    wants(argc - 1, argv + 1, "-h"))) {
        print_command(command);
        return 0;
    }
    if (command && is_alone(command, argc, argv)) {
        return run_alone(command, argc - 1, argv + 1);
    }
    gasnet_handlerentry_t entries[3];
    perf_am_entries(entries);
    perf_spin_entry(&entries[2]);
    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(entries, 3, SEGMENT_BYTES, 0) != GASNET_OK) {
        fprintf(stderr, "fshperf: gasnet_init or gasnet_attach failed\n");
        return 1;
    }
    /* gasnet_exit ends the job, so nobody leaves before all are done. */
    int code = run_rank(command, argc - 1, argv + 1);
    static int codes[FSH_JOB_MAX_RANKS];
    fsh_boot_exchange(&code, sizeof(code), codes);
    for (uint32_t i = 0; i < fsh_boot_size(); ++i) {
        code = codes[i] > code ? codes[i] : code;
    }
    gasnet_exit(code);
    return code;
}
