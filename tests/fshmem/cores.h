/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Common code of the programs of this folder, on top of conform.h: room in the
 * segments, numbers, and references for results: FP64 with the error
 * bound of the format, and the model of the arithmetic, src/compute/kernel, bit for
 * bit. Rank r works on node r unless a test says otherwise.
 */
#ifndef FSHMEM_CORES_H
#define FSHMEM_CORES_H

#include "../conform/conform.h"

#include <fshmem.h>
#include <math.h>

#include "compute/kernel/kernels.h"

#define FINE(call)                                                             \
    do {                                                                       \
        const fshmem_status_t cores_s_ = (call);                               \
        conf_at(CONF_HERE);                                                    \
        if (cores_s_ != FSHMEM_OK) {                                           \
            conf_fail(CONF_HERE, #call, "%s", fshmem_status_string(cores_s_)); \
        }                                                                      \
    } while (0)

/* A call that must be refused so. */
#define REFUSED(call, status) CHECK_EQ(call, status)

static uint64_t cores_next; /* first free byte of the segments */

static inline void cores_start(const char *name, int *argc, char ***argv,
                               uintptr_t segment_bytes)
{
    fshmem_compute_info_t info;

    conf_start(name, argc, argv, NULL, 0, segment_bytes);
    FINE(fshmem_compute_info(conf.me, &info));
    if (!info.present) {
        conf_skip("no compute core");
    }
}

/* Bytes of every segment; the same place on all ranks that ask alike. */
static inline fshmem_offset_t cores_take(uint64_t bytes)
{
    fshmem_offset_t at = cores_next;

    cores_next += (bytes + 63) / 64 * 64;
    CHECK(cores_next <= conf.seg[conf.me].size, "the test needs more memory");
    return at;
}

/* The next test may use all of it again. */
static inline void cores_reset(void)
{
    cores_next = 0;
}

static inline float *cores_at(fshmem_offset_t offset)
{
    return (float *)(void *)(conf_addr(conf.me) + offset);
}

static inline uint64_t cores_ld(uint64_t values)
{
    return (values + 15) / 16 * 16;
}

static inline float cores_number(struct conf_rng *rng)
{
    return (float)((double)(conf_next(rng) >> 40) / 8388608.0 - 1.0);
}

static inline void cores_fill(float *x, uint64_t rows, uint64_t columns,
                              uint64_t ld, struct conf_rng *rng)
{
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < columns; c++) {
            x[r * ld + c] = cores_number(rng);
        }
    }
}

static inline uint32_t cores_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

/* rows x columns numbers are the same, to the bit. */
#define CHECK_BITS(got, ldg, want, ldw, rows, columns) \
    cores_check_bits(CONF_HERE, got, ldg, want, ldw, rows, columns)
static inline void cores_check_bits(const char *where, const float *got,
                                    uint64_t ldg, const float *want,
                                    uint64_t ldw, uint64_t rows,
                                    uint64_t columns)
{
    conf_at(where);
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < columns; c++) {
            if (cores_bits(got[r * ldg + c]) != cores_bits(want[r * ldw + c])) {
                conf_fail(where, "results",
                          "row %zu column %zu of %zu x %zu is %g, want %g",
                          (size_t)r, (size_t)c, (size_t)rows, (size_t)columns,
                          (double)got[r * ldg + c], (double)want[r * ldw + c]);
            }
        }
    }
}

/* Error of one product of numbers in -1..1 with 7-bit magnitudes: a relative
 * 2^-8 of the block's largest each; k of them, and the sums in FP32. */
static inline double cores_bound(uint64_t k)
{
    return (double)k * (1.0 / 64) * 1.01;
}

static inline void *cores_alloc(size_t bytes)
{
    void *p = calloc(1, bytes);
    CHECK(p != NULL, "calloc");
    return p;
}

/* A command for this rank's own node, and its end. */
static inline void cores_run(const fshmem_command_t *command)
{
    FINE(fshmem_submit(conf.me, command, 1));
}

#endif
