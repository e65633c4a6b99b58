/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core in software: what one command (layout ccmd) does to the
 * segment of its node. Conduits without the logic run it; nothing here knows
 * queues, events or other nodes. The rules are those of hw/rtl/compute: the
 * same checks, the same status, the same bits.
 *
 * Plain memory, blocking on the calling thread, any number of threads at once
 * on segments of their own.
 */
#ifndef FSH_EXECUTE_H
#define FSH_EXECUTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "compute/kernel/kernels.h"

/* A line, in the compute core's software: 64 bytes, the unit of addresses and of
 * distances in commands, and what a memory port moves in a cycle. */
#define FSH_COMPUTE_LINE 64u
#define FSH_COMPUTE_LINE_VALUES 16u
/* The array of the logic (hw/rtl/compute/fsh_array.sv), each element a dot
 * product of a line of both operands, and its way to memory, a line a cycle each. */
#define FSH_COMPUTE_ROWS 16u
#define FSH_COMPUTE_COLUMNS 8u
#define FSH_COMPUTE_MEMORY_PORTS 4u
#define FSH_COMPUTE_ACCUMULATORS \
    128u /* of a tile, in groups of rows x columns */
#define FSH_COMPUTE_OPERAND_WORDS 512u /* of its buffer, each a line a column */
#define FSH_COMPUTE_MAX_DIMENSION \
    ((1u << 24) - 64) /* rounded up: still 24 bits */

/* What a queue checks before it waits for the command's event: FSH_STATUS_OK or
 * BAD_COMMAND. mover: the queue. */
unsigned fsh_execute_check(const uint64_t *ccmd, bool mover);

/* Does a command with this status wait for its event? */
bool fsh_execute_waits(const uint64_t *ccmd);

/* Run a command that passed the check, transfers aside; blocks while it computes.
 * FSH_STATUS_OK; LOCAL_RANGE: it leaves the segment of `bytes` bytes; MEMORY: an
 * allocation failed. If not OK, memory is as before. */
unsigned fsh_execute(const uint64_t *ccmd, unsigned char *segment,
                     size_t bytes);

/* About what a command costs, in products of two numbers of the vector code; for those
 * who choose where it runs. */
double fsh_execute_work(const uint64_t *ccmd);

/* Call fn for each contiguous range of what the command sends (art, or SEND),
 * as offset in the segment and bytes. */
typedef void (*fsh_execute_range_fn)(void *arg, uint64_t offset,
                                     uint64_t bytes);
void fsh_execute_sent(const uint64_t *ccmd, fsh_execute_range_fn fn, void *arg);

/* Where the ranges begin: the offset that art_addr stands for. */
uint64_t fsh_execute_sent_base(const uint64_t *ccmd);

/* ---- among the files of this folder ---- */

/* Is this an element-wise operation (fsh_celem.sv)? */
static inline bool fsh_execute_is_element(uint64_t op)
{
    return op == FSH_COP_AXPY || op == FSH_COP_GATE || op == FSH_COP_SUM;
}

/* Lines of 64 bytes that n values fill. */
static inline uint64_t fsh_execute_lines(uint64_t values)
{
    return (values + FSH_COMPUTE_LINE_VALUES - 1) / FSH_COMPUTE_LINE_VALUES;
}

/* Is a matrix of `rows` rows, `stride` lines apart, of `lines` lines each
 * inside `bytes` bytes? From line `at`. */
bool fsh_execute_inside(uint64_t at, uint64_t rows, uint64_t stride,
                        uint64_t lines, size_t bytes);

/* The distance of rows to give to a kernel, which takes none that is shorter
 * than a row: in values, of `rows` rows of `values` each. A command may say
 * anything of a single row. */
static inline size_t fsh_execute_distance(uint64_t lines, uint64_t rows,
                                          uint64_t values)
{
    return rows == 1 ? fsh_execute_lines(values) * FSH_COMPUTE_LINE_VALUES
                     : lines * FSH_COMPUTE_LINE_VALUES;
}

/* What the command ends with if the kernels say so. */
unsigned fsh_execute_status(enum fsh_kernel_status status);

/* fsh_execute of a CONV (conv.c); returns the same. */
unsigned fsh_execute_conv(const uint64_t *ccmd, unsigned char *segment,
                          size_t bytes);

#endif
