/* SPDX-License-Identifier: BSD-3-Clause */
/* The source of a Short, Medium or Long may be overwritten as soon as the call
 * returns, that of a LongAsync once its reply handler has started. Sources
 * are taken from stack, heap, constant data and the segment. */
#include "conform.h"

enum { M_REQUEST = 128, L_REQUEST, REPLY };
enum { SIZE = 3000, SLOT = 4096, SOURCES = 4, DEPTH = 4 };

static int answers;
static const unsigned char constants[] = "these bytes live in read-only data";

static void check_payload(const void *buf, size_t n, int key)
{
    if (key < 0) {
        CHECK_EQ(n, sizeof constants);
        CHECK_EQ(memcmp(buf, constants, n), 0);
    } else {
        CHECK_FILL(buf, n, (unsigned)key);
    }
}

static void m_request(gasnet_token_t token, void *buf, size_t n, int key)
{
    check_payload(buf, n, key);
    OK(gasnet_AMReplyShort1(token, REPLY, key));
}

static void reply(gasnet_token_t token, int key)
{
    (void)token;
    (void)key;
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {
    {M_REQUEST, m_request}, {L_REQUEST, m_request}, {REPLY, reply}};

/* Long slots of sender `me` at the target. */
static void *slot(gasnet_node_t to, int d)
{
    return conf_addr(to) + ((size_t)conf.me * DEPTH + (size_t)d) * SLOT;
}

static void burst(gasnet_node_t to, unsigned char *src, size_t n, int key)
{
    const size_t max = gasnet_AMMaxMedium();
    const size_t small = n < max ? n : max;
    const size_t long_max = gasnet_AMMaxLongRequest();
    const int before = conf_load(&answers);

    n = n < long_max ? n : long_max;
    for (int d = 0; d < DEPTH; d++) {
        conf_fill(src, n, (unsigned)(key + d));
        OK(gasnet_AMRequestLong1(to, L_REQUEST, src, n, slot(to, d), key + d));
        memset(src, 0xff, n);
        conf_fill(src, small, (unsigned)(key + d));
        OK(gasnet_AMRequestMedium1(to, M_REQUEST, src, small, key + d));
        memset(src, 0, n);
    }
    CONF_WAIT(answers, before + 2 * DEPTH);
    conf_fill(src, n, (unsigned)key);
    OK(gasnet_AMRequestLongAsync1(to, L_REQUEST, src, n, slot(to, 0), key));
    CONF_WAIT(answers, before + 2 * DEPTH + 1);
    memset(src, 0xff, n);
}

int main(int argc, char **argv)
{
    unsigned char stack[SIZE + 16];
    conf_start("am_source_reuse", &argc, &argv, table, CONF_COUNT(table),
               (uintptr_t)(64 * DEPTH + 1) * SLOT);
    unsigned char *heap = (unsigned char *)malloc(SIZE + 16);
    CHECK(heap != NULL, "malloc");
    unsigned char *own = conf_addr(conf.me) + (size_t)64 * DEPTH * SLOT;
    unsigned char *const sources[] = {stack, heap + 1, own, own + 13};
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        for (int s = 0; s < SOURCES; s++) {
            burst(to, sources[s], SIZE, 10 * s);
            burst(to, sources[s], 31, 10 * s);
        }
        const int before = conf_load(&answers);
        OK(gasnet_AMRequestMedium1(to, M_REQUEST, (void *)(uintptr_t)constants,
                                   sizeof constants, -1));
        OK(gasnet_AMRequestLong1(to, L_REQUEST, (void *)(uintptr_t)constants,
                                 sizeof constants, slot(to, 0), -1));
        CONF_WAIT(answers, before + 2);
    }
    conf_pass();
}
