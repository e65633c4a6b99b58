/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute cores of conduit smp with all ranks in one process: each has a worker
 * and a host, and every host commands all workers at once, more than their queues
 * hold. Nothing is lost or duplicated, order is kept, and sent data is visible when
 * its completion is; a worker that waits for an event blocks neither the other queue
 * nor its shutdown; hosts that wait run commands of their own core. Also for ThreadSanitizer.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cpu.h"
#include "check.h"
#include "conduit/smp/worker.h"

enum { RANKS = 3, SLOTS = 8, ROUNDS = 400, PIECE = 256, EVENT = 3, GATE = 4 };
#define LIMIT_NS UINT64_C(60000000000)

/* In the memory of each rank: by host and slot a command and a source, by host,
 * sender and slot a destination. */
#define COMMANDS 0u
#define SOURCES (RANKS * SLOTS * 128u)
#define DESTS (SOURCES + RANKS * SLOTS * PIECE)
#define BYTES (DESTS + RANKS * RANKS * SLOTS * PIECE)

static struct fsh_smp_compute cores[RANKS];
static unsigned char memory_of[RANKS][BYTES];
static struct fsh_smp_memory memory[RANKS];
static struct fsh_smp_worker workers[RANKS];
static _Atomic uint32_t stop;

struct host {
    unsigned rank;
    uint64_t head;           /* completions taken */
    bool busy[RANKS][SLOTS]; /* a command is out */
    unsigned char key[RANKS][SLOTS];
    unsigned done;
};

static unsigned dest_at(unsigned host, unsigned from, unsigned slot)
{
    return DESTS + ((host * RANKS + from) * SLOTS + slot) * PIECE;
}

/* Command `slot` of a host at node t: send PIECE bytes to the next node. */
static void write_command(const struct host *h, unsigned t, unsigned slot)
{
    unsigned at = h->rank * SLOTS + slot, next = (t + 1) % RANKS;
    uint64_t w[FSH_CCMD_WORDS] = {0};

    fsh_ccmd_set_op(w, FSH_COP_SEND);
    fsh_ccmd_set_k(w, PIECE / 4);
    fsh_ccmd_set_art_count(w, 5);
    fsh_ccmd_set_x_addr(w, (SOURCES + at * PIECE) / 64);
    fsh_ccmd_set_art_addr(w, dest_at(h->rank, t, slot) / 64);
    fsh_ccmd_set_art_mask(w, UINT64_C(1) << next);
    fsh_ccmd_set_signal(w, 1);
    fsh_ccmd_set_signal_event(w, EVENT);
    fsh_ccmd_set_signal_mask(w, UINT64_C(1) << next);
    fsh_ccmd_set_complete(w, 1);
    fsh_ccmd_set_complete_node(w, h->rank);
    fsh_ccmd_set_cookie(w, t * SLOTS + slot);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    memcpy(memory_of[t] + COMMANDS + at * 128, w, sizeof w);
    memset(memory_of[t] + SOURCES + at * PIECE, h->key[t][slot], PIECE);
}

static void take(struct host *h)
{
    unsigned cookie, status;

    while (fsh_smp_compute_completed(&cores[h->rank], &h->head, &cookie,
                                     &status)) {
        unsigned t = cookie / SLOTS, slot = cookie % SLOTS;
        const unsigned char *dest =
            memory_of[(t + 1) % RANKS] + dest_at(h->rank, t, slot);

        CHECK(status == FSH_STATUS_OK && t < RANKS && h->busy[t][slot]);
        for (unsigned i = 0; i < PIECE; i++)
            CHECK(dest[i] == h->key[t][slot]);
        h->busy[t][slot] = false;
        h->done++;
    }
}

static void wait_for_slot(struct host *h, unsigned t, unsigned slot)
{
    uint64_t limit = fsh_time_ns() + LIMIT_NS;

    while (h->busy[t][slot]) {
        take(h);
        fsh_smp_worker_help(&workers[h->rank]);
        sched_yield();
        CHECK(fsh_time_ns() < limit, "host %u: node %u does not complete",
              h->rank, t);
    }
}

