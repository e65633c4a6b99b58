/* SPDX-License-Identifier: BSD-3-Clause */
/* Every collective with every synchronisation: lengths from 0 to more than a
 * message, odd ones too, any root, the forms with one address and with lists,
 * blocking and not, buffers in the segment and outside of it, in place. Each
 * result is compared with the definition. */
#include "conform_coll.h"

enum { MOST = 20000, LARGE = 200002 };

static struct coll_team all;
static unsigned char *heap; /* 2 * room */
static size_t room;

/* The root of a broadcast, a reduction and of a scatter or gather may have its
 * own block where it is; so may all in a scan and a gather_all. */
static void in_place(struct coll_op *op)
{
    const int me = all.me, at_root = me == op->root;
    const size_t own = (size_t)me * op->nbytes;

    switch (op->kind) {
    case BROADCAST:
    case REDUCE:
        if (at_root) {
            op->dst[me] = op->src[me];
        }
        break;
    case SCATTER:
        if (at_root) {
            op->dst[me] = op->src[me] + own;
        }
        break;
    case GATHER:
        if (at_root) {
            op->src[me] = op->dst[me] + own;
        }
        break;
    case GATHER_ALL:
        op->src[me] = op->dst[me] + own;
        break;
    case SCAN:
        op->dst[me] = op->src[me];
        break;
    default:
        break;
    }
}

/* In-place operations write their destination before their source. */
static void prepare(struct coll_op *op, int placed)
{
    if (placed) {
        in_place(op);
        memset(coll_dst(op), 0xee,
               (size_t)coll_dst_blocks(op) * op->nbytes + COLL_MARGIN);
        for (int i = 0; i < coll_src_blocks(op); i++) {
            for (size_t b = 0; b < op->nbytes; b++) {
                op->src[all.me][(size_t)i * op->nbytes + b] =
                    coll_value(op, all.me, i, b);
            }
        }
        if (op->kind == SCATTER && all.me == op->root) {
            memset(coll_dst(op) + op->nbytes, 0xee, COLL_MARGIN);
        }
    } else {
        coll_prepare(op);
    }
}

static void one(int i, size_t most, struct conf_rng *rng)
{
    struct coll_op op;
    const int nb = (int)conf_below(rng, 2);
    const int placed = conf_below(rng, 4) == 0;
    const int outside = conf_below(rng, 2) != 0;

    coll_choose(&op, &all, i, most, rng);
    coll_place(&op, 0, room);
    if (most == LARGE) {
        op.nbytes = LARGE - (op.kind == EXCHANGE ? LARGE / 2 : 0);
    }
    /* A scatter's root in place would check bytes of another block. */
    if (op.kind == SCATTER && placed) {
        op.root = all.images - 1;
    }
    if (outside) {
        op.dst[all.me] = heap;
        op.src[all.me] = heap + room;
        if (op.form == SINGLE_LIST) {
            op.form = LOCAL_LIST;
        }
    }
    if (placed && op.form == SINGLE_LIST) {
        op.form = LOCAL_ONE; /* addresses elsewhere are not known here */
    }
    prepare(&op, placed);
    if (op.flags & GASNET_COLL_IN_NOSYNC) {
        conf_barrier();
    }
    coll_start(&op, nb);
    if (nb) {
        gasnet_coll_wait_sync(op.handle);
    }
    if (op.flags & GASNET_COLL_OUT_NOSYNC) {
        conf_barrier();
    }
    if (coll_dst_blocks(&op) != 0) {
        COLL_CHECK(&op, coll_dst(&op));
    }
    /* Without OUT_ALLSYNC others may still read what we wrote into the segment
     * for this call: nothing does, as sources are theirs. */
}

int main(int argc, char **argv)
{
    gasnet_coll_fn_entry_t table[COLL_FUNCTIONS];
    conf_init("coll_ops", &argc, &argv);
    room = ((size_t)conf.n * LARGE + COLL_MARGIN + 63) / 64 * 64;
    conf_attach(NULL, 0, 2 * room);
    coll_team_plain(&all, GASNET_TEAM_ALL);
    heap = (unsigned char *)malloc(2 * room);
    CHECK(heap != NULL, "malloc");
    coll_functions(table);
    gasnet_coll_init(NULL, 0, table, COLL_FUNCTIONS, 0);
    struct conf_rng rng = conf_rng(0);
    const int n = conf_iters(3000, 9 * COLL_KINDS);
    for (int i = 0; i < n; i++) {
        one(i, MOST, &rng);
    }
    for (int i = 0; i < COLL_KINDS; i++) {
        one(i + 4 * COLL_KINDS, LARGE, &rng);
    }
    conf_barrier();
    conf_pass();
}
