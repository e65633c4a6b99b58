/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events: signals by ranks, and waiting for them; see fshmem.h.
 */
#include "compute/api/api.h"

/* A core that is there takes every signal. */
static void on_signal(void *arg, unsigned status)
{
    struct fsh_event *event = arg;

    (void)status;
    /* Release, partner: the acquire of whoever waits for the handle. */
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

static fshmem_status_t signal_on(gasnet_node_t node, unsigned event,
                                 unsigned increment, struct fsh_event *done)
{
    fshmem_status_t status = fsh_api_check_call();

    if (status != FSHMEM_OK)
        return status;
    if (event >= FSH_NUM_EVENTS || increment < 1 || increment > 255)
        return FSHMEM_ERR_ARGUMENT;
    status = fsh_api_check_compute(node);
    if (status != FSHMEM_OK)
        return status;
    atomic_fetch_add_explicit(&done->pending, 1, memory_order_relaxed);
    if (fsh_gasnet_signal(node, event, increment, on_signal, done))
        return FSHMEM_OK;
    atomic_fetch_sub_explicit(&done->pending, 1, memory_order_relaxed);
    return FSHMEM_ERR_NO_MEMORY;
}

fshmem_status_t fshmem_signal(gasnet_node_t node, unsigned event,
                              unsigned increment)
{
    FSH_TRACED("fshmem_signal");
    struct fsh_event done = {0};
    fshmem_status_t status = signal_on(node, event, increment, &done);

    if (status == FSHMEM_OK)
        fsh_wait_event(&done, "fshmem_signal", node);
    return status;
}

fshmem_status_t fshmem_signal_nb(gasnet_node_t node, unsigned event,
                                 unsigned increment, gasnet_handle_t *handle)
{
    FSH_TRACED("fshmem_signal_nb");
    fshmem_status_t status = fsh_api_check_call();
    struct fsh_thread *self;
    uint32_t index;

    if (status != FSHMEM_OK)
        return status;
    if (handle == NULL)
        return FSHMEM_ERR_ARGUMENT;
    self = fsh_thread_self();
    index = fsh_slot_take(self);
    status = signal_on(node, event, increment, &fsh_slot_at(index)->event);
    if (status == FSHMEM_OK)
        *handle = fsh_slot_close(self, index);
    else
        fsh_slot_give(self, index);
    return status;
}

fshmem_status_t fshmem_await(unsigned event, unsigned count)
{
    FSH_TRACED("fshmem_await");
    fshmem_flow_t flow = {.await_event = event, .await_count = count};
    fshmem_command_t command;
    fshmem_status_t status;

    if (count == 0)
        return FSHMEM_ERR_ARGUMENT;
    status = fshmem_command_nop(1, &flow, &command);
    if (status != FSHMEM_OK)
        return status;
    return fshmem_submit(gasnet_mynode(), &command, 1);
}
