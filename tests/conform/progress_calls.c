/* SPDX-License-Identifier: BSD-3-Clause */
/* A loop of any one kind of call that waits for the effect of a handler
 * terminates although the calls have nothing to wait for, and it makes progress on a
 * collective started before. Each kind alone, on one rank or
 * another: the message is sent when its receiver is known to be in the loop. */
#include "conform.h"

#include <gasnet_coll.h>
#include <gasnet_vis.h>

enum { H_FLAG = 128, H_NOTHING, LARGE = 1 << 17 };

/* Where all memory is remote, a put needs the target's polls. */
#ifdef GASNET_SEGMENT_EVERYTHING
#define KEEP_SILENT() gasnet_AMPoll()
#else
#define KEEP_SILENT() usleep(20)
#endif

static int flag;
static unsigned char local[LARGE];

static void raise_flag(gasnet_token_t token)
{
    (void)token;
    conf_add(&flag, 1);
}

static void nothing(gasnet_token_t token, void *buf, size_t n)
{
    (void)token;
    (void)buf;
    (void)n;
}

static gasnet_handlerentry_t table[] = {{H_FLAG, raise_flag},
                                        {H_NOTHING, nothing}};

/* A word that says who is in the loop, then room for what the calls move. */
static int *word_of(gasnet_node_t node)
{
    return (int *)(void *)conf_addr(node);
}

static unsigned char *room_of(gasnet_node_t node)
{
    return conf_addr(node) + 64;
}

/* ---- the calls, on the memory of a node ---- */

#define TO room_of(to)
#define KIND(name, call)               \
    static void name(gasnet_node_t to) \
    {                                  \
        (void)to;                      \
        call;                          \
    }

static int some;
static void *got;

KIND(put, gasnet_put(to, TO, local, 8))
KIND(put_bulk, gasnet_put_bulk(to, TO, local, 100))
KIND(put_large, gasnet_put_bulk(to, TO, local, LARGE))
KIND(put_val, gasnet_put_val(to, TO, 7, 8))
KIND(put_nothing, gasnet_put(to, TO, local, 0))
KIND(put_nb, gasnet_wait_syncnb(gasnet_put_nb(to, TO, local, 8)))
KIND(put_nb_bulk, gasnet_wait_syncnb(gasnet_put_nb_bulk(to, TO, local, 8)))
KIND(put_nb_val, gasnet_wait_syncnb(gasnet_put_nb_val(to, TO, 7, 4)))
KIND(put_nb_nopoll, gasnet_handle_t h = gasnet_put_nb(to, TO, local, 8);
     if (gasnet_try_syncnb_nopoll(h) != GASNET_OK) gasnet_wait_syncnb(h))
KIND(put_nbi, gasnet_put_nbi(to, TO, local, 8); gasnet_wait_syncnbi_puts())
KIND(put_nbi_bulk, gasnet_put_nbi_bulk(to, TO, local, 8);
     gasnet_wait_syncnbi_all())
KIND(put_nbi_val, gasnet_put_nbi_val(to, TO, 7, 2); gasnet_wait_syncnbi_all())
KIND(get, gasnet_get(local, to, TO, 8))
KIND(get_bulk, gasnet_get_bulk(local, to, TO, 100))
KIND(get_val, some = (int)gasnet_get_val(to, TO, 4))
KIND(get_nb, gasnet_wait_syncnb(gasnet_get_nb(local, to, TO, 8)))
KIND(get_nb_bulk, gasnet_wait_syncnb(gasnet_get_nb_bulk(local, to, TO, 8)))
KIND(get_nb_val,
     some = (int)gasnet_wait_syncnb_valget(gasnet_get_nb_val(to, TO, 4)))
KIND(get_nbi, gasnet_get_nbi(local, to, TO, 8); gasnet_wait_syncnbi_gets())
KIND(get_nbi_bulk, gasnet_get_nbi_bulk(local, to, TO, 8);
     gasnet_wait_syncnbi_gets())
KIND(set, gasnet_memset(to, TO, 3, 8))
KIND(set_nb, gasnet_wait_syncnb(gasnet_memset_nb(to, TO, 3, 8)))
KIND(set_nbi, gasnet_memset_nbi(to, TO, 3, 8); gasnet_wait_syncnbi_puts())
KIND(region, gasnet_begin_nbi_accessregion(); gasnet_put_nbi(to, TO, local, 8);
     gasnet_wait_syncnb(gasnet_end_nbi_accessregion()))
KIND(puti, got = TO; void *from = local;
     gasnet_puti_bulk(to, 1, &got, 8, 1, &from, 8))
KIND(geti_nb, got = TO; void *at = local;
     gasnet_wait_syncnb(gasnet_geti_nb_bulk(1, &at, 8, to, 1, &got, 8)))
