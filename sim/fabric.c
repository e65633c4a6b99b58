/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fabric: steps nodes and models in lockstep.
 *
 * A node is looked at in a cycle only if something is due there (`wake`), and
 * evaluated only if it is not idle or an input of it is up; a cycle in which no
 * node is to be looked at is jumped over. With jumping off every node is looked
 * at and evaluated in every cycle; what happens is the same.
 */
#include "fabric.h"

#include <stdarg.h>
#include <stdio.h>

#include "model.h"

#define EPOCH (UINT64_C(1) << 20)

void fsh_fabric_fail(struct fsh_fabric *fab, const char *fmt, ...)
{
    va_list args;

    if (fab->failed)
        return;
    va_start(args, fmt);
    vsnprintf(fab->error, sizeof fab->error, fmt, args);
    va_end(args);
    fab->failed = true;
}

static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* 32 streams, told from others by `which`: for 32 cycles each is free, held back
 * in 1/4 or 3/4 of the cycles, or shut. */
static uint32_t draw_stalls(const struct fsh_fabric *fab, uint64_t which)
{
    uint64_t key = scramble(fab->config.stall_seed + (which << 56));
    uint64_t mode = scramble(key ^ (fab->cycle >> 5));
    uint64_t coin = scramble(key + fab->cycle * UINT64_C(0x9E3779B97F4A7C15));
    uint32_t m0 = (uint32_t)mode, m1 = (uint32_t)(mode >> 32);
    uint32_t c0 = (uint32_t)coin, c1 = (uint32_t)(coin >> 32);

    return (m0 & ~m1 & c0 & c1) | (~m0 & m1 & (c0 | c1)) | (m0 & m1);
}

uint32_t fsh_stall_lanes(const struct fsh_fabric *fab, uint32_t node)
{
    return fab->config.stall ? draw_stalls(fab, FSH_MAX_NODES + node) : 0;
}

uint32_t fsh_stall_bits(const struct fsh_fabric *fab, uint32_t node)
{
    uint32_t bits = fab->config.stall ? draw_stalls(fab, node) : 0;

    for (uint32_t p = 0; p < FSH_NODE_MASTERS; p++)
        if (fab->node[node].master[p].hold > fab->cycle)
            bits |= 0x1fu << (5 * p);
    return bits;
}

uint32_t fsh_link_extra(const struct fsh_fabric *fab,
                        const struct fsh_link *link)
{
    uint64_t key = scramble(fab->config.stall_seed + link->sink * 2 +
                            link->port + UINT64_C(0x4C494E4B));

    return (uint32_t)(scramble(key ^ (fab->cycle >> 6)) %
                      (fab->config.link_jitter + 1u));
}

/* --- the host's calls -------------------------------------------------- */

uint32_t fsh_fabric_host_room(const struct fsh_fabric *fab, uint32_t node)
{
    const struct fsh_host *host = &fab->node[node].host;

    return FSH_HOST_QUEUE - (host->tail - host->head);
}

bool fsh_fabric_host_write(struct fsh_fabric *fab, uint32_t node,
                           uint32_t offset, uint64_t data)
{
    if (fab->replaying || fsh_fabric_host_room(fab, node) == 0)
        return false;
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_WRITE, fab->cycle, node, offset,
                       data);
    fsh_host_enter(fab, node, offset, data, false);
    fab->quiet = false;
    return true;
}

bool fsh_fabric_host_read(struct fsh_fabric *fab, uint32_t node,
                          uint32_t offset)
{
    if (fab->replaying || fab->node[node].host.read_busy ||
        fsh_fabric_host_room(fab, node) == 0)
        return false;
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_READ, fab->cycle, node, offset, 0);
    fsh_host_enter(fab, node, offset, 0, true);
    fab->quiet = false;
    return true;
}

bool fsh_fabric_read_answer(const struct fsh_fabric *fab, uint32_t node,
                            uint64_t *data)
{
    if (!fab->node[node].host.answered)
        return false;
    *data = fab->node[node].host.read_data;
    return true;
}

bool fsh_fabric_read(struct fsh_fabric *fab, uint32_t node, uint32_t offset,
                     uint64_t max_cycles, uint64_t *data)
{
    uint64_t end = fab->cycle + max_cycles;

    if (!fsh_fabric_host_read(fab, node, offset))
        return false;
    while (!fsh_fabric_read_answer(fab, node, data))
        if (!fsh_fabric_step(fab) || fab->cycle > end)
            return fsh_fabric_read_answer(fab, node, data);
    return true;
}

void fsh_gate_enter(struct fsh_fabric *fab)
{
    fab->gate_pending = true;
    fab->gate_at = fab->cycle + fab->config.pcie_cycles;
    for (uint32_t i = 0; i < fab->config.nodes; i++)
        fab->node[i].gate_pos = fab->node[i].host.tail;
}

