/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of fshperf smp that call the library, written as a client would.
 * Compiled once per thread mode: they use only what gasnet.h offers, and
 * SMP_OPS is the only exported name.
 */
#include <gasnet.h>

#include "base/cpu.h"
#include "base/log.h"
#include "smp.h"

enum {
    SHORT_PING = 128,
    SHORT_PONG,
    MEDIUM_PING,
    LONG_PING,
    LOADED_PONG,
    FLOODING
};

/* The current case, for the handlers. */
static const struct smp_rank *now;
static volatile unsigned served, answered;

static void on_short(gasnet_token_t token)
{
    ++served;
    gasnet_AMReplyShort0(token, SHORT_PONG);
}

static void on_answer(gasnet_token_t token)
{
    (void)token;
    ++answered;
}

static void *answer(void *arrived, size_t bytes)
{
    ++served;
    if (now->access == SMP_LINES) {
        smp_raw_touch(arrived, bytes);
    }
    return now->access == SMP_ECHOED ? arrived : now->local;
}

static void on_medium(gasnet_token_t token, void *buf, size_t bytes)
{
    gasnet_AMReplyMedium0(token, LOADED_PONG, answer(buf, bytes), bytes);
}

static void on_long(gasnet_token_t token, void *buf, size_t bytes)
{
    gasnet_AMReplyLong0(token, LOADED_PONG, answer(buf, bytes), bytes,
                        now->there->in);
}

static void on_loaded(gasnet_token_t token, void *buf, size_t bytes)
{
    (void)token;
    ++answered;
    if (now->access == SMP_LINES) {
        smp_raw_touch(buf, bytes);
    }
}

static void on_flood(gasnet_token_t token)
{
    (void)token;
    ++served;
}

static gasnet_handlerentry_t handlers[] = {
    {SHORT_PING, (void (*)())on_short},   {SHORT_PONG, (void (*)())on_answer},
    {MEDIUM_PING, (void (*)())on_medium}, {LONG_PING, (void (*)())on_long},
    {LOADED_PONG, (void (*)())on_loaded}, {FLOODING, (void (*)())on_flood},
};

static void join(int *argc, char ***argv, size_t segment, struct smp_rank *r,
                 void *segments[SMP_MAX_RANKS])
{
    static gasnet_seginfo_t info[SMP_MAX_RANKS];

    if (gasnet_init(argc, argv) != GASNET_OK ||
        gasnet_nodes() > SMP_MAX_RANKS ||
        gasnet_attach(handlers, sizeof handlers / sizeof handlers[0], segment,
                      0) != GASNET_OK) {
        fsh_fatal("cannot join the job, or it has more than %u ranks",
                  SMP_MAX_RANKS);
    }
    r->rank = gasnet_mynode();
    r->ranks = gasnet_nodes();
    now = r;
    gasnet_getSegmentInfo(info, (int)r->ranks);
    for (unsigned i = 0; i < r->ranks; ++i) {
        segments[i] = info[i].addr;
    }
}

static void leave(int code)
{
    gasnet_exit(code);
}

static void fetch(void *to, unsigned rank, const void *from, size_t bytes)
{
    gasnet_get(to, rank, (void *)(uintptr_t)from, bytes);
}

static void barrier(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* ---- active messages ---- */

/* Rank 1 of a ping-pong. */
static uint64_t serve(unsigned n)
{
    unsigned end = served + n;

    GASNET_BLOCKUNTIL(served == end);
    return 0;
}

/* n times: sends with SEND and waits for the answer. */
#define PING_PONG(name, SEND)                            \
    static uint64_t name(struct smp_rank *r, unsigned n) \
    {                                                    \
        uint64_t start = fsh_time_ns();                  \
        if (r->rank != 0) {                              \
            return serve(n);                             \
        }                                                \
        for (unsigned i = 0; i < n; ++i) {               \
            unsigned before = answered;                  \
            SEND;                                        \
            GASNET_BLOCKUNTIL(answered != before);       \
        }                                                \
        return fsh_time_ns() - start;                    \
    }

PING_PONG(am_short, gasnet_AMRequestShort0(1, SHORT_PING))
PING_PONG(am_medium,
          gasnet_AMRequestMedium0(1, MEDIUM_PING, r->local, r->bytes))
PING_PONG(am_long,
          gasnet_AMRequestLong0(1, LONG_PING, r->local, r->bytes, r->there->in))

/* Until the last handler has run, as signalled by a flag in memory. */
static uint64_t am_flood(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    ++r->seq;
    if (r->rank == 0) {
        for (unsigned i = 0; i < n; ++i) {
            gasnet_AMRequestShort0(1, FLOODING);
        }
        smp_raw_await(r, &r->mine->flag.value, r->seq);
    } else {
        serve(n);
        atomic_store_explicit(&r->peer->flag.value, r->seq,
                              memory_order_release);
    }
    return fsh_time_ns() - start;
}

/* ---- one-sided operations of rank 0 ---- */

#define ALONE(name, CALL, END)                             \
    static uint64_t name(struct smp_rank *r, unsigned n)   \
    {                                                      \
        uint64_t start = fsh_time_ns();                    \
        for (unsigned i = 0; r->rank == 0 && i < n; ++i) { \
            CALL;                                          \
        }                                                  \
        END;                                               \
        return fsh_time_ns() - start;                      \
    }

ALONE(poll, gasnet_AMPoll(), (void)0)
ALONE(put, gasnet_put(1, r->there->in, r->local, r->bytes), (void)0)
ALONE(get, gasnet_get(r->local, 1, r->there->in, r->bytes), (void)0)
ALONE(put_bw, gasnet_put_nbi_bulk(1, r->there->in, r->local, r->bytes),
      gasnet_wait_syncnbi_puts())
ALONE(get_bw, gasnet_get_nbi_bulk(r->local, 1, r->there->in, r->bytes),
      gasnet_wait_syncnbi_gets())

#define HANDLES 64u
static uint64_t put_nb(struct smp_rank *r, unsigned n)
{
    gasnet_handle_t handle[HANDLES];
    uint64_t start = fsh_time_ns();

    for (unsigned i = 0; r->rank == 0 && i < n; i += HANDLES) {
        unsigned some = n - i < HANDLES ? n - i : HANDLES;

        for (unsigned j = 0; j < some; ++j) {
            handle[j] = gasnet_put_nb(1, r->there->in + j * r->bytes, r->local,
                                      r->bytes);
        }
        gasnet_wait_syncnb_all(handle, some);
    }
    return fsh_time_ns() - start;
}

static uint64_t barriers(struct smp_rank *r, unsigned n)
{
    uint64_t start = fsh_time_ns();

    (void)r;
    for (unsigned i = 0; i < n; ++i) {
        barrier();
    }
    return fsh_time_ns() - start;
}

const struct smp_ops SMP_OPS = {
    .mode = FSH_GASNET_MODE_STR,
    .join = join,
    .leave = leave,
    .fetch = fetch,
    .barrier = barrier,
    .am_short = am_short,
    .am_medium = am_medium,
    .am_long = am_long,
    .am_flood = am_flood,
    .poll = poll,
    .put = put,
    .get = get,
    .put_bw = put_bw,
    .get_bw = get_bw,
    .put_nb = put_nb,
    .barriers = barriers,
};
