/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charges the program's own computation in simulated time (FSHMEM_HOST_TIME): the
 * processor time a thread has used since its last conduit call ended is spent when
 * its next one begins. Handlers are included. Some tens of nanoseconds of library
 * code above the conduit are attributed to the program. The result of such a run
 * varies from run to run.
 */
#include <time.h>

#include "base/log.h"
#include "base/option.h"
#include "base/simulated.h"
#include "conduit/fpga/state.h"

static double factor;       /* 0: computation is free */
static uint64_t reading_ns; /* cost of reading the processor time */

static _Thread_local unsigned depth; /* of this thread's nested calls */
/* Its processor time when it last left the conduit; 0: it never entered. */
static _Thread_local uint64_t mark;
static _Thread_local double rest; /* fraction of a cycle not yet spent */

static uint64_t cpu_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

void fsh_fpga_host_time_begin(void)
{
    factor = fsh_option_times("FSHMEM_HOST_TIME");
    if (factor == 0)
        return;
    if (fsh_fpga.node == 0 && !fsh_option_bool("GASNET_QUIET"))
        fsh_warn(
            "FSHMEM_HOST_TIME=%s: simulated time includes processor time of "
            "this machine, so it differs from run to run",
            fsh_option_str("FSHMEM_HOST_TIME"));
    reading_ns = UINT64_MAX;
    for (int i = 0; i < 100; i++) {
        uint64_t a = cpu_ns(), b = cpu_ns();

        reading_ns = b - a < reading_ns ? b - a : reading_ns;
    }
    mark = cpu_ns();
}

void fsh_fpga_enter_slowly(void)
{
    uint64_t taken = 0, cycles;

    if (depth++ != 0)
        return;
    if (factor != 0 && mark != 0)
        taken = cpu_ns() - mark;
    fsh_fpga_clock_check();
    fsh_fpga.clock->enter(fsh_fpga.dev);
    if (taken <= reading_ns)
        return;
    rest += (double)(taken - reading_ns) * factor / FSH_NS_PER_CYCLE;
    cycles = (uint64_t)rest;
    rest -= (double)cycles;
    fsh_fpga.clock->spend(fsh_fpga.dev, cycles);
}

void fsh_fpga_leave_slowly(void)
{
    /* 0: the call began before the clock did. */
    if (depth != 0 && --depth == 0 && factor != 0)
        mark = cpu_ns();
}

void fsh_fpga_waited(void)
{
    if (depth == 0 && factor != 0)
        mark = cpu_ns();
}

unsigned fsh_fpga_handler_begin(void)
{
    unsigned calls = depth;

    if (calls != 0) {
        depth = 1;
        fsh_fpga_leave();
    }
    return calls;
}

void fsh_fpga_handler_end(unsigned calls)
{
    if (calls != 0) {
        fsh_fpga_enter();
        depth = calls;
    }
}
