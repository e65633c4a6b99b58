/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The card behind a rank, with a conduit of the test's own: its moves end in another order
 * than they began, on another thread, and now and then it has no room. Transfers bring the
 * right bytes; a failed move fails its transfer only; a server that is halted moves nothing
 * any more. argv[1]: the seed.
 */
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/fsh_spec.h"
#include "bridge/bridge.h"
#include "bridge/node.h"
#include "check.h"
#include "random.h"

#define CARD ((size_t)1 << 20)
#define BUFFER ((size_t)16 << 10)
#define ENTRIES 8u
#define LIMIT_S 20.0
#define HALT_NS UINT64_C(5000000000)
enum { QUEUE = 8, ROUNDS = 40 };

static uint64_t seed = 88172645463325252u;

/* The conduit. Of the test's thread and the server's. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    struct fsh_card_move queue[QUEUE];
    unsigned count, moves, fail_at;
    bool over;
    uint64_t seed;
} conduit = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .seed = 7};
static unsigned char window[ENTRIES * BUFFER] __attribute__((aligned(4096))),
    memory[CARD];

static bool tell(struct fsh_card_memory *m, char *why, size_t whylen)
{
    (void)why;
    (void)whylen;
    *m = (struct fsh_card_memory){window, sizeof window, BUFFER, CARD};
    return true;
}

static bool start(const struct fsh_card_move *move)
{
    bool room;

    CHECK(move->bytes >= 1 && move->bytes <= BUFFER &&
          move->at + move->bytes <= sizeof window &&
          move->offset + move->bytes <= CARD);
    pthread_mutex_lock(&conduit.lock);
    room = conduit.count < QUEUE && random_next(&conduit.seed) % 4 != 0;
    if (room)
        conduit.queue[conduit.count++] = *move;
    pthread_cond_signal(&conduit.change);
    pthread_mutex_unlock(&conduit.lock);
    return room;
}

static bool collect(void)
{
    return false; /* ends come from the other thread */
}

static void wait_a_moment(uint64_t max_ns)
{
    const struct timespec t = {0, (long)(max_ns < 20000 ? max_ns : 20000)};

    nanosleep(&t, NULL);
}

static const struct fsh_card_ops ops = {
    .memory = tell, .start = start, .poll = collect, .wait = wait_a_moment};

/* Under the lock: one of what is queued, at random. */
static void end_one(void)
{
    unsigned which = (unsigned)(random_next(&conduit.seed) % conduit.count);
    struct fsh_card_move move = conduit.queue[which];
    bool fails = ++conduit.moves == conduit.fail_at;

    conduit.queue[which] = conduit.queue[--conduit.count];
    if (!fails && move.to_card)
        memcpy(memory + move.offset, window + move.at, move.bytes);
    else if (!fails)
        memcpy(window + move.at, memory + move.offset, move.bytes);
    move.answer->fn(move.answer, fails ? FSH_STATUS_MEMORY : FSH_STATUS_OK);
}

static void *move_bytes(void *arg)
{
    pthread_mutex_lock(&conduit.lock);
    while (!conduit.over)
        if (conduit.count != 0)
            end_one();
        else
            pthread_cond_wait(&conduit.change, &conduit.lock);
    pthread_mutex_unlock(&conduit.lock);
    return arg;
}

static struct fsh_bridge_client *client;
static unsigned char source[CARD], target[CARD];

static enum fsh_bridge_status move(unsigned stages, bool naive, size_t offset,
                                   size_t bytes)
{
    const struct fsh_bridge_transfer t = {.stages = stages,
                                          .naive = naive,
                                          .offset = offset,
                                          .bytes = bytes,
                                          .source = source,
                                          .target = target};
    enum fsh_bridge_status status = fsh_bridge_begin(client, &t);

    return status == FSH_BRIDGE_PENDING ? fsh_bridge_wait(client) : status;
}

