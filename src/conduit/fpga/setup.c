/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Initialises a node of conduit fpga: opens the device, checks that it matches
 * this library, and programs its registers. init and attach are collective and
 * run on one thread.
 */
#include <inttypes.h>

#include "base/log.h"
#include "base/option.h"
#include "boot/boot.h"
#include "conduit/cards.h"
#include "conduit/fpga/state.h"
#include "device/device.h"

_Static_assert(FSH_CARDS_MAX_LONG == FSH_DMA_BIG_BYTES,
               "a Long in a bounce slot");

#define CONTROL_ENABLE 1u
#define ALL_PORTS 3u
#define CAPS_ENGINES_BIT 48u /* in the order of spec/fshmem.toml */
#define COMPUTE 1u
#define COLLECTIVE 2u
#define FAULTS_WRONG_BIT 16u
#define FAULTS_ENTRIES_BIT 24u

uint64_t fsh_fpga_read(uint32_t offset)
{
    fsh_fpga_lock(&fsh_fpga.device_lock);
    uint64_t value = fsh_fpga.ops->read(fsh_fpga.dev, offset);
    fsh_fpga_unlock(&fsh_fpga.device_lock);
    return value;
}

void fsh_fpga_write(uint32_t offset, uint64_t value)
{
    fsh_fpga_lock(&fsh_fpga.device_lock);
    fsh_fpga.ops->patience(fsh_fpga.dev, false);
    fsh_fpga.ops->write(fsh_fpga.dev, offset, &value, 1);
    fsh_fpga_unlock(&fsh_fpga.device_lock);
}

struct fsh_fpga_dropped fsh_fpga_dropped(void)
{
    uint64_t faults = fsh_fpga_read(FSH_REG_FAULTS);

    return (struct fsh_fpga_dropped){
        .packets = (unsigned)(faults & 0xffff),
        .entries = (unsigned)(faults >> FAULTS_ENTRIES_BIT & 0xff)};
}

static void open_device(void)
{
    const char *name = fsh_option_str("FSHMEM_DEVICE");

    fsh_fpga.ops = fsh_device_find(name);
    if (fsh_fpga.ops == NULL)
        fsh_fatal("FSHMEM_DEVICE=%s: no such device; fshinfo lists them", name);
    fsh_fpga.dev = fsh_fpga.ops->open(&fsh_fpga.mem);
    if (fsh_fpga.mem.dma_bytes < FSH_DMA_END)
        fsh_fatal("device %s: its DMA window has %zu bytes, conduit fpga "
                  "needs %u",
                  name, fsh_fpga.mem.dma_bytes, FSH_DMA_END);
}

/* Rejects a topology that needs more ports than the device has. */
static void check_ports(unsigned ports)
{
    if (fsh_fpga.topology->ports > ports)
        fsh_fatal("topology %.200s of %" PRIu32 " nodes needs %u link ports, "
                  "device %s has %u: choose another (FSHMEM_TOPOLOGY, "
                  "--topology), such as ring",
                  fsh_fpga.topology->name, fsh_fpga.nodes,
                  fsh_fpga.topology->ports, fsh_fpga.ops->name, ports);
    if (ports > FSH_MAX_PORTS)
        ports = FSH_MAX_PORTS;
    fsh_fpga.all_ports = (1u << ports) - 1;
}

/* Rejects a device that does not match this library. */
static void check_device(void)
{
    uint64_t id = fsh_fpga_read(FSH_REG_ID);
    uint64_t caps = fsh_fpga_read(FSH_REG_CAPS);
    unsigned major = (unsigned)(id >> 32 & 0xffff);
    unsigned nodes = (unsigned)(caps >> 8 & 0xff);
    unsigned tags = (unsigned)(caps >> 16 & 0xffff);
    unsigned slots = (unsigned)(caps >> 32 & 0xff);
    unsigned packet = 1u << (caps >> 40 & 0xf);

    if ((uint32_t)id != FSH_DEVICE_MAGIC)
        fsh_fatal("device %s: register ID reads 0x%016" PRIx64
                  ", which is not an FSHMEM node",
                  fsh_fpga.ops->name, id);
    if (major != FSH_SPEC_MAJOR)
        fsh_fatal("device %s speaks version %u of the register map, this "
                  "library version %u: install matching ones",
                  fsh_fpga.ops->name, major, FSH_SPEC_MAJOR);
    if (fsh_fpga.nodes > nodes || fsh_fpga.nodes > FSH_MAX_NODES)
        fsh_fatal("device %s supports fabrics of at most %u nodes, the job "
                  "has %" PRIu32 " ranks: start fewer, or use conduit smp",
                  fsh_fpga.ops->name, nodes, fsh_fpga.nodes);
    check_ports((unsigned)(caps & 0xff));
    if (tags < FSH_NUM_TAGS || slots < FSH_SLOTS_PER_PEER)
        fsh_fatal("device %s has %u tags and %u slots a peer; this library "
                  "needs %u and %u",
                  fsh_fpga.ops->name, tags, slots, FSH_NUM_TAGS,
                  FSH_SLOTS_PER_PEER);
    if (fsh_fpga.packet > packet)
        fsh_fatal("FSHMEM_PACKET=%u: device %s has packets of at most %u bytes",
                  fsh_fpga.packet, fsh_fpga.ops->name, packet);
}

