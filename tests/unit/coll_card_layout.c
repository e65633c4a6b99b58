/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How calls of collectives lie in an engine's memory and are cut into parts, and what single
 * programs become: descriptors with all their sources, roots in place, encoded rings. What
 * engines make of them: coll_card.c.
 */
#include "check.h"
#include "coll/card/card.h"

typedef const struct fsh_program_algorithm *algorithm_t;

static uint32_t node[FSH_PROGRAM_SOURCES], number[FSH_PROGRAM_SOURCES];

static unsigned source(uint64_t *d, unsigned k)
{
    uint64_t w = k < 8 ? fsh_colldesc_sources0(d) : fsh_colldesc_sources1(d);

    return (unsigned)(w >> 8 * (k % 8) & 0xff);
}

/* Short parts are not behind long ones: what is left is divided. */
static void check_tails(void)
{
    const struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE,
                                        .size = 4};
    static const struct {
        size_t packets, large, parts, least;
    } want[] = {{1, 0, 1, 1},  {5, 0, 1, 5},  {6, 0, 2, 3},  {8, 1, 1, 0},
                {9, 0, 2, 5},  {16, 2, 2, 0}, {17, 1, 3, 5}, {18, 1, 3, 5},
                {22, 1, 4, 5}, {30, 2, 5, 5}, {64, 8, 8, 0}};

    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct fsh_card_cut cut = fsh_card_cut_of(
            fsh_program_named("ring"), &s, 4,
            s.size * want[i].packets * FSH_CARD_PACKET / 4, FSH_CARD_PACKET);

        CHECK(cut.large == want[i].large && cut.parts == want[i].parts &&
                  cut.least == want[i].least * FSH_CARD_PACKET,
              "%zu packets: %zu and %zu of %zu", want[i].packets, cut.large,
              cut.parts - cut.large, cut.least);
    }
}

/* What goes whole from step to step, or by quarters, has two parts, from two packets on. */
static void check_pairs(void)
{
    static const enum fsh_program_call calls[] = {
        FSH_PROGRAM_BROADCAST, FSH_PROGRAM_REDUCE, FSH_PROGRAM_ALLREDUCE,
        FSH_PROGRAM_ALLREDUCE};
    static const char *const names[] = {"binomial", "binomial", "doubling",
                                        "quarters"};

    for (unsigned c = 0; c < 4; c++)
        for (size_t packets = 1; packets <= FSH_CARD_PACKETS; packets++) {
            const struct fsh_program_shape s = {.call = calls[c], .size = 32};
            struct fsh_card_cut cut = fsh_card_cut_of(
                c == 3 ? &fsh_program_quarters : fsh_program_named(names[c]),
                &s, 8, packets * FSH_CARD_PACKET / 8 - 1, FSH_CARD_PACKET);
            size_t most = cut.large != 0 ? cut.most : cut.least;

            CHECK(cut.vector && cut.parts == (packets == 1 ? 1 : 2) &&
                      most == (packets + 1) / 2 * FSH_CARD_PACKET,
                  "%s of %zu packets: %zu parts of %zu", names[c], packets,
                  cut.parts, most);
        }
}

/* A ring is cut within its blocks: 8 packets of each, at the same place of the block. */
static void check_ring_cut(void)
{
    const struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE,
                                        .size = 8};
    const struct fsh_program_range fifth = {FSH_PROGRAM_DST, 5, 1};
    struct fsh_card_layout whole =
        fsh_card_layout_of(s.call, 0, 8, 4, 256 << 10);
    struct fsh_card_cut cut = fsh_card_cut_of(fsh_program_named("ring"), &s, 4,
                                              256 << 10, FSH_CARD_PACKET);
    struct fsh_card_part p = fsh_card_part_of(&whole, &cut, 3);

    CHECK(cut.parts == 16 && !cut.vector && p.offset == 0);
    CHECK(fsh_card_range_bytes(&p.layout, &fifth) == 8 << 10);
    CHECK(fsh_card_range_at(&p.layout, &fifth, 0) == (5 << 17) + (3 << 13));
    CHECK(fsh_card_range_at(&p.layout, &fifth,
                            fsh_card_room_pitch(&p.layout)) == 5 << 13);
}

