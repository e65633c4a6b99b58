/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rings and pools of conduit smp, all ranks in one thread, so that a seed determines
 * everything. First a random mix of valid traffic: categories, arguments, sizes,
 * requests and replies, replies from inside handlers, polls in between; each message
 * must arrive once, unchanged, in the order of its ring. Then, in half of the cases,
 * the shared object is overwritten, and reception must stay inside it or end the job
 * with a message. See fuzz.h for the arguments.
 */
#include <sys/mman.h>

#include "conduit/smp/send.h"
#include "fuzz.h"

enum { PARTIES = 3, LIMIT = 64, MESSAGES = 4000, MAX_ARGS = 16 };

/* Messages of one ring that have not arrived, first in, first out. */
struct sent {
    uint32_t first, next;
    uint64_t seed[LIMIT];
};

struct party {
    struct fsh_smp_port *port;
    uint32_t rank;
};

static struct world {
    struct fsh_smp_layout layout;
    unsigned char *base;
    struct fuzz *f;
    unsigned parties;
    bool hostile;
    struct party party[PARTIES];
    struct sent sent[FSH_SMP_CHANNELS][PARTIES][PARTIES]; /* [to][from] */
    unsigned depth;                                       /* of handlers */
    unsigned left;                                        /* replies */
} w;

static unsigned char scratch[FSH_SMP_MAX_MEDIUM];

/* ---- messages: all that one is follows from its seed ---- */

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t size_of(uint64_t seed)
{
    uint64_t r = mix(seed + 2);

    switch (r % 8) {
    case 0:
        return FSH_SMP_MAX_INLINE - 1 + (r >> 8) % 3;
    case 1:
        return FSH_SMP_SMALL_BYTES - 1 + (r >> 8) % 3;
    case 2:
        return (r >> 8) % 16 ? 0 : FSH_SMP_MAX_MEDIUM - (r >> 16) % 2;
    default:
        return (r >> 8) % (FSH_SMP_MAX_INLINE + 1);
    }
}

/* Payloads are made of words that could be stamps of slots. */
static uint32_t payload_word(uint64_t seed, size_t i)
{
    return UINT32_C(0x80000000) | ((uint32_t)(seed + i) & 3);
}

static struct fsh_am make(uint64_t seed, uint32_t to, int32_t *args)
{
    struct fsh_am am = {.node = to,
                        .handler = (uint8_t)mix(seed),
                        .category = (uint8_t)(mix(seed + 1) % 3),
                        .nargs = (uint8_t)(mix(seed + 3) % (MAX_ARGS + 1)),
                        .args = args,
                        .dst = (void *)(uintptr_t)mix(seed + 4)};

    for (unsigned i = 0; i < am.nargs; i++)
        args[i] = (int32_t)mix(seed + 5 + i);
    if (am.category != FSH_AM_SHORT)
        am.nbytes = size_of(seed);
    if (am.category != FSH_AM_MEDIUM)
        return am;
    am.src = scratch;
    for (size_t i = 0; i < am.nbytes; i += 4) {
        uint32_t word = payload_word(seed, i / 4);

        memcpy(scratch + i, &word, am.nbytes - i < 4 ? am.nbytes - i : 4);
    }
    return am;
}

static void check_message(const struct fsh_token *in, uint64_t seed,
                          uint32_t to)
{
    int32_t args[MAX_ARGS];
    struct fsh_am am = make(seed, to, args);

    CHECK(in->handler == am.handler && in->category == am.category &&
              in->nargs == am.nargs &&
              (am.category == FSH_AM_SHORT || in->nbytes == am.nbytes),
          "handler %u category %u, %u arguments, %zu bytes; want %u, %u, %u, "
          "%zu",
          in->handler, in->category, in->nargs, in->nbytes, am.handler,
          am.category, am.nargs, am.nbytes);
    CHECK(memcmp(in->args, args, am.nargs * sizeof *args) == 0);
    if (am.category == FSH_AM_LONG)
        CHECK(in->buf == am.dst, "%p, not %p", in->buf, am.dst);
    if (am.category == FSH_AM_MEDIUM)
        CHECK(memcmp(in->buf, scratch, am.nbytes) == 0, "%zu bytes of payload",
              am.nbytes);
}

