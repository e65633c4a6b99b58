/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit ofi where FSHMEM was built without libfabric's headers: it says so. Nothing
 * but init is ever called of what it refuses, and that does not return.
 */
#include <stdio.h>

#include "base/log.h"
#include "conduit/conduit.h"
#include "conduit/ofi/provider.h"

#define WHY                                                               \
    "FSHMEM was built without libfabric's headers; install them (Debian " \
    "package libfabric-dev) and build it again"

static bool usable(char *why, size_t whylen)
{
    snprintf(why, whylen, WHY);
    return false;
}

bool fsh_ofi_providers(void (*cb)(void *arg, const char *name, bool can,
                                  const char *why),
                       void *arg, char *why, size_t whylen)
{
    (void)cb;
    (void)arg;
    return usable(why, whylen);
}

static _Noreturn void refuse(void)
{
    fsh_fatal("conduit ofi: " WHY);
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    (void)threads;
    (void)limits;
    refuse();
}

static void attach(size_t size, struct fsh_segment *segs)
{
    (void)size;
    (void)segs;
    refuse();
}

static void nothing(void) {}

static void am_request(const struct fsh_am *am)
{
    (void)am;
    refuse();
}

static void am_reply(struct fsh_token *token, const struct fsh_am *am)
{
    (void)token;
    am_request(am);
}

static bool am_try_request(const struct fsh_am *am)
{
    (void)am;
    refuse();
}

static bool am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    (void)token;
    return am_try_request(am);
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote)
{
    (void)node, (void)dst, (void)src, (void)n, (void)local, (void)remote;
    refuse();
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done)
{
    (void)node, (void)dst, (void)src, (void)n, (void)done;
    refuse();
}

static bool poll_nothing(void)
{
    return false;
}

static void wait_nothing(uint64_t max_ns, bool memory)
{
    (void)max_ns, (void)memory;
}

static void describe(void (*line)(void *arg, const char *text), void *arg)
{
    line(arg, "ofi: " WHY);
}

static const struct fsh_job_needs needs = {
    .conduit = "ofi",
    .max_ranks = FSH_JOB_MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
};

const struct fsh_conduit_ops fsh_conduit_ofi = {
    .name = "ofi",
    .needs = &needs,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = nothing,
    .fini = nothing,
    .am_request = am_request,
    .am_reply = am_reply,
    .am_try_request = am_try_request,
    .am_try_reply = am_try_reply,
    .put = put,
    .get = get,
    .poll = poll_nothing,
    .wait = wait_nothing,
    .describe = describe,
};
