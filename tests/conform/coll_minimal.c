/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that include only gasnet.h: collectives without
 * gasnet_coll_init, then with it; a later, redundant init changes nothing, nor do
 * the tuning calls, which any node may make. */
#include "conform.h"

enum { N = 1000 };

static void one_round(unsigned key)
{
    const int my =
        GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const gasnet_node_t root = conf.n - 1;
    unsigned char mine[N], got[N],
        *list = (unsigned char *)malloc((size_t)conf.n * N);
    CHECK(list != NULL, "malloc");

    conf_fill(mine, N, key + conf.me);
    gasnet_coll_broadcast(GASNET_TEAM_ALL, got, root, mine, N, my);
    CHECK_FILL(got, N, key + root);
    gasnet_coll_gather(GASNET_TEAM_ALL, root, list, mine, N, my);
    for (gasnet_node_t i = 0; conf.me == root && i < conf.n; i++) {
        CHECK_FILL(list + (size_t)i * N, N, key + i);
    }
    memset(list, 0, (size_t)conf.n * N);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, list, mine, N, my);
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK_FILL(list + (size_t)i * N, N, key + i);
    }
    gasnet_coll_broadcast(GASNET_TEAM_ALL, mine, 0, mine, N,
                          GASNET_COLL_LOCAL | GASNET_COLL_IN_ALLSYNC |
                              GASNET_COLL_OUT_ALLSYNC);
    CHECK_FILL(mine, N, key);
    free(list);
}

int main(int argc, char **argv)
{
    conf_init("coll_minimal", &argc, &argv);
    conf_attach(NULL, 0, GASNET_PAGESIZE);
    one_round(1);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
    one_round(2);
    gasnet_coll_init(0, 0, 0, 0, 0);
    for (int i = 0; i < conf_iters(200, 3); i++) {
        one_round(3 + (unsigned)i);
    }
    gasnet_coll_dumpTuningState(NULL, GASNET_TEAM_ALL);
    if (conf.me == 0) {
        char file[] = "coll_minimal.tuning";
        unlink(file);
        gasnet_coll_loadTuningState(file, GASNET_TEAM_ALL);
        gasnet_coll_dumpTuningState(file, GASNET_TEAM_ALL);
        gasnet_coll_dumpProfile(file, GASNET_TEAM_ALL);
        CHECK(access(file, F_OK) != 0, "%s was written", file);
    }
    one_round(2);
    conf_pass();
}
