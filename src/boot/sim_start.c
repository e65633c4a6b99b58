/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding, starting and ending the simulator. Called by fshrun's main thread,
 * or in a program started by hand by the watch thread, which lives as long as
 * the process: PR_SET_PDEATHSIG goes by the thread that forked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/futex.h"
#include "base/option.h"
#include "base/path.h"
#include "boot/job_env.h"
#include "boot/limits.h"

extern char **environ;

/* The gasnet.h that the program was compiled with, "" unknown. A program that
 * is linked with an archive has nothing else that tells its prefix. */
static const char *client_header = "";

#define MS UINT64_C(1000000)

/* Everything the child needs, made before the fork: with other threads about,
 * the child may not allocate. */
struct start {
    char path[PATH_MAX];
    char text[5200];
    char **argv;
    char **envp;
};

void fsh_job_look_beside(const char *header)
{
    client_header = header;
}

/* In the prefixes that somebody lives in: this program, the library, the
 * headers. A library that is part of the program calls itself by the word it
 * was started with. */
static bool search_prefixes(const char *exe, char *path, size_t len)
{
    static const char *const tails[] = {"fshsim", "../bin/fshsim",
                                        "../libexec/fshmem/fshsim"};
    const char *homes[] = {exe, "", client_header};
    Dl_info library;

    if (dladdr((void *)(uintptr_t)fsh_job_find_sim, &library) &&
        library.dli_fname)
        homes[1] = library.dli_fname;
    for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++)
        for (size_t t = 0; t < sizeof(tails) / sizeof(tails[0]); t++)
            if (fsh_path_beside(homes[i], tails[t], path, len))
                return true;
    return false;
}

int fsh_job_find_sim(char *path, size_t pathlen, char *err, size_t errlen)
{
    const char *set = fsh_option_str("FSHMEM_SIM");
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    if (set[0]) {
        snprintf(path, pathlen, "%s", set);
        if (access(path, X_OK) == 0)
            return 0;
        snprintf(err, errlen,
                 "FSHMEM_SIM=%s: %s; give the path of fshsim, or unset it to "
                 "have fshsim looked for",
                 set, strerror(errno));
        return -ENOENT;
    }
    exe[n > 0 ? n : 0] = '\0';
    if (search_prefixes(exe, path, pathlen) ||
        fsh_path_beside(FSH_SIM_HOME "/", "fshsim", path, pathlen) ||
        fsh_path_find("fshsim", path, pathlen) == 0)
        return 0;
    snprintf(err, errlen,
             "the simulator fshsim was not found beside %s, in the prefix of "
             "the library or of gasnet.h, in %s or in PATH; "
             "it is built when Verilator is there (apt-get install verilator); "
             "or set FSHMEM_SIM to where it is",
             exe[0] ? exe : "the program", FSH_SIM_HOME);
    return -ENOENT;
}

/* Nodes of fshsim have so many link ports; those of fshsim-wide, which stands beside
 * it, all that there may be, and take longer to simulate. */
#define NARROW_PORTS 2u

/* If there is none, fshsim says what it lacks. */
static void find_wide(char *path, size_t len)
{
    static const char tail[] = "-wide";
    size_t n = strlen(path);

    if (n + sizeof(tail) > len)
        return;
    memcpy(path + n, tail, sizeof(tail));
    if (access(path, X_OK) != 0)
        path[n] = '\0';
}

