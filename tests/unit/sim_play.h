/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that play the compute cores of a fabric at the compute ports of RTL nodes:
 * the wires between the two in fsh_card, as structures. The cores of the RTL are
 * disconnected. sim_play.cpp is inserted between fabric.c and node_wrap.cpp (linked
 * with --wrap), and calls the test at each edge of core_clk_i.
 */
#ifndef FSH_TEST_SIM_PLAY_H
#define FSH_TEST_SIM_PLAY_H

#include "node_wrap.h"

/* What the node drives, a pulse each with what belongs to it. */
struct fsh_port_out {
    uint8_t run_valid, run_mover, run_count;
    uint8_t sig_valid, sig_counter, sig_inc;
    uint8_t ack_valid, ack_tag, ack_status;
    uint8_t ccmd_ready;
    uint32_t run_addr;
};

/* What the compute core drives. */
struct fsh_port_in {
    uint8_t run_room; /* a bit a queue */
    uint8_t ccmd_valid, kind, dst, tag;
    uint32_t length;
    uint64_t laddr, raddr;
};

#ifdef __cplusplus
extern "C" {
#endif

/* Of the test. Node `index` was made. */
void sim_play_begin(uint32_t index, struct fsh_node_io *io);
/* Of the test: the edge that ends cycle io->in.cycle. Given what the node drives in
 * that cycle; turns *out from what the core drives in it to what it drives in the
 * next. False: the core is at rest. */
bool sim_play_edge(uint32_t index, const struct fsh_port_out *in,
                   struct fsh_port_in *out);

#ifdef __cplusplus
}
#endif
#endif
