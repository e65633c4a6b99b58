/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets of any kind to nodes, over their links. Two nodes of the RTL, checked by
 * its assertions and the checkers of hw/tb/check, among fake nodes, which send valid
 * packets and invalid ones (packet_forge.h), while the hosts of the real nodes have
 * operations in flight between each other and with the fake ones. In all cases the
 * nodes become quiescent; every operation ends once, by an entry; nothing is written
 * except segment, rings and the slots of existing nodes; each dropped, refused,
 * forwarded or received packet is counted (packet_judge.h); and everything still
 * works. Each case is a fabric of its own.
 */
#include "bed.h"
#include "packet_forge.h"
#include "packet_judge.h"

enum {
    BASE = 0x4000, /* of the segment in device memory */
    SEGMENT = 0x10000,
    DRAM = 0x20000,
    DMA = 16 << 20,
    PAGE = 4096,
    LIMIT = 400000, /* cycles in which all comes to rest */
    PACKETS = 50,   /* of a case, at most */
    TAGS = FSH_HOST_TAGS,
    FAR_TAGS = 16, /* from here on: operations with played nodes */
    AFTER = 2500,  /* bytes of an operation that must work */
};
static const unsigned char PATTERN = 0xa5;

static struct fsh_bed bed;
static struct forge forge;
static struct judge_node known[FSH_MAX_NODES];
static struct judge_count expected[FSH_MAX_NODES];
static uint32_t follow[FSH_MAX_NODES][FSH_MAX_PORTS];
/* Of a real node: who a tag in flight is with; has its tag had an error? */
static struct {
    bool live, spent, clean; /* clean: ended when nothing was under way */
    uint32_t peer;
} tags[FSH_MAX_NODES][TAGS];
static uint64_t strays[FSH_MAX_NODES]; /* entries for requests it never made */
static unsigned char pattern[PAGE];

static bool is_real(uint32_t node)
{
    return node == forge.real[0] || node == forge.real[1];
}

/* --- the links -------------------------------------------------------------- */

static void on_beat(void *arg, uint32_t node, uint32_t port, uint64_t data[2])
{
    uint32_t *left = &follow[node][port];

    (void)arg;
    if (*left) {
        --*left;
        return;
    }
    *left = peer_beats(data) - 1;
    if (is_real(node))
        judge(&known[node], port, data, &expected[node]);
}

/* --- the bed ----------------------------------------------------------------- */

static void write_reg(uint32_t node, uint32_t offset, uint64_t value)
{
    CHECK(fsh_fabric_host_write(bed.fab, node, offset, value), "no room");
}

static uint64_t read_reg(uint32_t node, uint32_t offset)
{
    uint64_t value = 0;

    CHECK(fsh_fabric_read(bed.fab, node, offset, LIMIT, &value), "no answer");
    return value;
}

static void settle(const char *when)
{
    const char *error;
    bool quiet = fsh_fabric_run(bed.fab, LIMIT);

    error = fsh_fabric_error(bed.fab);
    CHECK(!error, "%s: %s", when, error);
    CHECK(quiet, "%s: the nodes do not come to rest", when);
}

/* Guards around the segment; routes to nodes that are not there, anywhere. */
static void program(struct fuzz *f, uint32_t node)
{
    struct fsh_route route[FSH_MAX_NODES];
    struct judge_node *k = &known[node];

    write_reg(node, FSH_REG_SEG_BASE, fsh_fabric_dram_base(bed.fab) + BASE);
    fsh_topology_routes_from(&bed.topology, node, 3, route);
    *k = (struct judge_node){
        .node = node, .nodes = bed.nodes, .ports = 3, .seg_size = SEGMENT};
    for (uint32_t to = 0; to < FSH_MAX_NODES; to++) {
        struct fsh_route any = {.ports = (uint8_t)fuzz_below(f, 4),
                                .vcs = (uint8_t)fuzz_below(f, 4)};

        k->route[to] = to < bed.nodes ? route[to].ports : any.ports;
        if (to == node)
            k->route[to] = 3;
        if (to >= bed.nodes)
            write_reg(node, FSH_REG_ROUTE + 8 * to,
                      fsh_route_word(any, SEGMENT));
    }
    memset(fsh_fabric_dram(bed.fab, node), PATTERN, DRAM);
    memset(fsh_fabric_dma(bed.fab, node), PATTERN, FSH_BED_CPL);
    memset(fsh_fabric_dma(bed.fab, node) + FSH_BED_STATUS + FSH_BEAT_BYTES,
           PATTERN, DMA - FSH_BED_STATUS - FSH_BEAT_BYTES);
}

