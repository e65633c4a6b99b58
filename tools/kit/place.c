/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors for ranks; see place.h. */
#include "place.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/log.h"

/* ---- the machine ---- */

/* Our processors need none of hwloc's plugins (graphics, OpenCL, PCI), which take
 * ten times as long to load as all the rest; and ranks inherit the environment. */
static int init_without_plugins(hwloc_topology_t *topology)
{
    static const char name[] = "HWLOC_PLUGINS_PATH";
    const char *was = getenv(name);
    char *before = was ? strdup(was) : NULL;
    int rc;

    setenv(name, "/none", 1);
    rc = hwloc_topology_init(topology);
    if (before)
        setenv(name, before, 1);
    else
        unsetenv(name);
    free(before);
    return rc;
}

static bool begin(struct place_machine *m)
{
    *m = (struct place_machine){.mine = hwloc_bitmap_alloc()};
    if (m->mine && init_without_plugins(&m->topology) == 0)
        return true;
    place_machine_free(m);
    return false;
}

/* Have the topology show what is mine, and nothing else. */
static bool restrict_to_mine(struct place_machine *m)
{
    m->whole = hwloc_bitmap_isincluded(
        hwloc_topology_get_allowed_cpuset(m->topology), m->mine);
    return hwloc_topology_restrict(m->topology, m->mine,
                                   HWLOC_RESTRICT_FLAG_REMOVE_CPULESS) == 0;
}

bool place_look(struct place_machine *m, char *err, size_t errlen)
{
    if (begin(m) && hwloc_topology_load(m->topology) == 0 &&
        hwloc_get_cpubind(m->topology, m->mine, HWLOC_CPUBIND_PROCESS) == 0 &&
        restrict_to_mine(m))
        return true;
    snprintf(err, errlen, "hwloc cannot read the processors of this host: %s",
             strerror(errno));
    place_machine_free(m);
    return false;
}

bool place_imagine(struct place_machine *m, const char *synthetic,
                   const char *mine)
{
    if (begin(m) && hwloc_topology_set_synthetic(m->topology, synthetic) == 0 &&
        hwloc_topology_load(m->topology) == 0 &&
        hwloc_bitmap_list_sscanf(m->mine, mine) == 0 && restrict_to_mine(m))
        return true;
    place_machine_free(m);
    return false;
}

void place_machine_free(struct place_machine *m)
{
    if (m->topology)
        hwloc_topology_destroy(m->topology);
    hwloc_bitmap_free(m->mine);
    *m = (struct place_machine){0};
}

/* ---- shares ---- */

/* Of `pieces` shares of the machine the first go to the ranks; the others stay
 * free. */
static void divide(struct place_shares *s, const struct place_machine *m,
                   unsigned pieces)
{
    hwloc_obj_t root = hwloc_get_root_obj(m->topology);
    hwloc_bitmap_t *all = calloc(pieces, sizeof(hwloc_bitmap_t));

    if (!all ||
        hwloc_distrib(m->topology, &root, 1, all, pieces, INT32_MAX, 0) != 0)
        fsh_fatal("out of memory");
    for (unsigned i = 0; i < pieces; i++)
        if (i < s->ranks)
            s->share[i] = all[i];
        else
            hwloc_bitmap_free(all[i]);
    free(all);
}

/* Objects of one type, a rank each; where there are fewer, ranks in a row share
 * one. */
static void give(struct place_shares *s, const struct place_machine *m,
                 hwloc_obj_type_t type)
{
    unsigned n = (unsigned)hwloc_get_nbobjs_by_type(m->topology, type);

    for (uint32_t r = 0; r < s->ranks; r++) {
        unsigned at =
            n >= s->ranks ? r : (unsigned)((uint64_t)r * n / s->ranks);

        s->share[r] = hwloc_bitmap_dup(
            hwloc_get_obj_by_type(m->topology, type, at)->cpuset);
    }
}

/* Call each processor of a list, in its order. */
static void each_of(const char *list, void (*call)(void *arg, unsigned cpu),
                    void *arg)
{
    unsigned first, last;

    while (fsh_cpu_list_next(&list, &first, &last))
        for (unsigned cpu = first; cpu <= last; cpu++)
            call(arg, cpu);
}

struct dealing {
    struct place_shares *shares; /* NULL: only count */
    hwloc_bitmap_t seen;
    unsigned dealt, total;
};

/* The n-th of a list belongs to rank n * ranks / total. */
static void deal(void *arg, unsigned cpu)
{
    struct dealing *d = arg;

    if (hwloc_bitmap_isset(d->seen, cpu))
        return;
    hwloc_bitmap_set(d->seen, cpu);
    if (d->shares)
        hwloc_bitmap_set(
            d->shares->share[(uint64_t)d->dealt * d->shares->ranks / d->total],
            cpu);
    d->dealt++;
}

