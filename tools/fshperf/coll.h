/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf coll: latency of the collectives of fshmem_coll.h, from a common start to
 * the last rank's completion. The command (coll.c, coll_report.c) is not a rank: it
 * starts jobs of itself as `fshperf coll-node` (coll_node.c), on conduit smp with the
 * wall clock or on conduit fpga in simulated time, which print one line per figure.
 * coll_ops.c defines the operations, with their buffers and results.
 */
#ifndef FSHPERF_COLL_H
#define FSHPERF_COLL_H

#include <fshmem.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "coll/program/program.h"

#define COLL_JOBS 64u    /* maximum concurrent operations */
#define COLL_COSTS 3u    /* host costs in simulated time */
#define COLL_LISTED 64u  /* maximum values per option */
#define COLL_ROUNDS 201u /* maximum rounds per figure */
#define COLL_WORD 20u    /* bytes of a name, NUL included */
/* Maximum bytes of a buffer; larger cases are skipped. */
#define COLL_MOST ((size_t)64 << 20)

/* ---- values of options ---- */

/* The values of "A,B,C". Wrong values are fatal with code 2, naming the option. */
struct coll_list {
    unsigned count;
    size_t value[COLL_LISTED];
};
/* Numbers, in bytes with K and M: multiples of `step`, at most `most`. */
void coll_read_numbers(struct coll_list *list, const char *option,
                       const char *text, size_t step, size_t most);
/* ops: numbers as in this file; algorithms: FSHMEM_COLL_*; "all" is
 * accepted. */
void coll_read_ops(struct coll_list *list, const char *text);
void coll_read_algorithms(struct coll_list *list, const char *text);

/* ---- coll_ops.c ---- */

/* What reductions add, and in which wire format; others move bytes. */
enum coll_type { COLL_DOUBLE, COLL_FLOAT, COLL_BFP16, COLL_TYPES };
extern const char *const coll_types[COLL_TYPES];
/* COLL_TYPES if there is none of that name. */
enum coll_type coll_type_named(const char *name);
size_t coll_elem(enum coll_type type);

/* The number of blocks in a buffer. */
enum coll_blocks { COLL_NONE, COLL_ONE, COLL_ALL };

struct coll_buffers {
    unsigned rank, ranks;
    size_t bytes; /* of a block, or of the vector */
    enum coll_type type;
    unsigned char *src, *dst;
    size_t lists[FSH_PROGRAM_MAX_RANKS]; /* v-forms: `bytes` for each rank */
};

struct coll_op {
    const char *name; /* of the call */
    enum fsh_program_call program;
    enum coll_blocks src, dst;
    bool src_root, dst_root; /* only the root (rank 0) uses that buffer */
    bool lists;              /* a v-form */
    /* handle: the _nb form; NULL: the blocking one. */
    fshmem_status_t (*call)(const struct coll_buffers *b, unsigned flags,
                            gasnet_handle_t *handle);
};
extern const struct coll_op coll_ops[];
extern const unsigned coll_op_count;

/* Whether it adds its operands. */
static inline bool coll_adds(const struct coll_op *op)
{
    return op->program >= FSH_PROGRAM_REDUCE;
}
/* Bytes of a rank's larger buffer. */
size_t coll_bytes(const struct coll_op *op, size_t bytes, unsigned ranks);
/* Refills both buffers: src with the data of `round`, dst with different
 * bytes. */
void coll_fill(const struct coll_op *op, const struct coll_buffers *b,
               unsigned round);
/* Fatal if dst is not the operation's result. */
void coll_check(const struct coll_op *op, const struct coll_buffers *b,
                unsigned round);

/* ---- figures ---- */

/* A line of a job: this, then operation, algorithm, engine, memory, concurrent
 * operations, bytes, rounds, median in ns, occupancy and its mean, bytes on links,
 * type, topology. */
#define COLL_LINE "coll-row"

enum coll_memory { COLL_SEGMENT, COLL_PRIVATE, COLL_MEMORIES };

struct coll_row {
    char op[COLL_WORD], algorithm[COLL_WORD], engine[COLL_WORD];
    char topology[COLL_WORD]; /* of simulated nodes; truncated */
    char type[COLL_WORD];     /* of reductions; else "-" */
    unsigned nodes, jobs, rounds;
    size_t bytes;
    /* Medians in ns, by host costs (wall clock: the first only) and memory; 0: not
     * measured. */
    double ns[COLL_COSTS][COLL_MEMORIES];
    /* Share of the buffer for packets in use: of those that come early, or of the
     * collective engine. The peak of any rank; by the engine the mean, too, over ranks
     * and the last round. */
    double occupancy[COLL_COSTS][COLL_MEMORIES];
    double occupancy_mean[COLL_COSTS][COLL_MEMORIES];
    /* That a simulated node sends in a round, mean; headers and credits included. */
    double link_bytes[COLL_COSTS][COLL_MEMORIES];
    /* Of the packets for it, net of headers, mean of all nodes. */
    double payload_bytes[COLL_COSTS][COLL_MEMORIES];
};

struct coll_table {
    bool simulated;
    struct coll_row *row;
    size_t rows, room;
};

extern const char *const coll_costs[COLL_COSTS];
/* The name in lines and reports; static. */
const char *coll_memory_name(enum coll_memory memory);
/* Parses a line of a rank and adds it to the table: as a new row, or as a further
 * figure of an existing one. False if it is not such a line. */
bool coll_hear(struct coll_table *table, unsigned nodes, unsigned cost,
               const char *line);

/* coll_report.c */
void coll_print(const struct coll_table *table);
void coll_write_json(FILE *out, const struct coll_table *table);

#endif
