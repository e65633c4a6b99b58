/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bridge over loopback, with a memory device: each path in each mode with odd sizes
 * and addresses, at random; what is refused, and what is said then; failures of the card;
 * registrations that are kept; a client that does not drive its provider. argv[1]: the seed.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "bridge/bridge.h"
#include "bridge/memory.h"
#include "check.h"
#include "random.h"

#define CARD ((size_t)4 << 20)
#define BUFFER ((size_t)64 << 10)
#define MOST ((size_t)1 << 20)
#define LIMIT_S 20.0

static uint64_t seed = 88172645463325252u;

static struct bridge {
    struct fsh_bridge_card *card;
    struct fsh_bridge_server *server;
    struct fsh_bridge_name name;
    struct fsh_bridge_client *client;
} b;

static void begin(unsigned entries, unsigned fail_at)
{
    const struct fsh_bridge_memory_setup memory = {
        .bytes = CARD, .dma_bytes = entries * BUFFER, .fail_at = fail_at};
    struct fsh_bridge_setup setup = {
        .entries = entries, .buffer = BUFFER, .timeout = LIMIT_S};
    char why[512] = "";

    CHECK(getrandom(setup.token, sizeof setup.token, 0) ==
          (ssize_t)sizeof setup.token);
    b.card = fsh_bridge_memory(&memory);
    CHECK(b.card != NULL);
    b.server = fsh_bridge_serve(b.card, &setup, &b.name, why, sizeof why);
    CHECK(b.server != NULL, "%s", why);
    b.client = fsh_bridge_connect(&b.name, LIMIT_S, why, sizeof why);
    CHECK(b.client != NULL, "%s", why);
    CHECK(fsh_bridge_card_bytes(b.client) == CARD);
}

/* No entry is in use, and no client is left. */
static void end(void)
{
    struct fsh_bridge_counters n;
    const struct timespec moment = {0, 1000000};

    fsh_bridge_close(b.client);
    for (unsigned i = 0; i < 20000; i++) {
        n = fsh_bridge_count(b.server);
        if (n.clients == 0)
            break;
        nanosleep(&moment, NULL);
    }
    CHECK(n.clients == 0 && n.entries == 0, "%u clients, %u entries", n.clients,
          n.entries);
    fsh_bridge_stop(b.server);
    fsh_bridge_memory_free(b.card);
}

static enum fsh_bridge_status move(unsigned stages, bool naive, size_t offset,
                                   size_t bytes, const void *source,
                                   void *target)
{
    const struct fsh_bridge_transfer t = {.stages = stages,
                                          .naive = naive,
                                          .offset = offset,
                                          .bytes = bytes,
                                          .source = source,
                                          .target = target};
    enum fsh_bridge_status status = fsh_bridge_begin(b.client, &t);

    return status == FSH_BRIDGE_PENDING ? fsh_bridge_wait(b.client) : status;
}

static void fill(unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)random_next(&seed);
}

static size_t draw_size(void)
{
    switch (random_next(&seed) % 4) {
    case 0:
        return 1 + random_next(&seed) % 70;
    case 1:
        return 4095 + random_next(&seed) % 3;
    case 2:
        return (size_t)1 << (random_next(&seed) % 21);
    default:
        return 1 + random_next(&seed) % (MOST - 1);
    }
}

/* One transfer of each kind at random; nothing beside it changes. */
static void try_one(unsigned char *source, unsigned char *target,
                    unsigned char *image)
{
    static const unsigned paths[] = {FSH_BRIDGE_PATH_TO, FSH_BRIDGE_PATH_FROM,
                                     FSH_BRIDGE_PATH_ROUND};
    unsigned path = paths[random_next(&seed) % 3];
    bool naive = random_next(&seed) % 4 == 0;
    size_t bytes = draw_size(),
           offset = random_next(&seed) % (CARD - bytes + 1);
    size_t from = 1 + random_next(&seed) % 99, to = 1 + random_next(&seed) % 99;
    unsigned char *memory = fsh_bridge_memory_at(b.card);

    fill(source + from, bytes);
    memset(target, 0x55, MOST + 200);
    CHECK(move(path, naive, offset, bytes, source + from, target + to) ==
              FSH_BRIDGE_OK,
          "path %u naive %d offset %zu bytes %zu: %s", path, naive, offset,
          bytes, fsh_bridge_why(b.client));
    if (path & FSH_BRIDGE_TO_CARD)
        memcpy(image + offset, source + from, bytes);
    CHECK(memcmp(memory, image, CARD) == 0,
          "card memory: path %u naive %d offset %zu bytes %zu", path, naive,
          offset, bytes);
    if (path & FSH_BRIDGE_WRITE)
        CHECK(memcmp(target + to, image + offset, bytes) == 0,
              "target: path %u naive %d offset %zu bytes %zu", path, naive,
              offset, bytes);
    CHECK(target[to - 1] == 0x55 &&
          target[to + (path & FSH_BRIDGE_WRITE ? bytes : 0)] == 0x55);
}

static void test_random(void)
{
    unsigned char *source = malloc(MOST + 200), *target = malloc(MOST + 200);
    unsigned char *image = calloc(1, CARD);
    unsigned entries = 1 + (unsigned)(random_next(&seed) % 9);

    CHECK(source != NULL && target != NULL && image != NULL);
    begin(entries, 0);
    for (unsigned i = 0; i < 60; i++)
        try_one(source, target, image);
    CHECK(fsh_bridge_count(b.server).transfers == 60);
    end();
    free(source);
    free(target);
    free(image);
}

