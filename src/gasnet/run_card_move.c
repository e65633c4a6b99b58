/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of collectives on a card. What lies in the segment, with each block at a line, the
 * engine reads and writes in place; else a call works in the library's area behind the
 * segment: SRC is copied there before, and the engine writes DST to host memory, from which
 * it is copied. Each rank does as its own buffers are, since the packets are the same. Only
 * what a part has of the blocks is copied, to blocks next to each other.
 */
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/run_card.h"

static struct fsh_engine_memory memory(void)
{
    struct fsh_engine_memory m;

    fsh_gasnet.conduit->collective->memory(&m);
    return m;
}

/* ---- the area of an operation ---- */

_Static_assert(FSH_CARD_PLACES - FSH_PROGRAM_SRC == FSH_AREA_BUFFERS &&
                   FSH_AREA_STEPS >= FSH_CARD_STEPS &&
                   FSH_CARD_AREA == FSH_AREA_BUFFER_BYTES,
               "parts of the area");

size_t fsh_card_list(const struct fsh_card_op *op)
{
    return memory().area + op->slot * FSH_AREA_SEQUENCE_BYTES;
}

static size_t buffer_at(const struct fsh_card_op *op, unsigned which)
{
    return fsh_card_list(op) +
           FSH_AREA_STEPS * (size_t)FSH_COLLDESC_WORDS * sizeof(uint64_t) +
           which * FSH_AREA_BUFFER_BYTES;
}

static unsigned char *posted_of(const struct fsh_card_op *op)
{
    return memory().posted + op->slot * FSH_AREA_BUFFER_BYTES;
}

/* ---- in place? ---- */

/* Do steps read or write such blocks at this rank? */
static bool uses(const struct fsh_program *program, unsigned place)
{
    for (uint32_t i = 0; i < program->steps; i++)
        if (program->step[i].local.place == place ||
            program->step[i].store.place == place)
            return true;
    return false;
}

/* Can the engine work in the client's buffer? Then *at is where it is. */
static bool is_reached(const struct fsh_card_layout *layout, const void *buffer,
                       enum fsh_program_place place, size_t *at)
{
    struct fsh_engine_memory m = memory();
    size_t bytes = fsh_card_client_bytes(layout, place);
    uintptr_t offset = (uintptr_t)buffer - (uintptr_t)m.base;

    *at = offset;
    return layout->aligned && offset % FSH_CARD_LINE == 0 &&
           offset <= m.segment && bytes <= m.segment - offset;
}

bool fsh_card_reaches(const struct fsh_card_call *call)
{
    const struct fsh_program *p = call->program[0];
    size_t at;

    return (!uses(p, FSH_PROGRAM_SRC) ||
            is_reached(&call->layout, call->work.src, FSH_PROGRAM_SRC, &at)) &&
           (!uses(p, FSH_PROGRAM_DST) ||
            is_reached(&call->layout, call->work.dst, FSH_PROGRAM_DST, &at)) &&
           !uses(p, FSH_PROGRAM_TMP);
}

/* ---- before ---- */

static unsigned char *buffer_of(const struct fsh_card_op *op, size_t bytes)
{
    unsigned char *buffer = calloc(1, bytes);

    if (buffer == NULL)
        fsh_fatal("%s: no memory for %zu bytes of blocks", op->name, bytes);
    return buffer;
}

/* SRC with blocks that are apart on the card, from what the client has. In host memory,
 * since each load or store of the device's has a price of its own. */
static void space(const struct fsh_card_op *op, unsigned char *on_card,
                  const unsigned char *client)
{
    uint32_t n = fsh_card_pieces(&op->layout, FSH_PROGRAM_SRC);

    for (uint32_t i = 0; i < n; i++) {
        struct fsh_card_piece p =
            fsh_card_piece(&op->layout, FSH_PROGRAM_SRC, i);

        memcpy(on_card + p.card, client + p.client, p.bytes);
    }
}

/* Pieces of a part, which are long and as far apart at the client's as blocks are. */
static void store_pieces(const struct fsh_card_op *op, size_t to)
{
    uint32_t n = fsh_card_pieces(&op->layout, FSH_PROGRAM_SRC);

    for (uint32_t i = 0; i < n; i++) {
        struct fsh_card_piece p =
            fsh_card_piece(&op->layout, FSH_PROGRAM_SRC, i);

        if (p.bytes != 0)
            fsh_gasnet.conduit->collective->store(to + p.card,
                                                  op->src + p.client, p.bytes);
    }
}

