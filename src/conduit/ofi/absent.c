/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit ofi where FSHMEM was built without libfabric's headers: it says so. There is
 * no more of it, since init does not return.
 */
#include <stdio.h>

#include "base/log.h"
#include "conduit/conduit.h"
#include "conduit/spread.h"
#include "network/provider.h"

static bool usable(char *why, size_t whylen)
{
    snprintf(why, whylen, FSH_NETWORK_ABSENT);
    return false;
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    (void)threads;
    (void)limits;
    fsh_fatal("conduit ofi: " FSH_NETWORK_ABSENT);
}

void fsh_spread_open(enum fsh_threads threads, bool (*poll)(void),
                     struct fsh_limits *limits)
{
    (void)poll;
    init(threads, limits);
}

void fsh_spread_segments(const struct fsh_segment *mine,
                         struct fsh_segment *segs)
{
    (void)mine;
    (void)segs;
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
