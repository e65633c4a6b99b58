/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs translated to sequences of descriptors: a model of the engine, which sees
 * only descriptors and memory, runs those of all ranks, for every algorithm, call
 * and root, several team sizes, and blocks that begin at lines or not. The buffers,
 * or host memory for ranks whose results are posted, must then hold what the call
 * specifies. Sequences never exceed their room in teams of the maximum size.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "coll/card/card.h"

enum { MOST = 9, BUFFER = 1 << 13, MEMORY = 4 * BUFFER, PACKETS = 4096 };

typedef const struct fsh_program_algorithm *algorithm_t;

struct packet {
    unsigned from, to, vp, job, seq;
    size_t bytes;
    unsigned char data[BUFFER];
};

/* One rank, with the node that it is on. */
struct rank {
    struct fsh_program *program;
    struct fsh_card_layout layout;
    uint64_t (*desc)[FSH_COLLDESC_WORDS];
    uint32_t next;
    unsigned char memory[MEMORY];
    unsigned char value[BUFFER]; /* of the last step */
    size_t bytes;
    unsigned char host[2 * BUFFER]; /* results, if they are posted */
    bool posts;
    uint64_t src[BUFFER / 8], dst[BUFFER / 8]; /* the client's */
};

static struct rank ranks[MOST];
static uint32_t node[MOST], number[MOST], size;
static struct packet *packets;
static unsigned in_flight, jobs = 1;

/* ---- the engine ---- */

static struct packet *find(uint32_t me, uint64_t *d, unsigned from)
{
    for (unsigned i = 0; i < in_flight; i++) {
        struct packet *p = &packets[i];

        if (p->to == node[me] && p->from == from && p->vp == number[me] &&
            p->job == fsh_colldesc_job(d) && p->seq == fsh_colldesc_seq(d))
            return p;
    }
    return NULL;
}

static unsigned source(uint64_t *d, unsigned k)
{
    uint64_t w = k < 8 ? fsh_colldesc_sources0(d) : fsh_colldesc_sources1(d);

    return (unsigned)(w >> 8 * (k % 8) & 0xff);
}

static void fold(unsigned char *value, const unsigned char *in, size_t bytes,
                 uint64_t *d)
{
    CHECK(fsh_card_folds((unsigned)fsh_colldesc_kind(d),
                         (unsigned)fsh_colldesc_op(d)));
    fsh_fold_function((unsigned)fsh_colldesc_kind(d),
                      (unsigned)fsh_colldesc_op(d), FSH_ISA_PORTABLE)(
        value, value, in,
        bytes / fsh_fold_size((unsigned)fsh_colldesc_kind(d),
                              (unsigned)fsh_colldesc_op(d)));
}

static void take(struct packet *p)
{
    *p = packets[--in_flight];
}

static void send(uint32_t me, uint64_t *d, const unsigned char *value,
                 size_t bytes)
{
    struct packet *p = &packets[in_flight++];

    CHECK(in_flight <= PACKETS);
    p->from = node[me];
    p->to = (unsigned)fsh_colldesc_dest(d);
    p->vp = (unsigned)fsh_colldesc_dest_vp(d);
    p->job = (unsigned)fsh_colldesc_job(d);
    p->seq = (unsigned)fsh_colldesc_dest_seq(d);
    p->bytes = bytes;
    memcpy(p->data, value, bytes);
}

static unsigned char *at(uint32_t me, uint64_t line, size_t bytes)
{
    CHECK(line * FSH_CARD_LINE + bytes <= MEMORY);
    return ranks[me].memory + line * FSH_CARD_LINE;
}

