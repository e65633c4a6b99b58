/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device "sim": a node inside fshsim, reached through the shared memory of
 * sim_shm.h. Used by conduit fpga through fsh_device_sim. The conduit's lock
 * serialises this process's write, read and open_gate; activity and wait may be
 * called on any thread. Posting is a copy into a ring and a fence; a system
 * call is made only to wake a sleeping simulator.
 */
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fsh_spec.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/numa.h"
#include "base/simulated.h"
#include "base/wait.h"
#include "boot/boot.h"
#include "device/device.h"
#include "device/sim/sim_shm.h"
#include "device/sim/threads.h"
#include "device/sim/turn.h"

struct fsh_device {
    struct fsh_sim_mmio *mmio;
    struct fsh_sim_fabric *fabric;
    uint64_t tail; /* total records written */
    uint64_t head; /* total records known to be consumed */
    bool patient;  /* copy of mmio->patient */
    struct fsh_turn turn;
    struct fsh_device_memory mem;
};

static bool sim_usable(char *why, size_t whylen)
{
    char path[4096];

    return fsh_job_find_sim(path, sizeof path, why, whylen) == 0;
}

static void *map_fd(enum fsh_fd_kind kind, uint64_t at, size_t bytes,
                    const char *what)
{
    int fd = fsh_boot_fd(kind);
    void *map;

    if (fd < 0)
        fsh_fatal("device sim: the job has no %s for this rank (it was started "
                  "for another conduit)",
                  what);
    map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)at);
    if (map == MAP_FAILED)
        fsh_fatal("device sim: cannot map %zu bytes of %s: %s (is the limit "
                  "on address space, ulimit -v, too low?)",
                  bytes, what, strerror(errno));
    return map;
}

static struct fsh_device *sim_open(struct fsh_device_memory *mem)
{
    struct fsh_device *dev = calloc(1, sizeof *dev);

    if (!dev)
        fsh_fatal("device sim: out of memory");
    dev->mmio = map_fd(FSH_FD_MMIO, 0, sizeof *dev->mmio, "registers");
    dev->fabric = map_fd(FSH_FD_SHARED, fsh_boot_page()->fabric_at,
                         sizeof *dev->fabric, "fabric object");
    if (dev->mmio->magic != FSH_SIM_MAGIC ||
        dev->fabric->magic != FSH_SIM_MAGIC)
        fsh_fatal("device sim: fshsim and this program are from different "
                  "builds (magic 0x%x, expected 0x%x): relink the program",
                  dev->mmio->magic, FSH_SIM_MAGIC);
    dev->tail = dev->head =
        atomic_load_explicit(&dev->mmio->tail, memory_order_relaxed);
    dev->mem = (struct fsh_device_memory){
        .dma_bytes = FSH_SIM_DMA_BYTES,
        .dma_bus = FSH_SIM_DMA_BUS,
        .segment_bytes = fsh_boot_page()->dram_bytes,
        .segment_base = FSH_SIM_DRAM_BASE,
        .simulated = true,
    };
    dev->mem.dma = map_fd(FSH_FD_DMA, 0, dev->mem.dma_bytes, "DMA window");
    dev->mem.segment =
        map_fd(FSH_FD_DRAM, 0, dev->mem.segment_bytes, "device memory");
    /* The simulator touches most of it first. */
    fsh_numa_prefer_home(dev->mem.segment, dev->mem.segment_bytes,
                         (size_t)sysconf(_SC_PAGESIZE));
    *mem = dev->mem;
    return dev;
}

static void sim_close(struct fsh_device *dev)
{
    munmap(dev->mem.segment, dev->mem.segment_bytes);
    munmap(dev->mem.dma, dev->mem.dma_bytes);
    munmap(dev->fabric, sizeof *dev->fabric);
    munmap(dev->mmio, sizeof *dev->mmio);
    free(dev);
}

static void ring_bell(struct fsh_device *dev)
{
    if (dev->turn.on) /* it looks when the turn is given back */
        return;
    /* Full fence: publishes tail, read_seq or gate_seq before the load of
     * `sleeping`. Partner: the fence in the simulator's sleep_until_rung. */
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&dev->fabric->sleeping, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&dev->fabric->doorbell, 1,
                                  memory_order_relaxed);
        fsh_futex_wake(&dev->fabric->doorbell, INT_MAX);
    }
}

/* The simulator answers in microseconds; this long without any progress means
 * that it is stopped (a debugger, SIGSTOP). */
#define STUCK_S 60

static void is_stuck(struct fsh_wait *wait, const char *what)
{
    (void)wait;
    fsh_fatal("device sim: %s: the simulator made no progress for %u s", what,
              STUCK_S);
}

/* The ring soon has room again, and nothing wakes a thread that waits for
 * it. */
static const struct fsh_wait_kind for_room = {
    .who = "device sim", .spins = 200, .expired = is_stuck};

static void clock_busy(struct fsh_device *dev)
{
    if (dev->turn.on)
        fsh_threads_act();
}

