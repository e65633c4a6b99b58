/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshsim: the simulated FPGA nodes of a job, or the replay of a recording.
 * Started by the creator of the job (src/boot) with the job's descriptors in
 * the environment; by hand only for --replay, --help and --version. SIGTERM
 * shuts it down cleanly (recordings and waves are completed).
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/cpu.h"
#include "base/log.h"
#include "base/path.h"
#include "base/trace.h"
#include "fabric.h"
#include "node_wrap.h"
#include "options.h"
#include "processes.h"
#include "serve.h"

#ifndef FSH_VERSION
#define FSH_VERSION "0.1.0"
#endif

/* ---- the command line ---- */

struct options {
    struct fsh_fabric_config config;
    bool hash, stats, no_horizon, loses;
    uint32_t loser, processes;
    struct {
        uint32_t node;
        uint64_t at, bytes; /* 0: none */
    } bad;                  /* device memory, as the DMA engine finds it */
    struct fsh_partition partition;
    bool over_hosts; /* others are the simulators of other hosts */
    const char *dump;
};

/* What other processes get to end after this one: in order, or when one has failed. */
#define END_NS UINT64_C(15000000000)
#define LOST_NS UINT64_C(500000000)

static struct options given; /* what has been read */
static bool wants_help, wants_version;

static bool take_waves(const struct kit_option *row, const char *file,
                       char *err, size_t errlen)
{
    (void)row;
    return fsh_arguments_waves(file, err, errlen);
}

static bool take_waves_cycles(const struct kit_option *row, const char *text,
                              char *err, size_t errlen)
{
    (void)row;
    return fsh_arguments_waves_cycles(text, &given.config.waves_from,
                                      &given.config.waves_to, err, errlen);
}

static bool take_waves_nodes(const struct kit_option *row, const char *text,
                             char *err, size_t errlen)
{
    (void)row;
    return fsh_arguments_waves_nodes(text, &given.config.waves_nodes, err,
                                     errlen);
}

static bool take_dma_error(const struct kit_option *row, const char *text,
                           char *err, size_t errlen)
{
    unsigned long long at, bytes;
    unsigned node;
    int end = 0;

    if (sscanf(text, "%u:%llu:%llu%n", &node, &at, &bytes, &end) == 3 &&
        text[end] == '\0' && node < FSH_MAX_NODES && bytes != 0 &&
        at <= UINT32_MAX && bytes <= UINT32_MAX) {
        given.bad.node = node;
        given.bad.at = at;
        given.bad.bytes = bytes;
        return true;
    }
    snprintf(err, errlen,
             "%s %s: give a node (0 to %u), an offset in its segment and a "
             "number of bytes, such as 0:4096:64",
             row->name, text, FSH_MAX_NODES - 1);
    return false;
}

#define CYCLES(member) .number = &given.config.member, .most = UINT32_MAX

static const struct kit_option rows[] = {
    {"--record", "FILE", "write a recording of the run",
     .text = &given.config.record},
    {"--replay", "FILE", "feed a recording instead of a job, print its\nhash",
     .text = &given.config.replay},
    {"--hash", .help = "print a hash of all writes of the nodes at the\nend",
     .flag = &given.hash},
    {"--waves", "FILE.fst", "write the signals of all nodes",
     .take = take_waves, .text = &given.config.waves},
    {"--waves-cycles", "FROM:TO", "... of these cycles only (FROM: or :TO)",
     .take = take_waves_cycles},
    {"--waves-nodes", "LIST", "... of these nodes only (0,2-3)",
     .take = take_waves_nodes},
    {"--dump", "FILE", "append dumps of the fabric's state to this file, too",
     .text = &given.dump},
    {"--stats", .help = "print cycles and speed at the end",
     .flag = &given.stats},
    {"--threads", "N",
     "that step nodes, same cycles with any; 0: a thread\n"
     "with fewer than 8 nodes, else up to 4",
     .number = &given.config.threads, .most = FSH_MAX_NODES},
    {"--processes", "N", "that share out the nodes; same cycles with any",
     .number = &given.processes, .most = FSH_PROCESSES_MOST},
    {"--seed", "N",
     "initial values of registers without reset; 0: zero, so\n"
     "that what is not used takes no memory",
     .wide = &given.config.seed},
    {"--stall", "SEED", "random back-pressure on every handshake",
     .wide = &given.config.stall_seed, .flag = &given.config.stall},
    {"--no-jump", .help = "evaluate every node in every cycle",
     .unset = &given.config.jump},
    {"--no-horizon",
     .help = "simulated time of ranks: no step of a rank without\n"
             "the simulator (same cycles)",
     .flag = &given.no_horizon},
    {"--lose-credits", "NODE", "for tests: its host never learns of credits",
     .number = &given.loser, .most = FSH_MAX_NODES - 1, .flag = &given.loses},
    {"--dma-error", "NODE:AT:BYTES",
     "for tests: these bytes of its segment answer its DMA\n"
     "engine with an error",
     .take = take_dma_error},
    {"--compute", .help = "a compute core in each node (default)",
     .flag = &given.config.compute},
    {"--no-compute", .help = "none", .unset = &given.config.compute},
    {"--link-cycles", "N", "link, one way", CYCLES(link_cycles)},
    {"--dram-cycles", "N", "device memory, address to first data",
     CYCLES(dram_cycles)},
    {"--dram-write-cycles", "N", "device memory, last data to response",
     CYCLES(dram_write_cycles)},
    {"--dram-bytes-cycle", "N", "device memory, bytes a cycle in all",
     CYCLES(dram_bytes_cycle)},
    {"--pcie-cycles", "N", "PCIe, one way", CYCLES(pcie_cycles)},
    {"--pcie-bytes-cycle", "N", "PCIe, bytes a cycle each way",
     CYCLES(pcie_bytes_cycle)},
    {"--help", .help = "print this", .flag = &wants_help, .ends = true},
    {"--version", .help = "print the version", .flag = &wants_version,
     .ends = true},
};

