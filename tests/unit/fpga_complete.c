/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Completions of conduit fpga, from a ring that this test writes like a device: tags
 * end in any order and return once; events, records and replies are notified; a
 * payload is free when both ports have read it; over several laps of the ring.
 * Invalid entries end the job with the reason.
 */
#include "base/log.h"
#include "check.h"
#include "child.h"
#include "conduit/fpga/state.h"
#include "random.h"

enum { NODES = 4, ROUNDS = 40000 };

static uint64_t ring[FSH_RING_ENTRIES * FSH_RING_WORDS];
static uint32_t written; /* entries, ever */
static uint64_t taken;   /* as the device was told */
static uint64_t seed = 1;

static unsigned draw(unsigned n)
{
    return (unsigned)(random_next(&seed) >> 16) % n;
}

static void no_patience(struct fsh_device *dev, bool patient)
{
    (void)dev;
    (void)patient;
}

static void write_register(struct fsh_device *dev, uint32_t off,
                           const uint64_t *words, unsigned n)
{
    (void)dev;
    CHECK(off == FSH_REG_CPL_TAKEN && n == 1);
    CHECK(words[0] - taken == FSH_DMA_RING_TELL, "told of %u entries",
          (unsigned)(words[0] - taken));
    taken = words[0];
}

static const struct fsh_device_ops device = {
    .name = "test", .patience = no_patience, .write = write_register};

struct entry {
    unsigned kind, opcode, status, reply, node, tag, half;
};

static void say(const struct entry *e)
{
    uint64_t *at = ring + written % FSH_RING_ENTRIES * FSH_RING_WORDS;
    uint64_t w[FSH_RING_WORDS] = {0};

    fsh_ring_set_kind(w, e->kind);
    fsh_ring_set_opcode(w, e->opcode);
    fsh_ring_set_status(w, e->status);
    fsh_ring_set_reply(w, e->reply);
    fsh_ring_set_node(w, e->node);
    fsh_ring_set_tag(w, e->tag);
    fsh_ring_set_half(w, e->half);
    fsh_ring_set_cycle(w, written);
    fsh_ring_set_phase(w, (written / FSH_RING_ENTRIES & 1) ^ 1);
    memcpy(at, w, sizeof w);
    written++;
}

static void set_up(void)
{
    fsh_fpga.ops = &device;
    fsh_fpga.nodes = NODES;
    fsh_fpga.copiers = 1;
    fsh_fpga.locking = true;
    fsh_fpga.cpl.entries = ring;
    fsh_fpga.cpl.taken = FSH_REG_CPL_TAKEN;
    fsh_fpga.mem.dma = calloc(1, FSH_DMA_END);
    CHECK(fsh_fpga.mem.dma != NULL);
    atomic_store(&fsh_fpga.free_tags, FSH_FPGA_ALL_TAGS);
    for (unsigned c = 0; c < FSH_FPGA_CHANNELS; c++) {
        atomic_store(&fsh_fpga.free_small[c], UINT64_MAX);
        atomic_store(&fsh_fpga.free_big[c],
                     UINT64_MAX >> (64 - FSH_DMA_BIG_SLOTS));
    }
    for (unsigned n = 0; n < FSH_MAX_NODES; n++)
        fsh_fpga.rank_of[n] = (uint8_t)n;
    for (unsigned n = 0; n < FSH_MAX_NODES; n++)
        fsh_fpga_slots_init(&fsh_fpga.peer[n]);
}

/* ---- operations with a tag ---- */

static struct fsh_event done[FSH_HOST_TAGS], source[FSH_HOST_TAGS];
static struct fsh_fpga_record record[FSH_HOST_TAGS];
static unsigned char to[FSH_HOST_TAGS][8];
static bool open_tag[FSH_HOST_TAGS];
static unsigned open_tags, answered;

static void on_answer(struct fsh_answer *answer, unsigned status)
{
    (void)answer;
    CHECK(status == FSH_STATUS_BUSY);
    answered++;
}

static struct fsh_answer asked = {on_answer};

/* Of the tag: a PUT, a GET through bounce memory, a raw command, a message. */
static struct fsh_fpga_op make_op(unsigned tag)
{
    struct fsh_fpga_op op = {.node = draw(NODES), .asked = FSH_FPGA_NOT_ASKED};

