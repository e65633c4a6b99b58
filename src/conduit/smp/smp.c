/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit smp: the ranks of one host on one shared memory object. Messages go
 * through rings; put and get are copies, complete on return. Each rank maps the
 * attached segments at its own address, so remote addresses are translated from
 * the owner's view. Called by src/gasnet, any thread.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/trace.h"
#include "base/wait.h"
#include "base/words.h"
#include "boot/boot.h"
#include "coll/direct/direct.h"
#include "conduit/conduit.h"
#include "conduit/smp/meet.h"
#include "conduit/smp/object.h"
#include "conduit/smp/send.h"
#include "conduit/smp/service.h"

#define NEAR_BYTES 32u /* largest inline payload of a Long */
#define MAX_LONG ((size_t)1 << 30)

static struct {
    struct fsh_smp_layout layout;
    struct fsh_smp_port *port;
    struct fsh_smp_meeting meeting;
    struct fsh_smp_object object;
    const struct fsh_smp_ctl *own; /* of this rank, in the object */
    uint32_t rank;
    uint32_t ranks;
    struct fsh_segment segs[FSH_SMP_MAX_RANKS];
} smp;

static bool usable(char *why, size_t whylen)
{
    int fd = memfd_create("fshmem-probe", MFD_CLOEXEC);

    if (fd < 0) {
        snprintf(why, whylen,
                 "memfd_create failed (%s): conduit smp needs anonymous "
                 "shared memory; Linux 3.17 or later provides it",
                 strerror(errno));
        return false;
    }
    close(fd);
    return true;
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    const struct fsh_job_page *page = fsh_boot_page();
    bool crowded = fsh_boot_size() > fsh_boot_cpus();

    smp.rank = fsh_boot_rank();
    smp.ranks = fsh_boot_size();
    smp.layout = fsh_smp_layout(smp.ranks, page->segment_max);
    fsh_smp_object_map(&smp.object, &smp.layout, page->shared_page);
    smp.own = (const struct fsh_smp_ctl *)(void *)smp.object.base + smp.rank;
    smp.port = fsh_smp_port_new(smp.object.base, &smp.layout, smp.rank,
                                threads == FSH_THREADS_PAR);
    if (smp.port == NULL)
        fsh_fatal("conduit smp: no memory for the rings to %" PRIu32 " ranks",
                  smp.ranks);
    fsh_smp_port_take_shorts(smp.port, fsh_am_deliver_shorts);
    fsh_smp_meeting_init(&smp.meeting, smp.port, smp.object.base, &smp.layout,
                         smp.rank, crowded);
    *limits = (struct fsh_limits){
        .am_max_medium = FSH_SMP_MAX_MEDIUM,
        .am_max_long_request = MAX_LONG,
        .am_max_long_reply = MAX_LONG,
        .max_segment_local = smp.layout.segment_max,
        .max_segment_global = smp.layout.segment_max,
    };
}

static unsigned char *segment_of(uint32_t node)
{
    return fsh_smp_segment(smp.object.base, &smp.layout, node);
}

static void attach(size_t size, struct fsh_segment *segs)
{
    struct fsh_segment mine = {segment_of(smp.rank), size};
    size_t area = fsh_area_bytes(smp.ranks);

    if (size > smp.layout.segment_max)
        fsh_fatal("conduit smp: segment of %zu bytes is larger than the %zu "
                  "bytes the job was made for; set FSHMEM_SEGMENT_MAX",
                  size, smp.layout.segment_max);
    fsh_smp_object_segment(&smp.object, smp.rank, size + area, true);
    fsh_boot_exchange(&mine, sizeof mine, segs);
    memcpy(smp.segs, segs, smp.ranks * sizeof *segs);
    /* Map only the actual sizes: mappings slow down tools that inspect all memory. */
    for (uint32_t r = 0; r < smp.ranks; r++)
        if (r != smp.rank)
            fsh_smp_object_segment(&smp.object, r, segs[r].size + area, false);
    fsh_smp_service_start(smp.port, smp.object.base, &smp.layout, smp.rank,
                          smp.segs);
}

