/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What an fshmem_command_t holds: a command of the compute core almost done
 * (layout ccmd), and what submitting it still needs. One plan may be several
 * commands: a wide image is cut into columns, a long SEND into parts. Pure
 * functions, any thread, no job needed.
 */
#ifndef FSH_API_PLAN_H
#define FSH_API_PLAN_H

/* The library serves all thread modes. */
#undef GASNET_PAR
#define GASNET_PAR 1
#define FSH_GASNET_LIBRARY 1
#include "fshmem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fsh_spec.h"
#include "compute/execute/execute.h"

#define FSH_PLAN_MARK 0x4e414c50u /* "PLAN" */
#define FSH_LINE FSH_COMPUTE_LINE
#define FSH_LINE_VALUES FSH_COMPUTE_LINE_VALUES
#define FSH_MAX_DIMENSION FSH_COMPUTE_MAX_DIMENSION

struct fsh_plan {
    /* Without the flow, and without the fields that differ between pieces. */
    uint64_t ccmd[FSH_CCMD_WORDS];
    uint32_t mark;
    uint8_t mover; /* queue */
    uint8_t await_event, signal_event;
    uint8_t tile_x, tile_w; /* CONV: given by the user, or 0 */
    uint16_t await_count;   /* 0: none */
    uint32_t pieces;
    uint32_t piece; /* columns of output (CONV), values (SEND) of a piece */
    uint32_t
        total;     /* of all pieces (SEND: in units of 16 values, rounded up) */
    uint32_t base; /* line of the first piece: output (CONV), source (SEND) */
    uint32_t tail; /* SEND: values of the last piece */
    int32_t pad_w; /* CONV */
    uint32_t send_line;  /* first line at the receivers */
    uint64_t local_end;  /* bytes of the segment the command needs */
    uint64_t remote_end; /* of the receivers' */
    uint64_t send_nodes, signal_nodes;
};
_Static_assert(sizeof(struct fsh_plan) <= sizeof(fshmem_command_t), "plan");

/* Piece `index` of a plan as the core takes it, completion aside. */
void fsh_plan_piece(const struct fsh_plan *plan, uint32_t index,
                    uint64_t *ccmd);

/* ---- building (flow.c) ---- */

/* Begin a plan with its operation and flow; and give it to the user. */
fshmem_status_t fsh_plan_begin(struct fsh_plan *plan, unsigned op, bool mover,
                               const fshmem_flow_t *flow);
void fsh_plan_end(const struct fsh_plan *plan, fshmem_command_t *command);
/* The plan in a command, or NULL if it was not built. */
const struct fsh_plan *fsh_plan_of(const fshmem_command_t *command);

/* Is n a dimension that a compute core takes? */
static inline bool fsh_plan_is_size(uint64_t n)
{
    return n >= 1 && n <= FSH_MAX_DIMENSION;
}

/* The command uses `bytes` bytes at offset: checks that it is aligned and in reach
 * of addresses, and records the end. *line: the offset in lines of 64 bytes. */
fshmem_status_t fsh_plan_use(struct fsh_plan *plan, fshmem_offset_t offset,
                             uint64_t bytes, uint32_t *line);
/* The same for a matrix of `rows` rows of `columns` FP32, ld apart. *ld: the
 * distance of rows in lines. */
fshmem_status_t fsh_plan_matrix(struct fsh_plan *plan,
                                const fshmem_operand_t *operand, uint64_t rows,
                                uint64_t columns, uint32_t *line, uint32_t *ld);
/* What is sent ends `bytes` bytes after its start. */
fshmem_status_t fsh_plan_sent(struct fsh_plan *plan, uint64_t bytes);

/* ---- tiles (tile.c) ---- */

#define FSH_ACCUMULATORS FSH_COMPUTE_ACCUMULATORS
#define FSH_X_WORDS FSH_COMPUTE_OPERAND_WORDS

struct fsh_tile_choice {
    uint32_t x, w; /* fields tile_x and tile_w */
};

/* The tile of an m x n product whose fields are multiples of those of `of`. */
struct fsh_tile_choice fsh_tile_gemm(uint64_t m, uint64_t n,
                                     struct fsh_tile_choice of);

struct fsh_tile_conv {
    uint32_t out_h, out_w; /* out_w of the piece */
    uint32_t channels;     /* of the output */
    uint32_t kernel_h, kernel_w, stride;
};

/* Words of a row of the input, of one phase: field row_words; and of a tile of
 * `rows` rows of output: field x_words. */
uint32_t fsh_tile_row_words(const struct fsh_tile_conv *conv);
uint32_t fsh_tile_x_words(const struct fsh_tile_conv *conv, uint32_t rows);

/* Choose what is 0 in *tile. False: no tile fits (what was given does not). */
bool fsh_tile_conv(const struct fsh_tile_conv *conv,
                   struct fsh_tile_choice *tile);

/* Columns of a piece such that tiles fit; 0: none. */
uint32_t fsh_tile_columns(const struct fsh_tile_conv *conv);

/* a / b rounded up; b is not 0, and the result fits. */
static inline uint32_t fsh_div_up(uint64_t a, uint32_t b)
{
    return (uint32_t)((a + b - 1) / b);
}

#endif
