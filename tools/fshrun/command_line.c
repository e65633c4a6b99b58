/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of fshrun. */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/option.h"
#include "fshrun.h"
#include "options.h"

/* ---- --help, around the table ---- */

static const char usage[] =
    "Usage: fshrun -n N [options] [--] program [arguments]\n"
    "       fshrun --replay FILE [--waves FILE.fst] [--sim-args \"..\"]\n"
    "Run N ranks of a GASNet program on this host, or over several.\n"
    "\n";

static const char more[] =
    "  -N N, -c N, -k, -spawner=NAME\n"
    "                        of other launchers of GASNet programs: accepted\n"
    "\n"
    "The program is looked for in PATH, then beside fshrun.\n"
    "Rank 0 inherits standard input. SIGUSR1 prints the state of all ranks\n"
    "and of the fabric.\n"
    "Exit code: the first other than 0 of a rank, which is named with its host;\n"
    "128+S if signal S killed one; 123 ranks went on long after others had\n"
    "returned from main; 124 time limit; 126, 127 program cannot be run, not\n"
    "found; 2 wrong use. fshinfo lists conduits and settings.\n";

/* ---- options that do more than keep a value ---- */

static struct command_line given; /* what has been read */
static bool wants_help, wants_version;

static bool take_ranks(const struct kit_option *row, const char *text,
                       char *err, size_t errlen)
{
    unsigned long n;
    char *end;

    (void)row;
    errno = 0;
    n = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno || n > INT_MAX) {
        snprintf(err, errlen,
                 "-n %s: expected the number of ranks, 1 to %d (conduit fpga: "
                 "%d)",
                 text, FSH_JOB_MAX_RANKS, FSH_MAX_NODES);
        return false;
    }
    given.ranks = (uint32_t)n;
    return true;
}

/* On how many hosts. */
static bool take_hosts(const struct kit_option *row, const char *text,
                       char *err, size_t errlen)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    (void)row;
    if (!isdigit((unsigned char)text[0]) || *end || n < 1) {
        snprintf(err, errlen, "-N %s: expected the number of hosts, which is 1",
                 text);
        return false;
    }
    if (n > 1 && !fsh_option_bool("GASNET_QUIET"))
        fsh_warn("-N %s: all ranks are started on this host", text);
    return true;
}

static bool take_timeout(const struct kit_option *row, const char *text,
                         char *err, size_t errlen)
{
    char *end;

    (void)row;
    given.timeout = strtod(text, &end);
    if (end != text && !*end && given.timeout > 0 && given.timeout <= 1e8)
        return true;
    snprintf(err, errlen,
             "--timeout %s: expected seconds, more than 0 and at most 1e8",
             text);
    return false;
}

/* VAR=value, or VAR to say that it is meant to be there. */
static bool take_variable(const struct kit_option *row, const char *text,
                          char *err, size_t errlen)
{
    const char *equals = strchr(text, '=');
    char *name;
    bool set;

    (void)row;
    if (!equals) {
        if (!getenv(text) && !fsh_option_bool("GASNET_QUIET"))
            fsh_warn("-x %s: not set here, so not in the ranks either", text);
        return true;
    }
    name = strndup(text, (size_t)(equals - text));
    set = name && setenv(name, equals + 1, 1) == 0;
    if (!set)
        snprintf(err, errlen, "-x %s: cannot be set: %s", text,
                 strerror(errno));
    free(name);
    return set;
}

/* An option of jobs without nodes, or with; the last is named if there are none. */
static bool take_for_shared(const struct kit_option *row, const char *value,
                            char *err, size_t errlen)
{
    (void)value;
    (void)err;
    (void)errlen;
    given.for_shared = row->name;
    return true;
}

static bool take_for_nodes(const struct kit_option *row, const char *value,
                           char *err, size_t errlen)
{
    (void)value;
    (void)err;
    (void)errlen;
    given.for_nodes = row->name;
    return true;
}

static bool take_topology(const struct kit_option *row, const char *value,
                          char *err, size_t errlen)
{
    given.topology = value;
    return take_for_nodes(row, value, err, errlen);
}

