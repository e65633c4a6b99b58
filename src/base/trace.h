/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces: each process of a job records its activity in its own ring, in memory
 * shared by all, and the launcher writes the rings to a file (fshrun --trace).
 * Records outlive the process that made them.
 *
 * A ring has any number of writers (the threads of one process) and one reader. A
 * writer claims a position (tail), fills in its record and publishes it (lap). In
 * simulated time a writer waits for room, which takes no simulated time; otherwise it
 * counts the record as dropped.
 *
 * A call or handler is one record, written when it ends; if something else is
 * recorded inside it, an OPEN record is written first. A call that merely finds
 * nothing to do leaves no record. Any thread; apart from the above, nothing here
 * waits, and only open allocates.
 */
#ifndef FSH_TRACE_H
#define FSH_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FSH_TRACE_MAGIC 0x32435254u /* "TRC2" */
#define FSH_TRACE_NAMES 512u
#define FSH_TRACE_NAME_BYTES 96u

enum fsh_trace_kind {
    FSH_TRACE_SLICE, /* from ts on, for `late` */
    FSH_TRACE_OPEN,  /* the same, before its end is known */
    FSH_TRACE_CLOSE, /* ends the innermost open slice of this track */
    /* A flow (value) starts in the slice around ts and leaves the host `peer` later. */
    FSH_TRACE_FLOW_OUT,
    FSH_TRACE_FLOW_IN,   /* the flow ends in the slice */
    FSH_TRACE_FLOW_STEP, /* the flow passes through it */
    FSH_TRACE_COUNTER,   /* has this value from ts on */
    FSH_TRACE_INSTANT,   /* at ts; peer + 1 */
};

enum fsh_trace_category {
    FSH_TRACE_CALL,    /* of the client: peer + 1, value is bytes */
    FSH_TRACE_HANDLER, /* the same; peer is the source */
    FSH_TRACE_WAIT,    /* peer + 1; value is the name of the waiting component,
                          or 0 */
    FSH_TRACE_NODE, /* of a node: peer + 1, value is bytes; or of a counter */
    FSH_TRACE_RETRY,
    FSH_TRACE_PROGRAM, /* a counter of the client: value is a double's bits */
};

/* Times are ns of CLOCK_MONOTONIC, or cycles of simulated time. The records of a ring
 * are in the order in which they were made: ts + late. */
struct fsh_trace_record {
    uint64_t ts;
    uint32_t late;        /* time from ts to when the record was made */
    _Atomic uint32_t lap; /* published: its position + 1 */
    uint64_t value;
    uint32_t peer;
    uint16_t name;
    uint16_t node; /* in a simulator */
    uint8_t kind, category;
    uint8_t track; /* thread; in a simulator the unit it concerns */
};

/* Stamps the record as made now; a start too far back is moved to the earliest that
 * `late` can express. */
static inline void fsh_trace_made(struct fsh_trace_record *record, uint64_t now)
{
    if (now - record->ts > UINT32_MAX)
        record->ts = now - UINT32_MAX;
    record->late = (uint32_t)(now - record->ts);
}

struct fsh_trace_ring {
    _Alignas(64) _Atomic uint32_t head; /* reader: records consumed so far;
                                           futex */
    _Alignas(64) _Atomic uint32_t tail; /* writers: positions claimed */
    _Atomic uint32_t waiting;           /* a writer sleeps on head */
    _Atomic uint32_t names;             /* in use; 0 is "" */
    _Atomic uint64_t dropped;
    char name[FSH_TRACE_NAMES][FSH_TRACE_NAME_BYTES];
};

/* Followed by the rings, each followed by its records. */
struct fsh_trace {
    uint32_t magic, rings, ranks;
    uint32_t slots;      /* records per ring, a power of two */
    uint32_t ring_bytes; /* layout check against another release */
    bool simulated;
    uint64_t start_ns; /* of CLOCK_MONOTONIC */
    /* Simulated time: all records with an earlier time have been made. */
    _Alignas(64) _Atomic uint64_t reached;
    /* Written when a ring has become a quarter fuller, or full; the reader sleeps on
     * it. Futex. */
    _Alignas(64) _Atomic uint32_t bell;
};

/* Bytes of a ring with its records, and of the whole trace; the i-th ring; a
 * record by position. */
