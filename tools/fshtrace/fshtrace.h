/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshtrace: where the time of a job goes, from a file of fshrun --trace
 * (docs/02_reference/traces.md). read.c reads it; summary.c adds up calls and waits;
 * path.c finds the critical path; main.c prints. One thread. Times are ns.
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
    LEFT /* the rank has nothing more to do */
};

struct slice {
    uint64_t from, to;
    uint32_t process, track;
    uint32_t name; /* index into names */
    uint32_t peer; /* + 1; 0 none */
    uint64_t bytes;
    enum slice_kind kind;
    bool open; /* the file has no end of it */
};

/* One end of an arrow between ranks, or the beginning of one to memory (id >> 58 is
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
    bool cut;         /* the file has no end */
    uint64_t dropped; /* records that are missing */
    uint64_t events;
    uint64_t begin, end; /* of what ranks did */
    uint64_t link_delay; /* one way; of nodes */
    uint64_t cycle;      /* ns */
    char **name;
    uint32_t names;
    struct slice *slice; /* by beginning, the longer first */
    size_t slices;
    struct arrow *sent, *came; /* by id */
    size_t sends, comes;
};

/* Read a file. False with a message, which names file and line, if it is none of
 * fshrun --trace, or damaged other than at its end; then nothing is left. */
bool trace_read(struct trace *trace, const char *path, char *err,
                size_t errlen);
void trace_free(struct trace *trace);

/* ---- summary.c ---- */

/* Slices of one name. */
struct row {
    uint32_t name;
    uint64_t count, total, median, most, bytes;
};
/* Of a kind, by total, the largest first; a call in a call counts for itself, too. The
 * caller frees it. */
struct row *rows_of(const struct trace *trace, enum slice_kind kind, size_t *n);
/* The longest waits, the longest first: at most `most` of them, into slices. */
size_t longest_waits(const struct trace *trace, const struct slice **slices,
                     size_t most);
/* What a rank waited for another: [rank * (ranks + 1) + peer], the last for nobody in
 * particular; waits inside waits count once. The caller frees it. */
uint64_t *waits_matrix(const struct trace *trace);

/* ---- path.c ---- */

enum share {
    SHARE_HOST,
    SHARE_PCIE,
    SHARE_MEMORY,
    SHARE_LINK,
    SHARE_COMPUTE,
    SHARE_QUEUE, /* without nodes: a message on its way */
    SHARES
};
struct path {
    uint64_t share[SHARES]; /* together trace->end - trace->begin */
    uint64_t hops;          /* from rank to rank */
    uint64_t *on_rank;      /* of SHARE_HOST, by rank */
    uint32_t last;          /* the rank that it ends on */
};
/* From the end of the last rank back to the beginning: what a rank did, or while it
 * waited for a message, the way of that and what its sender did before. Gives
 * path->on_rank, which the caller frees. False: no memory. */
bool path_find(struct path *path, const struct trace *trace);

#endif