static void *host_body(void *arg)
{
    struct host *h = arg;

    for (unsigned i = 0; i < ROUNDS * RANKS; i++) {
        unsigned t = (h->rank + i) % RANKS, slot = i / RANKS % SLOTS;
        unsigned at = h->rank * SLOTS + slot;

        wait_for_slot(h, t, slot);
        h->key[t][slot] = (unsigned char)(i + h->rank);
        write_command(h, t, slot);
        h->busy[t][slot] = true;
        while (!fsh_smp_compute_run(&cores[t], FSH_SMP_MOVER,
                                    (COMMANDS + at * 128) / 64, 1)) {
            take(h);
            sched_yield();
        }
    }
    for (unsigned i = 0; i < RANKS * SLOTS; i++)
        wait_for_slot(h, i / SLOTS, i % SLOTS);
    CHECK(h->done == ROUNDS * RANKS);
    return NULL;
}

static void *worker_body(void *arg)
{
    fsh_smp_worker_run(arg, &stop);
    return NULL;
}

/* A NOP in the array queue of each node that waits for what never comes: the
 * movers work all the same, and the workers end. */
static void block_arrays(void)
{
    uint64_t w[FSH_CCMD_WORDS] = {0};

    fsh_ccmd_set_await(w, 1);
    fsh_ccmd_set_await_event(w, GATE);
    fsh_ccmd_set_await_count(w, 1);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    for (unsigned r = 0; r < RANKS; r++) {
        memcpy(memory_of[r] + BYTES - 128, w, sizeof w);
        CHECK(fsh_smp_compute_run(&cores[r], FSH_SMP_ARRAY, (BYTES - 128) / 64,
                                  1));
    }
}

static void traffic(void)
{
    pthread_t worker[RANKS], host[RANKS];
    struct host hosts[RANKS];

    memset(hosts, 0, sizeof hosts);
    block_arrays();
    for (unsigned r = 0; r < RANKS; r++) {
        memory[r] = (struct fsh_smp_memory){memory_of[r], BYTES};
        workers[r] = (struct fsh_smp_worker){.rank = r,
                                             .ranks = RANKS,
                                             .cores = cores,
                                             .memory = memory,
                                             .lock = FSH_SMP_WORKER_LOCK};
        hosts[r].rank = r;
    }
    for (unsigned r = 0; r < RANKS; r++) {
        CHECK(pthread_create(&worker[r], NULL, worker_body, &workers[r]) == 0);
        CHECK(pthread_create(&host[r], NULL, host_body, &hosts[r]) == 0);
    }
    for (unsigned r = 0; r < RANKS; r++)
        pthread_join(host[r], NULL);
    atomic_store(&stop, 1);
    for (unsigned r = 0; r < RANKS; r++) {
        fsh_smp_compute_wake(&cores[r]);
        pthread_join(worker[r], NULL);
        CHECK(fsh_smp_compute_await(&cores[r], EVENT, RANKS * ROUNDS));
        CHECK(!fsh_smp_compute_await(&cores[r], EVENT, 1));
    }
}

/* ---- one thread ----------------------------------------------------------- */

