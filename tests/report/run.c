/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A report of the trace that is standard input, to standard output: run.py makes the
 * traces. 1 with a message if it is none. The arguments: the command it is of, and how
 * many nodes of how many ports have counted; the last of them is the busiest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "device/sim/sim_shm.h"
#include "run.h"

/* 1000 cycles; each port sends in 800 and more of them. */
static struct fsh_sim_fabric *count(uint32_t nodes, unsigned ports)
{
    struct fsh_sim_fabric *fabric = calloc(1, sizeof *fabric);

    if (!fabric || nodes > FSH_MAX_NODES || ports > FSH_MAX_PORTS)
        abort();
    for (uint32_t n = 0; n < nodes; n++)
        for (unsigned port = 0; port < ports; port++) {
            uint64_t *event = fabric->counts[n].event[FSH_PERF_TX_BEAT0 + port];

            event[1] = 1000;           /* the last */
            event[2] = 800 + n + port; /* how many */
        }
    atomic_store(&fabric->counted, nodes);
    return fabric;
}

int main(int argc, char **argv)
{
    struct run_job job = {.command = argc > 1 ? argv[1] : "", .seconds = 1};
    char err[200];
    struct run run;

    if (!run_read(&run, stdin, err, sizeof(err))) {
        fprintf(stderr, "%s\n", err);
        return 1;
    }
    if (argc > 3) {
        job.ports = (unsigned)atoi(argv[3]);
        job.fabric = count((uint32_t)atoi(argv[2]), job.ports);
    }
    run_write(stdout, &run, &job);
    run_free(&run);
    free((void *)(uintptr_t)job.fabric);
    return fflush(stdout) == 0 ? 0 : 1;
}
