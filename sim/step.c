/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advances time. A node affects another only through links, link_cycles later, so for
 * that many cycles, a quantum, nodes are stepped independently. Between quanta beats
 * are handed over, and the fabric's owner may apply host requests. A node is visited
 * in a cycle only if something is due (`wake`), and evaluated only if it is not idle
 * or has an active input; cycles in which no node is due are skipped. With jumping
 * off every node is visited and evaluated in every cycle, with the same results.
 */
#include "crew.h"
#include "fabric.h"
#include "model.h"
#include "partition.h"

/* Nodes that go through a quantum together: pairs of them are evaluated at once, and
 * their state stays in the cache. Which they are does not depend on threads, as of two
 * failures in a pair only one is known. */
enum { GROUP = 4 };
/* Evaluations in a quantum that are worth the time to share them. */
enum { WORTH = 48 };

/* Some nodes, in order. */
struct set {
    struct fsh_sim_node *const *node;
    uint32_t count;
};

/* --- a cycle of some nodes ---------------------------------------------- */

/* All, or those for which something is due. */
static void look(struct fsh_fabric *fab, struct fsh_part *part, struct set set,
                 uint64_t cycle, bool all, bool gate)
{
    for (uint32_t i = 0; i < set.count; i++)
        if (all || set.node[i]->wake <= cycle)
            fsh_sim_node_inputs(fab, part, set.node[i], cycle, gate);
    if (part->end <= cycle)
        part->end = cycle + 1;
}

/* A failed assertion is that of what this thread has just evaluated. */
static void check(struct fsh_sim_node *node)
{
    if (!fsh_node_error())
        return;
    fsh_sim_node_fail(node, "%s (cycle %llu)", fsh_node_error(),
                      (unsigned long long)node->cycle);
    fsh_node_error_clear();
}

/* Is an engine of it to be evaluated? */
static bool engines(const struct fsh_sim_node *node)
{
    return (node->core && node->core->evaluate) || node->coll.evaluate ||
           node->dma.evaluate;
}

/* In pairs, so that the code of a node is fetched once for both; not where only an
 * engine is to be evaluated. */
static void evaluate_nodes(struct set set)
{
    struct fsh_sim_node *first = NULL;

    for (uint32_t i = 0; i < set.count; i++) {
        struct fsh_sim_node *node = set.node[i];

        if (!node->evaluate) {
            if (engines(node)) {
                fsh_node_eval(node->rtl);
                check(node);
            }
        } else if (first) {
            fsh_node_eval_two(first->rtl, node->rtl);
            check(first);
            first = NULL;
        } else {
            first = node;
        }
    }
    if (first) {
        fsh_node_eval(first->rtl);
        check(first);
    }
}

static void evaluate(struct fsh_part *part, struct set set)
{
    evaluate_nodes(set);
    for (uint32_t i = 0; i < set.count; i++) {
        fsh_sim_node_evaluated(part, set.node[i]);
        if (set.node[i]->failed) {
            set.node[i]->wake = FSH_NEVER;
            part->failed = true;
        }
    }
}

/* --- a quantum ----------------------------------------------------------- */

/* What is due may have been held back. */
static uint64_t soonest_after(struct set set, uint64_t cycle)
{
    uint64_t wake = FSH_NEVER;

    for (uint32_t i = 0; i < set.count; i++)
        if (set.node[i]->wake < wake)
            wake = set.node[i]->wake;
    return wake > cycle ? wake : cycle + 1;
}

static void step_group(struct fsh_fabric *fab, struct fsh_part *part,
                       struct set set, uint64_t from, uint64_t end)
{
    for (uint64_t cycle = from; cycle < end;
         cycle = soonest_after(set, cycle)) {
        look(fab, part, set, cycle, false, false);
        evaluate(part, set);
    }
}

static uint32_t groups(const struct fsh_fabric *fab)
{
    return (fab->now.count + GROUP - 1) / GROUP;
}

/* The groups of the nodes, in order, are shared out evenly: the first of a member's. */
static uint32_t first_group(const struct fsh_fabric *fab, uint32_t member)
{
    return groups(fab) * member / fab->now.parts;
}

/* A member's part of the present quantum: its groups, then those that others have not
 * come to, as a thread may have lost its processor. Who steps a group changes nothing. */
static void step_part(void *arg, uint32_t member)
{
    struct fsh_fabric *fab = arg;

    for (uint32_t i = 0; i < fab->now.parts; i++) {
        uint32_t whose = (member + i) % fab->now.parts;
        uint32_t past = first_group(fab, whose + 1), group;

        /* Relaxed: who takes a group has seen the last quantum (crew.c). */
        while ((group = __atomic_fetch_add(&fab->part[whose].next, 1,
                                           __ATOMIC_RELAXED)) < past) {
            uint32_t at = group * GROUP, left = fab->now.count - at;
            struct set set = {fab->now.node + at, left < GROUP ? left : GROUP};

            step_group(fab, &fab->part[member], set, fab->now.from,
                       fab->now.end);
        }
    }
}

