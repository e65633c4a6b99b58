/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshrun: start a GASNet program as a job of N ranks on this host, on shared
 * memory or on a fabric of FPGA nodes. This file: the checks that need no job, and
 * --show.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/option.h"
#include "conduit/conduit.h"
#include "fshrun.h"

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

    if (!option || cl->needs->mixed)
        return 0;
    fsh_warn("%s is for conduit %s, but this job is for %s (--conduit, "
             "FSHMEM_CONDUIT, or what the program was built for)",
             option, other ? other->name : "(none here)", cl->conduit);
    return RUN_USAGE;
}

/* By the option that was typed; a setting is refused by fsh_job_config_init. */
static int check_nodes(const struct command_line *cl)
{
    struct fsh_topology topology;
    uint32_t nodes = cl->ranks;
    uint64_t cards;
    char err[800];

    if (cl->cards && !cl->needs->mixed) {
        fsh_warn("--cards is for conduit mixed, but this job is for %s "
                 "(--conduit, FSHMEM_CONDUIT); leave one of them out",
                 cl->conduit);
        return RUN_USAGE;
    }
    if (cl->needs->mixed) {
        if (!fsh_job_cards(cl->ranks, &cards, err, sizeof(err))) {
            fsh_warn("%s%s: %s", cl->cards ? "--cards " : "FSHMEM_CARDS=",
                     fsh_option_str("FSHMEM_CARDS"), err);
            return RUN_USAGE;
        }
        nodes = (uint32_t)__builtin_popcountll(cards);
    }
    if (!cl->topology || fsh_job_topology(&topology, nodes, err, sizeof(err)))
        return 0;
    fsh_warn("--topology %s: %s", cl->topology, err);
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

/* Not on a conduit of one host that was asked for; it refuses hosts that are named. */
static bool may_be_over_hosts(const struct command_line *cl, int *code)
{
    const struct fsh_conduit_ops *conduit = fsh_conduit_find(cl->conduit);

    if (!conduit || conduit->needs->spreads)
        return true;
    if (cl->hosts || cl->hostfile) {
        fsh_warn("%s: conduit %s runs on one host; leave it out, or take ofi",
                 cl->hosts ? "--host" : "--hostfile", cl->conduit);
        *code = RUN_USAGE;
    }
    return false;
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
    config = (struct fsh_job_config){.sim_args = fsh_job_sim_args()};
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

static void show_ranks(const struct command_line *cl, const char *path)
{
    for (uint32_t r = 0; r < cl->ranks; r++) {
        printf("rank %" PRIu32 ":", r);
        print_word(path);
        for (char **a = cl->program + 1; *a; a++)
            print_word(*a);
        if (r)
            fputs(" </dev/null", stdout);
        putchar('\n');
    }
}

static void print_line(const char *line)
{
    puts(line);
}

/* Behind the name of the topology. */
static const char *topology_source(void)
{
    return fsh_option_given("FSHMEM_TOPOLOGY") ? "" : " (default)";
}

static void print_cards(const struct fsh_job_config *config)
{
    uint64_t left = config->cards;

    fputs(", cards of ranks", stdout);
    for (; left != 0; left &= left - 1)
        printf(" %d", __builtin_ctzll(left));
}

static int show(const struct command_line *cl, const char *path,
                const struct fsh_job_config *config,
                const struct place_shares *shares)
{
    char sim[PATH_MAX], err[800];

    printf("job: %" PRIu32 " ranks, conduit %s", cl->ranks, cl->conduit);
    if (cl->needs->mixed)
        print_cards(config);
    if (cl->needs->nodes)
        printf(", topology %s%s, device memory %zu bytes a node",
               config->topology.name, topology_source(), config->dram_bytes);
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
    tell_shares(shares, print_line);
    show_ranks(cl, path);
    return 0;
}

/* Choose the ranks' processors, and print instead of starting. */
static int dry_run(struct run *run, const struct fsh_job_config *config)
{
    int code;

    fsh_launch_announce(&run->launch);
    code = choose_shares(run);
    return code ? code : show(run->cl, run->path, config, &run->shares);
}

static void say_line(const char *line)
{
    fsh_warn("%s", line);
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
    fsh_launch_announce(l);
    code = choose_shares(run);
    if (code != 0)
        return code;
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
    if (!l->quiet)
        run->status = status_new(&l->job);
    if (run->report)
        report_count(run->report, &l->job);
    if (config->traced) {
        run->trace = trace_new(
            run->report ? report_trace(run->report) : run->cl->trace, &l->job);
        if (!run->trace)
            return 1;
    }
    if (add_hooks(run) != 0)
        return 1;
    if (l->verbose)
        tell_shares(&run->shares, say_line);
    if (l->verbose && config->needs->nodes)
        fsh_warn("%" PRIu32 " nodes, topology %s%s", config->nodes,
                 config->topology.name, topology_source());
    code = fsh_launch_start(l);
    if (code == FSH_LAUNCH_RANK)
        become_rank(run);
    code = fsh_launch_run(l, code);
    if (run->output)
        output_free(run->output);
    if (run->status)
        status_free(run->status);
    if (run->trace) {
        if (!trace_end(run->trace) && code == 0)
            code = 1;
        trace_free(run->trace);
    }
    if (run->report) {
        if (!report_write(run->report, run->cl->program, code) && code == 0)
            code = 1;
        report_free(run->report);
    }
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
    if (!cl.conduit[0] && cl.cards) {
        snprintf(cl.conduit, sizeof(cl.conduit), "mixed");
        setenv("FSHMEM_CONDUIT", cl.conduit, 1); /* for another launcher */
    }
    code = find_program(cl.program[0], path, sizeof(path));
    if (code == 0 && may_be_over_hosts(&cl, &code) &&
        run_over_hosts(&cl, path, &code))
        return code;
    if (code == 0)
        code = check_conduit(&cl, path);
    if (code == 0)
        code = check_options(&cl);
    if (code == 0)
        code = check_nodes(&cl);
    if (code != 0)
        return code;
    fsh_job_config_init(&config, cl.ranks, cl.needs);
    /* What the ranks will read: better refused here, once. */
    fsh_option_str("FSHMEM_PACKET");
    fsh_option_str("FSHMEM_PORTS");
    fsh_option_seconds("FSHMEM_WATCHDOG");
    fsh_option_seconds("GASNET_EXITTIMEOUT");
    sim_args = add_sim_args(&config, &cl);
    config.traced = cl.trace || cl.report;
    if (cl.report && !cl.show) {
        run.report = report_new(cl.report, cl.trace);
        if (!run.report)
            return 1;
    }
    run.path = path;
    run.launch.verbose = cl.verbose;
    run.launch.quiet = cl.quiet;
    run.launch.timeout = cl.timeout;
    code = cl.show ? dry_run(&run, &config) : start_job(&run, &config);
    place_shares_free(&run.shares);
    free(sim_args);
    return code;
}
