/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A node has finished the convolution of examples/conv.c only when the whole
 * output is there: not while another one has not begun, nor while a node does
 * not forward its half of what the opposite node produced. Commands that run meanwhile
 * bound how long the absence of progress is observed; this may hide a fault, but never
 * cause one.
 */
#include <math.h>
#include <stdio.h>

#include "conv.h"

enum { HOLD = 63, LAST = 1, HOLDER = 0, COMMANDS = 20 };

static const struct conv_options options = {
    .kernels = 33, .size = 3, .channels = 16, .map = 24, .seed = 5};

/* Values of the output from one row of the line to another, and how many of
 * them are there. */
static uint64_t values(uint64_t from, uint64_t to)
{
    return (to - from) * options.map * 16;
}

static uint64_t there(const struct conv *x, uint64_t from, uint64_t to)
{
    const volatile float *at = case_at(x->output);
    uint64_t count = 0;

    for (uint64_t i = values(0, from); i < values(0, to); ++i) {
        count += isnan(at[i]) == 0;
    }
    return count;
}

/* Some time passes, by the clock of the core. */
static void settle(void)
{
    const fshmem_flow_t nothing = {0};
    fshmem_command_t nop;

    case_fine("NOP", fshmem_command_nop(0, &nothing, &nop));
    for (unsigned i = 0; i < COMMANDS; ++i) {
        case_fine("NOP", fshmem_submit(gasnet_mynode(), &nop, 1));
    }
}

/* When so many values of some rows are there, the node is not through. */
static void expect_waiting(const struct conv *x, uint64_t from, uint64_t to,
                           uint64_t least, const char *why)
{
    while (there(x, from, to) < least) {
        gasnet_AMPoll();
    }
    settle();
    if (gasnet_try_syncnb(x->handle) != GASNET_ERR_NOT_READY) {
        case_fail("does not wait for %s", why);
    }
}

static void start(const struct conv *x)
{
    case_fine("start", fshmem_signal(x->me, CASE_START, conv_starts(x)));
}

static void finish(struct conv *x)
{
    struct case_check check;

    conv_wait(x);
    conv_check(x, &check);
    if (check.wrong != 0) {
        case_fail("%llu wrong values", (unsigned long long)check.wrong);
    }
    conv_free(x);
    case_barrier();
}

static void late_start(void)
{
    struct conv x;

    conv_prepare(&x, &options);
    case_barrier();
    if (x.me != LAST) {
        uint64_t from = conv_begin(&options, x.nodes, x.me);
        uint64_t to = conv_begin(&options, x.nodes, x.me + 1);

        start(&x);
        expect_waiting(&x, from, to, values(from, to),
                       "the one that starts last");
    }
    case_barrier();
    if (x.me == LAST) {
        start(&x);
    }
    finish(&x);
}

/* Of four nodes: those beside the holder get half of each other's rows. */
static void late_half(void)
{
    const fshmem_flow_t held = {.await_event = HOLD, .await_count = 1};
    gasnet_handle_t handle = GASNET_INVALID_HANDLE;
    fshmem_command_t nop;
    struct conv x;

    case_fine("NOP", fshmem_command_nop(1, &held, &nop));
    if (gasnet_mynode() == HOLDER) {
        case_fine("hold", fshmem_submit_nb(HOLDER, &nop, 1, 0, &handle, NULL));
    }
    conv_prepare(&x, &options);
    case_barrier();
    start(&x);
    if (x.me % 2 == 1) {
        gasnet_node_t opposite = (x.me + 2) % 4;
        uint64_t from = conv_begin(&options, 4, opposite);
        uint64_t to = conv_begin(&options, 4, opposite + 1);

        /* A half may be smaller by a pixel of each piece. */
        expect_waiting(&x, from, to, values(from, to) / 2 - (to - from) * 16,
                       "the half that is held up");
    }
    case_barrier();
    if (x.me == HOLDER) {
        case_fine("release", fshmem_signal(HOLDER, HOLD, 1));
        gasnet_wait_syncnb(handle);
    }
    finish(&x);
}

int main(int argc, char **argv)
{
    case_join("late", &argc, &argv);
    case_attach(conv_bytes(&options));
    if (gasnet_nodes() > 1) {
        late_start();
    }
    if (gasnet_nodes() == 4) {
        late_half();
    }
    if (gasnet_mynode() == 0) {
        puts("late: pass");
    }
    case_leave(0);
    return 0;
}
