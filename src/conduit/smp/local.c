/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of one host on one shared memory object; see conduit/local.h. Messages go
 * through rings; put and get are copies, complete on return. Each rank maps the
 * attached segments at its own address, so remote addresses are translated from
 * the owner's view.
 */
#include "conduit/local.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "base/wait.h"
#include "base/words.h"
#include "boot/boot.h"
#include "coll/direct/direct.h"
#include "conduit/smp/bell.h"
#include "conduit/smp/local.h"
#include "conduit/smp/meet.h"
#include "conduit/smp/object.h"
#include "conduit/smp/send.h"

#define NEAR_BYTES 32u /* largest inline payload of a Long */
#define MAX_LONG ((size_t)1 << 30)

static struct {
    struct fsh_smp_layout layout;
    struct fsh_smp_port *port;
    struct fsh_smp_meeting meeting;
    struct fsh_smp_object object;
    struct fsh_smp_bells bells;
    const struct fsh_local_elsewhere *elsewhere;
    uint32_t rank;
    uint32_t ranks;
    bool all; /* are here */
    /* By rank: where it is in the object, or FSH_SMP_ELSEWHERE. */
    uint32_t index[FSH_SMP_MAX_RANKS];
    struct fsh_segment segs[FSH_SMP_MAX_RANKS];
} smp;

/* The one place that knows which part of the object is whose: the ranks of this host
 * have theirs in the order of their numbers. Returns how many there are. */
static uint32_t place_ranks(const bool *here)
{
    const uint32_t host = fsh_boot_host(smp.rank);
    uint32_t n = 0;

    smp.all = true;
    for (uint32_t r = 0; r < smp.ranks; r++) {
        bool on_host = fsh_boot_host(r) == host;
        bool mine = on_host && (here == NULL || here[r]);

        smp.index[r] = mine ? n : FSH_SMP_ELSEWHERE;
        smp.all &= mine;
        n += on_host;
    }
    return n;
}

static bool is_here(uint32_t rank)
{
    return smp.index[rank] != FSH_SMP_ELSEWHERE;
}

size_t fsh_local_bytes(uint32_t ranks, size_t segment_max)
{
    return fsh_smp_bytes(ranks, segment_max);
}

void fsh_local_init(enum fsh_threads threads, const bool *here,
                    const struct fsh_local_elsewhere *elsewhere,
                    struct fsh_limits *limits)
{
    const struct fsh_job_page *page = fsh_boot_page();
    const struct fsh_smp_ranks among = {
        .rank = fsh_boot_rank(), .ranks = fsh_boot_size(), .index = smp.index};
    uint32_t n;

    smp.rank = among.rank;
    smp.ranks = among.ranks;
    smp.elsewhere = elsewhere;
    n = place_ranks(here);
    smp.layout = fsh_smp_layout(n, page->segment_max);
    fsh_smp_object_map(&smp.object, &smp.layout, page->shared_page);
    smp.port = fsh_smp_port_among(smp.object.base, &smp.layout, &among,
                                  threads == FSH_THREADS_PAR);
    if (smp.port == NULL)
        fsh_fatal("conduit smp: no memory for the rings to %" PRIu32 " ranks",
                  n);
    fsh_smp_port_take_shorts(smp.port, fsh_am_deliver_shorts);
    if (smp.all)
        fsh_smp_meeting_init(&smp.meeting, smp.port, smp.object.base,
                             &smp.layout, smp.rank, n > fsh_boot_cpus());
    *limits = (struct fsh_limits){
        .am_max_medium = FSH_SMP_MAX_MEDIUM,
        .am_max_long_request = MAX_LONG,
        .am_max_long_reply = MAX_LONG,
        .max_segment_local = smp.layout.segment_max,
        .max_segment_global = smp.layout.segment_max,
    };
}

/* ---- the parts of the conduit around it ---- */

struct fsh_smp_port *fsh_smp_local_port(void)
{
    return smp.port;
}

unsigned char *fsh_smp_local_base(void)
{
    return smp.object.base;
}

const struct fsh_smp_layout *fsh_smp_local_layout(void)
{
    return &smp.layout;
}

const struct fsh_segment *fsh_smp_local_segments(void)
{
    return smp.segs;
}

/* ---- segments ---- */

static unsigned char *segment_of(uint32_t node)
{
    return fsh_smp_segment(smp.object.base, &smp.layout, smp.index[node]);
}

