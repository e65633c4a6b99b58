/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The compute core of a rank of conduit smp; see worker.h.
 */
#include "conduit/smp/worker.h"

#include <string.h>
#include <time.h>

#include "compute/execute/execute.h"

/* The most work of a short command (fsh_execute_work): some 50 us of vector code. */
#define SHORT_WORK 4e6
#define LIST_STRIDE (FSH_CCMD_WORDS * 8 / FSH_COMPUTE_LINE)

/* Copies the next command out of the segment and checks it. An unreadable one
 * is replaced by an empty NOP. */
static void fetch(struct fsh_smp_worker *w, unsigned index)
{
    struct fsh_smp_worker_queue *q = &w->queue[index];
    const struct fsh_smp_memory *mine = &w->memory[w->rank];
    uint64_t at = (uint64_t)q->addr * FSH_COMPUTE_LINE;

    q->addr += LIST_STRIDE;
    q->left--;
    q->fetched = true;
    memset(q->command, 0, sizeof q->command);
    if (at + sizeof q->command > mine->bytes) {
        q->status = FSH_STATUS_LOCAL_RANGE;
        return;
    }
    memcpy(q->command, mine->base + at, sizeof q->command);
    q->status = fsh_execute_check(q->command, index == FSH_SMP_MOVER);
}

/* Whether there is a command at the head. */
static bool has_command(struct fsh_smp_worker *w, unsigned index)
{
    struct fsh_smp_worker_queue *q = &w->queue[index];

    if (!q->fetched && q->left == 0 &&
        !fsh_smp_compute_take(&w->cores[w->rank], index, &q->head, &q->addr,
                              &q->left))
        return false;
    if (!q->fetched)
        fetch(w, index);
    return true;
}

/* ---- transfers ----------------------------------------------------------- */

static void poke(const struct fsh_smp_worker *w, uint32_t rank)
{
    if (w->poke != NULL)
        w->poke(w->arg, rank);
}

struct sending {
    struct fsh_smp_worker *worker;
    uint64_t nodes;
    uint64_t from, to; /* corresponding offsets */
    unsigned status;
};

static void send_to(struct sending *s, uint32_t node, uint64_t offset,
                    uint64_t bytes)
{
    const struct fsh_smp_memory *mine = &s->worker->memory[s->worker->rank];
    const struct fsh_smp_memory *there = &s->worker->memory[node];
    uint64_t dest = s->to + (offset - s->from);

    if (dest > there->bytes || bytes > there->bytes - dest) {
        s->status = FSH_STATUS_REMOTE_RANGE;
        return;
    }
    memcpy(there->base + dest, mine->base + offset, bytes);
    poke(s->worker, node);
}

static void send_range(void *arg, uint64_t offset, uint64_t bytes)
{
    struct sending *s = arg;

    for (uint64_t left = s->nodes; left != 0; left &= left - 1) {
        uint32_t node = (uint32_t)__builtin_ctzll(left);

        if (node != s->worker->rank)
            atomic_fetch_add_explicit(&s->worker->sent_bytes, bytes,
                                      memory_order_relaxed);
        if (node >= s->worker->ranks)
            s->status = FSH_STATUS_BAD_NODE;
        else if (node != s->worker->rank)
            send_to(s, node, offset, bytes);
    }
}

static unsigned transfer(struct fsh_smp_worker *w, const uint64_t *c)
{
    struct sending s = {
        .worker = w,
        .nodes = fsh_ccmd_art_mask(c),
        .from = fsh_execute_sent_base(c),
        .to = fsh_ccmd_art_addr(c) * FSH_COMPUTE_LINE,
        .status = FSH_STATUS_OK,
    };

    fsh_execute_sent(c, send_range, &s);
    return s.status;
}

/* ---- end of a command ---------------------------------------------------- */

static void signal_nodes(struct fsh_smp_worker *w, const uint64_t *c)
{
    uint64_t left = fsh_ccmd_signal(c) ? fsh_ccmd_signal_mask(c) : 0;

    for (; left != 0; left &= left - 1) {
        uint32_t node = (uint32_t)__builtin_ctzll(left);

        if (node < w->ranks)
            fsh_smp_compute_signal(&w->cores[node],
                                   (unsigned)fsh_ccmd_signal_event(c), 1);
    }
}

/* Waits while the completion queue is full. The library's own commands in
 * flight never fill it (FSH_COMMANDS_IN_FLIGHT). */
static void complete(struct fsh_smp_worker *w, const uint64_t *c,
                     unsigned status)
{
    uint32_t node = (uint32_t)fsh_ccmd_complete_node(c);
    const struct timespec nap = {0, 1000000};

    if (!fsh_ccmd_complete(c) || node >= w->ranks)
        return;
    while (!fsh_smp_compute_complete(&w->cores[node],
                                     (unsigned)fsh_ccmd_cookie(c), status))
        nanosleep(&nap, NULL);
    if (w->tell != NULL)
        w->tell(w->arg, node);
}

static void run(struct fsh_smp_worker *w, struct fsh_smp_worker_queue *q)
{
    const struct fsh_smp_memory *mine = &w->memory[w->rank];
    unsigned status = q->status;

    if (status == FSH_STATUS_OK)
        status = fsh_execute(q->command, mine->base, mine->bytes);
    poke(w, w->rank); /* for its own results */
    if (status == FSH_STATUS_OK)
        status = transfer(w, q->command);
    if (q->status == FSH_STATUS_OK && fsh_ccmd_op(q->command) != FSH_COP_NOP)
        atomic_fetch_add_explicit(&w->commands, 1, memory_order_relaxed);
    signal_nodes(w, q->command);
    complete(w, q->command, status);
}

static bool step_queue(struct fsh_smp_worker *w, unsigned index, bool brief)
{
    struct fsh_smp_worker_queue *q = &w->queue[index];

    if (!has_command(w, index) || (brief && q->status == FSH_STATUS_OK &&
                                   fsh_execute_work(q->command) > SHORT_WORK))
        return false;
    if (fsh_execute_waits(q->command) &&
        !fsh_smp_compute_await(&w->cores[w->rank],
                               (unsigned)fsh_ccmd_await_event(q->command),
                               (uint32_t)fsh_ccmd_await_count(q->command)))
        return false;
    run(w, q);
    q->fetched = false;
    return true;
}

/* With the lock, which it gives back. */
static bool step(struct fsh_smp_worker *w, bool brief)
{
    bool any = step_queue(w, FSH_SMP_MOVER, brief);

    any |= step_queue(w, FSH_SMP_ARRAY, brief);
    fsh_lock_give(&w->lock);
    return any;
}

bool fsh_smp_worker_step(struct fsh_smp_worker *w)
{
    fsh_lock_take(&w->lock);
    return step(w, false);
}

bool fsh_smp_worker_help(struct fsh_smp_worker *w)
{
    return fsh_lock_try(&w->lock) && step(w, true);
}

void fsh_smp_worker_run(struct fsh_smp_worker *w, const _Atomic uint32_t *stop)
{
    struct fsh_smp_compute *core = &w->cores[w->rank];

    while (atomic_load_explicit(stop, memory_order_acquire) == 0) {
        uint32_t seen = atomic_load(&core->work);

        if (!fsh_smp_worker_step(w))
            fsh_smp_compute_sleep(core, seen);
    }
}
