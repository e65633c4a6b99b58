/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which provider of libfabric carries a job: one with reliable datagram endpoints,
 * messages into shared receive buffers, and remote memory access, without which conduit
 * ofi can do; of those a native one over TCP before a layered one, then in the order
 * that libfabric reports. FSHMEM_OFI_PROVIDER and FSHMEM_OFI_INTERFACE choose. Main thread; for the
 * conduit, and for tools outside a job.
 */
#ifndef FSH_NETWORK_PROVIDER_H
#define FSH_NETWORK_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

#define FSH_NETWORK_ABSENT                                                \
    "FSHMEM was built without libfabric's headers; install them (Debian " \
    "package libfabric-dev) and build it again"

struct fi_info;
struct fsh_network_library;

/* The choice, to be freed with the library's freeinfo; NULL with the reason and the
 * remedy in `why`. any: one without remote memory access, if none has it. */
struct fi_info *fsh_network_provider(const struct fsh_network_library *library,
                                     bool any, char *why, size_t whylen);

/* Each provider that libfabric reports: would the conduit run on it, and a remark,
 * or why not. False with the reason in `why`: there is no libfabric. */
bool fsh_network_providers(void (*cb)(void *arg, const char *name, bool usable,
                                      const char *why),
                           void *arg, char *why, size_t whylen);

#endif