static void random_one(void)
{
    size_t bytes = 1 + random_next(&seed) % (CARD / 2);
    size_t offset = random_next(&seed) % (CARD - bytes + 1);
    bool naive = random_next(&seed) % 4 == 0;

    for (size_t i = 0; i < bytes; i++)
        source[i] = (unsigned char)random_next(&seed);
    memset(target, 0, bytes);
    CHECK(move(FSH_BRIDGE_PATH_TO, naive, offset, bytes) == FSH_BRIDGE_OK, "%s",
          fsh_bridge_why(client));
    CHECK(memcmp(memory + offset, source, bytes) == 0, "%zu bytes to %zu",
          bytes, offset);
    CHECK(move(FSH_BRIDGE_PATH_FROM, naive, offset, bytes) == FSH_BRIDGE_OK,
          "%s", fsh_bridge_why(client));
    CHECK(memcmp(target, source, bytes) == 0, "%zu bytes from %zu", bytes,
          offset);
    source[0]++;
    CHECK(move(FSH_BRIDGE_PATH_ROUND, naive, offset, bytes) == FSH_BRIDGE_OK,
          "%s", fsh_bridge_why(client));
    CHECK(memcmp(target, source, bytes) == 0, "%zu bytes round %zu", bytes,
          offset);
}

static void test_failure(void)
{
    pthread_mutex_lock(&conduit.lock);
    conduit.fail_at = conduit.moves + 5;
    pthread_mutex_unlock(&conduit.lock);
    CHECK(move(FSH_BRIDGE_PATH_TO, false, 0, CARD) == FSH_BRIDGE_DEVICE);
    CHECK(move(FSH_BRIDGE_PATH_TO, false, 0, CARD) == FSH_BRIDGE_OK);
}

int main(int argc, char **argv)
{
    struct fsh_bridge_setup setup = {
        .entries = ENTRIES, .buffer = BUFFER, .timeout = LIMIT_S};
    struct fsh_bridge_server *server;
    struct fsh_bridge_card *card;
    struct fsh_bridge_name name;
    pthread_t thread;
    char why[512] = "";
    unsigned moves;

    seed = argc > 1 ? strtoull(argv[1], NULL, 0) | 1
                    : seed ^ (uint64_t)time(NULL) << 20;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    CHECK(getrandom(setup.token, sizeof setup.token, 0) ==
          (ssize_t)sizeof setup.token);
    CHECK(pthread_create(&thread, NULL, move_bytes, NULL) == 0);
    card = fsh_bridge_node(&ops, -1, why, sizeof why);
    CHECK(card != NULL, "%s", why);
    setup.buffer = 2 * BUFFER;
    setup.entries = 4;
    CHECK(fsh_bridge_serve(card, &setup, &name, why, sizeof why) == NULL &&
              strstr(why, "moves at most 16384 at once") != NULL,
          "%s", why);
    setup.buffer = BUFFER;
    setup.entries = ENTRIES;
    server = fsh_bridge_serve(card, &setup, &name, why, sizeof why);
    CHECK(server != NULL, "%s", why);
    client = fsh_bridge_connect(&name, LIMIT_S, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    for (unsigned i = 0; i < ROUNDS; i++)
        random_one();
    test_failure();
    fsh_bridge_halt(server, HALT_NS);
    pthread_mutex_lock(&conduit.lock);
    moves = conduit.moves;
    pthread_mutex_unlock(&conduit.lock);
    CHECK(
        fsh_bridge_begin(client, &(const struct fsh_bridge_transfer){
                                     .stages = FSH_BRIDGE_PATH_TO,
                                     .bytes = CARD,
                                     .source = source}) == FSH_BRIDGE_PENDING);
    fsh_bridge_close(client);
    fsh_bridge_stop(server);
    fsh_bridge_node_free(card);
    pthread_mutex_lock(&conduit.lock);
    CHECK(conduit.moves == moves && conduit.count == 0);
    conduit.over = true;
    pthread_cond_signal(&conduit.change);
    pthread_mutex_unlock(&conduit.lock);
    pthread_join(thread, NULL);
    puts("bridge_node: pass");
    return 0;
}
