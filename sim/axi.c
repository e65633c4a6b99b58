/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory behind one AXI4 master of a node: device memory (one master per
 * port) or, through PCIe, the host's DMA window. In order per master, with
 * several bursts outstanding. The memory may be shared with a running rank: a
 * write that fills an aligned unit of 8, 4 or 2 bytes is one store of that
 * size.
 *
 * Timing: a read's first beat is valid read_cycles after its address was
 * accepted, then one beat per cycle while the pool has bytes. Write data is
 * stored when accepted (device memory) or pcie_cycles later (host); the
 * response is valid resp_cycles after the last beat was accepted.
 */
#include <stdatomic.h>
#include <string.h>

#include "model.h"

enum { STALL_AW = 1, STALL_W = 2, STALL_B = 4, STALL_AR = 8, STALL_R = 16 };

/* Relaxed: data; whoever is told of it is told by a later release store. */
void fsh_store_word(unsigned char *to, uint64_t value, uint32_t strb)
{
    if (strb == 0xff) {
        __atomic_store_n((uint64_t *)(void *)to, value, __ATOMIC_RELAXED);
        return;
    }
    for (unsigned i = 0; i < 8; i += 2, strb >>= 2, value >>= 16) {
        if (i % 4 == 0 && (strb & 0xf) == 0xf) {
            __atomic_store_n((uint32_t *)(void *)(to + i), (uint32_t)value,
                             __ATOMIC_RELAXED);
            i += 2;
            strb >>= 2;
            value >>= 16;
        } else if ((strb & 3) == 3) {
            __atomic_store_n((uint16_t *)(void *)(to + i), (uint16_t)value,
                             __ATOMIC_RELAXED);
        } else if (strb & 3) {
            __atomic_store_n(to + i + (strb & 1 ? 0 : 1),
                             (unsigned char)(strb & 1 ? value : value >> 8),
                             __ATOMIC_RELAXED);
        }
    }
}

/* Seldom. Not inlined: GCC takes the fence for ours then, and warns with -fsanitize=thread. */
static __attribute__((noinline)) void store_part(unsigned char *to,
                                                 const uint64_t data[2],
                                                 uint32_t strb)
{
    /* In the order of store_beat, for words of eight bytes. */
    atomic_thread_fence(memory_order_release);
    fsh_store_word(to + 8, data[1], (strb >> 8) & 0xff);
    fsh_store_word(to, data[0], strb & 0xff);
}

static inline void store_beat(unsigned char *to, const uint64_t data[2],
                              uint32_t strb)
{
    if (strb != 0xffff) {
        store_part(to, data, strb);
        return;
    }
    /* The low word holds the phase of a ring entry. Release: it is seen last, after
     * the upper word and all earlier writes; partner: the acquire load of the phase
     * in conduit fpga. */
    __atomic_store_n((uint64_t *)(void *)(to + 8), data[1], __ATOMIC_RELAXED);
    __atomic_store_n((uint64_t *)(void *)to, data[0], __ATOMIC_RELEASE);
}

static void load_beat(const unsigned char *from, uint64_t data[2])
{
    data[0] =
        __atomic_load_n((const uint64_t *)(const void *)from, __ATOMIC_RELAXED);
    data[1] = __atomic_load_n((const uint64_t *)(const void *)(from + 8),
                              __ATOMIC_RELAXED);
}

/* Is this beat in what the test has spoilt? */
static bool spoilt(const struct fsh_master *m, uint64_t addr)
{
    return fsh_spoilt(m->bad_from, m->bad_to, addr, FSH_BEAT_BYTES);
}

/* A burst stays inside the memory and inside a 4 KiB page (AXI). */
static bool take_burst(struct fsh_sim_node *node, const struct fsh_master *m,
                       const char *what, uint64_t addr, uint32_t len,
                       struct fsh_burst *burst)
{
    uint64_t first = addr & ~(uint64_t)(FSH_BEAT_BYTES - 1);
    uint64_t bytes = (len + 1u) * FSH_BEAT_BYTES;

