/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inside of a server: server.c has its life and its thread, clients.c what clients
 * say and hear, pipeline.c the pieces of their transfers, run.c their commands. All of it
 * belongs to the thread, but for what is atomic.
 *
 * Each client has an endpoint of its own here, over which go its transfers and messages
 * to it: to close that ends whatever a dead or silent client leaves in flight, so its
 * entries of the ring are free again and nobody else notices.
 */
#ifndef FSH_BRIDGE_SERVER_H
#define FSH_BRIDGE_SERVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "bridge/bridge.h"
#include "bridge/time.h"
#include "bridge/wire.h"

#define FSH_BRIDGE_RECEIVES 128u
#define FSH_BRIDGE_SENDS 64u
#define FSH_BRIDGE_PASSES 4u

enum fsh_bridge_op_kind {
    FSH_BRIDGE_OP_RECEIVE,
    FSH_BRIDGE_OP_SEND,
    FSH_BRIDGE_OP_PIECE
};

/* What the provider has; first in what it is of. */
struct fsh_bridge_op {
    struct fi_context2 context; /* the provider's, while it has it */
    enum fsh_bridge_op_kind kind;
};

struct fsh_bridge_letter {
    struct fsh_bridge_op op;
    struct fsh_bridge_message *message;
    bool busy;        /* sends */
    unsigned client;  /* sends */
    uint64_t sent_ns; /* sends */
    struct fsh_bridge_letter *next;
};

enum fsh_bridge_piece_state {
    FSH_BRIDGE_FREE,
    FSH_BRIDGE_READY,  /* to be given to its stage */
    FSH_BRIDGE_NETTED, /* the provider has it */
    FSH_BRIDGE_CARDED  /* the card has it */
};

/* A piece of a transfer, and the entry of the ring that it holds from its first to its
 * last stage. */
struct fsh_bridge_piece {
    struct fsh_bridge_op op;
    enum fsh_bridge_piece_state state;
    unsigned client;
    bool orphan; /* its transfer has ended; only the card still has it */
    unsigned stage;
    uint64_t at; /* in the transfer */
    size_t bytes;
    unsigned char *entry;
};

struct fsh_bridge_job {
    bool active;
    enum fsh_bridge_status status; /* what it will end with */
    unsigned stages;
    bool naive;
    uint64_t id, offset, bytes, array;
    struct fsh_bridge_remote source, target;
    size_t step;                      /* bytes of a piece */
    unsigned pass[FSH_BRIDGE_PASSES]; /* stages of each pass over it */
    unsigned passes, now;
    uint64_t next, done;  /* bytes begun and ended in this pass */
    unsigned busy;        /* pieces that hold an entry */
    uint64_t told;        /* bytes last reported */
    uint64_t news_ns;     /* last time that it moved on */
    unsigned char *whole; /* naive: all of it */
    struct fsh_network_memory whole_memory;
    struct fsh_bridge_run *run; /* commands, or NULL */
    bool running;               /* the card has them; counted in s->running */
    unsigned compute;           /* FSH_STATUS_ they ended with */
};

enum fsh_bridge_owed { OWES_WELCOME = 1, OWES_PROGRESS = 2, OWES_DONE = 4 };

struct fsh_bridge_peer {
    struct fid_ep *ep; /* NULL: no client */
    fi_addr_t addr;
    uint64_t nonce;
    uint64_t used_ns; /* last heard of */
    unsigned owed;    /* messages that are due */
    uint64_t owed_ns; /* since when any is */
    uint64_t done_id; /* of DONE */
    enum fsh_bridge_status done_status;
    unsigned done_compute;
    bool gone; /* to be forgotten when its completions have been read */
    struct fsh_bridge_job job;
};

