/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hosts and compute cores in a storm; see sim_storm.h.
 */
#include "sim_storm.h"

#include <string.h>

struct storm storm;

uint32_t storm_below(uint32_t n)
{
    return ref_below(&storm.rng, n);
}

/* --- PUTs and GETs --------------------------------------------------------- */

static uint32_t place_of(uint32_t node, uint32_t tag)
{
    return TO + (node * FSH_NUM_TAGS + tag) * TO_BYTES;
}

struct storm_put *storm_make_put(uint32_t node, uint32_t tag, bool get)
{
    struct storm_put *p = &storm.put[node][tag];
    uint32_t place = place_of(node, tag);

    *p = (struct storm_put){
        .live = true, .get = get, .dst = storm_below(storm.nodes)};
    p->length = storm_below(4) ? storm_below(TO_BYTES - 64) : storm_below(40);
    p->from = FROM + storm_below(FROM_BYTES - TO_BYTES);
    p->to = place + storm_below(64);
    p->at = get ? node : p->dst;
    memset(fsh_fabric_dram(storm.bed.fab, p->at) + place, 0xa5, TO_BYTES);
    return p;
}

void storm_check_put(uint32_t node, uint32_t tag, uint32_t status)
{
    struct storm_put *p = &storm.put[node][tag];
    uint32_t place = place_of(node, tag);
    const unsigned char *to = fsh_fabric_dram(storm.bed.fab, p->at);
    const unsigned char *from =
        fsh_fabric_dram(storm.bed.fab, p->get ? p->dst : node);
    uint32_t length = p->status == FSH_STATUS_OK ? p->length : 0;

    CHECK(p->live, "node %u: tag %u is not in use", node, tag);
    CHECK(status == p->status, "node %u: tag %u: status %u, not %u", node, tag,
          status, p->status);
    p->live = false;
    for (uint32_t i = place; i < place + TO_BYTES; i++)
        CHECK(to[i] == (i >= p->to && i < p->to + length
                            ? from[p->from + (i - p->to)]
                            : 0xa5),
              "node %u: tag %u: byte %d of %u", node, tag, (int)(i - p->to),
              length);
}

/* --- the cores ------------------------------------------------------------- */

void core_on_run(uint32_t node, const struct fsh_port_out *port)
{
    struct storm_run *r = &storm.run[port->run_addr % RUNS];

    CHECK(port->run_addr < storm.runs && !r->delivered && r->dst == node &&
              r->count == port->run_count && r->mover == port->run_mover,
          "node %u: RUN %x, twice or nobody's", node, port->run_addr);
    r->delivered = true;
}

void core_on_signal(uint32_t node, uint32_t counter, uint32_t increment)
{
    storm.signals_got[node][counter] += increment;
}

void core_on_ack(uint32_t node, uint32_t tag, uint32_t status)
{
    storm.came_acks++;
    storm_check_put(node, FSH_HOST_TAGS + tag, status);
}

/* Make a PUT of the core bad in one way. */
static void spoil(uint32_t node, struct storm_put *p, uint64_t *from,
                  uint64_t *to)
{
    switch (storm_below(3)) {
    case 0:
        p->status = FSH_STATUS_LOCAL_RANGE;
        p->length += !p->length;
        *from = SEGMENT + 1 - p->length;
        storm.refused[node]++;
        break;
    case 1: /* one packet */
        p->status = FSH_STATUS_REMOTE_RANGE;
        p->length = 1 + storm_below(16);
        *to = SEGMENT + 16 * storm_below(100);
        storm.refused[p->dst]++;
        break;
    default:
        p->status = FSH_STATUS_BAD_NODE;
        p->dst = storm.nodes + storm_below(256 - storm.nodes);
        storm.refused[node]++;
    }
}

static bool core_sends_put(uint32_t node)
{
    uint32_t tag = storm_below(FSH_COMPUTE_TAGS);
    struct storm_put *p = &storm.put[node][FSH_HOST_TAGS + tag];
    uint64_t from, to;

    if (p->live)
        return false;
    storm_make_put(node, FSH_HOST_TAGS + tag, false);
    from = p->from;
    to = p->to;
    if (storm_below(8) == 0)
        spoil(node, p, &from, &to);
    return core_put(node, p->dst, tag, from, to, p->length);
}

static bool core_sends_signal(uint32_t node)
{
    uint32_t dst = storm_below(storm.nodes),
             counter = storm_below(FSH_NUM_EVENTS);
    uint32_t increment = storm_below(256);

    if (storm_below(32) == 0) {
        storm.refused[node]++;
        return core_signal(node, storm.nodes, counter, increment);
    }
    storm.signals_sent[dst][counter] += increment;
    return core_signal(node, dst, counter, increment);
}

static bool core_sends_complete(uint32_t node)
{
    uint32_t dst = storm_below(storm.nodes),
             cookie = storm.next_cookie++ % COOKIES;

    if (storm.complete[dst][cookie].live)
        return false;
    storm.complete[dst][cookie].live = true;
    storm.complete[dst][cookie].from = node;
    storm.complete[dst][cookie].status = storm_below(16);
    return core_complete(node, dst, cookie, storm.complete[dst][cookie].status);
}

