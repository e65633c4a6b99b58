/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Choice of a channel, and what boot does with it; see channel.h. A fence may wait for
 * ever for a rank that never comes, so it has a thread of its own, and a limit.
 */
#include "boot/channel.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/daemon.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/job.h"
#include "boot/meeting.h"

static const struct fsh_channel_ops *const channels[] = {&fsh_channel_pmix,
                                                         &fsh_channel_pmi2};

static struct {
    const struct fsh_channel_ops *ops; /* NULL: closed */
    uint32_t rank, size;
    unsigned exchanges; /* so far */
    atomic_uint fence;  /* FENCE_ */
    /* Rank 0's, on other ranks; NULL: none. Kept to the end of the process. */
    const char *environment, *environment_end;
} channel;
enum { FENCE_WAITS, FENCE_DONE, FENCE_FAILED };

char fsh_channel_why[256];

bool fsh_channel_fails(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(fsh_channel_why, sizeof fsh_channel_why, format, args);
    va_end(args);
    return false;
}

bool fsh_channel_load(const char *library,
                      const struct fsh_channel_function *functions,
                      const char *remedy)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);

    if (handle == NULL)
        return fsh_channel_fails("%s; install %s", dlerror(), remedy);
    for (; functions->name != NULL; functions++) {
        void *found = dlsym(handle, functions->name);

        if (found == NULL)
            return fsh_channel_fails("%s has no %s", library, functions->name);
        memcpy(functions->function, &found, sizeof found);
    }
    return true;
}

/* ---- while the job starts ---- */

static _Noreturn void fail(const char *what)
{
    fsh_fatal("%s: %s: %s", what, channel.ops->name, fsh_channel_why);
}

/* Some tools meet by boot after gasnet_attach. */
static void check_open(const char *what)
{
    if (channel.ops == NULL)
        fsh_fatal("%s: this needs all ranks on one host: after gasnet_attach "
                  "those of other hosts are reached by gasnet.h only",
                  what);
}

static void *fence_body(void *arg)
{
    unsigned how = channel.ops->fence() ? FENCE_DONE : FENCE_FAILED;

    /* Release: with the reason. Partner: the acquire in fsh_channel_fence. */
    atomic_store_explicit(&channel.fence, how, memory_order_release);
    fsh_futex_wake(&channel.fence, INT_MAX);
    return arg;
}

void fsh_channel_fence(const char *what)
{
    uint64_t deadline = fsh_meeting_deadline(), now;
    unsigned how;
    int rc;

    check_open(what);
    atomic_store(&channel.fence, FENCE_WAITS);
    rc = fsh_daemon_start(fence_body, NULL, 0);
    if (rc != 0)
        fsh_fatal("%s: cannot start a thread: %s", what, strerror(rc));
    /* Acquire: partner is the release in fence_body. */
    while ((how = atomic_load_explicit(&channel.fence, memory_order_acquire)) ==
           FENCE_WAITS) {
        now = fsh_time_ns();
        if (now >= deadline)
            fsh_fatal("%s: not all %" PRIu32 " ranks arrived within %g s "
                      "(FSHMEM_START_TIMEOUT): one on another host has not "
                      "called it, has ended, or cannot be reached",
                      what, channel.size,
                      fsh_option_seconds("FSHMEM_START_TIMEOUT"));
        fsh_futex_wait(&channel.fence, FENCE_WAITS, deadline - now);
    }
    if (how == FENCE_FAILED)
        fail(what);
}

void fsh_channel_exchange(const void *in, size_t n, void *out, const char *what)
{
    unsigned char *to = out;
    char key[32];

    check_open(what);
    snprintf(key, sizeof key, "fshmem.%u", channel.exchanges++);
    if (!channel.ops->put(key, in, n))
        fail(what);
    fsh_channel_fence(what);
    for (uint32_t r = 0; r < channel.size; r++)
        if (r == channel.rank)
            memcpy(to + r * n, in, n);
        else if (!channel.ops->get(r, key, to + r * n, n))
            fail(what);
}

void fsh_channel_abort(int code, const char *why)
{
    if (channel.ops != NULL)
        channel.ops->abort(code, why);
}

void fsh_channel_close(void)
{
    const struct fsh_channel_ops *ops = channel.ops;

    channel.ops = NULL;
    if (ops != NULL)
        ops->close();
}

/* ---- who is where ---- */

/* Rank 0's environment: each variable as in environ, with its 0. */
#define ENVIRONMENT "fshmem.environment"
extern char **environ;

static bool is_setting(const char *text)
{
    return strncmp(text, "FSHMEM_", 7) == 0 || strncmp(text, "GASNET_", 7) == 0;
}

static uint32_t publish_environment(void)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *f = open_memstream(&text, &bytes);

    if (f == NULL)
        fsh_fatal("out of memory");
    for (char **e = environ; *e != NULL; e++)
        fwrite(*e, 1, strlen(*e) + 1, f);
    if (fclose(f) != 0)
        fsh_fatal("out of memory");
    if (bytes != 0 && !channel.ops->put(ENVIRONMENT, text, bytes))
        fail("gasnet_init");
    free(text);
    return (uint32_t)bytes;
}

