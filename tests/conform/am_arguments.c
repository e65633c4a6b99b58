/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments are signed 32-bit numbers: the client's value is cast to that type,
 * each expression is evaluated once, and the handler sees the sign. */
#include "conform.h"

enum colour { RED = -3, GREEN = 7 };
enum { H_CHECK = 200, H_REPLY, H_NUMBER };

static int answers, numbers;
static int evaluated;

static void check(gasnet_token_t token, int minus, gasnet_handlerarg_t colour,
                  uint32_t high, int low_half, int high_half, int narrow)
{
    const uintptr_t p =
        ((uintptr_t)(uint32_t)high_half << 16 << 16) | (uint32_t)low_half;
    CHECK_EQ(minus, -1);
    CHECK_EQ(colour, RED);
    CHECK_EQ(high, 0xfedcba98u);
    CHECK_EQ(p, (uintptr_t)0x8877665544332211u);
    CHECK_EQ(narrow, -5);
    OK(gasnet_AMReplyShort3(token, H_REPLY, minus < 0, INT32_MIN, -1));
}

static void reply(gasnet_token_t token, int yes, int least, int minus)
{
    (void)token;
    CHECK_EQ(yes, 1);
    CHECK_EQ(least, INT32_MIN);
    CHECK_EQ((int64_t)minus, -1);
    conf_add(&answers, 1);
}

static void number(gasnet_token_t token, int n)
{
    (void)token;
    CHECK_EQ(n, 1);
    conf_add(&numbers, 1);
}

static gasnet_handlerentry_t table[] = {
    {H_CHECK, check}, {H_REPLY, reply}, {H_NUMBER, number}};

static int once(int v)
{
    evaluated++;
    return v;
}

int main(int argc, char **argv)
{
    conf_start("am_arguments", &argc, &argv, table, CONF_COUNT(table), 4096);
    const uintptr_t pointer = (uintptr_t)0x8877665544332211u;
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        const int before = conf_load(&answers);
        enum colour red = RED;
        size_t minus = (size_t)-1;
        long narrow = -5;
        OK(gasnet_AMRequestShort6(
            i, H_CHECK, (gasnet_handlerarg_t)minus, red,
            (gasnet_handlerarg_t)0xfedcba98u, (gasnet_handlerarg_t)pointer,
            (gasnet_handlerarg_t)(pointer >> 32), (gasnet_handlerarg_t)narrow));
        CONF_WAIT(answers, before + 1);
        evaluated = 0;
        OK(gasnet_AMRequestShort1((gasnet_node_t)once((int)i), H_NUMBER,
                                  once(1)));
        CHECK_EQ(evaluated, 2);
    }
    CONF_WAIT(numbers, (int)conf.n);
    conf_pass();
}
