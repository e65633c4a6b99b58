/* SPDX-License-Identifier: BSD-3-Clause */
/* A poll never blocks: a rank that has started collectives and only polls keeps
 * polling, however much it has to send, while the others have made their
 * calls and call nothing until it tells them to. Pieces of all sizes: many per
 * message, one per message, many messages per piece. Then everything has arrived. A
 * request that waits for room also makes progress on collectives. */
#include "conform.h"

#include <gasnet_coll.h>

enum { CALLS = 6, POLLS = 1000, H_COUNT = 128, ROOM_BYTES = 500 };

static int received;

static void count(gasnet_token_t token, void *buf, size_t n)
{
    (void)token;
    (void)buf;
    (void)n;
    conf_add(&received, 1);
}

static gasnet_handlerentry_t table[] = {{H_COUNT, count}};

static const size_t sizes[] = {1, 100, 500, 3000, 60000, 1000000};

/* Where all memory is remote, a put needs the target's polls. */
#ifdef GASNET_SEGMENT_EVERYTHING
#define KEEP_SILENT() gasnet_AMPoll()
#else
#define KEEP_SILENT() usleep(100)
#endif

static int *word_of(gasnet_node_t node, gasnet_node_t of)
{
    return (int *)(void *)conf_addr(node) + of;
}

/* One round: CALLS scatters or gathers of n bytes a rank at once. */
struct round {
    size_t n, all;
    int gather, number;
    unsigned char *src, *dst;
};

static unsigned key_of(const struct round *r, gasnet_node_t rank, size_t call)
{
    return rank + (unsigned)r->number + (unsigned)call;
}

static void fill(struct round *r)
{
    memset(r->dst, 0xaa, CALLS * (r->gather ? r->all : r->n));
    for (size_t i = 0; i < CALLS; i++) {
        if (r->gather) {
            conf_fill(r->src + i * r->n, r->n, key_of(r, conf.me, i));
        }
        for (gasnet_node_t k = 0; !r->gather && k < conf.n; k++) {
            conf_fill(r->src + i * r->all + k * r->n, r->n, key_of(r, k, i));
        }
    }
}

static gasnet_coll_handle_t start(const struct round *r, size_t i)
{
    const int flags =
        GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;

    if (r->gather) {
        return gasnet_coll_gather_nb(GASNET_TEAM_ALL, 0, r->dst + i * r->all,
                                     r->src + i * r->n, r->n, flags);
    }
    return gasnet_coll_scatter_nb(GASNET_TEAM_ALL, r->dst + i * r->n, 0,
                                  r->src + i * r->all, r->n, flags);
}

/* Say so to rank 0, and call nothing until it says so. */
static void keep_silent(const int *number)
{
    gasnet_put(0, word_of(0, conf.me), number, sizeof *number);
    conf_at("silent");
    while (conf_load(word_of(conf.me, 0)) != *number) {
        KEEP_SILENT();
    }
}

static void poll_only(const int *number)
{
    conf_at("waiting for the others to be silent");
    for (gasnet_node_t k = 1; k < conf.n; k++) {
        while (conf_load(word_of(0, k)) != *number) {
            KEEP_SILENT();
        }
    }
    conf_at("polling");
    for (int i = 0; i < POLLS; i++) {
        OK(gasnet_AMPoll());
        conf_at("polling");
    }
    for (gasnet_node_t k = 1; k < conf.n; k++) {
        gasnet_put(k, word_of(k, 0), number, sizeof *number);
    }
}

static void check(const struct round *r)
{
    for (size_t i = 0; i < CALLS; i++) {
        if (!r->gather) {
            CHECK_FILL(r->dst + i * r->n, r->n, key_of(r, conf.me, i));
        }
        for (gasnet_node_t k = 0; r->gather && conf.me == 0 && k < conf.n;
             k++) {
            CHECK_FILL(r->dst + i * r->all + k * r->n, r->n, key_of(r, k, i));
        }
    }
}