static const struct kit_options table = {
    .tool = "fshsim",
    .rows = rows,
    .count = sizeof rows / sizeof rows[0],
};

/* Before anything was given; the help prints them, too. */
static void set_defaults(void)
{
    fsh_fabric_defaults(&given.config);
    given.config.seed = FSH_SIM_SEED;
    given.config.compute = true;
    given.config.threads = 0;
    given.processes = 1;
}

static void print_help(void)
{
    set_defaults();
    fputs(
        "usage: fshsim [option]...\n"
        "Simulates the FPGA nodes of a job; fshrun starts it (its options are "
        "given\n"
        "in FSHMEM_SIM_ARGS). By hand it replays a recording.\n"
        "\n",
        stdout);
    kit_options_print(stdout, &table, 2, 27);
    puts("Cycles are those of the nodes' clock, 250 MHz: 4 ns.");
}

/* Fills in `given`. False with a message; exits for --help and --version. */
static bool parse(int argc, char **argv, char *err, size_t errlen)
{
    set_defaults();
    if (!kit_options_try(&table, argc, argv, err, errlen))
        return false;
    if (wants_help) {
        print_help();
        exit(0);
    }
    if (wants_version) {
        puts("fshsim (FSHMEM) " FSH_VERSION);
        exit(0);
    }
    if (!given.config.waves &&
        (given.config.waves_from || given.config.waves_nodes ||
         given.config.waves_to != UINT64_MAX)) {
        snprintf(
            err, errlen,
            "--waves-cycles and --waves-nodes say of what --waves FILE.fst "
            "is: give that, too");
        return false;
    }
    if (given.config.record && given.bad.bytes != 0) {
        snprintf(err, errlen,
                 "--dma-error: not with --record, whose replay would have no "
                 "error; leave one of them out");
        return false;
    }
    if (!given.config.record || !given.config.replay)
        return true;
    snprintf(err, errlen,
             "--record and --replay exclude each other: give one of them");
    return false;
}

/* The fast model has no waves; the program beside this one that has them takes over, in the
 * same cycles. Returns only if it cannot be executed. */
static void hand_over(int argc, char **argv, char *err, size_t errlen)
{
    static char seed[] = "--seed", zero[] = "0"; /* unless another is given */
    char exe[PATH_MAX], path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char **words = calloc((size_t)argc + 3, sizeof *words);

    exe[n > 0 ? n : 0] = '\0';
    errno = ENOENT;
    if (words && fsh_path_beside(exe, "fshsim-checked", path, sizeof path)) {
        words[0] = path;
        words[1] = seed;
        words[2] = zero;
        memcpy(&words[3], &argv[1], (size_t)argc * sizeof *words);
        execv(path, words);
    }
    snprintf(err, errlen,
             "--waves: they are written by fshsim-checked, which cannot be "
             "executed beside %.200s (%s); make build and make install make it",
             exe, strerror(errno));
    free(words);
}

/* ---- what it is started for ---- */

static struct fsh_serve *serving; /* for the signal handler */

