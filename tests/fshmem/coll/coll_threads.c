/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of a rank that make collectives concurrently, each on its own team,
 * all with the same members: a poll of one thread may receive what another waits for.
 */
#include "coll.h"

#include <pthread.h>

enum { THREADS = 4, SHARE = 4 << 20, IN_FLIGHT = 12, LARGEST = 100000 };

static struct coll_team teams[THREADS];

static size_t choose_bytes(struct conf_rng *rng)
{
    if (conf_below(rng, 30) == 0 && conf.scale >= 0.5) {
        return conf_below(rng, LARGEST);
    }
    return conf_length(rng, 5000);
}

static void choose(struct coll_op *op, const struct coll_team *team,
                   struct conf_rng *rng, uint64_t key)
{
    memset(op, 0, sizeof *op);
    op->team = team;
    op->call = (enum coll_call)conf_below(rng, COLL_CALLS);
    op->root = (int)conf_below(rng, (size_t)team->ranks);
    op->count = choose_bytes(rng);
    op->key = key;
    coll_choose_fold(&op->fold, rng);
    if (coll_reduces(op->call)) {
        op->count /= coll_size(op->fold.type, op->fold.op);
    }
    coll_choose_own(op);
}

static void batch(const struct coll_team *team, struct conf_rng *rng,
                  struct coll_op *ops, uint64_t key)
{
    gasnet_handle_t handles[IN_FLIGHT];
    coll_next = coll_keep;
    for (int i = 0; i < IN_FLIGHT; i++) {
        choose(&ops[i], team, rng, key + (uint64_t)i);
        coll_start(&ops[i]);
        FINE(ops[i].status);
        handles[i] = ops[i].nb ? ops[i].handle : GASNET_INVALID_HANDLE;
        coll_dawdle();
    }
    if (conf_below(&coll_own, 2)) {
        gasnet_wait_syncnb_all(handles, IN_FLIGHT);
    }
    for (int i = IN_FLIGHT - 1; i >= 0; i--) {
        gasnet_wait_syncnb(handles[i]);
        COLL_FINISH(&ops[i]);
    }
}

static void *thread(void *arg)
{
    const int number = (int)((struct coll_team *)arg - teams);
    struct conf_rng rng = conf_rng(500 + (uint64_t)number);
    struct coll_op *ops =
        (struct coll_op *)malloc(IN_FLIGHT * sizeof(struct coll_op));
    CHECK(ops != NULL, "malloc");
    coll_thread(number, (size_t)number * SHARE, ((size_t)number + 1) * SHARE);
    for (int i = conf_iters(60, 3); i > 0; i--) {
        batch(&teams[number], &rng, ops,
              (uint64_t)number * 1000003 + (uint64_t)i * IN_FLIGHT);
    }
    free(ops);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    coll_begin("coll_threads", &argc, &argv, THREADS * SHARE);
    for (int i = 0; i < THREADS; i++) {
        teams[i] = coll_team_of(
            gasnet_coll_team_split(GASNET_TEAM_ALL, 0, conf.me, NULL));
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_create(&threads[i], NULL, thread, &teams[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK_EQ(pthread_join(threads[i], NULL), 0);
    }
    conf_pass();
}
