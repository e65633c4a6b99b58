/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * More signals pending on one event than a command can wait for at once: none is
 * lost, whatever their sum, and no other event is affected.
 */
#include "cores.h"

enum { EVENT = 62, OTHER = 63, MOST = 65535, LAPS = 3 };

static void nothing_pends(unsigned event)
{
    const fshmem_flow_t flow = {.await_event = event, .await_count = 1};
    fshmem_command_t command;
    gasnet_handle_t handle;
    fshmem_status_t result;

    FINE(fshmem_command_nop(0, &flow, &command));
    FINE(fshmem_submit_nb(conf.me, &command, 1, 0, &handle, &result));
    for (int i = 0; i < 200; i++) {
        gasnet_AMPoll();
        CHECK(gasnet_try_syncnb(handle) != GASNET_OK, "event %u has signals",
              event);
    }
    FINE(fshmem_signal(conf.me, event, 1));
    gasnet_wait_syncnb(handle);
    FINE(result);
}

int main(int argc, char **argv)
{
    const uint64_t all = (uint64_t)LAPS * (MOST + 1) + 1000;
    gasnet_node_t to;

    cores_start("signals", &argc, &argv, 1 << 20);
    to = (conf.me + 1) % conf.n;
    for (uint64_t left = all; left > 0;) {
        const unsigned add = left < 255 ? (unsigned)left : 255;

        FINE(fshmem_signal(to, EVENT, add));
        left -= add;
    }
    conf_barrier(); /* all of them pend */
    for (uint64_t left = all; left > 0;) {
        const unsigned take = left < MOST ? (unsigned)left : MOST;

        FINE(fshmem_await(EVENT, take));
        left -= take;
    }
    nothing_pends(EVENT);
    nothing_pends(OTHER);
    conf_pass();
}
