/* SPDX-License-Identifier: BSD-3-Clause */
/* Records what a node's host has requested; see ledger.h. */
#include "ledger.h"

#include <stdbool.h>

#define WORDS (FSH_ENTRY_BYTES / 8)

static uint64_t word_of(const struct fsh_ledger *ledger, unsigned channel,
                        uint32_t entry, unsigned word)
{
    return ledger->window[channel][(entry % FSH_WINDOW_ENTRIES * WORDS + word) %
                                   FSH_LEDGER_WORDS];
}

/* A PUT to a peer's host is a credit word. */
static bool is_credit(const uint64_t *cmd)
{
    return fsh_cmd_opcode(cmd) == FSH_OP_PUT &&
           fsh_cmd_rspace(cmd) == FSH_SPACE_HOST &&
           fsh_cmd_lspace(cmd) == FSH_SPACE_INLINE;
}

static void enter(struct fsh_ledger *ledger, uint64_t cycle, unsigned channel,
                  const uint64_t *cmd, uint64_t payload)
{
    uint64_t opcode = fsh_cmd_opcode(cmd), tag = fsh_cmd_tag(cmd);
    uint64_t node = fsh_cmd_dst(cmd);

    if (node >= FSH_MAX_NODES)
        return;
    if (opcode >= FSH_OP_LIBRARY) {
        if (tag >= FSH_SLOTS_PER_PEER)
            return;
        ledger->message[channel][node][tag] = cycle;
        if (channel == 0)
            ledger->sent[node] ^= (uint16_t)(1u << tag);
    } else if (is_credit(cmd)) {
        ledger->credit[node] = payload;
        ledger->credit_at[node] = cycle;
    } else if (channel == 0 && tag < FSH_HOST_TAGS) {
        ledger->tag[tag] =
            (struct fsh_ledger_op){.since = cycle,
                                   .raddr = fsh_cmd_raddr(cmd),
                                   .length = (uint32_t)fsh_cmd_length(cmd),
                                   .opcode = (uint8_t)opcode,
                                   .node = (uint8_t)node};
    }
}

/* A doorbell covers commands up to `tail`. */
static void ring(struct fsh_ledger *ledger, uint64_t cycle, unsigned channel,
                 uint32_t tail)
{
    uint32_t at = ledger->tail[channel], most = tail - at;

    ledger->tail[channel] = tail;
    ledger->rung = cycle;
    while (most > 0 && most <= FSH_WINDOW_ENTRIES) {
        uint64_t cmd[4], payload = word_of(ledger, channel, at, 4);
        uint32_t entries;

        for (unsigned w = 0; w < 4; w++)
            cmd[w] = word_of(ledger, channel, at, w);
        enter(ledger, cycle, channel, cmd, payload);
        entries = (uint32_t)fsh_cmd_entries(cmd) + 1;
        at += entries;
        most = entries < most ? most - entries : 0;
    }
}

/* Bytes, tag and direction as in register DMA_MOVE. */
static void move(struct fsh_ledger *ledger, uint64_t cycle, uint64_t word)
{
    ledger->move[word >> 32 & 1][word >> 24 & (FSH_NUM_TAGS - 1)] =
        (struct fsh_ledger_move){.since = cycle,
                                 .host = ledger->dma_host,
                                 .card = ledger->dma_card,
                                 .length = (uint32_t)word & 0xffffff};
}

void fsh_ledger_write(struct fsh_ledger *ledger, uint64_t cycle,
                      uint32_t offset, uint64_t data)
{
    uint32_t at = offset - FSH_REG_REQ_WINDOW;

    if (at < 2 * FSH_LEDGER_WORDS * 8)
        ledger->window[at / 8 / FSH_LEDGER_WORDS][at / 8 % FSH_LEDGER_WORDS] =
            data;
    else if (offset == FSH_REG_REQ_TAIL)
        ring(ledger, cycle, 0, (uint32_t)data);
    else if (offset == FSH_REG_REP_TAIL)
        ring(ledger, cycle, 1, (uint32_t)data);
    else if (offset == FSH_REG_SLOT_HDR_BASE)
        ledger->slot_hdr = data;
    else if (offset == FSH_REG_DMA_HOST)
        ledger->dma_host = data;
    else if (offset == FSH_REG_DMA_CARD)
        ledger->dma_card = data;
    else if (offset == FSH_REG_DMA_MOVE)
        move(ledger, cycle, data);
}

_Static_assert((FSH_NUM_TAGS & (FSH_NUM_TAGS - 1)) == 0, "tags fill a field");
_Static_assert(FSH_REG_REP_WINDOW == FSH_REG_REQ_WINDOW + FSH_LEDGER_WORDS * 8,
               "the windows lie beside each other");
