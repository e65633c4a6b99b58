/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/log.h"
#include "device/sim/sim_shm.h"
#include "run.h"

struct report {
    const char *path;
    char trace[PATH_MAX];
    int fd; /* of a trace without a name, or -1 */
    struct fsh_sim_fabric *fabric;
    unsigned ports;
    uint64_t start_ns;
};

/* In the directory of the page, where there is room for it; it is gone with its
 * descriptor, however the job ends. */
static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    int fd;

    snprintf(directory, sizeof(directory), "%.*s",
             slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    /* A file system without such files. */
    if (access(directory, W_OK) != 0)
        return -1;
    return memfd_create("fshrun trace", MFD_CLOEXEC);
}

/* Could a file be written there at the end? With errno. */
static bool is_writable(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return errno == ENOENT &&
               path[0]; /* its directory is looked at besides */
    errno = S_ISDIR(st.st_mode) ? EISDIR : 0;
    return errno == 0 && access(path, W_OK) == 0;
}

/* Will the trace be there to be read when the job has ended? A pipe would be waited for,
 * and the page would be written over a trace of its name. Says why not. */
static bool is_kept(const char *trace, const char *path)
{
    struct stat a, b;
    bool there = stat(trace, &a) == 0;

    if (there && !S_ISREG(a.st_mode))
        fsh_warn("--report is made from the trace: --trace %s has to be a file",
                 trace);
    else if (strcmp(trace, path) == 0 ||
             (there && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
              a.st_ino == b.st_ino))
        fsh_warn("--trace %s and --report %s are one file", trace, path);
    else
        return true;
    return false;
}

struct report *report_new(const char *path, const char *trace)
{
    struct report *r;

    if (trace && !is_kept(trace, path))
        return NULL;
    r = calloc(1, sizeof(*r));
    if (!r)
        fsh_fatal("--report: out of memory");
    r->path = path;
    r->start_ns = fsh_time_ns();
    r->fd = -1;
    if (!is_writable(path) || (r->fd = open_nameless(path)) < 0) {
        fsh_warn("--report %s: %s", path, strerror(errno));
        report_free(r);
        return NULL;
    }
    if (trace)
        snprintf(r->trace, sizeof(r->trace), "%s", trace);
    else
        snprintf(r->trace, sizeof(r->trace), "/proc/self/fd/%d", r->fd);
    return r;
}

const char *report_trace(const struct report *r)
{
    return r->trace;
}

void report_count(struct report *r, const struct fsh_job *job)
{
    void *map;

    if (!job->config.needs->nodes)
        return;
    map = mmap(NULL, sizeof(*r->fabric), PROT_READ | PROT_WRITE, MAP_SHARED,
               job->shared_fd, (off_t)job->page->fabric_at);
    if (map == MAP_FAILED) {
        fsh_warn("--report: without the figures of the simulator: %s",
                 strerror(errno));
        return;
    }
    r->fabric = map;
    r->ports = job->page->topology.ports;
    atomic_store(&r->fabric->counts_wanted, 1);
}

/* The words with blanks between them, cut where there is no room. */
static void join(char *const *word, char *text, size_t len)
{
    size_t used = 0;

    text[0] = '\0';
    for (; *word && used + 1 < len; word++) {
        snprintf(text + used, len - used, "%s%s", used ? " " : "", *word);
        used = strlen(text);
    }
}

static bool write_page(const struct report *r, FILE *in, char *const *program,
                       int code)
{
    char command[1024], err[200];
    struct run_job job = {.command = command,
                          .code = code,
                          .seconds =
                              (double)(fsh_time_ns() - r->start_ns) / 1e9,
                          .fabric = r->fabric,
                          .ports = r->ports};
    struct run run;
    FILE *out;
    bool ok;

    join(program, command, sizeof(command));
    if (!run_read(&run, in, err, sizeof(err))) {
        fsh_warn("--report %s: %s: %s", r->path, r->trace, err);
        return false;
    }
    out = fopen(r->path, "w");
    if (out)
        run_write(out, &run, &job);
    ok = out && !ferror(out);
    if (out && fclose(out) != 0)
        ok = false;
    if (!ok)
        fsh_warn("--report %s: %s", r->path, strerror(errno));
    run_free(&run);
    return ok;
}

bool report_write(struct report *r, char *const *program, int code)
{
    FILE *in = fopen(r->trace, "r");
    bool ok;

    if (!in) {
        fsh_warn("--report: %s: %s", r->trace, strerror(errno));
        return false;
    }
    ok = write_page(r, in, program, code);
    fclose(in);
    return ok;
}

void report_free(struct report *r)
{
    if (r->fabric)
        munmap(r->fabric, sizeof(*r->fabric));
    if (r->fd >= 0)
        close(r->fd);
    free(r);
}
