/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshsim: the simulated FPGA nodes of a job, or the replay of a recording.
 * Started by whoever makes the job (src/boot), with the job's descriptors in
 * the environment; by hand only for --replay, --help and --version. SIGTERM
 * ends it in order (recordings and waves are completed).
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/arguments.h"
#include "base/cpu.h"
#include "base/log.h"
#include "fabric.h"
#include "serve.h"

#ifndef FSH_VERSION
#define FSH_VERSION "0.1.0"
#endif

struct options {
    struct fsh_fabric_config config;
    bool hash, stats;
};

static struct fsh_serve *serving; /* for the signal handler */

static const char usage[] =
    "usage: fshsim [option]...\n"
    "Simulates the FPGA nodes of a job; fshrun starts it (its options are given\n"
    "in FSHMEM_SIM_ARGS). By hand it replays a recording.\n"
    "\n"
    "  --record FILE            write a recording of the run\n"
    "  --replay FILE            feed a recording instead of a job, print its\n"
    "                           hash\n"
    "  --hash                   print a hash of all writes of the nodes at the\n"
    "                           end\n"
    "  --waves FILE.fst         write the signals of all nodes\n"
    "  --stats                  print cycles and speed at the end\n"
    "  --seed N                 initial values of registers without reset [1]\n"
    "  --stall SEED             random back-pressure on every handshake\n"
    "  --no-jump                evaluate every node in every cycle\n"
    "  --compute, --no-compute  a compute core in each node, or none\n"
    "  --link-cycles N          link, one way [30]\n"
    "  --dram-cycles N          device memory, address to first data [40]\n"
    "  --dram-write-cycles N    device memory, last data to response [4]\n"
    "  --dram-bytes-cycle N     device memory, bytes a cycle in all [307]\n"
    "  --pcie-cycles N          PCIe, one way [125]\n"
    "  --pcie-bytes-cycle N     PCIe, bytes a cycle each way [48]\n"
    "  --help                   print this\n"
    "  --version                print the version\n"
    "Cycles are those of the nodes' clock, 250 MHz: 4 ns.\n";

enum {
    OPT_RECORD = 256,
    OPT_REPLAY,
    OPT_HASH,
    OPT_WAVES,
    OPT_STATS,
    OPT_SEED,
    OPT_STALL,
    OPT_NO_JUMP,
    OPT_COMPUTE,
    OPT_NO_COMPUTE,
    OPT_LINK,
    OPT_DRAM,
    OPT_DRAM_WRITE,
    OPT_DRAM_BYTES,
    OPT_PCIE,
    OPT_PCIE_BYTES,
    OPT_HELP,
    OPT_VERSION
};

static const struct option longopts[] = {
    {"record", required_argument, NULL, OPT_RECORD},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"hash", no_argument, NULL, OPT_HASH},
    {"waves", required_argument, NULL, OPT_WAVES},
    {"stats", no_argument, NULL, OPT_STATS},
    {"seed", required_argument, NULL, OPT_SEED},
    {"stall", required_argument, NULL, OPT_STALL},
    {"no-jump", no_argument, NULL, OPT_NO_JUMP},
    {"compute", no_argument, NULL, OPT_COMPUTE},
    {"no-compute", no_argument, NULL, OPT_NO_COMPUTE},
    {"link-cycles", required_argument, NULL, OPT_LINK},
    {"dram-cycles", required_argument, NULL, OPT_DRAM},
    {"dram-write-cycles", required_argument, NULL, OPT_DRAM_WRITE},
    {"dram-bytes-cycle", required_argument, NULL, OPT_DRAM_BYTES},
    {"pcie-cycles", required_argument, NULL, OPT_PCIE},
    {"pcie-bytes-cycle", required_argument, NULL, OPT_PCIE_BYTES},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {0},
};

static bool number(const char *text, uint64_t max, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *text != '-' &&
           *value <= max;
}

/* The member that a numeric option sets. */
static uint32_t *small_number(struct fsh_fabric_config *c, int opt)
{
    switch (opt) {
    case OPT_LINK:
        return &c->link_cycles;
    case OPT_DRAM:
        return &c->dram_cycles;
    case OPT_DRAM_WRITE:
        return &c->dram_write_cycles;
    case OPT_DRAM_BYTES:
        return &c->dram_bytes_cycle;
    case OPT_PCIE:
        return &c->pcie_cycles;
    case OPT_PCIE_BYTES:
        return &c->pcie_bytes_cycle;
    default:
        return NULL;
    }
}

static bool set_number(struct fsh_fabric_config *c, int opt, const char *text)
{
    uint32_t *small = small_number(c, opt);
    uint64_t value;

    if (!number(text, small ? UINT32_MAX : UINT64_MAX, &value))
        return false;
    if (small)
        *small = (uint32_t)value;
    else if (opt == OPT_SEED)
        c->seed = value;
    else
        c->stall_seed = value;
    c->stall = c->stall || opt == OPT_STALL;
    return true;
}

static const char *name_of(int opt)
{
    const struct option *o = longopts;

    while (o->val != opt)
        o++;
    return o->name;
}

