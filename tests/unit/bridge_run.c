/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands over the bridge, with a memory device that has a core of the test's own, on
 * another thread: they start when the bytes before them are in the card, and all at once, as
 * they were; a failure is told, and ends that transfer only; what is refused; they may
 * take longer than the limit, and hold up nobody; a client that takes leave or is killed
 * while they run, and a server that is stopped, leave them to run to their end.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "bridge/bridge.h"
#include "bridge/memory.h"
#include "check.h"
#include "random.h"

#define CARD ((size_t)1 << 20)
#define BUFFER ((size_t)16 << 10)
#define LIMIT_S 20.0
#define SHORT_S 2.0
#define DEATH_S 4.0
#define WAIT_NS (30 * UINT64_C(1000000000))
enum { ENTRIES = 4, MOST = 3000, RUNS = 4 };

/* A command adds 1 to a byte of card memory: words 0 and 1 are its place and a tag that
 * says which it is of its queue. */
static _Alignas(
    4096) uint64_t words[FSH_BRIDGE_MOST_COMMANDS + 1][FSH_CCMD_WORDS];
static _Alignas(4096) unsigned char bytes[CARD], back[CARD];
static uint64_t seed = 88172645463325252u;

static struct fsh_bridge_card *card;
static struct fsh_bridge_card_ops ops;
static struct fsh_bridge_server *server;
static struct fsh_bridge_name name;
static struct fsh_bridge_client *client;

/* ---- the core ---- */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    pthread_t thread;
    struct fsh_bridge_run *run[RUNS];
    uint64_t (*copy[RUNS])[FSH_CCMD_WORDS];
    unsigned count;
    bool held, over;
    unsigned status; /* of the list that ends next */
    uint64_t ended;  /* lists */
} core = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .change = PTHREAD_COND_INITIALIZER};

/* Lists of both queues, as the card of a rank makes them. */
static bool run(struct fsh_bridge_card *c, struct fsh_bridge_run *r)
{
    size_t n = r->count[0] + r->count[1];

    CHECK(c == card && r->card == card && n >= 1);
    pthread_mutex_lock(&core.lock);
    CHECK(core.count < RUNS);
    core.copy[core.count] = malloc(n * sizeof r->words[0]);
    memcpy(core.copy[core.count], r->words, n * sizeof r->words[0]);
    atomic_fetch_add(&r->holders, r->count[0] != 0 && r->count[1] != 0 ? 2 : 1);
    core.run[core.count++] = r;
    pthread_cond_broadcast(&core.change);
    pthread_mutex_unlock(&core.lock);
    return true;
}

/* Under the lock. */
static void run_one(void)
{
    struct fsh_bridge_run *r = core.run[0];
    uint64_t(*w)[FSH_CCMD_WORDS] = core.copy[0];
    unsigned lists = r->count[0] != 0 && r->count[1] != 0 ? 2 : 1;

    for (uint32_t i = 0; i < r->count[0] + r->count[1]; i++) {
        uint32_t of = i < r->count[0] ? i : i - r->count[0];

        CHECK(w[i][1] == of && w[i][FSH_CCMD_WORDS - 1] == ~w[i][0] + i,
              "command %u", i);
        fsh_bridge_memory_at(card)[w[i][0]]++;
    }
    free(core.copy[0]);
    core.count--;
    memmove(&core.run[0], &core.run[1], core.count * sizeof core.run[0]);
    memmove(&core.copy[0], &core.copy[1], core.count * sizeof core.copy[0]);
    for (unsigned i = 0; i < lists; i++, core.ended++) {
        fsh_bridge_run_end(r, core.status);
        core.status = FSH_STATUS_OK;
    }
}

static void *work(void *arg)
{
    pthread_mutex_lock(&core.lock);
    while (!core.over)
        if (core.count != 0 && !core.held)
            run_one();
        else
            pthread_cond_wait(&core.change, &core.lock);
    pthread_mutex_unlock(&core.lock);
    return arg;
}

