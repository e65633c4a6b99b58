/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random commands on the RTL of two to four nodes against a reference model
 * (sim_ref.h): PUTs, GETs and active messages of all lengths and alignments
 * from both windows of every node at once, some refused here or there, under
 * random stalls of every handshake and link. Each completion must come once,
 * with its status, after its data; at the end of a round the fabric is idle
 * and all memories and counters are the model's. Everything is drawn from one
 * seed. Keeps the rules a host must keep: tags and slots unique while in use,
 * room in the window by the status line, no two writers of one byte at once.
 *
 * Arguments: seeds, or FROM-TO; none (and no SIM_SEED) runs a fixed list.
 * Environment: SIM_SEED=SEED, SIM_OPS=commands a round, SIM_WAVES=FILE.fst.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim_make.h"
#include "check.h"

#define DRAM_BYTES (1u << 20)
#define HOST_BYTES (MAKER_HOST + (1u << 19))
#define ROUNDS 3u
#define LIMIT 50000u /* cycles without a command or an entry */

struct handler { /* of a request message, running */
    uint32_t node, peer, slot;
    bool reply;
    uint64_t until;
};

static struct fsh_bed bed;
static struct ref ref;
static struct maker maker;
static struct handler handlers[REF_NODES * REF_NODES * FSH_SLOTS_PER_PEER];
static unsigned num_handlers;
static uint64_t credit[REF_NODES][REF_NODES]; /* last sent, from and to */
static uint64_t credit_seen[REF_NODES][REF_NODES];
static bool bell_owed[REF_NODES][2];
static uint32_t pace[REF_NODES][2]; /* one command in so many steps */
static uint32_t left;               /* commands of this round */
static uint64_t progress;           /* cycle of the last command or entry */
/* What has come: entries by kind, of them halves and those not OK. */
static unsigned came[FSH_CPL_COUNT], halves, failed;

static uint32_t below(uint32_t n)
{
    return ref_below(&maker.rng, n);
}

static bool chance(uint32_t one_in)
{
    return below(one_in) == 0;
}

/* --- submission -------------------------------------------------------- */

static bool has_room(uint32_t node, bool reply)
{
    return fsh_bed_room(&bed, node, reply) >= FSH_MAX_ENTRIES &&
           fsh_fabric_host_room(bed.fab, node) >=
               FSH_MAX_ENTRIES * (FSH_ENTRY_BYTES / 8) + 2;
}

static void put_in_window(uint32_t node, bool reply,
                          const struct fsh_bed_command *cmd)
{
    if (!fsh_bed_queue(&bed, node, cmd))
        abort(); /* has_room said otherwise */
    bell_owed[node][reply] = true;
    progress = fsh_fabric_cycle(bed.fab);
}

static void submit(struct op *op)
{
    struct fsh_bed_command cmd;
    struct ref_count *count = ref.node[op->from].perf;

    maker_submit(&maker, op, &cmd);
    op->since = fsh_fabric_cycle(bed.fab);
    if (op->refused) {
        count[FSH_PERF_REFUSED].count++;
    } else {
        count[FSH_PERF_ACCEPT].count++;
        count[FSH_PERF_ACCEPT].sum += op->length;
    }
    put_in_window(op->from, op->reply, &cmd);
}

/* A line of state to a peer: the newest stands in its host memory, and never
 * an older one after a newer. */
static void submit_credit(uint32_t from)
{
    uint32_t to = below(ref.nodes);
    uint64_t number = ++credit[from][to];
    uint64_t line[2] = {number, ~number};
    uint64_t addr = FSH_BED_LINE(from);
    struct ref_message m = {.from = from,
                            .to = to,
                            .reply = true,
                            .space = FSH_SPACE_HOST,
                            .addr = addr,
                            .data = (const unsigned char *)line,
                            .length = sizeof line};
    struct fsh_bed_command cmd;

    fsh_bed_command(&cmd, FSH_OP_PUT, FSH_CAT_LONG, to, 0);
    fsh_cmd_set_reply(cmd.word, 1);
    fsh_cmd_set_ordered(cmd.word, 1);
    fsh_cmd_set_rspace(cmd.word, FSH_SPACE_HOST);
    fsh_bed_attach(&cmd, NULL, 0, line, sizeof line);
    put_in_window(from, true, &cmd);
    ref_arrive(&ref, &m); /* by the end of the round */
    ref.node[from].perf[FSH_PERF_ACCEPT].count++;
    ref.node[from].perf[FSH_PERF_ACCEPT].sum += sizeof line;
}

