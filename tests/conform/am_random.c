/* SPDX-License-Identifier: BSD-3-Clause */
/* Random active messages: any category, number of arguments and size, to any
 * rank, optionally with a reply of any kind. The seed determines message i of a
 * rank, so its receiver knows the expected contents and the expected number of
 * messages. */
#include "conform.h"
#include "arity.h"

enum { SHORT, MEDIUM, LONG, LONG_ASYNC, MOST = 65536, CELL = 2048 };
enum { H_SHORT = 128, H_BUFFER = 128 + 17 };

struct message {
    gasnet_node_t to;
    int kind, nargs, answered;
    size_t bytes;
    unsigned key;
    int v[16]; /* v[0]: number, and whether it is a reply */
};

static int count, requests, replies, nameless, nameless_wanted, wanted[2];
static unsigned char *seen[2]; /* requests: [source][number]; replies */
static unsigned char payload[MOST];

/* Message `number` of rank `from`, or the reply to it. */
static struct message make(gasnet_node_t from, int number, int reply)
{
    struct conf_rng rng = conf_rng((uint64_t)from << 40 |
                                   (uint64_t)number << 1 | (unsigned)reply);
    struct message m;
    size_t most = gasnet_AMMaxMedium() < MOST ? gasnet_AMMaxMedium() : MOST;
    size_t most_long =
        reply ? gasnet_AMMaxLongReply() : gasnet_AMMaxLongRequest();

    m.to = (gasnet_node_t)conf_below(&rng, conf.n);
    m.kind = (int)conf_below(&rng, reply ? 3 : 4);
    m.nargs = (int)conf_below(&rng, 17);
    m.answered = conf_below(&rng, 3) != 0;
    if (m.kind != MEDIUM) {
        most = most_long < CELL ? most_long : CELL;
    }
    m.bytes = m.kind == SHORT ? 0 : conf_length(&rng, most);
    m.key = (unsigned)conf_next(&rng) & 0xffff;
    for (int i = 0; i < 16; i++) {
        m.v[i] = (int)conf_next(&rng);
    }
    m.v[0] = number << 1 | reply;
    if (m.nargs == 0) { /* it cannot say which it is */
        m.kind = SHORT;
        m.bytes = 0;
        m.answered = 0;
    }
    return m;
}

/* Cells of requests: [source][number]; of replies, behind them: [number]. */
static void *cell(gasnet_node_t at, gasnet_node_t from, int number, int reply)
{
    size_t row = reply ? conf.n : from;

    return conf_addr(at) + (row * (size_t)count + (size_t)number) * CELL;
}

