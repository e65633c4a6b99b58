/* SPDX-License-Identifier: BSD-3-Clause */
#include "partition.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cpu.h"
#include "base/handover.h"
#include "base/log.h"
#include "model.h"

/* "PART" and the size of a beat: rejects other builds. */
#define MAGIC (0x54524150u ^ (uint32_t)sizeof(struct flying) << 8)
enum {
    SPINS = 200, /* looks at the sockets before the first sleep, ... */
    NAP_MS = 100,
    REPORT_NAPS = 50 /* ... and naps before the others are named */
};

struct flying { /* a beat on the link to a port of a node */
    uint32_t node, port;
    struct fsh_flight flight;
};

struct notice { /* and then so many beats */
    uint32_t magic, beats;
    uint64_t settings; /* of the fabric; all have the same */
    uint64_t round;
    uint64_t next;       /* the promise */
    uint64_t gate_asked; /* a gate is to open, no sooner; FSH_NEVER: none */
    uint64_t gate_ready; /* all that was before it is in the nodes since */
    uint32_t words;      /* enum fsh_word */
    uint32_t parts;      /* it is the last one: the others go on without it */
};

struct buffer {
    unsigned char *at;
    size_t used, room;
};

struct peer {
    int fd;            /* -1: this one, or parted */
    struct buffer in;  /* a notice, perhaps more; part of one */
    struct buffer out; /* this round's, of which ... */
    size_t sent;       /* ... so much is gone */
    bool reset;        /* an error has told of its end */
};

struct fsh_partitions {
    struct fsh_fabric *fab;
    struct fsh_partition config;
    uint64_t settings;
    uint64_t round;
    unsigned spins;
    bool parted; /* one has said goodbye */
    struct peer peer[FSH_MAX_NODES];
};

/* ---- notices ---- */

static bool put(struct buffer *b, const void *data, size_t bytes)
{
    if (b->used + bytes > b->room) {
        size_t room = 2 * (b->used + bytes);
        unsigned char *more = realloc(b->at, room);

        if (!more)
            return false;
        b->at = more;
        b->room = room;
    }
    memcpy(b->at + b->used, data, bytes);
    b->used += bytes;
    return true;
}

/* Does this notice lie in the buffer as a whole? */
static bool is_whole(const struct buffer *b, struct notice *notice)
{
    if (b->used < sizeof *notice)
        return false;
    memcpy(notice, b->at, sizeof *notice);
    return b->used - sizeof *notice >=
           (uint64_t)notice->beats * sizeof(struct flying);
}

static const char *nodes_of(const struct fsh_partitions *p, uint32_t which,
                            char text[64])
{
    uint32_t first = p->config.first[which], past = p->config.first[which + 1];

    if (past == first + 1)
        snprintf(text, 64, "the simulator of node %u", first);
    else
        snprintf(text, 64, "the simulator of nodes %u to %u", first, past - 1);
    return text;
}

static void lose(struct fsh_partitions *p, uint32_t which, const char *how)
{
    char text[64];

    fsh_fabric_fail(p->fab, "%s %s, in cycle %llu", nodes_of(p, which, text),
                    how, (unsigned long long)p->fab->cycle);
    p->peer[which].fd = -1;
}

/* ---- sockets ---- */

