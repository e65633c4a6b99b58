/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of a fabric. A busy unit is a slice from the cycle in which it gets
 * something to do to the one in which it is done; a packet on a link is a slice from
 * its first beat to its last. Link and device memory utilisation are counters,
 * sampled by time window. Messages and transfers are identified by their headers: a
 * slot or tag belongs to one message at a time, so the n-th first packet with it is
 * the n-th message that the rank sent with it.
 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>

#include "base/trace.h"
#include "model.h"
#include "trace_inside.h"

enum {
    TO_NODE,  /* PCIe: register writes and reads, reads of host memory */
    TO_HOST,  /* PCIe: writes to host memory, answers */
    MEM_READ, /* device memory, all masters together */
    MEM_WRITE,
    COMPUTE,
    LINKS, /* one a port */
    TRACKS = LINKS + FSH_NODE_PORTS
};
static const char *const busy_names[LINKS] = {"PCIe to node", "PCIe to host",
                                              "reads", "writes", "compute"};
static const char *const use_names[FSH_NODE_PORTS + 1] = {
    "link 0 use (%)", "link 1 use (%)", "link 2 use (%)", "link 3 use (%)",
    "link 4 use (%)", "link 5 use (%)", "memory use (%)"};

#define MEMORY_TRACKS (1u << MEM_READ | 1u << MEM_WRITE)
#define UNSEEN (1u << 31) /* of those that are busy: nobody has looked yet */

#define WINDOW 1024u
#define MEMORY FSH_NODE_PORTS /* counter of device memory */
#define PENDING 32u

struct use {
    uint64_t window; /* number */
    uint64_t sum;    /* in it: cycles of a link, bytes of memory */
    bool shown;      /* the last counter is not 0 */
};
struct arrival { /* of a transfer that is about to be written */
    uint64_t flow, from, bytes;
};
struct traced_node {
    /* What is looked at each time stands together. */
    uint64_t evaluations; /* of the node, at the last look inside */
    uint32_t busy;        /* a bit a track */
    struct fsh_probe_seen seen;
    struct {
        uint64_t since, end, bytes;
    } track[LINKS];
    struct {
        uint64_t since, bytes, flow;
        uint32_t left, peer;
        uint16_t name;
    } packet[FSH_NODE_PORTS];
    struct use use[FSH_NODE_PORTS + 1];
    struct arrival arrival[PENDING];
    uint32_t arrivals;
    /* First packets by slot and channel, and by tag. */
    uint32_t slot[2][FSH_MAX_NODES][FSH_SLOTS_PER_PEER];
    uint32_t tag[FSH_HOST_TAGS];
    struct fsh_inside inside;
};
_Static_assert((int)FSH_INSIDE_MESSAGE == (int)TRACKS,
               "the inside has the tracks behind");
struct fsh_sim_trace {
    uint64_t start, now; /* cycle 0 of the trace; the present one in it */
    uint16_t busy_name[LINKS], use_name[FSH_NODE_PORTS + 1];
    struct traced_node node[];
};

static void put(struct fsh_sim_trace *t, uint32_t node,
                struct fsh_trace_record record)
{
    fsh_trace_made(&record, t->now);
    record.node = (uint16_t)node;
    fsh_trace_put(&record);
}

/* ---- use ---- */

static void count_use(struct fsh_sim_trace *t, uint32_t node, unsigned which,
                      uint64_t window, uint64_t percent)
{
    struct use *use = &t->node[node].use[which];

    if (percent == 0 && !use->shown)
        return;
    use->shown = percent != 0;
    put(t, node,
        (struct fsh_trace_record){.ts = window * WINDOW,
                                  .value = percent,
                                  .name = t->use_name[which],
                                  .kind = FSH_TRACE_COUNTER,
                                  .category = FSH_TRACE_NODE});
}

static uint64_t percent_of(const struct fsh_fabric *fab, unsigned which,
                           uint64_t sum)
{
    uint64_t rate = which == MEMORY ? fab->config.dram_bytes_cycle : 1;

    return (100 * sum + WINDOW * rate / 2) / (WINDOW * rate);
}

/* The window is over. */
static void tell_use(struct fsh_fabric *fab, uint32_t node, unsigned which)
{
    struct fsh_sim_trace *t = fab->trace;
    struct use *use = &t->node[node].use[which];
    uint64_t window = t->now / WINDOW;

    count_use(t, node, which, use->window, percent_of(fab, which, use->sum));
    if (window != use->window + 1)
        count_use(t, node, which, use->window + 1, 0);
    use->window = window;
    use->sum = 0;
}

