/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's side of a job: find the descriptors, report readiness, and
 * die with the job. Linked into fshsim; needs nothing else of src/boot than
 * job_env.c and job_page.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* ---- the text; `why` says what is wrong with it ---- */

struct reader {
    const char *text;
    char why[100];
};

static __attribute__((format(printf, 2, 3))) int refuse(struct reader *r,
                                                        const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(r->why, sizeof(r->why), format, args);
    va_end(args);
    return -EINVAL;
}

static int read_number(struct reader *r, const char *key, long long least,
                       long long most, long long *value)
{
    if (fsh_job_env_number(r->text, key, value) && *value >= least &&
        *value <= most)
        return 0;
    return refuse(r, "%s= is no number from %lld to %lld", key, least, most);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static int read_fd(struct reader *r, const char *key, int *fd)
{
    long long value;
    int rc = read_number(r, key, 0, INT_MAX, &value);

    if (rc != 0)
        return rc;
    if (!is_open((int)value))
        return refuse(r, "descriptor %s=%lld is not open", key, value);
    *fd = (int)value;
    fsh_job_cloexec(*fd, true);
    return 0;
}

/* -1: other hosts have it. */
static int take_fd(struct reader *r, const char *key, int fd)
{
    if (fd != -1 && !is_open(fd))
        return refuse(r, "descriptor %d of %s= is not open", fd, key);
    fsh_job_cloexec(fd, true);
    return 0;
}

/* "D.M.R/D.M.R/..." into node[]. */
static int read_nodes(struct reader *r, struct fsh_job *job)
{
    char list[4096];
    char *at = list;
    int used;

    if (!fsh_job_env_word(r->text, "mem", list, sizeof(list)))
        return refuse(r, "there is no mem=");
    job->node = calloc(job->config.nodes, sizeof(*job->node));
    if (!job->node)
        return -ENOMEM;
    for (uint32_t i = 0; i < job->config.nodes; i++) {
        struct fsh_job_node *n = &job->node[i];

        if (sscanf(at, "%9d.%9d.%9d%n", &n->dram_fd, &n->dma_fd, &n->mmio_fd,
                   &used) != 3)
            return refuse(r, "mem= has no three numbers of node %" PRIu32, i);
        if (take_fd(r, "mem", n->dram_fd) != 0 ||
            take_fd(r, "mem", n->dma_fd) != 0 ||
            take_fd(r, "mem", n->mmio_fd) != 0)
            return -EINVAL;
        at += used;
        if (*at == '/')
            at++;
    }
    return *at ? refuse(r, "mem= has more than nodes=%" PRIu32,
                        job->config.nodes)
               : 0;
}

/* One pair; whether the nodes of hosts follow each other. */
static int read_host(struct reader *r, struct fsh_job *job, char **at)
{
    struct fsh_job_cut *cut = &job->config.cut;
    uint32_t i = cut->hosts;
    int used;

    if (sscanf(*at, "%9" SCNu32 ".%9d%n", &cut->first[i], &job->peer_fd[i],
               &used) != 2)
        return refuse(r, "cut= has no two numbers of host %" PRIu32, i);
    if (cut->first[i] >= job->config.nodes ||
        (i == 0 ? cut->first[i] != 0 : cut->first[i] <= cut->first[i - 1]))
        return refuse(r,
                      "cut= has node %" PRIu32 " as the first of host "
                      "%" PRIu32,
                      cut->first[i], i);
    *at += used;
    if (**at == '/')
        ++*at;
    return take_fd(r, "cut", job->peer_fd[i]);
}

/* "FIRST.FD/FIRST.FD/...", if other hosts have nodes. */
static int read_cut(struct reader *r, struct fsh_job *job)
{
    struct fsh_job_cut *cut = &job->config.cut;
    char list[1024], *at = list;
    unsigned here = 0;

    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        job->peer_fd[i] = -1;
    *cut = (struct fsh_job_cut){.hosts = 1, .first = {0, job->config.nodes}};
    if (!fsh_job_env_word(r->text, "cut", list, sizeof(list)))
        return 0;
    for (cut->hosts = 0; *at && cut->hosts < FSH_MAX_NODES; cut->hosts++) {
        if (read_host(r, job, &at) != 0)
            return -EINVAL;
        if (job->peer_fd[cut->hosts] >= 0)
            continue;
        cut->index = cut->hosts;
        here++;
    }
    cut->first[cut->hosts] = job->config.nodes;
    if (*at || cut->hosts < 2 || here != 1)
        return refuse(r, "cut= has %" PRIu32 " hosts, this one %u times",
                      cut->hosts, here);
    return 0;
}

static int read_text(struct reader *r, struct fsh_job *job)
{
    long long nodes, dram;
    int rc = read_number(r, "nodes", 1, FSH_JOB_MAX_RANKS, &nodes);

    if (rc == 0)
        rc = read_number(r, "dram", 0, LLONG_MAX, &dram);
    if (rc == 0)
        rc = read_fd(r, "page", &job->page_fd);
    if (rc == 0)
        rc = read_fd(r, "shared", &job->shared_fd);
    if (rc == 0)
        rc = read_fd(r, "life", &job->lifeline[0]);
    if (rc == 0)
        rc = read_fd(r, "abort", &job->abort_fd);
    if (rc != 0)
        return rc;
    job->config.nodes = (uint32_t)nodes;
    job->config.dram_bytes = (size_t)dram;
    rc = read_cut(r, job);
    return rc != 0 ? rc : read_nodes(r, job);
}

/* What is no pipe would end this process at once, without a word. */
static int check_lifeline(struct reader *r, const struct fsh_job *job)
{
    struct stat st;

    if (fstat(job->lifeline[0], &st) == 0 && S_ISFIFO(st.st_mode))
        return 0;
    return refuse(r, "descriptor life=%d is no pipe", job->lifeline[0]);
}

int fsh_job_sim_attach(struct fsh_job *job, char *err, size_t errlen)
{
    char why[200];
    const char *text = getenv(FSH_JOB_SIM_ENV);
    struct reader r = {.text = text};
    int rc;

    memset(job, 0, sizeof(*job));
    job->lifeline[1] = job->trace_fd = -1;
    if (!text) {
        snprintf(err, errlen,
                 "no job: fshsim is started by fshrun or by a "
                 "program that uses conduit fpga, not by hand");
        return -ENOENT;
    }
    rc = read_text(&r, job);
    if (rc == 0)
        rc = check_lifeline(&r, job);
    if (rc != 0) {
        snprintf(err, errlen,
                 "%s=%.200s: %s; it is for what starts fshsim to set: unset it",
                 FSH_JOB_SIM_ENV, text, rc == -EINVAL ? r.why : strerror(-rc));
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
