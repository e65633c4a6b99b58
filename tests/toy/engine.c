/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective engine for conduit toy; see engine.h. */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/fsh_spec.h"
#include "base/log.h"
#include "coll/fold/fold.h"
#include "compute/number/block.h"

#define LINE 64u
#define TEAMS 4u
/* Numbers of a team's operations in JobIDs; and how far a value may be ahead of one that
 * its receiver has not consumed. In logic grants see to that. */
#define JOBS 64u
#define AHEAD 8u

struct value {
    struct value *next;
    uint32_t from;
    struct toy_key key;
    size_t got;
    unsigned char data[];
};

static struct {
    unsigned char *memory;
    size_t bytes;
    unsigned char *posted;
    toy_engine_send_fn send;
    size_t place[FSH_COLL_SEQUENCES]; /* of the next descriptor + 1, or 0 */
    unsigned char *last[FSH_COLL_SEQUENCES]; /* value of the step before it */
    unsigned late[FSH_COLL_SEQUENCES]; /* ticks while it waited for that one */
    size_t queue[FSH_COLL_QUEUE];
    unsigned queued, asked;
    struct value *values;
    /* Values on their way to a team of a node, by operation. */
    unsigned owed[FSH_MAX_NODES][TEAMS][JOBS];
} engine;

void toy_engine_begin(unsigned char *memory, size_t bytes,
                      unsigned char *posted, toy_engine_send_fn send)
{
    engine.memory = memory;
    engine.bytes = bytes;
    engine.posted = posted;
    engine.send = send;
}

/* Now and then BUSY for nothing. */
unsigned toy_engine_run(size_t at)
{
    if (engine.queued == FSH_COLL_QUEUE || ++engine.asked % 4 == 0)
        return FSH_STATUS_BUSY;
    engine.queue[engine.queued++] = at;
    return FSH_STATUS_OK;
}

/* ---- what has come ---- */

/* The link to the value that a step waits for; to NULL if there is none. */
static struct value **find(uint32_t from, const struct toy_key *key)
{
    struct value **link = &engine.values;

    while (*link != NULL &&
           ((*link)->from != from || (*link)->key.vp != key->vp ||
            (*link)->key.job != key->job || (*link)->key.seq != key->seq))
        link = &(*link)->next;
    return link;
}

static unsigned *owed(uint32_t node, const struct toy_key *key)
{
    if (key->vp >= TEAMS)
        fsh_fatal("toy engine: team %u of %u", key->vp, TEAMS);
    return &engine.owed[node][key->vp][key->job % JOBS];
}

void toy_engine_arrive(uint32_t from, const struct toy_key *key, uint32_t at,
                       const void *data, size_t n)
{
    struct value **link;

    if (at == TOY_ENGINE_CONSUMED) {
        --*owed(from, key);
        return;
    }
    link = find(from, key);
    if (*link == NULL) {
        *link = calloc(1, sizeof **link + key->total);
        if (*link == NULL)
            fsh_fatal("toy engine: no memory");
        (*link)->from = from;
        (*link)->key = *key;
    }
    memcpy((*link)->data + at, data, n);
    (*link)->got += n;
}

/* ---- steps ---- */

static uint32_t source(const uint64_t *d, unsigned k)
{
    uint64_t w = k < 8 ? fsh_colldesc_sources0(d) : fsh_colldesc_sources1(d);

    return (uint32_t)(w >> 8 * (k % 8) & 0xff);
}

static unsigned char *at_line(uint64_t line, size_t bytes)
{
    if (line * LINE + bytes > engine.bytes)
        fsh_fatal("toy engine: an address outside the memory");
    return engine.memory + line * LINE;
}

static bool all_here(const uint64_t *d, const struct toy_key *key)
{
    for (unsigned k = 0; k < fsh_colldesc_count(d); k++) {
        const struct value *v = *find(source(d, k), key);

        if (v == NULL || v->got < v->key.total)
            return false;
    }
    return true;
}

/* Encoded and decoded, as FP32 values are between ranks. */
static void travel(unsigned char *value, size_t bytes)
{
    const struct fsh_bfp_format format = FSH_BFP_16_8_7;

    for (size_t at = 0, n; at < bytes; at += n) {
        float x[16] = {0};
        uint16_t fields[16];
        unsigned code;

        n = bytes - at < sizeof x ? bytes - at : sizeof x;
        memcpy(x, value + at, n);
        code = fsh_bfp_encode_block(&format, x, fields);
        for (unsigned i = 0; i < 16; i++)
            x[i] = fsh_bfp_decode_value(&format, code, fields[i]);
        memcpy(value + at, x, n);
    }
}

/* The value of a step; what it waited for is consumed. False: of another length. last: that of
 * the step before it. */
static bool combine(const uint64_t *d, const struct toy_key *key,
                    unsigned char *value, const unsigned char *last)
{
    unsigned type = (unsigned)fsh_colldesc_kind(d);
    unsigned op = (unsigned)fsh_colldesc_op(d);
    bool some = fsh_colldesc_own(d) != 0;

    if (fsh_colldesc_again(d))
        memcpy(value, last, key->total);
    if (some)
        memcpy(value, at_line(fsh_colldesc_own_addr(d), key->total),
               key->total);
    for (unsigned k = 0; k < fsh_colldesc_count(d); k++, some = true) {
        struct value **link = find(source(d, k), key), *v = *link;

        if (v->key.total != key->total)
            return false;
        if (some && fsh_colldesc_reduce(d))
            fsh_fold_function(type, op, FSH_ISA_PORTABLE)(
                value, value, v->data, key->total / fsh_fold_size(type, op));
        else
            memcpy(value, v->data, key->total);
        *link = v->next;
        engine.send(v->from, &v->key, TOY_ENGINE_CONSUMED, NULL, 0);
        free(v);
    }
    return true;
}

