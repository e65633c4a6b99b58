/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client of the bridge; see bridge.h. It has an endpoint of its own, and no thread: its
 * calls drive the provider, which serves what the server reads and writes here.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/wait.h"
#include "bridge/bridge.h"
#include "bridge/cache.h"
#include "bridge/time.h"
#include "bridge/wire.h"

#define RECEIVES 32u /* more than the server says in a transfer */
#define BATCH 16
#define LOOKS 64u
#define HELLO_NS UINT64_C(500000000) /* then it says so again */
#define BYE_NS UINT64_C(500000000)

struct letter {
    struct fi_context2 context; /* first: the provider's, while it has it */
    struct fsh_bridge_message *message;
};

struct fsh_bridge_client {
    struct fsh_network network;
    struct fsh_bridge_name server;
    fi_addr_t addr;
    double timeout;
    struct fsh_bridge_cache cache;
    struct fsh_bridge_message *messages;
    struct fsh_network_memory memory; /* of those, if the provider wants it */
    struct letter receive[RECEIVES], send;
    bool sending;
    bool dead; /* silent, or the provider failed: nothing is sent any more */
    bool welcome;
    uint32_t number;
    uint64_t nonce, card_bytes, hello_ns;
    uint64_t id, news_ns;
    struct fsh_bridge_transfer transfer;
    uint64_t moved;
    enum fsh_bridge_status status;
    unsigned compute; /* FSH_BRIDGE_COMMAND: FSH_STATUS_ of the core */
    char why[256];
};

/* ---- failures ---- */

/* What the server may still have of this client's memory is revoked. */
static void die(struct fsh_bridge_client *c, enum fsh_bridge_status status)
{
    c->dead = true;
    c->status = status;
    fsh_bridge_cache_drop(&c->cache, NULL, SIZE_MAX);
}

static enum fsh_bridge_status network_failed(struct fsh_bridge_client *c,
                                             int code, const char *what)
{
    snprintf(c->why, sizeof c->why,
             "provider %s: %s: %s; is the server's process still there?",
             c->network.info->fabric_attr->prov_name, what,
             c->network.library->strerror(code < 0 ? -code : code));
    die(c, FSH_BRIDGE_NETWORK);
    return FSH_BRIDGE_NETWORK;
}

static const char *status_name(unsigned status)
{
    static const struct {
        unsigned value;
        const char *name;
    } names[] = FSH_STATUS_NAMES;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].value == status)
            return names[i].name;
    return "an unknown status";
}

static void say(struct fsh_bridge_client *c, enum fsh_bridge_status status)
{
    const struct fsh_bridge_transfer *t = &c->transfer;

    if (status == FSH_BRIDGE_ARGUMENT && t->stages == FSH_BRIDGE_PATH_RUN)
        snprintf(c->why, sizeof c->why,
                 "%" PRIu64 " bytes of commands, %" PRIu64
                 " of them for the array queue: expected 1 to %u commands of "
                 "%zu bytes",
                 t->bytes, t->array, FSH_BRIDGE_MOST_COMMANDS,
                 FSH_BRIDGE_COMMAND_BYTES);
    else if (status == FSH_BRIDGE_ARGUMENT)
        snprintf(c->why, sizeof c->why,
                 "stages %#x, %" PRIu64
                 " bytes: expected a path and at least one byte",
                 t->stages, t->bytes);
    else if (status == FSH_BRIDGE_RANGE)
        snprintf(c->why, sizeof c->why,
                 "%" PRIu64 " bytes at offset %" PRIu64 " exceed the %" PRIu64
                 " bytes of the card's memory",
                 t->bytes, t->offset, c->card_bytes);
    else if (status == FSH_BRIDGE_NO_MEMORY)
        snprintf(c->why, sizeof c->why,
                 "the server has no memory for %" PRIu64
                 " bytes at once: use the pipelined mode",
                 t->bytes);
    else if (status == FSH_BRIDGE_DEVICE)
        snprintf(c->why, sizeof c->why,
                 "the card reported a memory error or does not respond");
    else if (status == FSH_BRIDGE_COMMAND)
        snprintf(c->why, sizeof c->why,
                 "the card's compute core ended a command with %s",
                 status_name(c->compute));
    else if (status != FSH_BRIDGE_OK)
        snprintf(c->why, sizeof c->why, "the server ended it with status %d",
                 (int)status);
}

/* ---- messages ---- */

static void *desc_of(const struct fsh_bridge_client *c)
{
    return c->memory.mr != NULL ? fi_mr_desc(c->memory.mr) : NULL;
}

static void hear_more(struct fsh_bridge_client *c, struct letter *letter)
{
    int rc =
        (int)fi_recv(c->network.ep, letter->message, sizeof *letter->message,
                     desc_of(c), FI_ADDR_UNSPEC, &letter->context);

    if (rc != 0)
        network_failed(c, rc, "a receive buffer");
}

