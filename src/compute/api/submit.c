/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Submitting commands; see fshmem.h. Commands of the two queues become a list
 * each (src/compute/submit); both end on one event, that of the handle.
 */
#include <stdlib.h>

#include "compute/api/api.h"

/* Shared by the lists of a call; freed with the last. Only touched by the
 * submitting call before the first list is submitted, and then by `done`, which
 * the engine calls one at a time. */
struct call {
    struct fsh_event *event;
    fshmem_status_t *result; /* the user's, or NULL */
    fshmem_status_t status;
    unsigned lists; /* that have not ended */
};

static void on_done(void *arg, unsigned status)
{
    struct call *call = arg;
    struct fsh_event *event = call->event;

    if (call->status == FSHMEM_OK)
        call->status = fsh_status_of_compute(status);
    if (--call->lists > 0)
        return;
    if (call->result != NULL)
        *call->result = call->status;
    free(call);
    /* Release, partner: the acquire of whoever waits for the handle. */
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_release);
}

/* ---- checks -------------------------------------------------------------- */

static bool are_nodes(uint64_t set)
{
    return fsh_gasnet.nodes >= 64 || set >> fsh_gasnet.nodes == 0;
}

/* What commands call a node; -1: they do not reach it. */
typedef int (*number_fn)(uint32_t node);

/* What the core calls the nodes of a set; false: it cannot reach one of them. */
static bool number_nodes(number_fn number, uint64_t set, uint64_t *numbers)
{
    bool all = true;

    *numbers = 0;
    for (; set != 0; set &= set - 1) {
        int n = number((uint32_t)__builtin_ctzll(set));

        all &= n >= 0;
        if (n >= 0)
            *numbers |= UINT64_C(1) << n;
    }
    return all;
}

static fshmem_status_t check_plan(gasnet_node_t node,
                                  const struct fsh_plan *plan, number_fn number)
{
    uint64_t numbers;

    if (plan == NULL)
        return FSHMEM_ERR_ARGUMENT;
    if (!are_nodes(plan->send_nodes | plan->signal_nodes))
        return FSHMEM_ERR_NODE;
    if (!number_nodes(number, plan->send_nodes | plan->signal_nodes, &numbers))
        return FSHMEM_ERR_ABSENT;
    if (plan->local_end > fsh_gasnet.segs[node].size)
        return FSHMEM_ERR_RANGE;
    for (uint64_t left = plan->send_nodes; left != 0; left &= left - 1) {
        unsigned to = (unsigned)__builtin_ctzll(left);

        if (to != node && plan->remote_end > fsh_gasnet.segs[to].size)
            return FSHMEM_ERR_RANGE;
    }
    return FSHMEM_OK;
}

/* All commands; and how many commands of the core each queue gets. */
static fshmem_status_t check_commands(gasnet_node_t node,
                                      const fshmem_command_t *commands,
                                      size_t count, number_fn number,
                                      size_t pieces[2])
{
    for (size_t i = 0; i < count; i++) {
        const struct fsh_plan *plan = fsh_plan_of(&commands[i]);
        fshmem_status_t status = check_plan(node, plan, number);

        if (status != FSHMEM_OK)
            return status;
        pieces[plan->mover] += plan->pieces;
    }
    return pieces[0] > UINT32_MAX / 2 || pieces[1] > UINT32_MAX / 2
               ? FSHMEM_ERR_NO_MEMORY
               : FSHMEM_OK;
}

/* ---- lists --------------------------------------------------------------- */

/* The words of the commands for a queue, completion aside. */
static void fill(uint64_t (*words)[FSH_CCMD_WORDS], unsigned queue,
                 const fshmem_command_t *commands, size_t count,
                 number_fn number)
{
    for (size_t i = 0; i < count; i++) {
        struct fsh_plan plan = *fsh_plan_of(&commands[i]);

        if (plan.mover != queue)
            continue;
        number_nodes(number, plan.send_nodes, &plan.send_nodes);
        number_nodes(number, plan.signal_nodes, &plan.signal_nodes);
        for (uint32_t p = 0; p < plan.pieces; p++)
            fsh_plan_piece(&plan, p, *words++);
    }
}

/* Both lists or none: NULL where there are no commands. */
static bool make_lists(gasnet_node_t node, const fshmem_command_t *commands,
                       size_t count, const size_t pieces[2],
                       struct fsh_command_list *list[2])
{
    for (unsigned q = 0; q < 2; q++) {
        list[q] = NULL;
        if (pieces[q] == 0)
            continue;
        list[q] = fsh_command_list_new(node, q, (uint32_t)pieces[q]);
        if (list[q] == NULL) {
            free(list[0]);
            return false;
        }
        fill(list[q]->words, q, commands, count, fsh_gasnet_core_number);
    }
    return true;
}

fshmem_status_t fsh_api_words(gasnet_node_t node,
                              const fshmem_command_t *commands, size_t count,
                              int (*number)(uint32_t node),
                              struct fsh_api_words *words)
{
    size_t pieces[2] = {0, 0};
    fshmem_status_t status =
        check_commands(node, commands, count, number, pieces);
    uint64_t(*made)[FSH_CCMD_WORDS];

    if (status != FSHMEM_OK)
        return status;
    made = calloc(pieces[0] + pieces[1], sizeof *made);
    if (made == NULL)
        return FSHMEM_ERR_NO_MEMORY;
    *words = (struct fsh_api_words){made, {pieces[0], pieces[1]}};
    fill(made, 0, commands, count, number);
    fill(made + pieces[0], 1, commands, count, number);
    return FSHMEM_OK;
}