/* The step of a rank, if its packets are there. */
static bool step(uint32_t me, uint64_t *d)
{
    static unsigned char value[BUFFER];
    unsigned count = (unsigned)fsh_colldesc_count(d);
    size_t bytes = fsh_colldesc_bytes(d);
    bool again = fsh_colldesc_again(d) != 0;
    bool some = fsh_colldesc_own(d) != 0 || again;

    CHECK(!again ||
          (count == 0 && ranks[me].next != 0 && bytes == ranks[me].bytes &&
           bytes <= FSH_CARD_PACKET && !fsh_colldesc_own(d) &&
           !fsh_colldesc_store(d) && !fsh_colldesc_post(d)));
    CHECK(fsh_colldesc_vp(d) == number[me] && fsh_colldesc_cookie(d) == me &&
          fsh_colldesc_job(d) >= (13 | 3 << 6) &&
          fsh_colldesc_job(d) < (13 | 3 << 6) + jobs);
    CHECK(fsh_colldesc_own(d) || fsh_colldesc_own_addr(d) == 0);
    CHECK(bytes <= BUFFER && (some || count != 0 || bytes == 0) &&
          !fsh_colldesc_given(d));
    for (unsigned k = 0; k < count; k++)
        if (find(me, d, source(d, k)) == NULL)
            return false;
    if (again)
        memcpy(value, ranks[me].value, bytes);
    else if (some)
        memcpy(value, at(me, fsh_colldesc_own_addr(d), bytes), bytes);
    for (unsigned k = 0; k < count; k++, some = true) {
        struct packet *p = find(me, d, source(d, k));

        CHECK(p->bytes == bytes && (!some || fsh_colldesc_reduce(d)));
        if (some)
            fold(value, p->data, bytes, d);
        else
            memcpy(value, p->data, bytes);
        take(p);
    }
    if (fsh_colldesc_store(d))
        memcpy(at(me, fsh_colldesc_store_addr(d), bytes), value, bytes);
    CHECK(fsh_colldesc_post(d) || fsh_colldesc_post_addr(d) == 0);
    if (fsh_colldesc_post(d)) {
        size_t to = fsh_colldesc_post_addr(d) * FSH_CARD_LINE;

        CHECK(ranks[me].posts && to >= BUFFER && to + bytes <= 2 * BUFFER);
        memcpy(ranks[me].host + to, value, bytes);
    }
    if (fsh_colldesc_send(d))
        send(me, d, value, bytes);
    memcpy(ranks[me].value, value, bytes);
    ranks[me].bytes = bytes;
    return true;
}

static void run(void)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < size; r++)
            while (ranks[r].next < ranks[r].program->steps &&
                   step(r, ranks[r].desc[ranks[r].next])) {
                uint64_t *d = ranks[r].desc[ranks[r].next];

                CHECK(fsh_colldesc_head(d) == (ranks[r].next == 0));
                ranks[r].next++;
                CHECK(fsh_colldesc_tail(d) ==
                      (ranks[r].next == ranks[r].program->steps));
                moved = true;
            }
    }
    for (uint32_t r = 0; r < size; r++)
        CHECK(ranks[r].next == ranks[r].program->steps);
    CHECK(in_flight == 0);
}

/* ---- a call: least ones of uint64_t, which no other type or operation gives ---- */

static uint64_t input(uint32_t rank, size_t word)
{
    return (rank + 1) * UINT64_C(0x9e3779b97f4a7c15) +
           word * UINT64_C(0xd6e8feb86659fd93);
}

static bool is_vector(enum fsh_program_call call)
{
    return call == FSH_PROGRAM_BROADCAST || call == FSH_PROGRAM_REDUCE ||
           call == FSH_PROGRAM_ALLREDUCE || call == FSH_PROGRAM_SCAN;
}

/* Word w of the buffers of a rank that has results; *written: is it? */
static uint64_t result(const struct fsh_program_shape *s, uint32_t rank,
                       size_t count, size_t w, bool *written)
{
    uint64_t least = UINT64_MAX;
    uint32_t end = s->size;
    size_t block = w / count, in = w % count;

    *written = true;
    switch (s->call) {
    case FSH_PROGRAM_BROADCAST:
        return input(s->root, w);
    case FSH_PROGRAM_SCATTER:
        *written = block == 0;
        return input(s->root, rank * count + w);
    case FSH_PROGRAM_GATHER:
        *written = rank == s->root;
        return input((uint32_t)block, in);
    case FSH_PROGRAM_ALLGATHER:
        return input((uint32_t)block, in);
    case FSH_PROGRAM_ALLTOALL:
        return input((uint32_t)block, rank * count + in);
    case FSH_PROGRAM_REDUCE_SCATTER:
        *written = block == 0;
        w += rank * count;
        break;
    case FSH_PROGRAM_SCAN:
        end = rank + (s->exclusive ? 0 : 1);
        *written = end != 0;
        break;
    default:
        *written = s->call == FSH_PROGRAM_ALLREDUCE || rank == s->root;
        break;
    }
    for (uint32_t r = 0; r < end; r++)
        least = input(r, w) < least ? input(r, w) : least;
    return least;
}

