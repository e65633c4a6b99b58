/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test bed around a fabric; see bed.h.
 */
#include "bed.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "node_wrap.h"

#define SETTLE_CYCLES 100000u
#define ALL_PORTS ((1u << FSH_NODE_PORTS) - 1)

static const uint32_t ring_base[3] = {FSH_BED_CPL, FSH_BED_REQ, FSH_BED_REP};
static const uint32_t ring_taken[3] = {FSH_REG_CPL_TAKEN, FSH_REG_REQ_TAKEN,
                                       FSH_REG_REP_TAKEN};

const struct fsh_topology *fsh_bed_topology(const char *name, uint32_t nodes)
{
    static struct fsh_topology topology;
    char err[300];

    if (fsh_topology_make(&topology, name, nodes, FSH_NODE_PORTS, err,
                          sizeof err))
        return &topology;
    fsh_fatal("bed: topology %s of %u nodes: %s", name, nodes, err);
}

uint64_t fsh_bed_route(const struct fsh_bed *bed, uint32_t from, uint32_t to)
{
    struct fsh_route route[FSH_MAX_NODES];

    if (from == to)
        return ALL_PORTS;
    fsh_topology_routes_to(&bed->topology, to, ALL_PORTS, route);
    return route[from].ports;
}

static bool program(struct fsh_bed *bed, const struct fsh_fabric_config *c,
                    const struct fsh_bed_options *o, uint32_t node)
{
    struct fsh_fabric *fab = bed->fab;
    struct fsh_route route[FSH_MAX_NODES];
    const struct {
        uint32_t offset;
        uint64_t value;
    } reg[] = {
        {FSH_REG_NODE, node | (uint64_t)c->nodes << 8},
        {FSH_REG_PACKET, o->packet},
        {FSH_REG_PORTS, o->ports},
        {FSH_REG_SEG_BASE, fsh_fabric_dram_base(fab)},
        {FSH_REG_SEG_SIZE, bed->seg_size},
        {FSH_REG_HOST_BASE, fsh_fabric_dma_bus(fab)},
        {FSH_REG_HOST_SIZE, c->dma_bytes},
        {FSH_REG_CPL_BASE, FSH_BED_CPL},
        {FSH_REG_REQ_BASE, FSH_BED_REQ},
        {FSH_REG_REP_BASE, FSH_BED_REP},
        {FSH_REG_SLOT_HDR_BASE, FSH_BED_SLOT_HDR},
        {FSH_REG_SLOT_PAY_BASE, FSH_BED_SLOT_PAY},
        {FSH_REG_STATUS_ADDR, FSH_BED_STATUS},
    };
    bool ok = true;

    for (unsigned i = 0; i < sizeof reg / sizeof *reg; i++)
        ok &= fsh_fabric_host_write(fab, node, reg[i].offset, reg[i].value);
    fsh_topology_routes_from(&bed->topology, node, ALL_PORTS, route);
    route[node].ports = ALL_PORTS;
    for (uint32_t to = 0; to < c->nodes; to++)
        ok &= fsh_fabric_host_write(fab, node, FSH_REG_ROUTE + 8 * to,
                                    fsh_route_word(route[to], bed->seg_size));
    return ok && fsh_fabric_host_write(fab, node, FSH_REG_CONTROL,
                                       1u | (o->hold ? 2u : 0u));
}

bool fsh_bed_open(struct fsh_bed *bed, const struct fsh_fabric_config *config,
                  const struct fsh_bed_options *options, char *err,
                  size_t errlen)
{
    memset(bed, 0, sizeof *bed);
    bed->fab = fsh_fabric_create(config, err, errlen);
    if (!bed->fab)
        return false;
    bed->nodes = config->nodes;
    bed->topology = *fsh_fabric_topology(bed->fab);
    bed->seg_size = options->seg_size ? options->seg_size : config->dram_bytes;
    for (uint32_t i = 0; i < bed->nodes; i++) {
        if (program(bed, config, options, i))
            continue;
        snprintf(err, errlen, "the host queue has no room for the registers");
        fsh_bed_close(bed);
        return false;
    }
    if (fsh_fabric_run(bed->fab, SETTLE_CYCLES))
        return true;
    snprintf(err, errlen, "after programming the registers: %s",
             fsh_fabric_error(bed->fab) ? fsh_fabric_error(bed->fab)
                                        : "the nodes do not become idle");
    fsh_bed_close(bed);
    return false;
}

bool fsh_bed_close(struct fsh_bed *bed)
{
    bool ok = fsh_fabric_destroy(bed->fab);

    bed->fab = NULL;
    return ok;
}

