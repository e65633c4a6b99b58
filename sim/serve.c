/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main loop of the simulator. While something is in flight it steps the fabric
 * and polls the ranks' rings every few steps; when all is quiet it polls for a while,
 * yielding to ranks that need the processor, then sleeps on the fabric's doorbell.
 * What is taken from the rings here is the only input that is not a function of the
 * simulated past.
 */
#include "serve.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "conduit/fpga/dma.h"
#include "base/trace.h"
#include "serve_dump.h"
#include "serve_state.h"
#include "trace.h"
#include "turns.h"

#define STOP_NS UINT64_C(300000000)
/* From the end of another host's simulator to that of this one; looks in between. */
#define PARTED_NS UINT64_C(10000000000)
#define PARTED_US 200u
#define PATIENCE_NS UINT64_C(500000) /* of each rank, times their number */

enum {
    PATIENT_NODES = 4, /* with fewer, ranks that spin cost less than waiting */
    GRACE = 400, /* polls of a quiet fabric before it takes what can wait */
    STEPS_PER_POLL = 8,        /* at most, and as soon as so much is done: */
    EVALUATIONS_PER_POLL = 16, /* of nodes, about a microsecond each */
    /* With fewer nodes than so many hosts are to be served as often: */
    SMALL_NODES = 8,
    SMALL_QUANTUM = 8,
    POLLS_PER_ACCOUNT = 512, /* between updates of the figures for displays */
    SPINS = 400,             /* polls before the first sched_yield ... */
    YIELDS = 400,            /* ... and polls, each with one, before sleep */
};

/* --- events of the fabric, seen by the ranks ---------------------------- */

static void wake_rank(struct fsh_sim_mmio *mmio, const void *word)
{
    /* Full fence: activity or done_seq is published before `waiting` is read.
     * Partner: the fence in device_sim.c between setting `waiting` and
     * rechecking. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&mmio->waiting, memory_order_relaxed) != 0)
        fsh_futex_wake(word, INT_MAX);
}

static void on_dma(void *arg, uint32_t node, uint64_t offset)
{
    const struct fsh_serve *serve = arg;
    struct fsh_sim_mmio *mmio = serve->port[node].mmio;
    uint32_t count =
        atomic_load_explicit(&mmio->activity, memory_order_relaxed);

    /* Nobody waits for the data of a move, whose end is an entry of a ring. */
    if (offset >= FSH_DMA_BRIDGE)
        return;
    if (serve->loses == node + 1)
        for (uint32_t peer = 0; peer < serve->nodes; peer++)
            memset(serve->dma[node] + FSH_DMA_CREDIT(peer), 0, FSH_BEAT_BYTES);
    /* Release: the data in the DMA window. Partner: the acquire load in
     * device_sim.c's activity(). Only this thread writes the word. */
    atomic_store_explicit(&mmio->activity, count + 1, memory_order_release);
    wake_rank(mmio, &mmio->activity);
}

static void on_read(void *arg, uint32_t node, uint64_t data)
{
    const struct fsh_serve *serve = arg;
    const struct fsh_serve_port *port = &serve->port[node];

    port->mmio->read_data = data;
    atomic_store_explicit(&port->mmio->dma_stored,
                          fsh_fabric_dma_stored(serve->fab, node),
                          memory_order_relaxed);
    /* Release: both. Partner: the acquire load in device_sim.c's read. */
    atomic_store_explicit(&port->mmio->done_seq, port->read_seen,
                          memory_order_release);
    wake_rank(port->mmio, &port->mmio->done_seq);
}

/* Relaxed: read after a completion, which comes later and is published. */
static void on_doorbell(void *arg, uint32_t node, uint64_t cycle)
{
    const struct fsh_serve *serve = arg;

    atomic_store_explicit(&serve->port[node].mmio->doorbell_cycle, cycle,
                          memory_order_relaxed);
}

