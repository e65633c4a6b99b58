/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One endpoint of libfabric, from the choice of a provider to its address: what conduit
 * ofi and the bridge both open. Reliable datagrams, one completion queue for sends and
 * receives (FI_CQ_FORMAT_DATA), one address vector. The domain is told that the owner
 * serialises every call (FI_THREAD_DOMAIN). Nothing here waits but fsh_network_nap.
 */
#ifndef FSH_NETWORK_ENDPOINT_H
#define FSH_NETWORK_ENDPOINT_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/library.h"

#define FSH_NETWORK_ADDRESS 192u /* bytes of an endpoint's name, at most */

struct fsh_network {
    const struct fsh_network_library *library;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct fid_cq *cq;
    struct fid_ep *ep;
    int fd;   /* readable once when there is news; -1: the provider has none */
    bool rma; /* remote memory access */
    bool local_mr; /* local memory must be registered, too */
    size_t piece;  /* bytes of one transfer at most, whole pages */
    bool modelled; /* in simulated time, see model.h */
};

/* An endpoint's name as others insert it into their address vectors. */
struct fsh_network_name {
    uint32_t bytes;
    unsigned char address[FSH_NETWORK_ADDRESS];
};

/* Open one with remote memory access that will know `peers` others. False with the reason and the remedy in `why`:
 * nothing is open. */
bool fsh_network_open(struct fsh_network *n, size_t peers, char *why,
                      size_t whylen);
/* The same, without remote memory access (`rma`) if no provider has it. */
bool fsh_network_open_any(struct fsh_network *n, size_t peers, char *why,
                          size_t whylen);
/* End everything that is in flight and free all of it. What was never opened, or has been
 * closed, is nothing; all registrations must have been closed before. */
void fsh_network_close(struct fsh_network *n);

/* Its name; false with the reason in `why`. */
bool fsh_network_name(const struct fsh_network *n,
                      struct fsh_network_name *name, char *why, size_t whylen);

/* Memory as peers see it. */
struct fsh_network_memory {
    struct fid_mr *mr; /* closed by the owner with fi_close */
    uint64_t key;
    uint64_t base; /* remote address of its first byte */
};
/* Register memory for local use and for remote access (FI_REMOTE_READ, FI_REMOTE_WRITE;
 * 0: none), with a key that nobody guesses where the provider lets us choose it. 0 or
 * -FI_E; *memory is then unchanged. */
int fsh_network_register(const struct fsh_network *n, void *addr, size_t bytes,
                         uint64_t remote, struct fsh_network_memory *memory);

/* Sleep until there is news, or `bell` is readable (-1: none; then *rung is set), for at
 * most ns; whether there was news. The caller has found nothing to do since
 * fsh_network_may_nap. Without a descriptor news ends no sleep: it is short then. */
bool fsh_network_nap(const struct fsh_network *n, int bell, uint64_t ns,
                     bool *rung);
/* Whether a nap cannot miss what has come already. Serialised as other calls. */
bool fsh_network_may_nap(const struct fsh_network *n);
/* Nanoseconds in which surely nothing comes, as far as it is known: UINT64_MAX but for a
 * modelled network. */
uint64_t fsh_network_due(const struct fsh_network *n);

#endif
