/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of handles: empty ones, all invalid, mixed; "all" retires every entry,
 * "some" at least one, "try" never blocks, and a loop of it terminates; completed
 * entries become GASNET_INVALID_HANDLE. */
#include "conform.h"

enum { LIST = 12, CELL = 512 };

static unsigned char source[CELL], back[LIST][CELL];

static int valid(const gasnet_handle_t *list)
{
    int n = 0;
    for (int i = 0; i < LIST; i++) {
        n += list[i] != GASNET_INVALID_HANDLE;
    }
    return n;
}

/* Puts, memsets and gets; every third entry invalid. */
static void start(gasnet_handle_t *list, gasnet_node_t to, int turn)
{
    conf_fill(source, CELL, (unsigned)turn);
    memset(back, 0, sizeof back);
    for (int i = 0; i < LIST; i++) {
        unsigned char *cell =
            conf_addr(to) + ((size_t)conf.me * LIST + (size_t)i) * CELL;
        gasnet_put(to, cell, source, CELL);
        if (i % 3 == 0) {
            list[i] = GASNET_INVALID_HANDLE;
        } else if (i % 6 == 1) {
            list[i] = gasnet_put_nb(to, cell, source, CELL);
        } else if (i % 6 == 4) {
            list[i] = gasnet_memset_nb(to, cell, i, CELL);
        } else {
            list[i] = gasnet_get_nb_bulk(back[i], to, cell, CELL);
        }
    }
}

static void finish(const gasnet_handle_t *list, int turn)
{
    CHECK_EQ(valid(list), 0);
    for (int i = 2; i < LIST; i += 3) {
        CHECK_FILL(back[i], CELL, (unsigned)turn);
    }
}

static void empty_lists(void)
{
    gasnet_handle_t none[LIST];
    for (int i = 0; i < LIST; i++) {
        none[i] = GASNET_INVALID_HANDLE;
    }
    for (size_t n = 0; n <= LIST; n += LIST) {
        gasnet_wait_syncnb_all(none, n);
        gasnet_wait_syncnb_some(none, n);
        OK(gasnet_try_syncnb_all(none, n));
        OK(gasnet_try_syncnb_some(none, n));
    }
    gasnet_wait_syncnb_all(NULL, 0);
    gasnet_wait_syncnb_some(NULL, 0);
    OK(gasnet_try_syncnb_all(NULL, 0));
    OK(gasnet_try_syncnb_some(NULL, 0));
    gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
    OK(gasnet_try_syncnb(GASNET_INVALID_HANDLE));
}

static void nbi_with_nothing_outstanding(void)
{
    gasnet_wait_syncnbi_gets();
    gasnet_wait_syncnbi_puts();
    gasnet_wait_syncnbi_all();
    OK(gasnet_try_syncnbi_gets());
    OK(gasnet_try_syncnbi_puts());
    OK(gasnet_try_syncnbi_all());
}

static void lists(gasnet_node_t to, int turn)
{
    gasnet_handle_t list[LIST];
    int r;
    start(list, to, turn);
    gasnet_wait_syncnb_all(list, LIST);
    finish(list, turn);
    start(list, to, turn + 1);
    while ((r = gasnet_try_syncnb_all(list, LIST)) != GASNET_OK) {
        CHECK_EQ(r, GASNET_ERR_NOT_READY);
    }
    finish(list, turn + 1);
    start(list, to, turn + 2);
    while (valid(list) > 0) {
        const int before = valid(list);
        gasnet_wait_syncnb_some(list, LIST);
        CHECK(valid(list) < before, "wait_some retired none of %d", before);
    }
    finish(list, turn + 2);
    start(list, to, turn + 3);
    while (valid(list) > 0) {
        const int before = valid(list);
        r = gasnet_try_syncnb_some(list, LIST);
        if (r == GASNET_OK) {
            CHECK(valid(list) < before, "try_some: OK, but retired none");
        } else {
            CHECK_EQ(r, GASNET_ERR_NOT_READY);
            CHECK_EQ(valid(list), before);
        }
    }
    finish(list, turn + 3);
}

static void nbi_by_trying(gasnet_node_t to, int turn)
{
    unsigned char *cell = conf_addr(to) + (size_t)conf.me * LIST * CELL;
    conf_fill(source, CELL, (unsigned)turn);
    gasnet_put_nbi(to, cell, source, CELL);
    while (gasnet_try_syncnbi_puts() != GASNET_OK) {}
    memset(back, 0, CELL);
    gasnet_get_nbi(back[0], to, cell, CELL);
    while (gasnet_try_syncnbi_gets() != GASNET_OK) {}
    CHECK_FILL(back[0], CELL, (unsigned)turn);
    gasnet_put_nbi(to, cell + CELL, source, CELL);
    gasnet_get_nbi(back[1], to, cell, CELL);
    while (gasnet_try_syncnbi_all() != GASNET_OK) {}
    CHECK_FILL(back[1], CELL, (unsigned)turn);
    gasnet_get(back[2], to, cell + CELL, CELL);
    CHECK_FILL(back[2], CELL, (unsigned)turn);
}

int main(int argc, char **argv)
{
    conf_init("rma_sync_lists", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * LIST * CELL);
    conf_barrier();
    empty_lists();
    nbi_with_nothing_outstanding();
    const int turns = conf_iters(200, 2);
    for (int i = 0; i < turns; i++) {
        const gasnet_node_t to = (conf.me + (gasnet_node_t)i) % conf.n;
        lists(to, 8 * i);
        nbi_by_trying(to, 8 * i + 5);
    }
    empty_lists();
    conf_pass();
}
