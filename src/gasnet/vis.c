/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vector, indexed and strided transfers: walks both sides in parallel and
 * starts one put or get on the caller's event for each stretch that is
 * contiguous on both. Adjacent pieces, and array dimensions without gaps, are
 * merged first. Allocates nothing and keeps no reference to the lists. Client
 * threads only.
 */
#include "base/log.h"
#include "gasnet/internal.h"

/* Dimensions with one element are dropped; with more than this left, the pieces
 * would overflow a 64-bit count. */
#define LEVELS 63

enum direction { GET, PUT };

/* The local side is always the side of this node. */
struct transfer {
    const char *call;
    uint32_t node;
    enum direction direction;
    struct fsh_event *event;
};

/* One side of a vector or indexed transfer, with the current position. */
struct list {
    const char *name;           /* of the argument */
    const gasnet_memvec_t *vec; /* either this */
    void *const *addr;          /* or this, len bytes each */
    size_t len;
    size_t count;
    size_t next;
    char *at; /* the stretch being moved */
    size_t left;
};

static void begin(const struct transfer *t)
{
    /* Without any bytes the node must still exist. */
    if (__builtin_expect(t->node >= fsh_gasnet.nodes || !fsh_gasnet.attached,
                         0))
        fsh_bad_range(t->call, t->node, NULL, 0);
}

static void move(const struct transfer *t, void *remote, void *local, size_t n)
{
    if (t->direction == PUT)
        fsh_gasnet.ops->put(t->node, remote, local, n, t->event, t->event);
    else
        fsh_gasnet.ops->get(local, t->node, remote, n, t->event);
}

/* ---- vector and indexed ---- */

static size_t length_at(const struct list *l, size_t i)
{
    return l->vec != NULL ? l->vec[i].len : l->len;
}

static char *address_at(const struct list *l, size_t i)
{
    return l->vec != NULL ? l->vec[i].addr : l->addr[i];
}

/* Advances to the next stretch: a piece and its contiguous successors. */
static bool next_stretch(struct list *l)
{
    while (l->next < l->count && length_at(l, l->next) == 0)
        l->next++;
    if (l->next == l->count)
        return false;
    l->at = address_at(l, l->next);
    l->left = length_at(l, l->next++);
    for (; l->next < l->count; l->next++) {
        size_t n = length_at(l, l->next);

        if (n != 0 && address_at(l, l->next) != l->at + l->left)
            break;
        l->left += n;
    }
    return true;
}

static size_t total(const struct list *l)
{
    size_t sum = 0;

    if (l->vec == NULL)
        return l->count * l->len;
    for (size_t i = 0; i < l->count; i++)
        sum += l->vec[i].len;
    return sum;
}

static void move_lists(const struct transfer *t, struct list *dst,
                       struct list *src)
{
    struct list *remote = t->direction == PUT ? dst : src;
    struct list *local = t->direction == PUT ? src : dst;
    size_t dst_bytes = total(dst), src_bytes = total(src);

    begin(t);
    if (dst_bytes != src_bytes)
        fsh_fatal("%s: dstlist holds %zu bytes, but srclist holds %zu", t->call,
                  dst_bytes, src_bytes);
    for (size_t left = dst_bytes; left != 0;) {
        size_t n;

        if (remote->left == 0) {
            next_stretch(remote);
            fsh_check_range(t->call, t->node, remote->at, remote->left);
        }
        if (local->left == 0)
            next_stretch(local);
        n = remote->left < local->left ? remote->left : local->left;
        FSH_ASSERT(n != 0 && n <= left); /* both sides have equal bytes */
        move(t, remote->at, local->at, n);
        remote->at += n;
        remote->left -= n;
        local->at += n;
        local->left -= n;
        left -= n;
    }
}

static void vector(const struct transfer *t, size_t dstcount,
                   const gasnet_memvec_t *dstlist, size_t srccount,
                   const gasnet_memvec_t *srclist)
{
    static const gasnet_memvec_t none;
    struct list dst = {.vec = dstcount == 0 ? &none : dstlist,
                       .count = dstcount};
    struct list src = {.vec = srccount == 0 ? &none : srclist,
                       .count = srccount};

    if (dst.vec == NULL || src.vec == NULL)
        fsh_fatal("%s: %s is null", t->call,
                  dst.vec == NULL ? "dstlist" : "srclist");
    move_lists(t, &dst, &src);
}

