/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates a fabric: its settings, nodes, memories and wiring, and its reset. */
#include "fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/handover.h"
#include "crew.h"
#include "model.h"
#include "partition.h"

void fsh_fabric_defaults(struct fsh_fabric_config *config)
{
    *config = (struct fsh_fabric_config){
        .nodes = 2,
        .link_cycles = 30,
        .dram_cycles = 40,
        .dram_write_cycles = 4,
        .dram_bytes_cycle = 307,
        .pcie_cycles = 125,
        .pcie_bytes_cycle = 48,
        .jump = true,
        .threads = 1,
        .quantum = FSH_QUANTUM_MOST,
        .seed = 1,
        .waves_to = FSH_NEVER,
        .dram_bytes = (size_t)1 << 30,
        .dma_bytes = FSH_SIM_DMA_BYTES,
    };
}

static bool config_ok(const struct fsh_fabric_config *c, char *err,
                      size_t errlen)
{
    const struct {
        const char *name;
        uint64_t value, low, high;
    } limit[] = {
        {"nodes", c->nodes, 1, FSH_MAX_NODES},
        {"link cycles", c->link_cycles, 1, FSH_MAX_DELAY},
        {"link jitter", c->link_jitter, 0,
         c->record || c->replay ? 0 : FSH_MAX_DELAY},
        {"DRAM read cycles", c->dram_cycles, 1, FSH_MAX_DELAY},
        {"DRAM write cycles", c->dram_write_cycles, 1, FSH_MAX_DELAY},
        {"DRAM bytes a cycle", c->dram_bytes_cycle,
         c->compute ? FSH_LANE_BYTES : FSH_BEAT_BYTES, 65536},
        {"PCIe cycles", c->pcie_cycles, 1, FSH_MAX_DELAY},
        {"PCIe bytes a cycle", c->pcie_bytes_cycle, FSH_BEAT_BYTES, 65536},
        {"threads", c->threads, 0, FSH_MAX_NODES},
        {"quantum", c->quantum, 1, UINT32_MAX},
        {"DRAM bytes", c->dram_bytes, 4096, UINT64_C(1) << 39},
        {"DMA bytes", c->dma_bytes, 4096, UINT64_C(1) << 39},
    };

    for (unsigned i = 0; i < sizeof limit / sizeof *limit; i++) {
        if (limit[i].value >= limit[i].low && limit[i].value <= limit[i].high)
            continue;
        snprintf(err, errlen, "%s: %llu is not in %llu..%llu", limit[i].name,
                 (unsigned long long)limit[i].value,
                 (unsigned long long)limit[i].low,
                 (unsigned long long)limit[i].high);
        return false;
    }
    return true;
}

static unsigned char *map_memory(size_t bytes)
{
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return map == MAP_FAILED ? NULL : map;
}

static uint32_t power_of_two(uint32_t at_least)
{
    uint32_t size = 1;

    while (size < at_least)
        size *= 2;
    return size;
}

static bool init_host_master(const struct fsh_fabric_config *c,
                             struct fsh_sim_node *node, struct fsh_master *m)
{
    uint32_t stores = power_of_two(c->pcie_cycles + 2);

    m->base = FSH_SIM_DMA_BUS;
    m->size = c->dma_bytes;
    m->read_cycles = 2 * c->pcie_cycles;
    m->resp_cycles = 1;
    m->read_pool = &node->to_device_pool;
    m->write_pool = &node->to_host_pool;
    m->name = "host";
    m->store = calloc(stores, sizeof *m->store);
    m->store_mask = stores - 1;
    m->mem = c->dma && !c->replay ? c->dma[node->index] : NULL;
    if (!m->mem) {
        m->mem = map_memory(c->dma_bytes);
        node->own_dma = m->mem != NULL;
    }
    return m->store && m->mem;
}

static bool init_masters(const struct fsh_fabric_config *c,
                         struct fsh_sim_node *node)
{
    unsigned char *dram = c->dram && !c->replay ? c->dram[node->index] : NULL;

    if (!dram) {
        dram = map_memory(c->dram_bytes);
        node->own_dram = dram != NULL;
    }
    node->dram_pool.rate = c->dram_bytes_cycle;
    node->to_host_pool.rate = node->to_device_pool.rate = c->pcie_bytes_cycle;
    node->dram_pool.carry = node->to_host_pool.carry =
        node->to_device_pool.carry = FSH_BEAT_BYTES - 1;
    for (uint32_t p = 0; p < FSH_NODE_MASTERS; p++) {
        struct fsh_master *m = &node->master[p];

        m->out = &node->io.out.axi[p];
        m->in = &node->io.in.axi[p];
        m->stall_shift = 5 * p;
        if (p == FSH_NODE_HOST)
            break;
        m->mem = dram;
        m->base = FSH_SIM_DRAM_BASE;
        m->size = c->dram_bytes;
        m->read_cycles = c->dram_cycles;
        m->resp_cycles = c->dram_write_cycles;
        m->read_pool = m->write_pool = &node->dram_pool;
        m->name = p == 0 ? "device memory (lane 0)" : "device memory (lane 1)";
    }
    return init_host_master(c, node, &node->master[FSH_NODE_HOST]) && dram;
}