static bool valid_packet(unsigned bytes)
{
    return bytes >= FSH_MIN_PACKET && bytes <= FSH_MAX_PACKET &&
           (bytes & (bytes - 1)) == 0;
}

static void read_options(void)
{
    fsh_fpga.copiers = (unsigned)fsh_option_int("FSHMEM_HOST_CORES");
    fsh_fpga.packet = (unsigned)fsh_option_int("FSHMEM_PACKET");
    if (!valid_packet(fsh_fpga.packet))
        fsh_fatal("FSHMEM_PACKET=%u: payload bytes of a packet are 128, 256, "
                  "512 or 1024",
                  fsh_fpga.packet);
    fsh_fpga.ports = (unsigned)fsh_option_int("FSHMEM_PORTS");
    if (fsh_fpga.ports < 1 || fsh_fpga.ports > ALL_PORTS)
        fsh_fatal("FSHMEM_PORTS=%u: the mask of link ports is 1, 2 or 3",
                  fsh_fpga.ports);
}

/* Programs everything that does not depend on the segments. */
static void program_host(void)
{
    fsh_fpga_write(FSH_REG_CONTROL, 0);
    fsh_fpga_write(FSH_REG_NODE, fsh_fpga.node | (uint64_t)fsh_fpga.nodes << 8);
    fsh_fpga_write(FSH_REG_PACKET, fsh_fpga.packet);
    fsh_fpga_write(FSH_REG_HOST_BASE, fsh_fpga.mem.dma_bus);
    fsh_fpga_write(FSH_REG_HOST_SIZE, fsh_fpga.mem.dma_bytes);
    fsh_fpga_write(FSH_REG_CPL_BASE, FSH_DMA_CPL);
    fsh_fpga_write(FSH_REG_REQ_BASE, FSH_DMA_REQ);
    fsh_fpga_write(FSH_REG_REP_BASE, FSH_DMA_REP);
    fsh_fpga_write(FSH_REG_SLOT_HDR_BASE, FSH_DMA_SLOT_HDR);
    fsh_fpga_write(FSH_REG_SLOT_PAY_BASE, FSH_DMA_SLOT_PAY);
    fsh_fpga_write(FSH_REG_STATUS_ADDR, FSH_DMA_STATUS);
}

static void reset_state(void)
{
    fsh_fpga.cpl.entries = (const void *)(fsh_fpga.mem.dma + FSH_DMA_CPL);
    fsh_fpga.rx[FSH_FPGA_REQUEST].entries =
        (const void *)(fsh_fpga.mem.dma + FSH_DMA_REQ);
    fsh_fpga.rx[FSH_FPGA_REPLY].entries =
        (const void *)(fsh_fpga.mem.dma + FSH_DMA_REP);
    fsh_fpga.cpl.taken = FSH_REG_CPL_TAKEN;
    fsh_fpga.rx[FSH_FPGA_REQUEST].taken = FSH_REG_REQ_TAKEN;
    fsh_fpga.rx[FSH_FPGA_REPLY].taken = FSH_REG_REP_TAKEN;
    atomic_store(&fsh_fpga.free_tags, FSH_FPGA_ALL_TAGS);
    for (unsigned c = 0; c < FSH_FPGA_CHANNELS; c++) {
        atomic_store(&fsh_fpga.free_small[c],
                     UINT64_MAX >> (64 - FSH_DMA_SMALL_SLOTS));
        atomic_store(&fsh_fpga.free_big[c],
                     UINT64_MAX >> (64 - FSH_DMA_BIG_SLOTS));
    }
    for (unsigned n = 0; n < FSH_MAX_NODES; n++)
        fsh_fpga_slots_init(&fsh_fpga.peer[n]);
}

static void number_nodes(void)
{
    fsh_fpga.ranks = fsh_boot_size();
    fsh_fpga.nodes = fsh_boot_nodes();
    fsh_fpga.node = fsh_boot_node(fsh_boot_rank());
    for (uint32_t r = 0; r < fsh_fpga.ranks; r++) {
        uint32_t node = fsh_boot_node(r);

        if (node == FSH_JOB_NO_NODE)
            continue;
        fsh_fpga.node_of[r] = (uint8_t)node;
        fsh_fpga.rank_of[node] = (uint8_t)r;
    }
}

void fsh_cards_open(enum fsh_threads threads, bool (*beside)(void),
                    struct fsh_limits *limits)
{
    const struct fsh_job_page *page = fsh_boot_page();
    size_t most;

    number_nodes();
    fsh_fpga.beside = beside;
    fsh_fpga.locking = threads == FSH_THREADS_PAR;
    fsh_fpga.topology = &page->topology;
    read_options();
    open_device();
    check_device();
    reset_state();
    program_host();
    most = fsh_fpga.mem.segment_bytes - fsh_fpga_area();
    *limits = (struct fsh_limits){
        .am_max_medium = FSH_MAX_MEDIUM,
        .am_max_long_request = FSH_CARDS_MAX_LONG,
        .am_max_long_reply = FSH_CARDS_MAX_LONG,
        .max_segment_local = most,
        .max_segment_global = most,
    };
}

