/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets that no correct node sends: headers are changed on the link between RTL
 * nodes, as a broken or hostile peer would. In all cases a packet writes only the
 * segment, the slot and the credit line of its sender, and the range that a GET
 * requested; what cannot be done is answered by tag, or dropped and counted; no
 * request budget is lost, nothing circulates for ever, and the nodes work
 * afterwards. Arguments: names of cases; names of requests, after "requests".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"
#include "device/sim/sim_shm.h"

#define NODES 3u
#define LIMIT 200000u
#define SEGMENT (1u << 20)
#define DMA_BYTES (16u << 20)
#define FROM 0x10000u /* in the segment: source, target */
#define TO 0x20000u
#define TAG 5u
#define NONE 99u /* no completion is to come */

static struct fsh_bed bed;
static unsigned char *image[NODES][2]; /* device memory, DMA window */

/* --- the link ------------------------------------------------------------ */

/* The next packet of this opcode is changed, once, on whatever link. */
static struct {
    uint32_t opcode;
    void (*change)(uint64_t *hdr);
    bool armed;
    uint32_t follow[NODES][FSH_MAX_PORTS]; /* beats to come, by receiver */
} tamper;

static uint32_t beats_after(const uint64_t *hdr)
{
    uint64_t bytes = fsh_hdr_bytes(hdr), lane = fsh_hdr_addr(hdr) % 16;
    uint64_t args = fsh_hdr_first(hdr) ? (fsh_hdr_nargs(hdr) + 3) / 4 % 8 : 0;

    return (uint32_t)(args + (bytes ? (lane + bytes + 15) / 16 % 128 : 0));
}

static void on_beat(void *arg, uint32_t node, uint32_t port, uint64_t data[2])
{
    uint32_t *follow = &tamper.follow[node][port];
    uint32_t after;

    (void)arg;
    if (*follow) {
        (*follow)--;
        return;
    }
    after = beats_after(data);
    if (tamper.armed && fsh_hdr_opcode(data) == tamper.opcode) {
        tamper.armed = false;
        tamper.change(data);
        CHECK(beats_after(data) == after, "the packet's length has changed");
    }
    *follow = after;
}

/* Setters add bits. */
#define SET(hdr, field, value)                          \
    do {                                                \
        uint64_t old[2] = {0};                          \
        fsh_hdr_set_##field(old, fsh_hdr_##field(hdr)); \
        (hdr)[0] ^= old[0];                             \
        (hdr)[1] ^= old[1];                             \
        fsh_hdr_set_##field(hdr, value);                \
    } while (0)

/* --- the bed --------------------------------------------------------------- */

static uint64_t read_reg(uint32_t node, uint32_t offset)
{
    uint64_t value = 0;

    CHECK(fsh_fabric_read(bed.fab, node, offset, LIMIT, &value), "no answer");
    return value;
}

static uint64_t dropped(void)
{
    uint64_t sum = 0;

    for (uint32_t n = 0; n < NODES; n++)
        sum += read_reg(n, FSH_REG_FAULTS) & 0xffff;
    return sum;
}

static void settle(const char *when)
{
    CHECK(fsh_fabric_run(bed.fab, LIMIT),
          "%s: the nodes do not come to rest: %s", when,
          fsh_fabric_error(bed.fab) ? fsh_fabric_error(bed.fab) : "no error");
}

static unsigned char *memory(uint32_t node, int which)
{
    return which ? fsh_fabric_dma(bed.fab, node)
                 : fsh_fabric_dram(bed.fab, node);
}

static const size_t bytes_of[2] = {SEGMENT, DMA_BYTES};

static void open_bed(void)
{
    struct fsh_bed_options options = {.packet = 1024, .ports = 3};
    struct fsh_fabric_config config;
    char err[256];

    memset(&tamper, 0, sizeof tamper);
    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.dram_bytes = SEGMENT;
    config.dma_bytes = DMA_BYTES;
    config.waves = getenv("SIM_WAVES");
    config.events.link_beat = on_beat;
    CHECK(fsh_bed_open(&bed, &config, &options, err, sizeof err), "%s", err);
    for (uint32_t n = 0; n < NODES; n++)
        for (uint32_t i = 0; i < 4096; i++)
            memory(n, 0)[FROM + i] = (unsigned char)(i * 7 + n + 1);
}