/* clang-format off */
#define SEND(N) \
    case N: \
        if (m->kind == SHORT) \
            OK(gasnet_AMRequestShort##N(to, H_SHORT + N ARITY_ELEMS_##N)); \
        else if (m->kind == MEDIUM) \
            OK(gasnet_AMRequestMedium##N(to, H_BUFFER + N, payload, m->bytes \
                                         ARITY_ELEMS_##N)); \
        else if (m->kind == LONG) \
            OK(gasnet_AMRequestLong##N(to, H_BUFFER + N, payload, m->bytes, \
                                       at ARITY_ELEMS_##N)); \
        else \
            OK(gasnet_AMRequestLongAsync##N(to, H_BUFFER + N, source, \
                                            m->bytes, at ARITY_ELEMS_##N)); \
        break;
#define REPLY(N) \
    case N: \
        if (m->kind == SHORT) \
            OK(gasnet_AMReplyShort##N(token, H_SHORT + N ARITY_ELEMS_##N)); \
        else if (m->kind == MEDIUM) \
            OK(gasnet_AMReplyMedium##N(token, H_BUFFER + N, buf, m->bytes \
                                       ARITY_ELEMS_##N)); \
        else \
            OK(gasnet_AMReplyLong##N(token, H_BUFFER + N, buf, m->bytes, at \
                                     ARITY_ELEMS_##N)); \
        break;
/* clang-format on */

/* source: of its own until all is over, for LongAsync. */
static void request(const struct message *m, int number, void *source)
{
    const gasnet_node_t to = m->to;
    const int *v = m->v;
    void *at = cell(to, conf.me, number, 0);

    conf_fill(m->kind == LONG_ASYNC ? source : payload, m->bytes, m->key);
    switch (m->nargs) {
        ARITY_EACH(SEND)
    }
}

static void reply(gasnet_token_t token, gasnet_node_t to, int number)
{
    const struct message answer = make(to, number, 1), *m = &answer;
    unsigned char *buf = (unsigned char *)malloc(MOST);
    const int *v = m->v;
    void *at = cell(to, conf.me, number, 1);

    CHECK(buf != NULL, "malloc");
    conf_fill(buf, m->bytes, m->key);
    switch (m->nargs) {
        ARITY_EACH(REPLY)
    }
    free(buf);
}

static void arrive(gasnet_token_t token, void *buf, size_t n, const int *v,
                   int nargs)
{
    const int number = v[0] >> 1, is_reply = v[0] & 1;
    gasnet_node_t from;
    struct message m;
    unsigned char *mark;

    OK(gasnet_AMGetMsgSource(token, &from));
    if (nargs == 0) {
        conf_add(&nameless, 1);
        return;
    }
    CHECK(number >= 0 && number < count, "number %d", number);
    m = make(is_reply ? conf.me : from, number, is_reply);
    CHECK_EQ(nargs, m.nargs);
    CHECK_EQ(n, m.bytes);
    for (int i = 0; i < nargs; i++) {
        CHECK_EQ(v[i], m.v[i]);
    }
    CHECK_FILL(buf, n, m.key);
    if (m.kind >= LONG) {
        CHECK(buf == cell(conf.me, from, number, is_reply), "at %p", buf);
    }
    mark = seen[is_reply] + (is_reply ? 0 : from * (size_t)count) + number;
    CHECK(*mark == 0, "message %d of rank %u came twice", v[0], (unsigned)from);
    *mark = 1;
    if (!is_reply && m.answered) {
        reply(token, from, number);
    }
    conf_add(is_reply ? &replies : &requests, 1);
}

/* clang-format off */
#define HANDLERS(N) \
    static void short##N(gasnet_token_t token ARITY_PARAMS_##N) \
    { \
        const int v[] = {0 ARITY_NAMES_##N}; \
        arrive(token, NULL, 0, v + (N != 0), N); \
    } \
    static void buffer##N(gasnet_token_t token, void *buf, size_t n \
                          ARITY_PARAMS_##N) \
    { \
        const int v[] = {0 ARITY_NAMES_##N}; \
        arrive(token, buf, n, v + (N != 0), N); \
    }
#define ROWS(N) {H_SHORT + N, short##N}, {H_BUFFER + N, buffer##N},
ARITY_EACH(HANDLERS)
static gasnet_handlerentry_t table[] = {ARITY_EACH(ROWS)};
/* clang-format on */

/* What will come to this rank. */
static void expect(void)
{
    for (gasnet_node_t from = 0; from < conf.n; from++) {
        for (int i = 0; i < count; i++) {
            const struct message m = make(from, i, 0);

            if (m.to == conf.me) {
                *(m.nargs ? &wanted[0] : &nameless_wanted) += 1;
            }
            if (from == conf.me && m.answered) {
                *(make(from, i, 1).nargs ? &wanted[1] : &nameless_wanted) += 1;
            }
        }
    }
}

int main(int argc, char **argv)
{
    unsigned char *sources;

    conf_init("am_random", &argc, &argv);
    count = conf_iters(300, 40);
    seen[0] = (unsigned char *)calloc((size_t)count, conf.n);
    seen[1] = (unsigned char *)calloc((size_t)count, 1);
    sources = (unsigned char *)malloc((size_t)count * CELL);
    CHECK(seen[0] && seen[1] && sources, "memory");
    conf_attach(table, CONF_COUNT(table),
                (uintptr_t)(conf.n + 1) * (uintptr_t)count * CELL);
    expect();
    conf_barrier();
    for (int i = 0; i < count; i++) {
        const struct message m = make(conf.me, i, 0);

        request(&m, i, sources + (size_t)i * CELL);
        if (m.key % 8 == 0) {
            OK(gasnet_AMPoll());
        }
    }
    CONF_WAIT(requests, wanted[0]);
    CONF_WAIT(replies, wanted[1]);
    CONF_WAIT(nameless, nameless_wanted);
    conf_barrier();
    OK(gasnet_AMPoll());
    CHECK_EQ(conf_load(&requests), wanted[0]);
    CHECK_EQ(conf_load(&replies), wanted[1]);
    CHECK_EQ(conf_load(&nameless), nameless_wanted);
    conf_pass();
}
