/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The critical path, traced backwards from the end. On a rank it goes back to the end
 * of its last wait: since then the host worked. If a message arrived in that wait,
 * the path continues on the sender at the time of sending; the time in between is the
 * message's transit. If not, the rank waited for its nodes: a put, a get, a command.
 * The tracks of the nodes at both ends tell how a transit divides into link, memory
 * and so on: where several are busy, the first of compute, link, memory, PCIe counts;
 * where none is, it was queueing. So each ns of the run is counted once.
 */
#include <stdlib.h>
#include <string.h>

#include "fshtrace.h"

/* Kinds of packets: messages, or puts, gets and commands, including credits. */
enum packet { REQUEST = 2, REPLY = 1, TRANSFER = 0 };

/* A rank that has received what it waits for reacts within this time, or was
 * asleep. */
#define SOON UINT64_C(1000)
#define SOON_WALL UINT64_C(100000)

struct span {
    uint64_t from, to;
    uint32_t process, peer;
    enum packet packet; /* on a link */
};
struct spans {
    struct span *span;
    size_t n;
};
struct finder {
    const struct trace *t;
    struct path *path;
    struct spans kind[SHARES]; /* of nodes, by start */
    uint64_t longest[SHARES];
    struct slice *wait;    /* of ranks, by rank and end */
    size_t *wait_from;     /* first wait of each rank; ranks + 1 */
    struct slice *handler; /* with arrows, by rank and start */
    size_t *handler_from;
    struct slice *transfer; /* with their departure, by rank and time (from) */
    size_t *transfer_from;
    /* The parts of a transit not yet accounted for. */
    struct span *left, *next;
    size_t lefts, room;
};

/* ---- transits ---- */

static bool keep(struct finder *f, size_t *n, uint64_t from, uint64_t to)
{
    if (from >= to)
        return true;
    if (*n + 1 >= f->room) {
        size_t room = 2 * f->room + 64;
        void *a = realloc(f->left, room * sizeof *f->left);
        void *b = a ? realloc(f->next, room * sizeof *f->next) : NULL;

        f->left = a ? a : f->left;
        f->next = b ? b : f->next;
        if (!a || !b)
            return false;
        f->room = room;
    }
    f->next[(*n)++] = (struct span){.from = from, .to = to};
    return true;
}

/* What is in transit: between two ranks, or any. */
struct way {
    uint32_t a, b;
    bool any;
    enum packet packet;
};

/* Whether a node's span is relevant for it. */
static bool concerns(enum share kind, const struct span *s, const struct way *w)
{
    /* Packets pass through intermediate nodes: their target counts. */
    uint32_t node = kind == SHARE_LINK ? s->peer - 1 : s->process;

    return (w->any || node == w->a || node == w->b) &&
           (kind != SHARE_LINK || s->packet == w->packet);
}

/* Assigns the overlap of a span with the rest to this share. */
static bool take(struct finder *f, enum share kind, const struct span *s)
{
    size_t n = 0;
    struct span *swap;

    for (size_t i = 0; i < f->lefts; i++) {
        struct span l = f->left[i];
        uint64_t from = s->from > l.from ? s->from : l.from;
        uint64_t to = s->to < l.to ? s->to : l.to;

        if (from >= to) {
            if (!keep(f, &n, l.from, l.to))
                return false;
            continue;
        }
        f->path->share[kind] += to - from;
        if (!keep(f, &n, l.from, from) || !keep(f, &n, to, l.to))
            return false;
    }
    swap = f->left;
    f->left = f->next;
    f->next = swap;
    f->lefts = n;
    return true;
}

