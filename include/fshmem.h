/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FSHMEM extensions to GASNet: the compute cores of the nodes. A core multiplies
 * matrices and convolves images in the memory of its node and can send results to
 * other nodes while it computes (automatic result transfer, ART), with no host in the
 * loop. On conduit fpga the core is logic (hw/rtl/compute); on conduit smp it is a
 * library thread that runs the same arithmetic and produces the same bits.
 *
 * A command is built by one of the fshmem_command_ functions, which check it and need
 * no job. It can then be submitted any number of times, to any number of nodes. A
 * node has two queues: "array" for GEMM, CONV, ENCODE, AXPY, GATE and SUM, "mover"
 * for SEND; a NOP goes to either. Each queue starts its commands in arrival order, and
 * the commands of one rank arrive in the order in which that rank submitted them. A
 * GEMM, CONV or ENCODE may read its operands before the previous command has written its
 * results: if it needs them, it must wait for an event that signals them, or be
 * separated from that command by an element-wise one. Ordering between queues and
 * between nodes takes events: 64 counters per node, which commands and ranks increment
 * and commands wait for.
 *
 * Values in memory are FP32. The core computes in block floating point (BFP): 16
 * values along K share an exponent, and each has a sign and 7 bits. Products are
 * summed exactly within a block, and blocks in FP32, in a fixed order.
 * docs/02_reference/fshmem.md specifies the arithmetic, the treatment of zeros,
 * denormals, infinities and NaN, and the error bound.
 *
 * Addresses are byte offsets into the segment of the node that runs the command, so
 * one command fits all nodes. They are multiples of 64 unless stated otherwise.
 * Leading dimensions count values and are multiples of 16.
 *
 * This header also declares the clock (simulated time where the job has it), the
 * calls that advance it, and, through fshmem_coll.h and fshmem_bridge.h, the collectives and
 * the bridge.
 *
 * No function here prints or ends the program. All may be called from any thread that
 * may call GASNet; those marked [handler] also from within an active message handler.
 * Select GASNet's thread mode before including this header. C89 with GNU extensions
 * up to C17, C++11 up to C++20.
 */
#ifndef FSHMEM_H
#define FSHMEM_H

#include "gasnet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status -------------------------------------------------------------- */

/* The result of a call. 1..63: this operation failed; 64..127: the other node;
 * 128..191: a device. */
typedef enum fshmem_status {
    FSHMEM_OK = 0,
    FSHMEM_ERR_CALL = 1,      /* before gasnet_attach, or in a handler */
    FSHMEM_ERR_ARGUMENT = 2,  /* null pointer, unknown flag or format, command
                                 not built by a builder, event above 63;
                                 collectives: no such operation or algorithm */
    FSHMEM_ERR_SHAPE = 3,     /* a size of 0, or beyond what a core supports;
                                 collectives: beyond the address space */
    FSHMEM_ERR_ALIGNMENT = 4, /* offset not a multiple of 64, leading dimension
                                 not of 16, or bytes of a SEND not of 4 */
    FSHMEM_ERR_RANGE = 5,     /* an operand exceeds its node's segment */
    FSHMEM_ERR_NODE = 6,      /* no such node, or no such rank in the team */
    FSHMEM_ERR_BUSY = 7,      /* the queue is full; nothing was submitted */
    FSHMEM_ERR_NO_MEMORY = 8, /* an allocation failed in this rank */
    FSHMEM_ERR_COMMAND = 9,   /* the core rejected the command as malformed */
    FSHMEM_ERR_ENCODED = 10,  /* an encoded operand is requested transposed: its
                                 blocks lie along its rows; encode it again */
    FSHMEM_ERR_ABSENT = 64,   /* the node, or one of a set, has no compute core
                                 (mixed: no card), or this rank has no card
                                 to reach it by; bridge: none serves its card */
    FSHMEM_ERR_RECEIVER = 65, /* the data sent exceeds the receiver's segment */
    FSHMEM_ERR_LOST = 66,     /* bridge: the card's host or the network between
                                 gives no answer, or reports an error */
    FSHMEM_ERR_DEVICE = 128   /* the core failed: memory error; on conduit smp:
                                 an allocation failed in its rank */
} fshmem_status_t;

