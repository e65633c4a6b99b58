/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Remote memset, of any length: a request that the target answers once the
 * bytes are set. The address of the initiator's event travels with it and comes
 * back. Handlers run on the thread that polls.
 */
#include <string.h>

#include "base/simulated.h"
#include "gasnet/internal.h"

static void on_done(void *token, int32_t ev_hi, int32_t ev_lo)
{
    struct fsh_event *event = fsh_join_ptr(ev_hi, ev_lo);

    (void)token;
    FSH_ASSERT(atomic_load(&event->pending) != 0);
    /* Partner: the acquire in fsh_event_done. */
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

static void on_memset(void *token, int32_t dest_hi, int32_t dest_lo,
                      int32_t n_hi, int32_t n_lo, int32_t val, int32_t ev_hi,
                      int32_t ev_lo)
{
    const int32_t args[] = {ev_hi, ev_lo};
    void *dest = fsh_join_ptr(dest_hi, dest_lo);
    size_t n = (size_t)fsh_join(n_hi, n_lo);

    fsh_simulated_moving(dest, NULL, NULL, n);
    memset(dest, val, n);
    fsh_simulated_moved();
    fsh_answer(token, FSH_HANDLER_MEMSET_DONE, args, 2, NULL, 0);
}

void fsh_memset_start(uint32_t node, void *dest, int val, size_t n,
                      struct fsh_event *event)
{
    uint64_t d = (uintptr_t)dest, e = (uintptr_t)event;
    const int32_t args[] = {fsh_high(d), fsh_low(d),  fsh_high(n), fsh_low(n),
                            val,         fsh_high(e), fsh_low(e)};

    /* Before the request: its reply may arrive while it is still being sent. */
    atomic_fetch_add_explicit(&event->pending, 1, memory_order_relaxed);
    fsh_gasnet_send(node, FSH_HANDLER_MEMSET, args, 7, NULL, 0);
}

void fsh_memset_register(void)
{
    fsh_gasnet.handler[FSH_HANDLER_MEMSET] = (fsh_handler_fn)on_memset;
    fsh_gasnet.handler[FSH_HANDLER_MEMSET_DONE] = (fsh_handler_fn)on_done;
}
