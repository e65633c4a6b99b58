/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf paper: section IV of the FSHMEM paper on two nodes. Sweeps transfer
 * and packet sizes for PUT and GET, one transfer in flight and a queue, one
 * port and both, and reports. All ranks sweep; rank 0 records and prints.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "boot/boot.h"

/* A queue is limited to this many bytes, but has at least two commands. */
#define QUEUE_BYTES ((size_t)1 << 20)

static const char *const bw_name[] = {"put_bw", "get_bw"};
static const char *const lat_name[] = {"put_lat", "get_lat"};

static struct {
    const char *json, *csv, *report;
    bool brief, strict, quick;
} options;

static void progress(const char *text, bool last)
{
    if (fsh_boot_rank() == 0) {
        perf_progress(text, last);
    }
}

static unsigned queue_length(size_t bytes)
{
    size_t count = QUEUE_BYTES / bytes;
    return count < 2 ? 2 : count > PERF_QUEUE ? PERF_QUEUE : (unsigned)count;
}

static void record(struct perf_table *table, const struct perf_config *config,
                   const char *test, const char *mode, const char *to,
                   uint64_t cycles)
{
    perf_table_add(table, &(struct perf_row){
                              .test = test,
                              .mode = mode,
                              .to = to,
                              .ports = config->ports,
                              .packet = config->packet,
                              .bytes = config->bytes,
                              .count = config->count,
                              .cycles = cycles,
                              .dram_write = config->dram_write,
                          });
}

/* One point of a curve; single transfers also give the long latencies. */
static void point(struct perf_table *table, const struct perf_config *config)
{
    struct perf_sample sample = perf_measure(config);
    bool single = config->count == 1;
    record(table, config, bw_name[config->op], single ? "single" : "pipelined",
           "last_byte", sample.written);
    if (single) {
        const char *test = lat_name[config->op];
        record(table, config, test, "long", "header", sample.header);
        record(table, config, test, "long", "last_byte", sample.written);
    }
}

static void sweep(struct perf_table *table, enum perf_op op, bool single,
                  unsigned ports)
{
    char text[128];
    snprintf(text, sizeof(text), "fshperf: %s, %s, %u port%s ...",
             op == PERF_PUT ? "PUT" : "GET",
             single ? "one transfer in flight" : "pipelined", ports,
             ports > 1 ? "s" : "");
    progress(text, false);
    unsigned packets = options.quick ? PERF_PACKETS - 1 : 0;
    for (unsigned p = packets; p < PERF_PACKETS; ++p) {
        for (unsigned s = 0; s < PERF_SIZES; ++s) {
            size_t bytes = perf_size(s);
            struct perf_config config = {
                .op = op,
                .ports = ports,
                .packet = perf_packet(p),
                .bytes = bytes,
                .count = single ? 1 : queue_length(bytes),
            };
            point(table, &config);
        }
    }
}

static void short_latency(struct perf_table *table, enum perf_op op)
{
    struct perf_config config = {
        .op = op, .ports = 1, .packet = 1024, .bytes = 0, .count = 1};
    struct perf_sample sample = perf_measure(&config);
    record(table, &config, lat_name[op], "short", "header", sample.header);
    record(table, &config, lat_name[op], "short_doorbell", "header",
           sample.header + sample.accepted);
}

/* The smallest payload to its last byte: from the doorbell, and also with memory that
 * acknowledges a write only once it is stored. */
static void last_byte_latency(struct perf_table *table, enum perf_op op)
{
    const unsigned responses[] = {perf_assumed()->dram_write_cycles,
                                  PERF_DRAM_STORED};
    for (unsigned i = 0; i < 2; ++i) {
        struct perf_config config = {.op = op,
                                     .ports = 1,
                                     .packet = 1024,
                                     .bytes = 4,
                                     .count = 1,
                                     .dram_write = responses[i]};
        struct perf_sample sample = perf_measure(&config);
        record(table, &config, lat_name[op], "long_accepted", "last_byte",
               sample.written);
        record(table, &config, lat_name[op], "long_doorbell", "last_byte",
               sample.written + sample.accepted);
    }
}