static void copy(struct rank *r, enum fsh_program_place place, bool in)
{
    uint32_t n = fsh_card_pieces(&r->layout, place);
    unsigned char *client =
        (unsigned char *)(place == FSH_PROGRAM_SRC ? r->src : r->dst);
    unsigned char *on_card = place == FSH_PROGRAM_SRC ? r->memory
                             : r->posts               ? r->host + BUFFER
                                                      : r->memory + BUFFER;

    for (uint32_t i = 0; i < n; i++) {
        struct fsh_card_piece p = fsh_card_piece(&r->layout, place, i);

        CHECK(p.card + p.bytes <= fsh_card_bytes(&r->layout));
        if (in)
            memcpy(on_card + p.card, client + p.client, p.bytes);
        else
            memcpy(client + p.client, on_card + p.card, p.bytes);
    }
}

/* A half of a ring in both directions is a part; else there is one. */
static void prepare(algorithm_t a, const struct fsh_program_shape *shape,
                    uint32_t me, size_t count, size_t part)
{
    struct fsh_program_shape one = *shape, *s = &one;
    struct fsh_card_cut cut =
        fsh_card_cut_of(a, shape, 8, count, FSH_CARD_PACKET);
    struct rank *r = &ranks[me];
    struct fsh_card_sequence q = {
        .ranks = s->size,
        .node = node,
        .number = number,
        .type = FSH_FOLD_UINT64,
        .op = FSH_FOLD_MIN,
        .eager = true,
        .past = 64 + 13,
        .claim = 7,
        .cookie = (uint16_t)me,
        .at = {[FSH_PROGRAM_DST] = BUFFER, [FSH_PROGRAM_TMP] = 2 * BUFFER},
        .posts = (me + count) % 2 == 0,
        .posted = BUFFER};

    if (cut.halved)
        one.rings = part == 0 ? FSH_PROGRAM_FORTH : FSH_PROGRAM_BACK;
    r->program = fsh_program_make(a, s, me);
    CHECK(r->program != NULL);
    r->layout = fsh_card_layout_of(s->call, me, r->program->blocks, 8, count);
    if (cut.halved) {
        CHECK(cut.parts == 2);
        r->layout = fsh_card_part_of(&r->layout, &cut, part).layout;
    }
    CHECK(fsh_card_bytes(&r->layout) <= BUFFER);
    r->next = 0;
    r->posts = q.posts;
    memset(r->host, 0x5a, sizeof r->host);
    memset(r->memory, 0x5a, sizeof r->memory);
    if (part == 0)
        memset(r->dst, 0x5a, sizeof r->dst);
    for (size_t w = 0; w < BUFFER / 8; w++)
        r->src[w] = input(me, w);
    copy(r, FSH_PROGRAM_SRC, true);
    r->desc = calloc(r->program->steps + 1, sizeof *r->desc);
    CHECK(r->desc != NULL);
    q.program = r->program;
    q.layout = r->layout;
    for (unsigned p = 0; p < FSH_CARD_PLACES; p++)
        q.pitch[p] = fsh_card_room_pitch(&r->layout);
    fsh_card_translate(&q, r->desc);
    for (uint32_t i = 0; i < r->program->steps; i++)
        CHECK(!fsh_colldesc_eager(r->desc[i]) ||
              fsh_program_near(size, 0, me, r->program->step[i].dest));
}

