/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages of conduit ofi. A request takes its bytes from the window of its
 * target, which gives them back with the reply or, if there is none, with others
 * later. A reply needs no room at its target: whoever waits for it has taken that into
 * account (state.h), so it never waits. Longs of more than 64 KiB: long.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/wait.h"
#include "conduit/ofi/state.h"

struct token {
    struct fsh_token base; /* first */
    uint32_t credit;       /* bytes to give back */
};

static struct fsh_ofi_head make_head(enum fsh_ofi_kind kind,
                                     const struct fsh_am *am)
{
    return (struct fsh_ofi_head){
        .job = fsh_ofi.expect.job,
        .source = fsh_ofi.rank,
        .kind = (uint8_t)kind,
        .handler = am->handler,
        .category = am->category,
        .nargs = am->nargs,
        .nbytes = am->category == FSH_AM_SHORT ? 0 : (uint32_t)am->nbytes,
        .dst = (uint64_t)(uintptr_t)am->dst};
}

static bool is_request(unsigned kind)
{
    return kind == FSH_OFI_REQUEST || kind == FSH_OFI_PLACED_REQUEST;
}

bool fsh_ofi_send_am(enum fsh_ofi_kind kind, const struct fsh_am *am,
                     uint32_t credit)
{
    struct fsh_ofi_peer *peer = &fsh_ofi.peers[am->node];
    struct fsh_ofi_head head = make_head(kind, am);
    uint32_t bytes =
        (uint32_t)fsh_ofi_bytes(head.nargs, fsh_ofi_carried(&head));
    bool request = is_request(kind);

    if (request && peer->window < bytes)
        return false;
    head.credit = peer->owed + credit;
    if (!fsh_ofi_send(am->node, &head, am, request))
        return false;
    peer->owed = 0;
    if (request)
        peer->window -= bytes;
    return true;
}

static bool is_long(const struct fsh_am *am)
{
    return am->category == FSH_AM_LONG && am->nbytes > FSH_OFI_MAX_PAYLOAD;
}

static bool try_request(enum fsh_ofi_kind kind, const struct fsh_am *am)
{
    bool sent;

    pthread_mutex_lock(&fsh_ofi.lock);
    sent = fsh_ofi_send_am(kind, am, 0);
    pthread_mutex_unlock(&fsh_ofi.lock);
    return sent;
}

bool fsh_ofi_am_try_request(const struct fsh_am *am)
{
    if (!is_long(am))
        return try_request(FSH_OFI_REQUEST, am);
    fsh_ofi_long_later(FSH_OFI_PLACED_REQUEST, am, 0);
    return true;
}

void fsh_ofi_am_request(const struct fsh_am *am)
{
    static const struct fsh_wait_kind wait_kind = {
        .who = "conduit ofi: a request", .to_peer = true, .spins = 1};
    struct fsh_wait wait = {.peer = am->node + 1};
    enum fsh_ofi_kind kind = FSH_OFI_REQUEST;

    if (is_long(am)) {
        fsh_ofi_long_place(am);
        kind = FSH_OFI_PLACED_REQUEST;
    }
    while (!try_request(kind, am)) {
        if (fsh_ofi.poll()) {
            fsh_am_delivered();
            fsh_wait_found(&wait);
        } else
            fsh_wait_pause(&wait_kind, &wait, "room");
        fsh_am_waits();
    }
    fsh_wait_end(&wait);
}

void fsh_ofi_am_reply(struct fsh_token *base, const struct fsh_am *reply)
{
    struct token *token = (struct token *)base;
    struct fsh_am am = *reply;
    uint32_t credit = token->credit;

    am.node = base->source;
    token->credit = 0;
    if (is_long(&am)) {
        fsh_ofi_long_later(FSH_OFI_PLACED_REPLY, &am, credit);
        return;
    }
    pthread_mutex_lock(&fsh_ofi.lock);
    fsh_ofi_send_am(FSH_OFI_REPLY, &am, credit);
    pthread_mutex_unlock(&fsh_ofi.lock);
}

bool fsh_ofi_am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    fsh_ofi_am_reply(token, am);
    return true;
}

/* ---- Shorts, which find out in shared memory that they are not for here ---- */

static struct fsh_am make_short(uint32_t node, uint32_t what,
                                const int32_t *args)
{
    return (struct fsh_am){.node = node,
                           .handler = fsh_short_handler(what),
                           .category = FSH_AM_SHORT,
                           .nargs = fsh_short_nargs(what),
                           .args = args};
}

static int short_request(uint32_t node, uint32_t what, const int32_t *args)
{
    const struct fsh_am am = make_short(node, what, args);

    fsh_ofi_am_request(&am);
    return 0;
}

static int short_reply(struct fsh_token *token, uint32_t what,
                       const int32_t *args)
{
    const struct fsh_am am = make_short(token->source, what, args);

    fsh_ofi_am_reply(token, &am);
    return 0;
}

static bool poll_all(void)
{
    return fsh_ofi.poll();
}

const struct fsh_local_elsewhere fsh_ofi_elsewhere = {.request = short_request,
                                                      .reply = short_reply,
                                                      .poll = poll_all,
                                                      .sleep = fsh_ofi_nap};

/* ---- */

/* A Medium's payload where the provider put it, or, if that is not aligned, a copy. */
static void *payload_of(const struct fsh_ofi_head *h, void **copy)
{
    void *at = (unsigned char *)(uintptr_t)h + fsh_ofi_payload_at(h->nargs);

    *copy = NULL;
    if ((uintptr_t)at % FSH_OFI_ALIGN == 0 || h->nbytes == 0)
        return at;
    *copy = aligned_alloc(FSH_OFI_ALIGN, fsh_ofi_aligned(h->nbytes));
    if (*copy == NULL)
        fsh_fatal("conduit ofi: no memory for a payload of %u bytes",
                  h->nbytes);
    return memcpy(*copy, at, h->nbytes);
}

uint32_t fsh_ofi_run(const struct fsh_ofi_head *h)
{
    void *copy = NULL;
    struct token token = {.base = {.source = h->source,
                                   .handler = h->handler,
                                   .category = h->category,
                                   .nargs = h->nargs,
                                   .is_request = is_request(h->kind),
                                   .lane = is_request(h->kind) ? 0 : 1,
                                   .args = (const int32_t *)(h + 1),
                                   .nbytes = h->nbytes}};

    if (is_request(h->kind))
        token.credit = (uint32_t)fsh_ofi_bytes(h->nargs, fsh_ofi_carried(h));
    if (h->category == FSH_AM_MEDIUM)
        token.base.buf = payload_of(h, &copy);
    if (h->category == FSH_AM_LONG) {
        token.base.buf = (void *)(uintptr_t)h->dst;
        if (fsh_ofi_carried(h) != 0)
            memcpy(token.base.buf,
                   (const unsigned char *)h + fsh_ofi_payload_at(h->nargs),
                   h->nbytes);
    }
    fsh_am_deliver(&token.base);
    free(copy);
    return token.credit;
}
