/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * COMPUTE messages of hosts at the node's compute port, case by case: accepted or
 * refused, local and remote. Commands of the core: sim_compute_commands.c; under
 * load: sim_compute_storm.c. Arguments: case names. Environment: see sim_port.h.
 */
#include "sim_port.h"

static void case_run(void)
{
    port_open(3, true, 8);
    for (uint32_t from = 0; from < 3; from++)
        for (uint32_t to = 0; to < 3; to++)
            for (uint32_t mover = 0; mover < 2; mover++)
                port_try_run(from, to, mover, FSH_STATUS_OK);
    CHECK(port_counted(0, FSH_PERF_REFUSED) == 0, "refused");
    port_close();
}

static void case_busy(void)
{
    port_open(2, true, 3); /* less than four: no room ever */
    port_try_run(0, 1, 0, FSH_STATUS_BUSY);
    port_try_run(1, 1, 1, FSH_STATUS_BUSY);
    core[1].capacity[1] = 4;
    core_wake(&port_bed, 1);
    port_settle();
    port_try_run(0, 1, 0, FSH_STATUS_BUSY);
    port_try_run(0, 1, 1, FSH_STATUS_OK);
    CHECK(port_counted(1, FSH_PERF_REFUSED) == 3, "refused");
    port_close();
}

static void case_signal(void)
{
    unsigned sent = 0;

    port_open(2, true, 8);
    for (uint32_t from = 0; from < 2; from++)
        for (uint32_t nargs = 2; nargs <= 4; nargs++) {
            uint32_t counter = 60 + nargs - from, increment = 255 - from;

            port_send(from, 1, port_signal_args(counter, increment), nargs,
                      FSH_STATUS_OK);
            port_settle();
            CHECK(port_seen[1].signals == ++sent &&
                      port_seen[1].counter == counter % 64 &&
                      port_seen[1].increment == increment,
                  "%u of %u signals: %u to %u", port_seen[1].signals, sent,
                  port_seen[1].increment, port_seen[1].counter);
        }
    port_close();
}

/* No such operation, or none for a host. */
static void case_unsupported(void)
{
    port_open(2, true, 8);
    for (uint32_t op = FSH_CMSG_COMPLETE; op < 16; op++)
        port_send(0, op % 2, op | 0x30, 1 + op % 4, FSH_STATUS_UNSUPPORTED);
    port_send(0, 1, port_run_args(0, 0, 1), 2, FSH_STATUS_UNSUPPORTED);
    port_settle();
    CHECK(port_seen[0].runs + port_seen[1].runs + port_seen[0].signals +
                  port_seen[1].signals ==
              0,
          "something reached a core");
    CHECK(port_counted(0, FSH_PERF_REFUSED) +
                  port_counted(1, FSH_PERF_REFUSED) ==
              15,
          "refused");
    port_close();
}

static void case_absent(void)
{
    for (int present = 0; present < 2; present++) {
        uint64_t caps;

        port_open(2, present, 8);
        CHECK(fsh_fabric_read(port_bed.fab, 0, FSH_REG_CAPS, PORT_LIMIT, &caps),
              "read");
        CHECK((caps >> 48 & 1) == (uint64_t)present && caps >> 50 == 0 &&
                  (caps >> 16 & 0xffff) == FSH_NUM_TAGS,
              "CAPS %llx", (unsigned long long)caps);
        for (uint32_t to = 0; to < 2 && !present; to++) {
            port_send(0, to, port_run_args(1, 0, 1), 2, FSH_STATUS_UNSUPPORTED);
            port_send(0, to, port_signal_args(1, 1), 2, FSH_STATUS_UNSUPPORTED);
        }
        port_close();
    }
}

static void refused(const struct fsh_bed_command *cmd, uint32_t status)
{
    CHECK(fsh_bed_submit(&port_bed, 0, cmd), "window full");
    port_expect(0, FSH_CPL_REFUSED, (uint32_t)fsh_cmd_opcode(cmd->word),
                (uint32_t)fsh_cmd_dst(cmd->word),
                (uint32_t)fsh_cmd_tag(cmd->word), status);
}

/* Refused where they are submitted. */
static void case_submit(void)
{
    struct fsh_bed_command cmd;

    port_open(2, true, 8);
    port_message(&cmd, 1, 5, port_run_args(1, 0, 1), 0);
    refused(&cmd, FSH_STATUS_BAD_LENGTH);
    port_message(&cmd, 1, 5, port_run_args(1, 0, 1), 5);
    refused(&cmd, FSH_STATUS_BAD_LENGTH);
    port_message(&cmd, 1, 5, port_run_args(1, 0, 1), 2);
    fsh_cmd_set_length(cmd.word, 1);
    refused(&cmd, FSH_STATUS_BAD_LENGTH);
    port_message(&cmd, 1, 5, port_run_args(1, 0, 1), 2);
    fsh_cmd_set_category(cmd.word, FSH_CAT_MEDIUM);
    refused(&cmd, FSH_STATUS_BAD_COMMAND);
    port_message(&cmd, 1, 5, port_run_args(1, 0, 1), 2);
    fsh_cmd_set_reply(cmd.word, 1);
    refused(&cmd, FSH_STATUS_BAD_COMMAND);
    port_message(&cmd, 2, 5, port_run_args(1, 0, 1), 2);
    refused(&cmd, FSH_STATUS_BAD_NODE);
    for (uint32_t tag = FSH_HOST_TAGS; tag <= FSH_NUM_TAGS; tag += 16) {
        port_message(&cmd, 1, tag, port_run_args(1, 0, 1), 2);
        refused(&cmd, FSH_STATUS_BAD_COMMAND);
        fsh_bed_put(&cmd, 1, tag, 0, 0, 64);
        refused(&cmd, FSH_STATUS_BAD_COMMAND);
        fsh_bed_get(&cmd, 1, tag, 0, 0, 64);
        refused(&cmd, FSH_STATUS_BAD_COMMAND);
    }
    port_settle();
    CHECK(port_seen[1].runs == 0, "a RUN");
    port_send(0, 1, port_run_args(1, 0, 1), 2, FSH_STATUS_OK);
    port_close();
}

static const struct port_case cases[] = {
    {"run", case_run},       {"busy", case_busy},
    {"signal", case_signal}, {"unsupported", case_unsupported},
    {"absent", case_absent}, {"submit", case_submit},
};

int main(int argc, char **argv)
{
    return port_main(argc, argv, "sim_compute_port", cases,
                     sizeof cases / sizeof *cases);
}