/* Describes a status in one English sentence. Returns a static string, also for
 * unknown values. Callable at any time. [handler] */
const char *fshmem_status_string(fshmem_status_t status);

/* ---- capabilities -------------------------------------------------------- */

/* The compute core of a node. */
typedef struct {
    int present;             /* 0: no core, and all other fields are 0 */
    int software;            /* 1: a thread of the rank; 0: logic */
    uint32_t rows, columns;  /* processing elements: 16 x 8 */
    uint32_t block;          /* length of one element's dot product: 16 */
    uint32_t macs_per_cycle; /* rows x columns x block */
    uint32_t clock_mhz;      /* nominal; 0 for software */
    uint32_t accumulators;   /* per tile, in groups of rows x columns */
    uint32_t events;         /* number of 32-bit event counters */
    uint64_t max_dimension;  /* upper limit of m, n and k */
} fshmem_compute_info_t;

/* Fills in *info for a node. A node without a core is not an error. Valid after
 * gasnet_attach. Never blocks. Returns FSHMEM_OK, or FSHMEM_ERR_CALL, _NODE or
 * _ARGUMENT, which leave *info unchanged. [handler] */
fshmem_status_t fshmem_compute_info(gasnet_node_t node,
                                    fshmem_compute_info_t *info);

/* A byte offset from the start of a segment. */
typedef uint64_t fshmem_offset_t;

/* Converts an address, as the given node sees it, to an offset in that node's segment;
 * one past the end is allowed. Valid after gasnet_attach. Never blocks. Returns
 * FSHMEM_OK, or FSHMEM_ERR_CALL, _NODE, _ARGUMENT or _RANGE, which leave *offset
 * unchanged. [handler] */
fshmem_status_t fshmem_offset(gasnet_node_t node, const void *address,
                              fshmem_offset_t *offset);

/* A set of nodes: bit i is node i. Jobs with compute cores have at most 64
 * nodes. */
typedef uint64_t fshmem_nodes_t;
#define FSHMEM_NODE(node) ((fshmem_nodes_t)1 << (node))

/* ---- operands ------------------------------------------------------------ */

typedef enum fshmem_format {
    FSHMEM_FP32_ROWS = 0,    /* FP32; the values of a row are adjacent */
    FSHMEM_FP32_COLUMNS = 1, /* FP32, transposed: the values of a column are
                                adjacent */
    FSHMEM_BFP = 2,          /* encoded; the leading dimension is ignored */
    /* Encoded, transposed: refused by every command (FSHMEM_ERR_ENCODED). The blocks
     * lie along the rows that were encoded, and products need them along K: encode
     * again from FP32, with FSHMEM_FP32_COLUMNS. */
    FSHMEM_BFP_COLUMNS = 3
} fshmem_format_t;

/* A matrix in the segment of the node that runs the command. */
typedef struct fshmem_operand {
    fshmem_format_t format;
    fshmem_offset_t offset;
    uint64_t ld; /* FP32: distance between rows (or columns), in values */
} fshmem_operand_t;

/* Bytes of an encoded operand with that many rows (operand a) or columns
 * (operand b) of k values each: 4352 per 64 rows by 64 values of k, both
 * rounded up. 0 if an argument is 0 or above 2^24 - 64. Needs no job.
 * [handler] */
uint64_t fshmem_encoded_size(uint64_t rows, uint64_t k);

/* ---- waiting, sending and signalling of a command ------------------------ */

/* What a command does besides computing. All zero: nothing. */
typedef struct fshmem_flow {
    /* await_count > 0: do not start until event await_event (0..63) of the
     * executing node has reached await_count (at most 65535); then subtract
     * await_count from it. */
    uint32_t await_event;
    uint32_t await_count;
    /* send_nodes not empty: ART. What the command writes (results; with
     * FSHMEM_EMIT and ENCODE, the encoded operand) is also PUT to send_offset
     * at each of these nodes, preserving each value's distance from the first.
     * One PUT carries send_count adjacent values, or fewer at a gap; 0: chosen
     * by the library (1024); at most 2^24 - 64. The executing node itself is
     * skipped. */
    fshmem_nodes_t send_nodes;
    fshmem_offset_t send_offset;
    uint32_t send_count;
    /* signal_nodes not empty: when the command ends and all it sent has been
     * written, add 1 to event signal_event of each of these nodes, even if the
     * command failed. */
    uint32_t signal_event;
    fshmem_nodes_t signal_nodes;
} fshmem_flow_t;

