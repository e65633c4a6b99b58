/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshrun: start a GASNet program as a job of N ranks on this host, on shared
 * memory or on a fabric of FPGA nodes. This file: the command line, the checks
 * that need no job, and --show.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/option.h"
#include "conduit/conduit.h"
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
        if (option == OPT_SEGMENT)
            cl->for_shared = simple[i].name;
        else if (option != OPT_CONDUIT)
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

static void list_conduits(void)
{
    char why[512];

    for (const struct fsh_conduit_ops *const *c = fsh_conduits; *c; c++) {
        why[0] = '\0';
        if ((*c)->usable(why, sizeof(why)))
            fsh_warn("  %s: usable", (*c)->name);
        else
            fsh_warn("  %s: not usable: %s", (*c)->name, why);
    }
}

/* The first conduit whose ranks have nodes, or have none; NULL if there is none. */
static const struct fsh_conduit_ops *find_by_nodes(bool nodes)
{
    const struct fsh_conduit_ops *const *c = fsh_conduits;

    while (*c && (*c)->needs->nodes != nodes)
        c++;
    return *c;
}

/* An option that would have no effect is a mistake; a setting in the
 * environment may be there for other jobs. */
static int check_options(const struct command_line *cl)
{
    bool nodes = cl->needs->nodes;
    const char *option = nodes ? cl->for_shared : cl->for_nodes;
    const struct fsh_conduit_ops *other = find_by_nodes(!nodes);

    if (!option)
        return 0;
    fsh_warn("%s is for conduit %s, but this job is for %s (--conduit, "
             "FSHMEM_CONDUIT, or what the program was built for)",
             option, other ? other->name : "(none here)", cl->conduit);
    return RUN_USAGE;
}

/* Returns 0 or an exit code. */
static int check_conduit(struct command_line *cl, const char *path)
{
    const struct fsh_conduit_ops *conduit;
    uint32_t max;
    char why[512] = "";

    if (!cl->conduit[0])
        read_default_conduit(path, cl->conduit, sizeof(cl->conduit));
    if (!cl->conduit[0])
        snprintf(cl->conduit, sizeof(cl->conduit), "smp");
    conduit = fsh_conduit_find(cl->conduit);
    if (!conduit) {
        fsh_warn("unknown conduit '%s'; there are:", cl->conduit);
        list_conduits();
        return RUN_USAGE;
    }
    cl->needs = conduit->needs;
    max = cl->needs->max_ranks;
    if (cl->ranks < 1 || cl->ranks > max) {
        fsh_warn("-n %" PRIu32 ": conduit %s takes 1 to %" PRIu32 " ranks",
                 cl->ranks, cl->conduit, max);
        return RUN_USAGE;
    }
    if (!conduit->usable(why, sizeof(why))) {
        fsh_warn("conduit %s cannot be used here: %s", cl->conduit, why);
        return 1;
    }
    return 0;
}

/* Settings of the simulator, then what the command line adds. The caller frees
 * the list. */
static const char **add_sim_args(struct fsh_job_config *config,
                                 const struct command_line *cl)
{
    size_t n = 0, extra = 0;
    const char **args;

    while (config->sim_args && config->sim_args[n])
        n++;
    while (cl->sim_extra[extra])
        extra++;
    args = calloc(n + extra + 1, sizeof(*args));
    if (!args)
        fsh_fatal("out of memory");
    for (size_t i = 0; i < n; i++)
        args[i] = config->sim_args[i];
    for (size_t i = 0; i < extra; i++)
        args[n + i] = cl->sim_extra[i];
    config->sim_args = args;
    return args;
}

/* No ranks and no job: become the simulator. */
static int replay(const struct command_line *cl)
{
    const struct fsh_conduit_ops *conduit = find_by_nodes(true);
    struct fsh_job_config config;
    char path[PATH_MAX], err[800];
    const char **args, **argv;
    size_t n = 0;

    if (!conduit) {
        fsh_warn("--replay: no conduit here has a simulator");
        return 1;
    }
    if (fsh_job_find_sim(path, sizeof(path), err, sizeof(err)) != 0) {
        fsh_warn("%s", err);
        return 1;
    }
    fsh_job_config_init(&config, 1, conduit->needs);
    args = add_sim_args(&config, cl);
    while (args[n])
        n++;
    argv = calloc(n + 2, sizeof(*argv));
    if (!argv)
        fsh_fatal("out of memory");
    argv[0] = path;
    memcpy(argv + 1, args, n * sizeof(*args));
    execv(path, (char *const *)(uintptr_t)argv);
    fsh_warn("cannot run '%s': %s", path, strerror(errno));
    free(argv);
    free(args);
    return RUN_CANNOT_EXECUTE;
}

