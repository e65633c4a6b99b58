/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two completions of a put, on any conduit: `local` when the source may be
 * changed again, `remote` when the data has arrived. Rank 0 puts to rank 1 and to
 * itself, from its segment and from other memory, with two separate events, with the
 * same one, and with none for the source; overwrites the source as soon as allowed, and
 * checks the data only by gets. Two ranks.
 */
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "gasnet/internal.h"

enum { SEGMENT = 1 << 20, SOURCE = 1 << 18, TARGET = 1 << 19, MOST = 200000 };
enum kind { APART, SAME, AT_ONCE, KINDS };

static const size_t sizes[] = {1, 8, 64, 1000, 4096, 65536, MOST};
static unsigned char private_source[MOST], back[MOST];
static unsigned char *segment[2];
static unsigned salt;

static void fill(unsigned char *p, size_t n)
{
    salt++;
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 11 + i / 251 + salt);
}

static void wait_for(struct fsh_event *event)
{
    fsh_wait_event(event, "completions", 1);
}

static void check_one(uint32_t node, unsigned char *src, size_t n,
                      enum kind kind)
{
    const struct fsh_conduit_ops *ops = fsh_gasnet.ops;
    struct fsh_event local = {0}, remote = {0}, got = {0};
    struct fsh_event *read = kind == APART  ? &local
                             : kind == SAME ? &remote
                                            : NULL;
    unsigned char *dst = segment[node] + TARGET;

    fill(src, n);
    ops->put(node, dst, src, n, read, &remote);
    if (read != NULL)
        wait_for(read);
    memset(src, 0xee, n);
    wait_for(&remote);
    if (atomic_load(&local.pending) != 0 || atomic_load(&remote.pending) != 0)
        fsh_fatal("completions: something is pending after the end");
    ops->get(back, node, dst, n, &got);
    wait_for(&got);
    for (size_t i = 0; i < n; i++)
        if (back[i] != (unsigned char)(i * 11 + i / 251 + salt))
            fsh_fatal("completions: kind %d, node %u, byte %zu of %zu", kind,
                      node, i, n);
}

int main(int argc, char **argv)
{
    gasnet_seginfo_t info[2];

    if (gasnet_init(&argc, &argv) != GASNET_OK ||
        gasnet_attach(NULL, 0, SEGMENT, 0) != GASNET_OK ||
        gasnet_getSegmentInfo(info, 2) != GASNET_OK)
        return 1;
    for (int i = 0; i < 2; i++)
        segment[i] = info[i].addr;
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    for (size_t s = 0; gasnet_mynode() == 0 && s < sizeof sizes / sizeof *sizes;
         s++)
        for (uint32_t node = 0; node < 2; node++)
            for (enum kind kind = APART; kind < KINDS; kind++) {
                check_one(node, private_source, sizes[s], kind);
                check_one(node, segment[0] + SOURCE, sizes[s], kind);
            }
    gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
    gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
    if (gasnet_mynode() == 0)
        puts("completions: pass");
    gasnet_exit(0);
}
