/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Text that users write: settings in the environment, sizes, numbers, fractions of
 * memory, information from launchers. Half of the texts are made from a value, which
 * must be parsed back; the others are arbitrary, and must be refused or give
 * something in range, without a fault. See fuzz.h for the arguments.
 */
#include <inttypes.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/option.h"
#include "base/topology.h"
#include "boot/channel.h"
#include "boot/job_env.h"
#include "boot/launcher_env.h"
#include "boot/memory.h"
#include "conduit/conduit.h"
#include "gasnet_tools.h"
#include "gasnet_tools/number.h"
#include "fuzz.h"

enum { TEXT_BYTES = 400 };

/* ---- texts ---- */

/* Pieces that mean something to one reader or another. */
static const char *const pieces[] = {
    "0",    "1",  "2",  "9",    "10",     "4096", "9223372036854775807",
    "1e18", "e",  "E9", "1e99", "1e-400", ".",    "0.5",
    "-",    "+",  "0x", "0xf",  "nan",    "inf",  "infinity",
    "k",    "K",  "M",  "G",    "T",      "P",    "/P",
    "/H",   "/",  "B",  "iB",   "KiB",    "MB",   " ",
    "\t",   "\n", ",",  "=",    "|",      "yes",  "no",
    "ring", "on", "%s", "%n",   "\x80",   "\xcb", "18446744073709551616"};

static void any_text(struct fuzz *f, char *text)
{
    size_t n = 0, parts = fuzz_below(f, fuzz_rarely(f, 8) ? 120 : 5);

    for (size_t i = 0; i < parts; i++) {
        const char *piece =
            pieces[fuzz_below(f, sizeof pieces / sizeof *pieces)];
        char one[2] = {(char)(1 + fuzz_below(f, 255)), '\0'};

        if (fuzz_rarely(f, 4))
            piece = one;
        if (n + strlen(piece) >= TEXT_BYTES)
            break;
        strcpy(text + n, piece);
        n += strlen(piece);
    }
    text[n] = '\0';
}

/* "96 KB" for a number of bytes; blank and unit as the reader has them. */
static uint64_t sized_text(struct fuzz *f, char *text, const char *blank)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    static const char *const ends[] = {"", "B", "iB"};
    unsigned u = fuzz_below(f, 5);
    unsigned shift = 12 + 10 * u; /* the product stays below 2^52 */
    uint64_t n = fuzz_word(f) >> (shift + fuzz_below(f, 64 - shift));

    snprintf(text, TEXT_BYTES, "%" PRIu64 "%s%s%s", n, blank, units[u],
             u ? ends[fuzz_below(f, 3)] : "");
    return n << (10 * u);
}

/* ---- readers ---- */

static void size_case(struct fuzz *f)
{
    char text[TEXT_BYTES];
    bool made = fuzz_rarely(f, 2);
    uint64_t want = 0;
    size_t bytes = 77;

    if (made)
        want = sized_text(f, text, "");
    else
        any_text(f, text);
    if (!fsh_option_parse_size(text, &bytes)) {
        CHECK(!made && bytes == 77, "\"%s\" refused", text);
        return;
    }
    CHECK(!made || bytes == want, "\"%s\": %zu", text, bytes);
    CHECK(bytes < (size_t)9.3e18, "\"%s\": %zu", text, bytes);
}

static void fraction_case(struct fuzz *f)
{
    unsigned part = 1 + fuzz_below(f, 20), whole = part + fuzz_below(f, 20);
    uint64_t total = fuzz_word(f) >> (4 + fuzz_below(f, 40)), want;
    uint32_t ranks = 1 + fuzz_below(f, 1024);
    bool all = fuzz_rarely(f, 2);
    char text[TEXT_BYTES];
    size_t bytes = 0;

    snprintf(text, sizeof text, " %u / %u%s", part, whole, all ? "/H" : "/P");
    want = part == whole ? total
                         : (uint64_t)((double)total * ((double)part / whole));
    want = all ? want / ranks : want;
    CHECK(fsh_memory_parse(text, total, ranks, &bytes) == (want != 0),
          "\"%s\" of %" PRIu64, text, total);
    CHECK(want == 0 || bytes == want, "\"%s\" of %" PRIu64 ": %zu", text, total,
          bytes);
}