static void fetch(const struct fsh_program_shape *s, uint32_t me, size_t count)
{
    struct rank *r = &ranks[me];
    bool written;

    if (count != 0)
        (void)result(s, me, count, 0, &written);
    if (count != 0 && written)
        copy(r, FSH_PROGRAM_DST, false);
    fsh_program_free(r->program);
    free(r->desc);
}

static void look_at(const struct fsh_program_shape *s, uint32_t me,
                    size_t count)
{
    struct rank *r = &ranks[me];
    size_t words = is_vector(s->call) ? count : count * s->size;
    bool written;

    for (size_t w = 0; w < words; w++) {
        uint64_t want = result(s, me, count, w, &written);

        CHECK(r->dst[w] == (written ? want : UINT64_C(0x5a5a5a5a5a5a5a5a)),
              "%s of %u: rank %u word %zu of %zu",
              fsh_program_call_name(s->call), s->size, me, w, count);
    }
    for (size_t w = words; w < BUFFER / 8; w++)
        CHECK(r->dst[w] == UINT64_C(0x5a5a5a5a5a5a5a5a));
}

static void call(algorithm_t a, const struct fsh_program_shape *s, size_t count)
{
    size = s->size;
    for (size_t part = 0; part < (s->rings == FSH_PROGRAM_BOTH ? 2 : 1);
         part++) {
        for (uint32_t r = 0; r < size; r++)
            prepare(a, s, r, count, part);
        run();
        for (uint32_t r = 0; r < size; r++)
            fetch(s, r, count);
    }
    for (uint32_t r = 0; r < size; r++)
        look_at(s, r, count);
}

/* ---- all of them ---- */

static bool has_root(enum fsh_program_call c)
{
    return c == FSH_PROGRAM_BROADCAST || c == FSH_PROGRAM_SCATTER ||
           c == FSH_PROGRAM_GATHER || c == FSH_PROGRAM_REDUCE;
}

static void check_call(algorithm_t a, enum fsh_program_call c, uint32_t n)
{
    static const size_t counts[] = {1, 5, 8, 30, 48, 80};

    bool ring = strcmp(a->name, "ring") == 0;

    for (uint32_t root = 0; root < (has_root(c) ? n : 1); root++)
        for (uint8_t k = 0;
             k <= (ring ? FSH_PROGRAM_BOTH : c == FSH_PROGRAM_SCAN); k++)
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                struct fsh_program_shape s = {.call = c,
                                              .size = n,
                                              .root = root,
                                              .exclusive = !ring && k != 0,
                                              .rings = ring ? k : 0};

                call(a, &s, c == FSH_PROGRAM_BARRIER ? 0 : counts[i]);
            }
}

static void each(uint32_t n, void (*with)(algorithm_t a,
                                          enum fsh_program_call c, uint32_t n))
{
    for (size_t i = 0; fsh_program_algorithms[i] != NULL; i++)
        for (unsigned c = 0; c < FSH_PROGRAM_CALLS; c++)
            if (fsh_program_does(fsh_program_algorithms[i],
                                 (enum fsh_program_call)c))
                with(fsh_program_algorithms[i], (enum fsh_program_call)c, n);
    with(&fsh_program_spread, FSH_PROGRAM_BROADCAST, n);
    with(&fsh_program_quarters, FSH_PROGRAM_ALLREDUCE, n);
}

/* Steps, their SeqIDs and sources have room. */
static void check_room(algorithm_t a, enum fsh_program_call c, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++) {
        struct fsh_program_shape s = {
            .call = c, .size = n, .root = has_root(c) ? n / 3 : 0};
        struct fsh_program *p = fsh_program_make(a, &s, r);

        for (uint32_t i = 0; p != NULL && a->alone && i < p->steps; i++)
            CHECK(p->step[i].local.count <= 1 && p->step[i].store.count <= 1,
                  "%s by %s of %u", fsh_program_call_name(c), a->name, n);

        CHECK(p != NULL && p->steps != 0 && p->steps <= FSH_CARD_STEPS,
              "%s by %s of %u", fsh_program_call_name(c), a->name, n);
        for (uint32_t i = 0; i < p->steps; i++)
            CHECK(p->step[i].seq < FSH_CARD_SEQS &&
                  p->step[i].dest_seq < FSH_CARD_SEQS &&
                  p->step[i].sources <= FSH_COLL_SOURCES);
        fsh_program_free(p);
    }
}

