/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations table of conduit fpga. Each rank has a node of the fabric;
 * every byte between ranks, and from a rank to itself, goes through its device.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/option.h"
#include "conduit/conduit.h"
#include "conduit/fpga/state.h"
#include "device/device.h"
#include "device/sim/sim_shm.h"

static bool usable(char *why, size_t whylen)
{
    const char *name = fsh_option_str("FSHMEM_DEVICE");
    const struct fsh_device_ops *ops = fsh_device_find(name);

    if (ops == NULL) {
        snprintf(why, whylen, "FSHMEM_DEVICE=%s: no such device", name);
        return false;
    }
    return ops->usable(why, whylen);
}

static bool poll_in_turn(void)
{
    uint32_t seen;
    bool found;

    fsh_fpga_enter();
    seen = fsh_fpga.ops->activity(fsh_fpga.dev);
    fsh_fpga_look(FSH_COST_POLL);
    found = fsh_fpga_progress(true);
    if (!found)
        fsh_fpga.ops->wait(fsh_fpga.dev, seen, FSH_FPGA_EMPTY_POLL_NS);
    fsh_fpga_leave();
    return found;
}

static bool poll_all(void)
{
    return fsh_fpga.clock == NULL ? fsh_fpga_progress(true) : poll_in_turn();
}

/* ---- operations bracketed for the clock ---- */

static void am_request(const struct fsh_am *am)
{
    fsh_fpga_enter();
    fsh_fpga_am_request(am);
    fsh_fpga_leave();
}

static void am_reply(struct fsh_token *token, const struct fsh_am *am)
{
    fsh_fpga_enter();
    fsh_fpga_am_reply(token, am);
    fsh_fpga_leave();
}

static bool am_try_request(const struct fsh_am *am)
{
    bool sent;

    fsh_fpga_enter();
    sent = fsh_fpga_am_try_request(am);
    fsh_fpga_leave();
    return sent;
}

static bool am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    bool sent;

    fsh_fpga_enter();
    sent = fsh_fpga_am_try_reply(token, am);
    fsh_fpga_leave();
    return sent;
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote)
{
    fsh_fpga_enter();
    fsh_fpga_put(node, dst, src, n, local, remote);
    fsh_fpga_leave();
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done)
{
    fsh_fpga_enter();
    fsh_fpga_get(dst, node, src, n, done);
    fsh_fpga_leave();
}

static void wait_for(uint64_t max_ns, bool memory)
{
    fsh_fpga_enter();
    fsh_fpga_wait(max_ns, memory);
    fsh_fpga_leave();
}

static bool compute_send(uint32_t node, const uint64_t *message,
                         struct fsh_answer *answer)
{
    bool sent;

    fsh_fpga_enter();
    sent = fsh_fpga_compute_send(node, message, answer);
    fsh_fpga_leave();
    return sent;
}

static void compute_counters(uint64_t *words)
{
    fsh_fpga_enter();
    fsh_fpga_compute_counters(words);
    fsh_fpga_leave();
}

static void compute_counters_clear(void)
{
    fsh_fpga_enter();
    fsh_fpga_compute_counters_clear();
    fsh_fpga_leave();
}

static void collective_store(size_t at, const void *src, size_t n)
{
    fsh_fpga_enter();
    fsh_fpga_collective_store(at, src, n);
    fsh_fpga_leave();
}

static bool collective_run(size_t at, struct fsh_answer *answer)
{
    bool sent;

    fsh_fpga_enter();
    sent = fsh_fpga_collective_run(at, answer);
    fsh_fpga_leave();
    return sent;
}

static bool card_start(const struct fsh_card_move *move)
{
    bool started;

    fsh_fpga_enter();
    started = fsh_fpga_card_start(move);
    fsh_fpga_leave();
    return started;
}

static bool card_poll(void)
{
    bool any;

    fsh_fpga_enter();
    any = fsh_fpga_card_poll();
    fsh_fpga_leave();
    return any;
}

static void card_wait(uint64_t max_ns)
{
    fsh_fpga_enter();
    fsh_fpga_card_wait(max_ns);
    fsh_fpga_leave();
}

/* ---- state dumps ---- */

static void describe_peers(void (*line)(void *arg, const char *text), void *arg)
{
    char text[160];

    for (uint32_t n = 0; n < fsh_fpga.nodes; n++) {
        const struct fsh_fpga_slots *s = &fsh_fpga.peer[n];
        if (s->free == 0xffff && s->owed == 0)
            continue;
        snprintf(text, sizeof text,
                 "fpga: rank %" PRIu32 ": %d of %u request slots free (as of "
                 "the last look), %d being read, %u owed",
                 (uint32_t)fsh_fpga.rank_of[n], __builtin_popcount(s->free),
                 FSH_SLOTS_PER_PEER, __builtin_popcount(s->unread), s->owed);
        line(arg, text);
    }
}

