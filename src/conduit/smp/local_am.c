/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages among the ranks of one host, through rings; see conduit/local.h.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "base/wait.h"
#include "conduit/smp/local.h"
#include "conduit/smp/send.h"

#define NEAR_BYTES 32u /* largest inline payload of a Long */

static void deliver(struct fsh_token *token, void *arg)
{
    (void)arg;
    fsh_am_deliver(token);
}

/* A wait for room. */
struct room_wait {
    struct fsh_wait wait;
    uint32_t ticket;
    bool armed; /* nap in the next round */
};

/* Arms, and naps after one more try. */
static bool nap(struct fsh_wait *wait, uint64_t ns)
{
    struct room_wait *w = (struct room_wait *)(void *)wait;

    if (!w->armed) {
        w->ticket = fsh_smp_port_arm(fsh_smp_local.port);
        w->armed = true;
        return false;
    }
    fsh_smp_port_nap(fsh_smp_local.port, w->ticket, ns);
    w->armed = false;
    return true;
}

#define ROOM_WAIT                                              \
    .to_peer = true, .spins = 200, .yields = 50, .nap_us = 20, \
    .most_us = 20 << 6, .growth = 4, .sleep = nap
static const struct fsh_wait_kind for_room[FSH_SMP_CHANNELS] = {
    [FSH_SMP_REQUEST] = {.who = "active message request", ROOM_WAIT},
    [FSH_SMP_REPLY] = {.who = "active message reply", ROOM_WAIT},
};

static bool poll_for(unsigned channel)
{
    return channel == FSH_SMP_REPLY
               ? fsh_smp_port_poll_replies(fsh_smp_local.port, deliver, NULL)
           : fsh_smp_local.elsewhere != NULL
               ? fsh_smp_local.elsewhere->poll()
               : fsh_smp_port_poll(fsh_smp_local.port, deliver, NULL);
}

/* Slow path: no room. Polls until there is; for a reply, runs replies only. */
static void send_slow(unsigned channel, uint32_t dest, const struct fsh_am *am,
                      enum fsh_smp_result result)
{
    struct room_wait w = {.wait.peer = dest + 1};

    while (result != FSH_SMP_SENT) {
        if (poll_for(channel)) {
            fsh_wait_found(&w.wait);
            fsh_am_delivered();
        } else {
            fsh_wait_pause(&for_room[channel], &w.wait,
                           result == FSH_SMP_NO_SLOT ? "a free ring slot"
                                                     : "a free payload block");
        }
        if (channel == FSH_SMP_REQUEST)
            fsh_am_waits();
        result = fsh_smp_port_send(fsh_smp_local.port, channel, dest, am);
    }
    if (w.armed)
        fsh_smp_port_disarm(fsh_smp_local.port);
    fsh_wait_end(&w.wait);
}

/* Sends a Long of one slot. A payload of up to NEAR_BYTES is eager: it travels
 * in the slot, so that only one cache line moves, and the receiver copies it to
 * its destination. A larger one is first copied to the target's segment. False:
 * not sent; use the slow path. */
static bool send_long(unsigned channel, uint32_t dest, const struct fsh_am *am)
{
    if (am->nbytes - 1 < NEAR_BYTES &&
        fsh_smp_payload(am->nargs) + am->nbytes <= FSH_SMP_SLOT_BYTES &&
        fsh_smp_send_lean(fsh_smp_local.port, channel, dest,
                          fsh_short_what(am->handler, am->nargs), am->args, am,
                          true))
        return true;
    if (am->nbytes != 0)
        memcpy(fsh_smp_translate(dest, am->dst), am->src, am->nbytes);
    return fsh_smp_send_lean(fsh_smp_local.port, channel, dest,
                             fsh_short_what(am->handler, am->nargs), am->args,
                             am, false);
}

/* A message to this rank itself: runs its handler now, on a private copy of the
 * payload. A request's caller may run handlers, and a reply handler may run
 * inside a reply, so the nesting is at most one deep. */
static __attribute__((noinline)) void run_here(unsigned channel,
                                               const struct fsh_am *am)
{
    _Alignas(FSH_SMP_ALIGN) unsigned char small[FSH_SMP_MAX_INLINE];
    unsigned char *large = NULL;
    struct fsh_token token = {.source = fsh_smp_local.rank,
                              .handler = am->handler,
                              .category = am->category,
                              .nargs = am->nargs,
                              .is_request = channel == FSH_SMP_REQUEST,
                              .args = am->args,
                              .buf = am->dst,
                              .nbytes = am->nbytes};

    if (am->category == FSH_AM_MEDIUM) {
        if (am->nbytes > sizeof small) {
            large = malloc(am->nbytes);
            if (large == NULL)
                fsh_fatal("conduit smp: no memory for an active message of %zu "
                          "bytes of this rank to itself",
                          am->nbytes);
        }
        token.buf = large != NULL ? large : small;
        if (am->nbytes != 0)
            memcpy(token.buf, am->src, am->nbytes);
    } else if (am->category == FSH_AM_LONG && am->nbytes != 0) {
        memmove(fsh_smp_translate(fsh_smp_local.rank, am->dst), am->src,
                am->nbytes);
    }
    fsh_am_deliver(&token);
    free(large);
    fsh_smp_wake_siblings(fsh_smp_local.port);
    fsh_am_delivered();
}

