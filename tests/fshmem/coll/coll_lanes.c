/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Long calls whose buffers are in the segment at some ranks and private at others, in every
 * combination, while there are more and more teams: ranks then have them run by engines in
 * different pieces, with less and less room for them. Every other rank begins the calls of
 * several teams in the opposite order.
 */
#include "coll.h"

enum { SEGMENT = 16 << 20, TEAMS = 4 };

static struct coll_team teams[TEAMS]; /* the first is of all */
static struct conf_rng rng;           /* the same on all ranks */
static uint64_t calls;

/* places: a bit for each rank. */
static void make(struct coll_op *op, const struct coll_team *team,
                 enum coll_call call, size_t bytes, unsigned places,
                 uint64_t key)
{
    const int in_segment = (int)(places >> conf.me & 1);
    memset(op, 0, sizeof *op);
    op->team = team;
    op->call = call;
    op->key = conf.seed * 29 + key;
    op->fold.type = FSHMEM_FLOAT;
    op->count = bytes;
    if (coll_reduces(call)) {
        op->count /= sizeof(float);
    }
    op->in_segment[0] = op->in_segment[1] = in_segment;
    op->nb = 1;
    coll_start(op);
    FINE(op->status);
}

static void one(enum coll_call call, size_t bytes, unsigned places, int beside)
{
    static struct coll_op op[TEAMS];
    coll_next = coll_keep;
    for (int k = 0; k < beside; k++) {
        const int i = conf.me % 2 ? beside - 1 - k : k;
        make(&op[i], &teams[i], call, bytes, places, calls + (uint64_t)i);
    }
    calls += TEAMS;
    for (int i = 0; i < beside; i++) {
        gasnet_wait_syncnb(op[i].handle);
        COLL_FINISH(&op[i]);
    }
}

int main(int argc, char **argv)
{
    static const enum coll_call kinds[] = {COLL_ALLGATHER, COLL_ALLREDUCE,
                                           COLL_REDUCE_SCATTER};
    coll_begin("coll_lanes", &argc, &argv, SEGMENT);
    rng = conf_rng(0);
    teams[0] = coll_team_of(GASNET_TEAM_ALL);
    for (int have = 1; have <= TEAMS; have++) {
        for (int i = 0; i < CONF_COUNT(kinds); i++) {
            for (unsigned places = 0; places < 1u << conf.n; places++) {
                size_t bytes = (size_t)64 << 10;
                if (kinds[i] == COLL_ALLREDUCE) {
                    bytes *= conf.n;
                }
                if (conf.scale < 0.5 && conf_below(&rng, 3) != 0) {
                    continue;
                }
                one(kinds[i], bytes, places, 1);
                one(kinds[i], bytes, places, have);
            }
        }
        if (have < TEAMS) {
            teams[have] = coll_team_of(
                gasnet_coll_team_split(GASNET_TEAM_ALL, 0, conf.me, NULL));
        }
    }
    conf_pass();
}
