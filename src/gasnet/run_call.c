/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a call to its executor: chooses the algorithm, generates its program once per
 * shape that a team has used, and passes it to the engine. Calls on a team come from
 * one thread at a time, which has exclusive use of the team's plans.
 */
#include <string.h>

#include "base/log.h"
#include "base/option.h"
#include "coll/card/card.h"
#include "gasnet/coll_how.h"
#include "gasnet/run.h"

/* Algorithms requested by settings; NULL: none. */
static const struct fsh_program_algorithm *asked[FSH_PROGRAM_CALLS];

void fsh_coll_settings(void)
{
    for (unsigned call = 0; call < FSH_PROGRAM_CALLS; call++) {
        const char *name = fsh_program_call_name((enum fsh_program_call)call);
        char option[40] = "FSHMEM_COLL_";
        size_t n = strlen(option);

        for (; *name != 0 && n + 1 < sizeof option; name++)
            option[n++] = *name == '_' ? '_' : (char)(*name - 'a' + 'A');
        option[n] = 0;
        asked[call] = fsh_program_named(fsh_option_str(option));
    }
}

static bool same_shape(const struct fsh_program_shape *a,
                       const struct fsh_program_shape *b)
{
    return a->call == b->call && a->size == b->size && a->root == b->root &&
           a->exclusive == b->exclusive && a->rings == b->rings &&
           a->sides == b->sides;
}

static struct fsh_run_plan *make_plan(struct fsh_run_plan **list,
                                      const char *name,
                                      const struct fsh_program_algorithm *a,
                                      const struct fsh_program_shape *shape)
{
    struct fsh_run_plan *plan = calloc(1, sizeof *plan);

    if (plan == NULL)
        fsh_fatal("%s: no memory for a plan", name);
    plan->algorithm = a;
    plan->shape = *shape;
    plan->next = *list;
    *list = plan;
    return plan;
}

static struct fsh_run_plan *plan_for(struct fsh_team *team, const char *name,
                                     const struct fsh_program_algorithm *a,
                                     const struct fsh_program_shape *shape)
{
    struct fsh_run_plan **list =
        &team->runs->plans[(shape->root * FSH_PROGRAM_CALLS + shape->call) %
                           FSH_RUN_PLANS];
    struct fsh_run_plan *plan = *list;

    while (plan != NULL &&
           (plan->algorithm != a || !same_shape(&plan->shape, shape)))
        plan = plan->next;
    return plan != NULL ? plan : make_plan(list, name, a, shape);
}

static const struct fsh_program *program_of(struct fsh_run_plan *plan,
                                            const struct fsh_team *team,
                                            const char *name)
{
    if (plan->program == NULL)
        plan->program = fsh_program_make_over(plan->algorithm, &plan->shape,
                                              team->host, team->rank);
    if (plan->program == NULL)
        fsh_fatal("%s: no memory for a program of %u ranks", name, team->size);
    return plan->program;
}

/* A reduce uses the root's recipe on all members. */
static const struct fsh_recipe *recipe_of(struct fsh_run_plan *plan,
                                          const struct fsh_team *team,
                                          const char *name)
{
    uint32_t rank =
        plan->shape.call == FSH_PROGRAM_REDUCE ? plan->shape.root : team->rank;

    if (plan->recipe == NULL && plan->shape.call != FSH_PROGRAM_BARRIER) {
        plan->recipe = fsh_recipe_make(plan->algorithm, &plan->shape, rank);
        if (plan->recipe == NULL)
            fsh_fatal("%s: no memory for a program of %u ranks", name,
                      team->size);
    }
    return plan->recipe;
}

void fsh_coll_wait(struct fsh_event *event, const char *call)
{
    struct fsh_wait wait = {0};

    while (!fsh_event_done(event))
        fsh_wait_step(&wait, call);
    fsh_wait_end(&wait);
    fsh_call_done(call, 0);
}

static void by_loads(struct fsh_team *team, const char *name,
                     struct fsh_run_plan *plan, struct fsh_coll_work *work,
                     struct fsh_event *event)
{
    struct fsh_event own = {0};

    work->recipe = recipe_of(plan, team, name);
    work->claim = team->runs->claims;
    fsh_run_count_loads(team, name);
    if (event == NULL && fsh_run_direct(team, name, work))
        return;
    fsh_run_direct_start(team, name, work, event != NULL ? event : &own);
    if (event == NULL)
        fsh_coll_wait(&own, name);
}

static void by_messages(struct fsh_team *team, const char *name,
                        struct fsh_run_plan *plan, struct fsh_coll_work *work,
                        struct fsh_event *event)
{
    struct fsh_event own = {0};

    work->claim = team->runs->claims;
    fsh_run_start(team, name, program_of(plan, team, name), work,
                  event != NULL ? event : &own);
    /* As in a poll: another thread may be asleep until this one makes
     * progress. */
    if (fsh_run_kick() && fsh_gasnet.threaded)
        fsh_wait_wake();
    if (event == NULL)
        fsh_coll_wait(&own, name);
}

/* An engine runs the directions of a ring one beside the other, as programs of their
 * own. */
static void by_card(struct fsh_team *team, const char *name,
                    struct fsh_run_plan *plan, const struct fsh_coll_work *work,
                    struct fsh_event *event)
{
    struct fsh_event own = {0};
    struct fsh_program_shape one = plan->shape;
    const struct fsh_program *programs[2] = {NULL, NULL};

