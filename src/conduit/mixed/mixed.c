/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Conduit mixed: some ranks have a card, the others have none. Composed of conduits, by
 * pairs of ranks: between ranks with cards, and from such a rank to itself, everything goes
 * through the cards (conduit fpga); all other pairs are the rest, which uses the shared
 * memory of their host (conduit/local.h), where segments of ranks without a card are, and
 * between hosts the network (conduit ofi). The memory of a card is reached by no other
 * rank: from ranks without a card the library goes through the card's own rank (`reaches`).
 * Whose card is which is in the job's page only. Any thread.
 */
#include <inttypes.h>

#include "base/assertion.h"
#include "base/fsh_spec.h"
#include "base/log.h"
#include "base/option.h"
#include "boot/boot.h"
#include "conduit/cards.h"
#include "conduit/local.h"
#include "conduit/spread.h"
#include "device/sim/sim_shm.h"

/* Sleep of a rank with a card, which messages through shared memory do not end. */
#define NAP_NS UINT64_C(200000)

static const struct fsh_conduit_ops *const cards = &fsh_conduit_fpga;
static const struct fsh_conduit_ops by_memory = {
    .am_request = fsh_local_request,
    .am_reply = fsh_local_reply,
    .am_try_request = fsh_local_try_request,
    .am_try_reply = fsh_local_try_reply,
    .put = fsh_local_put,
    .get = fsh_local_get,
    .poll = fsh_local_poll,
    .wait = fsh_local_wait,
    .describe = fsh_local_describe,
};
static const struct fsh_conduit_ops *rest = &by_memory; /* or conduit ofi */
static bool here; /* this rank has a card */
static bool ready;

static bool has_card(uint32_t rank)
{
    return fsh_boot_node(rank) != FSH_JOB_NO_NODE;
}

static bool by_card(uint32_t rank)
{
    return here && has_card(rank);
}

static bool reaches(uint32_t rank)
{
    return here || !has_card(rank);
}

/* ---- progress ---- */

static bool poll_all(void)
{
    bool any = rest->poll();

    if (here)
        any |= cards->poll();
    return any;
}

static void wait_for(uint64_t max_ns, bool memory)
{
    if (here)
        cards->wait(max_ns < NAP_NS ? max_ns : NAP_NS, memory);
    else
        rest->wait(max_ns, memory);
}

/* ---- setup ---- */

static bool usable(char *why, size_t whylen)
{
    return cards->usable(why, whylen);
}

static void open_rest(enum fsh_threads threads, struct fsh_limits *limits)
{
    static const struct fsh_local_elsewhere elsewhere = {.poll = poll_all};

    if (fsh_boot_hosts() == 1) {
        fsh_local_init(threads, NULL, &elsewhere, limits);
        return;
    }
    rest = &fsh_conduit_ofi;
    fsh_spread_open(threads, poll_all, limits);
}

/* What a rank tells all others. */
struct facts {
    uint64_t cards; /* the ranks that have one, as its host has been told */
    uint64_t max_segment;
};

/* Hosts read the setting by themselves. */
static void check_cards(uint64_t mine, uint32_t rank, uint64_t theirs)
{
    if (mine != theirs)
        fsh_fatal("FSHMEM_CARDS=%s: here ranks of mask %#" PRIx64
                  " have a card, at rank %" PRIu32 " those of %#" PRIx64
                  ": set it for rank 0 only, or alike on all hosts",
                  fsh_option_str("FSHMEM_CARDS"), mine, rank, theirs);
}

static void init(enum fsh_threads threads, struct fsh_limits *limits)
{
    struct facts mine = {.cards = 0}, all[FSH_MAX_NODES];
    struct fsh_limits others;

    here = has_card(fsh_boot_rank());
    for (uint32_t r = 0; r < fsh_boot_size(); r++)
        mine.cards |= (uint64_t)has_card(r) << r;
    open_rest(threads, &others);
    *limits = others;
    if (here)
        fsh_cards_open(threads, rest->poll, limits);
    limits->am_max_medium = FSH_MAX_MEDIUM;
    limits->am_max_long_request = limits->am_max_long_reply =
        FSH_CARDS_MAX_LONG;
    limits->am_max_carrier = others.am_max_medium;
    mine.max_segment = limits->max_segment_local;
    fsh_boot_exchange(&mine, sizeof mine, all);
    for (uint32_t r = 0; r < fsh_boot_size(); r++) {
        check_cards(mine.cards, r, all[r].cards);
        if (all[r].max_segment < limits->max_segment_global)
            limits->max_segment_global = all[r].max_segment;
    }
}

/* What is in a card is not in the memory of a host. */
static void open_segments(const struct fsh_card_facts *all,
                          struct fsh_segment *segs)
{
    const struct fsh_segment none = {NULL, 0};

    for (uint32_t r = 0; r < fsh_boot_size(); r++)
        segs[r] = has_card(r) ? none : all[r].segment;
    if (rest == &by_memory)
        fsh_local_map(segs, 0);
    else
        fsh_spread_segments(here ? &none : &all[fsh_boot_rank()].segment, segs);
}

static void attach(size_t size, struct fsh_segment *segs)
{
    struct fsh_card_facts mine = {.engines = 0}, all[FSH_MAX_NODES];

    if (here)
        fsh_cards_segment(size, &mine);
    else
        mine.segment = (struct fsh_segment){fsh_local_segment(size, 0), size};
    fsh_boot_exchange(&mine, sizeof mine, all);
    open_segments(all, segs);
    for (uint32_t r = 0; r < fsh_boot_size(); r++)
        segs[r] = all[r].segment;
    if (here)
        fsh_cards_enable(all);
    ready = true;
    fsh_boot_barrier("all nodes to be ready");
}

