/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets for a fuzzer: valid ones, ones with changed fields or bits, and headers of
 * random bits. Addresses are often at the edge of what may be written.
 */
#ifndef FUZZ_PACKET_FORGE_H
#define FUZZ_PACKET_FORGE_H

#include "fuzz.h"
#include "packet_peer.h"

/* Tags that operations between real nodes have: of those nobody makes packets in the
 * name of a real node, since a node believes the source that a link tells it, nor
 * answers, since a bare error may come from any. */
#define FORGE_OWN_TAGS 8u

struct forge {
    uint32_t self; /* the node that sends it */
    uint32_t nodes;
    uint32_t real[2]; /* nodes that are not played */
    uint64_t seg_size;
    uint64_t draw; /* of payloads */
};

/* Setters add bits. */
#define FORGE_SET(hdr, field, value)                    \
    do {                                                \
        uint64_t old[2] = {0};                          \
        fsh_hdr_set_##field(old, fsh_hdr_##field(hdr)); \
        (hdr)[0] ^= old[0];                             \
        (hdr)[1] ^= old[1];                             \
        fsh_hdr_set_##field(hdr, value);                \
    } while (0)

static uint64_t forge_bits(struct forge *forge)
{
    uint64_t z = (forge->draw += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* An address for so many bytes: anywhere, at an edge, past it, around the end. */
static uint64_t forge_address(struct fuzz *f, uint64_t size, uint32_t bytes)
{
    const uint64_t mask = (UINT64_C(1) << 40) - 1;
    uint64_t near = fuzz_below(f, 64);

    switch (fuzz_below(f, 8)) {
    case 0:
        return near;
    case 1:
        return (size - bytes + near - 32) & mask;
    case 2:
        return (size - near) & mask;
    case 3:
        return fuzz_word(f) & mask;
    case 4:
        return mask - near;
    case 5: /* around a page */
        return (fuzz_word(f) % size / 4096 * 4096 - near) & mask;
    default:
        return fuzz_word(f) % size;
    }
}

static uint32_t forge_bytes(struct fuzz *f)
{
    return fuzz_below(f, 2) ? 1 + fuzz_below(f, 64)
                            : 1 + fuzz_below(f, FSH_MAX_PACKET);
}

/* A request of logic, or its answer. */
static void forge_logic(struct fuzz *f, const struct forge *forge,
                        uint32_t opcode, uint64_t h[2])
{
    uint32_t bytes = forge_bytes(f);

    fsh_hdr_set_tag(h, fuzz_below(f, FSH_NUM_TAGS));
    if (opcode == FSH_OP_PUT || opcode == FSH_OP_GET_REPLY) {
        fsh_hdr_set_category(h, FSH_CAT_LONG);
        fsh_hdr_set_bytes(h, bytes);
        fsh_hdr_set_total(h, fuzz_below(f, 3) ? bytes : fuzz_below(f, 5000));
        fsh_hdr_set_addr(h, forge_address(f, forge->seg_size, bytes));
    }
    if (opcode == FSH_OP_PUT) {
        fsh_hdr_set_ack(h, fuzz_below(f, 2));
        fsh_hdr_set_space(h, fuzz_rarely(f, 4) ? FSH_SPACE_HOST : 0);
    }
    if (opcode == FSH_OP_GET) {
        fsh_hdr_set_total(h, fuzz_below(f, 3000));
        fsh_hdr_set_addr(h, forge_address(f, forge->seg_size, 1));
    }
    if (opcode == FSH_OP_GET || opcode == FSH_OP_COMPUTE) {
        fsh_hdr_set_first(h, 1);
        fsh_hdr_set_nargs(h, 1 + fuzz_below(f, 4));
    }
    if (opcode == FSH_OP_COMPUTE)
        fsh_hdr_set_ack(h, fuzz_below(f, 2));
    if (opcode == FSH_OP_PUT_ACK || opcode == FSH_OP_GET_REPLY) {
        fsh_hdr_set_reply(h, 1);
        fsh_hdr_set_status(h, fuzz_below(f, 3) ? 0 : fuzz_below(f, 16));
    }
}

static void forge_message(struct fuzz *f, const struct forge *forge,
                          uint64_t h[2])
{
    uint32_t category = fuzz_below(f, FSH_CAT_COUNT), bytes = forge_bytes(f);

    fsh_hdr_set_category(h, category);
    fsh_hdr_set_reply(h, fuzz_below(f, 2));
    fsh_hdr_set_first(h, fuzz_below(f, 4) != 0);
    fsh_hdr_set_nargs(h, fuzz_below(f, FSH_MAX_ARGS + 1));
    fsh_hdr_set_tag(h, fuzz_below(f, FSH_SLOTS_PER_PEER));
    if (category == FSH_CAT_SHORT)
        return;
    fsh_hdr_set_bytes(h, bytes);
    fsh_hdr_set_total(h, fuzz_below(f, 3) ? bytes : fuzz_below(f, 5000));
    fsh_hdr_set_addr(
        h, forge_address(
               f, category == FSH_CAT_MEDIUM ? FSH_MAX_MEDIUM : forge->seg_size,
               bytes));
}

/* As a node could have sent it. */
static void forge_like(struct fuzz *f, const struct forge *forge, uint64_t h[2])
{
    static const uint8_t opcodes[] = {
        FSH_OP_PUT,     FSH_OP_GET,     FSH_OP_PUT_ACK,   FSH_OP_GET_REPLY,
        FSH_OP_COMPUTE, FSH_OP_LIBRARY, FSH_OP_CLIENT + 5};
    uint32_t opcode = opcodes[fuzz_below(f, sizeof opcodes)];

    h[0] = h[1] = 0;
    fsh_hdr_set_opcode(h, opcode);
    fsh_hdr_set_src(h, forge->self);
    fsh_hdr_set_dst(h, forge->real[fuzz_below(f, 2)]);
    if (opcode >= FSH_OP_LIBRARY)
        forge_message(f, forge, h);
    else
        forge_logic(f, forge, opcode, h);
    fsh_hdr_set_vc(h, fuzz_below(f, 2));
    fsh_hdr_set_hops(h, fuzz_below(f, 2));
}

/* One field is another. */
static void forge_change(struct fuzz *f, const struct forge *forge,
                         uint64_t h[2])
{
    uint32_t any = fuzz_below(f, 256);

    switch (fuzz_below(f, 14)) {
    case 0:
        FORGE_SET(h, opcode, fuzz_below(f, 2) ? any : any % 9);
        break;
    case 1:
        FORGE_SET(h, category, any % 4);
        break;
    case 2:
        FORGE_SET(h, reply, !fsh_hdr_reply(h));
        break;
    case 3:
        FORGE_SET(h, space, any % 4);
        break;
    case 4:
        FORGE_SET(h, dst, any % 128);
        break;
    case 5:
        FORGE_SET(h, src, fuzz_below(f, 2) ? any % 128 : any % forge->nodes);
        break;
    case 6:
        FORGE_SET(h, nargs, any % 32);
        break;
    case 7:
        FORGE_SET(h, bytes, fuzz_below(f, 2) ? fuzz_word(f) % 2048 : any % 33);
        break;
    case 8:
        FORGE_SET(h, tag, any % 128);
        break;
    case 9:
        FORGE_SET(h, ack, !fsh_hdr_ack(h));
        break;
    case 10:
        FORGE_SET(h, status, any % 16);
        break;
    case 11:
        FORGE_SET(h, addr, forge_address(f, forge->seg_size, any));
        break;
    case 12:
        FORGE_SET(h, first, !fsh_hdr_first(h));
        break;
    default:
        FORGE_SET(h, hops, fuzz_below(f, 2) ? FSH_MAX_HOPS : any % 64);
    }
}

/* What a packet must not be for the others to go on: a GET of megabytes, which takes
 * long and shows nothing; something of an operation between real nodes. */
static void forge_spare(const struct forge *forge, uint64_t h[2])
{
    bool real =
        fsh_hdr_src(h) == forge->real[0] || fsh_hdr_src(h) == forge->real[1];

    if (fsh_hdr_opcode(h) == FSH_OP_GET && fsh_hdr_total(h) > 4000)
        FORGE_SET(h, total, fsh_hdr_total(h) % 4000 + (1u << 23));
    bool answer = fsh_hdr_opcode(h) == FSH_OP_PUT_ACK ||
                  fsh_hdr_opcode(h) == FSH_OP_GET_REPLY;

    if ((real || answer) && fsh_hdr_tag(h) % FSH_NUM_TAGS < FORGE_OWN_TAGS &&
        fsh_hdr_opcode(h) < FSH_OP_LIBRARY)
        FORGE_SET(h, tag, fsh_hdr_tag(h) + FORGE_OWN_TAGS);
}

static void forge_packet(struct fuzz *f, struct forge *forge,
                         struct peer_packet *packet)
{
    uint64_t h[2];
    uint32_t kind = fuzz_below(f, 8);

    forge_like(f, forge, h);
    if (kind == 7) {
        h[0] = fuzz_word(f);
        h[1] = fuzz_word(f);
        if (fuzz_below(f, 2))
            FORGE_SET(h, dst, forge->real[fuzz_below(f, 2)]);
    }
    for (uint32_t n = kind >= 3 && kind < 6 ? 1 + fuzz_below(f, 3) : 0; n; n--)
        forge_change(f, forge, h);
    for (uint32_t n = kind == 6 ? 1 + fuzz_below(f, 4) : 0; n; n--) {
        uint32_t bit = fuzz_below(f, 128);

        h[bit / 64] ^= UINT64_C(1) << bit % 64;
    }
    forge_spare(forge, h);
    packet->beats = peer_beats(h);
    packet->beat[0][0] = h[0];
    packet->beat[0][1] = h[1];
    for (uint32_t i = 1; i < packet->beats; i++) {
        packet->beat[i][0] = forge_bits(forge);
        packet->beat[i][1] = forge_bits(forge);
    }
    /* Where a GET's data is to go: near its initiator's segment. */
    if (packet->beats > 1 && fsh_hdr_opcode(h) == FSH_OP_GET) {
        packet->beat[1][0] = forge_address(f, forge->seg_size, 1);
        packet->beat[1][0] |= (uint64_t)fuzz_below(f, 4) << 40;
    }
    packet->before = fuzz_rarely(f, 4) ? fuzz_below(f, 200) : 0;
    packet->hurry = fuzz_rarely(f, 4) ? 2 + fuzz_below(f, 6) : 0;
    packet->poison = packet->beats > 1 && fuzz_rarely(f, 8);
}

#endif
