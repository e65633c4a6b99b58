/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of conduit ofi in a rank, and what its files offer each other. One lock
 * is around all that init does not settle, and around every call of libfabric (its
 * domain is told so, FI_THREAD_DOMAIN); it is not held while handlers run.
 *
 * Nothing waits for a peer but am_request: what the provider takes no more of is
 * queued here (send.c), so a handler always ends, receive buffers always come back,
 * and requests and replies cannot block each other. What is queued is bounded: requests
 * by the window that each peer grants, replies by the requests they answer, puts and
 * gets by the client that started them (without remote memory access, by the window).
 */
#ifndef FSH_OFI_STATE_H
#define FSH_OFI_STATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conduit/conduit.h"
#include "conduit/local.h"
#include "conduit/ofi/wire.h"
#include "network/endpoint.h"

#define FSH_OFI_MAX_RANKS 1024u
_Static_assert(UINT32_C(1) << FSH_OFI_ROUNDS >= FSH_OFI_MAX_RANKS, "rounds");

/* Bytes of requests to a peer whose handlers have not ended, at most: two of the
 * largest may be on their way, the second half is given back at the latest. */
#define FSH_OFI_WINDOW (4u * FSH_OFI_MAX_MESSAGE)
_Static_assert(FSH_OFI_WINDOW / 2 >= FSH_OFI_MAX_MESSAGE, "the largest goes");

/* Receive buffers: messages lie in them one after the other. */
#define FSH_OFI_BUFFERS 4u
#define FSH_OFI_BUFFER_BYTES ((size_t)512 << 10)

/* Memory of messages that the provider reads later: small ones and large ones; so
 * many large ones, then a request waits. */
#define FSH_OFI_SMALL_BYTES 1024u
#define FSH_OFI_LARGE_OPS 32u

enum fsh_ofi_op_kind {
    FSH_OFI_OP_SEND,
    FSH_OFI_OP_WRITE,
    FSH_OFI_OP_READ,
    FSH_OFI_OP_RECEIVE
};

/* Something that the provider does, or will. Where it is from: a free list of its
 * size, or the heap. Data may follow (fsh_ofi_op_data). */
struct fsh_ofi_op {
    /* First: the provider's, while it has it. */
    _Alignas(FSH_OFI_ALIGN) struct fi_context2 context;
    struct fsh_ofi_op *next;
    uint8_t kind;
    uint8_t class;
    uint32_t node;
    size_t bytes;
    void
        *local; /* what is sent or read, where it is put: data, or a client's */
    struct fid_mr *local_mr; /* only for this op, where a provider wants one */
    void *desc;
    uint64_t remote; /* RMA */
    struct fsh_event *event, *second;
    struct fid_mr *data_mr; /* of the data, where a provider wants one */
};

/* The bytes behind an op, aligned; as many as it was taken for. */
static inline unsigned char *fsh_ofi_op_data(struct fsh_ofi_op *op)
{
    return (unsigned char *)(op + 1);
}

struct fsh_ofi_queue {
    struct fsh_ofi_op *first, **last;
};

struct fsh_ofi_buffer {
    struct fsh_ofi_op op; /* posted with it */
    unsigned char *memory;
    struct fid_mr *mr;
    unsigned users; /* messages in it that have not been handled */
    bool released;  /* the provider is done with it */
};

/* A message that has come and is to be run. */
struct fsh_ofi_arrival {
    struct fsh_ofi_buffer *buffer; /* that it is in */
    const struct fsh_ofi_head *head;
};
#define FSH_OFI_BATCH 16u /* completions that are read at a time */

struct fsh_ofi_peer {
    fi_addr_t addr;
    struct fsh_segment segment;
    uint64_t key, base; /* of its segment for RMA */
    uint32_t window;    /* bytes of requests that may go to it */
    uint32_t owed;      /* of its requests, ended and not given back */
    bool here;          /* reached by memory (conduit/local.h) */
    bool talked;        /* something was injected for it */
    bool rma;           /* its segment can be reached so, from here */
    struct fsh_ofi_copy *copies, **last_copy; /* with pieces to send */
    struct fsh_ofi_queue queue; /* what the provider did not take yet */
};

struct fsh_ofi_counters {
    uint64_t sent;      /* messages */
    uint64_t strangers; /* messages that were dropped */
    uint64_t late;      /* times that the provider took no more */
};

