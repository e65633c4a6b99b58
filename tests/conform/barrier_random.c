/* SPDX-License-Identifier: BSD-3-Clause */
/* Random barriers: names at notify and at wait, reported mismatches, late
 * ranks. All ranks draw the same numbers, so each knows the expected result
 * of every rank, and what the others have put before. */
#include "conform.h"

enum { ANON = GASNET_BARRIERFLAG_ANONYMOUS };

struct side {
    int id, flags;
};

/* What is agreed on at notify. */
struct agreed {
    int mismatch, named, id;
};

static struct side draw(struct conf_rng *rng, int common)
{
    struct side side = {common, 0};

    if (conf_below(rng, 8) == 0) {
        side.id = (int)conf_next(rng);
    }
    if (conf_below(rng, 3) == 0) {
        side.flags = ANON;
    }
    return side;
}

static void agree(struct agreed *all, const struct side *notify)
{
    if (notify->flags & GASNET_BARRIERFLAG_MISMATCH) {
        all->mismatch = 1;
    }
    if (notify->flags != 0) {
        return;
    }
    if (all->named && all->id != notify->id) {
        all->mismatch = 1;
    }
    all->named = 1;
    all->id = notify->id;
}

static int finish(const struct side *wait, int how)
{
    int r = GASNET_ERR_NOT_READY;

    while (how && r == GASNET_ERR_NOT_READY) {
        r = gasnet_barrier_try(wait->id, wait->flags);
    }
    return how ? r : gasnet_barrier_wait(wait->id, wait->flags);
}

static void check(const struct agreed *all, const struct side *wait, int got)
{
    int id = -4711;

    if (all->mismatch ||
        (wait->flags == 0 && all->named && wait->id != all->id)) {
        CHECK_EQ(got, GASNET_ERR_BARRIER_MISMATCH);
        return;
    }
    CHECK_EQ(got, GASNET_OK);
    if (all->named) {
        CHECK_EQ(gasnet_barrier_result(&id), 0);
        CHECK_EQ(id, all->id);
    } else if (wait->flags != 0) {
        CHECK(gasnet_barrier_result(&id) != 0, "a name: %d", id);
    }
}

static void lap(int number)
{
    struct conf_rng rng = conf_rng((uint64_t)number), own;
    const int common = (int)conf_next(&rng);
    const int calm = conf_below(&rng, 4) != 0; /* nobody reports a mismatch */
    const int nameless = conf_below(&rng, 4) == 0;
    const gasnet_node_t next = (conf.me + 1) % conf.n;
    struct side notify = {0, 0}, wait = {0, 0};
    struct agreed all = {0, 0, 0};
    uint64_t *mine = (uint64_t *)(void *)conf_addr(conf.me);

    for (gasnet_node_t r = 0; r < conf.n; r++) {
        struct side n = draw(&rng, common), w = draw(&rng, common);

        if (!calm && conf_below(&rng, conf.n) == 0) {
            n.flags |= GASNET_BARRIERFLAG_MISMATCH;
        }
        if (nameless) {
            n.flags |= ANON;
        }
        agree(&all, &n);
        if (r == conf.me) {
            notify = n;
            wait = w;
        }
    }
    own = conf_rng((uint64_t)number << 20 | conf.me);
    if (conf_below(&own, 16) == 0) {
        usleep((useconds_t)conf_below(&own, 2000));
    }
    gasnet_put_val(next, conf_addr(next), (uint64_t)number, sizeof *mine);
    gasnet_barrier_notify(notify.id, notify.flags);
    if (conf_below(&own, 4) == 0) {
        OK(gasnet_AMPoll());
    }
    check(&all, &wait, finish(&wait, (int)conf_below(&own, 2)));
    CHECK_EQ(*(volatile uint64_t *)mine, number);
    conf_barrier(); /* before the next put */
}

int main(int argc, char **argv)
{
    conf_start("barrier_random", &argc, &argv, NULL, 0, 4096);
    for (int i = 1; i <= conf_iters(500, 10); i++) {
        lap(i);
    }
    conf_pass();
}