/* One command into a window, if there is room and one is possible. */
static bool submit_one(uint32_t from, bool reply)
{
    struct op *op;

    if (!has_room(from, reply))
        return false;
    if (reply && chance(2)) {
        submit_credit(from);
        return true;
    }
    op = maker_command(&maker, from, reply);
    if (op)
        submit(op);
    return op != NULL;
}

static bool send_reply(const struct handler *h)
{
    struct op *op = NULL;

    if (has_room(h->node, true))
        op = maker_reply(&maker, h->node, h->peer, h->slot);
    if (op)
        submit(op);
    return op != NULL;
}

/* --- completions ------------------------------------------------------- */

/* Its arguments have a packet of their own: what it carries is read from a memory. */
static bool in_parts(const struct op *op)
{
    return op->nargs && op->length && op->lspace != FSH_SPACE_INLINE;
}

static void arrived(struct op *op)
{
    struct ref_message m = {.from = op->from,
                            .to = op->dst,
                            .reply = op->reply,
                            .space = op->rspace,
                            .outside = op->rspace == FSH_SPACE_HOST,
                            .addr = op->raddr,
                            .data = op->data,
                            .length = op->length};

    if (op->opcode == FSH_OP_GET) {
        ref_bare(&ref, op->from, op->dst, false);
        m = (struct ref_message){.from = op->dst,
                                 .to = op->from,
                                 .reply = true,
                                 .space = op->lspace,
                                 .addr = op->laddr,
                                 .data = op->data,
                                 .length = op->length};
        if (op->status) {
            ref.node[op->dst].perf[FSH_PERF_REFUSED].count++;
            ref_bare(&ref, op->dst, op->from, true);
            return;
        }
    }
    if (op->category == FSH_CAT_MEDIUM) {
        m.space = FSH_SPACE_HOST;
        m.outside = false;
        m.addr = FSH_BED_SLOT_PAY +
                 (op->reply << 10 | op->from << 4 | op->tag) * FSH_MAX_MEDIUM;
    }
    ref_arrive(&ref, &m);
    if (in_parts(op))
        ref_bare(&ref, op->from, op->dst, op->reply);
    if (op->opcode == FSH_OP_PUT && op->ack && op->from != op->dst)
        ref_bare(&ref, op->dst, op->from, true);
}

/* What the operation wrote is there. */
static bool data_there(const struct op *op)
{
    uint64_t pay = FSH_BED_SLOT_PAY +
                   (op->reply << 10 | op->from << 4 | op->tag) * FSH_MAX_MEDIUM;
    const struct range *t = &op->target;
    const struct ref_space *s = &ref.node[t->node].space[t->space];

    if (op->category == FSH_CAT_MEDIUM)
        return ref_holds(&ref, op->dst, FSH_SPACE_HOST, pay, op->data,
                         op->length);
    /* Of one out of bounds, by the packets that were within. */
    return ref_holds(&ref, t->node, t->space, t->addr,
                     s->image + s->base + t->addr, t->bytes);
}

static void finish(struct op *op)
{
    if (!op->awaits)
        maker_finish(&maker, op);
}

static bool both_ports(uint32_t from, uint32_t to)
{
    return ref.ring && from != to && 2 * ref_hops(&ref, from, to) == ref.nodes;
}

static struct op *find(uint32_t from, uint32_t dst, bool reply, uint32_t tag,
                       uint32_t kind)
{
    for (unsigned i = 0; i < MAKER_OPS; i++) {
        struct op *op = &maker.ops[i];

        if (op->live && op->from == from && op->dst == dst && op->tag == tag &&
            (op->awaits >> kind & 1) &&
            (kind == FSH_CPL_TAGGED || op->reply == reply))
            return op;
    }
    return NULL;
}