static void on_gate(void *arg)
{
    const struct fsh_serve *serve = arg;

    atomic_store_explicit(&serve->shared->gate_done, serve->gate_seen,
                          memory_order_release);
}

/* Others that are to stop as well bring what is in flight to its end with this one. */
static bool is_stopped(void *arg)
{
    struct fsh_serve *serve = arg;

    fsh_serve_dump_asked(serve);
    if (!serve->stop)
        return false;
    if (serve->stop_ns == 0)
        serve->stop_ns = fsh_time_ns();
    return fsh_time_ns() - serve->stop_ns > STOP_NS;
}

/* --- calls of other partitions ------------------------------------------- */

static void ring(struct fsh_sim_fabric *shared)
{
    atomic_fetch_add(&shared->doorbell, 1);
    fsh_futex_wake(&shared->doorbell, INT_MAX);
}

/* While this one sleeps on the doorbell a thread waits for calls, and rings it. */
struct fsh_watch {
    struct fsh_partition partition;
    struct fsh_sim_fabric *shared;
    _Atomic uint32_t armed; /* 1: it waits for a call, or is about to; futex */
};

static void *watch(void *arg)
{
    struct fsh_watch *w = arg;

    for (;;) {
        /* Partner: arm. */
        while (!atomic_load_explicit(&w->armed, memory_order_acquire))
            fsh_futex_wait(&w->armed, 0, 0);
        fsh_partition_await_call(&w->partition);
        /* Before the bell, behind which it may be wanted again. */
        atomic_store(&w->armed, 0);
        ring(w->shared);
    }
    return NULL;
}

static void arm(struct fsh_watch *w)
{
    if (atomic_exchange(&w->armed, 1) == 0)
        fsh_futex_wake(&w->armed, 1);
}

/* Signals are for the thread that serves. The watch ends with the process. */
static bool open_watch(struct fsh_serve *serve, const struct fsh_partition *p)
{
    sigset_t all, before;
    pthread_t thread;
    int rc;

    serve->watch = calloc(1, sizeof *serve->watch);
    if (!serve->watch)
        return false;
    serve->watch->partition = *p;
    serve->watch->shared = serve->shared;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&thread, NULL, watch, serve->watch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = rc;
    return rc == 0 && pthread_detach(thread) == 0;
}

/* --- the job's objects --------------------------------------------------- */

static void *map_at(int fd, uint64_t at, size_t bytes, const char *what,
                    uint32_t node, char *err, size_t errlen)
{
    void *map =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);

    if (map != MAP_FAILED)
        return map;
    snprintf(err, errlen, "cannot map %zu bytes of %s of node %u: %s", bytes,
             what, node, strerror(errno));
    return NULL;
}

static void *map_object(int fd, size_t bytes, const char *what, uint32_t node,
                        char *err, size_t errlen)
{
    return map_at(fd, 0, bytes, what, node, err, errlen);
}

static bool map_node(struct fsh_serve *serve, const struct fsh_job_node *fds,
                     uint32_t i, char *err, size_t errlen)
{
    struct fsh_sim_mmio *mmio;

    serve->dram[i] = map_object(fds->dram_fd, serve->dram_bytes,
                                "device memory", i, err, errlen);
    serve->dma[i] =
        map_object(fds->dma_fd, serve->dma_bytes, "DMA window", i, err, errlen);
    mmio = map_object(fds->mmio_fd, sizeof *mmio, "registers", i, err, errlen);
    serve->port[i].mmio = mmio;
    if (!mmio || !serve->dram[i] || !serve->dma[i])
        return false;
    mmio->magic = FSH_SIM_MAGIC;
    return true;
}

