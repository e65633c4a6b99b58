/* SPDX-License-Identifier: BSD-3-Clause */
/* State dumps of a fabric that serves ranks; see serve_dump.h. */
#include "serve_dump.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/simulated.h"
#include "boot/job.h"
#include "dump.h"
#include "serve.h"

/* What fsh_job_describe_rank puts before it. */
#define WAITING ", waiting for "

static void line(void *arg, const char *text)
{
    FILE *file = arg;

    fsh_warn("%s", text);
    if (file)
        fprintf(file, "%s\n", text);
}

/* The number behind the last "node " or "rank " of a text, + 1; 0: there is none. */
static uint32_t last_number(const char *text)
{
    uint32_t found = 0;
    unsigned n;

    for (const char *at = text; (at = strpbrk(at, "nr")) != NULL; at++)
        if (sscanf(at, "node %u", &n) == 1 || sscanf(at, "rank %u", &n) == 1)
            found = n + 1;
    return found;
}

/* What a rank waits for, as it says: in a deadlock by turns, else in the page. */
static void look_at_rank(const struct fsh_serve *serve, uint32_t rank,
                         struct fsh_dump_host *host)
{
    const char *text = serve->port[rank].mmio->turn.text, *wait;
    bool asked = serve->failure[0] != '\0' && text[0] != '\0';
    char said[256];

    fsh_job_describe_rank(serve->page, rank, said, sizeof said);
    wait = strstr(said, WAITING);
    said[wait ? (size_t)(wait - said) : strlen(said)] = '\0';
    snprintf(host->does, sizeof host->does, "%.*s", (int)sizeof host->does - 1,
             said);
    if (asked)
        wait = strstr(text, ": ") ? strstr(text, ": ") + 2 : text;
    else if (wait)
        wait += strlen(WAITING);
    else
        return;
    snprintf(host->waits, sizeof host->waits, "%.*s",
             (int)sizeof host->waits - 1, wait);
    host->peer = last_number(host->waits);
    if (host->peer == 0 && serve->nodes == 2)
        host->peer = 2 - rank; /* whatever it is, the other one brings it */
}

static struct fsh_dump_host *look_at_hosts(const struct fsh_serve *serve)
{
    struct fsh_dump_host *host = calloc(serve->nodes, sizeof *host);
    uint64_t now = fsh_time_ns();

    for (uint32_t i = serve->first; host && i < serve->past; i++) {
        look_at_rank(serve, i, &host[i]);
        if (serve->port[i].wrote_ns && !serve->clocks)
            host[i].silent_ns = now - serve->port[i].wrote_ns;
    }
    return host;
}

/* In simulated time that in which nothing has happened, else that of the clock. */
static uint64_t still(const struct fsh_serve *serve)
{
    if (serve->clocks)
        return (fsh_fabric_cycle(serve->fab) - serve->moved) * FSH_NS_PER_CYCLE;
    return serve->quiet_ns ? fsh_time_ns() - serve->quiet_ns : 0;
}

void fsh_serve_dump(struct fsh_serve *serve, const char *why)
{
    struct fsh_dump_host *host = look_at_hosts(serve);
    FILE *file = serve->dump_file ? fopen(serve->dump_file, "a") : NULL;
    struct fsh_dump_request request = {.why = why,
                                       .host = host,
                                       .still_ns = still(serve),
                                       .start = serve->start,
                                       .line = line,
                                       .arg = file};

    if (serve->dump_file && !file)
        fsh_warn("cannot write %s", serve->dump_file);
    fsh_dump(serve->fab, &request);
    if (file && fclose(file) != 0)
        fsh_warn("cannot write all of %s", serve->dump_file);
    free(host);
    fsh_job_sim_dumped(serve->page);
}

void fsh_serve_dump_asked(struct fsh_serve *serve)
{
    if (!serve->dump_wanted)
        return;
    serve->dump_wanted = 0;
    fsh_serve_dump(serve, "asked for");
}

void fsh_serve_ask_dump(struct fsh_serve *serve)
{
    serve->dump_wanted = 1;
    /* The flag, then the bell, as in fsh_serve_stop. */
    atomic_fetch_add(&serve->shared->doorbell, 1);
    fsh_futex_wake(&serve->shared->doorbell, INT_MAX);
}

void fsh_serve_dump_to(struct fsh_serve *serve, const char *path)
{
    serve->dump_file = path;
}
