/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What clients of a server say and hear; see server.h. Nothing here waits: a message that
 * the provider does not take stays owed.
 */
#include <rdma/fi_cm.h>
#include <string.h>

#include "bridge/server.h"

static void *desc_of(const struct fsh_bridge_server *s)
{
    return s->letters.mr != NULL ? fi_mr_desc(s->letters.mr) : NULL;
}

bool fsh_bridge_listen(struct fsh_bridge_server *s,
                       struct fsh_bridge_letter *letter)
{
    return fi_recv(s->network.ep, letter->message, sizeof *letter->message,
                   desc_of(s), FI_ADDR_UNSPEC, &letter->op) == 0;
}

void fsh_bridge_letter_free(struct fsh_bridge_server *s,
                            struct fsh_bridge_letter *letter)
{
    letter->busy = false;
    letter->next = s->free_send;
    s->free_send = letter;
}

/* ---- HELLO ---- */

static bool open_endpoint(struct fsh_bridge_server *s,
                          struct fsh_bridge_peer *peer)
{
    struct fsh_network *n = &s->network;

    if (fi_endpoint(n->domain, n->info, &peer->ep, NULL) != 0) {
        peer->ep = NULL;
        return false;
    }
    if (fi_ep_bind(peer->ep, &n->cq->fid, FI_TRANSMIT | FI_RECV) == 0 &&
        fi_ep_bind(peer->ep, &n->av->fid, 0) == 0 && fi_enable(peer->ep) == 0)
        return true;
    fi_close(&peer->ep->fid);
    peer->ep = NULL;
    return false;
}

/* A number for a new client. If there is none the one that is idle for longest goes, and
 * the new one finds room when it says HELLO again. */
static struct fsh_bridge_peer *find_room(struct fsh_bridge_server *s)
{
    struct fsh_bridge_peer *oldest = NULL;

    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++) {
        struct fsh_bridge_peer *peer = &s->peer[i];

        if (peer->ep == NULL)
            return peer;
        if (!peer->job.active && peer->owed == 0 &&
            (oldest == NULL || peer->used_ns < oldest->used_ns))
            oldest = peer;
    }
    if (oldest != NULL)
        oldest->gone = true;
    return NULL;
}

static void hello(struct fsh_bridge_server *s,
                  const struct fsh_bridge_message *m)
{
    struct fsh_bridge_peer *peer;

    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        if (s->peer[i].ep != NULL && s->peer[i].nonce == m->nonce) {
            fsh_bridge_owe(&s->peer[i], OWES_WELCOME); /* it says so again */
            return;
        }
    peer = find_room(s);
    if (peer == NULL || m->name.bytes != s->name.bytes || m->nonce == 0)
        return;
    if (!open_endpoint(s, peer))
        return;
    if (fi_av_insert(s->network.av, m->name.address, 1, &peer->addr, 0, NULL) !=
        1) {
        fi_close(&peer->ep->fid);
        peer->ep = NULL;
        return;
    }
    peer->nonce = m->nonce;
    peer->used_ns = fsh_bridge_ns();
    fsh_bridge_owe(peer, OWES_WELCOME);
    atomic_fetch_add_explicit(&s->clients, 1, memory_order_relaxed);
}

void fsh_bridge_forget(struct fsh_bridge_server *s, unsigned client)
{
    struct fsh_bridge_peer *peer = &s->peer[client];

    fi_close(&peer->ep->fid);
    /* What the provider flushes; nothing comes after that. */
    fsh_bridge_collect(s);
    fsh_bridge_job_drop(s, client);
    for (unsigned i = 0; i < FSH_BRIDGE_SENDS; i++) {
        struct fsh_bridge_letter *letter = &s->send[i];

        if (letter->busy && letter->client == client)
            fsh_bridge_letter_free(s, letter);
    }
    fi_av_remove(s->network.av, &peer->addr, 1, 0);
    *peer = (struct fsh_bridge_peer){.ep = NULL};
    atomic_fetch_sub_explicit(&s->clients, 1, memory_order_relaxed);
}

/* ---- REQUEST ---- */

static enum fsh_bridge_status check_run(const struct fsh_bridge_server *s,
                                        const struct fsh_bridge_message *m)
{
    uint64_t count = m->request.bytes / FSH_BRIDGE_COMMAND_BYTES;

    if (m->request.bytes % FSH_BRIDGE_COMMAND_BYTES != 0 || count == 0 ||
        count > FSH_BRIDGE_MOST_COMMANDS || m->request.array > count ||
        m->request.naive != 0)
        return FSH_BRIDGE_ARGUMENT;
    return s->card_dead ? FSH_BRIDGE_DEVICE : FSH_BRIDGE_PENDING;
}

static enum fsh_bridge_status check(const struct fsh_bridge_server *s,
                                    const struct fsh_bridge_message *m)
{
    uint64_t most = s->card->bytes;

    if (m->request.stages == FSH_BRIDGE_PATH_RUN)
        return check_run(s, m);
    if (m->request.stages == 0 || m->request.stages > FSH_BRIDGE_PATH_ROUND ||
        m->request.naive > 1 || m->request.bytes == 0)
        return FSH_BRIDGE_ARGUMENT;
    if (m->request.offset > most || m->request.bytes > most - m->request.offset)
        return FSH_BRIDGE_RANGE;
    return s->card_dead ? FSH_BRIDGE_DEVICE : FSH_BRIDGE_PENDING;
}