static void memory_case(struct fuzz *f)
{
    size_t total = fuzz_rarely(f, 4) ? SIZE_MAX : fuzz_word(f), bytes = 0;
    uint32_t ranks = 1 + fuzz_below(f, 1024);
    char text[TEXT_BYTES];
    uint64_t want;

    if (fuzz_rarely(f, 2)) {
        want = sized_text(f, text, " ");
        CHECK(fsh_memory_parse(text, total, ranks, &bytes) == (want != 0),
              "\"%s\"", text);
        CHECK(want == 0 || bytes == want, "\"%s\": %zu", text, bytes);
        return;
    }
    any_text(f, text);
    if (!fsh_memory_parse(text, total, ranks, &bytes))
        return;
    CHECK(bytes > 0, "\"%s\" of %zu for %u: nothing", text, total, ranks);
    CHECK(strlen(text) < 64 || strpbrk(text, " \t\n\v\f\r"),
          "\"%s\": has anybody read all of it?", text);
    CHECK(strpbrk(text, "0123456789") != NULL, "\"%s\": %zu", text, bytes);
}

static void number_case(struct fuzz *f)
{
    char text[TEXT_BYTES], again[64];
    int64_t value = 77, back = 0;
    uint64_t want, unit = fuzz_rarely(f, 2) ? 0 : 1u << fuzz_below(f, 31);
    double real;

    if (fuzz_rarely(f, 2)) {
        want = sized_text(f, text, fuzz_rarely(f, 2) ? " " : "");
        if (unit != 0 && (text[strcspn(text, "KMGT")] != '\0'))
            CHECK(fsh_parse_int(text, unit, &value) == NULL &&
                      (uint64_t)value == want,
                  "\"%s\": %" PRId64, text, value);
        return;
    }
    any_text(f, text);
    if (fsh_parse_int(text, unit, &value) != NULL)
        CHECK(value == 77, "\"%s\" refused, but changed", text);
    else if (strpbrk(text, "eE") == NULL) {
        gasnett_format_number(value, again, sizeof again, 0);
        CHECK(fsh_parse_int(again, 0, &back) == NULL && back == value,
              "\"%s\" is %" PRId64 ", which is \"%s\", which is %" PRId64, text,
              value, again, back);
    }
    if (fsh_parse_dbl(text, &real))
        CHECK(isfinite(real), "\"%s\": %g", text, real);
}

/* ---- settings ---- */

struct pick {
    unsigned number, at;
    struct fsh_option_info info;
};

static void take_row(void *arg, const struct fsh_option_info *info)
{
    struct pick *pick = arg;

    if (pick->at++ == pick->number)
        pick->info = *info;
}

static void read_row(void *arg)
{
    const struct fsh_option_info *info = arg;

    switch (info->type) {
    case FSH_OPTION_STR:
    case FSH_OPTION_CHOICE:
    case FSH_OPTION_CPUS:
    case FSH_OPTION_TOPOLOGY:
        fsh_option_str(info->name);
        break;
    case FSH_OPTION_TIMES:
        CHECK(fsh_option_times(info->name) >= 0);
        break;
    case FSH_OPTION_BOOL:
        fsh_option_bool(info->name);
        break;
    case FSH_OPTION_INT:
        fsh_option_int(info->name);
        break;
    case FSH_OPTION_SIZE:
        fsh_option_size(info->name);
        break;
    case FSH_OPTION_SECONDS:
        CHECK(fsh_option_seconds(info->name) >= 0);
        break;
    }
}

/* What is shown as invalid is refused, with name and value, and nothing else. */
static void setting_case(struct fuzz *f)
{
    struct pick pick = {.number = fuzz_below(f, 64)};
    char text[TEXT_BYTES], head[80 + TEXT_BYTES];

    fsh_option_each(take_row, &pick);
    if (pick.number >= pick.at)
        return;
    any_text(f, text);
    setenv(pick.info.name, text, 1);
    pick.at = 0;
    fsh_option_each(take_row, &pick);
    CHECK(fuzz_ends(read_row, &pick.info) != pick.info.valid, "%s=%s: %s",
          pick.info.name, text, fuzz_reason);
    snprintf(head, sizeof head, "%s=%s: ", pick.info.name, text);
    CHECK(pick.info.valid || strncmp(fuzz_reason, head, strlen(head)) == 0,
          "said: %s", fuzz_reason);
    if (pick.info.type == FSH_OPTION_CHOICE && pick.info.valid && text[0])
        CHECK(strstr(pick.info.type_name, text), "%s", text);
    unsetenv(pick.info.name);
}

static void name_case(struct fuzz *f)
{
    char name[TEXT_BYTES + 8] = "FSHMEM_";
    const char *nearest;

    any_text(f, name + 7);
    nearest = fsh_option_nearest(name);
    CHECK(nearest == NULL || strncmp(nearest, "FSHMEM_", 7) == 0 ||
              strncmp(nearest, "GASNET_", 7) == 0,
          "%s", name);
    if (strchr(name, '=') != NULL)
        return;
    setenv(name, "1", 1);
    setenv("GASNET_QUIET", "1", 1);
    CHECK(fsh_option_check() <= 1, "%s", name);
    unsetenv("GASNET_QUIET");
    unsetenv(name);
}