static void take_images(void)
{
    for (uint32_t n = 0; n < NODES; n++)
        for (int w = 0; w < 2; w++)
            memcpy(image[n][w], memory(n, w), bytes_of[w]);
}

/* What the nodes write of their own: rings, status line. */
static bool of_the_device(int which, size_t at)
{
    return which && ((at >= FSH_BED_CPL && at < FSH_BED_SLOT_HDR) ||
                     at / 16 == FSH_BED_STATUS / 16);
}

/* Nothing has changed but that, and bytes [from, to) of one memory. */
static void check_images(const char *name, uint32_t node, int which,
                         size_t from, size_t to)
{
    for (uint32_t n = 0; n < NODES; n++)
        for (int w = 0; w < 2; w++)
            for (size_t p = 0; p < bytes_of[w]; p += 4096) {
                if (!memcmp(memory(n, w) + p, image[n][w] + p, 4096))
                    continue;
                for (size_t i = p; i < p + 4096; i++)
                    CHECK(memory(n, w)[i] == image[n][w][i] ||
                              of_the_device(w, i) ||
                              (n == node && w == which && i >= from && i < to),
                          "%s: node %u: byte 0x%zx of %s is written", name, n,
                          i, w ? "the DMA window" : "the segment");
            }
}

static void submit(uint32_t node, const struct fsh_bed_command *cmd)
{
    CHECK(fsh_bed_submit(&bed, node, cmd), "window full");
}

/* The completion of TAG at node 0, or none. */
static void expect(const char *name, uint32_t status)
{
    uint64_t entry[2];
    bool came = fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry);

    if (status == NONE) {
        CHECK(!came, "%s: entry %016llx", name, (unsigned long long)entry[0]);
        return;
    }
    CHECK(came, "%s: no completion", name);
    CHECK(fsh_ring_kind(entry) == FSH_CPL_TAGGED &&
              fsh_ring_tag(entry) == TAG && fsh_ring_status(entry) == status,
          "%s: entry %016llx, status %u expected", name,
          (unsigned long long)entry[0], status);
}

/* A request budget or a credit lost shows after so many. */
static void still_works(const char *name)
{
    struct fsh_bed_command cmd;

    tamper.armed = false;
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t dst = 1 + i % 2;
        unsigned char *to = memory(dst, 0) + TO;

        memset(to, 0, 100);
        if (i % 4 < 2)
            fsh_bed_put(&cmd, dst, TAG, FROM, TO, 100);
        else
            fsh_bed_get(&cmd, dst, TAG, TO, FROM, 100);
        submit(0, &cmd);
        settle(name);
        expect(name, FSH_STATUS_OK);
        CHECK(i % 4 >= 2 || !memcmp(to, memory(0, 0) + FROM, 100),
              "%s: a PUT later is not written", name);
    }
}

/* --- requests --------------------------------------------------------------- */

/* What is sent to node 1, and what ends it. */
static void put(struct fsh_bed_command *cmd)
{
    fsh_bed_put(cmd, 1, TAG, FROM, TO, 64);
}

static void put_page(struct fsh_bed_command *cmd)
{
    fsh_bed_put(cmd, 1, TAG, FROM, TO, 1024);
}

static void put_silent(struct fsh_bed_command *cmd)
{
    put(cmd);
    cmd->word[0] &= ~(UINT64_C(1) << 11);
}

static void line(struct fsh_bed_command *cmd)
{
    static const uint64_t words[2] = {0x1111, 0x2222};

    fsh_bed_command(cmd, FSH_OP_PUT, FSH_CAT_LONG, 1, 0);
    fsh_cmd_set_reply(cmd->word, 1);
    fsh_cmd_set_rspace(cmd->word, FSH_SPACE_HOST);
    fsh_bed_attach(cmd, NULL, 0, words, sizeof words);
}

static void get(struct fsh_bed_command *cmd)
{
    fsh_bed_get(cmd, 1, TAG, TO, FROM, 64);
}

static void get_host(struct fsh_bed_command *cmd)
{
    get(cmd);
    fsh_cmd_set_lspace(cmd->word, FSH_SPACE_HOST);
}

