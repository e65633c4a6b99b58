/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf net where FSHMEM was built without libfabric's headers: it says so. There is
 * no more of it, since opening does not return.
 */
#include "net.h"

#include "base/log.h"

void net_raw_open(struct net_card *mine)
{
    (void)mine;
    fsh_fatal("fshperf net: FSHMEM was built without libfabric's headers; "
              "install them (Debian package libfabric-dev) and build it again");
}

void net_raw_reach(const struct net_card *peer)
{
    (void)peer;
}

const char *net_raw_provider(void)
{
    return "none";
}

size_t net_raw_message(void)
{
    return 0;
}

void net_raw_ping(bool first, unsigned count)
{
    (void)first;
    (void)count;
}

void net_raw_flood(bool first, unsigned count)
{
    (void)first;
    (void)count;
}

void net_raw_write(size_t bytes, unsigned count, unsigned window)
{
    (void)bytes;
    (void)count;
    (void)window;
}

void net_raw_read(size_t bytes, unsigned count, unsigned window)
{
    net_raw_write(bytes, count, window);
}

void net_raw_enough(void) {}

void net_raw_serve(void) {}
