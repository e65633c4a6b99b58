/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives in flight that are programs of triggered descriptors (coll/program): the
 * engine in software, over active messages and puts, on every conduit. run.c has the
 * operations and runs them, run_step.c is what a step does, run_packet.c how packets get
 * from rank to rank.
 *
 * The n-th call on a team is one operation on each of its ranks, found by {team, n}. A packet of up to FSH_RUN_EAGER bytes is eager: it goes at once, in one
 * message, and waits at the receiver as a note if that has not called yet. A sender has
 * FSH_RUN_CREDITS notes at a rank at most, and sends eagerly only for the oldest of its
 * operations on the team: whatever a rank needs to get to its next call has then been
 * sent before all that takes up credits there, so nobody waits in a circle. A longer
 * packet is a rendezvous: the receiver grants it (READY, with an address if it may be
 * put), the sender puts (PLACED) or sends its bytes (DATA), as far as it has them.
 *
 * Handlers record what came, under fsh_run_lock, and queue the operation; one thread at a
 * time runs the queue, in polls, and never blocks.
 */
#ifndef FSH_GASNET_RUN_H
#define FSH_GASNET_RUN_H

#include "coll/direct/direct.h"
#include "gasnet/team.h"

#define FSH_RUN_EAGER 1024u /* bytes of an eager packet */
#define FSH_RUN_CREDITS 8u  /* eager packets before the receiver's call */
#define FSH_RUN_PAST 64u    /* complete calls that are known */
#define FSH_RUN_WINDOW \
    16u /* steps looked at, from the first that is not over */

/* Bytes [at, end) of a packet that are here before those in front of them. */
struct fsh_run_extent {
    size_t at, end;
};

/* A packet that a step waits for. */
struct fsh_run_source {
    atomic_bool came;    /* by handler: any of it; released last */
    atomic_size_t got;   /* by handler: bytes, from the first on */
    unsigned char *land; /* where they go; set before they can come */
    bool granted;
    /* By handlers, under the lock: messages do not keep their order. */
    struct fsh_run_extent *ahead; /* freed when all is here */
    uint32_t aheads;
};

/* A put of a part of the value; two at most are in flight. */
struct fsh_run_put {
    size_t bytes; /* 0: none */
    struct fsh_event event;
};

struct fsh_run_step {
    const struct fsh_program_step *step;
    size_t bytes;               /* of the value */
    size_t done;                /* combined and kept, from the first on */
    const unsigned char *local; /* operand, or NULL */
    unsigned char *store;       /* or NULL */
    const unsigned char *value; /* what is sent */
    unsigned char *memory;      /* for packets; freed when the step is over */
    struct fsh_run_source *source; /* [step->sources] */
    /* The way out. */
    bool ready;    /* by handler, under the lock: the receiver has granted */
    uint64_t addr; /* by handler, with ready: put there, or 0 */
    size_t given;  /* bytes put or sent */
    size_t sent;   /* bytes the receiver knows of */
    bool told;     /* all of it */
    bool claimed;  /* those that are waited for have been told of the call */
    struct fsh_run_put put[2];
    unsigned oldest; /* of the two */
    bool over;
};

/* What came before this rank's call. */
struct fsh_run_note {
    struct fsh_run_note *next;
    unsigned message; /* enum message of run_packet.c */
    uint32_t claim, rank, seq;
    uint64_t a, bytes;
    bool has_facts;
    struct fsh_coll_facts facts;
    size_t n;
    unsigned char data[];
};

struct fsh_run {
    struct fsh_run *next;  /* of the team, by number; under the lock */
    struct fsh_run *queue; /* behind it in the queue; under the lock */
    bool queued;           /* under the lock */
    bool starved;          /* a message is to be tried again in the next poll */
    bool called;           /* under the lock: all below is there */
    bool finished;         /* under the lock: complete, but still queued */
    struct fsh_team *team;
    uint32_t number;
    struct fsh_run_note *notes; /* under the lock; last first */
    /* The call's. */
    const char *name;
    struct fsh_coll_work work;
    const struct fsh_program *program;
    bool in_place; /* SRC and DST are the same blocks */
    struct fsh_event *event;
    size_t *lists;         /* what the v-forms came with, copied */
    unsigned char *source; /* all to all in place: what was there */
    /* The engine's. */
    unsigned char *scratch; /* TMP, and where eager packets go */
    unsigned char *tmp;
    uint32_t low;   /* steps before it are over */
    uint32_t looks; /* that found nothing */
    struct fsh_run_source *sources;
    struct fsh_run_step step[]; /* [program->steps] */
};

/* A program that has been made, and its recipe if it was asked for; kept. */
struct fsh_run_plan {
    struct fsh_run_plan *next;
    const struct fsh_program_algorithm *algorithm;
    struct fsh_program_shape shape;
    struct fsh_program *program;
    struct fsh_recipe *recipe;
};

