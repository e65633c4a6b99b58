/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf's text output: curves in the layout of the OSU benchmarks, a summary
 * of Fig. 5, and Tables III and IV of the FSHMEM paper with our figures added.
 * Figures of others are quoted from that paper.
 */
#include "perf.h"

#include <errno.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "base/log.h"

_Static_assert(FSH_CLOCK_MHZ == 250, "PERF_MHZ is the clock of the node");

void perf_print_header(const char *what)
{
    printf("# FSHMEM %s: %s\n", FSH_VERSION, what);
    printf("# Device sim: the node's RTL in a simulator. Clock: simulated, "
           "%d MHz nominal.\n",
           (int)FSH_CLOCK_MHZ);
    perf_print_assumed();
    printf(
        "# MB = 10^6 bytes, KB = 1024. Times are cycles between events in the hardware counters of "
        "both nodes.\n");
}

static void print_curve(const struct perf_table *table, const char *test,
                        const char *mode, unsigned ports)
{
    if (!perf_find(table, test, mode, "last_byte", ports, 1024, 4)) {
        return;
    }
    bool single = strcmp(mode, "single") == 0;
    printf("\n# %s bandwidth, %s, %u port%s, simulated clock\n",
           test[0] == 'p' ? "PUT" : "GET",
           single ? "one transfer in flight (accepted to last byte written)"
                  : "pipelined (commands queued behind the start gate)",
           ports, ports > 1 ? "s" : "");
    printf("# Packets of      ");
    for (unsigned p = 0; p < PERF_PACKETS; ++p) {
        printf("%13u B%s", perf_packet(p), p + 1 < PERF_PACKETS ? "     " : "");
    }
    printf("\n%-10s", "# Size");
    for (unsigned p = 0; p < PERF_PACKETS; ++p) {
        printf("%20s", "Bandwidth (MB/s)");
    }
    putchar('\n');
    for (unsigned s = 0; s < PERF_SIZES; ++s) {
        printf("%-10zu", perf_size(s));
        for (unsigned p = 0; p < PERF_PACKETS; ++p) {
            const struct perf_row *row =
                perf_find(table, test, mode, "last_byte", ports, perf_packet(p),
                          perf_size(s));
            printf("%20.2f", row ? perf_mb_per_s(row) : 0);
        }
        putchar('\n');
    }
}

static void print_latency(const struct perf_table *table, const char *test)
{
    printf("\n# %s latency, 1 port, packets of 1024 B, simulated clock\n",
           test[0] == 'p' ? "PUT" : "GET");
    printf("%-10s%20s%20s%20s%20s\n", "# Size", "To header (us)",
           "without link (us)", "To last byte (us)", "without link (us)");
    for (unsigned s = 0; s <= PERF_SIZES; ++s) {
        size_t bytes = s ? perf_size(s - 1) : 0;
        const char *mode = s ? "long" : "short";
        const struct perf_row *header =
            perf_find(table, test, mode, "header", 1, 1024, bytes);
        const struct perf_row *last =
            perf_find(table, test, mode, "last_byte", 1, 1024, bytes);
        if (header) {
            printf("%-10zu%20.3f%20.3f", bytes, perf_us(header),
                   perf_us_without_link(header));
        }
        if (last) {
            printf("%20.3f%20.3f", perf_us(last), perf_us_without_link(last));
        }
        putchar('\n');
    }
}

void perf_print_curves(const struct perf_table *table)
{
    static const char *const modes[] = {"single", "pipelined"};
    for (unsigned ports = 1; ports <= 2; ++ports) {
        for (unsigned m = 0; m < 2; ++m) {
            print_curve(table, "put_bw", modes[m], ports);
            print_curve(table, "get_bw", modes[m], ports);
        }
    }
    print_latency(table, "put_lat");
    print_latency(table, "get_lat");
}

double perf_bandwidth(const struct perf_table *table, const char *test,
                      const char *mode, unsigned ports, size_t bytes)
{
    const struct perf_row *row =
        perf_find(table, test, mode, "last_byte", ports, 1024, bytes);
    return row ? perf_mb_per_s(row) : 0;
}

const size_t perf_summary[PERF_SUMMARY] = {4,    64,    512,    1024,   2048,
                                           8192, 32768, 262144, 2097152};

void perf_print_summary(const struct perf_table *table)
{
    printf("\n# Fig. 5 in short: MB/s, packets of 1024 B, simulated clock\n");
    printf("# Paper's peaks: FSHMEM 3813, THe GASNet 400, TMD-MPI 400, "
           "one-sided MPI 141 MB/s\n");
    printf("%-10s%14s%14s%14s%14s%14s%14s\n", "# Size", "PUT single",
           "GET single", "PUT pipelined", "GET pipelined", "PUT pipe. 2p",
           "GET pipe. 2p");
    for (size_t i = 0; i < PERF_SUMMARY; ++i) {
        size_t size = perf_summary[i];
        printf("%-10zu", size);
        printf("%14.1f", perf_bandwidth(table, "put_bw", "single", 1, size));
        printf("%14.1f", perf_bandwidth(table, "get_bw", "single", 1, size));
        for (unsigned ports = 1; ports <= 2; ++ports) {
            printf("%14.1f",
                   perf_bandwidth(table, "put_bw", "pipelined", ports, size));
            printf("%14.1f",
                   perf_bandwidth(table, "get_bw", "pipelined", ports, size));
        }
        putchar('\n');
    }
}

