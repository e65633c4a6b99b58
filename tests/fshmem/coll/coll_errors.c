/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of fshmem_coll.h refuse: all ranks get the same error, there is no
 * effect, no handle is written, and the next call works. Both forms of each call are
 * made at wrong times, and with one wrong argument at a time.
 */
#include "coll.h"

enum { SEGMENT = 1 << 20, BYTES = 64, H_SELF = 128 };

/* The arguments of any call. What a call does not have it ignores. */
struct arguments {
    gasnet_team_handle_t team;
    void *dst;
    const void *src;
    gasnet_node_t root;
    size_t count;
    fshmem_type_t type;
    fshmem_op_t op;
    unsigned flags;
    const size_t *in, *out;
};

static unsigned char dst[BYTES * COLL_MAX_RANKS], src[BYTES * COLL_MAX_RANKS];
static size_t counts[COLL_MAX_RANKS];
static struct coll_team all, self; /* self: a team of one */

static struct arguments good(const struct coll_team *team)
{
    struct arguments a;
    memset(&a, 0, sizeof a);
    a.team = team->team;
    a.dst = dst;
    a.src = src;
    a.count = 4;
    a.type = FSHMEM_INT32;
    a.in = a.out = counts;
    return a;
}

#define FORM(NAME, ...)                                        \
    handle == NULL ? fshmem_coll_##NAME(__VA_ARGS__, a->flags) \
                   : fshmem_coll_##NAME##_nb(__VA_ARGS__, a->flags, handle)

/* The plain form, or with a handle the other. */
static fshmem_status_t make(enum coll_call call, const struct arguments *a,
                            gasnet_handle_t *handle)
{
    const size_t n = a->count;
    switch (call) {
    case COLL_BARRIER:
        return FORM(barrier, a->team);
    case COLL_BROADCAST:
        return FORM(broadcast, a->team, a->dst, a->root, a->src, n);
    case COLL_SCATTER:
        return FORM(scatter, a->team, a->dst, a->root, a->src, n);
    case COLL_GATHER:
        return FORM(gather, a->team, a->root, a->dst, a->src, n);
    case COLL_ALLGATHER:
        return FORM(allgather, a->team, a->dst, a->src, n);
    case COLL_ALLGATHERV:
        return FORM(allgatherv, a->team, a->dst, a->in, NULL, a->src);
    case COLL_ALLTOALL:
        return FORM(alltoall, a->team, a->dst, a->src, n);
    case COLL_ALLTOALLV:
        return FORM(alltoallv, a->team, a->dst, a->in, NULL, a->src, a->out,
                    NULL);
    case COLL_REDUCE:
        return FORM(reduce, a->team, a->root, a->dst, a->src, n, a->type,
                    a->op);
    case COLL_ALLREDUCE:
        return FORM(allreduce, a->team, a->dst, a->src, n, a->type, a->op);
    case COLL_REDUCE_SCATTER:
        return FORM(reduce_scatter, a->team, a->dst, a->src, n, a->type, a->op);
    default:
        return FORM(scan, a->team, a->dst, a->src, n, a->type, a->op);
    }
}

/* Both forms say so, and do nothing. */
#define REFUSED(call, a, status) refused(CONF_HERE, call, a, status)
static void refused(const char *where, enum coll_call call,
                    const struct arguments *a, fshmem_status_t want)
{
    int mark;
    const gasnet_handle_t before = (gasnet_handle_t)(void *)&mark;
    gasnet_handle_t handle = before;
    fshmem_status_t got = make(call, a, NULL);
    const char *form = "";

    if (got == want) {
        got = make(call, a, &handle);
        form = "_nb";
    }
    if (got != want) {
        conf_fail(where, "refused", "%s%s: '%s', want '%s'", coll_names[call],
                  form, fshmem_status_string(got), fshmem_status_string(want));
    }
    if (handle != before) {
        conf_fail(where, "refused", "%s_nb has written its handle",
                  coll_names[call]);
    }
    conf_check_bytes(where, dst, sizeof dst, COLL_UNTOUCHED);
}