static void submit_lists(struct call *call, struct fsh_command_list *list[2])
{
    call->lists = list[0] != NULL && list[1] != NULL ? 2 : 1;
    atomic_fetch_add_explicit(&call->event->pending, 1, memory_order_relaxed);
    for (unsigned q = 0; q < 2; q++) {
        if (list[q] == NULL)
            continue;
        list[q]->done = on_done;
        list[q]->arg = call;
    }
    for (unsigned q = 0; q < 2; q++)
        if (list[q] != NULL)
            fsh_command_submit(list[q]);
}

/* Submit the only list, once, and wait for what the core says. */
static fshmem_status_t try_list(struct call *call,
                                struct fsh_command_list *list[2])
{
    struct fsh_command_list *only = list[0] != NULL ? list[0] : list[1];
    struct fsh_wait wait = {.peer = only->node + 1};
    struct fsh_event *event = call->event;
    atomic_uint once = FSH_ONCE_OPEN;

    only->once = &once;
    submit_lists(call, list);
    while (atomic_load_explicit(&once, memory_order_acquire) == FSH_ONCE_OPEN)
        fsh_wait_step(&wait, "fshmem_submit_nb");
    fsh_wait_end(&wait);
    if (atomic_load_explicit(&once, memory_order_relaxed) == FSH_ONCE_TAKEN)
        return FSHMEM_OK;
    free(call);
    atomic_fetch_sub_explicit(&event->pending, 1, memory_order_relaxed);
    return FSHMEM_ERR_BUSY;
}

/* ---- the calls ----------------------------------------------------------- */

static fshmem_status_t start(gasnet_node_t node,
                             const fshmem_command_t *commands, size_t count,
                             unsigned flags, struct fsh_event *event,
                             fshmem_status_t *result)
{
    size_t pieces[2] = {0, 0};
    struct fsh_command_list *list[2];
    fshmem_status_t status =
        check_commands(node, commands, count, fsh_gasnet_core_number, pieces);
    struct call *call;

    if (status != FSHMEM_OK)
        return status;
    if ((flags & FSHMEM_TRY) && ((pieces[0] != 0 && pieces[1] != 0) ||
                                 pieces[0] + pieces[1] > FSH_COMMAND_ONCE))
        return FSHMEM_ERR_ARGUMENT;
    call = malloc(sizeof *call);
    if (call == NULL || !make_lists(node, commands, count, pieces, list)) {
        free(call);
        return FSHMEM_ERR_NO_MEMORY;
    }
    *call = (struct call){event, result, FSHMEM_OK, 0};
    if (flags & FSHMEM_TRY)
        return try_list(call, list);
    submit_lists(call, list);
    return FSHMEM_OK;
}

fshmem_status_t fshmem_submit_nb(gasnet_node_t node,
                                 const fshmem_command_t *commands, size_t count,
                                 unsigned flags, gasnet_handle_t *handle,
                                 fshmem_status_t *result)
{
    FSH_TRACED("fshmem_submit_nb");
    fshmem_status_t status = fsh_api_check_call();
    struct fsh_thread *self;
    uint32_t index;

    if (status != FSHMEM_OK)
        return status;
    if (handle == NULL || (commands == NULL && count != 0) ||
        (flags & ~FSHMEM_TRY))
        return FSHMEM_ERR_ARGUMENT;
    status = fsh_api_check_compute(node);
    if (status != FSHMEM_OK)
        return status;
    if (count == 0) {
        if (result != NULL)
            *result = FSHMEM_OK;
        *handle = GASNET_INVALID_HANDLE;
        return FSHMEM_OK;
    }
    fsh_call_about(node, 0);
    self = fsh_thread_self();
    index = fsh_slot_take(self);
    status =
        start(node, commands, count, flags, &fsh_slot_at(index)->event, result);
    if (status == FSHMEM_OK)
        *handle = fsh_slot_close(self, index);
    else
        fsh_slot_give(self, index);
    return status;
}

/* Submit and, if it is this rank's own core and shares the processor with it, run what
 * is short on this thread. */
static fshmem_status_t submit_attended(gasnet_node_t node,
                                       const fshmem_command_t *commands,
                                       size_t count, gasnet_handle_t *handle,
                                       fshmem_status_t *result)
{
    const struct fsh_compute_ops *ops = fsh_gasnet.ops->compute;
    fshmem_status_t status;

    ops->attend(true);
    status = fshmem_submit_nb(node, commands, count, 0, handle, result);
    while (status == FSHMEM_OK && ops->help())
        fsh_gasnet_poll();
    ops->attend(false);
    return status;
}

fshmem_status_t fshmem_submit(gasnet_node_t node,
                              const fshmem_command_t *commands, size_t count)
{
    FSH_TRACED("fshmem_submit");
    fshmem_status_t status = fsh_api_check_call(), result = FSHMEM_OK;
    const struct fsh_compute_ops *ops;
    gasnet_handle_t handle;

    if (status != FSHMEM_OK)
        return status;
    ops = fsh_gasnet.ops->compute;
    status = ops != NULL && ops->help != NULL && node == fsh_gasnet.rank &&
                     fsh_api_check_compute(node) == FSHMEM_OK
                 ? submit_attended(node, commands, count, &handle, &result)
                 : fshmem_submit_nb(node, commands, count, 0, &handle, &result);
    if (status != FSHMEM_OK)
        return status;
    gasnet_wait_syncnb(handle);
    return result;
}
