/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job ends whatever its compute cores are doing: one queue waits for an event
 * that never comes, the other computes. A waiting core costs nothing:
 * the rank uses no processor while it sleeps. With argument "kill" rank 0 is
 * killed instead of leaving.
 */
#include <sys/resource.h>

#include "cores.h"

enum { SEGMENT = 16 << 20, SIZE = 1024, NAP_US = 300000 };

static double processor_seconds(void)
{
    struct rusage use;

    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

static void sleeps(void)
{
    const fshmem_flow_t never = {.await_event = 1, .await_count = 1};
    fshmem_command_t command[2];
    gasnet_handle_t handle;

    FINE(fshmem_command_nop(0, &never, &command[0]));
    FINE(fshmem_command_nop(1, &never, &command[1]));
    FINE(fshmem_submit_nb(conf.me, command, 2, 0, &handle, NULL));
    conf_barrier();
    usleep(NAP_US);
    double before = processor_seconds();
    usleep(NAP_US);
    double used = processor_seconds() - before;
    CHECK(used < 0.05, "%g s of processor time in %g s of sleep", used,
          NAP_US / 1e6);
    FINE(fshmem_signal(conf.me, 1, 2));
    gasnet_wait_syncnb(handle);
    conf_barrier();
}

int main(int argc, char **argv)
{
    cores_start("leave", &argc, &argv, SEGMENT);
    fshmem_gemm_t g = {.m = SIZE, .n = SIZE, .k = SIZE, .ldc = SIZE};
    const fshmem_flow_t never = {.await_event = 2, .await_count = 1};
    fshmem_command_t command[2];
    gasnet_handle_t handle;

    sleeps();
    g.a = g.b = (fshmem_operand_t){FSHMEM_FP32_ROWS, 0, SIZE};
    g.c = (uint64_t)SIZE * SIZE * 4;
    FINE(fshmem_command_gemm(&g, &command[0]));
    FINE(fshmem_command_nop(1, &never, &command[1]));
    for (int i = 0; i < 20; i++) {
        FINE(fshmem_submit_nb((conf.me + (unsigned)i) % conf.n, command, 2, 0,
                              &handle, NULL));
    }
    conf_barrier();
    if (argc > 1 && conf.me == 0) {
        raise(SIGKILL);
    }
    conf_pass();
}
