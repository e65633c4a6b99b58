/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common code of the tests of the node's compute port: nodes with fake cores
 * (sim_compute_fake.h) that record what they receive, messages of hosts to them, and
 * the list of cases. Environment: SIM_WAVES=FILE.fst, SIM_STALL=SEED.
 */
#ifndef FSH_TEST_SIM_PORT_H
#define FSH_TEST_SIM_PORT_H

#include "check.h"
#include "sim_compute_fake.h"

#define PORT_LIMIT 100000u /* cycles */
#define PORT_SEGMENT (1u << 20)

extern struct fsh_bed port_bed;

/* What the cores have been told since port_open. */
extern struct port_seen {
    unsigned runs, signals, acks;
    struct fsh_port_out run;
    uint32_t counter, increment, tag, status;
    uint32_t sum[FSH_NUM_EVENTS]; /* of the signals */
} port_seen[FSH_MAX_NODES];

/* Nodes with a core of so much room for RUNs, or without; at rest. */
void port_open(uint32_t nodes, bool compute, uint32_t capacity);
/* All must be at rest, every entry taken. */
void port_close(void);
void port_settle(void);
/* The next entry of a completion ring is this. */
void port_expect(uint32_t node, uint32_t kind, uint32_t opcode, uint32_t peer,
                 uint32_t tag, uint32_t status);
uint64_t port_counted(uint32_t node, uint32_t event);

/* A COMPUTE message with the first two arguments in `two`. */
void port_message(struct fsh_bed_command *cmd, uint32_t dst, uint32_t tag,
                  uint64_t two, uint32_t nargs);
/* The same, sent; it is answered with this status. */
void port_send(uint32_t from, uint32_t dst, uint64_t two, uint32_t nargs,
               uint32_t status);
uint64_t port_run_args(uint32_t count, uint32_t mover, uint32_t addr);
uint64_t port_signal_args(uint32_t counter, uint32_t increment);
/* A RUN that is answered with this status, and reaches the core if that is OK. */
void port_try_run(uint32_t from, uint32_t dst, uint32_t mover, uint32_t status);

struct port_case {
    const char *name;
    void (*run)(void);
};
/* Of main: run the cases that the arguments name, or all. */
int port_main(int argc, char **argv, const char *test,
              const struct port_case *cases, unsigned count);

#endif
