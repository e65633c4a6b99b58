/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every type with every operation, with special values and many equal values, bit for
 * bit in the documented order: the same one for all roots, for reduce and allreduce,
 * blocking or not, in any floating-point modes of the caller, which must be preserved.
 * Prints a hash of all result bits of each rank, so that conduits can be compared
 * (tests/hwsw/compare.py).
 */
#include "coll.h"

#include <fenv.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { SEGMENT = 8 << 20, HASHES = 4096 };

/* Elements, as many as algorithms that move parts want; the last ones are summed in the
 * order RING. */
static const size_t lengths[] = {200, 1001, 5006, 33000, 125156};

static struct coll_team all;
static uint64_t calls, hash = UINT64_C(0xcbf29ce484222325);

static void hash_bytes(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    }
}

/* ---- what there is ------------------------------------------------------- */

static void elements(void)
{
    for (int type = -1; type <= COLL_TYPES; type++) {
        for (int op = -1; op <= COLL_OPS; op++) {
            const int known =
                type >= 0 && type < COLL_TYPES && op >= 0 && op < COLL_OPS;
            CHECK_EQ(fshmem_coll_element((fshmem_type_t)type, (fshmem_op_t)op),
                     known ? coll_size((fshmem_type_t)type, (fshmem_op_t)op)
                           : 0);
        }
    }
    CHECK_EQ(sizeof(fshmem_int32_loc_t), 8);
    CHECK_EQ(sizeof(fshmem_int64_loc_t), 16);
    CHECK_EQ(sizeof(fshmem_uint32_loc_t), 8);
    CHECK_EQ(sizeof(fshmem_uint64_loc_t), 16);
    CHECK_EQ(sizeof(fshmem_float_loc_t), 8);
    CHECK_EQ(sizeof(fshmem_double_loc_t), 16);
}

/* ---- one reduction in all its calls --------------------------------------- */

static unsigned call_one(enum coll_call call, int root, unsigned flags,
                         const struct coll_fold *fold, size_t count,
                         uint64_t key)
{
    struct coll_op op;
    memset(&op, 0, sizeof op);
    op.team = &all;
    op.call = call;
    op.root = root;
    op.flags = flags;
    op.fold = *fold;
    op.count = count;
    op.key = key;
    coll_choose_own(&op);
    coll_next = coll_keep;
    coll_start(&op);
    FINE(op.status);
    if (op.nb) {
        gasnet_wait_syncnb(op.handle);
    }
    coll_check(CONF_HERE, &op);
    if (op.orders != 0) {
        hash_bytes(op.to, count * coll_elem(&op));
    }
    coll_give_back(CONF_HERE, &op.dst);
    coll_give_back(CONF_HERE, &op.src);
    return op.orders;
}

/* The order depends on ranks, bytes, type and operation: so it is that of any root,
 * and that of allreduce. */
static void all_calls(const struct coll_fold *fold, size_t count)
{
    const uint64_t key = conf.seed * 131 + ++calls;
    unsigned orders = call_one(COLL_ALLREDUCE, 0, 0, fold, count, key);
    unsigned of_roots = COLL_TREE; /* whatever the size */
    const int every = count < 100 || conf.scale >= 0.5;
    const int some = (int)(coll_mix(key) % (uint64_t)all.ranks);

    for (int root = 0; root < all.ranks; root++) {
        if (every || root == some) {
            const unsigned its =
                call_one(COLL_REDUCE, root, 0, fold, count, key);
            of_roots &= all.me == root ? its : ~0u;
        }
    }
    orders &= call_one(COLL_ALLREDUCE, 0, 0, fold, count, key);
    CHECK((orders != 0 && of_roots != 0) || count == 0,
          "type %d op %d: %zu elements are combined in one order by one call, "
          "in another by the next",
          (int)fold->type, (int)fold->op, count);
    call_one(COLL_REDUCE_SCATTER, 0, 0, fold, count, key);
    call_one(COLL_SCAN, 0, 0, fold, count, key);
    call_one(COLL_SCAN, 0, FSHMEM_COLL_EXCLUSIVE, fold, count, key);
}

static void every_pair(enum coll_style style, size_t count)
{
    struct coll_fold fold;
    memset(&fold, 0, sizeof fold);
    fold.style = style;
    for (int type = 0; type < COLL_TYPES; type++) {
        for (int op = 0; op < COLL_OPS; op++) {
            fold.type = (fshmem_type_t)type;
            fold.op = (fshmem_op_t)op;
            if (coll_size(fold.type, fold.op) != 0) {
                all_calls(&fold, count);
            }
        }
    }
}