struct fsh_serve *fsh_serve_open(const struct fsh_job *job,
                                 struct fsh_fabric_config *config, char *err,
                                 size_t errlen)
{
    struct fsh_serve *serve = calloc(1, sizeof *serve);
    const struct fsh_partition *p = config->partition;
    uint32_t nodes = job->config.nodes;

    if (nodes > FSH_MAX_NODES) {
        snprintf(err, errlen, "%u nodes are more than the %u a fabric can have",
                 nodes, FSH_MAX_NODES);
        free(serve);
        return NULL;
    }
    if (serve) {
        serve->nodes = nodes;
        serve->first = p ? p->first[p->index] : 0;
        serve->past = p ? p->first[p->index + 1] : nodes;
        serve->partitioned = p != NULL;
        serve->page = job->page;
        serve->dram_bytes = job->config.dram_bytes;
        serve->dma_bytes = FSH_SIM_DMA_BYTES;
        serve->port = calloc(nodes, sizeof *serve->port);
        serve->dram = calloc(nodes, sizeof *serve->dram);
        serve->dma = calloc(nodes, sizeof *serve->dma);
    }
    if (!serve || !serve->port || !serve->dram || !serve->dma) {
        snprintf(err, errlen, "out of memory");
        goto undo;
    }
    serve->shared =
        map_at(job->shared_fd, job->page->fabric_at, sizeof *serve->shared,
               "the fabric object", 0, err, errlen);
    if (!serve->shared)
        goto undo;
    for (uint32_t i = serve->first; i < serve->past; i++)
        if (!map_node(serve, &job->node[i], i, err, errlen))
            goto undo;
    serve->shared->magic = FSH_SIM_MAGIC;
    serve->shared->nodes = nodes;
    config->nodes = nodes;
    if (nodes < SMALL_NODES)
        config->quantum = SMALL_QUANTUM;
    config->topology = &job->config.topology;
    config->dram_bytes = serve->dram_bytes;
    config->dma_bytes = serve->dma_bytes;
    config->dram = serve->dram;
    config->dma = serve->dma;
    config->events = (struct fsh_fabric_events){
        .arg = serve,
        .dma_written = on_dma,
        .read_done = on_read,
        .doorbell = on_doorbell,
        .gate_open = on_gate,
        .stops = is_stopped,
    };
    if (p && !open_watch(serve, p)) {
        snprintf(err, errlen, "cannot start a thread: %s", strerror(errno));
        goto undo;
    }
    return serve;
undo:
    fsh_serve_close(serve);
    return NULL;
}

void fsh_serve_tell(struct fsh_serve *serve,
                    const struct fsh_fabric_config *config)
{
    serve->shared->assumed = (struct fsh_sim_assumed){
        .link_cycles = config->link_cycles,
        .dram_cycles = config->dram_cycles,
        .dram_write_cycles = config->dram_write_cycles,
        .dram_bytes_cycle = config->dram_bytes_cycle,
        .pcie_cycles = config->pcie_cycles,
        .pcie_bytes_cycle = config->pcie_bytes_cycle,
        .disturbed = config->stall,
    };
}

void fsh_serve_no_horizon(struct fsh_serve *serve)
{
    serve->no_horizon = true;
}

void fsh_serve_lose_credits(struct fsh_serve *serve, uint32_t node)
{
    serve->loses = node + 1;
}

void fsh_serve_over_hosts(struct fsh_serve *serve)
{
    serve->over_hosts = true;
}

const char *fsh_serve_failure(const struct fsh_serve *serve)
{
    return serve->failure[0] != '\0' ? serve->failure : NULL;
}

void fsh_serve_close(struct fsh_serve *serve)
{
    if (!serve)
        return;
    for (uint32_t i = serve->first; i < serve->past; i++) {
        if (serve->dram && serve->dram[i])
            munmap(serve->dram[i], serve->dram_bytes);
        if (serve->dma && serve->dma[i])
            munmap(serve->dma[i], serve->dma_bytes);
        if (serve->port && serve->port[i].mmio)
            munmap(serve->port[i].mmio, sizeof *serve->port[i].mmio);
    }
    if (serve->shared && !serve->watch) /* that has its own end */
        munmap(serve->shared, sizeof *serve->shared);
    free(serve->port);
    free(serve->dram);
    free(serve->dma);
    free(serve);
}