/* One word as a shell reads it. */
static void print_word(const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./:=,@%";

    putchar(' ');
    if (word[0] && strspn(word, safe) == strlen(word)) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
}

static void print_setting(void *arg, const struct fsh_option_info *info)
{
    (void)arg;
    if (strcmp(info->source, "default") != 0) {
        fputs("setting: ", stdout);
        printf("%s=%s\n", info->name, info->value);
    }
}

static int show(const struct command_line *cl, const char *path,
                const struct fsh_job_config *config)
{
    char sim[PATH_MAX], err[800];

    printf("job: %" PRIu32 " ranks, conduit %s", cl->ranks, cl->conduit);
    if (cl->needs->nodes)
        printf(", topology %s, device memory %zu bytes a node",
               config->topology, config->dram_bytes);
    putchar('\n');
    fsh_option_each(print_setting, NULL);
    if (cl->needs->nodes) {
        if (fsh_job_find_sim(sim, sizeof(sim), err, sizeof(err)) != 0) {
            fsh_warn("%s", err);
            return 1;
        }
        fputs("simulator:", stdout);
        print_word(sim);
        for (const char *const *a = config->sim_args; *a; a++)
            print_word(*a);
        putchar('\n');
    }
    for (uint32_t r = 0; r < cl->ranks; r++) {
        printf("rank %" PRIu32 ":", r);
        print_word(path);
        for (char **a = cl->program + 1; *a; a++)
            print_word(*a);
        if (r)
            fputs(" </dev/null", stdout);
        putchar('\n');
    }
    return 0;
}

static int start_job(struct run *run, const struct fsh_job_config *config)
{
    struct fsh_launch *l = &run->launch;
    char err[800];
    int code;

    fsh_launch_signals_save(&l->before);
    sigemptyset(&l->before.mask); /* a parent's slip, not for the ranks */
    fsh_launch_guard();
    fsh_launch_raise_limits(config->ranks);
    if (fsh_job_create(&l->job, config, err, sizeof(err)) != 0) {
        fsh_warn("%s", err);
        return 1;
    }
    if (run->cl->tag_output) {
        run->output = output_new(config->ranks);
        if (!run->output)
            fsh_fatal("--tag-output: %s; raise the limit on descriptors with "
                      "ulimit -n",
                      strerror(errno));
    }
    if (add_hooks(run) != 0)
        return 1;
    code = fsh_launch_start(l);
    if (code == FSH_LAUNCH_RANK)
        become_rank(run);
    code = fsh_launch_run(l, code);
    if (run->output)
        output_free(run->output);
    fsh_job_destroy(&l->job);
    return code;
}

int main(int argc, char **argv)
{
    struct command_line cl;
    struct fsh_job_config config;
    struct run run = {.cl = &cl};
    const char **sim_args;
    char path[PATH_MAX];
    int code;

    fsh_log_program("fshrun");
    parse_command_line(&cl, argc, argv);
    fsh_option_check();
    if (cl.replay)
        return replay(&cl);
    code = find_program(cl.program[0], path, sizeof(path));
    if (code == 0)
        code = check_conduit(&cl, path);
    if (code == 0)
        code = check_options(&cl);
    if (code != 0)
        return code;
    fsh_job_config_init(&config, cl.ranks, cl.needs);
    /* What the ranks will read: better refused here, once. */
    fsh_option_str("FSHMEM_PACKET");
    fsh_option_str("FSHMEM_PORTS");
    fsh_option_seconds("FSHMEM_WATCHDOG");
    fsh_option_seconds("GASNET_EXITTIMEOUT");
    sim_args = add_sim_args(&config, &cl);
    run.path = path;
    run.launch.verbose = cl.verbose;
    run.launch.quiet = cl.quiet;
    run.launch.timeout = cl.timeout;
    code = cl.show ? show(&cl, path, &config) : start_job(&run, &config);
    free(sim_args);
    return code;
}
