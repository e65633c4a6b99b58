/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that no client sends, to a bridge's server: other tokens, kinds, clients, nonces and
 * lengths, stages, offsets, sizes and addresses at random, some of them from one who knows the
 * token and has been welcomed. The server goes on, counts strangers, and what an honest client
 * moves meanwhile arrives, beside nothing else. argv[1]: the seed.
 */
#include <rdma/fi_cm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cpu.h"
#include "bridge/bridge.h"
#include "bridge/memory.h"
#include "bridge/run.h"
#include "bridge/wire.h"
#include "check.h"
#include "random.h"

#define CARD ((size_t)1 << 20)
#define HONEST (CARD / 2) /* what the honest client has of it, from here on */
#define BUFFER ((size_t)16 << 10)
#define ENTRIES 4u
#define MESSAGES 3000u
#define RECEIVES 16u
#define LIMIT_NS (20 * UINT64_C(1000000000))
#define AGAIN_NS UINT64_C(20000000)

static uint64_t seed;
static struct fsh_bridge_name server_name;

/* ---- the forger ---- */

static struct forger {
    struct fsh_network network;
    fi_addr_t server;
    struct fsh_bridge_message in[RECEIVES], out;
    uint64_t nonce;
    uint32_t client;
    bool welcome;
    unsigned sending;
} f;

static void listen_for(struct fsh_bridge_message *m)
{
    CHECK(fi_recv(f.network.ep, m, sizeof *m, NULL, FI_ADDR_UNSPEC, m) == 0);
}

/* What has come, and what has gone. Errors of its own are nothing to it. */
static void progress(void)
{
    struct fi_cq_data_entry entry;
    struct fi_cq_err_entry err = {.op_context = NULL};
    struct fsh_bridge_message *m = NULL;
    ssize_t n = fi_cq_read(f.network.cq, &entry, 1);

    if (n == 1)
        m = entry.op_context;
    else if (n == -FI_EAVAIL && fi_cq_readerr(f.network.cq, &err, 0) == 1)
        m = err.op_context;
    if (m == &f.out)
        f.sending = 0;
    if (m == NULL || m == &f.out)
        return;
    if (n == 1 && m->kind == FSH_BRIDGE_WELCOME && m->nonce == f.nonce) {
        f.client = m->client;
        f.welcome = true;
    }
    listen_for(m);
}

static void send_bytes(size_t bytes)
{
    uint64_t start = fsh_time_ns();
    ssize_t rc;

    while ((rc = fi_send(f.network.ep, &f.out, bytes, NULL, f.server,
                         &f.out)) == -FI_EAGAIN) {
        CHECK(fsh_time_ns() - start < LIMIT_NS, "a message cannot be sent");
        progress();
    }
    CHECK(rc == 0, "fi_send: %d", (int)rc);
    f.sending = 1;
    while (f.sending) {
        CHECK(fsh_time_ns() - start < LIMIT_NS, "a message does not end");
        progress();
    }
}

/* Again and again: where all places are taken another client has to go first. */
static void say_hello(void)
{
    uint64_t start = fsh_time_ns(), said = 0;
    char why[256] = "";

    f.nonce = random_next(&seed) | 1;
    f.welcome = false;
    f.out = (struct fsh_bridge_message){
        .token = {server_name.token[0], server_name.token[1]},
        .kind = FSH_BRIDGE_HELLO,
        .nonce = f.nonce};
    CHECK(fsh_network_name(&f.network, &f.out.name, why, sizeof why), "%s",
          why);
    while (!f.welcome) {
        CHECK(fsh_time_ns() - start < LIMIT_NS, "nobody is welcomed");
        if (fsh_time_ns() - said > AGAIN_NS) {
            send_bytes(sizeof f.out);
            said = fsh_time_ns();
        }
        progress();
    }
}

static uint64_t some_number(void)
{
    switch (random_next(&seed) % 4) {
    case 0:
        return random_next(&seed);
    case 1:
        return random_next(&seed) % (2 * CARD);
    case 2:
        return FSH_BRIDGE_COMMAND_BYTES * (random_next(&seed) % 5);
    default:
        return UINT64_MAX - random_next(&seed) % 4096;
    }
}

