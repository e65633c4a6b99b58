/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of this rank's compute core; see fshmem.h.
 */
#include "compute/api/api.h"

static fshmem_status_t check(void)
{
    fshmem_status_t status = fsh_api_check_call();

    return status == FSHMEM_OK ? fsh_api_check_compute(fsh_gasnet.rank)
                               : status;
}

fshmem_status_t fshmem_core_counters(fshmem_core_counters_t *counters)
{
    uint64_t words[FSH_CPERF_COUNT];
    fshmem_status_t status;

    if (counters == NULL)
        return FSHMEM_ERR_ARGUMENT;
    status = check();
    if (status != FSHMEM_OK)
        return status;
    fsh_gasnet.ops->compute->counters(words);
    *counters = (fshmem_core_counters_t){
        .first_start = words[FSH_CPERF_FIRST_START],
        .last_end = words[FSH_CPERF_LAST_END],
        .last_signal = words[FSH_CPERF_LAST_SIGNAL],
        .commands = words[FSH_CPERF_COMMANDS],
        .compute = words[FSH_CPERF_COMPUTE],
        .load = words[FSH_CPERF_LOAD],
        .full = words[FSH_CPERF_FULL],
        .transfer = words[FSH_CPERF_TRANSFER],
        .sent_bytes = words[FSH_CPERF_SENT_BYTES],
    };
    return FSHMEM_OK;
}

fshmem_status_t fshmem_core_counters_clear(void)
{
    fshmem_status_t status = check();

    if (status == FSHMEM_OK)
        fsh_gasnet.ops->compute->counters_clear();
    return status;
}