static void refused_by_all(const char *where, fshmem_status_t want)
{
    static const struct coll_team none = {GASNET_TEAM_ALL, 1, 0};
    const struct arguments a = good(&none);
    for (int call = 0; call < COLL_CALLS; call++) {
        refused(where, (enum coll_call)call, &a, want);
    }
}

/* A call that works, after those that did not. */
static void works(const struct coll_team *team)
{
    static uint64_t calls;
    struct coll_op op;
    for (int call = 0; call < COLL_CALLS; call++) {
        memset(&op, 0, sizeof op);
        op.team = team;
        op.call = (enum coll_call)call;
        op.count = 5;
        op.key = ++calls;
        coll_choose_own(&op);
        coll_next = coll_keep;
        coll_run(&op);
    }
}

/* ---- one wrong argument after the other ------------------------------------ */

/* The call alone; the others have no such argument. */
static int has_sizes(enum coll_call call)
{
    return call != COLL_BARRIER && call != COLL_ALLGATHERV &&
           call != COLL_ALLTOALLV;
}

static void flags(enum coll_call call)
{
    static const unsigned unknown[] = {
        FSHMEM_COLL_BRUCK + 1, 0x7f, 0xff, 0x200, 1u << 31, ~0u};
    struct arguments a = good(&all);
    for (int i = 0; i < CONF_COUNT(unknown); i++) {
        a.flags = unknown[i];
        REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    }
    if (call != COLL_SCAN) {
        a.flags = FSHMEM_COLL_EXCLUSIVE;
        REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    }
    /* Those that do one thing only. */
    a.flags =
        call == COLL_BARRIER ? FSHMEM_COLL_PAIRWISE : FSHMEM_COLL_DISSEMINATION;
    REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    if (call != COLL_BROADCAST) {
        a.flags = FSHMEM_COLL_CHAIN;
        REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    }
}

static void roots(enum coll_call call)
{
    struct arguments a = good(&all);
    if (!coll_rooted(call)) {
        return;
    }
    a.root = (gasnet_node_t)all.ranks;
    REFUSED(call, &a, FSHMEM_ERR_NODE);
    a.root = ~(gasnet_node_t)0;
    REFUSED(call, &a, FSHMEM_ERR_NODE);
    a = good(&self);
    a.root = 1;
    REFUSED(call, &a, FSHMEM_ERR_NODE);
}

static void buffers(enum coll_call call)
{
    struct arguments a = good(&all);
    if (call == COLL_BARRIER) {
        return;
    }
    a.dst = NULL;
    a.src = NULL;
    REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    /* In a team of one each rank uses both. */
    a = good(&self);
    a.dst = NULL;
    REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    a = good(&self);
    a.src = NULL;
    REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    a = good(&all);
    a.in = a.out = NULL;
    if (!has_sizes(call)) {
        REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    }
    if (call == COLL_ALLTOALLV) {
        a.in = counts;
        REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
        a.in = NULL;
        a.out = counts;
        REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
    }
}

static void operations(enum coll_call call)
{
    struct arguments a = good(&all);
    if (!coll_reduces(call)) {
        return;
    }
    for (int type = -1; type <= COLL_TYPES + 1; type++) {
        for (int op = -1; op <= COLL_OPS + 1; op++) {
            a.type = (fshmem_type_t)type;
            a.op = (fshmem_op_t)op;
            if (fshmem_coll_element(a.type, a.op) == 0) {
                REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
                /* Also if there is nothing to combine. */
                a.count = 0;
                REFUSED(call, &a, FSHMEM_ERR_ARGUMENT);
                a.count = 4;
            }
        }
    }
}