static void queue_limits(void)
{
    struct fsh_smp_compute *core = calloc(1, sizeof *core);
    uint64_t head = 0, done = 0;
    uint32_t addr, count;
    unsigned cookie, status;

    for (unsigned lap = 0; lap < 50; lap++) {
        for (unsigned i = 0; i < FSH_SMP_LISTS; i++)
            CHECK(fsh_smp_compute_run(core, 0, lap + i, 1 + i));
        CHECK(!fsh_smp_compute_run(core, 0, 1, 1));
        CHECK(fsh_smp_compute_run(core, 1, 7, 1) || lap >= FSH_SMP_LISTS);
        for (unsigned i = 0; i < FSH_SMP_LISTS; i++)
            CHECK(fsh_smp_compute_take(core, 0, &head, &addr, &count) &&
                  addr == lap + i && count == 1 + i);
        CHECK(!fsh_smp_compute_take(core, 0, &head, &addr, &count));
    }
    for (unsigned i = 0; i < FSH_SMP_DONES; i++)
        CHECK(fsh_smp_compute_complete(core, i, i % 9));
    CHECK(!fsh_smp_compute_complete(core, 0, 0));
    for (unsigned i = 0; i < FSH_SMP_DONES; i++)
        CHECK(fsh_smp_compute_completed(core, &done, &cookie, &status) &&
              cookie == i && status == i % 9);
    CHECK(!fsh_smp_compute_completed(core, &done, &cookie, &status));
    free(core);
}

static void events(void)
{
    struct fsh_smp_compute *core = calloc(1, sizeof *core);

    CHECK(!fsh_smp_compute_await(core, 63, 1));
    fsh_smp_compute_signal(core, 63, 255);
    CHECK(!fsh_smp_compute_await(core, 63, 256));
    CHECK(fsh_smp_compute_await(core, 63, 200));
    CHECK(fsh_smp_compute_await(core, 63, 55));
    CHECK(!fsh_smp_compute_await(core, 63, 1) &&
          !fsh_smp_compute_await(core, 62, 1));
    free(core);
}

static void add(struct fsh_smp_compute *core, unsigned event, uint32_t count)
{
    for (; count > 0; count -= count < 255 ? count : 255)
        fsh_smp_compute_signal(core, event, count < 255 ? count : 255);
}

/* What pends is more than a command can wait for at once; then, as much as a
 * counter takes. The same as hw/tb/compute/tb_fsh_cevents.cpp. */
static void events_many(void)
{
    struct fsh_smp_compute *core = calloc(1, sizeof *core);

    add(core, 5, 65536);
    CHECK(fsh_smp_compute_await(core, 5, 65535));
    CHECK(fsh_smp_compute_await(core, 5, 1));
    CHECK(!fsh_smp_compute_await(core, 5, 1));
    add(core, 5, 200000);
    for (unsigned i = 0; i < 3; i++)
        CHECK(fsh_smp_compute_await(core, 5, 65535));
    CHECK(fsh_smp_compute_await(core, 5, 200000 - 3 * 65535));
    CHECK(!fsh_smp_compute_await(core, 5, 1));
    atomic_store(&core->event[7], FSH_EVENT_FULL - 1);
    fsh_smp_compute_signal(core, 7, 255); /* the last that counts */
    fsh_smp_compute_signal(core, 7, 255);
    CHECK(atomic_load(&core->event[7]) == FSH_EVENT_FULL + 254);
    CHECK(fsh_smp_compute_await(core, 7, 255));
    fsh_smp_compute_signal(core, 7, 1);
    fsh_smp_compute_signal(core, 7, 1);
    CHECK(atomic_load(&core->event[7]) == FSH_EVENT_FULL);
    free(core);
}

/* Who is told that there is something in its memory: after it is there, and
 * before the signal and the completion. */
static unsigned pokes[RANKS];

static void on_poke(void *arg, uint32_t rank)
{
    const struct host *h = arg;
    const unsigned char *dest = memory_of[rank] + dest_at(h->rank, 0, 0);

    CHECK(rank < RANKS);
    if (rank == 1)
        CHECK(dest[0] == h->key[0][0] && dest[PIECE - 1] == h->key[0][0]);
    CHECK(!fsh_smp_compute_await(&cores[1], EVENT, 1));
    pokes[rank]++;
}

