/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cycles of single transfers on two idle nodes, from the hardware counters. The
 * simulator is deterministic, so these are exact; the bounds are the project's
 * targets, and each transfer must take the same time with and without skipping idle
 * time.
 */
#include <stdio.h>
#include <string.h>

#include "bed.h"
#include "device/sim/sim_shm.h"

#define SEGMENT (8u << 20)
#define TO (4u << 20)
#define LIMIT 10000000
#define GET_EVALUATIONS 112
#define PCIE 125 /* cycles, the default */

/* Entries of a command and its doorbell: register writes, one a cycle. */
#define WRITES (FSH_ENTRY_BYTES / 8 + 1)
/* From the cycle in which the node takes the doorbell to "accepted". */
#define ACCEPTED 7

/* Cycles from a command accepted to its (reply) header received, and to its
 * last byte written: at most so many. 0: not asked. response: of device memory to
 * a write, 0: the default. From the doorbell on it is ACCEPTED more. */
static const struct {
    const char *what;
    uint32_t opcode, packet, ports, bytes, header, written, response;
} rows[] = {
    {"PUT short", FSH_OP_PUT, 1024, 1, 0, 40, 0, 0},
    {"GET short", FSH_OP_GET, 1024, 1, 0, 84, 0, 0},
    {"PUT 4 B", FSH_OP_PUT, 1024, 1, 4, 75, 100, 0},
    {"GET 4 B", FSH_OP_GET, 1024, 1, 4, 125, 145, 0},
    {"PUT 4 B, response 40", FSH_OP_PUT, 1024, 1, 4, 75, 125, 40},
    {"GET 4 B, response 40", FSH_OP_GET, 1024, 1, 4, 125, 167, 40},
    {"PUT 1.4 KB", FSH_OP_PUT, 1024, 1, 1433, 75, 182, 0},
    {"PUT 26 KB", FSH_OP_PUT, 1024, 1, 26624, 75, 1780, 0},
    {"GET 2.1 KB", FSH_OP_GET, 1024, 1, 2150, 125, 273, 0},
    {"GET 39 KB", FSH_OP_GET, 1024, 1, 39936, 125, 2669, 0},
    {"PUT 1 MB, 1024 B", FSH_OP_PUT, 1024, 1, 1 << 20, 75, 66670, 0},
    {"PUT 1 MB, 512 B", FSH_OP_PUT, 512, 1, 1 << 20, 75, 67702, 0},
    {"PUT 1 MB, 256 B", FSH_OP_PUT, 256, 1, 1 << 20, 75, 69794, 0},
    {"PUT 1 MB, 128 B", FSH_OP_PUT, 128, 1, 1 << 20, 75, 73970, 0},
    {"PUT 1 MB, both ports", FSH_OP_PUT, 1024, 3, 1 << 20, 75, 33400, 0},
};

static uint64_t doorbell; /* cycle in which node 0 took its last one */

static void on_doorbell(void *arg, uint32_t node, uint64_t cycle)
{
    (void)arg;
    if (node == 0)
        doorbell = cycle;
}

static bool open_bed(struct fsh_bed *bed, uint32_t packet, uint32_t ports,
                     bool jump)
{
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {
        .packet = packet, .ports = ports, .seg_size = SEGMENT};
    char err[512];

    fsh_fabric_defaults(&config);
    config.dram_bytes = SEGMENT;
    config.jump = jump;
    config.events.doorbell = on_doorbell;
    if (fsh_bed_open(bed, &config, &options, err, sizeof err))
        return true;
    fprintf(stderr, "sim_cycles: %s\n", err);
    return false;
}

/* "Accepted" is exactly so far behind the doorbell, and the simulator names the
 * cycle of the doorbell that its models imply. */
static bool doorbell_fits(uint64_t posted, uint64_t accepted)
{
    if (doorbell == posted + PCIE + WRITES - 1 &&
        accepted == doorbell + ACCEPTED)
        return true;
    fprintf(stderr,
            "sim_cycles: posted in cycle %llu, doorbell taken in %llu, "
            "accepted in %llu\n",
            (unsigned long long)posted, (unsigned long long)doorbell,
            (unsigned long long)accepted);
    return false;
}

