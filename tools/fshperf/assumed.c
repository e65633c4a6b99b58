/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameters and statistics of the simulator behind a measurement: read
 * from the page that it shares with its job, never from literals, and listed in
 * the heading of every report. A command that is not a rank (case-study) learns
 * them from the jobs it starts.
 */
#include "perf.h"

#include <sys/mman.h>

#include "base/fsh_spec.h"
#include "base/log.h"
#include "boot/boot.h"
#include "page.h"

/* Four channels of DDR4-2400, as on comparable cards. */
#define DDR4_PEAK_GB_PER_S 76.8

static struct fsh_sim_assumed assumed;
static bool known;

static void *map_shared(enum fsh_fd_kind kind, uint64_t at, size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                     fsh_boot_fd(kind), (off_t)at);
    if (map == MAP_FAILED) {
        fsh_fatal("cannot map what the simulator shares with this rank; is "
                  "the device a simulator?");
    }
    return map;
}

static struct fsh_sim_fabric *fabric(void)
{
    static struct fsh_sim_fabric *map;
    if (!map) {
        map =
            map_shared(FSH_FD_SHARED, fsh_boot_page()->fabric_at, sizeof(*map));
    }
    return map;
}

struct sim_figures perf_sim_figures(void)
{
    return (struct sim_figures){
        .cycle = atomic_load(&fabric()->cycle),
        .evaluated = atomic_load(&fabric()->evaluated),
        .host_ns = atomic_load(&fabric()->host_ns),
    };
}

uint64_t perf_sim_doorbell(void)
{
    static struct fsh_sim_mmio *map;
    if (!map) {
        map = map_shared(FSH_FD_MMIO, 0, sizeof(*map));
    }
    return atomic_load(&map->doorbell_cycle);
}

uint64_t perf_sim_clock_start(void)
{
    return atomic_load(&fabric()->clock_start);
}

void perf_sim_dram_write(unsigned cycles)
{
    /* Release: before what this rank posts next. Partner: serve.c. */
    atomic_store_explicit(&fabric()->dram_write_wanted, cycles,
                          memory_order_release);
    (void)fsh_fpga_reg_read(FSH_REG_CYCLE); /* the simulator has seen it */
}

const struct fsh_sim_assumed *perf_assumed(void)
{
    if (!known) {
        perf_set_assumed(&fabric()->assumed);
    }
    return &assumed;
}

void perf_set_assumed(const struct fsh_sim_assumed *from)
{
    assumed = *from;
    known = true;
}

/* The fields of reports, JSON and CSV, in this order. */
static const struct {
    const char *name;
    size_t offset;
} fields[PERF_ASSUMED] = {
    {"link_cycles", offsetof(struct fsh_sim_assumed, link_cycles)},
    {"link_layer", offsetof(struct fsh_sim_assumed, link_layer)},
    {"dram_cycles", offsetof(struct fsh_sim_assumed, dram_cycles)},
    {"dram_write_cycles", offsetof(struct fsh_sim_assumed, dram_write_cycles)},
    {"dram_bytes_cycle", offsetof(struct fsh_sim_assumed, dram_bytes_cycle)},
    {"pcie_cycles", offsetof(struct fsh_sim_assumed, pcie_cycles)},
    {"pcie_bytes_cycle", offsetof(struct fsh_sim_assumed, pcie_bytes_cycle)},
};

static unsigned value(const struct fsh_sim_assumed *from, size_t i)
{
    return *(const uint32_t *)(const void *)((const char *)from +
                                             fields[i].offset);
}

/* The write response time of a row, 0: as assumed. */
static unsigned value_of_row(size_t i, unsigned dram_write)
{
    bool write =
        fields[i].offset == offsetof(struct fsh_sim_assumed, dram_write_cycles);
    return write && dram_write ? dram_write : value(perf_assumed(), i);
}

void perf_json_assumed(struct document *d, unsigned dram_write)
{
    for (size_t i = 0; i < PERF_ASSUMED; ++i) {
        document_number(d, fields[i].name, value_of_row(i, dram_write));
    }
}

void perf_csv_assumed_names(FILE *out)
{
    for (size_t i = 0; i < PERF_ASSUMED; ++i) {
        fprintf(out, ",%s", fields[i].name);
    }
}

void perf_csv_assumed(FILE *out, unsigned dram_write)
{
    for (size_t i = 0; i < PERF_ASSUMED; ++i) {
        fprintf(out, ",%u", value_of_row(i, dram_write));
    }
}

void perf_print_assumed(void)
{
    const struct fsh_sim_assumed *a = perf_assumed();
    double rate = a->dram_bytes_cycle * PERF_MHZ / 1000;

    printf("# Assumed, not measured: link %u cycles one way, %s;\n",
           a->link_cycles,
           a->link_layer ? "with its link layer"
                         : "no link layer (no CRC, no replay)");
    printf("# device memory: read %u cycles, write response %u, %u B a cycle "
           "= %.1f GB/s,\n"
           "# %.0f %% of the peak of four channels of DDR4-2400, no banks, no "
           "refresh;\n",
           a->dram_cycles, a->dram_write_cycles, a->dram_bytes_cycle, rate,
           100 * rate / DDR4_PEAK_GB_PER_S);
    printf("# PCIe %u cycles one way, %u B a cycle each way.%s\n",
           a->pcie_cycles, a->pcie_bytes_cycle,
           a->disturbed ? " Handshakes are delayed at random (--stall)." : "");
}

void perf_page_assumed(struct page *p)
{
    const struct fsh_sim_assumed *a = perf_assumed();
    double rate = a->dram_bytes_cycle * PERF_MHZ / 1000;

    page_paragraph(p,
                   "Measured: cycles between events in the hardware counters "
                   "of the nodes, on the node's RTL in a simulator, 250 MHz "
                   "nominal. Assumed, not measured:");
    page_facts(p);
    page_fact(p, "Links", "%u cycles one way, %s", a->link_cycles,
              a->link_layer ? "with their link layer"
                            : "no link layer (no CRC, no replay)");
    page_fact(p, "Device memory",
              "read %u cycles, write response %u, %u B a cycle = %.1f GB/s, "
              "%.0f %% of the peak of four channels of DDR4-2400; no banks, no "
              "refresh",
              a->dram_cycles, a->dram_write_cycles, a->dram_bytes_cycle, rate,
              100 * rate / DDR4_PEAK_GB_PER_S);
    page_fact(p, "PCIe", "%u cycles one way, %u B a cycle each way",
              a->pcie_cycles, a->pcie_bytes_cycle);
    if (a->disturbed) {
        page_fact(p, "Disturbed", "handshakes are delayed at random");
    }
    page_facts_end(p);
    page_machine(p);
}

/* ---- between a job and the command that started it ---- */

void perf_tell_assumed(void)
{
    printf(PERF_ASSUMED_LINE);
    for (size_t i = 0; i < PERF_ASSUMED; ++i) {
        printf(" %u", value(perf_assumed(), i));
    }
    putchar('\n');
}

bool perf_hear_assumed(const char *line)
{
    unsigned v[PERF_ASSUMED];

    if (sscanf(line, PERF_ASSUMED_LINE " %u %u %u %u %u %u %u", &v[0], &v[1],
               &v[2], &v[3], &v[4], &v[5], &v[6]) != (int)PERF_ASSUMED) {
        return false;
    }
    for (size_t i = 0; i < PERF_ASSUMED; ++i) {
        *(uint32_t *)(void *)((char *)&assumed + fields[i].offset) = v[i];
    }
    known = true;
    return true;
}