/* An option of fshsim: handed on, the last of a name. */
static bool take_for_simulator(const struct kit_option *row, const char *value,
                               char *err, size_t errlen)
{
    unsigned n = 0;

    while (given.sim_extra[n] && strcmp(given.sim_extra[n], row->name) != 0)
        n += 2;
    given.sim_extra[n] = row->name;
    given.sim_extra[n + 1] = value;
    return take_for_nodes(row, value, err, errlen);
}
_Static_assert(
    sizeof(given.sim_extra) / sizeof(given.sim_extra[0]) > 2 * 6,
    "room for --dump, --record, --replay, --waves with cycles and nodes, and "
    "the end");

static bool take_waves(const struct kit_option *row, const char *file,
                       char *err, size_t errlen)
{
    return fsh_arguments_waves(file, err, errlen) &&
           take_for_simulator(row, file, err, errlen);
}

static bool take_waves_cycles(const struct kit_option *row, const char *text,
                              char *err, size_t errlen)
{
    uint64_t from, to;

    return fsh_arguments_waves_cycles(text, &from, &to, err, errlen) &&
           take_for_simulator(row, text, err, errlen);
}

static bool take_waves_nodes(const struct kit_option *row, const char *text,
                             char *err, size_t errlen)
{
    uint64_t nodes;

    return fsh_arguments_waves_nodes(text, &nodes, err, errlen) &&
           take_for_simulator(row, text, err, errlen);
}

/* ---- the table ---- */

static const char *ignored;
static bool ignored_flag;

static const struct kit_option rows[] = {
    {"--np", "N", "number of ranks", .take = take_ranks,
     .flag = &given.ranks_given, .letter = 'n', .alias = "-np"},
    {"--conduit", "NAME",
     "smp (shared memory), ofi (network, by libfabric) or\n"
     "fpga (one FPGA node each, simulated where there is no\n"
     "card); default: what FSHMEM_CONDUIT or the program\n"
     "says, else smp",
     .setting = "FSHMEM_CONDUIT"},
    {"--cards", "N",
     "conduit mixed: the first N ranks have a card, the others\n"
     "none; or a list of ranks, which has a comma (1,3 or 2,)",
     .flag = &given.cards, .setting = "FSHMEM_CARDS"},
    {"--topology", "T",
     "fpga: how nodes are cabled: ring, line, mesh:AxB,\n"
     "torus:AxB, torus:AxBxC, hypercube, full, file:PATH",
     .take = take_topology, .setting = "FSHMEM_TOPOLOGY"},
    {"--clock", "C",
     "fpga: free, or simulated: ranks have clocks too, and\n"
     "a run takes the same cycles each time",
     .take = take_for_nodes, .setting = "FSHMEM_CLOCK"},
    {"--host-costs", "N", "with that: calls cost N times what they do (1)",
     .take = take_for_nodes, .setting = "FSHMEM_HOST_COSTS"},
    {"--bind-to", "WHAT",
     "processors of a rank: auto (a share of them, if nobody\n"
     "has bound fshrun and no other job is here), none,\n"
     "core, numa, or a share of a list such as 0-3,8",
     .setting = "FSHMEM_BIND", .flag = &given.bind_to},
    {"--host", "A[:N],B[:N]...",
     "over these hosts, N ranks on each: handed over to the\n"
     "best launcher of several hosts that is installed; so it\n"
     "is in an allocation of Slurm or PBS with several",
     .text = &given.hosts, .letter = 'H'},
    {"--hostfile", "FILE", "the same, a host a line: a, a:N or a slots=N",
     .text = &given.hostfile},
    {"--timeout", "S", "end the job after S seconds, with code 124",
     .take = take_timeout},
    {"--tag-output", .help = "put \"[rank] \" in front of every line",
     .flag = &given.tag_output},
    {NULL, "VAR[=VALUE]", "set a variable for the ranks", .take = take_variable,
     .letter = 'x'},
    {NULL, "VAR[,VAR...]", "variables the ranks get; they get all anyway",
     .letter = 'E'},
    {"--segment-max", "B", "smp: largest segment of a rank (K, M, G)",
     .take = take_for_shared, .setting = "FSHMEM_SEGMENT_MAX"},
    {"--dram", "B", "fpga: device memory of a node (K, M, G)",
     .take = take_for_nodes, .setting = "FSHMEM_DRAM"},
    {"--dram-write-cycles", "N", "fpga: write response of device memory (4)",
     .take = take_for_nodes, .setting = "FSHMEM_DRAM_WRITE_CYCLES"},
    {"--sim-threads", "N", "fpga: threads of the simulator; 0: as many as help",
     .take = take_for_nodes, .setting = "FSHMEM_SIM_THREADS"},
    {"--simulators", "N", "fpga: processes of the simulator, nodes shared out",
     .take = take_for_nodes, .setting = "FSHMEM_SIMULATORS"},
    {"--packet", "B", "fpga: payload bytes of a packet: 128, 256, 512, 1024",
     .take = take_for_nodes, .setting = "FSHMEM_PACKET"},
    {"--dump", "FILE",
     "fpga: append to FILE, too, what the fabric holds when a\n"
     "job is stuck or on SIGUSR1",
     .take = take_for_simulator},
    {"--record", "FILE", "fpga: record what hosts write, cycle by cycle",
     .take = take_for_simulator},
    {"--replay", "FILE", "run the simulator from such a recording, alone",
     .take = take_for_simulator, .flag = &given.replay},
    {"--waves", "FILE.fst", "fpga: write waveforms ...", .take = take_waves},
    {"--waves-cycles", "FROM:TO", "... of these cycles only (FROM: or :TO)",
     .take = take_waves_cycles},
    {"--waves-nodes", "LIST", "... of these nodes only (0,2-3)",
     .take = take_waves_nodes},
    {"--trace", "FILE",
     "write what ranks and nodes do, and when, for\n"
     "Perfetto and fshtrace",
     .text = &given.trace},
    {"--report", "FILE.html",
     "write a page of the run: where its time went, who\n"
     "talked to whom, what stands out",
     .text = &given.report},
    {"--sim-args", "\"...\"", "fpga: further arguments of the simulator",
     .take = take_for_nodes, .setting = "FSHMEM_SIM_ARGS"},
    {"--verbose", .help = "say what is started and how it ends",
     .flag = &given.verbose, .letter = 'v'},
    {"--quiet",
     .help = "do not say how a rank has ended that ends the job, nor "
             "where a long run is",
     .flag = &given.quiet, .letter = 'q'},
    {"--show", .help = "print what would be run, and do not run it",
     .flag = &given.show, .letter = 't'},
    {"--help", .help = "print this", .flag = &wants_help, .ends = true,
     .letter = 'h'},
    {"--version", .help = "print the version", .flag = &wants_version,
     .ends = true},
    /* Of other launchers: hosts, processes a host, files to keep, ssh or the like. */
    {NULL, "N", .take = take_hosts, .letter = 'N'},
    {NULL, "N", .text = &ignored, .letter = 'c'},
    {NULL, .flag = &ignored_flag, .letter = 'k'},
    {"--spawner", "NAME", .text = &ignored, .letter = 's'},
};