/* The slot of a message that has come, header and arguments. */
static bool slot_right(const struct op *op)
{
    uint64_t at =
        FSH_BED_SLOT_HDR +
        (op->reply << 10 | op->from << 4 | op->tag) * FSH_SLOT_HEADER_BYTES;
    const unsigned char *slot = fsh_fabric_dma(bed.fab, op->dst) + at;
    uint32_t bytes = in_parts(op) ? 0 : ref_cut(&ref, op->raddr, op->length);
    uint64_t hdr[2];

    memcpy(hdr, slot, sizeof hdr);
    EXPECT(fsh_hdr_opcode(hdr) == op->opcode &&
               fsh_hdr_category(hdr) == op->category &&
               fsh_hdr_reply(hdr) == op->reply && fsh_hdr_first(hdr) == 1 &&
               fsh_hdr_dst(hdr) == op->dst && fsh_hdr_src(hdr) == op->from &&
               fsh_hdr_tag(hdr) == op->tag && fsh_hdr_nargs(hdr) == op->nargs &&
               fsh_hdr_total(hdr) == op->length &&
               fsh_hdr_bytes(hdr) == bytes &&
               (op->category != FSH_CAT_LONG ||
                (fsh_hdr_space(hdr) == op->rspace &&
                 fsh_hdr_addr(hdr) == op->raddr)),
           "header %016llx %016llx", (unsigned long long)hdr[1],
           (unsigned long long)hdr[0]);
    EXPECT(memcmp(slot + 16, op->args, op->nargs * 4) == 0,
           "arguments of %u from node %u slot %u", op->nargs, op->from,
           op->tag);
    ref_adopt(&ref, op->dst, FSH_SPACE_HOST, at, 16 + (op->nargs + 3) / 4 * 16);
    return true;
}

static bool take_message(uint32_t node, bool reply, const uint64_t entry[2])
{
    uint32_t from = (uint32_t)fsh_ring_node(entry);
    struct op *op =
        find(from, node, reply, (uint32_t)fsh_ring_tag(entry), FSH_CPL_MESSAGE);

    EXPECT(fsh_ring_kind(entry) == FSH_CPL_MESSAGE, "in a receive ring");
    EXPECT(op, "node %u: a message nobody sent", node);
    EXPECT(fsh_ring_status(entry) == op->status &&
               fsh_ring_opcode(entry) == op->opcode &&
               fsh_ring_reply(entry) == reply,
           "status %u, opcode %u expected", op->status, op->opcode);
    arrived(op);
    if (!slot_right(op) || !data_there(op))
        return false;
    op->target.bytes = 0;
    op->awaits &= ~(1u << FSH_CPL_MESSAGE);
    if (!reply) {
        maker.slot_uses[from][node][op->tag]++;
        handlers[num_handlers++] = (struct handler){
            node, from, op->tag, chance(2),
            fsh_fabric_cycle(bed.fab) + (chance(4) ? below(3000) : below(30))};
    }
    finish(op);
    return true;
}

static bool take_tagged(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);
    struct op *op =
        find(node, (uint32_t)fsh_ring_node(entry), false, tag, FSH_CPL_TAGGED);

    EXPECT(op, "node %u: tag %u is not in use with that peer", node, tag);
    EXPECT(fsh_ring_status(entry) == op->status, "status %u expected",
           op->status);
    arrived(op);
    if (!data_there(op))
        return false;
    op->awaits = 0;
    finish(op);
    return true;
}

static bool take_slot_entry(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);
    struct op *op = find(node, (uint32_t)fsh_ring_node(entry),
                         fsh_ring_reply(entry) != 0, tag, FSH_CPL_SLOT);

    EXPECT(op, "node %u: slot %u awaits no completion", node, tag);
    EXPECT(fsh_ring_status(entry) == FSH_STATUS_OK &&
               fsh_ring_opcode(entry) == op->opcode,
           "opcode %u expected", op->opcode);
    if (fsh_ring_half(entry)) {
        EXPECT(both_ports(op->from, op->dst) && !op->ordered &&
                   op->length > ref.packet,
               "half of a message that is not cut over two ports");
        if (++op->halves < 2)
            return true;
    } else {
        EXPECT(op->halves == 0, "a half, then a whole");
    }
    op->awaits &= ~(1u << FSH_CPL_SLOT);
    maker_reuse_source(&maker, op);
    finish(op);
    return true;
}