static bool check_list(const struct dealing *d, const struct place_machine *m,
                       const struct place_wish *wish, char *err, size_t errlen)
{
    char text[256];

    if (!hwloc_bitmap_isincluded(d->seen, m->mine)) {
        snprintf(err, errlen,
                 "%s: this process may use processors %s only; name some of "
                 "them, or auto, core or numa",
                 wish->what, place_text(m->mine, text, sizeof(text)));
        return false;
    }
    if (d->dealt >= wish->ranks)
        return true;
    snprintf(err, errlen,
             "%s: processors: %u, ranks: %" PRIu32 "; name at least %" PRIu32
             ", or none",
             wish->what, d->dealt, wish->ranks, wish->ranks);
    return false;
}

static bool share_list(struct place_shares *s, const struct place_machine *m,
                       const struct place_wish *wish, char *err, size_t errlen)
{
    struct dealing count = {.seen = hwloc_bitmap_alloc()};
    struct dealing d = {.shares = s, .seen = hwloc_bitmap_alloc()};
    bool ok;

    each_of(wish->what, deal, &count);
    ok = check_list(&count, m, wish, err, errlen);
    d.total = count.dealt;
    for (uint32_t r = 0; ok && r < s->ranks; r++)
        s->share[r] = hwloc_bitmap_alloc();
    if (ok)
        each_of(wish->what, deal, &d);
    hwloc_bitmap_free(count.seen);
    hwloc_bitmap_free(d.seen);
    return ok;
}

/* Why auto does not bind the ranks; NULL if it does. */
static const char *against_auto(const struct place_machine *m,
                                const struct place_wish *wish)
{
    if (wish->ranks == 1)
        return "there is one rank";
    if (!m->whole)
        return "somebody has bound this process already";
    if (!wish->alone)
        return "another job is on this host";
    return NULL;
}

static bool is(const struct place_wish *wish, const char *word)
{
    return strcmp(wish->what, word) == 0;
}

/* Fill in s->why if the ranks are not to be bound. */
static void look_for_reasons(struct place_shares *s,
                             const struct place_machine *m,
                             const struct place_wish *wish)
{
    unsigned need = wish->ranks, have = wish->usable;
    const char *why = is(wish, "auto") ? against_auto(m, wish) : NULL;

    if (is(wish, "auto"))
        need += wish->others;
    if (is(wish, "core"))
        have = (unsigned)hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_CORE);
    if (have > wish->usable)
        have = wish->usable;
    if (why)
        snprintf(s->why, sizeof(s->why), "%s", why);
    else if (need > have)
        snprintf(s->why, sizeof(s->why),
                 "%" PRIu32 " ranks%s need more than the %u %s there are",
                 wish->ranks, need > wish->ranks ? " and the simulator" : "",
                 have, is(wish, "core") ? "cores" : "processors");
}

bool place_share(struct place_shares *s, const struct place_machine *m,
                 const struct place_wish *wish, char *err, size_t errlen)
{
    bool ok = true, listed = fsh_cpu_list_valid(wish->what);

    *s = (struct place_shares){.ranks = wish->ranks};
    if (is(wish, "none"))
        return true;
    if (!listed)
        look_for_reasons(s, m, wish);
    if (s->why[0])
        return true;
    s->share = calloc(s->ranks, sizeof(*s->share));
    if (!s->share)
        fsh_fatal("out of memory");
    if (listed)
        ok = share_list(s, m, wish, err, errlen);
    else if (is(wish, "core"))
        give(s, m, HWLOC_OBJ_CORE);
    else if (is(wish, "numa"))
        give(s, m, HWLOC_OBJ_NUMANODE);
    else
        divide(s, m, s->ranks + wish->others);
    if (!ok)
        place_shares_free(s);
    return ok;
}

void place_shares_free(struct place_shares *s)
{
    for (uint32_t r = 0; s->share && r < s->ranks; r++)
        hwloc_bitmap_free(s->share[r]);
    free(s->share);
    s->share = NULL;
}

void place_enter(const struct place_shares *s, uint32_t rank)
{
    size_t bytes = CPU_ALLOC_SIZE(FSH_CPU_LIST_MOST + 1);
    cpu_set_t *set;

    if (!s->share)
        return;
    set = CPU_ALLOC(FSH_CPU_LIST_MOST + 1);
    if (!set)
        return;
    CPU_ZERO_S(bytes, set);
    for (int cpu = hwloc_bitmap_first(s->share[rank]); cpu >= 0;
         cpu = hwloc_bitmap_next(s->share[rank], cpu))
        CPU_SET_S((size_t)cpu, bytes, set);
    /* A processor that has gone since is no reason to refuse the job. */
    sched_setaffinity(0, bytes, set);
    CPU_FREE(set);
}

const char *place_text(hwloc_const_bitmap_t set, char *text, size_t len)
{
    hwloc_bitmap_list_snprintf(text, len, set);
    return text;
}
