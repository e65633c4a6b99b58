/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The barrier of all ranks of a job over hosts, on two levels: the ranks that reach each
 * other by memory gather at the first of them (conduit/local.h), the leaders of these
 * groups disseminate what they know (smp/meet.h), one message a round each, and release
 * their groups. A message needs no room at its target and carries a word as in shared
 * memory, phase and opinion; no leader is more than one barrier ahead of another, so two
 * sets of words suffice. See state.h.
 */
#include <stdlib.h>

#include "base/assertion.h"
#include "base/log.h"
#include "boot/boot.h"
#include "conduit/ofi/state.h"

#define PHASE_SHIFT 34
#define OPINION ((UINT64_C(1) << PHASE_SHIFT) - 1)

static struct {
    uint32_t *leader; /* by group, ascending */
    uint32_t groups, group;
    unsigned rounds;
    bool leads;
    /* Of the barrier at hand; one thread at a time. */
    fsh_merge_fn merge;
    uint64_t mine;
    bool gathered;
    unsigned round, which;
    /* What has come, by handlers of messages. */
    _Atomic uint64_t word[2][FSH_OFI_ROUNDS];
} meeting;

/* ---- groups ---- */

/* Whether another rank's group has none before it. */
static bool is_first(uint32_t rank, bool by_memory, bool *led)
{
    bool first = !by_memory || !led[fsh_boot_host(rank)];

    if (by_memory)
        led[fsh_boot_host(rank)] = true;
    return first;
}

void fsh_ofi_meet_open(const bool *by_memory)
{
    bool *led = calloc(fsh_boot_hosts(), sizeof *led);

    meeting.leader = calloc(fsh_ofi.ranks, sizeof *meeting.leader);
    if (led == NULL || meeting.leader == NULL)
        fsh_fatal("conduit ofi: no memory for a barrier of %u ranks",
                  fsh_ofi.ranks);
    for (uint32_t r = 0; r < fsh_ofi.ranks; r++) {
        if (!is_first(r, by_memory[r], led))
            continue;
        if (r == fsh_ofi.rank) {
            meeting.leads = true;
            meeting.group = meeting.groups;
        }
        meeting.leader[meeting.groups++] = r;
    }
    free(led);
    while (UINT32_C(1) << meeting.rounds < meeting.groups)
        meeting.rounds++;
}

/* The leader so many groups further on; before this one with `back`. */
static uint32_t partner(uint32_t distance, bool back)
{
    uint32_t n = meeting.groups, to = back ? n - distance : distance;

    return meeting.leader[(meeting.group + to) % n];
}

uint32_t fsh_ofi_meet_partners(uint32_t *ranks)
{
    uint32_t n = 0;

    for (unsigned r = 0; meeting.leads && r < meeting.rounds; r++) {
        ranks[n++] = partner(UINT32_C(1) << r, false);
        ranks[n++] = partner(UINT32_C(1) << r, true);
    }
    return n;
}

/* ---- messages ---- */

bool fsh_ofi_meet_came(const struct fsh_ofi_head *head)
{
    unsigned round = head->handler;
    unsigned which = head->dst >> PHASE_SHIFT & 1;

    if (!meeting.leads || round >= meeting.rounds ||
        head->source != partner(UINT32_C(1) << round, true))
        return false;
    /* Partner: the acquire in see. */
    atomic_store_explicit(&meeting.word[which][round], head->dst,
                          memory_order_release);
    return true;
}

static void give(void)
{
    uint32_t to = partner(UINT32_C(1) << meeting.round, false);
    struct fsh_ofi_peer *peer = &fsh_ofi.peers[to];
    struct fsh_ofi_head head = {.job = fsh_ofi.expect.job,
                                .source = fsh_ofi.rank,
                                .kind = FSH_OFI_MEET,
                                .handler = (uint8_t)meeting.round,
                                .dst = meeting.mine};

    pthread_mutex_lock(&fsh_ofi.lock);
    head.credit = peer->owed;
    peer->owed = 0;
    fsh_ofi_send(to, &head, NULL, false);
    fsh_ofi_expect_completion(); /* of the others' */
    pthread_mutex_unlock(&fsh_ofi.lock);
}

/* Whether the word of this round has come. */
static bool see(void)
{
    uint64_t w = atomic_load_explicit(
        &meeting.word[meeting.which][meeting.round], memory_order_acquire);

    if (w >> PHASE_SHIFT != meeting.mine >> PHASE_SHIFT)
        return false;
    meeting.mine = (meeting.mine & ~OPINION) |
                   meeting.merge(meeting.mine & OPINION, w & OPINION);
    return true;
}

/* ---- struct fsh_barrier_ops ---- */

static bool present(void)
{
    return true;
}

static void arrive(uint32_t phase, uint64_t opinion, fsh_merge_fn merge)
{
    fsh_local_barrier.arrive(phase, opinion, merge);
    meeting.mine = (uint64_t)phase << PHASE_SHIFT;
    meeting.merge = merge;
    meeting.which = phase & 1;
    meeting.round = 0;
    meeting.gathered = false;
}

/* The group's ranks are here: begin with the others. */
static bool gather(uint32_t *missing)
{
    uint64_t opinion;

    if (!fsh_local_gathered(&opinion, missing))
        return false;
    meeting.mine |= opinion;
    meeting.gathered = true;
    if (meeting.rounds != 0)
        give();
    return true;
}

static bool arrived(uint64_t *opinion, uint32_t *missing)
{
    if (fsh_ofi.away == 0)
        return fsh_local_barrier.arrived(opinion, missing);
    if (!meeting.leads) {
        *missing = fsh_local_leader();
        return fsh_local_released(opinion);
    }
    if (!meeting.gathered && !gather(missing))
        return false;
    while (meeting.round < meeting.rounds) {
        *missing = partner(UINT32_C(1) << meeting.round, true);
        if (!see())
            return false;
        if (++meeting.round < meeting.rounds)
            give();
    }
    *opinion = meeting.mine & OPINION;
    fsh_local_release(*opinion);
    return true;
}

const struct fsh_barrier_ops fsh_ofi_barrier = {
    .present = present, .arrive = arrive, .arrived = arrived};