double perf_mean_header_us(const struct perf_table *table, const char *test)
{
    double sum = 0;
    for (unsigned s = 0; s < PERF_SIZES; ++s) {
        const struct perf_row *row =
            perf_find(table, test, "long", "header", 1, 1024, perf_size(s));
        sum += row ? perf_us(row) : 0;
    }
    return sum / PERF_SIZES;
}

static double short_us(const struct perf_table *table, const char *test,
                       bool without_link)
{
    const struct perf_row *row =
        perf_find(table, test, "short", "header", 1, 1024, 0);
    return without_link ? perf_us_without_link(row) : perf_us(row);
}

static void put_iii(struct perf_iii *row, const char *what, double put,
                    double get)
{
    row->what = what;
    snprintf(row->put, sizeof(row->put), "%.3f", put);
    snprintf(row->get, sizeof(row->get), "%.3f", get);
}

void perf_table_iii(const struct perf_table *table,
                    struct perf_iii row[PERF_ROWS_III])
{
    static const struct perf_iii quoted[] = {
        {"TMD-MPI (inter-m2b)", "2", "-"},
        {"One-sided MPI", "0.36", "0.62"},
        {"THe GASNet (short message), on-board wires", "0.17", "0.35"},
        {"THe GASNet (single word), on-board wires", "0.29", "0.47"},
        {"FSHMEM paper (short message)", "0.21", "0.45"},
        {"FSHMEM paper (long message)", "0.35", "0.59"},
    };
    double link = perf_assumed()->link_cycles / PERF_MHZ;
    double put = perf_mean_header_us(table, "put_lat");
    double get = perf_mean_header_us(table, "get_lat");

    _Static_assert(sizeof quoted / sizeof quoted[0] + 4 == PERF_ROWS_III,
                   "what others reached, and four of ours");
    memcpy(row, quoted, sizeof(quoted));
    row += sizeof quoted / sizeof quoted[0];
    put_iii(row++, "ours (short message)", short_us(table, "put_lat", false),
            short_us(table, "get_lat", false));
    put_iii(row++, "ours (long message, mean of 4 B to 2 MB)", put, get);
    put_iii(row++, "ours (short), assumed link delay taken out",
            short_us(table, "put_lat", true), short_us(table, "get_lat", true));
    put_iii(row, "ours (long), assumed link delay taken out", put - link,
            get - 2 * link);
}

void perf_print_table_iii(const struct perf_table *table)
{
    struct perf_iii row[PERF_ROWS_III];

    perf_table_iii(table, row);
    printf("\n# Table III: latency, command accepted to (reply) header "
           "received\n%-50s%14s%14s\n",
           "# Implementation", "PUT (us)", "GET (us)");
    for (size_t i = 0; i < PERF_ROWS_III; ++i) {
        printf("%-50s%14s%14s\n", row[i].what, row[i].put, row[i].get);
    }
}

const char *const perf_heads_iv[PERF_COLUMNS_IV] = {
    "", "TMD-MPI", "One-sided MPI", "THe GASNet", "FSHMEM paper", "ours"};

void perf_table_iv(const struct perf_table *table,
                   struct perf_iv row[PERF_ROWS_IV])
{
    static const struct perf_iv quoted[PERF_ROWS_IV] = {
        {{"FPGA", "XC5VLX110", "XC2V6000", "XC5VLX155T", "Stratix 10",
          "simulated RTL"}},
        {{"Clock", "133.33 MHz", "50 MHz", "100 MHz", "250 MHz",
          "250 MHz nominal"}},
        {{"Data width", "32 bit", "32 bit", "32 bit", "128 bit", "128 bit"}},
        {{"Channel", "Intel FSB", "on-board wires", "on-board wires", "QSFP+",
          ""}},
        {{"Max BW (MB/s)", "400", "141", "400", "3813", ""}},
        {{"Efficiency", "0.75", "0.706", "1.00", "0.95", ""}},
    };
    const struct perf_row *peak = perf_find(
        table, "put_bw", "single", "last_byte", 1, 1024, PERF_MAX_BYTES);

    memcpy(row, quoted, sizeof(quoted));
    snprintf(row[3].column[5], sizeof(row[3].column[5]), "modelled, %.0f ns",
             perf_assumed()->link_cycles * 1000 / PERF_MHZ);
    snprintf(row[4].column[5], sizeof(row[4].column[5]), "%.0f",
             perf_mb_per_s(peak));
    snprintf(row[5].column[5], sizeof(row[5].column[5]), "%.3f",
             perf_efficiency(peak));
}

static void print_iv(const char *const column[PERF_COLUMNS_IV])
{
    printf("%-18s%16s%16s%16s%16s%18s\n", column[0], column[1], column[2],
           column[3], column[4], column[5]);
}

void perf_print_table_iv(const struct perf_table *table)
{
    struct perf_iv row[PERF_ROWS_IV];

    perf_table_iv(table, row);
    printf("\n# Table IV: comparison with prior works\n");
    for (size_t i = 0; i <= PERF_ROWS_IV; ++i) {
        const char *column[PERF_COLUMNS_IV];

        for (size_t j = 0; j < PERF_COLUMNS_IV; ++j) {
            column[j] = i ? row[i - 1].column[j] : perf_heads_iv[j];
        }
        column[0] = i ? column[0] : "#";
        print_iv(column);
    }
}

FILE *perf_open(const char *path)
{
    FILE *out = path ? fopen(path, "w") : NULL;
    if (path && !out) {
        fsh_fatal("cannot write %s: %s", path, strerror(errno));
    }
    return out;
}

void perf_close(FILE *out, const char *path)
{
    if (out && (ferror(out) || fclose(out) != 0)) {
        fsh_fatal("writing %s failed: %s", path, strerror(errno));
    }
}