static void write_text(const struct fsh_job *job, char *text, size_t len)
{
    size_t at;

    at = (size_t)snprintf(
        text, len,
        "%s=nodes=%" PRIu32 ",dram=%zu,page=%d,shared=%d,life=%d,abort=%d,mem=",
        FSH_JOB_SIM_ENV, job->config.nodes, job->config.dram_bytes,
        job->page_fd, job->shared_fd, job->lifeline[0], job->abort_fd);
    for (uint32_t i = 0; i < job->config.nodes && at < len; i++)
        at += (size_t)snprintf(text + at, len - at, "%s%d.%d.%d", i ? "/" : "",
                               job->node[i].dram_fd, job->node[i].dma_fd,
                               job->node[i].mmio_fd);
    for (uint32_t i = 0;
         job->config.cut.hosts > 1 && i < job->config.cut.hosts && at < len;
         i++)
        at += (size_t)snprintf(text + at, len - at, "%s%" PRIu32 ".%d",
                               i ? "/" : ",cut=", job->config.cut.first[i],
                               job->peer_fd[i]);
    FSH_ASSERT(at < len); /* every node is in it */
}

/* They are the simulator's, whose end others see by them. */
static void let_go_of_peers(struct fsh_job *job)
{
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++) {
        if (job->peer_fd[i] >= 0)
            close(job->peer_fd[i]);
        job->peer_fd[i] = -1;
    }
}

static bool is_job_variable(const char *entry)
{
    return strncmp(entry, FSH_JOB_ENV "=", strlen(FSH_JOB_ENV) + 1) == 0 ||
           strncmp(entry, FSH_JOB_SIM_ENV "=", strlen(FSH_JOB_SIM_ENV) + 1) ==
               0;
}

static int fill_start(struct start *s, const struct fsh_job *job, char *err,
                      size_t errlen)
{
    size_t nargs = 0, nenv = 0, n = 0;
    int rc = fsh_job_find_sim(s->path, sizeof(s->path), err, errlen);

    if (rc != 0)
        return rc;
    if (job->config.topology.ports > NARROW_PORTS)
        find_wide(s->path, sizeof(s->path));
    write_text(job, s->text, sizeof(s->text));
    while (job->config.sim_args && job->config.sim_args[nargs])
        nargs++;
    while (environ[nenv])
        nenv++;
    s->argv = calloc(nargs + 2, sizeof(*s->argv));
    s->envp = calloc(nenv + 2, sizeof(*s->envp));
    if (!s->argv || !s->envp) {
        snprintf(err, errlen, "out of memory");
        return -ENOMEM;
    }
    s->argv[0] = s->path;
    for (size_t i = 0; i < nargs; i++)
        s->argv[i + 1] = (char *)(uintptr_t)job->config.sim_args[i];
    for (size_t i = 0; i < nenv; i++)
        if (!is_job_variable(environ[i]))
            s->envp[n++] = environ[i];
    s->envp[n] = s->text;
    return 0;
}

/* Between fork and exec: async-signal-safe calls only. Its output goes to
 * stderr, so that the program's own stays clean; it is its own process group,
 * so that Ctrl-C reaches it through the launcher, after the ranks. */
