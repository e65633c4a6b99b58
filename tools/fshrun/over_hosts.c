/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs over hosts: handed over to the best launcher that is installed, which this process
 * becomes. The hosts are those of -H or --hostfile, or of the allocation of Slurm or PBS
 * that fshrun runs in. See fshrun.h.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/path.h"
#include "conduit/conduit.h"
#include "fshrun.h"

enum { MOST_HOSTS = 1024, NAME = 256 };

struct hosts {
    unsigned n;
    char name[MOST_HOSTS][NAME];
    unsigned slots[MOST_HOSTS]; /* ranks that each is to have; 0 not said */
    char list[MOST_HOSTS * 16]; /* "a:2,b" */
};

/* ---- which ---- */

/* A host that is named again has room for one more. False: err says why not. */
static bool add_host(struct hosts *h, const char *name, size_t length,
                     unsigned slots, char *err, size_t errlen)
{
    unsigned i = 0;

    while (i < h->n && (strncmp(h->name[i], name, length) != 0 ||
                        h->name[i][length] != '\0'))
        i++;
    if (length == 0 || length >= NAME || i == MOST_HOSTS) {
        snprintf(err, errlen, "'%.*s' is no host, or there are more than %d",
                 (int)(length < 80 ? length : 80), name, MOST_HOSTS);
        return false;
    }
    if (i == h->n) {
        h->n++;
        memcpy(h->name[i], name, length);
        h->name[i][length] = '\0';
        h->slots[i] = slots;
    } else {
        h->slots[i] = (h->slots[i] ? h->slots[i] : 1) + (slots ? slots : 1);
    }
    return true;
}

/* "a", "a:2" or "a slots=2". */
static bool read_host(struct hosts *h, char *text, char *err, size_t errlen)
{
    size_t length = strcspn(text, ": \t\r\n");
    const char *count = text + length, *slots = strstr(count, "slots=");
    char *end = text + length;
    unsigned long n = 0;

    if (slots != NULL)
        n = strtoul(slots + 6, &end, 10);
    else if (*count == ':')
        n = strtoul(count + 1, &end, 10);
    if (n > FSH_JOB_MAX_RANKS || (end != text + length && n == 0)) {
        snprintf(err, errlen, "%s: expected a host, host:N or host slots=N",
                 text);
        return false;
    }
    return add_host(h, text, length, (unsigned)n, err, errlen);
}

static bool read_list(struct hosts *h, const char *text, char *err,
                      size_t errlen)
{
    char *copy = strdup(text), *save = NULL;
    bool good = copy != NULL;

    for (char *word = good ? strtok_r(copy, ",", &save) : NULL;
         word != NULL && good; word = strtok_r(NULL, ",", &save))
        good = read_host(h, word, err, errlen);
    free(copy);
    return good;
}

