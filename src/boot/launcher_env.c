/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One row a launcher, the most telling first: mpirun under Slurm sets the
 * variables of both, and the ranks are mpirun's. A process that a rank starts
 * inherits all of them and is no rank: FSHMEM_LAUNCHED tells.
 */
#include "boot/launcher_env.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/job.h"
#include "boot/process.h"

struct row {
    const char *launcher;
    const char *rank;
    const char *size[3]; /* first that is set counts */
    const char *local;   /* ranks on this host; NULL not told */
    const char *hosts;   /* number of hosts; NULL not told */
    const char *job[3];  /* all that are set name the job; none: its parent */
    const char *secret;  /* random, and the same for all; NULL none */
};

static const struct row rows[] = {
    {"Open MPI",
     "OMPI_COMM_WORLD_RANK",
     {"OMPI_COMM_WORLD_SIZE"},
     "OMPI_COMM_WORLD_LOCAL_SIZE",
     NULL,
     {"PMIX_NAMESPACE"},
     "OMPI_MCA_orte_precondition_transports"},
    {"MVAPICH",
     "MV2_COMM_WORLD_RANK",
     {"MV2_COMM_WORLD_SIZE"},
     "MV2_COMM_WORLD_LOCAL_SIZE",
     NULL,
     {NULL},
     NULL},
    {"PMIx",
     "PMIX_RANK",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "PMI_SIZE"},
     NULL,
     "SLURM_STEP_NUM_NODES",
     {"PMIX_NAMESPACE"},
     NULL},
    {"PMI",
     "PMI_RANK",
     {"PMI_SIZE"},
     "MPI_LOCALNRANKS",
     "SLURM_STEP_NUM_NODES",
     {"PMI_JOBID"},
     NULL},
    {"Slurm",
     "SLURM_PROCID",
     {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
     NULL,
     "SLURM_STEP_NUM_NODES",
     {"SLURM_JOB_ID", "SLURM_STEP_ID"},
     NULL},
};

static const char *value_of(const char *name)
{
    const char *value = name ? getenv(name) : NULL;

    return value && value[0] ? value : NULL;
}

static bool read_number(const char *name, long *number)
{
    const char *text = value_of(name);
    char *end;
    long value;

    if (!text)
        return false;
    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0)
        return false;
    *number = value;
    return true;
}

/* The variables of a batch script's shell look like those of srun's tasks. */
static bool is_batch_shell(const struct row *row)
{
    long step;

    if (strcmp(row->launcher, "Slurm") != 0 || !value_of("SLURM_JOB_ID"))
        return false;
    /* The last few numbers are batch, interactive and the like. */
    return !read_number("SLURM_STEP_ID", &step) || step > 0xfffffff0L;
}

static const struct row *find_row(void)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (value_of(rows[i].rank) && !is_batch_shell(&rows[i]))
            return &rows[i];
    return NULL;
}

/* ---- who is above us ---- */

/* Does the environment that process pid was started with have name=value? */
static bool has_variable(pid_t pid, const char *name, const char *value)
{
    char path[64], want[128], *entry = NULL;
    size_t room = 0;
    bool found = false;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/environ", pid);
    snprintf(want, sizeof(want), "%s=%s", name, value);
    f = fopen(path, "re");
    if (!f)
        return false;
    while (!found && getdelim(&entry, &room, '\0', f) > 0)
        found = strcmp(entry, want) == 0;
    free(entry);
    fclose(f);
    return found;
}

/* The process that started all ranks: the first above us that is not a rank
 * itself, as a script would be. */
static pid_t find_parent(const struct row *row, unsigned long long *start)
{
    pid_t pid = getppid();
    struct fsh_process p;

    for (int depth = 0; depth < 64; depth++) {
        if (!fsh_process_read(pid, &p))
            return 0;
        *start = p.start;
        if (pid <= 1 || !has_variable(pid, row->rank, value_of(row->rank)))
            return pid;
        pid = p.parent;
    }
    return 0;
}

