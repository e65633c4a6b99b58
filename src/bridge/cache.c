/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registrations of a client's memory; see cache.h.
 */
#include "bridge/cache.h"

#define PAGE ((uintptr_t)4096)

static void close_entry(struct fsh_bridge_cache_entry *e)
{
    if (e->bytes != 0)
        fi_close(&e->memory.mr->fid);
    *e = (struct fsh_bridge_cache_entry){.bytes = 0};
}

static struct fsh_bridge_cache_entry *find(struct fsh_bridge_cache *cache,
                                           uintptr_t at, size_t bytes)
{
    for (unsigned i = 0; i < FSH_BRIDGE_CACHED; i++) {
        struct fsh_bridge_cache_entry *e = &cache->entry[i];

        if (at >= e->at && at - e->at < e->bytes &&
            bytes <= e->bytes - (at - e->at))
            return e;
    }
    return NULL;
}

static struct fsh_bridge_cache_entry *oldest(struct fsh_bridge_cache *cache,
                                             uint64_t keep)
{
    struct fsh_bridge_cache_entry *old = NULL;

    for (unsigned i = 0; i < FSH_BRIDGE_CACHED; i++) {
        struct fsh_bridge_cache_entry *e = &cache->entry[i];

        if (e->bytes == 0)
            return e;
        if (e->used != keep && (old == NULL || e->used < old->used))
            old = e;
    }
    return old;
}

int fsh_bridge_cache_find(struct fsh_bridge_cache *cache,
                          const struct fsh_network *n, const void *addr,
                          size_t bytes, uint64_t keep, uint64_t *remote,
                          uint64_t *key)
{
    uintptr_t at = (uintptr_t)addr, first = at & ~(PAGE - 1);
    struct fsh_bridge_cache_entry *e = find(cache, at, bytes);
    struct fsh_network_memory memory;
    size_t whole;
    int rc;

    cache->lookups++;
    if (e == NULL) {
        whole = (at - first + bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
        rc = fsh_network_register(n, (void *)first, whole,
                                  FI_REMOTE_READ | FI_REMOTE_WRITE, &memory);
        if (rc != 0)
            return rc;
        e = oldest(cache, keep);
        close_entry(e);
        *e = (struct fsh_bridge_cache_entry){
            .at = first, .bytes = whole, .memory = memory};
        cache->misses++;
    }
    e->used = cache->lookups;
    *remote = e->memory.base + (at - e->at);
    *key = e->memory.key;
    return 0;
}

void fsh_bridge_cache_drop(struct fsh_bridge_cache *cache, const void *addr,
                           size_t bytes)
{
    uintptr_t at = (uintptr_t)addr;

    for (unsigned i = 0; i < FSH_BRIDGE_CACHED; i++) {
        struct fsh_bridge_cache_entry *e = &cache->entry[i];

        if (e->bytes != 0 &&
            (at < e->at ? e->at - at < bytes : at - e->at < e->bytes))
            close_entry(e);
    }
}