static inline size_t fsh_trace_ring_bytes(uint32_t slots)
{
    return sizeof(struct fsh_trace_ring) +
           slots * sizeof(struct fsh_trace_record);
}
static inline size_t fsh_trace_bytes(uint32_t rings, uint32_t slots)
{
    return sizeof(struct fsh_trace) + rings * fsh_trace_ring_bytes(slots);
}
static inline struct fsh_trace_ring *fsh_trace_ring(struct fsh_trace *trace,
                                                    uint32_t ring)
{
    return (struct fsh_trace_ring *)(void *)((char *)(trace + 1) +
                                             ring * fsh_trace_ring_bytes(
                                                        trace->slots));
}
static inline struct fsh_trace_record *fsh_trace_slot(
    struct fsh_trace *trace, struct fsh_trace_ring *ring, uint32_t position)
{
    return (struct fsh_trace_record *)(void *)(ring + 1) +
           (position & (trace->slots - 1));
}

/* Wakes the reader. Async-signal-safe. */
void fsh_trace_ring_bell(struct fsh_trace *trace);

/* ---- recording ---- */

/* Whether this process is recording; testing it is the only cost of tracing when off.
 * The functions below may be called only while it is true. */
extern bool fsh_trace_on;

/* Attaches this process to its ring and starts recording; in simulated time,
 * recording starts at fsh_trace_clock. Call once, while single-threaded. */
void fsh_trace_open(struct fsh_trace *trace, uint32_t ring);
/* Sets the word that holds simulated time; NULL: simulated time has ended. No effect
 * without a trace. */
void fsh_trace_clock(const uint64_t *cycle);

/* Begin and end a call. The name is a string literal, identified by its address. A call
 * nested directly in one of the same name is merged with it. */
void fsh_trace_begin(const char *call);
void fsh_trace_end(const char *call);
/* A poll has found something; if handlers ran in it, it starts at the first one. */
void fsh_trace_polled(const char *call);
/* Sets peer and bytes of the current call. */
void fsh_trace_about(uint32_t peer, size_t bytes);

/* Begin and end a handler. lane: messages with equal source, lane and kind arrive in
 * the order sent. */
struct fsh_trace_message {
    uint32_t peer;
    unsigned lane;
    bool request;
};
void fsh_trace_handler(unsigned index, const struct fsh_trace_message *m,
                       size_t bytes);
void fsh_trace_handled(void);
/* Records that the current call or handler sends a message. */
void fsh_trace_sent(const struct fsh_trace_message *m);
/* The message has left this host; it does not depend on the rest of the call. */
void fsh_trace_left(void);

/* Begin and end a wait: what for, and the waiting component or NULL, both literals;
 * peer + 1. True if recorded: then fsh_trace_waited must follow. */
bool fsh_trace_wait(const char *what, const char *who, uint32_t peer);
void fsh_trace_waited(void);

/* A put or get with this device tag begins. Only those whose tags the device sees,
 * since both sides count them. */
void fsh_trace_transfer(unsigned tag);

/* The peer refused something that will be retried; what: a literal. */
void fsh_trace_retry(const char *what, uint32_t peer);
/* Sets a counter; the name must stay valid. */
void fsh_trace_count(const char *name, uint64_t value);
/* A counter of the client's own. The value is finite. */
void fsh_trace_value(const char *name, double value);

/* ---- for simulators ---- */

/* Whether this process has a trace, and one in simulated time. */
bool fsh_trace_is_there(void);
bool fsh_trace_is_simulated(void);
/* Flow ids: of the n-th message of a kind from one rank to another in a lane, and of a
 * rank's n-th transfer with a tag. */
uint64_t fsh_trace_message_flow(bool request, uint32_t from, uint32_t to,
                                unsigned lane, uint32_t n);
uint64_t fsh_trace_transfer_flow(uint32_t rank, unsigned tag, uint32_t n);

/* The number of a name (a literal), assigned at first use. */
uint16_t fsh_trace_name(const char *name);
/* Writes a record as it is, setting only its lap. False: dropped. */
bool fsh_trace_put(const struct fsh_trace_record *record);
/* All processes of the job have made their records up to this cycle. No effect
 * without a trace. */
void fsh_trace_reached(uint64_t cycle);
/* This process makes no more records; the last ones may be written while it ends. No
 * effect without a trace. */
void fsh_trace_done(void);

#endif
