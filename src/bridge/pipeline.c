/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pieces of transfers; see server.h. A job is one or more passes over its bytes. A
 * pipelined job is one pass, in which each piece goes through all of its stages as soon as
 * it can. A naive one has a pass for each stage, as a program without a bridge would do it:
 * the whole transfer in a buffer of its own, from which the DMA is fed by copies.
 */
#include <rdma/fi_rma.h>
#include <stdlib.h>

#include "base/simulated.h"
#include "bridge/server.h"

/* A transfer is cut into so many pieces if none is then smaller than that: with four
 * stages 64 pieces keep the slowest one busy for 64 of 67 steps. */
#define PIECES 64u
#define LEAST_BYTES ((size_t)16 << 10)
#define PAGE ((size_t)4096)
#define REPORTS 16u /* PROGRESS messages of a transfer, about */

#define DMA (FSH_BRIDGE_TO_CARD | FSH_BRIDGE_FROM_CARD)

static struct fsh_bridge_job *job_of(struct fsh_bridge_server *s,
                                     const struct fsh_bridge_piece *piece)
{
    return &s->peer[piece->client].job;
}

/* ---- jobs ---- */

static size_t cut(const struct fsh_bridge_server *s, uint64_t bytes)
{
    uint64_t step = (bytes / PIECES + PAGE - 1) & ~(uint64_t)(PAGE - 1);

    if (step < LEAST_BYTES)
        step = LEAST_BYTES;
    return step < s->setup.buffer ? (size_t)step : s->setup.buffer;
}

static enum fsh_bridge_status begin_naive(struct fsh_bridge_server *s,
                                          struct fsh_bridge_job *job)
{
    job->passes = 0;
    for (unsigned bit = FSH_BRIDGE_READ; bit <= FSH_BRIDGE_WRITE; bit <<= 1)
        if (job->stages & bit)
            job->pass[job->passes++] = bit;
    job->whole = malloc((size_t)job->bytes);
    if (job->whole == NULL)
        return FSH_BRIDGE_NO_MEMORY;
    if (fsh_network_register(&s->network, job->whole, (size_t)job->bytes, 0,
                             &job->whole_memory) == 0)
        return FSH_BRIDGE_PENDING;
    free(job->whole);
    job->whole = NULL;
    return FSH_BRIDGE_NO_MEMORY;
}

enum fsh_bridge_status fsh_bridge_job_begin(struct fsh_bridge_server *s,
                                            unsigned client)
{
    struct fsh_bridge_job *job = &s->peer[client].job;
    enum fsh_bridge_status status = FSH_BRIDGE_PENDING;

    job->step = cut(s, job->bytes);
    job->pass[0] = job->stages & ~(unsigned)FSH_BRIDGE_RUN;
    job->passes = 1;
    if (job->stages & FSH_BRIDGE_RUN)
        status = fsh_bridge_run_begin(s, job);
    else if (job->naive)
        status = begin_naive(s, job);
    if (status != FSH_BRIDGE_PENDING)
        return status;
    job->status = FSH_BRIDGE_OK;
    job->news_ns = fsh_bridge_ns();
    job->active = true;
    s->active++;
    return status;
}

/* Frees what a job has; its pieces are gone. */
static void settle(struct fsh_bridge_server *s, struct fsh_bridge_job *job)
{
    if (job->whole != NULL) {
        fi_close(&job->whole_memory.mr->fid);
        free(job->whole);
    }
    fsh_bridge_run_drop(s, job);
    atomic_fetch_add_explicit(job->status == FSH_BRIDGE_OK ? &s->transfers
                                                           : &s->failed,
                              1, memory_order_relaxed);
    *job = (struct fsh_bridge_job){.active = false};
    s->active--;
}

void fsh_bridge_job_finish(struct fsh_bridge_server *s,
                           struct fsh_bridge_peer *peer)
{
    peer->done_id = peer->job.id;
    peer->done_status = peer->job.status;
    peer->done_compute = peer->job.compute;
    peer->owed &= ~(unsigned)OWES_PROGRESS;
    fsh_bridge_owe(peer, OWES_DONE);
    settle(s, &peer->job);
}

static void release(struct fsh_bridge_server *s, struct fsh_bridge_piece *piece)
{
    piece->state = FSH_BRIDGE_FREE;
    piece->orphan = false;
    atomic_fetch_sub_explicit(&s->entries, 1, memory_order_relaxed);
}

void fsh_bridge_job_drop(struct fsh_bridge_server *s, unsigned client)
{
    struct fsh_bridge_job *job = &s->peer[client].job;

    if (!job->active)
        return;
    for (unsigned i = 0; i < s->setup.entries; i++) {
        struct fsh_bridge_piece *piece = &s->piece[i];

        if (piece->state == FSH_BRIDGE_FREE || piece->orphan ||
            piece->client != client)
            continue;
        if (piece->state == FSH_BRIDGE_CARDED)
            piece->orphan = true;
        else
            release(s, piece);
    }
    if (job->status == FSH_BRIDGE_OK)
        job->status = FSH_BRIDGE_NETWORK;
    settle(s, job);
}