/* Two real nodes between two played ones, or beside one. */
static void open_bed(struct fuzz *f)
{
    struct fsh_bed_options options = {.packet = FSH_MIN_PACKET
                                                << fuzz_below(f, 4),
                                      .ports = 3,
                                      .seg_size = SEGMENT};
    struct fsh_fabric_config config;
    bool line = fuzz_below(f, 2) != 0;
    char err[256];

    peer_begin();
    memset(follow, 0, sizeof follow);
    memset(expected, 0, sizeof expected);
    memset(tags, 0, sizeof tags);
    memset(strays, 0, sizeof strays);
    fsh_fabric_defaults(&config);
    config.nodes = line ? 4 : 3;
    config.topology = fsh_bed_topology(line ? "line" : "ring", config.nodes);
    config.dram_bytes = DRAM;
    config.dma_bytes = DMA;
    config.seed = fuzz_word(f);
    config.stall = fuzz_below(f, 2) != 0;
    config.stall_seed = fuzz_word(f);
    config.compute = fuzz_rarely(f, 4);
    config.events.link_beat = on_beat;
    forge = (struct forge){.nodes = config.nodes,
                           .real = {1, 2},
                           .seg_size = SEGMENT,
                           .draw = fuzz_word(f)};
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t i = 0; i < 2; i++)
        program(f, forge.real[i]);
    settle("the beginning");
    for (uint32_t n = 0; n < bed.nodes; n++)
        if (!is_real(n))
            peer_play(n);
}

/* --- what hosts do ------------------------------------------------------------ */

/* Entries that came; each ends a tag that is in flight. */
static void take_entries(uint32_t node)
{
    uint64_t entry[2];

    for (int ring = FSH_BED_RING_REQ; ring <= FSH_BED_RING_REP; ring++)
        while (fsh_bed_take(&bed, node, (enum fsh_bed_ring)ring, entry))
            ;
    while (fsh_bed_take(&bed, node, FSH_BED_RING_CPL, entry)) {
        uint64_t tag = fsh_ring_tag(entry);

        if (fsh_ring_opcode(entry) == FSH_OP_COMPUTE)
            continue; /* a compute core's, so it says */
        if (fsh_ring_status(entry) == FSH_STATUS_BAD_NODE && tag < TAGS &&
            !tags[node][tag].live && strays[node] < expected[node].back) {
            strays[node]++; /* a node believes that the request was its own */
            continue;
        }
        CHECK(fsh_ring_kind(entry) == FSH_CPL_TAGGED && tag < TAGS &&
                  tags[node][tag].live,
              "node %u: an entry for nothing in flight: %016llx", node,
              (unsigned long long)entry[0]);
        tags[node][tag].live = false;
        tags[node][tag].spent |= fsh_ring_status(entry) != FSH_STATUS_OK;
    }
}

static void submit(uint32_t node, uint32_t peer, uint32_t tag, bool put,
                   uint64_t local, uint64_t remote, uint32_t length)
{
    struct fsh_bed_command cmd;

    if (put)
        fsh_bed_put(&cmd, peer, tag, local, remote, length);
    else
        fsh_bed_get(&cmd, peer, tag, local, remote, length);
    if (!fsh_bed_submit(&bed, node, &cmd))
        return; /* full: another time */
    tags[node][tag].live = true;
    tags[node][tag].clean = false;
    tags[node][tag].peer = peer;
    known[node].asked = true;
}

/* An operation of a real node with any other. */
static void submit_any(struct fuzz *f, uint32_t node)
{
    uint32_t peer = fuzz_below(f, bed.nodes);
    uint32_t length =
        fuzz_below(f, 2) ? fuzz_below(f, 100) : fuzz_below(f, 5000);
    uint32_t tag = is_real(peer) ? fuzz_below(f, FORGE_OWN_TAGS)
                                 : FAR_TAGS + fuzz_below(f, TAGS - FAR_TAGS);

    if (peer == node || tags[node][tag].live || tags[node][tag].spent)
        return;
    submit(node, peer, tag, fuzz_below(f, 2) != 0,
           fuzz_below(f, SEGMENT - 5000), fuzz_below(f, SEGMENT - 5000),
           length);
}

