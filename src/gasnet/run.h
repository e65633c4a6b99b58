/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The software engine for collectives: executes programs of triggered descriptors
 * (coll/program) over active messages and puts, on every conduit. run.c manages and
 * runs the operations, run_step.c executes a step, run_packet.c moves packets between
 * ranks.
 *
 * The n-th call on a team is one operation on each of its ranks, identified by {team,
 * n}. A packet of up to FSH_RUN_EAGER bytes is eager: it is sent at once in one
 * message, and if the receiver has not yet made the call, it waits there as a note. A
 * sender has at most FSH_RUN_CREDITS notes at a rank, and sends eagerly only for its
 * oldest operation on the team. So whatever a rank needs to reach its next call was
 * sent before anything that occupies credits there, and there is no deadlock. A
 * longer packet uses a rendezvous: the receiver grants it (READY, with an address if
 * it can be put), and the sender puts it (PLACED) or sends it (DATA), in parts as
 * they become available.
 *
 * Handlers record what arrived, under fsh_run_lock, and queue the operation. One
 * thread at a time runs the queue, in polls, and never blocks.
 */
#ifndef FSH_GASNET_RUN_H
#define FSH_GASNET_RUN_H

#include "coll/direct/direct.h"
#include "gasnet/team.h"

#define FSH_RUN_EAGER 1024u /* largest eager packet, in bytes */
#define FSH_RUN_CREDITS 8u  /* eager packets ahead of the receiver's call */
#define FSH_RUN_PAST 64u    /* completed calls remembered */
#define FSH_RUN_WINDOW \
    16u /* steps considered, from the first one not complete */

/* Bytes [at, end) of a packet that arrived before some earlier bytes. */
struct fsh_run_extent {
    size_t at, end;
};

/* An incoming packet of a step. */
struct fsh_run_source {
    atomic_bool came;    /* by handler: anything arrived; release, last */
    atomic_size_t got;   /* by handler: contiguous bytes from the start */
    unsigned char *land; /* where they are stored; set before any arrive */
    bool granted;
    /* By handlers, under the lock: messages may be reordered. */
    struct fsh_run_extent *ahead; /* freed when the packet is complete */
    uint32_t aheads;
};

/* A put of a part of the value; at most two are in flight. */
struct fsh_run_put {
    size_t bytes; /* 0: none */
    struct fsh_event event;
};

struct fsh_run_step {
    const struct fsh_program_step *step;
    size_t bytes;                  /* of the value */
    size_t done;                   /* combined and stored, from the start */
    const unsigned char *local;    /* operand, or NULL */
    unsigned char *store;          /* or NULL */
    const unsigned char *value;    /* what is sent */
    unsigned char *memory;         /* for packets; freed after the step */
    struct fsh_run_source *source; /* [step->sources] */
    /* The outgoing packet. */
    bool ready;    /* by handler, under the lock: receiver has granted */
    uint64_t addr; /* by handler, with ready: address to put to, or 0 */
    size_t given;  /* bytes put or sent */
    size_t sent;   /* bytes announced to the receiver */
    bool told;     /* all have been announced */
    bool claimed;  /* the peers it waits for have been told of the call */
    struct fsh_run_put put[2];
    unsigned oldest; /* index of the older put */
    bool over;
};

/* A message that arrived before this rank made the call. */
struct fsh_run_note {
    struct fsh_run_note *next;
    unsigned message; /* enum message of run_packet.c */
    uint32_t claim, rank, seq;
    uint64_t a, bytes;
    bool has_loads;
    uint32_t loads; /* the sender's calls by loads before this one */
    bool has_facts;
    struct fsh_coll_facts facts;
    size_t n;
    unsigned char data[];
};