/* So much more of a link or of memory is used now. */
static inline void add_use(struct fsh_fabric *fab, uint32_t node,
                           unsigned which, uint64_t amount)
{
    struct fsh_sim_trace *t = fab->trace;
    struct use *use = &t->node[node].use[which];

    if (t->now / WINDOW != use->window)
        tell_use(fab, node, which);
    use->sum += amount;
}

/* ---- links ---- */

/* The flow of a packet, as base/trace.c numbers it; 0: none. */
static uint64_t flow_of(struct fsh_sim_trace *t, uint32_t node,
                        const uint64_t *hdr)
{
    uint32_t src = (uint32_t)fsh_hdr_src(hdr), dst = (uint32_t)fsh_hdr_dst(hdr);
    unsigned tag = (unsigned)fsh_hdr_tag(hdr),
             op = (unsigned)fsh_hdr_opcode(hdr);
    bool request = !fsh_hdr_reply(hdr);
    struct traced_node *from;

    if (!fsh_hdr_first(hdr))
        return 0;
    if (op >= FSH_OP_LIBRARY) {
        uint32_t *count =
            &t->node[src].slot[request][dst][tag % FSH_SLOTS_PER_PEER];

        return fsh_trace_message_flow(request, src, dst, tag,
                                      node == src ? (*count)++ : *count - 1);
    }
    if (op == FSH_OP_GET_REPLY && tag < FSH_HOST_TAGS)
        return fsh_trace_transfer_flow(dst, tag, t->node[dst].tag[tag] - 1);
    if (!request || tag >= FSH_HOST_TAGS ||
        (op != FSH_OP_PUT && op != FSH_OP_GET && op != FSH_OP_COMPUTE))
        return 0;
    from = &t->node[src];
    return fsh_trace_transfer_flow(
        src, tag, node == src ? from->tag[tag]++ : from->tag[tag] - 1);
}

static uint32_t beats_of(const uint64_t *hdr)
{
    uint64_t bytes = fsh_hdr_bytes(hdr),
             at = fsh_hdr_addr(hdr) % FSH_BEAT_BYTES;
    uint64_t args = fsh_hdr_first(hdr) ? (fsh_hdr_nargs(hdr) + 3) / 4 : 0;

    if (fsh_hdr_opcode(hdr) == FSH_OP_GET)
        return 2;
    return (uint32_t)(1 + args +
                      (bytes
                           ? (at + bytes + FSH_BEAT_BYTES - 1) / FSH_BEAT_BYTES
                           : 0));
}

static const char *name_of(const uint64_t *hdr)
{
    static const char *const names[] = {"",        "PUT",       "GET",
                                        "PUT_ACK", "GET_REPLY", "COMPUTE"};
    uint64_t op = fsh_hdr_opcode(hdr);

    if (op < sizeof names / sizeof names[0] && op != 0)
        return names[op];
    return fsh_hdr_reply(hdr) ? "AM reply" : "AM request";
}

static void remember(struct fsh_sim_trace *t, const uint64_t *hdr,
                     uint64_t flow)
{
    struct traced_node *to = &t->node[fsh_hdr_dst(hdr)];
    uint64_t op = fsh_hdr_opcode(hdr);

    if (flow == 0 || fsh_hdr_space(hdr) != FSH_SPACE_SEGMENT ||
        (op != FSH_OP_PUT && op != FSH_OP_GET_REPLY))
        return;
    to->arrival[to->arrivals++ % PENDING] =
        (struct arrival){flow, fsh_hdr_addr(hdr), fsh_hdr_bytes(hdr)};
}

static void end_packet(struct fsh_sim_trace *t, uint32_t node, uint32_t port)
{
    const struct fsh_trace_record slice = {
        .ts = t->node[node].packet[port].since,
        .value = t->node[node].packet[port].bytes,
        .peer = t->node[node].packet[port].peer + 1,
        .name = t->node[node].packet[port].name,
        .kind = FSH_TRACE_SLICE,
        .category = FSH_TRACE_NODE,
        .track = (uint8_t)(LINKS + port)};

    t->now++; /* to the end of the last beat */
    put(t, node, slice);
    if (t->node[node].packet[port].flow != 0)
        put(t, node,
            (struct fsh_trace_record){.ts = slice.ts,
                                      .value = t->node[node].packet[port].flow,
                                      .kind = FSH_TRACE_FLOW_STEP,
                                      .category = FSH_TRACE_NODE,
                                      .track = slice.track});
    t->now--;
}

