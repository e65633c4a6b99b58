/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random program of puts, gets, memsets, values and active messages whose
 * result does not depend on timing, only on seed, ranks and scale: disjoint
 * ranges within a phase, barriers between phases, handlers whose effects
 * commute. Prints a hash of every rank's memory. The same program must print
 * the same hashes on every conduit (compare.py).
 */
#include "../conform/conform.h"

enum {
    BINS = 8,
    BIN = 6000,
    SLICE = BINS * BIN,   /* what one rank writes at one rank by put */
    GOT = 2 * BINS * BIN, /* results of gets */
    LONG_SLOT = 6000,     /* what one rank writes at one rank by Long */
    MIXED = 8192,         /* Mediums are xor-ed in here */
    COUNTERS = 64         /* sums of Shorts and of payloads, 8 bytes each */
};
enum { H_ADD = 128, H_ADDED, H_MIX, H_MIXED, H_STORE, H_STORED };

static struct conf_rng rng;
static int answers, sent;
static unsigned char *heap;

/* Layout of a segment. */
static size_t put_zone(gasnet_node_t from)
{
    return (size_t)from * SLICE;
}
static size_t got_zone(void)
{
    return (size_t)conf.n * SLICE;
}
static size_t long_zone(gasnet_node_t from)
{
    return got_zone() + GOT + (size_t)from * LONG_SLOT;
}
static size_t mixed_zone(void)
{
    return long_zone(conf.n);
}
static size_t counter_zone(void)
{
    return mixed_zone() + MIXED;
}
static size_t image_bytes(void)
{
    return counter_zone() + COUNTERS * 8;
}
static size_t hash_place(void)
{
    return (image_bytes() + 7) / 8 * 8;
}

static void count(int which, uint64_t v)
{
    unsigned char *at =
        conf_addr(conf.me) + counter_zone() + (unsigned)which % COUNTERS * 8;
    uint64_t sum;
    memcpy(&sum, at, 8);
    sum += v;
    memcpy(at, &sum, 8);
}

static uint64_t hash(const void *buf, size_t n)
{
    const unsigned char *p = (const unsigned char *)buf;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* ---- handlers ------------------------------------------------------------ */

static void add(gasnet_token_t token, int which, int v)
{
    count(which, (uint64_t)(int64_t)v);
    OK(gasnet_AMReplyShort2(token, H_ADDED, which, v));
}

static void added(gasnet_token_t token, int which, int v)
{
    (void)token;
    count(which + 1, (uint64_t)(int64_t)v * 3);
    conf_add(&answers, 1);
}

static void xor_in(const void *buf, size_t n, int offset)
{
    const unsigned char *p = (const unsigned char *)buf;
    unsigned char *at = conf_addr(conf.me) + mixed_zone();
    for (size_t i = 0; i < n; i++) {
        at[((size_t)offset + i) % MIXED] ^= p[i];
    }
}

static void mix(gasnet_token_t token, void *buf, size_t n, int offset)
{
    xor_in(buf, n, offset);
    OK(gasnet_AMReplyMedium1(token, H_MIXED, buf, n, offset + 1));
}

static void mixed(gasnet_token_t token, void *buf, size_t n, int offset)
{
    (void)token;
    xor_in(buf, n, offset);
    conf_add(&answers, 1);
}

static void store(gasnet_token_t token, void *buf, size_t n, int which)
{
    count(which, hash(buf, n));
    OK(gasnet_AMReplyShort1(token, H_STORED, which));
}

static void stored(gasnet_token_t token, int which)
{
    (void)token;
    count(which + 7, 1);
    conf_add(&answers, 1);
}

static gasnet_handlerentry_t table[] = {{H_ADD, add},     {H_ADDED, added},
                                        {H_MIX, mix},     {H_MIXED, mixed},
                                        {H_STORE, store}, {H_STORED, stored}};

/* ---- one phase ----------------------------------------------------------- */

static void random_bytes(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        p[i] = (unsigned char)conf_next(&rng);
    }
}

