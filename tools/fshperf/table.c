/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Results of fshperf as rows: derived figures, and JSON and CSV with one object
 * or line per row. Rank 0 only.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void perf_table_add(struct perf_table *table, const struct perf_row *row)
{
    if (table->rows == table->room) {
        table->room = table->room ? 2 * table->room : 256;
        table->row = realloc(table->row, table->room * sizeof(*table->row));
        if (!table->row) {
            fsh_fatal("no memory for %zu result rows", table->room);
        }
    }
    table->row[table->rows++] = *row;
}

const struct perf_row *perf_find(const struct perf_table *table,
                                 const char *test, const char *mode,
                                 const char *to, unsigned ports,
                                 unsigned packet, size_t bytes)
{
    for (size_t i = 0; i < table->rows; ++i) {
        const struct perf_row *row = &table->row[i];
        if (row->bytes == bytes && row->packet == packet &&
            row->ports == ports && strcmp(row->test, test) == 0 &&
            strcmp(row->mode, mode) == 0 && strcmp(row->to, to) == 0) {
            return row;
        }
    }
    return NULL;
}

double perf_us(const struct perf_row *row)
{
    return (double)row->cycles / row->count / PERF_MHZ;
}

double perf_us_without_link(const struct perf_row *row)
{
    bool get = row->test[0] == 'g';
    return perf_us(row) -
           (get ? 2 : 1) * perf_assumed()->link_cycles / PERF_MHZ;
}

/* Of the bytes written; 0 for a time to the header, which is not a
 * bandwidth. */
double perf_mb_per_s(const struct perf_row *row)
{
    if (strcmp(row->to, "header") == 0) {
        return 0;
    }
    return (double)row->bytes * row->count * PERF_MHZ / (double)row->cycles;
}

double perf_efficiency(const struct perf_row *row)
{
    return perf_mb_per_s(row) / (PERF_PORT_MB_PER_S * row->ports);
}

/* Only a single transfer has a latency; a queue has none. */
static bool has_latency(const struct perf_row *row)
{
    return strcmp(row->mode, "pipelined") != 0;
}

static void add_row(struct document *d, const struct perf_row *row)
{
    document_open(d, NULL, '{');
    document_text(d, "test", row->test);
    document_text(d, "mode", row->mode);
    document_text(d, "to", row->to);
    document_number(d, "ports", row->ports);
    document_text(d, "conduit", "fpga");
    document_text(d, "device", "sim");
    document_text(d, "clock", "simulated");
    document_number(d, "packet_bytes", row->packet);
    document_number(d, "bytes", row->bytes);
    document_number(d, "count", row->count);
    document_number(d, "cycles", row->cycles);
    document_real(d, "mb_per_s", perf_mb_per_s(row));
    document_real(d, "efficiency", perf_efficiency(row));
    document_real(d, "us", perf_us(row));
    if (has_latency(row)) {
        document_real(d, "us_without_link", perf_us_without_link(row));
    }
    perf_json_assumed(d, row->dram_write);
    document_close(d);
}

void perf_write_json(FILE *out, const struct perf_table *table)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < table->rows; ++i) {
        add_row(&d, &table->row[i]);
    }
    document_close(&d);
    document_write(&d, out); /* errors are checked when the file is closed */
}

void perf_write_csv(FILE *out, const struct perf_table *table)
{
    fputs("test,mode,to,ports,conduit,device,clock,packet_bytes,bytes,count,"
          "cycles,mb_per_s,efficiency,us,us_without_link",
          out);
    perf_csv_assumed_names(out);
    fputc('\n', out);
    for (size_t i = 0; i < table->rows; ++i) {
        const struct perf_row *row = &table->row[i];
        fprintf(out,
                "%s,%s,%s,%u,fpga,sim,simulated,%u,%zu,%u,%llu,%.2f,%.5f,%.4f,",
                row->test, row->mode, row->to, row->ports, row->packet,
                row->bytes, row->count, (unsigned long long)row->cycles,
                perf_mb_per_s(row), perf_efficiency(row), perf_us(row));
        if (has_latency(row)) {
            fprintf(out, "%.4f", perf_us_without_link(row));
        }
        perf_csv_assumed(out, row->dram_write);
        fputc('\n', out);
    }
}