static _Noreturn void become_sim(const struct fsh_job *job,
                                 const struct start *s, pid_t parent)
{
    static const char failed[] = "fshmem: cannot execute fshsim\n";
    int null_fd = open("/dev/null", O_RDONLY);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    setpgid(0, 0);
    if (null_fd >= 0)
        dup2(null_fd, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    fsh_job_cloexec(job->page_fd, false);
    fsh_job_cloexec(job->shared_fd, false);
    fsh_job_cloexec(job->lifeline[0], false);
    fsh_job_cloexec(job->abort_fd, false);
    fsh_job_cloexec(job->trace_fd, false);
    for (uint32_t i = 0; i < job->config.nodes; i++) {
        fsh_job_cloexec(job->node[i].dram_fd, false);
        fsh_job_cloexec(job->node[i].dma_fd, false);
        fsh_job_cloexec(job->node[i].mmio_fd, false);
    }
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        fsh_job_cloexec(job->peer_fd[i], false);
    sigemptyset(&none);
    for (int sig = 1; sig < 32; sig++)
        if (sig != SIGPIPE)
            signal(sig, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(s->path, s->argv, s->envp);
    if (write(STDERR_FILENO, failed, sizeof(failed) - 1) < 0)
        _exit(126);
    _exit(127);
}

static int say_how_it_ended(const struct fsh_job *job, int status, char *err,
                            size_t errlen)
{
    if (job->page->sim_error[0])
        snprintf(err, errlen, "simulator: %s", job->page->sim_error);
    else if (WIFSIGNALED(status))
        snprintf(err, errlen,
                 "the simulator was killed by signal %d (%s) as it started",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(err, errlen,
                 "the simulator ended with code %d before it was ready",
                 WEXITSTATUS(status));
    return -ECHILD;
}

static int await_ready(struct fsh_job *job, char *err, size_t errlen)
{
    double limit = fsh_option_seconds("FSHMEM_START_TIMEOUT");
    uint64_t start = fsh_time_ns();
    int status = 0, state;

    for (;;) {
        /* Acquire: partners are the releases in job_sim.c. */
        state =
            atomic_load_explicit(&job->page->sim_state, memory_order_acquire);
        FSH_ASSERT(state >= 0 && state <= 2);
        if (state == 1)
            return 0;
        if (waitpid(job->sim_pid, &status, WNOHANG) == job->sim_pid) {
            job->sim_pid = 0;
            return say_how_it_ended(job, status, err, errlen);
        }
        if (state == 2) {
            status = fsh_job_stop_sim(job, 1000 * MS);
            return say_how_it_ended(job, status, err, errlen);
        }
        if ((double)(fsh_time_ns() - start) > limit * 1e9) {
            fsh_job_stop_sim(job, 0);
            snprintf(err, errlen,
                     "the simulator was not ready within %g s "
                     "(FSHMEM_START_TIMEOUT)",
                     limit);
            return -ETIMEDOUT;
        }
        fsh_futex_wait(&job->page->sim_state, (uint32_t)state, 20 * MS);
    }
}

int fsh_job_start_sim(struct fsh_job *job, char *err, size_t errlen)
{
    struct start *s = calloc(1, sizeof(*s));
    pid_t parent = getpid();
    char why[200];
    int rc;

    /* One simulator a job, and for jobs with nodes only. */
    FSH_ASSERT(job->sim_pid == 0 && atomic_load(&job->page->sim_pid) == 0);
    FSH_ASSERT(job->node != NULL);
    if (!s) {
        snprintf(err, errlen, "out of memory");
        return -ENOMEM;
    }
    rc = fill_start(s, job, err, errlen);
    if (rc == 0) {
        job->sim_pid = fork();
        if (job->sim_pid == 0)
            become_sim(job, s, parent);
        let_go_of_peers(job);
        if (job->sim_pid < 0) {
            rc = -errno;
            job->sim_pid = 0;
            fsh_limits_explain_process(-rc, why, sizeof(why));
            snprintf(err, errlen, "cannot start the simulator: %s%s",
                     strerror(-rc), why);
        }
    }
    if (rc == 0) {
        atomic_store(&job->page->sim_pid, job->sim_pid);
        rc = await_ready(job, err, errlen);
    }
    free(s->argv);
    free(s->envp);
    free(s);
    return rc;
}

int fsh_job_stop_sim(struct fsh_job *job, uint64_t max_ns)
{
    uint64_t start = fsh_time_ns();
    bool killed = false;
    int status = 0;
    pid_t got;

    if (job->sim_pid <= 0)
        return -1;
    FSH_ASSERT(job->sim_pid == atomic_load(&job->page->sim_pid));
    kill(job->sim_pid, SIGTERM);
    for (;;) {
        got = waitpid(job->sim_pid, &status, WNOHANG);
        if (got == job->sim_pid || (got < 0 && errno == ECHILD))
            break;
        if (!killed && fsh_time_ns() - start >= max_ns) {
            kill(job->sim_pid, SIGKILL);
            killed = true;
        }
        if (fsh_time_ns() - start >= max_ns + 5000 * MS)
            break; /* stuck in the kernel; it dies when that lets go */
        usleep(1000);
    }
    job->sim_pid = 0;
    return got > 0 ? status : -1;
}
