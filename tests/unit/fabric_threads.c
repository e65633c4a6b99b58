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
#include "fabric_script.h"

enum { ROUNDS = 16, WRITES = 20 };
enum { LOOKS = 100000 }; /* a bound: some 0.5 s */

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
