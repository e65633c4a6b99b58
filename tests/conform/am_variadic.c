/* SPDX-License-Identifier: BSD-3-Clause */
/* The variadic forms: the argument count is itself an argument, a
 * literal or an expression, and the last one if it is 0. */
#include "conform.h"

enum { S_REQ = 128, S_REP, M_REQ, M_REP, L_REQ, L_REP, S16 };

static int answers;

static void s_req(gasnet_token_t token)
{
    OK(gasnet_AMReplyShort(token, S_REP, 0));
}
static void s_rep(gasnet_token_t token)
{
    (void)token;
    conf_add(&answers, 1);
}
static void m_req(gasnet_token_t token, void *buf, size_t n, int a, int b)
{
    CHECK_EQ(a, -7);
    CHECK_EQ(b, 8);
    OK(gasnet_AMReplyMedium(token, M_REP, buf, n, 1, a));
}
static void m_rep(gasnet_token_t token, void *buf, size_t n, int a)
{
    (void)token;
    CHECK_FILL(buf, n, 9);
    CHECK_EQ(a, -7);
    conf_add(&answers, 1);
}
static void l_req(gasnet_token_t token, void *buf, size_t n, int a)
{
    gasnet_node_t from;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_FILL(buf, n, 9);
    OK(gasnet_AMReplyLong(token, L_REP, buf, n,
                          conf_addr(from) + 4096 + 64 * conf.me, 2, a, -a));
}
static void l_rep(gasnet_token_t token, void *buf, size_t n, int a, int b)
{
    (void)token;
    CHECK_FILL(buf, n, 9);
    CHECK_EQ(a, -b);
    conf_add(&answers, 1);
}
static void s16(gasnet_token_t token, int a0, int a1, int a2, int a3, int a4,
                int a5, int a6, int a7, int a8, int a9, int a10, int a11,
                int a12, int a13, int a14, int a15)
{
    const int a[] = {a0, a1, a2,  a3,  a4,  a5,  a6,  a7,
                     a8, a9, a10, a11, a12, a13, a14, a15};
    for (int i = 0; i < 16; i++) {
        CHECK_EQ(a[i], i - 8);
    }
    OK(gasnet_AMReplyShort(token, S_REP, 0));
}

static gasnet_handlerentry_t table[] = {
    {S_REQ, s_req}, {S_REP, s_rep}, {M_REQ, m_req}, {M_REP, m_rep},
    {L_REQ, l_req}, {L_REP, l_rep}, {S16, s16}};

int main(int argc, char **argv)
{
    unsigned char out[48];
    conf_start("am_variadic", &argc, &argv, table, CONF_COUNT(table), 65536);
    const int zero = 0;
    conf_fill(out, sizeof out, 9);
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        const int before = conf_load(&answers);
        unsigned char *dst = conf_addr(to) + 64 * conf.me;
        OK(gasnet_AMRequestShort(to, S_REQ, 0));
        OK(gasnet_AMRequestShort(to, S_REQ, zero * 2));
        OK(gasnet_AMRequestMedium(to, M_REQ, out, sizeof out, 2, -7, 8));
        OK(gasnet_AMRequestLong(to, L_REQ, out, sizeof out, dst, 1, 3));
        OK(gasnet_AMRequestShort(to, S16, 16, -8, -7, -6, -5, -4, -3, -2, -1, 0,
                                 1, 2, 3, 4, 5, 6, 7));
        CONF_WAIT(answers, before + 5);
        OK(gasnet_AMRequestLongAsync(to, L_REQ, out, sizeof out, dst, 1, 3));
        CONF_WAIT(answers, before + 6);
    }
    conf_pass();
}
