/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Active messages of a job of one rank: what the calls accept, what a conduit may
 * deliver, and what handlers may do with it. Arguments are right or wrong at random,
 * and a model knows which: a valid message runs its handler once, with these
 * arguments and bytes, and its reply's; an invalid one ends the job with a line that
 * names the mistake. See fuzz.h for the arguments.
 */
#include "gasnet/internal.h"
#include "../conform/arity.h"
#include "fuzz.h"

enum { SEGMENT = 1 << 18, SHORTS = 128, BUFFERS = 160, NOBODY = 200 };
enum { LONG_ASYNC = 3, POLLS = 10000 };

/* A message, as it is asked for, and as its handler must see it. */
struct message {
    unsigned category;
    int handler, nargs;
    uint32_t node;
    int32_t args[16];
    const void *src;
    size_t nbytes;
    unsigned char *dst;
};

static struct {
    struct fuzz *f;
    unsigned char *segment;
    unsigned char source[SEGMENT + 8192];
    struct message want[2]; /* of requests, of replies */
    unsigned calls[2];
    bool replies, twice, draining;
    const char *wrong; /* what the handler's reply has wrong, or NULL */
} w;

/* ---- handlers of all counts, as Short and with a buffer ---- */

static void note(gasnet_token_t token, void *buf, size_t nbytes,
                 const int32_t *args, int nargs);

/* clang-format off */
#define HANDLERS(N) \
    static void short##N(gasnet_token_t token ARITY_PARAMS_##N) \
    { \
        const int32_t v[] = {0 ARITY_NAMES_##N}; \
        note(token, NULL, 0, v + 1, N); \
    } \
    static void buffer##N(gasnet_token_t token, void *buf, size_t n \
                          ARITY_PARAMS_##N) \
    { \
        const int32_t v[] = {0 ARITY_NAMES_##N}; \
        note(token, buf, n, v + 1, N); \
    }
#define ROWS(N) {SHORTS + N, (void (*)())short##N}, \
                {BUFFERS + N, (void (*)())buffer##N},
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
ARITY_EACH(HANDLERS)
static gasnet_handlerentry_t table[] = {ARITY_EACH(ROWS)};
/* clang-format on */

/* ---- the model ---- */

static bool is_long(const struct message *m)
{
    return m->category >= FSH_AM_LONG;
}

/* May it go the short way, and does it? */
static bool is_plain(const struct message *m)
{
    return m->category == FSH_AM_SHORT && m->nargs >= 0 &&
           FSH_GASNET_IS_SHORT(m->nargs, m->handler) && m->args[0] % 2 == 0;
}

/* What is wrong with a message, as a piece of what must be said; NULL: it is
 * right. In the order of the calls' checks. */
static const char *fault_of(const struct message *m, bool request)
{
    size_t offset = (size_t)(m->dst - w.segment);

    if (m->nargs < 0 || m->nargs > 16)
        return "arguments, but";
    if (m->handler < 128 || m->handler > 255)
        return "handler index is";
    if (request && m->node >= 1)
        return "node";
    if (m->category == FSH_AM_SHORT || m->nbytes == 0)
        return NULL;
    if (m->nbytes > (is_long(m) ? (size_t)1 << 30 : 65536))
        return "bytes of payload, but";
    if (is_long(m) && (offset > SEGMENT || m->nbytes > SEGMENT - offset))
        return "segment";
    return NULL;
}

static size_t any_size(struct fuzz *f)
{
    uint64_t r = fuzz_word(f);

    switch (r % 16) {
    case 0:
        return (size_t)(r >> (4 + (r >> 8) % 60));
    case 1:
        return 65535 + (r >> 8) % 3;
    case 2:
        return ((size_t)1 << 30) + (r >> 8) % 2;
    default:
        return (r >> 8) % (r % 2 ? 600 : 10000);
    }
}

static bool registered(int handler)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].index == handler)
            return true;
    return false;
}

/* Handlers are of the count of arguments that they are called with. */
static bool fits(const struct message *m)
{
    return m->handler ==
           (m->category == FSH_AM_SHORT ? SHORTS : BUFFERS) + m->nargs;
}

static struct message any_message(struct fuzz *f, bool request)
{
    struct message m = {.category = fuzz_below(f, request ? 4 : 3),
                        .nargs = (int)fuzz_below(f, 17)};

