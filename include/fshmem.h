/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FSHMEM beyond GASNet: the compute cores of the nodes. A core multiplies
 * matrices and convolves images in the memory of its node, and sends results to
 * other nodes while it computes (automatic result transfer, ART), with no host
 * in the loop. On conduit fpga it is logic (hw/rtl/compute), on conduit smp a
 * thread of the library with the same arithmetic: the same bits.
 *
 * A command is built by one of the fshmem_command_ functions, which check it
 * and need no job, and submitted to a node, any number of times, to any number
 * of nodes. A node has two queues: "array" for GEMM, CONV and ENCODE, "mover"
 * for SEND; each runs its commands in the order in which they came, and the
 * commands of one rank come in the order in which it submitted them. Between
 * queues, and between nodes, order is made with events: 64 counters a node,
 * which commands and ranks add to and commands wait for.
 *
 * Numbers in memory are FP32. The core computes with block floating point
 * (BFP): 16 values along K share an exponent, each has a sign and 7 bits;
 * products are summed exactly in a block, blocks in FP32, in a fixed order.
 * docs/02_reference/fshmem.md has the arithmetic, the rules for zeros,
 * denormals, infinities and NaN, and the error bound.
 *
 * Addresses are offsets in the segment of the node that runs the command, in
 * bytes, so that one command serves all nodes; a multiple of 64, unless said
 * otherwise. Leading dimensions count values and are multiples of 16.
 *
 * Beside the compute cores: the time, simulated where ranks have that, and what the
 * program adds to it; and collectives (fshmem_coll.h).
 *
 * No function here prints or ends the program. They may be called from any
 * thread that may call GASNet; those marked [handler] also from inside an
 * active message handler. Include after choosing GASNet's thread mode.
 * C89 with GNU extensions up to C17, C++11 up to C++20.
 */
#ifndef FSHMEM_H
#define FSHMEM_H

#include "gasnet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status -------------------------------------------------------------- */

/* What happened. 1..63: this operation; 64..127: the other node; 128..191: a
 * device. */
typedef enum fshmem_status {
    FSHMEM_OK = 0,
    FSHMEM_ERR_CALL = 1,      /* before gasnet_attach, or in a handler */
    FSHMEM_ERR_ARGUMENT = 2,  /* null pointer, unknown flag or format, command
                                 that was not built, event past 63; of a
                                 collective: no such operation or algorithm */
    FSHMEM_ERR_SHAPE = 3,     /* a size of 0, or past what a core can do; of a
                                 collective: past what memory holds */
    FSHMEM_ERR_ALIGNMENT = 4, /* offset no multiple of 64, leading dimension no
                                 multiple of 16 */
    FSHMEM_ERR_RANGE = 5,     /* an operand leaves the segment of its node */
    FSHMEM_ERR_NODE = 6,      /* there is no such node, or rank of a team */
    FSHMEM_ERR_BUSY = 7,      /* the queue is full; nothing was submitted */
    FSHMEM_ERR_NO_MEMORY = 8, /* an allocation failed in this rank */
    FSHMEM_ERR_COMMAND = 9,   /* the core took the command for malformed */
    FSHMEM_ERR_ABSENT = 64,   /* the node has no compute core */
    FSHMEM_ERR_RECEIVER = 65, /* what was sent left the receiver's segment */
    FSHMEM_ERR_DEVICE = 128   /* the core failed: memory error; on conduit smp:
                                 an allocation failed in its rank */
} fshmem_status_t;

/* One sentence in English, static; also for values that are none. Any time.
 * [handler] */
const char *fshmem_status_string(fshmem_status_t status);

/* ---- what there is ------------------------------------------------------- */

/* The compute core of a node. */
typedef struct {
    int present;             /* 0: none, and the rest is 0 */
    int software;            /* 1: a thread of the rank, not logic */
    uint32_t rows, columns;  /* processing elements: 16 x 8 */
    uint32_t block;          /* values of a dot product of one: 16 */
    uint32_t macs_per_cycle; /* their product */
    uint32_t clock_mhz;      /* nominal; 0 for software */
    uint32_t accumulators;   /* of a tile, in groups of rows x columns */
    uint32_t events;         /* counters, 32 bits each */
    uint64_t max_dimension;  /* of m, n and k */
} fshmem_compute_info_t;

