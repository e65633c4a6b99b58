/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fsh_am_deliver calls a handler of every argument count with exactly those
 * arguments, token and buffer, in both forms, and tracks nesting: a reply handler
 * that runs inside a request handler must not invalidate the outer token. Runs as a
 * job of one rank.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gasnet/internal.h"
#include "check.h"

static int32_t seen[16];
static unsigned seen_count, calls;
static void *seen_token, *seen_buf;
static size_t seen_bytes;

static void note(gasnet_token_t token, void *buf, size_t nbytes,
                 const int32_t *a, unsigned n)
{
    seen_token = token;
    seen_buf = buf;
    seen_bytes = nbytes;
    memcpy(seen, a, n * sizeof *a);
    seen_count = n;
    calls++;
}

/* clang-format off */
#define P1 , int a0
#define P2 P1, int a1
#define P3 P2, int a2
#define P8 P3, int a3, int a4, int a5, int a6, int a7
#define P15 P8, int a8, int a9, int a10, int a11, int a12, int a13, int a14
#define P16 P15, int a15
#define L1 a0
#define L2 L1, a1
#define L3 L2, a2
#define L8 L3, a3, a4, a5, a6, a7
#define L15 L8, a8, a9, a10, a11, a12, a13, a14
#define L16 L15, a15
#define HANDLERS(N) \
    static void short##N(gasnet_token_t token P##N) \
    { \
        const int32_t a[] = {L##N}; \
        note(token, NULL, 0, a, N); \
    } \
    static void buffer##N(gasnet_token_t token, void *buf, size_t n P##N) \
    { \
        const int32_t a[] = {L##N}; \
        note(token, buf, n, a, N); \
    }
#define ROW(N) {N, (void (*)())short##N, (void (*)())buffer##N},
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
HANDLERS(1) HANDLERS(2) HANDLERS(3) HANDLERS(8) HANDLERS(15) HANDLERS(16)

static void short0(gasnet_token_t token)
{
    note(token, NULL, 0, seen, 0);
}

static void buffer0(gasnet_token_t token, void *buf, size_t n)
{
    note(token, buf, n, seen, 0);
}

static const struct {
    unsigned nargs;
    void (*as_short)();
    void (*as_buffer)();
} rows[] = {ROW(0) ROW(1) ROW(2) ROW(3) ROW(8) ROW(15) ROW(16)};
/* clang-format on */

static void deliver_and_check(unsigned index, unsigned nargs, bool buffer)
{
    static char payload[24];
    int32_t args[16];
    struct fsh_token token = {.handler = (uint8_t)index,
                              .category = buffer ? FSH_AM_MEDIUM : FSH_AM_SHORT,
                              .nargs = (uint8_t)nargs,
                              .is_request = true,
                              .args = args,
                              .buf = payload,
                              .nbytes = sizeof payload};
    unsigned before = calls;

    for (unsigned i = 0; i < 16; i++)
        args[i] = (int32_t)(0x80000001u * (i + 1) + index);
    fsh_am_deliver(&token);
    CHECK(calls == before + 1 && seen_token == &token);
    CHECK(seen_count == nargs);
    CHECK(memcmp(seen, args, nargs * sizeof *args) == 0);
    if (buffer)
        CHECK(seen_buf == payload && seen_bytes == sizeof payload);
}

/* Two of a kind and one of no arguments, in one go. */
static void deliver_shorts(unsigned none, unsigned index, unsigned nargs)
{
    struct fsh_token token = {.source = 7, .is_request = true};
    struct fsh_short m[3] = {
        {.what = fsh_short_what((uint8_t)index, (uint8_t)nargs)},
        {.what = fsh_short_what((uint8_t)none, 0)},
        {.what = fsh_short_what((uint8_t)index, (uint8_t)nargs)}};
    unsigned before = calls;

    for (unsigned i = 0; i < FSH_SHORT_ARGS; i++)
        m[2].args[i] = (int32_t)(0x80000001u * (i + 1) + index);
    token.replied = true; /* whatever the one before it did */
    fsh_am_deliver_shorts(&token, m, 3);
    CHECK(calls == before + 3 && seen_token == &token && !token.replied);
    CHECK(seen_count == nargs && token.source == 7);
    CHECK(memcmp(seen, m[2].args, nargs * sizeof *seen) == 0);
    CHECK(fsh_thread_self()->token == NULL);
    CHECK(fsh_thread_self()->in_handler == 0);
}

static bool inner_ran, outer_ran;

static void inner(gasnet_token_t token)
{
    (void)token;
    inner_ran = true;
}

/* The conduit may run reply handlers while a reply waits for room. */
static int short_reply(struct fsh_token *token, uint32_t what,
                       const int32_t *args)
{
    struct fsh_token reply = {.handler = fsh_short_handler(what),
                              .nargs = fsh_short_nargs(what),
                              .args = args,
                              .is_request = false};

    (void)token;
    fsh_am_deliver(&reply);
    return 0;
}

static void outer(gasnet_token_t token)
{
    gasnet_node_t from = 99;

    CHECK(gasnet_AMReplyShort0(token, 201) == GASNET_OK);
    CHECK(inner_ran && ((struct fsh_token *)token)->replied);
    CHECK(fsh_thread_self()->token == token);
    CHECK(fsh_thread_self()->in_handler == 1);
    CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK && from == 0);
    outer_ran = true;
}

static void nesting(void)
{
    static const struct fsh_short_ops shorts = {.reply = short_reply};
    const struct fsh_short_ops *own = fsh_gasnet.shorts;
    struct fsh_token token = {.handler = 200, .is_request = true};

    fsh_gasnet.shorts = &shorts;
    fsh_am_deliver(&token);
    fsh_gasnet.shorts = own;
    CHECK(outer_ran && fsh_thread_self()->token == NULL);
    CHECK(fsh_thread_self()->in_handler == 0);
}

int main(int argc, char **argv)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    gasnet_handlerentry_t table[2 * ROWS + 2];

    for (unsigned i = 0; i < ROWS; i++) {
        table[2 * i] = (gasnet_handlerentry_t){0, rows[i].as_short};
        table[2 * i + 1] = (gasnet_handlerentry_t){0, rows[i].as_buffer};
    }
    table[2 * ROWS] = (gasnet_handlerentry_t){200, (void (*)())outer};
    table[2 * ROWS + 1] = (gasnet_handlerentry_t){201, (void (*)())inner};
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 2 * ROWS + 2, 0, 0) == GASNET_OK);
    for (unsigned i = 0; i < ROWS; i++) {
        deliver_and_check(table[2 * i].index, rows[i].nargs, false);
        deliver_and_check(table[2 * i + 1].index, rows[i].nargs, true);
        if (rows[i].nargs <= FSH_SHORT_ARGS)
            deliver_shorts(table[0].index, table[2 * i].index, rows[i].nargs);
    }
    nesting();
    puts("gasnet_dispatch: pass");
    return 0;
}
