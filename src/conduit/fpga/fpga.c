/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit fpga: the table. Each rank has a node of the fabric; every byte
 * between ranks, and from a rank to itself, goes through its device.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/option.h"
#include "conduit/conduit.h"
#include "conduit/fpga/state.h"
#include "device/device.h"

static bool usable(char *why, size_t whylen)
{
    const char *name = fsh_option_str("FSHMEM_DEVICE");
    const struct fsh_device_ops *ops = fsh_device_find(name);

    if (ops == NULL) {
        snprintf(why, whylen, "FSHMEM_DEVICE=%s: there is no such device",
                 name);
        return false;
    }
    return ops->usable(why, whylen);
}

static bool poll_all(void)
{
    return fsh_fpga_progress(true);
}

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
                 n, __builtin_popcount(s->free), FSH_SLOTS_PER_PEER,
                 __builtin_popcount(s->unread), s->owed);
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
                 tag, fsh_fpga_op_name(op->opcode), op->node, op->remote,
                 op->length);
        line(arg, text);
    }
    snprintf(text, sizeof text,
             "fpga: entries taken: %" PRIu32 " completions, %" PRIu32
             " requests, %" PRIu32 " replies",
             fsh_fpga.cpl.pos, fsh_fpga.rx[FSH_FPGA_REQUEST].pos,
             fsh_fpga.rx[FSH_FPGA_REPLY].pos);
    line(arg, text);
    describe_peers(line, arg);
    /* Last: a device that is dead ends the job here. */
    struct fsh_fpga_dropped dropped = fsh_fpga_dropped();
    snprintf(text, sizeof text,
             "fpga: packets dropped by this node: %u, ring entries: %u",
             dropped.packets, dropped.entries);
    line(arg, text);
}

/* The device stays open: other threads of this process may be using it, and
 * what it holds ends with the process. */
static void fini(void) {}

/* Locks are taken from the start. */
static void share(void) {}

/* Shorts are commands like all others. */
static int short_request(uint32_t node, uint32_t what, const int32_t *args)
{
    const struct fsh_am am = {.node = node,
                              .handler = fsh_short_handler(what),
                              .category = FSH_AM_SHORT,
                              .nargs = fsh_short_nargs(what),
                              .args = args};

    fsh_fpga_am_request(&am);
    return 0;
}

static int short_reply(struct fsh_token *token, uint32_t what,
                       const int32_t *args)
{
    const struct fsh_am am = {.handler = fsh_short_handler(what),
                              .category = FSH_AM_SHORT,
                              .nargs = fsh_short_nargs(what),
                              .args = args};

    fsh_fpga_am_reply(token, &am);
    return 0;
}

/* Every byte between nodes goes through the logic. */
static bool no_window(uint32_t node, void **here, const uint32_t **watching)
{
    (void)node;
    (void)here;
    (void)watching;
    return false;
}

static void no_poke(uint32_t node)
{
    (void)node;
}

/* The barrier goes by messages, through the logic as everything. */
static bool no_barrier_arrive(uint32_t phase, uint64_t opinion,
                              fsh_merge_fn merge)
{
    (void)phase;
    (void)opinion;
    (void)merge;
    return false;
}

static bool no_barrier_arrived(uint64_t *opinion, uint32_t *missing)
{
    (void)opinion;
    (void)missing;
    return false;
}

const struct fsh_conduit_ops fsh_conduit_fpga = {
    .name = "fpga",
    .usable = usable,
    .init = fsh_fpga_init,
    .attach = fsh_fpga_attach,
    .share = share,
    .fini = fini,
    .am_request = fsh_fpga_am_request,
    .am_reply = fsh_fpga_am_reply,
    .am_try_request = fsh_fpga_am_try_request,
    .am_try_reply = fsh_fpga_am_try_reply,
    .short_request = short_request,
    .short_reply = short_reply,
    .put = fsh_fpga_put,
    .get = fsh_fpga_get,
    .window = no_window,
    .poke = no_poke,
    .core_present = fsh_fpga_compute_present,
    .core_send = fsh_fpga_compute_send,
    .core_counters = fsh_fpga_compute_counters,
    .core_counters_clear = fsh_fpga_compute_counters_clear,
    .barrier_arrive = no_barrier_arrive,
    .barrier_arrived = no_barrier_arrived,
    .poll = poll_all,
    .wait = fsh_fpga_wait,
    .describe = describe,
};
