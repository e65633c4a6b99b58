/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gasnett_run_diagnostics: the self-tests of src/gasnet_tools, then messages, puts
 * and gets around a ring of ranks. Collective, one thread per rank; called by test
 * programs and by users who want to check their installation.
 */
#include <ctype.h>

#include "gasnet/internal.h"
#include "gasnet_tools.h"
#include "gasnet_tools/selftest.h"

enum { ECHO = 254, ECHOED = 255, BYTES = 256 };

static atomic_int echoed;
static uint32_t right; /* the rank this one sends to */

static unsigned char pattern(uint32_t rank, size_t round, size_t i)
{
    return (unsigned char)(rank * 31 + round * 7 + i);
}

static void fill(unsigned char *buf, size_t n, uint32_t rank, size_t round)
{
    for (size_t i = 0; i < n; i++)
        buf[i] = pattern(rank, round, i);
}

static bool filled(const unsigned char *buf, size_t n, uint32_t rank,
                   size_t round)
{
    for (size_t i = 0; i < n; i++)
        if (buf[i] != pattern(rank, round, i))
            return false;
    return true;
}

static void echo(gasnet_token_t token, void *buf, size_t n, int round)
{
    gasnet_node_t from = 0;

    FSH_SELFTEST(gasnet_AMGetMsgSource(token, &from) == GASNET_OK);
    FSH_SELFTEST(filled(buf, n, from, (size_t)round));
    gasnet_AMReplyMedium1(token, ECHOED, buf, n, round);
}

static void on_echoed(gasnet_token_t token, void *buf, size_t n, int round)
{
    (void)token;
    FSH_SELFTEST(filled(buf, n, fsh_gasnet.rank, (size_t)round));
    atomic_fetch_add_explicit(&echoed, 1, memory_order_release);
}

void gasnett_diagnostic_gethandlers(gasnet_handlerentry_t **table, int *count)
{
    static gasnet_handlerentry_t handlers[] = {
        {ECHO, (void (*)())echo},
        {ECHOED, (void (*)())on_echoed},
    };

    *table = handlers;
    *count = (int)(sizeof handlers / sizeof *handlers);
}

static void messages(int iterations)
{
    unsigned char buf[BYTES];
    bool registered = fsh_gasnet.handler[ECHO] == (fsh_handler_fn)echo &&
                      fsh_gasnet.handler[ECHOED] == (fsh_handler_fn)on_echoed;

    FSH_SELFTEST(registered);
    if (!registered)
        return;
    atomic_store_explicit(&echoed, 0, memory_order_relaxed);
    for (int i = 0; i < iterations; i++) {
        size_t n = (size_t)i % (sizeof buf + 1);

        fill(buf, n, fsh_gasnet.rank, (size_t)i);
        FSH_SELFTEST(gasnet_AMRequestMedium1(right, ECHO, buf, n, i) ==
                     GASNET_OK);
    }
    GASNET_BLOCKUNTIL(atomic_load_explicit(&echoed, memory_order_acquire) >=
                      iterations);
    FSH_SELFTEST(atomic_load_explicit(&echoed, memory_order_relaxed) ==
                 iterations);
}

/* Only its left neighbour writes to a rank's segment. */
static void transfers(int iterations, const gasnet_seginfo_t *seginfo)
{
    unsigned char out[BYTES], back[BYTES];
    bool room = seginfo != NULL && seginfo[right].size >= BYTES;
    unsigned char *there = room ? seginfo[right].addr : NULL;
    gasnet_handle_t handle;

    for (int i = 0; room && i < iterations; i++) {
        size_t n = (size_t)i % (sizeof out + 1);

        fill(out, n, fsh_gasnet.rank, (size_t)i);
        handle = gasnet_put_nb_bulk(right, there, out, n);
        gasnet_wait_syncnb(handle);
        gasnet_get_bulk(back, right, there, n);
        FSH_SELFTEST(memcmp(out, back, n) == 0);
    }
}

static void meet(void)
{
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    FSH_SELFTEST(gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS) ==
                 GASNET_OK);
}

/* Whether the section was requested. Rank 0 announces it. */
static bool begins(const char *sections, char section, const char *what)
{
    if (sections != NULL && *sections != '\0' &&
        strchr(sections, section) == NULL &&
        strchr(sections, tolower(section)) == NULL)
        return false;
    meet();
    if (fsh_gasnet.rank == 0) {
        printf("diagnostics %c: %s\n", section, what);
        fflush(stdout);
    }
    return true;
}

int gasnett_run_diagnostics(int iterations, int threads, const char *sections,
                            gasnet_seginfo_t const *seginfo)
{
    const struct fsh_selftest *test = fsh_selftests;

    if (!fsh_gasnet.attached)
        fsh_bad_call("gasnett_run_diagnostics");
    fsh_selftest_failures();
    right = (fsh_gasnet.rank + 1) % fsh_gasnet.nodes;
    if (!fsh_gasnet.threaded)
        threads = 1;
    for (; test->section != 0; test++)
        if (begins(sections, test->section, test->what))
            test->run(iterations, threads);
    if (begins(sections, 'J', "active messages"))
        messages(iterations);
    if (begins(sections, 'K', "put and get"))
        transfers(iterations, seginfo);
    meet();
    return fsh_selftest_failures();
}