struct fsh_run {
    struct fsh_run *next;  /* of the team, by number; under the lock */
    struct fsh_run *queue; /* next in the queue; under the lock */
    bool queued;           /* under the lock */
    bool starved;          /* retry a message in the next poll */
    bool called;           /* under the lock: the fields below are set */
    bool finished;         /* under the lock: complete but still queued */
    struct fsh_team *team;
    uint32_t number;
    uint32_t loads;             /* calls by loads before it */
    struct fsh_run_note *notes; /* under the lock; latest first */
    /* Of the call. */
    const char *name;
    struct fsh_coll_work work;
    const struct fsh_program *program;
    bool in_place; /* SRC and DST are the same blocks */
    struct fsh_event *event;
    size_t *lists;         /* copy of the v-form's lists */
    unsigned char *source; /* in-place all-to-all: copy of the source */
    /* Of the engine. */
    unsigned char *scratch; /* TMP, and room for eager packets */
    unsigned char *tmp;
    uint32_t low;   /* all steps before it are complete */
    uint32_t looks; /* fruitless ones */
    struct fsh_run_source *sources;
    struct fsh_run_step step[]; /* [program->steps] */
};

/* A generated program, cached, and its recipe if one was requested. */
struct fsh_run_plan {
    struct fsh_run_plan *next;
    const struct fsh_program_algorithm *algorithm;
    struct fsh_program_shape shape;
    struct fsh_program *program;
    struct fsh_recipe *recipe;
};

/* Hash lists of plans, by call and root. */
#define FSH_RUN_PLANS 64u

/* A call executed by another engine (run_card.c). Other ranks may still send messages
 * about it, or ask for it. */
struct fsh_run_other {
    struct fsh_run_other *next; /* of the team; under the lock */
    const char *name;
    uint32_t number, claim;
};

/* A call completed on this rank: what a late message about it is compared with. */
struct fsh_run_past {
    uint32_t number, claim;
    const char *name;
    bool has_facts;
    struct fsh_coll_facts facts;
};

/* A team's state for its collectives. */
struct fsh_run_team {
    const struct fsh_team *team;
    /* Under the lock: */
    struct fsh_run *first;                  /* in flight, by number */
    struct fsh_run_other *others;           /* in flight */
    uint32_t calls;                         /* made by this rank */
    struct fsh_run_past past[FSH_RUN_PAST]; /* the last completed */
    uint8_t *credit; /* [size] eager packets that may still be sent there */
    uint8_t *owed;   /* [size] credits to return */
    uint32_t due;    /* ranks owed at least half of their credits */
    struct fsh_run_plan *plans[FSH_RUN_PLANS]; /* calling thread only */
    atomic_uint awaited;   /* rank of the next packet; relaxed, diagnostics */
    uint32_t claims;       /* of all calls of this rank; calling thread only */
    bool asked_card, card; /* calls may use the card; calling thread only */
    /* Direct loads from peers (run_direct.c). looked, group: calling thread only. */
    bool looked;
    struct fsh_coll_group *group; /* NULL: not available for this team */
    /* Calls by loads, which `calls` does not count, and the name of the last one, which is
     * set first; written by the calling thread only. */
    atomic_uint loads;
    _Atomic(const char *) loaded;
    atomic_uint early;           /* notes; written under the lock */
    struct fsh_run_team *next;   /* next with a group; under the lock */
    struct fsh_run_queued *head; /* calls in order; under the lock, like tail */
    struct fsh_run_queued **tail;
    atomic_uint
        head_there; /* head exists; if so, only the queue uses the group */
    bool begun;     /* head has begun; running thread only */
};

extern struct fsh_lock fsh_run_lock;
/* Counts progress made, by the thread that runs operations. */
extern uint32_t fsh_run_advances;

/* ---- run.c ---- */

/* Starts this rank's call: an operation that runs the program. event counts one until
 * it is complete on this rank. */
void fsh_run_start(struct fsh_team *team, const char *name,
                   const struct fsh_program *program,
                   const struct fsh_coll_work *work, struct fsh_event *event);

/* Lock held. Finds the operation, or creates it if this is the first message about it.
 * NULL: already complete on this rank. */
struct fsh_run *fsh_run_find(struct fsh_team *team, uint32_t number);
/* Lock held. Queues the operation for the next poll, if its call has been
 * made. */
void fsh_run_enqueue(struct fsh_run *run);
/* Lock held. Lets the team's first operation try eager sends again. */
void fsh_run_wake_first(struct fsh_team *team);
/* Begin and end a call of the team that another engine executes; its name and claim are
 * set by the caller. */
void fsh_run_enter(struct fsh_team *team, struct fsh_run_other *other);
void fsh_run_leave(struct fsh_team *team, struct fsh_run_other *other);

/* ---- run_team.c ---- */

