/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Submission windows of conduit fpga: entries in order, then the doorbell. Free
 * entries are 64 - (tail - head); the device publishes its heads in the status
 * line. Any thread.
 */
#include <assert.h>

#include "conduit/fpga/state.h"

/* Acquire, partner: the device, which publishes a head after reading the
 * entries, so they may be overwritten. */
static uint32_t read_head(unsigned channel)
{
    const _Atomic uint32_t *line =
        (const void *)(fsh_fpga.mem.dma + FSH_DMA_STATUS);

    return atomic_load_explicit(&line[channel], memory_order_acquire);
}

static bool has_room(unsigned channel, unsigned entries)
{
    struct fsh_fpga_window *w = &fsh_fpga.window[channel];

    if (w->tail - w->head + entries <= FSH_WINDOW_ENTRIES)
        return true;
    fsh_fpga_settle();
    FSH_ASSERT(read_head(channel) - w->head <= w->tail - w->head);
    w->head = read_head(channel);
    return w->tail - w->head + entries <= FSH_WINDOW_ENTRIES;
}

/* Entries for a window, of which the device reads the first `used` words. */
struct entries {
    const uint64_t *words;
    unsigned count, used;
    bool patient;
};

/* Under device_lock. The device makes earlier stores visible before these. */
static void write_entries(unsigned channel, const struct entries *e)
{
    static const uint32_t base[] = {FSH_REG_REQ_WINDOW, FSH_REG_REP_WINDOW};
    static const uint32_t bell[] = {FSH_REG_REQ_TAIL, FSH_REG_REP_TAIL};
    struct fsh_fpga_window *w = &fsh_fpga.window[channel];
    unsigned at = w->tail % FSH_WINDOW_ENTRIES;
    unsigned left = (FSH_WINDOW_ENTRIES - at) * FSH_ENTRY_WORDS;
    unsigned first = e->used < left ? e->used : left;

    FSH_ASSERT(!fsh_fpga.locking || fsh_lock_is_mine(&fsh_fpga.device_lock));
    FSH_ASSERT(w->tail - w->head + e->count <= FSH_WINDOW_ENTRIES);
    FSH_ASSERT(e->used <= e->count * FSH_ENTRY_WORDS);
    fsh_fpga_spend((e->used + 1) * (uint64_t)FSH_COST_WRITE);
    fsh_fpga.ops->write(fsh_fpga.dev, base[channel] + at * FSH_ENTRY_BYTES,
                        e->words, first);
    if (first < e->used)
        fsh_fpga.ops->write(fsh_fpga.dev, base[channel], e->words + first,
                            e->used - first);
    w->tail += e->count;
    uint64_t tail = w->tail;
    fsh_fpga.ops->write(fsh_fpga.dev, bell[channel], &tail, 1);
}

static bool try_submit(unsigned channel, const struct entries *e)
{
    assert(channel < FSH_FPGA_CHANNELS && e->count >= 1 &&
           e->count <= FSH_WINDOW_ENTRIES);
    fsh_fpga_lock(&fsh_fpga.device_lock);
    bool room = has_room(channel, e->count);
    if (room) {
        fsh_fpga.ops->patience(fsh_fpga.dev, e->patient);
        write_entries(channel, e);
    }
    fsh_fpga_unlock(&fsh_fpga.device_lock);
    return room;
}

bool fsh_fpga_try_submit(unsigned channel, const struct fsh_fpga_command *cmd)
{
    return try_submit(channel, &(struct entries){cmd->words, cmd->entries,
                                                 cmd->used, cmd->patient});
}

bool fsh_fpga_try_entries(unsigned channel, const uint64_t *words,
                          unsigned entries)
{
    return try_submit(
        channel,
        &(struct entries){words, entries, entries * FSH_ENTRY_WORDS, false});
}

void fsh_fpga_move(unsigned tag, uint64_t window,
                   const struct fsh_card_move *move)
{
    const uint64_t words[] = {window, move->offset,
                              move->bytes | (uint64_t)tag << 24 |
                                  (uint64_t)!move->to_card << 32};
    const unsigned n = sizeof words / sizeof *words;

    _Static_assert(FSH_REG_DMA_CARD == FSH_REG_DMA_HOST + 8 &&
                       FSH_REG_DMA_MOVE == FSH_REG_DMA_CARD + 8,
                   "the registers of a move are written at once");
    /* As many moves as tags have room in the device. */
    assert(tag < FSH_NUM_TAGS && move->bytes <= FSH_MAX_MESSAGE);
    fsh_fpga_lock(&fsh_fpga.device_lock);
    fsh_fpga.ops->patience(fsh_fpga.dev, false);
    fsh_fpga_spend(n * (uint64_t)FSH_COST_WRITE);
    fsh_fpga.ops->write(fsh_fpga.dev, FSH_REG_DMA_HOST, words, n);
    fsh_fpga_unlock(&fsh_fpga.device_lock);
}

void fsh_fpga_submit(unsigned channel, const struct fsh_fpga_command *cmd,
                     bool requests)
{
    const char *what = channel == FSH_FPGA_REPLY
                           ? "room in the reply submission window"
                           : "room in the request submission window";
    struct fsh_wait wait;

    if (fsh_fpga_try_submit(channel, cmd))
        return;
    fsh_fpga_wait_begin(&wait, fsh_fpga.node);
    while (!fsh_fpga_try_submit(channel, cmd))
        fsh_fpga_wait_step(&wait, what, requests);
    fsh_wait_end(&wait);
}

unsigned fsh_fpga_window_used(unsigned channel)
{
    return fsh_fpga.window[channel].tail - read_head(channel);
}
