/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of clients at the server; see server.h. Their words come like the bytes of any
 * transfer, piece by piece. When all are here the card gets them, and the job waits for
 * their end without an entry of the ring. They may take longer than any limit, so the client
 * is told now and then that they run.
 */
#include "base/simulated.h"
#include "bridge/server.h"

#define NEWS 8u /* PROGRESS messages within the limit on silence */

enum fsh_bridge_status fsh_bridge_run_begin(struct fsh_bridge_server *s,
                                            struct fsh_bridge_job *job)
{
    struct fsh_bridge_run *run = calloc(1, sizeof *run);

    if (run == NULL)
        return FSH_BRIDGE_NO_MEMORY;
    run->words = malloc((size_t)job->bytes);
    if (run->words == NULL) {
        free(run);
        return FSH_BRIDGE_NO_MEMORY;
    }
    atomic_init(&run->holders, 1);
    atomic_init(&run->status, FSH_STATUS_OK);
    run->card = s->card;
    run->count[0] = (uint32_t)job->array;
    run->count[1] =
        (uint32_t)(job->bytes / FSH_BRIDGE_COMMAND_BYTES - job->array);
    job->run = run;
    return FSH_BRIDGE_PENDING;
}

void fsh_bridge_run_take(struct fsh_bridge_job *job,
                         const struct fsh_bridge_piece *piece)
{
    fsh_simulated_copy((unsigned char *)job->run->words + piece->at,
                       piece->entry, piece->bytes);
}

void fsh_bridge_run_start(struct fsh_bridge_server *s,
                          struct fsh_bridge_peer *peer)
{
    struct fsh_bridge_job *job = &peer->job;
    bool taken = s->card->ops->run(s->card, job->run);

    free(job->run->words); /* the card has copied them */
    job->run->words = NULL;
    if (!taken) {
        job->status = FSH_BRIDGE_NO_MEMORY;
        fsh_bridge_job_finish(s, peer);
        return;
    }
    job->news_ns = fsh_bridge_ns();
    job->running = true;
    s->running++;
}

void fsh_bridge_run_drop(struct fsh_bridge_server *s,
                         struct fsh_bridge_job *job)
{
    if (job->run == NULL)
        return;
    if (job->running)
        s->running--;
    fsh_bridge_run_leave(job->run);
}

/* To a client that takes none nothing is added to what waits for it. */
static bool has_letter(const struct fsh_bridge_server *s, unsigned client)
{
    for (unsigned i = 0; i < FSH_BRIDGE_SENDS; i++)
        if (s->send[i].busy && s->send[i].client == client)
            return true;
    return false;
}

/* Whether they have ended. */
static bool watch(struct fsh_bridge_server *s, unsigned client, uint64_t now)
{
    struct fsh_bridge_peer *peer = &s->peer[client];
    struct fsh_bridge_job *job = &peer->job;

    if (!job->running)
        return false;
    if (fsh_bridge_run_is_over(job->run)) {
        job->compute =
            atomic_load_explicit(&job->run->status, memory_order_relaxed);
        if (job->compute != FSH_STATUS_OK)
            job->status = FSH_BRIDGE_COMMAND;
        fsh_bridge_job_finish(s, peer);
        return true;
    }
    if (now - job->news_ns > s->timeout_ns / NEWS) {
        job->news_ns = now;
        if (!has_letter(s, client))
            fsh_bridge_owe(peer, OWES_PROGRESS);
    }
    return false;
}

bool fsh_bridge_run_watch(struct fsh_bridge_server *s)
{
    uint64_t now;
    bool any = false;

    if (s->running == 0)
        return false;
    now = fsh_bridge_ns();
    for (unsigned i = 0; i < FSH_BRIDGE_MOST_CLIENTS; i++)
        any |= watch(s, i, now);
    return any;
}
