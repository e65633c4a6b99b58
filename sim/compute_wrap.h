/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One Verilated compute core (hw/rtl/compute/fsh_compute.sv) behind plain C
 * structures; the rules are those of node_wrap.h. Called by compute.c from the one
 * thread that owns the fabric. Node and core are two models: on the pins
 * between them, as everywhere, there are registers only, so each may be given
 * the other's outputs of the same cycle. Tests link scripted implementations.
 */
#ifndef FSH_SIM_COMPUTE_WRAP_H
#define FSH_SIM_COMPUTE_WRAP_H

#include <stdint.h>

#include "node_wrap.h"

/* AXI4 masters of a compute core: 512-bit data, a beat a burst. */
#define FSH_COMPUTE_LANES 4u
#define FSH_LANE_BYTES 64u
#define FSH_LANE_WORDS (FSH_LANE_BYTES / 8u)

/* What the core drives. Responses and read data are always taken. */
struct fsh_lane_out {
    uint8_t awvalid, wvalid, arvalid;
    uint64_t awaddr, araddr, wstrb;
    uint64_t wdata[FSH_LANE_WORDS];
};

/* What the models drive; err beside bvalid and rvalid. */
struct fsh_lane_in {
    uint8_t awready, wready, bvalid, berr;
    uint8_t arready, rvalid, rerr;
    uint64_t rdata[FSH_LANE_WORDS];
};

struct fsh_compute_in {
    uint64_t cycle;
    uint8_t rst;
    struct fsh_port_out port;
    struct fsh_lane_in lane[FSH_COMPUTE_LANES];
};

struct fsh_compute_out {
    uint8_t idle;
    struct fsh_port_in port;
    struct fsh_lane_out lane[FSH_COMPUTE_LANES];
};

struct fsh_compute_io {
    struct fsh_compute_in in;
    struct fsh_compute_out out;
};

#ifdef __cplusplus
extern "C" {
#endif

struct fsh_compute;

/* As their namesakes of the node; `waves` are the nodes'. */
struct fsh_compute *fsh_compute_create(struct fsh_compute_io *io,
                                       uint32_t index, uint64_t seed,
                                       struct fsh_node_waves *waves);
void fsh_compute_destroy(struct fsh_compute *core);
void fsh_compute_drive(struct fsh_compute *core);
void fsh_compute_eval(struct fsh_compute *core);

#ifdef __cplusplus
}
#endif
#endif