static void describe(void (*line)(void *arg, const char *text), void *arg)
{
    char text[160];

    if (!fsh_fpga.attached)
        return;
    snprintf(text, sizeof text,
             "fpga: window entries in use: %u requests, %u replies of %u",
             fsh_fpga_window_used(FSH_FPGA_REQUEST),
             fsh_fpga_window_used(FSH_FPGA_REPLY), FSH_WINDOW_ENTRIES);
    line(arg, text);
    uint64_t in_use = FSH_FPGA_ALL_TAGS & ~atomic_load(&fsh_fpga.free_tags);
    snprintf(text, sizeof text, "fpga: tags in use: %d of %u",
             __builtin_popcountll(in_use), FSH_HOST_TAGS);
    line(arg, text);
    for (; in_use != 0; in_use &= in_use - 1) {
        int tag = __builtin_ctzll(in_use);
        const struct fsh_fpga_op *op = &fsh_fpga.op[tag];
        if (!atomic_load(&fsh_fpga.live[tag]))
            continue;
        snprintf(text, sizeof text,
                 "fpga: tag %d: %s, rank %" PRIu32 ", offset 0x%" PRIx64
                 ", %" PRIu32 " bytes",
                 tag, fsh_fpga_op_name(op->opcode),
                 (uint32_t)fsh_fpga.rank_of[op->node], op->remote, op->length);
        line(arg, text);
    }
    snprintf(text, sizeof text,
             "fpga: entries taken: %" PRIu32 " completions, %" PRIu32
             " requests, %" PRIu32 " replies",
             fsh_fpga.cpl.pos, fsh_fpga.rx[FSH_FPGA_REQUEST].pos,
             fsh_fpga.rx[FSH_FPGA_REPLY].pos);
    line(arg, text);
    describe_peers(line, arg);
    fsh_fpga.ops->explain(fsh_fpga.dev);
    if (fsh_fpga.clock != NULL)
        return; /* a register read takes a turn, which others may have */
    /* Last: if the device is dead, this ends the job. */
    struct fsh_fpga_dropped dropped = fsh_fpga_dropped();
    snprintf(text, sizeof text,
             "fpga: packets dropped by this node: %u, ring entries: %u",
             dropped.packets, dropped.entries);
    line(arg, text);
}

/* The device stays open: other threads of this process may be using it, and its
 * resources end with the process. */
static void fini(void)
{
    fsh_fpga_clock_ops.end();
}

/* Locks are used from the start. */
static void share(void) {}

#define WHOLE_PAGES(bytes) (((bytes) + 4095) & ~(size_t)4095)

static const struct fsh_job_needs needs = {
    .conduit = "fpga",
    .max_ranks = FSH_MAX_NODES,
    .segment_option = "FSHMEM_DRAM",
    .nodes = true,
    .spreads = true,
    .fabric_bytes = WHOLE_PAGES(sizeof(struct fsh_sim_fabric)),
    .dma_bytes = FSH_SIM_DMA_BYTES,
    .mmio_bytes = WHOLE_PAGES(sizeof(struct fsh_sim_mmio)),
};

static const struct fsh_compute_ops compute = {
    .present = fsh_fpga_compute_present,
    .send = compute_send,
    .counters = compute_counters,
    .counters_clear = compute_counters_clear,
};

static const struct fsh_collective_ops collective = {
    .present = fsh_fpga_collective_present,
    .memory = fsh_fpga_collective_memory,
    .store = collective_store,
    .run = collective_run,
    .tick = fsh_fpga_collective_tick,
    .sides = fsh_fpga_collective_sides,
};

static bool card_present(void)
{
    return true;
}

static const struct fsh_card_ops card = {
    .present = card_present,
    .memory = fsh_fpga_card_memory,
    .start = card_start,
    .poll = card_poll,
    .wait = card_wait,
};

/* No direct memory: every byte between nodes goes through the logic. */
const struct fsh_conduit_ops fsh_conduit_fpga = {
    .name = "fpga",
    .needs = &needs,
    .compute = &compute,
    .collective = &collective,
    .card = &card,
    .clock = &fsh_fpga_clock_ops,
    .usable = usable,
    .init = fsh_fpga_init,
    .attach = fsh_fpga_attach,
    .share = share,
    .fini = fini,
    .am_request = am_request,
    .am_reply = am_reply,
    .am_try_request = am_try_request,
    .am_try_reply = am_try_reply,
    .put = put,
    .get = get,
    .poll = poll_all,
    .spin = poll_all,
    .wait = wait_for,
    .describe = describe,
};