static void message(struct fsh_bed_command *cmd, uint32_t category,
                    uint32_t nargs, uint32_t bytes)
{
    static const uint32_t args[16] = {1, 2, 3};

    fsh_bed_command(cmd, FSH_OP_CLIENT, category, 1, 3);
    fsh_cmd_set_laddr(cmd->word, FROM);
    fsh_cmd_set_length(cmd->word, bytes);
    fsh_cmd_set_raddr(cmd->word, category == FSH_CAT_LONG ? TO : 0);
    fsh_bed_attach(cmd, args, nargs, NULL, 0);
}

static void am_short(struct fsh_bed_command *cmd)
{
    message(cmd, FSH_CAT_SHORT, 0, 0);
}
static void am_args(struct fsh_bed_command *cmd)
{
    message(cmd, FSH_CAT_SHORT, 8, 0);
}
static void am_medium(struct fsh_bed_command *cmd)
{
    message(cmd, FSH_CAT_MEDIUM, 0, 64);
}
static void am_long(struct fsh_bed_command *cmd)
{
    message(cmd, FSH_CAT_LONG, 0, 64);
}

/* How the header is changed. */
static uint64_t value; /* of the change, where there are several */

#define CHANGE(name, field)         \
    static void name(uint64_t *hdr) \
    {                               \
        SET(hdr, field, value);     \
    }
CHANGE(opcode, opcode)
CHANGE(space, space)
CHANGE(addr, addr)
CHANGE(src, src)
CHANGE(dst, dst)
CHANGE(tag, tag)
CHANGE(nargs, nargs)
CHANGE(category, category)

static void host_at(uint64_t *hdr)
{
    SET(hdr, space, FSH_SPACE_HOST);
    SET(hdr, addr, value);
}

static void acked(uint64_t *hdr)
{
    SET(hdr, ack, 1);
}

static void twice_wrong(uint64_t *hdr)
{
    SET(hdr, dst, 77);
    SET(hdr, src, 200);
}

/* opcode: of the packet that is changed, 0 that of the command. status: TAG's
 * completion at node 0. drops: packets dropped. */