void fsh_bed_command(struct fsh_bed_command *cmd, uint32_t opcode,
                     uint32_t category, uint32_t dst, uint32_t tag)
{
    memset(cmd, 0, sizeof *cmd);
    fsh_cmd_set_opcode(cmd->word, opcode);
    fsh_cmd_set_category(cmd->word, category);
    fsh_cmd_set_dst(cmd->word, dst);
    fsh_cmd_set_tag(cmd->word, tag);
    fsh_cmd_set_check(cmd->word, FSH_CMD_CHECK);
}

static void transfer(struct fsh_bed_command *cmd, uint64_t laddr,
                     uint64_t raddr, uint32_t length)
{
    fsh_cmd_set_rspace(cmd->word, FSH_SPACE_SEGMENT);
    fsh_cmd_set_lspace(cmd->word, FSH_SPACE_SEGMENT);
    fsh_cmd_set_laddr(cmd->word, laddr);
    fsh_cmd_set_raddr(cmd->word, raddr);
    fsh_cmd_set_length(cmd->word, length);
}

void fsh_bed_put(struct fsh_bed_command *cmd, uint32_t dst, uint32_t tag,
                 uint64_t laddr, uint64_t raddr, uint32_t length)
{
    fsh_bed_command(cmd, FSH_OP_PUT, FSH_CAT_LONG, dst, tag);
    fsh_cmd_set_ack(cmd->word, 1);
    transfer(cmd, laddr, raddr, length);
}

void fsh_bed_get(struct fsh_bed_command *cmd, uint32_t dst, uint32_t tag,
                 uint64_t laddr, uint64_t raddr, uint32_t length)
{
    fsh_bed_command(cmd, FSH_OP_GET, FSH_CAT_SHORT, dst, tag);
    transfer(cmd, laddr, raddr, length);
}

void fsh_bed_attach(struct fsh_bed_command *cmd, const uint32_t *args,
                    uint32_t nargs, const void *payload, uint32_t bytes)
{
    uint32_t args_bytes = (nargs * 4 + 15) / 16 * 16;
    uint32_t all = 32 + args_bytes + bytes;
    unsigned char *at = (unsigned char *)cmd->word + 32;

    if (nargs)
        memcpy(at, args, nargs * sizeof *args);
    if (bytes) {
        memcpy(at + args_bytes, payload, bytes);
        /* Setters add bits: INLINE is all ones, length was zero. */
        fsh_cmd_set_lspace(cmd->word, FSH_SPACE_INLINE);
        fsh_cmd_set_length(cmd->word, bytes);
    }
    fsh_cmd_set_nargs(cmd->word, nargs);
    fsh_cmd_set_entries(cmd->word,
                        (all + FSH_ENTRY_BYTES - 1) / FSH_ENTRY_BYTES - 1);
}

uint32_t fsh_bed_room(const struct fsh_bed *bed, uint32_t node, bool reply)
{
    uint64_t status[2];
    uint64_t head;

    memcpy(status, fsh_fabric_dma(bed->fab, node) + FSH_BED_STATUS,
           sizeof status);
    head = reply ? fsh_status_rep_head(status) : fsh_status_req_head(status);
    return FSH_WINDOW_ENTRIES - (bed->tail[node][reply] - (uint32_t)head);
}

bool fsh_bed_queue(struct fsh_bed *bed, uint32_t node,
                   const struct fsh_bed_command *cmd)
{
    bool reply = fsh_cmd_reply(cmd->word) != 0;
    uint32_t entries = (uint32_t)fsh_cmd_entries(cmd->word) + 1;
    uint32_t window = reply ? FSH_REG_REP_WINDOW : FSH_REG_REQ_WINDOW;
    uint32_t words = FSH_ENTRY_BYTES / 8;

    if (fsh_bed_room(bed, node, reply) < entries ||
        fsh_fabric_host_room(bed->fab, node) < entries * words + 1)
        return false;
    for (uint32_t e = 0; e < entries; e++) {
        uint32_t index = bed->tail[node][reply]++ % FSH_WINDOW_ENTRIES;

        for (uint32_t w = 0; w < words; w++)
            fsh_fabric_host_write(bed->fab, node,
                                  window + index * FSH_ENTRY_BYTES + w * 8,
                                  cmd->word[e * words + w]);
    }
    return true;
}

void fsh_bed_doorbell(struct fsh_bed *bed, uint32_t node, bool reply)
{
    fsh_fabric_host_write(bed->fab, node,
                          reply ? FSH_REG_REP_TAIL : FSH_REG_REQ_TAIL,
                          bed->tail[node][reply]);
}

