/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cable files, with one cable per line: "a.p - b.q" between port p of node a and port
 * q of node b, or "a - b" between the lowest ports that no line names; # begins a
 * comment. Every file that connects all nodes has routes.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/topology_parts.h"

#define BIGGEST_FILE 65536
#define MOST_CABLES (FSH_MAX_NODES * FSH_MAX_PORTS / 2)
#define ANY_PORT UINT32_MAX

struct cable {
    unsigned line;
    struct {
        uint32_t node, port;
    } end[2];
};

struct reader {
    struct fsh_topology *t;
    const char *path;
    unsigned ports; /* per node */
    char *text;
    unsigned line, cables;
    struct cable cable[MOST_CABLES];
    unsigned taken[FSH_MAX_NODES][FSH_MAX_PORTS]; /* the line that uses each
                                                     port */
    char *err;
    size_t errlen;
};

/* Always returns false, for the caller to return. */
__attribute__((format(printf, 2, 3))) static bool refuse(struct reader *r,
                                                         const char *format,
                                                         ...)
{
    char why[200];
    va_list list;

    va_start(list, format);
    vsnprintf(why, sizeof(why), format, list);
    va_end(list);
    if (r->line > 0)
        snprintf(r->err, r->errlen, "%s:%u: %s", r->path, r->line, why);
    else
        snprintf(r->err, r->errlen, "%s: %s", r->path, why);
    return false;
}

