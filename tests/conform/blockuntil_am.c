/* SPDX-License-Identifier: BSD-3-Clause */
/* GASNET_BLOCKUNTIL on variables changed by handlers: a plain global (the macro must not
 * let the compiler keep it in a register), a condition with side effects, a
 * comma expression, as a single statement of an if. */
#include "conform.h"

enum { H_TOKEN = 128 };

static int laps_here; /* neither volatile nor atomic, as clients have it */
static int kicks;

static void token_arrives(gasnet_token_t token, int lap)
{
    (void)token;
    CHECK_EQ(lap, laps_here + 1);
    laps_here = lap;
}

static gasnet_handlerentry_t table[] = {{H_TOKEN, token_arrives}};

static int kick(void)
{
    return ++kicks;
}

static void wait_for(int lap)
{
    switch (lap % 4) {
    case 0:
        GASNET_BLOCKUNTIL(laps_here == lap);
        break;
    case 1:
        GASNET_BLOCKUNTIL((kick(), laps_here == lap));
        break;
    case 2:
        if (lap > 0)
            GASNET_BLOCKUNTIL(laps_here >= lap);
        else
            kick();
        break;
    default:
        GASNET_BLOCKUNTIL(kick() > 0 && laps_here == lap);
        break;
    }
    CHECK_EQ(laps_here, lap);
}

int main(int argc, char **argv)
{
    conf_start("blockuntil_am", &argc, &argv, table, CONF_COUNT(table), 4096);
    const gasnet_node_t to = (conf.me + 1) % conf.n;
    const int laps = conf_iters(1000, 8);
    for (int lap = 1; lap <= laps; lap++) {
        if (conf.me == 0) {
            OK(gasnet_AMRequestShort1(to, H_TOKEN, lap));
            wait_for(lap);
        } else {
            wait_for(lap);
            OK(gasnet_AMRequestShort1(to, H_TOKEN, lap));
        }
    }
    CHECK(kicks > 0, "the condition was never evaluated");
    kicks = 0;
    GASNET_BLOCKUNTIL(kick() == 1); /* once is enough if it holds at once */
    CHECK_EQ(kicks, 1);
    conf_pass();
}