static bool take_refused(uint32_t node, const uint64_t entry[2])
{
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);
    bool reply = fsh_ring_reply(entry) != 0;
    struct op *op = NULL;

    for (unsigned i = 0; i < MAKER_OPS && !op; i++)
        if (maker.ops[i].live && maker.ops[i].from == node &&
            maker.ops[i].refused && maker.ops[i].reply == reply &&
            maker.ops[i].tag == tag &&
            maker.ops[i].dst == fsh_ring_node(entry) &&
            maker.ops[i].opcode == fsh_ring_opcode(entry) &&
            maker.ops[i].refused == fsh_ring_status(entry))
            op = &maker.ops[i];
    EXPECT(op, "node %u: refused, though good or bad otherwise", node);
    op->awaits = 0;
    finish(op);
    return true;
}

/* --- the host's part --------------------------------------------------- */

static void say_entry(uint32_t node, int ring, const uint64_t entry[2])
{
    fprintf(stderr,
            "node %u, ring %d, cycle %llu: kind %llu reply %llu status %llu "
            "opcode %llu node %llu tag %llu half %llu\n",
            node, ring, (unsigned long long)fsh_fabric_cycle(bed.fab),
            (unsigned long long)fsh_ring_kind(entry),
            (unsigned long long)fsh_ring_reply(entry),
            (unsigned long long)fsh_ring_status(entry),
            (unsigned long long)fsh_ring_opcode(entry),
            (unsigned long long)fsh_ring_node(entry),
            (unsigned long long)fsh_ring_tag(entry),
            (unsigned long long)fsh_ring_half(entry));
}

static bool take_entry(uint32_t node, int ring, const uint64_t entry[2])
{
    uint32_t index = (bed.taken[node][ring] - 1) % FSH_RING_ENTRIES;
    static const uint32_t base[3] = {FSH_BED_CPL, FSH_BED_REQ, FSH_BED_REP};

    progress = fsh_fabric_cycle(bed.fab);
    ref_adopt(&ref, node, FSH_SPACE_HOST,
              base[ring] + index * FSH_RING_ENTRY_BYTES, FSH_RING_ENTRY_BYTES);
    ref.node[node].perf[FSH_PERF_COMPLETE].count++;
    EXPECT((entry[0] & ~FSH_RING_USED_W0) == 0 &&
               (entry[1] & ~FSH_RING_USED_W1) == 0,
           "reserved bits");
    came[fsh_ring_kind(entry)]++;
    halves += fsh_ring_half(entry) != 0;
    failed += fsh_ring_status(entry) != FSH_STATUS_OK;
    if (ring != FSH_BED_RING_CPL)
        return take_message(node, ring == FSH_BED_RING_REP, entry);
    switch (fsh_ring_kind(entry)) {
    case FSH_CPL_TAGGED:
        return take_tagged(node, entry);
    case FSH_CPL_SLOT:
        return take_slot_entry(node, entry);
    case FSH_CPL_REFUSED:
        return take_refused(node, entry);
    default:
        EXPECT(false, "a message in the completion ring");
    }
}

static bool poll(uint32_t node, bool *moved)
{
    uint64_t entry[2];

    for (int ring = 0; ring < 3; ring++)
        while (fsh_bed_take(&bed, node, (enum fsh_bed_ring)ring, entry)) {
            *moved = true;
            if (!take_entry(node, ring, entry)) {
                say_entry(node, ring, entry);
                return false;
            }
        }
    for (uint32_t from = 0; from < ref.nodes; from++) {
        uint64_t line[2];

        memcpy(line, fsh_fabric_dma(bed.fab, node) + FSH_BED_LINE(from),
               sizeof line);
        EXPECT(line[0] >= credit_seen[from][node] &&
                   line[0] <= credit[from][node],
               "node %u: line %llu of node %u after line %llu", node,
               (unsigned long long)line[0], from,
               (unsigned long long)credit_seen[from][node]);
        credit_seen[from][node] = line[0];
    }
    return true;
}

