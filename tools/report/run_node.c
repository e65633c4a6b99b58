/* SPDX-License-Identifier: BSD-3-Clause */
/* Links, device memory and compute cores of a run, from the nodes' counters as the
 * simulator read them at the end. */
#include "run.h"

#include <inttypes.h>
#include <math.h>

#include "chart.h"
#include "device/sim/sim_shm.h"
#include "page.h"

enum { NODES = 32, BARS = FSH_MAX_PORTS + 1 }; /* maximum drawn */
enum { FIRST, LAST, COUNT, SUM };

static uint32_t counted(const struct run_job *job)
{
    uint32_t n = job->fabric ? atomic_load_explicit(&job->fabric->counted,
                                                    memory_order_acquire)
                             : 0;

    return n < FSH_MAX_NODES ? n : FSH_MAX_NODES;
}

/* Cycles from the first event of any node to the last. */
static double all_cycles(const struct run_job *job, uint32_t nodes)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t n = 0; n < nodes; n++)
        for (unsigned e = 0; e < FSH_PERF_COUNT; e++) {
            const uint64_t *event = job->fabric->counts[n].event[e];

            if (event[COUNT] == 0)
                continue;
            first = event[FIRST] < first ? event[FIRST] : first;
            last = event[LAST] > last ? event[LAST] : last;
        }
    return first < last ? (double)(last - first) : 1;
}

static double of_event(const struct fsh_sim_counts *c, unsigned event)
{
    return (double)c->event[event][COUNT];
}

static double of_memory(const struct run_job *job,
                        const struct fsh_sim_counts *c, double cycles)
{
    double rate = job->fabric->assumed.dram_bytes_cycle;

    return rate > 0 ? (double)c->dram_bytes / rate / cycles : 0;
}

static void draw_links(struct page *p, const struct run_job *job,
                       uint32_t nodes, double cycles)
{
    static const char *const name[FSH_MAX_PORTS] = {
        "link, port 0", "link, port 1", "link, port 2",
        "link, port 3", "link, port 4", "link, port 5"};
    struct chart_bar bar[BARS * NODES];
    char group[NODES][16], text[BARS * NODES][16];
    uint32_t shown = nodes < NODES ? nodes : NODES;
    unsigned bars = 0;

    for (uint32_t n = 0; n < shown; n++) {
        const struct fsh_sim_counts *c = &job->fabric->counts[n];

        snprintf(group[n], sizeof(group[n]), "node %u", n);
        for (unsigned i = 0; i <= job->ports; i++, bars++) {
            bool link = i < job->ports;
            double share = link ? of_event(c, FSH_PERF_TX_BEAT0 + i) / cycles
                                : of_memory(job, c, cycles);

            snprintf(text[bars], 16, "%.1f %%", 100 * share);
            bar[bars] =
                (struct chart_bar){group[n], link ? name[i] : "device memory",
                                   text[bars], share, link ? i % 2 : 2};
        }
    }
    chart_bars(p, "Use of links and device memory",
               "Bars for each node: the utilisation of its link ports and its "
               "device memory.",
               bar, bars, 1);
}

