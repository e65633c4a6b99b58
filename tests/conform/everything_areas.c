/* SPDX-License-Identifier: BSD-3-Clause */
/* GASNET_SEGMENT_EVERYTHING: every kind of memory of every rank is remotely
 * accessible: static, common, heap, sbrk, mmap, stack. Each is the target of puts,
 * gets, values, memsets and Longs (request, reply, asynchronous) of all ranks at
 * once, in disjoint parts; lengths exceed a message. No segment
 * is requested, and the library reports segments as specified. */
#include <sys/mman.h>

#include "conform.h"

#ifndef GASNET_SEGMENT_EVERYTHING
#error "for the flavour with GASNET_SEGMENT_EVERYTHING"
#endif

enum { H_LONG = 128, H_DONE, H_ASK, H_ANSWER, MAX_RANKS = 8, LONG = 500 };
enum kind { STATIC, COMMON, HEAP, SBRK, MMAP, STACK, KINDS };

/* A rank's part of an area: longer than a Medium of any conduit. */
enum { PART = 70001, AREA = MAX_RANKS * PART };

static unsigned char in_data[AREA] = {1};
unsigned char in_common[AREA] __attribute__((common));

static unsigned char *area[MAX_RANKS][KINDS];
static int longs, dones;

static const char *const names[] = {"static", "common", "heap",
                                    "sbrk",   "mmap",   "stack"};

/* ---- active messages ---------------------------------------------------- */

static void on_long(gasnet_token_t token, void *dst, size_t n, int key)
{
    CHECK_FILL(dst, n, (unsigned)key);
    conf_add(&longs, 1);
    OK(gasnet_AMReplyShort0(token, H_DONE));
}

static void on_done(gasnet_token_t token)
{
    (void)token;
    conf_add(&dones, 1);
}

static void on_answer(gasnet_token_t token, void *dst, size_t n, int key)
{
    (void)token;
    CHECK_FILL(dst, n, (unsigned)key);
    conf_add(&dones, 1);
}

/* Answer by a Long to the address in the arguments, 5 bytes a number. */
static void on_ask(gasnet_token_t token, int high, int low, int key)
{
    const uint64_t to = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    unsigned char text[LONG];
    conf_fill(text, LONG, (unsigned)key);
    OK(gasnet_AMReplyLong1(token, H_ANSWER, text, LONG, (void *)(uintptr_t)to,
                           key));
}

static gasnet_handlerentry_t table[] = {{H_LONG, on_long},
                                        {H_DONE, on_done},
                                        {H_ASK, on_ask},
                                        {H_ANSWER, on_answer}};

static void send_longs(gasnet_node_t to, unsigned char *at, unsigned key)
{
    static unsigned char text[LONG];
    const int before = conf_load(&dones);
    const uint64_t mine =
        (uint64_t)(uintptr_t)(area[conf.me][HEAP] + conf.me * (size_t)PART);
    conf_fill(text, LONG, key);
    OK(gasnet_AMRequestLong1(to, H_LONG, text, LONG, at, (int)key));
    OK(gasnet_AMRequestLongAsync1(to, H_LONG, text, LONG, at + LONG, (int)key));
    OK(gasnet_AMRequestLong1(to, H_LONG, NULL, 0, at, (int)key));
    /* Messages may pass each other, and `at` may be a part of what the answer fills. */
    CONF_WAIT(dones, before + 3);
    OK(gasnet_AMRequestShort3(to, H_ASK, (int)(mine >> 32), (int)mine,
                              (int)key));
    CONF_WAIT(dones, before + 4);
    CHECK_FILL((void *)(uintptr_t)mine, LONG, key);
}

/* ---- put and get --------------------------------------------------------- */

static void there_and_back(gasnet_node_t to, unsigned char *at, size_t n,
                           unsigned key)
{
    static unsigned char src[PART], dst[PART];
    conf_fill(src, n, key);
    gasnet_put_bulk(to, at, src, n);
    gasnet_get_bulk(dst, to, at, n);
    CHECK_FILL(dst, n, key);
    conf_fill(src, n, key + 1);
    gasnet_handle_t handle = gasnet_put_nb(to, at, src, n);
    memset(src, 0, n); /* not bulk: mine again */
    gasnet_wait_syncnb(handle);
    memset(dst, 0, n);
    gasnet_get_nbi(dst, to, at, n);
    gasnet_wait_syncnbi_gets();
    CHECK_FILL(dst, n, key + 1);
    gasnet_memset_nbi(to, at, (int)key, n);
    gasnet_wait_syncnbi_puts();
    gasnet_get(dst, to, at, n);
    CHECK_BYTES(dst, n, (unsigned char)key);
}