/* --- what the ranks ask for ---------------------------------------------- */

/* Does a rank merely ask again, while others have work in the fabric or are about
 * to? Then what they do is more urgent, for a time. */
static bool held_back(struct fsh_serve *serve, struct fsh_serve_port *port)
{
    uint64_t now;

    if (!atomic_load_explicit(&port->mmio->patient, memory_order_relaxed)) {
        serve->urgent = true;
        return false;
    }
    if (!serve->urgent || serve->nodes < PATIENT_NODES)
        return false;
    now = fsh_time_ns();
    if (port->since == 0)
        port->since = now;
    return now - port->since < PATIENCE_NS * serve->nodes;
}

void fsh_serve_catch_up(const struct fsh_serve *serve, struct fsh_fabric *fab,
                        uint64_t clock)
{
    uint64_t to = serve->start + clock;

    if (to <= fsh_fabric_cycle(fab))
        return;
    fsh_fabric_pass(fab, to);
    /* Other partitions may have to come along. */
    if (!serve->partitioned || to <= fsh_fabric_cycle(fab))
        return;
    fsh_fabric_hosts(fab, to);
    fsh_fabric_again(fab);
    while (fsh_fabric_cycle(fab) < to && fsh_fabric_quantum(fab, to))
        continue;
    fsh_fabric_hosts(fab, UINT64_MAX);
}

/* Made no later than where the rank is. */
static uint64_t write_clock(const struct fsh_sim_turn *turn,
                            const struct fsh_sim_write *w)
{
    return turn->clock - ((uint32_t)turn->clock - w->clock);
}

/* The register read after all of a rank's writes, if there is one. */
static bool take_read(struct fsh_serve *serve, struct fsh_fabric *fab,
                      uint32_t node, uint32_t read, uint64_t tail)
{
    struct fsh_serve_port *port = &serve->port[node];

    if (read == port->read_seen || port->head != tail)
        return false;
    fsh_serve_catch_up(serve, fab, port->mmio->turn.clock);
    if (!fsh_fabric_host_read(fab, node, port->mmio->read_offset & 0x7fff))
        return false;
    port->read_seen = read;
    return true;
}

/* Take what a rank has written. True if anything was; *drained is cleared if
 * something had to stay in its ring. all: also what can wait. */
static bool poll_port(struct fsh_serve *serve, struct fsh_fabric *fab,
                      uint32_t node, bool all, bool *drained)
{
    struct fsh_serve_port *port = &serve->port[node];
    struct fsh_sim_mmio *mmio = port->mmio;
    /* Acquire, and before tail: writes made before a read are in tail when the
     * read is seen. Partner: the release of read_seq in device_sim.c. */
    uint32_t read = atomic_load_explicit(&mmio->read_seq, memory_order_acquire);
    /* Acquire: the records. Partner: the release of tail in device_sim.c. */
    uint64_t tail = atomic_load_explicit(&mmio->tail, memory_order_acquire);
    bool any = port->head != tail;

    if (any && !all && held_back(serve, port)) {
        *drained = false;
        return false;
    }
    port->since = 0;
    if (any)
        port->wrote_ns = fsh_time_ns();
    while (port->head != tail) {
        const struct fsh_sim_write *w =
            &mmio->ring[port->head % FSH_SIM_WRITES];

        fsh_serve_catch_up(serve, fab, write_clock(&mmio->turn, w));
        if (!fsh_fabric_host_write(fab, node, w->offset & 0x7fff, w->data)) {
            *drained = false;
            break;
        }
        port->head++;
    }
    if (any) /* Release: the records are read. Partner: acquire in the rank. */
        atomic_store_explicit(&mmio->head, port->head, memory_order_release);
    return any | take_read(serve, fab, node, read, tail);
}