/* ---- sending and receiving ---- */

static void deliver(struct fsh_token *in, void *arg);

/* Messages of a slot go one of two ways, by turns. */
static bool pass(struct fsh_smp_port *port, unsigned channel,
                 const struct fsh_am *am)
{
    if (am->category != FSH_AM_MEDIUM && fuzz_rarely(w.f, 2) &&
        fsh_smp_send_lean(port, channel, am->node,
                          fsh_short_what(am->handler, am->nargs), am->args,
                          am->category == FSH_AM_LONG ? am : NULL, false))
        return true;
    return fsh_smp_port_send(port, channel, am->node, am) == FSH_SMP_SENT;
}

static void send_one(unsigned from, unsigned to, unsigned channel)
{
    struct sent *sent = &w.sent[channel][to][from];
    uint64_t seed = fuzz_word(w.f);
    int32_t args[MAX_ARGS];
    struct fsh_am am;

    if (sent->next - sent->first == LIMIT)
        return;
    am = make(seed, w.party[to].rank, args);
    if (pass(w.party[from].port, channel, &am))
        sent->seed[sent->next++ % LIMIT] = seed;
}

static unsigned party_of(uint32_t rank)
{
    for (unsigned p = 0; p < w.parties; p++)
        if (w.party[p].rank == rank)
            return p;
    CHECK(false, "a message from rank %u", rank);
    return 0;
}

/* All of what was received can be read. */
static void touch(const struct fsh_token *in)
{
    unsigned sum = 0;

    if (in->nargs > MAX_ARGS) /* as fsh_dispatch */
        fsh_fatal("%u arguments", in->nargs);
    CHECK(in->source < w.layout.ranks && in->category <= FSH_AM_LONG);
    for (unsigned i = 0; i < in->nargs; i++)
        sum += (unsigned)in->args[i];
    if (in->category == FSH_AM_MEDIUM)
        for (size_t i = 0; i < in->nbytes; i++)
            sum += ((const unsigned char *)in->buf)[i];
    __asm__ volatile("" ::"r"(sum));
}

static void deliver(struct fsh_token *in, void *arg)
{
    const struct party *self = arg;
    unsigned me = (unsigned)(self - w.party), from;
    struct sent *sent;

    if (w.hostile) {
        touch(in);
        return;
    }
    from = party_of(in->source);
    sent = &w.sent[in->is_request ? FSH_SMP_REQUEST : FSH_SMP_REPLY][me][from];
    CHECK(sent->first != sent->next, "one message too many");
    check_message(in, sent->seed[sent->first++ % LIMIT], self->rank);
    if (!in->is_request || w.left == 0 || fuzz_rarely(w.f, 4))
        return;
    w.left--;
    w.depth++;
    send_one(me, from, FSH_SMP_REPLY);
    if (w.depth < 4 && fuzz_rarely(w.f, 3))
        fsh_smp_port_poll_replies(self->port, deliver, arg);
    w.depth--;
}

static void poll_one(unsigned who)
{
    struct party *self = &w.party[who];

    if (fuzz_rarely(w.f, 64))
        fsh_smp_port_sleep(self->port, 1, fuzz_rarely(w.f, 2));
    if (fuzz_rarely(w.f, 4))
        fsh_smp_port_poll_replies(self->port, deliver, self);
    else
        fsh_smp_port_poll(self->port, deliver, self);
}

static void traffic(void)
{
    unsigned steps = fuzz_below(w.f, 200);

    for (unsigned i = 0; i < steps; i++) {
        unsigned who = fuzz_below(w.f, w.parties);

        if (fuzz_rarely(w.f, 4))
            poll_one(who);
        else
            send_one(who, fuzz_below(w.f, w.parties), FSH_SMP_REQUEST);
    }
}

/* ---- ends ---- */

static bool anything_left(void)
{
    const struct sent *s = &w.sent[0][0][0];

    for (size_t i = 0; i < sizeof w.sent / sizeof *s; i++)
        if (s[i].first != s[i].next)
            return true;
    return false;
}