static const struct request {
    const char *name;
    void (*make)(struct fsh_bed_command *cmd);
    uint32_t opcode;
    void (*change)(uint64_t *hdr);
    uint64_t value;
    uint32_t status, drops;
} requests[] = {
    {"no unit, 0", put, 0, opcode, 0, FSH_STATUS_UNSUPPORTED, 0},
    {"no unit, 7", put, 0, opcode, FSH_OP_ATOMIC, FSH_STATUS_UNSUPPORTED, 0},
    {"no unit, 63", put, 0, opcode, 63, FSH_STATUS_UNSUPPORTED, 0},
    {"no unit, no ack", put_silent, 0, opcode, 40, NONE, 1},
    {"no unit, message", am_args, 0, opcode, 40, NONE, 1},
    {"space 2", put, 0, space, 2, FSH_STATUS_REMOTE_RANGE, 0},
    {"space 3", put, 0, space, 3, FSH_STATUS_REMOTE_RANGE, 0},
    {"completion ring", put, 0, host_at, FSH_BED_CPL, FSH_STATUS_REMOTE_RANGE,
     0},
    {"receive ring", put, 0, host_at, FSH_BED_REQ, FSH_STATUS_REMOTE_RANGE, 0},
    {"status line", put, 0, host_at, FSH_BED_STATUS, FSH_STATUS_REMOTE_RANGE,
     0},
    {"slot", put, 0, host_at, FSH_BED_SLOT_HDR, FSH_STATUS_REMOTE_RANGE, 0},
    {"bounce memory", put, 0, host_at, FSH_BED_BOUNCE, FSH_STATUS_REMOTE_RANGE,
     0},
    {"line, by its place", put, 0, host_at, FSH_BED_LINE(0),
     FSH_STATUS_REMOTE_RANGE, 0},
    {"longer than a line", put, 0, host_at, 0, FSH_STATUS_REMOTE_RANGE, 0},
    {"the next line", line, 0, host_at, 16, NONE, 0},
    {"no such space of a line", line, 0, space, 2, NONE, 0},
    {"end of the segment", put, 0, addr, SEGMENT - 48, FSH_STATUS_REMOTE_RANGE,
     0},
    {"around the end", put, 0, addr, (UINT64_C(1) << 40) - 32,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"over 4 KiB", put_page, 0, addr, 0x20e00, FSH_STATUS_REMOTE_RANGE, 0},
    {"line with ack", line, 0, acked, 0, NONE, 1},
    {"GET on the reply channel", line, 0, opcode, FSH_OP_GET, NONE, 1},
    {"from the receiver", put, 0, src, 1, NONE, 1},
    {"from nobody", put, 0, src, 3, NONE, 1},
    {"from nobody, 200", put, 0, src, 200, NONE, 1},
    {"tag 64", put, 0, tag, 64, NONE, 1},
    {"GET of host memory", get, 0, space, FSH_SPACE_HOST,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"GET of space 2", get, 0, space, 2, FSH_STATUS_REMOTE_RANGE, 0},
    {"GET behind the segment", get, 0, addr, SEGMENT - 32,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"GET without its argument", am_short, 0, opcode, FSH_OP_GET, NONE, 1},
    {"GET of too many arguments", am_args, 0, opcode, FSH_OP_GET, NONE, 1},
    {"GET with a payload", put, 0, opcode, FSH_OP_GET, NONE, 1},
    {"COMPUTE with a payload", put, 0, opcode, FSH_OP_COMPUTE, NONE, 1},
    {"COMPUTE of too many arguments", am_args, 0, opcode, FSH_OP_COMPUTE, NONE,
     1},
    {"answer on the request channel", put, 0, opcode, FSH_OP_GET_REPLY, NONE,
     1},
    {"ack on the request channel", am_short, 0, opcode, FSH_OP_PUT_ACK, NONE,
     1},
    {"slot 16", am_medium, 0, tag, 16, NONE, 1},
    {"slot 64", am_short, 0, tag, 64, NONE, 1},
    {"32 arguments", am_short, 0, nargs, 29, NONE, 1},
    {"category 3", am_medium, 0, category, 3, NONE, 1},
    {"Short with a payload", am_medium, 0, category, FSH_CAT_SHORT, NONE, 1},
    {"no such node", put, 0, dst, 77, FSH_STATUS_BAD_NODE, 0},
    {"no such node, 255", put, 0, dst, 255, FSH_STATUS_BAD_NODE, 0},
    {"no such node, GET", get, 0, dst, 3, FSH_STATUS_BAD_NODE, 0},
    {"no such node, no ack", put_silent, 0, dst, 77, NONE, 1},
    {"no such node, message", am_medium, 0, dst, 77, NONE, 1},
    {"no such node, line", line, 0, dst, 77, NONE, 1},
    {"no such nodes", put, 0, twice_wrong, 0, NONE, 1},
    {"ack to nobody", put, FSH_OP_PUT_ACK, dst, 77, NONE, 1},
    {"ack of another tag", put, FSH_OP_PUT_ACK, tag, 6, NONE, 1},
    {"ack of another node", put, FSH_OP_PUT_ACK, src, 2, NONE, 1},
    {"ack becomes an answer", put, FSH_OP_PUT_ACK, opcode, FSH_OP_GET_REPLY,
     NONE, 1},
    {"ack without a unit", put, FSH_OP_PUT_ACK, opcode, 7, NONE, 1},
    {"answer of another node", get, FSH_OP_GET_REPLY, src, 2, NONE, 1},
    {"answer of another tag", get, FSH_OP_GET_REPLY, tag, 6, NONE, 1},
    {"answer becomes an ack", get, FSH_OP_GET_REPLY, opcode, FSH_OP_PUT_ACK,
     NONE, 1},
    {"answer before the range", get, FSH_OP_GET_REPLY, addr, TO - 16,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"answer behind the range", get, FSH_OP_GET_REPLY, addr, TO + 16,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"answer to 0", get, FSH_OP_GET_REPLY, addr, 0, FSH_STATUS_REMOTE_RANGE, 0},
    {"answer to the host", get, FSH_OP_GET_REPLY, host_at, TO,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"answer to the rings", get_host, FSH_OP_GET_REPLY, addr, FSH_BED_CPL,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"answer to the segment", get_host, FSH_OP_GET_REPLY, space,
     FSH_SPACE_SEGMENT, FSH_STATUS_REMOTE_RANGE, 0},
    {"answer to space 3", get_host, FSH_OP_GET_REPLY, space, 3,
     FSH_STATUS_REMOTE_RANGE, 0},
    {"answer to nobody", get, FSH_OP_GET_REPLY, dst, 77, NONE, 1},
};

