/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge in a job; see bridge.h. What one needs to know to connect to a server is
 * exchanged in gasnet_attach; connections are made by the first transfer.
 */
#include "gasnet/bridge.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/kick.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot.h"
#include "bridge/bridge.h"
#include "bridge/node.h"
#include "gasnet/internal.h"

#define HALT_NS UINT64_C(200000000)

/* What a rank tells the others of its server. */
struct offer {
    uint64_t buffer;
    uint32_t entries; /* 0: there is none */
    uint64_t bytes;
    uint32_t core; /* what commands call its compute core + 1; 0: it has none */
    struct fsh_bridge_name name;
};

struct connection {
    struct fsh_bridge_client *client;
    bool pending;  /* a transfer, counted in job.pending */
    char why[512]; /* it could not be made */
};

static struct {
    struct fsh_lock lock;
    struct fsh_bridge_server *server;
    double timeout;
    uint32_t nodes;
    struct offer *offers;
    struct connection *connections;
    atomic_uint pending; /* connections with a transfer under way */
} job = {.lock = FSH_LOCK_INIT("connections of the bridge",
                               FSH_LOCK_BRIDGE_NETWORK)};

/* ---- the server ---- */

static void serve(const struct fsh_card_ops *ops, struct offer *mine)
{
    struct fsh_bridge_setup setup = {
        .entries = (unsigned)fsh_option_int("FSHMEM_BRIDGE_ENTRIES"),
        .buffer = fsh_option_size("FSHMEM_BRIDGE_BUFFER"),
        .timeout = job.timeout};
    struct fsh_bridge_card *card;
    char why[512];

    if (fsh_boot_page()->simulated_clock)
        fsh_fatal(
            "gasnet_attach: FSHMEM_BRIDGE=1: the bridge's network runs in "
            "real time; use FSHMEM_CLOCK=free");
    if (getrandom(setup.token, sizeof setup.token, 0) !=
        (ssize_t)sizeof setup.token)
        fsh_fatal("gasnet_attach: getrandom: %s", strerror(errno));
    card = fsh_bridge_node(ops, mine->core != 0 ? (int)fsh_gasnet.rank : -1,
                           why, sizeof why);
    if (card != NULL)
        job.server =
            fsh_bridge_serve(card, &setup, &mine->name, why, sizeof why);
    if (job.server == NULL)
        fsh_fatal("gasnet_attach: the bridge that FSHMEM_BRIDGE=1 asks for: %s",
                  why);
    mine->entries = setup.entries;
    mine->buffer = setup.buffer;
    mine->bytes = card->bytes;
}

void fsh_job_bridge_start(const struct fsh_card_ops *card)
{
    struct offer mine;

    if (card == NULL)
        return;
    memset(&mine, 0, sizeof mine);
    job.timeout = fsh_option_seconds("FSHMEM_BRIDGE_TIMEOUT");
    job.nodes = fsh_boot_size();
    job.offers = calloc(job.nodes, sizeof *job.offers);
    job.connections = calloc((size_t)2 * job.nodes, sizeof *job.connections);
    if (job.offers == NULL || job.connections == NULL)
        fsh_fatal("gasnet_attach: no memory for a table of %u bridges",
                  job.nodes);
    if (card->present() && fsh_gasnet_has_compute(fsh_gasnet.rank))
        mine.core = (uint32_t)fsh_gasnet_core_number(fsh_gasnet.rank) + 1;
    if (fsh_job_bridge_wanted(card))
        serve(card, &mine);
    fsh_boot_exchange(&mine, sizeof mine, job.offers);
}

void fsh_job_bridge_halt(void)
{
    if (job.server != NULL)
        fsh_bridge_halt(job.server, HALT_NS);
}

/* ---- connections ---- */

bool fsh_job_bridge_info(uint32_t node, struct fsh_job_bridge_info *info)
{
    const struct offer *offer = job.offers != NULL ? &job.offers[node] : NULL;

    if (offer == NULL || offer->entries == 0)
        return false;
    *info = (struct fsh_job_bridge_info){offer->bytes, offer->buffer,
                                         offer->entries};
    return true;
}

int fsh_job_bridge_core(uint32_t node)
{
    return job.offers != NULL ? (int)job.offers[node].core - 1 : -1;
}

uint32_t fsh_job_bridge_second(uint32_t node)
{
    return job.nodes + node;
}

