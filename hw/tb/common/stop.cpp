// SPDX-License-Identifier: BSD-3-Clause
// How a testbench ends that runs a model of the simulator's, which leaves it to
// the program (VL_USER_STOP, _FATAL, _FINISH).
#include <cstdio>
#include <cstdlib>
#include "verilated.h"

void vl_fatal(const char *file, int line, const char *hier,
              const char *msg) VL_MT_UNSAFE
{
    std::printf("%s:%d: %s in %s\n", file, line, msg, hier);
    std::exit(1);
}

void vl_stop(const char *file, int line, const char *hier) VL_MT_UNSAFE
{
    vl_fatal(file, line, hier, "assertion or $stop");
}

void vl_finish(const char *file, int line, const char *hier) VL_MT_UNSAFE
{
    vl_fatal(file, line, hier, "$finish");
}