static void run_request(const struct request *r)
{
    uint64_t before = dropped(), entry[2];
    struct fsh_bed_command cmd;

    r->make(&cmd);
    take_images();
    value = r->value;
    tamper.opcode = r->opcode ? r->opcode : (uint32_t)fsh_cmd_opcode(cmd.word);
    tamper.change = r->change;
    tamper.armed = true;
    submit(0, &cmd);
    settle(r->name);
    CHECK(!tamper.armed, "%s: no packet to change", r->name);
    expect(r->name, r->status);
    CHECK(!fsh_bed_take(&bed, 1, FSH_BED_RING_REQ, entry), "%s: a message",
          r->name);
    /* A PUT whose ack alone was changed is written. */
    if (r->opcode == FSH_OP_PUT_ACK)
        check_images(r->name, 1, 0, TO, TO + 64);
    else
        check_images(r->name, 0, 0, 0, 0);
    CHECK(dropped() - before == r->drops, "%s: %llu packets dropped", r->name,
          (unsigned long long)(dropped() - before));
    still_works(r->name);
}

static char **names; /* argv */

static bool wanted(const char *name, int from)
{
    for (int i = from; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return !names[from];
}

static void case_requests(void)
{
    for (unsigned i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (names[1] && !wanted(requests[i].name, 2))
            continue;
        open_bed();
        run_request(&requests[i]);
        CHECK(fsh_bed_close(&bed), "close");
    }
}

/* --- more than one ------------------------------------------------------------ */

/* A host-bound message that may not write its payload arrives, with a status. */
static void case_messages(void)
{
    static const struct {
        void (*make)(struct fsh_bed_command *cmd);
        void (*change)(uint64_t *hdr);
        uint64_t value;
    } wrong[] = {
        {am_long, host_at, FSH_BED_CPL},
        {am_long, host_at, 0},
        {am_long, space, 2},
        {am_long, addr, SEGMENT - 16},
        {am_medium, addr, FSH_MAX_MEDIUM - 16},
        {am_medium, addr, FSH_MAX_MEDIUM},
    };
    size_t slot = FSH_BED_SLOT_HDR + 3 * FSH_SLOT_HEADER_BYTES;
    uint64_t entry[2];
    struct fsh_bed_command cmd;

    open_bed();
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        take_images();
        wrong[i].make(&cmd);
        value = wrong[i].value;
        tamper.opcode = FSH_OP_CLIENT;
        tamper.change = wrong[i].change;
        tamper.armed = true;
        submit(0, &cmd);
        settle("message");
        CHECK(fsh_bed_take(&bed, 1, FSH_BED_RING_REQ, entry) &&
                  fsh_ring_status(entry) == FSH_STATUS_REMOTE_RANGE,
              "message %u is not delivered with its status", i);
        check_images("message", 1, 1, slot, slot + FSH_SLOT_HEADER_BYTES);
    }
    still_works("message");
    CHECK(fsh_bed_close(&bed), "close");
}

/* What may be written to a host: the sender's line. */
static void case_line(void)
{
    struct fsh_bed_command cmd;

    open_bed();
    for (uint32_t n = 0; n < NODES; n++) {
        take_images();
        line(&cmd);
        submit(n, &cmd);
        settle("line");
        check_images("line", 1, 1, FSH_BED_LINE(n), FSH_BED_LINE(n) + 16);
        CHECK(memory(1, 1)[FSH_BED_LINE(n)] == 0x11, "not written");
    }
    CHECK(dropped() == 0, "dropped");
    CHECK(fsh_bed_close(&bed), "close");
}

/* The answer of one GET names the tag of another that is over: nothing of it is
 * written where that one's data went. */
