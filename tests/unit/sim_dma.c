/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DMA engine of cards between the models of its two memories: random moves in both
 * directions at two nodes, with random stalls, memories held back and bytes that answer with an
 * error. Each move ends once, in the order of its direction and with the right status; the
 * memories are then as copies of bytes make them; cycles and writes are the same without
 * jumps. Stalls refuse addresses of either memory, and holds take their time. Argument: seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"
#include "model.h"
#include "random.h"

#define NODES 2u
#define LIMIT 2000000u
#define WINDOW (16u << 20) /* where moves find it, in the DMA window */
#define BYTES (1u << 19)   /* of each memory that moves use */
#define HALF (BYTES / 2)   /* that one direction writes and the other reads */
#define LINE FSH_LANE_BYTES
#define BATCH 32u

enum { TO, FROM, WAYS };

struct move {
    uint64_t host, card; /* offsets in what moves use */
    uint32_t length;
};

static struct fsh_bed bed;
static uint64_t seed;
static struct fsh_fabric_config config;

/* What the memories of each node are to hold. */
static unsigned char window[NODES][BYTES], segment[NODES][BYTES];
static struct move asked[NODES][WAYS][BATCH];
static struct {
    bool host;
    uint64_t at, bytes;
} bad[NODES];
static unsigned statuses[FSH_STATUS_COUNT];
static unsigned errors[WAYS][2]; /* of device memory, of the DMA window */

static uint32_t below(uint32_t n)
{
    return (uint32_t)(random_next(&seed) % n);
}

static unsigned char *host_of(uint32_t node)
{
    return fsh_fabric_dma(bed.fab, node) + WINDOW;
}

static unsigned char *card_of(uint32_t node)
{
    return fsh_fabric_dram(bed.fab, node);
}

static void open_bed(bool jump, uint64_t stall)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 3};
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.dram_bytes = BYTES;
    config.dma_bytes = WINDOW + BYTES;
    config.jump = jump;
    config.stall = stall != 0;
    config.stall_seed = stall;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t n = 0; n < NODES; n++)
        for (uint32_t i = 0; i < BYTES; i++) {
            window[n][i] = host_of(n)[i] = (unsigned char)(i * 7 + n + i / 251);
            segment[n][i] = card_of(n)[i] = (unsigned char)(i * 3 + n + i / 97);
        }
}

static void write_register(uint32_t node, uint32_t offset, uint64_t word)
{
    while (!fsh_fabric_host_write(bed.fab, node, offset, word))
        CHECK(fsh_fabric_step(bed.fab), "no room for a register write");
}

static void begin(uint32_t node, unsigned way, uint32_t tag,
                  const struct move *m)
{
    write_register(node, FSH_REG_DMA_HOST, WINDOW + m->host);
    write_register(node, FSH_REG_DMA_CARD, m->card);
    write_register(node, FSH_REG_DMA_MOVE,
                   m->length | tag << 24 | (uint64_t)(way == FROM) << 32);
}

static bool meets(uint32_t node, bool host, const struct move *m)
{
    uint64_t from = (host ? m->host : m->card) / LINE * LINE;
    uint64_t to = (host ? m->host : m->card) + m->length;

    if (bad[node].host != host || bad[node].bytes == 0 || m->length == 0)
        return false;
    to = (to + LINE - 1) / LINE * LINE;
    return from < bad[node].at + bad[node].bytes && to > bad[node].at;
}

static unsigned status_of(uint32_t node, unsigned way, const struct move *m)
{
    unsigned host = FSH_STATUS_LOCAL_RANGE, card = FSH_STATUS_REMOTE_RANGE;
    bool no_host = m->host + m->length > BYTES;
    bool no_card = m->card + m->length > BYTES;

    if (no_host && (way == TO || !no_card))
        return host;
    if (no_card)
        return card;
    return meets(node, true, m) || meets(node, false, m) ? FSH_STATUS_MEMORY
                                                         : FSH_STATUS_OK;
}

/* Into the copies; of a move that met an error, what it has made of its target. */
static void copy(uint32_t node, unsigned way, const struct move *m,
                 unsigned status)
{
    unsigned char *to =
        way == TO ? segment[node] + m->card : window[node] + m->host;
    const unsigned char *from =
        way == TO ? window[node] + m->host : segment[node] + m->card;

    if (status == FSH_STATUS_MEMORY)
        from = way == TO ? card_of(node) + m->card : host_of(node) + m->host;
    if (status == FSH_STATUS_OK || status == FSH_STATUS_MEMORY)
        memcpy(to, from, m->length);
}