/* What a server can say of the transfer that it has. */
static bool is_news(const struct fsh_bridge_client *c,
                    const struct fsh_bridge_message *m)
{
    if (m->kind == FSH_BRIDGE_PROGRESS)
        return m->done.bytes <= c->transfer.bytes;
    return m->kind == FSH_BRIDGE_DONE && m->done.status <= FSH_BRIDGE_COMMAND &&
           m->done.status != FSH_BRIDGE_PENDING &&
           m->done.status != FSH_BRIDGE_BUSY;
}

static void hear(struct fsh_bridge_client *c,
                 const struct fsh_bridge_message *m, size_t bytes)
{
    if (!fsh_bridge_is_ours(c->server.token, m, bytes) || m->nonce != c->nonce)
        return;
    if (m->kind == FSH_BRIDGE_WELCOME) {
        c->welcome = true;
        c->number = m->client;
        c->card_bytes = m->card_bytes;
        return;
    }
    if (m->id != c->id || c->status != FSH_BRIDGE_PENDING || !is_news(c, m))
        return;
    c->news_ns = fsh_bridge_ns();
    if (m->kind == FSH_BRIDGE_PROGRESS)
        c->moved = m->done.bytes;
    if (m->kind != FSH_BRIDGE_DONE)
        return;
    c->status = (enum fsh_bridge_status)m->done.status;
    c->compute = m->done.compute;
    if (c->status == FSH_BRIDGE_OK)
        c->moved = c->transfer.bytes;
    if (c->transfer.stages & FSH_BRIDGE_RUN) /* to be freed by the caller */
        fsh_bridge_release(c, c->transfer.source, (size_t)c->transfer.bytes);
    say(c, c->status);
}

static void fail_one(struct fsh_bridge_client *c)
{
    struct fi_cq_err_entry error = {0};

    if (fi_cq_readerr(c->network.cq, &error, 0) <= 0)
        return;
    if (error.op_context == &c->send.context) {
        c->sending = false;
        network_failed(c, error.err, "a message to the server");
    } else if (error.op_context != NULL && error.err == FI_ETRUNC) {
        hear_more(c, error.op_context); /* a stranger's */
    }
}

/* Whether anything has come. */
static bool progress(struct fsh_bridge_client *c)
{
    struct fi_cq_data_entry entry[BATCH];
    ssize_t n = fi_cq_read(c->network.cq, entry, BATCH);

    if (n == -FI_EAVAIL)
        fail_one(c);
    for (ssize_t i = 0; i < n; i++) {
        struct letter *letter = entry[i].op_context;

        if (letter == &c->send) {
            c->sending = false;
            continue;
        }
        hear(c, letter->message, entry[i].len);
        hear_more(c, letter);
    }
    return n > 0 || n == -FI_EAVAIL;
}

/* ---- waiting ---- */

#define RELAX_NS UINT64_C(1000)

/* A moment of a short wait; in simulated time it has to pass. */
static void relax(const struct fsh_bridge_client *c)
{
    if (c->network.modelled)
        fsh_network_nap(&c->network, -1, RELAX_NS, NULL);
    else
        fsh_cpu_relax();
}

struct waiting {
    struct fsh_wait wait; /* first */
    struct fsh_bridge_client *c;
    bool over;
};

void fsh_bridge_nap(struct fsh_bridge_client *c, uint64_t ns)
{
    if (fsh_network_may_nap(&c->network))
        fsh_network_nap(&c->network, -1, ns, NULL);
}

static bool sleep_in_provider(struct fsh_wait *wait, uint64_t ns)
{
    fsh_bridge_nap(((struct waiting *)wait)->c, ns);
    return true;
}

static void expired(struct fsh_wait *wait, const char *what)
{
    (void)what;
    ((struct waiting *)wait)->over = true;
}

static const struct fsh_wait_kind waits = {.spins = 64,
                                           .yields = 4,
                                           .nap_us = 1000,
                                           .most_us = 10000,
                                           .sleep = sleep_in_provider,
                                           .expired = expired};

static enum fsh_bridge_status silent(struct fsh_bridge_client *c,
                                     const char *what)
{
    snprintf(c->why, sizeof c->why,
             "%s: no news from the server for %g s (FSHMEM_BRIDGE_TIMEOUT)",
             what, c->timeout);
    die(c, FSH_BRIDGE_SILENT);
    return FSH_BRIDGE_SILENT;
}

