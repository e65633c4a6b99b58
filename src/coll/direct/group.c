/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/membarrier.h"
#include "base/spin.h"
#include "coll/direct/group.h"

struct fsh_coll_group *fsh_coll_group_make(
    uint32_t rank, uint32_t size, const struct fsh_coll_member *members,
    fsh_coll_poke_fn poke, void *arg)
{
    struct fsh_coll_group *g =
        calloc(1, sizeof *g + size * sizeof g->member[0]);

    if (g == NULL)
        return NULL;
    g->rank = rank;
    g->size = size;
    g->poke = poke;
    g->arg = arg;
    memcpy(g->member, members, size * sizeof *members);
    for (uint32_t i = 0; i < size; i++)
        g->watched |= i != rank && members[i].watching != NULL;
    g->reached = calloc(size, sizeof *g->reached);
    g->scratch = aligned_alloc(64, (FSH_DIRECT_DEPTH + 1) * FSH_DIRECT_CHUNK);
    if (g->reached == NULL || g->scratch == NULL) {
        fsh_coll_group_free(g);
        return NULL;
    }
    g->aside = g->scratch + FSH_DIRECT_DEPTH * FSH_DIRECT_CHUNK;
    return g;
}

void fsh_coll_group_free(struct fsh_coll_group *g)
{
    if (g == NULL)
        return;
    free(g->reached);
    free(g->scratch);
    free(g);
}

/* ---- publishing and waiting for numbers ---- */

static struct fsh_slot *slot_of(const struct fsh_coll_group *g, uint32_t member,
                                uint64_t number)
{
    return fsh_board_slot(g->member[member].board, member, number);
}

/* Acquire, partner: fsh_direct_publish. A slot only counts up, so a member that is
 * ahead has passed the number. */
static bool has_come(struct fsh_coll_direct_op *op, uint32_t member,
                     uint64_t number)
{
    const struct fsh_slot *slot = slot_of(op->group, member, number);
    uint64_t word = atomic_load_explicit(&slot->number, memory_order_acquire);
    uint64_t has = word >> FSH_CLAIM_BITS;

    /* For a member that is ahead, the operation can no longer be compared. */
    if (__builtin_expect(has == op->number &&
                             ((word ^ op->work.claim) & FSH_CLAIM_MASK) != 0,
                         0))
        op->disagrees = true;
    return has >= number && !op->disagrees;
}

bool fsh_direct_wait(struct fsh_coll_direct_op *op, struct fsh_members who,
                     uint64_t number, uint32_t *missing)
{
    const struct fsh_coll_group *g = op->group;

    if (g->all >= number)
        return true;
    for (uint32_t m = who.first + op->next; m < who.end; m++) {
        if (m != g->rank && !has_come(op, m, number)) {
            op->next = m - who.first;
            *missing = m;
            return false;
        }
    }
    op->next = 0;
    return true;
}

bool fsh_direct_wait_all(struct fsh_coll_direct_op *op, uint64_t number,
                         uint32_t *missing)
{
    if (!fsh_direct_wait(op, fsh_members_all(op), number, missing))
        return false;
    if (op->group->all < number)
        op->group->all = number;
    return true;
}

bool fsh_direct_wait_half(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    return fsh_direct_wait_all(op, op->number - 1, missing);
}

bool fsh_direct_agree(struct fsh_coll_direct_op *op, uint32_t *missing)
{
    /* Partner: the same fence on the other member, between its store and its
     * load. */
    atomic_thread_fence(memory_order_seq_cst);
    for (uint32_t m = 0; m < op->group->size && !op->disagrees; m++) {
        if (m == op->group->rank)
            continue;
        (void)has_come(op, m, op->number);
        *missing = m;
    }
    return !op->disagrees;
}

/* Call after storing the number. Pair D of conduit/smp/ring.h: this side stores, then
 * loads `watching`; the owner sets that, executes a heavy fence, and steps once more
 * before it sleeps. So either this side sees it watching, or it sees the number. */