/* Ends of all moves of a node, in order per direction. */
static void finish(uint32_t node, unsigned count[WAYS])
{
    unsigned ended[WAYS] = {0, 0};
    uint64_t e[2];

    while (ended[TO] < count[TO] || ended[FROM] < count[FROM]) {
        CHECK(fsh_bed_await(&bed, node, FSH_BED_RING_CPL, LIMIT, e),
              "node %u: %u of %u and %u of %u moves have ended: %s", node,
              ended[TO], count[TO], ended[FROM], count[FROM],
              fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "quiet");
        unsigned way = fsh_ring_opcode(e) == FSH_OP_PUT ? TO : FROM;
        unsigned index = ended[way]++;
        const struct move *m = &asked[node][way][index];
        unsigned is = (unsigned)fsh_ring_status(e);

        CHECK(index < count[way] && fsh_ring_kind(e) == FSH_CPL_TAGGED &&
                  fsh_ring_tag(e) == way * BATCH + index,
              "node %u: entry %016llx for move %u", node,
              (unsigned long long)e[0], index);
        CHECK(is == status_of(node, way, m),
              "node %u, way %u, move %u of %u B, window 0x%llx, segment "
              "0x%llx: status %u, not %u",
              node, way, index, m->length, (unsigned long long)m->host,
              (unsigned long long)m->card, is, status_of(node, way, m));
        statuses[is]++;
        errors[way][bad[node].host] += is == FSH_STATUS_MEMORY;
        copy(node, way, m, is);
    }
}

static void compare(uint32_t node)
{
    CHECK(fsh_fabric_run(bed.fab, LIMIT), "not quiet");
    for (uint32_t i = 0; i < BYTES; i++)
        CHECK(host_of(node)[i] == window[node][i] &&
                  card_of(node)[i] == segment[node][i],
              "node %u, byte 0x%x: %u and %u, not %u and %u", node, i,
              host_of(node)[i], card_of(node)[i], window[node][i],
              segment[node][i]);
}

/* To the card between the lower halves, from it between the upper ones; targets of a
 * batch follow each other. Some are out of range. */
static unsigned draw_moves(uint32_t node, unsigned way)
{
    uint64_t half = way * HALF, next = half;
    unsigned count = 0, wanted = BATCH / 2 + below(BATCH / 2 + 1);

    for (; count < wanted; count++) {
        struct move *m = &asked[node][way][count];
        uint32_t length = below(4) ? below(9000) : below(200);
        uint64_t source = half + below(HALF - length + 1);
        uint64_t target = next + below(70);

        if (target + length > half + HALF)
            break;
        next = target + length;
        m->length = length;
        if (length > 1 && below(16) == 0)
            target = BYTES - below(length);
        m->host = way == TO ? source : target;
        m->card = way == TO ? target : source;
    }
    return count;
}

/* Some bytes of either memory, where one direction reads or the other writes. */
static void spoil(uint32_t node, unsigned kind)
{
    bool host = kind & 1;

    if (bad[node].bytes)
        fsh_fabric_spoil_memory(
            bed.fab, node,
            bad[node].host ? FSH_MEMORY_DMA_HOST : FSH_MEMORY_DMA_CARD, 0, 0);
    bad[node].bytes = below(6) ? 1 + below(8000) : 0;
    /* What is written is near the beginning of its half. */
    bad[node].at =
        (kind >> 1) * HALF + below((kind >> 1) == host ? 40000 : HALF - 8000);
    bad[node].host = host;
    if (bad[node].bytes)
        fsh_fabric_spoil_memory(
            bed.fab, node, host ? FSH_MEMORY_DMA_HOST : FSH_MEMORY_DMA_CARD,
            (host ? WINDOW : 0) + bad[node].at, bad[node].bytes);
}

static void play(uint64_t from, bool jump, uint64_t *hash, uint64_t *cycle)
{
    unsigned count[NODES][WAYS];

    seed = from;
    memset(bad, 0, sizeof bad);
    open_bed(jump, from % 3 ? from : 0);
    for (unsigned batch = 0; batch < 4; batch++) {
        for (uint32_t n = 0; n < NODES; n++) {
            spoil(n, (batch + n) % 4);
            for (unsigned way = 0; way < WAYS; way++)
                count[n][way] = draw_moves(n, way);
        }
        for (unsigned i = 0; i < WAYS * BATCH; i++)
            for (uint32_t n = 0; n < NODES; n++)
                if (i / WAYS < count[n][i % WAYS])
                    begin(n, i % WAYS, i % WAYS * BATCH + i / WAYS,
                          &asked[n][i % WAYS][i / WAYS]);
        if (below(2))
            fsh_fabric_hold_memory(bed.fab, below(NODES),
                                   below(2) ? FSH_MEMORY_DMA_HOST
                                            : FSH_MEMORY_DMA_CARD,
                                   1 + below(3000));
        for (uint32_t n = 0; n < NODES; n++)
            finish(n, count[n]);
        for (uint32_t n = 0; n < NODES; n++)
            compare(n);
    }
    *hash = fsh_fabric_hash(bed.fab);
    *cycle = fsh_fabric_cycle(bed.fab);
    CHECK(fsh_bed_close(&bed), "close");
}