/* Never blocks: anything but a regular file is refused. */
static bool load(struct reader *r)
{
    int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    ssize_t got = -1;

    if (fd < 0 || fstat(fd, &st) != 0) {
        refuse(r, "%s: give the path of a cable file", strerror(errno));
    } else if (!S_ISREG(st.st_mode) || st.st_size > BIGGEST_FILE) {
        refuse(r,
               "not a cable file: expected a regular file of at most %d "
               "bytes",
               BIGGEST_FILE);
    } else {
        r->text = calloc(1, (size_t)st.st_size + 1);
        got = r->text ? read(fd, r->text, (size_t)st.st_size) : -1;
        if (got < 0)
            refuse(r, "cannot be read: %s", strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    if (got > 0 && strlen(r->text) < (size_t)got)
        return refuse(r, "not a cable file: it contains binary data");
    return got >= 0;
}

/* Decimal, at most six digits; false if there is none. */
static bool take_number(const char **at, uint32_t *number)
{
    const char *first = *at;

    for (*number = 0; **at >= '0' && **at <= '9'; ++*at)
        if (*at - first < 6)
            *number = *number * 10 + (uint32_t)(**at - '0');
    return *at > first && *at - first <= 6;
}

static void skip_blanks(const char **at)
{
    *at += strspn(*at, " \t\r");
}

/* "a" or "a.p" */
static bool take_end(const char **at, struct cable *c, unsigned i)
{
    skip_blanks(at);
    c->end[i].port = ANY_PORT;
    if (!take_number(at, &c->end[i].node))
        return false;
    if (**at == '.') {
        ++*at;
        if (!take_number(at, &c->end[i].port))
            return false;
    }
    skip_blanks(at);
    return true;
}

/* Claims the port that a line names, if it exists and is free. */
static bool take_port(struct reader *r, uint32_t node, uint32_t port)
{
    if (port >= r->ports)
        return refuse(r,
                      "port %" PRIu32 " of node %" PRIu32
                      " does not exist: a node has ports 0 to %u",
                      port, node, r->ports - 1);
    if (r->taken[node][port] > 0)
        return refuse(r,
                      "port %" PRIu32 " of node %" PRIu32
                      " has the cable of line %u: name another port, or none",
                      port, node, r->taken[node][port]);
    r->taken[node][port] = r->line;
    return true;
}

static bool check_cable(struct reader *r, const struct cable *c)
{
    for (unsigned i = 0; i < 2; i++) {
        uint32_t node = c->end[i].node, port = c->end[i].port;

        if (node >= r->t->nodes)
            return refuse(r,
                          "node %" PRIu32 " does not exist: the job has %u "
                          "nodes, from 0; start more (-n), or take the cable "
                          "out",
                          node, r->t->nodes);
        if (port != ANY_PORT && !take_port(r, node, port))
            return false;
    }
    if (c->end[0].node == c->end[1].node)
        return refuse(r, "a cable from node %" PRIu32 " to itself: remove it",
                      c->end[0].node);
    return true;
}

/* line: without the newline. */
static bool take_line(struct reader *r, char *line)
{
    struct cable c = {.line = r->line};
    const char *at = line;

    line[strcspn(line, "#")] = '\0';
    skip_blanks(&at);
    if (*at == '\0')
        return true;
    if (!take_end(&at, &c, 0) || *at++ != '-' || !take_end(&at, &c, 1) ||
        *at != '\0')
        return refuse(r, "not a cable: write a.p - b.q or a - b, with node "
                         "and port numbers; # begins a comment");
    if (r->cables == MOST_CABLES)
        return refuse(r, "more than %u cables: remove some", MOST_CABLES);
    if (!check_cable(r, &c))
        return false;
    r->cable[r->cables++] = c;
    return true;
}

static bool take_lines(struct reader *r)
{
    for (char *at = r->text; *at;) {
        size_t len = strcspn(at, "\n");
        bool last = at[len] == '\0';

        r->line++;
        at[len] = '\0';
        if (!take_line(r, at))
            return false;
        at += len + !last;
    }
    return true;
}

/* Cables without ports get the ports that the others left. */
static bool plug_cables(struct reader *r)
{
    for (unsigned i = 0; i < r->cables; i++) {
        struct cable *c = &r->cable[i];

        r->line = c->line;
        for (unsigned e = 0; e < 2; e++) {
            uint32_t node = c->end[e].node, port = 0;

            if (c->end[e].port != ANY_PORT)
                continue;
            while (port < r->ports && r->taken[node][port] > 0)
                port++;
            if (port == r->ports)
                return refuse(r,
                              "all %u ports of node %" PRIu32
                              " have cables: remove some",
                              r->ports, node);
            r->taken[node][port] = r->line;
            c->end[e].port = port;
        }
        fsh_topology_plug(r->t, c->end[0].node, c->end[0].port, c->end[1].node,
                          c->end[1].port);
    }
    r->line = 0;
    return true;
}

/* The root of up/down routing is a node with the smallest eccentricity. */
static bool choose_root(struct reader *r)
{
    unsigned least = UINT8_MAX;

    for (uint32_t n = 0; n < r->t->nodes; n++) {
        uint8_t far[FSH_MAX_NODES];
        unsigned most = 0;

        fsh_topology_distances(r->t, n, far);
        for (uint32_t to = 0; to < r->t->nodes; to++) {
            if (far[to] == UINT8_MAX)
                return refuse(r,
                              "no cables lead from node %" PRIu32
                              " to node %" PRIu32 ": add some, or start fewer "
                              "nodes (-n)",
                              n, to);
            most = far[to] > most ? far[to] : most;
        }
        if (most >= least)
            continue;
        least = most;
        r->t->root = (uint8_t)n;
        memcpy(r->t->level, far, sizeof(r->t->level));
    }
    return true;
}

bool fsh_topology_read(struct fsh_topology *t, const char *path, unsigned ports,
                       char *err, size_t errlen)
{
    struct reader *r = calloc(1, sizeof(*r));
    bool ok;

    if (!r) {
        snprintf(err, errlen, "out of memory");
        return false;
    }
    *r = (struct reader){
        .t = t, .path = path, .ports = ports, .err = err, .errlen = errlen};
    ok = load(r) && take_lines(r) && plug_cables(r) && choose_root(r);
    free(r->text);
    free(r);
    if (!ok)
        return false;
    t->rule = FSH_TOPOLOGY_SHORTEST;
    if (!fsh_topology_acyclic(t, NULL, 0))
        t->rule = FSH_TOPOLOGY_UP_DOWN;
    return true;
}

uint32_t fsh_topology_file_nodes(const char *path)
{
    struct fsh_topology any = {.nodes = FSH_MAX_NODES};
    struct reader *r = calloc(1, sizeof(*r));
    uint32_t nodes = 0;
    char err[200];

    if (!r)
        return 0;
    *r = (struct reader){.t = &any,
                         .path = path,
                         .ports = FSH_MAX_PORTS,
                         .err = err,
                         .errlen = sizeof(err)};
    if (load(r) && take_lines(r))
        for (unsigned i = 0; i < r->cables; i++)
            for (unsigned e = 0; e < 2; e++)
                if (r->cable[i].end[e].node >= nodes)
                    nodes = r->cable[i].end[e].node + 1;
    free(r->text);
    free(r);
    return nodes;
}
