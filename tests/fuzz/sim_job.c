/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FSHMEM_SIM_JOB, which tells fshsim its job: right texts are taken as they are; of
 * others, made of right ones, what is taken names open descriptors and hosts whose nodes
 * follow each other, and what is not is refused in words. See fuzz.h for the arguments.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "boot/job_env.h"
#include "fuzz.h"

enum { FIELDS = 8, BYTES = 600 };

static int page_fd, shared_fd, life_fd, abort_fd, memory_fd, socket_fd;

/* A field at a time, as src/boot/sim_start.c writes them. */
static void right_fields(struct fuzz *f, char field[FIELDS][BYTES])
{
    unsigned nodes = 1 + fuzz_below(f, 5), hosts = 1 + fuzz_below(f, nodes);
    unsigned here = fuzz_below(f, hosts);
    size_t at;

    snprintf(field[0], BYTES, "nodes=%u", nodes);
    snprintf(field[1], BYTES, "dram=%u", 4096 * fuzz_below(f, 9));
    snprintf(field[2], BYTES, "page=%d", page_fd);
    snprintf(field[3], BYTES, "shared=%d", shared_fd);
    snprintf(field[4], BYTES, "life=%d", life_fd);
    snprintf(field[5], BYTES, "abort=%d", abort_fd);
    at = (size_t)snprintf(field[6], BYTES, "mem=");
    for (unsigned i = 0; i < nodes; i++) {
        int fd = i % hosts == here ? memory_fd : -1;

        at += (size_t)snprintf(field[6] + at, BYTES - at, "%s%d.%d.%d",
                               i != 0 ? "/" : "", fd, fd, fd);
    }
    at = (size_t)snprintf(field[7], BYTES, hosts > 1 ? "cut=" : "more=");
    for (unsigned i = 0; i < hosts; i++)
        at +=
            (size_t)snprintf(field[7] + at, BYTES - at, "%s%u.%d",
                             i != 0 ? "/" : "", i, i == here ? -1 : socket_fd);
}

static void spoil(struct fuzz *f, char *field)
{
    static const char *const pieces[] = {"",
                                         "0",
                                         "1",
                                         "2",
                                         "-1",
                                         "-2",
                                         "64",
                                         "65",
                                         "1024",
                                         "1025",
                                         "999",
                                         ".",
                                         "/",
                                         ",",
                                         "=",
                                         "x",
                                         " ",
                                         "0x10",
                                         "1e3",
                                         "+",
                                         "%n",
                                         "%s",
                                         "0.",
                                         "1.1",
                                         "/0",
                                         "\x80",
                                         "9223372036854775807",
                                         "18446744073709551616",
                                         "2147483648",
                                         "4294967295"};
    size_t n = strlen(field), at = fuzz_below(f, (unsigned)n + 1);
    const char *piece = pieces[fuzz_below(f, sizeof pieces / sizeof *pieces)];
    char rest[BYTES];

    if (fuzz_rarely(f, 3))
        at = strcspn(field, "=") + 1 < n ? strcspn(field, "=") + 1 : n;
    snprintf(
        rest, sizeof rest, "%s",
        field + at +
            (fuzz_rarely(f, 2) ? fuzz_below(f, 4) % (n - at + 1) : n - at));
    snprintf(field + at, BYTES - at, "%s", piece);
    n = strlen(field);
    snprintf(field + n, BYTES - n, "%s", rest);
}

static void write_all(char field[FIELDS][BYTES], const unsigned *order,
                      char *text, size_t len)
{
    size_t at = 0;

    for (unsigned i = 0; i < FIELDS; i++)
        if (order[i] < FIELDS)
            at += (size_t)snprintf(text + at, len - at, "%s%s", at ? "," : "",
                                   field[order[i]]);
}

