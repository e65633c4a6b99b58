/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Executes a step of a program: waits for its packets, combines them in order as far
 * as all of them have arrived, stores the value and sends it on, in parts. A step may
 * start if no incomplete earlier step uses the same memory, so steps may run out of
 * order with the results of sequential execution.
 */
#include <string.h>

#include "base/log.h"
#include "base/simulated.h"
#include "gasnet/run.h"

/* ---- where blocks are ---- */

/* The v-forms have lists for the blocks of a buffer. */
static const size_t *list_at(const struct fsh_coll_work *w, unsigned place)
{
    if (place == FSH_PROGRAM_DST)
        return w->dst_at;
    return place == FSH_PROGRAM_SRC ? w->src_at : NULL;
}

static const size_t *list_bytes(const struct fsh_coll_work *w, unsigned place)
{
    if (place == FSH_PROGRAM_DST)
        return w->dst_bytes;
    return place == FSH_PROGRAM_SRC ? w->src_bytes : NULL;
}

/* Bytes before block b in contiguous blocks. */
static size_t before(const struct fsh_run *run, uint32_t b)
{
    const struct fsh_coll_work *w = &run->work;
    const struct fsh_program_operand operand = {
        w->call, run->program->blocks, run->program->halved, w->elem, w->count};

    return fsh_program_before(&operand, b);
}

/* The first block of this rank. */
static uint32_t first_own(const struct fsh_run *run)
{
    return run->program->halved ? 2 * run->team->rank : run->team->rank;
}

/* The first block that a buffer holds. */
static uint32_t first_in(const struct fsh_run *run, unsigned place)
{
    bool own = false;

    switch (run->work.call) {
    case FSH_PROGRAM_GATHER:
    case FSH_PROGRAM_ALLGATHER:
        own = place == FSH_PROGRAM_SRC;
        break;
    case FSH_PROGRAM_SCATTER:
    case FSH_PROGRAM_REDUCE_SCATTER:
        own = place == FSH_PROGRAM_DST;
        break;
    default:
        break;
    }
    return own ? first_own(run) : 0;
}

size_t fsh_run_bytes(const struct fsh_run *run,
                     const struct fsh_program_range *r)
{
    const size_t *bytes = list_bytes(&run->work, r->place);

    if (r->place == FSH_PROGRAM_NONE)
        return 0;
    if (bytes != NULL) {
        FSH_ASSERT(r->count == 1);
        return bytes[r->first];
    }
    return before(run, (uint32_t)r->first + r->count) - before(run, r->first);
}

unsigned char *fsh_run_at(const struct fsh_run *run,
                          const struct fsh_program_range *r)
{
    const struct fsh_coll_work *w = &run->work;
    const size_t *at = list_at(w, r->place);
    size_t offset;

    if (r->place == FSH_PROGRAM_NONE)
        return NULL;
    offset = at != NULL
                 ? at[r->first]
                 : before(run, r->first) - before(run, first_in(run, r->place));
    /* Computed as integers, since buffers may be null if there are no bytes. */
    if (r->place == FSH_PROGRAM_SRC)
        return (unsigned char *)((uintptr_t)w->src + offset);
    return (unsigned char *)((uintptr_t)(r->place == FSH_PROGRAM_DST
                                             ? w->dst
                                             : run->tmp) +
                             offset);
}

bool fsh_run_in_place(const struct fsh_run *run)
{
    uint16_t b =
        fsh_program_splits(run->work.call) ? 0 : (uint16_t)first_own(run);
    const struct fsh_program_range src = {FSH_PROGRAM_SRC, b, 1};
    const struct fsh_program_range dst = {FSH_PROGRAM_DST, b, 1};

    return run->work.src != NULL &&
           fsh_run_at(run, &src) == fsh_run_at(run, &dst);
}

/* ---- dependencies ---- */

static bool overlaps(const struct fsh_run *run,
                     const struct fsh_program_range *a,
                     const struct fsh_program_range *b)
{
    bool same = a->place == b->place;

    if (a->place == FSH_PROGRAM_NONE || b->place == FSH_PROGRAM_NONE)
        return false;
    if (run->in_place && a->place != FSH_PROGRAM_TMP &&
        b->place != FSH_PROGRAM_TMP)
        same = true;
    return same && a->first < b->first + b->count &&
           b->first < a->first + a->count;
}

static bool clear_of_earlier(const struct fsh_run *run, uint32_t i)
{
    const struct fsh_program_step *s = run->step[i].step;

    for (uint32_t j = run->low; j < i; j++) {
        const struct fsh_program_step *t = run->step[j].step;

        if (!run->step[j].over && (overlaps(run, &s->store, &t->local) ||
                                   overlaps(run, &s->store, &t->store) ||
                                   overlaps(run, &s->local, &t->store)))
            return false;
    }
    return true;
}

/* ---- room for packets ---- */

/* Whether a packet is received directly where its value is stored. */
static bool lands_in_place(const struct fsh_run *run,
                           const struct fsh_run_step *s)
{
    return !s->step->reduce && s->store != NULL && !fsh_run_is_encoded(run);
}

static void make_room(struct fsh_run *run, struct fsh_run_step *s)
{
    if (s->source[0].land != NULL)
        return;
    if (lands_in_place(run, s)) {
        s->source[0].land = s->store;
    } else {
        s->memory = malloc(s->bytes * s->step->sources);
        if (s->memory == NULL)
            fsh_fatal("%s: no memory for %zu bytes of intermediate results",
                      run->name, s->bytes * s->step->sources);
        for (unsigned k = 0; k < s->step->sources; k++)
            s->source[k].land = s->memory + k * s->bytes;
    }
    if (s->value == NULL)
        s->value = s->store != NULL && !fsh_run_is_encoded(run)
                       ? s->store
                       : s->source[0].land;
}