/* Translates an address in the owner's view to this process. */
static void *translate(uint32_t node, const void *addr)
{
    uintptr_t offset = (uintptr_t)addr - (uintptr_t)smp.segs[node].addr;

    assert(node < smp.ranks && offset <= smp.layout.segment_stride);
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

static void am_request(const struct fsh_am *am)
{
    send(FSH_SMP_REQUEST, am->node, am);
}

static void am_reply(struct fsh_token *token, const struct fsh_am *am)
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

static bool am_try_request(const struct fsh_am *am)
{
    return try_send(FSH_SMP_REQUEST, am->node, am);
}

static bool am_try_reply(struct fsh_token *token, const struct fsh_am *am)
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

static inline __attribute__((always_inline)) int send_short(unsigned channel,
                                                            uint32_t dest,
                                                            uint32_t what,
                                                            const int32_t *args)
{
    struct fsh_smp_port *port = smp.port;
    struct fsh_smp_tx *tx = &port->tx[channel][dest];

    if (!__builtin_expect(fsh_smp_put_lean(port, tx, what, args, NULL, false),
                          1))
        return short_slowly(channel, dest, what, args);
    return fsh_smp_told(port, tx, channel);
}

static int short_request(uint32_t node, uint32_t what, const int32_t *args)
{
    return send_short(FSH_SMP_REQUEST, node, what, args);
}

static int short_reply(struct fsh_token *token, uint32_t what,
                       const int32_t *args)
{
    return send_short(FSH_SMP_REPLY, token->source, what, args);
}

static void share(void)
{
    if (smp.port != NULL)
        fsh_smp_port_share(smp.port);
}

/* --- put and get ---------------------------------------------------------- */

/* Both events of a put are complete on return. */
static void put(uint32_t node, void *dst, const void *src, size_t n,
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

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done)
{
    (void)done;
    fsh_copy_words(dst, translate(node, src), n);
}

static bool map(uint32_t node, void **here, const uint32_t **watching)
{
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
    if (index >= FSH_SMP_BOARDS)
        return NULL;
    return smp.object.base + smp.layout.boards +
           ((size_t)node * FSH_SMP_BOARDS + index) * FSH_BOARD_BYTES;
}

/* --- barrier -------------------------------------------------------------- */

static void barrier_arrive(uint32_t phase, uint64_t opinion, fsh_merge_fn merge)
{
    fsh_smp_meeting_arrive(&smp.meeting, phase, opinion, merge);
}

FSH_HOT static bool barrier_arrived(uint64_t *opinion, uint32_t *missing)
{
    return fsh_smp_meeting_arrived(&smp.meeting, opinion, missing);
}

/* --- progress ------------------------------------------------------------- */

FSH_HOT static bool poll_all(void)
{
    bool any = fsh_smp_port_poll(smp.port, deliver, NULL);

    if (__builtin_expect(
            atomic_load_explicit(&smp.own->told, memory_order_relaxed) != 0, 0))
        any |= fsh_smp_service_poll();
    return any;
}

static void wait_any(uint64_t max_ns, bool memory)
{
    fsh_smp_port_sleep(smp.port, max_ns, memory);
}

static void describe(void (*line)(void *arg, const char *text), void *arg)
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

/* The mapping stays: other threads of this process may be using it. */
static void fini(void)
{
    fsh_smp_service_stop();
}

static const struct fsh_job_needs needs = {
    .conduit = "smp",
    .max_ranks = FSH_JOB_MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
    .shared_bytes = fsh_smp_bytes,
};

static const struct fsh_direct_ops direct = {
    .map = map, .poke = poke, .board = board};

static const struct fsh_barrier_ops barrier = {
    .arrive = barrier_arrive,
    .arrived = barrier_arrived,
};

static const struct fsh_compute_ops compute = {
    .software = true,
    .present = fsh_smp_service_present,
    .send = fsh_smp_service_send,
    .counters = fsh_smp_service_counters,
    .counters_clear = fsh_smp_service_counters_clear,
};

static const struct fsh_short_ops shorts = {
    .request = short_request,
    .reply = short_reply,
};

const struct fsh_conduit_ops fsh_conduit_smp = {
    .name = "smp",
    .needs = &needs,
    .direct = &direct,
    .barrier = &barrier,
    .compute = &compute,
    .shorts = &shorts,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = share,
    .fini = fini,
    .am_request = am_request,
    .am_reply = am_reply,
    .am_try_request = am_try_request,
    .am_try_reply = am_try_reply,
    .put = put,
    .get = get,
    .poll = poll_all,
    .wait = wait_any,
    .describe = describe,
};
