/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The algorithm "grid" of matmul.h, and what matmul.c provides for it. Nodes are
 * arranged in a grid, row by row. A node ends with the block of C at the rows of
 * its row of the grid and the columns of its column.
 */
#ifndef MATMUL_GRID_H
#define MATMUL_GRID_H

#include "matmul.h"

enum { MATMUL_A, MATMUL_B };
enum { MATMUL_PART = 64 }; /* rows of A, columns of B that move together */

/* ---- matmul.c ---- */

/* Rows of A, columns of B that a node has; parts of them, columns of a part,
 * bytes of one, encoded. */
uint32_t matmul_share(const struct matmul *x);
uint32_t matmul_parts(const struct matmul *x);
uint32_t matmul_part_columns(const struct matmul *x, uint32_t part);
uint64_t matmul_part_bytes(const struct matmul *x);
void matmul_add(struct matmul *x, const fshmem_gemm_t *gemm);

/* ---- matmul_grid.c ---- */

/* The squarest grid of so many nodes, with no more rows than columns. */
void matmul_grid_shape(gasnet_node_t nodes, uint32_t *rows, uint32_t *columns);
/* Room for parts of A and B in the segment, from *next on. */
void matmul_grid_lay_out(struct matmul *x, uint64_t *next);
void matmul_grid_build(struct matmul *x);
/* The share of B that a node has, in units of matmul_share columns. */
uint32_t matmul_grid_share_of_b(const struct matmul *x);
/* Row and column in C of value i of this node's block. */
void matmul_grid_place(const struct matmul *x, uint64_t i, uint64_t *row,
                       uint64_t *column);

#endif