/* Blocks stay where the client has them if each begins at a line, and only then. */
static void check_layouts(void)
{
    struct fsh_card_layout l =
        fsh_card_layout_of(FSH_PROGRAM_BROADCAST, 0, 2, 1, 256);

    CHECK(l.pitch == 0 && fsh_card_bytes(&l) == 256);
    CHECK(fsh_card_pieces(&l, FSH_PROGRAM_DST) == 1);
    l = fsh_card_layout_of(FSH_PROGRAM_BROADCAST, 0, 2, 1, 255);
    CHECK(l.pitch == 128 && fsh_card_bytes(&l) == 256);
    CHECK(fsh_card_pieces(&l, FSH_PROGRAM_DST) == 2);
    l = fsh_card_layout_of(FSH_PROGRAM_ALLREDUCE, 0, 1, 4, 5);
    CHECK(l.pitch == 0 && fsh_card_bytes(&l) == 64);
    l = fsh_card_layout_of(FSH_PROGRAM_GATHER, 2, 4, 1, 8);
    CHECK(l.pitch == 64 && fsh_card_bytes(&l) == 256);
    CHECK(fsh_card_pieces(&l, FSH_PROGRAM_SRC) == 1);
    CHECK(fsh_card_pieces(&l, FSH_PROGRAM_DST) == 4);
}

/* More sources than teams of so many ranks have. */
static void check_sources(void)
{
    static struct fsh_program_step one = {.local = {FSH_PROGRAM_TMP, 0, 1},
                                          .sources = FSH_PROGRAM_SOURCES,
                                          .dest = FSH_PROGRAM_NOBODY,
                                          .reduce = true};
    struct fsh_program program = {.blocks = 1, .steps = 1, .step = &one};
    uint32_t nodes[FSH_PROGRAM_SOURCES];
    struct fsh_card_sequence q = {
        .program = &program,
        .layout = fsh_card_layout_of(FSH_PROGRAM_BARRIER, 0, 1, 1, 0),
        .node = nodes,
        .number = nodes};
    uint64_t desc[1][FSH_COLLDESC_WORDS];

    for (unsigned k = 0; k < FSH_PROGRAM_SOURCES; k++) {
        one.source[k] = (uint16_t)k;
        nodes[k] = 3 * k + 7;
    }
    fsh_card_translate(&q, desc);
    CHECK(fsh_colldesc_count(desc[0]) == FSH_PROGRAM_SOURCES);
    for (unsigned k = 0; k < FSH_PROGRAM_SOURCES; k++)
        CHECK(source(desc[0], k) == nodes[k]);
    one.sources = 1;
    fsh_card_translate(&q, desc);
    CHECK(fsh_colldesc_sources0(desc[0]) == nodes[0] &&
          fsh_colldesc_sources1(desc[0]) == 0);
}

/* No rank gets more unasked than there is room for; from partners always. */
static void check_near(uint32_t sides)
{
    for (uint32_t n = 2; n <= FSH_CARD_RANKS; n++)
        for (uint32_t r = 0; r < n; r++) {
            unsigned from = 0;

            for (uint32_t a = 0; a < n; a++)
                from += a != r && fsh_program_near(n, sides, a, r);
            CHECK(from <= FSH_COLL_EAGER && !fsh_program_near(n, sides, r, r));
            CHECK((r ^ 1) >= n || fsh_program_near(n, sides, r ^ 1, r));
            CHECK(fsh_program_near(n, sides, (r + n - 1) % n, r));
        }
    CHECK(fsh_program_near(64, sides, 0, 32) &&
          fsh_program_near(64, sides, 60, 0) &&
          fsh_program_near(24, sides, 20, 4));
    CHECK(!fsh_program_near(64, sides, 0, 3) &&
          !fsh_program_near(64, sides, 52, 0));
}

