/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf smp and fshperf limits: what conduit smp costs beside what shared
 * memory between the same processes costs without it. smp.c starts the jobs and
 * reports; in a job smp_node.c measures every figure in turns with its limit.
 * The loops that call the library are smp_ops.c, compiled once for each thread
 * mode; those that do not are smp_raw.c. All of it on the main thread.
 */
#ifndef FSHPERF_SMP_H
#define FSHPERF_SMP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#define SMP_MAX_RANKS 64u
#define SMP_NAME 24
/* Bytes of the largest transfer, of the largest with --quick, and of an active
 * message. */
#define SMP_MAX_BYTES ((size_t)64 << 20)
#define SMP_QUICK_BYTES ((size_t)1 << 20)
#define SMP_MESSAGE_BYTES ((size_t)64 << 10)

/* Who reads the payload of a message. The initiator sends from private memory,
 * always; the peer's answer is as long as what it got. */
enum smp_access {
    SMP_NEVER,  /* nobody; the answer comes from private memory */
    SMP_ECHOED, /* the peer, by answering with what has arrived */
    SMP_LINES   /* both, a word of every cache line, then as SMP_NEVER */
};

/* ---- memory that the ranks share, in their segments ---- */

struct smp_flag {
    _Alignas(64) atomic_uint value;
};

/* A message and its sequence mark in one cache line. */
struct smp_slot {
    _Alignas(64) atomic_uint stamp;
    uint32_t word[15];
};

/* A barrier: how many have arrived, ever, and the last one that is over. */
struct smp_gate {
    struct smp_flag arrived;
    struct smp_flag open;
};

#define SMP_SLOTS 256u

/* Begins the segment of every rank. Of control only rank 0's is used: by
 * smp_node.c, between the timed loops. */
struct smp_area {
    struct smp_gate control;            /* written and read by all ranks */
    _Alignas(64) unsigned which, count; /* what all run next; rank 0 writes */
    struct smp_flag switches[SMP_MAX_RANKS]; /* of each rank; rank 0 reads */
    struct smp_gate gate;                    /* of the loop that is timed */
    struct smp_flag flag;              /* the peer writes, the owner waits */
    struct smp_slot slot[SMP_SLOTS];   /* the peer writes, the owner reads */
    struct smp_flag freed;             /* slots of the peer's ring, by it */
    _Alignas(4096) unsigned char in[]; /* what the peer sends */
};

/* A rank as the loops see it. */
struct smp_rank {
    unsigned rank, ranks;
    unsigned party; /* of the ranks, those that measure: the first */
    bool crowded;   /* more of them than processors: waiting is yielding */
    struct smp_area *all;   /* rank 0's */
    struct smp_area *mine;  /* own segment */
    struct smp_area *peer;  /* that of the peer, at its address here */
    struct smp_area *there; /* the same at the peer's own address */
    unsigned char *local;   /* private memory, as large as `in` */
    unsigned seq;           /* messages so far, equal on both sides */
    /* Of the case: */
    size_t bytes;
    enum smp_access access;
};

/* Do it n times; every rank of the party calls it. Rank 0 gets the ns taken by
 * all of it. */
typedef uint64_t (*smp_loop_fn)(struct smp_rank *r, unsigned n);

/* ---- smp_raw.c: without the library ---- */

uint64_t smp_raw_line(struct smp_rank *r, unsigned n);    /* round trips */
uint64_t smp_raw_ring(struct smp_rank *r, unsigned n);    /* round trips */
uint64_t smp_raw_flood(struct smp_rank *r, unsigned n);   /* messages */
uint64_t smp_raw_copies(struct smp_rank *r, unsigned n);  /* round trips */
uint64_t smp_raw_put(struct smp_rank *r, unsigned n);     /* copies */
uint64_t smp_raw_get(struct smp_rank *r, unsigned n);     /* copies */
uint64_t smp_raw_read(struct smp_rank *r, unsigned n);    /* of a flag */
uint64_t smp_raw_barrier(struct smp_rank *r, unsigned n); /* of all */
uint64_t smp_raw_flags(struct smp_rank *r, unsigned n);   /* of two */
/* All of the party arrive before any leaves. */
void smp_raw_meet(const struct smp_rank *r, struct smp_gate *gate);
/* Wait until the flag has this value or a later one. */
void smp_raw_await(const struct smp_rank *r, const atomic_uint *flag,
                   unsigned value);