    if (fuzz_rarely(f, 16))
        m.nargs = (int)(int8_t)fuzz_byte(f);
    m.handler = (m.category == FSH_AM_SHORT ? SHORTS : BUFFERS) + m.nargs;
    if (fuzz_rarely(f, 16))
        m.handler = (int)(fuzz_word(f) >> fuzz_below(f, 64));
    if (m.handler == FSH_OP_COMPUTE || (registered(m.handler) && !fits(&m)))
        m.handler = NOBODY;
    if (fuzz_rarely(f, 16))
        m.node = (uint32_t)(fuzz_word(f) >> fuzz_below(f, 64));
    for (int i = 0; i < 16; i++)
        m.args[i] = (int32_t)fuzz_word(f);
    m.src = w.source + fuzz_below(f, 4096);
    m.nbytes = m.category == FSH_AM_SHORT ? 0 : any_size(f);
    m.dst = w.segment + fuzz_below(f, SEGMENT - 10000);
    if (fuzz_rarely(f, 8))
        m.dst = w.segment + SEGMENT - fuzz_below(f, 600) + 300;
    if (fuzz_rarely(f, 32))
        m.dst = (unsigned char *)(uintptr_t)fuzz_word(f);
    return m;
}

/* The way out of a handler leaves the block of a large payload taken. */
static void keep_small(struct message *m)
{
    if (m->category == FSH_AM_MEDIUM && m->nbytes <= 65536)
        m->nbytes %= 513;
}

/* ---- what handlers see and do ---- */

#define ARGS(m)                                                               \
    (m)->nargs, (m)->args[0], (m)->args[1], (m)->args[2], (m)->args[3],       \
        (m)->args[4], (m)->args[5], (m)->args[6], (m)->args[7], (m)->args[8], \
        (m)->args[9], (m)->args[10], (m)->args[11], (m)->args[12],            \
        (m)->args[13], (m)->args[14], (m)->args[15]

static void reply(gasnet_token_t token)
{
    struct message *m = &w.want[1];

    *m = any_message(w.f, false);
    if (!registered(m->handler))
        keep_small(m);
    w.wrong = fault_of(m, false);
    if (fuzz_rarely(w.f, 32)) { /* a token that is none, or an old one */
        token = fuzz_rarely(w.f, 2) ? NULL : (void *)w.segment;
        if (w.wrong == NULL || m->nargs >= 0)
            w.wrong = m->nargs < 0 || m->nargs > 16 ? w.wrong : "token";
    }
    if (is_plain(m))
        fsh_gasnet_short_reply(token, FSH_GASNET_SHORT(m->nargs, m->handler),
                               m->args);
    else
        fsh_gasnet_am_reply_va(m->category, token, m->handler, m->src,
                               m->nbytes, m->dst, ARGS(m));
    CHECK(w.wrong == NULL, "a reply passed: %s", w.wrong);
    w.twice = fuzz_rarely(w.f, 32);
    if (w.twice)
        gasnet_AMReplyShort0(token, SHORTS);
    CHECK(!w.twice, "a second reply passed");
}

static void note(gasnet_token_t token, void *buf, size_t nbytes,
                 const int32_t *args, int nargs)
{
    bool request = ((const struct fsh_token *)token)->is_request;
    const struct message *m = &w.want[request ? 0 : 1];
    gasnet_node_t from = 99;

    if (w.draining)
        return;
    CHECK(nargs == m->nargs && nbytes == m->nbytes, "%d arguments, %zu bytes",
          nargs, nbytes);
    CHECK(memcmp(args, m->args, (size_t)nargs * sizeof *args) == 0);
    if (nbytes != 0)
        CHECK(memcmp(buf, m->src, nbytes) == 0, "%zu bytes", nbytes);
    if (is_long(m))
        CHECK(buf == m->dst);
    CHECK(gasnet_AMGetMsgSource(token, &from) == GASNET_OK && from == 0);
    w.calls[request ? 0 : 1]++;
    if (request && w.replies)
        reply(token);
}

/* ---- cases ---- */

static void request_body(void *arg)
{
    const struct message *m = &w.want[0];
    unsigned replies;

    (void)arg;
    if (is_plain(m))
        fsh_gasnet_short_request(
            m->node, FSH_GASNET_SHORT(m->nargs, m->handler), m->args);
    else
        fsh_gasnet_am_request_va(m->category, m->node, m->handler, m->src,
                                 m->nbytes, m->dst, ARGS(m));
    for (int i = 0; i < POLLS && w.calls[0] == 0; i++)
        gasnet_AMPoll();
    CHECK(w.calls[0] == 1, "the request has come %u times", w.calls[0]);
    replies = w.replies ? 1 : 0;
    for (int i = 0; i < POLLS && w.calls[1] < replies; i++)
        gasnet_AMPoll();
    gasnet_AMPoll();
    CHECK(w.calls[0] == 1 && w.calls[1] == replies,
          "request and reply have come %u and %u times", w.calls[0],
          w.calls[1]);
}