static void trace_sent(unsigned channel, uint32_t dest)
{
    fsh_trace_sent(&(struct fsh_trace_message){
        .peer = dest, .request = channel == FSH_SMP_REQUEST});
}

static inline void send(unsigned channel, uint32_t dest,
                        const struct fsh_am *am)
{
    enum fsh_smp_result result;

    if (__builtin_expect(fsh_trace_on, 0))
        trace_sent(channel, dest);
    if (__builtin_expect(dest == fsh_smp_local.rank, 0)) {
        run_here(channel, am);
        return;
    }
    if (am->category == FSH_AM_LONG && send_long(channel, dest, am))
        return;
    result = fsh_smp_port_send(fsh_smp_local.port, channel, dest, am);
    if (__builtin_expect(result != FSH_SMP_SENT, 0))
        send_slow(channel, dest, am, result);
}

void fsh_local_request(const struct fsh_am *am)
{
    send(FSH_SMP_REQUEST, am->node, am);
}

void fsh_local_reply(struct fsh_token *token, const struct fsh_am *am)
{
    token->replied = true;
    send(FSH_SMP_REPLY, token->source, am);
}

static bool try_send(unsigned channel, uint32_t dest, const struct fsh_am *am)
{
    void *place = am->category == FSH_AM_LONG && am->nbytes != 0
                      ? fsh_smp_translate(dest, am->dst)
                      : NULL;

    if (fsh_smp_port_place(fsh_smp_local.port, channel, dest, am, place) !=
        FSH_SMP_SENT)
        return false;
    if (__builtin_expect(fsh_trace_on, 0))
        trace_sent(channel, dest);
    return true;
}

bool fsh_local_try_request(const struct fsh_am *am)
{
    return try_send(FSH_SMP_REQUEST, am->node, am);
}

bool fsh_local_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    token->replied = true;
    if (token->source == fsh_smp_local.rank)
        send(FSH_SMP_REPLY, token->source, am);
    else
        token->replied = try_send(FSH_SMP_REPLY, token->source, am);
    return token->replied;
}

/* Slow path of a Short: sends it like any message, polling for room if
 * necessary. Returns 0. */
static __attribute__((noinline)) int short_slowly(unsigned channel,
                                                  uint32_t dest, uint32_t what,
                                                  const int32_t *args)
{
    const struct fsh_am am = {.handler = fsh_short_handler(what),
                              .category = FSH_AM_SHORT,
                              .nargs = fsh_short_nargs(what),
                              .args = args};

    send(channel, dest, &am);
    return 0;
}

_Static_assert(FSH_SHORT_ARGS == FSH_SMP_FIRST_ARGS, "a Short in a slot");

static __attribute__((noinline)) int request_slowly(uint32_t node,
                                                    uint32_t what,
                                                    const int32_t *args)
{
    if (!fsh_smp_is_here(node))
        return fsh_smp_local.elsewhere->request(node, what, args);
    return short_slowly(FSH_SMP_REQUEST, node, what, args);
}

static __attribute__((noinline)) int reply_slowly(struct fsh_token *token,
                                                  uint32_t what,
                                                  const int32_t *args)
{
    if (!fsh_smp_is_here(token->source))
        return fsh_smp_local.elsewhere->reply(token, what, args);
    return short_slowly(FSH_SMP_REPLY, token->source, what, args);
}

/* False: not sent, by the slow path then. */
static inline __attribute__((always_inline)) bool send_short(
    unsigned channel, uint32_t dest, uint32_t what, const int32_t *args)
{
    struct fsh_smp_port *port = fsh_smp_local.port;

    return __builtin_expect(fsh_smp_put_lean(port, &port->tx[channel][dest],
                                             what, args, NULL, false),
                            1);
}

static int short_request(uint32_t node, uint32_t what, const int32_t *args)
{
    if (!send_short(FSH_SMP_REQUEST, node, what, args))
        return request_slowly(node, what, args);
    return fsh_smp_told(fsh_smp_local.port,
                        &fsh_smp_local.port->tx[FSH_SMP_REQUEST][node],
                        FSH_SMP_REQUEST);
}

static int short_reply(struct fsh_token *token, uint32_t what,
                       const int32_t *args)
{
    if (!send_short(FSH_SMP_REPLY, token->source, what, args))
        return reply_slowly(token, what, args);
    return fsh_smp_told(fsh_smp_local.port,
                        &fsh_smp_local.port->tx[FSH_SMP_REPLY][token->source],
                        FSH_SMP_REPLY);
}

const struct fsh_short_ops fsh_local_shorts = {
    .request = short_request,
    .reply = short_reply,
};

FSH_HOT bool fsh_local_poll(void)
{
    return fsh_smp_port_poll(fsh_smp_local.port, deliver, NULL);
}

void fsh_local_share(void)
{
    if (fsh_smp_local.port != NULL)
        fsh_smp_port_share(fsh_smp_local.port);
}