/* ---- modes of the caller --------------------------------------------------- */

#ifdef __SSE2__
enum { FLUSH = 1 << 15 | 1 << 6 }; /* results and operands that are subnormal */
static unsigned modes(void)
{
    return _mm_getcsr() & ~0x3fu;
}
static void set_flush(int on)
{
    _mm_setcsr(on ? _mm_getcsr() | FLUSH : _mm_getcsr() & ~(unsigned)FLUSH);
}
#else
static unsigned modes(void)
{
    return (unsigned)fegetround();
}
static void set_flush(int on)
{
    (void)on;
}
#endif

/* Rounded to nearest even with subnormals, though ranks that call, each in its own
 * way, round otherwise and flush them. */
static void call_in_mode(enum coll_call call, const struct coll_fold *fold,
                         size_t count)
{
    static const int round[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO,
                                FE_TONEAREST};
    struct coll_op op;
    unsigned before, after;

    memset(&op, 0, sizeof op);
    op.team = &all;
    op.call = call;
    op.fold = *fold;
    op.count = count;
    op.key = conf.seed * 131 + ++calls;
    coll_choose_own(&op);
    coll_next = coll_keep;
    coll_prepare(&op);
    CHECK_EQ(fesetround(round[conf_below(&coll_own, CONF_COUNT(round))]), 0);
    set_flush(conf_below(&coll_own, 2) != 0);
    before = modes();
    coll_make(&op);
    if (op.nb && op.status == FSHMEM_OK) {
        gasnet_wait_syncnb(op.handle);
    }
    after = modes();
    CHECK_EQ(fesetround(FE_TONEAREST), 0);
    set_flush(0);
    FINE(op.status);
    CHECK_EQ(after, before);
    coll_check(CONF_HERE, &op);
    if (op.orders != 0) {
        hash_bytes(op.to, count * coll_elem(&op));
    }
    coll_give_back(CONF_HERE, &op.dst);
    coll_give_back(CONF_HERE, &op.src);
}

static void in_modes(size_t count)
{
    struct coll_fold fold;
    memset(&fold, 0, sizeof fold);
    for (int i = 0; i < 2 * COLL_STYLES; i++) {
        fold.style = (enum coll_style)(i % COLL_STYLES);
        fold.type = i < COLL_STYLES ? FSHMEM_FLOAT : FSHMEM_DOUBLE;
        for (int op = FSHMEM_SUM; op <= FSHMEM_PROD; op++) {
            fold.op = (fshmem_op_t)op;
            call_in_mode(COLL_REDUCE, &fold, count);
            call_in_mode(COLL_ALLREDUCE, &fold, count);
            call_in_mode(COLL_REDUCE_SCATTER, &fold, count);
            call_in_mode(COLL_SCAN, &fold, count);
        }
    }
}

/* ---- the image ------------------------------------------------------------ */

static void print_hashes(void)
{
    gasnet_put_val(conf.me, conf_addr(conf.me), hash, 8);
    conf_barrier();
    for (gasnet_node_t i = 0; conf.me == 0 && i < conf.n; i++) {
        printf("image of rank %u: %016" PRIx64 "\n", (unsigned)i,
               (uint64_t)gasnet_get_val(i, conf_addr(i), 8));
    }
    conf_barrier();
}

int main(int argc, char **argv)
{
    int last = CONF_COUNT(lengths);
    coll_begin("coll_types", &argc, &argv, SEGMENT);
    all = coll_team_of(GASNET_TEAM_ALL);
    coll_keep = HASHES;
    last -= conf.scale < 0.5;
    elements();
    for (int style = 0; style < COLL_STYLES; style++) {
        every_pair((enum coll_style)style, 3);
        if (conf.scale >= 0.5) {
            every_pair((enum coll_style)style, 1);
            every_pair((enum coll_style)style, 31);
            every_pair((enum coll_style)style, 700);
        }
    }
    in_modes(conf.scale < 0.5 ? 40 : 333);
    for (int i = conf.scale < 0.5 ? 2 : 0; i < last; i++) {
        struct coll_fold fold = {
            FSHMEM_FLOAT, FSHMEM_SUM, COLL_PLAIN, 0, 0, ""};
        all_calls(&fold, lengths[i]);
        fold.type = FSHMEM_DOUBLE;
        fold.op = FSHMEM_PROD;
        fold.style = COLL_SPECIAL;
        if (lengths[i] < 10000 || conf.scale >= 0.5) {
            all_calls(&fold, lengths[i] / 2);
        }
    }
    print_hashes();
    conf_pass();
}
