/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of fshrun. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arguments.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/option.h"
#include "fshrun.h"

static const char usage[] =
    "Usage: fshrun -n N [options] [--] program [arguments]\n"
    "       fshrun --replay FILE [--waves FILE.fst] [--sim-args \"..\"]\n"
    "Run N ranks of a GASNet program on this host.\n"
    "\n"
    "  -n, -np, --np N       number of ranks\n"
    "      --conduit NAME    smp (shared memory) or fpga (one FPGA node each,\n"
    "                        simulated where there is no card); default: what\n"
    "                        FSHMEM_CONDUIT or the program says, else smp\n"
    "      --topology T      fpga: ring or line\n"
    "      --bind-to WHAT    processors of a rank: auto (a share of them, if nobody\n"
    "                        has bound fshrun and no other job is here), none,\n"
    "                        core, numa, or a share of a list such as 0-3,8\n"
    "      --timeout S       end the job after S seconds, with code 124\n"
    "      --tag-output      put \"[rank] \" in front of every line\n"
    "  -x VAR[=VALUE]        set a variable for the ranks\n"
    "  -E VAR[,VAR...]       variables the ranks get; they get all anyway\n"
    "      --segment-max B   smp: largest segment of a rank (K, M, G)\n"
    "      --dram B          fpga: device memory of a node (K, M, G)\n"
    "      --dram-write-cycles N\n"
    "                        fpga: write response of device memory (4)\n"
    "      --packet B        fpga: payload bytes of a packet: 128, 256, 512, 1024\n"
    "      --record FILE     fpga: record what hosts write, cycle by cycle\n"
    "      --replay FILE     run the simulator from such a recording, alone\n"
    "      --waves FILE.fst  fpga: write waveforms\n"
    "      --sim-args \"...\"  fpga: further arguments of the simulator\n"
    "  -v, --verbose         say what is started and how it ends\n"
    "  -q, --quiet           do not say how a rank has ended that ends the job\n"
    "  -t, --show            print what would be run, and do not run it\n"
    "  -h, --help            print this\n"
    "      --version         print the version\n"
    "  -N N, -c N, -k, -spawner=NAME\n"
    "                        of other launchers of GASNet programs: accepted; a\n"
    "                        job has one host\n"
    "\n"
    "The program is looked for in PATH, then beside fshrun.\n"
    "Rank 0 inherits standard input. SIGUSR1 prints the state of all ranks.\n"
    "Exit code: the first other than 0 of a rank, which is named with its host;\n"
    "128+S if signal S killed one; 123 ranks went on long after others had\n"
    "returned from main; 124 time limit; 126, 127 program cannot be run, not\n"
    "found; 2 wrong use. fshinfo lists conduits and settings.\n";

enum {
    OPT_CONDUIT = 256,
    OPT_BIND,
    OPT_TOPOLOGY,
    OPT_TIMEOUT,
    OPT_TAG,
    OPT_SEGMENT,
    OPT_DRAM,
    OPT_DRAM_WRITE,
    OPT_PACKET,
    OPT_RECORD,
    OPT_REPLAY,
    OPT_WAVES,
    OPT_SIM_ARGS,
    OPT_VERSION
};

static const struct option long_options[] = {
    {"np", required_argument, NULL, 'n'},
    {"conduit", required_argument, NULL, OPT_CONDUIT},
    {"topology", required_argument, NULL, OPT_TOPOLOGY},
    {"bind-to", required_argument, NULL, OPT_BIND},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"tag-output", no_argument, NULL, OPT_TAG},
    {"segment-max", required_argument, NULL, OPT_SEGMENT},
    {"dram", required_argument, NULL, OPT_DRAM},
    {"dram-write-cycles", required_argument, NULL, OPT_DRAM_WRITE},
    {"packet", required_argument, NULL, OPT_PACKET},
    {"record", required_argument, NULL, OPT_RECORD},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"waves", required_argument, NULL, OPT_WAVES},
    {"sim-args", required_argument, NULL, OPT_SIM_ARGS},
    {"spawner", required_argument, NULL, 's'},
    {"verbose", no_argument, NULL, 'v'},
    {"quiet", no_argument, NULL, 'q'},
    {"show", no_argument, NULL, 't'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
};

static _Noreturn void wrong_use(void)
{
    fputs("Try 'fshrun --help'.\n", stderr);
    exit(RUN_USAGE);
}

static void set_ranks(struct command_line *cl, const char *text)
{
    unsigned long n;
    char *end;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno || n > INT_MAX) {
        fsh_warn("-n %s: expected the number of ranks, 1 to %d (conduit fpga: "
                 "%d)",
                 text, FSH_JOB_MAX_RANKS, FSH_MAX_NODES);
        wrong_use();
    }
    cl->ranks = (uint32_t)n;
    cl->ranks_given = true;
}

/* -N: on how many hosts. */
static void check_hosts(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (!isdigit((unsigned char)text[0]) || *end || n < 1) {
        fsh_warn("-N %s: expected the number of hosts, which is 1", text);
        wrong_use();
    }
    if (n > 1 && !fsh_option_bool("GASNET_QUIET"))
        fsh_warn("-N %s: all ranks are started on this host", text);
}

static void set_timeout(struct command_line *cl, const char *text)
{
    char *end;

    cl->timeout = strtod(text, &end);
    if (end == text || *end || !(cl->timeout > 0) || cl->timeout > 1e8) {
        fsh_warn("--timeout %s: expected seconds, more than 0", text);
        wrong_use();
    }
}