static void end_handlers(bool now, bool *moved)
{
    for (unsigned i = 0; i < num_handlers; i++) {
        struct handler *h = &handlers[i];

        if (h->until > fsh_fabric_cycle(bed.fab) && !now)
            continue;
        if (h->reply && !send_reply(h))
            continue;
        maker.slot_uses[h->peer][h->node][h->slot]--;
        *h = handlers[--num_handlers];
        *moved = true;
        i--;
    }
}

/* All that hosts do in one cycle; now: whatever they can, with no delay. */
static bool host_turn(bool now, bool *moved)
{
    for (uint32_t n = 0; n < ref.nodes; n++)
        if (!poll(n, moved))
            return false;
    end_handlers(now, moved);
    for (uint32_t n = 0; n < ref.nodes; n++)
        for (int w = 0; w < 2; w++) {
            if (left && (now || chance(pace[n][w])) && submit_one(n, w)) {
                *moved = true;
                left--;
            }
            if (bell_owed[n][w] && (now || chance(2))) {
                fsh_bed_doorbell(&bed, n, w);
                bell_owed[n][w] = false;
                *moved = true;
            }
        }
    return true;
}

static unsigned outstanding(void)
{
    unsigned n = num_handlers;

    for (unsigned i = 0; i < MAKER_OPS; i++)
        n += maker.ops[i].live && maker.ops[i].awaits;
    for (uint32_t i = 0; i < ref.nodes; i++)
        n += bell_owed[i][0] + bell_owed[i][1];
    return n;
}

static void say_outstanding(void)
{
    unsigned shown = 0;

    fprintf(stderr, "cycle %llu, last progress %llu; outstanding:\n",
            (unsigned long long)fsh_fabric_cycle(bed.fab),
            (unsigned long long)progress);
    for (unsigned i = 0; i < MAKER_OPS && shown < 32; i++) {
        const struct op *op = &maker.ops[i];

        if (!op->live || !op->awaits)
            continue;
        shown++;
        fprintf(stderr,
                "  %u to %u, %s window: opcode %u category %u tag %u bytes %u "
                "from %u:0x%llx to %u:0x%llx%s, awaits 0x%x, halves %u, since "
                "%llu\n",
                op->from, op->dst, op->reply ? "reply" : "request", op->opcode,
                op->category, op->tag, op->length, op->lspace,
                (unsigned long long)op->laddr, op->rspace,
                (unsigned long long)op->raddr, op->ordered ? " ordered" : "",
                op->awaits, op->halves, (unsigned long long)op->since);
    }
    fprintf(stderr, "  %u handlers\n", num_handlers);
}

/* Until `left` commands are submitted and all is complete. */
static bool run_stream(void)
{
    bool now = false;
    unsigned draws = 0; /* a reply drawn at random may find no free memory */

    progress = fsh_fabric_cycle(bed.fab);
    for (;;) {
        bool moved = false, more;

        if (!host_turn(now, &moved))
            return false;
        if (left == 0 && outstanding() == 0)
            return true;
        more = fsh_fabric_step(bed.fab);
        EXPECT(!fsh_fabric_error(bed.fab), "%s", fsh_fabric_error(bed.fab));
        /* All quiet, and nothing a host can do: done, if all has come (PUTs
         * without ack may bar the way of what is left). */
        if (!more && now && !moved) {
            if (num_handlers && draws++ < 1000)
                continue;
            EXPECT(outstanding() == 0, "all is quiet");
            return true;
        }
        now = !more;
        EXPECT(fsh_fabric_cycle(bed.fab) - progress < LIMIT, "no progress");
    }
}

