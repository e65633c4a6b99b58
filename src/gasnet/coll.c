/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Broadcast. Every receiver tells the root that it is in the call and where its
 * buffer is; the root, when all are, sends the data in Mediums that carry the
 * address. So nothing is buffered and every form of entry synchronisation
 * holds. For exit synchronisation over all, receivers report their completion
 * and the root releases them. Calls are numbered; a node is in one at a time.
 * Handlers run on whatever thread polls.
 */
#include <string.h>

#include "base/log.h"
#include "gasnet/internal.h"

enum message { READY, DATA, DONE, RELEASE };

/* What the root knows of a receiver. */
struct receiver {
    atomic_uint ready; /* number of the call it is in; released last */
    atomic_uint done;  /* number of the call it has completed */
    uint64_t dst;
};

static struct receiver *receivers; /* [nodes] */
static atomic_uint released;       /* number of the call the root released */
static _Atomic uint64_t received;  /* bytes of the current call */
static uint32_t number;            /* of the current or last call */

static void on_message(void *token, void *buf, size_t nbytes, int32_t message,
                       int32_t call, int32_t hi, int32_t lo)
{
    uint64_t addr = (uint64_t)(uint32_t)hi << 32 | (uint32_t)lo;
    struct receiver *r = &receivers[((struct fsh_token *)token)->source];

    switch ((enum message)message) {
    case READY:
        r->dst = addr;
        /* Partner: the acquire in wait_for. */
        atomic_store_explicit(&r->ready, (uint32_t)call, memory_order_release);
        break;
    case DATA:
        memcpy((void *)(uintptr_t)addr, buf, nbytes);
        /* Partner: the acquire in receive. */
        atomic_fetch_add_explicit(&received, nbytes, memory_order_release);
        break;
    case DONE:
        atomic_store_explicit(&r->done, (uint32_t)call, memory_order_release);
        break;
    case RELEASE:
        atomic_store_explicit(&released, (uint32_t)call, memory_order_release);
        break;
    }
}

static void tell(uint32_t node, enum message message, uint64_t addr,
                 const void *src, size_t n)
{
    const int32_t args[] = {(int32_t)message, (int32_t)number,
                            (int32_t)(uint32_t)(addr >> 32),
                            (int32_t)(uint32_t)addr};
    static const char nothing;

    fsh_gasnet_send(node, FSH_HANDLER_BCAST, args, 4,
                    src != NULL ? src : &nothing, n);
}

/* Until `word` has come to this call; with no bytes to wait for, a receiver may
 * be further. */
static void wait_for(atomic_uint *word, uint32_t node)
{
    struct fsh_wait wait = {.peer = node + 1};

    while ((int32_t)(atomic_load_explicit(word, memory_order_acquire) -
                     number) < 0)
        fsh_wait_step(&wait, "gasnet_coll_broadcast");
    fsh_wait_end(&wait);
}

/* The root's side: `all` is whether nobody may leave before all are done. */
static void distribute(const char *src, size_t n, bool all)
{
    uint32_t me = fsh_gasnet.rank, nodes = fsh_gasnet.nodes;
    size_t most = fsh_gasnet.limits.am_max_medium;

    for (uint32_t i = 1; i < nodes; i++)
        wait_for(&receivers[(me + i) % nodes].ready, (me + i) % nodes);
    for (size_t at = 0; at < n; at += most)
        for (uint32_t i = 1; i < nodes; i++) {
            uint32_t node = (me + i) % nodes;

            tell(node, DATA, receivers[node].dst + at, src + at,
                 n - at < most ? n - at : most);
        }
    if (!all)
        return;
    for (uint32_t i = 1; i < nodes; i++)
        wait_for(&receivers[(me + i) % nodes].done, (me + i) % nodes);
    for (uint32_t i = 1; i < nodes; i++)
        tell((me + i) % nodes, RELEASE, 0, NULL, 0);
}

static void receive(void *dst, uint32_t root, size_t n, bool all)
{
    struct fsh_wait wait = {.peer = root + 1};

    /* Nothing of this call arrives before the root knows that we are in it. */
    atomic_store_explicit(&received, 0, memory_order_relaxed);
    tell(root, READY, (uintptr_t)dst, NULL, 0);
    while (atomic_load_explicit(&received, memory_order_acquire) < n)
        fsh_wait_step(&wait, "gasnet_coll_broadcast");
    fsh_wait_end(&wait);
    if (!all)
        return;
    tell(root, DONE, 0, NULL, 0);
    wait_for(&released, root);
}

void gasnet_coll_init(const gasnet_image_t images[], gasnet_image_t my_image,
                      gasnet_coll_fn_entry_t fn_tbl[], size_t fn_count,
                      int init_flags)
{
    (void)my_image;
    (void)fn_tbl;
    (void)init_flags;
    if (!fsh_gasnet.attached)
        fsh_bad_call("gasnet_coll_init");
    for (uint32_t i = 0; images != NULL && i < fsh_gasnet.nodes; i++)
        if (images[i] != 1)
            fsh_fatal("gasnet_coll_init: %u images on node %u, but one a node "
                      "is possible",
                      images[i], i);
    if (fn_count != 0)
        fsh_fatal("gasnet_coll_init: %zu reduction functions, but none can be "
                  "registered",
                  fn_count);
}

void gasnet_coll_broadcast(gasnet_team_handle_t team, void *dst,
                           gasnet_image_t srcimage, const void *src,
                           size_t nbytes, int flags)
{
    static const char call[] = "gasnet_coll_broadcast";
    bool all = (flags & GASNET_COLL_OUT_ALLSYNC) != 0;

    if (!fsh_gasnet.attached)
        fsh_bad_call(call);
    if (FSH_GASNET_DEBUG)
        fsh_check_may_block(call);
    if (team != GASNET_TEAM_ALL)
        fsh_fatal("%s: team is %p, but only GASNET_TEAM_ALL exists", call,
                  (void *)team);
    if (srcimage >= fsh_gasnet.nodes)
        fsh_fatal("%s: srcimage is %u, but images are 0 to %u", call, srcimage,
                  fsh_gasnet.nodes - 1);
    number++;
    if (srcimage != fsh_gasnet.rank) {
        receive(dst, srcimage, nbytes, all);
        return;
    }
    if (dst != src && nbytes != 0)
        memmove(dst, src, nbytes);
    distribute(src, nbytes, all);
}

void fsh_coll_register(void)
{
    receivers = calloc(fsh_gasnet.nodes, sizeof *receivers);
    if (receivers == NULL)
        fsh_fatal("gasnet_init: no memory for %u nodes", fsh_gasnet.nodes);
    fsh_gasnet.handler[FSH_HANDLER_BCAST] = (fsh_handler_fn)on_message;
}
