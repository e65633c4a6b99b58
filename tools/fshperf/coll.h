/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf coll: what collectives of fshmem_coll.h take, from a common start to the last
 * rank's completion. The command (coll.c, coll_report.c) is no rank: it starts jobs of
 * itself as `fshperf coll-node` (coll_node.c), of conduit smp on the wall clock or of
 * conduit fpga in simulated time, which print a line a figure. coll_ops.c has the
 * operations, with their buffers and results.
 */
#ifndef FSHPERF_COLL_H
#define FSHPERF_COLL_H

#include <fshmem.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "coll/program/program.h"

#define COLL_JOBS 64u    /* operations at once, at most */
#define COLL_COSTS 3u    /* of hosts in simulated time */
#define COLL_LISTED 64u  /* values of an option */
#define COLL_ROUNDS 201u /* of a figure, at most */
#define COLL_WORD 20u    /* bytes of a name, with its end */
/* A buffer's bytes, at most; what needs more is left out. */
#define COLL_MOST ((size_t)64 << 20)

/* ---- values of options ---- */

/* The values of "A,B,C". Fatal, with code 2, naming the option, if they are wrong. */
struct coll_list {
    unsigned count;
    size_t value[COLL_LISTED];
};
/* Numbers, of bytes with K and M: multiples of `step`, at most `most`. */
void coll_read_numbers(struct coll_list *list, const char *option,
                       const char *text, size_t step, size_t most);
/* Of operations their numbers here; of algorithms their FSHMEM_COLL_; "all". */
void coll_read_ops(struct coll_list *list, const char *text);
void coll_read_algorithms(struct coll_list *list, const char *text);

/* ---- coll_ops.c ---- */

/* Blocks of a buffer. */
enum coll_blocks { COLL_NONE, COLL_ONE, COLL_ALL };

struct coll_buffers {
    unsigned rank, ranks;
    size_t bytes; /* of a block; of the vector that is one */
    unsigned char *src, *dst;
    size_t lists[FSH_PROGRAM_MAX_RANKS]; /* of the v-forms: `bytes` of each */
};

struct coll_op {
    const char *name; /* of the call */
    enum fsh_program_call program;
    enum coll_blocks src, dst;
    bool src_root, dst_root; /* that buffer is the root's (rank 0) alone */
    bool lists;              /* a v-form */
    /* handle: the _nb form; NULL: the other. */
    fshmem_status_t (*call)(const struct coll_buffers *b, unsigned flags,
                            gasnet_handle_t *handle);
};
extern const struct coll_op coll_ops[];
extern const unsigned coll_op_count;

/* Does it add up what it is given? */
static inline bool coll_adds(const struct coll_op *op)
{
    return op->program >= FSH_PROGRAM_REDUCE;
}
/* Bytes of the larger buffer of a rank. */
size_t coll_bytes(const struct coll_op *op, size_t bytes, unsigned ranks);
/* Write both buffers anew: src with what `round` says, dst with other bytes. */
void coll_fill(const struct coll_op *op, const struct coll_buffers *b,
               unsigned round);
/* Fatal if dst is not what the operation makes of them. */
void coll_check(const struct coll_op *op, const struct coll_buffers *b,
                unsigned round);

/* ---- figures ---- */

/* A line of a job: this, then operation, algorithm, engine, memory, operations at once,
 * bytes, rounds, median in ns, topology. */
#define COLL_LINE "coll-row"

enum coll_memory { COLL_SEGMENT, COLL_PRIVATE, COLL_MEMORIES };

struct coll_row {
    char op[COLL_WORD], algorithm[COLL_WORD], engine[COLL_WORD];
    char topology[COLL_WORD]; /* of simulated nodes; cut off */
    unsigned nodes, jobs, rounds;
    size_t bytes;
    /* ns of a median by host costs (wall clock: the first alone) and memory; 0: not
     * measured. */
    double ns[COLL_COSTS][COLL_MEMORIES];
    /* Of the room for packets that come before their call, the most that was full. */
    double occupancy[COLL_COSTS][COLL_MEMORIES];
};

struct coll_table {
    bool simulated;
    struct coll_row *row;
    size_t rows, room;
};

extern const char *const coll_costs[COLL_COSTS];
/* As lines and reports have it; static. */
const char *coll_memory_name(enum coll_memory memory);
/* What a rank says, and what becomes of it: a row that is there already gets one figure
 * more. False if the line is none. */
bool coll_hear(struct coll_table *table, unsigned nodes, unsigned cost,
               const char *line);

/* coll_report.c */
void coll_print(const struct coll_table *table);
void coll_write_json(FILE *out, const struct coll_table *table);

#endif