/* -x VAR=value, or -x VAR to say that VAR is meant to be there. */
static void set_variable(const char *text)
{
    const char *equals = strchr(text, '=');
    char *name;

    if (!equals) {
        if (!getenv(text) && !fsh_option_bool("GASNET_QUIET"))
            fsh_warn("-x %s: not set here, so not in the ranks either", text);
        return;
    }
    name = strndup(text, (size_t)(equals - text));
    if (!name || setenv(name, equals + 1, 1) != 0) {
        fsh_warn("-x %s: cannot be set: %s", text, strerror(errno));
        wrong_use();
    }
    free(name);
}

static void add_sim_option(struct command_line *cl, const char *option,
                           const char *value)
{
    unsigned n = 0;

    while (cl->sim_extra[n])
        n++;
    if (n + 2 >= sizeof(cl->sim_extra) / sizeof(cl->sim_extra[0])) {
        fsh_warn("%s: given too often", option);
        wrong_use();
    }
    cl->sim_extra[n] = option;
    cl->sim_extra[n + 1] = value;
}

static void check_waves(const char *file)
{
    char err[PATH_MAX + 200];

    if (!fsh_arguments_waves(file, err, sizeof(err))) {
        fsh_warn("%s", err);
        wrong_use();
    }
}

/* Options that only pass a value on. */
static bool set_simple(struct command_line *cl, int option, const char *value)
{
    static const struct {
        int option;
        const char *name, *variable; /* without a variable: the simulator's */
    } simple[] = {
        {OPT_CONDUIT, "--conduit", "FSHMEM_CONDUIT"},
        {OPT_BIND, "--bind-to", "FSHMEM_BIND"},
        {OPT_SEGMENT, "--segment-max", "FSHMEM_SEGMENT_MAX"},
        {OPT_TOPOLOGY, "--topology", "FSHMEM_TOPOLOGY"},
        {OPT_DRAM, "--dram", "FSHMEM_DRAM"},
        {OPT_DRAM_WRITE, "--dram-write-cycles", "FSHMEM_DRAM_WRITE_CYCLES"},
        {OPT_PACKET, "--packet", "FSHMEM_PACKET"},
        {OPT_SIM_ARGS, "--sim-args", "FSHMEM_SIM_ARGS"},
        {OPT_RECORD, "--record", NULL},
        {OPT_WAVES, "--waves", NULL},
    };

    for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++) {
        if (simple[i].option != option)
            continue;
        if (option == OPT_WAVES)
            check_waves(value);
        if (option == OPT_BIND)
            cl->bind_to = true;
        if (option == OPT_SEGMENT)
            cl->for_shared = simple[i].name;
        else if (option != OPT_CONDUIT && option != OPT_BIND)
            cl->for_nodes = simple[i].name;
        if (simple[i].variable) {
            if (!fsh_option_typed(simple[i].variable, simple[i].name, value))
                wrong_use();
        } else {
            add_sim_option(cl, simple[i].name, value);
        }
        return true;
    }
    return false;
}

static void set_option(struct command_line *cl, int option, char **argv)
{
    switch (option) {
    case 'n':
        /* -np N is read as -n with the value "p". */
        if (strcmp(optarg, "p") == 0 && argv[optind])
            optarg = argv[optind++];
        set_ranks(cl, optarg);
        break;
    case 'x':
        set_variable(optarg);
        break;
    case 'N':
        check_hosts(optarg);
        break;
    case 'E': /* the ranks inherit all */
    case 'c': /* processes on each host: there is one */
    case 'k': /* no file is made that could be kept */
    case 's': /* -spawner=NAME: there is one */
        break;
    case 'v':
        cl->verbose = true;
        break;
    case 'q':
        cl->quiet = true;
        break;
    case OPT_TIMEOUT:
        set_timeout(cl, optarg);
        break;
    case OPT_TAG:
        cl->tag_output = true;
        break;
    case OPT_REPLAY:
        add_sim_option(cl, "--replay", optarg);
        cl->replay = true;
        break;
    case 't':
        cl->show = true;
        break;
    case 'h':
        fputs(usage, stdout);
        exit(0);
    case OPT_VERSION:
        puts("fshrun (FSHMEM) " FSH_VERSION);
        exit(0);
    default:
        if (!set_simple(cl, option, optarg))
            wrong_use(); /* which has been said */
    }
}

void parse_command_line(struct command_line *cl, int argc, char **argv)
{
    int option;

    memset(cl, 0, sizeof(*cl));
    while ((option = fsh_arguments_next("fshrun", argc, argv,
                                        "+:n:x:vqN:E:c:kts:h", long_options)) !=
           -1)
        set_option(cl, option, argv);
    if (cl->replay) {
        if (cl->ranks_given || argv[optind]) {
            fsh_warn("--replay takes neither -n nor a program: the recording "
                     "holds all that the hosts wrote");
            wrong_use();
        }
        return;
    }
    if (!cl->ranks_given) {
        fsh_warn("the number of ranks is missing: -n N");
        wrong_use();
    }
    if (!argv[optind]) {
        fsh_warn("no program was named");
        wrong_use();
    }
    cl->program = argv + optind;
    snprintf(cl->conduit, sizeof(cl->conduit), "%s",
             fsh_option_str("FSHMEM_CONDUIT"));
}
