/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of measurements on a rank, and the clock they use.
 */
#include "perf.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/simulated.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double perf_median(double *value, size_t n)
{
    qsort(value, n, sizeof(value[0]), by_value);
    return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

const char *perf_host_clock(void)
{
    return fsh_simulated() != NULL ? "simulated, hosts included" : "wall";
}

void perf_wall_only(const char *command)
{
    if (fsh_simulated() != NULL) {
        fsh_fatal("%s measures the simulator on the wall clock; run it without "
                  "--clock simulated",
                  command);
    }
}
