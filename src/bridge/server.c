/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The life of a server, and its thread; see server.h.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "base/simulated.h"
#include "bridge/server.h"

#define BATCH 16
#define SPINS 64u /* rounds without news before it sleeps */
/* Sleeps: with nothing to do, which bounds how long a stop takes; with a transfer under
 * way; with something that the provider did not take. */
#define IDLE_NS UINT64_C(20000000)
#define ACTIVE_NS UINT64_C(1000000)
#define RETRY_NS UINT64_C(100000)
#define CARD_NS \
    UINT64_C(50000) /* for the card, which the network does not end */
#define CHECK_NS UINT64_C(10000000) /* between two looks at all limits */
#define LETTER_TIMEOUTS 4u /* limits that a message may stay unanswered */

/* ---- completions ---- */

static void complete(struct fsh_bridge_server *s, void *context, size_t bytes)
{
    struct fsh_bridge_op *op = context;

    switch (op->kind) {
    case FSH_BRIDGE_OP_RECEIVE:
        fsh_bridge_hear(s, (struct fsh_bridge_letter *)op, bytes);
        break;
    case FSH_BRIDGE_OP_SEND:
        fsh_bridge_letter_free(s, (struct fsh_bridge_letter *)op);
        break;
    case FSH_BRIDGE_OP_PIECE:
        fsh_bridge_piece_end(s, (struct fsh_bridge_piece *)op, FSH_BRIDGE_OK);
        break;
    }
}

static void complete_failed(struct fsh_bridge_server *s)
{
    struct fi_cq_err_entry error = {0};
    struct fsh_bridge_op *op;

    if (fi_cq_readerr(s->network.cq, &error, 0) <= 0)
        return;
    op = error.op_context;
    if (op == NULL)
        return;
    if (op->kind == FSH_BRIDGE_OP_PIECE) {
        fsh_bridge_piece_end(s, (struct fsh_bridge_piece *)op,
                             FSH_BRIDGE_NETWORK);
    } else if (op->kind == FSH_BRIDGE_OP_SEND) {
        s->peer[((struct fsh_bridge_letter *)op)->client].gone = true;
        fsh_bridge_letter_free(s, (struct fsh_bridge_letter *)op);
    } else { /* too long: a stranger's */
        atomic_fetch_add_explicit(&s->strangers, 1, memory_order_relaxed);
        fsh_bridge_listen(s, (struct fsh_bridge_letter *)op);
    }
}

bool fsh_bridge_collect(struct fsh_bridge_server *s)
{
    struct fi_cq_data_entry entry[BATCH];
    bool any = false;
    ssize_t n;

    while ((n = fi_cq_read(s->network.cq, entry, BATCH)) > 0 ||
           n == -FI_EAVAIL) {
        any = true;
        if (n == -FI_EAVAIL)
            complete_failed(s);
        for (ssize_t i = 0; i < n; i++)
            complete(s, entry[i].op_context, entry[i].len);
    }
    return any;
}

/* ---- limits ---- */

/* The provider has a piece of it, or takes none: to a peer that has died it may say for
 * ever that there is no room now. */
static bool waits_for_network(const struct fsh_bridge_server *s,
                              unsigned client)
{
    for (unsigned i = 0; i < s->setup.entries; i++) {
        const struct fsh_bridge_piece *piece = &s->piece[i];

        if (piece->client == client && !piece->orphan &&
            (piece->state == FSH_BRIDGE_NETTED ||
             (piece->state == FSH_BRIDGE_READY &&
              (piece->stage & (FSH_BRIDGE_READ | FSH_BRIDGE_WRITE)))))
            return true;
    }
    return false;
}

static bool is_deaf(const struct fsh_bridge_server *s,
                    const struct fsh_bridge_peer *peer, uint64_t now)
{
    return peer->owed != 0 && now - peer->owed_ns > s->timeout_ns;
}

/* Without connections a provider takes a message to a client that has died, and keeps it. One
 * that only makes no calls does not answer either, and may be longer about it. */
static void check_letters(struct fsh_bridge_server *s, uint64_t now)
{
    for (unsigned i = 0; i < FSH_BRIDGE_SENDS; i++) {
        const struct fsh_bridge_letter *letter = &s->send[i];

        if (letter->busy &&
            now - letter->sent_ns > LETTER_TIMEOUTS * s->timeout_ns)
            s->peer[letter->client].gone = true;
    }
}

/* A client whose memory does not answer is silent, and a card that does not, dead. */
static void check_limits(struct fsh_bridge_server *s)
{
    uint64_t now = fsh_bridge_ns();

    if (now - s->checked_ns < CHECK_NS)
        return;
    s->checked_ns = now;
    s->card_dead = s->on_card != 0 && now - s->card_ns > s->timeout_ns;
    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++) {
        struct fsh_bridge_job *job = &s->peer[i].job;

        s->peer[i].gone = s->peer[i].gone || is_deaf(s, &s->peer[i], now);
        if (!job->active)
            continue;
        if (s->card_dead)
            fsh_bridge_job_fail(s, i, FSH_BRIDGE_DEVICE);
        else if (now - job->news_ns > s->timeout_ns && waits_for_network(s, i))
            s->peer[i].gone = true;
    }
    check_letters(s, now);
}

