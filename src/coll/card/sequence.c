/* SPDX-License-Identifier: BSD-3-Clause */
/* The sequence of descriptors that a program becomes; see card.h. */
#include <string.h>

#include "base/assertion.h"
#include "coll/card/card.h"

bool fsh_card_folds(unsigned type, unsigned op)
{
    if (type > FSH_FOLD_DOUBLE) /* the last that hw/rtl/coll/fsh_cfold.sv has */
        return false;
    switch (op) {
    case FSH_FOLD_SUM:
    case FSH_FOLD_MIN:
    case FSH_FOLD_MAX:
    case FSH_FOLD_AND:
    case FSH_FOLD_OR:
    case FSH_FOLD_XOR:
        return fsh_fold_size(type, op) != 0;
    default:
        return false;
    }
}

/* Packets, and as many of a step that a look ahead ends with it: WINDOW of
 * hw/rtl/coll/fsh_cahead. */
#define LOOK_AHEAD 8u
#define LOOK_MANY (LOOK_AHEAD / 2 + 1)

/* Bytes up to which a few long packets are better than more short ones, each of which is
 * awaited there and back (32 nodes, torus:4x8: 15 us for 20). */
#define BINOMIAL_REDUCE 4096u
/* All-reduces up to here, of so many ranks at least, are by quarters: on rings of 8 doubling is as
 * fast (4 KiB: 1830 cycles for 1997, 8 KiB 2713 for 2564). */
#define QUARTERS 8192u
#define QUARTERS_RANKS 16u

/* Long broadcasts pass the ranks one after the other, which uses each link once, if there are
 * so many bytes a rank (32 nodes, torus:4x8: 64 KiB 48 us, 43 by a double tree; 512 KiB 169
 * for 258). */
#define CHAIN_BROADCAST ((size_t)32 << 10)
#define CHAIN_RANK 4096u

static const struct fsh_program_algorithm *for_broadcast(
    const struct fsh_program_shape *shape, size_t bytes)
{
    if (bytes <= FSH_CARD_PACKET)
        return &fsh_program_spread; /* sent again at once, so in few rounds */
    if (bytes >= CHAIN_BROADCAST && bytes / CHAIN_RANK >= shape->size)
        return fsh_program_named("chain");
    return fsh_program_choose(shape, bytes);
}

const struct fsh_program_algorithm *fsh_card_choose(
    const struct fsh_program_shape *shape, size_t bytes)
{
    if (shape->call == FSH_PROGRAM_BROADCAST)
        return for_broadcast(shape, bytes);
    if (shape->call == FSH_PROGRAM_REDUCE && bytes <= BINOMIAL_REDUCE)
        return fsh_program_named("binomial");
    if (shape->call == FSH_PROGRAM_ALLREDUCE && bytes > FSH_CARD_PACKET &&
        bytes <= QUARTERS && shape->size >= QUARTERS_RANKS)
        return &fsh_program_quarters;
    return fsh_program_choose(shape, bytes);
}

/* Bytes of the value of a step. */
static size_t bytes_of(const struct fsh_card_layout *l,
                       const struct fsh_program_step *step)
{
    return fsh_card_range_bytes(
        l, step->local.place != FSH_PROGRAM_NONE ? &step->local : &step->store);
}

/* Packets that a step gets of each source. */
static unsigned packets_of(const struct fsh_card_layout *l,
                           const struct fsh_program_step *step, size_t packet)
{
    size_t each = (bytes_of(l, step) + packet - 1) / packet;

    return each == 0 ? 1 : (unsigned)each;
}

unsigned fsh_card_claims(const struct fsh_program *program,
                         const struct fsh_card_layout *l, size_t packet)
{
    unsigned most = 0;

    for (uint32_t i = 0; i < program->steps; i++) {
        const struct fsh_program_step *step = &program->step[i];
        unsigned claims = step->sources * packets_of(l, step, packet);
        unsigned ahead = 0;

        while (++step < program->step + program->steps && ahead < LOOK_AHEAD) {
            unsigned each = packets_of(l, step, packet);

            ahead += step->sources * each;
            if (step->sources != 0 && each >= LOOK_MANY)
                break;
        }
        if (claims + ahead > most)
            most = claims + ahead;
    }
    return most;
}