/* One cycle; counts addresses of node 0's engine that a memory did not take in it: of the
 * DMA window, of the segment. */
static void tick(unsigned refused[2])
{
    const struct fsh_node_io *io = &bed.fab->node[0].io;
    const struct fsh_node_out before = io->out;

    fsh_fabric_tick(bed.fab);
    CHECK(!fsh_fabric_error(bed.fab), "%s", fsh_fabric_error(bed.fab));
    refused[0] += (before.wide.arvalid && !io->in.wide.arready) ||
                  (before.wide.awvalid && !io->in.wide.awready);
    refused[1] += (before.line.arvalid && !io->in.line.arready) ||
                  (before.line.awvalid && !io->in.line.awready);
}

/* Cycles of one move, with this memory held back for a while. */
static uint64_t time_of(unsigned way, uint64_t stall, uint32_t held,
                        uint32_t hold, unsigned refused[2])
{
    const struct move m = {.length = HALF};
    uint64_t begun, entry[2];

    open_bed(true, stall);
    if (hold)
        fsh_fabric_hold_memory(bed.fab, 0, held, hold);
    begun = fsh_fabric_cycle(bed.fab);
    begin(0, way, 3, &m);
    while (!fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry)) {
        tick(refused);
        CHECK(fsh_fabric_cycle(bed.fab) - begun < LIMIT, "no end");
    }
    CHECK(fsh_ring_status(entry) == FSH_STATUS_OK && fsh_ring_tag(entry) == 3,
          "entry %016llx", (unsigned long long)entry[0]);
    begun = fsh_fabric_cycle(bed.fab) - begun;
    CHECK(fsh_bed_close(&bed), "close");
    return begun;
}

static void test_time(uint64_t from)
{
    static const uint32_t memories[] = {FSH_MEMORY_DMA_HOST,
                                        FSH_MEMORY_DMA_CARD};
    const uint32_t hold = 20000;

    for (unsigned way = 0; way < WAYS; way++) {
        unsigned free[2] = {0, 0}, stalls[2] = {0, 0}, any[2] = {0, 0};
        uint64_t alone = time_of(way, 0, 0, 0, free);

        (void)time_of(way, from, 0, 0, stalls);
        for (unsigned i = 0; i < 2; i++) {
            uint64_t held = time_of(way, 0, memories[i], hold, any);

            CHECK(free[i] == 0 && stalls[i] > 0,
                  "way %u, memory %u: addresses refused %u times, %u with "
                  "stalls",
                  way, i, free[i], stalls[i]);
            CHECK(held > hold && held < hold + alone + 1000,
                  "way %u: %llu cycles with memory %u held for %u, %llu "
                  "without",
                  way, (unsigned long long)held, i, hold,
                  (unsigned long long)alone);
        }
    }
}

int main(int argc, char **argv)
{
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    uint64_t last = argc > 1 ? first : 4;

    for (uint64_t from = first; from <= last; from++) {
        uint64_t hash[2], cycle[2];

        printf("seed %llu\n", (unsigned long long)from);
        fflush(stdout);
        for (int jump = 0; jump < 2; jump++)
            play(from, jump, &hash[jump], &cycle[jump]);
        CHECK(hash[0] == hash[1] && cycle[0] == cycle[1],
              "without jumps %016llx at %llu, with them %016llx at %llu",
              (unsigned long long)hash[0], (unsigned long long)cycle[0],
              (unsigned long long)hash[1], (unsigned long long)cycle[1]);
    }
    test_time(first);
    printf("sim_dma: ok (%u moves, %u errors of memories, %u out of range)\n",
           statuses[FSH_STATUS_OK], statuses[FSH_STATUS_MEMORY],
           statuses[FSH_STATUS_LOCAL_RANGE] +
               statuses[FSH_STATUS_REMOTE_RANGE]);
    CHECK(argc > 1 || (statuses[FSH_STATUS_LOCAL_RANGE] &&
                       statuses[FSH_STATUS_REMOTE_RANGE] && errors[TO][0] &&
                       errors[TO][1] && errors[FROM][0] && errors[FROM][1]),
          "not all that can be is tried: errors to the card %u and %u, from it "
          "%u and %u",
          errors[TO][0], errors[TO][1], errors[FROM][0], errors[FROM][1]);
    return 0;
}
