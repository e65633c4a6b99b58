/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of wall-clock measurements.
 */
#include "perf.h"

#include <stdlib.h>

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