static void on_beat(struct fsh_fabric *fab, uint32_t node, uint32_t port,
                    const struct fsh_link_beat *beat)
{
    struct fsh_sim_trace *t = fab->trace;
    uint32_t *left = &t->node[node].packet[port].left;

    t->now = fab->node[node].cycle - t->start;
    add_use(fab, node, port, 1);
    if (beat->bound)
        return;
    if (*left == 0) {
        if (fsh_hdr_src(beat->data) >= fab->config.nodes ||
            fsh_hdr_dst(beat->data) >= fab->config.nodes)
            return; /* a test's */
        *left = beats_of(beat->data);
        t->node[node].packet[port].since = t->now;
        t->node[node].packet[port].bytes = fsh_hdr_bytes(beat->data);
        t->node[node].packet[port].peer = (uint32_t)fsh_hdr_dst(beat->data);
        t->node[node].packet[port].name = fsh_trace_name(name_of(beat->data));
        t->node[node].packet[port].flow = flow_of(t, node, beat->data);
        if (node == fsh_hdr_src(beat->data))
            remember(t, beat->data, t->node[node].packet[port].flow);
    }
    if (--*left == 0)
        end_packet(t, node, port);
}

/* ---- what is busy ---- */

static void turn(struct fsh_sim_trace *t, uint32_t node, unsigned track,
                 bool is)
{
    struct traced_node *n = &t->node[node];

    if (is) {
        n->track[track].since = t->now;
        n->track[track].bytes = 0;
    } else {
        put(t, node,
            (struct fsh_trace_record){.ts = n->track[track].since,
                                      .value = n->track[track].bytes,
                                      .name = t->busy_name[track],
                                      .kind = FSH_TRACE_SLICE,
                                      .category = FSH_TRACE_NODE,
                                      .track = (uint8_t)track});
        n->track[track].end = t->now;
    }
    n->busy ^= 1u << track;
}

/* The bytes of the cycle in which it ends are of it. */
static inline void busy(struct fsh_sim_trace *t, uint32_t node, unsigned track,
                        bool is, uint64_t bytes)
{
    struct traced_node *n = &t->node[node];

    if (!is)
        n->track[track].bytes += bytes;
    if (is != (n->busy >> track & 1))
        turn(t, node, track, is);
    if (is)
        n->track[track].bytes += bytes;
}

/* A register write has left the host a while ago, when nothing here was awake. */
static void posted(struct fsh_sim_trace *t, const struct fsh_fabric *fab,
                   const struct fsh_sim_node *node)
{
    const struct fsh_host *h = &node->host;
    struct traced_node *n = &t->node[node->index];
    uint64_t at;

    if (n->busy >> TO_NODE & 1 || h->head == h->tail)
        return;
    busy(t, node->index, TO_NODE, true, 0);
    at = h->op[h->head % FSH_HOST_QUEUE].at - fab->config.pcie_cycles;
    at = at > t->start ? at - t->start : 0;
    n->track[TO_NODE].since =
        at > n->track[TO_NODE].end ? at : n->track[TO_NODE].end;
}

/* A transfer whose first bytes this burst writes ends in it. */
static void arrive(struct fsh_sim_trace *t, uint32_t node,
                   const struct fsh_master *m)
{
    const struct fsh_burst *b = &m->write[(m->write_tail - 1) % FSH_BURSTS];
    uint64_t from = b->addr - m->base;
    struct traced_node *n = &t->node[node];

    for (uint32_t i = 0; i < PENDING; i++) {
        struct arrival *a = &n->arrival[i];

        if (a->flow == 0 || a->from < from ||
            a->from >= from + b->beats * FSH_BEAT_BYTES)
            continue;
        put(t, node,
            (struct fsh_trace_record){.ts = t->now,
                                      .value = a->flow,
                                      .kind = FSH_TRACE_FLOW_IN,
                                      .category = FSH_TRACE_NODE,
                                      .track = MEM_WRITE});
        a->flow = 0;
    }
}

/* Out of line, as is follow: in most cycles they have nothing to do, and what is in the
 * way of a node's next evaluation takes of its place in the cache (probe.h). */
__attribute__((noinline)) static void look_at_core(
    struct fsh_sim_trace *t, const struct fsh_sim_node *node)
{
    struct fsh_probe_core probe;

    fsh_node_probe_core(node->rtl, &probe);
    fsh_inside_look_core(&t->node[node->index].inside, node->index, t->now,
                         &probe);
}