static void polls(size_t n, int gather, int number)
{
    struct round r = {n, n * conf.n, gather, number, NULL, NULL};
    gasnet_coll_handle_t list[CALLS];
    unsigned char *large = (unsigned char *)malloc(CALLS * r.all);
    unsigned char *small = (unsigned char *)malloc(CALLS * n);

    CHECK(large && small, "malloc");
    r.src = gather ? small : large;
    r.dst = gather ? large : small;
    fill(&r);
    conf_barrier();
    for (size_t i = 0; i < CALLS; i++) {
        list[i] = start(&r, i);
    }
    if (conf.me == 0) {
        poll_only(&number);
    } else {
        keep_silent(&number);
    }
    gasnet_coll_wait_sync_all(list, CALLS);
    check(&r);
    conf_barrier();
    free(large);
    free(small);
}

/* Rank 0 is in a scatter and then sends to rank 1 more than there is room for;
 * rank 1 has made its part and calls nothing until rank 2 has its piece, for which
 * that asks when rank 0 is about to send. So rank 0 must serve rank 2 while it
 * waits for room. */
static void send_too_much(gasnet_coll_handle_t handle, int messages,
                          const int *number)
{
    const unsigned char *some = conf_addr(0) + GASNET_PAGESIZE - ROOM_BYTES;

    conf_at("waiting for rank 1 to be silent");
    while (conf_load(word_of(0, 1)) != *number) {
        KEEP_SILENT();
    }
    gasnet_put(2, word_of(2, 0), number, sizeof *number);
    conf_at("sending more than there is room for");
    for (int i = 0; i < messages; i++) {
        OK(gasnet_AMRequestMedium0(1, H_COUNT, some, ROOM_BYTES));
        conf_at("sending more than there is room for");
    }
    gasnet_coll_wait_sync(handle);
}

static void be_sent_to(gasnet_coll_handle_t handle, int messages,
                       const int *number)
{
    gasnet_put(0, word_of(0, 1), number, sizeof *number);
    conf_at("silent while rank 0 sends");
    while (conf_load(word_of(1, 2)) != *number) {
        KEEP_SILENT();
    }
    gasnet_coll_wait_sync(handle);
    CONF_WAIT(received, messages);
}

static void wait_for_room(int number)
{
    const int flags =
        GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC;
    const int messages = conf_iters(2000, 300);
    unsigned char *all = (unsigned char *)malloc(ROOM_BYTES * conf.n);
    unsigned char mine[ROOM_BYTES] = {0};
    gasnet_coll_handle_t handle;

    CHECK(all != NULL, "malloc");
    for (gasnet_node_t k = 0; k < conf.n; k++) {
        conf_fill(all + ROOM_BYTES * k, ROOM_BYTES, k + (unsigned)number);
    }
    received = 0;
    conf_barrier();
    if (conf.me == 2) {
        conf_at("waiting for rank 0 to be about to send");
        while (conf_load(word_of(2, 0)) != number) {
            KEEP_SILENT();
        }
    }
    handle = gasnet_coll_scatter_nb(GASNET_TEAM_ALL, mine, 0, all, ROOM_BYTES,
                                    flags);
    if (conf.me == 0) {
        send_too_much(handle, messages, &number);
    } else if (conf.me == 1) {
        be_sent_to(handle, messages, &number);
    } else {
        gasnet_coll_wait_sync(handle);
    }
    if (conf.me == 2) {
        gasnet_put(1, word_of(1, 2), &number, sizeof number);
    }
    CHECK_FILL(mine, ROOM_BYTES, conf.me + (unsigned)number);
    conf_barrier();
    free(all);
}

int main(int argc, char **argv)
{
    int number = 0;

    conf_start("coll_polls", &argc, &argv, table, CONF_COUNT(table),
               GASNET_PAGESIZE);
    const int kinds = conf.scale < 0.5 ? 5 : CONF_COUNT(sizes);
    for (int i = 0; i < kinds; i++) {
        polls(sizes[i], 0, ++number);
        polls(sizes[i], 1, ++number);
    }
    for (int i = 0; conf.n >= 3 && i < 3; i++) {
        wait_for_room(++number);
    }
    conf_pass();
}