/* Lists of plans: by call and root. */
#define FSH_RUN_PLANS 64u

/* A call that others than this engine carry out (run_card.c), of which other ranks may hear
 * by messages, or ask. */
struct fsh_run_other {
    struct fsh_run_other *next; /* of the team; under the lock */
    const char *name;
    uint32_t number, claim;
};

/* A call that is complete here. */
struct fsh_run_past {
    uint32_t number, claim;
};

/* What a team keeps for its calls. */
struct fsh_run_team {
    const struct fsh_team *team;
    /* Under the lock. */
    struct fsh_run *first;                  /* in flight, by number */
    struct fsh_run_other *others;           /* in flight */
    uint32_t calls;                         /* made by this rank */
    struct fsh_run_past past[FSH_RUN_PAST]; /* the last that were complete */
    uint8_t *credit; /* [size] eager packets that may still go there */
    uint8_t *owed;   /* [size] credits to give back */
    uint32_t due;    /* ranks that are owed half of them */
    struct fsh_run_plan *plans[FSH_RUN_PLANS]; /* of the thread that calls */
    atomic_uint awaited; /* rank whose packet is next; relaxed, for reports */
    bool asked_card,
        card; /* may calls go by the card? of the thread that calls */
    /* By loads from peers (run_direct.c). looked, group: of the thread that calls. */
    bool looked;
    struct fsh_coll_group *group; /* NULL: not for this team */
    struct fsh_run_team *next;    /* that has one; under the lock */
    struct fsh_run_queued *head;  /* calls, in order; under the lock, as tail */
    struct fsh_run_queued **tail;
    atomic_uint
        head_there; /* is there one? Its threads alone use the group then */
    bool begun;     /* the head is; of the thread that runs it */
};

extern struct fsh_lock fsh_run_lock;
/* Things done, counted by the thread that runs operations. */
extern uint32_t fsh_run_advances;

/* ---- run.c ---- */

/* This rank's call: an operation of the program begins. event counts one until it is
 * complete here. */
void fsh_run_start(struct fsh_team *team, const char *name,
                   const struct fsh_program *program,
                   const struct fsh_coll_work *work, struct fsh_event *event);

/* Lock held. The operation, known or first heard of now; NULL: complete here. */
struct fsh_run *fsh_run_find(struct fsh_team *team, uint32_t number);
/* Lock held. To be run by the next poll, if its call has been made. */
void fsh_run_enqueue(struct fsh_run *run);
/* Lock held. The first operation of the team may send eagerly again. */
void fsh_run_wake_first(struct fsh_team *team);
/* A call of the team that others carry out begins (its name and claim are set), and is
 * complete. */
void fsh_run_enter(struct fsh_team *team, struct fsh_run_other *other);
void fsh_run_leave(struct fsh_team *team, struct fsh_run_other *other);

/* ---- run_team.c ---- */

/* A team's state; from fsh_team_add. Fatal, naming the call, if there is no memory. */
void fsh_run_team_make(struct fsh_team *team, const char *call);

/* ---- run_call.c ---- */

/* A number for what ranks must agree on, for fsh_coll_work.claim: a hash in two
 * products, since each call makes it. */
static inline uint32_t fsh_coll_claim(uint64_t facts, uint64_t bytes)
{
    uint64_t hash = (facts + 1) * UINT64_C(0x9e3779b97f4a7c15);

    hash ^= hash >> 32;
    hash = (hash + bytes) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(hash >> 32);
}

/* A call of this rank, arguments checked: what all agree on, and its buffers in *work
 * (call, root, recipe are filled in). a: NULL: the library's choice. event counts one until
 * it is complete here. NULL: wait for that. Copies what it keeps. */
void fsh_coll_call(struct fsh_team *team, const char *name,
                   const struct fsh_program_algorithm *a,
                   const struct fsh_program_shape *shape,
                   struct fsh_coll_work *work, struct fsh_event *event);

/* The words of a barrier: what this rank brings, and what all bring, combined by `fold`,
 * or `merge` of two, for which it is the same if something comes twice. */
struct fsh_coll_words {
    const uint64_t *mine;
    uint64_t *all;
    fsh_fold_fn fold;
    fsh_merge_fn merge;
};
/* A call on a team of barriers: words and event stay until it is complete. */
void fsh_coll_meet_start(struct fsh_team *team, const char *name,
                         const struct fsh_coll_words *words,
                         struct fsh_event *event);
/* A node it waits for; for reports, so it may be stale. */
uint32_t fsh_coll_awaited(const struct fsh_team *team);

/* Polls until the event is done. */
void fsh_coll_wait(struct fsh_event *event, const char *call);

