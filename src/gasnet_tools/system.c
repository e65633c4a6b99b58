/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries and settings of process and machine. */
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/simulated.h"
#include "gasnet_tools.h"

static pthread_once_t names_once = PTHREAD_ONCE_INIT;
static char host_name[256];
static char exe_name[PATH_MAX];

static void find_names(void)
{
    ssize_t n = readlink("/proc/self/exe", exe_name, sizeof exe_name - 1);

    exe_name[n > 0 ? n : 0] = '\0';
    if (gethostname(host_name, sizeof host_name - 1) != 0)
        gasnett_fatalerror_nopos("gasnett_gethostname: %s", strerror(errno));
}

const char *gasnett_gethostname(void)
{
    pthread_once(&names_once, find_names);
    return host_name;
}

const char *gasneti_gethostname(void)
{
    return gasnett_gethostname();
}

const char *gasnett_exe_name(void)
{
    pthread_once(&names_once, find_names);
    return exe_name;
}

int gasnett_cpu_count(void)
{
    return (int)fsh_cpu_count();
}

/* The processors this process was started on, read once before the first thread
 * binds itself. */
static pthread_once_t cpus_once = PTHREAD_ONCE_INIT;
static cpu_set_t cpus;

static void find_cpus(void)
{
    if (sched_getaffinity(getpid(), sizeof cpus, &cpus) != 0)
        CPU_ZERO(&cpus);
}

int gasnett_set_affinity(int rank)
{
    cpu_set_t one;
    int n, skip;

    pthread_once(&cpus_once, find_cpus);
    n = CPU_COUNT(&cpus);
    if (n == 0)
        return -1;
    skip = (int)((unsigned)rank % (unsigned)n);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &cpus) && skip-- == 0) {
            CPU_SET(cpu, &one);
            break;
        }
    return sched_setaffinity(0, sizeof one, &one);
}

uint64_t gasnett_getPhysMemSz(int failure_is_fatal)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    if (pages > 0 && size > 0)
        return (uint64_t)pages * (uint64_t)size;
    if (failure_is_fatal)
        gasnett_fatalerror_nopos("gasnett_getPhysMemSz: the system does not "
                                 "tell");
    return 0;
}

int gasnett_isLittleEndian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

void *gasnett_mmap(uintptr_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED && errno != ENOMEM)
        gasnett_fatalerror_nopos("gasnett_mmap(%zu): %s", (size_t)size,
                                 strerror(errno));
    return p;
}

int gasnett_maximize_rlimit(int res, const char *name)
{
    struct rlimit limit;
    char key[128];

    snprintf(key, sizeof key, "GASNET_MAXIMIZE_%s", name);
    if (!gasnett_getenv_yesno_withdefault(key, 1))
        return 1;
    if (getrlimit((unsigned)res, &limit) != 0)
        return 0;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit((unsigned)res, &limit) == 0;
}

int gasnett_maximize_rlimits(void)
{
    int ok = gasnett_maximize_rlimit(RLIMIT_CPU, "RLIMIT_CPU");

    ok &= gasnett_maximize_rlimit(RLIMIT_DATA, "RLIMIT_DATA");
    ok &= gasnett_maximize_rlimit(RLIMIT_RSS, "RLIMIT_RSS");
    ok &= gasnett_maximize_rlimit(RLIMIT_STACK, "RLIMIT_STACK");
    ok &= gasnett_maximize_rlimit(RLIMIT_AS, "RLIMIT_AS");
    return ok;
}

gasnett_sighandlerfn_t gasnett_reghandler(int sig, gasnett_sighandlerfn_t fn)
{
    struct sigaction now, old;

    memset(&now, 0, sizeof now);
    now.sa_handler = fn;
    now.sa_flags = SA_RESTART;
    sigemptyset(&now.sa_mask);
    if (sigaction(sig, &now, &old) != 0)
        gasnett_fatalerror_nopos("gasnett_reghandler: signal %d: %s", sig,
                                 strerror(errno));
    return old.sa_handler;
}

void gasnett_sched_yield(void)
{
    const struct fsh_simulated *simulated = fsh_simulated();

    if (simulated == NULL ||
        !simulated->spend(FSH_COST_YIELD * FSH_NS_PER_CYCLE))
        sched_yield();
}

void gasnett_flush_streams(void)
{
    fflush(stdout);
    fflush(stderr);
    fflush(NULL);
}

void gasnett_close_streams(void)
{
    signal(SIGPIPE, SIG_IGN); /* somebody may still print */
    fclose(stdin);
    fclose(stdout);
    fclose(stderr);
}