static void set(bool held, unsigned status, bool over)
{
    pthread_mutex_lock(&core.lock);
    core.held = held;
    core.status = status;
    core.over = over;
    pthread_cond_broadcast(&core.change);
    pthread_mutex_unlock(&core.lock);
}

static unsigned core_has(void)
{
    unsigned n;

    pthread_mutex_lock(&core.lock);
    n = core.count;
    pthread_mutex_unlock(&core.lock);
    return n;
}

/* ---- the rest ---- */

static void begin(double timeout, bool with_core)
{
    const struct fsh_bridge_memory_setup memory = {
        .bytes = CARD, .dma_bytes = ENTRIES * BUFFER};
    struct fsh_bridge_setup setup = {
        .entries = ENTRIES, .buffer = BUFFER, .timeout = timeout};
    char why[512] = "";

    CHECK(getrandom(setup.token, sizeof setup.token, 0) ==
          (ssize_t)sizeof setup.token);
    card = fsh_bridge_memory(&memory);
    CHECK(card != NULL);
    ops = *card->ops;
    ops.run = run;
    if (with_core)
        card->ops = &ops;
    server = fsh_bridge_serve(card, &setup, &name, why, sizeof why);
    CHECK(server != NULL, "%s", why);
    client = fsh_bridge_connect(&name, timeout, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    set(false, FSH_STATUS_OK, false);
    CHECK(pthread_create(&core.thread, NULL, work, NULL) == 0);
}

static void end_core(void)
{
    set(false, FSH_STATUS_OK, true);
    pthread_join(core.thread, NULL);
    CHECK(core.count == 0);
}

static void end(void)
{
    fsh_bridge_close(client);
    fsh_bridge_stop(server);
    end_core();
    fsh_bridge_memory_free(card);
}

/* The same without a client: until the server has so many. */
static void await(unsigned clients)
{
    uint64_t limit = fsh_time_ns() + WAIT_NS;
    const struct timespec moment = {0, 1000000};

    while (fsh_bridge_count(server).clients != clients) {
        CHECK(fsh_time_ns() < limit, "%u clients",
              fsh_bridge_count(server).clients);
        nanosleep(&moment, NULL);
    }
}

static void await_core(void)
{
    uint64_t limit = fsh_time_ns() + WAIT_NS;

    while (core_has() == 0) {
        CHECK(fsh_time_ns() < limit, "the core got nothing");
        fsh_bridge_test(client, NULL);
    }
}

/* n commands, `array` of them for the array queue. */
static struct fsh_bridge_transfer make(size_t n, size_t array)
{
    for (size_t i = 0; i < n; i++) {
        words[i][0] = random_next(&seed) % CARD;
        words[i][1] = i < array ? i : i - array;
        words[i][FSH_CCMD_WORDS - 1] = ~words[i][0] + i;
    }
    return (struct fsh_bridge_transfer){.stages = FSH_BRIDGE_PATH_RUN,
                                        .bytes = n * sizeof words[0],
                                        .array = array,
                                        .source = words};
}

static enum fsh_bridge_status go(const struct fsh_bridge_transfer *t)
{
    enum fsh_bridge_status status = fsh_bridge_begin(client, t);

    return status == FSH_BRIDGE_PENDING ? fsh_bridge_wait(client) : status;
}

static void fine(const struct fsh_bridge_transfer *t)
{
    CHECK(go(t) == FSH_BRIDGE_OK, "%s", fsh_bridge_why(client));
}

static void fine_move(unsigned stages, size_t n)
{
    const struct fsh_bridge_transfer t = {
        .stages = stages, .bytes = n, .source = bytes, .target = back};

    fine(&t);
}

static void test_order(void)
{
    begin(LIMIT_S, true);
    for (unsigned round = 0; round < 20; round++) {
        size_t n = 1 + random_next(&seed) % (round % 2 == 0 ? 3 : MOST);
        struct fsh_bridge_transfer t = make(n, random_next(&seed) % (n + 1));

        for (size_t i = 0; i < CARD; i++)
            bytes[i] = (unsigned char)(i * 7 + round);
        fine_move(FSH_BRIDGE_PATH_TO, CARD);
        fine(&t);
        fine_move(FSH_BRIDGE_PATH_FROM, CARD);
        for (size_t i = 0; i < n; i++)
            bytes[words[i][0]]++;
        CHECK(memcmp(bytes, back, CARD) == 0, "round %u", round);
    }
    CHECK(fsh_bridge_count(server).transfers == 60);
    /* The words' memory is registered for each of them. */
    CHECK(fsh_bridge_registrations(client) == 22, "%llu registrations",
          (unsigned long long)fsh_bridge_registrations(client));
    end();
    CHECK(core.ended >= 20, "%llu lists", (unsigned long long)core.ended);
}

static void test_failure(void)
{
    struct fsh_bridge_transfer t = make(9, 4);

    begin(LIMIT_S, true);
    set(false, FSH_STATUS_LOCAL_RANGE, false);
    CHECK(go(&t) == FSH_BRIDGE_COMMAND);
    CHECK(fsh_bridge_compute_status(client) == FSH_STATUS_LOCAL_RANGE);
    CHECK(strstr(fsh_bridge_why(client), "LOCAL_RANGE") != NULL, "%s",
          fsh_bridge_why(client));
    CHECK(fsh_bridge_count(server).failed == 1);
    fine(&t);
    end();
}

static void refuse(struct fsh_bridge_transfer t)
{
    CHECK(go(&t) == FSH_BRIDGE_ARGUMENT);
    CHECK(strstr(fsh_bridge_why(client),
                 t.stages == FSH_BRIDGE_PATH_RUN
                     ? "expected 1 to 65536 commands of 128 bytes"
                     : "expected a path") != NULL,
          "%s", fsh_bridge_why(client));
}

static void test_refusals(void)
{
    struct fsh_bridge_transfer t = make(5, 5);

    begin(LIMIT_S, true);
    t.array = 6;
    refuse(t);
    t.array = UINT64_MAX;
    refuse(t);
    t.array = 1;
    t.bytes--;
    refuse(t);
    t.bytes = 0;
    refuse(t);
    t.bytes = sizeof words;
    refuse(t);
    t.bytes = 2 * sizeof words[0];
    t.naive = true;
    refuse(t);
    t.naive = false;
    t.stages = FSH_BRIDGE_RUN;
    refuse(t);
    t.stages = FSH_BRIDGE_PATH_TO | FSH_BRIDGE_RUN;
    refuse(t);
    CHECK(fsh_bridge_count(server).refused == 8);
    t = make(FSH_BRIDGE_MOST_COMMANDS, 1000);
    fine(&t);
    end();
    begin(LIMIT_S, false);
    CHECK(go(&t) == FSH_BRIDGE_COMMAND &&
          fsh_bridge_compute_status(client) == FSH_STATUS_UNSUPPORTED);
    end();
}

/* Longer than the limit on silence, while another client's transfers go on; and as long
 * without a call. */
static void test_long(void)
{
    struct fsh_bridge_transfer t = make(2, 1);
    const struct timespec nap = {(time_t)(1.5 * SHORT_S), 0};
    struct fsh_bridge_client *first;
    uint64_t until;
    char why[512] = "";

    begin(SHORT_S, true);
    set(true, FSH_STATUS_OK, false);
    CHECK(fsh_bridge_begin(client, &t) == FSH_BRIDGE_PENDING);
    await_core();
    until = fsh_time_ns() + (uint64_t)(1.6 * SHORT_S * 1e9);
    first = client;
    client = fsh_bridge_connect(&name, SHORT_S, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    while (fsh_time_ns() < until) {
        CHECK(fsh_bridge_test(first, NULL) == FSH_BRIDGE_PENDING, "%s",
              fsh_bridge_why(first));
        fine_move(FSH_BRIDGE_PATH_ROUND, 1000);
    }
    nanosleep(&nap, NULL);
    CHECK(fsh_bridge_test(first, NULL) == FSH_BRIDGE_PENDING, "%s",
          fsh_bridge_why(first));
    set(false, FSH_STATUS_OK, false);
    CHECK(fsh_bridge_wait(first) == FSH_BRIDGE_OK, "%s", fsh_bridge_why(first));
    fsh_bridge_close(first);
    end();
}

static void test_leave(void)
{
    struct fsh_bridge_transfer t = make(2, 1);
    char why[512] = "";

    begin(LIMIT_S, true);
    set(true, FSH_STATUS_OK, false);
    CHECK(fsh_bridge_begin(client, &t) == FSH_BRIDGE_PENDING);
    await_core();
    fsh_bridge_close(client);
    await(0);
    CHECK(fsh_bridge_count(server).failed == 1);
    CHECK(atomic_load(&core.run[0]->holders) == 2, "%u holders",
          atomic_load(&core.run[0]->holders));
    client = fsh_bridge_connect(&name, LIMIT_S, why, sizeof why);
    CHECK(client != NULL, "%s", why);
    fine_move(FSH_BRIDGE_PATH_ROUND, CARD);
    set(false, FSH_STATUS_MEMORY, false); /* of those that are left to run */
    fine(&t);
    end();
}

static void test_stop(void)
{
    struct fsh_bridge_transfer t = make(2, 2);
    uint64_t begun;

    begin(LIMIT_S, true);
    set(true, FSH_STATUS_OK, false);
    CHECK(fsh_bridge_begin(client, &t) == FSH_BRIDGE_PENDING);
    await_core();
    begun = fsh_time_ns();
    fsh_bridge_stop(server);
    CHECK(fsh_time_ns() - begun < WAIT_NS / 2);
    CHECK(atomic_load(&core.run[0]->holders) == 1);
    fsh_bridge_close(client);
    set(false, FSH_STATUS_OK, false);
    while (core_has() != 0)
        continue;
    end_core();
    fsh_bridge_memory_free(card);
}

/* ---- a client that is killed; it is started before libfabric ---- */

static struct child {
    pid_t pid;
    int to;
} victim;

static void start_victim(void)
{
    int down[2];

    CHECK(pipe(down) == 0);
    victim.pid = fork();
    CHECK(victim.pid >= 0);
    victim.to = down[1];
    if (victim.pid != 0) {
        close(down[0]);
        return;
    }
    close(down[1]);
    alarm(100);
    if (read(down[0], &name, sizeof name) == (ssize_t)sizeof name) {
        struct fsh_bridge_transfer t = make(3, 3);
        char why[512] = "";

        client = fsh_bridge_connect(&name, LIMIT_S, why, sizeof why);
        CHECK(client != NULL, "%s", why);
        go(&t);
    }
    _exit(1);
}

static void test_killed(void)
{
    int how;
    struct fsh_bridge_transfer t = make(1, 0);

    /* Without connections it takes the server four limits. */
    begin(DEATH_S, true);
    set(true, FSH_STATUS_OK, false);
    CHECK(write(victim.to, &name, sizeof name) == (ssize_t)sizeof name);
    await_core();
    kill(victim.pid, SIGKILL);
    CHECK(waitpid(victim.pid, &how, 0) == victim.pid && WIFSIGNALED(how));
    await(1);
    CHECK(fsh_bridge_count(server).failed == 1);
    set(false, FSH_STATUS_OK, false);
    fine(&t);
    end();
    close(victim.to);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) | 1
                    : seed ^ (uint64_t)time(NULL) << 20;
    alarm(100);
    start_victim();
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    test_order();
    test_failure();
    test_refusals();
    test_long();
    test_leave();
    test_stop();
    test_killed();
    puts("bridge_run: pass");
    return 0;
}
