/* SPDX-License-Identifier: BSD-3-Clause */
/* Many collectives in flight: started in one order, synchronised in another,
 * which differs from rank to rank, by every kind of sync, with barriers and
 * puts in between. A rank that starts collectives and then waits for a plain
 * put without a call: the others must not depend on it. Ranks
 * that make a call one after the other: each when the next higher has completed it. */
#include "conform_coll.h"

enum { MOST = 300, MAX_OPS = 256, SILENT_BYTES = 3000 };

static struct coll_team all;
static struct coll_op ops[MAX_OPS];
static size_t room;
static struct conf_rng own; /* differs from rank to rank */

static void sync_one(gasnet_coll_handle_t *list, int n)
{
    const int i = (int)conf_below(&own, (size_t)n);
    switch (conf_below(&own, 5)) {
    case 0:
        gasnet_coll_wait_sync(list[i]);
        list[i] = GASNET_COLL_INVALID_HANDLE;
        break;
    case 1:
        if (gasnet_coll_try_sync(list[i]) == GASNET_OK) {
            list[i] = GASNET_COLL_INVALID_HANDLE;
        }
        break;
    case 2:
        gasnet_coll_wait_sync_some(list, (size_t)n);
        break;
    case 3:
        gasnet_coll_try_sync_some(list, (size_t)n);
        break;
    default:
        gasnet_AMPoll();
    }
}

static void sync_all(gasnet_coll_handle_t *list, int n)
{
    for (int k = 0; k < n / 2; k++) {
        sync_one(list, n);
    }
    if (conf_below(&own, 2)) {
        gasnet_coll_wait_sync_all(list, (size_t)n);
    } else {
        while (gasnet_coll_try_sync_all(list, (size_t)n) != GASNET_OK) {}
    }
    for (int i = 0; i < n; i++) {
        CHECK(list[i] == GASNET_COLL_INVALID_HANDLE, "handle %d", i);
    }
    /* Nothing is left to wait for. */
    gasnet_coll_wait_sync(GASNET_COLL_INVALID_HANDLE);
    OK(gasnet_coll_try_sync(GASNET_COLL_INVALID_HANDLE));
    gasnet_coll_wait_sync_all(list, (size_t)n);
    gasnet_coll_wait_sync_some(list, (size_t)n);
    OK(gasnet_coll_try_sync_some(list, (size_t)n));
    OK(gasnet_coll_try_sync_all(list, 0));
}

static void batch(int number, int n, struct conf_rng *rng)
{
    static gasnet_coll_handle_t list[MAX_OPS];
    int notified = 0;

    for (int i = 0; i < n; i++) {
        coll_choose(&ops[i], &all, number + i, MOST, rng);
        coll_place(&ops[i], (size_t)i * 2 * room, room);
        coll_prepare(&ops[i]);
    }
    conf_barrier();
    for (int i = 0; i < n; i++) {
        coll_start(&ops[i], 1);
        list[i] = ops[i].handle;
        if (i == n / 3) {
            gasnet_barrier_notify(number, 0);
            notified = 1;
        }
        if (conf_below(&own, 8) == 0) {
            gasnet_AMPoll();
        }
    }
    if (notified) {
        OK(gasnet_barrier_wait(number, 0));
    }
    sync_all(list, n);
    conf_barrier(); /* for those without OUT_MYSYNC */
    for (int i = 0; i < n; i++) {
        if (coll_dst_blocks(&ops[i]) != 0) {
            COLL_CHECK(&ops[i], coll_dst(&ops[i]));
        }
    }
}

/* Where all memory is remote, a put needs the target's polls. */
#ifdef GASNET_SEGMENT_EVERYTHING
#define KEEP_SILENT() gasnet_AMPoll()
#else
#define KEEP_SILENT() ((void)0)
#endif

/* Everybody but rank 0 starts its part, says so, and calls nothing until a word
 * in its segment changes. Meanwhile rank 0 sends what it can, and must come to
 * changing those words. */