static void values(gasnet_node_t to, unsigned char *at, unsigned key)
{
    for (size_t n = 1; n <= SIZEOF_GASNET_REGISTER_VALUE_T; n++) {
        const uint64_t mask = n < 8 ? (UINT64_C(1) << 8 * n) - 1 : ~UINT64_C(0);
        const uint64_t v = key * UINT64_C(0x9e3779b97f4a7c15) + n;
        gasnet_put_val(to, at + 16 * n, v, n);
        CHECK_EQ(gasnet_get_val(to, at + 16 * n, n), v & mask);
        CHECK_EQ(
            gasnet_wait_syncnb_valget(gasnet_get_nb_val(to, at + 16 * n, n)),
            v & mask);
    }
}

/* Everybody gets everything from everybody, all of it under way at once. */
static void all_from_all(void)
{
    const int kinds = conf_iters(KINDS, 1);
    const size_t each = (size_t)conf.n * (size_t)kinds * PART;
    unsigned char *copy = (unsigned char *)malloc(each);
    size_t at = 0;
    CHECK(copy != NULL, "malloc");
    for (int kind = 0; kind < kinds; kind++) {
        conf_fill(area[conf.me][kind], PART, (unsigned)kind + conf.me);
    }
    conf_barrier();
    for (int kind = 0; kind < kinds; kind++) {
        for (gasnet_node_t from = 0; from < conf.n; from++, at += PART) {
            gasnet_get_nbi_bulk(copy + at, from, area[from][kind], PART);
        }
    }
    gasnet_wait_syncnbi_gets();
    at = 0;
    for (int kind = 0; kind < kinds; kind++) {
        for (gasnet_node_t from = 0; from < conf.n; from++, at += PART) {
            CHECK_FILL(copy + at, PART, (unsigned)kind + from);
        }
    }
    free(copy);
}

/* ---- the job -------------------------------------------------------------- */

static void check_answers(void)
{
    gasnet_seginfo_t info[MAX_RANKS];
    OK(gasnet_getSegmentInfo(info, (int)conf.n));
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK(info[i].addr == NULL, "segment of %u at %p", i, info[i].addr);
        CHECK(info[i].size == (uintptr_t)-1, "%zu bytes", (size_t)info[i].size);
    }
    CHECK(gasnet_getMaxLocalSegmentSize() == (uintptr_t)-1, "local");
    CHECK(gasnet_getMaxGlobalSegmentSize() == (uintptr_t)-1, "global");
    CHECK(gasnet_AMMaxLongRequest() >= 512, "AMMaxLongRequest");
    CHECK(gasnet_AMMaxLongReply() >= 512, "AMMaxLongReply");
    CHECK(strstr(GASNET_CONFIG_STRING, "SEGMENT=EVERYTHING") != NULL, "%s",
          GASNET_CONFIG_STRING);
}

static void find_areas(unsigned char *on_stack)
{
    unsigned char *mine[KINDS] = {in_data, in_common};
    mine[HEAP] = (unsigned char *)malloc(AREA);
    mine[SBRK] = (unsigned char *)sbrk(AREA);
    mine[MMAP] = (unsigned char *)mmap(NULL, AREA, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mine[STACK] = on_stack;
    CHECK(mine[HEAP] != NULL && mine[SBRK] != (void *)-1 &&
              mine[MMAP] != MAP_FAILED,
          "no memory");
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        gasnet_coll_broadcast(GASNET_TEAM_ALL, area[i], i, mine, sizeof mine,
                              GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC);
    }
}

int main(int argc, char **argv)
{
    unsigned char on_stack[AREA];
    conf_init("everything_areas", &argc, &argv);
    CHECK(conf.n <= MAX_RANKS, "%u ranks", conf.n);
    /* No multiple of a page, and more than there is: ignored. */
    OK(gasnet_attach(table, CONF_COUNT(table), (uintptr_t)-5, 3));
    check_answers();
    find_areas(on_stack);
    /* Long ones to all only where that is no matter of minutes. */
    const int far = conf_iters(10 * MAX_RANKS, 2);
    for (gasnet_node_t step = 0; step < conf.n; step++) {
        const gasnet_node_t to = (conf.me + step) % conf.n;
        const size_t most = (int)step < far ? PART - 1 : 5000;
        for (int kind = 0; kind < KINDS; kind++) {
            unsigned char *at = area[to][kind] + conf.me * (size_t)PART;
            const unsigned key = (unsigned)(kind * 10 + (int)conf.me);
            conf_at(names[kind]);
            there_and_back(to, at + 1, kind % 2 ? most : 777, key);
            values(to, at, key);
            send_longs(to, at + 3, key);
        }
    }
    CONF_WAIT(longs, (int)conf.n * KINDS * 3);
    conf_barrier();
    all_from_all();
    conf_pass();
}