static void report_threads(const struct fsh_fabric *fab)
{
    struct fsh_fabric_stats stats;

    fsh_fabric_stats(fab, &stats);
    printf("fshsim: %u threads, %llu quanta, %llu of them shared; node-cycles "
           "evaluated by thread:",
           stats.threads, (unsigned long long)stats.quanta,
           (unsigned long long)stats.shared);
    for (uint32_t i = 0; i < stats.threads; i++)
        printf(" %llu", (unsigned long long)stats.evaluated[i]);
    printf("\nfshsim: %zu KB of memory a node before it was used, without its "
           "device memory and DMA window\n",
           stats.node_bytes / 1024);
}

static void report_hash(const struct fsh_fabric *fab)
{
    char of[32] = "";

    if (fsh_fabric_past(fab) - fsh_fabric_first(fab) != fsh_fabric_nodes(fab))
        snprintf(of, sizeof of, " of nodes %u to %u", fsh_fabric_first(fab),
                 fsh_fabric_past(fab) - 1);
    printf("fshsim: hash%s %016llx at cycle %llu\n", of,
           (unsigned long long)fsh_fabric_hash(fab),
           (unsigned long long)fsh_fabric_cycle(fab));
}

static void report(const struct options *o, const struct fsh_fabric *fab,
                   uint64_t busy_ns)
{
    double seconds = (double)busy_ns / 1e9;
    uint64_t evaluated = fsh_fabric_evaluated(fab);

    if (o->stats)
        printf("fshsim: %u nodes, %llu cycles, %llu node-cycles evaluated, "
               "%llu of compute cores, %.3f s of CPU, %.0f node-cycles/s\n",
               fsh_fabric_past(fab) - fsh_fabric_first(fab),
               (unsigned long long)fsh_fabric_cycle(fab),
               (unsigned long long)evaluated,
               (unsigned long long)fsh_fabric_computed(fab), seconds,
               seconds > 0 ? (double)evaluated / seconds : 0.0);
    if (o->stats)
        report_threads(fab);
    if (o->hash || o->config.replay)
        report_hash(fab);
    fflush(stdout);
}

static int replay(const struct options *o)
{
    char err[512];
    struct fsh_fabric *fab = fsh_fabric_create(&o->config, err, sizeof err);
    uint64_t start = fsh_time_ns();
    const char *broken;

    if (!fab) {
        fsh_warn("%s", err);
        return 1;
    }
    while (fsh_fabric_quantum(fab, UINT64_MAX))
        continue;
    broken = fsh_fabric_error(fab);
    if (broken)
        fsh_warn("%s", broken);
    report(o, fab, fsh_time_ns() - start);
    return fsh_fabric_destroy(fab) && !broken ? 0 : 1;
}

static void on_term(int sig)
{
    fsh_serve_stop(serving);
    fsh_processes_signal(sig);
}

static void on_usr1(int sig)
{
    fsh_serve_ask_dump(serving);
    fsh_processes_signal(sig);
}

static void catch_signals(void)
{
    struct sigaction sa = {.sa_handler = on_term};

    sigemptyset(&sa.sa_mask);
    sigaction(SIGTERM, &sa, NULL);
    sa.sa_handler = on_usr1;
    sigaction(SIGUSR1, &sa, NULL);
}

/* Another one may have said why before this one lost it. */
static int fail(struct fsh_job *job, const char *err)
{
    if (atomic_load(&job->page->sim_state) != 2)
        fsh_job_sim_failed(job, err);
    return 1;
}

/* The nodes of other hosts are their simulators'. */
static void take_cut(struct fsh_partition *p, const struct fsh_job *job)
{
    const struct fsh_job_cut *cut = &job->config.cut;

    p->index = cut->index;
    p->count = cut->hosts;
    memcpy(p->first, cut->first, sizeof p->first);
    memcpy(p->peer, job->peer_fd, sizeof p->peer);
}

/* Several processes share out the nodes: of several hosts, or if that was asked for. */
static bool share_out(struct options *o, const struct fsh_job *job, char *err,
                      size_t errlen)
{
    o->over_hosts = job->config.cut.hosts > 1;
    if (o->over_hosts && o->processes >= 2) {
        snprintf(err, errlen,
                 "--processes %u: not where several hosts have nodes, which "
                 "have one simulator each; leave out FSHMEM_SIMULATORS",
                 o->processes);
        return false;
    }
    if (o->over_hosts) {
        take_cut(&o->partition, job);
        o->config.partition = &o->partition;
        return true;
    }
    if (o->processes < 2)
        return true;
    if (fsh_trace_is_there()) {
        snprintf(err, errlen,
                 "--trace: not with several simulators; give it without "
                 "--simulators (FSHMEM_SIMULATORS)");
        return false;
    }
    if (!fsh_processes_start(&o->partition, o->processes, job->config.nodes,
                             err, errlen))
        return false;
    o->config.partition = &o->partition;
    return true;
}