/* A command. Filled in by a builder below, then constant; may be copied. */
typedef struct fshmem_command {
    uint64_t opaque[32];
} fshmem_command_t;

/* Post-processing of the results, applied in this order. */
#define FSHMEM_ACCUMULATE 1u /* add to the existing contents of C */
#define FSHMEM_BIAS 2u       /* add bias[n] to column (channel) n */
#define FSHMEM_RELU 4u       /* replace negative results by zero */
#define FSHMEM_EMIT 8u       /* GEMM: also write operand b in encoded form */

/* Builders fill in *command and return FSHMEM_OK, or return
 * FSHMEM_ERR_ARGUMENT, _SHAPE, _ALIGNMENT, _ENCODED or _RANGE (beyond 2^38 bytes)
 * and leave *command unchanged. They do not modify the description or keep a
 * pointer to it. They need no job and never block. [handler] */

/* ---- matrix times matrix ------------------------------------------------- */

/* C[m][n] = sum over k of A[m][k] * B[k][n], then the flags. */
typedef struct fshmem_gemm {
    uint64_t m, n, k;   /* 1 .. max_dimension, 2^24 - 64 */
    fshmem_operand_t a; /* m x k: FP32_ROWS, FP32_COLUMNS (transposed: k rows of
                           m, as in dW = X^T dY) or BFP (m rows of k) */
    fshmem_operand_t b; /* k x n: FP32_ROWS (k rows of n: the usual layout),
                           FP32_COLUMNS (n columns of k) or BFP (encoded from n
                           columns of k) */
    fshmem_offset_t c;  /* FP32, m rows of n */
    uint64_t ldc;
    uint32_t flags;       /* FSHMEM_ACCUMULATE ... */
    fshmem_offset_t bias; /* FSHMEM_BIAS: n values */
    fshmem_offset_t emit; /* FSHMEM_EMIT: destination of the encoded form of
                             FP32 operand b */
    /* Rows and columns of a tile; 0: chosen by the library. Rows are a
     * multiple of 8 (of 64 with a BFP operand a, of 16 with a of
     * FP32_COLUMNS), columns of 16 (of 64 if b is encoded or emitted); at most
     * 16384 results per tile. Affects time, not results. */
    uint32_t tile_rows, tile_columns;
    fshmem_flow_t flow;
} fshmem_gemm_t;
fshmem_status_t fshmem_command_gemm(const fshmem_gemm_t *gemm,
                                    fshmem_command_t *command);

/* y[m] = sum over k of A[m][k] * x[k], then the flags (bias: m values). Bitwise
 * equal to a GEMM with one column, except that y is contiguous. */
typedef struct fshmem_gemv {
    uint64_t m, k;
    fshmem_operand_t a; /* m x k: FP32_ROWS, FP32_COLUMNS or BFP (m rows) */
    fshmem_offset_t x;  /* FP32, k values */
    fshmem_offset_t y;  /* FP32, m values */
    uint32_t flags;     /* all but FSHMEM_EMIT */
    fshmem_offset_t bias;
    fshmem_flow_t flow;
} fshmem_gemv_t;
fshmem_status_t fshmem_command_gemv(const fshmem_gemv_t *gemv,
                                    fshmem_command_t *command);

/* ---- convolution --------------------------------------------------------- */

/* 2-D convolution. Channels are laid out in blocks of 16 (nChw16c), the last block
 * padded with zeros; one pixel of a block is 64 bytes:
 *   input[block][y][x][16], kernels[o][block][r][s][16], output[block][y][x][16]
 * In the last block, output channels beyond out_channels are written as +0. */