/* The first span that may extend to `from`. */
static size_t first_of(const struct finder *f, enum share kind, uint64_t from)
{
    const struct spans *s = &f->kind[kind];
    size_t low = 0, high = s->n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (s->span[middle].from + f->longest[kind] < from)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Divides the transit between two times into shares. */
static bool way(struct finder *f, uint64_t from, uint64_t to,
                const struct way *w)
{
    static const enum share order[] = {SHARE_COMPUTE, SHARE_LINK, SHARE_MEMORY,
                                       SHARE_PCIE};

    f->lefts = 0;
    if (!keep(f, &f->lefts, from, to))
        return false;
    if (f->lefts)
        f->left[0] = f->next[0];
    for (unsigned k = 0; k < sizeof order / sizeof order[0]; k++) {
        const struct spans *s = &f->kind[order[k]];

        for (size_t i = first_of(f, order[k], from);
             i < s->n && s->span[i].from < to && f->lefts; i++)
            if (concerns(order[k], &s->span[i], w) &&
                !take(f, order[k], &s->span[i]))
                return false;
    }
    for (size_t i = 0; i < f->lefts; i++)
        f->path->share[SHARE_QUEUE] += f->left[i].to - f->left[i].from;
    return true;
}

static void host(struct finder *f, uint32_t rank, uint64_t from, uint64_t to)
{
    f->path->share[SHARE_HOST] += to - from;
    f->path->on_rank[rank] += to - from;
}

/* ---- from rank to rank ---- */

static const struct arrow *find(const struct arrow *arrows, size_t n,
                                uint64_t id)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (arrows[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && arrows[low].id == id ? &arrows[low] : NULL;
}

/* Among a rank's waits that start before t, the one that ends last; NULL: none. */
static const struct slice *last_wait(const struct finder *f, uint32_t rank,
                                     uint64_t t)
{
    size_t low = f->wait_from[rank], high = f->wait_from[rank + 1];
    const struct slice *best = NULL;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (f->wait[middle].from < t)
            low = middle + 1;
        else
            high = middle;
    }
    /* Waits are nested at most a few levels deep. */
    for (size_t i = low, tries = 0; i-- > f->wait_from[rank] && tries < 32;
         tries++)
        if (!best || f->wait[i].to >= best->to)
            best = &f->wait[i];
    return best;
}

/* Whether such a wait is ended by a node rather than a message. */
static bool is_for_node(const char *name)
{
    static const char *const calls[] = {"gasnet_put", "gasnet_get",
                                        "gasnet_wait_sync", "fshmem_"};

    for (unsigned i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (strncmp(name, calls[i], strlen(calls[i])) == 0)
            return true;
    return false;
}

/* The last message handler that started in [from, to], part of this wait, if it can
 * have ended the wait; *sent: where its message was sent, before the handler. */
static const struct slice *last_handler(const struct finder *f,
                                        const struct slice *wait, uint64_t from,
                                        uint64_t to, const struct arrow **sent)
{
    uint32_t rank = wait->process;
    uint64_t soon = f->t->simulated ? SOON : SOON_WALL;
    size_t low = f->handler_from[rank], high = f->handler_from[rank + 1];

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (f->handler[middle].from <= to)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > f->handler_from[rank] && f->handler[low].from >= from) {
        *sent = find(f->t->sent, f->t->sends, f->handler[low].bytes);
        if (*sent && (*sent)->at < f->handler[low].from &&
            (*sent)->process < f->t->ranks)
            return !is_for_node(f->t->name[wait->name]) &&
                           f->handler[low].to + soon >= to
                       ? &f->handler[low]
                       : NULL;
    }
    return NULL;
}

/* When the operation left that a wait for a node waits for: the last departure before
 * the wait, at `from`. What the host did since did not delay it. */
static uint64_t begun(const struct finder *f, const struct slice *wait,
                      uint64_t from)
{
    size_t low = f->transfer_from[wait->process];
    size_t high = f->transfer_from[wait->process + 1], first = low;

    if (!is_for_node(f->t->name[wait->name]))
        return from;
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (f->transfer[middle].from <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return low > first ? f->transfer[low - 1].from : from;
}

static bool walk(struct finder *f, uint32_t rank)
{
    uint64_t t = f->t->end, begin = f->t->begin;

    while (t > begin) {
        const struct slice *wait = last_wait(f, rank, t), *handler;
        const struct arrow *sent = NULL;
        uint64_t end, from;
        struct way w;

        if (!wait || wait->to <= begin) {
            host(f, rank, begin, t);
            return true;
        }
        end = wait->to < t ? wait->to : t;
        host(f, rank, end, t);
        from = wait->from > begin ? wait->from : begin;
        handler = last_handler(f, wait, from, end, &sent);
        if (handler) {
            host(f, rank, handler->from, end);
            t = sent->at > begin ? sent->at : begin;
            w = (struct way){.a = rank,
                             .b = sent->process,
                             .packet = (enum packet)(sent->id >> 58 & 3)};
            if (!way(f, t, handler->from, &w))
                return false;
            f->path->hops += sent->process != rank;
            rank = sent->process;
        } else {
            from = begun(f, wait, from);
            from = from > begin ? from : begin;
            w = (struct way){.a = rank,
                             .b = wait->peer ? wait->peer - 1 : rank,
                             .any = wait->peer == 0,
                             .packet = TRANSFER};
            if (!way(f, from, end, &w))
                return false;
            t = from;
        }
    }
    return true;
}

/* ---- preparing ---- */

static const enum share share_of[NODE_TRACKS] = {
    [TO_NODE] = SHARE_PCIE,       [TO_HOST] = SHARE_PCIE,
    [MEMORY_READ] = SHARE_MEMORY, [MEMORY_WRITE] = SHARE_MEMORY,
    [COMPUTE] = SHARE_COMPUTE,    [LINK] = SHARE_LINK,
    [LINK + 1] = SHARE_LINK,      [LINK + 2] = SHARE_LINK,
    [LINK + 3] = SHARE_LINK,      [LINK + 4] = SHARE_LINK,
    [LINK + 5] = SHARE_LINK};

static enum packet packet_of(const char *name)
{
    if (strcmp(name, "AM request") == 0)
        return REQUEST;
    return strcmp(name, "AM reply") == 0 ? REPLY : TRANSFER;
}

/* Slices are sorted by start, and so are spans. */
static bool gather_nodes(struct finder *f)
{
    for (unsigned k = 0; k < SHARES; k++) {
        f->kind[k].span = calloc(f->t->slices + 1, sizeof(struct span));
        if (!f->kind[k].span)
            return false;
    }
    for (size_t i = 0; f->t->simulated && i < f->t->slices; i++) {
        const struct slice *s = &f->t->slice[i];
        enum share kind = SHARE_QUEUE;
        struct span span = {s->from, s->to, s->process - TRACE_NODES, s->peer,
                            packet_of(f->t->name[s->name])};

        if (s->kind != NODE || s->track >= NODE_TRACKS)
            continue;
        kind = share_of[s->track];
        if (kind == SHARE_LINK)
            span.to += f->t->link_delay;
        f->kind[kind].span[f->kind[kind].n++] = span;
        if (span.to - span.from > f->longest[kind])
            f->longest[kind] = span.to - span.from;
    }
    return true;
}

static int by_rank(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;

    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

/* Sorts by rank; returns where each rank starts. */
static size_t *index_of(const struct trace *t, struct slice *slices, size_t n)
{
    size_t *from = calloc(t->ranks + 1, sizeof *from);

    if (n)
        qsort(slices, n, sizeof *slices, by_rank);
    for (uint32_t r = 0, i = 0; from && r <= t->ranks; r++) {
        while (i < n && slices[i].process < r)
            i++;
        from[r] = i;
    }
    return from;
}

/* If a slice contains handlers that started then, they end with it. */
static void set_end(struct finder *f, const struct slice *s)
{
    size_t low, high;

    if (s->kind != HANDLER || s->process >= f->t->ranks)
        return;
    low = f->handler_from[s->process];
    high = f->handler_from[s->process + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (f->handler[middle].from < s->from)
            low = middle + 1;
        else
            high = middle;
    }
    for (high = f->handler_from[s->process + 1];
         low < high && f->handler[low].from == s->from; low++)
        if (f->handler[low].to < s->to)
            f->handler[low].to = s->to;
}

/* Handlers are identified by their arrows: `bytes` is its index. */
static bool gather_ranks(struct finder *f)
{
    const struct trace *t = f->t;
    size_t waits = 0, transfers = 0;

    f->wait = calloc(t->slices + 1, sizeof *f->wait);
    f->handler = calloc(t->comes + 1, sizeof *f->handler);
    f->transfer = calloc(t->sends + 1, sizeof *f->transfer);
    if (!f->wait || !f->handler || !f->transfer)
        return false;
    for (size_t i = 0; i < t->slices; i++)
        if (t->slice[i].kind == WAIT && t->slice[i].process < t->ranks)
            f->wait[waits++] = t->slice[i];
    for (size_t i = 0; i < t->comes; i++)
        f->handler[i] = (struct slice){.from = t->came[i].at,
                                       .to = t->came[i].at,
                                       .process = t->came[i].process,
                                       .bytes = t->came[i].id};
    for (size_t i = 0; i < t->sends; i++)
        if (t->sent[i].id >> 58 == TRANSFERS && t->sent[i].process < t->ranks)
            f->transfer[transfers++] = (struct slice){
                .from = t->sent[i].at, .process = t->sent[i].process};
    f->transfer_from = index_of(t, f->transfer, transfers);
    f->wait_from = index_of(t, f->wait, waits);
    f->handler_from = index_of(t, f->handler, t->comes);
    if (!f->wait_from || !f->handler_from || !f->transfer_from)
        return false;
    for (size_t i = 0; i < t->slices; i++)
        set_end(f, &t->slice[i]);
    return true;
}

static uint32_t last_rank(const struct trace *t)
{
    uint64_t end = 0;
    uint32_t rank = 0;

    for (size_t i = 0; i < t->slices; i++)
        if (t->slice[i].process < t->ranks && t->slice[i].kind != LEFT &&
            t->slice[i].to > end) {
            end = t->slice[i].to;
            rank = t->slice[i].process;
        }
    return rank;
}

bool path_find(struct path *path, const struct trace *t)
{
    struct finder f = {.t = t, .path = path};
    bool good;

    *path = (struct path){.last = last_rank(t),
                          .on_rank = calloc(t->ranks, sizeof(uint64_t))};
    good = path->on_rank && gather_nodes(&f) && gather_ranks(&f) &&
           walk(&f, path->last);
    for (unsigned k = 0; k < SHARES; k++)
        free(f.kind[k].span);
    free(f.wait);
    free(f.handler);
    free(f.transfer);
    free(f.transfer_from);
    free(f.wait_from);
    free(f.handler_from);
    free(f.left);
    free(f.next);
    return good;
}
