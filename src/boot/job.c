/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Making a job: settings, control page, memory objects, the descriptors of a
 * rank. Called by fshrun's main thread, or by a program started by hand from
 * gasnet_init. Every object is a memfd, so nothing outlives the processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/option.h"
#include "base/segment.h"
#include "base/trace.h"
#include "boot/huge.h"
#include "boot/job_env.h"
#include "boot/memory.h"
#include "boot/segment.h"

/* Out of the way of programs that use small descriptor numbers as they like. */
#define FIRST_FD 100

/* Words of the settings that have one of their own, then of FSHMEM_SIM_ARGS,
 * which win. */
const char *const *fsh_job_sim_args(void)
{
    static char *copy;
    static const char **args;
    const char *text = fsh_option_str("FSHMEM_SIM_ARGS");
    size_t n = 0, room = strlen(text) + 128, max = room / 2, used;
    char *save = NULL;

    free(copy);
    free(args);
    copy = calloc(room, 1);
    args = calloc(max, sizeof(*args));
    if (!copy || !args)
        return NULL;
    if (fsh_option_given("FSHMEM_DRAM_WRITE_CYCLES"))
        snprintf(copy, room, "--dram-write-cycles %" PRId64 " ",
                 fsh_option_int("FSHMEM_DRAM_WRITE_CYCLES"));
    used = strlen(copy);
    if (fsh_option_given("FSHMEM_SIM_THREADS"))
        snprintf(copy + used, room - used, "--threads %" PRId64 " ",
                 fsh_option_int("FSHMEM_SIM_THREADS"));
    used = strlen(copy);
    if (fsh_option_given("FSHMEM_SIMULATORS"))
        snprintf(copy + used, room - used, "--processes %" PRId64 " ",
                 fsh_option_int("FSHMEM_SIMULATORS"));
    if (!fsh_option_bool("FSHMEM_COMPUTE"))
        strcat(copy, "--no-compute ");
    strcat(copy, text);
    for (char *w = strtok_r(copy, " \t\n", &save); w && n + 1 < max;
         w = strtok_r(NULL, " \t\n", &save))
        args[n++] = w;
    return args;
}

bool fsh_job_topology(struct fsh_topology *t, uint32_t nodes, char *err,
                      size_t errlen)
{
    const char *name = fsh_option_str("FSHMEM_TOPOLOGY");
    char preset[16];

    fsh_topology_default(nodes, FSH_MAX_PORTS, preset, sizeof(preset));
    return fsh_topology_make(t, name[0] ? name : preset, nodes, FSH_MAX_PORTS,
                             err, errlen);
}

/* "N", the first N ranks, or a list of ranks, which has a comma: "1,3" or "2,". */
bool fsh_job_cards(uint32_t ranks, uint64_t *cards, char *err, size_t errlen)
{
    const char *text = fsh_option_str("FSHMEM_CARDS"), *at = text;
    bool list = strchr(text, ',') != NULL;
    uint64_t most = list ? ranks - 1 : ranks, least = list ? 0 : 1;

    FSH_ASSERT(ranks >= 1 && ranks <= FSH_MAX_NODES);
    *cards = 0;
    do {
        char *end;
        unsigned long n = strtoul(at, &end, 10);

        if (*at < '0' || *at > '9' || n < least || n > most ||
            (*end != '\0' && *end != ',')) {
            snprintf(err, errlen,
                     "1 to %" PRIu32 " of the %" PRIu32
                     " ranks have a card; or a "
                     "list of ranks, with a comma, such as 0,1",
                     ranks, ranks);
            return false;
        }
        *cards |= list ? UINT64_C(1) << n : UINT64_MAX >> (64 - n);
        at = *end == ',' ? end + 1 : end;
    } while (*at != '\0');
    return true;
}