static void wake_sleepers(const struct fsh_coll_group *g)
{
    fsh_light_fence();
    for (uint32_t m = 0; m < g->size; m++) {
        const uint32_t *watching = g->member[m].watching;

        if (m != g->rank && watching != NULL &&
            __builtin_expect(__atomic_load_n(watching, __ATOMIC_RELAXED) != 0,
                             0))
            g->poke(g->arg, m);
    }
}

void fsh_direct_publish(struct fsh_coll_direct_op *op)
{
    struct fsh_coll_group *g = op->group;

    if (op->work.client != NULL)
        *fsh_board_facts(g->member[g->rank].board, g->rank, op->number) =
            (struct fsh_board_facts){op->number, op->work.client->facts};
    g->number = op->number;
    /* Release, partner: has_come. Orders what this member wrote for this number, and
     * its reads for earlier numbers, whose data may now be overwritten. */
    atomic_store_explicit(&slot_of(g, g->rank, op->number)->number,
                          op->number << FSH_CLAIM_BITS |
                              (op->work.claim & FSH_CLAIM_MASK),
                          memory_order_release);
    if (g->watched)
        wake_sleepers(g);
}

bool fsh_coll_direct_facts(const struct fsh_coll_direct_op *op, uint32_t member,
                           struct fsh_coll_facts *facts)
{
    const struct fsh_board_facts *said =
        fsh_board_facts(op->group->member[member].board, member, op->number);

    *facts = said->facts;
    return said->number == op->number;
}

/* ---- buffers ---- */

/* Bytes that all members copy rather than each wait for all the others. */
#define ALL_COPY_MOST ((size_t)4 << 10)

/* A buffer's offset in this member's segment. */
static uint64_t offset_of(const struct fsh_coll_group *g, const void *buffer,
                          size_t bytes)
{
    const struct fsh_coll_member *me = &g->member[g->rank];
    uintptr_t offset = (uintptr_t)buffer - me->there;

    if (bytes == 0)
        return 0;
    if (me->here == NULL || offset > me->size || bytes > me->size - offset)
        return FSH_PRIVATE;
    return offset;
}

static uintptr_t reach(const struct fsh_coll_member *m, uint64_t offset)
{
    return offset == FSH_PRIVATE ? 0 : (uintptr_t)m->here + offset;
}

static void hear(const struct fsh_coll_group *g, uint32_t m, uint64_t number)
{
    struct fsh_said said;

    memcpy(&said, slot_of(g, m, number)->payload, sizeof said);
    g->reached[m] = (struct fsh_reached){
        .src = reach(&g->member[m], said.src),
        .dst = reach(&g->member[m], said.dst),
        .in_place = said.in_place != 0,
    };
}

/* When oversubscribed, waiting for peers to read takes longer than copying a round's
 * worth of bytes, or less where all members copy. Each member decides for itself. */
static bool is_better_copied(const struct fsh_coll_direct_op *op)
{
    struct fsh_members givers = fsh_direct_givers(op);

    return op->way == FSH_DIRECT_PULLED && op->to == op->block &&
           fsh_spin_crowded() &&
           (op->block <= ALL_COPY_MOST || givers.end - givers.first == 1);
}

void fsh_direct_say(struct fsh_coll_direct_op *op)
{
    const struct fsh_coll_group *g = op->group;
    const struct fsh_coll_work *w = &op->work;
    struct fsh_said said = {
        .src = offset_of(g, w->src, fsh_direct_src_bytes(op)),
        .dst = offset_of(g, w->dst, op->block),
        .in_place = w->src == w->dst,
    };

    if (fsh_direct_overwrites(op) || is_better_copied(op))
        said.src = FSH_PRIVATE;
    memcpy(slot_of(g, g->rank, op->number)->payload, &said, sizeof said);
    hear(g, g->rank, op->number);
}

void fsh_direct_hear(struct fsh_coll_direct_op *op, struct fsh_members who)
{
    for (uint32_t m = who.first; m < who.end; m++)
        hear(op->group, m, op->number);
}