/* --- the rounds --------------------------------------------------------------- */

/* A played node has something to send: wake it. */
static void wake(uint32_t node)
{
    write_reg(node, FSH_REG_FAULTS, 0);
}

static void queue_packets(struct fuzz *f)
{
    static struct peer_packet packet;
    uint32_t count = 1 + fuzz_below(f, PACKETS);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = forge.nodes == 4 ? 3 * fuzz_below(f, 2) : 0;
        uint32_t port = fuzz_below(f, 2);

        if (!fsh_topology_plugged(&bed.topology, node, port))
            port ^= 1;
        forge.self = node;
        forge_packet(f, &forge, &packet);
        CHECK(peer_send(node, port, &packet), "no room");
    }
    wake(0);
    if (forge.nodes == 4)
        wake(3);
}

static bool all_sent(void)
{
    return peer_done(0) && (forge.nodes == 3 || peer_done(3));
}

/* Until the played nodes have sent everything, hosts submit. */
static void mix(struct fuzz *f)
{
    uint64_t end = fsh_fabric_cycle(bed.fab) + LIMIT;
    uint32_t pace = 20 + fuzz_below(f, 200), wait = 0;

    queue_packets(f);
    while (!all_sent() && fsh_fabric_cycle(bed.fab) < end) {
        if (++wait % pace == 0)
            submit_any(f, forge.real[fuzz_below(f, 2)]);
        fsh_fabric_tick(bed.fab);
        take_entries(forge.real[0]);
        take_entries(forge.real[1]);
        CHECK(!fsh_fabric_error(bed.fab), "%s", fsh_fabric_error(bed.fab));
    }
    CHECK(all_sent(), "a packet waits for credit and gets none");
    settle("the packets");
    take_entries(forge.real[0]);
    take_entries(forge.real[1]);
}

/* A played node says of each operation that still waits for it that it has failed. */
static void refuse_rest(uint32_t node)
{
    static struct peer_packet packet;

    for (uint32_t tag = 0; tag < TAGS; tag++) {
        uint32_t peer = tags[node][tag].peer, port = 0;

        if (!tags[node][tag].live)
            continue;
        CHECK(!is_real(peer), "node %u: tag %u does not end", node, tag);
        tags[node][tag].clean = true;
        memset(&packet, 0, sizeof packet);
        packet.beats = 1;
        fsh_hdr_set_opcode(packet.beat[0], FSH_OP_PUT_ACK);
        fsh_hdr_set_reply(packet.beat[0], 1);
        fsh_hdr_set_first(packet.beat[0], 1);
        fsh_hdr_set_dst(packet.beat[0], node);
        fsh_hdr_set_src(packet.beat[0], peer);
        fsh_hdr_set_tag(packet.beat[0], tag);
        fsh_hdr_set_status(packet.beat[0], FSH_STATUS_UNSUPPORTED);
        if (!fsh_topology_plugged(&bed.topology, peer, port))
            port ^= 1;
        CHECK(peer_send(peer, port, &packet), "no room");
        wake(peer);
    }
}

static void end_operations(void)
{
    for (uint32_t i = 0; i < 2; i++)
        refuse_rest(forge.real[i]);
    settle("the last answers");
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t node = forge.real[i];

        take_entries(node);
        for (uint32_t tag = 0; tag < TAGS; tag++)
            CHECK(!tags[node][tag].live, "node %u: tag %u does not end", node,
                  tag);
    }
}

/* --- what must hold ------------------------------------------------------------ */

static void check_count(uint32_t node, const char *what, uint64_t is,
                        uint64_t low, uint64_t high)
{
    CHECK(is >= low && is <= high,
          "node %u: %s %llu, from %llu to %llu expected", node, what,
          (unsigned long long)is, (unsigned long long)low,
          (unsigned long long)high);
}

static void check_counters(uint32_t node)
{
    const struct judge_count *e = &expected[node];
    struct fsh_bed_perf perf;
    const struct {
        uint32_t event;
        const char *what;
        uint64_t low, high;
    } events[] = {
        {FSH_PERF_REQ_HDR, "requests", e->requests, e->requests},
        {FSH_PERF_REP_HDR, "replies", e->replies, e->replies},
        {FSH_PERF_FORWARD, "passed on", e->passed, e->passed},
        {FSH_PERF_REFUSED, "refused", e->refused[0], e->refused[1]},
    };

    for (uint32_t i = 0; i < sizeof events / sizeof *events; i++) {
        CHECK(fsh_bed_perf(&bed, node, events[i].event, &perf), "no answer");
        check_count(node, events[i].what, perf.count, events[i].low,
                    events[i].high);
    }
    check_count(node, "dropped", read_reg(node, FSH_REG_FAULTS), e->dropped[0],
                e->dropped[1]);
}