/* ---- calls in parts ---- */

/* Slots of a team of four; of encoded halves in long parts, which can do with fewer. */
enum { SHARE = 16, LONG_SHARE = 2 * FSH_CARD_BFP_PACKETS };

/* How often each element of a buffer is in a piece of a part. */
static unsigned char times[3 << 20];

static void look_at_part(const struct fsh_card_part *p, size_t room,
                         enum fsh_program_place place)
{
    uint32_t n = fsh_card_pieces(&p->layout, place);
    size_t end = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct fsh_card_piece e = fsh_card_piece(&p->layout, place, i);

        CHECK(e.card % FSH_CARD_LINE == 0 && e.card >= end);
        CHECK(e.bytes % p->layout.elem == 0 && e.client % p->layout.elem == 0);
        end = e.card + e.bytes;
        for (size_t k = 0; k < e.bytes; k += p->layout.elem) {
            size_t at = (p->offset + e.client + k) / p->layout.elem;

            CHECK(at < sizeof times);
            times[at]++;
        }
    }
    CHECK(end <= room);
}

/* No rank's part claims more than a share, but for encoded halves. */
static void check_claims(algorithm_t a, const struct fsh_program_shape *s,
                         const struct fsh_card_layout *layout, size_t packet)
{
    for (uint32_t r = 0; r<s->size; r += s->size> 9 ? 7 : 1) {
        struct fsh_program *p = fsh_program_make(a, s, r);
        unsigned claims = fsh_card_claims(p, layout, packet);

        CHECK(claims <= (packet == FSH_CARD_BFP_PACKET && layout->half != 0
                             ? LONG_SHARE
                             : SHARE),
              "%s of %u by %s: rank %u: %u slots of packets of %zu",
              fsh_program_call_name(s->call), s->size, a->name, r, claims,
              packet);
        fsh_program_free(p);
    }
}

/* What a call is counted with is what the part claims that claims most. */
static void check_cut_claims(struct fsh_program *p,
                             const struct fsh_card_layout *whole,
                             const struct fsh_card_cut *cut, size_t packet)
{
    const struct fsh_program *const programs[2] = {p, p};
    unsigned most = 0;

    for (size_t i = 0; i < cut->parts; i++) {
        struct fsh_card_part part = fsh_card_part_of(whole, cut, i);
        unsigned claims = fsh_card_claims(p, &part.layout, packet);

        most = claims > most ? claims : most;
    }
    CHECK(fsh_card_cut_claims(programs, whole, cut, packet) == most);
}

/* Each element is in one part; parts have room, and no more claims than a share. What
 * a rank sends has the bytes that its receiver expects. */