static void request(struct fsh_bridge_server *s,
                    const struct fsh_bridge_message *m)
{
    struct fsh_bridge_peer *peer = &s->peer[m->client];
    enum fsh_bridge_status status = check(s, m);

    peer->done_id = m->id;
    if (status == FSH_BRIDGE_PENDING) {
        peer->job = (struct fsh_bridge_job){.stages = m->request.stages,
                                            .naive = m->request.naive,
                                            .id = m->id,
                                            .offset = m->request.offset,
                                            .bytes = m->request.bytes,
                                            .array = m->request.array,
                                            .source = m->request.source,
                                            .target = m->request.target};
        status = fsh_bridge_job_begin(s, m->client);
    }
    if (status == FSH_BRIDGE_PENDING)
        return;
    atomic_fetch_add_explicit(&s->refused, 1, memory_order_relaxed);
    peer->done_status = status;
    fsh_bridge_owe(peer, OWES_DONE);
}

/* Of a client as it should be: it has at most one transfer, and waits for its end. */
static bool is_expected(const struct fsh_bridge_server *s,
                        const struct fsh_bridge_message *m)
{
    const struct fsh_bridge_peer *peer;

    if (m->client >= FSH_BRIDGE_MOST_CLIENTS)
        return false;
    peer = &s->peer[m->client];
    return peer->ep != NULL && peer->nonce == m->nonce &&
           (m->kind == FSH_BRIDGE_BYE ||
            (m->kind == FSH_BRIDGE_REQUEST && !peer->job.active &&
             !(peer->owed & OWES_DONE)));
}

static void act(struct fsh_bridge_server *s, const struct fsh_bridge_message *m)
{
    if (m->kind == FSH_BRIDGE_HELLO) {
        hello(s, m);
    } else if (!is_expected(s, m)) {
        atomic_fetch_add_explicit(&s->strangers, 1, memory_order_relaxed);
    } else if (m->kind == FSH_BRIDGE_BYE) {
        s->peer[m->client].gone = true;
    } else {
        s->peer[m->client].used_ns = fsh_bridge_ns();
        request(s, m);
    }
}

void fsh_bridge_hear(struct fsh_bridge_server *s,
                     struct fsh_bridge_letter *letter, size_t bytes)
{
    if (fsh_bridge_is_ours(s->setup.token, letter->message, bytes))
        act(s, letter->message);
    else
        atomic_fetch_add_explicit(&s->strangers, 1, memory_order_relaxed);
    fsh_bridge_listen(s, letter);
}

/* ---- to clients ---- */

void fsh_bridge_owe(struct fsh_bridge_peer *peer, enum fsh_bridge_owed what)
{
    if (peer->owed == 0)
        peer->owed_ns = fsh_bridge_ns();
    peer->owed |= what;
}

static void fill(const struct fsh_bridge_server *s, unsigned client,
                 unsigned what, struct fsh_bridge_message *m)
{
    const struct fsh_bridge_peer *peer = &s->peer[client];

    *m = (struct fsh_bridge_message){
        .token = {s->setup.token[0], s->setup.token[1]},
        .client = client,
        .nonce = peer->nonce};
    if (what == OWES_WELCOME) {
        m->kind = FSH_BRIDGE_WELCOME;
        m->card_bytes = s->card->bytes;
    } else if (what == OWES_PROGRESS) {
        m->kind = FSH_BRIDGE_PROGRESS;
        m->id = peer->job.id;
        m->done.bytes = peer->job.told;
    } else {
        m->kind = FSH_BRIDGE_DONE;
        m->id = peer->done_id;
        m->done.status = peer->done_status;
        m->done.compute = peer->done_compute;
    }
}

/* False: no room now. */
static bool send_one(struct fsh_bridge_server *s, unsigned client,
                     unsigned what)
{
    struct fsh_bridge_peer *peer = &s->peer[client];
    struct fsh_bridge_letter *letter = s->free_send;
    ssize_t rc;

    if (letter == NULL)
        return false;
    fill(s, client, what, letter->message);
    rc = fi_send(peer->ep, letter->message, sizeof *letter->message, desc_of(s),
                 peer->addr, &letter->op);
    if (rc == -FI_EAGAIN)
        return false;
    peer->owed &= ~what;
    if (rc != 0) {
        peer->gone = true;
        return true;
    }
    s->free_send = letter->next;
    letter->busy = true;
    letter->client = client;
    letter->sent_ns = fsh_bridge_ns();
    return true;
}

bool fsh_bridge_tell(struct fsh_bridge_server *s)
{
    bool any = false;

    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        for (unsigned what = OWES_WELCOME; what <= OWES_DONE; what <<= 1)
            if (s->peer[i].ep != NULL && !s->peer[i].gone &&
                (s->peer[i].owed & what))
                any |= send_one(s, i, what);
    return any;
}
