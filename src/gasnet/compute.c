/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to compute cores: signals, and what a client sends as an ordinary
 * active message to handler index FSH_OP_COMPUTE. Client threads only, not from
 * handlers. A RUN is treated like any list of commands: it follows those that
 * this rank has already submitted to the same queue.
 */
#include "base/log.h"
#include "gasnet/internal.h"

enum { MIN_ARGS = 2, MAX_ARGS = 4 };

/* A signal in flight. */
struct signal {
    struct fsh_answer answer;
    fsh_command_done_fn done;
    void *arg;
};

static void on_signal(struct fsh_answer *answer, unsigned status)
{
    struct signal *s = (struct signal *)(void *)answer;

    s->done(s->arg, status);
    free(s);
}
_Static_assert(offsetof(struct signal, answer) == 0, "on_signal");

static bool send_message(uint32_t node, uint64_t message,
                         fsh_command_done_fn done, void *arg)
{
    struct signal *s = malloc(sizeof *s);
    struct fsh_wait wait = {.peer = node + 1};

    if (s == NULL)
        return false;
    *s = (struct signal){{on_signal}, done, arg};
    while (!fsh_gasnet.ops->compute->send(node, &message, &s->answer))
        fsh_wait_step(&wait, "a message to a compute core");
    fsh_wait_end(&wait);
    return true;
}

bool fsh_gasnet_has_compute(uint32_t node)
{
    const struct fsh_compute_ops *ops = fsh_gasnet.ops->compute;

    return ops != NULL && ops->present(node);
}

int fsh_gasnet_core_number(uint32_t node)
{
    const struct fsh_compute_ops *ops = fsh_gasnet.ops->compute;

    return ops == NULL || ops->number == NULL ? (int)node : ops->number(node);
}

bool fsh_gasnet_signal(uint32_t node, unsigned event, unsigned increment,
                       fsh_command_done_fn done, void *arg)
{
    uint64_t message = 0;

    fsh_csignal_set_op(&message, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&message, event);
    fsh_csignal_set_increment(&message, increment);
    return send_message(node, message, done, arg);
}

/* ---- the client's own messages ------------------------------------------- */

/* Nobody waits for these messages, so an error ends the job, as for an active
 * message to an unregistered handler. */
static void check_done(void *arg, unsigned status)
{
    (void)arg;
    if (status != FSH_STATUS_OK)
        fsh_fatal("an active message to handler %u (COMPUTE) was refused by "
                  "its compute core: status %u (docs/02_reference/formats.md)",
                  FSH_OP_COMPUTE, status);
}

static void run(const char *call, uint32_t node, uint64_t message)
{
    struct fsh_command_list *list = fsh_command_list_new(
        node, fsh_crun_mover(&message) ? FSH_QUEUE_MOVER : FSH_QUEUE_ARRAY, 1);

    if (list == NULL)
        fsh_fatal("%s: no memory", call);
    list->is_message = true;
    list->message = message;
    list->done = check_done;
    fsh_command_submit(list);
}

void fsh_gasnet_compute_am(const char *call, const struct fsh_am *am)
{
    uint64_t message;

    if (am->category != FSH_AM_SHORT || am->nargs < MIN_ARGS ||
        am->nargs > MAX_ARGS)
        fsh_fatal("%s: handler index %u (COMPUTE) takes a Short request with "
                  "%d to %d arguments",
                  call, FSH_OP_COMPUTE, MIN_ARGS, MAX_ARGS);
    if (!fsh_gasnet_has_compute(am->node))
        fsh_fatal("%s: handler index %u (COMPUTE): node %u has no compute core "
                  "(FSHMEM_COMPUTE; on conduit mixed FSHMEM_CARDS)",
                  call, FSH_OP_COMPUTE, am->node);
    message = (uint32_t)am->args[0] | (uint64_t)(uint32_t)am->args[1] << 32;
    switch (fsh_crun_op(&message)) {
    case FSH_CMSG_RUN:
        run(call, am->node, message);
        break;
    case FSH_CMSG_SIGNAL:
        if (!send_message(am->node, message, check_done, NULL))
            fsh_fatal("%s: no memory", call);
        break;
    default:
        fsh_fatal("%s: handler index %u (COMPUTE): operation %u of argument 0 "
                  "is neither RUN nor SIGNAL",
                  call, FSH_OP_COMPUTE, (unsigned)fsh_crun_op(&message));
    }
}
