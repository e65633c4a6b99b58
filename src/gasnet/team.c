/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams and images: the table of this node's teams, gasnet_coll_init,
 * gasnet_coll_team_split. Queries on any thread. A split asks the parent team
 * who wants what, and ends when all members have their team, so that its first
 * message finds it.
 */
#include <string.h>

#include "base/log.h"
#include "gasnet/coll_engine.h"
#include "gasnet/team.h"

#define MAX_TEAMS 65536u
#define NOBODY UINT32_MAX

struct fsh_team *fsh_team_all;

static _Atomic(struct fsh_team *) teams[MAX_TEAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_uint team_count;            /* numbers given out */
static gasnet_coll_fn_entry_t *functions; /* under lock, as the next */
static size_t function_count;

static void *get(size_t n, size_t size, const char *call)
{
    void *p = calloc(n, size);

    if (p == NULL)
        fsh_fatal("%s: no memory for a team of %zu members", call, n);
    return p;
}

/* ---- making a team ---- */

/* One image a node, or the numbers of images[node]. Handlers may be looking at
 * the view, on another thread, so it changes under the lock of collectives. */
static void make_view(struct fsh_team *team, struct fsh_view *view,
                      const gasnet_image_t *images, const char *call)
{
    uint32_t *first = get(team->size + 1, sizeof *first, call), *calls, mine;
    uint32_t *old_first, *old_calls;

    for (uint32_t r = 0; r < team->size; r++)
        first[r + 1] = first[r] + (images == NULL ? 1 : images[team->node[r]]);
    mine = first[team->rank + 1] - first[team->rank];
    calls = get(mine, sizeof *calls, call);
    pthread_mutex_lock(&fsh_coll_lock);
    old_first = view->first;
    old_calls = view->calls;
    view->first = first;
    view->calls = calls;
    view->mine = mine;
    pthread_mutex_unlock(&fsh_coll_lock);
    free(old_first);
    free(old_calls);
}

static struct fsh_team *make_team(uint32_t id, uint32_t rank, uint32_t size,
                                  const char *call)
{
    struct fsh_team *team = get(1, sizeof *team, call);

    team->id = id;
    team->rank = rank;
    team->size = size;
    team->node = get(size, sizeof *team->node, call);
    team->number = get(size, sizeof *team->number, call);
    team->rank_of = get(fsh_gasnet.nodes, sizeof *team->rank_of, call);
    for (uint32_t i = 0; i < fsh_gasnet.nodes; i++)
        team->rank_of[i] = NOBODY;
    pthread_mutex_init(&team->lock, NULL);
    return team;
}

/* After the members are filled in. */
static void register_team(struct fsh_team *team, const char *call)
{
    for (uint32_t r = 0; r < team->size; r++)
        team->rank_of[team->node[r]] = r;
    for (unsigned v = 0; v < FSH_VIEWS; v++)
        make_view(team, &team->view[v], NULL, call);
    team->barrier.target =
        get(team->view[FSH_VIEW_IMAGES].mine, sizeof(uint32_t), call);
    fsh_barrier_make(team);
    /* Partner: the acquire in fsh_team_at. */
    atomic_store_explicit(&teams[team->id], team, memory_order_release);
}

void fsh_team_register(void)
{
    static const char call[] = "gasnet_init";
    uint32_t n = fsh_gasnet.nodes;

    fsh_team_all = make_team(0, fsh_gasnet.rank, n, call);
    for (uint32_t r = 0; r < n; r++)
        fsh_team_all->node[r] = r;
    atomic_store_explicit(&team_count, 1, memory_order_relaxed);
    register_team(fsh_team_all, call);
}

uint32_t fsh_team_count(void)
{
    return atomic_load_explicit(&team_count, memory_order_relaxed);
}

struct fsh_team *fsh_team_at(uint32_t id)
{
    if (id >= MAX_TEAMS)
        return NULL;
    return atomic_load_explicit(&teams[id], memory_order_acquire);
}

struct fsh_team *fsh_team_of(gasnet_team_handle_t team, const char *call)
{
    if (__builtin_expect(!fsh_gasnet.attached, 0))
        fsh_bad_call(call);
    return team == GASNET_TEAM_ALL ? fsh_team_all : team;
}

/* ---- images ---- */

uint32_t fsh_team_image(const struct fsh_team *team, unsigned view,
                        const char *call)
{
    const struct fsh_view *v = &team->view[view];
    uint32_t first = v->first[team->rank], image;

    if (v->mine == 1)
        return 0;
    image = fsh_thread_self()->image;
    if (image == 0 || image - 1 < first || image - 1 >= first + v->mine)
        fsh_fatal("%s: this thread is no image of node %u: it has not called "
                  "gasnet_coll_init with a my_image of %u to %u",
                  call, fsh_gasnet.rank, first, first + v->mine - 1);
    return image - 1 - first;
}

uint32_t fsh_team_image_rank(const struct fsh_team *team, unsigned view,
                             uint32_t image)
{
    const uint32_t *first = team->view[view].first;
    uint32_t low = 0, high = team->size;

    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        if (first[middle] <= image)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const gasnet_coll_fn_entry_t *fsh_team_function(const char *call, int32_t func)
{
    if (func < 0 || (size_t)func >= function_count)
        fsh_fatal("%s: func is %d, but gasnet_coll_init was given %zu "
                  "functions",
                  call, func, function_count);
    return &functions[func];
}

static bool same_images(const gasnet_image_t images[])
{
    const uint32_t *first = fsh_team_all->view[FSH_VIEW_IMAGES].first;

    for (uint32_t i = 0; i < fsh_gasnet.nodes; i++)
        if (first[i + 1] - first[i] != (images == NULL ? 1 : images[i]))
            return false;
    return true;
}

/* Under the lock. The first thread of the node sets up; others, and a second
 * call, must want the same images. */
static void set_images(const char *call, const gasnet_image_t images[])
{
    static bool done;
    struct fsh_team *team = fsh_team_all;

    for (uint32_t i = 0; images != NULL && i < fsh_gasnet.nodes; i++)
        if (images[i] == 0 || (images[i] > 1 && !fsh_gasnet.threaded))
            fsh_fatal("%s: images[%u] is %u, but a node has %s", call, i,
                      images[i],
                      fsh_gasnet.threaded ? "at least one" : "one thread");
    if (same_images(images))
        done = true;
    else if (done || team->view[FSH_VIEW_IMAGES].calls[0] != 0)
        fsh_fatal("%s: images differ from those of an earlier call, or of "
                  "collectives before the first",
                  call);
    if (done)
        return;
    done = true;
    make_view(team, &team->view[FSH_VIEW_IMAGES], images, call);
    free(team->barrier.target);
    team->barrier.target =
        get(team->view[FSH_VIEW_IMAGES].mine, sizeof(uint32_t), call);
}

static void set_functions(const char *call, gasnet_coll_fn_entry_t fn_tbl[],
                          size_t fn_count)
{
    if (fn_count == 0)
        return;
    if (fn_tbl == NULL)
        fsh_fatal("%s: fn_tbl is null, but fn_count is %zu", call, fn_count);
    if (functions == NULL) {
        functions = get(fn_count, sizeof *functions, call);
        memcpy(functions, fn_tbl, fn_count * sizeof *functions);
        function_count = fn_count;
    } else if (fn_count != function_count) {
        fsh_fatal("%s: fn_count is %zu, but was %zu in an earlier call", call,
                  fn_count, function_count);
    }
}

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                      int init_flags)
{
    static const char call[] = "gasnet_coll_init";
    struct fsh_thread *self;

    FSH_CALL(call);
    (void)init_flags;
    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    self = fsh_thread_self();
    pthread_mutex_lock(&lock);
    set_images(call, images);
    set_functions(call, fn_tbl, fn_count);
    pthread_mutex_unlock(&lock);
    if (images == NULL)
        return;
    self->image = my_image + 1;
    if (fsh_team_all->view[FSH_VIEW_IMAGES].mine > 1)
        (void)fsh_team_image(fsh_team_all, FSH_VIEW_IMAGES, call);
}

/* ---- split ---- */

/* What a member of the parent tells the others. */
struct wish {
    uint32_t color;
    uint32_t relrank;
    uint32_t number; /* the new team's on its node */
    uint32_t rank;   /* in the parent */
};

static int by_relrank(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;

    if (x->relrank != y->relrank)
        return x->relrank < y->relrank ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* Keep the wishes of this color, in the order of their ranks to be. */
static uint32_t choose(struct wish *wishes, uint32_t n, uint32_t color)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++)
        if (wishes[i].color == color)
            wishes[kept++] = wishes[i];
    qsort(wishes, kept, sizeof *wishes, by_relrank);
    return kept;
}