/* May a node of the fabric make this one write here? Slots, their lines. */
static bool may_write(uint32_t node, uint64_t at)
{
    uint64_t slot, src;

    if (at >= FSH_BED_SLOT_PAY)
        slot = (at - FSH_BED_SLOT_PAY) / FSH_MAX_MEDIUM;
    else if (at >= FSH_BED_SLOT_HDR &&
             at < FSH_BED_SLOT_HDR + 2048u * FSH_SLOT_HEADER_BYTES)
        slot = (at - FSH_BED_SLOT_HDR) / FSH_SLOT_HEADER_BYTES;
    else
        return at >= FSH_BED_CPL && at < FSH_BED_STATUS + FSH_BEAT_BYTES;
    src = slot / FSH_SLOTS_PER_PEER % FSH_MAX_NODES;
    return src < bed.nodes && src != node;
}

static void check_memory(uint32_t node)
{
    const unsigned char *dram = fsh_fabric_dram(bed.fab, node);
    const unsigned char *dma = fsh_fabric_dma(bed.fab, node);

    for (uint64_t i = 0; i < DRAM; i++)
        CHECK(dram[i] == PATTERN || (i >= BASE && i < BASE + SEGMENT),
              "node %u: byte 0x%llx beside the segment is written", node,
              (unsigned long long)i);
    for (uint64_t p = 0; p < DMA; p += PAGE) {
        if (!memcmp(dma + p, pattern, PAGE))
            continue;
        for (uint64_t i = p; i < p + PAGE; i++)
            CHECK(dma[i] == PATTERN || may_write(node, i),
                  "node %u: byte 0x%llx of the DMA window is written", node,
                  (unsigned long long)i);
    }
}

/* Tags of a node get from the other, and its own put: all but those whose operation an
 * answer may have ended a few cycles before another (docs/03_developer/status.md). */
static void check_works(uint32_t node, uint32_t other)
{
    unsigned char *here = fsh_fabric_dram(bed.fab, node) + BASE;
    unsigned char *there = fsh_fabric_dram(bed.fab, other) + BASE;

    for (uint32_t i = 0; i < AFTER; i++)
        there[i] = (unsigned char)(i * 7 + node);
    for (uint32_t tag = 0; tag < TAGS + FORGE_OWN_TAGS; tag++) {
        bool put = tag >= TAGS;

        if (tag >= FORGE_OWN_TAGS && !put && !tags[node][tag].clean)
            continue;
        tags[node][tag % TAGS].spent = false;
        memset((put ? there : here) + SEGMENT / 2, 0, AFTER);
        submit(node, other, tag % TAGS, put, put ? 0 : SEGMENT / 2,
               put ? SEGMENT / 2 : 0, AFTER);
        settle("work as usual");
        take_entries(node);
        CHECK(!tags[node][tag % TAGS].live && !tags[node][tag % TAGS].spent,
              "node %u: tag %u %s", node, tag % TAGS,
              tags[node][tag % TAGS].live ? "does not end" : "fails");
        CHECK(!memcmp(there + (put ? SEGMENT / 2 : 0),
                      here + (put ? 0 : SEGMENT / 2), AFTER),
              "node %u: tag %u: other data", node, tag % TAGS);
    }
}

static void fuzz_setup(void)
{
    memset(pattern, PATTERN, sizeof pattern);
}

static void fuzz_case(struct fuzz *f)
{
    open_bed(f);
    for (uint32_t rounds = 1 + fuzz_below(f, 2); rounds; rounds--) {
        mix(f);
        end_operations();
        check_counters(1);
        check_counters(2);
        for (uint32_t i = 0; i < 2; i++)
            for (uint32_t tag = 0; tag < TAGS; tag++)
                tags[forge.real[i]][tag].spent = false;
    }
    check_memory(1);
    check_memory(2);
    check_works(1, 2);
    check_works(2, 1);
    check_counters(1);
    check_counters(2);
    CHECK(fsh_bed_close(&bed), "close");
}

FUZZ_MAIN(60)
