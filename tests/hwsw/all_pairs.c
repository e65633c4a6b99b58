/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-to-all rounds: puts, gets and active messages with payload from
 * each rank to each, of random sizes; every byte is checked, and those around
 * them; then sums over all ranks, by puts and flags along a tree and
 * by messages along it, with a different root each round. The caller chooses the topology:
 * rings, grids or random cables.
 * usage: all_pairs ROUNDS [--seed S]
 */
#include "../conform/conform.h"

#include <stdbool.h>

enum { H_MEDIUM = 128, H_LONG, H_ANSWER, H_UP, H_DOWN };
enum { SLOT = 12 << 10, SOME = 2048, MOST = 8192, EDGE = 64, FILLER = 0xa5 };
enum { SUMS = 24, BITS = 8 };
enum piece_kind { PUT, LONG, MEDIUM, KINDS };

/* Of a segment: slots for what comes, by source, and for what goes, by target. */
enum area { PUTS = PUT, LONGS = LONG, PUTS_FROM, LONGS_FROM, GOTTEN, AREAS };

/* What one rank sends to another in a round: both know it. */
struct piece {
    size_t bytes, at; /* at: in its slot, EDGE or more */
    unsigned key;
};

/* Behind them sums of the children in the tree, flags of theirs, and the whole sum. */
struct tree {
    uint64_t part[BITS][SUMS], flag[BITS], whole[SUMS], whole_flag;
};

static struct {
    uint64_t number;
    int mediums, longs, answers;
    /* By messages. */
    uint64_t sum[SUMS], whole[SUMS];
    int parts, wholes;
} now;

static unsigned char *slot(gasnet_node_t rank, unsigned area, gasnet_node_t by)
{
    return conf_addr(rank) + ((size_t)area * conf.n + by) * SLOT;
}

static struct tree *tree_of(gasnet_node_t rank)
{
    return (struct tree *)(void *)slot(rank, AREAS, 0);
}

static struct piece piece(uint64_t round, gasnet_node_t from, gasnet_node_t to,
                          enum piece_kind kind)
{
    uint64_t pair = (round << BITS | from) << BITS | to;
    struct conf_rng rng = conf_rng(pair * KINDS + kind);
    size_t most = conf_below(&rng, 8) ? SOME : MOST;
    struct piece p;

    if (kind == MEDIUM && most > gasnet_AMMaxMedium())
        most = gasnet_AMMaxMedium();
    p.bytes = conf_length(&rng, most);
    p.at = EDGE + conf_below(&rng, 256);
    p.key = (unsigned)conf_next(&rng) % 65521;
    return p;
}

/* ---- pairs ---- */

static void on_medium(gasnet_token_t token, void *data, size_t bytes)
{
    gasnet_node_t from;
    struct piece p;

    OK(gasnet_AMGetMsgSource(token, &from));
    p = piece(now.number, from, conf.me, MEDIUM);
    CHECK_EQ(bytes, p.bytes);
    CHECK_FILL(data, bytes, p.key);
    conf_add(&now.mediums, 1);
    OK(gasnet_AMReplyShort0(token, H_ANSWER));
}

static void on_long(gasnet_token_t token, void *data, size_t bytes)
{
    gasnet_node_t from;
    struct piece p;

    OK(gasnet_AMGetMsgSource(token, &from));
    p = piece(now.number, from, conf.me, LONG);
    CHECK_EQ(bytes, p.bytes);
    CHECK(data == slot(conf.me, LONGS, from) + p.at, "at %p", data);
    CHECK_FILL(data, bytes, p.key);
    conf_add(&now.longs, 1);
    OK(gasnet_AMReplyShort0(token, H_ANSWER));
}

static void on_answer(gasnet_token_t token)
{
    (void)token;
    conf_add(&now.answers, 1);
}

static void make_sources(void)
{
    for (gasnet_node_t to = 0; to < conf.n; to++) {
        struct piece put = piece(now.number, conf.me, to, PUT),
                     whole = piece(now.number, conf.me, to, LONG);

        conf_fill(slot(conf.me, PUTS_FROM, to), put.bytes, put.key);
        conf_fill(slot(conf.me, LONGS_FROM, to), whole.bytes, whole.key);
    }
}

