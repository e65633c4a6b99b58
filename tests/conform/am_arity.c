/* SPDX-License-Identifier: BSD-3-Clause */
/* Every arity 0..16 of Short, Medium, Long and LongAsync requests, answered by
 * a reply of the same category and arity; argument values, payload, address
 * and source are checked at both ends. Every rank to every rank. */
#include "arity.h"
#include "conform.h"

enum {
    SHORT_REQ = 128,
    MEDIUM_REQ = 145,
    LONG_REQ = 162,
    SHORT_REP = 179,
    MEDIUM_REP = 196,
    LONG_REP = 213
};
enum { CELL = 64, KINDS = 4 }; /* bytes of a Long payload's place */

static int replies;
static int round_no; /* changes the values; agreed by barriers */

/* Argument i of M: extremes of the type move through all positions. */
static int value(int m, int i, int reply)
{
    static const int special[] = {0,  1,         -1,         INT32_MAX,
                                  42, INT32_MIN, 0x55aa1234, -0x12345678};
    return special[(i + m + round_no + reply) % 8] ^ (i * 0x10001);
}

static void check_values(const int *v, int m, int reply)
{
    for (int i = 0; i < m; i++) {
        CHECK(v[i + 1] == value(m, i, reply),
              "arity %d, argument %d is %d, "
              "want %d",
              m, i, v[i + 1], value(m, i, reply));
    }
}

/* Where rank `from` puts its Long of arity m and kind k (0, 1: requests and
 * LongAsync; 2, 3: the replies to them). */
static unsigned char *place(gasnet_node_t at, gasnet_node_t from, int m, int k)
{
    size_t cell = ((size_t)from * 17 + (size_t)m) * KINDS + (size_t)k;
    return conf_addr(at) + cell * CELL;
}

static unsigned pattern(gasnet_node_t from, int m, int k)
{
    return (unsigned)from * 100u + (unsigned)(m * KINDS + k);
}

static gasnet_node_t source(gasnet_token_t token)
{
    gasnet_node_t from = ~(gasnet_node_t)0;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK(from < conf.n, "source %u", (unsigned)from);
    return from;
}

static int check_long(gasnet_node_t from, void *buf, size_t n, int m, int k)
{
    unsigned char *p = (unsigned char *)buf;
    k += p == place(conf.me, from, m, k + 1);
    CHECK(p == place(conf.me, from, m, k), "Long from %u at %p, want %p",
          (unsigned)from, buf, (void *)place(conf.me, from, m, k));
    CHECK_EQ(n, 5 + m);
    CHECK_FILL(buf, n, pattern(from, m, k));
    return k;
}