struct fsh_ofi {
    pthread_mutex_t lock;
    struct fsh_network network;
    uint32_t rank, ranks;
    uint32_t away; /* ranks that are not reached by memory */
    int bell;      /* rings for what comes from those here; -1 none */
    /* Of all that this rank may be waited for, while it waits itself: fsh_ofi_poll, or
     * what a conduit that has more than this one says (conduit/spread.h). */
    bool (*poll)(void);
    /* Of the completion queue: spins until one of them looks whether to read it, when it
     * was last read while the network was silent, and how many of those looks will read
     * it in any case; spins between the last two looks at the clock, and when it was. A
     * poll counts for FSH_OFI_POLL_SPINS. */
    atomic_uint until;
    atomic_uint eager;
    atomic_uint step;
    _Atomic uint64_t read_ns, looked_ns;
    _Atomic uint64_t extra_ns; /* between reads, for the silence so far */
    size_t segment_least;      /* of the largest segments that ranks may have */
    struct fsh_ofi_expect expect;
    struct fsh_ofi_peer *peers;

    struct fid_mr *segment_mr;
    void *segment_desc;
    atomic_bool
        woken; /* the descriptor has ended a sleep since the last poll */
    size_t inject, piece; /* bytes: injected at most, and of one RMA */

    struct fsh_ofi_buffer buffer[FSH_OFI_BUFFERS];
    struct fsh_ofi_arrival arrivals[FSH_OFI_BATCH];
    unsigned arrived, taken; /* of those */
    struct fsh_ofi_op *free_small, *free_large;
    unsigned large; /* ops of that size, ever made for requests */
    size_t queued;  /* ops in queues of peers */
    size_t posted;  /* ops that the provider has */

    struct fsh_ofi_long *longs; /* whose bytes are on their way (long.c) */

    uint32_t greetings, greeted; /* hellos that were sent; as many come */

    uint64_t failed_ns; /* 0: nothing has; else when the first thing did */
    char failure[160];
    struct fsh_ofi_counters counters;
};
extern struct fsh_ofi fsh_ofi;

/* A client may do anything between its polls, but nothing in the spins of a wait: so
 * spins, which a message within the host takes dozens of, look more seldom. */
#define FSH_OFI_POLL_SPINS 8u

/* The next polls read the completion queue, at least so many. */
static inline void fsh_ofi_look_for(unsigned polls)
{
    if (atomic_load_explicit(&fsh_ofi.eager, memory_order_relaxed) < polls)
        atomic_store_explicit(&fsh_ofi.eager, polls, memory_order_relaxed);
    atomic_store_explicit(&fsh_ofi.until, 0, memory_order_relaxed);
}
/* Something has been posted, or will come: every poll does for a while. */
#define FSH_OFI_EAGER_POLLS 1024u
static inline void fsh_ofi_expect_completion(void)
{
    fsh_ofi_look_for(FSH_OFI_EAGER_POLLS);
}

/* ---- endpoint.c ---- */

/* Bring up the endpoint and learn those of the others; register the segment and learn
 * those of the others. Collective, fatal if it fails. */
void fsh_ofi_open(void);
void fsh_ofi_open_segment(void *addr, size_t size, struct fsh_segment *segs);

/* ---- greet.c ---- */

/* Connect to the ranks that barriers talk to: collective, bounded, fatal if it fails. */
void fsh_ofi_greet(void);

/* ---- long.c: Longs of more than FSH_OFI_MAX_PAYLOAD bytes ---- */

/* Put the payload of a request, and poll until it is in place. */
void fsh_ofi_long_place(const struct fsh_am *am);
/* Put it, from a copy, and leave the message to a later poll; `credit` goes back with
 * it. am->node is its target, kind one that is PLACED. Never waits. */
void fsh_ofi_long_later(enum fsh_ofi_kind kind, const struct fsh_am *am,
                        uint32_t credit);
/* Send messages whose payload is in place; whether any went. With the lock. */
bool fsh_ofi_longs_flush(void);

/* ---- meet.c ---- */

extern const struct fsh_barrier_ops fsh_ofi_barrier;

/* Before the first barrier: which ranks reach those of their host by memory. */
void fsh_ofi_meet_open(const bool *by_memory);
/* The ranks with which this one exchanges messages in a barrier, each to and fro, some
 * perhaps twice: at most 2 * FSH_OFI_ROUNDS. Returns how many. */
