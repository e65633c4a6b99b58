/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a node counts for a packet received over a link, from the documents
 * (docs/03_developer/architecture.md, "What a packet can do"; docs/02_reference/formats.md).
 * Where that depends on outstanding operations of the node, lower and upper bounds.
 */
#ifndef FUZZ_PACKET_JUDGE_H
#define FUZZ_PACKET_JUDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fsh_spec.h"

struct judge_node {
    uint32_t node, nodes, ports;
    uint64_t seg_size;
    uint8_t route[FSH_MAX_NODES]; /* ports, by destination */
    bool asked;                   /* has ever had a tag in flight */
};

struct judge_count {
    uint64_t requests, replies, passed; /* here, by channel; passed on */
    uint64_t dropped[2], refused[2];    /* at least, at most */
    uint64_t back; /* requests in this node's name that met no target */
};

/* Does a packet that came by this port end here? */
static inline bool judge_here(const struct judge_node *n, uint32_t port,
                              const uint64_t h[2])
{
    uint32_t ways =
        n->route[fsh_hdr_dst(h) % FSH_MAX_NODES] & n->ports & ~(1u << port);

    return fsh_hdr_dst(h) == n->node || ways == 0 ||
           fsh_hdr_hops(h) == FSH_MAX_HOPS;
}

/* Of an engine: the message is looked at there. */
static inline bool judge_message(uint32_t op)
{
    return op == FSH_OP_COMPUTE || op == FSH_OP_COLLECTIVE;
}

/* A packet of the collective engine, which takes or drops it. */
static inline bool judge_packet(const uint64_t h[2])
{
    return fsh_hdr_opcode(h) == FSH_OP_PUT &&
           fsh_hdr_space(h) == FSH_SPACE_COLLECTIVE && !fsh_hdr_ack(h) &&
           !fsh_hdr_reply(h);
}

static inline bool judge_in_range(const struct judge_node *n,
                                  const uint64_t h[2])
{
    uint32_t op = (uint32_t)fsh_hdr_opcode(h);
    uint64_t addr = fsh_hdr_addr(h), bytes = fsh_hdr_bytes(h);
    uint64_t length = op == FSH_OP_GET ? fsh_hdr_total(h) : bytes;
    bool whole = bytes <= FSH_MAX_PACKET && addr % 4096 + bytes <= 4096;

    if (length == 0 || judge_packet(h))
        return true;
    if (op >= FSH_OP_LIBRARY && fsh_hdr_category(h) == FSH_CAT_MEDIUM)
        return whole && addr + bytes <= FSH_MAX_MEDIUM;
    if (fsh_hdr_space(h) == FSH_SPACE_SEGMENT)
        return (op == FSH_OP_GET || whole) && addr + length <= n->seg_size;
    return op == FSH_OP_PUT && fsh_hdr_space(h) == FSH_SPACE_HOST &&
           addr + bytes <= FSH_BEAT_BYTES;
}

/* Nobody sends such a header, whatever has been asked for. */
static inline bool judge_alien(const struct judge_node *n, const uint64_t h[2])
{
    return fsh_hdr_src(h) >= n->nodes || fsh_hdr_tag(h) >= FSH_NUM_TAGS ||
           (fsh_hdr_dst(h) == n->node && fsh_hdr_src(h) == n->node);
}

static inline bool judge_drops_message(const uint64_t h[2])
{
    return fsh_hdr_tag(h) >= FSH_SLOTS_PER_PEER ||
           fsh_hdr_nargs(h) > FSH_MAX_ARGS ||
           fsh_hdr_bytes(h) > FSH_MAX_PACKET ||
           fsh_hdr_category(h) > FSH_CAT_LONG ||
           (fsh_hdr_category(h) == FSH_CAT_SHORT && fsh_hdr_bytes(h));
}

static inline bool judge_drops_request(const struct judge_node *n, bool dead,
                                       const uint64_t h[2])
{
    uint32_t op = (uint32_t)fsh_hdr_opcode(h);
    bool served = op == FSH_OP_GET || judge_message(op);
    bool asked = op == FSH_OP_GET || fsh_hdr_ack(h);

    if (fsh_hdr_reply(h) && (asked || op != FSH_OP_PUT))
        return true;
    if ((dead || (op != FSH_OP_PUT && !served)) && !asked)
        return true;
    if (judge_message(op) && dead && fsh_hdr_src(h) == n->node)
        return true;
    return served && (!fsh_hdr_first(h) || fsh_hdr_bytes(h) ||
                      (fsh_hdr_nargs(h) + 3) / 4 % 8 != 1);
}

/* Counts a header that came by this port. */
static inline void judge(const struct judge_node *n, uint32_t port,
                         const uint64_t h[2], struct judge_count *count)
{
    uint32_t op = (uint32_t)fsh_hdr_opcode(h);
    bool answer = op == FSH_OP_PUT_ACK || op == FSH_OP_GET_REPLY;
    bool dead = fsh_hdr_dst(h) != n->node, drop, open = false;
    bool back = false; /* a request of this node's, as it seems */

    if (!judge_here(n, port, h)) {
        count->passed++;
        return;
    }
    fsh_hdr_reply(h) ? count->replies++ : count->requests++;
    if (op >= FSH_OP_LIBRARY) {
        drop = dead || judge_drops_message(h);
    } else if (answer) {
        drop = !fsh_hdr_reply(h) || dead || !n->asked ||
               (fsh_hdr_bytes(h) && op == FSH_OP_PUT_ACK);
        open = !drop;
    } else {
        drop = judge_drops_request(n, dead, h);
        back = dead && fsh_hdr_src(h) == n->node;
    }
    drop |= judge_alien(n, h);
    if (drop) {
        count->dropped[0]++;
        count->dropped[1]++;
    } else if (open) { /* by its tag: taken, dropped, out of its range */
        count->dropped[1]++;
        count->refused[1]++;
    } else if (dead ||
               (op < FSH_OP_LIBRARY && op != FSH_OP_PUT && op != FSH_OP_GET &&
                !judge_message(op)) ||
               !judge_in_range(n, h)) {
        count->refused[0]++;
        count->refused[1]++;
        count->back += back;
    } else if (judge_message(op)) { /* by the engine, or not */
        count->refused[1]++;
    }
}

#endif