/* ---- coll_check.c: a rank makes another call ---- */

/* Nothing is known but that. */
_Noreturn void fsh_coll_differ(const struct fsh_team *team, const char *call,
                               uint32_t rank);
/* Who waits for how many bytes, of whom, that has how many. */
struct fsh_coll_end {
    uint32_t rank;
    size_t bytes;
};
_Noreturn void fsh_coll_differ_in_bytes(const struct fsh_team *team,
                                        const char *call,
                                        struct fsh_coll_end to,
                                        struct fsh_coll_end from);
/* Both have words for their calls. */
_Noreturn void fsh_coll_differ_in_facts(const struct fsh_team *team,
                                        const char *call,
                                        const struct fsh_coll_facts *mine,
                                        const struct fsh_coll_facts *theirs,
                                        uint32_t rank);

/* ---- run_direct.c ---- */

/* Can calls on this team go by loads? The same on all its ranks. May make the group. */
bool fsh_run_has_group(struct fsh_team *team);
/* Make a call and wait for its end. False: nothing, as others wait in the queue. */
bool fsh_run_direct(struct fsh_team *team, const char *name,
                    const struct fsh_coll_work *work);
/* Queue a call; event counts one until it is complete. */
void fsh_run_direct_start(struct fsh_team *team, const char *name,
                          const struct fsh_coll_work *work,
                          struct fsh_event *event);

/* ---- run_card.c ---- */

/* Teams of a node whose calls may go by its engine: the first ones. */
#define FSH_CARD_TEAMS_MOST 4u

/* Can calls on this team go by the engines of its nodes? The same on all its ranks. */
bool fsh_run_has_card(struct fsh_team *team);
/* Has an engine what this call needs? A function of what all ranks agree on. */
bool fsh_run_card_takes(const struct fsh_program_algorithm *a,
                        const struct fsh_program_shape *shape,
                        const struct fsh_coll_work *work);
/* Start a call that it takes; event counts one until it is complete. */
void fsh_run_card_start(struct fsh_team *team, const char *name,
                        const struct fsh_program *program,
                        const struct fsh_coll_work *work,
                        struct fsh_event *event);

/* ---- run_meet.c: barriers of all nodes by what a conduit has for them ---- */

/* Do calls on this team go there? The same on all its ranks. */
bool fsh_run_meets(const struct fsh_team *team);
/* Start one: words of 8 bytes, combined by `merge`; event is its alone, and not done until
 * *all is there. `mine` has 34 bits. */
void fsh_run_meet_start(uint64_t mine, uint64_t *all, fsh_merge_fn merge,
                        struct fsh_event *event);
/* A node that had not come. */
uint32_t fsh_run_meet_missing(void);

/* ---- run_step.c ---- */

/* Bytes of a range, and where it is; SRC is only read. */
size_t fsh_run_bytes(const struct fsh_run *run,
                     const struct fsh_program_range *r);
unsigned char *fsh_run_at(const struct fsh_run *run,
                          const struct fsh_program_range *r);
/* Are source and destination the same blocks? */
bool fsh_run_in_place(const struct fsh_run *run);
/* Go on with step i, if those before it allow. */
void fsh_run_advance(struct fsh_run *run, uint32_t i);

/* Are its packets encoded (coll/wire)? Bytes of steps, as all that counts what came and
 * went, are then those of packets. */
static inline bool fsh_run_is_encoded(const struct fsh_run *run)
{
    return run->work.wire != FSH_WIRE_FP32;
}

/* ---- run_packet.c ---- */

/* Say that source k of a step may send. False: not now. */
bool fsh_run_grant(struct fsh_run *run, struct fsh_run_step *s, unsigned k);
/* Tell the ranks that a step waits for which call this is. False: not now. */
bool fsh_run_tell(struct fsh_run *run, struct fsh_run_step *s);
/* Send what there is of the value. */
void fsh_run_push(struct fsh_run *run, struct fsh_run_step *s);
/* Lock held. What came before the call. */
void fsh_run_apply_notes(struct fsh_run *run);
/* Lock held. What was heard of a call that others carry out; frees it. */
void fsh_run_compare_notes(const struct fsh_team *team,
                           const struct fsh_run_other *other,
                           struct fsh_run_note *notes);
/* Tell a rank what call it is. False: try again. */
bool fsh_run_tell_of(const struct fsh_team *team,
                     const struct fsh_run_other *other, uint32_t rank);
/* Give back the credits of a team that are due; how many ranks of all teams are owed
 * such, under the lock. */
void fsh_run_return_credits(struct fsh_team *team);
extern uint32_t fsh_run_due;

/* Do packets of so many bytes go without a grant? */
static inline bool fsh_run_is_eager(size_t bytes)
{
    return bytes <= FSH_RUN_EAGER;
}

#endif