uint32_t fsh_ofi_meet_partners(uint32_t *ranks);
/* A message of a barrier has come; whether its source may have sent it. With the lock. */
bool fsh_ofi_meet_came(const struct fsh_ofi_head *head);

/* ---- register.c ---- */

/* Where a provider wants it of local memory; else, or if it refuses, NULL. With the
 * lock. */
struct fid_mr *fsh_ofi_register(void *addr, size_t bytes);
/* fatal with what failed, if code is not 0. */
void fsh_ofi_check(int code, const char *what);

/* ---- op.c; with the lock ---- */

/* An op with room for so many bytes; NULL: with `bounded`, there are too many. */
struct fsh_ofi_op *fsh_ofi_op_take(size_t bytes, bool bounded);
void fsh_ofi_op_free(struct fsh_ofi_op *op);
void fsh_ofi_push(struct fsh_ofi_queue *queue, struct fsh_ofi_op *op);
struct fsh_ofi_op *fsh_ofi_pop(struct fsh_ofi_queue *queue);

/* ---- send.c; with the lock ---- */

/* Give an op to the provider, or queue it. */
void fsh_ofi_post(struct fsh_ofi_op *op);
/* The same with what is queued; whether any went. */
bool fsh_ofi_flush(void);
/* Send a message. False: `bounded`, and there is no room for it now. */
bool fsh_ofi_send(uint32_t node, const struct fsh_ofi_head *head,
                  const struct fsh_am *am, bool bounded);
/* Give back what is owed to a peer, if it is much. */
void fsh_ofi_give_back(uint32_t node);
/* Has a rank left, or died? */
bool fsh_ofi_gone(uint32_t node);
/* An op has failed, or been refused. */
void fsh_ofi_failed(const struct fsh_ofi_op *op, int code);

/* ---- progress.c ---- */

/* Sleep on what the provider and the ranks here tell. */
void fsh_ofi_nap(uint64_t max_ns);
/* Give the provider all receive buffers. */
void fsh_ofi_post_buffers(void);
/* poll, spin and wait of conduit.h. */
bool fsh_ofi_poll(void);
bool fsh_ofi_spin(void);
void fsh_ofi_wait(uint64_t max_ns, bool memory);
/* Before this rank goes: what was injected is on its way. Bounded; with the lock. */
void fsh_ofi_drain(void);

/* ---- am.c, as in conduit.h; ranks that are not here ---- */

extern const struct fsh_local_elsewhere fsh_ofi_elsewhere;

/* Waits for room, and polls. */
void fsh_ofi_am_request(const struct fsh_am *am);
/* Never waits. */
void fsh_ofi_am_reply(struct fsh_token *token, const struct fsh_am *am);
/* If there is room. */
bool fsh_ofi_am_try_request(const struct fsh_am *am);
/* There always is. */
bool fsh_ofi_am_try_reply(struct fsh_token *token, const struct fsh_am *am);
/* Send a message, which gives back that credit; a request if there is room. With the
 * lock. */
bool fsh_ofi_send_am(enum fsh_ofi_kind kind, const struct fsh_am *am,
                     uint32_t credit);
/* Run the handler of a message; returns the bytes of a request that no reply has
 * given back. Without the lock. */
uint32_t fsh_ofi_run(const struct fsh_ofi_head *head);

/* ---- pieces.c ---- */

/* As in conduit.h, by messages; never wait. */
void fsh_ofi_pieces_put(uint32_t node, void *dst, const void *src, size_t n,
                        struct fsh_event *local, struct fsh_event *remote);
void fsh_ofi_pieces_get(void *dst, uint32_t node, const void *src, size_t n,
                        struct fsh_event *done);
/* A PUT or what follows it has come; whether its source may have sent it. With the
 * lock. */
bool fsh_ofi_piece_came(const struct fsh_ofi_head *head);
/* Send what there is room for at that rank. With the lock. */
void fsh_ofi_pieces_flush(uint32_t node);

/* ---- transfer.c, as in conduit.h; ranks that are not here, too ---- */

/* Never waits. */
void fsh_ofi_put(uint32_t node, void *dst, const void *src, size_t n,
                 struct fsh_event *local, struct fsh_event *remote);
/* Never waits. */
void fsh_ofi_get(void *dst, uint32_t node, const void *src, size_t n,
                 struct fsh_event *done);

#endif
