/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of ranks on several hosts on two levels, for what is not combined, or may be in
 * any order: each host has a leader, the root on its host and the lowest rank on others,
 * and only leaders send to other hosts. Broadcast: down a tree of leaders, then down one
 * in each host; binomial, or a chain for long messages. Gather, scatter, all-gather: the
 * leader has the blocks of its host, and sends or receives them as they lie next to each
 * other. All-reduce of an idempotent operation: dissemination of leaders. Hosts may have
 * any ranks, any number of them. All-reduce in the order TREE, where the ranks of each host
 * are a subtree: up it to the leader, doubling of leaders, and down.
 */
#include "coll/program/build.h"

typedef struct fsh_program_shape shape_t;

enum { SEQ_HERE = 0, SEQ_HOSTS = 1 };

/* Ranks of a level, from its top on, in the order of their numbers, around. */
struct level {
    const uint16_t *rank;
    uint32_t count, top; /* index of the top in rank[] */
    uint32_t w;          /* this rank's place from the top on */
};

struct plan {
    uint32_t hosts;
    uint16_t
        host[FSH_PROGRAM_MAX_RANKS]; /* by rank: in the order of leaders[] */
    uint16_t leaders[FSH_PROGRAM_MAX_RANKS];
    uint16_t ranks[FSH_PROGRAM_MAX_RANKS]; /* host by host */
    uint16_t first[FSH_PROGRAM_MAX_RANKS + 1];
    struct level here, away;
};

/* Numbers hosts in the order of their lowest ranks. */
static void number_hosts(struct plan *t, const struct fsh_program *p,
                         const shape_t *s)
{
    uint16_t number[FSH_PROGRAM_MAX_RANKS] = {0};

    t->hosts = 0;
    for (uint32_t r = 0; r < s->size; r++) {
        uint16_t *n = &number[p->host[r]];

        if (*n == 0) {
            t->leaders[t->hosts] = (uint16_t)r;
            *n = (uint16_t)++t->hosts;
        }
        t->host[r] = (uint16_t)(*n - 1);
    }
}

static void sort_ranks(struct plan *t, const shape_t *s)
{
    uint16_t n = 0;

    for (uint32_t h = 0; h < t->hosts; h++) {
        t->first[h] = n;
        for (uint32_t r = t->leaders[h]; r < s->size; r++)
            if (t->host[r] == h)
                t->ranks[n++] = (uint16_t)r;
    }
    t->first[t->hosts] = n;
}

static uint32_t index_of(const struct level *l, uint32_t rank)
{
    uint32_t i = 0;

    while (l->rank[i] != rank)
        i++;
    return i;
}

static struct level level_of(const uint16_t *rank, uint32_t count, uint32_t top)
{
    struct level l = {.rank = rank, .count = count};

    l.top = index_of(&l, top);
    return l;
}

static void make_plan(struct plan *t, const struct fsh_program *p,
                      const shape_t *s, uint32_t rank)
{
    uint32_t h;

    FSH_ASSERT(p->host != NULL);
    number_hosts(t, p, s);
    sort_ranks(t, s);
    t->leaders[t->host[s->root]] = (uint16_t)s->root;
    h = t->host[rank];
    t->here = level_of(t->ranks + t->first[h],
                       (uint32_t)t->first[h + 1] - t->first[h], t->leaders[h]);
    t->here.w = (index_of(&t->here, rank) + t->here.count - t->here.top) %
                t->here.count;
    t->away = level_of(t->leaders, t->hosts, s->root);
    t->away.w = (h + t->hosts - t->away.top) % t->hosts;
}

static uint32_t at(const struct level *l, uint32_t w)
{
    return l->rank[(w + l->top) % l->count];
}

static bool leads(const struct plan *t)
{
    return t->here.w == 0;
}

/* ---- trees ---- */

static uint32_t parent(const struct level *l, bool chain)
{
    return at(l, chain ? l->w - 1 : fsh_binomial_parent(l->w));
}