void fsh_fabric_gate(struct fsh_fabric *fab)
{
    if (fab->replaying)
        return;
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_GATE, fab->cycle, 0, 0, 0);
    fsh_gate_enter(fab);
    fab->quiet = false;
}

/* Evaluations without a valid before the first look whether a node stands still;
 * each further look waits twice as long. */
enum { FIRST_LOOK = 6 };

/* Cycles go by in which no node is evaluated, although jumping is off: registers that
 * keep the cycle of something then differ by more than one, so who stood still is to be
 * found out anew. */
static void forget_still(struct fsh_fabric *fab)
{
    for (uint32_t i = 0; !fab->config.jump && i < fab->config.nodes; i++) {
        fab->node[i].still = false;
        fab->node[i].quiet = 0;
        fab->node[i].look = FIRST_LOOK;
    }
}

/* The setup before an epoch takes as long as the hosts take: what follows begins at
 * a cycle whose low bits, which decide whose turn it is at a memory, are the same
 * each time. */
void fsh_epoch_enter(struct fsh_fabric *fab)
{
    fab->cycle = (fab->cycle / EPOCH + 1) * EPOCH;
    forget_still(fab);
    fab->hash = 0;
    fab->waves_origin = fab->cycle;
}

uint64_t fsh_fabric_epoch(struct fsh_fabric *fab)
{
    if (fab->recording)
        fsh_tape_event(fab->tape, FSH_TAPE_EPOCH, fab->cycle, 0, 0, 0);
    fsh_epoch_enter(fab);
    return fab->cycle;
}

void fsh_fabric_dram_write(struct fsh_fabric *fab, uint32_t cycles)
{
    if (cycles < 1 || cycles > FSH_MAX_DELAY ||
        cycles == fab->config.dram_write_cycles)
        return;
    fab->config.dram_write_cycles = cycles;
    if (fab->recording)
        fsh_tape_dram_write(fab->tape, fab->cycle, cycles);
    for (uint32_t i = 0; i < fab->config.nodes; i++) {
        struct fsh_sim_node *node = &fab->node[i];

        for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
            node->master[p].resp_cycles = cycles;
        for (uint32_t l = 0; node->core && l < FSH_COMPUTE_LANES; l++)
            node->core->lane[l].resp_cycles = cycles;
    }
}

bool fsh_fabric_hold_link(struct fsh_fabric *fab, uint32_t node, uint32_t port,
                          uint32_t cycles)
{
    return fsh_link_hold(fab, &fab->node[node].rx[port], cycles);
}

void fsh_fabric_hold_memory(struct fsh_fabric *fab, uint32_t node,
                            uint32_t port, uint32_t cycles)
{
    uint64_t end = fab->cycle + cycles;

    if (port < FSH_NODE_MASTERS)
        fab->node[node].master[port].hold = end;
    else
        fab->node[node].core->lane[port - FSH_NODE_MASTERS].hold = end;
    fab->stalling = true;
}

void fsh_fabric_spoil_memory(struct fsh_fabric *fab, uint32_t node,
                             uint32_t port, uint64_t at, uint64_t bytes)
{
    struct fsh_master *m = &fab->node[node].master[port];

    m->bad_from = m->base + at;
    m->bad_to = m->bad_from + bytes;
}

/* --- time -------------------------------------------------------------- */

/* Every host write made before the gate was asked for is in its node. */
static bool gate_drained(const struct fsh_fabric *fab)
{
    for (uint32_t i = 0; i < fab->config.nodes; i++)
        if ((int32_t)(fab->node[i].host.head -
                      (uint32_t)fab->node[i].gate_pos) < 0)
            return false;
    return true;
}

static uint64_t node_due(const struct fsh_sim_node *node)
{
    uint64_t due = fsh_host_due(&node->host);

    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
        uint64_t at = fsh_link_due(&node->rx[p]);

        due = at < due ? at : due;
    }
    for (uint32_t p = 0; p < FSH_NODE_MASTERS; p++) {
        uint64_t at = fsh_master_due(&node->master[p]);

        due = at < due ? at : due;
    }
    if (node->core) {
        uint64_t at = fsh_sim_compute_due(node->core);

        due = at < due ? at : due;
    }
    return due;
}

static bool memory_inputs(struct fsh_fabric *fab, struct fsh_sim_node *node,
                          uint32_t stall)
{
    bool active = false;

    for (uint32_t k = 0; k < FSH_NODE_PORTS; k++) {
        uint32_t p = (k + (uint32_t)fab->cycle) % FSH_NODE_PORTS;

        active |= fsh_master_step(fab, node, &node->master[p], stall);
    }
    return active;
}