static const struct kit_options options = {
    .tool = "fshrun",
    .rows = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .rest = true,
};

/* ---- */

static _Noreturn void wrong_use(void)
{
    fputs("Try 'fshrun --help'.\n", stderr);
    exit(RUN_USAGE);
}

/* What is asked for besides a job. */
static void answer_and_exit(void)
{
    if (wants_help) {
        fputs(usage, stdout);
        kit_options_print(stdout, &options, 2, 24);
        fputs(more, stdout);
    } else {
        puts("fshrun (FSHMEM) " FSH_VERSION);
    }
    exit(0);
}

static void check_given(char **rest)
{
    if (given.replay && (given.ranks_given || rest[0]))
        fsh_warn("--replay takes neither -n nor a program: the recording "
                 "holds all that the hosts wrote");
    else if (given.replay && (given.trace || given.report))
        fsh_warn("--replay takes no --trace or --report: there are no ranks");
    else if (!given.replay && !given.ranks_given)
        fsh_warn("the number of ranks is missing: -n N");
    else if (!given.replay && !rest[0])
        fsh_warn("no program was named");
    else
        return;
    wrong_use();
}

void parse_command_line(struct command_line *cl, int argc, char **argv)
{
    char err[PATH_MAX + 640];

    if (!kit_options_try(&options, argc, argv, err, sizeof(err))) {
        fsh_warn("%s", err);
        wrong_use();
    }
    if (wants_help || wants_version)
        answer_and_exit();
    check_given(argv + optind);
    given.program = argv + optind;
    if (!given.replay)
        snprintf(given.conduit, sizeof(given.conduit), "%s",
                 fsh_option_str("FSHMEM_CONDUIT"));
    *cl = given;
}