    burst->addr = first;
    burst->beats = len + 1u;
    if ((first & 4095) + bytes > 4096) {
        fsh_sim_node_fail(node,
                          "node %u: %s %s burst of %u beats at 0x%llx crosses "
                          "4 KiB (cycle %llu)",
                          node->index, m->name, what, len + 1u,
                          (unsigned long long)addr,
                          (unsigned long long)node->cycle);
        return false;
    }
    if (first < m->base || first - m->base > m->size ||
        bytes > m->size - (first - m->base)) {
        fsh_sim_node_fail(node,
                          "node %u: %s %s of %llu bytes at 0x%llx lies outside "
                          "0x%llx..0x%llx (cycle %llu)",
                          node->index, m->name, what, (unsigned long long)bytes,
                          (unsigned long long)addr, (unsigned long long)m->base,
                          (unsigned long long)(m->base + m->size),
                          (unsigned long long)node->cycle);
        return false;
    }
    return true;
}

/* Posted writes whose time has come. */
static void apply_stores(struct fsh_fabric *fab, struct fsh_sim_node *node,
                         struct fsh_master *m)
{
    while (m->store_head != m->store_tail) {
        const struct fsh_store *store =
            &m->store[m->store_head & m->store_mask];

        if (store->at > node->cycle)
            return;
        m->store_head++;
        store_beat(m->mem + (store->addr - m->base), store->data, store->strb);
        if (store->last && fab->config.events.dma_written)
            fab->config.events.dma_written(fab->config.events.arg, node->index,
                                           store->addr - m->base);
    }
}

static void take_data(struct fsh_fabric *fab, struct fsh_sim_node *node,
                      struct fsh_master *m)
{
    const struct fsh_axi_out *out = m->out;
    const struct fsh_burst *burst = &m->write[m->write_head % FSH_BURSTS];
    uint64_t addr = burst->addr + (uint64_t)m->write_beat * FSH_BEAT_BYTES;
    bool last = ++m->write_beat == burst->beats;

    if (last != (out->wlast != 0)) {
        fsh_sim_node_fail(node,
                          "node %u: %s last beat of a write burst of %u marked "
                          "at beat %u (cycle %llu)",
                          node->index, m->name, burst->beats, m->write_beat,
                          (unsigned long long)node->cycle);
        return;
    }
    node->hash =
        fsh_mix(node->hash, (node->cycle ^ ((uint64_t)node->index << 56) ^
                             ((uint64_t)out->wstrb << 40)) +
                                addr * UINT64_C(0xBF58476D1CE4E5B9) +
                                out->wdata[0] * UINT64_C(0x94D049BB133111EB) +
                                out->wdata[1] * UINT64_C(0xD6E8FEB86659FD93));
    if (m->store) {
        struct fsh_store *store = &m->store[m->store_tail++ & m->store_mask];

        store->at = node->cycle + fab->config.pcie_cycles;
        store->addr = addr;
        store->data[0] = out->wdata[0];
        store->data[1] = out->wdata[1];
        store->strb = out->wstrb;
        store->last = last;
    } else {
        store_beat(m->mem + (addr - m->base), out->wdata, out->wstrb);
    }
    m->write_bad |= spoilt(m, addr);
    if (last) {
        m->resp_bad[m->resp_tail % FSH_BURSTS] = m->write_bad;
        m->write_bad = false;
        m->resp[m->resp_tail++ % FSH_BURSTS] = node->cycle + m->resp_cycles;
        m->write_beat = 0;
        m->write_head++;
    }
}

static void write_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                       struct fsh_master *m, uint32_t stall)
{
    const struct fsh_axi_out *out = m->out;
    struct fsh_axi_in *in = m->in;
    uint32_t held = m->write_tail - m->write_head + m->resp_tail - m->resp_head;

    in->awready = !(stall & STALL_AW) && held < FSH_BURSTS;
    if (held == 0 && !out->awvalid) { /* data alone waits for its address */
        in->wready = in->bvalid = 0;
        return;
    }
    if (out->awvalid && in->awready &&
        take_burst(node, m, "write", out->awaddr, out->awlen,
                   &m->write[m->write_tail % FSH_BURSTS]))
        m->write_tail++;
    in->wready = out->wvalid && m->write_head != m->write_tail &&
                 !(stall & STALL_W) &&
                 fsh_pool_take(m->write_pool, node->cycle, FSH_BEAT_BYTES);
    if (in->wready)
        take_data(fab, node, m);
    in->bvalid =
        m->resp_shown || (m->resp_head != m->resp_tail &&
                          m->resp[m->resp_head % FSH_BURSTS] <= node->cycle &&
                          !(stall & STALL_B));
    in->berr = m->resp_bad[m->resp_head % FSH_BURSTS];
    m->resp_shown = in->bvalid && !out->bready;
    if (in->bvalid && out->bready)
        m->resp_head++;
}

