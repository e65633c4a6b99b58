/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers over the bridge; see fshmem_bridge.h. A transfer is up to three parts, one after
 * the other, which this rank's calls drive: bytes to the card, commands, bytes from it; or
 * both directions as one part, whose pieces the server turns around. Where commands of this
 * rank do not reach the card's core (conduit mixed), the server runs them.
 */
#include "gasnet/bridge.h"

#include "base/lock.h"
#include "base/wait.h"
#include "compute/api/api.h"

#include <stdlib.h>

enum part { TO, ROUND, RUN, FROM, NONE };

/* This rank's transfer to a node, under the lock. */
struct exchange {
    bool known;    /* a transfer has been started */
    enum part now; /* NONE: it has ended */
    bool naive;
    fshmem_bridge_transfer_t t;
    struct fsh_api_words
        words; /* for the server, until RUN has ended; or NULL */
    fshmem_status_t result, command;
    gasnet_handle_t handle;
    uint64_t moved; /* in the parts before this one */
};

static struct fsh_lock lock =
    FSH_LOCK_INIT("transfers over the bridge", FSH_LOCK_BRIDGE);
static struct exchange exchanges[FSH_MAX_NODES];

/* ---- parts ---- */

static bool turns_around(const fshmem_bridge_transfer_t *t)
{
    return t->count == 0 && t->source_bytes == t->target_bytes &&
           t->to == t->from;
}

/* The first part of a transfer from this one on that is not empty. */
static enum part part_from(const fshmem_bridge_transfer_t *t, enum part part)
{
    if (part <= TO && t->source_bytes != 0)
        return turns_around(t) ? ROUND : TO;
    if (part <= RUN && t->count != 0)
        return RUN;
    return part <= FROM && t->target_bytes != 0 ? FROM : NONE;
}

static fshmem_status_t status_of(uint32_t node, enum fsh_bridge_status status)
{
    switch (status) {
    case FSH_BRIDGE_OK:
        return FSHMEM_OK;
    case FSH_BRIDGE_PENDING:
    case FSH_BRIDGE_BUSY:
        return FSHMEM_ERR_BUSY;
    case FSH_BRIDGE_ARGUMENT:
        return FSHMEM_ERR_ARGUMENT;
    case FSH_BRIDGE_RANGE:
        return FSHMEM_ERR_RANGE;
    case FSH_BRIDGE_NO_MEMORY:
        return FSHMEM_ERR_NO_MEMORY;
    case FSH_BRIDGE_DEVICE:
        return FSHMEM_ERR_DEVICE;
    case FSH_BRIDGE_COMMAND:
        return fsh_status_of_compute(fsh_job_bridge_compute_status(node));
    case FSH_BRIDGE_SILENT:
    case FSH_BRIDGE_NETWORK:
        break;
    }
    return FSHMEM_ERR_LOST;
}

static fshmem_status_t begin(uint32_t node,
                             const struct fsh_job_bridge_move *move)
{
    enum fsh_bridge_status status = fsh_job_bridge_begin(node, move);

    return status == FSH_BRIDGE_PENDING ? FSHMEM_OK : status_of(node, status);
}

static fshmem_status_t begin_move(uint32_t node, const struct exchange *x)
{
    bool from = x->now == FROM;
    const struct fsh_job_bridge_move move = {
        .to_card = !from,
        .from_card = x->now != TO,
        .naive = x->naive,
        .offset = from ? x->t.from : x->t.to,
        .bytes = from ? x->t.target_bytes : x->t.source_bytes,
        .source = x->t.source,
        .target = x->t.target};

    return begin(node, &move);
}

static fshmem_status_t begin_run(uint32_t node, struct exchange *x)
{
    const struct fsh_api_words *w = &x->words;
    const struct fsh_job_bridge_move move = {
        .run = true,
        .bytes = (w->count[0] + w->count[1]) * sizeof w->words[0],
        .array = w->count[0],
        .source = w->words};

    if (w->words != NULL)
        return begin(node, &move);
    return fshmem_submit_nb(node, x->t.commands, x->t.count, 0, &x->handle,
                            &x->command);
}

/* Begins the part that is due; FSHMEM_OK or why it does not begin. */
static fshmem_status_t begin_part(uint32_t node, struct exchange *x)
{
    if (x->now == NONE)
        return FSHMEM_OK;
    return x->now == RUN ? begin_run(node, x) : begin_move(node, x);
}

