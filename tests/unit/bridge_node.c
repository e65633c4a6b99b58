/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The card behind a rank, with a conduit of the test's own: its moves end in another order
 * than they began, on another thread, and now and then it has no room. Transfers bring the
 * right bytes; a failed move fails its transfer only; commands of both queues run, each
 * in order, though the core is busy now and then and nobody but the server polls; a server
 * that is halted moves nothing any more. argv[1]: the seed.
 */
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/fsh_spec.h"
#include "bridge/bridge.h"
#include "bridge/node.h"
#include "check.h"
#include "compute/submit/submit.h"
#include "random.h"

#define CARD ((size_t)1 << 20)
#define BUFFER ((size_t)16 << 10)
#define ENTRIES 8u
#define LIMIT_S 20.0
#define HALT_NS UINT64_C(5000000000)
enum { QUEUE = 8, ROUNDS = 40, COMMANDS = 500, AREA = 1 << 14 };

static uint64_t seed = 88172645463325252u;

/* The conduit. Of the test's thread and the server's. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    struct fsh_card_move queue[QUEUE];
    unsigned count, moves, fail_at;
    bool over;
    uint64_t seed;
    struct question {
        struct fsh_answer *answer;
        uint64_t message;
    } asked[2]; /* by queue */
    uint64_t running[2 * FSH_AREA_COMMANDS][FSH_CCMD_WORDS];
    unsigned commands, busy, fail_command;
    unsigned next[2]; /* by queue: the command that is due */
} conduit = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, .seed = 7};
static unsigned char window[ENTRIES * BUFFER] __attribute__((aligned(4096))),
    memory[CARD + AREA] __attribute__((aligned(4096)));

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

/* ---- its compute core ---- */

/* A command adds 1 to the byte at m; it is the k-th of its queue, n. */

static bool has_core(uint32_t node)
{
    return node == 0;
}

static bool compute_send(uint32_t node, const uint64_t *message,
                         struct fsh_answer *answer)
{
    unsigned queue = fsh_crun_mover(message) != 0;
    bool room;

    CHECK(node == 0 && fsh_crun_op(message) == FSH_CMSG_RUN);
    pthread_mutex_lock(&conduit.lock);
    CHECK(conduit.asked[queue].answer == NULL);
    room = random_next(&conduit.seed) % 4 != 0;
    if (room)
        conduit.asked[queue] = (struct question){answer, *message};
    pthread_cond_signal(&conduit.change);
    pthread_mutex_unlock(&conduit.lock);
    return room;
}

/* Under the lock. */
static void take_commands(unsigned queue)
{
    struct question q = conduit.asked[queue];
    const unsigned char *at = memory + fsh_crun_addr(&q.message) * 64;

    conduit.asked[queue].answer = NULL;
    if (random_next(&conduit.seed) % 3 == 0) {
        conduit.busy++;
        q.answer->fn(q.answer, FSH_STATUS_BUSY);
        return;
    }
    CHECK(at >= memory + CARD);
    for (unsigned i = 0; i < fsh_crun_count(&q.message); i++) {
        uint64_t *w = conduit.running[conduit.commands++];

        memcpy(w, at + i * FSH_AREA_COMMAND_BYTES, FSH_AREA_COMMAND_BYTES);
        CHECK(fsh_ccmd_n(w) == queue && fsh_ccmd_complete(w) &&
              fsh_ccmd_k(w) == conduit.next[queue]++);
    }
    q.answer->fn(q.answer, FSH_STATUS_OK);
}

static void end_command(void)
{
    unsigned which = (unsigned)(random_next(&conduit.seed) % conduit.commands);
    uint64_t w[FSH_CCMD_WORDS];
    bool fails = --conduit.fail_command == 0;

    memcpy(w, conduit.running[which], sizeof w);
    memcpy(conduit.running[which], conduit.running[--conduit.commands],
           sizeof w);
    memory[fsh_ccmd_m(w)]++;
    fsh_compute_completed((unsigned)fsh_ccmd_cookie(w),
                          fails ? FSH_STATUS_BAD_NODE : FSH_STATUS_OK);
}

static const struct fsh_compute_ops compute = {.present = has_core,
                                               .send = compute_send};
static const struct fsh_conduit_ops all = {.compute = &compute, .card = &ops};
static const struct fsh_segment segs[1] = {{memory, CARD}};

/* Under the lock: whether there was anything. */
static bool compute_one(void)
{
    unsigned queue = random_next(&conduit.seed) % 2;

    if (conduit.asked[queue].answer == NULL)
        queue = !queue;
    if (conduit.asked[queue].answer != NULL && conduit.commands <= 64)
        take_commands(queue);
    else if (conduit.commands != 0)
        end_command();
    else
        return false;
    return true;
}

static void *move_bytes(void *arg)
{
    pthread_mutex_lock(&conduit.lock);
    while (!conduit.over)
        if (conduit.count != 0)
            end_one();
        else if (!compute_one())
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

static enum fsh_bridge_status run_commands(size_t n)
{
    static uint64_t words[COMMANDS][FSH_CCMD_WORDS];
    size_t array = random_next(&seed) % (n + 1);
    const struct fsh_bridge_transfer t = {.stages = FSH_BRIDGE_PATH_RUN,
                                          .bytes = n * sizeof words[0],
                                          .array = array,
                                          .source = words};
    enum fsh_bridge_status status;

    memcpy(target, memory, CARD);
    memset(words, 0, sizeof words);
    conduit.next[0] = conduit.next[1] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = random_next(&seed) % CARD;

        fsh_ccmd_set_m(words[i], at);
        fsh_ccmd_set_n(words[i], i >= array);
        fsh_ccmd_set_k(words[i], i < array ? i : i - array);
        target[at]++;
    }
    status = fsh_bridge_begin(client, &t);
    if (status == FSH_BRIDGE_PENDING)
        status = fsh_bridge_wait(client);
    CHECK(memcmp(target, memory, CARD) == 0, "after %zu commands", n);
    CHECK(conduit.commands == 0);
    return status;
}

static void test_commands(void)
{
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(run_commands(1 + random_next(&seed) % COMMANDS) == FSH_BRIDGE_OK,
              "%s", fsh_bridge_why(client));
    CHECK(conduit.busy > 0);
    conduit.fail_command = 3;
    CHECK(run_commands(5) == FSH_BRIDGE_COMMAND);
    CHECK(fsh_bridge_compute_status(client) == FSH_STATUS_BAD_NODE);
    CHECK(run_commands(1) == FSH_BRIDGE_OK);
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
    CHECK(fsh_area_bytes(1) <= AREA && fsh_command_start(&all, 0, 1, segs));
    CHECK(pthread_create(&thread, NULL, move_bytes, NULL) == 0);
    card = fsh_bridge_node(&ops, 0, why, sizeof why);
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
    test_commands();
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
