/* SPDX-License-Identifier: BSD-3-Clause */
/* A barrier agrees on the id that ranks named at notify. The id at wait
 * is compared with it: anonymous waits match, named ones if the id is the
 * agreed one (or all notified anonymously). gasnet_barrier_result returns it. */
#include "conform.h"

enum { ANON = GASNET_BARRIERFLAG_ANONYMOUS };

static void check_result(int anonymous, int id)
{
    int got = -4711;
    const int r = gasnet_barrier_result(&got);
    CHECK((r != 0) == anonymous, "result says %d, anonymous %d", r, anonymous);
    if (!anonymous) {
        CHECK_EQ(got, id);
    }
}

static void one_named(gasnet_node_t who)
{
    const int id = 0x5eed + (int)who;
    /* One names it, the others do not. */
    gasnet_barrier_notify(id, conf.me == who ? 0 : ANON);
    OK(gasnet_barrier_wait(id, conf.me == who ? 0 : ANON));
    check_result(0, id);
    /* The others wait with the agreed name. */
    gasnet_barrier_notify(id, conf.me == who ? 0 : ANON);
    OK(gasnet_barrier_wait(id, 0));
    check_result(0, id);
    /* The one who named it waits without. */
    gasnet_barrier_notify(id, conf.me == who ? 0 : ANON);
    OK(gasnet_barrier_wait(0, ANON));
    check_result(0, id);
    /* Anonymous notify, another name at wait: only that rank hears of it. */
    gasnet_barrier_notify(id, conf.me == who ? 0 : ANON);
    if (conf.me == who) {
        OK(gasnet_barrier_wait(id, 0));
    } else {
        CHECK_EQ(gasnet_barrier_wait(id + 1, 0), GASNET_ERR_BARRIER_MISMATCH);
    }
    /* Named notify, another name at wait. */
    gasnet_barrier_notify(id, 0);
    if (conf.me == who) {
        CHECK_EQ(gasnet_barrier_wait(id + 1, 0), GASNET_ERR_BARRIER_MISMATCH);
    } else {
        OK(gasnet_barrier_wait(id, 0));
    }
}

int main(int argc, char **argv)
{
    conf_start("barrier_consensus", &argc, &argv, NULL, 0, 4096);
    for (gasnet_node_t who = 0; who < conf.n; who++) {
        one_named(who);
        conf_barrier();
        check_result(1, 0);
        OK(gasnet_barrier(31, 0));
        check_result(0, 31);
        /* All anonymous: any name will do at wait. */
        gasnet_barrier_notify(0, ANON);
        OK(gasnet_barrier_wait((int)conf.me, 0));
        /* The hint that nobody names anything. */
        gasnet_barrier_notify(0, GASNET_BARRIERFLAG_UNNAMED);
        OK(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_UNNAMED));
        check_result(1, 0);
    }
    conf_pass();
}
