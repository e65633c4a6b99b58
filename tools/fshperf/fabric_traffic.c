/* SPDX-License-Identifier: BSD-3-Clause */
/* A node's traffic; see fabric_node.h. With hosts at no cost a command is issued in
 * exactly the intended cycle, and reaches the node after its PCIe latency. */
#include "fabric_node.h"

#include <math.h>

#include "base/log.h"
#include "base/simulated.h"
#include "conduit/conduit.h"

static struct fabric_traffic traffic;
static struct perf_batch batch;
static uint64_t made[PERF_QUEUE]; /* 0: nothing in flight in this slot */
static uint64_t next;             /* when the next one is issued, with a gap */
static uint64_t counted_from, counted_to;
static struct fabric_counts counts;

/* Exponentially distributed intervals (independent events). */
static uint64_t draw_gap(void)
{
    double u = (fabric_draw(1u << 24) + 1) / (double)(1u << 24);

    return (uint64_t)(-log(u) * traffic.gap + 0.5);
}

void fabric_traffic_begin(const struct fabric_traffic *wanted)
{
    traffic = *wanted;
    counts = (struct fabric_counts){0};
    counted_from = counted_to = 0;
    batch.count = traffic.most;
    for (unsigned i = 0; i < traffic.most; ++i) {
        batch.record[i].status = FSH_STATUS_OK;
        atomic_init(&batch.record[i].done, 1);
        made[i] = 0;
    }
    next = fabric_now() + (traffic.gap > 0 ? draw_gap() : 0);
}

void fabric_traffic_count(uint64_t from, uint64_t to)
{
    counted_from = from;
    counted_to = to;
}

static void end_command(unsigned i)
{
    uint64_t end = fabric_cycle(batch.record[i].cycle);
    uint64_t start = made[i] + perf_assumed()->pcie_cycles;
    uint64_t cycles = end - start;

    made[i] = 0;
    if (batch.record[i].status != FSH_STATUS_OK) {
        fsh_fatal("fabric: a command ended with status %u",
                  batch.record[i].status);
    }
    if (end >= counted_from && end < counted_to) {
        counts.ended++;
        counts.sum += cycles;
        counts.worst = cycles > counts.worst ? cycles : counts.worst;
    }
}

/* False: no room now, or none is due yet. */
static bool make_command(unsigned i)
{
    uint64_t now = fabric_now();
    unsigned to;

    if (traffic.gap > 0 && next > now) {
        return false;
    }
    to = traffic.to();
    if (to == fabric_me) {
        return true;
    }
    struct fsh_fpga_raw raw = fabric_command(traffic.op, to, traffic.bytes);
    if (!fsh_fpga_raw_submit(&raw, &batch.record[i])) {
        atomic_store(&batch.record[i].done, 1);
        return false;
    }
    made[i] = traffic.gap > 0 ? next : now;
    if (traffic.gap > 0) {
        next += draw_gap();
    }
    return true;
}

static void refill(bool more)
{
    for (unsigned i = 0; i < traffic.most; ++i) {
        /* Partner: the conduit's release store when the command completes. */
        if (!atomic_load_explicit(&batch.record[i].done,
                                  memory_order_acquire)) {
            continue;
        }
        if (made[i] != 0) {
            end_command(i);
        }
        more = more && make_command(i);
    }
}

bool fabric_traffic_step(uint64_t until)
{
    uint64_t now, end = until;

    refill(true);
    now = fabric_now();
    if (now >= until) {
        return true;
    }
    if (traffic.most > 0 && traffic.gap > 0 && next > now && next < until) {
        end = next;
    }
    if (!fsh_fpga_poll()) {
        fsh_conduit_fpga.wait((end - now) * FSH_NS_PER_CYCLE, false);
    }
    return false;
}

void fabric_traffic_drive(uint64_t until)
{
    while (!fabric_traffic_step(until)) {}
}

struct fabric_counts fabric_traffic_end(void)
{
    perf_wait(&batch, "the fabric's traffic");
    refill(false);
    traffic.most = 0;
    return counts;
}