void fsh_fpga_init(enum fsh_threads threads, struct fsh_limits *limits)
{
    uint64_t mine, sizes[FSH_MAX_NODES];

    fsh_cards_open(threads, NULL, limits);
    mine = limits->max_segment_local;
    fsh_boot_exchange(&mine, sizeof mine, sizes);
    for (uint32_t r = 0; r < fsh_fpga.ranks; r++)
        if (sizes[r] < limits->max_segment_global)
            limits->max_segment_global = sizes[r];
}

static void program_routes(const struct fsh_route *route, unsigned ports)
{
    uint64_t word[FSH_MAX_NODES];

    for (uint32_t n = 0; n < fsh_fpga.nodes; n++)
        word[n] =
            fsh_route_word(route[n], fsh_fpga.segs[n].size + fsh_fpga_area());
    fsh_fpga_lock(&fsh_fpga.device_lock);
    fsh_fpga.ops->patience(fsh_fpga.dev, false);
    fsh_fpga.ops->write(fsh_fpga.dev, FSH_REG_ROUTE, word, fsh_fpga.nodes);
    fsh_fpga_unlock(&fsh_fpga.device_lock);
    fsh_fpga_write(FSH_REG_PORTS, ports);
}

bool fsh_fpga_write_routes(unsigned ports)
{
    unsigned mask = ports == ALL_PORTS ? fsh_fpga.all_ports : ports;
    struct fsh_route route[FSH_MAX_NODES];

    fsh_topology_routes_from(fsh_fpga.topology, fsh_fpga.node, mask, route);
    route[fsh_fpga.node].ports = (uint8_t)mask; /* any: never leaves the node */
    for (uint32_t n = 0; n < fsh_fpga.nodes; n++)
        if (route[n].ports == 0)
            return false;
    program_routes(route, mask);
    fsh_fpga.ports = ports;
    return true;
}

void fsh_cards_segment(size_t size, struct fsh_card_facts *mine)
{
    size_t area = fsh_fpga_area();

    if (size + area > fsh_fpga.mem.segment_bytes)
        fsh_fatal("conduit fpga: segment of %zu bytes and %zu for the library "
                  "are more than the device memory of %zu bytes; FSHMEM_DRAM "
                  "sets that of simulated nodes",
                  size, area, fsh_fpga.mem.segment_bytes);
    *mine = (struct fsh_card_facts){.segment = {fsh_fpga.mem.segment, size},
                                    .engines = fsh_fpga_read(FSH_REG_CAPS) >>
                                               CAPS_ENGINES_BIT};
    fsh_fpga.segment_size = size;
}

static void take_facts(const struct fsh_card_facts *facts)
{
    fsh_fpga.collective = true;
    for (uint32_t n = 0; n < fsh_fpga.nodes; n++) {
        const struct fsh_card_facts *f = &facts[fsh_fpga.rank_of[n]];

        fsh_fpga.segs[n] = f->segment;
        fsh_fpga.cores |= (uint64_t)((f->engines & COMPUTE) != 0) << n;
        fsh_fpga.collective &= (f->engines & COLLECTIVE) != 0;
    }
}

/* For the device, the segment includes the library's area behind it. */
void fsh_cards_enable(const struct fsh_card_facts *facts)
{
    take_facts(facts);
    fsh_fpga_write(FSH_REG_SEG_BASE, fsh_fpga.mem.segment_base);
    fsh_fpga_write(FSH_REG_SEG_SIZE, fsh_fpga.segment_size + fsh_fpga_area());
    if (!fsh_fpga_write_routes(fsh_fpga.ports))
        fsh_fatal("FSHMEM_PORTS=%u: with topology %.200s some of the %" PRIu32
                  " nodes cannot be reached; use 3",
                  fsh_fpga.ports, fsh_fpga.topology->name, fsh_fpga.nodes);
    fsh_fpga_write(FSH_REG_CONTROL, CONTROL_ENABLE);
    if (fsh_fpga_read(FSH_REG_FAULTS) >> FAULTS_WRONG_BIT & 1)
        fsh_fatal("device %s: it rejected a register value: its memory or "
                  "the DMA window is not aligned to 4 KiB",
                  fsh_fpga.ops->name);
    /* A read waits for the writes before it, so this node is ready. */
    (void)fsh_fpga_read(FSH_REG_CONTROL);
    fsh_fpga.attached = true;
}

void fsh_fpga_attach(size_t size, struct fsh_segment *segs)
{
    struct fsh_card_facts mine, all[FSH_MAX_NODES];

    fsh_cards_segment(size, &mine);
    fsh_boot_exchange(&mine, sizeof mine, all);
    for (uint32_t r = 0; r < fsh_fpga.ranks; r++)
        segs[r] = all[r].segment;
    fsh_cards_enable(all);
    fsh_boot_barrier("all nodes to be ready");
}
