/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of fshperf fabric as text and JSON; see fabric.h. */
#include "fabric.h"
#include "perf.h"

#include <math.h>
#include <string.h>

static void print_header(void)
{
    perf_print_header("the fabric");
    printf("# Packets of %u B; hosts cost nothing; seed %u.\n", FABRIC_PACKET,
           FABRIC_SEED);
    printf("# hop: from the acceptance of a Short to its header N hops away; "
           "of one hop more,\n# less the link.\n");
    printf("# hol: cycles beyond the idle fabric's, the worst and the mean of "
           "all, while each\n# node but the first has %u commands of %u KiB in "
           "flight to nodes at one to three hops\n# (own bulk: the first, too, "
           "in the same window). The first sends: a request is timed\n# from "
           "the call to its handler, a reply from there to its handler, a GET "
           "of 8 B, with\n# GETs for bulk, from the call to its completion. "
           "PCIe is in the idle fabric's time.\n",
           FABRIC_BULKS, FABRIC_BULK >> 10);
    printf("# Targets: %u cycles of a packet twice between neighbours, once "
           "more for each further\n# hop; of a GET both ways; of a long packet "
           "a frame of %u beats a hop.\n",
           FABRIC_PACKET_CYCLES, FABRIC_FRAME);
    printf("# fairness: all to all, %u B each, time of the first node to "
           "finish through that of\n# the last.\n",
           FABRIC_MESSAGE);
    printf("# Patterns: PUTs of %u B, counted in " FABRIC_COUNTED
           " cycles (hotspot: " FABRIC_COUNTED_HOTSPOT
           ") after a third of\n# as many. Accepted: payload written at the "
           "targets, with a header beat a packet and\n# an ack beat a PUT, a "
           "cycle and sending node, as a share of %.0f B, the lesser of what\n"
           "# %u lanes send and what half of a 4x4 torus sends the other. At "
           "N: so much of it is\n# offered, at random times; else %u PUTs are "
           "in flight at each node.\n",
           FABRIC_MESSAGE, FABRIC_BOUND, FSH_LANES, PERF_QUEUE);
    printf("# Slowest node: its PUTs that ended in the cycles counted, of the "
           "mean; below %.1f it\n# starves. Latency: the worst and the mean, "
           "from where a PUT is made, its wait for a tag\n# included, to its "
           "completion at its sender. Fall: from the most accepted to the "
           "least\n# where more was offered.\n\n",
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
