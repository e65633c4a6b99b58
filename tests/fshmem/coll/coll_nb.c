/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random program of collectives in flight, of the team of all and of teams that
 * overlap with it and with each other, the same on all ranks. In between each rank makes
 * puts, gets, messages and syncs of any kind in any order, in one list, as it likes.
 * Barriers and collectives of gasnet.h and gasnet_coll.h are interspersed. Ranks do not
 * synchronise between batches. coll_nb [calls]: at least so many.
 */
#include "coll.h"

enum {
    SEGMENT = 32 << 20,
    SLICE = 4096, /* what one rank writes at another */
    MOST = 128,   /* handles of a batch */
    LARGEST = 300000,
    H_ASK = 128,
    H_ANSWER
};

enum { TEAMS = 6 };
static struct coll_team teams[TEAMS];
static struct conf_rng rng; /* the same on all ranks */
static uint64_t calls;

/* Of this rank's: what the handle of that number is of. Memory stays where it is
 * while something is in flight. */
enum kind { COLLECTIVE, PUT, GET };
struct flight {
    enum kind kind;
    struct coll_op op;
    unsigned char bytes[SLICE];
    size_t n;
};
static struct flight *flight[MOST];
static gasnet_handle_t handles[MOST];
static int flying;

/* Those of gasnet_coll.h. */
struct old {
    gasnet_coll_handle_t handle;
    unsigned char bytes[256];
    size_t n;
    unsigned pattern;
};
static struct old *old[MOST];
static int olds;

static void *fresh(size_t n)
{
    void *p = malloc(n);
    CHECK(p != NULL, "malloc");
    return p;
}

/* ---- messages ------------------------------------------------------------ */

static int asked, answered;

static void ask(gasnet_token_t token, void *buf, size_t n, int pattern)
{
    CHECK_FILL(buf, n, (unsigned)pattern);
    OK(gasnet_AMReplyMedium1(token, H_ANSWER, buf, n, pattern));
}

static void answer(gasnet_token_t token, void *buf, size_t n, int pattern)
{
    (void)token;
    CHECK_FILL(buf, n, (unsigned)pattern);
    conf_add(&answered, 1);
}

static gasnet_handlerentry_t table[] = {{H_ASK, ask}, {H_ANSWER, answer}};

static void message(void)
{
    unsigned char buf[512];
    const size_t n = conf_below(&coll_own, sizeof buf + 1);
    const int pattern = (int)conf_below(&coll_own, 10000);
    conf_fill(buf, n, (unsigned)pattern);
    asked++;
    OK(gasnet_AMRequestMedium1((gasnet_node_t)conf_below(&coll_own, conf.n),
                               H_ASK, buf, n, pattern));
}

/* ---- puts and gets -------------------------------------------------------- */

/* Slice of this rank at another; the first half is put to, the second, which is
 * written once, is what gets read. */
static unsigned char *slice(gasnet_node_t node)
{
    return conf_addr(node) + (size_t)conf.me * SLICE;
}

static void transfer(void)
{
    const gasnet_node_t node = (gasnet_node_t)conf_below(&coll_own, conf.n);
    const size_t half = SLICE / 2, n = conf_below(&coll_own, half + 1);
    struct flight *f;
    if (flying == MOST) {
        return;
    }
    f = flight[flying] = (struct flight *)fresh(sizeof *f);
    f->n = n;
    if (conf_below(&coll_own, 2)) {
        f->kind = PUT;
        conf_fill(f->bytes, n, (unsigned)conf_next(&coll_own));
        handles[flying] = gasnet_put_nb_bulk(node, slice(node), f->bytes, n);
    } else {
        f->kind = GET;
        memset(f->bytes, 0, n);
        handles[flying] =
            gasnet_get_nb_bulk(f->bytes, node, slice(node) + half, n);
    }
    flying++;
}