/* The fabric's own copy, and that the nodes have its ports. */
static bool take_topology(struct fsh_fabric *fab, char *err, size_t errlen)
{
    struct fsh_fabric_config *c = &fab->config;

    if (!c->topology) {
        if (!fsh_topology_make(&fab->topology, "ring", c->nodes, FSH_NODE_PORTS,
                               err, errlen))
            return false;
    } else if (c->topology != &fab->topology) {
        fab->topology = *c->topology;
    }
    c->topology = &fab->topology;
    if (fab->topology.nodes != c->nodes) {
        snprintf(err, errlen,
                 "topology %.200s is of %u nodes, the fabric of %u",
                 fab->topology.name, fab->topology.nodes, c->nodes);
        return false;
    }
    if (fab->topology.ports > fsh_node_ports()) {
        snprintf(
            err, errlen,
            "topology %.200s needs %u link ports a node, and nodes of this "
            "simulator have %u. Those of fshsim-wide have %u; make build "
            "makes it, beside fshsim. Or choose ring (--topology ring)",
            fab->topology.name, fab->topology.ports, fsh_node_ports(),
            FSH_MAX_PORTS);
        return false;
    }
    return true;
}

/* A link each way for each cable. */
static void wire(struct fsh_fabric *fab)
{
    for (uint32_t i = 0; i < fab->config.nodes; i++)
        for (uint32_t p = 0; p < FSH_NODE_PORTS; p++) {
            struct fsh_plug to = fab->topology.peer[i][p];

            if (to.node != FSH_NO_NODE)
                fab->node[i].tx[p] = &fab->node[to.node].rx[to.port];
        }
}

/* Those that lead to the node. Between partitions beats are handed over after up to a
 * link's delay only, by when a later one may have been sent twice that ago. */
static bool init_links(const struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    uint32_t cycles = fab->config.link_cycles + fab->config.link_jitter;

    if (fab->config.partition)
        cycles += fab->config.link_cycles;
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
        if (!fsh_link_init(&node->rx[p], node->index, p, cycles))
            return false;
    return true;
}

/* A node of another partition. */
static bool init_absent(struct fsh_fabric *fab, uint32_t index)
{
    struct fsh_sim_node *node = &fab->node[index];

    node->index = index;
    node->wake = FSH_NEVER;
    node->ledger = calloc(1, sizeof *node->ledger); /* dumps look at it */
    return node->ledger && init_links(fab, node);
}

static bool init_node(struct fsh_fabric *fab, uint32_t index)
{
    struct fsh_sim_node *node = &fab->node[index];

    node->index = index;
    node->ports = fsh_node_ports();
    node->host.op = calloc(FSH_HOST_QUEUE, sizeof *node->host.op);
    node->ledger = calloc(1, sizeof *node->ledger);
    if (!node->host.op || !node->ledger || !init_masters(&fab->config, node))
        return false;
    if (!init_links(fab, node))
        return false;
    node->rtl = fsh_node_create(&node->io, index, fab->config.seed,
                                fsh_waves_of(fab, index));
    fsh_sim_coll_init(fab, node);
    fsh_sim_dma_init(fab, node);
    return node->rtl != NULL &&
           (!fab->config.compute || fsh_sim_compute_init(fab, node));
}

/* Reset with all inputs quiet; what the nodes drive meanwhile is ignored. */
static void reset(struct fsh_fabric *fab)
{
    for (; fab->cycle < FSH_RESET_CYCLES; fab->cycle++) {
        for (uint32_t i = fab->first; i < fab->past; i++) {
            struct fsh_sim_node *node = &fab->node[i];

            node->io.in.rst = fab->cycle + 1 < FSH_RESET_CYCLES;
            node->io.in.cycle = fab->cycle;
            node->io.in.clk = node->io.in.core_clk = 1;
            node->io.in.coll_clk = node->io.in.dma_clk = 1;
            fsh_node_eval(node->rtl);
        }
        if (fsh_waves_due(fab))
            fsh_node_waves_dump(fab->waves, fab->cycle * FSH_NS_PER_CYCLE);
    }
}

uint32_t fsh_fabric_threads(uint32_t nodes, unsigned processors)
{
    uint32_t most = nodes < 8 ? 1 : nodes / 4;

    most = most < processors ? most : processors;
    return most < 4 ? most : 4;
}