void storm_core_turn(uint32_t node)
{
    bool done;

    core[node].awake = storm.left_core[node] != 0;
    if (!storm.left_core[node] ||
        core[node].tail - core[node].head > CORE_QUEUE / 2)
        return;
    switch (storm_below(4)) {
    case 0:
        done = core_sends_complete(node);
        break;
    case 1:
        done = core_sends_signal(node);
        break;
    default:
        done = core_sends_put(node);
    }
    storm.left_core[node] -= done;
    core[node].io->out.core_busy = 1;
}

/* --- the hosts ------------------------------------------------------------- */

static void host_message(uint32_t node, uint32_t tag,
                         struct fsh_bed_command *cmd)
{
    struct storm_message *m = &storm.message[node][tag];
    uint32_t args[4] = {0, 0, storm_below(~0u), storm_below(~0u)};
    uint64_t two = 0;

    *m = (struct storm_message){true, storm_below(storm.nodes), RUNS,
                                FSH_STATUS_OK};
    if (storm_below(2)) {
        struct storm_run *r = &storm.run[storm.runs];

        *r = (struct storm_run){true,          false,  false,
                                node,          m->dst, 1 + storm_below(255),
                                storm_below(2)};
        m->run = storm.runs;
        fsh_crun_set_op(&two, FSH_CMSG_RUN);
        fsh_crun_set_count(&two, r->count);
        fsh_crun_set_mover(&two, r->mover);
        fsh_crun_set_addr(&two, storm.runs++);
    } else if (storm_below(8)) {
        uint32_t counter = storm_below(FSH_NUM_EVENTS),
                 increment = storm_below(256);

        storm.signals_sent[m->dst][counter] += increment;
        fsh_csignal_set_op(&two, FSH_CMSG_SIGNAL);
        fsh_csignal_set_counter(&two, counter);
        fsh_csignal_set_increment(&two, increment);
    } else {
        two = FSH_CMSG_COMPLETE + storm_below(14);
        m->status = FSH_STATUS_UNSUPPORTED;
        storm.refused[m->dst]++;
    }
    args[0] = (uint32_t)two;
    args[1] = (uint32_t)(two >> 32);
    fsh_bed_command(cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, m->dst, tag);
    fsh_cmd_set_ack(cmd->word, storm_below(2));
    fsh_cmd_set_ordered(cmd->word, storm_below(2));
    fsh_bed_attach(cmd, args, 2 + storm_below(3), NULL, 0);
}

void storm_host_turn(uint32_t node)
{
    uint32_t tag = storm_below(FSH_HOST_TAGS);
    struct fsh_bed_command cmd;
    struct storm_put *p;

    if (!storm.left_host[node] || storm.message[node][tag].live ||
        storm.put[node][tag].live ||
        fsh_bed_room(&storm.bed, node, false) < 1 ||
        fsh_fabric_host_room(storm.bed.fab, node) < 16)
        return;
    if (storm_below(3)) {
        host_message(node, tag, &cmd);
    } else {
        p = storm_make_put(node, tag, storm_below(2));
        if (p->get)
            fsh_bed_get(&cmd, p->dst, tag, p->to, p->from, p->length);
        else
            fsh_bed_put(&cmd, p->dst, tag, p->from, p->to, p->length);
    }
    CHECK(fsh_bed_submit(&storm.bed, node, &cmd), "window full");
    storm.left_host[node]--;
    storm.accepted[node]++;
}

static void take_message(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);
    uint32_t status = (uint32_t)fsh_ring_status(entry);
    struct storm_message *m = &storm.message[node][tag % FSH_HOST_TAGS];

    CHECK(tag < FSH_HOST_TAGS && m->live && m->dst == fsh_ring_node(entry),
          "node %u: an answer nobody waits for: %016llx", node,
          (unsigned long long)entry[0]);
    m->live = false;
    storm.came_ok += status == FSH_STATUS_OK;
    storm.came_busy += status == FSH_STATUS_BUSY;
    if (m->run < RUNS && status == FSH_STATUS_BUSY)
        storm.refused[m->dst]++;
    else
        CHECK(status == m->status, "node %u: status %u, not %u", node, status,
              m->status);
    if (m->run < RUNS) {
        storm.run[m->run].live = false;
        storm.run[m->run].taken = status == FSH_STATUS_OK;
    }
}

void storm_take_entry(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);

    storm.entries[node]++;
    CHECK(fsh_ring_kind(entry) == FSH_CPL_TAGGED, "kind %llu",
          (unsigned long long)fsh_ring_kind(entry));
    if (fsh_ring_opcode(entry) == FSH_OP_COMPUTE) {
        CHECK(storm.complete[node][tag].live &&
                  storm.complete[node][tag].from == fsh_ring_node(entry) &&
                  storm.complete[node][tag].status == fsh_ring_status(entry),
              "node %u: completion %u is nobody's", node, tag);
        storm.complete[node][tag].live = false;
        storm.came_complete++;
    } else if (tag < FSH_HOST_TAGS && storm.put[node][tag].live) {
        storm_check_put(node, tag, (uint32_t)fsh_ring_status(entry));
    } else {
        take_message(node, entry);
    }
}