void fsh_job_bridge_forget(uint32_t second, const void *addr, size_t bytes)
{
    fsh_lock_take(&job.lock);
    fsh_bridge_release(job.connections[second].client, addr, bytes);
    fsh_lock_give(&job.lock);
}

static bool connect_to(uint32_t node)
{
    struct connection *c = &job.connections[node];

    if (c->client == NULL)
        c->client = fsh_bridge_connect(&job.offers[node % job.nodes].name,
                                       job.timeout, c->why, sizeof c->why);
    return c->client != NULL;
}

/* With the lock: counts a transfer in that has begun, and out once its end is known. */
static void count(struct connection *c, enum fsh_bridge_status status)
{
    bool pending = status == FSH_BRIDGE_PENDING;

    if (pending == c->pending)
        return;
    c->pending = pending;
    if (pending) {
        atomic_fetch_add_explicit(&job.pending, 1, memory_order_relaxed);
        fsh_kicks_enter();
    } else {
        atomic_fetch_sub_explicit(&job.pending, 1, memory_order_relaxed);
        fsh_kicks_leave();
    }
}

/* With the lock. */
static enum fsh_bridge_status test(struct connection *c, uint64_t *moved)
{
    enum fsh_bridge_status status = fsh_bridge_test(c->client, moved);

    count(c, status);
    return status;
}

enum fsh_bridge_status fsh_job_bridge_begin(
    uint32_t node, const struct fsh_job_bridge_move *move)
{
    const struct fsh_bridge_transfer t = {
        .stages = (move->to_card ? FSH_BRIDGE_PATH_TO : 0u) |
                  (move->from_card ? FSH_BRIDGE_PATH_FROM : 0u) |
                  (move->run ? FSH_BRIDGE_PATH_RUN : 0u),
        .naive = move->naive,
        .offset = move->offset,
        .bytes = move->bytes,
        .array = move->array,
        .source = move->source,
        .target = move->target};
    enum fsh_bridge_status status = FSH_BRIDGE_NETWORK;

    fsh_lock_take(&job.lock);
    if (connect_to(node)) {
        status = fsh_bridge_begin(job.connections[node].client, &t);
        if (status != FSH_BRIDGE_BUSY)
            count(&job.connections[node], status);
    }
    fsh_lock_give(&job.lock);
    return status;
}

enum fsh_bridge_status fsh_job_bridge_test(uint32_t node, uint64_t *moved)
{
    struct connection *c = &job.connections[node];
    enum fsh_bridge_status status;

    fsh_lock_take(&job.lock);
    status = c->client != NULL ? test(c, moved) : FSH_BRIDGE_NETWORK;
    fsh_lock_give(&job.lock);
    return status;
}

bool fsh_job_bridge_kick(void)
{
    if (atomic_load_explicit(&job.pending, memory_order_relaxed) == 0)
        return false;
    if (!fsh_lock_try(&job.lock))
        return false;
    for (uint32_t i = 0; i < job.nodes; i++) /* by_bridge.c tests the others */
        if (job.connections[i].pending)
            test(&job.connections[i], NULL);
    fsh_lock_give(&job.lock);
    return true;
}

const char *fsh_job_bridge_why(uint32_t node)
{
    const struct connection *c = &job.connections[node];

    return c->client != NULL ? fsh_bridge_why(c->client) : c->why;
}

unsigned fsh_job_bridge_compute_status(uint32_t node)
{
    return fsh_bridge_compute_status(job.connections[node].client);
}

void fsh_job_bridge_nap(uint32_t node, uint64_t ns)
{
    const struct timespec t = {0, (long)ns};
    struct fsh_bridge_client *client;

    fsh_lock_take(&job.lock);
    client = job.connections[node].client;
    if (client != NULL)
        fsh_bridge_nap(client, ns);
    fsh_lock_give(&job.lock);
    if (client == NULL)
        nanosleep(&t, NULL);
}

bool fsh_job_bridge_release(const void *addr, size_t bytes)
{
    bool idle = true;

    fsh_lock_take(&job.lock);
    for (uint32_t i = 0; i < job.nodes; i++)
        idle = idle && (job.connections[i].client == NULL ||
                        test(&job.connections[i], NULL) != FSH_BRIDGE_PENDING);
    for (uint32_t i = 0; idle && i < job.nodes; i++)
        if (job.connections[i].client != NULL)
            fsh_bridge_release(job.connections[i].client, addr, bytes);
    fsh_lock_give(&job.lock);
    return idle;
}