/* Returns the step that the next packet may be sent by: NULL if `made` sends. */
static step_t *send_down(struct fsh_program *p, const struct level *l,
                         bool chain, step_t *made, range_t blocks, uint32_t seq)
{
    uint32_t most = l->w + 1 < l->count;

    if (!chain)
        most = fsh_binomial_most(l->w, l->count);
    for (uint32_t d = most; d != 0; d >>= 1) {
        fsh_step_send(p, made, blocks, at(l, l->w + d), seq);
        made = NULL;
    }
    return made;
}

static void broadcast(struct fsh_program *p, const struct plan *t, bool chain)
{
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    step_t *made;

    if (!leads(t)) {
        made = fsh_step_receive(p, parent(&t->here, chain), SEQ_HERE, dst);
    } else if (t->away.w != 0) {
        made = fsh_step_receive(p, parent(&t->away, chain), SEQ_HOSTS, dst);
    } else {
        made = fsh_step_local(p, fsh_blocks(FSH_PROGRAM_SRC, 0, 1));
        made->store = dst;
    }
    if (leads(t))
        made = send_down(p, &t->away, chain, made, dst, SEQ_HOSTS);
    send_down(p, &t->here, chain, made, dst, SEQ_HERE);
}

/* ---- blocks of a host, in runs of adjacent ranks ---- */

/* The run from index i of the host's ranks on. */
static uint32_t run_of(const struct plan *t, uint32_t h, uint32_t i)
{
    const uint16_t *rank = t->ranks + t->first[h];
    uint32_t n = (uint32_t)t->first[h + 1] - t->first[h], end = i + 1;

    while (end < n && rank[end] == rank[end - 1] + 1)
        end++;
    return end - i;
}

typedef void (*move_fn)(struct fsh_program *p, range_t run, uint32_t peer,
                        uint32_t seq);

static void send_run(struct fsh_program *p, range_t run, uint32_t peer,
                     uint32_t seq)
{
    fsh_step_send(p, NULL, run, peer, seq);
}

static void receive_run(struct fsh_program *p, range_t run, uint32_t peer,
                        uint32_t seq)
{
    fsh_step_receive(p, peer, seq, run);
}

/* Blocks of a host that go to or from another leader; `next` of its ranks have. */
struct moving {
    uint32_t host, next, seq, peer;
    move_fn move;
};

static struct moving moving_of(const struct plan *t, uint32_t w, uint32_t peer,
                               move_fn move)
{
    return (struct moving){.host = (w + t->away.top) % t->hosts,
                           .seq = SEQ_HOSTS,
                           .peer = at(&t->away, peer),
                           .move = move};
}

/* The next run; false: there is none. */
static bool move_run(struct fsh_program *p, const struct plan *t,
                     struct moving *m, enum fsh_program_place place)
{
    uint32_t first = t->first[m->host], run;

    if (first + m->next == t->first[m->host + 1])
        return false;
    run = run_of(t, m->host, m->next);
    m->move(p, fsh_blocks(place, t->ranks[first + m->next], run), m->peer,
            m->seq++);
    m->next += run;
    return true;
}

/* All blocks of the w-th host, with the `peer`-th. */
static void move_host(struct fsh_program *p, const struct plan *t, uint32_t w,
                      uint32_t peer, move_fn move, enum fsh_program_place place)
{
    struct moving m = moving_of(t, w, peer, move);

    while (move_run(p, t, &m, place))
        ;
}

/* The blocks of the other ranks here, one each. */
static void move_here(struct fsh_program *p, const struct plan *t, move_fn move,
                      enum fsh_program_place place)
{
    for (uint32_t w = 1; w < t->here.count; w++)
        move(p, fsh_blocks(place, at(&t->here, w), 1), at(&t->here, w),
             SEQ_HERE);
}

