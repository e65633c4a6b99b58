/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake compute core; see sim_compute_fake.h.
 */
#include "sim_compute_fake.h"

#include <string.h>

struct sim_core core[FSH_MAX_NODES];

static bool draw(const struct sim_core *c, unsigned salt)
{
    uint64_t x =
        (c->io->in.cycle * 8 + salt) * UINT64_C(0x9E3779B97F4A7C15) + c->index;

    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    return c->pace <= 1 || (x >> 33) % c->pace == 0;
}

bool core_raw(uint32_t node, const struct fsh_port_in *cmd)
{
    struct sim_core *c = &core[node];

    if (c->tail - c->head == CORE_QUEUE)
        return false;
    c->queue[c->tail++ % CORE_QUEUE] = *cmd;
    return true;
}

bool core_put(uint32_t node, uint32_t dst, uint32_t tag, uint64_t laddr,
              uint64_t raddr, uint32_t length)
{
    struct fsh_port_in cmd = {.kind = FSH_EKIND_PUT,
                              .dst = (uint8_t)dst,
                              .tag = (uint8_t)tag,
                              .laddr = laddr,
                              .raddr = raddr,
                              .length = length};

    return core_raw(node, &cmd);
}

/* What is no part of the message is filled, to be ignored. */
static bool message(uint32_t node, uint32_t dst, uint64_t args)
{
    struct fsh_port_in cmd = {.kind = FSH_EKIND_MESSAGE,
                              .dst = (uint8_t)dst,
                              .tag = 9,
                              .laddr = args & ((UINT64_C(1) << 40) - 1),
                              .raddr = UINT64_C(0xfffffffff1),
                              .length = 0xfffff5};

    return core_raw(node, &cmd);
}

bool core_signal(uint32_t node, uint32_t dst, uint32_t counter,
                 uint32_t increment)
{
    uint64_t args = 0;

    fsh_csignal_set_op(&args, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&args, counter);
    fsh_csignal_set_increment(&args, increment);
    return message(node, dst, args);
}

bool core_complete(uint32_t node, uint32_t dst, uint32_t cookie,
                   uint32_t status)
{
    uint64_t args = 0;

    fsh_ccomplete_set_op(&args, FSH_CMSG_COMPLETE);
    fsh_ccomplete_set_cookie(&args, cookie);
    fsh_ccomplete_set_status(&args, status);
    return message(node, dst, args);
}

void core_wake(struct fsh_bed *bed, uint32_t node)
{
    core[node].io->out.core_busy = 1;
    /* A register nobody knows: any write makes the node be looked at. */
    fsh_fabric_host_write(bed->fab, node, 0x7f8, 0);
}

/* --- sim_play.h ---------------------------------------------------------- */

void sim_play_begin(uint32_t index, struct fsh_node_io *io)
{
    struct sim_core *c = &core[index];

    memset(c, 0, sizeof *c);
    c->io = io;
    c->index = index;
    c->pace = 1;
}

static void take_pulses(struct sim_core *c, const struct fsh_port_out *port)
{
    if (port->run_valid) {
        uint32_t *used = &c->used[port->run_mover];

        if (++*used > c->capacity[port->run_mover])
            c->overrun = true;
        core_on_run(c->index, port);
    }
    if (port->sig_valid)
        core_on_signal(c->index, port->sig_counter, port->sig_inc);
    if (port->ack_valid)
        core_on_ack(c->index, port->ack_tag, port->ack_status);
}

/* A valid that is up stays up, with the same command. */
static void give_commands(struct sim_core *c, bool ready)
{
    struct fsh_port_in *out = &c->out;
    bool stay = out->ccmd_valid && !ready;

    if (stay)
        return;
    if (out->ccmd_valid) {
        c->head++;
        c->taken_at = c->io->in.cycle;
    }
    out->ccmd_valid = 0;
    if (c->head == c->tail || !draw(c, 0))
        return;
    *out = c->queue[c->head % CORE_QUEUE];
    out->ccmd_valid = 1;
}

bool sim_play_edge(uint32_t index, const struct fsh_port_out *in,
                   struct fsh_port_in *out)
{
    struct sim_core *c = &core[index];
    uint32_t room = 0;

    if (c->io->in.rst) {
        memset(out, 0, sizeof *out);
        return true;
    }
    take_pulses(c, in);
    for (uint32_t q = 0; q < 2; q++) {
        if (c->used[q] && draw(c, 1 + q))
            c->used[q]--;
        if (c->used[q] + 4 <= c->capacity[q])
            room |= 1u << q;
    }
    give_commands(c, in->ccmd_ready);
    c->out.run_room = (uint8_t)c->room[1];
    *out = c->out;
    c->room[1] = c->room[0];
    c->room[0] = room;
    return c->awake || c->head != c->tail || c->used[0] || c->used[1] ||
           out->run_room != room || c->room[1] != room;
}
