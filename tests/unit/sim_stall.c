/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message split over both ports of two nodes while one port is blocked for
 * thousands of cycles: its link delivers nothing, or the memory behind it takes
 * nothing. The notification of the message (the TAGGED of a PUT, the entry of a
 * Long, the TAGGED of a GET) must not come before its last packet is written, and
 * must come when the stall is over; other messages over the other port and in
 * loopback must complete meanwhile. Every kind of message, either port, either
 * direction, small and large packets, one packet a port and several. Environment:
 * SIM_WAVES.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "check.h"

#define HOLD 5000u /* cycles */
#define LIMIT 20000u
/* Bytes of a message, if not two packets. Not so much that the standing port is
 * short of credits: what is issued to it must not bar the way of others. */
#define LONGER 6000u
#define FROM 0x10003u
#define TO 0x40009u
#define OTHERS_FROM 0x80000u
#define OTHERS_TO 0xa0005u
#define OTHERS_STEP 0x2000u
#define SHORT_BYTES 100u
#define LOOP_BYTES 3000u
#define MESSAGE_TAG 5u
#define FIRST_OTHER 16u /* tags of the others */
#define MAX_OTHERS 12u
#define SEGMENT (1u << 20)

enum kind { PUT, LONG, GET };
static const char *const kind_name[] = {"PUT", "Long", "GET"};

static struct fsh_bed bed;

struct scene {
    enum kind kind;
    uint32_t sender, receiver; /* of the message's data */
    uint32_t port;             /* of the receiver, standing still */
    bool memory;               /* its memory, else its link */
    uint32_t packet, length;
    uint64_t end; /* cycle at which it goes on */
    bool come;    /* the message is announced */
    struct {
        uint32_t node, dst, bytes;
        bool done;
    } other[MAX_OTHERS];
    unsigned others;
};

/* --- data -------------------------------------------------------------- */

static void fill(unsigned char *mem, uint32_t bytes, uint32_t salt)
{
    for (uint32_t i = 0; i < bytes; i++)
        mem[i] = (unsigned char)(((i + 1) * 2654435761u + salt) >> 24 | 1);
}

/* Bytes that have arrived; none of those sent is zero. */
static uint32_t written(const struct scene *s)
{
    const unsigned char *to = fsh_fabric_dram(bed.fab, s->receiver) + TO;
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->length; i++)
        n += to[i] != 0;
    return n;
}

static bool message_right(const struct scene *s)
{
    const unsigned char *to = fsh_fabric_dram(bed.fab, s->receiver) + TO;
    const unsigned char *from = fsh_fabric_dram(bed.fab, s->sender) + FROM;

    EXPECT(memcmp(to, from, s->length) == 0,
           "announced at cycle %llu with %u of %u bytes written",
           (unsigned long long)fsh_fabric_cycle(bed.fab), written(s),
           s->length);
    return true;
}

static bool other_right(const struct scene *s, unsigned i)
{
    uint32_t from = OTHERS_FROM + i * OTHERS_STEP;
    uint32_t to = OTHERS_TO + i * OTHERS_STEP;

    EXPECT(memcmp(fsh_fabric_dram(bed.fab, s->other[i].dst) + to,
                  fsh_fabric_dram(bed.fab, s->other[i].node) + from,
                  s->other[i].bytes) == 0,
           "PUT %u of %u bytes is announced before it is written", i,
           s->other[i].bytes);
    return true;
}

/* --- entries ----------------------------------------------------------- */