/* Returns 0, or 1 and a message; exits for --help and --version. */
static int parse(int argc, char **argv, struct options *o, char *err,
                 size_t errlen)
{
    int opt;

    fsh_fabric_defaults(&o->config);
    o->config.compute = true;
    while ((opt = fsh_arguments_read("fshsim", argc, argv, "+:", longopts, err,
                                     errlen)) != -1) {
        switch (opt) {
        case OPT_RECORD:
            o->config.record = optarg;
            break;
        case OPT_REPLAY:
            o->config.replay = optarg;
            break;
        case OPT_WAVES:
            if (!fsh_arguments_waves(optarg, err, errlen))
                return 1;
            o->config.waves = optarg;
            break;
        case OPT_HASH:
            o->hash = true;
            break;
        case OPT_STATS:
            o->stats = true;
            break;
        case OPT_NO_JUMP:
            o->config.jump = false;
            break;
        case OPT_COMPUTE:
        case OPT_NO_COMPUTE:
            o->config.compute = opt == OPT_COMPUTE;
            break;
        case OPT_HELP:
            fputs(usage, stdout);
            exit(0);
        case OPT_VERSION:
            puts("fshsim (FSHMEM) " FSH_VERSION);
            exit(0);
        case '?':
        case ':':
            return 1;
        default:
            if (set_number(&o->config, opt, optarg))
                break;
            snprintf(err, errlen, "--%s %s: not a number", name_of(opt),
                     optarg);
            return 1;
        }
    }
    if (optind < argc) {
        snprintf(err, errlen,
                 "argument %s is not understood (see fshsim "
                 "--help)",
                 argv[optind]);
        return 1;
    }
    if (o->config.record && o->config.replay) {
        snprintf(err, errlen, "--record and --replay exclude each other");
        return 1;
    }
    return 0;
}

static void report(const struct options *o, const struct fsh_fabric *fab,
                   uint64_t busy_ns)
{
    double seconds = (double)busy_ns / 1e9;
    uint64_t evaluated = fsh_fabric_evaluated(fab);

    if (o->stats)
        printf("fshsim: %u nodes, %llu cycles, %llu node-cycles evaluated, "
               "%llu of compute cores, %.3f s of CPU, %.0f node-cycles/s\n",
               fsh_fabric_nodes(fab), (unsigned long long)fsh_fabric_cycle(fab),
               (unsigned long long)evaluated,
               (unsigned long long)fsh_fabric_computed(fab), seconds,
               seconds > 0 ? (double)evaluated / seconds : 0.0);
    if (o->hash || o->config.replay)
        printf("fshsim: hash %016llx at cycle %llu\n",
               (unsigned long long)fsh_fabric_hash(fab),
               (unsigned long long)fsh_fabric_cycle(fab));
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
    while (fsh_fabric_step(fab))
        continue;
    broken = fsh_fabric_error(fab);
    if (broken)
        fsh_warn("%s", broken);
    report(o, fab, fsh_time_ns() - start);
    return fsh_fabric_destroy(fab) && !broken ? 0 : 1;
}

static void on_term(int sig)
{
    (void)sig;
    fsh_serve_stop(serving);
}

static void catch_term(void)
{
    struct sigaction sa = {.sa_handler = on_term};

    sigemptyset(&sa.sa_mask);
    sigaction(SIGTERM, &sa, NULL);
}

static int serve(const struct options *o, struct fsh_job *job)
{
    struct options own = *o;
    struct fsh_fabric *fab = NULL;
    char err[512];
    bool stopped, written;

    serving = fsh_serve_open(job, &own.config, err, sizeof err);
    if (serving)
        fab = fsh_fabric_create(&own.config, err, sizeof err);
    if (!fab) {
        fsh_job_sim_failed(job, err);
        return 1;
    }
    catch_term();
    fsh_serve_tell(serving, &own.config);
    fsh_job_sim_ready(job);
    stopped = fsh_serve_run(serving, fab);
    if (!stopped) {
        snprintf(err, sizeof err, "simulator: %s", fsh_fabric_error(fab));
        fsh_job_abort(job->page, job->abort_fd, 1, -1, err);
    }
    report(&own, fab, fsh_serve_busy_ns(serving));
    signal(SIGTERM, SIG_IGN);
    written = fsh_fabric_destroy(fab);
    if (!written)
        fsh_warn("could not write all of %s: %s", own.config.record,
                 strerror(errno));
    fsh_serve_close(serving);
    return stopped && written ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    struct fsh_job job;
    char err[512];
    bool in_job = getenv("FSHMEM_SIM_JOB") != NULL;

    fsh_log_program("fshsim");
    if (in_job && fsh_job_sim_attach(&job, err, sizeof err) != 0) {
        fsh_warn("%s", err);
        return 1;
    }
    if (parse(argc, argv, &options, err, sizeof err) != 0) {
        if (in_job)
            fsh_job_sim_failed(&job, err);
        else
            fsh_warn("%s", err);
        return 2;
    }
    if (options.config.replay && !in_job)
        return replay(&options);
    if (options.config.replay) {
        fsh_job_sim_failed(&job, "--replay runs without a job: fshsim "
                                 "--replay FILE");
        return 2;
    }
    if (!in_job) {
        fsh_warn("no job: fshsim is started by fshrun or by a program that "
                 "uses conduit fpga; by hand use --replay FILE or --help");
        return 2;
    }
    return serve(&options, &job);
}
