/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf net: conduit ofi compared with libfabric itself on the same provider,
 * interleaved, between the same two processes. net.c joins the job, measures the library
 * and reports; net_raw.c measures libfabric with its own endpoint. Main thread only.
 */
#ifndef FSHPERF_NET_H
#define FSHPERF_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NET_MAX_BYTES ((size_t)1 << 20)
#define NET_ADDRESS 192u
/* Transfers in flight in the bandwidth tests. */
#define NET_WINDOW 16u

/* What the peer needs to reach an endpoint. */
struct net_card {
    unsigned char address[NET_ADDRESS];
    uint64_t address_bytes;
    uint64_t key, base; /* of memory for remote access */
};

/* Open an endpoint; then, with the peer's, reach it. Fatal if that fails. */
void net_raw_open(struct net_card *mine);
void net_raw_reach(const struct net_card *peer);
const char *net_raw_provider(void);
/* Bytes of the shortest active message of conduit ofi, which raw messages are as long
 * as. */
size_t net_raw_message(void);

/* Round trips of such a message. Both ranks. */
void net_raw_ping(bool first, unsigned count);
/* So many of them one way, then one back. Both ranks. */
void net_raw_flood(bool first, unsigned count);
/* Transfers to or from the peer's memory, so many on their way; all are done. The other
 * rank serves, until it is told that it is enough. */
void net_raw_write(size_t bytes, unsigned count, unsigned window);
void net_raw_read(size_t bytes, unsigned count, unsigned window);
void net_raw_enough(void);
void net_raw_serve(void);

#endif
