/* SPDX-License-Identifier: BSD-3-Clause */
/* The limits of active messages: at least the standard's minimum, 16 arguments,
 * known before attach, constant, equal on all ranks. */
#include "conform.h"

enum { H_LIMITS = 128 };

static size_t medium, long_request, long_reply;
static int heard;

static void limits(gasnet_token_t token, void *buf, size_t n)
{
    const uint64_t *theirs = (const uint64_t *)buf;
    (void)token;
    CHECK_EQ(n, 3 * sizeof *theirs);
    CHECK_EQ(theirs[0], medium);
    CHECK_EQ(theirs[1], long_request);
    CHECK_EQ(theirs[2], long_reply);
    conf_add(&heard, 1);
}

static gasnet_handlerentry_t table[] = {{H_LIMITS, limits}};

int main(int argc, char **argv)
{
    conf_init("am_limits", &argc, &argv);
    medium = gasnet_AMMaxMedium();
    long_request = gasnet_AMMaxLongRequest();
    long_reply = gasnet_AMMaxLongReply();
    CHECK(medium >= 512, "AMMaxMedium %zu", medium);
    CHECK(long_request >= 512, "AMMaxLongRequest %zu", long_request);
    CHECK(long_reply >= 512, "AMMaxLongReply %zu", long_reply);
    CHECK_EQ(gasnet_AMMaxArgs(), 16);
    conf_attach(table, CONF_COUNT(table), 4096);
    CHECK_EQ(gasnet_AMMaxMedium(), medium);
    CHECK_EQ(gasnet_AMMaxLongRequest(), long_request);
    CHECK_EQ(gasnet_AMMaxLongReply(), long_reply);
    conf_barrier();
    uint64_t mine[] = {medium, long_request, long_reply};
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        OK(gasnet_AMRequestMedium0(i, H_LIMITS, mine, sizeof mine));
    }
    CONF_WAIT(heard, (int)conf.n);
    conf_pass();
}