bool fsh_bed_submit(struct fsh_bed *bed, uint32_t node,
                    const struct fsh_bed_command *cmd)
{
    if (!fsh_bed_queue(bed, node, cmd))
        return false;
    fsh_bed_doorbell(bed, node, fsh_cmd_reply(cmd->word) != 0);
    return true;
}

bool fsh_bed_take(struct fsh_bed *bed, uint32_t node, enum fsh_bed_ring ring,
                  uint64_t entry[2])
{
    uint32_t taken = bed->taken[node][ring];
    uint32_t lap = taken / FSH_RING_ENTRIES;

    memcpy(entry,
           fsh_fabric_dma(bed->fab, node) + ring_base[ring] +
               taken % FSH_RING_ENTRIES * FSH_RING_ENTRY_BYTES,
           FSH_RING_ENTRY_BYTES);
    if (fsh_ring_phase(entry) != (lap + 1) % 2)
        return false;
    taken = ++bed->taken[node][ring];
    if (taken - bed->told[node][ring] >= FSH_RING_ENTRIES / 4 &&
        fsh_fabric_host_write(bed->fab, node, ring_taken[ring], taken))
        bed->told[node][ring] = taken;
    return true;
}

bool fsh_bed_await(struct fsh_bed *bed, uint32_t node, enum fsh_bed_ring ring,
                   uint64_t max_cycles, uint64_t entry[2])
{
    uint64_t end = fsh_fabric_cycle(bed->fab) + max_cycles;

    while (!fsh_bed_take(bed, node, ring, entry))
        if (!fsh_fabric_step(bed->fab) || fsh_fabric_cycle(bed->fab) > end)
            return fsh_bed_take(bed, node, ring, entry);
    return true;
}

bool fsh_bed_perf(struct fsh_bed *bed, uint32_t node, uint32_t event,
                  struct fsh_bed_perf *perf)
{
    uint64_t *member[4] = {&perf->first, &perf->last, &perf->count, &perf->sum};

    for (uint32_t i = 0; i < 4; i++)
        if (!fsh_fabric_read(bed->fab, node, FSH_REG_PERF + event * 32 + i * 8,
                             SETTLE_CYCLES, member[i]))
            return false;
    return true;
}

void fsh_bed_dump(struct fsh_bed *bed, uint32_t node)
{
    static const struct {
        uint32_t value;
        const char *name;
    } names[] = FSH_PERF_NAMES;
    static const char *const rings[] = {"completion", "request", "reply"};
    static const struct {
        uint32_t value;
        const char *name;
    } coll_names[] = FSH_COLLPERF_NAMES;
    struct fsh_bed_perf perf;
    uint64_t status[2], counted;

    memcpy(status, fsh_fabric_dma(bed->fab, node) + FSH_BED_STATUS,
           sizeof status);
    fprintf(stderr,
            "node %u at cycle %llu: submitted %u/%u, heads %llu/%llu; error: "
            "%s\n",
            node, (unsigned long long)fsh_fabric_cycle(bed->fab),
            bed->tail[node][0], bed->tail[node][1],
            (unsigned long long)fsh_status_req_head(status),
            (unsigned long long)fsh_status_rep_head(status),
            fsh_fabric_error(bed->fab) ? fsh_fabric_error(bed->fab) : "none");
    for (int ring = 0; ring < 3; ring++) {
        uint64_t entry[2];

        memcpy(entry,
               fsh_fabric_dma(bed->fab, node) + ring_base[ring] +
                   bed->taken[node][ring] % FSH_RING_ENTRIES *
                       FSH_RING_ENTRY_BYTES,
               sizeof entry);
        fprintf(stderr, "  %s ring: %u taken, next %016llx %016llx\n",
                rings[ring], bed->taken[node][ring],
                (unsigned long long)entry[0], (unsigned long long)entry[1]);
    }
    for (unsigned i = 0; i < FSH_PERF_COUNT; i++)
        if (fsh_bed_perf(bed, node, names[i].value, &perf))
            fprintf(
                stderr, "  %-10s first %llu last %llu count %llu sum %llu\n",
                names[i].name, (unsigned long long)perf.first,
                (unsigned long long)perf.last, (unsigned long long)perf.count,
                (unsigned long long)perf.sum);
    for (unsigned i = 0; i < FSH_COLLPERF_COUNT; i++)
        if (fsh_fabric_read(bed->fab, node,
                            FSH_REG_COLL_PERF + coll_names[i].value * 8,
                            SETTLE_CYCLES, &counted))
            fprintf(stderr, "  collective engine: %-9s %llu\n",
                    coll_names[i].name, (unsigned long long)counted);
}