void *fsh_local_segment(size_t size, size_t area)
{
    if (size > smp.layout.segment_max)
        fsh_fatal("conduit %s: segment of %zu bytes is larger than the %zu "
                  "bytes the job was made for; set FSHMEM_SEGMENT_MAX",
                  fsh_boot_conduit(), size, smp.layout.segment_max);
    fsh_smp_object_segment(&smp.object, smp.index[smp.rank], size + area, true);
    return segment_of(smp.rank);
}

void fsh_local_map(const struct fsh_segment *segs, size_t area)
{
    memcpy(smp.segs, segs, smp.ranks * sizeof *segs);
    /* Map only the actual sizes: mappings slow down tools that inspect all memory. */
    for (uint32_t r = 0; r < smp.ranks; r++)
        if (r != smp.rank && is_here(r))
            fsh_smp_object_segment(&smp.object, smp.index[r],
                                   segs[r].size + area, false);
}

/* Translates an address in the owner's view to this process. */
static void *translate(uint32_t node, const void *addr)
{
    uintptr_t offset = (uintptr_t)addr - (uintptr_t)smp.segs[node].addr;

    assert(node < smp.ranks && is_here(node) &&
           offset <= smp.layout.segment_stride);
    return segment_of(node) + offset;
}

/* --- active messages ------------------------------------------------------ */

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
        w->ticket = fsh_smp_port_arm(smp.port);
        w->armed = true;
        return false;
    }
    fsh_smp_port_nap(smp.port, w->ticket, ns);
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
               ? fsh_smp_port_poll_replies(smp.port, deliver, NULL)
           : smp.elsewhere != NULL ? smp.elsewhere->poll()
                                   : fsh_smp_port_poll(smp.port, deliver, NULL);
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
        result = fsh_smp_port_send(smp.port, channel, dest, am);
    }
    if (w.armed)
        fsh_smp_port_disarm(smp.port);
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
        fsh_smp_send_lean(smp.port, channel, dest,
                          fsh_short_what(am->handler, am->nargs), am->args, am,
                          true))
        return true;
    if (am->nbytes != 0)
        memcpy(translate(dest, am->dst), am->src, am->nbytes);
    return fsh_smp_send_lean(smp.port, channel, dest,
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
    struct fsh_token token = {.source = smp.rank,
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
        memmove(translate(smp.rank, am->dst), am->src, am->nbytes);
    }
    fsh_am_deliver(&token);
    free(large);
    fsh_smp_wake_siblings(smp.port);
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
    if (__builtin_expect(dest == smp.rank, 0)) {
        run_here(channel, am);
        return;
    }
    if (am->category == FSH_AM_LONG && send_long(channel, dest, am))
        return;
    result = fsh_smp_port_send(smp.port, channel, dest, am);
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
                      ? translate(dest, am->dst)
                      : NULL;

    if (fsh_smp_port_place(smp.port, channel, dest, am, place) != FSH_SMP_SENT)
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
    if (token->source == smp.rank)
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
    if (!is_here(node))
        return smp.elsewhere->request(node, what, args);
    return short_slowly(FSH_SMP_REQUEST, node, what, args);
}

static __attribute__((noinline)) int reply_slowly(struct fsh_token *token,
                                                  uint32_t what,
                                                  const int32_t *args)
{
    if (!is_here(token->source))
        return smp.elsewhere->reply(token, what, args);
    return short_slowly(FSH_SMP_REPLY, token->source, what, args);
}

/* False: not sent, by the slow path then. */
static inline __attribute__((always_inline)) bool send_short(
    unsigned channel, uint32_t dest, uint32_t what, const int32_t *args)
{
    struct fsh_smp_port *port = smp.port;

    return __builtin_expect(fsh_smp_put_lean(port, &port->tx[channel][dest],
                                             what, args, NULL, false),
                            1);
}

static int short_request(uint32_t node, uint32_t what, const int32_t *args)
{
    if (!send_short(FSH_SMP_REQUEST, node, what, args))
        return request_slowly(node, what, args);
    return fsh_smp_told(smp.port, &smp.port->tx[FSH_SMP_REQUEST][node],
                        FSH_SMP_REQUEST);
}

