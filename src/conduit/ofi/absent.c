/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit ofi where FSHMEM was built without libfabric's headers: it says so. There is
 * no more of it, since init does not return.
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

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    (void)threads;
    (void)limits;
    fsh_fatal("conduit ofi: " WHY);
}

static const struct fsh_job_needs needs = {
    .conduit = "ofi",
    .max_ranks = FSH_JOB_MAX_RANKS,
    .segment_option = "FSHMEM_SEGMENT_MAX",
    .spreads = true,
};

const struct fsh_conduit_ops fsh_conduit_ofi = {
    .name = "ofi",
    .needs = &needs,
    .usable = usable,
    .init = init,
};