/* Fill in *info for a node; one without a core is no error. After gasnet_attach.
 * Never blocks. Returns FSHMEM_OK, FSHMEM_ERR_CALL, _NODE or _ARGUMENT, and then
 * leaves *info alone. [handler] */
fshmem_status_t fshmem_compute_info(gasnet_node_t node,
                                    fshmem_compute_info_t *info);

/* Bytes from the start of a segment. */
typedef uint64_t fshmem_offset_t;

/* The offset of an address (as the node sees it) in the segment of a node; one
 * past its end is allowed. After gasnet_attach. Never blocks. Returns FSHMEM_OK,
 * FSHMEM_ERR_CALL, _NODE, _ARGUMENT or _RANGE, and then leaves *offset alone.
 * [handler] */
fshmem_status_t fshmem_offset(gasnet_node_t node, const void *address,
                              fshmem_offset_t *offset);

/* A set of nodes: bit i is node i. Nodes past 63 cannot be in one; no job with
 * compute cores has them. */
typedef uint64_t fshmem_nodes_t;
#define FSHMEM_NODE(node) ((fshmem_nodes_t)1 << (node))

/* ---- operands ------------------------------------------------------------ */

typedef enum fshmem_format {
    FSHMEM_FP32_ROWS = 0,    /* FP32; the values of a row are adjacent */
    FSHMEM_FP32_COLUMNS = 1, /* FP32, transposed: those of a column are */
    FSHMEM_BFP = 2           /* encoded; leading dimension without meaning */
} fshmem_format_t;

/* A matrix in the segment of the node that runs the command. */
typedef struct fshmem_operand {
    fshmem_format_t format;
    fshmem_offset_t offset;
    uint64_t ld; /* FP32: values from row to row (column to column) */
} fshmem_operand_t;

/* Bytes of an encoded operand of that many rows of k values: 4352 for each 64
 * rows and 64 values of k begun. 0 if one of them is 0 or past 2^24 - 1. Of m
 * rows (operand a), or n columns (operand b). Needs no job. [handler] */
uint64_t fshmem_encoded_size(uint64_t rows, uint64_t k);

/* ---- what a command does besides computing ------------------------------- */

/* All zero: nothing of it. */
typedef struct fshmem_flow {
    /* await_count > 0: start when event await_event (0..63) of the node that
     * runs the command has counted to await_count (at most 65535), and take so
     * many off. */
    uint32_t await_event;
    uint32_t await_count;
    /* send_nodes not empty: ART. What the command writes (results; with
     * FSHMEM_EMIT and ENCODE the encoded operand) is put to send_offset at each
     * of these nodes, every value at the distance from there that it has from
     * the first. One PUT for every send_count values, fewer where the next is
     * not adjacent; 0: the library's choice (1024); at most 2^24 - 1. The node
     * that runs the command is left out. */
    fshmem_nodes_t send_nodes;
    fshmem_offset_t send_offset;
    uint32_t send_count;
    /* signal_nodes not empty: at the end, when all that was sent is written,
     * add 1 to event signal_event of each of them. Also if the command fails. */
    uint32_t signal_event;
    fshmem_nodes_t signal_nodes;
} fshmem_flow_t;

/* A command. Built by the functions below, then constant; may be copied. */
typedef struct fshmem_command {
    uint64_t opaque[32];
} fshmem_command_t;

/* Flags of what follows the last product, in this order. */
#define FSHMEM_ACCUMULATE 1u /* add to what stands in C */
#define FSHMEM_BIAS 2u       /* add bias[n] to column (channel) n */
#define FSHMEM_RELU 4u       /* results below zero become zero */
#define FSHMEM_EMIT 8u       /* GEMM: also write operand b, encoded */

/* All builders fill in *command and return FSHMEM_OK, or FSHMEM_ERR_ARGUMENT,
 * _SHAPE, _ALIGNMENT or _RANGE (past 2^38 bytes), and then leave it alone. They
 * only read their description, and keep no pointer to it. None needs a job, or
 * blocks. [handler] */

/* ---- matrix times matrix ------------------------------------------------- */

