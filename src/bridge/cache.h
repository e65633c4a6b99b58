/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registrations of a client's memory, kept from one transfer to the next: on a network
 * that pins pages one costs more than a short transfer. Whole pages; the one used longest
 * ago gives way. The library cannot see memory being unmapped: who unmaps it says so
 * first (fsh_bridge_cache_drop). One thread at a time.
 */
#ifndef FSH_BRIDGE_CACHE_H
#define FSH_BRIDGE_CACHE_H

#include "network/endpoint.h"

#define FSH_BRIDGE_CACHED 16u

struct fsh_bridge_cache_entry {
    uintptr_t at;
    size_t bytes; /* 0: none */
    struct fsh_network_memory memory;
    uint64_t used; /* when, in lookups */
};

/* All 0: empty. */
struct fsh_bridge_cache {
    struct fsh_bridge_cache_entry entry[FSH_BRIDGE_CACHED];
    uint64_t lookups, misses;
};

/* The remote address and key of these bytes, registered now if need be, for reading and
 * writing from outside. 0 or -FI_E. `keep`: a lookup whose entry stays, or 0. */
int fsh_bridge_cache_find(struct fsh_bridge_cache *cache,
                          const struct fsh_network *n, const void *addr,
                          size_t bytes, uint64_t keep, uint64_t *remote,
                          uint64_t *key);
/* Forget what touches these bytes; SIZE_MAX from NULL: all. */
void fsh_bridge_cache_drop(struct fsh_bridge_cache *cache, const void *addr,
                           size_t bytes);

#endif