/* Which ranks have nodes, and how these are cabled. */
static void choose_nodes(struct fsh_job_config *config)
{
    const struct fsh_job_needs *needs = config->needs;
    char err[800];

    if (!needs->nodes || config->ranks < 1 || config->ranks > needs->max_ranks)
        return; /* refused by fsh_job_create */
    config->nodes = config->ranks;
    if (needs->mixed) {
        if (!fsh_job_cards(config->ranks, &config->cards, err, sizeof(err)))
            fsh_fatal("FSHMEM_CARDS=%s: %s", fsh_option_str("FSHMEM_CARDS"),
                      err);
        config->nodes = (uint32_t)__builtin_popcountll(config->cards);
    }
    config->cut = (struct fsh_job_cut){.hosts = 1, .first = {0, config->nodes}};
    if (!fsh_job_topology(&config->topology, config->nodes, err, sizeof(err)))
        fsh_fatal("FSHMEM_TOPOLOGY=%s: %s", fsh_option_str("FSHMEM_TOPOLOGY"),
                  err);
}

static bool wants_simulated(const struct fsh_job_needs *needs)
{
    return needs->nodes && strcmp(fsh_option_str("FSHMEM_CLOCK"), "free") != 0;
}

void fsh_job_check_clock(const struct fsh_job_needs *needs)
{
    if (needs->mixed && wants_simulated(needs))
        fsh_fatal("FSHMEM_CLOCK=simulated: ranks without a card have no "
                  "simulated time; use free, or conduit fpga");
}

void fsh_job_config_init(struct fsh_job_config *config, uint32_t ranks,
                         const struct fsh_job_needs *needs)
{
    memset(config, 0, sizeof(*config));
    config->needs = needs;
    config->ranks = config->here = ranks;
    choose_nodes(config);
    fsh_job_check_clock(needs);
    config->simulated_clock = wants_simulated(needs);
    fsh_option_times("FSHMEM_HOST_TIME"); /* refused here, not by each rank */
    fsh_option_int("FSHMEM_HOST_COSTS");  /* as above */
    fsh_option_int("FSHMEM_HOST_CORES");  /* as above */
    config->segment_max = fsh_option_size("FSHMEM_SEGMENT_MAX");
    fsh_option_str("FSHMEM_HUGEPAGES"); /* as above */
    config->dram_bytes = fsh_segment_pages(fsh_option_size("FSHMEM_DRAM"));
    config->sim_args = fsh_job_sim_args();
}

/* gasnet_exit itself waits up to GASNET_EXITTIMEOUT for the others before it
 * ends the job, so that twice this and the rest stay under 5 seconds. */
uint64_t fsh_job_grace_ns(void)
{
    const double most = 2.0;
    double s = fsh_option_seconds("GASNET_EXITTIMEOUT");

    return (uint64_t)((s < most ? s : most) * 1e9);
}

static int move_up(int fd)
{
    int up = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);

    if (up < 0)
        return fd; /* a small limit on descriptors: stay where we are */
    close(fd);
    return up;
}

