/* SPDX-License-Identifier: BSD-3-Clause */
/* A handler can query the sender of its message, for requests and replies; a
 * request without a reply is legal and leaks nothing; handlers may query
 * rank, size and limits, allocate, print and lock. */
#include "conform.h"

enum { H_ASK = 128, H_TELL, H_SILENT };

static int answers, silent;
static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;

static void ask(gasnet_token_t token, int me)
{
    gasnet_node_t from;
    char text[64];
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_EQ(from, me);
    CHECK_EQ(gasnet_mynode(), conf.me);
    CHECK_EQ(gasnet_nodes(), conf.n);
    CHECK(gasnet_AMMaxMedium() >= 512, "limit inside a handler");
    void *p = malloc(100);
    CHECK(p != NULL, "malloc inside a handler");
    snprintf(text, sizeof text, "%p", p);
    free(p);
    gasnet_hsl_lock(&lock);
    gasnet_hsl_unlock(&lock);
    OK(gasnet_AMReplyShort1(token, H_TELL, (int)conf.me));
}

static void tell(gasnet_token_t token, int who)
{
    gasnet_node_t from;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK_EQ(from, who);
    conf_add(&answers, 1);
}

static void no_answer(gasnet_token_t token)
{
    (void)token;
    conf_add(&silent, 1);
}

static gasnet_handlerentry_t table[] = {
    {H_ASK, ask}, {H_TELL, tell}, {H_SILENT, no_answer}};

int main(int argc, char **argv)
{
    conf_start("am_source", &argc, &argv, table, CONF_COUNT(table), 4096);
    const int each = conf_iters(200, 40); /* more than any conduit buffers */
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        OK(gasnet_AMRequestShort1(to, H_ASK, (int)conf.me));
    }
    CONF_WAIT(answers, (int)conf.n);
    for (int i = 0; i < each; i++) {
        for (gasnet_node_t to = 0; to < conf.n; to++) {
            OK(gasnet_AMRequestShort0(to, H_SILENT));
        }
    }
    CONF_WAIT(silent, each * (int)conf.n);
    conf_pass();
}