static void one_put(int bin)
{
    const gasnet_node_t to = (gasnet_node_t)conf_below(&rng, conf.n);
    const size_t start = conf_below(&rng, BIN - 8);
    const size_t n = conf_length(&rng, BIN - start);
    unsigned char *src = heap + (size_t)bin * 2 * BIN + conf_below(&rng, 64);
    unsigned char *dst =
        conf_addr(to) + put_zone(conf.me) + (size_t)bin * BIN + start;
    random_bytes(src, n < 8 ? 8 : n);
    switch (conf_below(&rng, 7)) {
    case 0:
        gasnet_put(to, dst, src, n);
        break;
    case 1:
        gasnet_put_bulk(to, dst, src, n);
        break;
    case 2:
        gasnet_put_nbi(to, dst, src, n);
        break;
    case 3:
        gasnet_put_nbi_bulk(to, dst, src, n);
        break;
    case 4:
        gasnet_memset_nbi(to, dst, src[0], n);
        break;
    case 5:
        gasnet_put_nbi_val(to, dst, src[0] * 0x010203u, 1 + n % 8);
        break;
    default:
        gasnet_wait_syncnb(gasnet_put_nb(to, dst, src, n));
        break;
    }
}

/* From anybody's slice at anybody's, or from a neighbour's. */
static void one_get(int bin)
{
    const gasnet_node_t at = (gasnet_node_t)conf_below(&rng, conf.n);
    const gasnet_node_t writer = (gasnet_node_t)conf_below(&rng, conf.n);
    const size_t start = conf_below(&rng, SLICE - 8);
    const size_t room = SLICE - start < BIN ? SLICE - start : BIN;
    const size_t n = conf_length(&rng, room);
    unsigned char *src = conf_addr(at) + put_zone(writer) + start;
    unsigned char *dst = conf_addr(conf.me) + got_zone() +
                         (size_t)bin * 2 * BIN + conf_below(&rng, 64);
    uint64_t v;
    switch (conf_below(&rng, 4)) {
    case 0:
        gasnet_get(dst, at, src, n);
        break;
    case 1:
        gasnet_get_nbi_bulk(dst, at, src, n);
        break;
    case 2:
        v = gasnet_get_val(at, src, 1 + n % 8);
        memcpy(dst, &v, 8);
        break;
    default:
        gasnet_wait_syncnb(gasnet_get_nb_bulk(dst, at, src, n));
        break;
    }
}

static void one_message(unsigned char *buf)
{
    const gasnet_node_t to = (gasnet_node_t)conf_below(&rng, conf.n);
    const int which = (int)conf_below(&rng, 1000);
    size_t n = conf_length(&rng, 512); /* what every conduit's Medium holds */
    random_bytes(buf, LONG_SLOT);
    sent++;
    switch (conf_below(&rng, 3)) {
    case 0:
        OK(gasnet_AMRequestShort2(to, H_ADD, which,
                                  (gasnet_handlerarg_t)conf_next(&rng)));
        break;
    case 1:
        OK(gasnet_AMRequestMedium1(to, H_MIX, buf, n, which));
        break;
    default:
        n = conf_length(&rng, LONG_SLOT);
        OK(gasnet_AMRequestLong1(to, H_STORE, buf, n,
                                 conf_addr(to) + long_zone(conf.me), which));
        /* The next Long from here may go to the same place. */
        GASNET_BLOCKUNTIL(conf_load(&answers) == sent);
    }
}

static void phase(unsigned char *buf)
{
    for (int b = 0; b < BINS; b++) {
        one_put(b);
        one_message(buf);
    }
    gasnet_wait_syncnbi_puts();
    conf_barrier();
    for (int b = 0; b < BINS; b++) {
        one_get(b);
        one_message(buf);
    }
    gasnet_wait_syncnbi_gets();
    GASNET_BLOCKUNTIL(conf_load(&answers) == sent);
    conf_barrier();
}

static void print_hashes(void)
{
    const uint64_t mine = hash(conf_addr(conf.me), image_bytes());
    gasnet_put_val(conf.me, conf_addr(conf.me) + hash_place(), mine, 8);
    conf_barrier();
    for (gasnet_node_t i = 0; conf.me == 0 && i < conf.n; i++) {
        printf("image of rank %u: %016" PRIx64 "\n", (unsigned)i,
               (uint64_t)gasnet_get_val(i, conf_addr(i) + hash_place(), 8));
    }
    conf_barrier();
}

int main(int argc, char **argv)
{
    unsigned char buf[LONG_SLOT];
    conf_init("memory_image", &argc, &argv);
    conf_attach(table, CONF_COUNT(table), hash_place() + 8);
    rng = conf_rng(conf.me);
    heap = (unsigned char *)malloc(BINS * 2 * BIN);
    CHECK(heap != NULL, "malloc");
    memset(conf_addr(conf.me), 0, image_bytes());
    conf_barrier();
    const int phases = conf_iters(1000, 2);
    for (int i = 0; i < phases; i++) {
        phase(buf);
    }
    print_hashes();
    conf_pass();
}