/* A message out; false: it has failed, or takes too long. */
static bool send_message(struct fsh_bridge_client *c, uint64_t limit_ns)
{
    uint64_t end = fsh_bridge_ns() + limit_ns;
    ssize_t rc = -FI_EAGAIN;

    while (!c->dead && rc == -FI_EAGAIN && fsh_bridge_ns() < end) {
        if (!c->sending)
            rc =
                fi_send(c->network.ep, c->send.message, sizeof *c->send.message,
                        desc_of(c), c->addr, &c->send.context);
        if (rc == -FI_EAGAIN && !progress(c))
            relax(c);
    }
    if (rc == 0)
        c->sending = true;
    else if (rc != -FI_EAGAIN)
        network_failed(c, (int)rc, "a message to the server");
    return rc == 0;
}

static struct fsh_bridge_message *prepare(struct fsh_bridge_client *c,
                                          enum fsh_bridge_kind kind)
{
    uint64_t end = fsh_bridge_ns() + (uint64_t)(c->timeout * 1e9);

    while (c->sending && fsh_bridge_ns() < end) /* the one before it */
        if (!progress(c))
            relax(c);
    *c->send.message = (struct fsh_bridge_message){
        .token = {c->server.token[0], c->server.token[1]},
        .kind = kind,
        .client = c->number,
        .nonce = c->nonce,
        .id = c->id};
    return c->send.message;
}

/* ---- coming and going ---- */

static bool open_memory(struct fsh_bridge_client *c, char *why, size_t whylen)
{
    size_t count = RECEIVES + 1;

    c->messages = calloc(count, sizeof *c->messages);
    if (c->messages == NULL) {
        snprintf(why, whylen, "no memory for messages");
        return false;
    }
    if (c->network.local_mr &&
        fsh_network_register(&c->network, c->messages,
                             count * sizeof *c->messages, 0, &c->memory) != 0) {
        snprintf(why, whylen, "registration of memory for messages failed");
        return false;
    }
    c->send.message = &c->messages[RECEIVES];
    for (unsigned i = 0; i < RECEIVES; i++) {
        c->receive[i].message = &c->messages[i];
        hear_more(c, &c->receive[i]);
    }
    return true;
}

static bool hello(struct fsh_bridge_client *c)
{
    struct fsh_bridge_message *m;
    char why[sizeof c->why];

    if (c->sending)
        return true;
    m = prepare(c, FSH_BRIDGE_HELLO);
    c->hello_ns = fsh_bridge_ns();
    if (!fsh_network_name(&c->network, &m->name, why, sizeof why)) {
        memcpy(c->why, why, sizeof why);
        return false;
    }
    return send_message(c, HELLO_NS) || !c->dead;
}

static bool meet(struct fsh_bridge_client *c)
{
    struct waiting w = {.wait = {.limit_ms = fsh_wait_ms(c->timeout)}, .c = c};

    if (!hello(c))
        return false;
    while (!c->welcome && !c->dead && !w.over) {
        if (progress(c))
            fsh_wait_found(&w.wait);
        else
            fsh_wait_pause(&waits, &w.wait, "a bridge's server");
        if (!c->welcome && fsh_bridge_ns() - c->hello_ns > HELLO_NS &&
            !hello(c))
            break;
    }
    fsh_wait_end(&w.wait);
    if (w.over && !c->welcome)
        silent(c, "connecting to the bridge");
    return c->welcome;
}

struct fsh_bridge_client *fsh_bridge_connect(const struct fsh_bridge_name *name,
                                             double timeout, char *why,
                                             size_t whylen)
{
    struct fsh_bridge_client *c = calloc(1, sizeof *c);

    if (c == NULL) {
        snprintf(why, whylen, "no memory for a client");
        return NULL;
    }
    c->server = *name;
    c->timeout = timeout;
    c->network.fd = -1;
    if (getrandom(&c->nonce, sizeof c->nonce, 0) != sizeof c->nonce) {
        snprintf(why, whylen, "getrandom: %s", strerror(errno));
    } else if (fsh_network_open(&c->network, 1, why, whylen) &&
               open_memory(c, why, whylen)) {
        c->nonce |= 1; /* not 0 */
        if (fi_av_insert(c->network.av, name->network.address, 1, &c->addr, 0,
                         NULL) != 1)
            snprintf(why, whylen, "provider %s refuses the server's address",
                     c->network.info->fabric_attr->prov_name);
        else if (meet(c))
            return c;
        else
            snprintf(why, whylen, "%s", c->why);
    }
    c->dead = true;
    fsh_bridge_close(c);
    return NULL;
}

void fsh_bridge_close(struct fsh_bridge_client *c)
{
    uint64_t end = fsh_bridge_ns() + BYE_NS;

    if (c == NULL)
        return;
    if (!c->dead) {
        prepare(c, FSH_BRIDGE_BYE);
        if (send_message(c, BYE_NS))
            while (c->sending && fsh_bridge_ns() < end)
                if (!progress(c))
                    relax(c);
    }
    if (c->network.ep != NULL)
        fi_close(&c->network.ep->fid);
    c->network.ep = NULL;
    fsh_bridge_cache_drop(&c->cache, NULL, SIZE_MAX);
    if (c->memory.mr != NULL)
        fi_close(&c->memory.mr->fid);
    fsh_network_close(&c->network);
    free(c->messages);
    free(c);
}

