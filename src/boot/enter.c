/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways into a job, in this order: the ticket of our launcher; another's
 * launcher (mpirun, srun), on one host or several; GASNET_PSHM_NODES; a job of one rank. Main thread,
 * from gasnet_init.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot_state.h"
#include "boot/channel.h"
#include "boot/hosts.h"
#include "boot/job_env.h"
#include "boot/limits.h"
#include "boot/meeting.h"
#include "boot/rendezvous.h"
#include "boot/watch.h"

/* ---- a ticket: from the launcher, or from rank 0 ---- */

static void take_ticket(const struct fsh_job_ticket *t)
{
    struct fsh_boot_state *b = &fsh_boot;

    FSH_ASSERT(b->page == NULL && !b->owner); /* one job, entered once */
    b->page = fsh_job_map_page(t->page_fd);
    if (!b->page)
        fsh_fatal(
            "cannot join the job: control page (descriptor %d): %s", t->page_fd,
            errno == EINVAL
                ? "made by another release of FSHMEM than this program's; "
                  "use the fshrun of the same release"
            : errno == EBADF ? "not open here; what stands between fshrun and "
                               "this program (sudo, su, a daemon) must pass "
                               "descriptors on"
                             : strerror(errno));
    if (t->rank >= b->page->size)
        fsh_fatal("cannot join the job: rank %" PRIu32 " of %" PRIu32, t->rank,
                  b->page->size);
    b->rank = t->rank;
    b->fd[FSH_FD_SHARED] = t->shared_fd;
    b->fd[FSH_FD_DRAM] = t->dram_fd;
    b->fd[FSH_FD_DMA] = t->dma_fd;
    b->fd[FSH_FD_MMIO] = t->mmio_fd;
    b->abort_fd = t->abort_fd;
    for (int i = 0; i < FSH_FD_KINDS; i++)
        fsh_job_cloexec(b->fd[i], true);
    fsh_job_cloexec(t->page_fd, true);
    fsh_job_cloexec(t->abort_fd, true);
    fsh_job_cloexec(t->life_fd, true);
    fsh_log_rank((int)b->rank);
}

static void check_watch(int rc)
{
    char why[200];

    fsh_limits_explain_process(-rc, why, sizeof(why));
    if (rc != 0)
        fsh_fatal("cannot start the watch thread: %s%s", strerror(-rc), why);
}

static void join(const char *text)
{
    struct fsh_boot_state *b = &fsh_boot;
    struct fsh_rank_slot *slot;
    struct fsh_job_ticket t;

    if (!fsh_job_ticket_read(&t, text))
        fsh_fatal("%s=%s: cannot be read; it is for ranks started by fshrun "
                  "and must not be set by hand",
                  FSH_JOB_ENV, text);
    take_ticket(&t);
    b->kind = FSH_BOOT_LAUNCHED;
    slot = &b->page->rank[b->rank];
    if (atomic_load(&slot->state) != FSH_RANK_STARTING)
        fsh_fatal("rank %" PRIu32 " is already taken by process %d: the "
                  "command that fshrun started must run one GASNet program, "
                  "once",
                  b->rank, atomic_load(&slot->pid));
    check_watch(fsh_watch_lifeline(t.life_fd));
}

/* ---- this process makes the job ---- */

/* Does this rank have a node? */
static bool has_node(const struct fsh_job_config *config, uint32_t rank)
{
    return config->cards == 0 || config->cards >> rank & 1;
}

/* Which hosts have the nodes: in the order of the ranks, a simulator each, whose nodes
 * follow each other. */
static int place_nodes(const struct fsh_place *place,
                       struct fsh_job_config *config, char *err, size_t errlen)
{
    struct fsh_job_cut *cut = &config->cut;
    uint32_t last[FSH_MAX_NODES], node = 0, i;

    if (place->host_of == NULL || config->nodes == 0)
        return 0;
    cut->hosts = 0;
    for (uint32_t r = 0; r < config->ranks; r++) {
        if (!has_node(config, r))
            continue;
        for (i = 0; i < cut->hosts && cut->host[i] != place->host_of[r];)
            i++;
        if (i < cut->hosts && i + 1 != cut->hosts) {
            snprintf(err, errlen,
                     "ranks %" PRIu32 " and %" PRIu32
                     " have nodes and are on one host, those between them on "
                     "another: the nodes of a host must follow each other; "
                     "place ranks host by host (mpirun --map-by slot, srun "
                     "--distribution=block)",
                     last[i], r);
            return -EINVAL;
        }
        if (i == cut->hosts) {
            cut->host[i] = place->host_of[r];
            cut->first[i] = node;
            cut->hosts++;
        }
        last[i] = r;
        node++;
    }
    cut->first[cut->hosts] = node;
    for (i = 0; i < cut->hosts && cut->host[i] != place->host;)
        i++;
    cut->index = i;
    return 0;
}

