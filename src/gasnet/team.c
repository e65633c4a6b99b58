/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams and images: the table of this node's teams, and gasnet_coll_init. Queries on
 * any thread.
 */
#include <string.h>

#include "base/log.h"
#include "boot/boot.h"
#include "gasnet/run.h"
#include "gasnet/team.h"

#define MAX_TEAMS 65536u
#define NOBODY UINT32_MAX

struct fsh_team *fsh_team_all;
struct fsh_team *fsh_team_images;

static _Atomic(struct fsh_team *) teams[MAX_TEAMS + 1]; /* last: images */
static struct fsh_lock lock =
    FSH_LOCK_INIT("images and functions", FSH_LOCK_TEAMS);
static atomic_uint team_count;            /* numbers assigned */
static gasnet_coll_fn_entry_t *functions; /* under lock, as is the next */
static size_t function_count;

void *fsh_team_memory(size_t n, size_t size, const char *call)
{
    void *p = calloc(n, size);

    if (p == NULL)
        fsh_fatal("%s: no memory for a team of %zu members", call, n);
    return p;
}

/* ---- creating a team ---- */

/* One image per node, or images[node]. */
static void make_view(struct fsh_team *team, struct fsh_view *view,
                      const gasnet_image_t *images, const char *call)
{
    uint32_t *first = fsh_team_memory(team->size + 1, sizeof *first, call);

    for (uint32_t r = 0; r < team->size; r++)
        first[r + 1] = first[r] + (images == NULL ? 1 : images[team->node[r]]);
    free(view->first);
    free(view->calls);
    view->first = first;
    view->mine = first[team->rank + 1] - first[team->rank];
    FSH_ASSERT(view->mine != 0);
    view->calls = fsh_team_memory(view->mine, sizeof *view->calls, call);
}

struct fsh_team *fsh_team_make(uint32_t id, uint32_t rank, uint32_t size,
                               const char *call)
{
    struct fsh_team *team = fsh_team_memory(1, sizeof *team, call);

    team->id = id;
    team->rank = rank;
    team->size = size;
    team->node = fsh_team_memory(size, sizeof *team->node, call);
    team->number = fsh_team_memory(size, sizeof *team->number, call);
    team->rank_of =
        fsh_team_memory(fsh_gasnet.nodes, sizeof *team->rank_of, call);
    for (uint32_t i = 0; i < fsh_gasnet.nodes; i++)
        team->rank_of[i] = NOBODY;
    team->lock =
        (struct fsh_lock)FSH_LOCK_INIT("images at a barrier", FSH_LOCK_IMAGES);
    return team;
}

/* Among them everything goes through cards, whose links do not know hosts. */
static bool have_cards(const struct fsh_team *team)
{
    for (uint32_t r = 0; r < team->size; r++)
        if (fsh_boot_node(team->node[r]) == FSH_JOB_NO_NODE)
            return false;
    return true;
}

/* The same on all ranks of the team. */
static void find_hosts(struct fsh_team *team, const char *call)
{
    uint16_t *host;
    bool *seen;
    uint32_t hosts = 0;

    if (have_cards(team))
        return;
    host = fsh_team_memory(team->size, sizeof *host, call);
    seen = fsh_team_memory(fsh_boot_hosts(), sizeof *seen, call);
    for (uint32_t r = 0; r < team->size; r++) {
        host[r] = (uint16_t)fsh_boot_host(team->node[r]);
        hosts += !seen[host[r]];
        seen[host[r]] = true;
    }
    free(seen);
    if (hosts == 1 || hosts == team->size) {
        free(host);
        return;
    }
    team->host = host;
    team->subtrees = fsh_program_are_subtrees(host, team->size);
}

/* The team of barriers for a team, reachable only through it. */
static struct fsh_team *make_barriers(const struct fsh_team *team,
                                      const char *call)
{
    struct fsh_team *barriers = fsh_team_make(team->id | FSH_TEAM_BARRIERS,
                                              team->rank, team->size, call);

    for (uint32_t r = 0; r < team->size; r++) {
        barriers->node[r] = team->node[r];
        barriers->number[r] = team->number[r] | FSH_TEAM_BARRIERS;
        barriers->rank_of[team->node[r]] = r;
    }
    barriers->host = team->host;
    fsh_run_team_make(barriers, call);
    return barriers;
}

