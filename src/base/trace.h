/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces: what the processes of a job record of themselves, each in a ring of its
 * own in memory that all share, for the launcher to write to a file (fshrun
 * --trace). What has been recorded outlives the process that did it.
 *
 * A ring has any number of writers, threads of one process, and one reader. A writer
 * takes a position (tail), fills its record and publishes it (lap). In simulated time
 * a writer waits for room, which costs none of it; else it counts what it drops.
 *
 * Calls and handlers are one record, when they end; those that something else happens
 * in that is recorded are opened before it. So a call that does nothing but find
 * nothing leaves no record. Any thread; nothing here waits otherwise or allocates,
 * but for open.
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
    FSH_TRACE_SLICE, /* from ts on, `late` long */
    FSH_TRACE_OPEN,  /* the same, whose end is not known yet */
    FSH_TRACE_CLOSE, /* the last that is open on this track ends */
    /* A flow (value) begins in the slice that is there at ts, and leaves the host so much
     * later (peer). */
    FSH_TRACE_FLOW_OUT,
    FSH_TRACE_FLOW_IN,   /* and ends in it */
    FSH_TRACE_FLOW_STEP, /* and passes it */
    FSH_TRACE_COUNTER,   /* from ts on it is value */
    FSH_TRACE_INSTANT,   /* at ts; peer + 1 */
};

enum fsh_trace_category {
    FSH_TRACE_CALL,    /* of the client's: peer + 1, value is bytes */
    FSH_TRACE_HANDLER, /* the same; peer is the source */
    FSH_TRACE_WAIT,    /* peer + 1; value is the name of who waits, or 0 */
    FSH_TRACE_NODE, /* of a node: peer + 1, value is bytes, or of a counter */
    FSH_TRACE_RETRY,
};

/* Times are ns of CLOCK_MONOTONIC, or cycles of simulated time. Records of a ring
 * come in the order of ts + late, when they were made. */
struct fsh_trace_record {
    uint64_t ts;
    uint32_t late;        /* the record was made so much later */
    _Atomic uint32_t lap; /* published: its position + 1 */
    uint64_t value;
    uint32_t peer;
    uint16_t name;
    uint16_t node; /* in a simulator */
    uint8_t kind, category;
    uint8_t track; /* thread; in a simulator what it is about */
};

/* The record is made now; what began further back than it can say began there. */
static inline void fsh_trace_made(struct fsh_trace_record *record, uint64_t now)
{
    if (now - record->ts > UINT32_MAX)
        record->ts = now - UINT32_MAX;
    record->late = (uint32_t)(now - record->ts);
}

struct fsh_trace_ring {
    _Alignas(64) _Atomic uint32_t head; /* reader: records taken, ever; futex */
    _Alignas(64) _Atomic uint32_t tail; /* writers: positions given out */
    _Atomic uint32_t waiting;           /* a writer sleeps on head */
    _Atomic uint32_t names;             /* in use; 0 is "" */
    _Atomic uint64_t dropped;
    char name[FSH_TRACE_NAMES][FSH_TRACE_NAME_BYTES];
};

/* Followed by the rings, each by its records. */
struct fsh_trace {
    uint32_t magic, rings, ranks;
    uint32_t slots;      /* records of a ring, a power of two */
    uint32_t ring_bytes; /* the same release? */
    bool simulated;
    uint64_t start_ns; /* of CLOCK_MONOTONIC */
    /* Simulated time: all records are made that have an earlier time. */
    _Alignas(64) _Atomic uint64_t reached;
    /* Writers: a ring is a quarter fuller, or full; the reader sleeps on it. Futex. */
    _Alignas(64) _Atomic uint32_t bell;
};

/* Bytes of a ring with its records, and of all; the i-th ring; a record by its
 * position. */
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

/* The reader is to look now. Async-signal-safe. */
void fsh_trace_ring_bell(struct fsh_trace *trace);

/* ---- recording ---- */

/* Is this process recording? The test of it is all that traces cost when they are
 * off. The calls below are made only while it is. */
extern bool fsh_trace_on;

/* The ring of this process; from here on it records, or in simulated time from
 * fsh_trace_clock on. Once, by its only thread. */
void fsh_trace_open(struct fsh_trace *trace, uint32_t ring);
/* Simulated time begins, and is what the word says; NULL: it ends. Harmless while
 * there is no trace. */
void fsh_trace_clock(const uint64_t *cycle);

/* A call begins and ends; the name is a string literal, known again by its address.
 * Calls of the same name in one another are one. */
void fsh_trace_begin(const char *call);
void fsh_trace_end(const char *call);
/* A poll has found something; if handlers have run in it, it begins with the first. */
void fsh_trace_polled(const char *call);
/* The call is about so many bytes of that rank. */
void fsh_trace_about(uint32_t peer, size_t bytes);

/* A handler begins, and ends. lane: the messages of a source in one lane and of one
 * kind come in the order in which they were sent. */
struct fsh_trace_message {
    uint32_t peer;
    unsigned lane;
    bool request;
};
void fsh_trace_handler(unsigned index, const struct fsh_trace_message *m,
                       size_t bytes);
void fsh_trace_handled(void);
/* A message is sent in the call or handler that this thread is in. */
void fsh_trace_sent(const struct fsh_trace_message *m);
/* Now it has left this host; what the call does from here on it does not wait for. */
void fsh_trace_left(void);

/* A wait begins: what for, and who waits, or NULL; literals. peer + 1. True: it is
 * recorded, and so is its end, by the next. */
bool fsh_trace_wait(const char *what, const char *who, uint32_t peer);
void fsh_trace_waited(void);

/* A put or a get is begun, of which the device knows by this tag. Only of those that it
 * is told of: both count them. */
void fsh_trace_transfer(unsigned tag);

/* That rank has refused something, which is going to be tried again: what, a literal. */
void fsh_trace_retry(const char *what, uint32_t peer);
/* From now on this, a name that stays where it is, is so much. */
void fsh_trace_count(const char *name, uint64_t value);

/* ---- for simulators ---- */

/* Has this process a trace, and one in simulated time? */
bool fsh_trace_is_there(void);
bool fsh_trace_is_simulated(void);
/* The number of a flow: of the n-th message of this kind from one rank to another in a
 * lane, and of the n-th transfer of a rank with a tag. */
uint64_t fsh_trace_message_flow(bool request, uint32_t from, uint32_t to,
                                unsigned lane, uint32_t n);
uint64_t fsh_trace_transfer_flow(uint32_t rank, unsigned tag, uint32_t n);

/* The number of a name, a literal, made at its first use. */
uint16_t fsh_trace_name(const char *name);
/* A record as it is; its lap is filled in. False: it was dropped. */
bool fsh_trace_put(const struct fsh_trace_record *record);
/* All records before this cycle are made, by all processes of the job. Harmless
 * while there is no trace. */
void fsh_trace_reached(uint64_t cycle);
/* This process makes no more: its last records may be written while it ends. Harmless
 * while there is no trace. */
void fsh_trace_done(void);

#endif
