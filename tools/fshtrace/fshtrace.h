/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshtrace: analyses where a job's time goes, from a file of fshrun --trace
 * (docs/02_reference/traces.md). read.c reads it; summary.c totals calls and waits;
 * path.c finds the critical path; main.c prints. One thread. Times are in ns.
 */
#ifndef FSHTRACE_H
#define FSHTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_NODES 10000u /* process of node 0 */
#define TRACE_MOST_PROCESSES 20000u

/* Tracks of a node, as in sim/trace.c. */
enum node_track {
    TO_NODE,
    TO_HOST,
    MEMORY_READ,
    MEMORY_WRITE,
    COMPUTE,
    LINK,
    NODE_TRACKS = LINK + 6
};

enum slice_kind {
    CALL,
    HANDLER,
    WAIT,
    NODE,
    LEFT /* the rank has only to wait for the others */
};

struct slice {
    uint64_t from, to;
    uint32_t process, track;
    uint32_t name; /* index in names */
    uint32_t peer; /* + 1; 0: none */
    uint64_t bytes;
    enum slice_kind kind;
    bool open; /* its end is missing in the file */
};

/* One end of an arrow between ranks, or the start of one to memory (id >> 58 is
 * TRANSFERS). */
#define TRANSFERS 3u
struct arrow {
    uint64_t id, at;
    uint32_t process, track;
};

struct trace {
    char conduit[16], release[32];
    uint32_t ranks;
    bool simulated, nodes;
    bool cut;         /* the file is truncated */
    uint64_t dropped; /* missing records */
    uint64_t events;
    uint64_t begin, end; /* of the ranks' activity */
    uint64_t link_delay; /* one way; between nodes */
    uint64_t cycle;      /* ns */
    char **name;
    uint32_t names;
    struct slice *slice; /* by start, longer ones first */
    size_t slices;
    struct arrow *sent, *came; /* by id */
    size_t sends, comes;
};

/* Reads a file. False with a message that names file and line if it is not a trace of
 * fshrun --trace, or is damaged other than by truncation; then nothing remains
 * allocated. */
bool trace_read(struct trace *trace, const char *path, char *err,
                size_t errlen);
void trace_free(struct trace *trace);

/* ---- summary.c ---- */

/* Slices with the same name. */
struct row {
    uint32_t name;
    uint64_t count, total, median, most, bytes;
};
/* Rows of a kind, by total, largest first; nested calls count separately as well. The
 * caller frees them. */
struct row *rows_of(const struct trace *trace, enum slice_kind kind, size_t *n);
/* The longest waits, longest first: at most `most` of them, stored in
 * slices. */
size_t longest_waits(const struct trace *trace, const struct slice **slices,
                     size_t most);
/* How long each rank waited for each other: [rank * (ranks + 1) + peer], the last
 * column for no particular rank; nested waits count once. The caller frees it. */
uint64_t *waits_matrix(const struct trace *trace);

/* ---- path.c ---- */

enum share {
    SHARE_HOST,
    SHARE_PCIE,
    SHARE_MEMORY,
    SHARE_LINK,
    SHARE_COMPUTE,
    SHARE_QUEUE, /* without nodes: messages in transit */
    SHARES
};
struct path {
    uint64_t share[SHARES]; /* their sum is trace->end - trace->begin */
    uint64_t hops;          /* from rank to rank */
    uint64_t *on_rank;      /* SHARE_HOST, by rank */
    uint32_t last;          /* the rank it ends on */
};
/* Finds the critical path, from the end of the last rank back to the start: what a rank
 * did or, where it waited for a message, the message's transit and what its sender did
 * before. Allocates path->on_rank, which the caller frees. False: out of memory. */
bool path_find(struct path *path, const struct trace *trace);

#endif
