/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute port under load: hosts and compute cores (sim_core.h) of two to
 * four nodes send each other RUNs, SIGNALs, completions, PUTs and GETs at random,
 * good ones and bad ones, over both ports and to themselves, under random stalls
 * and with queues that are often full. All that comes must have been sent, once,
 * with its words and its status; all that was sent must come; at the end the
 * nodes are idle and the counters right.
 * Arguments: seeds; none runs a fixed list. Environment: SIM_WAVES=FILE.fst.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sim_core.h"
#include "sim_ref.h"

#define NODES 4u
#define SEGMENT (1u << 20)
#define PER_NODE 700u /* operations of a host; of a core three times */
#define LIMIT 200000u
#define FROM 0x4000u
#define FROM_BYTES 0x8000u
#define TO 0x40000u /* 2 KiB for each tag of each node */
#define TO_BYTES 0x800u
#define RUNS (NODES * PER_NODE)
#define COOKIES 2048u

static struct fsh_bed bed;
static uint64_t rng;
static uint32_t nodes, packet;

static struct put { /* PUT or GET in flight */
    bool live, get;
    uint32_t dst, at, status, length, from, to; /* at: written, if good */
} put[NODES][FSH_NUM_TAGS];                     /* also the tags of messages */
static struct run {
    bool live, delivered, taken;
    uint32_t from, dst, count, mover;
} run[RUNS];
static uint32_t runs;
static struct message { /* of a host, by tag: not a PUT or GET */
    bool live;
    uint32_t dst, run; /* index, or RUNS */
    uint32_t status;
} message[NODES][FSH_HOST_TAGS];
static uint32_t signals_sent[NODES][FSH_NUM_EVENTS];
static uint32_t signals_got[NODES][FSH_NUM_EVENTS];
static struct {
    bool live;
    uint32_t from, status;
} complete[NODES][COOKIES]; /* by receiver */
static uint32_t next_cookie;
static uint64_t refused[NODES], entries[NODES], accepted[NODES];
static uint32_t left_host[NODES], left_core[NODES];
static unsigned came_busy, came_ok, came_complete, came_acks;

static uint32_t below(uint32_t n)
{
    return ref_below(&rng, n);
}

/* --- PUTs and GETs --------------------------------------------------------- */

static uint32_t place_of(uint32_t node, uint32_t tag)
{
    return TO + (node * FSH_NUM_TAGS + tag) * TO_BYTES;
}

/* One between good places; the bytes around the target are to stay. */
static struct put *make_put(uint32_t node, uint32_t tag, bool get)
{
    struct put *p = &put[node][tag];
    uint32_t place = place_of(node, tag);

    *p = (struct put){.live = true, .get = get, .dst = below(nodes)};
    p->length = below(4) ? below(TO_BYTES - 64) : below(40);
    p->from = FROM + below(FROM_BYTES - TO_BYTES);
    p->to = place + below(64);
    p->at = get ? node : p->dst;
    memset(fsh_fabric_dram(bed.fab, p->at) + place, 0xa5, TO_BYTES);
    return p;
}

static void check_put(uint32_t node, uint32_t tag, uint32_t status)
{
    struct put *p = &put[node][tag];
    uint32_t place = place_of(node, tag);
    const unsigned char *to = fsh_fabric_dram(bed.fab, p->at);
    const unsigned char *from =
        fsh_fabric_dram(bed.fab, p->get ? p->dst : node);
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
    struct run *r = &run[port->run_addr % RUNS];

    CHECK(port->run_addr < runs && !r->delivered && r->dst == node &&
              r->from == port->run_src && r->count == port->run_count &&
              r->mover == port->run_mover,
          "node %u: RUN %x of %u, twice or nobody's", node, port->run_addr,
          port->run_src);
    r->delivered = true;
}

void core_on_signal(uint32_t node, uint32_t counter, uint32_t increment)
{
    signals_got[node][counter] += increment;
}

void core_on_ack(uint32_t node, uint32_t tag, uint32_t status)
{
    came_acks++;
    check_put(node, FSH_HOST_TAGS + tag, status);
}