/* The objects stay: other threads may be using them. */
static void fini(void)
{
    if (rest->fini != NULL)
        rest->fini();
}

/* ---- messages, put and get: by pairs ---- */

static void am_request(const struct fsh_am *am)
{
    (by_card(am->node) ? cards : rest)->am_request(am);
}

static void am_reply(struct fsh_token *token, const struct fsh_am *am)
{
    (by_card(token->source) ? cards : rest)->am_reply(token, am);
}

static bool am_try_request(const struct fsh_am *am)
{
    return (by_card(am->node) ? cards : rest)->am_try_request(am);
}

static bool am_try_reply(struct fsh_token *token, const struct fsh_am *am)
{
    return (by_card(token->source) ? cards : rest)->am_try_reply(token, am);
}

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *remote)
{
    FSH_ASSERT(reaches(node));
    (by_card(node) ? cards : rest)->put(node, dst, src, n, local, remote);
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *done)
{
    FSH_ASSERT(reaches(node));
    (by_card(node) ? cards : rest)->get(dst, node, src, n, done);
}

/* ---- what only cards have ---- */

static bool compute_present(uint32_t node)
{
    return by_card(node) && cards->compute->present(node);
}

static int compute_number(uint32_t node)
{
    return compute_present(node) ? (int)fsh_boot_node(node) : -1;
}

static bool compute_send(uint32_t node, const uint64_t *message,
                         struct fsh_answer *answer)
{
    return cards->compute->send(node, message, answer);
}

static void compute_counters(uint64_t *words)
{
    cards->compute->counters(words);
}

static void compute_counters_clear(void)
{
    cards->compute->counters_clear();
}

static const struct fsh_compute_ops compute = {
    .present = compute_present,
    .number = compute_number,
    .send = compute_send,
    .counters = compute_counters,
    .counters_clear = compute_counters_clear,
};

static bool card_present(void)
{
    return has_card(fsh_boot_rank());
}

static bool card_memory(struct fsh_card_memory *memory, char *why,
                        size_t whylen)
{
    return cards->card->memory(memory, why, whylen);
}

static bool card_start(const struct fsh_card_move *move)
{
    return cards->card->start(move);
}

static bool card_poll(void)
{
    return cards->card->poll();
}

static void card_wait(uint64_t max_ns)
{
    cards->card->wait(max_ns);
}

static const struct fsh_card_ops card = {
    .present = card_present,
    .memory = card_memory,
    .start = card_start,
    .poll = card_poll,
    .wait = card_wait,
};

/* ---- what only ranks without a card have: segments that others map ---- */

static bool map(uint32_t node, void **at, const uint32_t **watching)
{
    return !has_card(node) && fsh_local_direct.map(node, at, watching);
}

static void poke(uint32_t node)
{
    fsh_local_direct.poke(node);
}

static unsigned char *board(uint32_t node, uint32_t index)
{
    return has_card(node) ? NULL : fsh_local_direct.board(node, index);
}

static const struct fsh_direct_ops direct = {
    .map = map, .poke = poke, .board = board};

/* ---- barriers of all ranks: past the cards, in two levels over hosts ---- */

static const struct fsh_barrier_ops *meeting(void)
{
    return rest == &by_memory ? &fsh_local_barrier : rest->barrier;
}

static bool meets(void)
{
    return meeting()->present();
}

static void arrive(uint32_t phase, uint64_t opinion, fsh_merge_fn merge)
{
    meeting()->arrive(phase, opinion, merge);
}

static bool arrived(uint64_t *opinion, uint32_t *missing)
{
    return meeting()->arrived(opinion, missing);
}

static const struct fsh_barrier_ops barrier = {
    .present = meets, .arrive = arrive, .arrived = arrived};

/* ---- */

static void describe(void (*line)(void *arg, const char *text), void *arg)
{
    if (!ready)
        return;
    rest->describe(line, arg);
    if (here)
        cards->describe(line, arg);
}

#define WHOLE_PAGES(bytes) (((bytes) + 4095) & ~(size_t)4095)

static const struct fsh_job_needs needs = {
    .conduit = "mixed",
    .max_ranks = FSH_MAX_NODES,
    .segment_option = "FSHMEM_SEGMENT_MAX (of a rank with a card, FSHMEM_DRAM)",
    .shared_bytes = fsh_local_bytes,
    .nodes = true,
    .mixed = true,
    .spreads = true,
    .dma_bytes = FSH_SIM_DMA_BYTES,
    .mmio_bytes = WHOLE_PAGES(sizeof(struct fsh_sim_mmio)),
    .fabric_bytes = WHOLE_PAGES(sizeof(struct fsh_sim_fabric)),
};

const struct fsh_conduit_ops fsh_conduit_mixed = {
    .name = "mixed",
    .needs = &needs,
    .direct = &direct,
    .barrier = &barrier,
    .compute = &compute,
    .card = &card,
    .usable = usable,
    .init = init,
    .attach = attach,
    .share = fsh_local_share,
    .fini = fini,
    .am_request = am_request,
    .am_reply = am_reply,
    .am_try_request = am_try_request,
    .am_try_reply = am_try_reply,
    .reaches = reaches,
    .put = put,
    .get = get,
    .poll = poll_all,
    .spin = poll_all,
    .wait = wait_for,
    .describe = describe,
};
