/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulated time of a rank on conduit fpga. Library work costs what spec/fshmem.toml
 * assigns (COST_*), charged where it happens, or with the next charge where no other
 * rank could observe the difference. The program's own computation is free, except
 * what it declares (fshmem_spend) or what is measured (host_time.c). After the rank
 * has left simulated time, its clock continues with the host's.
 */
#include <pthread.h>
#include <unistd.h>

#include "base/log.h"
#include "base/option.h"
#include "base/simulated.h"
#include "boot/boot.h"
#include "conduit/fpga/state.h"
#include "gasnet_tools/ticks.h"

/* Centuries, yet far from where sums of cycles would overflow. */
#define MOST_NS (UINT64_C(1) << 62)

/* The least time that a thread waiting for another of its rank lets pass. */
#define YIELD_CYCLES 10
/* That many times; then a little more each time, up to 4 us: long waits are
 * expensive to simulate, and become at most 3 % too long. */
#define YIELDS_LIKE_THAT 64
#define YIELDS_MOST 6400

/* Once the rank has left: its last cycle, and the host's time then. */
static uint64_t last_cycle, left_ns;
static atomic_bool left;
static bool forked; /* this is a child of the rank */

void fsh_fpga_spend_slowly(uint64_t cycles)
{
    cycles = (cycles + fsh_fpga.owed) * fsh_fpga.costs;
    fsh_fpga.owed = 0;
    fsh_fpga.clock->spend(fsh_fpga.dev, cycles);
}

static uint64_t pieces(size_t n, unsigned bytes_a_cycle)
{
    return (n + bytes_a_cycle - 1) / bytes_a_cycle;
}

/* Includes the library's area behind the segment. */
static bool on_device(const void *p)
{
    return (uintptr_t)p - (uintptr_t)fsh_fpga.mem.segment <
           fsh_fpga.mem.segment_bytes;
}

uint64_t fsh_fpga_cost_load(const void *src, size_t n)
{
    return n != 0 && on_device(src)
               ? FSH_COST_LOAD + pieces(n, FSH_COST_LOAD_BYTES)
               : 0;
}

static uint64_t cost_store(const void *dst, size_t n)
{
    return n != 0 && on_device(dst)
               ? FSH_COST_STORE + pieces(n, FSH_COST_STORE_BYTES)
               : 0;
}

uint64_t fsh_fpga_cost_move(const void *dst, const void *a, const void *b,
                            size_t n)
{
    uint64_t cycles = cost_store(dst, n) + fsh_fpga_cost_load(a, n) +
                      fsh_fpga_cost_load(b, n);

    return cycles != 0 ? cycles
                       : pieces(n, FSH_COST_COPY_BYTES * fsh_fpga.copiers);
}

static void moving(void *dst, const void *a, const void *b, size_t n)
{
    if (atomic_load_explicit(&left, memory_order_acquire))
        return;
    fsh_fpga_enter();
    fsh_fpga_spend(fsh_fpga_cost_move(dst, a, b, n));
    fsh_fpga_leave();
}

static uint64_t now_ns(void)
{
    const struct fsh_device_clock *clock = fsh_fpga.clock;
    uint64_t before, after;

    if (atomic_load_explicit(&left, memory_order_acquire))
        return last_cycle * FSH_NS_PER_CYCLE + (fsh_time_ns() - left_ns);
    fsh_fpga_enter();
    before = clock->now(fsh_fpga.dev);
    fsh_fpga_spend(FSH_COST_CLOCK);
    /* A loop that waits for a point in time must terminate, whatever the costs
     * are set to. */
    if (clock->now(fsh_fpga.dev) == before)
        clock->spend(fsh_fpga.dev, 1);
    after = clock->now(fsh_fpga.dev);
    fsh_fpga_leave();
    return after * FSH_NS_PER_CYCLE;
}