/* Is the node to be evaluated, given whether a valid is up on its pins? Nodes
 * mostly wait: for memory, for the rest of a packet, for an acknowledgement. */
static bool moves(const struct fsh_fabric *fab, struct fsh_sim_node *node,
                  bool valid)
{
    const struct fsh_node_out *out = &node->io.out;

    if (valid || fab->stalling || out->run_room != node->run_room) {
        node->still = false;
        node->quiet = 0;
        node->look = FIRST_LOOK;
        node->run_room = out->run_room;
        return valid || !out->idle;
    }
    return !node->still && !out->idle;
}

/* After an evaluation: mark the state at one, compare at the next. */
static void look_still(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    /* The core has something for it from now on, which is in the state, too. */
    if (node->io.out.core_valid || node->io.out.run_room != node->run_room)
        return;
    if (node->still) { /* evaluated all the same: jumping is off */
        if (!fsh_node_unchanged(node->rtl))
            fsh_fabric_fail(fab, "node %u moves in cycle %llu, but stood still",
                            node->index, (unsigned long long)fab->cycle);
        fsh_node_mark(node->rtl);
        return;
    }
    if (node->quiet == node->look) {
        fsh_node_mark(node->rtl);
    } else if (node->quiet > node->look) {
        node->still = fsh_node_unchanged(node->rtl);
        node->look = 2 * node->quiet;
        if (node->still)
            fsh_node_mark(node->rtl);
    }
    node->quiet++;
}

/* Let the models see the node's outputs of this cycle and set its inputs;
 * decide whether the node must be evaluated. */
static void node_inputs(struct fsh_fabric *fab, struct fsh_sim_node *node,
                        bool gate)
{
    struct fsh_node_in *in = &node->io.in;
    const struct fsh_node_out *out = &node->io.out;
    uint32_t stall = fab->stalling ? fsh_stall_bits(fab, node->index) : 0;
    bool active = gate, core = false;

    in->cycle = fab->cycle;
    in->gate = gate;
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
        if (out->tx[p].valid) {
            active = true;
            if (fab->traced)
                fab->traced->beat(fab, node->index, p, &out->tx[p]);
            if (node->tx[p])
                fsh_link_push(fab, node->tx[p], &out->tx[p]);
        }
        active |= fsh_link_pop(&node->rx[p], fab->cycle, &in->rx[p]);
    }
    active |= fsh_host_step(fab, node, stall);
    active |= fsh_master_step(fab, node, &node->master[FSH_NODE_HOST], stall);
    /* Turns at the memory they share. */
    if (node->core && fab->cycle & 1)
        core = fsh_sim_compute_inputs(fab, node);
    active |= memory_inputs(fab, node, stall);
    if (node->core && !(fab->cycle & 1))
        core = fsh_sim_compute_inputs(fab, node);
    if (fab->traced)
        fab->traced->node(fab, node);
    active |= out->core_valid;
    active = moves(fab, node, active);
    node->wake = active || core ? fab->cycle + 1 : node_due(node);
    node->evaluate = active || !fab->config.jump;
    in->clk = node->evaluate;
    in->core_clk = node->core && node->core->evaluate;
}

/* In pairs, so that the code of a node is fetched once for both; not where only a
 * core is to be evaluated. */
static void evaluate_nodes(struct fsh_fabric *fab)
{
    struct fsh_sim_node *first = NULL;

    for (uint32_t i = 0; i < fab->config.nodes; i++) {
        struct fsh_sim_node *node = &fab->node[i];

        if (!node->evaluate) {
            if (node->core && node->core->evaluate)
                fsh_node_eval(node->rtl);
        } else if (first) {
            fsh_node_eval_two(first->rtl, node->rtl);
            first = NULL;
        } else {
            first = node;
        }
    }
    if (first)
        fsh_node_eval(first->rtl);
}

static void drive(struct fsh_fabric *fab)
{
    for (uint32_t i = 0; i < fab->config.nodes; i++) {
        struct fsh_sim_node *node = &fab->node[i];

        if (node->evaluate || (node->core && node->core->evaluate))
            fsh_node_drive(node->rtl);
    }
}

static void evaluate(struct fsh_fabric *fab)
{
    uint64_t ns = fab->cycle * FSH_NS_PER_CYCLE;
    bool shown = fsh_waves_due(fab);

    if (shown) {
        drive(fab);
        fsh_node_waves_dump(fab->waves, ns - FSH_NS_PER_CYCLE / 2);
    }
    evaluate_nodes(fab);
    for (uint32_t i = 0; i < fab->config.nodes; i++) {
        struct fsh_sim_node *node = &fab->node[i];

        if (node->core && node->core->evaluate) {
            node->core->evaluate = false;
            fab->computed++;
            node->evaluations++;
        }
        if (!node->evaluate)
            continue;
        node->evaluate = false;
        look_still(fab, node);
        fab->evaluated++;
        node->evaluations++;
    }
    if (shown)
        fsh_node_waves_dump(fab->waves, ns);
}

