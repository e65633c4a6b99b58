/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Job control: gasnet_init, gasnet_attach and the queries about nodes and
 * segments. init and attach run on one thread, queries on any.
 */
#include <string.h>

#include "base/cpu.h"
#include "base/log.h"
#include "base/spin.h"
#include "base/option.h"
#include "base/segment.h"
#include "boot/boot.h"
#include "compute/number/isa.h"
#include "gasnet/bridge.h"
#include "gasnet/internal.h"
#include "gasnet/team.h"

void (*gasnet_client_attach_hook)(void *addr, uintptr_t size);
gasnet_node_t gasneti_mynode = (gasnet_node_t)-1;
gasnet_node_t gasneti_nodes;

static const char *mode_name(uint32_t mode)
{
    static const char *const names[] = {"SEQ", "PARSYNC", "PAR"};

    return mode >= 1 && mode <= 3 ? names[mode - 1] : "unknown";
}

/* Bits 0 and 1 of the word: DEBUG, EVERYTHING. */
static const char *flavour_name(uint32_t flavour)
{
    static const char *const names[] = {
        "optimised (<prefix>)", "debug (<prefix>/debug)",
        "GASNET_SEGMENT_EVERYTHING (<prefix>/everything)",
        "debug GASNET_SEGMENT_EVERYTHING"};

    return names[flavour];
}

/* The word says what the program was compiled for. */
static void check_word(uint32_t word)
{
    uint32_t abi = word >> 16, mode = (word >> 8) & 0xff, flavour = word & 3;

    if (abi != FSH_CONFIG_ABI)
        fsh_fatal("gasnet_init: the program was compiled with headers of "
                  "interface %u, the library has %u: recompile it with the "
                  "headers of this installation",
                  abi, FSH_CONFIG_ABI);
    if (flavour != (FSH_GASNET_WORD & 3))
        fsh_fatal("gasnet_init: the program was compiled with the headers of "
                  "the %s library and linked with the %s one: take headers and "
                  "library from one prefix",
                  flavour_name(flavour), flavour_name(FSH_GASNET_WORD & 3));
    if (mode < 1 || mode > 3)
        fsh_fatal("gasnet_init: thread mode %s (%u) in the program's word %#x",
                  mode_name(mode), mode, word);
}

static const struct fsh_conduit_ops *find_conduit(const char *name)
{
    const struct fsh_conduit_ops *ops = fsh_conduit_find(name);
    char known[128] = "";
    size_t used = 0;

    if (ops != NULL)
        return ops;
    for (size_t i = 0; fsh_conduits[i] != NULL; i++) {
        int n = snprintf(known + used, sizeof known - used, " %s",
                         fsh_conduits[i]->name);

        if (n > 0 && (size_t)n < sizeof known - used)
            used += (size_t)n;
    }
    fsh_fatal("gasnet_init: no such conduit \"%s\"; the library has:%s (set "
              "FSHMEM_CONDUIT or fshrun --conduit)",
              name, known);
}

/* Diagnostics for an expired watchdog. */
static void print_facts(void (*line)(void *arg, const char *text), void *arg)
{
    fsh_gasnet.ops->describe(line, arg);
    fsh_command_describe(line, arg);
    fsh_run_card_describe(line, arg);
}

static const struct fsh_job_needs *needs_of(const char *name)
{
    if (name == NULL)
        for (unsigned i = 0; fsh_conduits[i] != NULL; i++)
            if (fsh_conduits[i]->needs->spreads)
                return fsh_conduits[i]->needs;
    if (name == NULL)
        fsh_fatal("gasnet_init: the ranks are on several hosts, and this "
                  "library has no conduit for that");
    return find_conduit(name)->needs;
}

/* A device may have more memory than commands can address. */
static void limit_segments(struct fsh_limits *limits)
{
    if (FSH_GASNET_EVERYTHING)
        return;
    if (limits->max_segment_local > FSH_SEGMENT_MOST)
        limits->max_segment_local = FSH_SEGMENT_MOST;
    if (limits->max_segment_global > FSH_SEGMENT_MOST)
        limits->max_segment_global = FSH_SEGMENT_MOST;
}