/* Read a word of every cache line. */
void smp_raw_touch(const void *p, size_t bytes);

/* ---- smp_ops.c: with the library ---- */

struct smp_ops {
    const char *mode;
    /* gasnet_init and gasnet_attach; where each rank's segment is, as its owner
     * sees it. */
    void (*join)(int *argc, char ***argv, size_t segment, struct smp_rank *r,
                 void *segments[SMP_MAX_RANKS]);
    void (*leave)(int code);
    void (*fetch)(void *to, unsigned rank, const void *from, size_t bytes);
    void (*barrier)(void);
    smp_loop_fn am_short, am_medium, am_long, am_flood, poll, put, get, put_bw,
        get_bw, put_nb, barriers;
};

extern const struct smp_ops smp_ops_seq, smp_ops_par;

/* ---- smp_map.c ---- */

/* Where memory of the job is: which object, how far in it. */
struct smp_place {
    uint64_t device, object, offset;
};
/* Of an address of this process, by what the kernel says of its mappings. */
bool smp_place_of(const void *addr, struct smp_place *place);
/* The address of a place here; NULL if it is not mapped. */
void *smp_place_here(const struct smp_place *place);

/* ---- smp_rank.c: a rank of a measuring job ---- */

/* Join a job of conduit smp with room for messages of so many bytes and find
 * the segments of the others in this process. The party is bound to processors,
 * one each, if there are enough: the other ranks are asleep while it measures.
 * Fatal, with a message, if that cannot be. Collective. */
struct smp_rank *smp_join(const struct smp_ops *ops, int *argc, char ***argv,
                          size_t bytes, unsigned party);
unsigned smp_processors(void); /* that the job may use */
/* Is this rank bound to a processor of its own? */
bool smp_pinned(const struct smp_rank *r);
/* Not any more. */
void smp_unpin(void);

/* Medians of times a call, in ns. */
struct smp_result {
    double value, limit; /* of the first and the second loop */
    unsigned samples, disturbed;
};

/* How much to measure. */
struct smp_effort {
    uint64_t batch_ns; /* of calls timed together */
    unsigned rounds;   /* of a batch of each loop */
    uint64_t limit_ns; /* of all; then fewer rounds have to do */
};
struct smp_effort smp_effort(bool quick);

/* The two loops in turns: A B A B (the second may be NULL). A round during which
 * another process took a processor is left out while there is time for others;
 * `alone`: the loops run on rank 0 only. All ranks of the party call it; rank 0
 * gets the result. */
struct smp_result smp_measure(struct smp_rank *r, smp_loop_fn loop,
                              smp_loop_fn limit, bool alone,
                              const struct smp_effort *effort);

/* ---- smp_shared.c: processors that others use too ---- */

/* A loop whose waits know from the start that processors are shared. */
smp_loop_fn smp_told(smp_loop_fn loop);
/* Bind all ranks that call it to one processor. */
void smp_pin_together(struct smp_rank *r);
/* A process that keeps the processor of this rank busy; it ends with the rank. */
pid_t smp_start_neighbour(struct smp_rank *r);
void smp_stop_neighbour(pid_t pid);

/* ---- what a job says and fshperf smp reports ---- */

/* A line of output: this and the fields of a row. */
#define SMP_LINE "smp-row"

struct smp_row {
    char test[SMP_NAME], mode[SMP_NAME], access[SMP_NAME], limit[SMP_NAME];
    unsigned ranks, pinned;
    size_t bytes;
    struct smp_result result;
    double target; /* in ns; 0: none */
};

#define SMP_MAX_ROWS 256u
struct smp_table {
    struct smp_row row[SMP_MAX_ROWS];
    unsigned rows;
};

/* A row as a line of text, and back: false if the line is none. */
void smp_write_row(FILE *out, const struct smp_row *row);
bool smp_read_row(const char *line, struct smp_row *row);
/* As rows and options have it; static. */
const char *smp_access_name(enum smp_access access);

/* smp_report.c */
/* True for the tests whose figure is a bandwidth. */
bool smp_is_bandwidth(const struct smp_row *row);
void smp_set_targets(struct smp_table *table);
/* Returns how many are over their target. */
unsigned smp_print(const struct smp_table *table);
void smp_write_json(FILE *out, const struct smp_table *table);

#endif