void fsh_team_add(struct fsh_team *team, const char *call)
{
    FSH_ASSERT(team->rank < team->size &&
               team->node[team->rank] == fsh_gasnet.rank);
    for (uint32_t r = 0; r < team->size; r++) {
        /* One rank per node. */
        FSH_ASSERT(team->rank_of[team->node[r]] == NOBODY);
        team->rank_of[team->node[r]] = r;
    }
    for (unsigned v = 0; v < FSH_VIEWS; v++)
        make_view(team, &team->view[v], NULL, call);
    team->barrier.target = fsh_team_memory(team->view[FSH_VIEW_IMAGES].mine,
                                           sizeof(uint32_t), call);
    find_hosts(team, call);
    fsh_run_team_make(team, call);
    team->barriers = make_barriers(team, call);
    /* Partner: the acquire in fsh_team_at. */
    atomic_store_explicit(&teams[team->id], team, memory_order_release);
}

static struct fsh_team *make_all(uint32_t id)
{
    static const char call[] = "gasnet_init";
    uint32_t n = fsh_gasnet.nodes;
    struct fsh_team *team = fsh_team_make(id, fsh_gasnet.rank, n, call);

    for (uint32_t r = 0; r < n; r++) {
        team->node[r] = r;
        team->number[r] = id;
    }
    fsh_team_add(team, call);
    return team;
}

void fsh_team_register(void)
{
    atomic_store_explicit(&team_count, 1, memory_order_relaxed);
    fsh_team_all = make_all(0);
    fsh_team_images = make_all(MAX_TEAMS);
}

uint32_t fsh_team_count(void)
{
    return atomic_load_explicit(&team_count, memory_order_relaxed);
}

uint32_t fsh_team_number(const char *call)
{
    uint32_t id =
        atomic_fetch_add_explicit(&team_count, 1, memory_order_relaxed);

    if (id >= MAX_TEAMS)
        fsh_fatal("%s: this node has %u teams already, the most there can be: "
                  "a team lasts to the end of the job, so split once and use "
                  "it again",
                  call, MAX_TEAMS);
    return id;
}

struct fsh_team *fsh_team_at(uint32_t id)
{
    uint32_t number = id & ~FSH_TEAM_BARRIERS;
    struct fsh_team *team = NULL;

    if (number <= MAX_TEAMS)
        team = atomic_load_explicit(&teams[number], memory_order_acquire);
    return team != NULL && number != id ? team->barriers : team;
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
        fsh_fatal("%s: this thread is not an image of node %u: it has not "
                  "called gasnet_coll_init with a my_image of %u to %u",
                  call, fsh_gasnet.rank, first, first + v->mine - 1);
    return image - 1 - first;
}

uint32_t fsh_team_image_rank(const struct fsh_team *team,
                             const struct fsh_view *view, uint32_t image)
{
    const uint32_t *first = view->first;
    uint32_t low = 0, high = team->size;

    FSH_ASSERT(image < first[team->size]);
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

/* Lock held. The first thread of the node sets the images; other threads, and a
 * second call, must pass the same. */
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
    team->barrier.target = fsh_team_memory(team->view[FSH_VIEW_IMAGES].mine,
                                           sizeof(uint32_t), call);
}

static void set_functions(const char *call, gasnet_coll_fn_entry_t fn_tbl[],
                          size_t fn_count)
{
    if (fn_count == 0)
        return;
    if (fn_tbl == NULL)
        fsh_fatal("%s: fn_tbl is null, but fn_count is %zu", call, fn_count);
    if (functions == NULL) {
        functions = fsh_team_memory(fn_count, sizeof *functions, call);
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
    fsh_lock_take(&lock);
    set_images(call, images);
    set_functions(call, fn_tbl, fn_count);
    fsh_lock_give(&lock);
    if (images == NULL)
        return;
    self->image = my_image + 1;
    if (fsh_team_all->view[FSH_VIEW_IMAGES].mine > 1)
        (void)fsh_team_image(fsh_team_all, FSH_VIEW_IMAGES, call);
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
        fsh_fatal("%s: node %u is not a member of the team", call, node);
    return t->rank_of[node];
}