static void check_parts(algorithm_t a, const struct fsh_program_shape *s,
                        size_t count, size_t packet)
{
    struct fsh_card_cut cut = fsh_card_cut_of(a, s, 4, count, packet);
    uint32_t me = s->size / 2;
    struct fsh_program_shape one = *s;
    struct fsh_program *p, *to;
    struct fsh_card_layout whole, other;

    one.rings = FSH_PROGRAM_FORTH;
    p = fsh_program_make(a, &one, me);
    to = fsh_program_make(a, &one, (me + 1) % s->size);
    whole = fsh_card_layout_of(s->call, me, p->blocks, 4, count);
    other = whole;
    other.rank = (me + 1) % s->size;
    for (unsigned place = FSH_PROGRAM_SRC; place <= FSH_PROGRAM_DST; place++) {
        size_t all = fsh_card_client_bytes(&whole, place) / 4;

        memset(times, 0, all);
        for (size_t i = 0; i < cut.parts; i++) {
            struct fsh_card_part part = fsh_card_part_of(&whole, &cut, i);

            CHECK(cut.parts == 1 ||
                  fsh_card_bytes(&part.layout) <= FSH_CARD_AREA);
            look_at_part(&part, fsh_card_bytes(&part.layout), place);
        }
        for (size_t i = 0; i < all; i++)
            CHECK(times[i] == 1, "%s of %u by %s: element %zu of %zu in %u",
                  fsh_program_call_name(s->call), s->size, a->name, i, all,
                  times[i]);
    }
    check_cut_claims(p, &whole, &cut, packet);
    for (size_t i = 0; i < cut.parts && cut.parts > 1; i++) {
        struct fsh_card_part mine = fsh_card_part_of(&whole, &cut, i);
        struct fsh_card_part its = fsh_card_part_of(&other, &cut, i);

        if (i < 2 || i + 3 > cut.parts)
            check_claims(a, &one, &mine.layout, packet);
        for (uint32_t k = 0; k < p->steps; k++)
            for (uint32_t j = 0; j < to->steps; j++)
                if (p->step[k].dest == other.rank && to->step[j].sources == 1 &&
                    to->step[j].source[0] == me &&
                    to->step[j].seq == p->step[k].dest_seq) {
                    const struct fsh_program_step *out = &p->step[k];
                    const struct fsh_program_step *in = &to->step[j];

                    CHECK(
                        fsh_card_range_bytes(&mine.layout, out->local.place != 0
                                                               ? &out->local
                                                               : &out->store) ==
                        fsh_card_range_bytes(&its.layout, in->local.place != 0
                                                              ? &in->local
                                                              : &in->store));
                }
    }
    fsh_program_free(p);
    fsh_program_free(to);
}

/* Calls that are not of a vector, by the algorithms that are not chosen for so many
 * bytes. */
static void check_others(uint32_t n, size_t count)
{
    for (size_t i = 0; fsh_program_algorithms[i] != NULL; i++)
        for (unsigned c = FSH_PROGRAM_SCATTER; c < FSH_PROGRAM_CALLS; c++) {
            const struct fsh_program_shape s = {
                .call = (enum fsh_program_call)c, .size = n};

            if (!is_vector(s.call) &&
                fsh_program_does(fsh_program_algorithms[i], s.call))
                check_parts(fsh_program_algorithms[i], &s, count / n,
                            FSH_CARD_PACKET);
        }
}

static void check_cuts(void)
{
    static const enum fsh_program_call calls[] = {
        FSH_PROGRAM_BROADCAST, FSH_PROGRAM_ALLGATHER,      FSH_PROGRAM_ALLTOALL,
        FSH_PROGRAM_REDUCE,    FSH_PROGRAM_REDUCE_SCATTER, FSH_PROGRAM_SCAN,
        FSH_PROGRAM_ALLREDUCE};
    /* Of 28800 floats 8 blocks have halves of 8 and of 7 packets. */
    static const size_t counts[] = {2048, 2049, 16384, 28800, 40001, 300000};
    static const uint32_t sizes[] = {2, 3, 4, 7, 8, 64};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
            struct fsh_program_shape s = {.call = FSH_PROGRAM_ALLREDUCE,
                                          .size = sizes[i]};

            for (unsigned both = 0; both < 2; both++) {
                s.rings = both ? FSH_PROGRAM_BOTH : FSH_PROGRAM_FORTH;
                check_parts(fsh_program_named("ring"), &s, counts[k],
                            FSH_CARD_BFP_PACKET);
            }
            check_others(sizes[i], counts[k]);
            for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
                bool vector = is_vector(calls[c]);
                size_t count = vector ? counts[k] : counts[k] / sizes[i];

                algorithm_t a;

                s.call = calls[c];
                a = fsh_card_choose(&s, 4 * count);
                s.rings = fsh_program_rings(a, &s, 4 * count, 4, false);
                check_parts(a, &s, count, FSH_CARD_PACKET);
            }
        }
}