static void indexed(const struct transfer *t, struct list *dst,
                    struct list *src)
{
    if ((dst->count != 0 && dst->addr == NULL) ||
        (src->count != 0 && src->addr == NULL))
        fsh_fatal("%s: %s is null", t->call,
                  dst->count != 0 && dst->addr == NULL ? "dstlist" : "srclist");
    move_lists(t, dst, src);
}

/* ---- strided ---- */

/* One side of a strided transfer: base address and strides; stride i belongs to
 * count i + 1. Clients give negative ones as a size_t that wraps. */
struct side {
    char *at;
    ptrdiff_t stride[LEVELS];
};

struct section {
    struct side dst;
    struct side src;
    size_t count[LEVELS + 1];
    size_t levels;
};

/* Whether the next dimension continues the last one kept without a gap. */
static bool follows(const struct section *s, const struct side *side,
                    size_t stride)
{
    size_t unit = s->levels == 0 ? 1 : (size_t)side->stride[s->levels - 1];

    return stride == unit * s->count[s->levels];
}

/* Adds a dimension, or extends the last one if there is no gap between them. */
static void add_dimension(const char *call, struct section *s, size_t dst,
                          size_t src, size_t count)
{
    if (count == 1)
        return;
    if (follows(s, &s->dst, dst) && follows(s, &s->src, src)) {
        s->count[s->levels] *= count;
        return;
    }
    if (s->levels == LEVELS)
        fsh_fatal("%s: more than %d of the stridelevels have more than one "
                  "element",
                  call, LEVELS);
    s->dst.stride[s->levels] = (ptrdiff_t)dst;
    s->src.stride[s->levels] = (ptrdiff_t)src;
    s->count[++s->levels] = count;
}

/* Checks that all pieces of the remote side are in the segment. Exact, since
 * the lowest and highest byte of the section belong to pieces. */
static void check_section(const struct transfer *t, const struct section *s,
                          const struct side *side)
{
    ptrdiff_t low = 0, high = 0;
    bool lost = false;

    for (size_t i = 0; i < s->levels; i++) {
        ptrdiff_t way;

        lost |=
            __builtin_mul_overflow(side->stride[i], s->count[i + 1] - 1, &way);
        if (way < 0)
            lost |= __builtin_add_overflow(low, way, &low);
        else
            lost |= __builtin_add_overflow(high, way, &high);
    }
    lost |= __builtin_add_overflow(high, s->count[0], &high);
    if (lost)
        fsh_bad_range(t->call, t->node, side->at, SIZE_MAX);
    fsh_check_range(t->call, t->node, side->at + low, (size_t)(high - low));
}

/* Transfers all pieces: a loop over the first dimension, an odometer over the
 * others. */
static void move_section(const struct transfer *t, struct section *s)
{
    struct side *remote = t->direction == PUT ? &s->dst : &s->src;
    struct side *local = t->direction == PUT ? &s->src : &s->dst;
    size_t index[LEVELS + 1] = {0}, level, inner, n = s->count[0];

    if (s->levels == 0) {
        move(t, remote->at, local->at, n);
        return;
    }
    FSH_ASSERT(s->levels <= LEVELS && n != 0);
    inner = s->count[1];
    do {
        char *r = remote->at, *l = local->at;

        for (size_t i = 0; i < inner; i++) {
            move(t, r, l, n);
            r += remote->stride[0];
            l += local->stride[0];
        }
        for (level = 1; level < s->levels; level++) {
            remote->at += remote->stride[level];
            local->at += local->stride[level];
            if (++index[level] < s->count[level + 1])
                break;
            ptrdiff_t walked = (ptrdiff_t)index[level];
            remote->at -= remote->stride[level] * walked;
            local->at -= local->stride[level] * walked;
            index[level] = 0;
        }
    } while (level < s->levels);
}

static void strided(const struct transfer *t, struct section *s,
                    const size_t *dststrides, const size_t *srcstrides,
                    const size_t *count, size_t stridelevels)
{
    begin(t);
    for (size_t i = 0; i <= stridelevels; i++)
        if (count[i] == 0)
            return;
    s->count[0] = count[0];
    for (size_t i = 0; i < stridelevels; i++)
        add_dimension(t->call, s, dststrides[i], srcstrides[i], count[i + 1]);
    check_section(t, s, t->direction == PUT ? &s->dst : &s->src);
    move_section(t, s);
}