/* Make a PUT of the core bad in one way. */
static void spoil(uint32_t node, struct put *p, uint64_t *from, uint64_t *to)
{
    switch (below(3)) {
    case 0:
        p->status = FSH_STATUS_LOCAL_RANGE;
        p->length += !p->length;
        *from = SEGMENT + 1 - p->length;
        refused[node]++;
        break;
    case 1: /* one packet */
        p->status = FSH_STATUS_REMOTE_RANGE;
        p->length = 1 + below(16);
        *to = SEGMENT + 16 * below(100);
        refused[p->dst]++;
        break;
    default:
        p->status = FSH_STATUS_BAD_NODE;
        p->dst = nodes + below(256 - nodes);
        refused[node]++;
    }
}

static bool core_sends_put(uint32_t node)
{
    uint32_t tag = below(FSH_COMPUTE_TAGS);
    struct put *p = &put[node][FSH_HOST_TAGS + tag];
    uint64_t from, to;

    if (p->live)
        return false;
    make_put(node, FSH_HOST_TAGS + tag, false);
    from = p->from;
    to = p->to;
    if (below(8) == 0)
        spoil(node, p, &from, &to);
    return core_put(node, p->dst, tag, from, to, p->length);
}

static bool core_sends_signal(uint32_t node)
{
    uint32_t dst = below(nodes), counter = below(FSH_NUM_EVENTS);
    uint32_t increment = below(256);

    if (below(32) == 0) {
        refused[node]++;
        return core_signal(node, nodes, counter, increment);
    }
    signals_sent[dst][counter] += increment;
    return core_signal(node, dst, counter, increment);
}

static bool core_sends_complete(uint32_t node)
{
    uint32_t dst = below(nodes), cookie = next_cookie++ % COOKIES;

    if (complete[dst][cookie].live)
        return false;
    complete[dst][cookie].live = true;
    complete[dst][cookie].from = node;
    complete[dst][cookie].status = below(16);
    return core_complete(node, dst, cookie, complete[dst][cookie].status);
}

static void core_turn(uint32_t node)
{
    bool done;

    core[node].awake = left_core[node] != 0;
    if (!left_core[node] || core[node].tail - core[node].head > CORE_QUEUE / 2)
        return;
    switch (below(4)) {
    case 0:
        done = core_sends_complete(node);
        break;
    case 1:
        done = core_sends_signal(node);
        break;
    default:
        done = core_sends_put(node);
    }
    left_core[node] -= done;
    core[node].io->out.idle = 0;
}

/* --- the hosts ------------------------------------------------------------- */

static void host_message(uint32_t node, uint32_t tag,
                         struct fsh_bed_command *cmd)
{
    struct message *m = &message[node][tag];
    uint32_t args[4] = {0, 0, below(~0u), below(~0u)};
    uint64_t two = 0;

    *m = (struct message){true, below(nodes), RUNS, FSH_STATUS_OK};
    if (below(2)) {
        struct run *r = &run[runs];

        *r = (struct run){true,   false,          false,   node,
                          m->dst, 1 + below(255), below(2)};
        m->run = runs;
        fsh_crun_set_op(&two, FSH_CMSG_RUN);
        fsh_crun_set_count(&two, r->count);
        fsh_crun_set_mover(&two, r->mover);
        fsh_crun_set_addr(&two, runs++);
    } else if (below(8)) {
        uint32_t counter = below(FSH_NUM_EVENTS), increment = below(256);

        signals_sent[m->dst][counter] += increment;
        fsh_csignal_set_op(&two, FSH_CMSG_SIGNAL);
        fsh_csignal_set_counter(&two, counter);
        fsh_csignal_set_increment(&two, increment);
    } else {
        two = FSH_CMSG_COMPLETE + below(14);
        m->status = FSH_STATUS_UNSUPPORTED;
        refused[m->dst]++;
    }
    args[0] = (uint32_t)two;
    args[1] = (uint32_t)(two >> 32);
    fsh_bed_command(cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, m->dst, tag);
    fsh_cmd_set_ack(cmd->word, below(2));
    fsh_cmd_set_ordered(cmd->word, below(2));
    fsh_bed_attach(cmd, args, 2 + below(3), NULL, 0);
}

