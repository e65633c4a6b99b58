/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface of conduit fpga for tools; see fpga.h.
 */
#include <assert.h>

#include "base/trace.h"
#include "conduit/fpga/fpga.h"
#include "conduit/fpga/state.h"

#define CONTROL_ENABLE 1u
#define CONTROL_HOLD 2u

bool fsh_fpga_active(void)
{
    return fsh_fpga.attached;
}

const char *fsh_fpga_device_name(void)
{
    return fsh_fpga.ops->name;
}

bool fsh_fpga_simulated(void)
{
    return fsh_fpga.mem.simulated;
}

uint64_t fsh_fpga_reg_read(uint32_t offset)
{
    return fsh_fpga_read(offset);
}

void fsh_fpga_reg_write(uint32_t offset, uint64_t value)
{
    fsh_fpga_write(offset, value);
}

struct fsh_fpga_perf fsh_fpga_perf_read(unsigned event)
{
    uint32_t at = FSH_REG_PERF + event * 32;

    assert(event < FSH_PERF_COUNT);
    return (struct fsh_fpga_perf){
        .first = fsh_fpga_read(at),
        .last = fsh_fpga_read(at + 8),
        .count = fsh_fpga_read(at + 16),
        .sum = fsh_fpga_read(at + 24),
    };
}

void fsh_fpga_perf_clear(void)
{
    fsh_fpga_write(FSH_REG_PERF_CLEAR, 1);
}

uint64_t fsh_fpga_coll_perf_read(unsigned counter)
{
    assert(counter < FSH_COLLPERF_COUNT);
    return fsh_fpga_read(FSH_REG_COLL_PERF + counter * 8);
}

void fsh_fpga_coll_perf_clear(void)
{
    fsh_fpga_write(FSH_REG_COLL_PERF_CLEAR, 1);
}

void fsh_fpga_gate_hold(void)
{
    fsh_fpga_write(FSH_REG_CONTROL, CONTROL_ENABLE | CONTROL_HOLD);
    (void)fsh_fpga_read(FSH_REG_CONTROL);
}

void fsh_fpga_gate_open(void)
{
    fsh_fpga_lock(&fsh_fpga.device_lock);
    fsh_fpga.ops->open_gate(fsh_fpga.dev);
    fsh_fpga_unlock(&fsh_fpga.device_lock);
}

bool fsh_fpga_set_packet(unsigned bytes)
{
    if (bytes < FSH_MIN_PACKET || bytes > FSH_MAX_PACKET ||
        (bytes & (bytes - 1)) != 0)
        return false;
    fsh_fpga_write(FSH_REG_PACKET, bytes);
    fsh_fpga.packet = bytes;
    return true;
}

bool fsh_fpga_set_ports(unsigned mask)
{
    return mask >= 1 && mask <= 3 && fsh_fpga_write_routes(mask);
}

unsigned fsh_fpga_packet(void)
{
    return fsh_fpga.packet;
}

unsigned fsh_fpga_ports(void)
{
    return fsh_fpga.ports;
}

bool fsh_fpga_raw_submit(const struct fsh_fpga_raw *raw,
                         struct fsh_fpga_record *record)
{
    bool put = raw->opcode == FSH_OP_PUT;
    int tag = fsh_fpga_claim(&fsh_fpga.free_tags);
    struct fsh_fpga_command cmd;

    if (tag < 0)
        return false;
    struct fsh_fpga_desc desc = {
        .opcode = raw->opcode,
        .category = put ? FSH_CAT_LONG : FSH_CAT_SHORT,
        .ack = put,
        .ordered = raw->ordered,
        .rspace = FSH_SPACE_SEGMENT,
        .lspace = raw->data != NULL ? FSH_SPACE_INLINE : FSH_SPACE_SEGMENT,
        .node = (uint8_t)raw->node,
        .tag = (uint16_t)tag,
        .raddr = raw->remote,
        .laddr = raw->local,
        .length = raw->length,
        .data = raw->data,
    };
    struct fsh_fpga_op op = {
        .opcode = raw->opcode,
        .node = raw->node,
        .remote = raw->remote,
        .length = raw->length,
        .record = record,
    };
    if (record != NULL)
        atomic_store_explicit(&record->done, 0, memory_order_relaxed);
    fsh_fpga_op_begin((unsigned)tag, &op);
    fsh_fpga_encode(&cmd, &desc);
    if (!fsh_fpga_try_submit(FSH_FPGA_REQUEST, &cmd)) {
        fsh_fpga_op_end((unsigned)tag);
        return false;
    }
    if (__builtin_expect(fsh_trace_on, 0))
        fsh_trace_transfer((unsigned)tag);
    atomic_fetch_add_explicit(put ? &fsh_fpga.bytes.put : &fsh_fpga.bytes.get,
                              raw->length, memory_order_relaxed);
    return true;
}

bool fsh_fpga_raw_entries(bool reply, const uint64_t *words, unsigned entries)
{
    return fsh_fpga_try_entries(reply ? FSH_FPGA_REPLY : FSH_FPGA_REQUEST,
                                words, entries);
}

bool fsh_fpga_poll(void)
{
    return fsh_fpga_progress(true);
}

struct fsh_fpga_bytes fsh_fpga_bytes(void)
{
    return (struct fsh_fpga_bytes){
        .put = atomic_load(&fsh_fpga.bytes.put),
        .get = atomic_load(&fsh_fpga.bytes.get),
        .am = atomic_load(&fsh_fpga.bytes.am),
        .credits = atomic_load(&fsh_fpga.bytes.credits),
    };
}
