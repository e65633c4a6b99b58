/* SPDX-License-Identifier: BSD-3-Clause */
/* Mistakes with gasnet_vis.h and gasnet_coll.h that a debug library must detect:
 * misuse_coll <scenario> makes one, and the job must end with a nonzero code
 * and a line that names the call as the client wrote it (the runner checks it).
 * Either the last rank makes it while the others are in a barrier, or all ranks
 * make mismatched calls. */
#include "conform_threads.h"
#include "mistakes.h"

#include <gasnet_coll.h>
#include <gasnet_vis.h>

enum {
    H_PUTS = 128, /* starts a strided put */
    H_GATHER,     /* starts a gather_all */
    H_SPLIT       /* splits a team */
};

#define MY (GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC)

static gasnet_hsl_t lock = GASNET_HSL_INITIALIZER;
static unsigned char buf[256];
static int never;

static unsigned char *there(void)
{
    return conf_addr(0);
}

/* ---- transfers in pieces ------------------------------------------------ */

static void start_putv(void)
{
    gasnet_memvec_t piece;
    piece.addr = buf;
    piece.len = 8;
    gasnet_putv_bulk(0, 1, &piece, 1, &piece);
}
static void start_puts(void)
{
    const size_t count = 8;
    gasnet_puts_bulk(0, there(), NULL, buf, NULL, &count, 0);
}
static void start_puti(void)
{
    void *to = there(), *from = buf;
    gasnet_puti_bulk(0, 1, &to, 8, 1, &from, 8);
}
static void start_geti_nb(void)
{
    void *to = buf, *from = there();
    gasnet_geti_nb_bulk(1, &to, 8, 0, 1, &from, 8);
}
static void start_gets_nbi(void)
{
    const size_t count = 8;
    gasnet_gets_nbi_bulk(buf, NULL, 0, there(), NULL, &count, 0);
}

static void geti_locked(void)
{
    gasnet_hsl_lock(&lock);
    start_geti_nb();
}
static void gets_held(void)
{
    gasnet_hold_interrupts();
    start_gets_nbi();
}

/* ---- collectives and barriers ------------------------------------------- */

static void start_broadcast(void)
{
    gasnet_coll_broadcast(GASNET_TEAM_ALL, buf, 0, buf, 8, MY);
}
static void scatter_locked(void)
{
    void *list = buf;
    gasnet_hsl_lock(&lock);
    gasnet_coll_scatterM(GASNET_TEAM_ALL, &list, 0, buf, 8, MY);
}
static void exchange_held(void)
{
    gasnet_hold_interrupts();
    gasnet_coll_exchange_nb(GASNET_TEAM_ALL, buf, buf, 8, MY);
}
static void try_locked(void)
{
    gasnet_coll_handle_t handle = GASNET_COLL_INVALID_HANDLE;
    gasnet_hsl_lock(&lock);
    gasnet_coll_try_sync_all(&handle, 1);
}
static void init_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_coll_init(NULL, 0, NULL, 0, 0);
}
static void barrier_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void team_barrier_locked(void)
{
    gasnet_hsl_lock(&lock);
    gasnet_coll_barrier(GASNET_TEAM_ALL, 0, GASNET_BARRIERFLAG_ANONYMOUS);
}
static void barrier_notified(void)
{
    gasnet_barrier_notify(0, 0);
    gasnet_barrier(0, 0);
}
static void nopoll_locked(void)
{
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    gasnet_hsl_lock(&lock);
    gasnet_try_syncnb_some_nopoll(&handle, 1);
}

/* ---- in handlers -------------------------------------------------------- */

static void puts_there(gasnet_token_t token)
{
    (void)token;
    start_puts();
}
static void gathers(gasnet_token_t token)
{
    (void)token;
    gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, buf, buf, 8, MY);
}
static void splits(gasnet_token_t token)
{
    (void)token;
    gasnet_coll_team_split(GASNET_TEAM_ALL, 0, 0, NULL);
}
static gasnet_handlerentry_t table[] = {
    {H_PUTS, puts_there}, {H_GATHER, gathers}, {H_SPLIT, splits}};

static void run_here(int handler)
{
    gasnet_AMRequestShort0(conf.me, (gasnet_handler_t)handler);
    conf_barrier();
}
static void puts_in_handler(void)
{
    run_here(H_PUTS);
}
static void gather_in_handler(void)
{
    run_here(H_GATHER);
}
static void split_in_handler(void)
{
    run_here(H_SPLIT);
}

/* ---- threads ------------------------------------------------------------ */

