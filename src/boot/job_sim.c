/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's side of a job: find the descriptors, report readiness, and
 * die with the job. Linked into fshsim; needs nothing else of src/boot than
 * job_env.c and job_page.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/futex.h"
#include "boot/job_env.h"
#include "boot/limits.h"

/* The creator holds the only write end and never writes: the poll returns when
 * the creator is gone, however it went. */
static void *watch_lifeline(void *arg)
{
    struct pollfd p = {.fd = (int)(intptr_t)arg, .events = POLLIN};

    while (poll(&p, 1, -1) < 0 && errno == EINTR)
        continue;
    kill(getpid(), SIGKILL);
    return NULL;
}

static int start_watch(int life_fd)
{
    sigset_t all, old;
    pthread_t thread;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&thread, NULL, watch_lifeline,
                        (void *)(intptr_t)life_fd);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (rc == 0)
        pthread_detach(thread);
    return -rc;
}

/* "D.M.R/D.M.R/..." into node[]. */
static int read_nodes(struct fsh_job *job, const char *text)
{
    char list[4096];
    char *at = list;
    int used;

    if (!fsh_job_env_word(text, "mem", list, sizeof(list)))
        return -EINVAL;
    job->node = calloc(job->config.nodes, sizeof(*job->node));
    if (!job->node)
        return -ENOMEM;
    for (uint32_t i = 0; i < job->config.nodes; i++) {
        struct fsh_job_node *n = &job->node[i];

        if (sscanf(at, "%d.%d.%d%n", &n->dram_fd, &n->dma_fd, &n->mmio_fd,
                   &used) != 3)
            return -EINVAL;
        fsh_job_cloexec(n->dram_fd, true);
        fsh_job_cloexec(n->dma_fd, true);
        fsh_job_cloexec(n->mmio_fd, true);
        at += used;
        if (*at == '/')
            at++;
    }
    return *at ? -EINVAL : 0;
}

/* "FIRST.FD/FIRST.FD/...", if other hosts have nodes. */
static int read_cut(struct fsh_job *job, const char *text)
{
    struct fsh_job_cut *cut = &job->config.cut;
    char list[1024], *at = list;
    int used;

    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        job->peer_fd[i] = -1;
    *cut = (struct fsh_job_cut){.hosts = 1, .first = {0, job->config.nodes}};
    if (!fsh_job_env_word(text, "cut", list, sizeof(list)))
        return 0;
    for (cut->hosts = 0; *at && cut->hosts < FSH_MAX_NODES; cut->hosts++) {
        uint32_t i = cut->hosts;

        if (sscanf(at, "%" SCNu32 ".%d%n", &cut->first[i], &job->peer_fd[i],
                   &used) != 2)
            return -EINVAL;
        if (job->peer_fd[i] < 0)
            cut->index = i;
        fsh_job_cloexec(job->peer_fd[i], true);
        at += used;
        if (*at == '/')
            at++;
    }
    cut->first[cut->hosts] = job->config.nodes;
    return *at ? -EINVAL : 0;
}

static int read_text(struct fsh_job *job, const char *text)
{
    long long nodes, dram, page, shared, life, abort_fd;

    if (!fsh_job_env_number(text, "nodes", &nodes) || nodes < 1 ||
        nodes > FSH_JOB_MAX_RANKS || !fsh_job_env_number(text, "dram", &dram) ||
        dram < 0 || !fsh_job_env_number(text, "page", &page) ||
        !fsh_job_env_number(text, "shared", &shared) ||
        !fsh_job_env_number(text, "life", &life) ||
        !fsh_job_env_number(text, "abort", &abort_fd))
        return -EINVAL;
    job->config.nodes = (uint32_t)nodes;
    job->config.dram_bytes = (size_t)dram;
    job->page_fd = (int)page;
    job->shared_fd = (int)shared;
    job->lifeline[0] = (int)life;
    job->abort_fd = (int)abort_fd;
    fsh_job_cloexec(job->page_fd, true);
    fsh_job_cloexec(job->shared_fd, true);
    fsh_job_cloexec(job->lifeline[0], true);
    fsh_job_cloexec(job->abort_fd, true);
    return read_cut(job, text) != 0 ? -EINVAL : read_nodes(job, text);
}

int fsh_job_sim_attach(struct fsh_job *job, char *err, size_t errlen)
{
    char why[200];
    const char *text = getenv(FSH_JOB_SIM_ENV);
    int rc;

    memset(job, 0, sizeof(*job));
    job->lifeline[1] = job->trace_fd = -1;
    if (!text) {
        snprintf(err, errlen,
                 "no job: fshsim is started by fshrun or by a "
                 "program that uses conduit fpga, not by hand");
        return -ENOENT;
    }
    rc = read_text(job, text);
    if (rc != 0) {
        snprintf(err, errlen, "%s=%s: cannot be read", FSH_JOB_SIM_ENV, text);
        goto undo_nodes;
    }
    job->page = fsh_job_map_page(job->page_fd);
    if (!job->page) {
        rc = -errno;
        snprintf(err, errlen, "control page (descriptor %d): %s", job->page_fd,
                 rc == -EINVAL ? "made by another release of FSHMEM"
                               : strerror(-rc));
        goto undo_nodes;
    }
    job->config.topology = job->page->topology;
    rc = start_watch(job->lifeline[0]);
    if (rc != 0) {
        fsh_limits_explain_process(-rc, why, sizeof(why));
        snprintf(err, errlen, "cannot start a thread: %s%s", strerror(-rc),
                 why);
        goto undo_nodes;
    }
    unsetenv(FSH_JOB_SIM_ENV);
    fsh_job_trace(job->page, job->page->size);
    return 0;

undo_nodes:
    free(job->node);
    job->node = NULL;
    return rc;
}

void fsh_job_sim_ready(struct fsh_job *job)
{
    /* Release: the sizes and magics of the objects are written. Partner: the
     * acquire in await_ready. */
    atomic_store_explicit(&job->page->sim_state, 1, memory_order_release);
    fsh_futex_wake(&job->page->sim_state, INT_MAX);
}

void fsh_job_sim_failed(struct fsh_job *job, const char *reason)
{
    snprintf(job->page->sim_error, sizeof(job->page->sim_error), "%s", reason);
    /* Release: sim_error is whole. Partner: the acquire in await_ready. */
    atomic_store_explicit(&job->page->sim_state, 2, memory_order_release);
    fsh_futex_wake(&job->page->sim_state, INT_MAX);
}