int fsh_gasnet_init(int *argc, char ***argv, uint32_t word,
                    const char *default_conduit, const char *header)
{
    static const enum fsh_threads threads[] = {
        FSH_THREADS_SEQ, FSH_THREADS_PARSYNC, FSH_THREADS_PAR};
    struct fsh_gasnet *g = &fsh_gasnet;
    const struct fsh_conduit_ops *ops;
    uint32_t mode = (word >> 8) & 0xff;
    bool more;

    (void)argc;
    (void)argv;
    if (g->ops != NULL)
        return GASNET_ERR_NOT_INIT;
    check_word(word);
    fsh_job_look_beside(header);
    fsh_boot_init(default_conduit, needs_of);
    g->rank = fsh_boot_rank();
    g->nodes = fsh_boot_size();
    gasneti_mynode = g->rank;
    gasneti_nodes = g->nodes;
    ops = find_conduit(fsh_boot_conduit());
    /* Besides threads of the client, those of the library. */
    more = fsh_progress_wanted() || fsh_job_bridge_wanted(ops->card);
    g->threaded = mode != 1 || more;
    /* The simulator needs a processor too. */
    fsh_spin_init(fsh_boot_ranks_here() + ops->needs->nodes, fsh_boot_cpus());
    atomic_store_explicit(&g->waitmode, GASNET_WAIT_SPINBLOCK,
                          memory_order_relaxed);
    g->segs = calloc(g->nodes, sizeof *g->segs);
    if (g->segs == NULL)
        fsh_fatal("gasnet_init: no memory for a table of %u nodes", g->nodes);
    fsh_memset_register();
    fsh_team_register();
    fsh_run_register();
    fsh_coll_settings();
    fsh_isa_set_best(fsh_isa_named(fsh_option_str("FSHMEM_INSTRUCTIONS")));
    fsh_thread_make();
    if (FSH_GASNET_DEBUG) {
        fsh_check_init(mode);
        fsh_hold_init();
    }
    /* Before the conduit, so that its failures already exit properly. */
    fsh_exit_register();
    g->conduit = ops;
    g->ops = FSH_GASNET_EVERYTHING  ? fsh_everything_over(ops)
             : ops->reaches != NULL ? fsh_unreached_over(ops)
                                    : ops;
    fsh_wait_on_expiry(print_facts);
    g->ops->init(more ? FSH_THREADS_PAR : threads[mode - 1], &g->limits);
    limit_segments(&g->limits);
    if (fsh_thread_count() > 1)
        g->ops->share();
    return GASNET_OK;
}

/* Places the entries with an index, then those without. On a bad table returns
 * the reason, with the library's table unchanged. */
static const char *place_handlers(gasnet_handlerentry_t *table, int n,
                                  int *culprit)
{
    fsh_handler_fn fn[FSH_HANDLER_COUNT] = {NULL};
    unsigned next = FSH_HANDLER_CLIENT;

    for (int i = 0; i < n; i++) {
        unsigned index = table[i].index;

        *culprit = i;
        if (table[i].fnptr == NULL)
            return "its function is null";
        if (index == 0)
            continue;
        if (index < FSH_HANDLER_CLIENT)
            return "indices 1 to 127 belong to the library; 128 to 255, or 0 "
                   "for any, are the client's";
        if (fn[index] != NULL)
            return "an earlier entry has the same index";
        fn[index] = (fsh_handler_fn)table[i].fnptr;
    }
    for (int i = 0; i < n; i++) {
        if (table[i].index != 0)
            continue;
        while (next < FSH_HANDLER_COUNT && fn[next] != NULL)
            next++;
        *culprit = i;
        if (next == FSH_HANDLER_COUNT)
            return "more than 128 handlers";
        fn[next] = (fsh_handler_fn)table[i].fnptr;
        table[i].index = (gasnet_handler_t)next;
    }
    for (unsigned i = FSH_HANDLER_CLIENT; i < FSH_HANDLER_COUNT; i++)
        fsh_gasnet.handler[i] = fn[i];
    return NULL;
}