/* Nothing is lost, and no block of a pool. */
static void drain(void)
{
    w.left = 0;
    for (unsigned round = 0; anything_left(); round++) {
        CHECK(round < 100, "messages do not arrive");
        for (unsigned p = 0; p < w.parties; p++)
            fsh_smp_port_poll(w.party[p].port, deliver, &w.party[p]);
    }
    for (unsigned p = 0; p < w.parties; p++) {
        CHECK(!fsh_smp_port_poll(w.party[p].port, deliver, &w.party[p]));
        for (unsigned c = 0; c < FSH_SMP_CHANNELS; c++)
            CHECK(fsh_smp_port_blocks(w.party[p].port, c) == 0,
                  "blocks of rank %u are lost", w.party[p].rank);
    }
}

static struct fsh_smp_ring *ring_of(unsigned from, unsigned to,
                                    unsigned channel)
{
    struct fsh_smp_pair *pairs = (void *)(w.base + w.layout.pairs);

    return &pairs[(size_t)w.party[to].rank * w.layout.ranks +
                  w.party[from].rank]
                .ring[channel];
}

/* How many slots are free: anything, or a little off what was written, for such a
 * count passes coarse checks. */
static uint32_t wrong_count(struct fuzz *f, unsigned from, unsigned to,
                            unsigned channel)
{
    struct fsh_smp_tx *tx = &w.party[from].port->tx[channel][w.party[to].rank];

    if (fuzz_rarely(f, 2))
        return (uint32_t)fuzz_word(f);
    return tx->tail + fuzz_below(f, 2 * FSH_SMP_SLOTS) - FSH_SMP_SLOTS;
}

/* A first word of which some bytes, or other words of a head that do. */
static void damage_field(struct fuzz *f, struct fsh_smp_head *head)
{
    static const uint8_t categories[] = {
        FSH_AM_MEDIUM,  FSH_AM_LONG,  3,
        FSH_SMP_POOLED, FSH_SMP_BACK, FSH_AM_LONG | FSH_SMP_NEAR};
    static const uint8_t counts[] = {0,  1,  2,  10,  11,  16,  17,
                                     63, 64, 65, 128, 129, 160, 255};
    /* Of the first word: stamp, handler, category, arguments, slots. */
    enum { CATEGORY = 5, ARGS, SLOTS };
    unsigned char *bytes = (unsigned char *)head;
    uint64_t word = fuzz_word(f);
    uint8_t count = counts[word % sizeof counts];

    switch (fuzz_below(f, 7)) {
    case 0:
        bytes[CATEGORY] = categories[word % sizeof categories];
        break;
    case 1:
        bytes[ARGS] = count;
        break;
    case 2:
        bytes[SLOTS] = count;
        break;
    case 3:
        head->nbytes = (uint32_t)(word >> word % 32);
        break;
    case 4:
        head->addr = word >> word % 64;
        break;
    case 5:
        head->back = word >> word % 64;
        bytes[CATEGORY] |= FSH_SMP_BACK;
        break;
    default:
        for (size_t i = 4; i < sizeof *head; i++)
            bytes[i] = fuzz_byte(f);
    }
}

/* A head that looks like a message, with some fields, or all, at random. */
static void damage_head(struct fuzz *f, const struct fsh_smp_rx *rx)
{
    /* Where the receiver stands or soon will. */
    uint32_t pos = rx->pos + (fuzz_rarely(f, 2) ? fuzz_below(f, 20) : 0);
    struct fsh_smp_head *head = fsh_smp_head_at(rx->ring, pos);
    uint32_t stamp = fsh_smp_stamp(pos);

    if (fuzz_rarely(f, 2))
        atomic_store(&head->first,
                     fsh_smp_first(stamp,
                                   fsh_smp_what(fuzz_byte(f), fuzz_below(f, 3),
                                                fuzz_below(f, 17)),
                                   1));
    for (unsigned n = 1 + fuzz_below(f, 3); n > 0; n--)
        damage_field(f, head);
}