unsigned fsh_card_cut_claims(const struct fsh_program *const programs[2],
                             const struct fsh_card_layout *whole,
                             const struct fsh_card_cut *cut, size_t packet)
{
    unsigned most = 0;

    for (size_t i = 0; i < cut->parts; i++) {
        struct fsh_card_part part;
        unsigned claims;

        if (i == 2 && cut->parts > 6) /* those between are like the first */
            i = cut->parts - 4;
        part = fsh_card_part_of(whole, cut, i);
        claims = fsh_card_claims(programs[part.layout.half == 2], &part.layout,
                                 packet);
        most = claims > most ? claims : most;
    }
    return most;
}

/* The line of a range in the segment. */
static uint64_t line_of(const struct fsh_card_sequence *s,
                        const struct fsh_program_range *r)
{
    uint64_t at =
        s->at[r->place] + fsh_card_range_at(&s->layout, r, s->pitch[r->place]);

    FSH_ASSERT(at % FSH_CARD_LINE == 0);
    return at / FSH_CARD_LINE;
}

/* The SeqID of a packet. */
static uint64_t seq_of(const struct fsh_card_sequence *s, uint16_t seq)
{
    seq = (uint16_t)(seq + s->seq);
    FSH_ASSERT(seq < FSH_CARD_SEQS);
    return seq | (s->claim >> 2 & 1) * FSH_CARD_SEQS;
}

/* What it combines by, and how packets carry it: so the receiver of an encoded packet
 * that combines nothing has to know, too. */
static void set_kind(const struct fsh_card_sequence *s,
                     const struct fsh_program_step *step, uint64_t *desc)
{
    FSH_ASSERT(!s->bfp || (s->type == FSH_FOLD_FLOAT && s->op == FSH_FOLD_SUM &&
                           step->sources <= 1));
    fsh_colldesc_set_reduce(desc, step->reduce);
    fsh_colldesc_set_bfp(desc, s->bfp);
    if (s->bfp || (step->reduce && s->layout.call != FSH_PROGRAM_BARRIER)) {
        fsh_colldesc_set_kind(desc, s->type);
        fsh_colldesc_set_op(desc, s->op);
    }
}

/* Where it gets its value from, and what of. */
static void set_value(const struct fsh_card_sequence *s,
                      const struct fsh_program_step *step, bool again,
                      uint64_t *desc)
{
    size_t bytes = bytes_of(&s->layout, step);
    bool own = step->local.place != FSH_PROGRAM_NONE && bytes != 0 && !again;

    fsh_colldesc_set_again(desc, again);
    fsh_colldesc_set_own(desc, own);
    fsh_colldesc_set_own_addr(desc, own ? line_of(s, &step->local) : 0);
    fsh_colldesc_set_bytes(desc, bytes);
    set_kind(s, step, desc);
    fsh_colldesc_set_seq(desc, seq_of(s, step->seq));
    fsh_colldesc_set_count(desc, step->sources);
    for (unsigned k = 0; k < step->sources; k++) {
        unsigned bit = 8 * (k % 8);
        uint64_t node = s->node[step->source[k]];

        if (k < 8)
            fsh_colldesc_set_sources0(desc, node << bit);
        else
            fsh_colldesc_set_sources1(desc, node << bit);
    }
}

/* Does it keep what stands there already? A root in place. */
static bool is_there(const struct fsh_card_sequence *s,
                     const struct fsh_program_step *step)
{
    return step->sources == 0 && step->dest != FSH_PROGRAM_NOBODY &&
           step->local.place != FSH_PROGRAM_NONE &&
           line_of(s, &step->local) == line_of(s, &step->store);
}

/* Is DST read by steps behind this one? */
static bool is_read_later(const struct fsh_card_sequence *s,
                          const struct fsh_program_step *step)
{
    const struct fsh_program_step *end = s->program->step + s->program->steps;

    while (++step < end)
        if (step->local.place == FSH_PROGRAM_DST)
            return true;
    return false;
}