/* What an engine gets has the same order. */
static void check_choice(void)
{
    for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
        for (size_t bytes = 8; bytes < 1 << 20; bytes *= 2) {
            const struct fsh_program_shape s = {
                .call = (enum fsh_program_call)c, .size = 8};
            algorithm_t a = fsh_card_choose(&s, bytes);

            CHECK(fsh_program_does(a, s.call) &&
                  (c == FSH_PROGRAM_BROADCAST ||
                   a->order == fsh_program_choose(&s, bytes)->order));
        }
    for (uint32_t size = 4; size <= 64; size *= 2)
        for (size_t bytes = 512; bytes <= 16384; bytes *= 2) {
            const struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE,
                                                .size = size};

            CHECK((fsh_card_choose(&s, bytes) == &fsh_program_quarters) ==
                  (size >= 16 && bytes > FSH_CARD_PACKET && bytes <= 8192));
        }
    for (uint32_t size = 2; size <= 64; size *= 2)
        for (size_t bytes = 512; bytes <= 1 << 20; bytes *= 2) {
            const struct fsh_program_shape s = {.call = FSH_PROGRAM_BROADCAST,
                                                .size = size};

            CHECK((fsh_card_choose(&s, bytes) == fsh_program_named("chain")) ==
                  (bytes >= 32768 && bytes >= 4096 * size));
        }
}

/* A root that is in place sends what it has, and keeps nothing. */
static void check_in_place(void)
{
    const struct fsh_program_shape s = {.call = FSH_PROGRAM_BROADCAST,
                                        .size = 2};
    struct fsh_program *p =
        fsh_program_make(fsh_program_named("binomial"), &s, 0);
    struct fsh_card_sequence q = {.program = p,
                                  .layout =
                                      fsh_card_layout_of(s.call, 0, 1, 1, 64),
                                  .node = node,
                                  .number = number,
                                  .at = {[FSH_PROGRAM_SRC] = 128}};
    uint64_t desc[1][FSH_COLLDESC_WORDS];

    CHECK(p != NULL && p->steps == 1);
    for (unsigned same = 0; same < 2; same++) {
        q.at[FSH_PROGRAM_DST] = same ? 128 : 0;
        fsh_card_translate(&q, desc);
        CHECK(fsh_colldesc_send(desc[0]) &&
              fsh_colldesc_own_addr(desc[0]) == 2);
        CHECK(fsh_colldesc_store(desc[0]) == !same);
    }
    fsh_program_free(p);
}

/* All steps of an encoded ring are marked, and say what is summed. */
static void check_encoded(void)
{
    const struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE,
                                        .size = 3};
    struct fsh_program *p = fsh_program_make(fsh_program_named("ring"), &s, 1);
    struct fsh_card_sequence q = {.program = p,
                                  .layout =
                                      fsh_card_layout_of(s.call, 1, 3, 4, 3000),
                                  .ranks = 3,
                                  .node = node,
                                  .number = number,
                                  .type = FSH_FOLD_FLOAT,
                                  .op = FSH_FOLD_SUM};
    static uint64_t desc[FSH_CARD_STEPS][FSH_COLLDESC_WORDS];

    CHECK(p != NULL && p->steps <= FSH_CARD_STEPS);
    for (unsigned bfp = 0; bfp < 2; bfp++) {
        q.bfp = bfp;
        fsh_card_translate(&q, desc);
        for (uint32_t i = 0; i < p->steps; i++) {
            uint64_t *d = desc[i];

            CHECK(fsh_colldesc_bfp(d) == bfp);
            CHECK(!bfp || (fsh_colldesc_kind(d) == FSH_FOLD_FLOAT &&
                           fsh_colldesc_op(d) == FSH_FOLD_SUM));
        }
    }
    fsh_program_free(p);
}

/* What the engine does not combine. */
static void check_folds(void)
{
    CHECK(fsh_card_folds(FSH_FOLD_DOUBLE, FSH_FOLD_SUM));
    CHECK(fsh_card_folds(FSH_FOLD_INT64, FSH_FOLD_XOR));
    CHECK(!fsh_card_folds(FSH_FOLD_FLOAT, FSH_FOLD_XOR));
    CHECK(!fsh_card_folds(FSH_FOLD_INT32, FSH_FOLD_PROD));
    CHECK(!fsh_card_folds(FSH_FOLD_INT32, FSH_FOLD_MINLOC));
}