/* The descriptors of the node that the maker itself has. */
static void take_node(struct fsh_boot_state *b, uint32_t rank)
{
    uint32_t n = b->page->rank[rank].node;

    if (n == FSH_JOB_NO_NODE)
        return;
    b->fd[FSH_FD_DRAM] = b->job.node[n].dram_fd;
    b->fd[FSH_FD_DMA] = b->job.node[n].dma_fd;
    b->fd[FSH_FD_MMIO] = b->job.node[n].mmio_fd;
}

static int make_job(const struct fsh_place *place,
                    const struct fsh_job_needs *needs, char *err, size_t errlen)
{
    struct fsh_boot_state *b = &fsh_boot;
    struct fsh_job_config config;
    int rc;

    FSH_ASSERT(b->page == NULL && !b->owner);
    fsh_job_config_init(&config, place->size, needs);
    config.here = place->here;
    rc = place_nodes(place, &config, err, errlen);
    if (rc == 0)
        rc = fsh_job_create(&b->job, &config, err, errlen);
    if (rc != 0)
        return rc;
    b->owner = true;
    b->page = b->job.page;
    b->abort_fd = place->size > 1 ? b->job.abort_fd : -1;
    b->fd[FSH_FD_SHARED] = b->job.shared_fd;
    if (!b->job.node)
        return 0;
    take_node(b, place->rank);
    return config.cut.hosts > 1 ? 0 : fsh_watch_simulator(&b->job, err, errlen);
}

/* With several hosts that have nodes simulators are started when these have met. */
static void start_connected(const struct fsh_place *place)
{
    char err[640];

    if (place->index != 0 || fsh_boot.page->fabric_hosts < 2 ||
        !fsh_job_has_nodes(&fsh_boot.job.config))
        return;
    fsh_hosts_give(&fsh_boot.job);
    if (fsh_watch_simulator(&fsh_boot.job, err, sizeof(err)) != 0)
        fsh_fatal("gasnet_init: %s", err);
}

/* In a child that the maker of the job forks: let go of the lifeline's write
 * end, or the simulator would outlive the rank with the child. */
static void forked(void)
{
    if (fsh_boot.owner && fsh_boot.job.lifeline[1] >= 0)
        close(fsh_boot.job.lifeline[1]);
    fsh_boot.job.lifeline[1] = -1;
    fsh_watch_forked();
}

/* ---- another's launcher ---- */

/* What rank 0 opens: a connection to each other, memory objects (three a node),
 * and the like. */
static uint32_t descriptors_of_first(const struct fsh_place *place,
                                     const struct fsh_job_needs *needs)
{
    uint32_t objects = needs->nodes ? 3 * place->size + place->hosts : 0;

    return place->here + place->hosts + objects + 16;
}

/* Which ranks share the page. */
static void place_hosts(const struct fsh_place *place,
                        struct fsh_job_page *page)
{
    page->host = place->host;
    page->hosts = place->hosts;
    for (uint32_t r = 0; place->host_of && r < place->size; r++)
        page->rank[r].host = place->host_of[r];
}

/* The first rank here: make the job and hand it out. */
static void found_foreign(const struct fsh_place *place,
                          const struct fsh_job_needs *needs, int *lifeline)
{
    int fd = fsh_meeting_listen(place);
    char err[640];

    FSH_ASSERT(place->index == 0 && place->size > 1);
    if (!fsh_limits_raise_files(place->here, descriptors_of_first(place, needs),
                                err, sizeof(err)) ||
        make_job(place, needs, err, sizeof(err)) != 0) {
        fsh_warn("gasnet_init: %s", err);
        /* First: Hydra of MPICH, which sees a rank end before, leaves other hosts alone. */
        fsh_channel_abort(1, err);
        fsh_rendezvous_refuse(place, fd);
        _exit(1);
    }
    place_hosts(place, fsh_boot.page);
    fsh_rendezvous_serve(place, fd, &fsh_boot.job, lifeline);
}

