/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * First messages. A provider over TCP connects two ranks with the first message between
 * them, and both have to make progress for that: without this a rank that computes after
 * its first barrier would keep those waiting to which it had no connection yet. So in
 * gasnet_attach, where all are, each rank connects to those at distances of powers of
 * two, with which collectives and barriers of teams talk, and to those of its barrier with
 * all (meet.c), if they are not here. See state.h.
 */
#include "base/log.h"
#include "base/option.h"
#include "base/wait.h"
#include "conduit/ofi/state.h"

static void send_hello(uint32_t node)
{
    const struct fsh_ofi_head head = {.job = fsh_ofi.expect.job,
                                      .source = fsh_ofi.rank,
                                      .kind = FSH_OFI_HELLO};
    struct fsh_ofi_op *op;

    if (fsh_ofi.peers[node].here)
        return;
    op = fsh_ofi_op_take(sizeof head, false);
    /* Not injected: what the provider takes has a connection. */
    op->kind = FSH_OFI_OP_SEND;
    op->node = node;
    op->bytes = fsh_ofi_pack(fsh_ofi_op_data(op), &head, NULL);
    fsh_ofi_post(op);
    fsh_ofi.greetings++;
}

static bool sleep_in_provider(struct fsh_wait *wait, uint64_t ns)
{
    (void)wait;
    fsh_ofi_wait(ns, false);
    return true;
}

static void start_is_over(struct fsh_wait *wait, const char *what)
{
    fsh_fatal("%s: of %u ranks that this one must reach by provider %s, %u "
              "have answered within %g s (FSHMEM_START_TIMEOUT): is there a "
              "firewall, or another interface to be named by "
              "FSHMEM_OFI_INTERFACE?",
              what, fsh_ofi.greetings,
              fsh_ofi.network.info->fabric_attr->prov_name, fsh_ofi.greeted,
              wait->limit_ms / 1e3);
}

static bool is_met(void)
{
    bool met;

    pthread_mutex_lock(&fsh_ofi.lock);
    /* Nor is its completion waited for, which may need the other rank once more. */
    met = fsh_ofi.greeted >= fsh_ofi.greetings && fsh_ofi.queued == 0;
    pthread_mutex_unlock(&fsh_ofi.lock);
    return met;
}

void fsh_ofi_greet(void)
{
    static const struct fsh_wait_kind kind = {.spins = 64,
                                              .yields = 32,
                                              .nap_us = 1000,
                                              .most_us = 10000,
                                              .sleep = sleep_in_provider,
                                              .expired = start_is_over};
    struct fsh_wait wait = {
        .limit_ms = fsh_wait_ms(fsh_option_seconds("FSHMEM_START_TIMEOUT"))};
    const uint32_t n = fsh_ofi.ranks;
    uint32_t partner[2 * FSH_OFI_ROUNDS];
    const uint32_t partners = fsh_ofi_meet_partners(partner);

    pthread_mutex_lock(&fsh_ofi.lock);
    for (uint32_t away = 1; away < n; away *= 2) {
        send_hello((fsh_ofi.rank + away) % n);
        send_hello((fsh_ofi.rank + n - away) % n);
    }
    for (uint32_t i = 0; i < partners; i++)
        send_hello(partner[i]);
    pthread_mutex_unlock(&fsh_ofi.lock);
    while (!is_met())
        if (fsh_ofi_poll())
            fsh_wait_found(&wait);
        else
            fsh_wait_pause(&kind, &wait, "gasnet_attach");
    fsh_wait_end(&wait);
}
