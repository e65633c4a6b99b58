/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the blocks of a call are on a card; see card.h. */
#include "base/assertion.h"
#include "coll/card/card.h"

/* Bytes before block b in the client's buffer, as fshmem_coll.h has it. */
static size_t client_before(const struct fsh_card_layout *l, uint32_t b)
{
    const struct fsh_program_operand operand = {l->call, l->blocks, false,
                                                l->elem, l->count};

    return fsh_program_before(&operand, b);
}

/* Bytes of block b, or of its half; and before that in the block. */
static size_t bytes_of(const struct fsh_card_layout *l, uint32_t b)
{
    size_t bytes = client_before(l, b + 1) - client_before(l, b);
    size_t half = fsh_program_half(bytes);

    return l->half == 0 ? bytes : l->half == 1 ? half : bytes - half;
}

static size_t half_at(const struct fsh_card_layout *l, uint32_t b)
{
    return l->half == 2
               ? fsh_program_half(client_before(l, b + 1) - client_before(l, b))
               : 0;
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + FSH_CARD_LINE - 1) / FSH_CARD_LINE * FSH_CARD_LINE;
}

static size_t largest(const struct fsh_card_layout *l)
{
    size_t most = 0;

    for (uint32_t b = 0; b < l->blocks; b++) {
        size_t bytes = bytes_of(l, b);

        most = bytes > most ? bytes : most;
    }
    return most;
}

static bool is_aligned(const struct fsh_card_layout *l)
{
    for (uint32_t b = 0; b < l->blocks; b++)
        if (client_before(l, b) % FSH_CARD_LINE != 0)
            return false;
    return true;
}

/* Bytes of block b that the part has. */
static size_t part_of(const struct fsh_card_layout *l, uint32_t b)
{
    size_t bytes = bytes_of(l, b);

    bytes = bytes > l->at ? bytes - l->at : 0;
    return bytes < l->most ? bytes : l->most;
}

static bool is_whole(const struct fsh_card_layout *l)
{
    return l->most == SIZE_MAX;
}

struct fsh_card_layout fsh_card_layout_of(enum fsh_program_call call,
                                          uint32_t rank, uint32_t blocks,
                                          size_t elem, size_t count)
{
    struct fsh_card_layout l = {.call = call,
                                .rank = rank,
                                .blocks = blocks,
                                .elem = elem,
                                .count = count,
                                .most = SIZE_MAX};

    l.aligned = is_aligned(&l);
    l.pitch = l.aligned ? 0 : whole_lines(largest(&l));
    return l;
}

/* ---- parts ---- */

/* Packets of a step, at most, in parts that are not full. */
#define FEW 5u
#define FEW_ODD 4u

/* Does the program pass on parts of a vector? */
static bool halves(const struct fsh_program_algorithm *a,
                   const struct fsh_program_shape *shape)
{
    return !a->alone && a->blocks(shape) > 1;
}

/* Of each block: as many whole packets as fit into an area with those of the others. */
static size_t block_part(uint32_t blocks, size_t packet)
{
    size_t most = FSH_CARD_AREA / blocks / FSH_CARD_LINE * FSH_CARD_LINE;

    if (most >= FSH_CARD_PACKETS * packet)
        return FSH_CARD_PACKETS * packet;
    if (most > FEW * packet)
        return FEW * packet;
    return most > packet ? most - most % packet : most;
}

