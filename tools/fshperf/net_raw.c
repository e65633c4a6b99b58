/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libfabric without the library; see net.h. One endpoint, one queue, receives posted one
 * by one; waits spin, then sleep until the provider has something.
 */
#include "net.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "network/library.h"
#include "network/provider.h"
#include "conduit/ofi/wire.h"

enum { RECEIVES = 64, SPINS = 2000, LIMIT_S = 30 };

static struct {
    const struct fsh_network_library *library;
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid_ep *ep;
    struct fid_mr *mr;
    void *desc;
    fi_addr_t peer;
    uint64_t key, base;
    unsigned char *memory;  /* what the peer reaches */
    unsigned char *local;   /* what is transferred */
    unsigned char *message; /* sent, then RECEIVES that come */
    struct fi_context2 receive[RECEIVES], transfer[NET_WINDOW], send;
    bool sleeps;                     /* the queue can be waited for */
    uint64_t received, done, posted; /* completions; transfers begun */
} raw;

static void check(ssize_t code, const char *what)
{
    if (code != 0)
        fsh_fatal("fshperf net: %s: %s", what,
                  raw.library->strerror((int)(code < 0 ? -code : code)));
}

size_t net_raw_message(void)
{
    return fsh_ofi_bytes(0, 0);
}

const char *net_raw_provider(void)
{
    return raw.info->fabric_attr->prov_name;
}

/* ---- progress ---- */

static void post_receive(unsigned i)
{
    size_t room = net_raw_message();

    check(fi_recv(raw.ep, raw.message + (i + 1) * room, room, raw.desc,
                  FI_ADDR_UNSPEC, &raw.receive[i]),
          "a receive");
}

static void complete(const struct fi_cq_msg_entry *entry)
{
    const struct fi_context2 *context = entry->op_context;

    if (context >= raw.receive && context < raw.receive + RECEIVES) {
        raw.received++;
        post_receive((unsigned)(context - raw.receive));
    } else if (context >= raw.transfer && context < raw.transfer + NET_WINDOW)
        raw.done++;
}

/* sleep: up to a millisecond, if nothing is there. */
static bool look(bool sleep)
{
    struct fi_cq_msg_entry entry[16];
    struct fi_cq_err_entry error = {0};
    ssize_t n = sleep && raw.sleeps ? fi_cq_sread(raw.cq, entry, 16, NULL, 1)
                                    : fi_cq_read(raw.cq, entry, 16);

    if (n == -FI_EAVAIL && fi_cq_readerr(raw.cq, &error, 0) > 0)
        check(error.err, "an operation");
    for (ssize_t i = 0; i < n; i++)
        complete(&entry[i]);
    return n > 0;
}

static bool poll_once(void)
{
    return look(false);
}

/* Until that many have come. */
static void await(const uint64_t *counter, uint64_t wanted, const char *what)
{
    unsigned spins = 0;
    time_t end = time(NULL) + LIMIT_S;

    while (*counter < wanted) {
        if (poll_once() || ++spins < SPINS)
            continue;
        if (look(true))
            spins = 0;
        if (time(NULL) > end)
            fsh_fatal("fshperf net: raw libfabric: %s has not come for %d s",
                      what, LIMIT_S);
    }
}

static void send_message(void)
{
    ssize_t rc;
    size_t bytes = net_raw_message();

    if (bytes <= raw.info->tx_attr->inject_size) {
        while ((rc = fi_inject(raw.ep, raw.message, bytes, raw.peer)) ==
               -FI_EAGAIN)
            poll_once();
    } else {
        while ((rc = fi_send(raw.ep, raw.message, bytes, raw.desc, raw.peer,
                             &raw.send)) == -FI_EAGAIN)
            poll_once();
    }
    check(rc, "a message");
}

/* ---- what is measured ---- */

void net_raw_ping(bool first, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (first)
            send_message();
        await(&raw.received, raw.received + 1, "a message");
        if (!first)
            send_message();
    }
}

void net_raw_flood(bool first, unsigned count)
{
    if (first) {
        for (unsigned i = 0; i < count; i++)
            send_message();
        await(&raw.received, raw.received + 1, "the answer");
    } else {
        await(&raw.received, raw.received + count, "the last message");
        send_message();
    }
}