/* Settings become this process's own, unless it has them: hosts may differ. */
static void adopt_environment(uint32_t bytes)
{
    char *text = calloc((size_t)bytes + 1, 1), *equals;

    if (text == NULL)
        fsh_fatal("out of memory");
    if (bytes != 0 && !channel.ops->get(0, ENVIRONMENT, text, bytes))
        fail("gasnet_init");
    for (char *at = text; at < text + bytes; at += strlen(at) + 1) {
        equals = strchr(at, '=');
        if (equals == NULL || !is_setting(at))
            continue;
        *equals = '\0';
        setenv(at, equals + 1, 0);
        *equals = '=';
    }
    channel.environment = text;
    channel.environment_end = text + bytes;
}

const char *fsh_channel_getenv(const char *name)
{
    size_t length = strlen(name);

    if (is_setting(name))
        return NULL;
    for (const char *at = channel.environment; at < channel.environment_end;
         at += strlen(at) + 1)
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return at + length + 1;
    return NULL;
}

/* What a rank says of itself first. */
struct self {
    char host[sizeof((struct fsh_channel_place *)NULL)->host];
    uint32_t environment; /* rank 0: bytes of it */
};

/* Hosts are numbered in the order of their first ranks. */
static void place_ranks(struct fsh_place *place,
                        const struct fsh_channel_place *said)
{
    struct self self = {.environment = 0},
                *all = calloc(said->size, sizeof *all);
    uint32_t *host = calloc(said->size, sizeof *host);
    uint32_t *here = calloc(said->size, sizeof *here);
    uint32_t first;

    if (all == NULL || host == NULL || here == NULL)
        fsh_fatal("out of memory");
    memcpy(self.host, said->host, sizeof self.host);
    if (said->rank == 0)
        self.environment = publish_environment();
    fsh_channel_exchange(&self, sizeof self, all, "gasnet_init");
    if (said->rank != 0)
        adopt_environment(all[0].environment);
    place->hosts = place->here = 0;
    for (uint32_t r = 0; r < said->size; r++) {
        for (first = 0; strcmp(all[first].host, all[r].host) != 0;)
            first++;
        host[r] = first == r ? place->hosts++ : host[first];
    }
    for (uint32_t r = 0; r < said->size; r++) {
        if (host[r] != host[said->rank])
            continue;
        if (r == said->rank)
            place->index = place->here;
        here[place->here++] = r;
    }
    place->host = host[said->rank];
    place->host_of = host;
    /* Containers may be hosts that share a network, with its names of sockets. */
    place->secret =
        fsh_place_hash(place->secret, &place->host, sizeof place->host);
    place->ranks_here = here;
    free(all);
}

static enum fsh_place_result take(struct fsh_place *place, char *err,
                                  size_t errlen)
{
    struct fsh_channel_place said = {.here = 0};

    if (!channel.ops->open(&said)) {
        snprintf(err, errlen, "%s has started this process, but %s fails: %s",
                 place->launcher, channel.ops->name, fsh_channel_why);
        channel.ops = NULL;
        return FSH_PLACE_REFUSED;
    }
    if (said.size < 1 || said.size > FSH_JOB_MAX_RANKS ||
        said.rank >= said.size) {
        snprintf(err, errlen,
                 "%s has started this process as rank %" PRIu32 " of %" PRIu32
                 "; a job has 1 to %d",
                 place->launcher, said.rank, said.size, FSH_JOB_MAX_RANKS);
        return FSH_PLACE_REFUSED;
    }
    channel.rank = place->rank = said.rank;
    channel.size = place->size = said.size;
    place->index = said.rank;
    place->here = said.size;
    place->hosts = 1;
    if (said.here != said.size && said.size > 1)
        place_ranks(place, &said);
    if (place->hosts == 1)
        fsh_channel_close();
    return said.size > 1 ? FSH_PLACE_FOUND : FSH_PLACE_NONE;
}

static void say_no_channel(const struct fsh_place *place, char *err,
                           size_t errlen)
{
    snprintf(err, errlen,
             "%s has started %" PRIu32 " ranks on several hosts (%s=%ld), but "
             "offers neither PMIx nor PMI-2, by which they could meet: use "
             "mpirun of Open MPI, prterun, srun --mpi=pmix, or mpiexec of "
             "MPICH; or start all ranks on one host",
             place->launcher, place->size, place->spread, place->spread_value);
}

enum fsh_place_result fsh_channel_ask(struct fsh_place *place,
                                      enum fsh_place_result result, char *err,
                                      size_t errlen)
{
    enum fsh_place_result asked;

    /* Where all ranks are here, the environment suffices, and MPI, which may be in the
     * program, too, has the channel for itself: it can be opened once. */
    if (result == FSH_PLACE_NONE ||
        (result == FSH_PLACE_FOUND && place->told && place->spread == NULL))
        return result;
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++) {
        if (!channels[i]->offered())
            continue;
        channel.ops = channels[i];
        asked = take(place, err, errlen);
        if (asked == FSH_PLACE_REFUSED && result == FSH_PLACE_FOUND &&
            place->spread == NULL)
            return result;
        return asked;
    }
    if (result == FSH_PLACE_FOUND && place->spread != NULL) {
        say_no_channel(place, err, errlen);
        return FSH_PLACE_REFUSED;
    }
    return result;
}
