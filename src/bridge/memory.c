/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory device; see memory.h. No thread: each engine has the time at which it is
 * done with what it has been given, and a move is made when its time has come and
 * somebody polls. So a late poll delays no later move, as in hardware.
 */
#include "bridge/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"

#define QUEUE 64u /* moves that an engine takes */

struct queued {
    struct fsh_bridge_move move;
    uint64_t end_ns;
};

struct engine {
    struct queued queue[QUEUE];
    unsigned first, count;
    uint64_t free_ns; /* done with all it has been given */
};

struct memory {
    struct fsh_bridge_card card; /* first */
    struct fsh_bridge_memory_setup setup;
    struct engine engine[FSH_BRIDGE_DIRECTIONS];
    unsigned char *bytes;
    unsigned moves;
};

static bool start(struct fsh_bridge_card *card,
                  const struct fsh_bridge_move *move)
{
    struct memory *m = (struct memory *)card;
    struct engine *e = &m->engine[move->direction];
    uint64_t now = fsh_time_ns(), from;
    double rate = m->setup.mb_per_s;

    if (e->count == QUEUE)
        return false;
    /* The latency of a move hides behind the one before it. */
    from = now + m->setup.ns > e->free_ns ? now + m->setup.ns : e->free_ns;
    e->free_ns =
        from + (rate > 0 ? (uint64_t)((double)move->bytes * 1e3 / rate) : 0);
    e->queue[(e->first + e->count++) % QUEUE] =
        (struct queued){*move, e->free_ns};
    return true;
}

static void copy(struct memory *m, const struct fsh_bridge_move *move)
{
    if (move->direction == FSH_BRIDGE_TO)
        memcpy(m->bytes + move->offset, move->local, move->bytes);
    else
        memcpy(move->local, m->bytes + move->offset, move->bytes);
}

static unsigned poll_engine(struct memory *m, struct engine *e,
                            struct fsh_bridge_moved *moved, unsigned most)
{
    unsigned n = 0;

    while (n < most && e->count != 0 &&
           e->queue[e->first].end_ns <= fsh_time_ns()) {
        const struct fsh_bridge_move *move = &e->queue[e->first].move;
        bool failed = ++m->moves == m->setup.fail_at;

        if (!failed)
            copy(m, move);
        moved[n++] = (struct fsh_bridge_moved){move->owner, failed};
        e->first = (e->first + 1) % QUEUE;
        e->count--;
    }
    return n;
}

static unsigned poll(struct fsh_bridge_card *card,
                     struct fsh_bridge_moved *moved, unsigned most)
{
    struct memory *m = (struct memory *)card;
    unsigned n = poll_engine(m, &m->engine[FSH_BRIDGE_TO], moved, most);

    return n + poll_engine(m, &m->engine[FSH_BRIDGE_FROM], moved + n, most - n);
}

/* It has no compute core. */
static bool run(struct fsh_bridge_card *card, struct fsh_bridge_run *run)
{
    (void)card;
    atomic_fetch_add_explicit(&run->holders, 1, memory_order_relaxed);
    fsh_bridge_run_end(run, FSH_STATUS_UNSUPPORTED);
    return true;
}

static uint64_t quiet(const struct fsh_bridge_card *card)
{
    const struct memory *m = (const struct memory *)card;
    uint64_t next = UINT64_MAX, now = fsh_time_ns();

    for (unsigned d = 0; d < FSH_BRIDGE_DIRECTIONS; d++) {
        const struct engine *e = &m->engine[d];

        if (e->count != 0 && e->queue[e->first].end_ns < next)
            next = e->queue[e->first].end_ns;
    }
    if (next == UINT64_MAX)
        return next;
    return next > now ? next - now : 0;
}

/* It has no thread that could wake anybody. */
static bool nap(struct fsh_bridge_card *card, uint64_t ns)
{
    (void)card;
    (void)ns;
    return false;
}

static const struct fsh_bridge_card_ops ops = {.name = "memory",
                                               .start = start,
                                               .poll = poll,
                                               .run = run,
                                               .quiet = quiet,
                                               .nap = nap};

struct fsh_bridge_card *fsh_bridge_memory(
    const struct fsh_bridge_memory_setup *setup)
{
    struct memory *m = calloc(1, sizeof *m);
    size_t dma = (setup->dma_bytes + 4095) & ~(size_t)4095;

    if (m == NULL)
        return NULL;
    m->setup = *setup;
    m->bytes = calloc(1, setup->bytes);
    m->card = (struct fsh_bridge_card){&ops, setup->bytes,
                                       aligned_alloc(4096, dma), dma, SIZE_MAX};
    if (m->bytes == NULL || m->card.dma == NULL) {
        fsh_bridge_memory_free(&m->card);
        return NULL;
    }
    memset(m->card.dma, 0, dma);
    return &m->card;
}

void fsh_bridge_memory_free(struct fsh_bridge_card *card)
{
    struct memory *m = (struct memory *)card;

    if (m == NULL)
        return;
    free(m->bytes);
    free(m->card.dma);
    free(m);
}

unsigned char *fsh_bridge_memory_at(struct fsh_bridge_card *card)
{
    return ((struct memory *)card)->bytes;
}
