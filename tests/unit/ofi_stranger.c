/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An outsider at the port of conduit ofi: an endpoint that belongs to no rank sends
 * malformed messages, messages of another job, and messages that a rank of this job
 * would not send, some of them at random. All of them are dropped and counted, and the job
 * continues: messages with the job's own token are delivered. argv[1]: the seed.
 */
#include <rdma/fi_cm.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "check.h"
#include "conduit/ofi/state.h"
#include "gasnet.h" /* SEQ by CMakeLists.txt */
#include "random.h"

#define HANDLER 200
#define RANDOM 1000u /* messages */
#define LIMIT_NS (20 * UINT64_C(1000000000))

static struct {
    struct fid_domain *domain;
    struct fid_cq *cq;
    struct fid_av *av;
    struct fid_ep *ep;
    fi_addr_t victim;
} stranger;

static int delivered;

static void deliver(gasnet_token_t token, void *buf, size_t nbytes)
{
    (void)token;
    CHECK((uintptr_t)buf % 16 == 0 && nbytes == 1);
    delivered++;
}

static void open_stranger(void)
{
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_CONTEXT};
    struct fi_av_attr av = {.type = FI_AV_TABLE, .count = 1};
    unsigned char address[256];
    size_t bytes = sizeof address;

    CHECK(fi_domain(fsh_ofi.network.fabric, fsh_ofi.network.info,
                    &stranger.domain, NULL) == 0);
    CHECK(fi_cq_open(stranger.domain, &cq, &stranger.cq, NULL) == 0);
    CHECK(fi_av_open(stranger.domain, &av, &stranger.av, NULL) == 0);
    CHECK(fi_endpoint(stranger.domain, fsh_ofi.network.info, &stranger.ep,
                      NULL) == 0);
    CHECK(fi_ep_bind(stranger.ep, &stranger.cq->fid, FI_TRANSMIT | FI_RECV) ==
          0);
    CHECK(fi_ep_bind(stranger.ep, &stranger.av->fid, 0) == 0);
    CHECK(fi_enable(stranger.ep) == 0);
    CHECK(fi_getname(&fsh_ofi.network.ep->fid, address, &bytes) == 0);
    CHECK(fi_av_insert(stranger.av, address, 1, &stranger.victim, 0, NULL) ==
          1);
}

static void progress(uint64_t until)
{
    struct fi_cq_entry entry;

    CHECK(fsh_time_ns() < until, "strangers %llu, delivered %d",
          (unsigned long long)fsh_ofi.counters.strangers, delivered);
    fi_cq_read(stranger.cq, &entry, 1);
    gasnet_AMPoll();
}

static void send(const void *message, size_t bytes)
{
    uint64_t until = fsh_time_ns() + LIMIT_NS;

    while (fi_send(stranger.ep, message, bytes, NULL, stranger.victim, NULL) ==
           -FI_EAGAIN)
        progress(until);
}

/* Is dropped, and counted. */
static void send_bad(const void *message, size_t bytes)
{
    uint64_t before = fsh_ofi.counters.strangers;
    int so_far = delivered;
    uint64_t until = fsh_time_ns() + LIMIT_NS;

    send(message, bytes);
    while (fsh_ofi.counters.strangers == before)
        progress(until);
    CHECK(fsh_ofi.counters.strangers == before + 1);
    CHECK(delivered == so_far);
}

static struct fsh_ofi_head good_head(void)
{
    return (struct fsh_ofi_head){.job = fsh_ofi.expect.job,
                                 .kind = FSH_OFI_REQUEST,
                                 .handler = HANDLER,
                                 .category = FSH_AM_MEDIUM,
                                 .nbytes = 1};
}

/* Bytes as a rank would send them, but for one thing each. */
static void send_spoilt(void)
{
    const struct fsh_ofi_head good = good_head();
    struct {
        struct fsh_ofi_head head;
        unsigned char gap[8], payload[16];
    } message = {.head = good};
    uint64_t until = fsh_time_ns() + LIMIT_NS;

    message.head.job.word[1] ^= 1;
    send_bad(&message, sizeof message);
    message.head = good;
    message.head.source = 1; /* there is only rank 0 */
    send_bad(&message, sizeof message);
    message.head = good;
    message.head.category = FSH_AM_LONG; /* to an address of its choice */
    message.head.dst = (uint64_t)(uintptr_t)&delivered;
    send_bad(&message, sizeof message);
    message.head = (struct fsh_ofi_head){.job = good.job, .kind = FSH_OFI_MEET};
    send_bad(&message, sizeof message.head + sizeof message.gap); /* alone */
    /* Answers to what was never asked. */
    message.head = (struct fsh_ofi_head){.job = good.job,
                                         .kind = FSH_OFI_DONE,
                                         .category = FSH_AM_SHORT,
                                         .nargs = 1};
    send_bad(&message, sizeof message.head + sizeof message.gap);
    message.head.kind = FSH_OFI_DATA;
    message.head.category = FSH_AM_MEDIUM;
    message.head.nbytes = 16;
    send_bad(&message, sizeof message);
    message.head = good;
    send(&message, sizeof message);
    while (delivered == 0)
        progress(until);
}

/* Any bytes behind the job's token, or almost, of any length, so that what comes behind them
 * lies at any address; and a good message now and then. */
static void send_random(uint64_t *seed)
{
    const struct fsh_ofi_head good = good_head();
    struct {
        struct fsh_ofi_head head;
        unsigned char gap[8], payload[200];
    } message;

    for (unsigned i = 0; i < RANDOM; i++) {
        size_t bytes = 1 + random_next(seed) % sizeof message;
        uint64_t until = fsh_time_ns() + LIMIT_NS;
        int so_far = delivered;

        for (size_t at = 0; at < sizeof message; at++)
            ((unsigned char *)&message)[at] = (unsigned char)random_next(seed);
        message.head.job = good.job;
        if (random_next(seed) % 4 == 0)
            message.head.job.word[0] ^= UINT64_C(1) << random_next(seed) % 64;
        if (random_next(seed) % 4 != 0) {
            message.head.source = 0;
            message.head.kind %= FSH_OFI_KINDS + 1;
            message.head.category %= 4;
            message.head.nargs %= 20;
            message.head.nbytes %= 256;
        }
        if (!fsh_ofi_is_ours(&fsh_ofi.expect, &message, bytes))
            send_bad(&message, bytes);
        if (i % 10 != 0)
            continue;
        message.head = good;
        send(&message, sizeof message.head + sizeof message.gap + 16);
        while (delivered == so_far)
            progress(until);
    }
}

int main(int argc, char **argv)
{
    uint64_t seed = 0;
    gasnet_handlerentry_t table[] = {{HANDLER, (void (*)())deliver}};
    static unsigned char garbage[100000];

    seed = random_seed(argc, argv, "ofi_stranger");
    setenv("FSHMEM_CONDUIT", "ofi", 1);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    fsh_ofi.away = 1; /* a rank alone would not read its completion queue */
    CHECK(gasnet_attach(table, 1, GASNET_PAGESIZE, 0) == GASNET_OK);
    open_stranger();
    memset(garbage, 0x5a, sizeof garbage);
    send_bad(garbage, 1);
    send_bad(garbage, 64);
    send_bad(garbage, sizeof garbage);
    send_spoilt();
    CHECK(delivered == 1);
    send_random(&seed);
    gasnet_exit(0);
}