static void drop_gone(struct fsh_bridge_server *s)
{
    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        if (s->peer[i].gone)
            fsh_bridge_forget(s, i);
}

/* ---- the thread ---- */

static bool has_more(const struct fsh_bridge_server *s)
{
    for (unsigned i = 0; i < s->setup.entries; i++)
        if (s->piece[i].state == FSH_BRIDGE_READY)
            return true;
    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        if (s->peer[i].owed != 0)
            return true;
    return false;
}

static void rest(struct fsh_bridge_server *s, unsigned *idle)
{
    uint64_t ns = s->active != 0 ? ACTIVE_NS : IDLE_NS, quiet, due;

    /* In simulated time spinning is no time. */
    if ((*idle)++ < SPINS && fsh_simulated() == NULL) {
        fsh_cpu_relax();
        return;
    }
    quiet = s->card->ops->quiet(s->card);
    if (quiet == 0) {
        due = fsh_network_due(&s->network);
        if (!s->card->ops->nap(s->card, due < CARD_NS ? due : CARD_NS))
            sched_yield();
        return;
    }
    ns = quiet < ns ? quiet : ns;
    if (has_more(s) && ns > RETRY_NS)
        ns = RETRY_NS;
    if (fsh_network_may_nap(&s->network) &&
        fsh_network_nap(&s->network, -1, ns, NULL))
        *idle = 0;
}

static void *serve(void *arg)
{
    const struct fsh_simulated *simulated = fsh_simulated();
    struct fsh_bridge_server *s = arg;
    unsigned idle = 0;

    if (simulated != NULL) {
        simulated->daemon();
        simulated->unblock(); /* it takes turns from here on */
    }
    while (!atomic_load_explicit(&s->stop, memory_order_acquire)) {
        bool any = fsh_bridge_collect(s);

        any |= fsh_bridge_pump(s);
        any |= fsh_bridge_tell(s);
        check_limits(s);
        drop_gone(s);
        if (any)
            idle = 0;
        else
            rest(s, &idle);
    }
    atomic_store_explicit(&s->over, true, memory_order_release);
    return NULL;
}

/* ---- coming ---- */

static bool check_setup(const struct fsh_bridge_card *card,
                        const struct fsh_bridge_setup *setup, char *why,
                        size_t whylen)
{
    if (setup->entries == 0 || setup->entries > FSH_BRIDGE_MOST_ENTRIES)
        snprintf(why, whylen, "a ring of %u buffers: 1 to %u are possible",
                 setup->entries, FSH_BRIDGE_MOST_ENTRIES);
    else if (setup->buffer < 4096 || setup->buffer % 4096 != 0)
        snprintf(why, whylen,
                 "buffers of %zu bytes: a multiple of 4096 is needed",
                 setup->buffer);
    else if (setup->buffer > card->most)
        snprintf(why, whylen,
                 "buffers of %zu bytes: this card moves at most %zu at once",
                 setup->buffer, card->most);
    else if (setup->buffer > card->dma_bytes / setup->entries)
        snprintf(why, whylen,
                 "%u buffers of %zu bytes do not fit in the %zu bytes of the "
                 "DMA window: fewer or smaller ones are needed",
                 setup->entries, setup->buffer, card->dma_bytes);
    else
        return true;
    return false;
}

static bool open_ring(struct fsh_bridge_server *s, char *why, size_t whylen)
{
    size_t bytes = s->setup.entries * s->setup.buffer;
    int rc =
        fsh_network_register(&s->network, s->card->dma, bytes, 0, &s->ring);

    if (rc != 0) {
        snprintf(why, whylen, "registration of %zu bytes of buffers: %s", bytes,
                 s->network.library->strerror(-rc));
        return false;
    }
    for (unsigned i = 0; i < s->setup.entries; i++) {
        s->piece[i].op.kind = FSH_BRIDGE_OP_PIECE;
        s->piece[i].entry = s->card->dma + i * s->setup.buffer;
    }
    return true;
}

static bool open_letters(struct fsh_bridge_server *s, char *why, size_t whylen)
{
    size_t count = FSH_BRIDGE_RECEIVES + FSH_BRIDGE_SENDS;
    bool all = true;

    s->messages = calloc(count, sizeof *s->messages);
    if (s->messages == NULL) {
        snprintf(why, whylen, "no memory for messages");
        return false;
    }
    if (s->network.local_mr && fsh_network_register(&s->network, s->messages,
                                                    count * sizeof *s->messages,
                                                    0, &s->letters) != 0) {
        snprintf(why, whylen, "registration of memory for messages failed");
        return false;
    }
    for (unsigned i = 0; i < FSH_BRIDGE_SENDS; i++) {
        s->send[i].op.kind = FSH_BRIDGE_OP_SEND;
        s->send[i].message = &s->messages[FSH_BRIDGE_RECEIVES + i];
        fsh_bridge_letter_free(s, &s->send[i]);
    }
    for (unsigned i = 0; i < FSH_BRIDGE_RECEIVES; i++) {
        s->receive[i].op.kind = FSH_BRIDGE_OP_RECEIVE;
        s->receive[i].message = &s->messages[i];
        all = all && fsh_bridge_listen(s, &s->receive[i]);
    }
    if (!all)
        snprintf(why, whylen, "the provider takes no receive buffers");
    return all;
}