/* ---- public calls ---- */

/* A call here brings the next poll closer by as much as 16 gets. */
#define WEIGHT (16 * FSH_GASNET_QUIET_CALL)

static void finish(const struct transfer *t)
{
    fsh_gasnet_until_poll -= WEIGHT;
    if (t->direction == GET)
        fsh_wait_get(t->event, t->call, t->node, 0);
    else
        fsh_wait_put(t->event, t->call, t->node, 0);
}

/* Defines the blocking, explicit and implicit forms of a call; START begins it
 * on t. */
#define FORMS(NAME, DIRECTION, PARAMS, START)                                \
    void gasnet_##NAME##_bulk PARAMS                                         \
    {                                                                        \
        FSH_CALL("gasnet_" #NAME "_bulk");                                   \
        struct fsh_event event = {0};                                        \
        const struct transfer t = {"gasnet_" #NAME "_bulk", node, DIRECTION, \
                                   &event};                                  \
                                                                             \
        START;                                                               \
        finish(&t);                                                          \
    }                                                                        \
    gasnet_handle_t gasnet_##NAME##_nb_bulk PARAMS                           \
    {                                                                        \
        FSH_CALL("gasnet_" #NAME "_nb_bulk");                                \
        struct fsh_thread *self = fsh_thread_self();                         \
        uint32_t slot = fsh_slot_take(self);                                 \
        const struct transfer t = {"gasnet_" #NAME "_nb_bulk", node,         \
                                   DIRECTION, &fsh_slot_at(slot)->event};    \
                                                                             \
        START;                                                               \
        return fsh_slot_started(self, slot, t.call, 0);                      \
    }                                                                        \
    void gasnet_##NAME##_nbi_bulk PARAMS                                     \
    {                                                                        \
        FSH_CALL("gasnet_" #NAME "_nbi_bulk");                               \
        struct fsh_thread *self = fsh_thread_self();                         \
        const struct transfer t = {                                          \
            "gasnet_" #NAME "_nbi_bulk", node, DIRECTION,                    \
            fsh_event_implicit(self, (DIRECTION) == PUT)};                   \
                                                                             \
        START;                                                               \
        if (fsh_event_done(t.event))                                         \
            fsh_call_done(t.call, 0);                                        \
    }

FORMS(putv, PUT,
      (gasnet_node_t node, size_t dstcount, gasnet_memvec_t const dstlist[],
       size_t srccount, gasnet_memvec_t const srclist[]),
      vector(&t, dstcount, dstlist, srccount, srclist))

FORMS(getv, GET,
      (size_t dstcount, gasnet_memvec_t const dstlist[], gasnet_node_t node,
       size_t srccount, gasnet_memvec_t const srclist[]),
      vector(&t, dstcount, dstlist, srccount, srclist))

/* clang-format off */
#define INDEXED                                                         \
    indexed(&t,                                                         \
            &(struct list){.addr = dstlist, .len = dstlen,              \
                           .count = dstcount},                          \
            &(struct list){.addr = srclist, .len = srclen,              \
                           .count = srccount})

#define STRIDED                                                         \
    struct section s = {.dst.at = dstaddr, .src.at = srcaddr};          \
    strided(&t, &s, dststrides, srcstrides, count, stridelevels)
/* clang-format on */

FORMS(puti, PUT,
      (gasnet_node_t node, size_t dstcount, void *const dstlist[],
       size_t dstlen, size_t srccount, void *const srclist[], size_t srclen),
      INDEXED)

FORMS(geti, GET,
      (size_t dstcount, void *const dstlist[], size_t dstlen,
       gasnet_node_t node, size_t srccount, void *const srclist[],
       size_t srclen),
      INDEXED)

FORMS(puts, PUT,
      (gasnet_node_t node, void *dstaddr, const size_t dststrides[],
       void *srcaddr, const size_t srcstrides[], const size_t count[],
       size_t stridelevels),
      STRIDED)

FORMS(gets, GET,
      (void *dstaddr, const size_t dststrides[], gasnet_node_t node,
       void *srcaddr, const size_t srcstrides[], const size_t count[],
       size_t stridelevels),
      STRIDED)