void fsh_bridge_job_fail(struct fsh_bridge_server *s, unsigned client,
                         enum fsh_bridge_status status)
{
    struct fsh_bridge_job *job = &s->peer[client].job;

    if (!job->active)
        return;
    if (job->status == FSH_BRIDGE_OK)
        job->status = status;
    for (unsigned i = 0; i < s->setup.entries; i++) {
        struct fsh_bridge_piece *piece = &s->piece[i];

        if (piece->state == FSH_BRIDGE_CARDED && !piece->orphan &&
            piece->client == client) {
            piece->orphan = true;
            job->busy--;
        }
    }
    if (job->busy == 0)
        fsh_bridge_job_finish(s, &s->peer[client]);
}

/* ---- stages ---- */

static bool start_network(struct fsh_bridge_server *s,
                          struct fsh_bridge_piece *piece)
{
    const struct fsh_bridge_peer *peer = &s->peer[piece->client];
    const struct fsh_bridge_job *job = &peer->job;
    bool read = piece->stage == FSH_BRIDGE_READ;
    const struct fsh_bridge_remote *remote = read ? &job->source : &job->target;
    void *desc = fi_mr_desc(job->naive ? job->whole_memory.mr : s->ring.mr);
    struct iovec here = {job->naive ? job->whole + piece->at : piece->entry,
                         piece->bytes};
    struct fi_rma_iov there = {remote->address + piece->at, piece->bytes,
                               remote->key};
    const struct fi_msg_rma msg = {.msg_iov = &here,
                                   .desc = &desc,
                                   .iov_count = 1,
                                   .addr = peer->addr,
                                   .rma_iov = &there,
                                   .rma_iov_count = 1,
                                   .context = &piece->op};
    /* DONE says that the bytes are where they should be. */
    ssize_t rc = read ? fi_readmsg(peer->ep, &msg, 0)
                      : fi_writemsg(peer->ep, &msg, FI_DELIVERY_COMPLETE);

    if (rc == -FI_EAGAIN)
        return false;
    piece->state = FSH_BRIDGE_NETTED;
    if (rc != 0)
        fsh_bridge_piece_end(s, piece, FSH_BRIDGE_NETWORK);
    return true;
}

static bool start_dma(struct fsh_bridge_server *s,
                      struct fsh_bridge_piece *piece)
{
    const struct fsh_bridge_job *job = job_of(s, piece);
    bool to = piece->stage == FSH_BRIDGE_TO_CARD;
    const struct fsh_bridge_move move = {to ? FSH_BRIDGE_TO : FSH_BRIDGE_FROM,
                                         job->offset + piece->at, piece->entry,
                                         piece->bytes, piece};

    if (job->naive && to)
        fsh_simulated_copy(piece->entry, job->whole + piece->at, piece->bytes);
    if (!s->card->ops->start(s->card, &move))
        return false;
    if (s->on_card++ == 0)
        s->card_ns = fsh_bridge_ns();
    piece->state = FSH_BRIDGE_CARDED;
    return true;
}

static unsigned next_stage(const struct fsh_bridge_job *job, unsigned after)
{
    unsigned left = job->pass[job->now];

    while (left != 0 && (left & (0 - left)) <= after)
        left &= left - 1; /* without its lowest */
    return left & (0 - left);
}

/* A pass has ended for all bytes: the next, or the end. */
static void end_pass(struct fsh_bridge_server *s, struct fsh_bridge_peer *peer)
{
    struct fsh_bridge_job *job = &peer->job;

    if (++job->now != job->passes)
        job->next = job->done = 0;
    else if (job->run != NULL)
        fsh_bridge_run_start(s, peer);
    else
        fsh_bridge_job_finish(s, peer);
}

static void report(struct fsh_bridge_peer *peer)
{
    struct fsh_bridge_job *job = &peer->job;
    uint64_t moved = (job->bytes * job->now + job->done) / job->passes;

    if (moved - job->told < job->bytes / REPORTS || job->done == job->bytes)
        return;
    job->told = moved;
    fsh_bridge_owe(peer, OWES_PROGRESS);
}

/* A piece has passed all of its stages, or its job has failed. */
static void retire(struct fsh_bridge_server *s, struct fsh_bridge_piece *piece)
{
    struct fsh_bridge_peer *peer = &s->peer[piece->client];
    struct fsh_bridge_job *job = &peer->job;

    job->done += piece->bytes;
    job->busy--;
    release(s, piece);
    if (job->status != FSH_BRIDGE_OK) {
        if (job->busy == 0)
            fsh_bridge_job_finish(s, peer);
        return;
    }
    report(peer);
    if (job->done == job->bytes)
        end_pass(s, peer);
}