/* Fields in another order, twice or not at all. Returns whether that changes anything. */
static bool reorder(struct fuzz *f, unsigned *order)
{
    unsigned a = fuzz_below(f, FIELDS), b = fuzz_below(f, FIELDS);

    if (fuzz_rarely(f, 2)) {
        unsigned was = order[a];

        order[a] = order[b];
        order[b] = was;
        return false;
    }
    order[a] = fuzz_rarely(f, 2) ? FIELDS : order[b];
    return true;
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static bool is_pipe(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static void check_taken(const struct fsh_job *job, const char *text)
{
    const struct fsh_job_cut *cut = &job->config.cut;
    uint32_t nodes = job->config.nodes;

    CHECK(nodes >= 1 && nodes <= FSH_JOB_MAX_RANKS && job->page != NULL &&
              is_open(job->page_fd) && is_open(job->shared_fd) &&
              is_open(job->abort_fd) && is_pipe(job->lifeline[0]),
          "%s", text);
    for (uint32_t i = 0; i < nodes; i++) {
        const struct fsh_job_node *n = &job->node[i];

        CHECK((n->dram_fd == -1 || is_open(n->dram_fd)) &&
                  (n->dma_fd == -1 || is_open(n->dma_fd)) &&
                  (n->mmio_fd == -1 || is_open(n->mmio_fd)),
              "%s", text);
    }
    CHECK(cut->hosts >= 1 && cut->index < cut->hosts && cut->first[0] == 0 &&
              cut->first[cut->hosts] == nodes,
          "%s", text);
    for (uint32_t i = 0; i < cut->hosts; i++)
        CHECK(cut->first[i] < cut->first[i + 1] &&
                  is_open(job->peer_fd[i]) ==
                      (cut->hosts > 1 && i != cut->index),
              "%s", text);
}

static bool starts_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void try_text(const char *text, bool right)
{
    static struct fsh_job job;
    char err[512] = "";

    setenv(FSH_JOB_SIM_ENV, text, 1);
    if (fsh_job_sim_attach(&job, err, sizeof err) == 0) {
        check_taken(&job, text);
        munmap(job.page, sizeof *job.page);
        free(job.node);
        CHECK(getenv(FSH_JOB_SIM_ENV) == NULL);
        return;
    }
    CHECK(!right, "%s: %s", text, err);
    CHECK((starts_with(err, FSH_JOB_SIM_ENV "=") &&
           strstr(err, ": unset it") != NULL) ||
              starts_with(err, "control page (descriptor "),
          "%s: %s", text, err);
}

static void fuzz_setup(void)
{
    static struct fsh_job_page page = {.magic = FSH_JOB_MAGIC,
                                       .page_bytes = sizeof page,
                                       .trace_fd = -1,
                                       .size = 1};
    int ends[2];

    clearenv();
    fuzz_catch_fatal();
    CHECK(freopen("/dev/null", "r", stdin) != NULL); /* no pipe of others */
    CHECK(pipe(ends) == 0); /* its other end stays open: else it is the end */
    life_fd = ends[0];
    page_fd = memfd_create("page", 0);
    shared_fd = memfd_create("shared", 0);
    memory_fd = memfd_create("memory", 0);
    socket_fd = memfd_create("socket", 0);
    abort_fd = eventfd(0, 0);
    CHECK(page_fd >= 0 && shared_fd >= 0 && memory_fd >= 0 && socket_fd >= 0 &&
          abort_fd >= 0 &&
          write(page_fd, &page, sizeof page) == (ssize_t)sizeof page);
}

static void fuzz_case(struct fuzz *f)
{
    static char field[FIELDS][BYTES], text[FIELDS * BYTES];
    unsigned order[FIELDS];
    bool right = true;

    for (unsigned i = 0; i < FIELDS; i++)
        order[i] = i;
    right_fields(f, field);
    if (fuzz_rarely(f, 4))
        right = !reorder(f, order);
    if (!fuzz_rarely(f, 32)) {
        right = false;
        for (unsigned i = 0; i <= fuzz_below(f, 3); i++)
            spoil(f, field[fuzz_below(f, FIELDS)]);
    }
    write_all(field, order, text, sizeof text);
    try_text(text, right);
}

FUZZ_MAIN(60000)
