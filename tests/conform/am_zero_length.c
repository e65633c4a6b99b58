/* SPDX-License-Identifier: BSD-3-Clause */
/* Mediums and Longs of zero bytes, from invalid source addresses, as request
 * and as reply; a Long's handler still receives the given address. */
#include "conform.h"

enum { M_REQUEST = 128, M_REPLY, L_REQUEST, L_REPLY };

static int answers;

static void *nowhere(int which)
{
    static char place;
    void *const sources[] = {NULL, (void *)1, (void *)~(uintptr_t)0, &place};
    return sources[which % 4];
}

static void m_request(gasnet_token_t token, void *buf, size_t n, int which)
{
    (void)buf;
    CHECK_EQ(n, 0);
    OK(gasnet_AMReplyMedium1(token, M_REPLY, nowhere(which), 0, which));
}

static void m_reply(gasnet_token_t token, void *buf, size_t n, int which)
{
    (void)token;
    (void)buf;
    (void)which;
    CHECK_EQ(n, 0);
    conf_add(&answers, 1);
}

static void l_request(gasnet_token_t token, void *buf, size_t n, int which)
{
    gasnet_node_t from;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_EQ(n, 0);
    CHECK(buf == conf_addr(conf.me) + which, "request at %p", buf);
    OK(gasnet_AMReplyLong1(token, L_REPLY, nowhere(which), 0,
                           conf_addr(from) + 8 + which, which));
}

static void l_reply(gasnet_token_t token, void *buf, size_t n, int which)
{
    (void)token;
    CHECK_EQ(n, 0);
    CHECK(buf == conf_addr(conf.me) + 8 + which, "reply at %p", buf);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{M_REQUEST, m_request},
                                        {M_REPLY, m_reply},
                                        {L_REQUEST, l_request},
                                        {L_REPLY, l_reply}};

int main(int argc, char **argv)
{
    conf_start("am_zero_length", &argc, &argv, table, CONF_COUNT(table), 4096);
    memset(conf_addr(conf.me), 0x5a, 4096);
    conf_barrier();
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        for (int which = 0; which < 4; which++) {
            const int before = conf_load(&answers);
            OK(gasnet_AMRequestMedium1(to, M_REQUEST, nowhere(which), 0,
                                       which));
            OK(gasnet_AMRequestLong1(to, L_REQUEST, nowhere(which), 0,
                                     conf_addr(to) + which, which));
            OK(gasnet_AMRequestLongAsync1(to, L_REQUEST, nowhere(which), 0,
                                          conf_addr(to) + which, which));
            CONF_WAIT(answers, before + 3);
        }
    }
    conf_barrier();
    CHECK_BYTES(conf_addr(conf.me), 4096, 0x5a);
    conf_pass();
}