/* Creates a team's state; called by fsh_team_add. Fatal, naming the call, if out of
 * memory. */
void fsh_run_team_make(struct fsh_team *team, const char *call);

/* ---- run_call.c ---- */

/* For fsh_coll_work.claim: hashes what ranks must agree on. Two
 * multiplications, since every call computes it. */
static inline uint32_t fsh_coll_claim(uint64_t facts, uint64_t bytes)
{
    uint64_t hash = (facts + 1) * UINT64_C(0x9e3779b97f4a7c15);

    hash ^= hash >> 32;
    hash = (hash + bytes) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(hash >> 32);
}

/* The claim of all calls of a team up to one that has this claim. Low bits that differ
 * once differ from then on, as long as calls are alike: ranks learn of each other's calls
 * later where none had to wait for another. */
static inline uint32_t fsh_coll_claims(uint32_t before, uint32_t claim)
{
    return (before ^ claim) * UINT32_C(0x9e3779b1);
}

/* Makes a call of this rank whose arguments have been checked: shape is what all agree
 * on, *work holds the buffers (call, root and recipe are filled in). a: the algorithm,
 * NULL: chosen by the library. event counts one until the call is complete on this
 * rank; NULL: blocks until then. Copies what it keeps. */
void fsh_coll_call(struct fsh_team *team, const char *name,
                   const struct fsh_program_algorithm *a,
                   const struct fsh_program_shape *shape,
                   struct fsh_coll_work *work, struct fsh_event *event);

/* Operands of a barrier: this rank's contribution, and the result for all ranks,
 * combined by `fold`, or by `merge`, which combines two words and must be
 * idempotent. */
struct fsh_coll_words {
    const uint64_t *mine;
    uint64_t *all;
    fsh_fold_fn fold;
    fsh_merge_fn merge;
};
/* Starts a call on a team of barriers. words and event must stay valid until it
 * is complete. */
void fsh_coll_meet_start(struct fsh_team *team, const char *name,
                         const struct fsh_coll_words *words,
                         struct fsh_event *event);
/* A node it is waiting for; for diagnostics, may be stale. */
uint32_t fsh_coll_awaited(const struct fsh_team *team);

/* Polls until the event is complete. */
void fsh_coll_wait(struct fsh_event *event, const char *call);

/* ---- coll_check.c: ranks make different calls ---- */

/* Only the mismatch itself is known. */
_Noreturn void fsh_coll_differ(const struct fsh_team *team, const char *call,
                               uint32_t rank);
/* One end of a packet: a rank and the bytes it expects or has. */
struct fsh_coll_end {
    uint32_t rank;
    size_t bytes;
};
_Noreturn void fsh_coll_differ_in_bytes(const struct fsh_team *team,
                                        const char *call,
                                        struct fsh_coll_end to,
                                        struct fsh_coll_end from);
/* The descriptions of both calls are known. */
_Noreturn void fsh_coll_differ_in_facts(const struct fsh_team *team,
                                        const char *call,
                                        const struct fsh_coll_facts *mine,
                                        const struct fsh_coll_facts *theirs,
                                        uint32_t rank);

/* ---- run_direct.c ---- */

/* Whether this team can use direct loads; the same on all its ranks. May create the
 * group. */
bool fsh_run_has_group(struct fsh_team *team);
/* Makes a blocking call. False: nothing done, because other calls are queued. */
bool fsh_run_direct(struct fsh_team *team, const char *name,
                    const struct fsh_coll_work *work);
/* Queues a call; event counts one until it is complete. */
void fsh_run_direct_start(struct fsh_team *team, const char *name,
                          const struct fsh_coll_work *work,
                          struct fsh_event *event);

/* ---- run_card.c ---- */

/* Only the first teams of a node may use its engine, at most this many. */
#define FSH_CARD_TEAMS_MOST 4u

/* Whether this team can use the engines of its nodes; the same on all its ranks. */
bool fsh_run_has_card(struct fsh_team *team);
/* The rings of the network that its ranks are in, as in struct fsh_program_shape. */
uint16_t fsh_run_sides(struct fsh_team *team);
/* Whether the engine supports this call. Depends only on what all ranks agree
 * on. */
