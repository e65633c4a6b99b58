/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the blocks of a call are on a card; see card.h. */
#include "base/assertion.h"
#include "coll/card/card.h"

/* Is one vector divided into blocks evenly? Else blocks are what ranks give and get. */
static bool is_split(enum fsh_program_call call)
{
    return call == FSH_PROGRAM_BROADCAST || call == FSH_PROGRAM_REDUCE ||
           call == FSH_PROGRAM_ALLREDUCE || call == FSH_PROGRAM_SCAN;
}

/* Bytes before block b in the client's buffer, as fshmem_coll.h has it. */
static size_t client_before(const struct fsh_card_layout *l, uint32_t b)
{
    if (!is_split(l->call))
        return l->elem * l->count * b;
    return l->elem *
           (l->count / l->blocks * b + l->count % l->blocks * b / l->blocks);
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + FSH_CARD_LINE - 1) / FSH_CARD_LINE * FSH_CARD_LINE;
}

static size_t largest(const struct fsh_card_layout *l)
{
    size_t most = 0;

    for (uint32_t b = 0; b < l->blocks; b++) {
        size_t bytes = client_before(l, b + 1) - client_before(l, b);

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
    size_t bytes = client_before(l, b + 1) - client_before(l, b);

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

/* A sequence whose steps get 6 or 7 packets claims more than one with 8: a look ahead then
 * takes two steps. So no part has as many. */
#define FEW 5u
#define REST 4u /* of 6 or 7 packets, the other ones behind them */

/* Does the program pass on parts of a vector? */
static bool halves(const struct fsh_program_algorithm *a,
                   const struct fsh_program_shape *shape)
{
    return !a->alone && a->blocks(shape) > 1;
}

/* Bytes of a vector that are a part. Of halves, steps have fewer packets; if the number of
 * ranks is no power of two, some pass on the whole first. */
static size_t vector_part(const struct fsh_program_algorithm *a,
                          const struct fsh_program_shape *shape)
{
    bool odd = (shape->size & (shape->size - 1)) != 0;

    return (halves(a, shape) && odd ? REST : FSH_CARD_PACKETS) *
           FSH_CARD_PACKET;
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

struct fsh_card_cut fsh_card_cut_of(const struct fsh_program_algorithm *a,
                                    const struct fsh_program_shape *shape,
                                    size_t elem, size_t count, size_t packet)
{
    struct fsh_card_layout l =
        fsh_card_layout_of(shape->call, 0, a->blocks(shape), elem, count);
    struct fsh_card_cut cut = {.parts = 1};
    size_t bytes, rest;

    if (a->alone) {
        cut.most = block_part(l.blocks, packet);
        bytes = largest(&l);
    } else if (is_split(shape->call) && a->order != FSH_PROGRAM_RING) {
        cut.most = vector_part(a, shape);
        cut.vector = true;
        bytes = elem * count;
    } else {
        return cut;
    }
    rest = bytes % cut.most;
    cut.parts = bytes / cut.most + (rest != 0 || bytes == 0);
    if (!halves(a, shape) && rest > FEW * packet &&
        rest <= (FSH_CARD_PACKETS - 1) * packet) {
        cut.parts++;
        cut.rest = REST * packet;
    }
    return cut;
}

/* Bytes before a part. */
static size_t part_at(const struct fsh_card_cut *cut, size_t part)
{
    if (cut->rest != 0 && part + 1 == cut->parts)
        return (part - 1) * cut->most + cut->rest;
    return part * cut->most;
}

struct fsh_card_part fsh_card_part_of(const struct fsh_card_layout *whole,
                                      const struct fsh_card_cut *cut,
                                      size_t part)
{
    struct fsh_card_part p = {*whole, 0};
    size_t at = part_at(cut, part), most = cut->most, left;

    FSH_ASSERT(part < cut->parts);
    if (cut->parts == 1)
        return p;
    if (cut->rest != 0 && part + 2 == cut->parts)
        most = cut->rest;
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
    left = left > l->at ? left - l->at : 0;
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
    FSH_ASSERT(is_whole(l) || r->count == 1);
    if (l->pitch != 0)
        return l->pitch * r->count;
    for (uint32_t b = r->first; b < (uint32_t)r->first + r->count; b++)
        bytes += part_of(l, b);
    return bytes;
}

size_t fsh_card_range_at(const struct fsh_card_layout *l,
                         const struct fsh_program_range *r, size_t pitch)
{
    uint32_t first = first_of(l, r->place);

    return pitch != 0
               ? pitch * (r->first - first)
               : client_before(l, r->first) - client_before(l, first) + l->at;
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
                                             client_before(l, first) + l->at,
                                   .card = pitch * i,
                                   .bytes = part_of(l, first + i)};
}