/* The others are there, and as far. */
static bool meet_others(const struct options *o, struct fsh_fabric *fab,
                        char *err, size_t errlen)
{
    if (!o->config.partition)
        return true;
    fsh_fabric_run(fab, 1);
    snprintf(err, errlen, "%s",
             fsh_fabric_error(fab) ? fsh_fabric_error(fab) : "");
    return !fsh_fabric_error(fab);
}

static void spoil(const struct options *o, struct fsh_fabric *fab)
{
    if (o->bad.bytes != 0 && o->bad.node >= fsh_fabric_first(fab) &&
        o->bad.node < fsh_fabric_past(fab))
        fsh_fabric_spoil_memory(fab, o->bad.node, FSH_MEMORY_DMA_CARD,
                                o->bad.at, o->bad.bytes);
}

static int serve(const struct options *o, struct fsh_job *job)
{
    struct options own = *o;
    struct fsh_fabric *fab = NULL;
    char err[512];
    bool stopped, written, first;

    own.config.clocked = job->page->simulated_clock;
    if (!share_out(&own, job, err, sizeof err))
        return fail(job, err);
    first = own.over_hosts || own.partition.index == 0;
    serving = fsh_serve_open(job, &own.config, err, sizeof err);
    if (serving && own.over_hosts)
        fsh_serve_over_hosts(serving);
    if (serving)
        fab = fsh_fabric_create(&own.config, err, sizeof err);
    if (!fab)
        return fail(job, err);
    spoil(&own, fab);
    catch_signals();
    if (!meet_others(&own, fab, err, sizeof err))
        return fail(job, err);
    fsh_serve_tell(serving, &own.config);
    if (own.no_horizon)
        fsh_serve_no_horizon(serving);
    fsh_serve_dump_to(serving, own.dump);
    if (own.loses)
        fsh_serve_lose_credits(serving, own.loser);
    if (first)
        fsh_job_sim_ready(job);
    stopped = fsh_serve_run(serving, fab);
    if (!stopped) {
        if (fsh_serve_failure(serving))
            snprintf(err, sizeof err, "%s", fsh_serve_failure(serving));
        else
            snprintf(err, sizeof err, "simulator: %s", fsh_fabric_error(fab));
        fsh_job_abort(job->page, job->abort_fd, 1, -1, err);
    }
    report(&own, fab, fsh_serve_busy_ns(serving));
    signal(SIGTERM, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    fsh_fabric_part(fab);
    if (stopped && !own.config.record)
        fsh_serve_count(serving, fab);
    written = fsh_fabric_destroy(fab);
    if (!written)
        fsh_warn("could not write all of %s: %s", own.config.record,
                 strerror(errno));
    fsh_serve_close(serving);
    if (own.config.partition && first && !own.over_hosts &&
        !fsh_processes_end(&own.partition, stopped ? END_NS : LOST_NS))
        written = false;
    return stopped && written ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct fsh_job job;
    char err[512], why[512];
    bool in_job = getenv("FSHMEM_SIM_JOB") != NULL, parsed;

    fsh_log_program("fshsim");
    parsed = parse(argc, argv, err, sizeof err);
    /* With the job's descriptors as they were. */
    if (parsed && given.config.waves && !fsh_node_has_waves()) {
        hand_over(argc, argv, err, sizeof err);
        parsed = false;
    }
    if (in_job && fsh_job_sim_attach(&job, why, sizeof why) != 0) {
        fsh_warn("%s", why);
        return 1;
    }
    if (!parsed) {
        if (in_job)
            fsh_job_sim_failed(&job, err);
        else
            fsh_warn("%s", err);
        return 2;
    }
    if (given.config.replay && !in_job)
        return replay(&given);
    if (given.config.replay) {
        fsh_job_sim_failed(&job, "--replay runs without a job: fshsim "
                                 "--replay FILE");
        return 2;
    }
    if (!in_job) {
        fsh_warn("no job: fshsim is started by fshrun or by a program that "
                 "uses conduit fpga; by hand use --replay FILE or --help");
        return 2;
    }
    return serve(&given, &job);
}