static void write_links(struct page *p, const struct run_job *job,
                        uint32_t nodes, double cycles)
{
    static const char *const sends[FSH_MAX_PORTS] = {
        "Port 0 sends", "Port 1 sends", "Port 2 sends",
        "Port 3 sends", "Port 4 sends", "Port 5 sends"};
    static const char *const rest[] = {"Device memory", "Forwarded", "Commands",
                                       "Refused"};
    struct page_column columns[1 + 2 * FSH_MAX_PORTS + 4] = {{"Node", true}};
    unsigned count = 1;

    for (unsigned port = 0; port < job->ports; port++) {
        columns[count++] = (struct page_column){sends[port], true};
        columns[count++] = (struct page_column){"no credit", true};
    }
    for (unsigned i = 0; i < 4; i++)
        columns[count++] = (struct page_column){rest[i], true};
    page_table(p, "Links and device memory, shares of the cycles", columns,
               count);
    for (uint32_t n = 0; n < nodes; n++) {
        const struct fsh_sim_counts *c = &job->fabric->counts[n];

        page_cell(p, "%u", n);
        for (unsigned port = 0; port < job->ports; port++) {
            page_cell(p, "%.1f %%",
                      100 * of_event(c, FSH_PERF_TX_BEAT0 + port) / cycles);
            page_cell(p, "%.1f %%",
                      100 * of_event(c, FSH_PERF_TX_STALL0 + port) / cycles);
        }
        page_cell(p, "%.1f %%", 100 * of_memory(job, c, cycles));
        page_cell(p, "%.0f", of_event(c, FSH_PERF_FORWARD));
        page_cell(p, "%.0f", of_event(c, FSH_PERF_ACCEPT));
        page_cell(p, "%.0f", of_event(c, FSH_PERF_REFUSED));
    }
    page_table_end(p);
}

/* ---- compute cores ---- */

static const char *const parts[] = {"computing", "waiting for operands",
                                    "accumulators full", "results in flight",
                                    "idle"};
enum { PARTS = 5 };

/* Cycles from its first command to its last; 0: it had none. */
static double split(const struct fsh_sim_counts *c, double part[PARTS])
{
    double whole = (double)(c->compute[FSH_CPERF_LAST_END] -
                            c->compute[FSH_CPERF_FIRST_START]);

    if (c->compute[FSH_CPERF_COMMANDS] == 0 ||
        c->compute[FSH_CPERF_LAST_END] <= c->compute[FSH_CPERF_FIRST_START])
        return 0;
    part[4] = whole;
    for (unsigned i = 0; i < 4; i++) {
        part[i] = (double)c->compute[FSH_CPERF_COMPUTE + i];
        part[4] -= part[i];
    }
    part[4] = fmax(part[4], 0);
    return whole;
}

static void write_cores(struct page *p, const struct run_job *job,
                        uint32_t nodes)
{
    struct page_column columns[PARTS + 3] = {{"Node", true}};
    struct chart_stack stack[NODES];
    char name[NODES][16];
    double part[PARTS];
    unsigned shown = 0;

    for (uint32_t n = 0; n < nodes && shown < NODES; n++) {
        double whole = split(&job->fabric->counts[n], part);

        if (whole <= 0)
            continue;
        snprintf(name[shown], 16, "node %u", n);
        stack[shown] =
            (struct chart_stack){.name = name[shown], .whole = whole};
        for (unsigned i = 0; i < PARTS; i++)
            stack[shown].part[i] = part[i];
        shown++;
    }
    page_section(p, "Compute cores");
    if (shown == 0) {
        page_paragraph(p, "No compute core executed a command, or the program "
                          "cleared the counters at its end.");
        return;
    }
    page_grid(p);
    chart_stacks(p, "Where the cycles of each compute core went",
                 "A bar for each node, from its first command to its last: "
                 "shares of cycles in which its array computed, waited (by "
                 "cause), or was idle.",
                 parts, PARTS, stack, shown);
    page_grid_end(p);
    columns[1] = (struct page_column){"Cycles", true};
    for (unsigned i = 0; i < PARTS; i++)
        columns[i + 2] = (struct page_column){parts[i], true};
    columns[PARTS + 2] = (struct page_column){"KB sent", true};
    page_table(p, "Compute cores, from the first command to the last", columns,
               PARTS + 3);
    for (uint32_t n = 0; n < nodes; n++) {
        const struct fsh_sim_counts *c = &job->fabric->counts[n];
        double whole = split(c, part);

        if (whole <= 0)
            continue;
        page_cell(p, "%u", n);
        page_cell(p, "%.0f", whole);
        for (unsigned i = 0; i < PARTS; i++)
            page_cell(p, "%.1f %%", 100 * part[i] / whole);
        page_cell(p, "%.0f", (double)c->compute[FSH_CPERF_SENT_BYTES] / 1024);
    }
    page_table_end(p);
}