static void gather(struct fsh_program *p, const struct plan *t, uint32_t rank)
{
    range_t own = fsh_blocks(FSH_PROGRAM_SRC, rank, 1);
    bool is_root = leads(t) && t->away.w == 0;
    enum fsh_program_place place = is_root ? FSH_PROGRAM_DST : FSH_PROGRAM_TMP;

    if (!leads(t)) {
        fsh_step_send(p, NULL, own, at(&t->here, 0), SEQ_HERE);
        return;
    }
    fsh_step_local(p, own)->store = fsh_blocks(place, rank, 1);
    move_here(p, t, receive_run, place);
    if (!is_root)
        move_host(p, t, t->away.w, 0, send_run, place);
    for (uint32_t w = 1; is_root && w < t->hosts; w++)
        move_host(p, t, w, w, receive_run, place);
}

static void scatter(struct fsh_program *p, const struct plan *t, uint32_t rank)
{
    range_t own = fsh_blocks(FSH_PROGRAM_DST, rank, 1);
    bool is_root = leads(t) && t->away.w == 0;
    enum fsh_program_place place = is_root ? FSH_PROGRAM_SRC : FSH_PROGRAM_TMP;

    if (!leads(t)) {
        fsh_step_receive(p, at(&t->here, 0), SEQ_HERE, own);
        return;
    }
    for (uint32_t w = 1; is_root && w < t->hosts; w++)
        move_host(p, t, w, w, send_run, place);
    if (!is_root)
        move_host(p, t, t->away.w, 0, receive_run, place);
    move_here(p, t, send_run, place);
    fsh_step_local(p, fsh_blocks(place, rank, 1))->store = own;
}

/* In turns, so that no leader has more than one run that waits for another's turn: an
 * executor looks at a few steps only. */
static void exchange(struct fsh_program *p, const struct plan *t, uint32_t d)
{
    uint32_t w = t->away.w, from = w + t->hosts - d;
    struct moving out = moving_of(t, w, w + d, send_run);
    struct moving in = moving_of(t, from, from, receive_run);
    bool any = true;

    while (any) {
        any = move_run(p, t, &out, FSH_PROGRAM_DST);
        any |= move_run(p, t, &in, FSH_PROGRAM_DST);
    }
}

/* Each rank gets its own block with the others. */
static void allgather(struct fsh_program *p, const struct plan *t,
                      const shape_t *s, uint32_t rank)
{
    range_t own = fsh_blocks(FSH_PROGRAM_SRC, rank, 1);
    range_t all = fsh_blocks(FSH_PROGRAM_DST, 0, s->size);
    step_t *made = NULL;

    if (leads(t)) {
        fsh_step_local(p, own)->store = fsh_blocks(FSH_PROGRAM_DST, rank, 1);
        move_here(p, t, receive_run, FSH_PROGRAM_DST);
        for (uint32_t d = 1; d < t->hosts; d++)
            exchange(p, t, d);
    } else {
        fsh_step_send(p, NULL, own, at(&t->here, 0), SEQ_HERE);
        made = fsh_step_receive(p, parent(&t->here, false), SEQ_HERE, all);
    }
    send_down(p, &t->here, false, made, all, SEQ_HERE);
}

/* ---- an idempotent operation ---- */

static void known(struct fsh_program *p, const struct plan *t)
{
    range_t src = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    const struct level *away = &t->away;
    step_t *made;

    if (!leads(t)) {
        fsh_step_send(p, NULL, src, at(&t->here, 0), SEQ_HERE);
        made = fsh_step_receive(p, parent(&t->here, false), SEQ_HERE, dst);
        send_down(p, &t->here, false, made, dst, SEQ_HERE);
        return;
    }
    made = fsh_step_local(p, src);
    made->store = dst;
    for (uint32_t w = 1; w < t->here.count; w++)
        made = fsh_step_fold(p, dst, at(&t->here, w), SEQ_HERE, dst);
    for (uint32_t d = 1, seq = SEQ_HOSTS; d < t->hosts; d <<= 1, seq++) {
        fsh_step_send(p, made, dst, at(away, away->w + d), seq);
        made =
            fsh_step_fold(p, dst, at(away, away->w + t->hosts - d), seq, dst);
    }
    send_down(p, &t->here, false, made, dst, SEQ_HERE);
}

/* ---- the order TREE, of subtrees ---- */

