/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf coll: parses what to measure, starts the jobs, reports; see coll.h.
 */
#include "coll.h"
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"

#define TIME_LIMIT 3600u /* seconds per job */

static struct {
    const char *json, *clock, *engine, *ops, *algorithms, *bytes, *ranks, *jobs;
    const char *topology, *type, *costs;
    unsigned rounds;
    bool quick;
} options = {.clock = "wall",
             .ops = "all",
             .algorithms = "auto",
             .jobs = "1",
             .type = "double",
             .costs = "all"};

const char *const coll_costs[COLL_COSTS] = {"1", "0", "2"};

/* ---- lists ---- */

/* The next word of a list, of at most COLL_WORD - 1 letters; advances *at. */
static bool next_word(const char **at, char word[COLL_WORD])
{
    size_t n = strcspn(*at, ",");

    if (**at == '\0') {
        return false;
    }
    snprintf(word, COLL_WORD, "%.*s", (int)n, *at);
    *at += n + ((*at)[n] == ',');
    return true;
}

static void add(struct coll_list *list, size_t value, const char *option)
{
    if (list->count == COLL_LISTED) {
        fsh_fatal_code(2, "coll: %s: more than %u values", option, COLL_LISTED);
    }
    list->value[list->count++] = value;
}

/* Returns 0, which is not a valid value, if it is not a number. */
static size_t number_of(const char *word)
{
    char *end;
    size_t value = strtoul(word, &end, 10);

    if (*end == 'K' || *end == 'M') {
        value <<= *end++ == 'K' ? 10 : 20;
    }
    return word[0] >= '0' && word[0] <= '9' && *end == '\0' ? value : 0;
}

void coll_read_numbers(struct coll_list *list, const char *option,
                       const char *text, size_t step, size_t most)
{
    char word[COLL_WORD];

    while (next_word(&text, word)) {
        size_t value = number_of(word);

        if (value == 0 || value > most || value % step != 0) {
            fsh_fatal_code(2,
                           "coll: %s %s: expected multiples of %zu up to "
                           "%zu, as in 8,4K,1M",
                           option, word, step, most);
        }
        add(list, value, option);
    }
}

static bool is_all(const char *text)
{
    return strcmp(text, "all") == 0;
}

void coll_read_ops(struct coll_list *list, const char *text)
{
    char word[COLL_WORD];

    for (unsigned i = 0; is_all(text) && i < coll_op_count; ++i) {
        add(list, i, "--op");
    }
    while (!is_all(text) && next_word(&text, word)) {
        unsigned i = 0;

        while (i < coll_op_count && strcmp(coll_ops[i].name, word) != 0) {
            ++i;
        }
        if (i == coll_op_count) {
            fsh_fatal_code(2, "coll: --op %s: no such operation", word);
        }
        add(list, i, "--op");
    }
}

void coll_read_algorithms(struct coll_list *list, const char *text)
{
    const struct fsh_program_algorithm *const *a = fsh_program_algorithms;
    char word[COLL_WORD];

    for (; is_all(text) && *a != NULL; ++a) {
        add(list, (*a)->id, "--algorithm");
    }
    while (!is_all(text) && next_word(&text, word)) {
        const struct fsh_program_algorithm *named = fsh_program_named(word);

        if (named == NULL && strcmp(word, "auto") != 0) {
            fsh_fatal_code(2,
                           "coll: --algorithm %s: no such algorithm; fshinfo "
                           "coll lists them",
                           word);
        }
        add(list, named ? named->id : FSHMEM_COLL_AUTO, "--algorithm");
    }
}

/* ---- output of jobs ---- */

const char *coll_memory_name(enum coll_memory memory)
{
    return memory == COLL_SEGMENT ? "segment" : "private";
}

static bool is_same(const struct coll_row *a, const struct coll_row *b)
{
    return strcmp(a->op, b->op) == 0 &&
           strcmp(a->algorithm, b->algorithm) == 0 &&
           strcmp(a->engine, b->engine) == 0 && a->nodes == b->nodes &&
           a->jobs == b->jobs && a->bytes == b->bytes;
}