/* ---- */

uint64_t fsh_place_hash(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *byte = data;

    if (hash == 0)
        hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Where the kernel has put the parts of a process, at random: its user alone may
 * read it. 0 if we may not. */
static uint64_t hash_layout(pid_t pid)
{
    char path[64], data[4096];
    size_t n;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
    f = fopen(path, "re");
    if (!f)
        return 0;
    n = fread(data, 1, sizeof(data), f);
    fclose(f);
    return n ? fsh_place_hash(0, data, n) : 0;
}

/* The parent is the same for all ranks where it names the job. */
static uint64_t find_secret(const struct row *row, pid_t parent)
{
    const char *text = value_of(row->secret);

    if (text)
        return fsh_place_hash(0, text, strlen(text));
    return value_of(row->job[0]) || parent <= 1 ? 0 : hash_layout(parent);
}

static void name_job(struct fsh_place *place, const struct row *row)
{
    unsigned long long start = 0;
    size_t at;

    place->parent = find_parent(row, &start);
    place->secret = find_secret(row, place->parent);
    at = (size_t)snprintf(place->job, sizeof(place->job), "%s", row->launcher);
    for (size_t i = 0; i < 3 && at < sizeof(place->job); i++)
        if (value_of(row->job[i]))
            at += (size_t)snprintf(place->job + at, sizeof(place->job) - at,
                                   "/%s", value_of(row->job[i]));
    /* mpiexec of MPICH says nothing but through PMI_FD. */
    if (at < sizeof(place->job) && !value_of(row->job[0]))
        snprintf(place->job + at, sizeof(place->job) - at, "/%d/%llu",
                 place->parent, start);
}

/* Does something tell that not all ranks are here? */
static void look_for_hosts(struct fsh_place *place, const struct row *row)
{
    long n = 0;

    place->told = read_number(row->local, &n) || read_number(row->hosts, &n);
    if (read_number(row->local, &n) && n != (long)place->size)
        place->spread = row->local;
    else if (read_number(row->hosts, &n) && n > 1)
        place->spread = row->hosts;
    place->spread_value = n;
}

static bool read_row(struct fsh_place *place, const struct row *row, char *err,
                     size_t errlen)
{
    long rank = -1, size = -1;
    bool found = false;

    read_number(row->rank, &rank);
    for (size_t i = 0; i < 3 && !found; i++)
        if (value_of(row->size[i])) {
            found = true;
            read_number(row->size[i], &size);
        }
    if (!found) {
        snprintf(err, errlen,
                 "%s has started this process as rank %s, but does not say of "
                 "how many: %s is not set; use mpirun, mpiexec, srun or fshrun",
                 row->launcher, value_of(row->rank), row->size[0]);
        return false;
    }
    if (size < 1 || size > FSH_JOB_MAX_RANKS || rank < 0 || rank >= size) {
        snprintf(err, errlen,
                 "%s=%s is no rank of a job of 1 to %d (%s, from %s)",
                 row->rank, value_of(row->rank), FSH_JOB_MAX_RANKS,
                 row->size[0], row->launcher);
        return false;
    }
    place->rank = (uint32_t)rank;
    place->size = (uint32_t)size;
    place->index = place->rank;
    place->here = place->size;
    place->hosts = 1;
    look_for_hosts(place, row);
    return true;
}

enum fsh_place_result fsh_place_read(struct fsh_place *place, char *err,
                                     size_t errlen)
{
    const struct row *row = find_row();
    const char *was = value_of(FSH_LAUNCHED_ENV);

    if (!row)
        return FSH_PLACE_NONE;
    place->launcher = row->launcher;
    name_job(place, row);
    if (was && strcmp(was, place->job) == 0)
        return FSH_PLACE_NONE;
    if (!read_row(place, row, err, errlen))
        return FSH_PLACE_REFUSED;
    return place->size > 1 ? FSH_PLACE_FOUND : FSH_PLACE_NONE;
}