/* A request in all but some fields. What it may change of the card is not the other's. */
static void forge(void)
{
    uint64_t dice = random_next(&seed);
    size_t bytes = sizeof f.out;

    f.out = (struct fsh_bridge_message){
        .token = {server_name.token[0], server_name.token[1]},
        .kind = FSH_BRIDGE_REQUEST,
        .client = f.client,
        .nonce = f.nonce,
        .id = random_next(&seed),
        .request = {.stages = (uint32_t)(random_next(&seed) % 40),
                    .naive = (uint32_t)(dice >> 8) % 3,
                    .offset = some_number(),
                    .bytes = some_number(),
                    .array = some_number(),
                    .source = {some_number(), some_number()},
                    .target = {some_number(), some_number()}}};
    if (f.out.request.offset >= HONEST)
        f.out.request.bytes |= CARD; /* reaches beyond */
    else if (f.out.request.bytes > HONEST - f.out.request.offset)
        f.out.request.bytes |= 2 * CARD;
    switch (dice % 8) {
    case 0:
        f.out.token[dice >> 16 & 1] ^= UINT64_C(1) << (dice >> 20 & 63);
        break;
    case 1:
        f.out.kind = (uint32_t)(dice >> 16) % (FSH_BRIDGE_KINDS + 2);
        if (f.out.kind == FSH_BRIDGE_HELLO)
            f.out.name.bytes = (uint32_t)(dice >> 20);
        break;
    case 2:
        f.out.client = (uint32_t)(dice >> 16);
        break;
    case 3:
        f.out.nonce ^= UINT64_C(1) << (dice >> 20 & 63);
        break;
    case 4:
        bytes = (size_t)(dice >> 16) % bytes + 1;
        break;
    case 5:
        for (size_t i = 0; i < sizeof f.out; i++)
            ((unsigned char *)&f.out)[i] = (unsigned char)random_next(&seed);
        break;
    default:
        break;
    }
    send_bytes(bytes);
}

/* ---- the honest client ---- */

static void move(struct fsh_bridge_client *c, unsigned char *memory)
{
    size_t bytes = 1 + random_next(&seed) % (4 * BUFFER);
    size_t offset = HONEST + random_next(&seed) % (HONEST - bytes);
    const struct fsh_bridge_transfer t = {.stages = FSH_BRIDGE_PATH_ROUND,
                                          .offset = offset,
                                          .bytes = bytes,
                                          .source = memory,
                                          .target = memory + HONEST};
    uint64_t start = fsh_time_ns();
    enum fsh_bridge_status status;

    for (size_t i = 0; i < bytes; i++)
        memory[i] = (unsigned char)random_next(&seed);
    memset(memory + HONEST, 0, bytes + 1);
    CHECK(fsh_bridge_begin(c, &t) == FSH_BRIDGE_PENDING, "%s",
          fsh_bridge_why(c));
    while ((status = fsh_bridge_test(c, NULL)) == FSH_BRIDGE_PENDING) {
        CHECK(fsh_time_ns() - start < LIMIT_NS, "a transfer does not end");
        progress(); /* the server may access the other's memory, in vain */
    }
    CHECK(status == FSH_BRIDGE_OK, "%s", fsh_bridge_why(c));
    CHECK(memcmp(memory, memory + HONEST, bytes) == 0 &&
              memory[HONEST + bytes] == 0,
          "%zu bytes at %zu", bytes, offset);
}

int main(int argc, char **argv)
{
    struct fsh_bridge_setup setup = {
        .entries = ENTRIES, .buffer = BUFFER, .timeout = 20};
    const struct fsh_bridge_memory_setup memory = {
        .bytes = CARD, .dma_bytes = ENTRIES * BUFFER};
    struct fsh_bridge_card *card = fsh_bridge_memory(&memory);
    unsigned char *bytes = calloc(2, HONEST);
    struct fsh_bridge_server *server;
    struct fsh_bridge_client *client;
    struct fsh_bridge_counters count;
    char why[512] = "";

    seed = random_seed(argc, argv, "bridge_forged");
    CHECK(getrandom(setup.token, sizeof setup.token, 0) == sizeof setup.token);
    server = fsh_bridge_serve(card, &setup, &server_name, why, sizeof why);
    CHECK(server != NULL && bytes != NULL, "%s", why);
    client = fsh_bridge_connect(&server_name, 20, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    CHECK(fsh_network_open(&f.network, 1, why, sizeof why), "%s", why);
    CHECK(fi_av_insert(f.network.av, server_name.network.address, 1, &f.server,
                       0, NULL) == 1);
    for (unsigned i = 0; i < RECEIVES; i++)
        listen_for(&f.in[i]);
    for (unsigned i = 0; i < MESSAGES; i++) {
        if (i % 20 == 0)
            say_hello();
        forge();
        if (i % 100 == 0)
            move(client, bytes);
    }
    move(client, bytes);
    count = fsh_bridge_count(server);
    CHECK(count.strangers > MESSAGES / 8 && count.refused > 0 &&
              count.transfers >= MESSAGES / 100,
          "%llu strangers, %llu refused, %llu transfers",
          (unsigned long long)count.strangers,
          (unsigned long long)count.refused,
          (unsigned long long)count.transfers);
    fsh_bridge_close(client);
    fsh_network_close(&f.network);
    fsh_bridge_stop(server);
    fsh_bridge_memory_free(card);
    free(bytes);
    puts("bridge_forged: pass");
    return 0;
}
