/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads and quanta of a fabric (sim/step.c, sim/crew.c), with scripted nodes that
 * send, read and write at random: the events of each cycle are the same for any
 * number of threads and with one cycle at a time; of several failures the first is
 * reported; hosts learn of nothing before it was announced; no thread is left. Also
 * runs under the thread sanitizer.
 */
#include <dirent.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/sim/sim_shm.h"
#include "fabric.h"
#include "node_wrap.h"
#include "check.h"

enum { NODES = 13, ROUNDS = 16, WRITES = 20, DRAM = 1 << 16, DMA = 1 << 14 };
enum { LOOKS = 100000 }; /* a bound: some 0.5 s */

extern _Thread_local const char *sim_bare_error;

/* --- the scripted node ---------------------------------------------------- */

struct burst { /* of a master */
    bool ar, aw, w;
    uint32_t beats, reads; /* to be written; asked for */
    uint64_t addr;
};

struct fsh_node {
    struct fsh_node_io *io;
    uint32_t index;
    uint32_t busy;  /* cycles to go on by itself ... */
    uint32_t storm; /* ... and to send in each */
    uint64_t state; /* of all that it has seen, and when */
    struct burst burst[FSH_NODE_MASTERS];
};

static uint64_t final_state[NODES];
static struct {
    uint64_t cycle; /* 0: none */
    bool assertion;
} fault[NODES];

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ (hash >> 29);
}

static uint32_t draw(struct fsh_node *node, uint32_t below)
{
    node->state = mix(node->state, below);
    return (uint32_t)(node->state >> 33) % below;
}

struct fsh_node *fsh_node_create(struct fsh_node_io *io, uint32_t index,
                                 uint64_t seed, struct fsh_node_waves *waves)
{
    struct fsh_node *node = calloc(1, sizeof *node);

    (void)waves;
    CHECK(node != NULL);
    node->io = io;
    node->index = index;
    node->state = mix(seed, index);
    return node;
}

void fsh_node_destroy(struct fsh_node *node)
{
    if (!node)
        return;
    final_state[node->index] = node->state;
    free(node);
}

static void see(struct fsh_node *node)
{
    const struct fsh_node_in *in = &node->io->in;
    uint64_t seen = node->state;
    bool any = in->gate || (in->awvalid && node->io->out.awready);

    if (any)
        seen = mix(seen, in->wdata + in->awaddr + in->gate);
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
        if (in->rx[p].valid) {
            any = true;
            seen = mix(seen, in->rx[p].data[0] + p);
        }
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++)
        if (in->axi[m].rvalid || in->axi[m].bvalid) {
            any = true;
            seen =
                mix(seen, in->axi[m].bvalid + 2u * in->axi[m].rvalid + 4 * m);
            seen = mix(seen, in->axi[m].rvalid ? in->axi[m].rdata[1] : 0);
        }
    if (!any)
        return;
    node->state = mix(seen, in->cycle);
    if (node->busy < 200)
        node->busy += in->awvalid ? 60 : draw(node, 3);
    if (in->awvalid)
        node->storm = 48;
}

/* Bursts of up to four beats, one at a time. */
static void drive_master(struct fsh_node *node, uint32_t m)
{
    const struct fsh_axi_in *in = &node->io->in.axi[m];
    struct fsh_axi_out *out = &node->io->out.axi[m];
    struct burst *b = &node->burst[m];
    bool host = m == FSH_NODE_HOST;

    b->ar = b->ar && !in->arready;
    b->aw = b->aw && !in->awready;
    b->reads -= in->rvalid;
    if (b->w && in->wready) {
        b->w = --b->beats > 0;
        out->wdata[0] = draw(node, 1u << 30);
    }
    if (node->busy > 0 && !b->ar && !b->aw && !b->w && b->reads == 0 &&
        draw(node, 12) == 0) {
        b->beats = 1 + draw(node, 4);
        b->addr = (host ? FSH_SIM_DMA_BUS : FSH_SIM_DRAM_BASE) +
                  64 * draw(node, (uint32_t)((host ? DMA : DRAM) / 64));
        b->ar = draw(node, 2) == 0;
        b->aw = b->w = !b->ar;
        b->reads = b->ar ? b->beats : 0;
        out->wdata[0] = out->wdata[1] = node->state;
        out->awlen = out->arlen = (uint8_t)(b->beats - 1);
        out->awaddr = out->araddr = b->addr;
        out->wstrb = 0xffff;
    }
    out->arvalid = b->ar;
    out->awvalid = b->aw;
    out->wvalid = b->w;
    out->wlast = b->w && b->beats == 1;
    out->bready = out->rready = 1;
}