/* ---- the job ---- */

/* Descriptors of a ticket: from page_fd to its end. */
enum {
    TICKET_FDS = (sizeof(struct fsh_job_ticket) -
                  offsetof(struct fsh_job_ticket, page_fd)) /
                 sizeof(int)
};

static void ticket_case(struct fuzz *f)
{
    struct fsh_job_ticket in, out;
    int *fd = &in.page_fd;
    char text[TEXT_BYTES];
    size_t n;

    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    in.rank = fuzz_below(f, FSH_JOB_MAX_RANKS);
    for (size_t i = 0; i < TICKET_FDS; i++)
        fd[i] = (int)fuzz_below(f, 1000) - 1;
    fsh_job_ticket_write(&in, text, sizeof text);
    CHECK(fsh_job_ticket_read(&out, text) && memcmp(&in, &out, sizeof in) == 0,
          "%s", text);
    n = strlen(text);
    for (unsigned i = 1 + fuzz_below(f, 3); i > 0; i--)
        text[fuzz_below(f, (unsigned)n)] = (char)fuzz_byte(f);
    if (!fsh_job_ticket_read(&out, text))
        return;
    fd = &out.page_fd;
    CHECK(out.rank < FSH_JOB_MAX_RANKS, "%s", text);
    for (size_t i = 0; i < TICKET_FDS; i++)
        CHECK(fd[i] >= -1, "%s", text);
}

static void place_case(struct fuzz *f)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "OMPI_COMM_WORLD_LOCAL_SIZE",
                                        "MV2_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_SIZE",
                                        "PMIX_RANK",
                                        "PMIX_NAMESPACE",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "MPI_LOCALNRANKS",
                                        "PMI_JOBID",
                                        "SLURM_PROCID",
                                        "SLURM_STEP_NUM_TASKS",
                                        "SLURM_NTASKS",
                                        "SLURM_STEP_NUM_NODES",
                                        "SLURM_JOB_ID",
                                        "SLURM_STEP_ID",
                                        "FSHMEM_LAUNCHED"};
    enum { NAMES = sizeof names / sizeof *names };
    char text[TEXT_BYTES], err[200] = "";
    struct fsh_place place = {0};
    enum fsh_place_result result;

    for (int i = 0; i < NAMES; i++) {
        if (fuzz_rarely(f, 2))
            continue;
        if (fuzz_rarely(f, 3))
            any_text(f, text);
        else
            snprintf(text, sizeof text, "%u", fuzz_below(f, 5));
        setenv(names[i], text, 1);
    }
    result = fsh_place_read(&place, err, sizeof err);
    if (result == FSH_PLACE_FOUND)
        CHECK(place.size > 1 && place.size <= FSH_JOB_MAX_RANKS &&
                  place.rank < place.size && place.job[0] != '\0',
              "%u of %u", place.rank, place.size);
    if (result == FSH_PLACE_REFUSED)
        CHECK(err[0] != '\0');
    for (int i = 0; i < NAMES; i++)
        unsetenv(names[i]);
}

/* A launcher's map of ranks: its blocks one after the other, and again. */
static void map_case(struct fuzz *f)
{
    unsigned blocks = 1 + fuzz_below(f, 4), count = 0, host, at;
    unsigned host_of[4 * 5 * 5];
    char text[TEXT_BYTES];
    uint32_t rank;

    if (fuzz_rarely(f, 2)) {
        any_text(f, text);
        if (fuzz_rarely(f, 2) && strlen(text) > 20)
            memcpy(text, "(vector,(1,2,3)", 15);
        fsh_channel_find_host(text, (uint32_t)fuzz_word(f), &host);
        return;
    }
    at = (unsigned)snprintf(text, sizeof text, "(vector");
    for (unsigned b = 0; b < blocks; b++) {
        unsigned first = fuzz_below(f, 1000), hosts = 1 + fuzz_below(f, 5);
        unsigned each = 1 + fuzz_below(f, 5);

        at += (unsigned)snprintf(text + at, sizeof text - at, ",(%u,%u,%u)",
                                 first, hosts, each);
        for (unsigned i = 0; i < hosts * each; i++)
            host_of[count++] = first + i / each;
    }
    snprintf(text + at, sizeof text - at, ")");
    rank = (uint32_t)fuzz_word(f) >> fuzz_below(f, 32);
    CHECK(fsh_channel_find_host(text, rank, &host) &&
              host == host_of[rank % count],
          "rank %u of %s: host %u", rank, text, host);
    text[at - 1 - fuzz_below(f, 4)] =
        'x'; /* no block any more, or a number less */
    fsh_channel_find_host(text, rank, &host);
}

