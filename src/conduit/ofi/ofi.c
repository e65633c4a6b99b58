/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit ofi: ranks of several hosts. Those of one share memory (conduit/local.h),
 * unless FSHMEM_OFI_LOCAL=0; the others talk through libfabric, by messages and, where the
 * provider has it, remote memory access, whatever network carries them. What an operation takes is decided by
 * its target here, and nowhere else. Progress is made in calls of the library (state.h
 * has the rules).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "boot/boot.h"
#include "conduit/ofi/state.h"
#include "conduit/spread.h"
#include "network/provider.h"

struct fsh_ofi fsh_ofi = {.lock = PTHREAD_MUTEX_INITIALIZER,
                          .network = {.fd = -1}};

/* ---- coming and going ---- */

static bool usable(char *why, size_t whylen)
{
    const struct fsh_network_library *library =
        fsh_network_library(why, whylen);
    struct fi_info *info;

    if (library == NULL)
        return false;
    info = fsh_network_provider(library, true, why, whylen);
    if (info != NULL)
        library->freeinfo(info);
    return info != NULL;
}

void fsh_spread_open(enum fsh_threads threads, bool (*poll)(void),
                     struct fsh_limits *limits)
{
    bool *here;

    fsh_ofi.poll = poll;
    fsh_ofi_open();
    here = calloc(fsh_ofi.ranks, sizeof *here);
    if (here == NULL)
        fsh_fatal("conduit ofi: no memory for a list of %u ranks",
                  fsh_ofi.ranks);
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++)
        here[r] = fsh_ofi.peers[r].here;
    fsh_local_init(threads, here, &fsh_ofi_elsewhere, limits);
    free(here);
    /* If one rank is away from another, each is from some: all or none hang bells. */
    fsh_ofi.bell = fsh_ofi.away != 0 ? fsh_local_bell() : -1;
    if (limits->am_max_medium > FSH_OFI_MAX_PAYLOAD)
        limits->am_max_medium = FSH_OFI_MAX_PAYLOAD;
    limits->am_max_long_request = limits->am_max_long_reply = FSH_OFI_MAX_LONG;
    if (limits->max_segment_global > fsh_ofi.segment_least)
        limits->max_segment_global = fsh_ofi.segment_least;
}

void fsh_spread_segments(const struct fsh_segment *mine,
                         struct fsh_segment *segs)
{
    fsh_ofi_open_segment(mine->addr, mine->size, segs);
    fsh_local_map(segs, 0);
    fsh_ofi_greet();
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    fsh_spread_open(threads, fsh_ofi_poll, limits);
}

static void attach(size_t size, struct fsh_segment *segs)
{
    const struct fsh_segment mine = {fsh_local_segment(size, 0), size};

    fsh_spread_segments(&mine, segs);
}

/* ---- by target ---- */

static bool is_here(uint32_t node)
{
    return fsh_ofi.peers[node].here;
}

static void am_request(const struct fsh_am *am)
{
    (is_here(am->node) ? fsh_local_request : fsh_ofi_am_request)(am);
}

static void am_reply(struct fsh_token *token, const struct fsh_am *am)
{
    (is_here(token->source) ? fsh_local_reply : fsh_ofi_am_reply)(token, am);
}

static bool am_try_request(const struct fsh_am *am)
{
    return (is_here(am->node) ? fsh_local_try_request
                              : fsh_ofi_am_try_request)(am);
}

static bool am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    return (is_here(token->source) ? fsh_local_try_reply
                                   : fsh_ofi_am_try_reply)(token, am);
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote)
{
    (is_here(node) ? fsh_local_put : fsh_ofi_put)(node, dst, src, n, local,
                                                  remote);
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done)
{
    (is_here(node) ? fsh_local_get : fsh_ofi_get)(dst, node, src, n, done);
}

/* ---- */

/* The endpoint stays: other threads may be in calls. A signal handler that leaves may
 * have interrupted who has the lock. */
static void fini(void)
{
    if (fsh_ofi.peers == NULL || pthread_mutex_trylock(&fsh_ofi.lock) != 0)
        return;
    fsh_ofi_drain();
    pthread_mutex_unlock(&fsh_ofi.lock);
}

/* ---- facts; without the lock, which a thread that is stuck may have ---- */

static void describe(void (*line)(void *arg, const char *text), void *arg)
{
    char text[160];

    if (fsh_ofi.peers == NULL)
        return;
    fsh_local_describe(line, arg);
    snprintf(text, sizeof text,
             "ofi: provider %s: %" PRIu64
             " messages sent, %zu operations posted, %zu queued, %" PRIu64
             " messages of strangers dropped",
             fsh_ofi.network.info->fabric_attr->prov_name,
             fsh_ofi.counters.sent, fsh_ofi.posted, fsh_ofi.queued,
             fsh_ofi.counters.strangers);
    line(arg, text);
    if (!fsh_ofi.network.rma)
        line(arg, "ofi: put and get are messages: the provider has no remote "
                  "memory access");
    if (fsh_ofi.failed_ns != 0)
        line(arg, fsh_ofi.failure);
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        uint32_t used = FSH_OFI_WINDOW - fsh_ofi.peers[r].window;

        if (used == 0 && fsh_ofi.peers[r].queue.first == NULL)
            continue;
        snprintf(text, sizeof text,
                 "ofi: rank %" PRIu32 ": %" PRIu32
                 " of %u bytes of requests not given back%s",
                 r, used, FSH_OFI_WINDOW,
                 fsh_ofi.peers[r].queue.first != NULL ? ", some queued" : "");
        line(arg, text);
    }
}

static const struct fsh_job_needs needs = {
    .conduit = "ofi",
    .max_ranks = FSH_OFI_MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
    .shared_bytes = fsh_local_bytes,
    .spreads = true,
};

const struct fsh_conduit_ops fsh_conduit_ofi = {
    .name = "ofi",
    .needs = &needs,
    .direct = &fsh_local_direct,
    .barrier = &fsh_ofi_barrier,
    .shorts = &fsh_local_shorts,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = fsh_local_share,
    .fini = fini,
    .am_request = am_request,
    .am_reply = am_reply,
    .am_try_request = am_try_request,
    .am_try_reply = am_try_reply,
    .put = put,
    .get = get,
    .poll = fsh_ofi_poll,
    .spin = fsh_ofi_spin,
    .wait = fsh_ofi_wait,
    .describe = describe,
};
