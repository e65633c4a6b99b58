/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One measurement: sets packet size and ports, clears the counters of both
 * nodes, lets rank 0 issue the commands, reads the counters of both nodes and
 * checks the data. The ranks synchronise by the boot barrier only, so no other
 * message disturbs the counters; a late credit update of the library shows as a
 * wrong count, and the measurement is repeated.
 */
#include "perf.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "boot/boot.h"
#include "conduit/conduit.h"

#define SOURCE ((size_t)0)      /* offsets in the segments */
#define TARGET (PERF_MAX_BYTES) /* where transfers land */
#define WAIT_NS 120000000000u   /* longer than any transfer here */
#define ATTEMPTS 5

static unsigned char *segment;
static unsigned ports_mask; /* as set by the library */
static unsigned pattern;    /* changes with each measurement */

unsigned perf_packet(unsigned i)
{
    return 128u << i;
}

size_t perf_size(unsigned i)
{
    return (size_t)4 << i;
}

/* After reset a node clears the memory of its completion unit for thousands
 * of cycles, in which it accepts no command: waits for that with a command
 * that is not counted, repeated if it coincides with pending messages of the
 * library. */
static void outlast_reset(void)
{
    const struct perf_config config = {
        .op = PERF_PUT, .ports = 1, .packet = 1024, .count = 1};
    (void)perf_measure(&config);
}

void perf_probe_init(void)
{
    gasnet_seginfo_t info[2];
    if (gasnet_getSegmentInfo(info, 2) != GASNET_OK) {
        fsh_fatal("gasnet_getSegmentInfo failed");
    }
    segment = info[gasnet_mynode()].addr;
    ports_mask = fsh_fpga_ports();
    fsh_boot_barrier("fshperf start");
    outlast_reset();
}

bool perf_probe_ports(unsigned ports)
{
    return ports == 1 || ports_mask == 3;
}

static bool all_done(const struct perf_batch *batch)
{
    for (unsigned i = 0; i < batch->count; ++i) {
        /* Partner: the conduit's release store when the command completes. */
        if (!atomic_load_explicit(&batch->record[i].done,
                                  memory_order_acquire)) {
            return false;
        }
    }
    return true;
}

void perf_queue(struct perf_batch *batch, enum perf_op op, uint32_t node,
                size_t bytes, unsigned count)
{
    struct fsh_fpga_raw raw = {
        .opcode = op == PERF_PUT ? FSH_OP_PUT : FSH_OP_GET,
        .node = node,
        .remote = op == PERF_PUT ? TARGET : SOURCE,
        .local = op == PERF_PUT ? SOURCE : TARGET,
        .length = (uint32_t)bytes,
    };
    batch->count = count;
    for (unsigned i = 0; i < count; ++i) {
        uint64_t end = fsh_time_ns() + WAIT_NS;
        atomic_init(&batch->record[i].done, 0);
        while (!fsh_fpga_raw_submit(&raw, &batch->record[i])) {
            fsh_fpga_poll();
            if (fsh_time_ns() > end) {
                fsh_fatal("no room for command %u of %u", i, count);
            }
        }
    }
}

void perf_wait(struct perf_batch *batch, const char *what)
{
    uint64_t end = fsh_time_ns() + WAIT_NS;
    while (!all_done(batch)) {
        if (!fsh_fpga_poll()) {
            fsh_conduit_fpga.wait(1000000, false);
        }
        if (fsh_time_ns() > end) {
            fsh_fatal("no completion of %s within %d s", what,
                      (int)(WAIT_NS / 1000000000u));
        }
    }
    for (unsigned i = 0; i < batch->count; ++i) {
        if (batch->record[i].status != FSH_STATUS_OK) {
            fsh_fatal("command %u of %s ended with status %u", i, what,
                      batch->record[i].status);
        }
    }
}

static void set_up(const struct perf_config *config)
{
    unsigned mask =
        config->ports == 1 ? ports_mask & (~ports_mask + 1) : ports_mask;
    if (fsh_fpga_ports() != mask && !fsh_fpga_set_ports(mask)) {
        fsh_fatal("the nodes cannot use port mask %u", mask);
    }
    static unsigned dram_write; /* 0: the job's */
    if (config->dram_write != dram_write) {
        dram_write = config->dram_write;
        perf_sim_dram_write(dram_write ? dram_write
                                       : perf_assumed()->dram_write_cycles);
    }
    if (fsh_fpga_packet() != config->packet &&
        !fsh_fpga_set_packet(config->packet)) {
        fsh_fatal("the node refuses packets of %u bytes", config->packet);
    }
}

