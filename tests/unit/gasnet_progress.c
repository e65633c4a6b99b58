/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How often calls poll, over a conduit whose transfers complete immediately and
 * which counts its polls. Each kind of call alone polls within a bounded number of
 * calls, large transfers sooner; the nopoll kinds never; and none does while the
 * thread holds a lock or interrupts, or is in a handler. A job of one rank; the
 * conduit is replaced after gasnet_attach.
 */
#include <stdio.h>
#include <string.h>

#include "gasnet/internal.h"
#include "gasnet_coll.h"
#include "gasnet_vis.h"
#include "check.h"

enum { HANDLER = 200, BYTES = 1 << 20, WITHIN = 64, CALLS = 1000 };

static struct fsh_conduit_ops ops;
static unsigned polls;
static unsigned char here[BYTES];
static void *there;

static void put(uint32_t node, void *dst, const void *src, size_t n,
                struct fsh_event *local, struct fsh_event *event)
{
    (void)node;
    (void)local;
    (void)event;
    memcpy(dst, src, n);
}

static void get(void *dst, uint32_t node, const void *src, size_t n,
                struct fsh_event *event)
{
    (void)node;
    (void)event;
    memcpy(dst, src, n);
}

static bool count_poll(void)
{
    polls++;
    return false;
}

/* ---- the calls ---- */

#define KIND(name, call)   \
    static void name(void) \
    {                      \
        call;              \
    }

static gasnet_handle_t none;

KIND(do_put, gasnet_put(0, there, here, 8))
KIND(do_put_bulk, gasnet_put_bulk(0, there, here, 8))
KIND(do_put_val, gasnet_put_val(0, there, 1, 8))
KIND(do_put_nb, (void)gasnet_put_nb(0, there, here, 8))
KIND(do_put_nb_bulk, (void)gasnet_put_nb_bulk(0, there, here, 8))
KIND(do_put_nb_val, (void)gasnet_put_nb_val(0, there, 1, 8))
KIND(do_put_nbi, gasnet_put_nbi(0, there, here, 8))
KIND(do_put_nbi_bulk, gasnet_put_nbi_bulk(0, there, here, 8))
KIND(do_put_nbi_val, gasnet_put_nbi_val(0, there, 1, 8))
KIND(do_get, gasnet_get(here, 0, there, 8))
KIND(do_get_bulk, gasnet_get_bulk(here, 0, there, 8))
KIND(do_get_val, (void)gasnet_get_val(0, there, 8))
KIND(do_get_nb, (void)gasnet_get_nb(here, 0, there, 8))
KIND(do_get_nb_bulk, (void)gasnet_get_nb_bulk(here, 0, there, 8))
KIND(do_get_nbi, gasnet_get_nbi(here, 0, there, 8))
KIND(do_get_nbi_bulk, gasnet_get_nbi_bulk(here, 0, there, 8))
KIND(do_get_nb_val,
     (void)gasnet_wait_syncnb_valget(gasnet_get_nb_val(0, there, 8)))
KIND(do_memset, gasnet_memset(0, there, 0, 8))
KIND(do_memset_nb, (void)gasnet_memset_nb(0, there, 0, 8))
KIND(do_memset_nbi, gasnet_memset_nbi(0, there, 0, 8))
KIND(do_puti, void *from = here; gasnet_puti_bulk(0, 1, &there, 8, 1, &from, 8))
KIND(do_geti_nb, void *to = here;
     (void)gasnet_geti_nb_bulk(1, &to, 8, 0, 1, &there, 8))
KIND(do_puti_nbi, void *from = here;
     gasnet_puti_nbi_bulk(0, 1, &there, 8, 1, &from, 8))
KIND(do_wait, gasnet_wait_syncnb(GASNET_INVALID_HANDLE))
KIND(do_wait_all, gasnet_wait_syncnb_all(&none, 1))
KIND(do_wait_some, gasnet_wait_syncnb_some(&none, 1))
KIND(do_wait_nbi, gasnet_wait_syncnbi_all())
KIND(do_wait_puts, gasnet_wait_syncnbi_puts())
KIND(do_wait_gets, gasnet_wait_syncnbi_gets())
KIND(do_wait_coll, gasnet_coll_wait_sync(GASNET_COLL_INVALID_HANDLE))
KIND(do_coll, gasnet_coll_broadcast(GASNET_TEAM_ALL, here, 0, here, 8,
                                    GASNET_COLL_LOCAL | GASNET_COLL_ALLSYNC))
KIND(do_barrier, CHECK(gasnet_barrier(0, 0) == GASNET_OK))
KIND(do_barrier_try, gasnet_barrier_notify(0, 0);
     CHECK(gasnet_barrier_try(0, 0) == GASNET_OK))
KIND(do_short, CHECK(gasnet_AMRequestShort0(0, HANDLER) == GASNET_OK))
KIND(do_medium,
     CHECK(gasnet_AMRequestMedium0(0, HANDLER + 1, here, 8) == GASNET_OK))
KIND(do_try, CHECK(gasnet_try_syncnb(none) == GASNET_OK))
KIND(do_try_all, CHECK(gasnet_try_syncnb_all(&none, 1) == GASNET_OK))
KIND(do_try_some, CHECK(gasnet_try_syncnb_some(&none, 1) == GASNET_OK))
KIND(do_try_nbi, CHECK(gasnet_try_syncnbi_all() == GASNET_OK))
KIND(do_poll, CHECK(gasnet_AMPoll() == GASNET_OK))