static void break_down(struct fsh_node *node)
{
    static const char what[] = "assertion";

    if (fault[node->index].assertion)
        sim_bare_error = what;
    else {
        node->io->out.axi[0].awvalid = 1;
        node->io->out.axi[0].awaddr = 0; /* no memory is there */
    }
}

void fsh_node_eval(struct fsh_node *node)
{
    const struct fsh_node_in *in = &node->io->in;
    struct fsh_node_out *out = &node->io->out;

    if (in->rst) {
        memset(out, 0, sizeof *out);
        out->idle = out->awready = out->wready = out->arready = 1;
        return;
    }
    see(node);
    out->bvalid = in->awvalid && out->awready;
    out->rvalid = in->arvalid && out->arready;
    out->rdata = node->state;
    for (uint32_t m = 0; m < FSH_NODE_MASTERS; m++)
        drive_master(node, m);
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
        out->tx[p].valid =
            node->busy > 0 && (node->storm > 0 || draw(node, 8) == 0);
        out->tx[p].bound = 0;
        out->tx[p].data[0] = out->tx[p].data[1] = node->state;
    }
    node->busy -= node->busy > 0;
    node->storm -= node->storm > 0;
    out->idle = node->busy == 0;
    if (fault[node->index].cycle != 0 && in->cycle >= fault[node->index].cycle)
        break_down(node);
}

/* --- a run ---------------------------------------------------------------- */

struct outcome {
    uint64_t cycle, hash, evaluated, memory, told, state[NODES];
    char error[256];
};

static _Atomic uint64_t told; /* events of all nodes */

static void on_event(void *arg, uint32_t node, uint64_t offset)
{
    (void)arg;
    (void)offset;
    atomic_fetch_add(&told, 1 + node);
}

static void on_read(void *arg, uint32_t node, uint64_t data)
{
    (void)arg;
    atomic_fetch_add(&told, (1 + node) * data);
}

static struct fsh_fabric *fabric(const struct fsh_fabric_config *given,
                                 uint32_t threads)
{
    struct fsh_fabric_config config = *given;
    struct fsh_fabric *fab;
    char err[256];

    config.threads = threads;
    config.events.dma_written = on_event;
    config.events.read_done = on_read;
    told = 0;
    fab = fsh_fabric_create(&config, err, sizeof err);
    CHECK(fab != NULL, "%s", err);
    return fab;
}

/* Some nodes get something to do. */
static void prod(struct fsh_fabric *fab, uint64_t round)
{
    uint64_t random = mix(7, round);

    for (unsigned i = 0; i < WRITES; i++) {
        random = mix(random, i);
        fsh_fabric_host_write(fab, (uint32_t)(random >> 40) % NODES,
                              8 * ((uint32_t)(random >> 20) % 64), random);
    }
    fsh_fabric_host_read(fab, (uint32_t)round % NODES, 0);
    if (round == ROUNDS / 2)
        fsh_fabric_gate(fab);
}

static void by_steps(struct fsh_fabric *fab, uint64_t cycles)
{
    uint64_t end = fsh_fabric_cycle(fab) + cycles;

    while (fsh_fabric_cycle(fab) < end)
        if (!fsh_fabric_step(fab))
            break;
}

static uint64_t memory_of(struct fsh_fabric *fab)
{
    uint64_t hash = 0;

    for (uint32_t n = 0; n < NODES; n++)
        for (unsigned i = 0; i < DRAM; i += 8) {
            uint64_t word;

            memcpy(&word, fsh_fabric_dram(fab, n) + i, 8);
            hash = mix(hash, word);
            if (i < DMA)
                memcpy(&word, fsh_fabric_dma(fab, n) + i, 8);
            hash = mix(hash, word);
        }
    return hash;
}