    switch (tag % 4) {
    case 0:
        op.opcode = FSH_OP_PUT;
        op.event = &done[tag];
        op.read = &source[tag];
        break;
    case 1:
        op.opcode = FSH_OP_GET;
        op.event = &done[tag];
        op.bounced = true;
        op.local = to[tag];
        op.length = sizeof to[tag];
        memset(to[tag], 0, sizeof to[tag]);
        memset(fsh_fpga.mem.dma + FSH_DMA_TAG + tag * FSH_DMA_TAG_BYTES,
               (int)tag + 1, sizeof to[tag]);
        break;
    case 2:
        op.opcode = FSH_OP_GET;
        op.record = &record[tag];
        atomic_store(&record[tag].done, 0);
        break;
    default:
        op.opcode = FSH_OP_COMPUTE;
        op.answer = &asked;
    }
    return op;
}

static void begin(void)
{
    int tag = fsh_fpga_claim(&fsh_fpga.free_tags);
    struct fsh_fpga_op op;

    if (tag < 0) {
        CHECK(open_tags == FSH_HOST_TAGS);
        return;
    }
    CHECK((unsigned)tag < FSH_HOST_TAGS && !open_tag[tag], "tag %d", tag);
    op = make_op((unsigned)tag);
    atomic_store(&done[tag].pending, op.event != NULL);
    atomic_store(&source[tag].pending, op.read != NULL);
    fsh_fpga_op_begin((unsigned)tag, &op);
    open_tag[tag] = true;
    open_tags++;
}

static void check_ended(unsigned tag)
{
    CHECK(atomic_load(&done[tag].pending) == 0 &&
          atomic_load(&source[tag].pending) == 0);
    CHECK(!atomic_load(&fsh_fpga.live[tag]));
    CHECK(atomic_load(&fsh_fpga.free_tags) >> tag & 1);
    if (tag % 4 == 1)
        CHECK(to[tag][0] == tag + 1 && to[tag][7] == tag + 1, "bounced");
    if (tag % 4 == 2)
        CHECK(atomic_load(&record[tag].done) == 1 &&
              record[tag].status == FSH_STATUS_BUSY &&
              record[tag].cycle == written - 1);
}

static void end(unsigned tag)
{
    bool fails = tag % 4 >= 2;
    unsigned before = answered;

    if (!open_tag[tag])
        return;
    say(&(struct entry){.kind = tag % 4 == 3 && draw(2) ? FSH_CPL_REFUSED
                                                        : FSH_CPL_TAGGED,
                        .opcode = FSH_OP_PUT,
                        .status = fails ? FSH_STATUS_BUSY : FSH_STATUS_OK,
                        .tag = tag});
    CHECK(fsh_fpga_complete());
    check_ended(tag);
    CHECK(answered == before + (tag % 4 == 3));
    open_tag[tag] = false;
    open_tags--;
}

/* ---- payloads of messages ---- */

/* Channel, node, bounce slot; ports it goes over. Its payload is free after the last
 * of them, no sooner. */
static void send_payload(unsigned ports)
{
    unsigned channel = draw(2), node = draw(NODES), slot = 0;
    bool small = draw(2);
    _Atomic uint64_t *map =
        small ? &fsh_fpga.free_small[channel] : &fsh_fpga.free_big[channel];
    uint64_t all = atomic_load(map);
    struct fsh_fpga_source *s;

    if (channel == FSH_FPGA_REQUEST) {
        slot = (unsigned)fsh_fpga_slots_claim(&fsh_fpga.peer[node]);
        fsh_fpga_slots_reading(&fsh_fpga.peer[node], slot, true);
    }
    s = &fsh_fpga.source[channel][node][slot];
    s->bounce = small ? FSH_BOUNCE_SMALL : FSH_BOUNCE_BIG;
    s->index = (uint8_t)fsh_fpga_claim(map);
    atomic_store(&s->reading, true);
    for (unsigned p = 1; p <= ports; p++) {
        CHECK(atomic_load(&s->reading) && atomic_load(map) != all);
        say(&(struct entry){.kind = FSH_CPL_SLOT,
                            .reply = channel,
                            .node = node,
                            .tag = slot,
                            .half = ports == 2});
        CHECK(fsh_fpga_complete());
    }
    CHECK(!atomic_load(&s->reading) && atomic_load(map) == all, "payload");
    if (channel == FSH_FPGA_REQUEST)
        fsh_fpga_slots_unclaim(&fsh_fpga.peer[node], slot);
}

