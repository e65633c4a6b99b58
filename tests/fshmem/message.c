/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A compute core commanded by ordinary active messages, with commands that the
 * client has stored in the segment itself: RUN to any node, more lists than its
 * queue holds, SIGNAL; in order with what fshmem_submit_nb sends.
 */
#include "cores.h"

#include "base/fsh_spec.h"

enum { SEGMENT = 1 << 20, LISTS = 40, GO = 20, RAN = 21, SIZE = 16 };

static fshmem_offset_t x, lists, results;

static void send_run(gasnet_node_t node, unsigned count, unsigned mover,
                     fshmem_offset_t at)
{
    uint64_t message = 0;

    fsh_crun_set_op(&message, FSH_CMSG_RUN);
    fsh_crun_set_count(&message, count);
    fsh_crun_set_mover(&message, mover);
    fsh_crun_set_addr(&message, at / 64);
    OK(gasnet_AMRequestShort2(node, FSH_OP_COMPUTE, (uint32_t)message,
                              (uint32_t)(message >> 32)));
}

static void send_signal(gasnet_node_t node, unsigned event, unsigned increment)
{
    uint64_t message = 0;

    fsh_csignal_set_op(&message, FSH_CMSG_SIGNAL);
    fsh_csignal_set_counter(&message, event);
    fsh_csignal_set_increment(&message, increment);
    /* Up to four arguments; the rest does not matter. */
    OK(gasnet_AMRequestShort4(node, FSH_OP_COMPUTE, (uint32_t)message,
                              (uint32_t)(message >> 32), 17, -1));
}

/* A product of ones that is accumulated: each adds 16. */
static void write_product(uint64_t *w, fshmem_offset_t c)
{
    memset(w, 0, FSH_CCMD_WORDS * 8);
    fsh_ccmd_set_op(w, FSH_COP_GEMM);
    fsh_ccmd_set_accumulate(w, 1);
    fsh_ccmd_set_x_addr(w, x / 64);
    fsh_ccmd_set_w_addr(w, x / 64);
    fsh_ccmd_set_c_addr(w, c / 64);
    fsh_ccmd_set_ldx(w, 1);
    fsh_ccmd_set_ldw(w, 1);
    fsh_ccmd_set_ldc(w, 1);
    fsh_ccmd_set_m(w, SIZE);
    fsh_ccmd_set_n(w, SIZE);
    fsh_ccmd_set_k(w, SIZE);
    fsh_ccmd_set_tile_x(w, 2);
    fsh_ccmd_set_tile_w(w, 1);
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
}

static void write_nop(uint64_t *w, unsigned count)
{
    memset(w, 0, FSH_CCMD_WORDS * 8);
    fsh_ccmd_set_await(w, count != 0);
    fsh_ccmd_set_await_event(w, GO);
    fsh_ccmd_set_await_count(w, count);
    fsh_ccmd_set_signal(w, 1);
    fsh_ccmd_set_signal_event(w, RAN);
    fsh_ccmd_set_signal_mask(w, FSHMEM_NODE(conf.me));
    fsh_ccmd_set_check(w, FSH_CMD_CHECK);
}

/* The first list waits, LISTS more pile up behind it; each is two products and
 * a signal. */
static void pile(gasnet_node_t peer, unsigned lap)
{
    uint64_t command[4][FSH_CCMD_WORDS];
    fshmem_offset_t at = lists + conf.me * sizeof command;
    fshmem_offset_t c = results + conf.me * (SIZE * SIZE * 4);
    const float want = 16.0f * 2 * LISTS * (float)(lap + 1);
    float got[SIZE * SIZE];

    write_nop(command[0], 2);
    write_product(command[1], c);
    write_product(command[2], c);
    write_nop(command[3], 0);
    gasnet_put(peer, conf_addr(peer) + at, command, sizeof command);
    send_run(peer, 1, 0, at);
    for (unsigned i = 0; i < LISTS; i++) {
        send_run(peer, 3, 0, at + sizeof command[0]);
    }
    send_signal(peer, GO, 2);
    /* Behind them all. */
    const fshmem_flow_t none = {0};
    fshmem_command_t last;
    FINE(fshmem_command_nop(0, &none, &last));
    FINE(fshmem_submit(peer, &last, 1));
    gasnet_get(got, peer, conf_addr(peer) + c, sizeof got);
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        CHECK(got[i] == want, "%g, want %g", (double)got[i], (double)want);
    }
    FINE(fshmem_await(RAN, LISTS + 1));
    conf_barrier();
}

int main(int argc, char **argv)
{
    cores_start("message", &argc, &argv, SEGMENT);
    x = cores_take(SIZE * SIZE * 4);
    lists = cores_take(conf.n * 4 * FSH_CCMD_WORDS * 8);
    results = cores_take(conf.n * (SIZE * SIZE * 4));
    for (unsigned i = 0; i < SIZE * SIZE; i++) {
        cores_at(x)[i] = 1;
    }
    conf_barrier();
    for (unsigned lap = 0; lap < 3; lap++) {
        pile((conf.me + 1) % conf.n, lap);
    }
    conf_pass();
}