/* Memory that is registered for an endpoint serves no other one. */
static bool check_provider(const struct fsh_bridge_server *s, char *why,
                           size_t whylen)
{
    if (!(s->network.info->domain_attr->mr_mode & FI_MR_ENDPOINT))
        return true;
    snprintf(why, whylen,
             "provider %s binds memory to endpoints, of which the bridge has "
             "one for each client: choose another by FSHMEM_OFI_PROVIDER",
             s->network.info->fabric_attr->prov_name);
    return false;
}

/* The client's signals are not for it. */
static bool start(struct fsh_bridge_server *s, char *why, size_t whylen)
{
    const struct fsh_simulated *simulated = fsh_simulated();
    unsigned others = simulated != NULL ? simulated->threads() : 0;
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&s->thread, NULL, serve, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0)
        snprintf(why, whylen, "its thread: %s", strerror(rc));
    /* In simulated time it has the same number in every run. */
    while (rc == 0 && simulated != NULL && simulated->threads() == others)
        sched_yield();
    return rc == 0;
}

/* There are no clients. */
static void close_all(struct fsh_bridge_server *s)
{
    if (s->network.ep != NULL)
        fi_close(&s->network.ep->fid);
    s->network.ep = NULL;
    if (s->ring.mr != NULL)
        fi_close(&s->ring.mr->fid);
    if (s->letters.mr != NULL)
        fi_close(&s->letters.mr->fid);
    fsh_network_close(&s->network);
    free(s->messages);
    free(s);
}

struct fsh_bridge_server *fsh_bridge_serve(struct fsh_bridge_card *card,
                                           const struct fsh_bridge_setup *setup,
                                           struct fsh_bridge_name *name,
                                           char *why, size_t whylen)
{
    struct fsh_bridge_server *s;

    if (!check_setup(card, setup, why, whylen))
        return NULL;
    s = aligned_alloc(FSH_CACHE_LINE, (sizeof *s + FSH_CACHE_LINE - 1) /
                                          FSH_CACHE_LINE * FSH_CACHE_LINE);
    if (s == NULL) {
        snprintf(why, whylen, "no memory for a server");
        return NULL;
    }
    memset(s, 0, sizeof *s);
    s->card = card;
    s->setup = *setup;
    s->timeout_ns = (uint64_t)(setup->timeout * 1e9);
    if (!fsh_network_open(&s->network, FSH_BRIDGE_MOST_CLIENTS, why, whylen)) {
        free(s);
        return NULL;
    }
    if (!check_provider(s, why, whylen) || !open_ring(s, why, whylen) ||
        !open_letters(s, why, whylen) ||
        !fsh_network_name(&s->network, &s->name, why, whylen) ||
        !start(s, why, whylen)) {
        close_all(s);
        return NULL;
    }
    *name =
        (struct fsh_bridge_name){s->name, {setup->token[0], setup->token[1]}};
    return s;
}

/* ---- going ---- */

/* What the card still has goes to memory that is about to be freed. */
static void drain_card(struct fsh_bridge_server *s)
{
    uint64_t end = fsh_bridge_ns() + s->timeout_ns;

    while (s->on_card != 0 && fsh_bridge_ns() < end)
        if (!fsh_bridge_pump(s))
            sched_yield();
}

void fsh_bridge_stop(struct fsh_bridge_server *s)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (s == NULL)
        return;
    atomic_store_explicit(&s->stop, true, memory_order_release);
    if (simulated != NULL)
        simulated->block();
    pthread_join(s->thread, NULL);
    if (simulated != NULL)
        simulated->unblock();
    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        if (s->peer[i].ep != NULL)
            fsh_bridge_forget(s, i);
    drain_card(s);
    close_all(s);
}

#define HALT_STEP_NS 1000000L

void fsh_bridge_halt(struct fsh_bridge_server *s, uint64_t ns)
{
    const struct timespec step = {0, HALT_STEP_NS};
    uint64_t end = fsh_time_ns() + ns;

    atomic_store_explicit(&s->stop, true, memory_order_release);
    while (!atomic_load_explicit(&s->over, memory_order_acquire) &&
           fsh_time_ns() < end)
        nanosleep(&step, NULL);
}

struct fsh_bridge_counters fsh_bridge_count(struct fsh_bridge_server *s)
{
    return (struct fsh_bridge_counters){
        .transfers = atomic_load_explicit(&s->transfers, memory_order_relaxed),
        .failed = atomic_load_explicit(&s->failed, memory_order_relaxed),
        .refused = atomic_load_explicit(&s->refused, memory_order_relaxed),
        .strangers = atomic_load_explicit(&s->strangers, memory_order_relaxed),
        .clients = atomic_load_explicit(&s->clients, memory_order_relaxed),
        .entries = atomic_load_explicit(&s->entries, memory_order_relaxed)};
}