/* Slow path of a write: the ring is full. */
static void await_room(struct fsh_device *dev)
{
    struct fsh_wait wait = {.limit_ms = STUCK_S * 1000};

    ring_bell(dev);
    for (;;) {
        /* Acquire: the simulator has read the records about to be overwritten.
         * Partner: the release of head in serve.c. */
        uint64_t head =
            atomic_load_explicit(&dev->mmio->head, memory_order_acquire);

        if (dev->tail - head < FSH_SIM_WRITES) {
            dev->head = head;
            fsh_wait_end(&wait);
            return;
        }
        if (dev->turn.on) {
            clock_busy(dev);
            fsh_turn_acted(&dev->turn, 0); /* only the simulator makes room */
            fsh_turn_next(&dev->turn, FSH_SIM_WAKE_TIME, 0, dev->turn.now + 1);
        } else {
            fsh_wait_pause(&for_room, &wait, "register write");
        }
    }
}

/* The simulator reads one word for the whole ring, so one urgent record makes
 * all urgent. */
static void sim_patience(struct fsh_device *dev, bool patient)
{
    if (patient && atomic_load_explicit(&dev->mmio->head,
                                        memory_order_relaxed) != dev->tail)
        patient = false;
    if (patient == dev->patient)
        return;
    dev->patient = patient;
    /* Relaxed: published by the later release of tail or read_seq. */
    atomic_store_explicit(&dev->mmio->patient, patient, memory_order_relaxed);
}

static void sim_write(struct fsh_device *dev, uint32_t off,
                      const uint64_t *words, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        struct fsh_sim_write *slot =
            &dev->mmio->ring[dev->tail % FSH_SIM_WRITES];

        if (dev->tail - dev->head >= FSH_SIM_WRITES)
            await_room(dev);
        slot->offset = off + i * (uint32_t)sizeof *words;
        slot->clock = (uint32_t)dev->turn.now;
        slot->data = words[i];
        dev->tail++;
        /* Release: the record, and all stores of this thread to DMA window and
         * segment. Partner: the acquire of tail in serve.c. */
        atomic_store_explicit(&dev->mmio->tail, dev->tail,
                              memory_order_release);
    }
    clock_busy(dev);
    fsh_turn_acted(&dev->turn, dev->fabric->assumed.pcie_cycles);
    ring_bell(dev);
}

/* Sleeps briefly if a word of mmio still has the value `seen`. */
static void nap(struct fsh_sim_mmio *mmio, _Atomic uint32_t *word,
                uint32_t seen, uint64_t max_ns)
{
    /* Sequentially consistent and a full fence: publishes `waiting` before the word is
     * reread. Partner: the fence in serve.c's wake_rank. */
    atomic_fetch_add(&mmio->waiting, 1);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(word, memory_order_relaxed) == seen)
        fsh_futex_wait(word, seen, max_ns);
    atomic_fetch_sub_explicit(&mmio->waiting, 1, memory_order_relaxed);
}

struct read_wait {
    struct fsh_wait wait;
    struct fsh_sim_mmio *mmio;
};

static bool nap_for_read(struct fsh_wait *wait, uint64_t ns)
{
    struct fsh_sim_mmio *mmio = ((struct read_wait *)(void *)wait)->mmio;

    nap(mmio, &mmio->done_seq, wait->seen, ns);
    return true;
}

static void read_is_stuck(struct fsh_wait *wait, const char *what)
{
    const struct fsh_sim_mmio *mmio = ((struct read_wait *)(void *)wait)->mmio;

    fsh_fatal("device sim: %s of register 0x%" PRIx32 ": the simulator made no "
              "progress for %u s",
              what, mmio->read_offset, STUCK_S);
}

static const struct fsh_wait_kind for_read = {.who = "device sim",
                                              .spins = 200,
                                              .yields = 1800,
                                              .nap_us = 20000,
                                              .most_us = 20000,
                                              .sleep = nap_for_read,
                                              .expired = read_is_stuck};

static uint64_t sim_read(struct fsh_device *dev, uint32_t off)
{
    struct fsh_sim_mmio *mmio = dev->mmio;
    struct read_wait w = {.wait.limit_ms = STUCK_S * 1000, .mmio = mmio};
    uint32_t before =
        atomic_load_explicit(&mmio->read_seq, memory_order_relaxed);

    sim_patience(dev, false);
    clock_busy(dev);
    mmio->read_offset = off;
    /* Release: read_offset, and the tail of all earlier writes. Partner: the
     * acquire of read_seq in serve.c. */
    atomic_store_explicit(&mmio->read_seq, before + 1, memory_order_release);
    ring_bell(dev);
    if (dev->turn.on) /* only this thread runs, as above */
        fsh_turn_next(&dev->turn, FSH_SIM_WAKE_READ, 0, 0);
    /* Acquire: read_data. Partner: the release of done_seq in serve.c. */
    while ((w.wait.seen = atomic_load_explicit(
                &mmio->done_seq, memory_order_acquire)) != before + 1)
        fsh_wait_pause(&for_read, &w.wait, "a register read");
    fsh_wait_end(&w.wait);
    return mmio->read_data;
}