bool fsh_run_card_takes(const struct fsh_program_algorithm *a,
                        const struct fsh_program_shape *shape,
                        const struct fsh_coll_work *work);
/* Starts a supported call; event counts one until it is complete. programs: of the call,
 * or of FORTH and BACK if the shape's rings are BOTH. */
void fsh_run_card_start(struct fsh_team *team, const char *name,
                        const struct fsh_program_algorithm *algorithm,
                        const struct fsh_program_shape *shape,
                        const struct fsh_program *const programs[2],
                        const struct fsh_coll_work *work,
                        struct fsh_event *event);

/* ---- run_meet.c: the conduit's own barrier of all nodes ---- */

/* Whether this team uses it; the same on all its ranks. */
bool fsh_run_meets(const struct fsh_team *team);
/* Starts a barrier on 8-byte words combined by `merge`. event must be used for nothing
 * else; it completes once *all is set. `mine` has 34 bits. */
void fsh_run_meet_start(uint64_t mine, uint64_t *all, fsh_merge_fn merge,
                        struct fsh_event *event);
/* A node that has not arrived. */
uint32_t fsh_run_meet_missing(void);

/* ---- run_step.c ---- */

/* The size of a range, and its address; SRC is read-only. */
size_t fsh_run_bytes(const struct fsh_run *run,
                     const struct fsh_program_range *r);
unsigned char *fsh_run_at(const struct fsh_run *run,
                          const struct fsh_program_range *r);
/* Whether source and destination are the same blocks. */
bool fsh_run_in_place(const struct fsh_run *run);
/* Advances step i as far as the steps before it allow. */
void fsh_run_advance(struct fsh_run *run, uint32_t i);

/* Whether packets are encoded (coll/wire). If so, step sizes and all counts of bytes
 * received and sent are those of encoded packets. */
static inline bool fsh_run_is_encoded(const struct fsh_run *run)
{
    return run->work.wire != FSH_WIRE_FP32;
}

/* ---- run_packet.c ---- */

/* Grants the packet from source k of a step. False: not now. */
bool fsh_run_grant(struct fsh_run *run, struct fsh_run_step *s, unsigned k);
/* Tells the ranks that a step waits for which call this is. False: not now. */
bool fsh_run_tell(struct fsh_run *run, struct fsh_run_step *s);
/* Sends what is available of the value. */
void fsh_run_push(struct fsh_run *run, struct fsh_run_step *s);
/* Lock held. Applies messages that arrived before the call. */
void fsh_run_apply_notes(struct fsh_run *run);
/* Lock held. Checks early messages against a call that another engine executes;
 * frees them. */
void fsh_run_compare_notes(const struct fsh_team *team,
                           const struct fsh_run_other *other,
                           struct fsh_run_note *notes);
/* Calls of a team are made by messages and by loads, each counted for itself. A message
 * says how many calls by loads its sender had made before. If this rank has made more,
 * without the call that the message is about, the ranks are in different calls, and would
 * wait for each other. Checks early messages for that; fatal. */
void fsh_run_check_order(const struct fsh_team *team, const char *name);
/* Counts a call by loads. */
static inline void fsh_run_count_loads(const struct fsh_team *team,
                                       const char *name)
{
    struct fsh_run_team *t = team->runs;

    atomic_store_explicit(&t->loaded, name, memory_order_relaxed);
    /* Release, partner: the acquire in overtakes of run_packet.c. */
    atomic_store_explicit(
        &t->loads, atomic_load_explicit(&t->loads, memory_order_relaxed) + 1,
        memory_order_release);
    if (__builtin_expect(
            atomic_load_explicit(&t->early, memory_order_relaxed) != 0, 0))
        fsh_run_check_order(team, name);
}
/* Tells a rank which call this is. False: try again. */
bool fsh_run_tell_of(const struct fsh_team *team,
                     const struct fsh_run_other *other, uint32_t rank);
/* fsh_run_return_credits returns a team's credits that are due. fsh_run_due counts the
 * ranks of all teams that are owed such; under the lock. */
void fsh_run_return_credits(struct fsh_team *team);
extern uint32_t fsh_run_due;

/* Whether packets of this size are sent without a grant. */
static inline bool fsh_run_is_eager(size_t bytes)
{
    return bytes <= FSH_RUN_EAGER;
}

#endif
