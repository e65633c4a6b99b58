/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Non-blocking sends (am_try_request, am_try_reply of the conduit table), on
 * any conduit: rank 0 sends messages of any category to a rank 1 that makes no calls, until
 * there is no room, and no handler runs meanwhile. Refused messages have no effect; all
 * others arrive once, complete, although their sources were overwritten
 * immediately. Repeated, so that resources leaked by refused messages
 * show up. Two ranks.
 */
#include "gasnet/internal.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { H_MEDIUM = 128, H_LONG, H_ASK, H_ANSWER, H_KNOCK };
enum { ROUNDS = 15, MOST = 100000, LARGEST = 3000, LONG_BYTES = 700 };
enum { WORDS = 64, AREA = 4096, SEGMENT = 1 << 16 };

static const size_t sizes[] = {0, 8, 31, 32, 100, 512, 600, 1500, LARGEST};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static uint32_t me;
static unsigned char *segment[2];
static unsigned seen, knocks, answers, tried, answered;
static bool came[MOST];
static unsigned char source[LARGEST];

#define NEED(cond)                                                            \
    do {                                                                      \
        if (!(cond)) {                                                        \
            fprintf(stderr, "try_send: rank %u, line %d: %s\n", me, __LINE__, \
                    #cond);                                                   \
            gasnet_exit(1);                                                   \
        }                                                                     \
    } while (0)

static unsigned char byte_of(unsigned id, size_t i)
{
    return (unsigned char)(id * 7 + i * 13 + 1);
}

static void fill(unsigned char *p, size_t n, unsigned id)
{
    for (size_t i = 0; i < n; i++)
        p[i] = byte_of(id, i);
}

static void need_fill(const unsigned char *p, size_t n, unsigned id)
{
    for (size_t i = 0; i < n; i++)
        NEED(p[i] == byte_of(id, i));
}

/* ---- handlers ---- */

/* Each once, in any order. */
static void note(unsigned id)
{
    NEED(id < MOST && !came[id]);
    came[id] = true;
    seen++;
}

static void medium(gasnet_token_t token, void *buf, size_t n, int id)
{
    (void)token;
    NEED(n == sizes[(unsigned)id % SIZES]);
    need_fill(buf, n, (unsigned)id);
    note((unsigned)id);
}

static void long_one(gasnet_token_t token, void *buf, size_t n, int id)
{
    (void)token;
    NEED(n == LONG_BYTES);
    need_fill(buf, n, (unsigned)id);
    note((unsigned)id);
}

static void ask(gasnet_token_t token, int id)
{
    const int32_t args[] = {id};
    const struct fsh_am am = {.handler = H_ANSWER,
                              .category = FSH_AM_MEDIUM,
                              .nargs = 1,
                              .args = args,
                              .src = source,
                              .nbytes = sizes[id % SIZES]};

    fill(source, sizeof source, (unsigned)id);
    tried++;
    if (fsh_gasnet.ops->am_try_reply(token, &am))
        answered++;
    memset(source, 0, sizeof source);
}

static void answer(gasnet_token_t token, void *buf, size_t n, int id)
{
    (void)token;
    NEED(n == sizes[id % SIZES]);
    need_fill(buf, n, (unsigned)id);
    answers++;
}

static void knock(gasnet_token_t token)
{
    (void)token;
    knocks++;
}

/* ---- words in the segments ---- */

static volatile unsigned *word(uint32_t rank, unsigned i)
{
    return (volatile unsigned *)(void *)segment[rank] + i;
}

static void tell(uint32_t rank, unsigned i, unsigned value)
{
    gasnet_put(rank, (void *)(uintptr_t)word(rank, i), &value, sizeof value);
}

static void await_silently(unsigned i, unsigned value)
{
    while (__atomic_load_n(word(me, i), __ATOMIC_ACQUIRE) != value)
        usleep(20);
}

enum { KNOCKED, SENT, GO, DONE };

/* ---- rank 0 ---- */

static bool try_one(unsigned category, unsigned id)
{
    const int32_t args[] = {(int32_t)id};
    bool in_segment = id / SIZES % 2 != 0, sent;
    unsigned char *from = in_segment ? segment[0] + AREA : source;
    const struct fsh_am am = {
        .node = 1,
        .handler = category == FSH_AM_LONG ? H_LONG : H_MEDIUM,
        .category = (uint8_t)category,
        .nargs = 1,
        .args = args,
        .src = from,
        .nbytes = category == FSH_AM_LONG ? LONG_BYTES : sizes[id % SIZES],
        .dst = segment[1] + AREA};

    fill(from, am.nbytes, id);
    sent = fsh_gasnet.ops->am_try_request(&am);
    memset(from, 0, am.nbytes);
    return sent;
}

/* Mediums until one is refused, then until all are; returns the next id. */
static unsigned fill_up(unsigned id)
{
    unsigned first = id, refused = 0;

    while (refused < SIZES) {
        NEED(id < MOST);
        if (try_one(FSH_AM_MEDIUM, id)) {
            id++;
            refused = 0;
        } else {
            refused++;
        }
    }
    NEED(id != first);
    return id;
}

static void sender(void)
{
    unsigned id = 0, before;

    for (unsigned round = 1; round <= ROUNDS; round++) {
        await_silently(KNOCKED, round);
        before = knocks;
        id = fill_up(id);
        for (unsigned i = 0; i < 10; i++)
            NEED(!try_one(FSH_AM_MEDIUM, id));
        NEED(knocks == before); /* no handler has run */
        tell(1, SENT, id);
        tell(1, GO, round);
        while (*word(0, DONE) != round)
            gasnet_AMPoll();
        NEED(knocks == round);
        /* There is room again, for a Long, too. */
        while (!try_one(FSH_AM_LONG, id))
            gasnet_AMPoll();
        id++;
        tell(1, SENT, id);
        tell(1, GO, round + ROUNDS);
        while (*word(0, DONE) != round + ROUNDS)
            gasnet_AMPoll();
    }
}

/* ---- rank 1 ---- */

static void receiver(void)
{
    for (unsigned round = 1; round <= ROUNDS; round++) {
        gasnet_AMRequestShort0(0, H_KNOCK);
        memset(segment[1] + AREA, 0x77, LONG_BYTES);
        tell(0, KNOCKED, round);
        await_silently(GO, round);
        while (seen != *word(1, SENT))
            gasnet_AMPoll();
        for (unsigned i = 0; i < LONG_BYTES; i++)
            NEED(segment[1][AREA + i] == 0x77);
        tell(0, DONE, round);
        while (*word(1, GO) != round + ROUNDS || seen != *word(1, SENT))
            gasnet_AMPoll();
        tell(0, DONE, round + ROUNDS);
    }
}

/* A Long that finds no room must not write. */
static void full_long(void)
{
    unsigned id = 0;

    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    seen = 0;
    memset(came, 0, sizeof came);
    memset(segment[me] + AREA, 0x77, LONG_BYTES);
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (me == 1) {
        await_silently(GO, 1000);
        for (unsigned i = 0; i < LONG_BYTES; i++)
            NEED(segment[1][AREA + i] == 0x77);
        while (seen != *word(1, SENT))
            gasnet_AMPoll();
    } else {
        const int32_t none = 0;
        const struct fsh_am am = {.node = 1,
                                  .handler = H_KNOCK,
                                  .category = FSH_AM_SHORT,
                                  .args = &none};

        id = fill_up(0);
        while (fsh_gasnet.ops->am_try_request(&am)) {}
        NEED(!try_one(FSH_AM_LONG, id));
        tell(1, SENT, id);
        tell(1, GO, 1000);
    }
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

/* Replies from handlers: those that were sent arrive. */
static void replies(void)
{
    enum { ASKED = 500 };

    for (int i = 0; me == 0 && i < ASKED; i++)
        gasnet_AMRequestShort1(1, H_ASK, i);
    while (me == 1 && tried != ASKED)
        gasnet_AMPoll();
    if (me == 1) {
        NEED(answered != 0);
        tell(0, SENT, answered);
        tell(0, GO, 2000);
    }
    while (me == 0 && (*word(0, GO) != 2000 || answers != *word(0, SENT)))
        gasnet_AMPoll();
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_MEDIUM, (void (*)())medium},
                                     {H_LONG, (void (*)())long_one},
                                     {H_ASK, (void (*)())ask},
                                     {H_ANSWER, (void (*)())answer},
                                     {H_KNOCK, (void (*)())knock}};
    gasnet_seginfo_t info[2];

    alarm(60);
    gasnet_init(&argc, &argv);
    me = gasnet_mynode();
    NEED(gasnet_nodes() == 2);
    NEED(gasnet_attach(table, 5, SEGMENT, 0) == GASNET_OK);
    gasnet_getSegmentInfo(info, 2);
    segment[0] = info[0].addr;
    segment[1] = info[1].addr;
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (me == 0)
        sender();
    else
        receiver();
    full_long();
    replies();
    if (me == 0)
        puts("try_send: pass");
    gasnet_exit(0);
}
