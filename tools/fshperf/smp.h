/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fshperf smp and fshperf limits: the cost of conduit smp compared with shared
 * memory between the same processes without it. smp.c starts the jobs and
 * reports; in a job smp_node.c measures every figure alternately with its
 * limit. The loops that call the library are in smp_ops.c, compiled once per
 * thread mode; those that do not are in smp_raw.c. Everything runs on the main
 * thread.
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

/* Which side reads the payload of a message. The initiator always sends from
 * private memory; the peer's answer is as long as what it got. */
enum smp_access {
    SMP_NEVER,  /* neither; the answer comes from private memory */
    SMP_ECHOED, /* the peer, by answering with the received data */
    SMP_LINES   /* both, one word per cache line, otherwise as SMP_NEVER */
};

/* ---- memory shared by the ranks, in their segments ---- */

struct smp_flag {
    _Alignas(64) atomic_uint value;
};

/* A message and its sequence mark in one cache line. */
struct smp_slot {
    _Alignas(64) atomic_uint stamp;
    uint32_t word[15];
};

/* A barrier: total arrivals, and the number of the last one completed. */
struct smp_gate {
    struct smp_flag arrived;
    struct smp_flag open;
};

#define SMP_SLOTS 256u

/* At the start of every rank's segment. Of control only rank 0's is used: by
 * smp_node.c, between timed loops. */
struct smp_area {
    struct smp_gate control;                 /* written and read by all ranks */
    _Alignas(64) unsigned which, count;      /* next for all; rank 0 writes */
    struct smp_flag switches[SMP_MAX_RANKS]; /* of each rank; read by rank 0 */
    struct smp_gate gate;                    /* for the loop being timed */
    struct smp_flag flag;              /* the peer writes, the owner waits */
    struct smp_slot slot[SMP_SLOTS];   /* the peer writes, the owner reads */
    struct smp_flag freed;             /* of the peer's ring, by this rank */
    _Alignas(4096) unsigned char in[]; /* what the peer sends */
};

/* A rank as seen by the loops. */
struct smp_rank {
    unsigned rank, ranks;
    unsigned party;         /* the first ranks, which measure */
    bool crowded;           /* party exceeds the processors: waits yield */
    struct smp_area *all;   /* rank 0's */
    struct smp_area *mine;  /* own segment */
    struct smp_area *peer;  /* the peer's, mapped here */
    struct smp_area *there; /* the same at its owner's address */
    unsigned char *local;   /* private memory, as large as `in` */
    unsigned seq;           /* messages so far, the same on both sides */
    /* Of the current case: */
    size_t bytes;
    enum smp_access access;
};

/* Runs n iterations; called by every rank of the party. On rank 0 returns the
 * total time in ns. */
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
/* Returns when all of the party have arrived. */
void smp_raw_meet(const struct smp_rank *r, struct smp_gate *gate);
/* Waits until the flag has this value or a later one. */
void smp_raw_await(const struct smp_rank *r, const atomic_uint *flag,
                   unsigned value);
/* Reads a word of every cache line. */
void smp_raw_touch(const void *p, size_t bytes);

/* ---- smp_ops.c: with the library ---- */

struct smp_ops {
    const char *mode;
    /* gasnet_init and gasnet_attach; and the ranks' segments, at their owners'
     * addresses. */
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

/* A place in the job's memory: the object, and the offset in it. */
struct smp_place {
    uint64_t device, object, offset;
};
/* The place of an address of this process, from the kernel's list of
 * mappings. */
bool smp_place_of(const void *addr, struct smp_place *place);
/* The address of a place in this process; NULL if not mapped. */
void *smp_place_here(const struct smp_place *place);

/* ---- smp_rank.c: a rank of a measuring job ---- */

/* Joins a job of conduit smp with room for messages of that size, and finds the
 * segments of the others in this process. The party is bound to one processor
 * each, if there are enough: the other ranks sleep while it measures. Failures
 * are fatal with a message. Collective. */
struct smp_rank *smp_join(const struct smp_ops *ops, int *argc, char ***argv,
                          size_t bytes, unsigned party);
unsigned smp_processors(void); /* usable by the job */
/* Whether this rank is bound to its own processor. */
bool smp_pinned(const struct smp_rank *r);
/* Undoes the binding. */
void smp_unpin(void);

/* Medians of times per call, in ns. */
struct smp_result {
    double value, limit; /* of the first and the second loop */
    unsigned samples, disturbed;
};

/* How long to measure. */
struct smp_effort {
    uint64_t batch_ns; /* time of a batch of calls */
    unsigned rounds;   /* batches of each loop */
    uint64_t limit_ns; /* total limit; may reduce the rounds */
};
struct smp_effort smp_effort(bool quick);

/* Alternates the two loops: A B A B (the second may be NULL). A round in which another
 * process took a processor is discarded while time allows; `alone`: the loops run on
 * rank 0 only. Called by all ranks of the party; rank 0 gets the result. */
struct smp_result smp_measure(struct smp_rank *r, smp_loop_fn loop,
                              smp_loop_fn limit, bool alone,
                              const struct smp_effort *effort);

/* ---- smp_shared.c: shared processors ---- */

/* A loop whose waits are told in advance that processors are shared. */
smp_loop_fn smp_told(smp_loop_fn loop);
/* Binds all calling ranks to one processor. */
void smp_pin_together(struct smp_rank *r);
/* Starts a process that keeps this rank's processor busy; it ends with the rank. */
pid_t smp_start_neighbour(struct smp_rank *r);
void smp_stop_neighbour(pid_t pid);

/* ---- rows, from a job to the report ---- */

/* An output line: this and the fields of a row. */
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

/* Writes a row as a line of text; parses one, false if it is not a row. */
void smp_write_row(FILE *out, const struct smp_row *row);
bool smp_read_row(const char *line, struct smp_row *row);
/* The name in rows and options; static. */
const char *smp_access_name(enum smp_access access);

/* smp_report.c */
/* Whether the figure of this test is a bandwidth. */
bool smp_is_bandwidth(const struct smp_row *row);
void smp_set_targets(struct smp_table *table);
/* Returns how many miss their target. */
unsigned smp_print(const struct smp_table *table);
void smp_write_json(FILE *out, const struct smp_table *table);

#endif