typedef struct fshmem_conv {
    uint32_t in_channels;         /* 1 .. 2^24 - 80 */
    uint32_t in_height, in_width; /* in pixels: 1 .. 32767, as of the output */
    uint32_t out_channels;        /* 1 .. 2^24 - 64 */
    uint32_t kernel_height, kernel_width; /* 1 .. 255 */
    uint32_t stride;                      /* in both dimensions, 1 .. 8 */
    /* Rows of zeros above and columns of zeros left of the input; negative:
     * rows and columns of the input to skip. */
    int32_t pad_top, pad_left;
    /* 0: as many as fit with equal padding below and on the right. */
    uint32_t out_height, out_width;
    fshmem_offset_t input;
    fshmem_offset_t kernels; /* out_channels rows, contiguous */
    fshmem_offset_t output;
    /* Pixels between rows, and between channel blocks; 0: contiguous. */
    uint64_t in_row, in_plane, out_row, out_plane;
    uint32_t flags;         /* all but FSHMEM_EMIT */
    fshmem_offset_t bias;   /* FSHMEM_BIAS: out_channels values */
    uint32_t tile_rows;     /* output rows per tile; 0: chosen by the library */
    uint32_t tile_channels; /* multiple of 16; 0: chosen by the library */
    fshmem_flow_t flow;
} fshmem_conv_t;
fshmem_status_t fshmem_command_conv(const fshmem_conv_t *conv,
                                    fshmem_command_t *command);

/* ---- element-wise operations and column sums ------------------------------ */

/* FP32 throughout, without block floating point: the product is rounded, then the
 * sum; zeros, denormals and NaN as in a GEMM. m rows of n values, ld apart (any ld if
 * m is 1; rows without gaps are treated as one). In the array queue, each runs alone:
 * all earlier commands have ended, and it ends before the next one begins. */
typedef struct fshmem_element {
    uint64_t m, n; /* 1 .. max_dimension */
    float scale;
    fshmem_offset_t x;
    uint64_t ldx;
    fshmem_offset_t w; /* ignored by sums */
    uint64_t ldw;
    fshmem_offset_t c; /* may be x or w, with the same ld */
    uint64_t ldc;      /* ignored by sums */
    fshmem_flow_t flow;
} fshmem_element_t;

/* c = scale * x + w. A step w = w - rate * g has x = g, c = w, scale = -rate; a
 * velocity v = momentum * v + g has x = c = v, w = g, scale = momentum. */
fshmem_status_t fshmem_command_axpy(const fshmem_element_t *element,
                                    fshmem_command_t *command);
/* c = scale * x where w > 0, +0 elsewhere: for x a gradient and w the output of a
 * ReLU, the derivative of the ReLU. */
fshmem_status_t fshmem_command_gate(const fshmem_element_t *element,
                                    fshmem_command_t *command);
/* c[j] = ((+0 + scale * x[0][j]) + scale * x[1][j]) + ..., one row of n values, summed
 * in row order: the gradient of a bias. */
fshmem_status_t fshmem_command_sum(const fshmem_element_t *element,
                                   fshmem_command_t *command);

/* ---- encode, send, no operation ------------------------------------------ */

/* Encodes a matrix, as every command does with its FP32 operands. Encoding in
 * advance changes no bit of a result. */
typedef struct fshmem_encode {
    uint64_t rows, k;      /* rows of k values */
    fshmem_operand_t from; /* FP32_ROWS, or FP32_COLUMNS (transposed: k rows of
                              `rows` values). The rows encoded from a GEMM's
                              operand b are its columns, so an FP32_ROWS operand
                              b is FP32_COLUMNS here. */
    fshmem_offset_t to;    /* fshmem_encoded_size(rows, k) bytes */
    fshmem_flow_t flow;    /* sends the encoded operand */
} fshmem_encode_t;
fshmem_status_t fshmem_command_encode(const fshmem_encode_t *encode,
                                      fshmem_command_t *command);

/* Sends bytes of the segment to flow.send_nodes at flow.send_offset, as ART
 * does; for forwarding results from node to node. Runs in the mover queue. */
typedef struct fshmem_send {
    fshmem_offset_t from;
    uint64_t bytes;     /* multiple of 4, at least 4 */
    fshmem_flow_t flow; /* send_nodes must not be empty */
} fshmem_send_t;
fshmem_status_t fshmem_command_send(const fshmem_send_t *send,
                                    fshmem_command_t *command);

/* Waits and signals only, in the array queue (mover 0) or the mover queue
 * (mover 1). send_nodes must be empty. */