static uint64_t look_ns(void)
{
    if (atomic_load_explicit(&left, memory_order_acquire))
        return last_cycle * FSH_NS_PER_CYCLE + (fsh_time_ns() - left_ns);
    fsh_fpga.clock->busy(fsh_fpga.dev);
    return fsh_fpga.clock->now(fsh_fpga.dev) * FSH_NS_PER_CYCLE;
}

static bool spend_ns(uint64_t ns)
{
    if (ns > MOST_NS)
        ns = MOST_NS;
    if (atomic_load_explicit(&left, memory_order_acquire))
        return false;
    fsh_fpga_enter();
    fsh_fpga.clock->spend(fsh_fpga.dev,
                          (ns + FSH_NS_PER_CYCLE - 1) / FSH_NS_PER_CYCLE);
    fsh_fpga_leave();
    return true;
}

static bool yield(struct fsh_wait *wait, uint64_t ns)
{
    uint64_t cycles = ns / FSH_NS_PER_CYCLE, least;

    if (!fsh_fpga.clock->runs(fsh_fpga.dev))
        return false;
    least = YIELD_CYCLES * (1 + wait->rounds / YIELDS_LIKE_THAT);
    wait->rounds += wait->rounds < YIELDS_MOST;
    fsh_fpga.clock->look(fsh_fpga.dev, cycles > least ? cycles : least);
    return true;
}

static void block(void)
{
    if (!forked)
        fsh_fpga.clock->block(fsh_fpga.dev);
}

static void unblock(void)
{
    if (forked)
        return;
    fsh_fpga_enter();
    fsh_fpga_leave();
}

static void be_daemon(void)
{
    fsh_fpga.clock->daemon(fsh_fpga.dev);
}

static unsigned threads(void)
{
    return fsh_fpga.clock->threads(fsh_fpga.dev);
}

/* From here on the clock is the host's. */
static void stop(void)
{
    last_cycle = fsh_fpga.clock->now(fsh_fpga.dev);
    left_ns = fsh_time_ns();
    atomic_store_explicit(&left, true, memory_order_release);
}

/* A child of fork shares the rank's turn and must not touch it. */
static void fork_child(void)
{
    if (!forked)
        stop();
    forked = true;
    fsh_fpga.clock->forked(fsh_fpga.dev);
}

void fsh_fpga_clock_check(void)
{
    if (!forked)
        return;
    fsh_warn("a process that this rank has forked calls GASNet: it does not "
             "take part in simulated time (FSHMEM_CLOCK) and would wait for "
             "ever; call from the rank itself");
    _exit(1);
}

static const struct fsh_simulated simulated = {
    .now = now_ns,
    .look = look_ns,
    .spend = spend_ns,
    .moving = moving,
    .waited = fsh_fpga_waited,
    .yield = yield,
    .block = block,
    .unblock = unblock,
    .daemon = be_daemon,
    .threads = threads,
};

static void begin(void)
{
    if (!fsh_boot_page()->simulated_clock)
        return;
    if (fsh_fpga.ops->clock == NULL)
        fsh_fatal(
            "FSHMEM_CLOCK=simulated: device %s runs in real time; use free",
            fsh_fpga.ops->name);
    fsh_fpga.costs = (uint64_t)fsh_option_int("FSHMEM_HOST_COSTS");
    fsh_fpga.clock = fsh_fpga.ops->clock;
    fsh_fpga.clock->begin(fsh_fpga.dev, fsh_fpga.locking);
    fsh_simulated_begin(&simulated);
    fsh_ticks_simulate();
    fsh_fpga_host_time_begin();
    pthread_atfork(NULL, NULL, fork_child);
}

static void end(void)
{
    if (fsh_fpga.clock == NULL || atomic_load(&left))
        return;
    fsh_fpga.clock->end(fsh_fpga.dev);
    stop();
}

const struct fsh_clock_ops fsh_fpga_clock_ops = {
    .begin = begin,
    .end = end,
};
