/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the blocks of a call are on a card; see card.h. */
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

static size_t card_before(const struct fsh_card_layout *l, uint32_t b)
{
    return l->pitch == 0 ? client_before(l, b) : l->pitch * b;
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + FSH_CARD_LINE - 1) / FSH_CARD_LINE * FSH_CARD_LINE;
}

static size_t pitch_of(const struct fsh_card_layout *l)
{
    size_t most = 0;
    bool aligned = true;

    for (uint32_t b = 0; b < l->blocks; b++) {
        size_t bytes = client_before(l, b + 1) - client_before(l, b);

        most = bytes > most ? bytes : most;
        aligned &= client_before(l, b) % FSH_CARD_LINE == 0;
    }
    return aligned ? 0 : whole_lines(most);
}

struct fsh_card_layout fsh_card_layout_of(enum fsh_program_call call,
                                          uint32_t rank, uint32_t blocks,
                                          size_t elem, size_t count)
{
    struct fsh_card_layout l = {call, rank, blocks, elem, count, 0};

    l.pitch = pitch_of(&l);
    return l;
}

size_t fsh_card_bytes(const struct fsh_card_layout *l)
{
    return whole_lines(card_before(l, l->blocks));
}

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

size_t fsh_card_range_bytes(const struct fsh_card_layout *l,
                            const struct fsh_program_range *r)
{
    if (r->place == FSH_PROGRAM_NONE)
        return 0;
    return card_before(l, (uint32_t)r->first + r->count) -
           card_before(l, r->first);
}

size_t fsh_card_range_at(const struct fsh_card_layout *l,
                         const struct fsh_program_range *r)
{
    return card_before(l, r->first) - card_before(l, first_of(l, r->place));
}

uint32_t fsh_card_pieces(const struct fsh_card_layout *l,
                         enum fsh_program_place place)
{
    return l->pitch == 0 || is_own(l, place) ? 1 : l->blocks;
}

struct fsh_card_piece fsh_card_piece(const struct fsh_card_layout *l,
                                     enum fsh_program_place place, uint32_t i)
{
    uint32_t first = first_of(l, place), b = first + i;
    uint32_t end = l->pitch != 0 || is_own(l, place) ? b + 1 : l->blocks;

    return (struct fsh_card_piece){
        .client = client_before(l, b) - client_before(l, first),
        .card = card_before(l, b) - card_before(l, first),
        .bytes = client_before(l, end) - client_before(l, b)};
}