static void case_late(void)
{
    struct fsh_bed_command cmd;

    open_bed();
    get(&cmd);
    submit(0, &cmd);
    settle("late");
    expect("late", FSH_STATUS_OK);
    memset(memory(0, 0) + TO, 0, 64);
    take_images();
    fsh_bed_get(&cmd, 1, TAG + 1, TO + 4096, FROM, 64);
    tamper.opcode = FSH_OP_GET_REPLY;
    tamper.change = tag;
    value = TAG;
    tamper.armed = true;
    submit(0, &cmd);
    settle("late");
    expect("late", NONE);
    check_images("late", 0, 0, 0, 0);
    CHECK(dropped() == 1, "not dropped");
    CHECK(fsh_bed_close(&bed), "close");
}

/* Every way round, from every node: nothing circles, the sender is told. */
static void case_around(void)
{
    struct fsh_bed_command cmd;
    uint64_t entry[2];

    for (uint32_t from = 0; from < NODES; from++)
        for (uint32_t step = 1; step < NODES; step++) {
            open_bed();
            take_images();
            fsh_bed_put(&cmd, (from + step) % NODES, TAG, FROM, TO, 64);
            tamper.opcode = FSH_OP_PUT;
            tamper.change = dst;
            value = 40;
            tamper.armed = true;
            submit(from, &cmd);
            settle("around");
            CHECK(fsh_bed_take(&bed, from, FSH_BED_RING_CPL, entry) &&
                      fsh_ring_status(entry) == FSH_STATUS_BAD_NODE,
                  "node %u, step %u: not told", from, step);
            check_images("around", 0, 0, 0, 0);
            still_works("around");
            CHECK(fsh_bed_close(&bed), "close");
        }
}

static void case_count(void)
{
    struct fsh_bed_command cmd;

    open_bed();
    for (uint32_t i = 1; i <= 70; i++) {
        am_short(&cmd);
        tamper.opcode = FSH_OP_CLIENT;
        tamper.change = opcode;
        value = FSH_OP_GET;
        tamper.armed = true;
        submit(0, &cmd);
        settle("count");
        CHECK(read_reg(1, FSH_REG_FAULTS) == i, "dropped is not counted");
    }
    fsh_fabric_host_write(bed.fab, 1, FSH_REG_FAULTS, 1);
    CHECK(read_reg(1, FSH_REG_FAULTS) == 0, "not cleared");
    still_works("count");
    CHECK(fsh_bed_close(&bed), "close");
}

/* A register keeps its value if the new one is misaligned or no packet size. */
static void case_registers(void)
{
    static const struct {
        uint32_t offset;
        uint64_t value;
    } wrong[] = {
        {FSH_REG_PACKET, 0},
        {FSH_REG_PACKET, 64},
        {FSH_REG_PACKET, 1000},
        {FSH_REG_PACKET, 384},
        {FSH_REG_SEG_BASE, 2048},
        {FSH_REG_HOST_BASE, FSH_SIM_DMA_BUS + 16},
        {FSH_REG_CPL_BASE, 4096},
        {FSH_REG_REQ_BASE, 65536},
        {FSH_REG_REP_BASE, 16},
        {FSH_REG_SLOT_HDR_BASE, 0x20000},
        {FSH_REG_SLOT_PAY_BASE, 0x400000},
        {FSH_REG_STATUS_ADDR, 8},
    };

    open_bed();
    CHECK(read_reg(1, FSH_REG_FAULTS) == 0, "something right was refused");
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint64_t before = read_reg(1, wrong[i].offset);

        fsh_fabric_host_write(bed.fab, 1, wrong[i].offset, wrong[i].value);
        CHECK(read_reg(1, wrong[i].offset) == before,
              "register 0x%x is changed", wrong[i].offset);
        CHECK(read_reg(1, FSH_REG_FAULTS) == 1u << 16, "0x%x: not told",
              wrong[i].offset);
        fsh_fabric_host_write(bed.fab, 1, FSH_REG_FAULTS, 0);
    }
    still_works("registers");
    CHECK(fsh_bed_close(&bed), "close");
}

/* --- rings that are full --------------------------------------------------- */

static unsigned lost(uint32_t node)
{
    return (unsigned)(read_reg(node, FSH_REG_FAULTS) >> 24);
}

/* PUTs with tags 0 to count - 1, to their end; nobody takes their
 * entries. */