static bool read_file(struct hosts *h, const char *path, char *err,
                      size_t errlen)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool good = true;

    if (f == NULL) {
        snprintf(err, errlen, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    while (good && getline(&line, &room, f) > 0) {
        char *text = line + strspn(line, " \t");

        text[strcspn(text, "#\r\n")] = '\0';
        if (text[0] != '\0')
            good = read_host(h, text, err, errlen);
    }
    free(line);
    fclose(f);
    return good;
}

static void make_list(struct hosts *h, bool slots)
{
    size_t at = 0;

    h->list[0] = '\0';
    for (unsigned i = 0; i < h->n && at < sizeof h->list; i++) {
        at += (size_t)snprintf(h->list + at, sizeof h->list - at, "%s%s",
                               i ? "," : "", h->name[i]);
        if (slots && h->slots[i] != 0 && at < sizeof h->list)
            at += (size_t)snprintf(h->list + at, sizeof h->list - at, ":%u",
                                   h->slots[i]);
    }
}

/* Are we the script of a batch job of Slurm with several nodes, or its salloc, and no step
 * of it? */
static bool in_slurm(void)
{
    const char *nodes = getenv("SLURM_JOB_NUM_NODES"),
               *step = getenv("SLURM_STEP_ID");

    return getenv("SLURM_JOB_ID") != NULL && nodes != NULL && atol(nodes) > 1 &&
           (step == NULL || strtoul(step, NULL, 10) > 0xfffffff0UL);
}

/* 0: none; > 0: there are; < 0: err says what is wrong. */
static int find_hosts(const struct command_line *cl, struct hosts *h, char *err,
                      size_t errlen)
{
    const char *pbs = getenv("PBS_NODEFILE");

    if (cl->hosts != NULL && !read_list(h, cl->hosts, err, errlen))
        return -1;
    if (cl->hostfile != NULL && !read_file(h, cl->hostfile, err, errlen))
        return -1;
    if (h->n != 0)
        return 1;
    if (cl->hosts != NULL || cl->hostfile != NULL) {
        snprintf(err, errlen, "no host is named");
        return -1;
    }
    if (in_slurm())
        return 1;
    if (pbs == NULL || getenv("PBS_JOBID") == NULL)
        return 0;
    return !read_file(h, pbs, err, errlen) ? -1 : h->n > 1;
}

/* ---- by whom ---- */

struct words {
    const char **word;
    size_t n;
};

static void add(struct words *w, const char *word)
{
    w->word = realloc(w->word, (w->n + 2) * sizeof *w->word);
    if (w->word == NULL)
        fsh_fatal("out of memory");
    w->word[w->n++] = word;
    w->word[w->n] = NULL;
}

extern char **environ;

/* Ours, which this one hands on only if it is told to. */
static void add_settings(struct words *w)
{
    for (char **e = environ; *e != NULL; e++)
        if (strncmp(*e, "FSHMEM_", 7) == 0 || strncmp(*e, "GASNET_", 7) == 0) {
            add(w, "-x");
            add(w, strndup(*e, strcspn(*e, "=")));
        }
}

static void for_slurm(struct words *w, const struct hosts *h)
{
    add(w, "--mpi=pmix");
    if (h->n != 0) {
        add(w, "-w");
        add(w, h->list);
    }
}

static void for_prrte(struct words *w, const struct hosts *h)
{
    if (geteuid() == 0)
        add(w, "--allow-run-as-root");
    add(w, "--host");
    add(w, h->list);
    add_settings(w);
}

/* More ranks than processors are fine, as they are on one host. */
static void for_open_mpi(struct words *w, const struct hosts *h)
{
    add(w, "--oversubscribe");
    for_prrte(w, h);
}

static void for_mpich(struct words *w, const struct hosts *h)
{
    add(w, "-hosts");
    add(w, h->list);
}

/* The best first. */
static const struct launcher {
    const char *name;
    const char *program[3];
    bool for_slurm; /* in an allocation, and only there */
    bool slots;     /* "a:2" in a list of hosts */
    void (*add)(struct words *w, const struct hosts *h);
} launchers[] = {
    {"Slurm", {"srun"}, true, false, for_slurm},
    {"Open MPI", {"mpirun.openmpi", "orterun"}, false, true, for_open_mpi},
    {"PRRTE", {"prterun"}, false, true, for_prrte},
    {"MPICH", {"mpiexec.hydra", "mpiexec.mpich"}, false, true, for_mpich},
};

static const struct launcher *find_launcher(bool named, char *path, size_t len)
{
    for (size_t i = 0; i < sizeof launchers / sizeof launchers[0]; i++) {
        const struct launcher *l = &launchers[i];

        if (l->for_slurm ? !in_slurm() : !named)
            continue;
        for (size_t p = 0; p < 3 && l->program[p] != NULL; p++)
            if (fsh_path_find(l->program[p], path, len) == 0)
                return l;
    }
    return NULL;
}

/* Settings of nodes reach all hosts; what is for one simulator's files does not. */
static const char *find_unable_of_nodes(const struct command_line *cl)
{
    const struct fsh_conduit_ops *conduit = fsh_conduit_find(cl->conduit);

    return conduit != NULL && conduit->needs->nodes ? cl->sim_extra[0]
                                                    : cl->for_nodes;
}

/* What only our own launcher does. */
static const char *find_unable(const struct command_line *cl)
{
    return cl->timeout > 0  ? "--timeout"
           : cl->tag_output ? "--tag-output"
           : cl->trace      ? "--trace"
           : cl->report     ? "--report"
           : cl->bind_to    ? "--bind-to"
           : cl->replay     ? "--replay"
                            : find_unable_of_nodes(cl);
}

static int become(const struct command_line *cl, const struct launcher *l,
                  const struct words *w, const char *path)
{
    char text[4096];
    size_t at = 0;

    for (size_t i = 0; i < w->n && at < sizeof text; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s",
                               i ? " " : "", w->word[i]);
    if (cl->show) {
        puts(text);
        return 0;
    }
    if (!cl->quiet)
        fsh_warn("over hosts: handing over to %s: %s", l->name, text);
    execv(path, (char *const *)(uintptr_t)w->word);
    fsh_warn("cannot run '%s': %s", path, strerror(errno));
    return RUN_CANNOT_EXECUTE;
}

int run_over_hosts(const struct command_line *cl, const char *program,
                   int *code)
{
    static struct hosts hosts;
    char path[PATH_MAX], ranks[16], err[512];
    const struct launcher *l;
    struct words w = {NULL, 0};
    const char *unable;
    int found = find_hosts(cl, &hosts, err, sizeof err);

    if (found == 0)
        return 0;
    *code = RUN_USAGE;
    unable = found > 0 ? find_unable(cl) : NULL;
    if (found < 0) {
        fsh_warn("%s", err);
        return 1;
    }
    if (unable != NULL) {
        fsh_warn("%s: not in a job over hosts, which another launcher starts "
                 "(-H, --hostfile, or an allocation of several nodes)",
                 unable);
        return 1;
    }
    l = find_launcher(hosts.n != 0, path, sizeof path);
    if (l == NULL) {
        *code = RUN_NOT_FOUND;
        fsh_warn("a job over hosts needs a launcher, and none is in PATH: "
                 "srun of Slurm, mpirun.openmpi, prterun, or mpiexec.hydra "
                 "of MPICH (Debian packages openmpi-bin, mpich)");
        return 1;
    }
    make_list(&hosts, l->slots);
    snprintf(ranks, sizeof ranks, "%" PRIu32, cl->ranks);
    add(&w, path);
    add(&w, "-n");
    add(&w, ranks);
    l->add(&w, &hosts);
    add(&w, program);
    for (char **a = cl->program + 1; *a != NULL; a++)
        add(&w, *a);
    *code = become(cl, l, &w, path);
    free(w.word);
    return 1;
}
