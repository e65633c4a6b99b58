/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libfabric, loaded when the conduit is chosen: programs on other conduits need
 * neither the library nor a flag to link it. Only functions that are no calls through an
 * object's table are here. Main thread.
 */
#ifndef FSH_NETWORK_LIBRARY_H
#define FSH_NETWORK_LIBRARY_H

#include <rdma/fabric.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_network_library {
    /* fi_getinfo: what there is, of what the hints ask for; 0 or -FI_E. */
    int (*getinfo)(uint32_t version, const char *node, const char *service,
                   uint64_t flags, const struct fi_info *hints,
                   struct fi_info **info);
    /* fi_freeinfo: of getinfo and dupinfo; NULL is nothing. */
    void (*freeinfo)(struct fi_info *info);
    /* fi_dupinfo: a copy, the caller's; of NULL an empty one. NULL: no memory. */
    struct fi_info *(*dupinfo)(const struct fi_info *info);
    /* fi_fabric: open one; 0 or -FI_E. */
    int (*fabric)(struct fi_fabric_attr *attr, struct fid_fabric **fabric,
                  void *context);
    /* fi_strerror: of a positive FI_E; static. */
    const char *(*strerror)(int code);
    /* fi_version: of the library that is loaded. */
    uint32_t (*version)(void);
};

/* The library; NULL with the reason and the remedy in `why`. Loaded once, stays. */
const struct fsh_network_library *fsh_network_library(char *why, size_t whylen);

#endif
