/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nodes without a compute core report that and refuse commands; the job continues.
 */
#include "cores.h"

int main(int argc, char **argv)
{
    const fshmem_flow_t none = {0};
    fshmem_compute_info_t info;
    fshmem_command_t command;
    gasnet_handle_t handle;
    fshmem_core_counters_t counters;

    conf_start("absent", &argc, &argv, NULL, 0, 4096);
    FINE(fshmem_command_nop(0, &none, &command));
    for (gasnet_node_t node = 0; node < conf.n; node++) {
        FINE(fshmem_compute_info(node, &info));
        CHECK(!info.present && info.rows == 0, "node %u", (unsigned)node);
        REFUSED(fshmem_submit(node, &command, 1), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_submit_nb(node, &command, 1, FSHMEM_TRY, &handle, NULL),
                FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_signal(node, 0, 1), FSHMEM_ERR_ABSENT);
        REFUSED(fshmem_signal_nb(node, 0, 1, &handle), FSHMEM_ERR_ABSENT);
    }
    REFUSED(fshmem_await(0, 1), FSHMEM_ERR_ABSENT);
    REFUSED(fshmem_core_counters(&counters), FSHMEM_ERR_ABSENT);
    REFUSED(fshmem_core_counters_clear(), FSHMEM_ERR_ABSENT);
    gasnet_put_val(0, conf_addr(0) + 8 * conf.me, 1, 8);
    conf_pass();
}