/* A ring in both directions has parts of each half in turn. */
static void check_both_cut(void)
{
    const struct fsh_program_shape s = {
        .call = FSH_PROGRAM_ALLREDUCE, .size = 8, .rings = FSH_PROGRAM_BOTH};
    const struct fsh_program_range fifth = {FSH_PROGRAM_DST, 5, 1};
    struct fsh_card_layout whole =
        fsh_card_layout_of(s.call, 0, 8, 4, 256 << 10);
    struct fsh_card_cut cut = fsh_card_cut_of(fsh_program_named("ring"), &s, 4,
                                              256 << 10, FSH_CARD_PACKET);

    CHECK(cut.parts == 16 && cut.halved);
    for (unsigned i = 0; i < cut.parts; i++) {
        struct fsh_card_part p = fsh_card_part_of(&whole, &cut, i);

        CHECK(p.layout.half == 1 + i % 2);
        CHECK(fsh_card_range_at(&p.layout, &fifth, 0) ==
              (5 << 17) + (i % 2 << 16) + (i / 2 << 13));
    }
}

/* ---- series ---- */

enum { LISTS = 16 };

/* Sequences of a rank. */
static struct list {
    uint64_t desc[FSH_CARD_STEPS][FSH_COLLDESC_WORDS];
    uint32_t steps, next;
} lists[MOST][LISTS];
static unsigned listed[MOST];

static void run_lists(void)
{
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t r = 0; r < size; r++)
            for (unsigned i = 0; i < listed[r]; i++) {
                struct list *l = &lists[r][i];

                while (l->next < l->steps && step(r, l->desc[l->next])) {
                    CHECK(fsh_colldesc_head(l->desc[l->next]) ==
                          (l->next == 0));
                    l->next++;
                    CHECK(fsh_colldesc_tail(l->desc[l->next - 1]) ==
                          (l->next == l->steps));
                    moved = true;
                }
            }
    }
    for (uint32_t r = 0; r < size; r++)
        for (unsigned i = 0; i < listed[r]; i++)
            CHECK(lists[r][i].next == lists[r][i].steps,
                  "rank %u of %u, sequence %u: stuck at step %u", r, size, i,
                  lists[r][i].next);
    CHECK(in_flight == 0);
}

/* A sequence of some steps of parts first, first + lanes, ... */
static void list_parts(struct fsh_card_sequence *q,
                       struct fsh_program *const programs[2],
                       const struct fsh_card_layout *whole,
                       const struct fsh_card_cut *cut,
                       struct fsh_card_series parts, enum fsh_card_steps which)
{
    uint32_t me = whole->rank;
    struct list *l = &lists[me][listed[me]++];

    CHECK(listed[me] <= LISTS);
    l->steps = l->next = 0;
    for (size_t i = 0; i < parts.parts; i++) {
        struct fsh_card_part p =
            fsh_card_part_of(whole, cut, parts.first + i * cut->lanes);

        q->program = programs[p.layout.half == 2];
        q->layout = p.layout;
        q->past = 64 + 13 + (uint32_t)p.series;
        q->seq = p.seq;
        l->steps = fsh_card_append(q, which, l->desc, l->steps);
    }
    fsh_card_close(l->desc, l->steps);
    /* Sends claim nothing, and so never wait for room. */
    for (uint32_t i = 0; which == FSH_CARD_SENDS && i < l->steps; i++)
        CHECK(fsh_colldesc_count(l->desc[i]) == 0);
}

/* What the sequences of a rank are: of a series, of what it receives and what it only sends,
 * or of a part, as its buffers are. */
static void list_series(struct fsh_card_sequence *q,
                        struct fsh_program *const programs[2],
                        const struct fsh_card_layout *whole,
                        const struct fsh_card_cut *cut)
{
    listed[whole->rank] = 0;
    for (size_t i = 0; i < fsh_card_series_count(cut); i++) {
        struct fsh_card_series s = fsh_card_series_of(cut, i);

        switch (s.parts == 0 ? UINT32_MAX : whole->rank % 3) {
        case 0:
            list_parts(q, programs, whole, cut, s, FSH_CARD_ALL_STEPS);
            break;
        case 1:
            list_parts(q, programs, whole, cut, s, FSH_CARD_RECEIVES);
            list_parts(q, programs, whole, cut, s, FSH_CARD_SENDS);
            break;
        case 2:
            for (size_t k = 0; k < s.parts; k++)
                list_parts(
                    q, programs, whole, cut,
                    (struct fsh_card_series){s.first + k * cut->lanes, 1},
                    FSH_CARD_ALL_STEPS);
            break;
        default:
            break;
        }
    }
}