KIND(wait_none, gasnet_wait_syncnb(GASNET_INVALID_HANDLE))
KIND(try_none, OK(gasnet_try_syncnb(GASNET_INVALID_HANDLE)))
KIND(wait_all, gasnet_handle_t h = GASNET_INVALID_HANDLE;
     gasnet_wait_syncnb_all(&h, 1))
KIND(wait_some, gasnet_handle_t h = GASNET_INVALID_HANDLE;
     gasnet_wait_syncnb_some(&h, 1))
KIND(wait_puts, gasnet_wait_syncnbi_puts())
KIND(wait_gets, gasnet_wait_syncnbi_gets())
KIND(try_implicit, OK(gasnet_try_syncnbi_all()))
KIND(wait_coll, gasnet_coll_wait_sync(GASNET_COLL_INVALID_HANDLE))
KIND(poll, OK(gasnet_AMPoll()))
KIND(request_self, OK(gasnet_AMRequestMedium0(conf.me, H_NOTHING, local, 0)))
KIND(request_long,
     OK(gasnet_AMRequestLong0(conf.me, H_NOTHING, local, 8, room_of(conf.me))))

#define ROW(name)   \
    {               \
#name, name \
    }
static const struct {
    const char *name;
    void (*call)(gasnet_node_t to);
} kinds[] = {
    ROW(put),           ROW(put_bulk),   ROW(put_large),    ROW(put_val),
    ROW(put_nothing),   ROW(put_nb),     ROW(put_nb_bulk),  ROW(put_nb_val),
    ROW(put_nb_nopoll), ROW(put_nbi),    ROW(put_nbi_bulk), ROW(put_nbi_val),
    ROW(get),           ROW(get_bulk),   ROW(get_val),      ROW(get_nb),
    ROW(get_nb_bulk),   ROW(get_nb_val), ROW(get_nbi),      ROW(get_nbi_bulk),
    ROW(set),           ROW(set_nb),     ROW(set_nbi),      ROW(region),
    ROW(puti),          ROW(geti_nb),    ROW(wait_none),    ROW(try_none),
    ROW(wait_all),      ROW(wait_some),  ROW(wait_puts),    ROW(wait_gets),
    ROW(try_implicit),  ROW(wait_coll),  ROW(poll),         ROW(request_self),
    ROW(request_long)};

/* ---- one kind on one rank ---- */

/* `mine` writes to its partner that it is in the loop and stays there until the
 * partner's message is handled. */
static void message(int kind, gasnet_node_t mine, int number)
{
    const gasnet_node_t partner = (mine + 1) % conf.n;
    const gasnet_node_t to = number % 2 == 0 ? mine : partner;

    if (conf.me == mine) {
        const int seen = conf_load(&flag);

        gasnet_put(partner, word_of(partner), &number, sizeof number);
        conf_at(kinds[kind].name);
        while (conf_load(&flag) == seen) {
            kinds[kind].call(to);
        }
        CHECK_EQ(conf_load(&flag), seen + 1);
    } else if (conf.me == partner) {
        while (conf_load(word_of(partner)) != number) {
            KEEP_SILENT();
        }
        OK(gasnet_AMRequestShort0(mine, H_FLAG));
    }
    conf_barrier();
}

/* All but rank 0 start a collective that rank 0 waits for, and do nothing else
 * but one kind of call until rank 0 has its result and says so. */
static void collective(int kind, int number)
{
    const int flags = GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC;
    int *all = (int *)malloc(conf.n * sizeof *all), mine = (int)conf.me;
    gasnet_coll_handle_t handle;

    CHECK(all != NULL, "malloc");
    handle = gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, all, &mine, sizeof mine,
                                       flags);
    if (conf.me == 0) {
        gasnet_coll_wait_sync(handle);
        for (gasnet_node_t i = 1; i < conf.n; i++) {
            gasnet_put(i, word_of(i), &number, sizeof number);
        }
    } else {
        conf_at(kinds[kind].name);
        while (conf_load(word_of(conf.me)) != number) {
            kinds[kind].call((conf.me + (unsigned)number) % conf.n);
        }
        gasnet_coll_wait_sync(handle);
    }
    for (gasnet_node_t i = 0; i < conf.n; i++) {
        CHECK_EQ(all[i], i);
    }
    free(all);
    conf_barrier();
}

int main(int argc, char **argv)
{
    int number = 0;

    conf_start("progress_calls", &argc, &argv, table, CONF_COUNT(table),
               64 + LARGE);
    const int rounds = conf_iters(2, 1);
    for (int kind = 0; kind < CONF_COUNT(kinds); kind++) {
        for (int i = 0; i < rounds; i++) {
            if (conf.n > 1) {
                message(kind, (unsigned)kind % conf.n, ++number);
            }
            collective(kind, ++number);
        }
    }
    conf_pass();
}