static void write_slices(void)
{
    unsigned char buf[SLICE / 2];
    conf_fill(buf, sizeof buf, 1000 + conf.me);
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        gasnet_put_bulk(i, slice(i) + SLICE / 2, buf, sizeof buf);
    }
}

/* ---- ends ------------------------------------------------------------------ */

static void ended(struct flight *f)
{
    if (f->kind == COLLECTIVE) {
        COLL_FINISH(&f->op);
    } else if (f->kind == GET) {
        CHECK_FILL(f->bytes, f->n, 1000 + conf.me);
    }
    free(f);
}

/* Those whose handles are complete are checked, and leave the list. */
static void sweep(void)
{
    int kept = 0;
    for (int i = 0; i < flying; i++) {
        if (handles[i] == GASNET_INVALID_HANDLE) {
            ended(flight[i]);
        } else {
            handles[kept] = handles[i];
            flight[kept++] = flight[i];
        }
    }
    flying = kept;
}

static void sync_old(void)
{
    const int i = (int)conf_below(&coll_own, (size_t)olds + 1);
    if (i == olds) {
        return;
    }
    if (conf_below(&coll_own, 2)) {
        gasnet_coll_wait_sync(old[i]->handle);
    } else if (gasnet_coll_try_sync(old[i]->handle) != GASNET_OK) {
        return;
    }
    CHECK_FILL(old[i]->bytes, old[i]->n, old[i]->pattern);
    free(old[i]);
    old[i] = old[--olds];
}

static void sync_some(void)
{
    int i;
    if (flying == 0) {
        return;
    }
    i = (int)conf_below(&coll_own, (size_t)flying);
    switch (conf_below(&coll_own, 6)) {
    case 0:
        gasnet_wait_syncnb(handles[i]);
        handles[i] = GASNET_INVALID_HANDLE;
        break;
    case 1:
        if (gasnet_try_syncnb(handles[i]) == GASNET_OK) {
            handles[i] = GASNET_INVALID_HANDLE;
        }
        break;
    case 2:
        gasnet_wait_syncnb_some(handles + i, (size_t)(flying - i));
        break;
    case 3:
        gasnet_try_syncnb_some(handles, (size_t)flying);
        break;
    case 4:
        gasnet_try_syncnb_all(handles, (size_t)flying);
        break;
    default:
        gasnet_AMPoll();
    }
    sweep();
}

static void sync_all(void)
{
    while (conf_below(&coll_own, 8) != 0 && flying != 0) {
        sync_some();
        sync_old();
    }
    if (conf_below(&coll_own, 2)) {
        gasnet_wait_syncnb_all(handles, (size_t)flying);
    } else {
        while (gasnet_try_syncnb_all(handles, (size_t)flying) != GASNET_OK) {}
    }
    sweep();
    CHECK_EQ(flying, 0);
    while (olds != 0) {
        sync_old();
    }
    GASNET_BLOCKUNTIL(conf_load(&answered) == asked);
}

/* ---- what all ranks do ------------------------------------------------------ */

static size_t choose_bytes(void)
{
    switch (conf_below(&rng, 20)) {
    case 0:
        return conf.scale < 0.5 ? conf_below(&rng, 20000)
                                : conf_below(&rng, LARGEST);
    case 1:
    case 2:
        return conf_below(&rng, 20000);
    default:
        return conf_length(&rng, 1000);
    }
}