#define ROW(name)        \
    {                    \
#name, do_##name \
    }
static const struct {
    const char *name;
    void (*call)(void);
} kinds[] = {
    ROW(put),         ROW(put_bulk),    ROW(put_val),   ROW(put_nb),
    ROW(put_nb_bulk), ROW(put_nb_val),  ROW(put_nbi),   ROW(put_nbi_bulk),
    ROW(put_nbi_val), ROW(get),         ROW(get_bulk),  ROW(get_val),
    ROW(get_nb),      ROW(get_nb_bulk), ROW(get_nbi),   ROW(get_nbi_bulk),
    ROW(get_nb_val),  ROW(memset),      ROW(memset_nb), ROW(memset_nbi),
    ROW(puti),        ROW(geti_nb),     ROW(puti_nbi),  ROW(wait),
    ROW(wait_all),    ROW(wait_some),   ROW(wait_nbi),  ROW(wait_puts),
    ROW(wait_gets),   ROW(wait_coll),   ROW(coll),      ROW(barrier),
    ROW(barrier_try), ROW(short),       ROW(medium),    ROW(try),
    ROW(try_all),     ROW(try_some),    ROW(try_nbi),   ROW(poll)};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void each_polls(void)
{
    for (unsigned k = 0; k < KINDS; k++)
        for (unsigned lap = 0; lap < 3; lap++) {
            unsigned before = polls;

            for (unsigned i = 0; i < WITHIN; i++)
                kinds[k].call();
            CHECK(polls > before, "%s: no poll in %d calls", kinds[k].name,
                  WITHIN);
        }
}

static void large_ones_poll(void)
{
    unsigned before = polls;

    for (unsigned i = 0; i < 10; i++)
        gasnet_put_bulk(0, there, here, BYTES);
    CHECK(polls >= before + 10, "%u polls in 10 transfers", polls - before);
}

static void nopoll_never(void)
{
    unsigned before = polls;

    for (unsigned i = 0; i < CALLS; i++) {
        CHECK(gasnet_try_syncnb_nopoll(none) == GASNET_OK);
        CHECK(gasnet_try_syncnb_all_nopoll(&none, 1) == GASNET_OK);
        CHECK(gasnet_try_syncnb_some_nopoll(&none, 1) == GASNET_OK);
    }
    CHECK(polls == before);
}

/* ---- where handlers may not run ---- */

/* Those that need no handler of their own. */
static void all_quiet(const char *where)
{
    unsigned before = polls;

    for (unsigned k = 0; k < KINDS; k++) {
        if (kinds[k].call == do_short || kinds[k].call == do_medium ||
            kinds[k].call == do_memset || kinds[k].call == do_memset_nb ||
            kinds[k].call == do_memset_nbi)
            continue;
        for (unsigned i = 0; i < CALLS; i++)
            kinds[k].call();
        CHECK(polls == before, "%s: %s polled", where, kinds[k].name);
    }
}

static void with_locks(void)
{
    gasnet_hsl_t a = GASNET_HSL_INITIALIZER, b = GASNET_HSL_INITIALIZER;

    gasnet_hsl_lock(&a);
    all_quiet("with a lock");
    CHECK(gasnet_hsl_trylock(&b) == GASNET_OK);
    CHECK(gasnet_hsl_trylock(&b) == GASNET_ERR_NOT_READY);
    gasnet_hsl_unlock(&b);
    all_quiet("with a lock, after another");
    gasnet_hold_interrupts(); /* ignored */
    gasnet_hsl_unlock(&a);
    each_polls();
}

/* A mistake that debug libraries report, and others survive. */
static void unlocked_twice(void)
{
    gasnet_hsl_t a = GASNET_HSL_INITIALIZER;

    gasnet_hsl_lock(&a);
    gasnet_hsl_unlock(&a);
    gasnet_hsl_unlock(&a);
    each_polls();
    gasnet_hsl_lock(&a);
    all_quiet("with a lock, after an unlock too many");
    gasnet_hsl_unlock(&a);
    each_polls();
}

static void with_interrupts_held(void)
{
    gasnet_hold_interrupts();
    all_quiet("with interrupts held");
    gasnet_resume_interrupts();
    each_polls();
}

static bool handled;

static void on_short(gasnet_token_t token)
{
    (void)token;
    if (handled)
        return;
    handled = true;
    all_quiet("in a handler");
}

static void on_medium(gasnet_token_t token, void *buf, size_t n)
{
    (void)token;
    (void)buf;
    (void)n;
}

int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = {{HANDLER, (void (*)())on_short},
                                     {HANDLER + 1, (void (*)())on_medium}};
    const struct fsh_conduit_ops *own;

    CHECK(gasnet_init(&argc, &argv) == GASNET_OK);
    CHECK(gasnet_attach(table, 2, BYTES, 0) == GASNET_OK);
    there = fsh_gasnet.segs[0].addr;
    own = fsh_gasnet.ops;
    ops = *own;
    ops.put = put;
    ops.get = get;
    ops.poll = ops.spin = count_poll;
    fsh_gasnet.ops = &ops;
    CHECK(gasnet_AMRequestShort0(0, HANDLER) == GASNET_OK);
    CHECK(handled);
    each_polls();
    large_ones_poll();
    nopoll_never();
    with_locks();
    unlocked_twice();
    with_interrupts_held();
    fsh_gasnet.ops = own;
    puts("gasnet_progress: pass");
    return 0;
}