/* What is under way comes to its end. */
static bool settles(struct fsh_fabric *fab, uint32_t threads)
{
    if (threads != 0)
        return fsh_fabric_run(fab, 100000);
    by_steps(fab, 100000);
    return fsh_fabric_next(fab) == UINT64_MAX;
}

/* threads 0: one, and a cycle at a time. */
static struct outcome run(const struct fsh_fabric_config *config,
                          uint32_t threads, bool shared)
{
    struct fsh_fabric *fab = fabric(config, threads ? threads : 1);
    struct fsh_fabric_stats stats;
    struct outcome o;

    for (uint64_t round = 0; round < ROUNDS && !fsh_fabric_error(fab);
         round++) {
        prod(fab, round);
        if (threads == 0)
            by_steps(fab, 300 + round);
        else
            fsh_fabric_run(fab, 300 + round);
    }
    CHECK(fsh_fabric_error(fab) || settles(fab, threads), "not quiet");
    memset(&o, 0, sizeof o);
    o.cycle = fsh_fabric_cycle(fab);
    if (fsh_fabric_error(fab))
        snprintf(o.error, sizeof o.error, "%s", fsh_fabric_error(fab));
    fsh_fabric_stats(fab, &stats);
    CHECK(threads < 2 || !shared || stats.shared > stats.quanta / 4,
          "%llu of %llu quanta", (unsigned long long)stats.shared,
          (unsigned long long)stats.quanta);
    o.hash = fsh_fabric_hash(fab);
    o.evaluated = fsh_fabric_evaluated(fab);
    o.memory = memory_of(fab);
    o.told = told;
    CHECK(fsh_fabric_destroy(fab));
    memcpy(o.state, final_state, sizeof o.state);
    return o;
}

static struct fsh_fabric_config usual(void)
{
    struct fsh_fabric_config config;

    fsh_fabric_defaults(&config);
    config.nodes = NODES;
    config.dram_bytes = DRAM;
    config.dma_bytes = DMA;
    return config;
}

/* --- the tests ------------------------------------------------------------ */

/* By one thread to `most`, in steps: where other programs are at work each thread waits
 * for a processor in every quantum. */
static void same(const struct fsh_fabric_config *config, uint32_t step,
                 const char *what)
{
    static uint64_t last; /* digest, of what was set otherwise */
    struct outcome first = run(config, 0, false);

    CHECK(first.error[0] == '\0', "%s: %s", what, first.error);
    CHECK(first.hash != last, "%s: no other digest", what);
    last = first.hash;
    CHECK(first.evaluated > 5000, "%s: only %llu", what,
          (unsigned long long)first.evaluated);
    for (uint32_t threads = 1; threads <= 4; threads += step) {
        struct outcome o = run(config, threads, config->link_cycles > 8);

        CHECK(o.cycle == first.cycle, "%s, %u threads: cycle %llu, not %llu",
              what, threads, (unsigned long long)o.cycle,
              (unsigned long long)first.cycle);
        CHECK(memcmp(&o, &first, sizeof o) == 0,
              "%s, %u threads: other states, writes or events", what, threads);
    }
}

static void test_same(void)
{
    struct fsh_fabric_config config = usual();

    same(&config, 1, "usual");
    config.link_cycles = 1;
    same(&config, 2, "short links");
    config.link_cycles = 200;
    same(&config, 2, "long links");
    config = usual();
    config.quantum = 7;
    same(&config, 2, "short quanta");
    config = usual();
    config.stall = true;
    config.stall_seed = 5;
    same(&config, 2, "stalls");
    config.link_jitter = 9;
    same(&config, 1, "jitter");
}

/* A recording of one number of threads is replayed by another. */
static void test_recording(void)
{
    char name[] = "/tmp/fabric_threads.XXXXXX", err[256];
    struct fsh_fabric_config config = usual(), replay = usual();
    struct outcome first;
    struct fsh_fabric *fab;
    int fd = mkstemp(name);

    CHECK(fd >= 0);
    close(fd);
    config.record = name;
    first = run(&config, 3, true);
    replay.replay = name;
    for (replay.threads = 1; replay.threads <= 4; replay.threads++) {
        fab = fsh_fabric_create(&replay, err, sizeof err);
        CHECK(fab != NULL, "%s", err);
        while (fsh_fabric_quantum(fab, UINT64_MAX))
            continue;
        CHECK(fsh_fabric_error(fab) == NULL, "%s", fsh_fabric_error(fab));
        CHECK(fsh_fabric_replay_over(fab));
        CHECK(fsh_fabric_hash(fab) == first.hash, "%u threads", replay.threads);
        CHECK(fsh_fabric_cycle(fab) == first.cycle);
        CHECK(fsh_fabric_destroy(fab));
    }
    unlink(name);
}

