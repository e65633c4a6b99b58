/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A modelled network in simulated time, behind the same objects as a provider of
 * libfabric (endpoint.h): hosts of one process, each fsh_network_open one, on a switch
 * with a stated delay. What a host sends leaves it one after the other at a stated rate.
 * For benchmarks: exact, and no figure of a network. All calls by threads that have the
 * rank's turn.
 */
#ifndef FSH_NETWORK_MODEL_H
#define FSH_NETWORK_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fsh_network;

struct fsh_network_model { /* a host and its way to the switch */
    uint64_t delay_ns; /* one way, from the last byte out to the last byte in */
    double read_mb_per_s;  /* of what RDMA reads bring, in 10^6 bytes */
    double write_mb_per_s; /* of what RDMA writes and messages bring */
    uint64_t post_ns;     /* of the processor, for each operation given to it */
    uint64_t register_ns; /* of the processor, for each registration, ... */
    double register_page_ns; /* ... and for each 4 KiB of it */
    uint64_t look_ns; /* a sleeping host looks that often for what it cannot
                               know to be on its way */
};

/* From now on fsh_network_open opens a host of this model, which it keeps when another one is
 * used; NULL: providers again. Needs simulated time: false if there is none. Keeps the
 * pointer. */
bool fsh_network_model_use(const struct fsh_network_model *model);

/* ---- for endpoint.c ---- */

/* The model in use, or NULL. */
const struct fsh_network_model *fsh_network_modelled(void);
/* As fsh_network_open; all parts but `info` are closed as a provider's. */
bool fsh_network_model_open(struct fsh_network *n, char *why, size_t whylen);
/* Nanoseconds until the next event of this host that is known by now. */
uint64_t fsh_network_model_due(const struct fsh_network *n);
/* As fsh_network_nap. */
bool fsh_network_model_nap(const struct fsh_network *n, uint64_t ns);

#endif
