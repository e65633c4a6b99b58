/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fabric in several partitions (sim/partition.c), here each in a thread of its own, with
 * scripted nodes: the events of each cycle are those of one process, for rings and tori,
 * any cut, long links and short ones, by sockets of the host and of the network. A gate opens in one cycle everywhere; a partition
 * that is quiet is called by the others; one that ends, fails or stays away is noticed.
 * Also runs under the thread sanitizer.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "fabric_script.h"

enum { ROUNDS = 12, WRITES = 20, LAST = 1 << 18 };

/* --- one partition ---------------------------------------------------------- */

struct part {
    struct fsh_fabric_config config;
    struct fsh_partition partition;
    uint64_t rounds;     /* then it ends, unless ... */
    bool serves;         /* ... until the others end; */
    bool again;          /* when all is quiet, it begins once more */
    uint64_t gate_round; /* of the first partition: asks for a gate */
    unsigned looks;      /* at whether to stop, until that is so; 0: never */
    bool stopped;
    uint64_t hash, evaluated, memory;
    unsigned gates; /* that have opened */
    char error[512];
    pthread_t thread;
};

static void on_gate(void *arg)
{
    ((struct part *)arg)->gates++;
}

static bool stops(void *arg)
{
    struct part *part = arg;

    if (part->looks > 0 && --part->looks == 0)
        part->stopped = true;
    return part->stopped;
}

static bool is_here(const struct fsh_fabric *fab, uint32_t node)
{
    return node >= fsh_fabric_first(fab) && node < fsh_fabric_past(fab);
}

/* Some nodes get something to do; of those that are here. */
static void prod(struct fsh_fabric *fab, uint64_t round, uint32_t nodes)
{
    uint64_t random = mix(11, round);

    for (unsigned i = 0; i < WRITES; i++) {
        uint32_t node;

        random = mix(random, i);
        node = (uint32_t)(random >> 40) % nodes;
        if (is_here(fab, node))
            fsh_fabric_host_write(fab, node,
                                  8 * ((uint32_t)(random >> 20) % 64), random);
    }
    if (is_here(fab, (uint32_t)round % nodes))
        fsh_fabric_host_read(fab, (uint32_t)round % nodes, 0);
}

/* On to exactly this cycle. */
static void until(const struct part *part, struct fsh_fabric *fab,
                  uint64_t cycle)
{
    fsh_fabric_hosts(fab, cycle);
    while (fsh_fabric_cycle(fab) < cycle && !fsh_fabric_error(fab) &&
           !part->stopped)
        if (!fsh_fabric_quantum(fab, cycle) && !fsh_fabric_error(fab))
            fsh_fabric_pass(fab, cycle);
    fsh_fabric_hosts(fab, UINT64_MAX);
}

static uint64_t memory_of(struct fsh_fabric *fab)
{
    uint64_t sum = 0;

    for (uint32_t n = fsh_fabric_first(fab); n < fsh_fabric_past(fab); n++) {
        uint64_t hash = n;

        for (unsigned i = 0; i < DRAM; i += 8) {
            uint64_t word;

            memcpy(&word, fsh_fabric_dram(fab, n) + i, 8);
            hash = mix(hash, word);
        }
        sum += hash;
    }
    return sum;
}

/* What is under way comes to its end, and others may begin anew. */
static void serve(const struct part *part, struct fsh_fabric *fab)
{
    fsh_fabric_run(fab, LAST);
    while (!fsh_fabric_parted(fab) && !fsh_fabric_error(fab)) {
        if (!fsh_fabric_called(fab))
            fsh_partition_await_call(&part->partition);
        fsh_fabric_run(fab, LAST);
    }
}

static void work(struct part *part, struct fsh_fabric *fab)
{
    for (uint64_t round = 0; round < part->rounds; round++) {
        if (round == part->gate_round && part->partition.index == 0)
            fsh_fabric_gate(fab);
        prod(fab, round, part->config.nodes);
        until(part, fab, fsh_fabric_cycle(fab) + 300 + round);
        if (fsh_fabric_gate_heard(fab))
            fsh_fabric_gate(fab);
        if (fsh_fabric_error(fab))
            return;
    }
    if (part->serves)
        serve(part, fab);
    else if (part->rounds == ROUNDS)
        CHECK(fsh_fabric_run(fab, LAST) || fsh_fabric_error(fab), "not quiet");
}