static void put_some(uint32_t count)
{
    struct fsh_bed_command cmd;

    for (uint32_t tag = 0; tag < count; tag++) {
        fsh_bed_put(&cmd, 1, tag, FROM, TO, 16);
        submit(0, &cmd);
    }
    settle("full");
}

/* A host that takes nothing finds the first lap as it was written, and the rest
 * counted; as soon as it has taken what there is, entries come again. */
static void case_full(void)
{
    enum { BATCH = 32, MORE = 3 };
    uint64_t entry[2];

    open_bed();
    for (uint32_t i = 0; i < FSH_RING_ENTRIES; i += BATCH)
        put_some(BATCH);
    CHECK(lost(0) == 0, "%u entries dropped by a ring that has room", lost(0));
    take_images();
    put_some(MORE);
    CHECK(!memcmp(memory(0, 1) + FSH_BED_CPL, image[0][1] + FSH_BED_CPL,
                  (size_t)FSH_RING_ENTRIES * FSH_RING_ENTRY_BYTES),
          "a full ring is overwritten");
    CHECK(lost(0) == MORE, "%u entries counted as dropped, not %u", lost(0),
          MORE);
    for (uint32_t i = 0; i < FSH_RING_ENTRIES; i++)
        CHECK(fsh_bed_take(&bed, 0, FSH_BED_RING_CPL, entry) &&
                  fsh_ring_tag(entry) == i % BATCH,
              "entry %u: %016llx", i, (unsigned long long)entry[0]);
    settle("full");
    still_works("full");
    CHECK(lost(0) == MORE, "dropped with room");
    fsh_fabric_host_write(bed.fab, 0, FSH_REG_FAULTS, 0);
    CHECK(read_reg(0, FSH_REG_FAULTS) == 0, "not cleared");
    CHECK(fsh_bed_close(&bed), "close");
}

/* Each ring by itself: node 1 is told that its rings have room for so many. */
static void case_room(void)
{
    static const uint32_t reg[] = {FSH_REG_CPL_TAKEN, FSH_REG_REQ_TAKEN,
                                   FSH_REG_REP_TAKEN};
    enum { ROOM = 4, SENT = 7 };
    uint64_t entry[2];

    for (int ring = FSH_BED_RING_REQ; ring <= FSH_BED_RING_REP; ring++) {
        open_bed();
        fsh_fabric_host_write(bed.fab, 1, reg[ring], FSH_RING_ENTRIES + ROOM);
        for (uint32_t i = 0; i < SENT; i++) {
            struct fsh_bed_command cmd;

            fsh_bed_command(&cmd, FSH_OP_CLIENT, FSH_CAT_SHORT, 1, i);
            fsh_cmd_set_reply(cmd.word, ring == FSH_BED_RING_REP);
            submit(0, &cmd);
        }
        settle("room");
        CHECK(lost(1) == SENT - ROOM, "ring %d: %u dropped", ring, lost(1));
        for (uint32_t i = 0; i < ROOM; i++)
            CHECK(fsh_bed_take(&bed, 1, (enum fsh_bed_ring)ring, entry) &&
                      fsh_ring_tag(entry) == i,
                  "ring %d: entry %u: %016llx", ring, i,
                  (unsigned long long)entry[0]);
        CHECK(!fsh_bed_take(&bed, 1, (enum fsh_bed_ring)ring, entry),
              "ring %d: an entry too many", ring);
        still_works("room");
        CHECK(fsh_bed_close(&bed), "close");
    }
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"requests", case_requests},   {"messages", case_messages},
    {"line", case_line},           {"late", case_late},
    {"around", case_around},       {"count", case_count},
    {"registers", case_registers}, {"full", case_full},
    {"room", case_room},
};

int main(int argc, char **argv)
{
    (void)argc;
    names = argv;
    for (uint32_t n = 0; n < NODES; n++)
        for (int w = 0; w < 2; w++)
            CHECK((image[n][w] = malloc(bytes_of[w])) != NULL, "memory");
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!wanted(cases[i].name, 1))
            continue;
        printf("%s\n", cases[i].name);
        fflush(stdout);
        cases[i].run();
    }
    printf("sim_forged: ok\n");
    return 0;
}
