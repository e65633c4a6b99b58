/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshmem_status_t: texts, and what becomes of the status of the core. The one
 * place where either is mapped.
 */
#include "compute/api/api.h"

const char *fshmem_status_string(fshmem_status_t status)
{
    switch (status) {
    case FSHMEM_OK:
        return "no error";
    case FSHMEM_ERR_CALL:
        return "called before gasnet_attach or inside a message handler";
    case FSHMEM_ERR_ARGUMENT:
        return "an argument is null, an unknown flag or format, an event past "
               "63, or a command that was not built";
    case FSHMEM_ERR_SHAPE:
        return "a size is 0 or past what a compute core can do";
    case FSHMEM_ERR_ALIGNMENT:
        return "an offset is no multiple of 64, or a leading dimension none of "
               "16";
    case FSHMEM_ERR_RANGE:
        return "an operand leaves the segment of its node";
    case FSHMEM_ERR_NODE:
        return "there is no such node";
    case FSHMEM_ERR_BUSY:
        return "the command queue is full";
    case FSHMEM_ERR_NO_MEMORY:
        return "this host has no memory left";
    case FSHMEM_ERR_COMMAND:
        return "the compute core took the command for malformed";
    case FSHMEM_ERR_ENCODED:
        return "an encoded operand cannot serve transposed, since its blocks lie "
               "along its rows: encode it once more, from FP32, by columns";
    case FSHMEM_ERR_ABSENT:
        return "the node has no compute core (FSHMEM_COMPUTE; on conduit mixed "
               "FSHMEM_CARDS), or no bridge to its card (FSHMEM_BRIDGE)";
    case FSHMEM_ERR_RECEIVER:
        return "what was sent left the receiver's segment";
    case FSHMEM_ERR_LOST:
        return "the host of the card, or the network between, gives no answer";
    case FSHMEM_ERR_DEVICE:
        return "the compute core reported a memory error";
    }
    return "unknown status";
}

fshmem_status_t fsh_status_of_compute(unsigned status)
{
    switch (status) {
    case FSH_STATUS_OK:
        return FSHMEM_OK;
    case FSH_STATUS_BAD_NODE:
        return FSHMEM_ERR_NODE;
    case FSH_STATUS_LOCAL_RANGE:
        return FSHMEM_ERR_RANGE;
    case FSH_STATUS_REMOTE_RANGE:
        return FSHMEM_ERR_RECEIVER;
    case FSH_STATUS_UNSUPPORTED:
        return FSHMEM_ERR_ABSENT;
    case FSH_STATUS_BUSY:
        return FSHMEM_ERR_BUSY;
    case FSH_STATUS_BAD_COMMAND:
    case FSH_STATUS_BAD_LENGTH:
        return FSHMEM_ERR_COMMAND;
    default:
        return FSHMEM_ERR_DEVICE;
    }
}