/* What goes from here to a rank, and by a get what that one puts here. */
static void send_to(gasnet_node_t to)
{
    static unsigned char text[MOST];
    struct piece put = piece(now.number, conf.me, to, PUT),
                 medium = piece(now.number, conf.me, to, MEDIUM),
                 whole = piece(now.number, conf.me, to, LONG),
                 back = piece(now.number, to, conf.me, PUT);

    gasnet_put_nbi_bulk(to, slot(to, PUTS, conf.me) + put.at,
                        slot(conf.me, PUTS_FROM, to), put.bytes);
    conf_fill(text, medium.bytes, medium.key);
    OK(gasnet_AMRequestMedium0(to, H_MEDIUM, text, medium.bytes));
    OK(gasnet_AMRequestLongAsync0(to, H_LONG, slot(conf.me, LONGS_FROM, to),
                                  whole.bytes,
                                  slot(to, LONGS, conf.me) + whole.at));
    gasnet_get_nbi_bulk(slot(conf.me, GOTTEN, to) + back.at, to,
                        slot(to, PUTS_FROM, conf.me), back.bytes);
}

/* The slot of a source has this piece, and the filler around it, as for the next. */
static void check_slot(enum piece_kind kind, gasnet_node_t from)
{
    struct piece p = piece(now.number, from, conf.me, kind);
    unsigned char *to = slot(conf.me, (unsigned)kind, from);

    CHECK_BYTES(to, p.at, FILLER);
    CHECK_FILL(to + p.at, p.bytes, p.key);
    CHECK_BYTES(to + p.at + p.bytes, SLOT - p.at - p.bytes, FILLER);
    memset(to + p.at, FILLER, p.bytes);
}

static void pairs(void)
{
    struct conf_rng rng = conf_rng(now.number * 4096 + conf.me);
    gasnet_node_t first = (gasnet_node_t)conf_below(&rng, conf.n);

    make_sources();
    conf_barrier();
    for (gasnet_node_t i = 0; i < conf.n; i++)
        send_to((first + i) % conf.n);
    gasnet_wait_syncnbi_all();
    CONF_WAIT(now.answers, 2 * (int)conf.n);
    conf_barrier();
    CHECK_EQ(now.mediums, (int)conf.n);
    CHECK_EQ(now.longs, (int)conf.n);
    for (gasnet_node_t from = 0; from < conf.n; from++) {
        struct piece got = piece(now.number, from, conf.me, PUT);

        check_slot(PUT, from);
        check_slot(LONG, from);
        CHECK_FILL(slot(conf.me, GOTTEN, from) + got.at, got.bytes, got.key);
    }
}

/* ---- sums ---- */

static uint64_t value(gasnet_node_t rank, unsigned i)
{
    struct conf_rng rng = conf_rng(now.number << 20 | (uint64_t)rank << 8 | i);

    return conf_next(&rng);
}

static void check_whole(const uint64_t *whole)
{
    for (unsigned i = 0; i < SUMS; i++) {
        uint64_t sum = 0;

        for (gasnet_node_t rank = 0; rank < conf.n; rank++)
            sum += value(rank, i);
        CHECK(whole[i] == sum, "round %" PRIu64 ", sum %u", now.number, i);
    }
}

/* Place in a binomial tree whose root is another rank each round: the parent of r is r
 * without its lowest bit. */
static gasnet_node_t place(void)
{
    return (gasnet_node_t)((conf.me + now.number) % conf.n);
}

static gasnet_node_t rank_at(gasnet_node_t where)
{
    return (gasnet_node_t)((where + conf.n - now.number % conf.n) % conf.n);
}

/* Children: place + 1, 2, 4 ... below the lowest bit of place. */
static bool has_child(gasnet_node_t where, unsigned bit)
{
    return !(where & ((UINT64_C(2) << bit) - 1)) &&
           where + (1u << bit) < conf.n;
}