static void *broadcast_thread(void *arg)
{
    start_broadcast();
    return arg;
}
static void *puti_thread(void *arg)
{
    start_puti();
    return arg;
}
static void in_thread(void *(*run)(void *))
{
    struct conf_crew crew;
    conf_crew_start(&crew, 1, run);
    conf_crew_join(&crew);
}
static void second_thread(void)
{
    in_thread(broadcast_thread);
}
static void second_thread_vis(void)
{
    in_thread(puti_thread);
}
/* The others never call, so one thread stays in its collective. */
static void concurrent_calls(void)
{
    struct conf_crew crew;
    conf_crew_start(&crew, 1, broadcast_thread);
    while (!conf_load(&never)) {
        start_puti();
    }
}

/* ---- by all ranks ------------------------------------------------------- */

static void add(void *results, size_t count, const void *left,
                size_t left_count, const void *right, size_t elem_size,
                int flags, int arg)
{
    (void)results, (void)count, (void)left, (void)left_count, (void)right;
    (void)elem_size, (void)flags, (void)arg;
}
static void reduce(size_t size, size_t count, int func)
{
    gasnet_coll_fn_entry_t functions[2] = {{add, 0}, {add, 0}};
    gasnet_coll_init(NULL, 0, functions, 2, 0);
    gasnet_coll_reduce(GASNET_TEAM_ALL, 0, buf, buf, 0, 0, size, count, func, 0,
                       MY);
}

/* No bytes, so that nobody has to meet anybody in the library for use. */
static void lengths(void)
{
    gasnet_coll_gather_all(GASNET_TEAM_ALL, buf, buf, 8 * conf.me, MY);
    conf_barrier();
}
static void kinds(void)
{
    if (conf.me == 0) {
        gasnet_coll_gather(GASNET_TEAM_ALL, 0, buf, buf, 8, MY);
    } else {
        gasnet_coll_scatter(GASNET_TEAM_ALL, buf, 0, buf, 8, MY);
    }
}
static void roots(void)
{
    gasnet_coll_broadcast(GASNET_TEAM_ALL, buf, conf.me, buf, 8, MY);
}
static void sizes(void)
{
    reduce(conf.me == 0 ? 4 : 8, conf.me == 0 ? 2 : 1, 0);
    conf_barrier();
}
static void functions(void)
{
    reduce(4, 2, (int)conf.me);
    conf_barrier();
}
static void flags(void)
{
    gasnet_coll_broadcast(GASNET_TEAM_ALL, buf, 0, buf, 8,
                          conf.me == 0
                              ? MY
                              : GASNET_COLL_LOCAL | GASNET_COLL_IN_MYSYNC |
                                    GASNET_COLL_OUT_NOSYNC);
    conf_barrier();
}
/* The second call of one is the first of the other. */
static void order(void)
{
    gasnet_coll_handle_t handles[2];
    for (gasnet_node_t i = 0; i < 2; i++) {
        handles[i] =
            i == conf.me
                ? gasnet_coll_exchange_nb(GASNET_TEAM_ALL, buf, buf, 0, MY)
                : gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, buf, buf, 0, MY);
    }
    gasnet_coll_wait_sync_all(handles, 2);
    conf_barrier();
}

/* By the last rank. */
static const struct mistake before_attach[] = {
    {"putv-before-attach", start_putv},
    {"broadcast-before-attach", start_broadcast},
};
static const struct mistake by_one[] = {
    {"geti-locked", geti_locked},
    {"gets-held", gets_held},
    {"puts-in-handler", puts_in_handler},
    {"scatter-locked", scatter_locked},
    {"exchange-held", exchange_held},
    {"gather-in-handler", gather_in_handler},
    {"split-in-handler", split_in_handler},
    {"try-locked", try_locked},
    {"init-locked", init_locked},
    {"barrier-locked", barrier_locked},
    {"team-barrier-locked", team_barrier_locked},
    {"barrier-notified", barrier_notified},
    {"nopoll-locked", nopoll_locked},
    {"second-thread", second_thread},
    {"second-thread-vis", second_thread_vis},
    {"concurrent-calls", concurrent_calls},
};

/* By all ranks. */
static const struct mistake by_all[] = {
    {"lengths", lengths}, {"kinds", kinds},         {"roots", roots},
    {"sizes", sizes},     {"functions", functions}, {"flags", flags},
    {"order", order},
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "none";
    conf_init("misuse_coll", &argc, &argv);
    if (conf.me == conf.n - 1) {
        MAKE_MISTAKE(before_attach, name);
    }
    conf_attach(table, CONF_COUNT(table), 8192);
    conf_barrier();
    if (conf.me == conf.n - 1) {
        MAKE_MISTAKE(by_one, name);
    }
    MAKE_MISTAKE(by_all, name);
    conf_pass(); /* "none", or the mistake went unnoticed */
}
