/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that no server sends, to a client of the bridge: the test plays the server. It
 * welcomes the client, and answers each request by messages with other tokens, nonces, ids,
 * kinds, statuses, sizes and lengths, and then by a true one. The client reports what that
 * says, never more bytes than it has asked for, and nothing before. argv[1]: the seed.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/cpu.h"
#include "bridge/bridge.h"
#include "bridge/wire.h"
#include "check.h"
#include "random.h"

#define CARD ((uint64_t)1 << 20)
#define TRANSFERS 30u
#define LIES 30u /* a transfer, at most */
#define LIMIT_NS (20 * UINT64_C(1000000000))
/* After the lies, in which the client would end. */
#define PAUSE_NS UINT64_C(2000000)

static struct {
    struct fsh_network network;
    struct fsh_bridge_name name;
    struct fsh_bridge_message in, out;
    fi_addr_t client;
    uint64_t nonce, dice;
    unsigned sending;
    bool heard, closed;
    _Atomic bool told; /* the truth about the transfer that is under way */
    pthread_t thread;
} server;

static void listen_once(void)
{
    CHECK(fi_recv(server.network.ep, &server.in, sizeof server.in, NULL,
                  FI_ADDR_UNSPEC, &server.in) == 0);
}

static void progress(void)
{
    struct fi_cq_data_entry entry;
    struct fi_cq_err_entry error = {.op_context = NULL};
    ssize_t n = fi_cq_read(server.network.cq, &entry, 1);
    void *context = NULL;

    if (n == 1)
        context = entry.op_context;
    else if (n == -FI_EAVAIL &&
             fi_cq_readerr(server.network.cq, &error, 0) == 1)
        context = error.op_context;
    if (context == &server.out)
        server.sending = 0;
    if (context == &server.in)
        server.heard = true;
    if (n == -FI_EAGAIN)
        sched_yield();
}

static void send_bytes(size_t bytes)
{
    uint64_t start = fsh_time_ns();
    ssize_t rc;

    while ((rc = fi_send(server.network.ep, &server.out, bytes, NULL,
                         server.client, &server.out)) == -FI_EAGAIN) {
        CHECK(fsh_time_ns() - start < LIMIT_NS, "a message cannot be sent");
        progress();
    }
    CHECK(rc == 0, "fi_send: %d", (int)rc);
    server.sending = 1;
    while (server.sending) {
        CHECK(fsh_time_ns() - start < LIMIT_NS, "a message does not end");
        progress();
    }
}

static struct fsh_bridge_message begin(enum fsh_bridge_kind kind)
{
    return (struct fsh_bridge_message){
        .token = {server.name.token[0], server.name.token[1]},
        .kind = kind,
        .nonce = server.nonce};
}

static void welcome(void)
{
    CHECK(server.nonce != 0 ||
          fi_av_insert(server.network.av, server.in.name.address, 1,
                       &server.client, 0, NULL) == 1);
    server.nonce = server.in.nonce;
    server.out = begin(FSH_BRIDGE_WELCOME);
    server.out.client = 3;
    server.out.card_bytes = CARD;
    send_bytes(sizeof server.out);
}

/* A message that ends no transfer, nor moves it. */
static void lie(uint64_t id, uint64_t bytes)
{
    static const enum fsh_bridge_status none[] = {FSH_BRIDGE_PENDING,
                                                  FSH_BRIDGE_BUSY};
    uint64_t dice = random_next(&server.dice);
    size_t length = sizeof server.out;

    server.out = begin(dice & 1 ? FSH_BRIDGE_DONE : FSH_BRIDGE_PROGRESS);
    server.out.id = id;
    server.out.done.bytes = bytes;
    server.out.done.compute = (uint32_t)random_next(&server.dice);
    switch (dice / 2 % 8) {
    case 0:
        server.out.token[dice >> 8 & 1] ^= UINT64_C(1) << (dice >> 20 & 63);
        break;
    case 1:
        server.out.nonce ^= UINT64_C(1) << (dice >> 20 & 63);
        break;
    case 2:
        server.out.id ^= UINT64_C(1) << (dice >> 20 & 63);
        break;
    case 3:
        server.out.kind = FSH_BRIDGE_BYE + (uint32_t)(dice >> 20) % 100;
        break;
    case 4: /* a status that is none, or of no end */
        server.out.kind = FSH_BRIDGE_DONE;
        server.out.done.status =
            dice >> 20 & 1 ? none[dice >> 21 & 1]
                           : FSH_BRIDGE_COMMAND + 1 + (uint32_t)(dice >> 32);
        break;
    case 5: /* more than all of it */
        server.out.kind = FSH_BRIDGE_PROGRESS;
        server.out.done.bytes = bytes + 1 + (dice >> 12);
        break;
    case 6:
        length = (size_t)(dice >> 20) % length;
        break;
    default:
        for (size_t i = 0; i < sizeof server.out; i++)
            ((unsigned char *)&server.out)[i] =
                (unsigned char)random_next(&server.dice);
    }
    send_bytes(length != 0 ? length : 1);
}