static void sweep_all(struct perf_table *table, struct perf_reach reach[2])
{
    for (enum perf_op op = PERF_PUT; op <= PERF_GET; ++op) {
        short_latency(table, op);
        last_byte_latency(table, op);
    }
    for (unsigned ports = 1; ports <= 2 && perf_probe_ports(ports); ++ports) {
        for (int single = 1; single >= 0; --single) {
            for (enum perf_op op = PERF_PUT; op <= PERF_GET; ++op) {
                sweep(table, op, single, ports);
            }
        }
    }
    progress("fshperf: transfer size for 50 % and 95 % of peak ...", false);
    for (enum perf_op op = PERF_PUT; op <= PERF_GET; ++op) {
        const struct perf_row *peak = perf_find(
            table, bw_name[op], "single", "last_byte", 1, 1024, PERF_MAX_BYTES);
        reach[op] = perf_search_reach(op, peak->cycles);
    }
    progress("", true);
}

/* Rank 0. Returns the number of missed targets. */
static unsigned tell(const struct perf_results *results, uint64_t start)
{
    const struct perf_table *table = results->table;
    unsigned short_falls;

    perf_print_header("section IV of the FSHMEM paper");
    if (!options.brief) {
        perf_print_curves(table);
    }
    perf_print_summary(table);
    perf_print_table_iii(table);
    perf_print_table_iv(table);
    short_falls = perf_print_targets(results->targets);
    printf("# %zu rows in %.1f s of wall time\n", table->rows,
           (double)(fsh_time_ns() - start) / 1e9);
    return short_falls;
}

/* Opened before any measurement, so that a wrong name is reported at once. */
struct files {
    FILE *json, *csv, *report;
};

static void write_files(const struct files *files,
                        const struct perf_results *results)
{
    if (files->json) {
        perf_write_json(files->json, results->table);
    }
    if (files->csv) {
        perf_write_csv(files->csv, results->table);
    }
    if (files->report) {
        perf_write_page(files->report, results);
    }
    perf_close(files->json, options.json);
    perf_close(files->csv, options.csv);
    perf_close(files->report, options.report);
}

static int run(void)
{
    if (gasnet_nodes() != 2 || strcmp(fsh_boot_conduit(), "fpga") != 0) {
        fsh_fatal("paper measures 2 ranks on conduit fpga, not %u on "
                  "%s; run: fshrun -n 2 --conduit fpga fshperf paper",
                  (unsigned)gasnet_nodes(), fsh_boot_conduit());
    }
    bool reports = fsh_boot_rank() == 0;
    struct files files = {0};
    if (reports) {
        files.json = perf_open(options.json);
        files.csv = perf_open(options.csv);
        files.report = perf_open(options.report);
    }
    struct perf_table table = {0};
    struct perf_reach reach[2];
    uint64_t start = fsh_time_ns();
    perf_probe_init();
    sweep_all(&table, reach);

    unsigned short_falls = 0;
    if (reports) {
        static struct perf_targets targets;
        const struct perf_results results = {&table, &targets};

        perf_find_targets(&targets, &table, reach);
        short_falls = tell(&results, start);
        write_files(&files, &results);
    }
    free(table.row);
    return options.strict && short_falls ? 1 : 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--csv", "FILE", "results as comma-separated values",
     .text = &options.csv},
    {"--report", "FILE.html", "charts and tables compared with the paper's",
     .text = &options.report},
    {"--brief", .help = "omit the tables of all sizes", .flag = &options.brief},
    {"--quick", .help = "packets of 1024 B only", .flag = &options.quick},
    {"--strict", .help = "exit 1 if a target is missed",
     .flag = &options.strict},
};

const struct perf_command perf_paper = {
    .name = "paper",
    .help = "section IV of the FSHMEM paper from the hardware counters:\n"
            "bandwidth and latency of PUT and GET (simulated clock)",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
};