static void copy_in(const struct fsh_card_op *op, size_t to)
{
    const struct fsh_collective_ops *ops = fsh_gasnet.conduit->collective;
    size_t client = fsh_card_client_bytes(&op->layout, FSH_PROGRAM_SRC);
    /* With zeros behind each block, also the last: an encoded block of values has
     * them. */
    size_t bytes = fsh_card_bytes(&op->layout);
    unsigned char *on_card;

    if (op->layout.most != SIZE_MAX) {
        store_pieces(op, to);
        return;
    }
    if (fsh_card_pieces(&op->layout, FSH_PROGRAM_SRC) == 1) {
        ops->store(to, op->src, client);
        return;
    }
    on_card = buffer_of(op, bytes + client);
    fsh_simulated_copy(on_card + bytes, op->src, client);
    space(op, on_card, on_card + bytes);
    ops->store(to, on_card, bytes);
    free(on_card);
}

/* What a rank sends in a late step another has overwritten by then. */
static bool overwrites(const struct fsh_card_op *op)
{
    return op->call->work.call == FSH_PROGRAM_ALLTOALL && op->src == op->dst;
}

/* The area's buffers, or the client's where the engine reaches them. */
static void place_buffers(struct fsh_card_op *op, struct fsh_card_sequence *s)
{
    const struct fsh_card_call *call = op->call;
    size_t at;

    for (unsigned p = FSH_PROGRAM_SRC; p < FSH_CARD_PLACES; p++) {
        s->at[p] = buffer_at(op, p - FSH_PROGRAM_SRC);
        s->pitch[p] = fsh_card_room_pitch(&op->layout);
    }
    if (call->work.call == FSH_PROGRAM_BARRIER)
        return;
    if (uses(op->program, FSH_PROGRAM_SRC)) {
        if (!overwrites(op) &&
            is_reached(&op->layout, op->src, FSH_PROGRAM_SRC, &at)) {
            s->at[FSH_PROGRAM_SRC] = at;
            s->pitch[FSH_PROGRAM_SRC] = 0;
        } else {
            copy_in(op, s->at[FSH_PROGRAM_SRC]);
        }
    }
    if (uses(op->program, FSH_PROGRAM_DST)) {
        op->copied_back =
            !is_reached(&op->layout, op->dst, FSH_PROGRAM_DST, &at);
        if (!op->copied_back) {
            s->at[FSH_PROGRAM_DST] = at;
            s->pitch[FSH_PROGRAM_DST] = 0;
        }
        s->posts = op->copied_back;
        s->posted = memory().posted_at + op->slot * FSH_AREA_BUFFER_BYTES;
    }
}

void fsh_card_store(struct fsh_card_op *op)
{
    const struct fsh_card_call *call = op->call;
    struct fsh_card_sequence s = {.program = op->program,
                                  .layout = op->layout,
                                  .ranks = op->team->size,
                                  .sides = fsh_run_sides(op->team),
                                  .node = op->team->node,
                                  .number = op->team->number,
                                  .type = call->work.type,
                                  .op = call->work.op,
                                  .bfp = call->work.wire == FSH_WIRE_BFP16,
                                  .eager = op->team == fsh_team_all,
                                  .past = op->job,
                                  .claim = call->work.claim,
                                  .cookie = (uint16_t)op->slot};
    uint64_t desc[FSH_CARD_STEPS][FSH_COLLDESC_WORDS];
    uint32_t n = 0;

    place_buffers(op, &s);
    for (size_t i = 0; i < op->parts; i++) {
        struct fsh_card_part part = fsh_card_part_of(
            &call->layout, &call->cut, op->part + i * call->cut.lanes);

        s.layout = part.layout;
        s.seq = part.seq;
        n = fsh_card_append(&s, i == 0 ? op->first : op->which, desc, n);
    }
    fsh_card_close(desc, n);
    fsh_gasnet.conduit->collective->store(fsh_card_list(op), desc,
                                          n * sizeof desc[0]);
}

/* ---- behind ---- */

void fsh_card_fetch(struct fsh_card_op *op)
{
    const unsigned char *from = posted_of(op);
    unsigned char *to = op->dst;

    if (!op->copied_back)
        return;
    for (uint32_t i = 0; i < fsh_card_pieces(&op->layout, FSH_PROGRAM_DST);
         i++) {
        struct fsh_card_piece p =
            fsh_card_piece(&op->layout, FSH_PROGRAM_DST, i);

        fsh_simulated_copy(to + p.client, from + p.card, p.bytes);
    }
}