void fsh_bridge_piece_end(struct fsh_bridge_server *s,
                          struct fsh_bridge_piece *piece,
                          enum fsh_bridge_status status)
{
    struct fsh_bridge_job *job = job_of(s, piece);
    unsigned next;

    if (piece->orphan) {
        release(s, piece);
        return;
    }
    job->news_ns = fsh_bridge_ns();
    if (status != FSH_BRIDGE_OK && job->status == FSH_BRIDGE_OK)
        job->status = status;
    if (status == FSH_BRIDGE_NETWORK)
        s->peer[piece->client].gone = true;
    if (job->status != FSH_BRIDGE_OK) {
        retire(s, piece);
        return;
    }
    if (job->naive && piece->stage == FSH_BRIDGE_FROM_CARD)
        fsh_simulated_copy(job->whole + piece->at, piece->entry, piece->bytes);
    if (job->run != NULL)
        fsh_bridge_run_take(job, piece);
    next = next_stage(job, piece->stage);
    if (next == 0) {
        retire(s, piece);
        return;
    }
    piece->stage = next;
    piece->state = FSH_BRIDGE_READY;
}

/* ---- progress ---- */

/* Bytes of the next piece: a naive network stage needs no entry for its data. */
static size_t next_bytes(const struct fsh_bridge_server *s,
                         const struct fsh_bridge_job *job)
{
    uint64_t left = job->bytes - job->next;
    size_t most = !job->naive                 ? job->step
                  : job->pass[job->now] & DMA ? s->setup.buffer
                                              : s->network.piece;

    return left < most ? (size_t)left : most;
}

static struct fsh_bridge_piece *take(struct fsh_bridge_server *s)
{
    for (unsigned i = 0; i < s->setup.entries; i++)
        if (s->piece[i].state == FSH_BRIDGE_FREE)
            return &s->piece[i];
    return NULL;
}

/* A quarter of the ring is kept for jobs that have no entry yet: a client that does not
 * drive its provider for a while, since its rank computes, keeps what it has. */
static bool may_take(const struct fsh_bridge_server *s,
                     const struct fsh_bridge_job *job)
{
    unsigned used = atomic_load_explicit(&s->entries, memory_order_relaxed);
    unsigned share = s->setup.entries / (s->active - s->running);

    return job->busy == 0 || (job->busy < share &&
                              used + s->setup.entries / 4 < s->setup.entries);
}

/* Entries for the next bytes of a job. */
static bool admit(struct fsh_bridge_server *s, unsigned client)
{
    struct fsh_bridge_job *job = &s->peer[client].job;
    struct fsh_bridge_piece *piece;
    bool any = false;

    if (!job->active || job->status != FSH_BRIDGE_OK)
        return false;
    while (job->next < job->bytes && may_take(s, job) &&
           (piece = take(s)) != NULL) {
        if (job->busy == 0)
            job->news_ns = fsh_bridge_ns(); /* it may have waited for entries */
        piece->client = client;
        piece->at = job->next;
        piece->bytes = next_bytes(s, job);
        piece->stage = next_stage(job, 0);
        piece->state = FSH_BRIDGE_READY;
        job->next += piece->bytes;
        job->busy++;
        atomic_fetch_add_explicit(&s->entries, 1, memory_order_relaxed);
        any = true;
    }
    return any;
}

static bool start(struct fsh_bridge_server *s, struct fsh_bridge_piece *piece)
{
    if (piece->state != FSH_BRIDGE_READY)
        return false;
    if (job_of(s, piece)->status != FSH_BRIDGE_OK) {
        retire(s, piece);
        return true;
    }
    return piece->stage & DMA ? start_dma(s, piece) : start_network(s, piece);
}

static bool collect_card(struct fsh_bridge_server *s)
{
    struct fsh_bridge_moved moved[16];
    unsigned n = s->card->ops->poll(s->card, moved, 16);

    for (unsigned i = 0; i < n; i++)
        fsh_bridge_piece_end(s, moved[i].owner,
                             moved[i].failed ? FSH_BRIDGE_DEVICE
                                             : FSH_BRIDGE_OK);
    s->on_card -= n;
    if (n != 0)
        s->card_ns = fsh_bridge_ns();
    return n != 0;
}

bool fsh_bridge_pump(struct fsh_bridge_server *s)
{
    bool any = collect_card(s);

    any |= fsh_bridge_run_watch(s);
    /* Later stages first, so that entries come back. */
    for (unsigned bit = FSH_BRIDGE_WRITE; bit != 0; bit >>= 1)
        for (unsigned i = 0; i < s->setup.entries; i++)
            if (s->piece[i].stage == bit)
                any |= start(s, &s->piece[i]);
    if (s->active == 0)
        return any;
    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        any |= admit(s, (s->turn + i) % FSH_BRIDGE_MOST_CLIENTS);
    s->turn = (s->turn + 1) % FSH_BRIDGE_MOST_CLIENTS;
    return any;
}