bool fsh_program_are_subtrees(const uint16_t *host, uint32_t size)
{
    bool seen[FSH_PROGRAM_MAX_RANKS] = {false};
    uint32_t each = 1;

    while (each < size && host[each] == host[0])
        each++;
    if ((size & (size - 1)) != 0 || (each & (each - 1)) != 0)
        return false;
    for (uint32_t r = 0; r < size; r++) {
        if (r % each == 0 ? seen[host[r]] : host[r] != host[r - 1])
            return false;
        seen[host[r]] = true;
    }
    return true;
}

static void reduce_tree(struct fsh_program *p, const struct plan *t)
{
    range_t have = fsh_blocks(FSH_PROGRAM_SRC, 0, 1);
    range_t sum = fsh_blocks(FSH_PROGRAM_TMP, 0, 1);
    range_t dst = fsh_blocks(FSH_PROGRAM_DST, 0, 1);
    uint32_t w = t->here.w, seq = SEQ_HOSTS;
    step_t *made = NULL;

    for (uint32_t d = 1; d < t->here.count && (w & d) == 0; d <<= 1) {
        made = fsh_step_fold(p, have, at(&t->here, w + d), SEQ_HERE, sum);
        have = sum;
    }
    if (!leads(t)) {
        fsh_step_send(p, made, have, parent(&t->here, false), SEQ_HERE);
        made = fsh_step_receive(p, parent(&t->here, false), SEQ_HERE, dst);
    }
    for (uint32_t d = 1; leads(t) && d < t->hosts; d <<= 1, seq++) {
        uint32_t other = at(&t->away, t->away.w ^ d);

        fsh_step_send(p, made, have, other, seq);
        sum = 2 * d == t->hosts ? dst : sum;
        made = fsh_step_fold(p, have, other, seq, sum);
        have = sum;
    }
    send_down(p, &t->here, false, made, dst, SEQ_HERE);
}

/* ---- */

static void build(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct plan t;

    make_plan(&t, p, s, rank);
    switch (s->call) {
    case FSH_PROGRAM_BROADCAST:
        broadcast(p, &t, false);
        break;
    case FSH_PROGRAM_GATHER:
        gather(p, &t, rank);
        break;
    case FSH_PROGRAM_SCATTER:
        scatter(p, &t, rank);
        break;
    case FSH_PROGRAM_ALLGATHER:
        allgather(p, &t, s, rank);
        break;
    default:
        known(p, &t);
    }
}

static void build_long(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct plan t;

    make_plan(&t, p, s, rank);
    broadcast(p, &t, true);
}

static void build_tree(struct fsh_program *p, const shape_t *s, uint32_t rank)
{
    struct plan t;

    make_plan(&t, p, s, rank);
    reduce_tree(p, &t);
}

static uint32_t blocks(const shape_t *s)
{
    return s->call == FSH_PROGRAM_BROADCAST || s->call == FSH_PROGRAM_ALLREDUCE
               ? 1
               : s->size;
}

const struct fsh_program_algorithm fsh_program_two_level = {
    .name = "two_level",
    .calls = 1u << FSH_PROGRAM_BROADCAST | 1u << FSH_PROGRAM_GATHER |
             1u << FSH_PROGRAM_SCATTER | 1u << FSH_PROGRAM_ALLGATHER |
             1u << FSH_PROGRAM_ALLREDUCE,
    .order = FSH_PROGRAM_ANY,
    .about = "within hosts, and between one rank of each",
    .blocks = blocks,
    .build = build};

const struct fsh_program_algorithm fsh_program_two_level_long = {
    .name = "two_level",
    .calls = 1u << FSH_PROGRAM_BROADCAST,
    .order = FSH_PROGRAM_ANY,
    .about = "chains of hosts, and within each: long messages",
    .blocks = blocks,
    .build = build_long};

const struct fsh_program_algorithm fsh_program_two_level_tree = {
    .name = "two_level",
    .calls = 1u << FSH_PROGRAM_ALLREDUCE,
    .order = FSH_PROGRAM_TREE,
    .about = "within hosts whose ranks are subtrees, and between one of each",
    .blocks = blocks,
    .build = build_tree};