static void make_config(void *arg)
{
    struct fsh_job_config *config = arg;

    fsh_job_config_init(config, 2, fsh_conduit_fpga.needs);
}

/* Settings become the description of a job, words of arguments among them. */
static void config_case(struct fuzz *f)
{
    struct fsh_job_config config;
    char text[TEXT_BYTES];
    size_t words = 0, bytes = 0;

    any_text(f, text);
    setenv("FSHMEM_SIM_ARGS", text, 1);
    CHECK(!fuzz_ends(make_config, &config), "%s", fuzz_reason);
    for (; config.sim_args[words] != NULL; words++) {
        CHECK(config.sim_args[words][0] != '\0', "\"%s\"", text);
        bytes += strlen(config.sim_args[words]);
    }
    for (const char *p = text; *p; p++)
        bytes -= strchr(" \t\n", *p) == NULL;
    CHECK(bytes == 0, "\"%s\" in %zu words", text, words);
    unsetenv("FSHMEM_SIM_ARGS");
}

/* "3", "3.1", or anything else. */
static size_t any_end(struct fuzz *f, unsigned nodes, char *text, size_t len)
{
    static const char *const odd[] = {
        "",    "-", ".", "1.", "#", "\t", "\r", "99", "1000000000000",
        "0x1", "\n"};

    if (fuzz_rarely(f, 60))
        return (size_t)snprintf(text, len, "%s", odd[fuzz_below(f, 11)]);
    if (fuzz_rarely(f, 3))
        return (size_t)snprintf(text, len, "%u.%u", fuzz_below(f, nodes),
                                fuzz_below(f, FSH_MAX_PORTS));
    return (size_t)snprintf(text, len, "%u", fuzz_below(f, nodes));
}

/* Lines of a cable file, most of them right. */
static size_t any_cables(struct fuzz *f, unsigned nodes, char *text, size_t len)
{
    size_t n = 0, lines = fuzz_below(f, 4 * nodes);

    for (size_t i = 0; i < lines && n + 64 < len; i++) {
        n += any_end(f, nodes, text + n, len - n);
        n += (size_t)snprintf(text + n, len - n, "%s",
                              fuzz_rarely(f, 2) ? " - " : "-");
        n += any_end(f, nodes, text + n, len - n);
        text[n++] = fuzz_rarely(f, 60) ? (char)fuzz_below(f, 256) : '\n';
    }
    return n;
}

/* Does the other end of each cable say the same? */
static bool both_ends(const struct fsh_topology *t)
{
    for (unsigned n = 0; n < t->nodes; n++)
        for (unsigned p = 0; p < FSH_MAX_PORTS; p++) {
            struct fsh_plug to = t->peer[n][p];

            if (to.node != FSH_NO_NODE &&
                (to.node == n || t->peer[to.node][to.port].node != n ||
                 t->peer[to.node][to.port].port != p))
                return false;
        }
    return true;
}

/* A cable file is taken, and then nothing can wait for itself, or refused with its
 * name and a reason. */
static void cables_case(struct fuzz *f)
{
    static struct fsh_topology t;
    char text[2000], name[64], err[400] = "", cycle[200] = "";
    unsigned nodes = 1 + fuzz_below(f, 6);
    size_t bytes = any_cables(f, nodes, text, sizeof text);
    int file = memfd_create("cables", MFD_CLOEXEC);

    CHECK(file >= 0 && pwrite(file, text, bytes, 0) == (ssize_t)bytes);
    snprintf(name, sizeof name, "file:/proc/self/fd/%d", file);
    if (fsh_topology_make(&t, name, nodes, 1 + fuzz_below(f, 6), err,
                          sizeof err))
        CHECK(t.nodes == nodes && both_ends(&t) &&
                  fsh_topology_acyclic(&t, cycle, sizeof cycle),
              "%s\n%s", cycle, text);
    else
        CHECK(strncmp(err, name + 5, strlen(name + 5)) == 0 &&
                  err[strlen(name + 5)] == ':',
              "%s\n%s", err, text);
    CHECK(fsh_topology_nodes(name) <= FSH_MAX_NODES);
    close(file);
}

static void fuzz_setup(void)
{
    clearenv();
    fuzz_catch_fatal();
}

static void fuzz_case(struct fuzz *f)
{
    static void (*const cases[])(struct fuzz *) = {
        size_case,    fraction_case, memory_case, number_case,
        setting_case, setting_case,  name_case,   ticket_case,
        place_case,   config_case,   cables_case, map_case};

    cases[fuzz_below(f, sizeof cases / sizeof *cases)](f);
}

FUZZ_MAIN(20000)