/* After an evaluation, of the node or its core or both: those whose clock rose. */
static inline void look_inside(struct fsh_sim_trace *t,
                               const struct fsh_sim_node *node)
{
    struct traced_node *n = &t->node[node->index];
    bool first = n->evaluations == 0;
    unsigned changed;

    if (node->evaluations == n->evaluations)
        return;
    n->evaluations = node->evaluations;
    if (first || node->io.in.clk) {
        changed = fsh_node_probe(node->rtl, &n->seen, &n->inside.now);
        if (changed != 0)
            fsh_inside_look(&n->inside, node->index, t->now, changed);
    }
    if (first || node->io.in.core_clk)
        look_at_core(t, node);
}

static inline uint64_t first_word(const void *pins)
{
    uint64_t word;

    memcpy(&word, pins, sizeof word);
    return word;
}

/* Is anything asked of memory or the host, or told by them, in this cycle? Else what is
 * on its way at them is as it was. The valids of a master stand in one word. */
static inline bool anything_asked(const struct fsh_node_io *io)
{
    static const struct fsh_axi_out asks = {
        .awvalid = 1, .wvalid = 1, .arvalid = 1};
    static const struct fsh_axi_in tells = {.bvalid = 1, .rvalid = 1};
    uint64_t asked = 0, told = 0;

    _Static_assert(offsetof(struct fsh_axi_out, arvalid) < sizeof asked &&
                       offsetof(struct fsh_axi_in, rvalid) < sizeof told,
                   "valids are in the first word");
    for (uint32_t p = 0; p < FSH_NODE_MASTERS; p++) {
        asked |= first_word(&io->out.axi[p]);
        told |= first_word(&io->in.axi[p]);
    }
    return ((asked & first_word(&asks)) | (told & first_word(&tells))) != 0;
}

/* Those of device memory, as bits. At rest a core has nothing on its way. */
static uint32_t memory_tracks(const struct fsh_sim_node *node)
{
    uint32_t reads = 0, writes = 0;

    for (uint32_t p = 0; p < FSH_LANES; p++) {
        const struct fsh_master *m = &node->master[p];

        reads |= m->read_head ^ m->read_tail;
        writes |=
            (m->write_head ^ m->write_tail) | (m->resp_head ^ m->resp_tail);
    }
    for (uint32_t l = 0;
         node->core && !node->core->rests && l < FSH_COMPUTE_LANES; l++) {
        const struct fsh_lane *lane = &node->core->lane[l];

        reads |= lane->read_head ^ lane->read_tail;
        writes |= lane->resp_head ^ lane->write_tail;
    }
    return (reads != 0 ? 1u << MEM_READ : 0) |
           (writes != 0 ? 1u << MEM_WRITE : 0);
}

/* The others, which change without a pin. */
static inline uint32_t other_tracks(const struct fsh_sim_node *node)
{
    const struct fsh_master *host = &node->master[FSH_NODE_HOST];
    uint32_t is = 0;

    if (((node->host.head ^ node->host.tail) |
         (host->read_head ^ host->read_tail)) != 0)
        is |= 1u << TO_NODE;
    if ((host->store_head ^ host->store_tail) | node->host.answer_at)
        is |= 1u << TO_HOST;
    if (node->core && node->io.out.core_busy)
        is |= 1u << COMPUTE;
    return is;
}

/* Bytes that memory takes and gives in this cycle. */
static void add_bytes(const struct fsh_sim_node *node, uint64_t *in,
                      uint64_t *out)
{
    for (uint32_t p = 0; p < FSH_LANES; p++) {
        const struct fsh_master *m = &node->master[p];

        *in += m->in->wready ? FSH_BEAT_BYTES : 0;
        *out += m->in->rvalid && m->out->rready ? FSH_BEAT_BYTES : 0;
    }
    for (uint32_t l = 0;
         node->core && node->core->evaluate && l < FSH_COMPUTE_LANES; l++) {
        const struct fsh_lane *lane = &node->core->lane[l];

        *in += lane->in->wready && lane->out->wvalid ? FSH_LANE_BYTES : 0;
        *out += lane->in->rvalid ? FSH_LANE_BYTES : 0;
    }
}

/* The tracks of PCIe and the core; is: those that are busy. */
static void turn_others(struct fsh_fabric *fab, const struct fsh_sim_node *node,
                        uint32_t is, const uint64_t *bytes)
{
    struct fsh_sim_trace *t = fab->trace;

    posted(t, fab, node);
    busy(t, node->index, TO_NODE, is >> TO_NODE & 1, bytes[TO_NODE]);
    busy(t, node->index, TO_HOST, is >> TO_HOST & 1, bytes[TO_HOST]);
    busy(t, node->index, COMPUTE, is >> COMPUTE & 1, 0);
}