/* Several nodes fail in one quantum: the first is reported, of two in a cycle the
 * lower. */
static void test_failures(void)
{
    /* The memory sees what a node asks for in the next cycle. */
    static const char *const expected[] = {
        "node 11:", "node 4:", "node 11:", "assertion (cycle 2000)"};
    struct fsh_fabric_config config = usual();

    for (unsigned kind = 0; kind < 4; kind++) {
        struct outcome first;

        memset(fault, 0, sizeof fault);
        fault[11].cycle = kind & 1 ? 2000 : 1990;
        fault[7].cycle = fault[4].cycle = 2000;
        fault[4].assertion = fault[7].assertion = kind & 2;
        first = run(&config, 0, false);
        CHECK(strstr(first.error, expected[kind]), "%s", first.error);
        for (uint32_t threads = 1; threads <= 4; threads++) {
            struct outcome o = run(&config, threads, false);

            CHECK(strcmp(o.error, first.error) == 0, "%u threads: %s, not %s",
                  threads, o.error, first.error);
            CHECK(o.cycle == first.cycle, "%u threads", threads);
        }
    }
    memset(fault, 0, sizeof fault);
}

/* What tells hosts something comes no earlier than fsh_fabric_told has said. */
static void test_told(void)
{
    struct fsh_fabric_config config = usual();
    struct fsh_fabric *fab;
    uint64_t most = 0, events = 0;

    config.stall = true;
    fab = fabric(&config, 1);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        prod(fab, round);
        for (unsigned i = 0; i < 300; i++) {
            uint64_t cycle = fsh_fabric_cycle(fab);
            uint64_t announced = fsh_fabric_told(fab);

            most = announced > most ? announced : most;
            fsh_fabric_step(fab);
            if (told == events)
                continue;
            events = told;
            CHECK(cycle + 1 >= most, "told in cycle %llu, announced %llu",
                  (unsigned long long)cycle, (unsigned long long)most);
        }
    }
    CHECK(events > 0);
    CHECK(fsh_fabric_destroy(fab));
}

static unsigned tasks(void)
{
    DIR *dir = opendir("/proc/self/task");
    unsigned n = 0;

    CHECK(dir != NULL);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* It is ended while its nodes are busy, and when no quantum was ever shared. */
static void test_end(void)
{
    struct fsh_fabric_config config = usual();
    unsigned before = tasks();

    for (unsigned i = 0; i < 40; i++) {
        struct fsh_fabric *fab = fabric(&config, 1 + i % 4);

        for (uint64_t round = 0; round < i % 5; round++) {
            prod(fab, round);
            fsh_fabric_run(fab, 200);
        }
        CHECK(fsh_fabric_destroy(fab));
        /* The kernel may list a thread for a moment after it was joined. */
        for (unsigned look = 0; look < LOOKS && tasks() != before; look++)
            sched_yield();
        CHECK(tasks() == before, "%u threads, %u before", tasks(), before);
    }
}

static void test_threads(void)
{
    static const uint32_t want[][3] = {{2, 8, 1},  {7, 8, 1},  {8, 8, 2},
                                       {8, 1, 1},  {32, 2, 2}, {32, 64, 4},
                                       {64, 3, 3}, {64, 1, 1}, {12, 8, 3}};
    struct fsh_fabric_config config = usual();
    char err[256];

    for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++)
        CHECK(fsh_fabric_threads(want[i][0], want[i][1]) == want[i][2],
              "%u nodes, %u processors", want[i][0], want[i][1]);
    config.threads = FSH_MAX_NODES + 1;
    CHECK(!fsh_fabric_create(&config, err, sizeof err));
    CHECK(strstr(err, "threads: 65 is not in 0..64"), "%s", err);
}

int main(void)
{
    alarm(110);
    test_threads();
    test_same();
    test_recording();
    test_failures();
    test_told();
    test_end();
    puts("PASS");
    return 0;
}