static bool segsize_ok(uintptr_t segsize)
{
    size_t limit = fsh_gasnet.limits.max_segment_local;

    if (FSH_GASNET_EVERYTHING)
        return true; /* ignored */
    if (segsize % GASNET_PAGESIZE != 0) {
        fsh_warn("gasnet_attach: segsize is %zu bytes, not a multiple of the "
                 "page size %d",
                 (size_t)segsize, GASNET_PAGESIZE);
        return false;
    }
    if (segsize > FSH_SEGMENT_MOST) {
        fsh_warn("gasnet_attach: segsize is %zu bytes, but no segment has more "
                 "than %zu (255 GiB): " FSH_SEGMENT_REASON
                 "; attach less on more ranks",
                 (size_t)segsize, FSH_SEGMENT_MOST);
        return false;
    }
    if (segsize > limit) {
        fsh_warn("gasnet_attach: segsize is %zu bytes, but conduit %s grants "
                 "at most %zu (gasnet_getMaxLocalSegmentSize); raise %s",
                 (size_t)segsize, fsh_gasnet.ops->name, limit,
                 fsh_gasnet.ops->needs->segment_option);
        return false;
    }
    return true;
}

/* A node's remote memory as reported to the client. */
static gasnet_seginfo_t client_segment(uint32_t node)
{
    const struct fsh_segment *seg = &fsh_gasnet.segs[node];

    return FSH_GASNET_EVERYTHING ? (gasnet_seginfo_t){NULL, UINTPTR_MAX}
                                 : (gasnet_seginfo_t){seg->addr, seg->size};
}

/* Device memory is sparse and not expected to be touched entirely. */
static void check_memory(const struct fsh_gasnet *g)
{
    size_t total = 0;

    if (g->rank != 0 || g->ops->needs->nodes)
        return;
    for (uint32_t i = 0; i < g->nodes; i++) {
        if (g->segs[i].size > SIZE_MAX / 2 / g->nodes)
            return; /* all memory is remote: no segment is allocated */
        total += g->segs[i].size;
    }
    fsh_job_check_segments(fsh_boot_page(), total);
}

int gasnet_attach(gasnet_handlerentry_t *table, int numentries,
                  uintptr_t segsize, uintptr_t minheapoffset)
{
    struct fsh_gasnet *g = &fsh_gasnet;
    const char *reason;
    gasnet_seginfo_t mine;
    int culprit = 0;

    (void)minheapoffset;
    if (g->ops == NULL || g->attached)
        return GASNET_ERR_NOT_INIT;
    if (numentries < 0 || (numentries > 0 && table == NULL)) {
        fsh_warn("gasnet_attach: a table of %d entries at %p", numentries,
                 (void *)table);
        return GASNET_ERR_BAD_ARG;
    }
    if (!segsize_ok(segsize))
        return GASNET_ERR_BAD_ARG;
    reason = place_handlers(table, numentries, &culprit);
    if (reason != NULL) {
        fsh_warn("gasnet_attach: handler table entry %d, index %d: %s", culprit,
                 table[culprit].index, reason);
        return GASNET_ERR_BAD_ARG;
    }
    g->ops->attach(segsize, g->segs);
    check_memory(g);
    if (!fsh_command_start(g->conduit, g->rank, g->nodes, g->segs))
        fsh_fatal("gasnet_attach: no memory for the queues to %u compute cores",
                  g->nodes);
    fsh_direct_offer();
    fsh_job_bridge_start(g->conduit->card);
    mine = client_segment(g->rank);
    if (gasnet_client_attach_hook != NULL)
        gasnet_client_attach_hook(mine.addr, mine.size);
    g->shorts = g->ops->shorts;
    if (!FSH_GASNET_DEBUG && !fsh_trace_on && g->shorts != NULL)
        g->short_nodes = g->nodes;
    g->attached = true;
    /* Nobody may send before all have handlers and a segment. */
    fsh_boot_barrier("gasnet_attach");
    fsh_boot_running();
    if (g->ops->clock != NULL)
        g->ops->clock->begin();
    if (fsh_progress_wanted())
        fsh_progress_start();
    return GASNET_OK;
}

