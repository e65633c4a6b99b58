/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic patterns on a square torus. Accepted load is counted by the nodes where it
 * arrives, while all traffic is in flight; message figures (latency, number sent per
 * node) are measured at the sender, from completions.
 */
#include "fabric_node.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "boot/boot.h"

static unsigned side(void)
{
    return fabric_topology()->side[0];
}

static unsigned to_neighbour(void)
{
    unsigned n = side(), x = fabric_me % n, y = fabric_me / n;
    unsigned step = fabric_draw(2) ? 1 : n - 1;

    return fabric_draw(2) ? (x + step) % n + n * y : x + n * ((y + step) % n);
}

static unsigned to_any(void)
{
    return (fabric_me + 1 + fabric_draw(fabric_nodes - 1)) % fabric_nodes;
}

/* Nodes on the diagonal have no target. */
static unsigned to_transposed(void)
{
    return fabric_me / side() + side() * (fabric_me % side());
}

static unsigned to_first(void)
{
    return 0;
}

static const struct pattern {
    const char *name;
    unsigned (*to)(void);
} patterns[] = {{"neighbour", to_neighbour},
                {"uniform", to_any},
                {"transpose", to_transposed},
                {"hotspot", to_first}};

/* Link load of a message: payload, one header per packet, one ack. */
static double beats_of(double bytes)
{
    return bytes / FSH_BEAT_BYTES + bytes / FABRIC_PACKET +
           bytes / FABRIC_MESSAGE;
}

/* Per node. */
struct figures {
    uint64_t written; /* bytes */
    struct fabric_counts counts;
};

static struct figures count(const struct fabric_traffic *traffic,
                            uint64_t cycles)
{
    uint64_t begin = fabric_common(), start = begin + cycles / 3;
    struct figures mine;

    fabric_pass(begin);
    fabric_traffic_begin(traffic);
    fabric_traffic_count(start, start + cycles);
    fabric_traffic_drive(start);
    fabric_links_begin();
    fabric_traffic_drive(start + cycles);
    /* The clearing write and the read have equal latency. Only one read, as each takes
     * hundreds of cycles. */
    mine.written = fsh_fpga_reg_read(FSH_REG_PERF + FSH_PERF_WRITTEN * 32 + 24);
    fabric_links_end();
    mine.counts = fabric_traffic_end();
    return mine;
}

/* Nodes that would send to themselves do not send. */
static bool sends(const struct pattern *pattern, unsigned node)
{
    return pattern->to == to_transposed ? node / side() != node % side()
                                        : pattern->to != to_first || node != 0;
}

static void tell(const struct pattern *pattern, const struct figures *all,
                 double cycles)
{
    double written = 0, least = INFINITY, senders = 0;
    struct fabric_counts sum = {0};

    for (unsigned i = 0; i < fabric_nodes; ++i) {
        const struct fabric_counts *c = &all[i].counts;

        written += (double)all[i].written;
        sum.ended += c->ended;
        sum.sum += c->sum;
        sum.worst = c->worst > sum.worst ? c->worst : sum.worst;
        if (sends(pattern, i)) {
            least = fmin(least, (double)c->ended);
            senders++;
        }
    }
    fabric_tell("accepted",
                beats_of(written) * FSH_BEAT_BYTES / cycles / senders, NAN, NAN,
                NAN);
    fabric_tell("slowest", least * senders / (double)sum.ended, NAN, NAN, NAN);
    fabric_tell("latency", (double)sum.worst,
                (double)sum.sum / (double)sum.ended, NAN, (double)sum.ended);
}

/* offered: bytes per cycle and node, headers and acks included; 0: as much as
 * possible. */
static void run(const struct pattern *pattern, double offered, uint64_t cycles)
{
    const struct fabric_traffic traffic = {
        .to = pattern->to,
        .op = PERF_PUT,
        .bytes = FABRIC_MESSAGE,
        .most = PERF_QUEUE,
        .gap = offered > 0 ? beats_of(FABRIC_MESSAGE) * FSH_BEAT_BYTES / offered
                           : 0,
    };
    struct figures mine = count(&traffic, cycles), all[FSH_MAX_NODES];

    fsh_boot_exchange(&mine, sizeof(mine), all);
    tell(pattern, all, (double)cycles);
    if (offered <= 0) {
        fabric_links_tell();
    }
}

bool fabric_run_pattern(const char *name, const char *offered,
                        const char *cycles)
{
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); ++i) {
        if (strcmp(name, patterns[i].name) == 0) {
            run(&patterns[i], strtod(offered, NULL),
                strtoull(cycles, NULL, 10));
            return true;
        }
    }
    return false;
}
