/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network where FSHMEM was built without libfabric's headers: it says so.
 */
#include <stdio.h>

#include "network/provider.h"

bool fsh_network_providers(void (*cb)(void *arg, const char *name, bool can,
                                      const char *why),
                           void *arg, char *why, size_t whylen)
{
    (void)cb;
    (void)arg;
    snprintf(why, whylen, FSH_NETWORK_ABSENT);
    return false;
}