uintptr_t gasnet_getMaxLocalSegmentSize(void)
{
    if (fsh_gasnet.ops == NULL)
        fsh_bad_call("gasnet_getMaxLocalSegmentSize");
    return fsh_gasnet.limits.max_segment_local;
}

uintptr_t gasnet_getMaxGlobalSegmentSize(void)
{
    if (fsh_gasnet.ops == NULL)
        fsh_bad_call("gasnet_getMaxGlobalSegmentSize");
    return fsh_gasnet.limits.max_segment_global;
}

gasnet_node_t gasnet_mynode(void)
{
    if (FSH_GASNET_DEBUG && fsh_gasnet.ops == NULL)
        fsh_bad_call("gasnet_mynode");
    return fsh_gasnet.rank;
}

gasnet_node_t gasnet_nodes(void)
{
    if (FSH_GASNET_DEBUG && fsh_gasnet.ops == NULL)
        fsh_bad_call("gasnet_nodes");
    return fsh_gasnet.nodes;
}

int gasnet_getSegmentInfo(gasnet_seginfo_t *seginfo_table, int numentries)
{
    const struct fsh_gasnet *g = &fsh_gasnet;

    if (!g->attached)
        return GASNET_ERR_NOT_INIT;
    if (numentries < 0 || (numentries > 0 && seginfo_table == NULL))
        return GASNET_ERR_BAD_ARG;
    for (uint32_t i = 0; i < g->nodes && i < (uint32_t)numentries; i++)
        seginfo_table[i] = client_segment(i);
    return GASNET_OK;
}

int gasnet_getNodeInfo(gasnet_nodeinfo_t *nodeinfo_table, int numentries)
{
    const struct fsh_gasnet *g = &fsh_gasnet;

    if (g->ops == NULL)
        return GASNET_ERR_NOT_INIT;
    if (numentries < 0 || (numentries > 0 && nodeinfo_table == NULL))
        return GASNET_ERR_BAD_ARG;
    /* None can load from another's memory. */
    for (uint32_t i = 0; i < g->nodes && i < (uint32_t)numentries; i++) {
        nodeinfo_table[i].host = fsh_boot_host(i);
        nodeinfo_table[i].supernode = i;
    }
    return GASNET_OK;
}

char *gasnet_getenv(const char *name)
{
    if (FSH_GASNET_DEBUG && fsh_gasnet.ops == NULL)
        fsh_bad_call("gasnet_getenv");
    if (FSH_GASNET_DEBUG)
        fsh_check_pointer("gasnet_getenv", "name", name, 1);
    /* The interface predates const; clients must not modify it. */
    return (char *)(uintptr_t)fsh_boot_getenv(name);
}

const char *gasnet_ErrorName(int errval)
{
    switch (errval) {
    case GASNET_OK:
        return "GASNET_OK";
    case GASNET_ERR_NOT_INIT:
        return "GASNET_ERR_NOT_INIT";
    case GASNET_ERR_RESOURCE:
        return "GASNET_ERR_RESOURCE";
    case GASNET_ERR_BAD_ARG:
        return "GASNET_ERR_BAD_ARG";
    case GASNET_ERR_NOT_READY:
        return "GASNET_ERR_NOT_READY";
    case GASNET_ERR_BARRIER_MISMATCH:
        return "GASNET_ERR_BARRIER_MISMATCH";
    default:
        return "*unknown*";
    }
}

const char *gasnet_ErrorDesc(int errval)
{
    switch (errval) {
    case GASNET_OK:
        return "No error";
    case GASNET_ERR_NOT_INIT:
        return "GASNet message layer not initialized, or initialized twice";
    case GASNET_ERR_RESOURCE:
        return "Problem with requested resource";
    case GASNET_ERR_BAD_ARG:
        return "Invalid function parameter passed";
    case GASNET_ERR_NOT_READY:
        return "Non-blocking operation not complete";
    case GASNET_ERR_BARRIER_MISMATCH:
        return "Barrier id's mismatched";
    default:
        return "no description available";
    }
}