static void put_sums(gasnet_node_t to, uint64_t *there, uint64_t *flag,
                     uint64_t *sums)
{
    gasnet_put_bulk(to, there, sums, SUMS * sizeof *sums);
    gasnet_put(to, flag, &now.number, sizeof now.number);
}

static void sums_by_puts(void)
{
    struct tree *mine = tree_of(conf.me);
    gasnet_node_t where = place();
    uint64_t sum[SUMS];

    for (unsigned i = 0; i < SUMS; i++)
        sum[i] = value(conf.me, i);
    for (unsigned bit = 0; bit < BITS && has_child(where, bit); bit++) {
        volatile uint64_t *flag = &mine->flag[bit];

        conf_at(CONF_HERE);
        GASNET_BLOCKUNTIL(*flag == now.number);
        for (unsigned i = 0; i < SUMS; i++)
            sum[i] += mine->part[bit][i];
    }
    if (where) {
        gasnet_node_t up = rank_at(where & (where - 1));
        unsigned bit = (unsigned)__builtin_ctz(where);
        volatile uint64_t *flag = &mine->whole_flag;

        put_sums(up, tree_of(up)->part[bit], &tree_of(up)->flag[bit], sum);
        conf_at(CONF_HERE);
        GASNET_BLOCKUNTIL(*flag == now.number);
        memcpy(sum, mine->whole, sizeof sum);
    }
    for (unsigned bit = 0; bit < BITS && has_child(where, bit); bit++) {
        gasnet_node_t child = rank_at(where + (1u << bit));

        put_sums(child, tree_of(child)->whole, &tree_of(child)->whole_flag,
                 sum);
    }
    check_whole(sum);
}

static void on_up(gasnet_token_t token, void *data, size_t bytes)
{
    uint64_t part[SUMS];

    (void)token;
    CHECK_EQ(bytes, sizeof part);
    memcpy(part, data, sizeof part);
    for (unsigned i = 0; i < SUMS; i++)
        now.sum[i] += part[i];
    conf_add(&now.parts, 1);
}

static void on_down(gasnet_token_t token, void *data, size_t bytes)
{
    (void)token;
    CHECK_EQ(bytes, sizeof now.whole);
    memcpy(now.whole, data, sizeof now.whole);
    conf_add(&now.wholes, 1);
}

static void sums_by_messages(void)
{
    gasnet_node_t where = place();
    int children = 0;

    while (children < BITS && has_child(where, (unsigned)children))
        children++;
    CONF_WAIT(now.parts, children);
    for (unsigned i = 0; i < SUMS; i++)
        now.sum[i] += value(conf.me, i);
    if (where) {
        OK(gasnet_AMRequestMedium0(rank_at(where & (where - 1)), H_UP, now.sum,
                                   sizeof now.sum));
        CONF_WAIT(now.wholes, 1);
    } else {
        memcpy(now.whole, now.sum, sizeof now.whole);
    }
    for (int bit = 0; bit < children; bit++)
        OK(gasnet_AMRequestMedium0(rank_at(where + (1u << bit)), H_DOWN,
                                   now.whole, sizeof now.whole));
    check_whole(now.whole);
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_MEDIUM, on_medium},
                                     {H_LONG, on_long},
                                     {H_ANSWER, on_answer},
                                     {H_UP, on_up},
                                     {H_DOWN, on_down}};
    uint64_t rounds;
    size_t bytes;

    conf_init("all_pairs", &argc, &argv);
    rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    CHECK(conf.n <= 1u << BITS, "too many ranks");
    bytes = AREAS * (size_t)conf.n * SLOT + sizeof(struct tree);
    conf_attach(table, CONF_COUNT(table), bytes);
    memset(conf_addr(conf.me), 0, bytes);
    memset(slot(conf.me, PUTS, 0), FILLER, (size_t)conf.n * SLOT);
    memset(slot(conf.me, LONGS, 0), FILLER, (size_t)conf.n * SLOT);
    for (uint64_t round = 1; round <= rounds; round++) {
        memset(&now, 0, sizeof now);
        now.number = round;
        conf_barrier();
        pairs();
        sums_by_puts();
        sums_by_messages();
        conf_barrier();
    }
    conf_pass();
}