struct fsh_bridge_server {
    struct fsh_network network; /* its endpoint only hears */
    struct fsh_network_name name;
    struct fsh_bridge_card *card;
    struct fsh_bridge_setup setup;
    uint64_t timeout_ns;
    struct fsh_network_memory ring;
    struct fsh_network_memory letters; /* where the provider wants it */
    struct fsh_bridge_message *messages;
    struct fsh_bridge_letter receive[FSH_BRIDGE_RECEIVES];
    struct fsh_bridge_letter send[FSH_BRIDGE_SENDS];
    struct fsh_bridge_letter *free_send;
    struct fsh_bridge_piece piece[FSH_BRIDGE_MOST_ENTRIES];
    struct fsh_bridge_peer peer[FSH_BRIDGE_MOST_CLIENTS];
    unsigned active;  /* jobs */
    unsigned running; /* of them: their commands run, and they hold no entry */
    unsigned turn;    /* the client whose pieces go first */
    uint64_t card_ns; /* the card last moved something, or got the first move */
    unsigned on_card; /* moves that the card has */
    bool card_dead;
    uint64_t checked_ns; /* limits */
    atomic_bool stop;    /* release by who stops; acquire by the thread */
    atomic_bool over;    /* release by the thread, as its last store */
    pthread_t thread;
    /* Relaxed: figures for whoever asks. */
    atomic_uint_fast64_t transfers, failed, refused, strangers;
    atomic_uint clients, entries;
};

/* ---- clients.c ---- */

/* A receive has come: act on its message, and give the buffer back. */
void fsh_bridge_hear(struct fsh_bridge_server *s,
                     struct fsh_bridge_letter *letter, size_t bytes);
/* Give the provider a receive buffer. False: it refuses. */
bool fsh_bridge_listen(struct fsh_bridge_server *s,
                       struct fsh_bridge_letter *letter);
/* A send has ended. */
void fsh_bridge_letter_free(struct fsh_bridge_server *s,
                            struct fsh_bridge_letter *letter);
/* This message is due. */
void fsh_bridge_owe(struct fsh_bridge_peer *peer, enum fsh_bridge_owed what);
/* Send what is owed; whether anything went. */
bool fsh_bridge_tell(struct fsh_bridge_server *s);
/* End a client's endpoint, and with it all that it has in flight. */
void fsh_bridge_forget(struct fsh_bridge_server *s, unsigned client);

/* ---- pipeline.c ---- */

/* Begin a job whose request has been checked; its status if that fails. */
enum fsh_bridge_status fsh_bridge_job_begin(struct fsh_bridge_server *s,
                                            unsigned client);
/* The stage of a piece has ended, with an error of whom if not OK. */
void fsh_bridge_piece_end(struct fsh_bridge_server *s,
                          struct fsh_bridge_piece *piece,
                          enum fsh_bridge_status status);
/* End a job early: what the card has stays there as orphans, all else is free. Call after
 * the client's endpoint has been closed. */
void fsh_bridge_job_drop(struct fsh_bridge_server *s, unsigned client);
/* End a job with this status as soon as the provider has none of it; what the card has
 * stays there as orphans. */
void fsh_bridge_job_fail(struct fsh_bridge_server *s, unsigned client,
                         enum fsh_bridge_status status);
/* A job is over: its client is owed DONE, and what it has is freed. */
void fsh_bridge_job_finish(struct fsh_bridge_server *s,
                           struct fsh_bridge_peer *peer);
/* Start what can be started, collect what the card has done, and end what is over;
 * whether anything happened. */
bool fsh_bridge_pump(struct fsh_bridge_server *s);

/* ---- run.c ---- */

/* Room for the words of a job's commands: FSH_BRIDGE_PENDING, or _NO_MEMORY. */
enum fsh_bridge_status fsh_bridge_run_begin(struct fsh_bridge_server *s,
                                            struct fsh_bridge_job *job);
/* A piece of them is in its entry. */
void fsh_bridge_run_take(struct fsh_bridge_job *job,
                         const struct fsh_bridge_piece *piece);
/* All have come: give them to the card. */
void fsh_bridge_run_start(struct fsh_bridge_server *s,
                          struct fsh_bridge_peer *peer);
/* The job ends: commands that still run keep what they need. */
void fsh_bridge_run_drop(struct fsh_bridge_server *s,
                         struct fsh_bridge_job *job);
/* End jobs whose commands have ended, and tell the others' clients that they run; whether
 * any has ended. */
bool fsh_bridge_run_watch(struct fsh_bridge_server *s);

/* ---- server.c ---- */

/* Read completions until there are none; whether there were any. */
bool fsh_bridge_collect(struct fsh_bridge_server *s);

#endif