static void collective(const struct coll_team *team)
{
    struct coll_op op;
    memset(&op, 0, sizeof op);
    op.team = team;
    op.call = (enum coll_call)conf_below(&rng, COLL_CALLS);
    op.root = (int)(conf_below(&rng, 5040) % (size_t)team->ranks);
    op.count = choose_bytes();
    op.key = ++calls;
    coll_choose_fold(&op.fold, &rng);
    if (conf_below(&rng, 2) && op.call == COLL_SCAN) {
        op.flags = FSHMEM_COLL_EXCLUSIVE;
    }
    if (coll_reduces(op.call)) {
        op.count /= coll_size(op.fold.type, op.fold.op);
    }
    coll_choose_own(&op);
    op.nb = conf_below(&coll_own, 6) != 0;
    if (flying == MOST || !op.nb) {
        op.nb = 0;
        coll_run(&op);
        return;
    }
    coll_start(&op);
    FINE(op.status);
    flight[flying] = (struct flight *)fresh(sizeof **flight);
    flight[flying]->kind = COLLECTIVE;
    flight[flying]->op = op;
    handles[flying++] = op.handle;
}

/* One of gasnet_coll.h of the same team. */
static void old_collective(const struct coll_team *team)
{
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_MYSYNC;
    const gasnet_image_t root =
        (gasnet_image_t)(conf_below(&rng, 5040) % (size_t)team->ranks);
    struct old *o = (struct old *)fresh(sizeof *o);
    while (olds == MOST) {
        sync_old();
    }
    o->n = conf_below(&rng, sizeof o->bytes);
    o->pattern = (unsigned)++calls;
    if ((gasnet_image_t)team->me == root) {
        conf_fill(o->bytes, o->n, o->pattern);
    }
    o->handle = gasnet_coll_broadcast_nb(team->team, o->bytes, root, o->bytes,
                                         o->n, flags);
    old[olds++] = o;
}

static void step(int number, int *notified)
{
    const struct coll_team *team =
        &teams[conf_below(&rng, 3) == 0 ? 0 : conf_below(&rng, TEAMS)];
    switch (conf_below(&rng, 24)) {
    case 0:
        if (*notified >= 0) {
            OK(gasnet_barrier_wait(*notified, 0));
            *notified = -1;
        } else {
            *notified = number;
            gasnet_barrier_notify(number, 0);
        }
        break;
    case 1:
        if (*notified < 0 || team->team != GASNET_TEAM_ALL) {
            OK(gasnet_coll_barrier(team->team, number, 0));
        }
        break;
    case 2:
    case 3:
        old_collective(team);
        break;
    default:
        collective(team);
    }
}

static void batch(int number, int steps)
{
    int notified = -1;
    coll_next = coll_keep;
    for (int i = 0; i < steps; i++) {
        step(number * 1000 + i, &notified);
        switch (conf_below(&coll_own, 8)) {
        case 0:
            transfer();
            break;
        case 1:
            message();
            break;
        case 2:
            sync_some();
            break;
        case 3:
            sync_old();
            break;
        default:
            break;
        }
    }
    if (notified >= 0) {
        OK(gasnet_barrier_wait(notified, 0));
    }
    sync_all();
}

/* By color, and turned round or not. */
static struct coll_team split(gasnet_node_t color, int turned)
{
    const gasnet_node_t rank = turned ? conf.n - conf.me : conf.me;
    return coll_team_of(
        gasnet_coll_team_split(GASNET_TEAM_ALL, color, rank, NULL));
}

int main(int argc, char **argv)
{
    conf_init("coll_nb", &argc, &argv);
    conf_attach(table, CONF_COUNT(table), SEGMENT);
    rng = conf_rng(0);
    coll_thread(0, conf.n * SLICE, SEGMENT);
    conf_barrier();
    teams[0] = coll_team_of(GASNET_TEAM_ALL);
    teams[1] = split(conf.me % 2, 0);
    teams[2] = split(conf.me < conf.n / 2, 1);
    teams[3] = split(0, 1);
    teams[4] = split(conf.me, 0);
    teams[5] = split(conf.me != 0, 0);
    write_slices();
    conf_barrier();
    const uint64_t least = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const int batches = conf_iters(80, 4);
    for (int i = 0; i < batches || calls < least; i++) {
        batch(i, conf.scale < 0.5 ? 30 : 1 + (int)conf_below(&rng, MOST));
    }
    conf_pass();
}
