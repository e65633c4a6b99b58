/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit ofi: ranks that talk through libfabric, by messages and remote memory
 * access, whatever network carries them, on one host or several; nothing here shares
 * memory but the page of each host. No optional block of
 * conduit.h. Progress is made in calls of the library (state.h has the rules).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "boot/boot.h"
#include "network/provider.h"
#include "conduit/ofi/state.h"

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
    info = fsh_network_provider(library, why, whylen);
    if (info != NULL)
        library->freeinfo(info);
    return info != NULL;
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    (void)threads; /* the lock serves all modes */
    fsh_ofi_open();
    *limits = (struct fsh_limits){
        FSH_OFI_MAX_PAYLOAD, FSH_OFI_MAX_PAYLOAD, FSH_OFI_MAX_PAYLOAD,
        fsh_boot_page()->segment_max, fsh_ofi.segment_least};
}

static void attach(size_t size, struct fsh_segment *segs)
{
    void *addr = NULL;

    if (size != 0)
        addr = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (addr == MAP_FAILED)
        fsh_fatal("conduit ofi: a segment of %zu bytes: %s", size,
                  strerror(errno));
    fsh_ofi_open_segment(addr, size, segs);
    fsh_ofi_greet();
}

static void share(void) {}

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
    char text[128];

    if (fsh_ofi.peers == NULL)
        return;
    snprintf(text, sizeof text,
             "ofi: provider %s: %zu operations posted, %zu queued, %" PRIu64
             " messages of strangers dropped",
             fsh_ofi.network.info->fabric_attr->prov_name, fsh_ofi.posted,
             fsh_ofi.queued, fsh_ofi.counters.strangers);
    line(arg, text);
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
    .spreads = true,
};

const struct fsh_conduit_ops fsh_conduit_ofi = {
    .name = "ofi",
    .needs = &needs,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = share,
    .fini = fini,
    .am_request = fsh_ofi_am_request,
    .am_reply = fsh_ofi_am_reply,
    .am_try_request = fsh_ofi_am_try_request,
    .am_try_reply = fsh_ofi_am_try_reply,
    .put = fsh_ofi_put,
    .get = fsh_ofi_get,
    .poll = fsh_ofi_poll,
    .wait = fsh_ofi_wait,
    .describe = describe,
};
