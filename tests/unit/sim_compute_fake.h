/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake compute core in C, for tests of the node's compute port: it takes RUNs into
 * queues of a given size, issues commands that the test queues, and reports arrivals
 * to the test. Its timing is drawn from its pace and the cycle. It signals room in
 * its queues as late as a node must tolerate. One per node; one fabric at a time;
 * one thread.
 */
#ifndef FSH_TEST_SIM_COMPUTE_FAKE_H
#define FSH_TEST_SIM_COMPUTE_FAKE_H

#include "bed.h"
#include "sim_play.h"

#define CORE_QUEUE 64u /* commands waiting */

struct sim_core {
    struct fsh_node_io *io;
    struct fsh_port_in out; /* what it drives */
    uint32_t index;
    uint32_t capacity[2]; /* RUNs by queue; room is shown from four on */
    uint32_t pace;        /* does each thing in one cycle of so many */
    bool awake;           /* idle only if not set and nothing is to do */
    bool overrun;         /* a RUN came without room, or a pulse in reset */
    uint32_t used[2], room[3];
    struct fsh_port_in queue[CORE_QUEUE];
    uint32_t head, tail;
    uint64_t taken_at; /* cycle in which the node took the last command */
};

extern struct sim_core core[FSH_MAX_NODES];

/* Of the test; called when the node's pulse is up. */
void core_on_run(uint32_t node, const struct fsh_port_out *port);
void core_on_signal(uint32_t node, uint32_t counter, uint32_t increment);
void core_on_ack(uint32_t node, uint32_t tag, uint32_t status);

/* Queue a command; false without room. core_wake must follow if all sleeps. */
bool core_put(uint32_t node, uint32_t dst, uint32_t tag, uint64_t laddr,
              uint64_t raddr, uint32_t length);
bool core_signal(uint32_t node, uint32_t dst, uint32_t counter,
                 uint32_t increment);
bool core_complete(uint32_t node, uint32_t dst, uint32_t cookie,
                   uint32_t status);
/* Any words. */
bool core_raw(uint32_t node, const struct fsh_port_in *cmd);
/* After a change from outside: let the core be looked at. */
void core_wake(struct fsh_bed *bed, uint32_t node);

#endif