/* Most of a GET's 400 cycles are waits, for memory, links and PCIe, in which a
 * node stands still and is not evaluated. Without jumping it is, and the fabric
 * checks that nothing moves. */
static bool few_evaluations(struct fsh_bed *bed, unsigned i, uint64_t before)
{
    uint64_t evaluated = fsh_fabric_evaluated(bed->fab) - before;

    if (rows[i].opcode != FSH_OP_GET || rows[i].bytes != 4 ||
        evaluated <= GET_EVALUATIONS)
        return true;
    fprintf(stderr, "sim_cycles: %s: %llu evaluations, at most %d expected\n",
            rows[i].what, (unsigned long long)evaluated, GET_EVALUATIONS);
    return false;
}

/* The clocks of the compute core, the collective and the DMA engine do not tick while
 * only the node has something to do: so an idle one costs the simulator what hangs on
 * the node's clock. */
static bool engines_rest(struct fsh_bed *bed, unsigned i, uint64_t before)
{
    uint64_t computed = fsh_fabric_computed(bed->fab) - before;

    if (computed == 0)
        return true;
    fprintf(stderr, "sim_cycles: %s: %llu evaluations of idle engines\n",
            rows[i].what, (unsigned long long)computed);
    return false;
}

/* Run row i; its cycles to header and to last byte. */
static bool measure(unsigned i, bool jump, uint64_t cycles[2])
{
    bool get = rows[i].opcode == FSH_OP_GET;
    struct fsh_bed bed = {0};
    struct fsh_bed_command cmd;
    struct fsh_bed_perf accept, header, written;
    uint64_t entry[2], posted, evaluated, computed;

    if (!open_bed(&bed, rows[i].packet, rows[i].ports, jump))
        return false;
    if (get)
        fsh_bed_get(&cmd, 1, 0, TO, 0, rows[i].bytes);
    else
        fsh_bed_put(&cmd, 1, 0, 0, TO, rows[i].bytes);
    if (rows[i].response)
        fsh_fabric_dram_write(bed.fab, rows[i].response);
    posted = fsh_fabric_cycle(bed.fab);
    evaluated = fsh_fabric_evaluated(bed.fab);
    computed = fsh_fabric_computed(bed.fab);
    bool done =
        fsh_bed_submit(&bed, 0, &cmd) &&
        fsh_bed_await(&bed, 0, FSH_BED_RING_CPL, LIMIT, entry) &&
        (!jump || (few_evaluations(&bed, i, evaluated) &&
                   engines_rest(&bed, i, computed))) &&
        fsh_ring_status(entry) == FSH_STATUS_OK &&
        fsh_bed_perf(&bed, 0, FSH_PERF_ACCEPT, &accept) &&
        fsh_bed_perf(&bed, get ? 0 : 1,
                     get ? FSH_PERF_REP_HDR : FSH_PERF_REQ_HDR, &header) &&
        fsh_bed_perf(&bed, get ? 0 : 1, FSH_PERF_WRITTEN, &written) &&
        written.sum == rows[i].bytes;
    if (!done) {
        fprintf(stderr, "sim_cycles: %s did not complete\n", rows[i].what);
        fsh_bed_dump(&bed, 0);
        return false;
    }
    if (!doorbell_fits(posted, accept.first))
        return false;
    cycles[0] = header.first - accept.first;
    cycles[1] = rows[i].bytes ? written.last - accept.first : 0;
    return fsh_bed_close(&bed);
}

int main(void)
{
    unsigned bad = 0;

    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t jumped[2], stepped[2];

        if (!measure(i, true, jumped) || !measure(i, false, stepped))
            return 1;
        printf("%-22s header %3llu of %3u, last byte %5llu of %5u\n",
               rows[i].what, (unsigned long long)jumped[0], rows[i].header,
               (unsigned long long)jumped[1], rows[i].written);
        if (memcmp(jumped, stepped, sizeof jumped) != 0) {
            fprintf(stderr, "sim_cycles: %s: other cycles without jumping\n",
                    rows[i].what);
            bad++;
        }
        if (jumped[0] > rows[i].header || jumped[1] > rows[i].written) {
            fprintf(stderr, "sim_cycles: %s takes too long\n", rows[i].what);
            bad++;
        }
    }
    return bad != 0;
}