static int make_memory(const char *name, size_t bytes, int *fd, char *err,
                       size_t errlen)
{
    struct rlimit lim;
    char asked[32], limit[32];
    int rc;

    if (getrlimit(RLIMIT_FSIZE, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY &&
        bytes > lim.rlim_cur) {
        snprintf(err, errlen,
                 "%s: needs %s, but the limit on the size of a file is %s; "
                 "raise it with ulimit -f",
                 name, fsh_memory_text(bytes, asked),
                 fsh_memory_text((size_t)lim.rlim_cur, limit));
        return -EFBIG;
    }
    *fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* Nothing grows, and what a rank cut off would be a SIGBUS to all. */
    if (*fd < 0 || ftruncate(*fd, (off_t)bytes) != 0 ||
        fcntl(*fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
            0) {
        rc = -errno;
        snprintf(err, errlen, "%s: cannot make a memory object of %s: %s%s",
                 name, fsh_memory_text(bytes, asked), strerror(-rc),
                 rc == -EMFILE ? "; raise the limit with ulimit -n" : "");
        return rc;
    }
    *fd = move_up(*fd);
    return 0;
}

static int check_config(const struct fsh_job_config *config, char *err,
                        size_t errlen)
{
    uint32_t max = config->needs->max_ranks;

    if (config->ranks >= 1 && config->ranks <= max)
        return 0;
    snprintf(err, errlen, "%" PRIu32 " ranks: conduit %s takes 1 to %" PRIu32,
             config->ranks, config->needs->conduit, max);
    return -EINVAL;
}

/* The one table of whose node is which. */
static void number_nodes(struct fsh_job_page *page,
                         const struct fsh_job_config *config)
{
    uint32_t next = 0;

    page->nodes = config->nodes;
    page->fabric_hosts = config->cut.hosts;
    for (uint32_t r = 0; r < config->ranks; r++) {
        bool has = config->needs->mixed ? config->cards >> r & 1
                                        : config->needs->nodes;

        page->rank[r].node = has ? next++ : FSH_JOB_NO_NODE;
    }
    FSH_ASSERT(next == config->nodes);
}

static void fill_page(struct fsh_job *job)
{
    struct fsh_job_page *page = job->page;
    const struct fsh_job_config *config = &job->config;

    FSH_ASSERT(config->ranks != 0 && config->ranks <= FSH_JOB_MAX_RANKS);
    FSH_ASSERT(strlen(config->needs->conduit) < sizeof(page->conduit));
    page->magic = FSH_JOB_MAGIC;
    page->page_bytes = sizeof(*page);
    page->size = config->ranks;
    page->here = config->here;
    page->hosts = 1;
    page->job_id = (uint32_t)getpid();
    snprintf(page->conduit, sizeof(page->conduit), "%s",
             config->needs->conduit);
    number_nodes(page, config);
    page->topology = config->topology;
    page->simulated_clock = config->simulated_clock;
    page->trace_fd = -1;
    page->dram_bytes = config->dram_bytes;
    page->segment_max = config->segment_max;
    atomic_store(&page->abort_code, -1);
    atomic_store(&page->abort_rank, -2);
}

static int draw_token(struct fsh_job *job, char *err, size_t errlen)
{
    if (getrandom(job->page->token, sizeof(job->page->token), 0) ==
        sizeof(job->page->token))
        return 0;
    snprintf(err, errlen, "getrandom: %s", strerror(errno));
    return -errno;
}

static int make_page(struct fsh_job *job, char *err, size_t errlen)
{
    int rc = make_memory("fshmem control page", sizeof(*job->page),
                         &job->page_fd, err, errlen);

    if (rc != 0)
        return rc;
    job->page = mmap(NULL, sizeof(*job->page), PROT_READ | PROT_WRITE,
                     MAP_SHARED, job->page_fd, 0);
    if (job->page == MAP_FAILED) {
        rc = -errno;
        job->page = NULL;
        snprintf(err, errlen, "cannot map the control page: %s", strerror(-rc));
        return rc;
    }
    fill_page(job);
    return draw_token(job, err, errlen);
}

static int make_wires(struct fsh_job *job, char *err, size_t errlen)
{
    int ends[2];

    job->abort_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (job->abort_fd < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        snprintf(err, errlen, "cannot make the lifeline pipe: %s",
                 strerror(errno));
        return -errno;
    }
    job->abort_fd = move_up(job->abort_fd);
    job->lifeline[0] = move_up(ends[0]);
    job->lifeline[1] = move_up(ends[1]);
    return 0;
}

/* Segments lie in the object that all ranks map. */
static int grant_segments(struct fsh_job *job, char *err, size_t errlen)
{
    struct fsh_job_config *config = &job->config;
    int rc = 0;

    if (config->needs->nodes ||
        !fsh_segment_huge(config->needs, config->here, &config->segment_max,
                          &job->shared_fd))
        rc = fsh_segment_grant(config->needs, config->here,
                               &config->segment_max, err, errlen);
    config->segment_max = fsh_segment_pages(config->segment_max);
    FSH_ASSERT(rc != 0 || config->segment_max <= FSH_SEGMENT_MOST);
    job->page->segment_max = config->segment_max;
    return rc;
}

static int make_shared(struct fsh_job *job, char *err, size_t errlen)
{
    const struct fsh_job_config *config = &job->config;
    int rc = 0;

    if (job->shared_fd < 0)
        rc = make_memory("fshmem shared",
                         fsh_job_shared_bytes(config->needs, config->here,
                                              config->segment_max),
                         &job->shared_fd, err, errlen);
    else
        job->shared_fd = move_up(job->shared_fd);
    job->page->fabric_at =
        fsh_job_fabric_at(config->needs, config->here, config->segment_max);
    if (rc == 0)
        job->page->shared_page = fsh_huge_page_of(job->shared_fd);
    return rc;
}

/* Records of a ring: all rings together are bounded, so that a trace does not grow
 * with the job; a ring holds what comes while the launcher has no processor. */
static uint32_t trace_slots(uint32_t rings)
{
    const size_t all = (size_t)16 << 20;
    uint32_t slots = 1u << 16;

    while (slots > 1u << 10 &&
           rings * slots * sizeof(struct fsh_trace_record) > all)
        slots /= 2;
    return slots;
}

/* A ring for each rank, then one for the simulator. */
static int make_trace(struct fsh_job *job, char *err, size_t errlen)
{
    const struct fsh_job_config *config = &job->config;
    uint32_t rings = config->ranks + config->needs->nodes;
    uint32_t slots = trace_slots(rings);
    size_t bytes = fsh_trace_bytes(rings, slots);
    struct fsh_trace *trace;
    int rc;

    if (!config->traced)
        return 0;
    rc = make_memory("fshmem trace", bytes, &job->trace_fd, err, errlen);
    if (rc != 0)
        return rc;
    trace = fsh_job_map_trace(job->trace_fd, bytes);
    if (trace == NULL) {
        rc = -errno;
        snprintf(err, errlen, "cannot map the trace: %s", strerror(-rc));
        return rc;
    }
    trace->magic = FSH_TRACE_MAGIC;
    trace->rings = rings;
    trace->ranks = config->ranks;
    trace->slots = slots;
    trace->ring_bytes = (uint32_t)fsh_trace_ring_bytes(slots);
    trace->simulated = config->simulated_clock;
    trace->start_ns = fsh_time_ns();
    munmap(trace, bytes);
    job->page->trace_fd = job->trace_fd;
    job->page->trace_bytes = bytes;
    return 0;
}

static int make_nodes(struct fsh_job *job, char *err, size_t errlen)
{
    const struct fsh_job_config *config = &job->config;
    const uint32_t *first = &config->cut.first[config->cut.index];
    size_t dram = config->dram_bytes;
    int rc = 0;

    /* The default is not probed: it costs nothing until it is written. */
    if (fsh_option_given("FSHMEM_DRAM"))
        rc = fsh_segment_grant(config->needs, first[1] - first[0], &dram, err,
                               errlen);
    job->node = malloc(config->nodes * sizeof(*job->node));
    if (rc == 0 && !job->node) {
        snprintf(err, errlen, "out of memory");
        rc = -ENOMEM;
    }
    for (uint32_t i = 0; job->node && i < config->nodes; i++)
        job->node[i] = (struct fsh_job_node){-1, -1, -1};
    for (uint32_t i = first[0]; rc == 0 && i < first[1]; i++) {
        struct fsh_job_node *n = &job->node[i];

        rc = make_memory("fshmem dram", dram, &n->dram_fd, err, errlen);
        if (rc == 0)
            rc = make_memory("fshmem dma", config->needs->dma_bytes, &n->dma_fd,
                             err, errlen);
        if (rc == 0)
            rc = make_memory("fshmem mmio", config->needs->mmio_bytes,
                             &n->mmio_fd, err, errlen);
    }
    return rc;
}

/* Debug: is this one of the job's descriptors, and of one use only? */
static bool is_used_once(const struct fsh_job *job, int fd)
{
    const int own[] = {job->page_fd, job->shared_fd, job->abort_fd,
                       job->lifeline[0], job->lifeline[1]};
    unsigned n = 0;

    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        n += own[i] == fd;
    for (uint32_t r = 0; job->node && r < job->config.nodes; r++)
        n += (unsigned)(job->node[r].dram_fd == fd) +
             (unsigned)(job->node[r].dma_fd == fd) +
             (unsigned)(job->node[r].mmio_fd == fd);
    return fd >= 0 && n == 1;
}

/* Debug: has everything that the ranks are handed a descriptor of its own? */
static bool is_whole(const struct fsh_job *job)
{
    const uint32_t *first = &job->config.cut.first[job->config.cut.index];
    bool whole = is_used_once(job, job->page_fd) &&
                 is_used_once(job, job->shared_fd) &&
                 is_used_once(job, job->abort_fd) &&
                 is_used_once(job, job->lifeline[0]) &&
                 is_used_once(job, job->lifeline[1]);

    for (uint32_t r = first[0]; whole && job->node && r < first[1]; r++)
        whole = is_used_once(job, job->node[r].dram_fd) &&
                is_used_once(job, job->node[r].dma_fd) &&
                is_used_once(job, job->node[r].mmio_fd);
    return whole;
}

int fsh_job_create(struct fsh_job *job, const struct fsh_job_config *config,
                   char *err, size_t errlen)
{
    int rc;

    memset(job, 0, sizeof(*job));
    job->config = *config;
    job->page_fd = job->shared_fd = job->abort_fd = job->trace_fd = -1;
    job->lifeline[0] = job->lifeline[1] = -1;
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        job->peer_fd[i] = -1;
    rc = check_config(config, err, errlen);
    if (rc == 0)
        rc = make_page(job, err, errlen);
    if (rc == 0)
        rc = make_wires(job, err, errlen);
    if (rc == 0)
        rc = fsh_job_has_nodes(config) ? make_nodes(job, err, errlen) : 0;
    if (rc == 0 && (!config->needs->nodes || config->needs->mixed))
        rc = grant_segments(job, err, errlen);
    if (rc == 0)
        rc = make_shared(job, err, errlen);
    if (rc == 0)
        rc = make_trace(job, err, errlen);
    if (rc != 0)
        fsh_job_destroy(job);
    FSH_ASSERT(rc != 0 || is_whole(job));
    FSH_ASSERT(rc != 0 || (fsh_job_has_nodes(config) == (job->node != NULL) &&
                           job->page->size == config->ranks));
    return rc;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void fsh_job_destroy(struct fsh_job *job)
{
    if (job->page)
        munmap(job->page, sizeof(*job->page));
    job->page = NULL;
    close_fd(&job->page_fd);
    close_fd(&job->shared_fd);
    close_fd(&job->abort_fd);
    close_fd(&job->trace_fd);
    close_fd(&job->lifeline[0]);
    close_fd(&job->lifeline[1]);
    for (uint32_t i = 0; i < FSH_MAX_NODES; i++)
        close_fd(&job->peer_fd[i]);
    for (uint32_t i = 0; job->node && i < job->config.nodes; i++) {
        close_fd(&job->node[i].dram_fd);
        close_fd(&job->node[i].dma_fd);
        close_fd(&job->node[i].mmio_fd);
    }
    free(job->node);
    job->node = NULL;
}

struct fsh_job_ticket fsh_job_ticket(const struct fsh_job *job, uint32_t rank,
                                     int life_fd)
{
    const struct fsh_job_node none = {-1, -1, -1};
    const uint32_t n = job->page->rank[rank].node;
    const struct fsh_job_node *node =
        n != FSH_JOB_NO_NODE ? &job->node[n] : &none;

    FSH_ASSERT(rank < job->config.ranks && job->page_fd >= 0);
    FSH_ASSERT(n == FSH_JOB_NO_NODE || node->dram_fd >= 0);
    return (struct fsh_job_ticket){
        .rank = rank,
        .page_fd = job->page_fd,
        .shared_fd = job->shared_fd,
        .dram_fd = node->dram_fd,
        .dma_fd = node->dma_fd,
        .mmio_fd = node->mmio_fd,
        .life_fd = life_fd,
        .abort_fd = job->abort_fd,
    };
}

int fsh_job_enter_rank(struct fsh_job *job, uint32_t rank)
{
    struct fsh_job_ticket t = fsh_job_ticket(job, rank, job->lifeline[0]);
    const int keep[] = {t.page_fd, t.shared_fd, t.dram_fd,  t.dma_fd,
                        t.mmio_fd, t.life_fd,   t.abort_fd, job->trace_fd};
    char text[256];

    /* With the writing end of the lifeline it would never see the launcher die. */
    FSH_ASSERT(t.life_fd >= 0 && t.life_fd != job->lifeline[1]);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        return -errno;
    /* The launcher may have died before the line above. */
    if ((uint32_t)getppid() != job->page->job_id)
        return -ESRCH;
    for (size_t i = 0; i < sizeof(keep) / sizeof(keep[0]); i++)
        fsh_job_cloexec(keep[i], false);
    fsh_job_ticket_write(&t, text, sizeof(text));
    if (setenv(FSH_JOB_ENV, text, 1) != 0)
        return -errno;
    return 0;
}
