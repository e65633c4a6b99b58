/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf bridge where FSHMEM was built without libfabric's headers: it says so.
 */
#include "base/log.h"
#include "network/provider.h"
#include "perf.h"

static int run(void)
{
    fsh_fatal("fshperf bridge: " FSH_NETWORK_ABSENT);
}

const struct perf_command perf_bridge = {
    .name = "bridge",
    .help = "the bridge; not in this build",
    .run = run,
    .alone = true,
};

const struct perf_command perf_bridge_node = {
    .name = "bridge-node",
    .run = run,
    .alone = true,
};