fshmem_status_t fshmem_command_nop(int mover, const fshmem_flow_t *flow,
                                   fshmem_command_t *command);

/* ---- submission ---------------------------------------------------------- */

/* Nonblocking admission: if the queue has no room now, return FSHMEM_ERR_BUSY
 * and submit nothing, instead of retrying. Takes 1 to 32 commands of one queue,
 * else returns FSHMEM_ERR_ARGUMENT; a CONV of a wide image and a long SEND
 * count as several commands. Waits for the core's answer. */
#define FSHMEM_TRY 1u

/* Submits commands to a node asynchronously. The commands are copied. *handle
 * completes when all commands have ended and everything they sent has been
 * written. It is an ordinary handle: gasnet_wait_syncnb and all other sync
 * calls accept it, also in one list with those of puts and gets. If result is
 * not null, *result is written before the handle completes: FSHMEM_OK, or the
 * error of the first command that failed; the storage must stay valid until
 * then. A failed command does not stop the commands after it. A command fails
 * with _COMMAND, _RANGE, _NODE, _RECEIVER or _DEVICE.
 *
 * Without FSHMEM_TRY the call neither waits for the core nor polls. If the
 * queue is full, every later call that polls retries the submission, and
 * nothing else is delayed by it. The commands may belong to both queues. count
 * may be 0: *handle is complete.
 *
 * Errors submit nothing and leave *handle and *result unchanged:
 * FSHMEM_ERR_CALL, _ARGUMENT, _NODE (also in a set of nodes), _ABSENT, _RANGE
 * (operands against the segment of the node, sent data against those of the
 * receivers), _NO_MEMORY, _BUSY. */
fshmem_status_t fshmem_submit_nb(gasnet_node_t node,
                                 const fshmem_command_t *commands, size_t count,
                                 unsigned flags, gasnet_handle_t *handle,
                                 fshmem_status_t *result);

/* fshmem_submit_nb followed by a wait. Returns its errors except _BUSY, or what
 * *result would hold. Blocks, polling. */
fshmem_status_t fshmem_submit(gasnet_node_t node,
                              const fshmem_command_t *commands, size_t count);

/* ---- events -------------------------------------------------------------- */

/* Adds increment (1..255) to an event counter (0..63) of a node. A counter saturates at
 * 2^31 until something is subtracted; it never wraps. fshmem_signal polls, and returns
 * when the increment has been counted. Puts that this rank completed before the signal
 * are visible to commands and ranks that the event starts. fshmem_signal_nb returns at
 * once; *handle, an ordinary handle, completes when the increment has been counted.
 * Return FSHMEM_OK, or FSHMEM_ERR_CALL, _ARGUMENT, _NODE, _ABSENT or _NO_MEMORY, which
 * have no effect. */
fshmem_status_t fshmem_signal(gasnet_node_t node, unsigned event,
                              unsigned increment);
fshmem_status_t fshmem_signal_nb(gasnet_node_t node, unsigned event,
                                 unsigned increment, gasnet_handle_t *handle);

/* Waits, polling, until an event of this rank's own node has reached count
 * (1..65535), then subtracts count. Implemented as a NOP in the node's mover
 * queue: commands that any rank submits to that queue later wait too, so the
 * event must not depend on them (otherwise wait in the array queue:
 * fshmem_command_nop). Data written before the event was signalled is visible
 * on return. Returns FSHMEM_OK, FSHMEM_ERR_CALL, _ARGUMENT, _ABSENT or
 * _NO_MEMORY. */
fshmem_status_t fshmem_await(unsigned event, unsigned count);

/* ---- counters ------------------------------------------------------------ */

/* Counters of this rank's compute core since they were last cleared, in cycles
 * of the device clock; all nodes of a simulated fabric share one cycle count. A
 * cycle counts as at most one of compute, load, full and transfer; in any other
 * cycle the core was idle. NOPs are not counted. A CONV of a wide image and a
 * long SEND count as several commands. */