/* Where it keeps it. */
static void set_store(const struct fsh_card_sequence *s,
                      const struct fsh_program_step *step, uint64_t *desc)
{
    bool posts = s->posts && step->store.place == FSH_PROGRAM_DST;

    if (step->store.place == FSH_PROGRAM_NONE || is_there(s, step) ||
        bytes_of(&s->layout, step) == 0)
        return;
    if (!posts || is_read_later(s, step)) {
        fsh_colldesc_set_store(desc, 1);
        fsh_colldesc_set_store_addr(desc, line_of(s, &step->store));
    }
    if (posts) {
        uint64_t at = s->posted + fsh_card_range_at(&s->layout, &step->store,
                                                    s->pitch[FSH_PROGRAM_DST]);

        FSH_ASSERT(at % FSH_CARD_LINE == 0);
        fsh_colldesc_set_post(desc, 1);
        fsh_colldesc_set_post_addr(desc, at / FSH_CARD_LINE);
    }
}

/* Where it puts it. */
static void set_way_out(const struct fsh_card_sequence *s,
                        const struct fsh_program_step *step, uint64_t *desc)
{
    set_store(s, step, desc);
    if (step->dest != FSH_PROGRAM_NOBODY) {
        fsh_colldesc_set_send(desc, 1);
        fsh_colldesc_set_dest(desc, s->node[step->dest]);
        fsh_colldesc_set_dest_vp(desc, s->number[step->dest]);
        fsh_colldesc_set_dest_seq(desc, seq_of(s, step->dest_seq));
        fsh_colldesc_set_eager(
            desc, s->eager && fsh_program_near(s->ranks, s->sides,
                                               s->layout.rank, step->dest));
    }
}

static bool is_same(const struct fsh_program_range *a,
                    const struct fsh_program_range *b)
{
    return a->place == b->place && a->first == b->first && a->count == b->count;
}

/* Does it send, once more, what the step before it has made or sent? The engine has a packet of
 * that still. */
static bool is_again(const struct fsh_card_sequence *s,
                     const struct fsh_program_step *step)
{
    const struct fsh_program_step *before = step - 1;
    size_t bytes = bytes_of(&s->layout, step);

    if (step == s->program->step || s->bfp || step->sources != 0 ||
        step->dest == FSH_PROGRAM_NOBODY ||
        step->store.place != FSH_PROGRAM_NONE || bytes == 0 ||
        bytes > FSH_CARD_PACKET)
        return false;
    if (before->store.place == FSH_PROGRAM_NONE && before->sources == 0)
        return is_same(&step->local, &before->local);
    return is_same(&step->local, &before->store);
}

static bool is_one_of(const struct fsh_program_step *step,
                      enum fsh_card_steps which)
{
    return which == FSH_CARD_ALL_STEPS ||
           (which == FSH_CARD_SENDS) == (step->sources == 0);
}

uint32_t fsh_card_append(const struct fsh_card_sequence *s,
                         enum fsh_card_steps which,
                         uint64_t (*desc)[FSH_COLLDESC_WORDS], uint32_t n)
{
    for (uint32_t i = 0; i < s->program->steps; i++) {
        const struct fsh_program_step *step = &s->program->step[i];

        if (!is_one_of(step, which))
            continue;
        FSH_ASSERT(n < FSH_CARD_STEPS);
        memset(desc[n], 0, sizeof desc[n]);
        fsh_colldesc_set_job(desc[n], fsh_card_job(s->past, s->claim));
        fsh_colldesc_set_vp(desc[n], s->number[s->layout.rank]);
        fsh_colldesc_set_cookie(desc[n], s->cookie);
        set_value(s, step, which == FSH_CARD_ALL_STEPS && is_again(s, step),
                  desc[n]);
        set_way_out(s, step, desc[n]);
        n++;
    }
    return n;
}

void fsh_card_close(uint64_t (*desc)[FSH_COLLDESC_WORDS], uint32_t n)
{
    fsh_colldesc_set_head(desc[0], 1);
    fsh_colldesc_set_tail(desc[n - 1], 1);
}

void fsh_card_translate(const struct fsh_card_sequence *s,
                        uint64_t (*desc)[FSH_COLLDESC_WORDS])
{
    fsh_card_close(desc, fsh_card_append(s, FSH_CARD_ALL_STEPS, desc, 0));
}
