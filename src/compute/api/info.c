/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a node has, and where things are; see fshmem.h.
 */
#include <string.h>

#include "compute/api/api.h"

fshmem_status_t fshmem_compute_info(gasnet_node_t node,
                                    fshmem_compute_info_t *info)
{
    if (info == NULL)
        return FSHMEM_ERR_ARGUMENT;
    if (!fsh_gasnet.attached)
        return FSHMEM_ERR_CALL;
    if (node >= fsh_gasnet.nodes)
        return FSHMEM_ERR_NODE;
    memset(info, 0, sizeof *info);
    if (!fsh_gasnet_has_compute(node))
        return FSHMEM_OK;
    info->present = 1;
    info->software = fsh_gasnet.ops->compute->software;
    info->rows = FSH_COMPUTE_ROWS;
    info->columns = FSH_COMPUTE_COLUMNS;
    info->block = FSH_LINE_VALUES;
    info->macs_per_cycle =
        FSH_COMPUTE_ROWS * FSH_COMPUTE_COLUMNS * FSH_LINE_VALUES;
    info->clock_mhz = info->software ? 0 : FSH_CLOCK_MHZ;
    info->accumulators = FSH_ACCUMULATORS;
    info->events = FSH_NUM_EVENTS;
    info->max_dimension = FSH_MAX_DIMENSION;
    return FSHMEM_OK;
}

fshmem_status_t fshmem_offset(gasnet_node_t node, const void *address,
                              fshmem_offset_t *offset)
{
    uintptr_t distance;

    if (offset == NULL)
        return FSHMEM_ERR_ARGUMENT;
    if (!fsh_gasnet.attached)
        return FSHMEM_ERR_CALL;
    if (node >= fsh_gasnet.nodes)
        return FSHMEM_ERR_NODE;
    distance = (uintptr_t)address - (uintptr_t)fsh_gasnet.segs[node].addr;
    if (distance > fsh_gasnet.segs[node].size)
        return FSHMEM_ERR_RANGE;
    *offset = distance;
    return FSHMEM_OK;
}