/* C[m][n] = sum over k of A[m][k] * B[k][n], then the flags. */
typedef struct fshmem_gemm {
    uint64_t m, n, k;   /* 1 .. 2^24 - 1 */
    fshmem_operand_t a; /* m x k: FP32_ROWS or BFP (m rows of k) */
    fshmem_operand_t b; /* k x n: FP32_ROWS (k rows of n, the usual way),
                           FP32_COLUMNS (n columns of k) or BFP (encoded from
                           n columns of k) */
    fshmem_offset_t c;  /* FP32, m rows of n */
    uint64_t ldc;
    uint32_t flags;       /* FSHMEM_ACCUMULATE ... */
    fshmem_offset_t bias; /* FSHMEM_BIAS: n values */
    fshmem_offset_t emit; /* FSHMEM_EMIT: where FP32 operand b goes, encoded */
    /* 0: the library's choice. Rows (multiple of 8; of 64 with a BFP operand a)
     * and columns (of 16; of 64 with b encoded or emitted) of a tile, at most
     * 16384 results in all. Changes time, not results. */
    uint32_t tile_rows, tile_columns;
    fshmem_flow_t flow;
} fshmem_gemm_t;
fshmem_status_t fshmem_command_gemm(const fshmem_gemm_t *gemm,
                                    fshmem_command_t *command);

/* y[m] = sum over k of A[m][k] * x[k], then the flags (bias: m values). The
 * bits of a GEMM with one column, but y is adjacent. */
typedef struct fshmem_gemv {
    uint64_t m, k;
    fshmem_operand_t a; /* m x k: FP32_ROWS, FP32_COLUMNS or BFP (m rows) */
    fshmem_offset_t x;  /* FP32, k values */
    fshmem_offset_t y;  /* FP32, m values */
    uint32_t flags;     /* without FSHMEM_EMIT */
    fshmem_offset_t bias;
    fshmem_flow_t flow;
} fshmem_gemv_t;
fshmem_status_t fshmem_command_gemv(const fshmem_gemv_t *gemv,
                                    fshmem_command_t *command);

/* ---- convolution --------------------------------------------------------- */

/* 2-D convolution. Channels lie in blocks of 16 (nChw16c), the last one padded
 * with zeros; a pixel of a block is 64 bytes:
 *   input[block][y][x][16], kernels[o][block][r][s][16], output[block][y][x][16]
 * Output channels past out_channels in the last block are written as +0. */
typedef struct fshmem_conv {
    uint32_t in_channels, in_height, in_width; /* pixels: 1 .. 32767 */
    uint32_t out_channels;
    uint32_t kernel_height, kernel_width; /* 1 .. 255 */
    uint32_t stride;                      /* of both, 1 .. 8 */
    /* Rows above and columns left of the input that count as zero; negative:
     * rows and columns of the input that are left out. */
    int32_t pad_top, pad_left;
    /* 0: as many as fit with the same padding below and on the right. */
    uint32_t out_height, out_width;
    fshmem_offset_t input;
    fshmem_offset_t kernels; /* out_channels rows without gaps */
    fshmem_offset_t output;
    /* Pixels from row to row, and from channel block to channel block; 0: no
     * gaps. */
    uint64_t in_row, in_plane, out_row, out_plane;
    uint32_t flags;         /* without FSHMEM_EMIT */
    fshmem_offset_t bias;   /* FSHMEM_BIAS: out_channels values */
    uint32_t tile_rows;     /* rows of output of a tile; 0: chosen */
    uint32_t tile_channels; /* multiple of 16; 0: chosen */
    fshmem_flow_t flow;
} fshmem_conv_t;
fshmem_status_t fshmem_command_conv(const fshmem_conv_t *conv,
                                    fshmem_command_t *command);

/* ---- encode, send, nothing ----------------------------------------------- */

/* Encode a matrix, as every command does with its FP32 operands; no bit of a
 * result depends on whether it was done before. */
typedef struct fshmem_encode {
    uint64_t rows, k;      /* rows of k values */
    fshmem_operand_t from; /* FP32_ROWS, or FP32_COLUMNS: transposed, k rows of
                               `rows` values. A GEMM's operand b of FP32_ROWS is
                               its columns, so FP32_COLUMNS here. */
    fshmem_offset_t to;    /* fshmem_encoded_size(rows, k) bytes */
    fshmem_flow_t flow;    /* sends the encoded operand */
} fshmem_encode_t;
fshmem_status_t fshmem_command_encode(const fshmem_encode_t *encode,
                                      fshmem_command_t *command);