static void results_poke(void)
{
    struct host h = {.rank = 0, .key = {{0x5a}}};
    struct fsh_smp_worker w = {.rank = 0,
                               .ranks = RANKS,
                               .cores = cores,
                               .memory = memory,
                               .poke = on_poke,
                               .arg = &h,
                               .lock = FSH_SMP_WORKER_LOCK};
    unsigned cookie, status;

    for (unsigned r = 0; r < RANKS; r++)
        memory[r] = (struct fsh_smp_memory){memory_of[r], BYTES};
    write_command(&h, 0, 0); /* node 0 sends to node 1 */
    CHECK(fsh_smp_compute_run(&cores[0], FSH_SMP_MOVER, COMMANDS / 64, 1));
    CHECK(fsh_smp_worker_step(&w));
    CHECK(pokes[1] != 0, "nobody told the receiver of a result");
    CHECK(pokes[0] != 0, "nobody told the owner of a result");
    CHECK(pokes[2] == 0);
    CHECK(fsh_smp_compute_await(&cores[1], EVENT, 1));
    CHECK(fsh_smp_compute_completed(&cores[0], &h.head, &cookie, &status) &&
          cookie == 0 && status == FSH_STATUS_OK);
    memset(cores, 0, sizeof cores);
}

/* ---- commands on a thread that waits -------------------------------------- */

/* A square product of n x n, which fails, since it leaves the segment: it needs no time. */
static void write_product(uint64_t n)
{
    uint64_t w[FSH_CCMD_WORDS] = {0};

    fsh_ccmd_set_op(w, FSH_COP_GEMM);
    fsh_ccmd_set_m(w, n);
    fsh_ccmd_set_n(w, n);
    fsh_ccmd_set_k(w, n);
    fsh_ccmd_set_ldx(w, n / 16);
    fsh_ccmd_set_ldw(w, n / 16);
    fsh_ccmd_set_ldc(w, n / 16);
    fsh_ccmd_set_x_addr(w, BYTES / 64);
    fsh_ccmd_set_tile_x(w, 1);
    fsh_ccmd_set_tile_w(w, 1);
    fsh_ccmd_set_complete(w, 1);
    fsh_ccmd_set_cookie(w, n);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
    memcpy(memory_of[0] + COMMANDS, w, sizeof w);
}

/* The product of that size was run by this thread, once. */
static bool has_run(struct host *h, unsigned n)
{
    unsigned cookie, status;
    bool any = fsh_smp_compute_completed(&cores[0], &h->head, &cookie, &status);

    CHECK(!any || (cookie == n && status == FSH_STATUS_LOCAL_RANGE));
    return any;
}

/* A list that is added wakes nobody, and `help` takes what is short, unless the worker
 * is at work. */
static void helping(void)
{
    struct fsh_smp_worker *w = &workers[0];
    struct host h = {0};

    memset(cores, 0, sizeof cores);
    *w = (struct fsh_smp_worker){.ranks = 1,
                                 .cores = cores,
                                 .memory = memory,
                                 .lock = FSH_SMP_WORKER_LOCK};
    memory[0] = (struct fsh_smp_memory){memory_of[0], BYTES};
    CHECK(!fsh_smp_worker_help(w));
    write_product(16);
    CHECK(fsh_smp_compute_add(&cores[0], FSH_SMP_ARRAY, COMMANDS / 64, 1));
    CHECK(atomic_load(&cores[0].work) == 0);
    fsh_lock_take(&w->lock);
    CHECK(!fsh_smp_worker_help(w) && !has_run(&h, 16));
    fsh_lock_give(&w->lock);
    CHECK(fsh_smp_worker_help(w) && has_run(&h, 16) && !has_run(&h, 16));
    CHECK(!fsh_smp_worker_help(w));
    write_product(1024);
    CHECK(fsh_smp_compute_run(&cores[0], FSH_SMP_ARRAY, COMMANDS / 64, 1));
    CHECK(atomic_load(&cores[0].work) == 1);
    CHECK(!fsh_smp_worker_help(w) && !has_run(&h, 1024));
    CHECK(fsh_smp_worker_step(w) && has_run(&h, 1024));
}

int main(void)
{
    queue_limits();
    events();
    events_many();
    results_poke();
    traffic();
    helping();
    return 0;
}
