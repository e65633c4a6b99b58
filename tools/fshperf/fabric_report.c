/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of fshperf fabric as text and JSON; see fabric.h. */
#include "fabric.h"
#include "perf.h"

#include <math.h>
#include <string.h>

static void print_header(void)
{
    perf_print_header("the fabric");
    printf("# Packets of %u B; hosts at no cost; seed %u.\n", FABRIC_PACKET,
           FABRIC_SEED);
    printf("# hop: from the acceptance of a Short to its header N hops away; "
           "cost of one more hop,\n"
           "# without the link.\n");
    printf("# hol: head-of-line blocking: cycles in excess of an idle "
           "fabric, worst and mean, while\n"
           "# every node but the first has %u commands of %u KiB in flight "
           "to nodes at one to three\n"
           "# hops (own bulk: also the first, in the same window). The first "
           "sends: a request is\n"
           "# timed from the call to its handler, a reply from there to its "
           "handler, a GET of 8 B,\n"
           "# with GETs for bulk, from the call to its completion. The idle "
           "time includes PCIe.\n",
           FABRIC_BULKS, FABRIC_BULK >> 10);
    printf("# Targets: twice the %u cycles of a packet between neighbours, "
           "once more per further\n"
           "# hop; for a GET in both directions; for a long packet a frame "
           "of %u beats per hop.\n",
           FABRIC_PACKET_CYCLES, FABRIC_FRAME);
    printf("# fairness: all-to-all, %u B each: time of the first node to "
           "finish divided by that of\n"
           "# the last.\n",
           FABRIC_MESSAGE);
    printf("# Patterns: PUTs of %u B, counted in " FABRIC_COUNTED
           " cycles (hotspot: " FABRIC_COUNTED_HOTSPOT ") after a third of\n"
           "# as many. Accepted: payload written at the targets, plus one "
           "header beat per packet\n"
           "# and one ack beat per PUT, per cycle and sending node, as a "
           "share of %.0f B: the lesser of\n"
           "# the rate of %u lanes and that of the bisection of a 4x4 torus. "
           "At N: that share is\n"
           "# offered, at random times; otherwise %u PUTs are in flight at "
           "each node.\n",
           FABRIC_MESSAGE, FABRIC_BOUND, FSH_LANES, PERF_QUEUE);
    printf("# Slowest node: its completed PUTs relative to the mean; below "
           "%.1f it starves. Latency:\n"
           "# worst and mean, from the creation of a PUT, including its wait "
           "for a tag, to its\n"
           "# completion at the sender. Fall: from the highest accepted load "
           "to the lowest at higher\n"
           "# offered loads.\n"
           "\n",
           FABRIC_STARVED);
}

static const char *number(double value, unsigned digits, char text[32])
{
    snprintf(text, 32, "%.*f", (int)digits, value);
    return isnan(value) ? "-" : text;
}

static void print_row(const struct fabric_row *row)
{
    bool cycles = strcmp(row->unit, "cycles") == 0;
    char value[32], mean[32], idle[32], samples[32];

    printf("%-11s%-11s%-27s%8s %-7s", row->test, row->topology, row->what,
           number(row->value, cycles ? 0 : 3, value), row->unit);
    if (isnan(row->target)) {
        printf("%8s%13s", "-", "");
    } else {
        printf("%s %5.*f  %-11s", row->most ? "<=" : ">=", cycles ? 0 : 2,
               row->target, fabric_reached(row) ? "pass" : "falls short");
    }
    printf("%8s%7s%6s\n", number(row->mean, 1, mean),
           number(row->idle, 0, idle), number(row->samples, 0, samples));
}

void fabric_print(const struct fabric *all)
{
    print_header();
    printf("%-11s%-11s%-27s%8s %-7s%8s%13s%8s%7s%6s\n", "# Test", "Topology",
           "What", "Value", "Unit", "Target", "", "Mean", "Idle", "Of");
    for (size_t i = 0; i < all->rows; ++i) {
        print_row(&all->row[i]);
    }
}

static void add_row(struct document *d, const struct fabric_row *row)
{
    document_open(d, NULL, '{');
    document_text(d, "test", row->test);
    document_text(d, "what", row->what);
    document_text(d, "topology", row->topology);
    document_number(d, "nodes", row->nodes);
    document_real(d, "value", row->value);
    document_text(d, "unit", row->unit);
    document_real(d, "target", row->target);
    document_bool(d, "ok", fabric_reached(row));
    document_real(d, "mean", row->mean);
    document_real(d, "idle", row->idle);
    document_real(d, "samples", row->samples);
    perf_json_assumed(d, 0);
    document_close(d);
}

void fabric_write_json(FILE *out, const struct fabric *all)
{
    struct document d = {0};

    document_open(&d, NULL, '[');
    for (size_t i = 0; i < all->rows; ++i) {
        add_row(&d, &all->row[i]);
    }
    document_close(&d);
    document_write(&d, out); /* errors are checked when the file is closed */
}

void fabric_write_links(FILE *out, const struct fabric *all)
{
    fputs("test,what,topology,nodes,node,port,peer,use", out);
    perf_csv_assumed_names(out);
    fputc('\n', out);
    for (size_t i = 0; i < all->uses; ++i) {
        const struct fabric_use *use = &all->use[i];

        for (unsigned j = 0; j < use->links; ++j) {
            const struct fabric_link *link = &use->link[j];

            fprintf(out, "%s,%s,%s,%u,%u,%u,%u,%.6f", use->test, use->what,
                    use->topology, use->nodes, link->node, link->port,
                    link->peer, link->share);
            perf_csv_assumed(out, 0);
            fputc('\n', out);
        }
    }
}