/* Take what the ranks ask for, or, if not all, what cannot wait. Whether there was
 * anything; *drained: nothing is left. */
static bool take(struct fsh_serve *serve, struct fsh_fabric *fab, bool all,
                 bool *drained)
{
    /* Acquire, and before the rings, for the same reason as read_seq. Partner:
     * the increment in device_sim.c's open_gate. */
    uint32_t gate =
        atomic_load_explicit(&serve->shared->gate_seq, memory_order_acquire);
    bool gates = gate != serve->gate_seen || fsh_fabric_gate_heard(fab);
    /* Acquire, before the rings too. Partner: the store in tools/fshperf. */
    uint32_t wanted = atomic_load_explicit(&serve->shared->dram_write_wanted,
                                           memory_order_acquire);
    bool any = false;

    *drained = true;
    if (wanted != serve->dram_write)
        fsh_fabric_dram_write(fab, serve->dram_write = wanted);

    for (uint32_t i = serve->first; i < serve->past; i++)
        any |= poll_port(serve, fab, i, all || gates, drained);
    if (gates && *drained) {
        for (uint32_t i = serve->first; i < serve->past; i++)
            fsh_serve_catch_up(serve, fab, serve->port[i].mmio->turn.clock);
        serve->gate_seen = gate;
        fsh_fabric_gate(fab);
        any = true;
    }
    return any;
}

/* Have all ranks come to where simulated time begins, and has it not yet? Those of this
 * host: the simulators of several agree on the rest. */
static bool clocks_begin(const struct fsh_serve *serve)
{
    /* Acquire, partner: clock_begin in device_sim.c. */
    return !serve->clocks &&
           atomic_load_explicit(&serve->shared->clocks, memory_order_acquire) ==
               (serve->over_hosts ? serve->past - serve->first : serve->nodes);
}

static bool poll_hosts(struct fsh_serve *serve, struct fsh_fabric *fab,
                       bool all)
{
    bool drained;

    return take(serve, fab, all, &drained) || clocks_begin(serve) ||
           fsh_fabric_called(fab);
}

bool fsh_serve_take(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    bool drained;

    take(serve, fab, true, &drained);
    return drained;
}

/* --- working and waiting ------------------------------------------------- */

static uint64_t cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/* Several partitions on a host show one figure. */
static void add(_Atomic uint64_t *shown, uint64_t *before, uint64_t now)
{
    atomic_fetch_add_explicit(shown, now - *before, memory_order_relaxed);
    *before = now;
}

void fsh_serve_show(struct fsh_serve *serve, const struct fsh_fabric *fab)
{
    atomic_store_explicit(&serve->shared->cycle, fsh_fabric_cycle(fab),
                          memory_order_relaxed);
    add(&serve->shared->evaluated, &serve->shown, fsh_fabric_evaluated(fab));
}

static void account(struct fsh_serve *serve, const struct fsh_fabric *fab)
{
    uint64_t now = cpu_ns();

    serve->busy_ns += now - serve->busy_since;
    serve->busy_since = now;
    fsh_serve_show(serve, fab);
    add(&serve->shared->host_ns, &serve->shown_ns, serve->busy_ns);
}

/* The end, by its own job or, where another partition has ended, by that one's. */
static bool is_over(struct fsh_serve *serve, const struct fsh_fabric *fab)
{
    if (fsh_fabric_parted(fab) && !serve->over_hosts)
        serve->stop = 1;
    return serve->stop || fsh_fabric_error(fab);
}

/* All ranks of the job have left when the simulator of a host ends, and those here are
 * about to end this one. False: they are not. */