/* Sizes whose sum is past what size_t counts. */
static void shapes(enum coll_call call)
{
    size_t huge[COLL_MAX_RANKS];
    struct arguments a = good(&all);
    for (int i = 0; i < COLL_MAX_RANKS; i++) {
        huge[i] = SIZE_MAX / 2 + 1;
    }
    a.in = a.out = huge;
    if (coll_reduces(call)) {
        a.count = SIZE_MAX / 4 + 1; /* wraps to 0 bytes */
        REFUSED(call, &a, FSHMEM_ERR_SHAPE);
        a.count = SIZE_MAX;
        a.type = FSHMEM_DOUBLE;
        REFUSED(call, &a, FSHMEM_ERR_SHAPE);
        a.type = FSHMEM_INT32;
        a.count = SIZE_MAX / 8 + 1; /* half of it a rank */
    } else {
        a.count = SIZE_MAX / 2 + 1;
    }
    if (all.ranks > 1 && call != COLL_BARRIER && call != COLL_BROADCAST &&
        call != COLL_REDUCE && call != COLL_ALLREDUCE && call != COLL_SCAN) {
        REFUSED(call, &a, FSHMEM_ERR_SHAPE);
    }
}

/* Blocks of which one fits, but not all: also where a rank has only one of them. */
static void shapes_in_all(enum coll_call call)
{
    struct arguments a = good(&all);
    a.count = SIZE_MAX / (size_t)all.ranks + 1;
    if (all.ranks > 1 && (call == COLL_SCATTER || call == COLL_GATHER ||
                          call == COLL_ALLGATHER || call == COLL_ALLTOALL)) {
        REFUSED(call, &a, FSHMEM_ERR_SHAPE);
    }
    a.count = SIZE_MAX / 4 / (size_t)all.ranks + 1;
    if (call == COLL_REDUCE_SCATTER) {
        REFUSED(call, &a, FSHMEM_ERR_SHAPE);
    }
}

/* Nothing is needed where there is nothing to do. */
static void nothing(void)
{
    gasnet_handle_t handle;
    struct arguments a = good(&all);
    a.dst = NULL;
    a.src = NULL;
    a.count = 0;
    memset(counts, 0, sizeof counts);
    for (int call = 0; call < COLL_CALLS; call++) {
        FINE(make((enum coll_call)call, &a, NULL));
        FINE(make((enum coll_call)call, &a, &handle));
        gasnet_wait_syncnb(handle);
    }
}

/* ---- wrong times ------------------------------------------------------------ */

static int handled;

static void on_message(gasnet_token_t token)
{
    (void)token;
    refused_by_all(CONF_HERE, FSHMEM_ERR_CALL);
    CHECK_EQ(fshmem_coll_element(FSHMEM_DOUBLE, FSHMEM_MAXLOC), 16);
    conf_add(&handled, 1);
}

static gasnet_handlerentry_t table[] = {{H_SELF, on_message}};

int main(int argc, char **argv)
{
    memset(dst, COLL_UNTOUCHED, sizeof dst);
    for (int i = 0; i < COLL_MAX_RANKS; i++) {
        counts[i] = 4;
    }
    CHECK_EQ(fshmem_coll_element(FSHMEM_INT32, FSHMEM_SUM), 4);
    refused_by_all(CONF_HERE, FSHMEM_ERR_CALL);
    conf_init("coll_errors", &argc, &argv);
    refused_by_all(CONF_HERE, FSHMEM_ERR_CALL);
    conf_attach(table, CONF_COUNT(table), SEGMENT);
    coll_thread(0, 0, SEGMENT);
    conf_barrier();
    all = coll_team_of(GASNET_TEAM_ALL);
    self =
        coll_team_of(gasnet_coll_team_split(GASNET_TEAM_ALL, conf.me, 0, NULL));
    CHECK_EQ(self.ranks, 1);
    for (int call = 0; call < COLL_CALLS; call++) {
        flags((enum coll_call)call);
        roots((enum coll_call)call);
        buffers((enum coll_call)call);
        operations((enum coll_call)call);
        shapes((enum coll_call)call);
        shapes_in_all((enum coll_call)call);
        works(&all);
    }
    OK(gasnet_AMRequestShort0(conf.me, H_SELF));
    CONF_WAIT(handled, 1);
    CHECK_EQ(fshmem_coll_barrier_nb(all.team, 0, NULL), FSHMEM_ERR_ARGUMENT);
    works(&self);
    works(&all);
    nothing();
    conf_check_bytes(CONF_HERE, dst, sizeof dst, COLL_UNTOUCHED);
    conf_pass();
}