/* Gathers the nodes to be looked at before `end`, or all. */
static struct set gather(struct fsh_fabric *fab, uint64_t end, bool all)
{
    uint32_t count = 0;

    for (uint32_t i = fab->first; i < fab->past; i++)
        if (all || fab->node[i].wake < end)
            fab->now.node[count++] = &fab->node[i];
    fab->now.count = count;
    return (struct set){fab->now.node, count};
}

/* How many threads are worth it, by what the last quantum was. */
static uint32_t parts(const struct fsh_fabric *fab)
{
    uint32_t count = groups(fab);
    uint32_t most = fab->crew ? fsh_crew_members(fab->crew) : 1;

    if (fab->work < WORTH || count <= 1)
        return 1;
    return count < most ? count : most;
}

static void step_quantum(struct fsh_fabric *fab, uint64_t end)
{
    gather(fab, end, false);
    fab->now.from = fab->cycle;
    fab->now.end = end;
    fab->now.parts = parts(fab);
    for (uint32_t i = 0; i < fab->now.parts; i++)
        fab->part[i].next = first_group(fab, i);
    if (fab->now.parts > 1) {
        fab->shared++;
        fsh_crew_work(fab->crew, fab->now.parts);
    } else {
        step_part(fab, 0);
    }
}

void fsh_fabric_crew(struct fsh_fabric *fab)
{
    fab->crew = fsh_crew_start(fab->config.threads, step_part, fab);
}

/* --- a cycle of the whole fabric ----------------------------------------- */

bool fsh_gate_drained(const struct fsh_fabric *fab)
{
    for (uint32_t i = fab->first; i < fab->past; i++)
        if ((int32_t)(fab->node[i].host.head -
                      (uint32_t)fab->node[i].gate_pos) < 0)
            return false;
    return true;
}

static void drive(struct set set)
{
    for (uint32_t i = 0; i < set.count; i++) {
        struct fsh_sim_node *node = set.node[i];

        if (node->evaluate || engines(node))
            fsh_node_drive(node->rtl);
    }
}

static bool gate_opens(const struct fsh_fabric *fab)
{
    if (fab->partitions)
        return fab->gate_opens <= fab->cycle;
    return fab->gate_pending && fab->gate_at <= fab->cycle &&
           fsh_gate_drained(fab);
}

/* One cycle, for what knows of all nodes. */
static void step_all(struct fsh_fabric *fab)
{
    uint64_t ns = fab->cycle * FSH_NS_PER_CYCLE;
    bool gate = gate_opens(fab);
    bool all = gate || !fab->config.jump;
    struct set set = gather(fab, fab->cycle + 1, all);
    bool shown;

    look(fab, fab->part, set, fab->cycle, all, gate);
    shown = fsh_waves_due(fab);
    if (shown) {
        drive(set);
        fsh_node_waves_dump(fab->waves, ns - FSH_NS_PER_CYCLE / 2);
    }
    evaluate(fab->part, set);
    if (shown)
        fsh_node_waves_dump(fab->waves, ns);
    if (!gate)
        return;
    fab->gate_pending = false;
    fab->gate_opens = FSH_NEVER;
    if (fab->config.events.gate_open)
        fab->config.events.gate_open(fab->config.events.arg);
}

/* Is the present cycle one in which all nodes go together? A gate opens in one cycle;
 * waves and traces are written in the order of cycles, which is that of a group, too, and
 * tests see beats so. */
static bool in_lockstep(const struct fsh_fabric *fab)
{
    return !fab->config.jump || fab->gate_pending || fab->waves ||
           (fab->traced && fab->config.nodes > GROUP) ||
           fab->config.events.link_beat;
}

/* --- time ---------------------------------------------------------------- */

/* Cycle at which the gate may open. Of partitions, they are to meet until they know. */
static uint64_t gate_next(const struct fsh_fabric *fab)
{
    if (fab->gate_opens != FSH_NEVER)
        return fab->gate_opens;
    if (!fab->gate_pending)
        return FSH_NEVER;
    if (fab->partitions)
        return fab->cycle;
    return fsh_gate_drained(fab) ? fab->gate_at : FSH_NEVER;
}

/* Cycle of the next event after this one. */
static uint64_t next_event(const struct fsh_fabric *fab)
{
    uint64_t next = gate_next(fab);

    for (uint32_t i = fab->first; i < fab->past; i++)
        if (fab->node[i].wake < next)
            next = fab->node[i].wake;
    if (fab->replaying && !fab->over && fsh_tape_due(fab->tape) < next)
        next = fsh_tape_due(fab->tape);
    return next;
}

uint64_t fsh_fabric_due(const struct fsh_fabric *fab)
{
    uint64_t next;

    if (fab->failed || fab->over || fab->quiet)
        return FSH_NEVER;
    next = fab->config.jump ? next_event(fab) : fab->cycle;
    return next > fab->cycle ? next : fab->cycle;
}