static struct fsh_team *team_from(const struct fsh_team *parent,
                                  const struct wish *wishes, uint32_t n,
                                  uint32_t id, const char *call)
{
    struct fsh_team *team = make_team(id, 0, n, call);

    for (uint32_t r = 0; r < n; r++) {
        team->node[r] = parent->node[wishes[r].rank];
        team->number[r] = wishes[r].number;
        if (wishes[r].rank == parent->rank)
            team->rank = r;
    }
    register_team(team, call);
    return team;
}

static uint32_t take_number(const char *call)
{
    uint32_t id =
        atomic_fetch_add_explicit(&team_count, 1, memory_order_relaxed);

    if (id >= MAX_TEAMS)
        fsh_fatal("%s: this node has %u teams already", call, MAX_TEAMS);
    return id;
}

gasnet_team_handle_t gasnet_coll_team_split(gasnet_team_handle_t parent_team,
                                            gasnet_node_t color,
                                            gasnet_node_t relrank,
                                            void *clientdata)
{
    static const char call[] = "gasnet_coll_team_split";
    FSH_CALL(call);
    struct fsh_team *parent = fsh_team_of(parent_team, call), *team;
    struct wish *wishes = get(parent->size, sizeof *wishes, call);
    struct wish mine = {color, relrank, take_number(call), parent->rank};

    (void)clientdata;
    fsh_coll_share(parent, &mine, sizeof mine, wishes, call);
    team = team_from(parent, wishes, choose(wishes, parent->size, color),
                     mine.number, call);
    free(wishes);
    /* Nobody sends to the team before every member has it. */
    fsh_coll_share(parent, NULL, 0, NULL, call);
    return team;
}

/* ---- queries ---- */

gasnet_node_t gasnet_coll_team_size(gasnet_team_handle_t team)
{
    return fsh_team_of(team, "gasnet_coll_team_size")->size;
}

gasnet_node_t gasnet_coll_team_rank(gasnet_team_handle_t team)
{
    return fsh_team_of(team, "gasnet_coll_team_rank")->rank;
}

gasnet_node_t gasnet_coll_team_rank2node(gasnet_team_handle_t team, int rank)
{
    static const char call[] = "gasnet_coll_team_rank2node";
    const struct fsh_team *t = fsh_team_of(team, call);

    if (rank < 0 || (uint32_t)rank >= t->size)
        fsh_fatal("%s: rank is %d, but the team's are 0 to %u", call, rank,
                  t->size - 1);
    return t->node[rank];
}

gasnet_node_t gasnet_coll_team_node2rank(gasnet_team_handle_t team,
                                         gasnet_node_t node)
{
    static const char call[] = "gasnet_coll_team_node2rank";
    const struct fsh_team *t = fsh_team_of(team, call);

    if (node >= fsh_gasnet.nodes || t->rank_of[node] == NOBODY)
        fsh_fatal("%s: node %u is no member of the team", call, node);
    return t->rank_of[node];
}