static void enter_foreign(const struct fsh_place *place,
                          const struct fsh_job_needs *needs)
{
    struct fsh_watch_peers peers = {
        .rank = place->rank, .parent = place->parent, .place = place};
    struct fsh_job_ticket t;

    peers.n = place->index == 0 ? place->here : 1;
    peers.lifeline = calloc(peers.n, sizeof(int));
    if (!peers.lifeline)
        fsh_fatal("out of memory");
    fsh_log_rank((int)place->rank);
    if (place->index == 0) {
        found_foreign(place, needs, peers.lifeline);
    } else {
        fsh_rendezvous_join(place, &t);
        peers.lifeline[0] = t.life_fd;
        take_ticket(&t);
    }
    fsh_boot.rank = place->rank;
    fsh_boot.kind = FSH_BOOT_FOREIGN;
    fsh_boot.launcher = place->parent > 1 ? place->parent : 0;
    peers.page = fsh_boot.page;
    peers.abort_fd = fsh_boot.abort_fd;
    if (place->hosts > 1)
        fsh_hosts_open(place, &fsh_boot.job.config.cut, fsh_boot.token);
    check_watch(fsh_watch_start_peers(&peers));
    start_connected(place);
}

/* ---- */

/* Over hosts there is one only, which need not be asked for. */
static const char *choose_conduit(const char *compiled_in, uint32_t hosts)
{
    const char *conduit = fsh_option_str("FSHMEM_CONDUIT");

    if (!conduit[0] && hosts > 1)
        return NULL;
    return conduit[0] ? conduit : compiled_in;
}

static void check_hosts(const struct fsh_place *place,
                        const struct fsh_job_needs *needs)
{
    if (place->hosts > 1 && !needs->spreads)
        fsh_fatal("gasnet_init: %s has started %" PRIu32 " ranks on %" PRIu32
                  " hosts, but conduit %s runs on one: unset "
                  "FSHMEM_CONDUIT, or start all ranks on one "
                  "host",
                  place->launcher, place->size, place->hosts, needs->conduit);
    /* Here all ranks say so; in fsh_job_config_init some would wait for the others. */
    if (place->hosts > 1)
        fsh_job_check_clock(needs);
}

/* Of what fshrun alone does. */
static void warn_of_bind(void)
{
    const char *what = fsh_option_str("FSHMEM_BIND");

    if (strcmp(what, "auto") != 0 && strcmp(what, "none") != 0 &&
        !fsh_option_bool("GASNET_QUIET"))
        fsh_warn("FSHMEM_BIND=%s has no effect here: only fshrun binds ranks "
                 "to processors",
                 what);
}

void fsh_boot_enter(const char *default_conduit, fsh_boot_needs_fn find)
{
    static const struct fsh_place alone = {.size = 1, .here = 1, .hosts = 1};
    const struct fsh_job_needs *needs;
    const char *text = getenv(FSH_JOB_ENV);
    static struct fsh_place place; /* the watch thread's, too */
    enum fsh_place_result result;
    uint32_t nodes;
    char err[640];

    result = fsh_place_read(&place, err, sizeof(err));
    if (!text)
        result = fsh_channel_ask(&place, result, err, sizeof(err));
    if (!text && result != FSH_PLACE_FOUND)
        nodes = (uint32_t)fsh_option_int("GASNET_PSHM_NODES");
    else
        nodes = 1;
    if (!text && result == FSH_PLACE_REFUSED)
        fsh_fatal("gasnet_init: %s", err);
    if (!text) {
        needs = find(choose_conduit(default_conduit, place.hosts));
        check_hosts(&place, needs);
        if (place.rank == 0 || result != FSH_PLACE_FOUND) {
            fsh_option_check();
            warn_of_bind();
        }
        if (result == FSH_PLACE_FOUND)
            enter_foreign(&place, needs);
        else if (nodes > 1)
            fsh_boot_fork_job(nodes, needs);
        else if (make_job(&alone, needs, err, sizeof(err)) != 0)
            fsh_fatal("%s", err);
        text = getenv(FSH_JOB_ENV); /* in the ranks of fsh_boot_fork_job */
    }
    fsh_boot.pid = getpid();
    if (text)
        join(text);
    else if (fsh_boot.kind == FSH_BOOT_SINGLE)
        check_watch(fsh_watch_lifeline(-1));
    if (fsh_boot.page->hosts == 1)
        memcpy(fsh_boot.token, fsh_boot.page->token, sizeof(fsh_boot.token));
    /* What this rank starts is not a rank. */
    unsetenv(FSH_JOB_ENV);
    if (place.job[0])
        setenv(FSH_LAUNCHED_ENV, place.job, 1);
    pthread_atfork(NULL, NULL, forked);
}