static void expect(bool ended, const char *wrong)
{
    CHECK(ended == (wrong != NULL), "%s; want: %s",
          ended ? fuzz_reason : "accepted", wrong ? wrong : "no complaint");
    CHECK(!ended || strstr(fuzz_reason, wrong), "said: %s; want: %s",
          fuzz_reason, wrong);
}

static void request_case(struct fuzz *f)
{
    struct message *m = &w.want[0];
    const char *wrong;
    bool ended;

    *m = any_message(f, true);
    w.replies = fuzz_rarely(f, 2);
    if (w.replies || !registered(m->handler))
        keep_small(m);
    wrong = fault_of(m, true);
    if (wrong == NULL && !registered(m->handler))
        wrong = "not registered";
    ended = fuzz_ends(request_body, NULL);
    if (wrong == NULL && w.wrong != NULL)
        wrong = w.wrong;
    else if (wrong == NULL && w.twice)
        wrong = "second reply";
    else if (wrong == NULL && w.replies && w.calls[0] == 1 &&
             !registered(w.want[1].handler))
        wrong = "not registered";
    expect(ended, wrong);
}

static void deliver_body(void *arg)
{
    const struct message *m = arg;
    struct fsh_token token = {.handler = (uint8_t)m->handler,
                              .category = (uint8_t)m->category,
                              .nargs = (uint8_t)m->nargs,
                              .is_request = true,
                              .args = m->args,
                              .buf = m->dst,
                              .nbytes = m->nbytes};

    fsh_am_deliver(&token);
}

/* What a conduit hands up that no sender has sent. */
static void deliver_case(struct fuzz *f)
{
    struct message m = {.category = fuzz_below(f, 3),
                        .nargs = (int)fuzz_below(f, 17)};
    const char *wrong = NULL;

    m.handler = (m.category == FSH_AM_SHORT ? SHORTS : BUFFERS) + m.nargs;
    for (int i = 0; i < 16; i++)
        m.args[i] = (int32_t)fuzz_word(f);
    m.src = m.dst = w.source;
    m.nbytes = m.category == FSH_AM_SHORT ? 0 : fuzz_below(f, 4096);
    if (fuzz_rarely(f, 4))
        m.nargs = (int)(17 + fuzz_word(f) % 239), wrong = "arguments";
    if (fuzz_rarely(f, 4)) {
        m.handler = (int)fuzz_below(f, 256);
        if (registered(m.handler) || fsh_gasnet.handler[m.handler] != NULL)
            m.handler = NOBODY;
        wrong = "not registered";
    }
    w.want[0] = m;
    w.replies = false;
    expect(fuzz_ends(deliver_body, &m), wrong);
    CHECK(w.calls[0] == (wrong == NULL), "%u calls", w.calls[0]);
}

/* What a way out of the middle has left. */
static void clean_body(void *arg)
{
    struct fsh_thread *self = fsh_thread_self();

    (void)arg;
    self->token = self->token_name = NULL;
    self->in_handler = 0;
    for (int i = 0; i < 4; i++)
        gasnet_AMPoll();
}

static void clean_up(void)
{
    w.draining = true;
    while (fuzz_ends(clean_body, NULL))
        ;
    w.draining = false;
}

static void fuzz_setup(void)
{
    static char name[] = "fuzz", *args[] = {name, NULL};
    gasnet_seginfo_t info;
    char **argv = args;
    int argc = 1;

    setenv("FSHMEM_COMPUTE", "0", 1);
    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, sizeof table / sizeof *table, SEGMENT, 0) ==
          GASNET_OK);
    gasnet_getSegmentInfo(&info, 1);
    w.segment = info.addr;
    for (size_t i = 0; i < sizeof w.source; i++)
        w.source[i] = (unsigned char)(i * 7 + (i >> 8) * 13);
    fuzz_catch_fatal();
}

static void fuzz_case(struct fuzz *f)
{
    w.f = f;
    memset(w.calls, 0, sizeof w.calls);
    w.wrong = NULL;
    w.twice = false;
    if (fuzz_rarely(f, 4))
        deliver_case(f);
    else
        request_case(f);
    clean_up();
}

FUZZ_MAIN(20000)
