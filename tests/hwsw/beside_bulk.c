/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shorts during all-to-all bulk traffic: each rank puts to each and, until its puts
 * are done, sends a Short to one rank after the other and waits for the reply. Prints the
 * slowest Short and its time on an idle fabric. In simulated
 * time both are exact. usage: beside_bulk BYTES [--seed S]
 */
#include "../conform/conform.h"
#include <gasnet_tools.h>

enum { H_ASK = 128, H_ANSWER };

/* The slowest of a rank. */
struct worst {
    uint64_t ns;
    gasnet_node_t peer;
    uint32_t asked;
};

static int answers;

static void on_ask(gasnet_token_t token)
{
    OK(gasnet_AMReplyShort0(token, H_ANSWER));
}

static void on_answer(gasnet_token_t token)
{
    (void)token;
    conf_add(&answers, 1);
}

static void ask(gasnet_node_t to, struct worst *worst)
{
    int before = conf_load(&answers);
    gasnett_tick_t begun = gasnett_ticks_now();
    uint64_t ns;

    OK(gasnet_AMRequestShort0(to, H_ASK));
    CONF_WAIT(answers, before + 1);
    ns = gasnett_ticks_to_ns(gasnett_ticks_now() - begun);
    worst->asked++;
    if (ns > worst->ns) {
        worst->ns = ns;
        worst->peer = to;
    }
}

static gasnet_node_t peer(unsigned i)
{
    return (conf.me + 1 + i % (conf.n - 1)) % conf.n;
}

/* Rank 0 has room for what all say behind what they put. */
static void report(const char *when, const struct worst *mine, size_t at)
{
    struct worst *all = (struct worst *)(void *)(conf_addr(0) + at), *w = all;
    uint32_t asked = 0;

    gasnet_put(0, all + conf.me, (void *)(uintptr_t)mine, sizeof *mine);
    conf_barrier();
    for (gasnet_node_t i = 0; conf.me == 0 && i < conf.n; i++) {
        asked += all[i].asked;
        if (all[i].ns > w->ns)
            w = all + i;
    }
    if (conf.me == 0) {
        printf("slowest of %" PRIu32 " Shorts %s: %.3f us there and back, "
               "%u to %u\n",
               asked, when, (double)w->ns / 1e3, (unsigned)(w - all),
               (unsigned)w->peer);
        fflush(stdout);
    }
    conf_barrier();
}

static unsigned key_of(gasnet_node_t from, gasnet_node_t to)
{
    return from * 257u + to;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{H_ASK, on_ask}, {H_ANSWER, on_answer}};
    struct worst idle = {0}, beside = {0};
    size_t bytes;
    unsigned i = 0;

    conf_init("beside_bulk", &argc, &argv);
    CHECK(argc > 1 && conf.n > 1, "usage: beside_bulk BYTES, 2 ranks or more");
    bytes = strtoull(argv[1], NULL, 0) / 64 * 64;
    conf_attach(table, CONF_COUNT(table),
                2 * conf.n * bytes + conf.n * sizeof idle);
    for (gasnet_node_t to = 0; to < conf.n; to++)
        conf_fill(conf_addr(conf.me) + (conf.n + to) * bytes, bytes,
                  key_of(conf.me, to));
    conf_barrier();
    /* One rank after the other: nothing else is on the links. */
    for (gasnet_node_t turn = 0; turn < conf.n; turn++) {
        for (i = 0; turn == conf.me && i < conf.n - 1; i++)
            ask(peer(i), &idle);
        conf_barrier();
    }
    report("alone", &idle, 2 * conf.n * bytes);
    for (i = 0; i < conf.n - 1; i++)
        gasnet_put_nbi_bulk(peer(i), conf_addr(peer(i)) + conf.me * bytes,
                            conf_addr(conf.me) + (conf.n + peer(i)) * bytes,
                            bytes);
    for (i = 0; gasnet_try_syncnbi_puts() != GASNET_OK; i++)
        ask(peer(i), &beside);
    conf_barrier();
    for (gasnet_node_t from = 0; from < conf.n; from++)
        if (from != conf.me)
            CHECK_FILL(conf_addr(conf.me) + from * bytes, bytes,
                       key_of(from, conf.me));
    CHECK(beside.asked > 0, "no Short between");
    report("beside bulk", &beside, 2 * conf.n * bytes);
    conf_pass();
}