/* The key of what a step sends. */
static struct toy_key key_of(const uint64_t *d)
{
    return (struct toy_key){
        (uint32_t)fsh_colldesc_dest_vp(d), (uint32_t)fsh_colldesc_job(d),
        (uint32_t)fsh_colldesc_dest_seq(d), (uint32_t)fsh_colldesc_bytes(d)};
}

/* Has the receiver got so far that it knows one operation from another? */
static bool may_send(const uint64_t *d)
{
    struct toy_key key = key_of(d);
    uint32_t node = (uint32_t)fsh_colldesc_dest(d);

    for (unsigned i = AHEAD; i < JOBS - AHEAD; i++) {
        struct toy_key old = key;

        old.job += JOBS - i;
        if (*owed(node, &old) != 0)
            return false;
    }
    return true;
}

static void send(const uint64_t *d, const unsigned char *value, uint32_t bytes)
{
    const struct toy_key key = key_of(d);
    uint32_t at = 0, n;

    ++*owed((uint32_t)fsh_colldesc_dest(d), &key);
    do {
        n = bytes - at < FSH_MAX_PACKET ? bytes - at : FSH_MAX_PACKET;
        engine.send((uint32_t)fsh_colldesc_dest(d), &key, at, value + at, n);
        at += n;
    } while (at < bytes);
}

static void end_of(size_t *place, const uint64_t *d, unsigned status,
                   uint32_t missing)
{
    const struct fsh_sequence_end e = {.cookie =
                                           (uint16_t)fsh_colldesc_cookie(d),
                                       .status = (uint8_t)status,
                                       .step = (uint8_t)fsh_colldesc_seq(d),
                                       .source = (uint8_t)missing};

    *place = 0;
    fsh_collective_completed(&e);
}

static void end(size_t *place, const uint64_t *d, unsigned status)
{
    end_of(place, d, status, 0);
}

static bool step(size_t *place)
{
    uint64_t d[FSH_COLLDESC_WORDS];
    struct toy_key key;
    unsigned char **last = &engine.last[place - engine.place];
    unsigned char *value;
    bool fits;

    memcpy(d, engine.memory + *place - 1, sizeof d);
    key = (struct toy_key){
        (uint32_t)fsh_colldesc_vp(d), (uint32_t)fsh_colldesc_job(d),
        (uint32_t)fsh_colldesc_seq(d), (uint32_t)fsh_colldesc_bytes(d)};
    if (!all_here(d, &key) || (fsh_colldesc_send(d) && !may_send(d)))
        return false;
    value = malloc(key.total + 1);
    fits = value != NULL && combine(d, &key, value, *last);
    if (fits && fsh_colldesc_bfp(d))
        travel(value, key.total);
    if (fits && fsh_colldesc_store(d))
        memcpy(at_line(fsh_colldesc_store_addr(d), key.total), value,
               key.total);
    if (fits && fsh_colldesc_post(d))
        memcpy(engine.posted + fsh_colldesc_post_addr(d) * LINE, value,
               key.total);
    if (fits && fsh_colldesc_send(d))
        send(d, value, key.total);
    free(*last);
    *last = value;
    *place += sizeof d;
    engine.late[place - engine.place] = 0;
    if (!fits || fsh_colldesc_tail(d))
        end(place, d, fits ? FSH_STATUS_OK : FSH_STATUS_BAD_LENGTH);
    return true;
}

/* The oldest that waits gets a free place. */
static void begin_next(size_t *place)
{
    if (engine.queued == 0)
        return;
    *place = engine.queue[0] + 1;
    engine.late[place - engine.place] = 0;
    engine.queued--;
    memmove(engine.queue, engine.queue + 1,
            engine.queued * sizeof engine.queue[0]);
}

/* Of a step that waits for packets: the first that is not there. */
static void give_up(size_t *place)
{
    uint64_t d[FSH_COLLDESC_WORDS];
    struct toy_key key;

    memcpy(d, engine.memory + *place - 1, sizeof d);
    key = (struct toy_key){
        (uint32_t)fsh_colldesc_vp(d), (uint32_t)fsh_colldesc_job(d),
        (uint32_t)fsh_colldesc_seq(d), (uint32_t)fsh_colldesc_bytes(d)};
    for (unsigned k = 0; k < fsh_colldesc_count(d); k++) {
        const struct value *v = *find(source(d, k), &key);

        if (v != NULL && v->got == v->key.total)
            continue;
        end_of(place, d, FSH_STATUS_TIMEOUT, source(d, k));
        return;
    }
}

void toy_engine_tick(void)
{
    for (unsigned i = 0; i < FSH_COLL_SEQUENCES; i++)
        if (engine.place[i] != 0 && ++engine.late[i] == 3)
            give_up(&engine.place[i]);
}

bool toy_engine_step(void)
{
    bool any = false;

    for (unsigned i = 0; i < FSH_COLL_SEQUENCES; i++) {
        if (engine.place[i] == 0)
            begin_next(&engine.place[i]);
        while (engine.place[i] != 0 && step(&engine.place[i]))
            any = true;
    }
    return any;
}