/* Memory that this process has written to and keeps; 0: not known. */
static size_t kept(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long resident = 0, shared = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*u %lu %lu", &resident, &shared) != 2)
        resident = shared = 0;
    fclose(file);
    return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

static void *zeroed(size_t count, size_t bytes)
{
    void *all = aligned_alloc(FSH_CACHE_LINE, count * bytes);

    return all ? memset(all, 0, count * bytes) : NULL;
}

/* Which nodes are here. */
static bool take_partition(struct fsh_fabric *fab, char *err, size_t errlen)
{
    const struct fsh_fabric_config *c = &fab->config;
    const struct fsh_partition *p = c->partition;

    fab->past = c->nodes;
    if (!p)
        return true;
    fab->first = p->first[p->index];
    fab->past = p->first[p->index + 1];
    if (!c->record && !c->replay && !c->waves && c->jump)
        return true;
    snprintf(err, errlen,
             "%s: not with several simulators; give it without --simulators "
             "(FSHMEM_SIMULATORS)",
             c->record   ? "--record"
             : c->replay ? "--replay"
             : c->waves  ? "--waves"
                         : "--no-jump");
    return false;
}

static bool make_parts(struct fsh_fabric *fab)
{
    struct fsh_fabric_config *c = &fab->config;

    if (c->threads == 0)
        c->threads = fsh_fabric_threads(fab->past - fab->first,
                                        fsh_handover_processors());
    fab->quantum =
        c->quantum < FSH_QUANTUM_MOST ? c->quantum : FSH_QUANTUM_MOST;
    if (fab->quantum > c->link_cycles)
        fab->quantum = c->link_cycles;
    fab->node = zeroed(c->nodes, sizeof *fab->node);
    fab->part = zeroed(c->threads, sizeof *fab->part);
    fab->now.node = calloc(c->nodes, sizeof *fab->now.node);
    return fab->node && fab->part && fab->now.node;
}

static bool open_tape(struct fsh_fabric *fab, char *err, size_t errlen)
{
    fab->tape = fsh_tape_open(&fab->config, &fab->topology, err, errlen);
    fab->replaying = fab->config.replay != NULL;
    fab->recording = !fab->replaying;
    return fab->tape != NULL;
}

struct fsh_fabric *fsh_fabric_create(const struct fsh_fabric_config *config,
                                     char *err, size_t errlen)
{
    struct fsh_fabric *fab = calloc(1, sizeof *fab);
    bool ok = fab != NULL;
    size_t before = kept(), after;

    snprintf(err, errlen, "out of memory");
    if (!ok)
        return NULL;
    fab->config = *config;
    fab->gate_opens = fab->hosts = FSH_NEVER;
    fsh_node_error_clear();
    ok = (!config->replay || open_tape(fab, err, errlen)) &&
         config_ok(&fab->config, err, errlen) &&
         take_partition(fab, err, errlen) && take_topology(fab, err, errlen) &&
         (!config->record || config->replay || open_tape(fab, err, errlen)) &&
         fsh_waves_open(fab, err, errlen);
    if (ok) {
        ok = make_parts(fab);
        for (uint32_t i = 0; ok && i < fab->config.nodes; i++)
            ok = fsh_is_here(fab, i) ? init_node(fab, i) : init_absent(fab, i);
        if (ok && config->partition) {
            fab->partitions = fsh_partitions_open(fab, err, errlen);
            ok = fab->partitions != NULL;
        }
    }
    if (!ok) {
        fsh_fabric_destroy(fab);
        return NULL;
    }
    fab->stalling = fab->config.stall;
    wire(fab);
    reset(fab);
    fab->window = fab->cycle;
    after = kept();
    if (after > before)
        fab->node_bytes = (after - before) / (fab->past - fab->first);
    if (fab->config.threads > 1)
        fsh_fabric_crew(fab);
    return fab;
}

static void free_node(struct fsh_fabric *fab, struct fsh_sim_node *node)
{
    struct fsh_master *host = &node->master[FSH_NODE_HOST];

    if (node->own_dram)
        munmap(node->master[0].mem, fab->config.dram_bytes);
    if (node->own_dma)
        munmap(host->mem, fab->config.dma_bytes);
    free(host->store);
    free(node->host.op);
    free(node->ledger);
    for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
        fsh_link_free(&node->rx[p]);
}

bool fsh_fabric_destroy(struct fsh_fabric *fab)
{
    bool ok = true;

    if (!fab)
        return true;
    fsh_crew_end(fab->crew);
    fsh_partitions_close(fab->partitions);
    if (fab->tape)
        ok = fsh_tape_close(fab->tape, fab->cycle);
    fsh_waves_close(fab);
    for (uint32_t i = 0; fab->node && i < fab->config.nodes; i++) {
        if (fsh_is_here(fab, i)) {
            fsh_sim_compute_free(&fab->node[i]);
            fsh_node_destroy(fab->node[i].rtl);
        }
        free_node(fab, &fab->node[i]);
    }
    free(fab->node);
    free(fab->part);
    free(fab->now.node);
    free(fab);
    return ok;
}