static void grant(struct fsh_run *run, struct fsh_run_step *s)
{
    if (fsh_run_is_eager(s->bytes))
        return;
    for (unsigned k = 0; k < s->step->sources; k++)
        if (!s->source[k].granted)
            s->source[k].granted = fsh_run_grant(run, s, k);
}

/* ---- the value ---- */

/* The bytes, in whole elements, that all packets have received. */
static bool available(const struct fsh_run *run, const struct fsh_run_step *s,
                      size_t *bytes)
{
    *bytes = s->bytes;
    for (unsigned k = 0; k < s->step->sources; k++) {
        struct fsh_run_source *source = &s->source[k];
        size_t got;

        /* Partner: the release in record of run_packet.c. */
        if (!atomic_load_explicit(&source->came, memory_order_acquire))
            return false;
        got = atomic_load_explicit(&source->got, memory_order_acquire);
        if (got < *bytes)
            *bytes = got;
    }
    if (*bytes != s->bytes)
        *bytes -= *bytes %
                  (fsh_run_is_encoded(run) ? FSH_WIRE_BLOCK : run->work.elem);
    return true;
}

static void fold(const struct fsh_run *run, unsigned char *out,
                 const unsigned char *a, const unsigned char *b, size_t n)
{
    const struct fsh_coll_client *client = run->work.client;

    fsh_simulated_moving(out, a, b, n);
    if (client != NULL && client->combine != NULL)
        client->combine(client, out, a, b, n);
    else
        run->work.fold(out, a, b, n / run->work.elem);
    fsh_simulated_moved();
}

static void copy(unsigned char *out, const unsigned char *from, size_t n)
{
    if (out != from && n != 0)
        fsh_simulated_copy(out, from, n);
}

/* Reduces bytes [at, at + n). */
static void reduce(const struct fsh_run *run, struct fsh_run_step *s, size_t at,
                   size_t n)
{
    unsigned char *out = (s->store != NULL ? s->store : s->source[0].land) + at;
    const unsigned char *sum = s->local;
    unsigned k = 0;

    if (s->step->right) {
        fold(run, out, s->source[0].land + at, s->local + at, n);
        return;
    }
    if (sum == NULL)
        sum = s->source[k++].land;
    for (sum += at; k < s->step->sources; k++) {
        fold(run, out, sum, s->source[k].land + at, n);
        sum = out;
    }
    copy(out, sum, n);
}

/* Processes bytes [at, at + n) of encoded packets, whole blocks. A received packet is
 * forwarded unchanged; a sum that is sent is stored as its receivers will decode it. */
static void make_encoded(const struct fsh_run *run, struct fsh_run_step *s,
                         size_t at, size_t n)
{
    const struct fsh_program_range *range =
        s->step->local.place != FSH_PROGRAM_NONE ? &s->step->local
                                                 : &s->step->store;
    size_t first = at / FSH_WIRE_BLOCK * FSH_WIRE_VALUES;
    size_t values = n / FSH_WIRE_BLOCK * FSH_WIRE_VALUES;
    size_t rest = fsh_run_bytes(run, range) / sizeof(float) - first;
    size_t byte = first * sizeof(float);
    unsigned char *store = s->store != NULL ? s->store + byte : NULL;
    unsigned char *packet = (s->step->sources == 0 ? (unsigned char *)s->value
                                                   : s->source[0].land) +
                            at;

    if (values > rest)
        values = rest;
    FSH_ASSERT(s->step->sources <= 1 && run->work.elem == sizeof(float));
    fsh_simulated_moving(store, s->local, packet, values * sizeof(float));
    if (s->step->reduce)
        fsh_wire_fold(packet, store, s->local + byte, values, run->work.fold,
                      FSH_ISA_BEST);
    else if (s->step->sources == 0)
        fsh_wire_encode(packet, s->local + byte, values, FSH_ISA_BEST);
    if (!s->step->reduce && store != NULL)
        fsh_wire_decode(store, packet, values, FSH_ISA_BEST);
    fsh_simulated_moved();
}

static void make_value(struct fsh_run *run, struct fsh_run_step *s, size_t to)
{
    size_t at = s->done, n = to - at;

    if (n != 0 && fsh_run_is_encoded(run))
        make_encoded(run, s, at, n);
    else if (n != 0 && s->step->reduce)
        reduce(run, s, at, n);
    else if (n != 0 && s->store != NULL)
        copy(s->store + at,
             (s->step->sources == 0 ? s->local : s->source[0].land) + at, n);
    s->done = to;
    if (n != 0)
        fsh_run_advances++;
}

/* ---- the step ---- */

void fsh_run_advance(struct fsh_run *run, uint32_t i)
{
    struct fsh_run_step *s = &run->step[i];
    bool clear = clear_of_earlier(run, i);
    size_t to;

    if (s->step->sources != 0 && (clear || !lands_in_place(run, s))) {
        if (!fsh_run_is_eager(s->bytes))
            make_room(run, s);
        grant(run, s);
    }
    if (!clear || !available(run, s, &to))
        return;
    make_value(run, s, to);
    if (s->step->dest != FSH_PROGRAM_NOBODY)
        fsh_run_push(run, s);
    if (s->done != s->bytes ||
        (s->step->dest != FSH_PROGRAM_NOBODY && !s->told))
        return;
    s->over = true;
    free(s->memory);
    s->memory = NULL;
    fsh_run_advances++;
}