static bool take(struct scene *s, uint32_t node, enum fsh_bed_ring ring,
                 const uint64_t entry[2])
{
    uint32_t at = s->kind == PUT ? s->sender : s->receiver;
    uint32_t tag = (uint32_t)fsh_ring_tag(entry);
    unsigned i = tag - FIRST_OTHER;

    EXPECT(fsh_ring_status(entry) == FSH_STATUS_OK, "node %u: entry %016llx",
           node, (unsigned long long)entry[0]);
    if (tag == MESSAGE_TAG) {
        EXPECT(!s->come, "announced twice");
        EXPECT(node == at && ring == (s->kind == LONG ? FSH_BED_RING_REQ
                                                      : FSH_BED_RING_CPL),
               "announced at node %u, ring %d", node, (int)ring);
        s->come = true;
        return message_right(s);
    }
    EXPECT(i < s->others && s->other[i].node == node && !s->other[i].done,
           "node %u: entry %016llx is for nothing", node,
           (unsigned long long)entry[0]);
    s->other[i].done = true;
    return other_right(s, i);
}

/* One step, and all entries there are. False: an error. */
static bool step(struct scene *s)
{
    uint64_t entry[2];

    fsh_fabric_step(bed.fab);
    EXPECT(!fsh_fabric_error(bed.fab), "%s", fsh_fabric_error(bed.fab));
    for (uint32_t n = 0; n < 2; n++)
        for (int ring = 0; ring < 3; ring++)
            while (fsh_bed_take(&bed, n, (enum fsh_bed_ring)ring, entry))
                if (!take(s, n, (enum fsh_bed_ring)ring, entry))
                    return false;
    return true;
}

static unsigned others_left(const struct scene *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->others; i++)
        n += !s->other[i].done;
    return n;
}

/* --- the scene --------------------------------------------------------- */

static bool open_scene(const struct scene *s)
{
    struct fsh_bed_options options = {
        .packet = s->packet, .ports = 3, .seg_size = SEGMENT};
    struct fsh_fabric_config config;
    char err[512];

    fsh_fabric_defaults(&config);
    config.dram_bytes = SEGMENT;
    config.waves = getenv("SIM_WAVES");
    if (fsh_bed_open(&bed, &config, &options, err, sizeof err)) {
        fill(fsh_fabric_dram(bed.fab, s->sender) + FROM, s->length, 1);
        return true;
    }
    fprintf(stderr, "sim_stall: %s\n", err);
    return false;
}

static bool submit_message(const struct scene *s)
{
    static const uint32_t args[5] = {1, 2, 3, 4, 5};
    struct fsh_bed_command cmd;

    if (s->kind == GET) {
        fsh_bed_get(&cmd, s->sender, MESSAGE_TAG, TO, FROM, s->length);
        return fsh_bed_submit(&bed, s->receiver, &cmd);
    }
    fsh_bed_put(&cmd, s->receiver, MESSAGE_TAG, FROM, TO, s->length);
    if (s->kind == LONG) {
        fsh_bed_command(&cmd, FSH_OP_CLIENT, FSH_CAT_LONG, s->receiver,
                        MESSAGE_TAG);
        fsh_cmd_set_raddr(cmd.word, TO);
        fsh_cmd_set_laddr(cmd.word, FROM);
        fsh_cmd_set_length(cmd.word, s->length);
        fsh_bed_attach(&cmd, args, 5, NULL, 0);
    }
    return fsh_bed_submit(&bed, s->sender, &cmd);
}

static bool submit_other(struct scene *s, uint32_t node, uint32_t dst,
                         uint32_t bytes)
{
    unsigned i = s->others++;
    uint32_t from = OTHERS_FROM + i * OTHERS_STEP;
    struct fsh_bed_command cmd;

    s->other[i].node = node;
    s->other[i].dst = dst;
    s->other[i].bytes = bytes;
    fill(fsh_fabric_dram(bed.fab, node) + from, bytes, i);
    fsh_bed_put(&cmd, dst, FIRST_OTHER + i, from, OTHERS_TO + i * OTHERS_STEP,
                bytes);
    return fsh_bed_submit(&bed, node, &cmd);
}

/* From now on the sender reaches the receiver by its other port alone: port p
 * of one node is wired to port 1-p of the other. */
static void route_around(const struct scene *s)
{
    fsh_fabric_host_write(bed.fab, s->sender, FSH_REG_ROUTE + 8 * s->receiver,
                          bed.seg_size | UINT64_C(1) << (56 + s->port));
}