uint64_t fsh_fabric_next(const struct fsh_fabric *fab)
{
    uint64_t next = fsh_fabric_due(fab);

    if (!fab->partitions || fab->failed || fab->quiet || fab->window >= next)
        return next;
    return fab->window > fab->cycle ? fab->window : fab->cycle;
}

void fsh_fabric_pass(struct fsh_fabric *fab, uint64_t to)
{
    if (to <= fsh_fabric_next(fab)) {
        fab->cycle = to;
        fsh_forget_still(fab);
    }
}

/* The first failure, then of the lowest node, is the fabric's, which ends there. */
static void fail(struct fsh_fabric *fab)
{
    const struct fsh_sim_node *first = NULL;

    for (uint32_t i = fab->first; i < fab->past; i++)
        if (fab->node[i].failed &&
            (!first || fab->node[i].failed_at < first->failed_at))
            first = &fab->node[i];
    if (!first)
        return;
    fsh_fabric_fail(fab, "%s", first->error);
    fab->cycle = first->failed_at + 1;
}

/* A quantum is over: hand over what was sent, and see how far the fabric is. */
static void join(struct fsh_fabric *fab)
{
    uint64_t end = fab->cycle + 1, sum = 0;
    bool failed = false;

    for (uint32_t i = 0; i < fab->config.threads; i++) {
        struct fsh_part *part = &fab->part[i];

        fsh_links_deliver(fab, part);
        end = part->end > end ? part->end : end;
        failed |= part->failed;
        sum += part->evaluated + part->computed;
    }
    if (fab->recording)
        fsh_tape_flush(fab->tape);
    fab->work = sum - fab->done;
    fab->done = sum;
    fab->quanta++;
    fab->moved = end - 1;
    fab->cycle = end;
    if (failed)
        fail(fab);
}

/* At the end of its window a partition waits for the others, and goes on with them to
 * where something happens next. Returns the cycle of the next event, or at which they meet
 * again, or FSH_NEVER. */
static uint64_t meet(struct fsh_fabric *fab)
{
    uint64_t next = next_event(fab), least;

    if (next < fab->cycle)
        next = fab->cycle;
    if (fab->hosts < next)
        next = fab->hosts;
    if (!fsh_partitions_meet(fab->partitions, next, &least))
        return FSH_NEVER;
    fab->quiet = least == FSH_NEVER;
    if (fab->quiet)
        return FSH_NEVER;
    if (least > fab->cycle)
        fab->cycle = least;
    fab->window = least + fab->config.link_cycles;
    next = next_event(fab);
    return next < fab->window ? next : fab->window;
}

/* The present cycle, and others before `end`. Returns that of the next event, or
 * FSH_NEVER. */
static uint64_t pass_quantum(struct fsh_fabric *fab, uint64_t end)
{
    uint64_t next, most;

    if (fab->replaying && !fab->over)
        fsh_tape_feed(fab->tape, fab);
    if (fab->failed || fab->over || fab->quiet)
        return FSH_NEVER;
    if (fab->partitions && fab->cycle >= fab->window)
        return meet(fab);
    if (end == fab->cycle + 1 || in_lockstep(fab)) {
        step_all(fab);
    } else {
        most = fab->cycle + fab->quantum;
        end = most < end ? most : end;
        if (fab->partitions && fab->window < end)
            end = fab->window;
        if (fab->replaying && fsh_tape_due(fab->tape) < end)
            end = fsh_tape_due(fab->tape);
        step_quantum(fab, end);
    }
    join(fab);
    next = next_event(fab);
    if (fab->partitions)
        return next < fab->window ? next : fab->window;
    fab->quiet = next == FSH_NEVER;
    return next;
}

bool fsh_fabric_tick(struct fsh_fabric *fab)
{
    return pass_quantum(fab, fab->cycle + 1) != FSH_NEVER && !fab->failed;
}

/* On to the next event, but not past `end`. */
static bool jump(struct fsh_fabric *fab, uint64_t next, uint64_t end)
{
    if (next == FSH_NEVER)
        return false;
    next = next < end ? next : end;
    if (fab->config.jump && !fab->failed && next > fab->cycle)
        fab->cycle = next;
    return !fab->failed;
}

bool fsh_fabric_step(struct fsh_fabric *fab)
{
    return jump(fab, pass_quantum(fab, fab->cycle + 1), FSH_NEVER);
}

bool fsh_fabric_quantum(struct fsh_fabric *fab, uint64_t end)
{
    return jump(fab, pass_quantum(fab, end), end);
}

bool fsh_fabric_run(struct fsh_fabric *fab, uint64_t max_cycles)
{
    uint64_t end = fab->cycle + max_cycles;

    while (fab->cycle < end)
        if (!jump(fab, pass_quantum(fab, end), FSH_NEVER))
            break;
    return fab->quiet && !fab->failed;
}