static void rounds(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (draw(20) == 0)
            send_payload(1 + draw(2));
        if (draw(2))
            begin();
        else
            end(draw(FSH_HOST_TAGS));
        if (i % 1000 == 0)
            CHECK(!fsh_fpga_complete(), "an entry of the lap before");
    }
    for (unsigned tag = 0; tag < FSH_HOST_TAGS; tag++)
        end(tag);
    CHECK(open_tags == 0 && written > 2 * FSH_RING_ENTRIES);
    CHECK(atomic_load(&fsh_fpga.free_tags) == FSH_FPGA_ALL_TAGS);
    CHECK(fsh_fpga.cpl.pos == written && written - taken < FSH_DMA_RING_TELL);
}

/* ---- what no device says ---- */

static void completed(struct entry e)
{
    say(&e);
    fsh_fpga_complete();
}

static void tag_not_in_use(void)
{
    completed((struct entry){.kind = FSH_CPL_TAGGED, .tag = 3});
}

static void tag_of_nobody(void)
{
    completed((struct entry){.kind = FSH_CPL_TAGGED, .tag = FSH_HOST_TAGS});
}

static void slot_not_in_use(void)
{
    completed((struct entry){.kind = FSH_CPL_SLOT, .node = 1, .tag = 2});
}

static void slot_of_nobody(void)
{
    completed((struct entry){.kind = FSH_CPL_SLOT, .node = NODES, .tag = 0});
}

/* Whatever stands behind the last rank's. */
static void slot_behind(void)
{
    atomic_store(&fsh_fpga.source[0][NODES][0].reading, true);
    slot_of_nobody();
}

static void not_a_kind(void)
{
    completed((struct entry){.kind = FSH_CPL_MESSAGE});
}

static void a_put(struct entry e)
{
    for (unsigned n = 0; n < NODES; n++)
        fsh_fpga.segs[n].addr = (void *)(uintptr_t)0x1000;
    begin(); /* of tag 0 */
    fsh_fpga.op[0].remote = 0x40;
    completed(e);
}

static void failed(void)
{
    a_put((struct entry){.kind = FSH_CPL_TAGGED,
                         .status = FSH_STATUS_REMOTE_RANGE});
}

static void refused(void)
{
    a_put((struct entry){.kind = FSH_CPL_REFUSED,
                         .opcode = FSH_OP_PUT,
                         .status = FSH_STATUS_BAD_NODE});
}

static void refused_message(void)
{
    completed((struct entry){.kind = FSH_CPL_REFUSED,
                             .opcode = FSH_OP_LIBRARY + 1,
                             .reply = 1,
                             .node = 2,
                             .status = FSH_STATUS_BAD_LENGTH});
}

static void abort_on_fatal(int code, const char *reason)
{
    (void)code;
    (void)reason;
    abort();
}

int main(void)
{
    static const struct child_case wrong[] = {
        {tag_not_in_use, "completion of tag 3, which is not in use"},
        {tag_of_nobody, "completion of tag 48, which is not in use"},
        {slot_not_in_use,
         "completion of slot 2 to node 1, which is not in use"},
        {slot_of_nobody, "completion of slot 0 to node 4, which is not in use"},
        {slot_behind, "completion of slot 0 to node 4, which is not in use"},
        {not_a_kind, "completion of unknown kind 2"},
        {failed, "PUT of 0 bytes to rank"},
        {failed, "at 0x1040 (offset 0x40 of its segment"},
        {failed, "failed at the target"},
        {refused, "refused by the device"},
        {refused_message, "AM reply for handler"},
        {refused_message, "refused by the device"}};

    set_up();
    fsh_log_on_fatal(abort_on_fatal);
    rounds();
    child_check(wrong, sizeof wrong / sizeof *wrong);
    puts("fpga_complete: pass");
    return 0;
}
