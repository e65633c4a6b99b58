// SPDX-License-Identifier: BSD-3-Clause
`default_nettype none

/// The AXI ports of a node as records: requests (what the master drives) and responses;
/// of AXI4 reads and writes apart. A write response is always taken (bready is high) and
/// read data always has room (rready is high), except where they are fields. err: the
/// response is SLVERR or DECERR. Size is the width of the bus, burst INCR. Data comes last
/// in each record: there a simulator finds it aligned to words.
package fsh_axi_pkg;
  localparam int unsigned MASTERS = 2;  // to device memory, one a lane of the GASNet core
  localparam int unsigned LANES = 4;  // of the compute core to device memory

  /// Registers and windows: AXI-Lite.
  typedef struct packed {
    logic        awvalid;
    logic        wvalid;
    logic        bready;
    logic        arvalid;
    logic        rready;
    logic [14:0] awaddr;
    logic [14:0] araddr;
    logic [63:0] wdata;
  } lite_req_t;

  typedef struct packed {
    logic        awready;
    logic        wready;
    logic        bvalid;
    logic        arready;
    logic        rvalid;
    logic [63:0] rdata;
  } lite_rsp_t;

  /// Host memory: AXI4; reads carry an identifier.
  typedef struct packed {
    logic         awvalid;
    logic         wvalid;
    logic         wlast;
    logic [7:0]   awlen;
    logic [15:0]  wstrb;
    logic [47:0]  awaddr;
    logic [127:0] wdata;
  } host_wr_req_t;

  typedef struct packed {
    logic awready;
    logic wready;
    logic bvalid;
    logic berr;
  } host_wr_rsp_t;

  typedef struct packed {
    logic        arvalid;
    logic        arid;
    logic [7:0]  arlen;
    logic [47:0] araddr;
  } host_rd_req_t;

  typedef struct packed {
    logic         arready;
    logic         rvalid;
    logic         rid;
    logic         rerr;
    logic [127:0] rdata;
  } host_rd_rsp_t;

  /// Device memory, and what a receiver writes to host memory: AXI4 without
  /// identifiers, a master a lane of the GASNet core, that of lane l in slice l of each field.
  typedef struct packed {
    logic [MASTERS-1:0]     awvalid;
    logic [MASTERS-1:0]     wvalid;
    logic [MASTERS-1:0]     wlast;
    logic [MASTERS*8-1:0]   awlen;
    logic [MASTERS*40-1:0]  awaddr;
    logic [MASTERS*16-1:0]  wstrb;
    logic [MASTERS*128-1:0] wdata;
  } mem_wr_req_t;

  typedef struct packed {
    logic [MASTERS-1:0] awready;
    logic [MASTERS-1:0] wready;
    logic [MASTERS-1:0] bvalid;
    logic [MASTERS-1:0] berr;
  } mem_wr_rsp_t;

  typedef struct packed {
    logic [MASTERS-1:0]    arvalid;
    logic [MASTERS*8-1:0]  arlen;
    logic [MASTERS*40-1:0] araddr;
  } mem_rd_req_t;

  typedef struct packed {
    logic [MASTERS-1:0]     arready;
    logic [MASTERS-1:0]     rvalid;
    logic [MASTERS-1:0]     rerr;
    logic [MASTERS*128-1:0] rdata;
  } mem_rd_rsp_t;

  /// Device memory, the lanes of the compute core, that of lane l in slice l: AXI4
  /// without identifiers, bursts of one beat.
  typedef struct packed {
    logic [LANES-1:0]     awvalid;
    logic [LANES-1:0]     wvalid;
    logic [LANES-1:0]     arvalid;
    logic [LANES*40-1:0]  awaddr;
    logic [LANES*40-1:0]  araddr;
    logic [LANES*64-1:0]  wstrb;
    logic [LANES*512-1:0] wdata;
  } lane_req_t;

  typedef struct packed {
    logic [LANES-1:0]     awready;
    logic [LANES-1:0]     wready;
    logic [LANES-1:0]     bvalid;
    logic [LANES-1:0]     berr;
    logic [LANES-1:0]     arready;
    logic [LANES-1:0]     rvalid;
    logic [LANES-1:0]     rerr;
  } lane_rsp_t;

  /// Device memory, the collective engine: the same, a master a unit.
  typedef struct packed {
    logic [1:0]    awvalid;
    logic [1:0]    wvalid;
    logic [1:0]    arvalid;
    logic [79:0]   awaddr;
    logic [79:0]   araddr;
    logic [127:0]  wstrb;
    logic [1023:0] wdata;
  } pair_req_t;

  typedef struct packed {
    logic [1:0]    awready;
    logic [1:0]    wready;
    logic [1:0]    bvalid;
    logic [1:0]    berr;
    logic [1:0]    arready;
    logic [1:0]    rvalid;
    logic [1:0]    rerr;
    logic [1023:0] rdata;
  } pair_rsp_t;

  /// Device memory, the DMA engine: the same, one master.
  typedef struct packed {
    logic         awvalid;
    logic         wvalid;
    logic         arvalid;
    logic [39:0]  awaddr;
    logic [39:0]  araddr;
    logic [63:0]  wstrb;
    logic [511:0] wdata;
  } line_req_t;

  typedef struct packed {
    logic         awready;
    logic         wready;
    logic         bvalid;
    logic         berr;
    logic         arready;
    logic         rvalid;
    logic         rerr;
    logic [511:0] rdata;
  } line_rsp_t;

  /// Host memory, the DMA engine: AXI4 without identifiers; responses as line_rsp_t.
  typedef struct packed {
    logic         awvalid;
    logic         wvalid;
    logic         wlast;
    logic         arvalid;
    logic [7:0]   awlen;
    logic [7:0]   arlen;
    logic [47:0]  awaddr;
    logic [47:0]  araddr;
    logic [63:0]  wstrb;
    logic [511:0] wdata;
  } wide_req_t;

  /// What the collective engine writes to host memory, at an offset in the DMA window: lines in
  /// bursts of four beats, whose answers nobody awaits.
  typedef struct packed {
    logic         awvalid;
    logic         wvalid;
    logic         wlast;
    logic [39:0]  awaddr;
    logic [127:0] wdata;
  } post_req_t;

  typedef struct packed {
    logic awready;
    logic wready;
  } post_rsp_t;
endpackage

`default_nettype wire