/* Cycle of the next event after this one. */
static uint64_t next_event(const struct fsh_fabric *fab)
{
    uint64_t next = FSH_NEVER;

    for (uint32_t i = 0; i < fab->config.nodes; i++)
        if (fab->node[i].wake < next)
            next = fab->node[i].wake;
    if (fab->gate_pending && fab->gate_at < next && gate_drained(fab))
        next = fab->gate_at;
    if (fab->replaying && !fab->over && fsh_tape_due(fab->tape) < next)
        next = fsh_tape_due(fab->tape);
    return next;
}

uint64_t fsh_fabric_next(const struct fsh_fabric *fab)
{
    uint64_t next;

    if (fab->failed || fab->over || fab->quiet)
        return FSH_NEVER;
    next = fab->config.jump ? next_event(fab) : fab->cycle;
    return next > fab->cycle ? next : fab->cycle;
}

void fsh_fabric_pass(struct fsh_fabric *fab, uint64_t to)
{
    if (to <= fsh_fabric_next(fab)) {
        fab->cycle = to;
        forget_still(fab);
    }
}

/* The present cycle. Returns that of the next event, or FSH_NEVER. */
static uint64_t tick(struct fsh_fabric *fab)
{
    uint64_t next;
    bool gate;

    if (fab->replaying && !fab->over)
        fsh_tape_feed(fab->tape, fab);
    if (fab->failed || fab->over || fab->quiet)
        return FSH_NEVER;
    gate = fab->gate_pending && fab->gate_at <= fab->cycle && gate_drained(fab);
    for (uint32_t i = 0; i < fab->config.nodes; i++)
        if (gate || fab->node[i].wake <= fab->cycle || !fab->config.jump)
            node_inputs(fab, &fab->node[i], gate);
    evaluate(fab);
    if (gate) {
        fab->gate_pending = false;
        if (fab->config.events.gate_open)
            fab->config.events.gate_open(fab->config.events.arg);
    }
    if (fsh_node_error())
        fsh_fabric_fail(fab, "%s (cycle %llu)", fsh_node_error(),
                        (unsigned long long)fab->cycle);
    next = next_event(fab);
    fab->cycle++;
    fab->quiet = next == FSH_NEVER;
    return next;
}

bool fsh_fabric_tick(struct fsh_fabric *fab)
{
    return tick(fab) != FSH_NEVER && !fab->failed;
}

bool fsh_fabric_step(struct fsh_fabric *fab)
{
    uint64_t next = tick(fab);

    if (next == FSH_NEVER)
        return false;
    if (fab->config.jump && next > fab->cycle)
        fab->cycle = next;
    return !fab->failed;
}

bool fsh_fabric_run(struct fsh_fabric *fab, uint64_t max_cycles)
{
    uint64_t end = fab->cycle + max_cycles;

    while (fab->cycle < end)
        if (!fsh_fabric_step(fab))
            break;
    return fab->quiet && !fab->failed;
}

/* --- what to look at --------------------------------------------------- */

const char *fsh_fabric_error(const struct fsh_fabric *fab)
{
    return fab->failed ? fab->error : NULL;
}

uint64_t fsh_fabric_cycle(const struct fsh_fabric *fab)
{
    return fab->cycle;
}

uint64_t fsh_fabric_evaluated(const struct fsh_fabric *fab)
{
    return fab->evaluated;
}

uint64_t fsh_fabric_computed(const struct fsh_fabric *fab)
{
    return fab->computed;
}

uint64_t fsh_fabric_dram_moved(const struct fsh_fabric *fab, uint32_t node)
{
    return fab->node[node].dram_pool.taken;
}

uint32_t fsh_fabric_nodes(const struct fsh_fabric *fab)
{
    return fab->config.nodes;
}

unsigned char *fsh_fabric_dram(struct fsh_fabric *fab, uint32_t node)
{
    return fab->node[node].master[0].mem;
}

unsigned char *fsh_fabric_dma(struct fsh_fabric *fab, uint32_t node)
{
    return fab->node[node].master[FSH_NODE_HOST].mem;
}

uint64_t fsh_fabric_dram_base(const struct fsh_fabric *fab)
{
    return fab->node[0].master[0].base;
}

uint64_t fsh_fabric_dma_bus(const struct fsh_fabric *fab)
{
    return fab->node[0].master[FSH_NODE_HOST].base;
}

uint64_t fsh_fabric_hash(const struct fsh_fabric *fab)
{
    return fab->hash;
}

bool fsh_fabric_replay_over(const struct fsh_fabric *fab)
{
    return fab->over;
}
