/* SPDX-License-Identifier: BSD-3-Clause */
/* The moves of DMA engines in a dump: by name, a line each, what the oldest of a
 * direction waits for; see dump_inside.h. */
#include <inttypes.h>

#include "dump_inside.h"

enum { SHOWN = 4 }; /* of many */
enum { TO, FROM };  /* directions */

bool fsh_dump_move(const struct fsh_dump *d, uint32_t node, unsigned way,
                   unsigned index, struct fsh_dump_move *move)
{
    const struct fsh_state_way *w = &d->state[node].way[way];

    if (index >= w->moves)
        return false;
    *move = (struct fsh_dump_move){
        .node = (uint8_t)node,
        .way = (uint8_t)way,
        .tag = w->tag[index],
        .asked = &d->fab->node[node].ledger->move[way][w->tag[index]]};
    return true;
}

void fsh_dump_name_move(struct fsh_text *text, const struct fsh_dump_move *move)
{
    fsh_text_add(text, "move of %" PRIu32 " B %s the card (tag %u)",
                 move->asked->length, move->way == FROM ? "from" : "to",
                 move->tag);
}

/* Does a port ask or offer anything, or has the memory behind it something to answer? */
static bool asks(const struct fsh_sim_node *n, bool host)
{
    const struct fsh_wide *w = &n->dma.wide;
    const struct fsh_lane *l = &n->dma.lane;

    return host ? w->out->arvalid || w->read_head != w->read_tail
                : l->out->arvalid || l->read_head != l->read_tail;
}

static bool offers(const struct fsh_sim_node *n, bool host)
{
    const struct fsh_wide_out *w = n->dma.wide.out;
    const struct fsh_lane_out *l = n->dma.lane.out;

    return host ? w->awvalid || w->wvalid : l->awvalid || l->wvalid;
}

uint32_t fsh_dump_move_owed(const struct fsh_sim_node *n, bool host)
{
    const struct fsh_wide *w = &n->dma.wide;
    const struct fsh_lane *l = &n->dma.lane;

    return host ? w->read_tail - w->read_head + w->resp_tail - w->resp_head
                : l->read_tail - l->read_head + l->write_head - l->resp_head;
}

enum fsh_dump_move_wait fsh_dump_move_waits(const struct fsh_dump *d,
                                            uint32_t node, unsigned way)
{
    const struct fsh_state_way *w = &d->state[node].way[way];
    const struct fsh_sim_node *n = &d->fab->node[node];
    bool to_host = way == FROM, last = w->unwritten == 0;

    if (w->ends)
        return d->state[node].dma_entry ? FSH_DUMP_MOVE_RING
                                        : FSH_DUMP_MOVE_GOES;
    if (!w->begun)
        return FSH_DUMP_MOVE_GOES;
    if (offers(n, to_host) || (last && w->unanswered))
        return to_host ? FSH_DUMP_MOVE_HOST : FSH_DUMP_MOVE_CARD;
    if (w->unread && asks(n, !to_host))
        return to_host ? FSH_DUMP_MOVE_CARD : FSH_DUMP_MOVE_HOST;
    return FSH_DUMP_MOVE_GOES;
}

static void tell_oldest(const struct fsh_dump *d, uint32_t node, unsigned way,
                        struct fsh_text *text)
{
    static const char *const waits[] = {
        [FSH_DUMP_MOVE_GOES] = "moves",
        [FSH_DUMP_MOVE_HOST] = "waits for the host's memory",
        [FSH_DUMP_MOVE_CARD] = "waits for the device memory",
        [FSH_DUMP_MOVE_RING] = "waits to tell its end"};
    const struct fsh_state_way *w = &d->state[node].way[way];

    if (w->begun)
        fsh_text_add(text,
                     "%" PRIu32 " lines to get, %" PRIu32 " to write, %" PRIu32
                     " writes not answered, ",
                     w->unread, w->unwritten, w->unanswered);
    fsh_text_add(text, "%s", waits[fsh_dump_move_waits(d, node, way)]);
}

void fsh_dump_place_move(const struct fsh_dump *d, struct fsh_text *text,
                         const struct fsh_dump_move *move)
{
    const struct fsh_state_way *w = &d->state[move->node].way[move->way];

    if (move->tag == w->tag[0])
        tell_oldest(d, move->node, move->way, text);
    else
        fsh_text_add(text, "behind the one with tag %u", w->tag[0]);
}

void fsh_dump_moves(const struct fsh_dump *d, uint32_t node)
{
    struct fsh_dump_move move;

    for (unsigned way = TO; way <= FROM; way++) {
        unsigned count = d->state[node].way[way].moves;

        for (unsigned i = 0; i < SHOWN; i++) {
            struct fsh_text text = {.n = 0};

            if (!fsh_dump_move(d, node, way, i, &move))
                break;
            fsh_text_add(&text, "  DMA engine: ");
            fsh_dump_name_move(&text, &move);
            fsh_text_add(&text,
                         ", window 0x%" PRIx64 ", segment 0x%" PRIx64
                         ", %" PRIu64 " cycles: ",
                         move.asked->host, move.asked->card,
                         d->fab->cycle - move.asked->since);
            fsh_dump_place_move(d, &text, &move);
            fsh_dump_line(d, "%s", text.s);
        }
        if (count > SHOWN)
            fsh_dump_line(d, "  ... and %u moves %s the card more",
                          count - SHOWN, way == FROM ? "from" : "to");
    }
    if (d->state[node].dma_entry)
        fsh_dump_line(d, "  DMA engine: the end of a move waits for the writer "
                         "of rings");
}
