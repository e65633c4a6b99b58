/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deaths at the bridge: a client that is killed in mid-transfer and one that is stopped
 * free their entries of the ring, while another client's transfers go on and are right; a
 * server that is killed ends its client's transfer. Nothing is left behind: a second
 * round has as many descriptors and threads as the first.
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "bridge/bridge.h"
#include "bridge/memory.h"
#include "check.h"

#define CARD ((size_t)16 << 20)
#define BUFFER ((size_t)64 << 10)
#define ENTRIES 8u
#define RATE 40.0 /* MB/s: a victim's 8 MB take 0.2 s alone */
#define VICTIM_BYTES ((size_t)8 << 20)
#define STEADY_BYTES ((size_t)300 << 10)
#define LIMIT_NS (20 * UINT64_C(1000000000))

struct child {
    pid_t pid;
    int to, from; /* pipes: a server's name; bytes that say how it goes */
};

/* Before anything of libfabric is open in this process. */
static struct child spawn(int (*run)(int in, int out))
{
    int down[2], up[2];
    struct child c;

    CHECK(pipe(down) == 0 && pipe(up) == 0);
    c.pid = fork();
    CHECK(c.pid >= 0);
    if (c.pid == 0) {
        close(down[1]);
        close(up[0]);
        alarm(60);
        _exit(run(down[0], up[1]));
    }
    close(down[0]);
    close(up[1]);
    c.to = down[1];
    c.from = up[0];
    return c;
}

static void get(int from, void *at, size_t bytes)
{
    CHECK(read(from, at, bytes) == (ssize_t)bytes);
}

static void put(int to, const void *at, size_t bytes)
{
    CHECK(write(to, at, bytes) == (ssize_t)bytes);
}

static void end_child(struct child *c, int status)
{
    int how;

    CHECK(waitpid(c->pid, &how, 0) == c->pid);
    CHECK(how == status, "it ended with %#x", (unsigned)how);
    close(c->to);
    close(c->from);
}

static struct fsh_bridge_client *join(int in, double timeout)
{
    struct fsh_bridge_name name;
    struct fsh_bridge_client *c;
    char why[512] = "";

    get(in, &name, sizeof name);
    c = fsh_bridge_connect(&name, timeout, why, sizeof why);
    CHECK(c != NULL, "%s", why);
    return c;
}

/* Moves without end, until it is killed. */
static int victim(int in, int out)
{
    unsigned char *bytes = calloc(1, VICTIM_BYTES);
    struct fsh_bridge_client *c = join(in, 30);
    const struct fsh_bridge_transfer t = {.stages = FSH_BRIDGE_PATH_ROUND,
                                          .offset = CARD / 2,
                                          .bytes = VICTIM_BYTES,
                                          .source = bytes,
                                          .target = bytes};

    for (;;) {
        CHECK(fsh_bridge_begin(c, &t) == FSH_BRIDGE_PENDING);
        put(out, "b", 1);
        CHECK(fsh_bridge_wait(c) == FSH_BRIDGE_OK, "%s", fsh_bridge_why(c));
    }
}

/* Moves and compares until its pipe is closed. */
static int steady(int in, int out)
{
    static unsigned char source[STEADY_BYTES], target[STEADY_BYTES];
    struct fsh_bridge_client *c = join(in, 30);
    struct fsh_bridge_transfer t = {.stages = FSH_BRIDGE_PATH_ROUND,
                                    .bytes = STEADY_BYTES,
                                    .source = source,
                                    .target = target};
    char go;

    for (unsigned i = 0; read(in, &go, 1) == 1; i++) {
        for (size_t j = 0; j < STEADY_BYTES; j++)
            source[j] = (unsigned char)(j * 7 + i + j / 251);
        memset(target, 0, sizeof target);
        CHECK(fsh_bridge_begin(c, &t) == FSH_BRIDGE_PENDING);
        CHECK(fsh_bridge_wait(c) == FSH_BRIDGE_OK, "%s", fsh_bridge_why(c));
        CHECK(memcmp(source, target, sizeof source) == 0, "round %u", i);
        put(out, "d", 1);
    }
    fsh_bridge_close(c);
    return 0;
}

static void one_more(struct child *c)
{
    char done;

    put(c->to, "g", 1);
    get(c->from, &done, 1);
}