/* A call whose blocks have six lines, in parts of a line each. */
static void check_series_of(enum fsh_program_call c, uint32_t n)
{
    struct fsh_program_shape s = {
        .call = c, .size = n, .rings = FSH_PROGRAM_BOTH};
    size_t count = 48 * (is_vector(c) ? n : 1);
    struct fsh_program *p[MOST][2] = {{NULL}};
    struct fsh_card_cut cut = fsh_card_cut_of(fsh_program_named("ring"), &s, 8,
                                              count, FSH_CARD_PACKET);

    CHECK(cut.halved && cut.lanes == 2 &&
          cut.seqs * cut.series <= FSH_CARD_SEQS &&
          cut.seqs * (cut.series + 1) > FSH_CARD_SEQS);
    cut.series = 2;
    cut.most = cut.least = FSH_CARD_LINE;
    cut.parts = 6;
    cut.large = 2;
    size = n;
    for (uint32_t r = 0; r < n; r++) {
        struct fsh_card_sequence q = {
            .ranks = n,
            .node = node,
            .number = number,
            .type = FSH_FOLD_UINT64,
            .op = FSH_FOLD_MIN,
            .claim = 7,
            .cookie = (uint16_t)r,
            .at = {[FSH_PROGRAM_DST] = BUFFER, [FSH_PROGRAM_TMP] = 2 * BUFFER}};
        struct fsh_card_layout whole = fsh_card_layout_of(c, r, n, 8, count);

        for (unsigned half = 0; half < 2; half++) {
            s.rings = half ? FSH_PROGRAM_BACK : FSH_PROGRAM_FORTH;
            p[r][half] = fsh_program_make(fsh_program_named("ring"), &s, r);
            CHECK(p[r][half] != NULL);
        }
        CHECK(whole.aligned && count * (is_vector(c) ? 1 : n) * 8 <= BUFFER);
        memset(ranks[r].memory, 0x5a, sizeof ranks[r].memory);
        for (size_t w = 0; w < BUFFER / 8; w++)
            ranks[r].src[w] = input(r, w);
        memcpy(ranks[r].memory, ranks[r].src, BUFFER);
        list_series(&q, p[r], &whole, &cut);
    }
    jobs = (unsigned)fsh_card_series_count(&cut);
    run_lists();
    jobs = 1;
    for (uint32_t r = 0; r < n; r++) {
        memcpy(ranks[r].dst, ranks[r].memory + BUFFER, BUFFER);
        look_at(&s, r, count);
        fsh_program_free(p[r][0]);
        fsh_program_free(p[r][1]);
    }
}

/* Ranks whose parts follow each other in a sequence, and others whose do not, have the same
 * packets. */
static void check_series(void)
{
    for (uint32_t n = 2; n <= 5; n++) {
        check_series_of(FSH_PROGRAM_ALLREDUCE, n);
        check_series_of(FSH_PROGRAM_REDUCE_SCATTER, n);
        check_series_of(FSH_PROGRAM_ALLGATHER, n);
    }
}

int main(void)
{
    packets = calloc(PACKETS, sizeof *packets);
    CHECK(packets != NULL);
    for (uint32_t r = 0; r < MOST; r++) {
        node[r] = (r * 11 + 5) % FSH_MAX_NODES;
        number[r] = r * 3 % FSH_CARD_TEAMS;
    }
    check_both_cut();
    check_series();
    check_cuts();
    for (uint32_t n = 2; n <= MOST; n++)
        each(n, check_call);
    for (uint32_t n = 2; n <= FSH_CARD_RANKS; n++)
        each(n, check_room);
    free(packets);
    return 0;
}