/* ---- transfers ---- */

uint64_t fsh_bridge_card_bytes(const struct fsh_bridge_client *c)
{
    return c->card_bytes;
}

const char *fsh_bridge_why(const struct fsh_bridge_client *c)
{
    return c->why;
}

unsigned fsh_bridge_compute_status(const struct fsh_bridge_client *c)
{
    return c->compute;
}

uint64_t fsh_bridge_registrations(const struct fsh_bridge_client *c)
{
    return c->cache.misses;
}

void fsh_bridge_release(struct fsh_bridge_client *c, const void *addr,
                        size_t bytes)
{
    fsh_bridge_cache_drop(&c->cache, addr, bytes);
}

/* Memory that the server is to reach. */
static bool offer(struct fsh_bridge_client *c, const void *addr, size_t bytes,
                  uint64_t keep, struct fsh_bridge_remote *remote)
{
    int rc = fsh_bridge_cache_find(&c->cache, &c->network, addr, bytes, keep,
                                   &remote->address, &remote->key);

    if (rc != 0)
        snprintf(c->why, sizeof c->why,
                 "provider %s does not register %zu bytes at %p: %s",
                 c->network.info->fabric_attr->prov_name, bytes, addr,
                 c->network.library->strerror(-rc));
    return rc == 0;
}

/* A naive transfer registers its memory each time. */
static void forget(struct fsh_bridge_client *c,
                   const struct fsh_bridge_transfer *t)
{
    if (t->stages & FSH_BRIDGE_READ)
        fsh_bridge_release(c, t->source, (size_t)t->bytes);
    if (t->stages & FSH_BRIDGE_WRITE)
        fsh_bridge_release(c, t->target, (size_t)t->bytes);
}

enum fsh_bridge_status fsh_bridge_begin(struct fsh_bridge_client *c,
                                        const struct fsh_bridge_transfer *t)
{
    struct fsh_bridge_remote source = {0, 0}, target = {0, 0};
    struct fsh_bridge_message *m;

    if (c->dead)
        return c->status;
    if (c->status == FSH_BRIDGE_PENDING)
        return FSH_BRIDGE_BUSY;
    c->transfer = *t;
    c->moved = 0;
    c->status = FSH_BRIDGE_NO_MEMORY;
    if (t->naive)
        forget(c, t);
    if ((t->stages & FSH_BRIDGE_READ) && t->bytes != 0 &&
        !offer(c, t->source, (size_t)t->bytes, 0, &source))
        return c->status;
    if ((t->stages & FSH_BRIDGE_WRITE) && t->bytes != 0 &&
        !offer(c, t->target, (size_t)t->bytes, c->cache.lookups, &target))
        return c->status;
    c->id++;
    m = prepare(c, FSH_BRIDGE_REQUEST);
    m->request.stages = t->stages;
    m->request.naive = t->naive;
    m->request.offset = t->offset;
    m->request.bytes = t->bytes;
    m->request.array = t->array;
    m->request.source = source;
    m->request.target = target;
    c->news_ns = fsh_bridge_ns();
    c->status = FSH_BRIDGE_PENDING;
    if (!send_message(c, (uint64_t)(c->timeout * 1e9)) && !c->dead)
        return silent(c, "a request to the bridge");
    return c->status;
}

/* Nothing has come for too long. Maybe since this client has made no call, as while commands
 * run: some providers need several to bring what waits. */
static bool is_silent(struct fsh_bridge_client *c)
{
    bool late = (double)(fsh_bridge_ns() - c->news_ns) > c->timeout * 1e9;

    for (unsigned i = 0; late && i < LOOKS; i++) {
        late = !progress(c);
        relax(c);
    }
    return late;
}

enum fsh_bridge_status fsh_bridge_test(struct fsh_bridge_client *c,
                                       uint64_t *moved)
{
    if (c->status == FSH_BRIDGE_PENDING && !progress(c) && is_silent(c))
        silent(c, "a transfer over the bridge");
    if (moved != NULL)
        *moved = c->moved;
    return c->status;
}

enum fsh_bridge_status fsh_bridge_wait(struct fsh_bridge_client *c)
{
    /* fsh_bridge_test has the limit. */
    struct waiting w = {.wait = {.limit_ms = FSH_WAIT_FOR_EVER}, .c = c};

    while (fsh_bridge_test(c, NULL) == FSH_BRIDGE_PENDING)
        fsh_wait_pause(&waits, &w.wait, "a transfer over the bridge");
    fsh_wait_end(&w.wait);
    return c->status;
}
