/* SPDX-License-Identifier: BSD-3-Clause */
/* GASNET_BLOCKUNTIL on a word of the own segment that another rank puts, with
 * no message to wake the waiter: a token goes round the ring. */
#include "conform.h"

enum { STRIDE = 128 };

static uint64_t *word(gasnet_node_t at, int which)
{
    return (uint64_t *)(void *)(conf_addr(at) + which * STRIDE);
}

static void pass_on(gasnet_node_t to, uint64_t lap)
{
    gasnet_put(to, word(to, 1), &lap, sizeof lap); /* data, then flag */
    if (lap % 3 == 0) {
        gasnet_put_val(to, word(to, 0), lap, sizeof lap);
    } else if (lap % 3 == 1) {
        gasnet_put(to, word(to, 0), &lap, sizeof lap);
    } else {
        gasnet_wait_syncnb(gasnet_put_nb(to, word(to, 0), &lap, sizeof lap));
    }
}

int main(int argc, char **argv)
{
    conf_start("blockuntil_put", &argc, &argv, NULL, 0, 4096);
    memset(conf_addr(conf.me), 0, 4096);
    conf_barrier();
    const gasnet_node_t to = (conf.me + 1) % conf.n;
    const uint64_t *flag = word(conf.me, 0), *data = word(conf.me, 1);
    const uint64_t laps = (uint64_t)conf_iters(100, 6);
    for (uint64_t lap = 1; lap <= laps; lap++) {
        if (conf.me == 0) {
            pass_on(to, lap);
        }
        GASNET_BLOCKUNTIL(*flag == lap);
        CHECK_EQ(*data, lap);
        if (conf.me != 0) {
            pass_on(to, lap);
        }
    }
    conf_pass();
}