static bool is_idle(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

/* True: something went. */
static bool send_some(struct fsh_partitions *p, uint32_t which)
{
    struct peer *peer = &p->peer[which];
    ssize_t n;

    if (peer->fd < 0 || peer->sent == peer->out.used)
        return false;
    n = send(peer->fd, peer->out.at + peer->sent, peer->out.used - peer->sent,
             MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0) {
        /* What it has sent tells more, if it was the end. */
        if (!is_idle(errno))
            peer->sent = peer->out.used;
        return false;
    }
    peer->sent += (size_t)n;
    return n > 0;
}

/* True: something came. */
static bool take_some(struct fsh_partitions *p, uint32_t which)
{
    struct peer *peer = &p->peer[which];
    unsigned char some[4096];
    struct notice notice;
    char how[128];
    ssize_t n;

    if (peer->fd < 0)
        return false;
    n = recv(peer->fd, some, sizeof some, MSG_DONTWAIT);
    if (n < 0 && is_idle(errno))
        return false;
    /* It has left what this one sent; what it sent itself comes next. */
    if (n < 0 && errno == ECONNRESET && !peer->reset)
        return peer->reset = true;
    /* So does what it has sent and has not been looked at. */
    if (n <= 0 && is_whole(&peer->in, &notice))
        return true;
    if (n <= 0) {
        snprintf(how, sizeof how, "is gone%s%s", n < 0 ? ": " : "",
                 n < 0 ? strerror(errno) : "");
        lose(p, which, how);
        return true;
    }
    if (!put(&peer->in, some, (size_t)n)) {
        lose(p, which, "sends what there is no memory for");
        return true;
    }
    if (peer->in.used >= sizeof notice) {
        memcpy(&notice, peer->in.at, sizeof notice);
        if (notice.magic != MAGIC)
            lose(p, which, "is of another release");
        else if (notice.settings != p->settings)
            lose(p, which,
                 "has other settings (FSHMEM_TOPOLOGY, FSHMEM_CLOCK, "
                 "FSHMEM_SIM_ARGS ...; give them to all hosts)");
    }
    return true;
}

/* ---- a round ---- */

static struct notice announce(const struct fsh_partitions *p, uint64_t next)
{
    const struct fsh_fabric *fab = p->fab;
    struct notice notice = {.magic = MAGIC,
                            .settings = p->settings,
                            .round = p->round,
                            .words = fab->told,
                            .next = next,
                            .gate_asked = FSH_NEVER,
                            .gate_ready = FSH_NEVER};

    if (fab->gate_pending && fab->gate_opens == FSH_NEVER) {
        notice.gate_asked = fab->gate_at;
        if (fsh_gate_drained(fab))
            notice.gate_ready =
                fab->gate_at > fab->cycle ? fab->gate_at : fab->cycle;
    }
    return notice;
}

/* What all of a round say together. */
static void join(struct notice *all, const struct notice *one)
{
    if (one->next < all->next)
        all->next = one->next;
    all->words &= one->words;
    if (one->gate_asked < all->gate_asked)
        all->gate_asked = one->gate_asked;
    if (one->gate_ready > all->gate_ready)
        all->gate_ready = one->gate_ready;
}

/* Nobody has passed the cycle that all were ready in by more than a link's delay. */
static void settle_gate(struct fsh_fabric *fab, const struct notice *all)
{
    if (all->gate_asked == FSH_NEVER)
        return;
    if (all->gate_ready != FSH_NEVER)
        fab->gate_opens = all->gate_ready + fab->config.link_cycles;
    else if (!fab->gate_pending)
        fab->gate_heard = true;
}

/* The beats of links from here to nodes of this one. *next: one arrives. */
static bool put_beats(struct fsh_partitions *p, uint32_t which,
                      struct notice *notice)
{
    struct buffer *out = &p->peer[which].out;

    for (uint32_t n = p->config.first[which]; n < p->config.first[which + 1];
         n++)
        for (uint32_t port = 0; port < FSH_NODE_PORTS; port++) {
            struct fsh_link *link = &p->fab->node[n].rx[port];

            for (; link->head != link->ready; link->head++) {
                struct flying beat = {n, port,
                                      link->slot[link->head & link->mask]};

                if (!put(out, &beat, sizeof beat))
                    return false;
                notice->beats++;
                if (beat.flight.at < notice->next)
                    notice->next = beat.flight.at;
            }
        }
    return true;
}

/* Promises include what is on its way to others, which all are to know of. */
static bool write_notices(struct fsh_partitions *p, struct notice *notice)
{
    uint32_t beats[FSH_MAX_NODES] = {0};

    for (uint32_t i = 0; i < p->config.count; i++) {
        struct peer *peer = &p->peer[i];

        peer->out.used = peer->sent = 0;
        notice->beats = 0;
        if (i == p->config.index)
            continue;
        if (!put(&peer->out, notice, sizeof *notice) ||
            !put_beats(p, i, notice)) {
            fsh_fabric_fail(p->fab, "no memory for beats between simulators");
            return false;
        }
        beats[i] = notice->beats;
    }
    for (uint32_t i = 0; i < p->config.count; i++) {
        notice->beats = beats[i];
        if (p->peer[i].out.used)
            memcpy(p->peer[i].out.at, notice, sizeof *notice);
    }
    return true;
}

static void take_beat(struct fsh_partitions *p, uint32_t which,
                      const struct flying *beat)
{
    struct fsh_fabric *fab = p->fab;
    struct fsh_sim_node *sink;
    struct fsh_link *link;

    if (!fsh_is_here(fab, beat->node) || beat->port >= FSH_NODE_PORTS) {
        lose(p, which, "sends a beat to a node that is not here");
        return;
    }
    sink = &fab->node[beat->node];
    link = &sink->rx[beat->port];
    /* One a cycle, in order, no more than there is room for. */
    if (link->tail - link->head > link->mask || beat->flight.at < fab->cycle ||
        (link->tail != link->head && beat->flight.at <= link->last)) {
        lose(p, which, "sends a beat that comes too late");
        return;
    }
    link->last = beat->flight.at;
    link->slot[link->tail++ & link->mask] = beat->flight;
    link->ready = link->tail;
    if (sink->wake > beat->flight.at)
        sink->wake = beat->flight.at;
}

/* The notice of this round, if it has come as a whole. */
static bool take_notice(struct fsh_partitions *p, uint32_t which,
                        struct notice *notice)
{
    struct buffer *in = &p->peer[which].in;
    size_t bytes;

    if (!is_whole(in, notice))
        return false;
    if (notice->round != p->round && !notice->parts)
        lose(p, which, "is in another round");
    bytes = sizeof *notice + notice->beats * sizeof(struct flying);
    for (uint32_t i = 0; i < notice->beats; i++) {
        struct flying beat;

        memcpy(&beat, in->at + sizeof *notice + i * sizeof beat, sizeof beat);
        take_beat(p, which, &beat);
    }
    in->used -= bytes;
    memmove(in->at, in->at + bytes, in->used);
    return true;
}

static void take_promise(struct fsh_partitions *p, uint32_t which,
                         const struct notice *notice, struct notice *all)
{
    if (!notice->parts) {
        join(all, notice);
        return;
    }
    p->parted = true;
    p->peer[which].fd = -1;
}

static void name_missing(const struct fsh_partitions *p, const bool *missing)
{
    char text[64];

    for (uint32_t i = 0; i < p->config.count; i++)
        if (missing[i])
            fsh_warn("%s has not come to cycle %llu for %u s; its hosts may "
                     "compute, or it is stopped",
                     nodes_of(p, i, text), (unsigned long long)p->fab->cycle,
                     REPORT_NAPS * NAP_MS / 1000);
}

static void sleep_for(struct fsh_partitions *p, const bool *missing)
{
    struct pollfd fds[FSH_MAX_NODES];
    nfds_t n = 0;

    for (uint32_t i = 0; i < p->config.count; i++) {
        const struct peer *peer = &p->peer[i];
        bool unsent = peer->sent < peer->out.used;

        if (peer->fd >= 0 && (missing[i] || unsent))
            fds[n++] =
                (struct pollfd){.fd = peer->fd,
                                .events = (short)((missing[i] ? POLLIN : 0) |
                                                  (unsent ? POLLOUT : 0))};
    }
    poll(fds, n, NAP_MS);
}

bool fsh_partitions_meet(struct fsh_partitions *p, uint64_t next,
                         uint64_t *least)
{
    struct notice own = announce(p, next), all, notice;
    bool missing[FSH_MAX_NODES], waits = true;
    unsigned spins = 0, naps = 0;

    if (!write_notices(p, &own))
        return false;
    all = own;
    for (uint32_t i = 0; i < p->config.count; i++)
        missing[i] = p->peer[i].fd >= 0;
    while (waits && !p->fab->failed) {
        bool moved = false;

        waits = false;
        for (uint32_t i = 0; i < p->config.count; i++) {
            moved |= send_some(p, i);
            if (missing[i] && take_notice(p, i, &notice)) {
                missing[i] = false;
                take_promise(p, i, &notice, &all);
            }
            if (missing[i])
                moved |= take_some(p, i);
            waits |=
                (missing[i] && p->peer[i].fd >= 0) ||
                (p->peer[i].fd >= 0 && p->peer[i].sent < p->peer[i].out.used);
        }
        if (moved || !waits)
            continue;
        if (p->fab->config.events.stops &&
            p->fab->config.events.stops(p->fab->config.events.arg))
            return false;
        if (++spins < p->spins) {
            fsh_cpu_relax();
            continue;
        }
        sleep_for(p, missing);
        if (++naps == REPORT_NAPS)
            name_missing(p, missing);
    }
    if (p->fab->failed)
        return false;
    p->round++;
    settle_gate(p->fab, &all);
    p->fab->agreed = all.words;
    *least = all.next;
    return true;
}

/* ---- a beginning, an end, and what is between rounds ---- */

bool fsh_partitions_called(struct fsh_partitions *p)
{
    bool called = false;

    for (uint32_t i = 0; i < p->config.count; i++)
        called |= take_some(p, i) || p->peer[i].in.used > 0;
    return called;
}

bool fsh_partitions_parted(const struct fsh_partitions *p)
{
    return p->parted;
}

void fsh_partition_await_call(const struct fsh_partition *p)
{
    struct pollfd fds[FSH_MAX_NODES];
    nfds_t n = 0;

    for (uint32_t i = 0; i < p->count; i++)
        if (i != p->index)
            fds[n++] = (struct pollfd){.fd = p->peer[i], .events = POLLIN};
    while (poll(fds, n, -1) < 0 && errno == EINTR)
        continue;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * UINT64_C(0x100000001b3);
}

/* What decides, with the hosts, in which cycle something happens. */
static uint64_t settings_of(const struct fsh_fabric *fab)
{
    const struct fsh_fabric_config *c = &fab->config;
    const uint64_t of[] = {
        c->nodes,
        c->link_cycles,
        c->link_jitter,
        c->dram_cycles,
        c->dram_write_cycles,
        c->dram_bytes_cycle,
        c->pcie_cycles,
        c->pcie_bytes_cycle,
        c->compute,
        c->clocked,
        c->seed,
        c->stall,
        c->stall_seed,
    };
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        hash = mix(hash, of[i]);
    for (uint32_t n = 0; n < c->nodes; n++)
        for (uint32_t p = 0; p < FSH_NODE_PORTS; p++)
            hash = mix(hash, fab->topology.peer[n][p].node * 256u +
                                 fab->topology.peer[n][p].port);
    return hash;
}

struct fsh_partitions *fsh_partitions_open(struct fsh_fabric *fab, char *err,
                                           size_t errlen)
{
    const struct fsh_partition *config = fab->config.partition;
    struct fsh_partitions *p = calloc(1, sizeof *p);

    if (!p) {
        snprintf(err, errlen, "out of memory");
        return NULL;
    }
    p->fab = fab;
    p->config = *config;
    p->settings = settings_of(fab);
    /* Where processors are scarce others need this one. */
    p->spins = fsh_handover_processors() >= config->count ? SPINS : 0;
    for (uint32_t i = 0; i < config->count; i++)
        p->peer[i].fd = i == config->index ? -1 : config->peer[i];
    return p;
}

/* Not to wait for others that do not read: the end of the socket tells them, too. */
static void say_goodbye(struct fsh_partitions *p, uint32_t which)
{
    struct notice last = {
        .magic = MAGIC, .settings = p->settings, .round = p->round, .parts = 1};
    struct peer *peer = &p->peer[which];

    if (peer->fd >= 0 && put(&peer->out, &last, sizeof last))
        while (send_some(p, which))
            continue;
}

void fsh_partitions_part(struct fsh_partitions *p)
{
    for (uint32_t i = 0; i < p->config.count; i++) {
        if (p->fab->failed && p->peer[i].fd >= 0)
            shutdown(p->peer[i].fd, SHUT_RDWR);
        else
            say_goodbye(p, i);
        p->peer[i].fd = -1;
    }
}

void fsh_partitions_close(struct fsh_partitions *p)
{
    if (!p)
        return;
    fsh_partitions_part(p);
    for (uint32_t i = 0; i < p->config.count; i++) {
        free(p->peer[i].in.at);
        free(p->peer[i].out.at);
    }
    free(p);
}
