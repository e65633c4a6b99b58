/* SPDX-License-Identifier: BSD-3-Clause */
/* 65535 operations in flight (scaled, but more than any queue holds): with a
 * handle each, and implicit; puts and gets; to all ranks at once. */
#include "conform.h"

static uint32_t value(gasnet_node_t from, int i)
{
    return (uint32_t)i * 2654435761u + from;
}

static uint32_t *cell(gasnet_node_t to, int count, int i)
{
    return (uint32_t *)(void *)conf_addr(to) + (size_t)conf.me * (size_t)count +
           i;
}

static gasnet_node_t target(int i)
{
    return (conf.me + (gasnet_node_t)i) % conf.n;
}

static void with_handles(int count, uint32_t *words, gasnet_handle_t *handles)
{
    for (int i = 0; i < count; i++) {
        words[i] = value(conf.me, i);
        handles[i] = gasnet_put_nb_bulk(target(i), cell(target(i), count, i),
                                        &words[i], 4);
    }
    gasnet_wait_syncnb_all(handles, (size_t)count);
    memset(words, 0, (size_t)count * 4);
    for (int i = 0; i < count; i++) {
        handles[i] =
            gasnet_get_nb(&words[i], target(i), cell(target(i), count, i), 4);
    }
    for (int i = count; i-- > 0;) {
        gasnet_wait_syncnb(handles[i]);
        CHECK_EQ(words[i], value(conf.me, i));
    }
}

static void implicit(int count, uint32_t *words)
{
    for (int i = 0; i < count; i++) {
        gasnet_put_nbi_val(target(i), cell(target(i), count, i),
                           ~value(conf.me, i), 4);
    }
    gasnet_wait_syncnbi_puts();
    memset(words, 0, (size_t)count * 4);
    for (int i = 0; i < count; i++) {
        gasnet_get_nbi(&words[i], target(i), cell(target(i), count, i), 4);
    }
    gasnet_wait_syncnbi_gets();
    for (int i = 0; i < count; i++) {
        CHECK_EQ(words[i], ~value(conf.me, i));
    }
}

int main(int argc, char **argv)
{
    conf_init("rma_outstanding", &argc, &argv);
    const int count = conf_iters(65535, 300);
    conf_attach(NULL, 0, (uintptr_t)conf.n * (uintptr_t)count * 4);
    uint32_t *words = (uint32_t *)malloc((size_t)count * 4);
    gasnet_handle_t *handles =
        (gasnet_handle_t *)malloc((size_t)count * sizeof *handles);
    CHECK(words && handles, "malloc");
    conf_barrier();
    with_handles(count, words, handles);
    implicit(count, words);
    conf_pass();
}