/* Until there are so many clients, with so many entries at least or at most. */
static void await(struct fsh_bridge_server *s, unsigned clients, bool busy)
{
    uint64_t end = fsh_time_ns() + LIMIT_NS;
    const struct timespec moment = {0, 1000000};
    struct fsh_bridge_counters n;

    do {
        n = fsh_bridge_count(s);
        CHECK(fsh_time_ns() < end, "%u clients, %u entries", n.clients,
              n.entries);
        nanosleep(&moment, NULL);
    } while (n.clients != clients || (n.entries != 0) != busy);
}

static struct fsh_bridge_server *serve(struct fsh_bridge_card **card,
                                       double timeout,
                                       struct fsh_bridge_name *name)
{
    const struct fsh_bridge_memory_setup memory = {
        .bytes = CARD, .dma_bytes = ENTRIES * BUFFER, .mb_per_s = RATE};
    const struct fsh_bridge_setup setup = {.entries = ENTRIES,
                                           .buffer = BUFFER,
                                           .timeout = timeout,
                                           .token = {1, 2}};
    struct fsh_bridge_server *s;
    char why[512] = "";

    *card = fsh_bridge_memory(&memory);
    CHECK(*card != NULL);
    s = fsh_bridge_serve(*card, &setup, name, why, sizeof why);
    CHECK(s != NULL, "%s", why);
    return s;
}

/* A victim in mid-transfer gets this signal; another client goes on before, meanwhile and
 * afterwards. */
static void lose_client(int signal)
{
    struct child lost = spawn(victim), other = spawn(steady);
    struct fsh_bridge_card *card;
    struct fsh_bridge_name name;
    struct fsh_bridge_server *s = serve(&card, 1.0, &name);
    char begun;

    put(lost.to, &name, sizeof name);
    put(other.to, &name, sizeof name);
    one_more(&other);
    get(lost.from, &begun, 1);
    await(s, 2, true);
    CHECK(kill(lost.pid, signal) == 0);
    one_more(&other);
    await(s, 1, false);
    one_more(&other);
    CHECK(fsh_bridge_count(s).failed == 1);
    kill(lost.pid, SIGKILL);
    end_child(&lost, SIGKILL);
    close(other.to);
    other.to = dup(0);
    end_child(&other, 0);
    await(s, 0, false);
    fsh_bridge_stop(s);
    fsh_bridge_memory_free(card);
}

static int server(int in, int out)
{
    struct fsh_bridge_card *card;
    struct fsh_bridge_name name;
    char never;

    serve(&card, 30, &name);
    put(out, &name, sizeof name);
    return read(in, &never, 1) == 1;
}

static void lose_server(void)
{
    static unsigned char bytes[VICTIM_BYTES];
    struct child lost = spawn(server);
    struct fsh_bridge_client *c = join(lost.from, 5);
    const struct fsh_bridge_transfer t = {
        .stages = FSH_BRIDGE_PATH_TO, .bytes = VICTIM_BYTES, .source = bytes};
    uint64_t begun = fsh_time_ns(), moved = 0;
    enum fsh_bridge_status status;

    CHECK(fsh_bridge_begin(c, &t) == FSH_BRIDGE_PENDING);
    CHECK(fsh_bridge_begin(c, &t) == FSH_BRIDGE_BUSY);
    while (moved == 0)
        CHECK(fsh_bridge_test(c, &moved) == FSH_BRIDGE_PENDING);
    kill(lost.pid, SIGKILL);
    status = fsh_bridge_wait(c);
    CHECK(status == FSH_BRIDGE_SILENT || status == FSH_BRIDGE_NETWORK,
          "status %d", (int)status);
    CHECK(fsh_time_ns() - begun < LIMIT_NS);
    CHECK(fsh_bridge_begin(c, &t) == status);
    printf("server lost: %s\n", fsh_bridge_why(c));
    fsh_bridge_close(c);
    end_child(&lost, SIGKILL);
}

static unsigned count(const char *folder)
{
    DIR *d = opendir(folder);
    unsigned n = 0;

    CHECK(d != NULL);
    while (readdir(d) != NULL)
        n++;
    closedir(d);
    return n;
}

/* The first round may leave what libraries and sanitizers keep; the second, nothing. */
int main(void)
{
    unsigned files = 0, threads = 0;

    alarm(100);
    for (unsigned round = 0; round < 2; round++) {
        unsigned last_files = files, last_threads = threads;

        lose_client(SIGKILL);
        lose_client(SIGSTOP);
        lose_server();
        files = count("/proc/self/fd");
        threads = count("/proc/self/task");
        CHECK(round == 0 || files == last_files, "%u files, %u before", files,
              last_files);
        CHECK(round == 0 || threads == last_threads, "%u threads, %u before",
              threads, last_threads);
    }
    puts("bridge_death: pass");
    return 0;
}
