/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * See sim_port.h.
 */
#include "sim_port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fsh_bed port_bed;
struct port_seen port_seen[FSH_MAX_NODES];

void core_on_run(uint32_t node, const struct fsh_port_out *port)
{
    port_seen[node].runs++;
    port_seen[node].run = *port;
}

void core_on_signal(uint32_t node, uint32_t counter, uint32_t increment)
{
    port_seen[node].signals++;
    port_seen[node].counter = counter;
    port_seen[node].increment = increment;
    port_seen[node].sum[counter] += increment;
}

void core_on_ack(uint32_t node, uint32_t tag, uint32_t status)
{
    port_seen[node].acks++;
    port_seen[node].tag = tag;
    port_seen[node].status = status;
}

void port_open(uint32_t nodes, bool compute, uint32_t capacity)
{
    struct fsh_fabric_config config;
    struct fsh_bed_options options = {
        .packet = 256, .ports = 3, .seg_size = PORT_SEGMENT};
    char err[512];

    fsh_fabric_defaults(&config);
    config.nodes = nodes;
    config.compute = compute;
    config.dram_bytes = 2 * PORT_SEGMENT;
    config.waves = getenv("SIM_WAVES");
    if (getenv("SIM_STALL")) {
        config.stall = true;
        config.stall_seed = strtoull(getenv("SIM_STALL"), NULL, 0);
    }
    memset(port_seen, 0, sizeof port_seen);
    CHECK(fsh_bed_open(&port_bed, &config, &options, err, sizeof err), "%s",
          err);
    for (uint32_t n = 0; n < nodes && compute; n++) {
        core[n].capacity[0] = core[n].capacity[1] = capacity;
        core_wake(&port_bed, n);
    }
    CHECK(fsh_fabric_run(port_bed.fab, PORT_LIMIT), "not idle after reset");
}

void port_close(void)
{
    CHECK(fsh_fabric_run(port_bed.fab, PORT_LIMIT),
          "the nodes do not become idle: %s",
          fsh_fabric_error(port_bed.fab) ? fsh_fabric_error(port_bed.fab)
                                         : "no error");
    for (uint32_t n = 0; n < port_bed.nodes; n++) {
        uint64_t entry[2];

        CHECK(!core[n].overrun, "node %u: RUN without room", n);
        for (int ring = 0; ring < 3; ring++)
            CHECK(!fsh_bed_take(&port_bed, n, (enum fsh_bed_ring)ring, entry),
                  "node %u: an entry too many: %016llx", n,
                  (unsigned long long)entry[0]);
    }
    CHECK(fsh_bed_close(&port_bed), "close");
}

void port_settle(void)
{
    CHECK(fsh_fabric_run(port_bed.fab, PORT_LIMIT),
          "the nodes do not become idle");
}

void port_expect(uint32_t node, uint32_t kind, uint32_t opcode, uint32_t peer,
                 uint32_t tag, uint32_t status)
{
    uint64_t entry[2];

    CHECK(fsh_bed_await(&port_bed, node, FSH_BED_RING_CPL, PORT_LIMIT, entry),
          "node %u: no entry", node);
    CHECK(fsh_ring_kind(entry) == kind && fsh_ring_opcode(entry) == opcode &&
              fsh_ring_node(entry) == peer && fsh_ring_tag(entry) == tag &&
              fsh_ring_status(entry) == status,
          "entry %016llx: kind %u opcode %u peer %u tag %u status %u expected",
          (unsigned long long)entry[0], kind, opcode, peer, tag, status);
}

uint64_t port_counted(uint32_t node, uint32_t event)
{
    struct fsh_bed_perf perf;

    CHECK(fsh_bed_perf(&port_bed, node, event, &perf), "counter");
    return perf.count;
}

void port_message(struct fsh_bed_command *cmd, uint32_t dst, uint32_t tag,
                  uint64_t two, uint32_t nargs)
{
    uint32_t args[16] = {(uint32_t)two, (uint32_t)(two >> 32), ~0u, ~0u};

    fsh_bed_command(cmd, FSH_OP_COMPUTE, FSH_CAT_SHORT, dst, tag);
    fsh_bed_attach(cmd, args, nargs, NULL, 0);
}

void port_send(uint32_t from, uint32_t dst, uint64_t two, uint32_t nargs,
               uint32_t status)
{
    struct fsh_bed_command cmd;

    port_message(&cmd, dst, 47, two, nargs);
    CHECK(fsh_bed_submit(&port_bed, from, &cmd), "window full");
    port_expect(from, FSH_CPL_TAGGED, FSH_OP_PUT_ACK, dst, 47, status);
}

uint64_t port_run_args(uint32_t count, uint32_t mover, uint32_t addr)
{
    uint64_t args = 0;

    fsh_crun_set_op(&args, FSH_CMSG_RUN);
    fsh_crun_set_count(&args, count);
    fsh_crun_set_mover(&args, mover);
    fsh_crun_set_addr(&args, addr);
    return args;
}

uint64_t port_signal_args(uint32_t counter, uint32_t increment)
{
    uint64_t args = 0;

    fsh_csignal_set_op(&args, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&args, counter);
    fsh_csignal_set_increment(&args, increment);
    return args;
}

void port_try_run(uint32_t from, uint32_t dst, uint32_t mover, uint32_t status)
{
    unsigned before = port_seen[dst].runs;
    const struct fsh_port_out *run = &port_seen[dst].run;

    port_send(from, dst, port_run_args(200 + from, mover, 0x87654320 + dst), 2,
              status);
    port_settle();
    CHECK(port_seen[dst].runs - before == (status == FSH_STATUS_OK), "%u RUNs",
          port_seen[dst].runs - before);
    CHECK(status != FSH_STATUS_OK ||
              (run->run_count == 200 + from && run->run_mover == mover &&
               run->run_addr == 0x87654320 + dst),
          "count %u queue %u address %x", run->run_count, run->run_mover,
          run->run_addr);
}

static bool wanted(const char *name, int argc, char **argv)
{
    bool found = argc == 1;

    for (int k = 1; k < argc; k++)
        found |= strcmp(argv[k], name) == 0;
    return found;
}

int port_main(int argc, char **argv, const char *test,
              const struct port_case *cases, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!wanted(cases[i].name, argc, argv))
            continue;
        printf("%s\n", cases[i].name);
        fflush(stdout);
        cases[i].run();
    }
    printf("%s: ok\n", test);
    return 0;
}