static void damage(struct fuzz *f)
{
    struct fsh_smp_ctl *ctl = (void *)w.base;
    unsigned channel = fuzz_below(f, FSH_SMP_CHANNELS);
    unsigned to = fuzz_below(f, w.parties);
    unsigned from = fuzz_below(f, w.parties);
    struct fsh_smp_ring *ring = ring_of(from, to, channel);

    ctl += w.party[to].rank;
    switch (fuzz_below(f, 6)) {
    case 0:
        atomic_store(&ring->freed, wrong_count(f, from, to, channel));
        break;
    case 1:
        atomic_store(&ctl->summary[channel], fuzz_word(f));
        break;
    case 2:
        atomic_store(&ctl->ready[channel][fuzz_below(f, 16)], fuzz_word(f));
        break;
    case 3:
        atomic_store(&ctl->over[channel][fuzz_below(f, FSH_SMP_BLOCKS)],
                     (uint32_t)fuzz_word(f));
        break;
    default:
        damage_head(f, &w.party[to].port->rx[channel][w.party[from].rank]);
    }
}

static void suffer(void *arg)
{
    (void)arg;
    for (unsigned i = 0; i < 8; i++) {
        traffic();
        for (unsigned n = 1 + fuzz_below(w.f, 4); n > 0; n--)
            damage(w.f);
        for (unsigned p = 0; p < w.parties; p++) {
            poll_one(p);
            fsh_smp_port_blocks(w.party[p].port, i % FSH_SMP_CHANNELS);
        }
    }
}

/* Nobody waits for ever for slots that a wrong count says are in use. */
static void stall(void *arg)
{
    struct fsh_am am = {.node = w.party[1].rank, .category = FSH_AM_SHORT};
    struct party *from = &w.party[0], *to = &w.party[1];
    struct fsh_smp_ring *ring = ring_of(0, 1, FSH_SMP_REQUEST);
    unsigned failed = 0;

    (void)arg;
    atomic_store(&ring->freed, (uint32_t)fuzz_word(w.f));
    for (unsigned i = 0; i < 4 * FSH_SMP_SLOTS && failed < 4; i++) {
        failed++;
        if (fsh_smp_port_send(from->port, FSH_SMP_REQUEST, am.node, &am) ==
            FSH_SMP_SENT)
            failed = 0;
        fsh_smp_port_poll(to->port, deliver, to);
        fsh_smp_port_poll(to->port, deliver, to);
    }
    CHECK(failed == 0, "the ring has stopped");
}

/* ---- the case ---- */

static void make_world(struct fuzz *f)
{
    static const uint32_t sizes[] = {2, 3, 7, 64, 65, 130};
    uint32_t ranks =
        sizes[fuzz_rarely(f, 8) ? fuzz_below(f, 6) : fuzz_below(f, 3)];

    memset(&w, 0, sizeof w);
    w.f = f;
    w.left = MESSAGES;
    w.parties = ranks < PARTIES ? ranks : PARTIES;
    w.layout = fsh_smp_layout(ranks, 0);
    w.base = mmap(NULL, w.layout.total, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(w.base != MAP_FAILED);
    for (unsigned p = 0; p < w.parties; p++) {
        w.party[p].rank = p * (ranks - 1) / (w.parties - 1);
        w.party[p].port = fsh_smp_port_new(w.base, &w.layout, w.party[p].rank,
                                           fuzz_rarely(f, 2));
        CHECK(w.party[p].port != NULL);
    }
}

static void fuzz_setup(void)
{
    fuzz_catch_fatal();
}

static void traffic_body(void *arg)
{
    (void)arg;
    traffic();
    drain();
}

static void fuzz_case(struct fuzz *f)
{
    make_world(f);
    CHECK(!fuzz_ends(traffic_body, NULL), "%s", fuzz_reason);
    w.hostile = fuzz_rarely(f, 2);
    if (w.hostile && fuzz_ends(fuzz_rarely(f, 4) ? stall : suffer, NULL))
        CHECK(strstr(fuzz_reason, "outside its own memory") ||
                  strstr(fuzz_reason, "arguments"),
              "%s", fuzz_reason);
    for (unsigned p = 0; p < w.parties; p++)
        fsh_smp_port_free(w.party[p].port);
    munmap(w.base, w.layout.total);
}

FUZZ_MAIN(1500)
