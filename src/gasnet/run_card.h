/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives that a card's engine runs (run_card.c), and their buffers there
 * (run_card_move.c). All of it is under the lock of run_card.c, but what says otherwise.
 */
#ifndef FSH_GASNET_RUN_CARD_H
#define FSH_GASNET_RUN_CARD_H

#include "coll/card/card.h"
#include "gasnet/run.h"

enum fsh_card_state {
    FSH_CARD_STORED, /* the engine is to be told of it */
    FSH_CARD_RUNNING /* it is told */
};

/* A call, of this rank. */
struct fsh_card_call {
    struct fsh_card_call *next; /* of its team, with parts to begin */
    struct fsh_team *team;
    const char *name;
    struct fsh_run_other other;           /* what other ranks hear of it */
    const struct fsh_program *program[2]; /* of the halves, or the first */
    struct fsh_coll_work work;
    struct fsh_card_layout layout; /* of all of it */
    struct fsh_card_cut cut;
    size_t begun, all; /* sequences that are not only sends: parts or series */
    size_t open;       /* sequences that have a slot */
    uint32_t job;      /* of its first series */
    unsigned claims;   /* slots that a part may claim, or a series */
    unsigned part_claims;
    bool moved;              /* by hosts: its parts are not in place */
    bool joined;             /* a sequence is a series, not a part */
    struct fsh_event *event; /* the caller's */
};

/* A part of it, or a series: a sequence, or two. */
struct fsh_card_op {
    struct fsh_answer answer; /* first: see on_answer */
    atomic_uint verdict;      /* by the conduit: status of the answer + 1 */
    atomic_uint ended;        /* by the conduit: `end` is there; released */
    struct fsh_sequence_end end;
    enum fsh_card_state state;
    struct fsh_card_call *call;
    const struct fsh_program *program;
    struct fsh_team *team; /* the call's, and its name: outlive it */
    const char *name;
    unsigned looks;                   /* that found it running */
    uint64_t untold;                  /* ranks that are to be told what it is */
    size_t part, parts;               /* the first, and how many of its lane */
    enum fsh_card_steps first, which; /* steps: of the first, of the others */
    struct fsh_card_layout layout;    /* of the first */
    const unsigned char *src;         /* the client's, from this part on */
    unsigned char *dst;
    unsigned slot; /* of the area */
    unsigned claims;
    uint32_t job;     /* of the team's */
    bool copied_back; /* results come to host memory of the library's */
};

/* What a team keeps for them. */
struct fsh_card_queue {
    struct fsh_card_call *head, *tail; /* with parts to begin, in order */
    unsigned flying;                   /* sequences that have a place */
    unsigned sends;                    /* of those: that are only sends */
    unsigned claims;                   /* of those */
    uint32_t jobs;                     /* given one, ever */
};

/* Can the engine work in the call's buffers? */
bool fsh_card_reaches(const struct fsh_card_call *call);
/* Write the sequence of an operation that has a slot, and what it reads. */
void fsh_card_store(struct fsh_card_op *op);
/* Where that is. */
size_t fsh_card_list(const struct fsh_card_op *op);
/* Copy results to the client's buffer. */
void fsh_card_fetch(struct fsh_card_op *op);

#endif