/* ---- collective engines ---- */

#define BUFFER_PACKETS \
    (FSH_COLL_SLOTS + FSH_COLL_SEQUENCES + FSH_COLL_EAGER) /* of an engine */

static double dropped(const struct fsh_sim_counts *c)
{
    double sum = 0;

    for (unsigned i = FSH_COLLPERF_UNCLAIMED; i <= FSH_COLLPERF_MALFORMED; i++)
        sum += (double)c->coll[i];
    return sum;
}

static void write_engines(struct page *p, const struct run_job *job,
                          uint32_t nodes)
{
    static const struct page_column columns[] = {
        {"Node", true},        {"Packets", true},   {"Buffer, peak", true},
        {"Not claimed", true}, {"Duplicate", true}, {"Eager twice", true},
        {"Buffer full", true}, {"Given up", true},  {"Malformed", true}};
    double packets = 0;

    for (uint32_t n = 0; n < nodes; n++)
        packets += (double)job->fabric->counts[n].coll[FSH_COLLPERF_KEPT] +
                   dropped(&job->fabric->counts[n]);
    if (packets <= 0)
        return;
    page_section(p, "Collective engines");
    page_table(p, "Packets received, and those dropped, by reason", columns,
               sizeof columns / sizeof *columns);
    for (uint32_t n = 0; n < nodes; n++) {
        const uint64_t *coll = job->fabric->counts[n].coll;

        page_cell(p, "%u", n);
        page_cell(p, "%.0f", (double)coll[FSH_COLLPERF_KEPT]);
        page_cell(p, "%.1f %%",
                  100 * (double)coll[FSH_COLLPERF_PEAK] / BUFFER_PACKETS);
        for (unsigned i = FSH_COLLPERF_UNCLAIMED; i <= FSH_COLLPERF_MALFORMED;
             i++)
            page_cell(p, "%.0f", (double)coll[i]);
    }
    page_table_end(p);
}

/* ---- */

static void write_assumed(struct page *p, const struct fsh_sim_assumed *a)
{
    page_facts(p);
    page_fact(p, "Assumed",
              "links %u cycles one way, %s; device memory reads %u cycles, "
              "write response %u, %u B a cycle; PCIe %u cycles one way, %u B a "
              "cycle each way; 250 MHz%s",
              a->link_cycles,
              a->link_layer ? "with their link layer" : "no link layer",
              a->dram_cycles, a->dram_write_cycles, a->dram_bytes_cycle,
              a->pcie_cycles, a->pcie_bytes_cycle,
              a->disturbed ? "; handshakes are stalled at random" : "");
    page_facts_end(p);
}

void run_write_nodes(struct page *p, const struct run_job *job)
{
    uint32_t nodes = counted(job);
    double cycles = all_cycles(job, nodes);

    if (!job->fabric)
        return;
    page_section(p, "Nodes");
    write_assumed(p, &job->fabric->assumed);
    if (nodes == 0) {
        page_paragraph(p, "The counters of the nodes were not read: the job "
                          "was aborted, or recorded.");
        return;
    }
    page_paragraph(
        p,
        "From the hardware counters, from the first event of any node to "
        "the last: %.0f cycles, %.3f ms at 250 MHz, including the start of "
        "the job. A port sends at most one beat of 16 bytes a cycle; no "
        "credit: it had a packet, but no credit from the receiver.",
        cycles, cycles / 250e3);
    page_grid(p);
    draw_links(p, job, nodes, cycles);
    page_grid_end(p);
    write_links(p, job, nodes, cycles);
    write_cores(p, job, nodes);
    write_engines(p, job, nodes);
}

