/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A convolution on the compute cores of all nodes, stride 1, the output as
 * large as the input; see conv.c for how. The input is on every node, the
 * kernels are split, and the whole output is on every node at the end. Every
 * call is collective.
 */
#ifndef CONV_H
#define CONV_H

#include "case.h"

#define CONV_MAX_NODES 63u /* an event for each, and one to start */

struct conv_options {
    uint32_t kernels;  /* channels of the output */
    uint32_t size;     /* of a kernel, both dimensions */
    uint32_t channels; /* of the input */
    uint32_t map;      /* height and width */
    uint32_t seed;     /* of the numbers */
};

struct conv {
    struct conv_options options;
    gasnet_node_t me, nodes;
    fshmem_offset_t input, output, kernels;
    struct case_commands commands;
    gasnet_handle_t handle;
    fshmem_status_t result;
};

/* The FSHMEM paper's workloads: 3x3 (256 kernels of 256 channels), 5x5 (192), 7x7 (128)
 * on maps of 64 x 64. Other sizes: the first. */
struct conv_options conv_paper(uint32_t size);

/* Ends the job, with a message, if this is impossible on so many nodes. */
void conv_refuse(const struct conv_options *options);
/* Bytes of segment needed. */
uint64_t conv_bytes(const struct conv_options *options);
/* Multiplications. */
double conv_macs(const struct conv_options *options);

/* Fill in the operands, build the commands and submit them to this rank's
 * node. They wait for CASE_START. */
void conv_prepare(struct conv *x, const struct conv_options *options);
/* Number of starts that they await. */
unsigned conv_starts(const struct conv *x);
/* Wait until the whole output is complete and nothing is left to forward. */
void conv_wait(struct conv *x);
/* Compare this node's output with FP64: all of a small one, else samples from
 * the range of every node; and the outputs of all nodes with each other. The hash
 * is that of the whole output on rank 0, and 0 on the others. */
void conv_check(const struct conv *x, struct case_check *check);
void conv_free(struct conv *x);

/* ---- between conv.c and conv_check.c ---- */

enum { CONV_INPUT, CONV_KERNELS };

static inline uint64_t conv_blocks(uint64_t channels)
{
    return (channels + 15) / 16;
}

/* Blocks of 16 values of a kernel. */
static inline uint64_t conv_taps(const struct conv_options *o)
{
    return conv_blocks(o->channels) * o->size * o->size;
}

/* Where in the sequence of rows (conv.c) the range of a node begins. */
static inline uint64_t conv_begin(const struct conv_options *o,
                                  gasnet_node_t nodes, gasnet_node_t node)
{
    return conv_blocks(o->kernels) * o->map * node / nodes;
}

/* 16 values of CONV_INPUT (index: a pixel of a channel block) or CONV_KERNELS
 * (a tap of a channel block of a kernel). Channels past the last are zero. */
void conv_values(const struct conv_options *o, uint32_t operand, uint64_t index,
                 float value[16]);

#endif