    if (one.rings == FSH_PROGRAM_BOTH) {
        one.rings = FSH_PROGRAM_BACK;
        programs[1] =
            program_of(plan_for(team, name, plan->algorithm, &one), team, name);
        one.rings = FSH_PROGRAM_FORTH;
    }
    programs[0] =
        program_of(plan_for(team, name, plan->algorithm, &one), team, name);
    fsh_run_card_start(team, name, plan->algorithm, &plan->shape, programs,
                       work, event != NULL ? event : &own);
    if (event == NULL)
        fsh_coll_wait(&own, name);
}

/* The algorithm of a call that requests none. */
static const struct fsh_program_algorithm *algorithm_for(
    struct fsh_team *team, const struct fsh_program_shape *shape,
    const struct fsh_coll_work *work)
{
    const struct fsh_program_algorithm *a = asked[shape->call];
    size_t bytes = work->elem * work->count;

    if (a != NULL)
        return a;
    if (team->host != NULL && !fsh_run_has_card(team) &&
        work->dst_bytes == NULL && work->src_bytes == NULL)
        return fsh_program_choose_over(
            shape, bytes, team->subtrees && work->wire == FSH_WIRE_FP32);
    return fsh_run_has_card(team) ? fsh_card_choose(shape, bytes)
                                  : fsh_program_choose(shape, bytes);
}

/* Lists have no halves. */
static uint8_t rings_for(const struct fsh_program_algorithm *a,
                         const struct fsh_program_shape *shape,
                         const struct fsh_coll_work *work)
{
    return work->dst_bytes != NULL
               ? FSH_PROGRAM_FORTH
               : fsh_program_rings(a, shape, work->elem * work->count,
                                   work->elem, work->wire != FSH_WIRE_FP32);
}

/* messages: the call needs them; receivers of an alltoallv, for instance, do not know
 * what to load. */
static bool goes_by_loads(struct fsh_team *team, bool messages)
{
    return !messages && fsh_run_has_group(team);
}

static bool needs_messages(const struct fsh_coll_work *work)
{
    return work->src_bytes != NULL || work->wire != FSH_WIRE_FP32 ||
           (work->client != NULL && work->client->by_messages);
}

static bool goes_by_card(struct fsh_team *team,
                         const struct fsh_program_algorithm *a,
                         const struct fsh_program_shape *shape,
                         const struct fsh_coll_work *work)
{
    return fsh_run_has_card(team) && fsh_run_card_takes(a, shape, work);
}

struct fsh_coll_how fsh_coll_how(const struct fsh_program_shape *call,
                                 const struct fsh_program_algorithm *a,
                                 const struct fsh_coll_work *work)
{
    struct fsh_program_shape shape = *call;
    struct fsh_team *all = fsh_team_of(GASNET_TEAM_ALL, "fsh_coll_how");
    const char *engine = "messages";

    if (a == NULL)
        a = algorithm_for(all, call, work);
    shape.rings = rings_for(a, call, work);
    shape.sides = fsh_run_sides(all);
    if (goes_by_loads(all, needs_messages(work)))
        engine = "direct";
    else if (goes_by_card(all, a, &shape, work))
        engine = "card";
    return (struct fsh_coll_how){a->name, engine};
}

void fsh_coll_call(struct fsh_team *team, const char *name,
                   const struct fsh_program_algorithm *a,
                   const struct fsh_program_shape *call,
                   struct fsh_coll_work *work, struct fsh_event *event)
{
    struct fsh_program_shape shape = *call;
    struct fsh_run_plan *plan;

    work->call = call->call;
    work->root = call->root;
    if (a == NULL)
        a = algorithm_for(team, call, work);
    shape.rings = rings_for(a, call, work);
    shape.sides = fsh_run_sides(team);
    plan = plan_for(team, name, a, &shape);
    team->runs->claims = fsh_coll_claims(team->runs->claims, work->claim);
    if (goes_by_loads(team, needs_messages(work)))
        by_loads(team, name, plan, work, event);
    else if (goes_by_card(team, a, &shape, work))
        by_card(team, name, plan, work, event);
    else
        by_messages(team, name, plan, work, event);
}

/* ---- barriers ---- */

/* The boards of direct loads and the cards' engines treat a barrier like any other
 * call, in the order of the calls of its team; they lack a separate order (for a board:
 * numbers; for an engine: a place and JobIDs of a sequence). Until teams of barriers
 * have these (fsh_run_has_group, fsh_run_has_card), their barriers use messages unless
 * the conduit has a barrier. */
FSH_HOT void fsh_coll_meet_start(struct fsh_team *team, const char *name,
                                 const struct fsh_coll_words *words,
                                 struct fsh_event *event)
{
    const struct fsh_program_shape shape = {.call = FSH_PROGRAM_ALLREDUCE,
                                            .size = team->size};
    struct fsh_coll_work work = {.elem = sizeof *words->mine,
                                 .count = 1,
                                 .fold = words->fold,
                                 .dst = (unsigned char *)words->all,
                                 .src = (const unsigned char *)words->mine};

    FSH_ASSERT(fsh_team_is_barriers(team));
    if (fsh_run_meets(team))
        fsh_run_meet_start(*words->mine, words->all, words->merge, event);
    else
        fsh_coll_call(team, name,
                      team->host != NULL ? &fsh_program_two_level
                                         : &fsh_program_idempotent,
                      &shape, &work, event);
}

uint32_t fsh_coll_awaited(const struct fsh_team *team)
{
    if (fsh_run_meets(team))
        return fsh_run_meet_missing();
    return team->node[atomic_load_explicit(&team->runs->awaited,
                                           memory_order_relaxed)];
}