static uint64_t pattern_word(size_t i)
{
    return (i + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)pattern << 32;
}

/* Fills with, or compares against, this measurement's pattern. */
static void fill(unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = pattern_word(i);
        memcpy(at + i, &word, n - i < 8 ? n - i : 8);
    }
}

static void verify(const unsigned char *at, const struct perf_config *config)
{
    for (size_t i = 0; i < config->bytes; i += 8) {
        uint64_t word = pattern_word(i);
        size_t n = config->bytes - i < 8 ? config->bytes - i : 8;
        if (memcmp(at + i, &word, n) != 0) {
            fsh_fatal("%s of %zu bytes, packets of %u, %u port(s): "
                      "wrong data at byte %zu",
                      config->op == PERF_PUT ? "PUT" : "GET", config->bytes,
                      config->packet, config->ports, i);
        }
    }
}

static void issue(const struct perf_config *config)
{
    static struct perf_batch batch;
    if (config->count > 1) {
        fsh_fpga_gate_hold();
    }
    perf_queue(&batch, config->op, 1, config->bytes, config->count);
    if (config->count > 1) {
        (void)fsh_fpga_reg_read(FSH_REG_CYCLE); /* all are in the device */
        fsh_fpga_gate_open();
    }
    perf_wait(&batch, config->op == PERF_PUT ? "a PUT" : "a GET");
}

/* The counts of one node. */
struct counts {
    uint64_t accept_first, accept_count;
    uint64_t request_first, reply_first;
    uint64_t written_last, written_sum;
    uint64_t doorbell;
};

static void read_counts(struct counts *counts)
{
    struct fsh_fpga_perf accept = fsh_fpga_perf_read(FSH_PERF_ACCEPT);
    struct fsh_fpga_perf written = fsh_fpga_perf_read(FSH_PERF_WRITTEN);
    *counts = (struct counts){
        .accept_first = accept.first,
        .accept_count = accept.count,
        .request_first = fsh_fpga_perf_read(FSH_PERF_REQ_HDR).first,
        .reply_first = fsh_fpga_perf_read(FSH_PERF_REP_HDR).first,
        .written_last = written.last,
        .written_sum = written.sum,
        .doorbell = perf_sim_doorbell(),
    };
}

/* Whether exactly these transfers happened, and nothing else. */
static bool as_expected(const struct perf_config *config,
                        const struct counts node[2])
{
    const struct counts *to = &node[config->op == PERF_PUT ? 1 : 0];
    return node[0].accept_count == config->count && node[1].accept_count == 0 &&
           to->written_sum == config->bytes * config->count;
}

static void attempt(const struct perf_config *config, struct counts node[2])
{
    bool initiator = fsh_boot_rank() == 0;
    bool source = initiator == (config->op == PERF_PUT);
    ++pattern;
    set_up(config);
    if (source) {
        fill(segment + SOURCE, config->bytes);
    }
    fsh_fpga_perf_clear();
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE); /* earlier writes have arrived */
    fsh_boot_barrier("fshperf counters cleared");
    if (initiator) {
        issue(config);
    }
    fsh_boot_barrier("fshperf transfers done");
    struct counts mine;
    read_counts(&mine);
    if (!source) {
        verify(segment + TARGET, config);
    }
    fsh_boot_exchange(&mine, sizeof(mine), node);
}

struct perf_sample perf_measure(const struct perf_config *config)
{
    struct counts node[2];
    unsigned tries = 0;
    do {
        if (tries++ == ATTEMPTS) {
            fsh_fatal(
                "the counters show other traffic in %d "
                "attempts: %llu commands accepted for %u, %llu bytes "
                "written for %zu",
                ATTEMPTS, (unsigned long long)node[0].accept_count,
                config->count,
                (unsigned long long)node[config->op == PERF_PUT].written_sum,
                config->bytes * config->count);
        }
        attempt(config, node);
    } while (!as_expected(config, node));

    const struct counts *to = &node[config->op == PERF_PUT ? 1 : 0];
    uint64_t header =
        config->op == PERF_PUT ? to->request_first : to->reply_first;
    return (struct perf_sample){
        .header = header - node[0].accept_first,
        .written = config->bytes ? to->written_last - node[0].accept_first : 0,
        .accepted = node[0].accept_first - node[0].doorbell,
    };
}