static uint32_t sim_activity(struct fsh_device *dev)
{
    /* Acquire: the data written. Partner: the release in serve.c's on_dma. */
    return atomic_load_explicit(&dev->mmio->activity, memory_order_acquire);
}

/* False: called in a signal handler that interrupted a wait. */
static bool wait_in_turn(struct fsh_device *dev, uint32_t seen, uint64_t max_ns)
{
    uint64_t cycles = (max_ns + FSH_NS_PER_CYCLE - 1) / FSH_NS_PER_CYCLE;

    if (fsh_threads_inside())
        return fsh_threads_again(FSH_SIM_WAKE_ACTIVITY, seen,
                                 dev->turn.now + cycles);
    fsh_threads_enter();
    fsh_threads_next(FSH_SIM_WAKE_ACTIVITY, seen, dev->turn.now + cycles);
    return true;
}

static void sim_wait(struct fsh_device *dev, uint32_t seen, uint64_t max_ns)
{
    if (max_ns == 0 || sim_activity(dev) != seen)
        return;
    if (!dev->turn.on || !wait_in_turn(dev, seen, max_ns))
        nap(dev->mmio, &dev->mmio->activity, seen, max_ns);
}

static void sim_open_gate(struct fsh_device *dev)
{
    /* Release: all earlier writes of this rank. Partner: the acquire of
     * gate_seq in serve.c. */
    atomic_fetch_add_explicit(&dev->fabric->gate_seq, 1, memory_order_release);
    fsh_turn_acted(&dev->turn, 0); /* taken at this cycle */
    ring_bell(dev);
}

/* ---- simulated time ---- */

static void clock_begin(struct fsh_device *dev, bool several)
{
    /* Release: all that this rank has written. Partner: the acquire of clocks in
     * serve.c. */
    atomic_fetch_add_explicit(&dev->fabric->clocks, 1, memory_order_release);
    ring_bell(dev);
    fsh_turn_begin(&dev->turn, &dev->mmio->turn);
    fsh_threads_begin(&dev->turn, &dev->mmio->activity, several);
    fsh_trace_clock(&dev->turn.now);
}

static void let_pass(struct fsh_device *dev, uint64_t cycles)
{
    if (!dev->turn.on || fsh_threads_inside() || cycles == 0)
        return;
    fsh_threads_enter();
    fsh_threads_next(FSH_SIM_WAKE_TIME, sim_activity(dev),
                     dev->turn.now + cycles);
}

static void clock_spend(struct fsh_device *dev, uint64_t cycles)
{
    if (cycles != 0)
        clock_busy(dev);
    let_pass(dev, cycles);
}

static void clock_look(struct fsh_device *dev, uint64_t cycles)
{
    if (dev->turn.on && !fsh_threads_inside())
        fsh_threads_look();
    let_pass(dev, cycles);
}

static void clock_enter(struct fsh_device *dev)
{
    if (dev->turn.on)
        fsh_threads_enter();
}

static void clock_block(struct fsh_device *dev)
{
    if (dev->turn.on)
        fsh_threads_block();
}

static bool clock_runs(const struct fsh_device *dev)
{
    return dev->turn.on && fsh_threads_running();
}

static void clock_daemon(struct fsh_device *dev)
{
    (void)dev;
    fsh_threads_daemon();
}

static unsigned clock_threads(const struct fsh_device *dev)
{
    (void)dev;
    return fsh_threads_count();
}

static void clock_forked(struct fsh_device *dev)
{
    dev->turn.on = false;
    fsh_threads_forked();
}

static uint64_t clock_now(const struct fsh_device *dev)
{
    return dev->turn.now;
}

static void clock_end(struct fsh_device *dev)
{
    if (!dev->turn.on)
        return;
    clock_enter(dev);
    fsh_trace_clock(NULL);
    fsh_turn_end(&dev->turn);
    fsh_threads_end();
}

static const struct fsh_device_clock clock_ops = {
    .begin = clock_begin,
    .spend = clock_spend,
    .look = clock_look,
    .busy = clock_busy,
    .enter = clock_enter,
    .block = clock_block,
    .runs = clock_runs,
    .daemon = clock_daemon,
    .threads = clock_threads,
    .forked = clock_forked,
    .now = clock_now,
    .end = clock_end,
};

/* The fabric is in the simulator, which can be queried. */
static void sim_explain(struct fsh_device *dev)
{
    (void)dev;
    fsh_boot_dump_fabric();
}

const struct fsh_device_ops fsh_device_sim = {
    .name = "sim",
    .clock = &clock_ops,
    .usable = sim_usable,
    .open = sim_open,
    .close = sim_close,
    .write = sim_write,
    .patience = sim_patience,
    .read = sim_read,
    .activity = sim_activity,
    .wait = sim_wait,
    .explain = sim_explain,
    .open_gate = sim_open_gate,
};