/* How halves of so many packets are cut: parts of a direction, packets of one. */
static void check_halves(uint32_t nodes, size_t packets, size_t packet,
                         size_t parts, size_t each)
{
    const struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE,
                                        .size = nodes,
                                        .rings = FSH_PROGRAM_BOTH};
    size_t count = 2 * nodes * packets * packet / 4;
    struct fsh_card_cut cut =
        fsh_card_cut_of(fsh_program_named("ring"), &s, 4, count, packet);
    size_t of_one = cut.large != 0 ? cut.most : cut.least;

    CHECK(cut.parts == 2 * parts && (cut.large == 0 || cut.large == parts),
          "%u nodes, %zu packets: %zu parts", nodes, packets, cut.parts);
    CHECK((parts == 1 && cut.large == 0) || of_one == each * packet,
          "%u nodes, %zu packets: %zu bytes", nodes, packets, of_one);
    CHECK(fsh_card_series_count(&cut) == 2 &&
          fsh_card_series_of(&cut, 1).parts == parts);
}

/* They are as long as each other, in one series; encoded ones may have nine packets where that
 * makes fewer parts, two at most, and the area has room for all blocks. */
static void check_even_cut(void)
{
    check_halves(8, 18, FSH_CARD_PACKET, 3, 6);
    check_halves(8, 20, FSH_CARD_BFP_PACKET, 3, 7);
    check_halves(8, 18, FSH_CARD_BFP_PACKET, 2, 9);
    check_halves(8, 17, FSH_CARD_BFP_PACKET, 2, 9);
    check_halves(8, 10, FSH_CARD_BFP_PACKET, 2, 5);
    check_halves(8, 9, FSH_CARD_BFP_PACKET, 1, 9);
    check_halves(8, 9, FSH_CARD_PACKET, 2, 5);
    check_halves(4, 27, FSH_CARD_BFP_PACKET, 4, 7);
    check_halves(9, 9, FSH_CARD_BFP_PACKET, 2, 5);
}

/* Each part is in one series, with those that are as long, and has SeqIDs of its own there. */
static void check_series_cut(void)
{
    for (uint32_t n = 2; n <= FSH_CARD_RANKS; n++)
        for (size_t each = 1; each < 300; each += each / 8 + 1)
            for (uint8_t rings = FSH_PROGRAM_FORTH; rings <= FSH_PROGRAM_BOTH;
                 rings += FSH_PROGRAM_BOTH - FSH_PROGRAM_FORTH) {
                const struct fsh_program_shape s = {
                    .call = FSH_PROGRAM_ALLREDUCE, .size = n, .rings = rings};
                size_t count = n * each * FSH_CARD_PACKET / 4, parts = 0;
                struct fsh_card_layout whole =
                    fsh_card_layout_of(s.call, 0, n, 4, count);
                struct fsh_card_cut cut = fsh_card_cut_of(
                    fsh_program_named("ring"), &s, 4, count, FSH_CARD_PACKET);

                for (size_t i = 0; i < fsh_card_series_count(&cut); i++) {
                    struct fsh_card_series of = fsh_card_series_of(&cut, i);
                    size_t most = 0;

                    for (size_t k = 0; k < of.parts; k++) {
                        struct fsh_card_part p = fsh_card_part_of(
                            &whole, &cut, of.first + k * cut.lanes);

                        most = k == 0 ? p.layout.most : most;
                        CHECK(p.series == i && p.seq == k * cut.seqs &&
                              p.layout.most == most &&
                              p.seq + cut.seqs <= FSH_CARD_SEQS);
                    }
                    parts += of.parts;
                }
                CHECK(parts == cut.parts, "%zu of %zu parts of %u ranks", parts,
                      cut.parts, n);
            }
}

int main(void)
{
    for (uint32_t r = 0; r < FSH_PROGRAM_SOURCES; r++) {
        node[r] = (r * 11 + 5) % FSH_MAX_NODES;
        number[r] = r * 3 % FSH_CARD_TEAMS;
    }
    check_layouts();
    check_folds();
    check_sources();
    check_in_place();
    check_encoded();
    check_ring_cut();
    check_tails();
    check_pairs();
    check_even_cut();
    check_series_cut();
    check_near(0); /* rows of all, of 4, of 8, of 16 */
    for (uint32_t row = 2; row <= 16; row *= 2)
        check_near(1 | row);
    CHECK(fsh_program_near(32, 5, 0, 3) && !fsh_program_near(32, 0, 0, 3));
    check_choice();
    return 0;
}