/* With what the client is told. */
static void refuse(unsigned stages, size_t offset, size_t bytes,
                   enum fsh_bridge_status status, const char *says)
{
    static unsigned char byte[64];

    CHECK(move(stages, false, offset, bytes, byte, byte) == status);
    CHECK(strstr(fsh_bridge_why(b.client), says) != NULL, "%s",
          fsh_bridge_why(b.client));
}

static void test_refusals(void)
{
    unsigned char byte = 7;

    begin(2, 0);
    refuse(FSH_BRIDGE_PATH_TO, CARD - 3, 4, FSH_BRIDGE_RANGE,
           "4 bytes at offset 4194301 exceed the 4194304 bytes");
    refuse(FSH_BRIDGE_PATH_TO, CARD + 1, 1, FSH_BRIDGE_RANGE, "exceed");
    refuse(FSH_BRIDGE_PATH_TO, SIZE_MAX, 2, FSH_BRIDGE_RANGE, "exceed");
    refuse(FSH_BRIDGE_PATH_TO, 0, 0, FSH_BRIDGE_ARGUMENT, "at least one byte");
    refuse(0, 0, 8, FSH_BRIDGE_ARGUMENT, "expected a path");
    refuse(16, 0, 8, FSH_BRIDGE_ARGUMENT, "expected a path");
    CHECK(fsh_bridge_count(b.server).refused == 6);
    CHECK(move(FSH_BRIDGE_PATH_TO, false, CARD - 1, 1, &byte, NULL) ==
          FSH_BRIDGE_OK);
    CHECK(fsh_bridge_memory_at(b.card)[CARD - 1] == 7);
    end();
}

/* The transfer fails, and the next one does not. */
static void test_card_fails(void)
{
    static unsigned char bytes[MOST];

    for (unsigned naive = 0; naive < 2; naive++) {
        begin(4, 3);
        CHECK(move(FSH_BRIDGE_PATH_TO, naive, 0, MOST, bytes, NULL) ==
              FSH_BRIDGE_DEVICE);
        CHECK(strstr(fsh_bridge_why(b.client), "memory error") != NULL);
        CHECK(move(FSH_BRIDGE_PATH_TO, naive, 0, MOST, bytes, NULL) ==
              FSH_BRIDGE_OK);
        CHECK(fsh_bridge_count(b.server).failed == 1);
        end();
    }
}

static void test_registrations(void)
{
    static unsigned char bytes[MOST];

    begin(4, 0);
    for (unsigned i = 0; i < 5; i++)
        CHECK(move(FSH_BRIDGE_PATH_ROUND, false, 0, MOST - i, bytes, bytes) ==
              FSH_BRIDGE_OK);
    CHECK(fsh_bridge_registrations(b.client) == 1);
    fsh_bridge_release(b.client, bytes + 100, 1);
    CHECK(move(FSH_BRIDGE_PATH_TO, false, 0, 64, bytes, NULL) == FSH_BRIDGE_OK);
    CHECK(fsh_bridge_registrations(b.client) == 2);
    end();
}

/* A client that makes no calls during a transfer keeps others from nothing. */
static void test_idle_client(void)
{
    static unsigned char idle[MOST], bytes[MOST];
    const struct fsh_bridge_transfer t = {
        .stages = FSH_BRIDGE_PATH_TO, .bytes = MOST, .source = idle};
    const struct timespec moment = {0, 1000000};
    struct fsh_bridge_client *client;
    char why[512] = "";

    begin(4, 0);
    client = fsh_bridge_connect(&b.name, LIMIT_S, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    CHECK(fsh_bridge_begin(client, &t) == FSH_BRIDGE_PENDING);
    for (unsigned i = 0; fsh_bridge_count(b.server).entries == 0; i++) {
        CHECK(i < 20000);
        nanosleep(&moment, NULL);
    }
    CHECK(move(FSH_BRIDGE_PATH_ROUND, false, 0, MOST, bytes, bytes) ==
              FSH_BRIDGE_OK,
          "%s", fsh_bridge_why(b.client));
    CHECK(fsh_bridge_count(b.server).entries == 3);
    CHECK(fsh_bridge_wait(client) == FSH_BRIDGE_OK);
    fsh_bridge_close(client);
    end();
}

static void refuse_setup(unsigned entries, size_t buffer, const char *says)
{
    const struct fsh_bridge_memory_setup memory = {.bytes = CARD,
                                                   .dma_bytes = 4 * BUFFER};
    const struct fsh_bridge_setup setup = {
        .entries = entries, .buffer = buffer, .timeout = LIMIT_S};
    struct fsh_bridge_name name;
    char why[512] = "";

    b.card = fsh_bridge_memory(&memory);
    CHECK(fsh_bridge_serve(b.card, &setup, &name, why, sizeof why) == NULL &&
              strstr(why, says) != NULL,
          "%s", why);
    fsh_bridge_memory_free(b.card);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0) | 1;
    else
        seed ^= (uint64_t)time(NULL) << 20;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    test_random();
    test_refusals();
    test_card_fails();
    test_registrations();
    test_idle_client();
    refuse_setup(0, BUFFER, "1 to 64 are possible");
    refuse_setup(65, 4096, "1 to 64 are possible");
    refuse_setup(4, 4097, "a multiple of 4096");
    refuse_setup(5, BUFFER, "do not fit in the 262144 bytes");
    puts("bridge: pass");
    return 0;
}
