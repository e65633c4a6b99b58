/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * C = A x B, square, on the compute cores of all nodes; matmul.c has
 * two algorithms, matmul_grid.c the third. A and B exist once, split evenly over
 * the nodes, and so does C at the end. Every call is collective.
 */
#ifndef MATMUL_H
#define MATMUL_H

#include "case.h"

enum matmul_algorithm {
    MATMUL_AUTO,
    MATMUL_PARTIAL,
    MATMUL_PASS_ON,
    MATMUL_GRID
};
#define MATMUL_ALGORITHMS "auto|partial|pass-on|grid"

struct matmul_options {
    uint32_t size; /* rows and columns */
    uint32_t seed; /* of the numbers */
    enum matmul_algorithm algorithm;
};

struct matmul {
    uint32_t size, seed;
    enum matmul_algorithm algorithm; /* not AUTO */
    gasnet_node_t me, nodes;
    uint32_t products; /* pass-on: commands so far that use parts of B */
    fshmem_offset_t a, b, c;
    fshmem_offset_t outbox;   /* partial: sums to be sent to the other's C */
    fshmem_offset_t panels;   /* pass-on, grid: B, encoded, by owner */
    fshmem_offset_t panels_a; /* grid: A, likewise */
    uint32_t grid_rows, grid_columns;
    struct case_commands commands;
    gasnet_handle_t handle;
    fshmem_status_t result;
};

/* Algorithm for a name of MATMUL_ALGORITHMS, and the reverse. */
enum matmul_algorithm matmul_algorithm(const char *name);
const char *matmul_name(enum matmul_algorithm algorithm);

/* Ends the job, with a message, if this is impossible on so many nodes. */
void matmul_refuse(const struct matmul_options *options);
/* Bytes of segment needed. */
uint64_t matmul_bytes(const struct matmul_options *options);

/* Fill in the operands, build the commands and submit them to this rank's
 * node. They wait for CASE_START. */
void matmul_prepare(struct matmul *x, const struct matmul_options *options);
/* Number of starts that they await. */
unsigned matmul_starts(const struct matmul *x);
/* Wait until this node's part of C is complete and nothing is left to forward. */
void matmul_wait(struct matmul *x);
/* Compare this node's part of C with FP64: all of it up to size 256, else
 * samples; and hash all of it. */
void matmul_check(const struct matmul *x, struct case_check *check);
void matmul_free(struct matmul *x);

#endif