static enum fsh_bridge_status truth_of(uint64_t id)
{
    return id % 3 == 0 ? FSH_BRIDGE_DEVICE : FSH_BRIDGE_OK;
}

static void answer(void)
{
    uint64_t id = server.in.id, bytes = server.in.request.bytes;
    uint64_t lies = random_next(&server.dice) % LIES, start;

    CHECK(server.in.client == 3 && server.in.nonce == server.nonce);
    for (uint64_t i = 0; i < lies; i++)
        lie(id, bytes);
    for (start = fsh_time_ns(); fsh_time_ns() - start < PAUSE_NS;)
        progress();
    atomic_store(&server.told, true);
    server.out = begin(FSH_BRIDGE_DONE);
    server.out.id = id;
    server.out.done.bytes = bytes;
    server.out.done.status = truth_of(id);
    send_bytes(sizeof server.out);
}

static void *serve(void *arg)
{
    (void)arg;
    listen_once();
    while (!server.closed) {
        progress();
        if (!server.heard)
            continue;
        CHECK(server.in.token[0] == server.name.token[0]);
        if (server.in.kind == FSH_BRIDGE_HELLO)
            welcome();
        else if (server.in.kind == FSH_BRIDGE_REQUEST)
            answer();
        else
            server.closed = server.in.kind == FSH_BRIDGE_BYE;
        server.heard = false;
        listen_once();
    }
    return NULL;
}

/* From the card: then the client has nothing to send. */
static void transfer(struct fsh_bridge_client *c, uint64_t id,
                     unsigned char *memory)
{
    const struct fsh_bridge_transfer t = {.stages = FSH_BRIDGE_PATH_FROM,
                                          .bytes = 1 + id * 1000,
                                          .target = memory};
    uint64_t start = fsh_time_ns(), moved = 0;
    enum fsh_bridge_status status;

    atomic_store(&server.told, false);
    CHECK(fsh_bridge_begin(c, &t) == FSH_BRIDGE_PENDING, "%s",
          fsh_bridge_why(c));
    do {
        bool told = atomic_load(&server.told);

        status = fsh_bridge_test(c, &moved);
        CHECK(moved <= t.bytes, "%llu of %llu bytes", (unsigned long long)moved,
              (unsigned long long)t.bytes);
        CHECK(status == FSH_BRIDGE_PENDING || told || atomic_load(&server.told),
              "ended by a lie, with status %d", status);
        CHECK(fsh_time_ns() - start < LIMIT_NS, "transfer %llu does not end",
              (unsigned long long)id);
        sched_yield();
    } while (status == FSH_BRIDGE_PENDING);
    CHECK(status == truth_of(id), "status %d: %s", status, fsh_bridge_why(c));
}

int main(int argc, char **argv)
{
    unsigned char *memory = calloc(1, CARD);
    struct fsh_bridge_client *client;
    char why[512] = "";

    alarm(100);
    if (argc > 1)
        server.dice = strtoull(argv[1], NULL, 0);
    else
        CHECK(getrandom(&server.dice, sizeof server.dice, 0) ==
              sizeof server.dice);
    printf("bridge_lies: seed %llu\n", (unsigned long long)server.dice);
    fflush(stdout);
    server.dice |= 1;
    CHECK(getrandom(server.name.token, sizeof server.name.token, 0) ==
          sizeof server.name.token);
    CHECK(memory != NULL &&
              fsh_network_open(&server.network, 1, why, sizeof why) &&
              fsh_network_name(&server.network, &server.name.network, why,
                               sizeof why),
          "%s", why);
    CHECK(pthread_create(&server.thread, NULL, serve, NULL) == 0);
    client = fsh_bridge_connect(&server.name, 20, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    CHECK(fsh_bridge_card_bytes(client) == CARD);
    for (uint64_t id = 1; id <= TRANSFERS; id++)
        transfer(client, id, memory);
    fsh_bridge_close(client);
    CHECK(pthread_join(server.thread, NULL) == 0);
    fsh_network_close(&server.network);
    free(memory);
    puts("bridge_lies: pass");
    return 0;
}
