/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of fshmem.h that need a job share.
 */
#ifndef FSH_API_API_H
#define FSH_API_API_H

#include "compute/api/plan.h"
#include "gasnet/internal.h"

/* What a status of the core (FSH_STATUS_) is to the user. */
fshmem_status_t fsh_status_of_compute(unsigned status);

/* May this thread submit now? FSHMEM_OK or FSHMEM_ERR_CALL. */
static inline fshmem_status_t fsh_api_check_call(void)
{
    if (!fsh_gasnet.attached || fsh_thread_self()->in_handler > 0)
        return FSHMEM_ERR_CALL;
    return FSHMEM_OK;
}

/* Has that node a core? FSHMEM_OK, FSHMEM_ERR_NODE or FSHMEM_ERR_ABSENT. */
static inline fshmem_status_t fsh_api_check_compute(gasnet_node_t node)
{
    if (node >= fsh_gasnet.nodes)
        return FSHMEM_ERR_NODE;
    return fsh_gasnet_has_compute(node) ? FSHMEM_OK : FSHMEM_ERR_ABSENT;
}

/* Commands as words for the two queues. */
struct fsh_api_words {
    uint64_t (*words)[FSH_CCMD_WORDS]; /* of the array queue first; or NULL */
    size_t count[2];                   /* array, mover */
};

/* Checks commands for a node and makes their words (to be freed) with the node numbers that
 * `number` gives (-1: no core is reached there). FSHMEM_OK, or fshmem_submit_nb's errors. */
fshmem_status_t fsh_api_words(gasnet_node_t node,
                              const fshmem_command_t *commands, size_t count,
                              int (*number)(uint32_t node),
                              struct fsh_api_words *words);

#endif