/* How the part under way stands; BUSY while it is. */
static fshmem_status_t test_part(uint32_t node, struct exchange *x,
                                 uint64_t *moved)
{
    *moved = 0;
    if (x->now != RUN)
        return status_of(node, fsh_job_bridge_test(node, moved));
    if (x->words.words != NULL)
        return status_of(node, fsh_job_bridge_test(node, NULL));
    return gasnet_try_syncnb(x->handle) == GASNET_OK ? x->command
                                                     : FSHMEM_ERR_BUSY;
}

/* The transfer has ended. */
static void end(struct exchange *x, fshmem_status_t result)
{
    x->result = result;
    x->now = NONE;
    free(x->words.words);
    x->words.words = NULL;
}

static uint64_t bytes_of(const struct exchange *x)
{
    return x->now == RUN     ? 0
           : x->now == FROM  ? x->t.target_bytes
           : x->now == ROUND ? 2 * x->t.source_bytes
                             : x->t.source_bytes;
}

/* Under the lock: how the transfer stands, and the bytes that have moved. */
static fshmem_status_t advance(uint32_t node, struct exchange *x,
                               uint64_t *moved)
{
    uint64_t part = 0;

    while (x->now != NONE) {
        fshmem_status_t status = test_part(node, x, &part);

        if (status == FSHMEM_ERR_BUSY) {
            *moved = x->moved + (x->now == ROUND ? 2 * part : part);
            return status;
        }
        if (status == FSHMEM_OK) {
            x->moved += bytes_of(x);
            x->now = part_from(
                &x->t, x->now == ROUND ? NONE : (enum part)(x->now + 1));
            status = begin_part(node, x);
        }
        if (status != FSHMEM_OK || x->now == NONE)
            end(x, status);
    }
    *moved = x->moved;
    return x->result;
}

/* ---- checks ---- */

static fshmem_status_t check_node(gasnet_node_t node,
                                  struct fsh_job_bridge_info *info)
{
    fshmem_status_t status = fsh_api_check_call();

    if (status != FSHMEM_OK)
        return status;
    if (node >= fsh_gasnet.nodes)
        return FSHMEM_ERR_NODE;
    return fsh_job_bridge_info(node, info) && node < FSH_MAX_NODES
               ? FSHMEM_OK
               : FSHMEM_ERR_ABSENT;
}

static bool fits(uint64_t offset, uint64_t bytes, uint64_t all)
{
    return offset <= all && bytes <= all - offset;
}

static fshmem_status_t check_transfer(const fshmem_bridge_transfer_t *t,
                                      unsigned flags,
                                      const struct fsh_job_bridge_info *info)
{
    if ((flags & ~FSHMEM_BRIDGE_NAIVE) != 0 ||
        (t->source_bytes == 0 && t->target_bytes == 0) ||
        (t->source_bytes != 0 && t->source == NULL) ||
        (t->target_bytes != 0 && t->target == NULL) ||
        (t->count != 0 && t->commands == NULL))
        return FSHMEM_ERR_ARGUMENT;
    return fits(t->to, t->source_bytes, info->bytes) &&
                   fits(t->from, t->target_bytes, info->bytes)
               ? FSHMEM_OK
               : FSHMEM_ERR_RANGE;
}

/* Whose commands the server is to run: their words, made now, so that what is wrong with
 * them is said before anything moves. */
static fshmem_status_t check_run(gasnet_node_t node,
                                 const fshmem_bridge_transfer_t *t,
                                 struct fsh_api_words *words)
{
    if (t->count == 0 || fsh_gasnet_has_compute(node))
        return FSHMEM_OK;
    return fsh_job_bridge_core(node) < 0
               ? FSHMEM_ERR_ABSENT
               : fsh_api_words(node, t->commands, t->count, fsh_job_bridge_core,
                               words);
}

/* ---- calls ---- */

fshmem_status_t fshmem_bridge_info(gasnet_node_t node,
                                   fshmem_bridge_info_t *info)
{
    struct fsh_job_bridge_info found;

    if (info == NULL)
        return FSHMEM_ERR_ARGUMENT;
    if (!fsh_gasnet.attached)
        return FSHMEM_ERR_CALL;
    if (node >= fsh_gasnet.nodes)
        return FSHMEM_ERR_NODE;
    *info = (fshmem_bridge_info_t){.present = 0};
    if (fsh_job_bridge_info(node, &found))
        *info = (fshmem_bridge_info_t){.present = 1,
                                       .bytes = found.bytes,
                                       .buffer = found.buffer,
                                       .entries = found.entries};
    return FSHMEM_OK;
}

