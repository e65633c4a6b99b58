/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Longs of more than a message takes: their bytes are put, and when they are in place the
 * message follows without them. A request waits for that, since its caller may; what must
 * not wait, a reply, keeps a copy of the bytes, and the message is sent by the poll that
 * finds them in place. See state.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/wait.h"
#include "conduit/ofi/state.h"

struct fsh_ofi_long {
    struct fsh_ofi_long *next;
    struct fsh_event put;
    uint32_t credit; /* given back with it */
    struct fsh_am am;
    int32_t args[FSH_OFI_MAX_ARGS];
    enum fsh_ofi_kind kind;
};

void fsh_ofi_long_place(const struct fsh_am *am)
{
    static const struct fsh_wait_kind kind = {
        .who = "conduit ofi: a Long request", .to_peer = true, .spins = 1};
    struct fsh_wait wait = {.peer = am->node + 1};
    struct fsh_event put = {0};

    fsh_ofi_put(am->node, am->dst, am->src, am->nbytes, &put, &put);
    /* Partner: the release where the put completes. */
    while (atomic_load_explicit(&put.pending, memory_order_acquire) != 0) {
        if (fsh_ofi.poll()) {
            fsh_am_delivered();
            fsh_wait_found(&wait);
        } else
            fsh_wait_pause(&kind, &wait, "its payload to arrive");
        fsh_am_waits();
    }
    fsh_wait_end(&wait);
}

void fsh_ofi_long_later(enum fsh_ofi_kind kind, const struct fsh_am *am,
                        uint32_t credit)
{
    struct fsh_ofi_long *l = calloc(1, sizeof *l);

    if (l == NULL)
        fsh_fatal("conduit ofi: no memory for a Long of %zu bytes", am->nbytes);
    l->am = *am;
    l->kind = kind;
    l->credit = credit;
    if (am->nargs != 0)
        memcpy(l->args, am->args, am->nargs * sizeof l->args[0]);
    l->am.args = l->args;
    fsh_ofi_put(am->node, am->dst, am->src, am->nbytes, NULL, &l->put);
    pthread_mutex_lock(&fsh_ofi.lock);
    l->next = fsh_ofi.longs;
    fsh_ofi.longs = l;
    pthread_mutex_unlock(&fsh_ofi.lock);
}

bool fsh_ofi_longs_flush(void)
{
    struct fsh_ofi_long **at = &fsh_ofi.longs, *l;
    bool any = false;

    while ((l = *at) != NULL) {
        if (atomic_load_explicit(&l->put.pending, memory_order_acquire) != 0 ||
            !fsh_ofi_send_am(l->kind, &l->am, l->credit)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        free(l);
        any = true;
    }
    return any;
}