static void fetch(struct fsh_fabric *fab, struct fsh_sim_node *node,
                  struct fsh_master *m)
{
    const struct fsh_burst *burst = &m->read[m->read_head % FSH_BURSTS];
    uint64_t addr = burst->addr + (uint64_t)m->read_beat * FSH_BEAT_BYTES;
    struct fsh_axi_in *in = m->in;

    if (fab->replaying) {
        fsh_tape_need(fab->tape, node, in->rdata);
    } else {
        load_beat(m->mem + (addr - m->base), in->rdata);
        if (fab->recording)
            fsh_tape_data(fab->tape, node->index, in->rdata);
    }
    in->rerr = 0;
    if (spoilt(m, addr)) {
        in->rerr = 1;
        in->rdata[0] = ~in->rdata[0];
        in->rdata[1] = ~in->rdata[1];
    }
    in->rlast = m->read_beat + 1 == burst->beats;
    in->rid = burst->id & 1u;
}

static void read_step(struct fsh_fabric *fab, struct fsh_sim_node *node,
                      struct fsh_master *m, uint32_t stall)
{
    const struct fsh_axi_out *out = m->out;
    struct fsh_axi_in *in = m->in;

    in->arready =
        !(stall & STALL_AR) && m->read_tail - m->read_head < FSH_BURSTS;
    if (out->arvalid && in->arready) {
        struct fsh_burst *burst = &m->read[m->read_tail % FSH_BURSTS];

        if (take_burst(node, m, "read", out->araddr, out->arlen, burst)) {
            burst->at = node->cycle + m->read_cycles;
            burst->id = out->arid;
            m->read_tail++;
        }
    }
    in->rvalid = 0;
    if (m->read_head == m->read_tail ||
        m->read[m->read_head % FSH_BURSTS].at > node->cycle)
        return;
    if (!m->read_shown) {
        if ((stall & STALL_R) ||
            !fsh_pool_take(m->read_pool, node->cycle, FSH_BEAT_BYTES))
            return;
        fetch(fab, node, m);
    }
    in->rvalid = 1;
    m->read_shown = !out->rready;
    if (!out->rready)
        return;
    if (++m->read_beat == m->read[m->read_head % FSH_BURSTS].beats) {
        m->read_beat = 0;
        m->read_head++;
    }
}

bool fsh_master_work(struct fsh_fabric *fab, struct fsh_sim_node *node,
                     struct fsh_master *m, uint32_t stall)
{
    const struct fsh_axi_out *out = m->out;
    bool turn = node->cycle & 2;

    if (m->store)
        apply_stores(fab, node, m);
    /* Turns, so that a narrow pool starves neither side. A call of each, which is
     * expanded in place. */
    for (unsigned i = 0; i < 2; i++, turn = !turn) {
        if (turn)
            write_step(fab, node, m, stall);
        else
            read_step(fab, node, m, stall);
    }
    return m->in->bvalid | m->in->rvalid | out->awvalid | out->wvalid |
           out->arvalid;
}

uint64_t fsh_master_due(const struct fsh_master *m)
{
    uint64_t due = FSH_NEVER;

    if (m->resp_head != m->resp_tail)
        due = m->resp[m->resp_head % FSH_BURSTS];
    if (m->read_head != m->read_tail &&
        m->read[m->read_head % FSH_BURSTS].at < due)
        due = m->read[m->read_head % FSH_BURSTS].at;
    if (m->store_head != m->store_tail &&
        m->store[m->store_head & m->store_mask].at < due)
        due = m->store[m->store_head & m->store_mask].at;
    return due;
}

uint64_t fsh_master_tells(const struct fsh_master *m)
{
    for (uint32_t i = m->store_head; i != m->store_tail; i++)
        if (m->store[i & m->store_mask].last)
            return m->store[i & m->store_mask].at;
    return FSH_NEVER;
}