static void silent(void)
{
    const int n = conf_iters(300, 50), flags = GASNET_COLL_LOCAL |
                                               GASNET_COLL_IN_MYSYNC |
                                               GASNET_COLL_OUT_MYSYNC;
    unsigned char *dst = (unsigned char *)malloc((size_t)n * SILENT_BYTES);
    gasnet_coll_handle_t *list =
        (gasnet_coll_handle_t *)malloc((size_t)n * sizeof *list);
    int *word = (int *)(void *)conf_addr(conf.me), go = 1;

    CHECK(dst && list, "malloc");
    memset(word, 0, conf.n * sizeof *word);
    if (conf.me == 0) {
        conf_fill(dst, (size_t)n * SILENT_BYTES, 5);
    }
    conf_barrier();
    for (int i = 0; i < n; i++) {
        unsigned char *at = dst + (size_t)i * SILENT_BYTES;
        list[i] = gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, at, 0, at,
                                           SILENT_BYTES, flags);
    }
    if (conf.me != 0) {
        gasnet_put(0, conf_addr(0) + conf.me * sizeof go, &go, sizeof go);
        while (conf_load(word) == 0) {
            KEEP_SILENT();
        }
    }
    for (gasnet_node_t i = 1; conf.me == 0 && i < conf.n; i++) {
        CONF_WAIT(word[i], 1);
    }
    for (int i = 0; conf.me == 0 && i < 1000; i++) {
        gasnet_AMPoll();
    }
    for (gasnet_node_t i = 1; conf.me == 0 && i < conf.n; i++) {
        gasnet_put(i, conf_addr(i), &go, sizeof go);
    }
    gasnet_coll_wait_sync_all(list, (size_t)n);
    CHECK_FILL(dst, (size_t)n * SILENT_BYTES, 5);
    conf_barrier();
    free(dst);
    free(list);
}

/* Nobody but the root waits for the others. */
static void in_turns(size_t nbytes)
{
    enum { FIRST = 100 }; /* words that silent() does not use */
    int *word = (int *)(void *)conf_addr(conf.me) + FIRST, go = 1;
    unsigned char mine[32], *got = (unsigned char *)malloc(conf.n * 32);
    CHECK(got != NULL, "malloc");

    *word = 0;
    conf_fill(mine, sizeof mine, conf.me);
    conf_barrier();
    if (conf.me != 0 && conf.me != conf.n - 1) {
        CONF_WAIT(*word, 1);
    }
    gasnet_coll_gather(GASNET_TEAM_ALL, 0, got, mine, nbytes,
                       GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC |
                           GASNET_COLL_OUT_MYSYNC);
    if (conf.me > 1) {
        gasnet_put(conf.me - 1, (int *)(void *)conf_addr(conf.me - 1) + FIRST,
                   &go, sizeof go);
    }
    for (gasnet_node_t i = 0; conf.me == 0 && i < conf.n; i++) {
        CHECK_FILL(got + i * nbytes, nbytes, i);
    }
    conf_barrier();
    free(got);
}

int main(int argc, char **argv)
{
    gasnet_coll_fn_entry_t table[COLL_FUNCTIONS];
    conf_init("coll_nb", &argc, &argv);
    const int batches = conf_iters(12, 1);
    const int n = conf.scale < 0.5 ? 63 : MAX_OPS;
    room = ((size_t)conf.n * MOST + COLL_MARGIN + 63) / 64 * 64;
    conf_attach(NULL, 0, (uintptr_t)n * 2 * room);
    coll_team_plain(&all, GASNET_TEAM_ALL);
    coll_functions(table);
    gasnet_coll_init(NULL, 0, table, COLL_FUNCTIONS, 0);
    struct conf_rng rng = conf_rng(0);
    own = conf_rng(conf.me + 1);
    for (int i = 0; i < batches; i++) {
        batch(i * n, n, &rng);
    }
    silent();
    in_turns(32);
    in_turns(0);
    conf_pass();
}
