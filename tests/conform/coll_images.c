/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode PAR: several images a node, in different numbers. Every thread
 * calls; lists have the buffers of the node's images or of all. Barriers of
 * images; concurrent calls with GASNET_COLL_NO_IMAGES by one thread a node. */
#include "conform_coll.h"
#include "conform_threads.h"

enum { MOST = 3000, OPS = 6, MAX_MINE = 3 };

static struct coll_team all; /* but for `me` */
static gasnet_image_t images[COLL_MAX_IMAGES];
static size_t room;
static int rounds;
static int arrived; /* images, all barriers together */

static void count_images(void)
{
    for (gasnet_node_t node = 0; node < conf.n; node++) {
        images[node] = 1 + (node + 1) % MAX_MINE;
        if (node == conf.me) {
            all.first = all.images;
            all.mine = (int)images[node];
        }
        for (int i = 0; i < (int)images[node]; i++) {
            CHECK(all.images < COLL_MAX_IMAGES, "%d images", all.images);
            all.rank[all.images] = (int)node;
            all.local[all.images++] = i;
        }
    }
    all.team = GASNET_TEAM_ALL;
}

static void collectives(const struct coll_team *team, int i,
                        struct conf_rng *rng)
{
    struct coll_op op[OPS];
    for (int k = 0; k < OPS; k++) {
        coll_choose(&op[k], team, i * OPS + k, MOST, rng);
        coll_place(&op[k], (size_t)k * 2 * room * MAX_MINE, room);
        coll_prepare(&op[k]);
    }
    OK(gasnet_coll_barrier(GASNET_TEAM_ALL, i, GASNET_BARRIERFLAG_IMAGES));
    for (int k = 0; k < OPS; k++) {
        coll_start(&op[k], k % 3 != 2);
    }
    for (int k = OPS; k-- > 0;) {
        gasnet_coll_wait_sync(op[k].handle);
    }
    OK(gasnet_coll_barrier(GASNET_TEAM_ALL, 0,
                           GASNET_BARRIERFLAG_ANONYMOUS |
                               GASNET_BARRIERFLAG_IMAGES));
    for (int k = 0; k < OPS; k++) {
        if (coll_dst_blocks(&op[k]) != 0) {
            COLL_CHECK(&op[k], coll_dst(&op[k]));
        }
    }
}

/* All images of the node have come when one leaves; a different name of one
 * image is everybody's mismatch. */
static void barriers(const struct coll_team *team, int i)
{
    int id, result;
    const int odd = i % 4 == 3 && team->me == i % team->images;
    const int flags = GASNET_BARRIERFLAG_IMAGES;

    conf_add(&arrived, 1);
    gasnet_coll_barrier_notify(GASNET_TEAM_ALL, odd ? -1 : i, flags);
    do {
        result = gasnet_coll_barrier_try(GASNET_TEAM_ALL, odd ? -1 : i, flags);
    } while (result == GASNET_ERR_NOT_READY);
    CHECK(conf_load(&arrived) >= (i + 1) * all.mine, "%d of %d images",
          conf_load(&arrived), (i + 1) * all.mine);
    if (i % 4 == 3 && team->images > 1) {
        CHECK_EQ(result, GASNET_ERR_BARRIER_MISMATCH);
    } else {
        CHECK_EQ(result, GASNET_OK);
        gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 7, flags);
        OK(gasnet_coll_barrier_wait(GASNET_TEAM_ALL, 7, flags));
        CHECK_EQ(gasnet_coll_barrier_result(GASNET_TEAM_ALL, &id), 0);
        CHECK_EQ(id, 7);
    }
}

static void *image_main(void *arg)
{
    gasnet_coll_fn_entry_t table[COLL_FUNCTIONS];
    struct coll_team team = all;
    struct conf_rng rng = conf_rng(0); /* the same on all images */

    team.me = all.first + (int)(intptr_t)arg;
    coll_functions(table);
    gasnet_coll_init(images, (gasnet_image_t)team.me, table, COLL_FUNCTIONS, 0);
    for (int i = 0; i < rounds; i++) {
        collectives(&team, i, &rng);
        barriers(&team, i);
    }
    return NULL;
}

/* By the main thread, which is no image. */
static void by_nodes(int i)
{
    const int flags =
        GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC | GASNET_COLL_NO_IMAGES;
    unsigned char mine[8], got[8 * COLL_MAX_IMAGES];
    conf_fill(mine, sizeof mine, conf.me + (unsigned)i);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, got, mine, sizeof mine, flags);
    for (gasnet_node_t node = 0; node < conf.n; node++) {
        CHECK_FILL(got + 8 * node, 8, node + (unsigned)i);
    }
    gasnet_coll_broadcast(GASNET_TEAM_ALL, got, conf.n - 1, mine, sizeof mine,
                          flags);
    CHECK_FILL(got, 8, conf.n - 1 + (unsigned)i);
}

int main(int argc, char **argv)
{
    struct conf_crew crew;
    gasnet_team_handle_t team;
    conf_init("coll_images", &argc, &argv);
    count_images();
    rounds = conf_iters(60, 4);
    room = ((size_t)all.images * MOST + COLL_MARGIN + 63) / 64 * 64;
    conf_attach(NULL, 0, (uintptr_t)OPS * 2 * room * MAX_MINE);
    conf_barrier();
    conf_crew_start(&crew, all.mine, image_main);
    for (int i = 0; i < rounds; i++) {
        by_nodes(i);
    }
    conf_crew_join(&crew);
    /* Teams of nodes work beside teams of images. */
    team = gasnet_coll_team_split(GASNET_TEAM_ALL, conf.me % 2, conf.me, NULL);
    OK(gasnet_coll_barrier(team, 1, GASNET_BARRIERFLAG_IMAGES));
    conf_pass();
}