/* The row with this key, created if necessary. */
static struct coll_row *row_like(struct coll_table *table,
                                 const struct coll_row *row)
{
    for (size_t i = 0; i < table->rows; ++i) {
        if (is_same(&table->row[i], row)) {
            return &table->row[i];
        }
    }
    if (table->rows == table->room) {
        table->room = table->room ? 2 * table->room : 256;
        table->row = realloc(table->row, table->room * sizeof *table->row);
        if (!table->row) {
            fsh_fatal("no memory for %zu result rows", table->room);
        }
    }
    table->row[table->rows] = *row;
    return &table->row[table->rows++];
}

bool coll_hear(struct coll_table *table, unsigned nodes, unsigned cost,
               const char *line)
{
    struct coll_row row = {.nodes = nodes};
    char memory[COLL_WORD];
    unsigned long occupancy, mean, on_links, payload;
    double ns;

    if (sscanf(
            line,
            COLL_LINE
            " %19s %19s %19s %19s %u %zu %u %lf %lu %lu %lu %lu %19s %19[^\n]",
            row.op, row.algorithm, row.engine, memory, &row.jobs, &row.bytes,
            &row.rounds, &ns, &occupancy, &mean, &on_links, &payload, row.type,
            row.topology) != 14) {
        return false;
    }
    enum coll_memory m = strcmp(memory, coll_memory_name(COLL_SEGMENT)) == 0
                             ? COLL_SEGMENT
                             : COLL_PRIVATE;
    struct coll_row *there = row_like(table, &row);

    there->ns[cost][m] = ns;
    there->occupancy[cost][m] = (double)occupancy / 1e6;
    there->occupancy_mean[cost][m] = (double)mean / 1e6;
    there->link_bytes[cost][m] = (double)on_links;
    there->payload_bytes[cost][m] = (double)payload;
    return true;
}

/* ---- jobs ---- */

struct heard {
    struct coll_table *table;
    unsigned nodes, cost;
};

static void hear(void *arg, const char *line)
{
    struct heard *heard = arg;

    if (!perf_hear_assumed(line) &&
        !coll_hear(heard->table, heard->nodes, heard->cost, line)) {
        fputs(line, stdout);
    }
}

static void run_job(struct coll_table *table, unsigned nodes, unsigned cost)
{
    char ranks[16], rounds[16], text[96];
    const char *const arguments[] = {"coll-node",   options.clock,
                                     ranks,         rounds,
                                     options.ops,   options.algorithms,
                                     options.bytes, options.jobs,
                                     options.type,  NULL};
    struct heard heard = {table, nodes, cost};
    const struct perf_job job = {
        .ranks = nodes,
        .conduit = table->simulated ? "fpga" : "smp",
        .topology = table->simulated ? options.topology : NULL,
        .costs = table->simulated ? coll_costs[cost] : NULL,
        .time_limit = TIME_LIMIT,
        .arguments = arguments,
        .hear = hear,
        .arg = &heard};

    snprintf(ranks, sizeof ranks, "%u", nodes);
    snprintf(rounds, sizeof rounds, "%u", options.rounds);
    snprintf(text, sizeof text, "fshperf: collectives of %u ranks%s%s ...",
             nodes, table->simulated ? ", host costs x" : "",
             table->simulated ? coll_costs[cost] : "");
    perf_progress(text, false);
    if (perf_run_job(&job) != 0) {
        fsh_fatal("coll: the job of %u ranks failed, see above", nodes);
    }
}

/* Runs at all host costs, for each executor of collectives. */
static void run_engines(struct coll_table *table, unsigned nodes)
{
    for (unsigned c = 0; c < (table->simulated ? COLL_COSTS : 1); ++c) {
        if (table->simulated && strcmp(options.costs, "all") != 0 &&
            strcmp(options.costs, coll_costs[c]) != 0) {
            continue;
        }
        if (strcmp(options.engine, "messages") != 0) {
            unsetenv("FSHMEM_COLL_DIRECT");
            setenv("FSHMEM_COLL_ENGINE",
                   strcmp(options.engine, "both") == 0 ? "card" : "auto", 1);
            run_job(table, nodes, c);
        }
        if (strcmp(options.engine, "auto") != 0) {
            setenv("FSHMEM_COLL_DIRECT", "0", 1);
            setenv("FSHMEM_COLL_ENGINE", "host", 1);
            run_job(table, nodes, c);
        }
    }
}