fshmem_status_t fshmem_bridge_start(gasnet_node_t node,
                                    const fshmem_bridge_transfer_t *transfer,
                                    unsigned flags)
{
    struct fsh_job_bridge_info info;
    fshmem_status_t status = check_node(node, &info);
    struct fsh_api_words words = {.words = NULL};
    struct exchange *x;
    uint64_t moved;

    if (status == FSHMEM_OK && transfer == NULL)
        status = FSHMEM_ERR_ARGUMENT;
    if (status == FSHMEM_OK)
        status = check_transfer(transfer, flags, &info);
    if (status == FSHMEM_OK)
        status = check_run(node, transfer, &words);
    if (status != FSHMEM_OK)
        return status;
    fsh_lock_take(&lock);
    x = &exchanges[node];
    if (x->known && advance(node, x, &moved) == FSHMEM_ERR_BUSY &&
        x->now != NONE) {
        fsh_lock_give(&lock);
        free(words.words);
        return FSHMEM_ERR_BUSY;
    }
    *x = (struct exchange){.known = true,
                           .naive = (flags & FSHMEM_BRIDGE_NAIVE) != 0,
                           .t = *transfer,
                           .words = words};
    x->now = part_from(&x->t, TO);
    status = begin_part(node, x);
    if (status != FSHMEM_OK)
        end(x, status);
    fsh_lock_give(&lock);
    return status;
}

fshmem_status_t fshmem_bridge_test(gasnet_node_t node, uint64_t *moved)
{
    struct fsh_job_bridge_info info;
    fshmem_status_t status = check_node(node, &info);
    uint64_t sum = 0;

    if (status != FSHMEM_OK)
        return status;
    fsh_gasnet_poll();
    fsh_lock_take(&lock);
    status = exchanges[node].known ? advance(node, &exchanges[node], &sum)
                                   : FSHMEM_OK;
    fsh_lock_give(&lock);
    if (moved != NULL)
        *moved = sum;
    return status;
}

/* ---- waiting ---- */

struct waiting {
    struct fsh_wait wait; /* first */
    uint32_t node;
};

/* The network's own news end it; those of the conduit are looked for soon. */
#define NAP_NS UINT64_C(200000)

static bool sleep_in_network(struct fsh_wait *wait, uint64_t ns)
{
    fsh_job_bridge_nap(((struct waiting *)(void *)wait)->node,
                       ns < NAP_NS ? ns : NAP_NS);
    return true;
}

static const struct fsh_wait_kind waits = {.spins = 64,
                                           .yields = 4,
                                           .nap_us = 200,
                                           .most_us = 200,
                                           .sleep = sleep_in_network};

fshmem_status_t fshmem_bridge_wait(gasnet_node_t node)
{
    /* The client of the bridge has the limit. */
    struct waiting w = {
        .wait = {.peer = node + 1, .limit_ms = FSH_WAIT_FOR_EVER},
        .node = node};
    fshmem_status_t status;

    while ((status = fshmem_bridge_test(node, NULL)) == FSHMEM_ERR_BUSY)
        fsh_wait_pause(&waits, &w.wait, "fshmem_bridge_wait");
    fsh_wait_end(&w.wait);
    return status;
}

fshmem_status_t fshmem_bridge_exchange(gasnet_node_t node,
                                       const fshmem_bridge_transfer_t *transfer,
                                       unsigned flags)
{
    fshmem_status_t status = fshmem_bridge_start(node, transfer, flags);

    return status == FSHMEM_OK ? fshmem_bridge_wait(node) : status;
}

fshmem_status_t fshmem_bridge_put(gasnet_node_t node, fshmem_offset_t to,
                                  const void *source, uint64_t bytes,
                                  unsigned flags)
{
    const fshmem_bridge_transfer_t t = {
        .source = source, .source_bytes = bytes, .to = to};

    return fshmem_bridge_exchange(node, &t, flags);
}

fshmem_status_t fshmem_bridge_get(void *target, gasnet_node_t node,
                                  fshmem_offset_t from, uint64_t bytes,
                                  unsigned flags)
{
    const fshmem_bridge_transfer_t t = {
        .target = target, .target_bytes = bytes, .from = from};

    return fshmem_bridge_exchange(node, &t, flags);
}

fshmem_status_t fshmem_bridge_release(const void *address, size_t bytes)
{
    fshmem_status_t status = fsh_api_check_call();

    if (status != FSHMEM_OK)
        return status;
    if (address == NULL || bytes == 0)
        return FSHMEM_ERR_ARGUMENT;
    return fsh_job_bridge_release(address, bytes) ? FSHMEM_OK : FSHMEM_ERR_BUSY;
}

const char *fshmem_bridge_why(gasnet_node_t node)
{
    struct fsh_job_bridge_info info;

    return check_node(node, &info) == FSHMEM_OK ? fsh_job_bridge_why(node) : "";
}
