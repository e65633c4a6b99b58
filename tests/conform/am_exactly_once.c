/* SPDX-License-Identifier: BSD-3-Clause */
/* Every message arrives exactly once, in any order: numbered Shorts,
 * Mediums and Longs from every rank to every rank, recorded in a bitmap. */
#include "conform.h"

enum { H_SHORT = 128, H_MEDIUM, H_LONG };
enum { LONG_CELL = 32 };

static int count, arrived;
static unsigned char *seen; /* [source][number] */

static void tick(gasnet_token_t token, int number)
{
    gasnet_node_t from;
    OK(gasnet_AMGetMsgSource(token, &from));
    CHECK(number >= 0 && number < count, "number %d of %d", number, count);
    unsigned char *mark = seen + (size_t)from * (size_t)count + number;
    CHECK(*mark == 0, "message %d of rank %u came twice", number,
          (unsigned)from);
    *mark = 1;
    conf_add(&arrived, 1);
}

static void medium(gasnet_token_t token, void *buf, size_t n, int number)
{
    CHECK_FILL(buf, n, (unsigned)number);
    tick(token, number);
}

static gasnet_handlerentry_t table[] = {
    {H_SHORT, tick}, {H_MEDIUM, medium}, {H_LONG, medium}};

static void *cell(gasnet_node_t to, int number)
{
    size_t index = (size_t)conf.me * (size_t)count + (size_t)number;
    return conf_addr(to) + index * LONG_CELL;
}

int main(int argc, char **argv)
{
    unsigned char out[LONG_CELL];
    conf_init("am_exactly_once", &argc, &argv);
    count = conf_iters(2000, 45);
    seen = (unsigned char *)calloc((size_t)count, conf.n);
    CHECK(seen != NULL, "calloc");
    conf_attach(table, CONF_COUNT(table),
                (uintptr_t)count * conf.n * LONG_CELL);
    conf_barrier();
    for (int i = 0; i < count; i++) {
        for (gasnet_node_t k = 0; k < conf.n; k++) {
            const gasnet_node_t to = (conf.me + k) % conf.n;
            conf_fill(out, sizeof out, (unsigned)i);
            if (i % 3 == 0) {
                OK(gasnet_AMRequestShort1(to, H_SHORT, i));
            } else if (i % 3 == 1) {
                OK(gasnet_AMRequestMedium1(to, H_MEDIUM, out, sizeof out, i));
            } else {
                OK(gasnet_AMRequestLong1(to, H_LONG, out, sizeof out,
                                         cell(to, i), i));
            }
        }
    }
    CONF_WAIT(arrived, count * (int)conf.n);
    conf_barrier();
    OK(gasnet_AMPoll());
    CHECK_EQ(conf_load(&arrived), count * (int)conf.n);
    conf_pass();
}