/* Sets defaults for options not given. */
static void set_defaults(bool simulated)
{
    if (!options.ranks) {
        options.ranks = options.quick ? "2" : simulated ? "2,4,8" : "2,4";
    }
    if (!options.bytes) {
        options.bytes = options.quick ? "8,4K"
                        : simulated   ? "8,256,4K,64K"
                                      : "8,64,256,1K,4K,16K,64K,256K,1M";
    }
    if (!options.engine) {
        options.engine = simulated ? "both" : "auto";
    }
    if (options.rounds == 0) {
        options.rounds = !simulated ? 20 : options.quick ? 3 : 5;
    }
}

static int run(void)
{
    static struct coll_table table;
    struct coll_list ranks = {0}, scratch = {0};
    uint64_t start = fsh_time_ns();

    perf_refuse_job("coll");
    table.simulated = strcmp(options.clock, "simulated") == 0;
    set_defaults(table.simulated);
    coll_read_numbers(&ranks, "--ranks", options.ranks, 1, 64);
    coll_read_ops(&scratch, options.ops);
    coll_read_algorithms(&scratch, options.algorithms);
    coll_read_numbers(&scratch, "--bytes", options.bytes, 8, COLL_MOST);
    coll_read_numbers(&scratch, "--jobs", options.jobs, 1, COLL_JOBS);
    FILE *json = perf_open(options.json);
    for (unsigned i = 0; i < ranks.count; ++i) {
        run_engines(&table, (unsigned)ranks.value[i]);
    }
    perf_progress("", true);
    coll_print(&table);
    printf("# %zu rows in %.1f s of wall time\n", table.rows,
           (double)(fsh_time_ns() - start) / 1e9);
    if (json) {
        coll_write_json(json, &table);
    }
    perf_close(json, options.json);
    free(table.row);
    return 0;
}

static const struct kit_option table_of_options[] = {
    {"--json", "FILE", "results as an array of objects", .text = &options.json},
    {"--clock", "CLOCK",
     "conduit smp on the wall clock, or simulated nodes "
     "and hosts",
     .text = &options.clock, .choices = "wall|simulated"},
    {"--op", "LIST", "operations, such as allreduce,broadcast",
     .text = &options.ops},
    {"--algorithm", "LIST",
     "algorithms; all: every one that supports the "
     "call",
     .text = &options.algorithms},
    {"--bytes", "LIST", "sizes, such as 8,4K,1M", .text = &options.bytes},
    {"--ranks", "LIST", "numbers of ranks", .text = &options.ranks},
    {"--topology", "T", "topology of simulated nodes, as in fshrun",
     .text = &options.topology},
    {"--jobs", "LIST", "concurrent operations on one team",
     .text = &options.jobs},
    {"--type", "TYPE",
     "what reductions add: double; float; or float that travels as bfp16, by "
     "allreduce only",
     .text = &options.type, .choices = "double|float|bfp16"},
    {"--host-costs", "COSTS",
     "in simulated time, times those of spec/fshmem.toml; all: one after the "
     "other",
     .text = &options.costs, .choices = "all|0|1|2"},
    {"--engine", "ENGINE",
     "messages: even if ranks can load from peers or cards have engines; "
     "default: auto, in simulated time both",
     .text = &options.engine, .choices = "auto|messages|both"},
    {"--rounds", "N", "minimum rounds per figure; 0: 20, in simulated time 5",
     .number = &options.rounds, .most = COLL_ROUNDS},
    {"--quick", .help = "two ranks, two sizes, fewer rounds",
     .flag = &options.quick},
};

const struct perf_command perf_coll = {
    .name = "coll",
    .help =
        "collectives of fshmem.h, from a common start to the last rank's\n"
        "completion, with buffers in and out of the segment; starts its own jobs",
    .run = run,
    .options = table_of_options,
    .count = sizeof table_of_options / sizeof table_of_options[0],
    .alone = true,
};