static size_t over(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

/* Bytes of a vector that are a part. Of halves, steps have fewer packets; if the number of
 * ranks is no power of two, some pass on the whole first. A call of a few packets that go whole
 * from step to step, or is done by quarters, has two parts: an engine's units take one each,
 * and one is passed on while the other is combined. */
static size_t vector_part(const struct fsh_program_algorithm *a,
                          const struct fsh_program_shape *shape, size_t bytes)
{
    bool odd = (shape->size & (shape->size - 1)) != 0;
    size_t packets = over(bytes, FSH_CARD_PACKET);
    bool few = packets != 0 && packets <= FSH_CARD_PACKETS;

    if (halves(a, shape) && !(few && a == &fsh_program_quarters))
        return (odd ? FEW_ODD : FSH_CARD_PACKETS) * FSH_CARD_PACKET;
    if (few && shape->call != FSH_PROGRAM_SCAN)
        return over(packets, 2) * FSH_CARD_PACKET;
    return FSH_CARD_PACKETS * FSH_CARD_PACKET;
}

/* Is an encoded half one part or two if they have a packet more than others, and more if not? */
static bool longer_fit(const struct fsh_card_layout *half, size_t packet)
{
    size_t packets = over(largest(half), packet);

    return packet == FSH_CARD_BFP_PACKET &&
           packets <= 2 * FSH_CARD_BFP_PACKETS &&
           over(packets, FSH_CARD_BFP_PACKETS) <
               over(packets, FSH_CARD_PACKETS) &&
           half->blocks * FSH_CARD_BFP_PACKETS * packet <= FSH_CARD_AREA;
}

/* Divides bytes into parts of cut->most, as long as there is enough for two; what is then
 * left is divided evenly, since a short part behind the others would run alone. few: packets
 * that a part may have that is not full. Of halves all is divided evenly, for one series. */
static void divide(struct fsh_card_cut *cut, size_t bytes, size_t packet,
                   size_t few)
{
    size_t each = packet, full = cut->most / packet, packets, left;

    if (full == 0) { /* of lines */
        each = FSH_CARD_LINE;
        full = few = cut->most / each;
    }
    packets = left = bytes == 0 ? 1 : over(bytes, each);
    if (packets % full == 0) {
        left = 0;
    } else if (packets > full) {
        left = cut->halved ? packets : packets % full + full;
        few = cut->halved ? full : few;
    } else if (packets <= few) {
        full = few = packets;
    }
    few = few < full ? few : full;
    cut->large = (packets - left) / full;
    cut->parts = cut->large;
    if (left != 0) {
        cut->least = over(left, over(left, few)) * each;
        cut->parts += over(left * each, cut->least);
    }
}

/* Bytes of each block, in lines, for steps that pass on half of the blocks, or all of them
 * if the number of ranks is no power of two. */
static size_t packed_part(uint32_t blocks)
{
    bool odd = (blocks & (blocks - 1)) != 0;
    size_t most = (odd ? FEW_ODD : FSH_CARD_PACKETS) * FSH_CARD_PACKET;

    return most / (odd ? blocks : (blocks + 1) / 2) / FSH_CARD_LINE *
           FSH_CARD_LINE;
}

/* Parts of a direction may follow each other in a sequence, as far as there are SeqIDs. */
static void set_series(struct fsh_card_cut *cut,
                       const struct fsh_program_shape *shape)
{
    cut->lanes = cut->halved ? 2 : 1;
    cut->series = 1;
    if (!cut->halved)
        return;
    cut->seqs = shape->size - 1;
    if (shape->call == FSH_PROGRAM_ALLREDUCE)
        cut->seqs *= 2;
    cut->series = FSH_CARD_SEQS / cut->seqs;
}

struct fsh_card_cut fsh_card_cut_of(const struct fsh_program_algorithm *a,
                                    const struct fsh_program_shape *shape,
                                    size_t elem, size_t count, size_t packet)
{
    struct fsh_card_layout l;
    struct fsh_card_cut cut = {.parts = 1};

    cut.halved = shape->rings == FSH_PROGRAM_BOTH;
    l = fsh_card_layout_of(
        shape->call, 0, a->blocks(shape) / (cut.halved ? 2 : 1), elem, count);
    l.half = cut.halved; /* the larger one */
    if (a->alone) {
        cut.most = cut.halved && longer_fit(&l, packet)
                       ? FSH_CARD_BFP_PACKETS * packet
                       : block_part(l.blocks, packet);
        divide(&cut, largest(&l), packet, FEW);
    } else if (fsh_program_splits(shape->call)) {
        cut.most = vector_part(a, shape, elem * count);
        cut.vector = true;
        divide(&cut, elem * count, FSH_CARD_PACKET,
               halves(a, shape) ? FSH_CARD_PACKETS : FEW);
    } else if (shape->call != FSH_PROGRAM_BARRIER) {
        cut.most = packed_part(l.blocks);
        cut.packed = true;
        divide(&cut, largest(&l), SIZE_MAX, 0);
    }
    if (cut.halved)
        cut.parts *= 2;
    set_series(&cut, shape);
    return cut;
}

/* Parts of a lane among the first n. */
static size_t of_lane(const struct fsh_card_cut *cut, size_t n, size_t lane)
{
    return n > lane ? over(n - lane, cut->lanes) : 0;
}

static size_t large_of(const struct fsh_card_cut *cut, size_t lane)
{
    return of_lane(cut, cut->halved ? 2 * cut->large : cut->large, lane);
}

/* Series of a lane. */
static size_t series_of(const struct fsh_card_cut *cut, size_t lane)
{
    size_t large = large_of(cut, lane);

    return over(large, cut->series) +
           over(of_lane(cut, cut->parts, lane) - large, cut->series);
}

size_t fsh_card_series_count(const struct fsh_card_cut *cut)
{
    size_t most = 0;

    for (size_t lane = 0; lane < cut->lanes; lane++) {
        size_t n = series_of(cut, lane);

        most = n > most ? n : most;
    }
    return most * cut->lanes;
}

struct fsh_card_series fsh_card_series_of(const struct fsh_card_cut *cut,
                                          size_t i)
{
    size_t lane = i % cut->lanes, end = large_of(cut, lane);
    size_t first = i / cut->lanes * cut->series, behind;

    if (first >= end) { /* of the shorter parts */
        first = end + first - over(end, cut->series) * cut->series;
        end = of_lane(cut, cut->parts, lane);
    }
    behind = end > first ? end - first : 0;
    return (struct fsh_card_series){
        first * cut->lanes + lane, behind < cut->series ? behind : cut->series};
}

/* Which series a part is of, and which one of that it is. */
static void place_in_series(const struct fsh_card_cut *cut, size_t part,
                            struct fsh_card_part *p)
{
    size_t lane = part % cut->lanes, i = part / cut->lanes, past = 0;
    size_t large = large_of(cut, lane);

    if (i >= large) {
        i -= large;
        past = over(large, cut->series);
    }
    p->series = (past + i / cut->series) * cut->lanes + lane;
    p->seq = (uint16_t)(i % cut->series * cut->seqs);
}

struct fsh_card_part fsh_card_part_of(const struct fsh_card_layout *whole,
                                      const struct fsh_card_cut *cut,
                                      size_t part)
{
    struct fsh_card_part p = {.layout = *whole};
    size_t at, most, left;

    FSH_ASSERT(part < cut->parts);
    place_in_series(cut, part, &p);
    if (cut->parts == 1)
        return p;
    if (cut->halved) {
        p.layout.half = 1 + part % 2;
        part /= 2;
    }
    most = part < cut->large ? cut->most : cut->least;
    at = part < cut->large
             ? part * most
             : cut->large * cut->most + (part - cut->large) * most;
    if (cut->vector) {
        p.offset = at;
        left = whole->count - at / whole->elem;
        p.layout = fsh_card_layout_of(
            whole->call, whole->rank, whole->blocks, whole->elem,
            left < most / whole->elem ? left : most / whole->elem);
        return p;
    }
    p.layout.pitch = 0;
    p.layout.at = at;
    p.layout.most = most;
    if (cut->packed) {
        p.layout.aligned = false;
        p.layout.pitch = fsh_card_room_pitch(&p.layout);
    }
    return p;
}

/* ---- where they are ---- */

/* Has the rank one block of such a buffer, its own? */
static bool is_own(const struct fsh_card_layout *l, unsigned place)
{
    switch (l->call) {
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_ALLGATHER:
        return place == FSH_PROGRAM_SRC;
    case FSH_PROGRAM_SCATTER:
    case FSH_PROGRAM_REDUCE_SCATTER:
        return place == FSH_PROGRAM_DST;
    default:
        return false;
    }
}

static uint32_t first_of(const struct fsh_card_layout *l, unsigned place)
{
    return is_own(l, place) ? l->rank : 0;
}

static uint32_t end_of(const struct fsh_card_layout *l, unsigned place)
{
    return is_own(l, place) ? l->rank + 1 : l->blocks;
}

size_t fsh_card_room_pitch(const struct fsh_card_layout *l)
{
    size_t left = largest(l);

    if (is_whole(l))
        return l->pitch;
    left = left > l->at ? left - l->at : 1; /* a second half may be empty */
    return whole_lines(left < l->most ? left : l->most);
}

size_t fsh_card_bytes(const struct fsh_card_layout *l)
{
    size_t pitch = fsh_card_room_pitch(l);

    return pitch != 0 ? pitch * l->blocks
                      : whole_lines(client_before(l, l->blocks));
}

size_t fsh_card_client_bytes(const struct fsh_card_layout *l,
                             enum fsh_program_place place)
{
    return client_before(l, end_of(l, place)) -
           client_before(l, first_of(l, place));
}

size_t fsh_card_range_bytes(const struct fsh_card_layout *l,
                            const struct fsh_program_range *r)
{
    size_t bytes = 0;

    if (r->place == FSH_PROGRAM_NONE)
        return 0;
    if (l->pitch != 0)
        return l->pitch * r->count;
    FSH_ASSERT(is_whole(l) || r->count == 1);
    for (uint32_t b = r->first; b < (uint32_t)r->first + r->count; b++)
        bytes += part_of(l, b);
    return bytes;
}

size_t fsh_card_range_at(const struct fsh_card_layout *l,
                         const struct fsh_program_range *r, size_t pitch)
{
    uint32_t first = first_of(l, r->place);

    return pitch != 0 ? pitch * (r->first - first)
                      : client_before(l, r->first) - client_before(l, first) +
                            half_at(l, r->first) + l->at;
}

uint32_t fsh_card_pieces(const struct fsh_card_layout *l,
                         enum fsh_program_place place)
{
    return fsh_card_room_pitch(l) == 0 ? 1
                                       : end_of(l, place) - first_of(l, place);
}

struct fsh_card_piece fsh_card_piece(const struct fsh_card_layout *l,
                                     enum fsh_program_place place, uint32_t i)
{
    size_t pitch = fsh_card_room_pitch(l);
    uint32_t first = first_of(l, place);

    if (pitch == 0)
        return (struct fsh_card_piece){.bytes =
                                           fsh_card_client_bytes(l, place)};
    return (struct fsh_card_piece){.client = client_before(l, first + i) -
                                             client_before(l, first) +
                                             half_at(l, first + i) + l->at,
                                   .card = pitch * i,
                                   .bytes = part_of(l, first + i)};
}