static void *run(void *arg)
{
    struct part *part = arg;
    struct fsh_fabric *fab;
    char err[512];

    part->config.events.arg = part;
    part->config.events.gate_open = on_gate;
    part->config.events.stops = stops;
    if (part->partition.count > 1)
        part->config.partition = &part->partition;
    fab = fsh_fabric_create(&part->config, err, sizeof err);
    CHECK(fab != NULL, "%s", err);
    work(part, fab);
    if (part->again) { /* the other one serves */
        prod(fab, ROUNDS, part->config.nodes);
        CHECK(fsh_fabric_run(fab, LAST), "not quiet");
    }
    part->hash = fsh_fabric_hash(fab);
    part->evaluated = fsh_fabric_evaluated(fab);
    part->memory = memory_of(fab);
    snprintf(part->error, sizeof part->error, "%s",
             fsh_fabric_error(fab) ? fsh_fabric_error(fab) : "");
    CHECK(fsh_fabric_destroy(fab));
    return NULL;
}

/* --- several ----------------------------------------------------------------- */

static struct part part[NODES];

static bool by_network;

/* As between hosts. */
static void connect_pair(int pair[2])
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof at;
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(listener, (struct sockaddr *)&at, sizeof at) == 0 &&
          listen(listener, 1) == 0 &&
          getsockname(listener, (struct sockaddr *)&at, &bytes) == 0 &&
          connect(pair[0], (struct sockaddr *)&at, sizeof at) == 0);
    pair[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    CHECK(pair[1] >= 0);
    close(listener);
    for (unsigned i = 0; i < 2; i++)
        CHECK(setsockopt(pair[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) ==
              0);
}

static void cut(const struct fsh_fabric_config *config, uint32_t count)
{
    int pair[2];
    memset(part, 0, sizeof part);
    for (uint32_t i = 0; i < count; i++) {
        part[i].config = *config;
        part[i].rounds = ROUNDS;
        part[i].gate_round = UINT64_MAX;
        part[i].partition.index = i;
        part[i].partition.count = count;
        for (uint32_t j = 0; j <= count; j++)
            part[i].partition.first[j] = j * config->nodes / count;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (by_network)
                connect_pair(pair);
            else
                CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
                                 pair) == 0);
            part[i].partition.peer[j] = pair[0];
            part[j].partition.peer[i] = pair[1];
        }
}

static void go(uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        CHECK(pthread_create(&part[i].thread, NULL, run, &part[i]) == 0);
    run(&part[0]);
    for (uint32_t i = 1; i < count; i++)
        CHECK(pthread_join(part[i].thread, NULL) == 0);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            if (i != j)
                close(part[i].partition.peer[j]);
}

struct outcome {
    uint64_t hash, evaluated, memory, state[NODES];
};

static struct outcome outcome(const struct fsh_fabric_config *config,
                              uint32_t count)
{
    struct outcome o = {0};

    cut(config, count);
    go(count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(part[i].error[0] == '\0', "%s", part[i].error);
        o.hash += part[i].hash;
        o.evaluated += part[i].evaluated;
        o.memory += part[i].memory;
    }
    memcpy(o.state, final_state, config->nodes * sizeof o.state[0]);
    return o;
}

static void same(const struct fsh_fabric_config *config, const char *what)
{
    struct outcome one = outcome(config, 1);

    CHECK(one.evaluated > 500, "%s: only %llu", what,
          (unsigned long long)one.evaluated);
    for (unsigned i = 0; i < 3; i++) {
        uint32_t count = i < 2 ? 2 + i : config->nodes;
        struct outcome o;

        if (count > config->nodes)
            continue;
        o = outcome(config, count);

        CHECK(o.hash == one.hash, "%s, %u partitions: other writes", what,
              count);
        CHECK(memcmp(&o, &one, sizeof o) == 0,
              "%s, %u partitions: other states", what, count);
    }
}

static void test_same(void)
{
    struct fsh_fabric_config config = usual();
    struct fsh_topology torus;
    char err[256];

    same(&config, "usual");
    config.nodes = 2;
    same(&config, "two nodes");
    if (by_network) /* carries no other bytes then */
        return;
    config.nodes = 8;
    same(&config, "eight nodes");
    CHECK(fsh_topology_make(&torus, "torus:4x2", 8, FSH_NODE_PORTS, err,
                            sizeof err),
          "%s", err);
    config.topology = &torus;
    same(&config, "torus");
    config = usual();
    config.link_cycles = 1;
    same(&config, "short links");
    config.link_cycles = 190;
    same(&config, "long links");
    config = usual();
    config.quantum = 7;
    config.threads = 2;
    same(&config, "threads and short quanta");
    config = usual();
    config.stall = true;
    config.stall_seed = 5;
    config.link_jitter = 9;
    same(&config, "stalls and jitter");
}

