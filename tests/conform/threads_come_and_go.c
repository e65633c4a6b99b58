/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PAR: unregistered threads use GASNet at once and end while
 * others continue, some with implicit operations still in flight; generation
 * after generation. Thread information differs between threads and stays the
 * same within one. */
#include "conform_threads.h"

enum { THREADS = 16 };

static uint64_t landing[THREADS]; /* targets of gets that outlive threads */
static void *info[THREADS];
static int here;

static uint64_t *cell(gasnet_node_t at, int thread)
{
    return (uint64_t *)(void *)conf_addr(at) + conf.me * THREADS + thread;
}

static void *visit(void *arg)
{
    GASNET_BEGIN_FUNCTION();
    const int t = (int)(intptr_t)arg;
    const gasnet_node_t to = (conf.me + (gasnet_node_t)t) % conf.n;
    uint64_t v = (uint64_t)t * 77, back = 0;
    gasnet_put_nbi(to, cell(to, t), &v, 8);
    gasnet_wait_syncnbi_puts();
    gasnet_get(&back, to, cell(to, t), 8);
    CHECK_EQ(back, v);
    gasnet_get_nbi(&landing[t], to, cell(to, t), 8);
    gasnet_put_nbi(to, cell(to, t), &v, 8);
    return NULL; /* without syncing the last two */
}

static void *show_info(void *arg)
{
    const int t = (int)(intptr_t)arg;
    info[t] = (void *)GASNET_GET_THREADINFO();
    {
        GASNET_POST_THREADINFO(info[t]);
        int declared_after = 1;
        CHECK(declared_after && GASNET_GET_THREADINFO() == info[t],
              "posted information");
    }
    CHECK(GASNET_GET_THREADINFO() == info[t], "information changed");
    conf_add(&here, 1);
    GASNET_BLOCKUNTIL(conf_load(&here) >= THREADS); /* all alive at once */
    return NULL;
}

int main(int argc, char **argv)
{
    struct conf_crew crew;
    conf_init("threads_come_and_go", &argc, &argv);
    conf_attach(NULL, 0, (uintptr_t)conf.n * THREADS * 8);
    conf_barrier();
    for (int g = 0; g < conf_iters(40, 3); g++) {
        conf_crew_start(&crew, THREADS, visit);
        conf_crew_join(&crew);
    }
    conf_crew_start(&crew, THREADS, show_info);
    conf_crew_join(&crew);
    for (int i = 0; i < THREADS; i++) {
        for (int j = 0; j < i; j++) {
            CHECK(info[i] != info[j], "threads %d and %d look the same", i, j);
        }
    }
    conf_pass();
}
