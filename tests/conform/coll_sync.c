/* SPDX-License-Identifier: BSD-3-Clause */
/* The guarantees of the synchronisation flags, with one late rank, each
 * in turn. IN_ALLSYNC: sources written by other ranks just before their call
 * count. OUT_ALLSYNC: after the call the destinations of other ranks are
 * complete. IN_MYSYNC: nothing is read or written at a rank before its call. */
#include "conform_coll.h"

#include <time.h>

enum { BYTES = 6000 };

static struct coll_team all;
static size_t room;

/* Long enough for the others to get ahead if nothing holds them. */
static void come_late(int late)
{
    const struct timespec nap = {0, 3000000};
    if (late == all.me) {
        nanosleep(&nap, NULL);
    }
}

/* The operation as image `peer` sees it, buffers of its own elsewhere. */
static void as_seen_by(const struct coll_op *op, int peer,
                       struct coll_team *team, struct coll_op *seen,
                       unsigned char *mem)
{
    *team = all;
    team->me = team->first = peer;
    *seen = *op;
    seen->team = team;
    seen->dst[peer] = mem;
    seen->src[peer] = mem + room;
}

static void make(struct coll_op *op, int kind, int i, int flags,
                 struct conf_rng *rng)
{
    coll_choose(op, &all, i * COLL_KINDS + kind, BYTES, rng);
    op->flags = (op->flags & ~GASNET_COLL_SYNC_FLAG_MASK) | flags;
    op->nbytes = BYTES;
    coll_place(op, 0, room);
}

/* My source is written by the rank below me, when it comes to its call. */
static void entry(int kind, int i, unsigned char *mem, struct conf_rng *rng)
{
    struct coll_op op, theirs;
    struct coll_team team;
    const int peer = (all.me + 1) % all.images;

    make(&op, kind, i, GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_MYSYNC, rng);
    as_seen_by(&op, peer, &team, &theirs, mem);
    coll_prepare(&op);
    memset(op.src[all.me], 0x77, (size_t)coll_src_blocks(&op) * BYTES);
    coll_prepare(&theirs);
    conf_barrier();
    come_late(i % all.images);
    gasnet_put((gasnet_node_t)peer, op.src[peer], theirs.src[peer],
               (size_t)coll_src_blocks(&theirs) * BYTES);
    coll_start(&op, 0);
    if (coll_dst_blocks(&op) != 0) {
        COLL_CHECK(&op, coll_dst(&op));
    }
    conf_barrier();
}

/* The destination of the rank above me is complete when my call is. */
static void leaving(int kind, int i, unsigned char *mem, struct conf_rng *rng)
{
    struct coll_op op, theirs;
    struct coll_team team;
    const int peer = (all.me + 1) % all.images;
    size_t n;

    make(&op, kind, i, GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_ALLSYNC, rng);
    as_seen_by(&op, peer, &team, &theirs, mem);
    memset(coll_dst(&op), 0x11, room);
    memset(op.src[all.me], 0x77, room);
    conf_barrier();
    come_late(i % all.images);
    CHECK_BYTES(coll_dst(&op), room, 0x11);
    CHECK_BYTES(op.src[all.me], room, 0x77);
    coll_prepare(&op);
    coll_start(&op, 0);
    n = (size_t)coll_dst_blocks(&theirs) * BYTES + COLL_MARGIN;
    gasnet_get(mem, (gasnet_node_t)peer, op.dst[peer], n);
    if (coll_dst_blocks(&theirs) != 0) {
        COLL_CHECK(&theirs, mem);
    }
    conf_barrier();
}

int main(int argc, char **argv)
{
    gasnet_coll_fn_entry_t table[COLL_FUNCTIONS];
    conf_init("coll_sync", &argc, &argv);
    room = ((size_t)conf.n * BYTES + COLL_MARGIN + 63) / 64 * 64;
    conf_attach(NULL, 0, 2 * room);
    coll_team_plain(&all, GASNET_TEAM_ALL);
    coll_functions(table);
    gasnet_coll_init(NULL, 0, table, COLL_FUNCTIONS, 0);
    unsigned char *mem = (unsigned char *)malloc(2 * room);
    CHECK(mem != NULL, "malloc");
    struct conf_rng rng = conf_rng(0);
    const int rounds = conf_iters(2 * (int)conf.n, (int)conf.n);
    for (int i = 0; i < rounds; i++) {
        for (int kind = 0; kind < COLL_KINDS; kind++) {
            entry(kind, i, mem, &rng);
            leaving(kind, i, mem, &rng);
        }
    }
    conf_pass();
}