/* All that was written before is in the nodes; then the gate opens, in one cycle. */
static void test_gate(void)
{
    struct fsh_fabric_config config = usual();

    for (uint32_t count = 2; count <= 4; count++) {
        memset(gate_cycle, 0, sizeof gate_cycle);
        cut(&config, count);
        part[0].gate_round = 3;
        go(count);
        for (uint32_t i = 0; i < count; i++)
            CHECK(part[i].gates == 1, "partition %u of %u: %u gates", i, count,
                  part[i].gates);
        for (uint32_t n = 0; n < NODES; n++)
            CHECK(gate_cycle[n] != 0 && gate_cycle[n] == gate_cycle[0],
                  "node %u: %llu, not %llu", n,
                  (unsigned long long)gate_cycle[n],
                  (unsigned long long)gate_cycle[0]);
    }
}

/* A partition that has no hosts' requests of its own goes on with another one, however
 * often that begins, until it ends. */
static void test_called(void)
{
    struct fsh_fabric_config config = usual();
    uint64_t evaluated;

    cut(&config, 2);
    part[1].serves = true;
    go(2);
    evaluated = part[1].evaluated;
    cut(&config, 2);
    part[1].serves = true;
    part[0].again = true;
    go(2);
    CHECK(part[0].error[0] == '\0' && part[1].error[0] == '\0', "%s%s",
          part[0].error, part[1].error);
    CHECK(part[1].evaluated > evaluated, "nothing was done for the other one");
}

/* One of three ends: the others go on. */
static void test_end(void)
{
    struct fsh_fabric_config config = usual();

    cut(&config, 3);
    part[1].rounds = ROUNDS / 2;
    go(3);
    for (uint32_t i = 0; i < 3; i++)
        CHECK(part[i].error[0] == '\0', "%s", part[i].error);
}

/* A node fails: so does its partition, and the others say which one that was. */
static void test_failure(void)
{
    struct fsh_fabric_config config = usual();

    fault[11].cycle = 2000;
    cut(&config, 3);
    go(3);
    memset(fault, 0, sizeof fault);
    CHECK(strstr(part[2].error, "node 11:"), "%s", part[2].error);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(strstr(part[i].error, "the simulator of nodes 8 to 12 is gone"),
              "%s", part[i].error);
}

/* One never comes: the other can be stopped. */
static void test_absent(void)
{
    struct fsh_fabric_config config = usual();

    cut(&config, 2);
    part[0].looks = 210; /* some of them before it sleeps */
    part[0].rounds = 1;
    go(1);
    CHECK(part[0].stopped, "was not asked whether to stop");
    close(part[0].partition.peer[1]);
    close(part[1].partition.peer[0]);
}

/* Another program has the other end. */
static void test_stranger(void)
{
    struct fsh_fabric_config config = usual();
    char text[64] = "GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n";

    cut(&config, 2);
    CHECK(write(part[1].partition.peer[0], text, sizeof text) == sizeof text);
    go(1);
    CHECK(strstr(part[0].error, "the simulator of nodes 6 to 12 is of another "
                                "release"),
          "%s", part[0].error);
    close(part[0].partition.peer[1]);
    close(part[1].partition.peer[0]);
}

/* Hosts may have been told different things. */
static void test_settings(void)
{
    struct fsh_fabric_config config = usual();

    cut(&config, 2);
    part[1].config.dram_cycles++;
    go(2);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(strstr(part[i].error, "has other settings") ||
                  strstr(part[i].error, "is gone"),
              "%s", part[i].error);
    CHECK(strstr(part[0].error, "has other settings") ||
              strstr(part[1].error, "has other settings"),
          "neither says it: %s", part[0].error);
}

int main(void)
{
    alarm(110);
    for (unsigned i = 0; i < 2; i++) {
        by_network = i == 1;
        test_same();
        test_gate();
        test_called();
        test_end();
        test_failure();
        test_absent();
        test_stranger();
        test_settings();
    }
    puts("PASS");
    return 0;
}