static bool await_end(struct fsh_serve *serve)
{
    uint64_t start = fsh_time_ns();

    while (!serve->stop && fsh_time_ns() - start < PARTED_NS)
        usleep(PARTED_US);
    if (!serve->stop)
        snprintf(serve->failure, sizeof serve->failure,
                 "the simulator of another host has ended in order, but the "
                 "ranks here have not left %llu s later",
                 (unsigned long long)(PARTED_NS / UINT64_C(1000000000)));
    return serve->stop;
}

/* Step until nothing is pending. */
static void work(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    bool pending = true, drained;
    unsigned polls = 0;

    serve->busy_since = cpu_ns();
    serve->quiet_ns = 0;
    while ((pending || take(serve, fab, false, &drained)) &&
           !is_over(serve, fab)) {
        uint64_t enough = fsh_fabric_evaluated(fab) + EVALUATIONS_PER_POLL;

        pending = true;
        for (unsigned i = 0; i < STEPS_PER_POLL && pending &&
                             fsh_fabric_evaluated(fab) < enough;
             i++)
            pending = fsh_fabric_quantum(fab, UINT64_MAX);
        if (pending)
            take(serve, fab, false, &drained);
        fsh_serve_dump_asked(serve);
        if (++polls % POLLS_PER_ACCOUNT == 0)
            account(serve, fab);
    }
    account(serve, fab);
    serve->quiet_ns = fsh_time_ns();
}

/* Look for work for a while; true if there is some. */
static bool linger(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    for (unsigned i = 0; i < SPINS + YIELDS && !serve->stop; i++) {
        if (poll_hosts(serve, fab, i >= GRACE))
            return true;
        if (i >= GRACE)
            serve->urgent = false;
        if (i < SPINS)
            fsh_cpu_relax();
        else
            sched_yield();
    }
    return false;
}

static void sleep_until_rung(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    struct fsh_sim_fabric *shared = serve->shared;
    uint32_t seen =
        atomic_load_explicit(&shared->doorbell, memory_order_relaxed);

    atomic_fetch_add_explicit(&shared->sleeping, 1, memory_order_relaxed);
    if (serve->watch)
        arm(serve->watch);
    /* Full fence: `sleeping` is published before the rings are looked at
     * again. Partner: the fence in device_sim.c's ring_bell, between the
     * write and its look at `sleeping`. A bell rung after `seen` was read
     * makes the wait return at once. */
    atomic_thread_fence(memory_order_seq_cst);
    if (!poll_hosts(serve, fab, true) && !serve->stop && !serve->dump_wanted)
        fsh_futex_wait(&shared->doorbell, seen, 0);
    atomic_fetch_sub_explicit(&shared->sleeping, 1, memory_order_relaxed);
}

bool fsh_serve_run(struct fsh_serve *serve, struct fsh_fabric *fab)
{
    serve->fab = fab;
    if (!fsh_trace_is_simulated())
        fsh_sim_trace_begin(fab);
    while (!serve->stop && !fsh_fabric_error(fab)) {
        if (clocks_begin(serve)) {
            serve->clocks = true;
            serve->busy_since = cpu_ns();
            fsh_turns_run(serve, fab);
            account(serve, fab);
            if (fsh_serve_failure(serve))
                return false;
        }
        work(serve, fab);
        if (!serve->stop && !fsh_fabric_error(fab) && fsh_fabric_parted(fab) &&
            !await_end(serve))
            return false;
        if (!is_over(serve, fab) && !linger(serve, fab))
            sleep_until_rung(serve, fab);
        fsh_serve_dump_asked(serve);
    }
    fsh_serve_dump_asked(
        serve); /* before the end that was asked for after it */
    fsh_sim_trace_end(fab);
    return !fsh_fabric_error(fab);
}

uint64_t fsh_serve_busy_ns(const struct fsh_serve *serve)
{
    return serve->busy_ns;
}

void fsh_serve_stop(struct fsh_serve *serve)
{
    serve->stop = 1;
    /* The flag, then the bell: whoever read the bell before finds it changed,
     * and fsh_futex_wait returns. */
    ring(serve->shared);
}
