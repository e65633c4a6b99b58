/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GASNET_PSHM_NODES=N ./program: the process that the user started becomes the
 * guard, a child of it the launcher, and N forks return from gasnet_init as the
 * ranks. So what the program did before gasnet_init was done once, needs no
 * launcher to be found, and all ranks have its arguments, files and memory; and
 * no rank is the job, so that any can be killed and the others end. Called from
 * gasnet_init before the library has threads.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot_state.h"
#include "boot/launch.h"

/* ---- the program's descriptors, which are no business of the launcher ---- */

struct list {
    int *fd;
    size_t n;
};

static struct list open_files(void)
{
    struct list list = {NULL, 0};
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *e;

    while (dir && (e = readdir(dir)) != NULL) {
        int fd = atoi(e->d_name), *more;

        if (e->d_name[0] == '.' || fd <= STDERR_FILENO || fd == dirfd(dir))
            continue;
        more = realloc(list.fd, (list.n + 1) * sizeof(int));
        if (!more)
            break;
        list.fd = more;
        list.fd[list.n++] = fd;
    }
    if (dir)
        closedir(dir);
    return list;
}

/* In the launcher: a pipe of the program must end when its ranks let go. */
static void close_files(const struct list *list)
{
    for (size_t i = 0; i < list->n; i++)
        close(list->fd[i]);
}

/* ---- a rank ---- */

static void drop_others(struct fsh_job *job, uint32_t rank)
{
    /* Without this the simulator would not hear of the launcher's death. */
    close(job->lifeline[1]);
    for (uint32_t n = 0; job->node && n < job->config.nodes; n++) {
        if (n == job->page->rank[rank].node)
            continue;
        close(job->node[n].dram_fd);
        close(job->node[n].dma_fd);
        close(job->node[n].mmio_fd);
    }
    munmap(job->page, sizeof(*job->page));
    free(job->node);
}

static void become_rank(struct fsh_launch *l)
{
    int rc = fsh_job_enter_rank(&l->job, l->rank), fd;

    FSH_ASSERT(l->rank < l->job.config.ranks);
    if (rc == -ESRCH)
        _exit(1); /* the launcher is gone, nobody listens */
    if (rc != 0)
        fsh_fatal("cannot start rank %" PRIu32 ": %s", l->rank, strerror(-rc));
    drop_others(&l->job, l->rank);
    if (l->rank != 0) {
        fd = open("/dev/null", O_RDONLY);
        if (fd >= 0 && fd != STDIN_FILENO) {
            dup2(fd, STDIN_FILENO);
            close(fd);
        }
    }
    fsh_launch_signals_restore(&l->before);
}

/* ---- */

/* A fork has one thread. Libraries that expect it cope, others do not. */
static void warn_of_threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    unsigned n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    if (n > 3 && !fsh_option_bool("GASNET_QUIET")) /* with . and .. */
        fsh_warn("GASNET_PSHM_NODES: %u threads were started before "
                 "gasnet_init; they are not in the ranks. With fshrun they are",
                 n - 3);
}

void fsh_boot_fork_job(uint32_t ranks, const struct fsh_job_needs *needs)
{
    struct fsh_job_config config;
    struct fsh_launch l = {.hooks = {.exec_fd = -1}};
    struct list files;
    char err[800];
    int rc;

    fsh_job_config_init(&config, ranks, needs);
    warn_of_threads();
    fflush(NULL); /* or guard and ranks would print it again */
    fsh_launch_signals_save(&l.before);
    files = open_files();
    fsh_launch_guard();
    fsh_launch_raise_limits(ranks);
    fsh_launch_announce(&l);
    if (fsh_job_create(&l.job, &config, err, sizeof(err)) != 0) {
        fsh_warn("%s", err);
        _exit(1);
    }
    rc = fsh_launch_start(&l);
    if (rc == FSH_LAUNCH_RANK) {
        free(files.fd);
        become_rank(&l);
        return;
    }
    close_files(&files);
    _exit(fsh_launch_run(&l, rc));
}