typedef struct {
    uint64_t first_start; /* cycle in which the first command began (its wait
                             over, issued to the engines); 0: none */
    uint64_t last_end;    /* cycle in which the last command ended: results
                             written, sent data acknowledged */
    uint64_t last_signal; /* cycle of the last signal counted by an event of
                             this node */
    uint64_t commands;    /* commands that have ended */
    uint64_t compute;     /* cycles with a step of the array */
    uint64_t load;        /* cycles without one that waited for operands; also
                             pipeline bubbles of tiles with fewer than 16 steps
                             per block of K */
    uint64_t full;        /* ... with both accumulator banks in use */
    uint64_t transfer;    /* ... with nothing left to compute but results in
                             transit; all cycles of an ENCODE or SEND that does
                             not overlap with computation */
    uint64_t sent_bytes;  /* by ART and SEND, counted for each destination */
} fshmem_core_counters_t;

/* Reads the counters, one after the other: they are consistent only while the core is
 * idle. Software cores (conduit smp) count commands and sent_bytes only; cycles are 0.
 * Local; costs a few register reads. Returns FSHMEM_OK, or FSHMEM_ERR_CALL, _ARGUMENT
 * or _ABSENT, which leave *counters unchanged. */
fshmem_status_t fshmem_core_counters(fshmem_core_counters_t *counters);
/* Clears the counters. Operations in flight count from here on. Returns
 * FSHMEM_OK, FSHMEM_ERR_CALL or _ABSENT. */
fshmem_status_t fshmem_core_counters_clear(void);

/* ---- time ----------------------------------------------------------------- */

/* The time in nanoseconds, the same on all ranks. After gasnet_attach in a job with
 * simulated time (FSHMEM_CLOCK): simulated time since the last rank left gasnet_attach;
 * each reading costs COST_CLOCK cycles, so a loop that waits for a point in time
 * terminates. Otherwise the host's monotonic clock. Needs no job. [handler] */
uint64_t fshmem_time(void);

/* Accounts ns nanoseconds of computation outside the library. With simulated time the
 * rank's clock advances by that much, rounded up to cycles, while other ranks run.
 * Otherwise a no-op, since the work takes its own time. Does not poll. [handler] */
void fshmem_spend(uint64_t ns);

/* Mark a section in which a thread blocks outside the library (pthread_join, a pthread
 * mutex, barrier or condition variable, a pipe). No effect without simulated time.
 *
 * With simulated time one thread of a rank runs at a time: the one with the lowest
 * clock, and among equals the one with the lowest number. It keeps the turn from one
 * call that communicates, sleeps or reads the time to the next such call. Threads are
 * numbered in the order of their first such call, 0 being the one that called
 * gasnet_attach; a thread's clock starts at its rank's clock.
 *
 * A thread that blocks without fshmem_blocking_begin keeps the turn: no other thread of
 * the rank can run and simulated time stands still; after 5 s of host time the simulator
 * names such a thread. fshmem_blocking_end waits for the thread's next turn. While all
 * threads of a rank are inside such sections, time stands still until one leaves its
 * section or a new thread calls the library. HSLs and the locks and condition variables
 * of gasnet_tools.h need no marking. Not nestable; not callable from handlers. */
void fshmem_blocking_begin(void);
void fshmem_blocking_end(void);

/* Waits until count threads of this rank, the caller included, take part in
 * simulated time, that is, have made their first call that communicates, sleeps or
 * reads the time. No simulated time passes, so they start at the caller's clock. A
 * thread that creates the others one at a time and calls this after each gives them
 * the same numbers in every run. Not callable from handlers. No effect without
 * simulated time. */
void fshmem_await_threads(unsigned count);

/* Reports that this rank has completed `done` of the program's `of` steps. On a
 * terminal fshrun shows the step of the slowest rank and the estimated time of
 * completion. of 0: unknown. Never blocks, at negligible cost; no effect before
 * gasnet_attach. [handler] */
void fshmem_progress(uint64_t done, uint64_t of);

/* Records a value of this rank that changes while the program runs, such as a loss or a
 * residual: a counter of its trace (fshrun --trace), a curve of its report (fshrun
 * --report). The name is a string literal: it is identified by its address. Values that are
 * not finite are left out. Never blocks, takes no simulated time; no effect, at negligible
 * cost, in a run that is not traced and before gasnet_attach. [handler] */
void fshmem_trace_value(const char *name, double value);

#ifdef __cplusplus
}
#endif

#include "fshmem_coll.h"

#include "fshmem_bridge.h"

#endif