/* Send bytes of the segment to other nodes, as ART does: flow.send_nodes at
 * flow.send_offset. For passing results on from node to node. Mover queue. */
typedef struct fshmem_send {
    fshmem_offset_t from;
    uint64_t bytes; /* multiple of 4, at least 4 */
    fshmem_flow_t flow;
} fshmem_send_t;
fshmem_status_t fshmem_command_send(const fshmem_send_t *send,
                                    fshmem_command_t *command);

/* Wait and signal only, in the array queue (mover 0) or the mover queue (1);
 * send_nodes must be empty. */
fshmem_status_t fshmem_command_nop(int mover, const fshmem_flow_t *flow,
                                   fshmem_command_t *command);

/* ---- submission ---------------------------------------------------------- */

/* Refuse with FSHMEM_ERR_BUSY, submitting nothing, when the queue has no room
 * now, instead of trying again until it has. For one to 32 commands of one
 * queue (else FSHMEM_ERR_ARGUMENT; a CONV of a wide image and a long SEND count
 * several times). Waits for the core's answer. */
#define FSHMEM_TRY 1u

/* Submit commands to a node, asynchronously: copies them, returns, and *handle
 * is complete when all have ended and what they sent is written. It is an
 * ordinary handle: gasnet_wait_syncnb and all the others take it, in one list
 * with those of puts and gets. If result is not null, *result is written before
 * the handle completes: FSHMEM_OK, or why the first command that failed did; it
 * must stay valid until then. The commands after a failed one run all the same.
 * A command fails with _COMMAND, _RANGE, _NODE, _RECEIVER or _DEVICE.
 *
 * Does not wait for the core, nor polls (but with FSHMEM_TRY). A full queue is
 * tried again by every call that polls; nothing else waits for it. Commands may
 * be of both queues. count may be 0: *handle is complete.
 *
 * Errors, with nothing submitted and *handle and *result left alone:
 * FSHMEM_ERR_CALL, _ARGUMENT, _NODE (also in a set of nodes), _ABSENT, _RANGE
 * (operands against the segment of the node, what is sent against those of the
 * receivers), _NO_MEMORY, _BUSY. */
fshmem_status_t fshmem_submit_nb(gasnet_node_t node,
                                 const fshmem_command_t *commands, size_t count,
                                 unsigned flags, gasnet_handle_t *handle,
                                 fshmem_status_t *result);

/* The same, and wait: returns its errors, but for _BUSY, or what *result would
 * hold. Blocks, polling. */
fshmem_status_t fshmem_submit(gasnet_node_t node,
                              const fshmem_command_t *commands, size_t count);

/* ---- events -------------------------------------------------------------- */

/* Add increment (1..255) to an event counter (0..63) of a node. A counter that
 * has come to 2^31 counts no further until some is taken off; it never wraps.
 * fshmem_signal returns when it is counted, and polls; what this rank has put
 * before, and waited for, is visible to whoever is started by it.
 * fshmem_signal_nb returns at once, and *handle, an ordinary one, is complete when
 * it is counted. Return FSHMEM_OK, FSHMEM_ERR_CALL, _ARGUMENT, _NODE, _ABSENT or
 * _NO_MEMORY, and then nothing has been done. */
fshmem_status_t fshmem_signal(gasnet_node_t node, unsigned event,
                              unsigned increment);
fshmem_status_t fshmem_signal_nb(gasnet_node_t node, unsigned event,
                                 unsigned increment, gasnet_handle_t *handle);

/* Wait, polling, until an event of this rank's own node has counted to count
 * (1..65535), and take so many off. It is a NOP in the node's mover queue: what
 * any rank submits there later waits as well, so the event must not depend on
 * that (else wait in the array queue: fshmem_command_nop). What was written
 * before the event was signalled is visible on return. Returns FSHMEM_OK,
 * FSHMEM_ERR_CALL, _ARGUMENT, _ABSENT or _NO_MEMORY. */
fshmem_status_t fshmem_await(unsigned event, unsigned count);

/* ---- counters ------------------------------------------------------------ */