/* Idle, nothing more in any ring, heads as tails, memories and counters. */
static bool settle(void)
{
    bool moved = false;

    EXPECT(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not become idle: %s",
           fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
    for (uint32_t n = 0; n < ref.nodes; n++) {
        EXPECT(poll(n, &moved) && !moved, "node %u: more entries", n);
        for (int w = 0; w < 2; w++)
            EXPECT(fsh_bed_room(&bed, n, w) == FSH_WINDOW_ENTRIES,
                   "node %u: entries left in window %d", n, w);
        ref_adopt(&ref, n, FSH_SPACE_HOST, FSH_BED_STATUS, 16);
    }
    for (unsigned i = 0; i < MAKER_OPS; i++)
        if (maker.ops[i].live) { /* a PUT without ack */
            arrived(&maker.ops[i]);
            finish(&maker.ops[i]);
        }
    return ref_same(&ref) && ref_counters(&ref, &bed);
}

/* --- a run ------------------------------------------------------------- */

static uint32_t one_of(const uint32_t *list, uint32_t n)
{
    return list[below(n)];
}

static void configure(struct fsh_fabric_config *config, uint64_t seed)
{
    static const uint32_t link[] = {1, 7, 30, 30, 90};
    static const uint32_t dram[] = {1, 10, 40, 40, 200};
    static const uint32_t wide[] = {16, 32, 307, 307};
    static const uint32_t pcie[] = {1, 20, 125, 125, 300};

    fsh_fabric_defaults(config);
    config->nodes = 2 + below(REF_NODES - 1);
    config->topology =
        fsh_bed_topology(chance(3) ? "line" : "ring", config->nodes);
    config->link_cycles = one_of(link, 5);
    config->dram_cycles = one_of(dram, 5);
    config->dram_write_cycles = one_of(dram, 5);
    config->dram_bytes_cycle = one_of(wide, 4);
    config->pcie_cycles = one_of(pcie, 5);
    config->pcie_bytes_cycle = chance(4) ? 16 : 48;
    config->jump = !chance(4);
    config->seed = seed;
    config->stall = !chance(8);
    config->stall_seed = seed;
    config->link_jitter = chance(3) ? 0 : below(100);
    config->dram_bytes = DRAM_BYTES;
    config->dma_bytes = HOST_BYTES;
    config->waves = getenv("SIM_WAVES");
}

/* Segments and windows that end anywhere, and not with the memory. */
static bool place_spaces(void)
{
    for (uint32_t n = 0; n < ref.nodes; n++) {
        struct ref_node *node = &ref.node[n];

        node->space[FSH_SPACE_SEGMENT] = (struct ref_space){
            .real = fsh_fabric_dram(bed.fab, n),
            .bytes = DRAM_BYTES,
            .base = 4096 * below(16), /* so that no burst crosses 4 KiB */
            .size = (DRAM_BYTES >> 1) + below(DRAM_BYTES >> 2)};
        node->space[FSH_SPACE_HOST] = (struct ref_space){
            .real = fsh_fabric_dma(bed.fab, n),
            .bytes = HOST_BYTES,
            .size = MAKER_HOST + (1u << 18) + below(1u << 17)};
        node->claimed = node->space[FSH_SPACE_SEGMENT].size + MAKER_SLACK;
        ref_fill(&maker.rng, node->space[FSH_SPACE_SEGMENT].real, DRAM_BYTES);
        ref_fill(&maker.rng, node->space[FSH_SPACE_HOST].real + MAKER_HOST,
                 HOST_BYTES - MAKER_HOST);
        fsh_fabric_host_write(bed.fab, n, FSH_REG_SEG_BASE,
                              fsh_fabric_dram_base(bed.fab) +
                                  node->space[FSH_SPACE_SEGMENT].base);
        fsh_fabric_host_write(bed.fab, n, FSH_REG_SEG_SIZE,
                              node->space[FSH_SPACE_SEGMENT].size);
        fsh_fabric_host_write(bed.fab, n, FSH_REG_HOST_SIZE,
                              node->space[FSH_SPACE_HOST].size);
    }
    return ref_open(&ref);
}

static bool program_routes(void)
{
    for (uint32_t n = 0; n < ref.nodes; n++)
        for (uint32_t to = 0; to < ref.nodes; to++)
            fsh_fabric_host_write(bed.fab, n, FSH_REG_ROUTE + 8 * to,
                                  ref.node[to].claimed |
                                      fsh_bed_route(&bed, n, to) << 56);
    return fsh_fabric_run(bed.fab, LIMIT);
}

static bool run_rounds(uint32_t commands)
{
    static const uint32_t paces[] = {1, 4, 32, 300};

    for (uint32_t round = 0; round < ROUNDS; round++) {
        ref.packet = FSH_MIN_PACKET << below(4);
        left = commands;
        for (uint32_t n = 0; n < ref.nodes; n++) {
            fsh_fabric_host_write(bed.fab, n, FSH_REG_PACKET, ref.packet);
            for (int w = 0; w < 2; w++)
                pace[n][w] = one_of(paces, 4) * (w ? 4 : 1);
        }
        EXPECT(fsh_fabric_run(bed.fab, LIMIT), "packet size is not taken");
        if (run_stream() && settle())
            continue;
        fprintf(stderr, "sim_random: round %u, packets of %u bytes\n", round,
                ref.packet);
        say_outstanding();
        return false;
    }
    return true;
}

static bool run_seed(uint64_t seed, uint32_t commands)
{
    struct fsh_bed_options options = {.packet = FSH_MAX_PACKET, .ports = 3};
    struct fsh_fabric_config config;
    char err[512];
    bool ok;

    maker.rng = seed;
    configure(&config, seed);
    maker.tiny = chance(6);
    printf("seed %llu: %u nodes, %s, link %u+%u, DRAM %u/%u/%u, PCIe %u/%u%s%s"
           "%s\n",
           (unsigned long long)seed, config.nodes, config.topology->name,
           config.link_cycles, config.link_jitter, config.dram_cycles,
           config.dram_write_cycles, config.dram_bytes_cycle,
           config.pcie_cycles, config.pcie_bytes_cycle,
           config.stall ? ", stalls" : "", config.jump ? "" : ", no jumps",
           maker.tiny ? ", short" : "");
    fflush(stdout);
    if (!fsh_bed_open(&bed, &config, &options, err, sizeof err)) {
        fprintf(stderr, "sim_random: %s\n", err);
        return false;
    }
    ref.nodes = config.nodes;
    ref.ring = config.topology->kind == FSH_TOPOLOGY_RING;
    ok = place_spaces() && program_routes() &&
         run_rounds(maker.tiny ? 4 * commands : commands);
    printf("  %s at cycle %llu: %u tags, %u messages, %u sources (%u halves), "
           "%u refused; %u not OK\n",
           ok ? "ok" : "FAILED", (unsigned long long)fsh_fabric_cycle(bed.fab),
           came[FSH_CPL_TAGGED], came[FSH_CPL_MESSAGE], came[FSH_CPL_SLOT],
           halves, came[FSH_CPL_REFUSED], failed);
    for (uint32_t n = 0; !ok && n < bed.nodes; n++)
        fsh_bed_dump(&bed, n);
    ref_close(&ref);
    fsh_bed_close(&bed);
    return ok;
}

static void forget(void)
{
    memset(&maker, 0, offsetof(struct maker, ops));
    for (unsigned i = 0; i < MAKER_OPS; i++)
        maker.ops[i].live = false;
    maker.ref = &ref;
    memset(credit, 0, sizeof credit);
    memset(credit_seen, 0, sizeof credit_seen);
    memset(bell_owed, 0, sizeof bell_owed);
    memset(came, 0, sizeof came);
    halves = failed = num_handlers = 0;
}

static bool run_range(const char *text, uint32_t commands)
{
    char *end;
    unsigned long long from = strtoull(text, &end, 0), to = from;
    bool ok = true;

    if (*end == '-')
        to = strtoull(end + 1, &end, 0);
    EXPECT(end != text && *end == 0 && to >= from, "not a seed: %s", text);
    for (unsigned long long seed = from; ok && seed <= to; seed++) {
        forget();
        ok = run_seed(seed, commands);
    }
    return ok;
}

int main(int argc, char **argv)
{
    static char *const fixed[] = {"3-4", "6-7", "9-13", "16-18", NULL};
    const char *env = getenv("SIM_OPS");
    uint32_t commands = env ? (uint32_t)strtoul(env, NULL, 0) : 300;
    char *one[2] = {getenv("SIM_SEED"), NULL};
    char *const *seeds = argc > 1 ? argv + 1 : one[0] ? one : fixed;

    for (; *seeds; seeds++)
        if (!run_range(*seeds, commands))
            return 1;
    return 0;
}