#define HANDLERS(M)                                                            \
    static void short_rep_##M(gasnet_token_t token ARITY_PARAMS_##M)           \
    {                                                                          \
        const int v[] = {0 ARITY_NAMES_##M};                                   \
        source(token);                                                         \
        check_values(v, M, 1);                                                 \
        conf_add(&replies, 1);                                                 \
    }                                                                          \
    static void short_req_##M(gasnet_token_t token ARITY_PARAMS_##M)           \
    {                                                                          \
        const int in[] = {0 ARITY_NAMES_##M};                                  \
        int v[17];                                                             \
        source(token);                                                         \
        check_values(in, M, 0);                                                \
        fill_values(v, M, 1);                                                  \
        OK(CONF_CALL(gasnet_AMReplyShort##M, token,                            \
                     SHORT_REP + M ARITY_ELEMS_##M));                          \
    }                                                                          \
    static void medium_rep_##M(gasnet_token_t token, void *buf,                \
                               size_t n ARITY_PARAMS_##M)                      \
    {                                                                          \
        const int v[] = {0 ARITY_NAMES_##M};                                   \
        source(token);                                                         \
        CHECK_EQ(n, 3 + M);                                                    \
        CHECK_FILL(buf, n, pattern(conf.me, M, 0));                            \
        check_values(v, M, 1);                                                 \
        conf_add(&replies, 1);                                                 \
    }                                                                          \
    static void medium_req_##M(gasnet_token_t token, void *buf,                \
                               size_t n ARITY_PARAMS_##M)                      \
    {                                                                          \
        const int in[] = {0 ARITY_NAMES_##M};                                  \
        int v[17];                                                             \
        CHECK_EQ(n, 3 + M);                                                    \
        CHECK_FILL(buf, n, pattern(source(token), M, 0));                      \
        check_values(in, M, 0);                                                \
        fill_values(v, M, 1);                                                  \
        OK(CONF_CALL(gasnet_AMReplyMedium##M, token, MEDIUM_REP + M, buf,      \
                     n ARITY_ELEMS_##M));                                      \
    }                                                                          \
    static void long_rep_##M(gasnet_token_t token, void *buf,                  \
                             size_t n ARITY_PARAMS_##M)                        \
    {                                                                          \
        const int v[] = {0 ARITY_NAMES_##M};                                   \
        check_long(source(token), buf, n, M, 2);                               \
        check_values(v, M, 1);                                                 \
        conf_add(&replies, 1);                                                 \
    }                                                                          \
    static void long_req_##M(gasnet_token_t token, void *buf,                  \
                             size_t n ARITY_PARAMS_##M)                        \
    {                                                                          \
        const int in[] = {0 ARITY_NAMES_##M};                                  \
        int v[17];                                                             \
        unsigned char out[CELL];                                               \
        const gasnet_node_t from = source(token);                              \
        const int k = check_long(from, buf, n, M, 0) + 2;                      \
        check_values(in, M, 0);                                                \
        fill_values(v, M, 1);                                                  \
        conf_fill(out, n, pattern(conf.me, M, k));                             \
        OK(CONF_CALL(gasnet_AMReplyLong##M, token, LONG_REP + M, out, n,       \
                     place(from, conf.me, M, k) ARITY_ELEMS_##M));             \
    }                                                                          \
    static void send_##M(gasnet_node_t to)                                     \
    {                                                                          \
        int v[17];                                                             \
        unsigned char out[3][CELL];                                            \
        const int before = conf_load(&replies);                                \
        fill_values(v, M, 0);                                                  \
        conf_fill(out[0], CELL, pattern(conf.me, M, 0));                       \
        conf_fill(out[1], CELL, pattern(conf.me, M, 0));                       \
        conf_fill(out[2], CELL, pattern(conf.me, M, 1));                       \
        OK(CONF_CALL(gasnet_AMRequestShort##M, to,                             \
                     SHORT_REQ + M ARITY_ELEMS_##M));                          \
        OK(CONF_CALL(gasnet_AMRequestMedium##M, to, MEDIUM_REQ + M, out[0],    \
                     3 + M ARITY_ELEMS_##M));                                  \
        OK(CONF_CALL(gasnet_AMRequestLong##M, to, LONG_REQ + M, out[1], 5 + M, \
                     place(to, conf.me, M, 0) ARITY_ELEMS_##M));               \
        OK(CONF_CALL(gasnet_AMRequestLongAsync##M, to, LONG_REQ + M, out[2],   \
                     5 + M, place(to, conf.me, M, 1) ARITY_ELEMS_##M));        \
        CONF_WAIT(replies, before + KINDS);                                    \
    }

static void fill_values(int *v, int m, int reply)
{
    for (int i = 0; i < m; i++) {
        v[i] = value(m, i, reply);
    }
}

ARITY_EACH(HANDLERS)

#define ENTRY(M)                                                            \
    {SHORT_REQ + M, short_req_##M}, {SHORT_REP + M, short_rep_##M},         \
        {MEDIUM_REQ + M, medium_req_##M}, {MEDIUM_REP + M, medium_rep_##M}, \
        {LONG_REQ + M, long_req_##M}, {LONG_REP + M, long_rep_##M},
static gasnet_handlerentry_t table[] = {ARITY_EACH(ENTRY)};

#define SENDER(M) send_##M,
static void (*const senders[])(gasnet_node_t) = {ARITY_EACH(SENDER)};

int main(int argc, char **argv)
{
    const size_t area = (size_t)64 * 17 * KINDS * CELL;
    conf_start("am_arity", &argc, &argv, table, CONF_COUNT(table), area);
    const int rounds = conf_iters(8, 1);
    for (round_no = 0; round_no < rounds; round_no++) {
        memset(conf_addr(conf.me), 0, area);
        conf_barrier();
        for (gasnet_node_t i = 0; i < conf.n; i++) {
            for (int m = 0; m <= 16; m++) {
                senders[m]((conf.me + i) % conf.n);
            }
        }
        conf_barrier();
    }
    conf_pass();
}