/* Bytes may pass, or the tracks that are busy, `is` but for those of memory, are others.
 * asked: so may those of memory be. */
__attribute__((noinline)) static void follow(struct fsh_fabric *fab,
                                             const struct fsh_sim_node *node,
                                             uint32_t is, bool asked)
{
    struct fsh_sim_trace *t = fab->trace;
    struct traced_node *n = &t->node[node->index];
    const struct fsh_master *host = &node->master[FSH_NODE_HOST];
    uint64_t bytes[LINKS] = {
        [TO_NODE] = host->in->rvalid && host->out->rready ? FSH_BEAT_BYTES : 0,
        [TO_HOST] = host->in->wready ? FSH_BEAT_BYTES : 0};
    bool other;

    asked |= n->busy & UNSEEN;
    n->busy &= ~UNSEEN;
    is |= asked ? memory_tracks(node) : n->busy & MEMORY_TRACKS;
    other = is != n->busy;
    add_bytes(node, &bytes[MEM_WRITE], &bytes[MEM_READ]);
    if (other) {
        busy(t, node->index, MEM_READ, is >> MEM_READ & 1, bytes[MEM_READ]);
        busy(t, node->index, MEM_WRITE, is >> MEM_WRITE & 1, bytes[MEM_WRITE]);
    }
    if (bytes[MEM_READ] + bytes[MEM_WRITE] != 0)
        add_use(fab, node->index, MEMORY, bytes[MEM_READ] + bytes[MEM_WRITE]);
    for (uint32_t p = 0; p < FSH_LANES; p++)
        if (node->master[p].out->awvalid && node->master[p].in->awready)
            arrive(t, node->index, &node->master[p]);
    if (other)
        turn_others(fab, node, is, bytes);
    else
        for (unsigned track = 0; track < COMPUTE; track++)
            n->track[track].bytes += bytes[track];
}

static void on_node(struct fsh_fabric *fab, const struct fsh_sim_node *node)
{
    struct fsh_sim_trace *t = fab->trace;
    bool asked;
    uint32_t is;

    t->now = node->cycle - t->start;
    look_inside(t, node);
    is = other_tracks(node);
    asked = anything_asked(&node->io) || (node->core && !node->core->rests);
    /* In most cycles nothing changes. */
    if (asked || is != (t->node[node->index].busy & ~MEMORY_TRACKS))
        follow(fab, node, is, asked);
}

/* ---- beginning and end ---- */

static const struct fsh_trace_ops ops = {.beat = on_beat, .node = on_node};

void fsh_sim_trace_begin(struct fsh_fabric *fab)
{
    struct fsh_sim_trace *t;

    if (!fsh_trace_is_there() || fab->trace)
        return;
    t = calloc(1, sizeof *t + fab->config.nodes * sizeof t->node[0]);
    if (!t)
        return;
    fab->trace = t;
    fab->traced = &ops;
    t->start = fsh_trace_is_simulated() ? fab->cycle : 0;
    t->now = fab->cycle - t->start;
    for (uint32_t n = 0; n < fab->config.nodes; n++)
        t->node[n].busy = UNSEEN;
    for (unsigned i = 0; i < LINKS; i++)
        t->busy_name[i] = fsh_trace_name(busy_names[i]);
    for (unsigned i = 0; i <= FSH_NODE_PORTS; i++)
        t->use_name[i] = fsh_trace_name(use_names[i]);
    put(t, 0,
        (struct fsh_trace_record){.ts = t->now,
                                  .value = fab->config.link_cycles,
                                  .name = fsh_trace_name("link delay (cycles)"),
                                  .kind = FSH_TRACE_COUNTER,
                                  .category = FSH_TRACE_NODE});
}

void fsh_sim_trace_end(struct fsh_fabric *fab)
{
    struct fsh_sim_trace *t = fab->trace;

    if (!t)
        return;
    t->now = fab->cycle - t->start;
    for (uint32_t n = 0; n < fab->config.nodes; n++) {
        for (unsigned i = 0; i < LINKS; i++)
            busy(t, n, i, false, 0);
        fsh_inside_end(&t->node[n].inside, n, t->now);
        for (unsigned i = 0; i <= FSH_NODE_PORTS; i++)
            count_use(t, n, i, t->node[n].use[i].window,
                      percent_of(fab, i, t->node[n].use[i].sum));
    }
    fsh_trace_done();
    fab->trace = NULL;
    fab->traced = NULL;
    free(t);
}