/* What the compute core of this rank's own node has done since the last clear.
 * Cycles of the device's clock; those of all nodes of a simulated fabric are
 * the same count. A cycle counts for at most one of compute, load, full and
 * transfer; in the others the core had nothing to do. NOPs count for none, and
 * are no commands; a CONV of a wide image and a long SEND are several. */
typedef struct {
    uint64_t first_start; /* cycle in which the first command began (its wait
                             over, given to the engines); 0: none */
    uint64_t last_end;    /* cycle in which the last one ended: results written,
                             what it sent acknowledged */
    uint64_t last_signal; /* cycle of the last signal counted by an event of
                             this node */
    uint64_t commands;    /* that ended */
    uint64_t compute;     /* cycles with a step of the array */
    uint64_t load;        /* cycles without one because operands were awaited;
                             also the array's pipeline, by tiles of fewer than
                             16 steps a block of K */
    uint64_t full;        /* ... because both accumulator banks were in use */
    uint64_t transfer;    /* ... because nothing was left to compute but results
                             were on their way; all of an ENCODE or a SEND
                             beside which nothing is computed */
    uint64_t sent_bytes;  /* by ART and SEND, to each node */
} fshmem_core_counters_t;

/* Read them, one after the other: they belong together only while the core has
 * nothing to do. Software cores (conduit smp) count commands and sent_bytes
 * only; the cycles are 0. Local: takes the time of some reads of registers. Returns
 * FSHMEM_OK, FSHMEM_ERR_CALL, _ARGUMENT or _ABSENT, and then leaves *counters
 * alone. */
fshmem_status_t fshmem_core_counters(fshmem_core_counters_t *counters);
/* Set them to 0. What is under way counts from here on. Returns FSHMEM_OK,
 * FSHMEM_ERR_CALL or _ABSENT. */
fshmem_status_t fshmem_core_counters_clear(void);

/* ---- time ----------------------------------------------------------------- */

/* Nanoseconds. With simulated time (FSHMEM_CLOCK) since the last rank has left
 * gasnet_attach, after that; reading costs COST_CLOCK cycles, so a loop until some
 * time ends. Else, and before, those of the host's monotonic clock. The same on all
 * ranks either way. Needs no job. [handler] */
uint64_t fshmem_time(void);

/* This rank computes, or does something else that takes it so many nanoseconds
 * beside its calls: with simulated time so much of it passes, rounded up to cycles,
 * in which other ranks run. Else nothing happens: what the rank does takes its time
 * by itself. Does not poll. [handler] */
void fshmem_spend(uint64_t ns);

/* With simulated time one thread of a rank runs at a time: the one whose clock is
 * least, of those at one time the one with the least number. A thread keeps the turn
 * from one call that communicates, sleeps or tells the time to the next. Numbers are
 * given in the order of first calls, 0 to the one that called gasnet_attach; a
 * thread's clock begins at that of its rank.
 * So a thread that is about to wait for others outside the library (pthread_join,
 * a pthread mutex, barrier or condition, a pipe) has to say so before, or nobody
 * else of its rank can run, and time stands still; fshrun's job names such a thread
 * after 5 s. Afterwards it says that it is back, and waits for its turn. While all
 * threads of a rank are between the two, time stands still until one is back, or a
 * new one calls the library. HSLs, and the locks and conditions of gasnet_tools.h,
 * need neither. Not nested, not in handlers. Nothing without simulated time. */
void fshmem_blocking_begin(void);
void fshmem_blocking_end(void);

/* Wait until so many threads of this rank, itself among them, have taken part in
 * simulated time: have made a first call that communicates, sleeps or tells the time.
 * No time passes, so they begin at this thread's clock. A thread that makes the others
 * one by one, and waits for each, gives them the same numbers in each run. Not in
 * handlers. Nothing without simulated time. */
void fshmem_await_threads(unsigned count);

/* Of the program's `of` steps so many are done, as this rank sees it: fshrun shows on
 * a terminal which step the slowest rank has come to, and when the run will end. of
 * 0: nothing is known. Costs nothing, waits for nothing; before gasnet_attach nothing
 * happens. [handler] */
void fshmem_progress(uint64_t done, uint64_t of);

#ifdef __cplusplus
}
#endif

#include "fshmem_coll.h"

#endif