static void transfer(bool write, size_t bytes, unsigned count, unsigned window)
{
    struct iovec here = {raw.local, bytes};
    struct fi_rma_iov there = {raw.base, bytes, raw.key};
    struct fi_msg_rma msg = {.msg_iov = &here,
                             .desc = &raw.desc,
                             .iov_count = 1,
                             .addr = raw.peer,
                             .rma_iov = &there,
                             .rma_iov_count = 1};
    ssize_t rc;

    raw.done = 0;
    for (raw.posted = 0; raw.posted < count; raw.posted++) {
        if (raw.posted >= window)
            await(&raw.done, raw.posted - window + 1, "a transfer");
        msg.context = &raw.transfer[raw.posted % NET_WINDOW];
        while ((rc = write ? fi_writemsg(raw.ep, &msg, FI_DELIVERY_COMPLETE)
                           : fi_readmsg(raw.ep, &msg, 0)) == -FI_EAGAIN)
            poll_once();
        check(rc, "a transfer");
    }
    await(&raw.done, count, "a transfer");
}

void net_raw_write(size_t bytes, unsigned count, unsigned window)
{
    transfer(true, bytes, count, window);
}

void net_raw_read(size_t bytes, unsigned count, unsigned window)
{
    transfer(false, bytes, count, window);
}

void net_raw_enough(void)
{
    send_message();
}

void net_raw_serve(void)
{
    await(&raw.received, raw.received + 1, "the end");
}

/* ---- opening ---- */

static void open_endpoint(void)
{
    struct fi_cq_attr cq = {
        .format = FI_CQ_FORMAT_MSG, .size = 1024, .wait_obj = FI_WAIT_UNSPEC};
    struct fi_av_attr av = {.type = FI_AV_TABLE, .count = 2};
    char why[512];

    raw.library = fsh_network_library(why, sizeof why);
    if (raw.library != NULL)
        raw.info = fsh_network_provider(raw.library, false, why, sizeof why);
    if (raw.info == NULL)
        fsh_fatal("fshperf net: %s", why);
    check(raw.library->fabric(raw.info->fabric_attr, &raw.fabric, NULL),
          "fabric");
    check(fi_domain(raw.fabric, raw.info, &raw.domain, NULL), "domain");
    raw.sleeps = fi_cq_open(raw.domain, &cq, &raw.cq, NULL) == 0;
    cq.wait_obj = FI_WAIT_NONE;
    if (!raw.sleeps)
        check(fi_cq_open(raw.domain, &cq, &raw.cq, NULL), "completion queue");
    check(fi_av_open(raw.domain, &av, &raw.av, NULL), "address vector");
    check(fi_endpoint(raw.domain, raw.info, &raw.ep, NULL), "endpoint");
    check(fi_ep_bind(raw.ep, &raw.cq->fid, FI_TRANSMIT | FI_RECV), "queue");
    check(fi_ep_bind(raw.ep, &raw.av->fid, 0), "addresses");
    check(fi_enable(raw.ep), "enabling the endpoint");
}

/* All of it is registered, whether the provider wants that or not. */
static void make_memory(void)
{
    size_t bytes = 2 * NET_MAX_BYTES + (RECEIVES + 1) * net_raw_message();
    const uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE |
                            FI_REMOTE_READ | FI_REMOTE_WRITE;

    raw.memory = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
    if (raw.memory == NULL)
        fsh_fatal("fshperf net: no memory");
    memset(raw.memory, 1, bytes);
    raw.local = raw.memory + NET_MAX_BYTES;
    raw.message = raw.local + NET_MAX_BYTES;
    check(fi_mr_reg(raw.domain, raw.memory, bytes, access, 0, 77, 0, &raw.mr,
                    NULL),
          "registration");
    if (raw.info->domain_attr->mr_mode & FI_MR_ENDPOINT) {
        check(fi_mr_bind(raw.mr, &raw.ep->fid, 0), "memory of the endpoint");
        check(fi_mr_enable(raw.mr), "enabling the memory");
    }
    raw.desc = fi_mr_desc(raw.mr);
}

void net_raw_open(struct net_card *mine)
{
    size_t bytes = sizeof mine->address;

    open_endpoint();
    make_memory();
    for (unsigned i = 0; i < RECEIVES; i++)
        post_receive(i);
    check(fi_getname(&raw.ep->fid, mine->address, &bytes), "its address");
    mine->address_bytes = bytes;
    mine->key = fi_mr_key(raw.mr);
    mine->base = raw.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR
                     ? (uint64_t)(uintptr_t)raw.memory
                     : 0;
}

void net_raw_reach(const struct net_card *peer)
{
    if (fi_av_insert(raw.av, peer->address, 1, &raw.peer, 0, NULL) != 1)
        fsh_fatal("fshperf net: the peer's address is refused");
    raw.key = peer->key;
    raw.base = peer->base;
}