static void host_turn(uint32_t node)
{
    uint32_t tag = below(FSH_HOST_TAGS);
    struct fsh_bed_command cmd;
    struct put *p;

    if (!left_host[node] || message[node][tag].live || put[node][tag].live ||
        fsh_bed_room(&bed, node, false) < 1 ||
        fsh_fabric_host_room(bed.fab, node) < 16)
        return;
    if (below(3)) {
        host_message(node, tag, &cmd);
    } else {
        p = make_put(node, tag, below(2));
        if (p->get)
            fsh_bed_get(&cmd, p->dst, tag, p->to, p->from, p->length);
        else
            fsh_bed_put(&cmd, p->dst, tag, p->from, p->to, p->length);
    }
    CHECK(fsh_bed_submit(&bed, node, &cmd), "window full");
    left_host[node]--;
    accepted[node]++;
}

static void take_message(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);
    uint32_t status = (uint32_t)fsh_ring_status(entry);
    struct message *m = &message[node][tag % FSH_HOST_TAGS];

    CHECK(tag < FSH_HOST_TAGS && m->live && m->dst == fsh_ring_node(entry),
          "node %u: an answer nobody waits for: %016llx", node,
          (unsigned long long)entry[0]);
    m->live = false;
    came_ok += status == FSH_STATUS_OK;
    came_busy += status == FSH_STATUS_BUSY;
    if (m->run < RUNS && status == FSH_STATUS_BUSY)
        refused[m->dst]++;
    else
        CHECK(status == m->status, "node %u: status %u, not %u", node, status,
              m->status);
    if (m->run < RUNS) {
        run[m->run].live = false;
        run[m->run].taken = status == FSH_STATUS_OK;
    }
}

static void take_entry(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);

    entries[node]++;
    CHECK(fsh_ring_kind(entry) == FSH_CPL_TAGGED, "kind %llu",
          (unsigned long long)fsh_ring_kind(entry));
    if (fsh_ring_opcode(entry) == FSH_OP_COMPUTE) {
        CHECK(complete[node][tag].live &&
                  complete[node][tag].from == fsh_ring_node(entry) &&
                  complete[node][tag].status == fsh_ring_status(entry),
              "node %u: completion %u is nobody's", node, tag);
        complete[node][tag].live = false;
        came_complete++;
    } else if (tag < FSH_HOST_TAGS && put[node][tag].live) {
        check_put(node, tag, (uint32_t)fsh_ring_status(entry));
    } else {
        take_message(node, entry);
    }
}

/* --- a run ----------------------------------------------------------------- */

static void open_bed(uint64_t seed)
{
    struct fsh_bed_options options = {.ports = 3, .seg_size = SEGMENT};
    struct fsh_fabric_config config;
    char err[512];

    rng = seed;
    nodes = 2 + below(NODES - 1);
    packet = options.packet = FSH_MIN_PACKET << below(4);
    fsh_fabric_defaults(&config);
    config.nodes = nodes;
    config.ring = below(3) != 0;
    config.compute = true;
    config.link_cycles = 1 + below(60);
    config.dram_cycles = 1 + below(60);
    config.pcie_cycles = 1 + below(100);
    config.jump = below(2);
    config.seed = seed;
    config.stall = below(4) != 0;
    config.stall_seed = seed;
    config.link_jitter = below(2) * below(50);
    config.dram_bytes = 2 * SEGMENT;
    config.waves = getenv("SIM_WAVES");
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t n = 0; n < nodes; n++) {
        core[n].capacity[0] = 4 + below(4);
        core[n].capacity[1] = below(20);
        core[n].pace = below(3) ? 1 + below(30) : 1;
        left_host[n] = PER_NODE;
        left_core[n] = 3 * PER_NODE;
        ref_fill(&rng, fsh_fabric_dram(bed.fab, n) + FROM, FROM_BYTES);
        core_wake(&bed, n);
    }
    printf("seed %llu: %u nodes, %s, packets of %u%s", (unsigned long long)seed,
           nodes, config.ring ? "ring" : "line", packet,
           config.stall ? ", stalls" : "");
    fflush(stdout);
}