/* Messages that have nothing to do with the port that stands still. A node's
 * own may use either of its memory ports. */
static bool submit_others(struct scene *s)
{
    bool ok = true;

    route_around(s);
    for (int i = 0; i < 6; i++)
        ok = submit_other(s, s->sender, s->receiver, SHORT_BYTES + 7) && ok;
    ok = submit_other(s, s->sender, s->receiver, LOOP_BYTES) && ok;
    ok = submit_other(s, s->sender, s->sender, SHORT_BYTES) && ok;
    ok = submit_other(s, s->sender, s->sender, LOOP_BYTES) && ok;
    if (!s->memory) {
        ok = submit_other(s, s->receiver, s->receiver, SHORT_BYTES) && ok;
        ok = submit_other(s, s->receiver, s->receiver, LOOP_BYTES) && ok;
    }
    EXPECT(ok, "no room in a window");
    return true;
}

static bool play(struct scene *s)
{
    uint32_t part;

    if (s->memory)
        fsh_fabric_hold_memory(bed.fab, s->receiver, s->port, HOLD);
    else
        EXPECT(fsh_fabric_hold_link(bed.fab, s->receiver, s->port, HOLD),
               "out of memory");
    s->end = fsh_fabric_cycle(bed.fab) + HOLD;
    EXPECT(submit_message(s), "no room in the window");
    /* Its half over the other port arrives, and no more. */
    while (written(s) < s->length / 3) {
        EXPECT(step(s), "while the message is sent");
        EXPECT(fsh_fabric_cycle(bed.fab) < s->end,
               "%u bytes written over the other port", written(s));
    }
    EXPECT(submit_others(s), "others");
    while (others_left(s) > 0) {
        EXPECT(step(s), "while the port stands still");
        /* When all else sleeps, the step with the last entry leads to the end. */
        EXPECT(others_left(s) == 0 || fsh_fabric_cycle(bed.fab) < s->end,
               "%u other messages wait", others_left(s));
    }
    part = written(s);
    EXPECT(part < s->length && !s->come, "nothing stood still");
    while (!s->come) {
        EXPECT(step(s), "when the port goes on");
        EXPECT(fsh_fabric_cycle(bed.fab) < s->end + LIMIT,
               "not announced; %u of %u bytes written", written(s), s->length);
    }
    EXPECT(fsh_fabric_cycle(bed.fab) >= s->end, "before the stall was over");
    EXPECT(fsh_fabric_run(bed.fab, LIMIT), "the nodes do not become idle");
    return true;
}

static bool run(enum kind kind, uint32_t sender, uint32_t port, bool memory,
                uint32_t packet, bool longer)
{
    struct scene s = {.kind = kind,
                      .sender = sender,
                      .receiver = !sender,
                      .port = port,
                      .memory = memory,
                      .packet = packet,
                      .length = longer ? LONGER : 2 * packet - TO % packet};
    bool ok;

    if (!open_scene(&s))
        return false;
    ok = play(&s);
    if (!ok) {
        fprintf(stderr,
                "sim_stall: %s of %u bytes from node %u, packets of %u, %s of "
                "port %u held until cycle %llu, now %llu\n",
                kind_name[kind], s.length, sender, packet,
                memory ? "memory" : "link", port, (unsigned long long)s.end,
                (unsigned long long)fsh_fabric_cycle(bed.fab));
        for (uint32_t n = 0; n < 2; n++)
            fsh_bed_dump(&bed, n);
    }
    fsh_bed_close(&bed);
    return ok;
}

int main(void)
{
    unsigned bad = 0;

    for (unsigned i = 0; i < 3u << 5; i++)
        bad += !run((enum kind)(i >> 5), i & 1, i >> 1 & 1, i >> 2 & 1,
                    i >> 3 & 1 ? FSH_MAX_PACKET : FSH_MIN_PACKET, i >> 4 & 1);
    printf("%u scenes, %u bad\n", 3u << 5, bad);
    return bad != 0;
}
