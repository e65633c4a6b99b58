/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules of gasnet_init and gasnet_attach: the legal calls in
 * between, what attach refuses (and that a refusal changes nothing), that
 * attach is a barrier, and that neither succeeds twice. */
#include "conform.h"

enum { H_HERE = 200 };

static int attached, heard;

static void here(gasnet_token_t token)
{
    (void)token;
    CHECK(attached || gasnet_nodes() > 0, "handler before init");
    conf_add(&heard, 1);
}

static void nothing(gasnet_token_t token)
{
    (void)token;
}

/* With all memory remote, any segment size will do. */
static void check_limits(uintptr_t local, uintptr_t global)
{
#ifdef GASNET_SEGMENT_EVERYTHING
    CHECK(local == (uintptr_t)-1 && global == (uintptr_t)-1,
          "local %zu, global %zu", (size_t)local, (size_t)global);
#else
    CHECK_EQ(local % GASNET_PAGESIZE, 0);
    CHECK_EQ(global % GASNET_PAGESIZE, 0);
#endif
}

static void check_before_attach(void)
{
    const uintptr_t local = gasnet_getMaxLocalSegmentSize();
    const uintptr_t global = gasnet_getMaxGlobalSegmentSize();
    CHECK(conf.n >= 1 && conf.me < conf.n, "rank %u of %u", conf.me, conf.n);
    CHECK(global > 0, "global %zu", (size_t)global);
    CHECK(local >= global, "local %zu, global %zu", (size_t)local,
          (size_t)global);
    check_limits(local, global);
    CHECK(gasnet_AMMaxMedium() >= 512, "AMMaxMedium before attach");
    CHECK(gasnet_AMMaxLongRequest() >= 512, "AMMaxLongRequest before attach");
    CHECK(gasnet_AMMaxLongReply() >= 512, "AMMaxLongReply before attach");
    CHECK(gasnet_getenv("PATH") != NULL, "getenv before attach");
    CHECK(gasnet_ErrorName(GASNET_ERR_BAD_ARG) != NULL, "ErrorName");
}

static void check_refusals(void)
{
    gasnet_handlerentry_t same[] = {{H_HERE, here}, {H_HERE, nothing}};
    gasnet_handlerentry_t reserved[] = {{127, here}};
    gasnet_handlerentry_t lowest[] = {{1, here}};
    CHECK_EQ(gasnet_attach(same, 2, GASNET_PAGESIZE, 0), GASNET_ERR_BAD_ARG);
    CHECK_EQ(gasnet_attach(reserved, 1, GASNET_PAGESIZE, 0),
             GASNET_ERR_BAD_ARG);
    CHECK_EQ(gasnet_attach(lowest, 1, GASNET_PAGESIZE, 0), GASNET_ERR_BAD_ARG);
#ifndef GASNET_SEGMENT_EVERYTHING
    const uintptr_t max = gasnet_getMaxLocalSegmentSize();
    CHECK_EQ(gasnet_attach(NULL, 0, GASNET_PAGESIZE + 1, 0),
             GASNET_ERR_BAD_ARG);
    CHECK_EQ(gasnet_attach(NULL, 0, max + GASNET_PAGESIZE, 0),
             GASNET_ERR_BAD_ARG);
    CHECK_EQ(gasnet_attach(NULL, 0, (uintptr_t)256 << 30, 0),
             GASNET_ERR_BAD_ARG);
#endif
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_HERE, here}};
    conf_init("init_attach", &argc, &argv);
    check_before_attach();
    CHECK(gasnet_init(&argc, &argv) != GASNET_OK, "a second init succeeded");
    CHECK_EQ(gasnet_mynode(), conf.me);
    if (conf.me == 0) { /* a refusal is said aloud; once is enough */
        fprintf(stderr, "conform: six refusals follow\n");
    }
    check_refusals();
    const uintptr_t local = gasnet_getMaxLocalSegmentSize();
    check_limits(local, gasnet_getMaxGlobalSegmentSize());
    conf_attach(table, CONF_COUNT(table), GASNET_PAGESIZE);
    attached = 1;
    /* No barrier here: attach itself is one, so all handlers are there. */
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        OK(gasnet_AMRequestShort0(i, H_HERE));
    }
    CONF_WAIT(heard, (int)conf.n);
    CHECK(gasnet_attach(table, 1, GASNET_PAGESIZE, 0) != GASNET_OK,
          "a second attach succeeded");
    CHECK(gasnet_init(&argc, &argv) != GASNET_OK, "init after attach");
    CHECK_EQ(gasnet_getMaxLocalSegmentSize(), local);
    conf_pass();
}