static bool busy(void)
{
    for (uint32_t n = 0; n < nodes; n++)
        if (left_host[n] || left_core[n])
            return true;
    return false;
}

static void take_entries(void)
{
    uint64_t entry[2];

    for (uint32_t n = 0; n < nodes; n++)
        while (fsh_bed_take(&bed, n, FSH_BED_RING_CPL, entry))
            take_entry(n, entry);
}

static void counter_is(uint32_t node, uint32_t event, uint64_t want)
{
    struct fsh_bed_perf perf;

    CHECK(fsh_bed_perf(&bed, node, event, &perf), "counter");
    CHECK(perf.count == want, "node %u: counter %u is %llu, not %llu", node,
          event, (unsigned long long)perf.count, (unsigned long long)want);
}

/* All that was sent has come. */
static void check_end(void)
{
    for (uint32_t i = 0; i < runs; i++)
        CHECK(!run[i].live && run[i].delivered == run[i].taken,
              "RUN %u of %u to %u: answered %s, %s", i, run[i].from, run[i].dst,
              run[i].taken ? "OK" : "BUSY",
              run[i].delivered ? "delivered" : "not delivered");
    for (uint32_t n = 0; n < nodes; n++) {
        CHECK(!core[n].overrun, "node %u: RUN without room", n);
        CHECK(memcmp(signals_sent[n], signals_got[n], sizeof *signals_sent) ==
                  0,
              "node %u: signals", n);
        for (uint32_t tag = 0; tag < FSH_NUM_TAGS; tag++)
            CHECK(!put[n][tag].live &&
                      (tag >= FSH_HOST_TAGS || !message[n][tag].live),
                  "node %u: tag %u never came back", n, tag);
        for (uint32_t i = 0; i < COOKIES; i++)
            CHECK(!complete[n][i].live, "node %u: completion %u", n, i);
        counter_is(n, FSH_PERF_ACCEPT, accepted[n]);
        counter_is(n, FSH_PERF_COMPLETE, entries[n]);
        counter_is(n, FSH_PERF_REFUSED, refused[n]);
    }
}

static void run_seed(uint64_t seed)
{
    uint64_t last;

    memset(put, 0, sizeof put);
    memset(run, 0, sizeof run);
    memset(message, 0, sizeof message);
    memset(signals_sent, 0, sizeof signals_sent);
    memset(signals_got, 0, sizeof signals_got);
    memset(complete, 0, sizeof complete);
    memset(refused, 0, sizeof refused);
    memset(entries, 0, sizeof entries);
    memset(accepted, 0, sizeof accepted);
    runs = came_busy = came_ok = came_complete = came_acks = 0;
    open_bed(seed);
    last = fsh_fabric_cycle(bed.fab) + 4 * LIMIT;
    while (busy()) {
        for (uint32_t n = 0; n < nodes; n++) {
            core_turn(n);
            if (below(8) == 0)
                host_turn(n);
        }
        fsh_fabric_step(bed.fab);
        CHECK(!fsh_fabric_error(bed.fab), "%s", fsh_fabric_error(bed.fab));
        CHECK(fsh_fabric_cycle(bed.fab) < last, "no end");
        take_entries();
    }
    for (uint32_t n = 0; n < nodes; n++)
        core_turn(n);
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not become idle: %s",
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
    take_entries();
    check_end();
    printf(": cycle %llu: %u OK, %u busy, %u completions, %u PUTs of cores\n",
           (unsigned long long)fsh_fabric_cycle(bed.fab), came_ok, came_busy,
           came_complete, came_acks);
    CHECK(fsh_bed_close(&bed), "close");
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_seed(strtoull(argv[i], NULL, 0));
    for (uint64_t seed = 1; argc == 1 && seed <= 10; seed++)
        run_seed(seed);
    puts("sim_compute_storm: ok");
    return 0;
}