/* The worst case, and the number of cases. */
struct worst {
    double share;
    uint32_t node, cases;
    unsigned port;
};

static void look_at(struct worst *w, double share, double bound, uint32_t node,
                    unsigned port)
{
    if (share <= bound)
        return;
    w->cases++;
    if (share > w->share) {
        w->share = share;
        w->node = node;
        w->port = port;
    }
}

/* " (3 others likewise)", or nothing. */
static const char *others_of(const struct worst *w, char text[32])
{
    text[0] = '\0';
    if (w->cases > 1)
        snprintf(text, 32, " (%u others likewise)", w->cases - 1);
    return text;
}

static void advise_ports(struct page *p, const struct worst *sends,
                         const struct worst *stalls)
{
    char others[32];

    if (sends->cases)
        page_advice(p, PAGE_WARNING,
                    "port %u of node %u sent in %.0f %% of all cycles%s: "
                    "the link is the bottleneck. Send less, to nearer nodes, "
                    "or over both ports (FSHMEM_PORTS).",
                    sends->port, sends->node, 100 * sends->share,
                    others_of(sends, others));
    if (stalls->cases)
        page_advice(p, PAGE_WARNING,
                    "port %u of node %u waited for credits in "
                    "%.0f %% of all cycles%s: the node at its other end "
                    "takes packets more slowly than they arrive, or "
                    "forwards too much.",
                    stalls->port, stalls->node, 100 * stalls->share,
                    others_of(stalls, others));
}

static void advise_cores(struct page *p, const struct worst *operands,
                         const struct worst *idle)
{
    char others[32];

    if (operands->cases)
        page_advice(p, PAGE_WARNING,
                    "the compute core of node %u waited for operands in "
                    "%.0f %% of its cycles%s: give it larger pieces, or "
                    "deliver its operands earlier.",
                    operands->node, 100 * operands->share,
                    others_of(operands, others));
    if (idle->cases)
        page_advice(p, PAGE_WARNING,
                    "the compute core of node %u was idle in %.0f %% of "
                    "the cycles from its first command to its last%s: queue "
                    "commands ahead and let events start them.",
                    idle->node, 100 * idle->share, others_of(idle, others));
}

/* Only the worst case of each kind: with 64 nodes there are many. */
void run_advise_nodes(struct page *p, const struct run_job *job)
{
    uint32_t nodes = counted(job);
    double cycles = all_cycles(job, nodes), part[PARTS];
    struct worst sends = {0}, stalls = {0}, operands = {0}, idle = {0},
                 refused = {0}, lost = {0};
    char others[32];

    for (uint32_t n = 0; n < nodes; n++) {
        const struct fsh_sim_counts *c = &job->fabric->counts[n];
        double whole = split(c, part);

        for (unsigned port = 0; port < job->ports; port++) {
            look_at(&sends, of_event(c, FSH_PERF_TX_BEAT0 + port) / cycles, 0.7,
                    n, port);
            look_at(&stalls, of_event(c, FSH_PERF_TX_STALL0 + port) / cycles,
                    0.1, n, port);
        }
        if (whole > 0) {
            look_at(&operands, part[1] / whole, 0.2, n, 0);
            look_at(&idle, part[4] / whole, 0.3, n, 0);
        }
        look_at(&refused, of_event(c, FSH_PERF_REFUSED), 0, n, 0);
        look_at(&lost, dropped(c), 0, n, 0);
    }
    advise_ports(p, &sends, &stalls);
    advise_cores(p, &operands, &idle);
    if (refused.cases)
        page_advice(p, PAGE_WARNING, "node %u refused %.0f commands%s.",
                    refused.node, refused.share, others_of(&refused, others));
    if (lost.cases)
        page_advice(p, PAGE_WARNING,
                    "the collective engine of node %u dropped %.0f packets%s; "
                    "the table of collective engines has the reasons.",
                    lost.node, lost.share, others_of(&lost, others));
}
