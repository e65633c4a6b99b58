/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge in a job where FSHMEM was built without libfabric's headers: there is none.
 */
#include "base/fsh_spec.h"
#include "base/log.h"
#include "gasnet/bridge.h"
#include "network/provider.h"

void fsh_job_bridge_start(const struct fsh_card_ops *card)
{
    if (fsh_job_bridge_wanted(card))
        fsh_fatal("gasnet_attach: the bridge that FSHMEM_BRIDGE=1 asks for: "
                  "" FSH_NETWORK_ABSENT);
}

void fsh_job_bridge_halt(void) {}

bool fsh_job_bridge_info(uint32_t node, struct fsh_job_bridge_info *info)
{
    (void)node;
    (void)info;
    return false;
}

int fsh_job_bridge_core(uint32_t node)
{
    (void)node;
    return -1;
}

uint32_t fsh_job_bridge_second(uint32_t node)
{
    return node;
}

void fsh_job_bridge_forget(uint32_t second, const void *addr, size_t bytes)
{
    (void)second;
    (void)addr;
    (void)bytes;
}

enum fsh_bridge_status fsh_job_bridge_begin(
    uint32_t node, const struct fsh_job_bridge_move *move)
{
    (void)node;
    (void)move;
    return FSH_BRIDGE_NETWORK;
}

enum fsh_bridge_status fsh_job_bridge_test(uint32_t node, uint64_t *moved)
{
    (void)node;
    (void)moved;
    return FSH_BRIDGE_NETWORK;
}

unsigned fsh_job_bridge_compute_status(uint32_t node)
{
    (void)node;
    return FSH_STATUS_UNSUPPORTED;
}

bool fsh_job_bridge_kick(void)
{
    return false;
}

const char *fsh_job_bridge_why(uint32_t node)
{
    (void)node;
    return "";
}

void fsh_job_bridge_nap(uint32_t node, uint64_t ns)
{
    (void)node;
    (void)ns;
}

bool fsh_job_bridge_release(const void *addr, size_t bytes)
{
    (void)addr;
    (void)bytes;
    return true;
}