static int short_reply(struct fsh_token *token, uint32_t what,
                       const int32_t *args)
{
    if (!send_short(FSH_SMP_REPLY, token->source, what, args))
        return reply_slowly(token, what, args);
    return fsh_smp_told(smp.port, &smp.port->tx[FSH_SMP_REPLY][token->source],
                        FSH_SMP_REPLY);
}

const struct fsh_short_ops fsh_local_shorts = {
    .request = short_request,
    .reply = short_reply,
};

void fsh_local_share(void)
{
    if (smp.port != NULL)
        fsh_smp_port_share(smp.port);
}

/* --- put and get ---------------------------------------------------------- */

/* Both events of a put are complete on return. */
void fsh_local_put(uint32_t node, void *dst, const void *src, size_t n,
                   struct fsh_event *local, struct fsh_event *remote)
{
    (void)local;
    (void)remote;
    fsh_copy_words(translate(node, dst), src, n);
    /* Orders the data before anything this thread signals next; partner: the
     * acquire of whoever reads that signal. */
    atomic_signal_fence(memory_order_release);
    fsh_smp_port_poke(smp.port, node);
}

void fsh_local_get(void *dst, uint32_t node, const void *src, size_t n,
                   struct fsh_event *done)
{
    (void)done;
    fsh_copy_words(dst, translate(node, src), n);
}

static bool map(uint32_t node, void **here, const uint32_t **watching)
{
    if (!is_here(node))
        return false;
    *here = segment_of(node);
    *watching = fsh_smp_port_watched(smp.port, node);
    return *watching != NULL;
}

static void poke(uint32_t node)
{
    fsh_smp_port_poke(smp.port, node);
}

static unsigned char *board(uint32_t node, uint32_t index)
{
    if (!is_here(node) || index >= FSH_SMP_BOARDS)
        return NULL;
    return smp.object.base + smp.layout.boards +
           ((size_t)smp.index[node] * FSH_SMP_BOARDS + index) * FSH_BOARD_BYTES;
}

const struct fsh_direct_ops fsh_local_direct = {
    .map = map, .poke = poke, .board = board};

/* --- barrier -------------------------------------------------------------- */

static bool barrier_present(void)
{
    return smp.all;
}

static void barrier_arrive(uint32_t phase, uint64_t opinion, fsh_merge_fn merge)
{
    fsh_smp_meeting_arrive(&smp.meeting, phase, opinion, merge);
}

FSH_HOT static bool barrier_arrived(uint64_t *opinion, uint32_t *missing)
{
    return fsh_smp_meeting_arrived(&smp.meeting, opinion, missing);
}

const struct fsh_barrier_ops fsh_local_barrier = {
    .present = barrier_present,
    .arrive = barrier_arrive,
    .arrived = barrier_arrived,
};

/* --- progress ------------------------------------------------------------- */

FSH_HOT bool fsh_local_poll(void)
{
    return fsh_smp_port_poll(smp.port, deliver, NULL);
}

int fsh_local_bell(void)
{
    fsh_smp_bells_hang(&smp.bells, smp.rank, smp.ranks, smp.index);
    fsh_smp_port_bells(smp.port, smp.bells.to, smp.elsewhere->sleep);
    return smp.bells.mine;
}

void fsh_local_hush(void)
{
    fsh_smp_bells_hush(&smp.bells);
}

void fsh_local_wait(uint64_t max_ns, bool memory)
{
    if (smp.bells.deaf && max_ns > FSH_SMP_DEAF_NS)
        max_ns = FSH_SMP_DEAF_NS;
    fsh_smp_port_sleep(smp.port, max_ns, memory);
}

void fsh_local_describe(void (*line)(void *arg, const char *text), void *arg)
{
    static const char *const name[FSH_SMP_CHANNELS] = {"request", "reply"};
    char text[128];

    if (smp.port == NULL)
        return;
    for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++) {
        for (uint32_t r = 0; r < smp.ranks; r++) {
            unsigned used = fsh_smp_port_slots(smp.port, c, r);
            if (used == 0)
                continue;
            snprintf(text, sizeof text,
                     "smp: %s ring to rank %" PRIu32
                     ": %u of %u slots not returned",
                     name[c], r, used, FSH_SMP_SLOTS);
            line(arg, text);
        }
        snprintf(text, sizeof text, "smp: %s pool: %u of %u blocks out",
                 name[c], fsh_smp_port_blocks(smp.port, c), FSH_SMP_BLOCKS);
        line(arg, text);
    }
}
